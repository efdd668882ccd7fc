#!/usr/bin/env bash
# PostgreSQL's logical replication: three servers that all make ids and replicate to each other; replica identities; the
# order of arrival, the horizon, row filters, a switch-over, and subscribers without comb.
set -euo pipefail
. "$(dirname "$0")/lib/companion.sh"

SETTINGS=(wal_level=logical max_wal_senders=30 max_replication_slots=30 max_logical_replication_workers=30 max_worker_processes=50)
# A large transaction of a is applied by parallel workers.
companion "Logical replication" "${SETTINGS[@]}" logical_decoding_work_mem=64kB
beside b "${SETTINGS[@]}"
beside c "${SETTINGS[@]}"
HOSTS=(a b c)

# caught_up: every subscription has all that was written before.
caught_up() {
    local host lsn
    for host in "${HOSTS[@]}"; do
        lsn=$(at "$host" sql -c "SELECT pg_current_wal_insert_lsn()")
        at "$host" until_true "the subscribers of $host have caught up" \
            "SELECT coalesce(bool_and(confirmed_flush_lsn >= '$lsn'), true) AND NOT EXISTS (SELECT FROM pg_replication_slots WHERE temporary)
             FROM pg_replication_slots WHERE slot_type = 'logical'"
    done
}
# each_table QUERY: for the three tables; TABLE stands for its name.
each_table() { local table && for table in orders parcels invoices; do sql -c "${1//TABLE/$table}"; done; }
# subscriber DATABASE PUBLICATION TABLES [OPTION]: on the server at hand, a database that gets that from a, once TABLES are there.
subscriber() {
    sql -d postgres -c "CREATE DATABASE $1 OWNER app"
    sql -d "$1" -U app -c "$3"
    sql -d "$1" -c "CREATE SUBSCRIPTION $1 CONNECTION 'host=$CLUSTER/a dbname=shop user=postgres' PUBLICATION $2 WITH (${4:-origin = any})"
    PGDATABASE=$1 until_true "$1 has its first copy" "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel"
}

# --- Three servers that all write -----------------------------------------------------------------

for host in "${HOSTS[@]}"; do
    at "$host" typed "-- on a.example, b.example and c.example"
    at "$host" typed "CREATE PUBLICATION everything"
done
typed "CREATE SUBSCRIPTION a_from_b"
take "CREATE SUBSCRIPTION a_from_b"
# The same for the other two: TO FROM FROM.
for hosts in "b a c" "c a b"; do
    read -r to one other <<<"$hosts"
    at "$to" sql < <(sed "s/a_from_b/${to}_from_@/; s|$CLUSTER/b |$CLUSTER/@ |; s/a_from_c/${to}_from_$other/; s|$CLUSTER/c |$CLUSTER/$other |; s/@/$one/g" <<<"$BLOCK")
done

cat >"$CLUSTER/work/write.sql" <<'SQL'
\set chance random(1, 4)
INSERT INTO orders (node) VALUES (':node') RETURNING id AS orders \gset
INSERT INTO parcels (node) VALUES (':node') RETURNING id AS parcels \gset
INSERT INTO invoices (node) VALUES (':node') RETURNING id AS invoices \gset
UPDATE orders SET item = 'changed' WHERE id = ':orders';
UPDATE parcels SET item = 'changed' WHERE id = ':parcels';
UPDATE invoices SET item = 'changed' WHERE id = ':invoices';
\if :chance = 1
DELETE FROM parcels WHERE id = ':parcels';
DELETE FROM invoices WHERE id = ':invoices';
\endif
SQL
declare -A scans
for host in "${HOSTS[@]}"; do scans[$host]=$(at "$host" sql -c "SELECT sum(seq_scan) FROM pg_stat_user_tables"); done
writers=()
for host in "${HOSTS[@]}"; do
    at "$host" "$BIN/pgbench" -n -U app -c 5 -T "$DURATION" -D node="$host" -f "$CLUSTER/work/write.sql" >"$CLUSTER/$host.pgbench" 2>&1 &
    writers+=($!)
done
for writer in "${writers[@]}"; do wait "$writer" || not_ok "5 clients on each server write ($(cat "$CLUSTER"/*.pgbench))"; done
# Statistics of backends that have ended are there at once; those of apply workers come within a second.
caught_up
sleep 1.5
for host in "${HOSTS[@]}"; do
    same "on $host no UPDATE or DELETE scans a table, its own or replicated" "${scans[$host]}" "$(at "$host" sql -c "SELECT sum(seq_scan) FROM pg_stat_user_tables")"
    same "on $host no conflict and no error" 0 "$(at "$host" sql -c "SELECT sum(apply_error_count + sync_error_count + confl_insert_exists
        + confl_update_missing + confl_delete_missing + confl_multiple_unique_conflicts) FROM pg_stat_subscription_stats")"
