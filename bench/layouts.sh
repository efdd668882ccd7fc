#!/usr/bin/env bash
# layouts.sh: the cost of reading stored ids and of making ids in a layout, in PostgreSQL 18,
# as ratios of one run. Method as in generate.sh.
set -euo pipefail
. "$(dirname "$0")/measure.sh"

ROWS=${ROWS:-1000000}
bench_start shared_buffers=1GB
sql -c "CREATE TABLE ids AS SELECT comb_new() AS v7, comb_new_mssql() AS mssql FROM generate_series(1, $ROWS)" \
    -c "VACUUM (FREEZE, ANALYZE) ids"

for round in $(seq "$ROUNDS"); do
    say "Round $round of $ROUNDS"
    for read in "v7" "uuid_extract_timestamp(v7)" "comb_timestamp(v7)" "comb_timestamp(v7, 'uuidv7')" \
        "comb_timestamp_mssql(mssql)" "comb_timestamp(mssql, 'mssql')"; do
        measure "$read" "SELECT count($read) FROM ids"
    done
    for make in "comb_new()" "comb_new('uuidv7')" "comb_new_mssql()" "comb_new('mssql')" \
        "comb_new_mssql_legacy()" "comb_new('mssql_legacy')"; do
        measure "$make" "SELECT count($make) FROM (SELECT generate_series(1, $ROWS)) s"
    done
done
report "$ROWS"
ratio "comb_timestamp(v7)" "uuid_extract_timestamp(v7)"
ratio "comb_timestamp(v7, 'uuidv7')" "comb_timestamp(v7)"
ratio "comb_timestamp(mssql, 'mssql')" "comb_timestamp_mssql(mssql)"
ratio "comb_new_mssql()" "comb_new()"
ratio "comb_new('uuidv7')" "comb_new()"
ratio "comb_new('mssql')" "comb_new_mssql()"
ratio "comb_new('mssql_legacy')" "comb_new_mssql_legacy()"
