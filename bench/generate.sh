#!/usr/bin/env bash
# generate.sh: the cost of one id in PostgreSQL 18, comb_new() beside uuidv7() and gen_random_uuid().
#
# One query makes ROWS ids; the contestants take turns, ROUNDS times, so that a machine that slows
# down or speeds up does so for all; the median counts. The ratio is that of the whole queries,
# the loop around the call included.
set -euo pipefail
. "$(dirname "$0")/measure.sh"

ROWS=${ROWS:-1000000}
bench_start

for round in $(seq "$ROUNDS"); do
    say "Round $round of $ROUNDS"
    for call in "1" "comb_new()" "uuidv7()" "gen_random_uuid()"; do
        measure "$call" "SELECT count($call) FROM (SELECT generate_series(1, $ROWS)) s"
    done
done
report "$ROWS"
ratio "comb_new()" "uuidv7()"
