#!/usr/bin/env bash
# generate.sh: the cost of one id in PostgreSQL 18, comb_new() beside uuidv7() and gen_random_uuid().
#
# One query makes ROWS ids; the contestants take turns, ROUNDS times, so that a machine that slows
# down or speeds up does so for all; the median counts. The ratio is that of the whole queries,
# the loop around the call included.
set -euo pipefail
. "$(dirname "$0")/../tools/common.sh"
. "$ROOT/tools/cluster.sh"

ROWS=${ROWS:-3000000}
ROUNDS=${ROUNDS:-5}

PG_CONFIG=$("$ROOT/tools/setup.sh" 18)
. "$ROOT/tools/cargo.sh"
install_release
cluster_start "$PG_CONFIG" jit=off max_parallel_workers_per_gather=0
sql -c "CREATE EXTENSION comb"

# Milliseconds of one query, as the server measures them.
measure() {
    sql -c "SELECT count($1) FROM (SELECT generate_series(1, 100000)) s" >/dev/null
    "$BIN/psql" -X -At -c '\timing on' -c "SELECT count($1) FROM (SELECT generate_series(1, $ROWS)) s" |
        sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p'
}

contestants=("1" "comb_new()" "uuidv7()" "gen_random_uuid()")
results=$(mktemp "$CLUSTER/results.XXXXXX")
for round in $(seq "$ROUNDS"); do
    say "Round $round of $ROUNDS"
    for call in "${contestants[@]}"; do
        echo "$call $(measure "$call")" >>"$results"
    done
done

median() { grep -F "$1 " "$results" | grep "^${1%%(*}" | awk '{ print $2 }' | sort -n | sed -n "$(((ROUNDS + 1) / 2))p"; }
printf '\n%-20s %10s %12s\n' call "ms" "ns a row"
for call in "${contestants[@]}"; do
    median "$call" | awk -v call="$call" -v rows="$ROWS" \
        '{ printf "%-20s %10.1f %12.1f\n", call == "1" ? "(empty loop)" : call, $1, $1 * 1000000 / rows }'
done
awk -v comb="$(median "comb_new()")" -v uuidv7="$(median "uuidv7()")" \
    'BEGIN { printf "\ncomb_new() / uuidv7() = %.3f\n", comb / uuidv7 }'
