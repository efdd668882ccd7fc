#!/usr/bin/env bash
# Partitions on two other servers, by hash and by time: what is sent there, with the option extensions 'comb' and without.
set -euo pipefail
. "$(dirname "$0")/lib/companion.sh"

companion postgres_fdw
beside b
beside c

for host in a b c; do at "$host" typed "CREATE EXTENSION comb"; done
at b typed "CREATE TABLE orders (id uuid PRIMARY KEY, item text);"
at c typed "CREATE TABLE orders (id uuid PRIMARY KEY, item text);"
typed "CREATE EXTENSION postgres_fdw"
export PGUSER=app
typed "PARTITION BY HASH (id)"
at b typed "CREATE TABLE events (id uuid PRIMARY KEY, body text);"
at c typed "CREATE TABLE events (id uuid PRIMARY KEY, body text);"
typed "PARTITION BY RANGE (id)"

# --- Rows -----------------------------------------------------------------------------------------

cat >"$CLUSTER/work/insert.sql" <<'SQL'
INSERT INTO orders (item) VALUES ('by a client') RETURNING id \gset
SELECT 1 / count(*) FROM orders WHERE id = ':id';
SQL
"$BIN/pgbench" -n -c 8 -t 50 -f "$CLUSTER/work/insert.sql" >"$CLUSTER/pgbench.log" 2>&1 || not_ok "8 clients insert ($(head -n 3 "$CLUSTER/pgbench.log"))"
sql -c "INSERT INTO orders (item) SELECT n FROM generate_series(1, 1000) n" -c "COPY orders (item) FROM STDIN" <<<'by COPY'
here=$(sql -c "SELECT count(DISTINCT id) FROM orders")
on_b=$(at b sql -c "SELECT count(*) FROM orders") on_c=$(at c sql -c "SELECT count(*) FROM orders")
same "all rows of clients, INSERT ... SELECT and COPY, no id twice" "1401 1401" "$here $((on_b + on_c))"
fact "about half of them on each server: $on_b and $on_c" "$([ "$on_b" -gt 560 ] && [ "$on_c" -gt 560 ] && echo t || echo f)"
same "in the order of the server that made the ids" t \
    "$(sql -c "SELECT bool_and(item::int = place) FROM (SELECT item, row_number() OVER (ORDER BY id) AS place FROM orders WHERE item ~ '^[0-9]+\$') places")"
has "a primary key on the parent is refused" 'cannot create unique index on partitioned table "orders"' \
    "$(sql -c "ALTER TABLE orders ADD PRIMARY KEY (id)" 2>&1 || true)"

sql -c "INSERT INTO events SELECT comb_at('2026-01-01Z'::timestamptz + n * interval '8 hours'), n FROM generate_series(0, 999) n" \
    -c "INSERT INTO events (body) VALUES ('now')"
same "each server has the rows of its time" "t t" "$(at b sql -c "SELECT max(comb_timestamp(id)) < '2026-07-01Z' FROM events") $(
    at c sql -c "SELECT min(comb_timestamp(id)) >= '2026-07-01Z' FROM events")"
plan=$(typed "EXPLAIN (VERBOSE, COSTS OFF)")
take "EXPLAIN (VERBOSE, COSTS OFF)"
while IFS= read -r line; do has "the plan on the page" "$line" "$plan"; done < <(sed -n 's/^-- *\(Foreign Scan\|Remote SQL\)/\1/p' <<<"$BLOCK")
lacks "the other server is not asked" "events_new" "$plan"
same "the subselect finds the row of now" 1 "$(typed "(SELECT now() - interval '1 hour')")"

# --- What is sent ---------------------------------------------------------------------------------

# Foreign tables of one table on b, by a server with the option and by one without.
at b sql <<'SQL'
CREATE TABLE parcels (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), at timestamptz, legacy uuid DEFAULT comb_new_mssql());
INSERT INTO parcels SELECT comb_at(m, 'mssql'), m, comb_at(m, 'mssql') FROM generate_series('2026-01-01Z'::timestamptz, '2026-12-31Z', '1 day') m;
CREATE INDEX ON parcels (legacy uuid_mssql_ops);
ANALYZE parcels;
SQL
take "CREATE EXTENSION postgres_fdw"
sql -U postgres -c "$(sed -n "/^CREATE SERVER b/ s/SERVER b/SERVER without/; s/, extensions 'comb'//p" <<<"$BLOCK" | grep without)" -c "GRANT USAGE ON FOREIGN SERVER without TO app"
sql <<'SQL'
CREATE USER MAPPING FOR app SERVER without OPTIONS (user 'app', password 'secret');
CREATE SCHEMA with_option;
CREATE SCHEMA without_option;
IMPORT FOREIGN SCHEMA public LIMIT TO (events, parcels) FROM SERVER b INTO with_option OPTIONS (import_default 'true');
IMPORT FOREIGN SCHEMA public LIMIT TO (events, parcels) FROM SERVER without INTO without_option;
SQL
sql -c "INSERT INTO with_option.parcels (at) VALUES ('2027-01-01Z')"
same "IMPORT FOREIGN SCHEMA takes over the default" t "$(at b sql -c "SELECT comb_timestamp(id, 'mssql') > now() - interval '1 hour' FROM parcels WHERE at >= '2027-01-01Z'")"

