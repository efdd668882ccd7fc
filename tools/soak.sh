#!/usr/bin/env bash
# soak.sh [MAJOR [MINUTES [CONNECTIONS [FAULT...]]]]: the fault tests for longer than `make test` has time
# for, against one major of PostgreSQL. They share the time; those that need none of it end sooner.
# FAULT: those of tools/faults/ alone, by name.
set -euo pipefail
. "$(dirname "$0")/common.sh"

MINUTES=${2:-30} CONNECTIONS=${3:-32}
[[ $MINUTES =~ ^[1-9][0-9]*$ && $CONNECTIONS =~ ^[1-9][0-9]*$ ]] || die "MINUTES and CONNECTIONS are whole numbers from 1 on"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"
install_release
"$ROOT/tools/faults.sh" "$PG_CONFIG" $((MINUTES * 60)) "$CONNECTIONS" "${@:4}"
