# What the benchmarks share: a server, queries measured in turns, medians and ratios. Sourced.
. "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"
. "$ROOT/tools/cluster.sh"

ROUNDS=${ROUNDS:-15}

# A private PostgreSQL 18 with the extension in its release build. Arguments are settings.
bench_start() {
    PG_CONFIG=$("$ROOT/tools/setup.sh" 18)
    . "$ROOT/tools/cargo.sh"
    install_release
    cluster_start "$PG_CONFIG" jit=off max_parallel_workers_per_gather=0 "$@"
    sql -c "CREATE EXTENSION comb"
    RESULTS=$CLUSTER/results
}

# measure NAME QUERY: notes the milliseconds that the server took.
measure() {
    local ms
    ms=$("$BIN/psql" -X -At -c '\timing on' -c "$2" | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p')
    printf '%s\t%s\n' "$1" "$ms" >>"$RESULTS"
}

median() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$RESULTS" | sort -n | sed -n "$(((ROUNDS + 1) / 2))p"
}

# report [ROWS]: the median of every measurement, in the order in which they were first taken; for
# queries of so many rows each also the time of a row.
report() {
    local name
    printf '\n%-32s %10s %10s\n' "median of $ROUNDS" ms "${1:+ns a row}"
    awk -F '\t' '!seen[$1]++ { print $1 }' "$RESULTS" | while read -r name; do
        median "$name" | awk -v name="$name" -v rows="${1:-0}" \
            '{ printf "%-32s %10.1f %10s\n", name, $1, rows ? sprintf("%.1f", $1 * 1000000 / rows) : "" }'
    done
    echo
}

ratio() {
    awk -v a="$(median "$1")" -v b="$(median "$2")" -v name="$1 / $2" \
        'BEGIN { printf "%-60s %.3f\n", name, a / b }'
}
