#!/usr/bin/env bash
# demo.sh [MAJOR]: shows the extension on real rows, in a private PostgreSQL that is removed at the end.
# demo.sh --reader-svg [MAJOR]: draws docs/reader.svg, the readers of the demo, from what they really got.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"
. "$(dirname "$0")/reader.sh"

ROWS=${ROWS:-1000000}
SVG=
if [ "${1:-}" = --reader-svg ]; then SVG=$ROOT/docs/reader.svg && shift; fi

say "This takes half a minute, the first time about 5 minutes, to compile comb. It uses 1 GB in /tmp until it ends; 600 MB in" \
    "${CARGO_TARGET_DIR:-$ROOT/target} and up to 100 MB in $COMB_CACHE stay. It installs missing packages"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"
install_release
say "Starting a private PostgreSQL $MAJOR"
cluster_start "$PG_CONFIG" shared_buffers=512MB max_wal_size=8GB checkpoint_timeout=30min timezone=UTC \
    max_parallel_workers_per_gather=0

sql -c "CREATE DATABASE comb"
export PGDATABASE=comb

if [ -n "$SVG" ]; then
    sql -c "CREATE EXTENSION comb"
    svg_begin
    reader_walk svg_step
    svg_end >"$SVG"
    say "Drawn: $SVG"
    exit
fi

# typed PROMPT STATEMENT: as in psql.
typed() { printf '\n%s%s%s\n' "$CYAN" "$(sed "s/^/$1=# /; 2,\$s/^$1=# /$1-# /" <<<"$2")" "$PLAIN"; }
# Shows a statement and its result. An error is part of the demo.
show() {
    typed comb "$1"
    "$BIN/psql" -X -q <<<"$1" 2>&1
}
show_step() {
    typed "$1" "$2"
    [ -z "$3" ] || printf '%s\n' "$3"
}
tell() { printf '\n%s-- %s%s\n' "$BOLD" "$*" "$PLAIN"; }

# Rows a second of one INSERT, after a checkpoint, so that each begins with the same write-ahead log.
insert_rate() {
    local table=$1 begin end
    sql -c CHECKPOINT
    begin=$(date +%s%N)
    sql -c "INSERT INTO $table (payload) SELECT repeat('x', 100) FROM generate_series(1, $ROWS)"
    end=$(date +%s%N)
    echo $((ROWS * 1000000 / ((end - begin) / 1000)))
}

tell "One statement adds comb to a database."
show "CREATE EXTENSION comb;"

tell "Each new key is greater than all keys before it."
show "CREATE TABLE orders (
    id   uuid PRIMARY KEY DEFAULT comb_new(),
    item text
);"
show "INSERT INTO orders (item) VALUES ('apples'), ('pears'), ('plums') RETURNING id, item;"

tell "The time is in the key."
show "SELECT id, comb_timestamp_micros(id) AS ordered_at FROM orders ORDER BY id;"

tell "Transaction A gets its key first and commits last. One reader continues after its last key, the other one stops at the horizon."
reader_walk show_step
tell "The reader with id > cursor never gets A. The reader with comb_horizon() waited for A, and got both rows in order."

sql <<SQL
CREATE TABLE by_bigint (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload text);
CREATE TABLE by_random (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), payload text);
CREATE TABLE by_comb   (id uuid PRIMARY KEY DEFAULT comb_new(), payload text);
CREATE TABLE demo_rates (key text, rows_a_second bigint);
SQL
tables=(by_bigint by_random by_comb)
if [ "$MAJOR" -ge 18 ]; then
    sql -c "CREATE TABLE by_uuidv7 (id uuid PRIMARY KEY DEFAULT uuidv7(), payload text)"
    tables+=(by_uuidv7)
fi
tell "Bulk inserts of $ROWS rows with ${#tables[@]} kinds of keys, two rounds each."
for round in 1 2; do
    for table in "${tables[@]}"; do
        printf '   round %s: %s ...\n' "$round" "$table"
        sql -c "TRUNCATE $table"
        sql -c "INSERT INTO demo_rates VALUES ('$table', $(insert_rate "$table"))"
    done
done
show "SELECT key AS \"table\", max(rows_a_second) AS rows_a_second,
       pg_size_pretty(pg_relation_size(key || '_pkey')) AS index_size
FROM demo_rates GROUP BY key ORDER BY key;"

tell "A range of time is a range of keys: the primary key's index finds it. No created_at, no second index."
sql -c "VACUUM ANALYZE by_comb"
show "SELECT min(comb_timestamp(id)) AS first, max(comb_timestamp(id)) AS last, count(*) FROM by_comb;"
range=$(sql -c "SELECT format('%L, %L', first + (last - first) / 4, first + (last - first) / 2)
                FROM (SELECT min(comb_timestamp(id)) AS first, max(comb_timestamp(id)) AS last FROM by_comb) times")
show "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
SELECT count(*) FROM by_comb
WHERE comb_between(id, $range);"

tell "The time of a key from SQL Server, and new keys in SQL Server's order."
show "SELECT comb_timestamp('e25afe33-db2d-4502-9bf0-919001862cc4', 'mssql_legacy');"
show "CREATE TABLE invoices (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
INSERT INTO invoices (number) SELECT generate_series(1, 3);
SELECT id, number, comb_timestamp(id, 'mssql') FROM invoices ORDER BY id;"

tell "A random UUID has no time. A time that a UUID cannot contain is an error."
show "SELECT comb_timestamp(gen_random_uuid()) IS NULL AS no_time_in_a_random_uuid;"
show "SELECT comb_at('1969-07-20 20:17:40Z');"

if [ -t 0 ] && [ -t 1 ]; then
    tell "Now you: all tables still exist. \\q ends psql and removes the server."
    # Ctrl-C there is for psql, not for this script.
    trap : INT
    "$BIN/psql" -X || true
else
    say "Done. In a terminal, the demo ends in psql."
fi
