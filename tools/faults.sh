#!/usr/bin/env bash
# faults.sh PG_CONFIG [SECONDS [CONNECTIONS [FAULT...]]]: the fault tests, with real servers, against a
# PostgreSQL beside which the extension is installed. They share the time between them; without one, each
# is as short as it can be. Called by a script that has set up cargo for that PostgreSQL (tools/cargo.sh).
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/suite.sh"

PG_CONFIG=$1 TIME=${2:-0} CONNECTIONS=${3:-32}
FAULTS=("${@:4}")
[ ${#FAULTS[@]} -gt 0 ] || FAULTS=(order kill clock lead restart fork versions input memory)
MAJOR=$("$PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
SHORTEST=6

# Every fault, and how its server comes to its shared memory: see tools/faults/lib/fault.sh.
runs=()
for fault in "${FAULTS[@]}"; do
    case $fault in
        # Preloading is what it is about.
        fork) runs+=("$fault preloaded") ;;
        versions) [ "$MAJOR" -lt 17 ] || runs+=("$fault attached") ;;
        # How the memory came has no part in them.
        input | memory) if [ "$MAJOR" -lt 17 ]; then runs+=("$fault preloaded"); else runs+=("$fault attached"); fi ;;
        *)
            [ -x "$ROOT/tools/faults/$fault.sh" ] || die "no fault test is called $fault"
            runs+=("$fault preloaded")
            [ "$MAJOR" -lt 17 ] || runs+=("$fault attached")
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
