#!/usr/bin/env bash
# mssql.sh: sorting, index building and inserting in SQL Server's order, beside uuid's own order on ids
# that are as sequential in it, in PostgreSQL 18, as ratios of one run. Method as in generate.sh.
set -euo pipefail
. "$(dirname "$0")/measure.sh"

ROWS=${ROWS:-3000000}
INSERTED=${INSERTED:-1000000}
ROUNDS=${ROUNDS_MSSQL:-9}
bench_start shared_buffers=2GB work_mem=1GB maintenance_work_mem=1GB max_parallel_maintenance_workers=0 \
    max_wal_size=16GB checkpoint_timeout=1h
say "Making $ROWS ids for each order, shuffled"
sql -c "CREATE TABLE in_uuid AS SELECT id FROM (SELECT comb_new() AS id FROM generate_series(1, $ROWS)) ids ORDER BY random()" \
    -c "CREATE TABLE in_mssql AS SELECT id, id::uniqueidentifier AS guid FROM (SELECT comb_new_mssql() AS id FROM generate_series(1, $ROWS)) ids ORDER BY random()" \
    -c "CREATE TABLE into_uuid (id uuid PRIMARY KEY DEFAULT comb_new(), payload text)" \
    -c "CREATE TABLE into_guid (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), payload text)" \
    -c "CREATE TABLE into_opclass (id uuid NOT NULL DEFAULT comb_new_mssql(), payload text)" \
    -c "CREATE UNIQUE INDEX ON into_opclass (id uuid_mssql_ops)" \
    -c "VACUUM (FREEZE, ANALYZE) in_uuid, in_mssql"

build() {
    sql -c CHECKPOINT
    measure "index $1" "CREATE INDEX built ON $2"
    sql -c "DROP INDEX built"
}
insert() {
    sql -c "TRUNCATE $2" -c CHECKPOINT
    measure "insert $1" "INSERT INTO $2 (payload) SELECT repeat('x', 100) FROM generate_series(1, $INSERTED)"
}
for round in $(seq "$ROUNDS"); do
    say "Round $round of $ROUNDS"
    measure "sort uuid" "SELECT id FROM in_uuid ORDER BY id OFFSET $ROWS"
    measure "sort uniqueidentifier" "SELECT guid FROM in_mssql ORDER BY guid OFFSET $ROWS"
    measure "sort uuid using <#" "SELECT id FROM in_mssql ORDER BY id USING <# OFFSET $ROWS"
    build "uuid" "in_uuid (id)"
    build "uniqueidentifier" "in_mssql (guid)"
    build "uuid_mssql_ops" "in_mssql (id uuid_mssql_ops)"
    # Each comes first, second and third as often: what the one before it leaves the machine to write
    # costs the next.
    inserts=("uuid into_uuid" "uniqueidentifier into_guid" "uuid_mssql_ops into_opclass")
    for place in 0 1 2; do
        # shellcheck disable=SC2086 -- two words
        insert ${inserts[$(((round + place) % 3))]}
    done
done
report
ratio "sort uniqueidentifier" "sort uuid"
ratio "sort uuid using <#" "sort uuid"
ratio "index uniqueidentifier" "index uuid"
ratio "index uuid_mssql_ops" "index uuid"
ratio "insert uniqueidentifier" "insert uuid"
ratio "insert uuid_mssql_ops" "insert uuid"
