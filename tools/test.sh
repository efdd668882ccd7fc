#!/usr/bin/env bash
# test.sh [MAJOR]: every test there is, against one major of PostgreSQL.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/suite.sh"

say "This takes about 3 minutes, the first time about 15. It uses 2 GB in /tmp until it ends, and 40 MB until the next run; 3 GB in" \
    "${CARGO_TARGET_DIR:-$ROOT/target} and up to 100 MB in $COMB_CACHE stay. It installs missing packages"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
# A test would install it later, when nobody is there to enter a password.
"$ROOT/tools/setup.sh" --libfaketime >/dev/null
# Tests apply patches, and take version 0.4.1 from the clone.
command -v git >/dev/null || "$ROOT/tools/setup.sh" --packages git
. "$ROOT/tools/private.sh"

# A backtrace in a failure's text helps nobody who reads a summary.
export RUST_BACKTRACE=0

# cargo test, outside the folder for one PostgreSQL.
tests() { (cd "$ROOT" && CARGO_TARGET_DIR="${CARGO_TARGET_DIR%/*}" cargo test --locked "$@" 8>&-); }

# As in a fresh clone, on a machine that has Rust and no PostgreSQL.
unit_tests() { (unset PGRX_PG_CONFIG_PATH && tests); }

# The model of the table of floors. Other flags, other builds of all crates.
model() { RUSTFLAGS="--cfg loom" tests --target-dir "${CARGO_TARGET_DIR%/*}/loom" --package comb-horizon --lib model; }

# Those of src/.
extension_tests() { for_server test --package comb 8>&-; }

# pg_tests NAME [ARGUMENT...]: pg_test/tests/NAME, which start their own servers.
pg_tests() { PG_CONFIG=$PG_CONFIG RUST_TEST_THREADS=4 tests --package pg_test --test "$1" -- "${@:2}"; }

install_release
SUITES=$(grep -c '^suite ' "$0")
# What tests say that they do not test.
COMB_NOT_TESTED=$(mktemp)
export COMB_NOT_TESTED
trap 'rm -f "$COMB_NOT_TESTED"' EXIT
# That of tools/pgrx.sh.
export PATH=$COMB_CACHE/cargo-pgrx/bin:$PATH
pgrx=$(sed -n 's/^pgrx = { version = "=\([^"]*\)".*/\1/p' "$ROOT/Cargo.toml")
without_pgrx=()
if [ "$(cargo pgrx --version 2>/dev/null)" != "cargo-pgrx $pgrx" ]; then
    without_pgrx=(--skip cargo_pgrx)
    echo "cargo pgrx: there is no cargo-pgrx $pgrx; tools/pgrx.sh test installs it" >>"$COMB_NOT_TESTED"
fi

suite "Unit and property tests" unit_tests
suite "Model of the table of floors" model
suite "Tests in the extension's sources for PostgreSQL $MAJOR" extension_tests
suite "pg_regress on PostgreSQL $MAJOR" pg_tests regress
suite "Connections to PostgreSQL $MAJOR" pg_tests connections
suite "Dump, restore, updates and upgrades on PostgreSQL $MAJOR" pg_tests upgrade
suite "Faults on PostgreSQL $MAJOR" pg_tests faults
suite "An oracle of histories on PostgreSQL $MAJOR" pg_tests oracle
suite "Deliberate mistakes in the code, which tests must find" pg_tests mistakes
suite "Plain SQL without the extension on PostgreSQL $MAJOR" pg_tests portable
suite "Replication, foreign tables and contrib of PostgreSQL $MAJOR" pg_tests companions
suite "make, make install, make uninstall for PostgreSQL $MAJOR" pg_tests packaging "${without_pgrx[@]}"
suite "The pages of the documentation on PostgreSQL $MAJOR" pg_tests pages

suites_end "PostgreSQL $MAJOR"
say_what_stays
say "All $SUITES suites passed on PostgreSQL $MAJOR$([ ! -s "$COMB_NOT_TESTED" ] || echo ', without the skipped tests'). Tests of their own: make" \
    "companions (with other extensions), make examples (client libraries), make test-packages, make soak"
