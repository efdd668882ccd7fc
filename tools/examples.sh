#!/usr/bin/env bash
# examples.sh [MAJOR]: runs the programs of examples/ by pg_test/tests/examples.rs: all, or those that ON names.
set -euo pipefail
. "$(dirname "$0")/common.sh"

cd "$ROOT"
for name in ${ON:-}; do
    [ -x "examples/$name/run" ] || die "there is no example '$name'" "Choose from the folders of examples/"
done
PG_CONFIG=$(tools/setup.sh "${1:-}")
. tools/private.sh
install_release
PG_CONFIG=$PG_CONFIG RUST_BACKTRACE=0 CARGO_TARGET_DIR=${CARGO_TARGET_DIR%/*} \
    cargo test --locked --package pg_test --test examples -- --ignored --nocapture 8>&-
