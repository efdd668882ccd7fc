#!/usr/bin/env bash
# soak.sh [MAJOR [MINUTES [CONNECTIONS [FAULT...]]]]: the fault tests for longer than `make test` has time
# for, against one major of PostgreSQL. FAULT: those of tools/faults/ alone, by name.
set -euo pipefail
. "$(dirname "$0")/common.sh"

MINUTES=${2:-30} CONNECTIONS=${3:-32}
[[ $MINUTES =~ ^[0-9]+$ && $CONNECTIONS =~ ^[0-9]+$ ]] || die "minutes and connections are whole numbers"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/cargo.sh"
install_release
"$ROOT/tools/faults.sh" "$PG_CONFIG" $((MINUTES * 60)) "$CONNECTIONS" "${@:4}"