# remote SCHEMA STATEMENT: what is sent for it, with that schema first in the path; and what it answers.
remote() { sql -c "SET search_path = $1, public" -c "SET timezone = 'UTC'" -c "EXPLAIN (VERBOSE, COSTS OFF) $2" | sed -n 's/^ *Remote SQL: //p'; }
answer() { sql -c "SET search_path = $1, public" -c "SET timezone = 'UTC'" -c "$2"; }
# sends WHAT WITHOUT WITH STATEMENT: the texts say what must stand in the remote SQL; `-`: no condition, order or limit is there.
sends() {
    local schema want
    for schema in without_option with_option; do
        want=$2
        [ $schema != with_option ] || want=$3
        if [ "$want" = - ]; then
            lacks "$1, ${schema%_option} the option, is not sent" " WHERE " "$(remote $schema "$4" | sed 's/ ORDER BY .*\| LIMIT .*/ WHERE &/; s/min(\|max(/ WHERE &/')"
        else
            has "$1, ${schema%_option} the option, is sent" "$want" "$(remote $schema "$4")"
        fi
    done
    same "$1: the same rows both times, and some" "$(answer without_option "SELECT count(*) > 0, md5(string_agg(t::text, ',')) FROM ($4) t")" \
        "$(answer with_option "SELECT true, md5(string_agg(t::text, ',')) FROM ($4) t")"
}

march="'2026-03-01Z', '2026-04-01Z'"
bound=$(sql -c "SELECT comb_mssql_lower_bound('2026-12-01Z')")
one=$(at b sql -c "SELECT id FROM parcels ORDER BY id LIMIT 1")
sends "comb_between of uuid, constants" "WHERE ((id >= '019" "WHERE ((id >= '019" "SELECT * FROM events WHERE comb_between(id, $march)"
sends "comb_between of uuid, now()" - - "SELECT id FROM events WHERE comb_between(id, now() - interval '5 years', now())"
sends "comb_between of uuid, subselects" - 'id >= public.comb_lower_bound($1::timestamp with time zone)' \
    "SELECT * FROM events WHERE comb_between(id, (SELECT now() - interval '5 years'), (SELECT now()))"
sends "comb_timestamp(id) > constant" - "public.comb_timestamp(id) > '2026-03-01" "SELECT * FROM events WHERE comb_timestamp(id) > '2026-03-01Z'"
sends "uniqueidentifier =" - "WHERE ((id " "SELECT * FROM parcels WHERE id = '$one'"
sends "uniqueidentifier, a range" - "WHERE ((id " "SELECT * FROM parcels WHERE id >= '$bound'"
sends "comb_between of uniqueidentifier, constants" - "WHERE ((id " "SELECT * FROM parcels WHERE comb_between(id, $march)"
sends "uniqueidentifier, ORDER BY and LIMIT" - "ORDER BY id ASC NULLS LAST LIMIT 7" "SELECT * FROM parcels ORDER BY id LIMIT 7"
sends "min and max of uniqueidentifier" - "min(id), max(id)" "SELECT min(id), max(id) FROM parcels"
sends "ORDER BY id USING <# of uuid" - "ORDER BY legacy USING OPERATOR(public.<#)" "SELECT * FROM parcels ORDER BY legacy USING <#"

take "(SELECT now() - interval '1 hour')"
plan=$(sql -c "EXPLAIN (VERBOSE, COSTS OFF) $BLOCK")
has "the page's subselect is sent" 'public.comb_lower_bound(' "$plan"
has "and prunes no partition" "events_old" "$plan"
plan=$(sql -c "SET plan_cache_mode = force_generic_plan" \
    -c "PREPARE q(timestamptz, timestamptz) AS SELECT * FROM events WHERE comb_between(id, \$1, \$2)" \
    -c "EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE q($march)")
has "parameters are sent" 'public.comb_lower_bound($1::timestamp with time zone)' "$plan"
has "and prune" "Subplans Removed: 1" "$plan"

# --- Another schema -------------------------------------------------------------------------------

at c sql -U postgres -c "DROP EXTENSION comb" -c "CREATE SCHEMA ext" -c "CREATE EXTENSION comb SCHEMA ext"
has "comb in another schema there" "function public.comb_timestamp(uuid) does not exist" \
    "$(sql -c "SELECT * FROM events WHERE comb_timestamp(id) > '2026-08-01Z'" 2>&1 || true)"
companion_end
