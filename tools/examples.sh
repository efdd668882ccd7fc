#!/usr/bin/env bash
# examples.sh [MAJOR]: runs the programs of examples/ by pg_test/tests/examples/: all, or those that ON names.
set -euo pipefail
. "$(dirname "$0")/common.sh"

cd "$ROOT"
for name in ${ON:-}; do
    client=$(grep -x "${name#*:}" "examples/${name%:*}/clients" 2>/dev/null) || true
    [ -x "examples/${name%:*}/run" ] && [[ $name != *:* || -n $client ]] ||
        die "there is no example '$name'" "Choose from the folders of examples/; one client of a folder: node:kysely"
done
PG_CONFIG=$(tools/setup.sh "${1:-}")
. tools/private.sh
install_release
PG_CONFIG=$PG_CONFIG RUST_BACKTRACE=0 CARGO_TARGET_DIR=${CARGO_TARGET_DIR%/*} \
    cargo test --locked --package pg_test --test examples -- --ignored --nocapture 8>&-
