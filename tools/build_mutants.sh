#!/usr/bin/env bash
# build_mutants.sh PG_CONFIG: builds the library with the feature mutants, for the tests of pg_test. Prints its path.
set -euo pipefail
. "$(dirname "$0")/common.sh"
PG_CONFIG=$1
. "$ROOT/tools/cargo.sh"
clean_other_clone
step "Building the mutants for $PG_CONFIG_VERSION" for_server build --lib --package comb --features mutants
echo "$CARGO_TARGET_DIR/debug/libcomb.so"
