#!/usr/bin/env bash
# install_private.sh [MAJOR]: builds the extension and installs it in the private PostgreSQL of that major, for
# `cargo test --package pg_test`. Prints the path of its pg_config, and that of the file that locks it.
set -euo pipefail
. "$(dirname "$0")/common.sh"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"
install_release >&2
printf '%s\n' "$PG_CONFIG" "$LOCK"
