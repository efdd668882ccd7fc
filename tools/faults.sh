#!/usr/bin/env bash
# faults.sh PG_CONFIG [SECONDS [CONNECTIONS [FAULT...]]]: the fault tests, with real servers, against a
# PostgreSQL beside which the extension is installed. They share the time between them; without one, each
# is as short as it can be. Called by a script that has set up cargo for that PostgreSQL (tools/private.sh).
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/suite.sh"

PG_CONFIG=$1 TIME=${2:-0} CONNECTIONS=${3:-32}
FAULTS=("${@:4}")
[ ${#FAULTS[@]} -gt 0 ] || mapfile -t FAULTS < <(cd "$ROOT/tools/faults" && ls ./*.sh | sed 's|^\./||; s|\.sh$||')
MAJOR=$(major_of "$PG_CONFIG")
SHORTEST=6

# Every fault, and how its server comes to its shared memory: see tools/faults/lib/fault.sh.
runs=()
for fault in "${FAULTS[@]}"; do
    case $fault in
        # What is preloaded stays while the server runs, whatever becomes of its file.
        versions) runs+=("$fault attached") ;;
        # How the memory came has no part in its mistakes.
        horizon_mutants) runs+=("$fault attached") ;;
        *)
            [ -x "$ROOT/tools/faults/$fault.sh" ] || die "no fault test is called $fault"
            runs+=("$fault preloaded" "$fault attached")
            ;;
    esac
done

duration=$((TIME / ${#runs[@]}))
[ $duration -ge $SHORTEST ] || duration=$SHORTEST
for run in "${runs[@]}"; do
    read -r fault sharing <<<"$run"
    suite "Fault: $fault, $sharing" "$ROOT/tools/faults/$fault.sh" "$PG_CONFIG" "$sharing" $duration "$CONNECTIONS"
done
suites_end "Faults on PostgreSQL $MAJOR"
