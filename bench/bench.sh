#!/usr/bin/env bash
# bench.sh: measures bench/experiments/ on a private PostgreSQL 18, which is removed afterwards, and writes the tables. README.md has
# the parameters, which are in the environment.
set -euo pipefail
. "$(dirname "$0")/../tools/common.sh"
. "$ROOT/tools/cluster.sh"

command -v python3 >/dev/null || "$ROOT/tools/setup.sh" --packages python3
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || die "python3 is too old" "3.10 or newer is needed."
# No files of Python among the sources, which may belong to another user.
export PYTHONDONTWRITEBYTECODE=1

main() {
    # Also checks the parameters.
    local gigabytes free kind run settings
    gigabytes=$(python3 "$ROOT/bench/run.py" disk)

    PG_CONFIG=$("$ROOT/tools/setup.sh" 18)
    . "$ROOT/tools/private.sh"
    install_release

    # On a disk even where /tmp is memory.
    CLUSTER_PARENT=/var/tmp
    free=$(($(df -Pk "$CLUSTER_PARENT" | awk 'END { print $4 }') / 1024 / 1024))
    [ "$free" -ge "$gigabytes" ] || die "$CLUSTER_PARENT has $free GB free; this run needs $gigabytes" \
        "Free some of it, or ask for fewer ROWS."
    say "Starting a private PostgreSQL $MAJOR"
    cluster_start "$PG_CONFIG" jit=off autovacuum=off max_parallel_workers_per_gather=0 \
        max_parallel_maintenance_workers=0 timezone=UTC shared_buffers=2GB comb.scope=server

    mkdir "$CLUSTER/bench"
    export BENCH_PROGRAMS=$BIN BENCH_WORK=$CLUSTER/bench
    run=$(python3 "$ROOT/bench/run.py" begin)
    say "The results are in $run"
    for kind in $(python3 "$ROOT/bench/run.py" servers); do
        mapfile -t settings < <(python3 "$ROOT/bench/run.py" settings "$kind")
        cluster_restart "${settings[@]}"
        # In the background, so that a signal ends this script at once: python3 then ends with its server.
        python3 "$ROOT/bench/run.py" measure "$run" "$kind" &
        wait $!
    done
    python3 "$ROOT/bench/report.py" "$run"
}

# bash reads a function as a whole: to edit this file does not disturb a run.
main
