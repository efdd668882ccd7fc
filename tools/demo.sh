#!/usr/bin/env bash
# demo.sh [MAJOR]: the extension at work on real rows, in a private PostgreSQL that is gone afterwards.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

ROWS=${ROWS:-1000000}

say "This takes half a minute, the first time some 5 minutes: up to 1 GB in /tmp, which goes again; 600 MB in" \
    "${CARGO_TARGET_DIR:-$ROOT/target} and up to 100 MB in $COMB_CACHE, which stay. It installs packages that are missing"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"
install_release
say "Starting a private PostgreSQL $MAJOR"
cluster_start "$PG_CONFIG" shared_buffers=512MB max_wal_size=8GB checkpoint_timeout=30min timezone=UTC \
    max_parallel_workers_per_gather=0

# Shows a statement as it would be typed, and what it says.
show() {
    printf '\n%s%s%s\n' "$CYAN" "$(sed 's/^/comb=# /; 2,$s/^comb=# /comb-# /' <<<"$1")" "$PLAIN"
    # An error is part of the show: psql goes on, and so does the walk.
    "$BIN/psql" -X -q <<<"$1" 2>&1
}
tell() { printf '\n%s-- %s%s\n' "$BOLD" "$*" "$PLAIN"; }

# Rows a second of one INSERT, after a checkpoint, so that all pay for the same WAL.
insert_rate() {
    local table=$1 begin end
    sql -c CHECKPOINT
    begin=$(date +%s%N)
    sql -c "INSERT INTO $table (payload) SELECT repeat('x', 100) FROM generate_series(1, $ROWS)"
    end=$(date +%s%N)
    echo $((ROWS * 1000000 / ((end - begin) / 1000)))
}

sql -c "CREATE DATABASE comb"
export PGDATABASE=comb

tell "One line to install it."
show "CREATE EXTENSION comb;"
sql -c "CREATE EXTENSION pgstattuple"

tell "A key that needs no thought: new ids are greater than all before them."
show "CREATE TABLE orders (
    id   uuid PRIMARY KEY DEFAULT comb_new(),
    item text
);"
show "INSERT INTO orders (item) VALUES ('apples'), ('pears'), ('plums') RETURNING id, item;"

tell "The moment is in the key."
show "SELECT id, comb_timestamp_micros(id) AS ordered_at FROM orders ORDER BY id;"

tell "$ROWS rows, keyed three ways: a bigint identity, gen_random_uuid(), comb_new(). Two rounds each."
sql <<SQL
CREATE TABLE by_bigint (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload text);
CREATE TABLE by_random (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), payload text);
CREATE TABLE by_comb   (id uuid PRIMARY KEY DEFAULT comb_new(), payload text);
CREATE TABLE demo_rates (key text, rows_a_second bigint);
SQL
for round in 1 2; do
    for table in by_bigint by_random by_comb; do
        printf '   round %s: inserting into %s ...\n' "$round" "$table"
        sql -c "TRUNCATE $table"
        sql -c "INSERT INTO demo_rates VALUES ('$table', $(insert_rate "$table"))"
    done
done
show "SELECT key AS \"table\", max(rows_a_second) AS rows_a_second,
       pg_size_pretty(pg_relation_size(key || '_pkey')) AS index_size,
       (pgstatindex(key || '_pkey')).avg_leaf_density || ' %' AS leaf_density,
       (pgstatindex(key || '_pkey')).leaf_fragmentation || ' %' AS fragmentation
FROM demo_rates GROUP BY key ORDER BY key;"

tell "A range of time is a range of keys: the primary key serves it, no created_at, no second index."
sql -c "VACUUM ANALYZE by_comb"
show "SELECT min(comb_timestamp(id)) AS first, max(comb_timestamp(id)) AS last, count(*) FROM by_comb;"
range=$(sql -c "SELECT format('%L, %L', first + (last - first) / 4, first + (last - first) / 2)
                FROM (SELECT min(comb_timestamp(id)) AS first, max(comb_timestamp(id)) AS last FROM by_comb) moments")
show "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
SELECT count(*) FROM by_comb
WHERE comb_between(id, $range);"

tell "Keys that come from SQL Server: NHibernate's, read; new ones, in SQL Server's order."
show "SELECT comb_timestamp('e25afe33-db2d-4502-9bf0-919001862cc4', 'mssql_legacy');"
show "CREATE TABLE invoices (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
INSERT INTO invoices (number) SELECT generate_series(1, 3);
SELECT id, number, comb_timestamp(id, 'mssql') FROM invoices ORDER BY id;"

tell "What says nothing of a time has none; what cannot be is an error that says why."
show "SELECT comb_timestamp(gen_random_uuid()) IS NULL AS no_time_in_a_random_uuid;"
show "SELECT comb_at('1969-07-20 20:17:40Z');"

if [ -t 0 ] && [ -t 1 ]; then
    tell "Your turn: the tables are there. \\q leaves, and removes everything."
    # Ctrl-C there is for psql, not for this script.
    trap : INT
    "$BIN/psql" -X || true
else
    say "Done. With a terminal, this would leave you in psql."
fi