done
written=$(sed -n 's/^number of transactions actually processed: //p' "$CLUSTER"/*.pgbench | paste -sd+ | sed 's/$//')
same "15 clients on three servers, $written transactions: no row is lost" $((written)) "$(sql -c "SELECT count(*) FROM orders WHERE item = 'changed'")"
same "rows of each of the three" "a,b,c a,b,c a,b,c" "$(each_table "SELECT string_agg(DISTINCT node, ',' ORDER BY node) FROM TABLE" | paste -sd' ')"
same "no id twice, in all columns of all three" 0 "$(sql -c "SELECT count(*) - count(DISTINCT id)
    FROM (SELECT id FROM orders UNION ALL SELECT id::uuid FROM parcels UNION ALL SELECT id FROM invoices) ids")"
for table in orders parcels invoices; do
    here=$(content $table)
    for host in b c; do same "$table on $host is that on a: ${here#* of } rows" "$here" "$(at "$host" content $table)"; done
done
refused "ADD PRIMARY KEY USING INDEX"

# --- The order of arrival -------------------------------------------------------------------------

sql -U app -c "CREATE PUBLICATION orders_alone FOR TABLE orders"
take "-- on a.example, b.example and c.example"
at b subscriber arrivals orders_alone "CREATE EXTENSION comb; CREATE TABLE orders (id uuid PRIMARY KEY, node text, item text); $(
    take "ADD arrived" && echo "$BLOCK")"
sql -U app -c "INSERT INTO orders (node) VALUES ('streamed')"
caught_up
sql -U app -c "INSERT INTO orders (node) SELECT 'streamed' FROM generate_series(1, 20000)" -c "INSERT INTO orders (node) VALUES ('last')"
caught_up
same "a large transaction was applied by a parallel worker" t "$(at b sql -c "SELECT count(*) > 0 FROM pg_stat_activity
    WHERE datname = 'arrivals' AND backend_type = 'logical replication parallel worker'")"
export PGDATABASE=arrivals
at b facts <<'SQL'
SELECT 'each row has its own id of arrival, of the first copy and of parallel apply workers', count(*) > 20000 AND count(DISTINCT arrived) = count(*) FROM orders;
SELECT 'those of the first copy are below those that came later, and the last is the greatest',
    max(arrived::text) FILTER (WHERE node NOT IN ('streamed', 'last')) < min(arrived::text) FILTER (WHERE node = 'streamed')
    AND (SELECT node FROM orders ORDER BY arrived DESC LIMIT 1) = 'last' FROM orders;
SQL
export PGDATABASE=shop

# --- Subscribers without comb ---------------------------------------------------------------------

sql -U app -c "CREATE PUBLICATION parcels_alone FOR TABLE parcels"
take "-- on a subscriber without comb"
for binary in off on; do
    at c subscriber "plain_$binary" parcels_alone "$BLOCK" "binary = $binary"
done
sql -U app -c "INSERT INTO parcels (node) VALUES ('later')" -c "UPDATE parcels SET item = 'later' WHERE node = 'a'" -c "DELETE FROM parcels WHERE node = 'b'"
caught_up
for binary in off on; do
    same "a subscriber without comb, binary = $binary, has the same parcels as uuid" "$(content parcels)" "$(PGDATABASE=plain_$binary at c content parcels)"
done

# --- Row filters ----------------------------------------------------------------------------------

refused "(comb_between(id, '2026-01-01Z', 'infinity'))"
refused "CREATE PUBLICATION recent_parcels"
sql -U app -c "INSERT INTO orders SELECT comb_at('2025-12-31Z'::timestamptz + n * interval '1 minute'), 'turn of the year' FROM generate_series(0, 2879) n"
take "SELECT comb_lower_bound"
same "comb_lower_bound gives the constant of the filter" "$(typed "SELECT comb_lower_bound")" "$(grep -o "[0-9a-f-]\{36\}" <<<"$BLOCK" | sort -u)"
at c subscriber recent recent "CREATE TABLE orders (id uuid PRIMARY KEY, node text, item text)"
sql -U app -c "INSERT INTO orders SELECT comb_at('2025-12-31 23:00Z'::timestamptz + n * interval '1 minute'), 'turn of the year' FROM generate_series(0, 119) n"
caught_up
same "it lets through what is of this year, in the first copy and later" 1500 \
    "$(PGDATABASE=recent at c sql -c "SELECT count(*) FROM orders WHERE node = 'turn of the year'")"
same "and nothing else" 0 "$(PGDATABASE=recent at c sql -c "SELECT count(*) FROM orders WHERE id < '019b76da-a800-7000-8000-000000000000'")"

# --- The horizon ----------------------------------------------------------------------------------

typed "CREATE TABLE outbox"
sql -U app -c "CREATE PUBLICATION outbox FOR TABLE outbox"
take "CREATE TABLE outbox"
at b sql -U app <<<"$BLOCK"
at b sql -c "CREATE SUBSCRIPTION b_outbox CONNECTION 'host=$CLUSTER/a dbname=shop user=postgres' PUBLICATION outbox"
at b until_true "the outbox has its first copy" "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel"

# A transaction that has its key and commits when it may.
sql -U app -c "CREATE TABLE may_commit ()"
sql -U app >/dev/null <<'SQL' &
BEGIN;
INSERT INTO outbox (body) VALUES ('first key, last commit');
DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM may_commit) LOOP PERFORM pg_sleep(0.05); END LOOP; END $$;
COMMIT;
SQL
holder=$!
until_true "the transaction has its key" "SELECT count(*) = 1 FROM comb_horizon_holders()"
sql -U app -c "INSERT INTO outbox (body) VALUES ('second key')"
caught_up
at b until_true "the subscriber's horizon is above the second key" "SELECT id < comb_horizon() FROM outbox"
horizon=$(at b sql -c "SELECT comb_horizon()")
same "the publisher's horizon is below both keys" "" "$(typed "SELECT id, body FROM outbox")"
sql -U app -c "INSERT INTO may_commit DEFAULT VALUES"
wait "$holder"
caught_up
same "on the subscriber a row arrives below what was its horizon there" "first key, last commit,second key" \
    "$(at b sql -c "SELECT string_agg(body, ',' ORDER BY id) FROM outbox WHERE id < '$horizon'")"
until_true "the publisher's horizon goes on" "SELECT bool_and(id < comb_horizon()) FROM outbox"
same "on the publisher the reader gets both in the order of keys" "first key, last commit,second key" \
    "$(typed "SELECT id, body FROM outbox" | cut -d'|' -f2 | paste -sd,)"

cat >"$CLUSTER/work/outbox.sql" <<'SQL'
\set wait random(0, 30)
BEGIN;
INSERT INTO outbox (body) VALUES ('under load');
SELECT pg_sleep(:wait / 1000.0);
COMMIT;
SQL
"$BIN/pgbench" -n -U app -c 8 -T "$DURATION" -f "$CLUSTER/work/outbox.sql" >"$CLUSTER/outbox.pgbench" 2>&1 &
writer=$!
take "SELECT bool_and(confirmed_flush_lsn" && replayed=$BLOCK
take "AS horizon" && ask=$BLOCK
rounds=0 equal=0
while kill -0 $writer 2>/dev/null; do
    read -r horizon lsn < <(sql -U app <<<"$ask"$'\n''\echo :horizon :lsn')
    until [ "$(sql -U app -v lsn="$lsn" <<<"$replayed")" = t ]; do sleep 0.02; done
    below="(SELECT * FROM outbox WHERE id < '$horizon')"
    rounds=$((rounds + 1))
    [ "$(content "$below")" != "$(at b content "$below")" ] || equal=$((equal + 1))
done
wait $writer || not_ok "8 clients write into the outbox ($(cat "$CLUSTER/outbox.pgbench"))"
fact "under load, $rounds times: once the position is replayed, the subscriber has all rows below the horizon" \
    "$([ $rounds -gt 5 ] && [ $equal = $rounds ] && echo t || echo "$equal")"

at b sql -c "ALTER SUBSCRIPTION b_outbox DISABLE"
until_true "the slot is not in use" "SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'b_outbox'"
sql -U app -c "INSERT INTO outbox (body) VALUES ('while the subscriber is away')"
until_true "the horizon is above it" "SELECT bool_and(id < comb_horizon()) FROM outbox"
ok "a subscriber that is away, and its slot, do not hold the horizon back"
at b sql -c "ALTER SUBSCRIPTION b_outbox ENABLE"

# --- Switch-over ----------------------------------------------------------------------------------

sql -c "SELECT comb_observe(comb_at(now() + interval '1 hour'))" >/dev/null 2>&1
sql -U app -c "INSERT INTO orders (node) VALUES ('ahead')" -c "INSERT INTO parcels (node) VALUES ('ahead')" 2>/dev/null
caught_up
above() { at b sql -c "SELECT comb_new() > (SELECT id FROM orders ORDER BY id DESC LIMIT 1), comb_new_mssql() > (SELECT max(id) FROM parcels)" 2>/dev/null; }
same "ids that another server made ahead do not lead this one" "f|f" "$(above)"
PGOPTIONS="-c client_min_messages=error" at b typed "SELECT comb_observe(id) FROM orders" >/dev/null
same "after comb_observe new ids are above all that are here" "t|t" "$(above)"

if grep -hE 'ERROR|FATAL|PANIC' "$CLUSTER"/work/[bc].log; then not_ok "no error on b and c"; fi
companion_end
