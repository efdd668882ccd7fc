#!/usr/bin/env bash
# pglogical: first copy and changes of the three kinds of keys, with a row filter that calls comb.
set -euo pipefail
. "$(dirname "$0")/lib/companion.sh"

SETTINGS=(wal_level=logical 'shared_preload_libraries=pglogical,comb' max_worker_processes=20)
companion pglogical "${SETTINGS[@]}"
beside b "${SETTINGS[@]}"

for host in a b; do
    at "$host" sql -U app <<'SQL'
CREATE EXTENSION comb;
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new(), item text);
CREATE TABLE parcels (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), item text);
CREATE TABLE invoices (id uuid NOT NULL DEFAULT comb_new_mssql(), item text);
CREATE UNIQUE INDEX invoices_id ON invoices (id uuid_mssql_ops);
ALTER TABLE invoices REPLICA IDENTITY USING INDEX invoices_id;
SQL
done
# write WHAT: rows of before and of after the filter's moment.
write() {
    sql -U app -v what="$1" <<'SQL'
INSERT INTO orders SELECT comb_at('2025-12-31Z'::timestamptz + n * interval '1 minute'), :'what' FROM generate_series(0, 2879) n;
INSERT INTO orders (item) SELECT :'what' FROM generate_series(1, 1000);
INSERT INTO parcels (item) SELECT :'what' FROM generate_series(1, 1000);
INSERT INTO invoices (item) SELECT :'what' FROM generate_series(1, 1000);
SQL
}
# replicated: whether b has what a has, of the orders those that the filter lets through.
replicated() {
    local table here
    for table in "(SELECT * FROM orders WHERE comb_timestamp(id) > '2026-01-01Z')" parcels invoices; do
        here=$(content "$table")
        same "$1, ${table#*FROM }: ${here#* of } rows on both" "$here" "$(at b content "$table")"
    done
    same "$1: the filter keeps back older orders" 0 "$(at b sql -c "SELECT count(*) FROM orders WHERE comb_timestamp(id) <= '2026-01-01Z'")"
}

write "first copy"
# Without the setting of the page.
take "pglogical.replication_set_add_table" && provider=$BLOCK
sql <<<"$provider" >/dev/null
take "pglogical.create_subscription" && subscriber=$BLOCK
at b sql <<<"$subscriber" >/dev/null 2>&1 || true
for _ in $(seq 100); do
    said=$(grep -h 'may not be used as an output plugin' "$CLUSTER/work/"*.log | head -n 1) || true
    [ -z "$said" ] || break
    sleep 0.1
done
has "without the setting, the message that the page shows" 'library "pglogical_output" may not be used as an output plugin' "$said"
typed "ALTER SYSTEM SET output_plugin_libraries" >/dev/null

# Now it goes on by itself.
at b until_true "each table is in step" "SELECT count(*) = 3 AND bool_and(s.status IN ('synchronized', 'replicating')) FROM unnest('{orders,parcels,invoices}'::regclass[]) t,
    LATERAL pglogical.show_subscription_table('b_from_a', t) s"
replicated "first copy"

write "later"
sql -U app <<'SQL'
UPDATE orders SET item = 'changed' WHERE ('x' || right(id::text, 2))::bit(8)::int % 2 = 0;
UPDATE parcels SET item = 'changed' WHERE ('x' || left(id::text, 2))::bit(8)::int % 2 = 0;
UPDATE invoices SET item = 'changed' WHERE ('x' || left(id::text, 2))::bit(8)::int % 2 = 0;
DELETE FROM orders WHERE ('x' || right(id::text, 2))::bit(8)::int % 5 = 0;
DELETE FROM parcels WHERE ('x' || left(id::text, 2))::bit(8)::int % 5 = 0;
DELETE FROM invoices WHERE ('x' || left(id::text, 2))::bit(8)::int % 5 = 0;
SQL
lsn=$(sql -c "SELECT pg_current_wal_insert_lsn()")
until_true "the subscriber has caught up" "SELECT bool_and(confirmed_flush_lsn >= '$lsn') FROM pg_replication_slots"
replicated "changes"
companion_end
