#!/usr/bin/env bash
# test.sh [MAJOR]: every test there is, against one major of PostgreSQL.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"
. "$(dirname "$0")/suite.sh"
. "$(dirname "$0")/regress.sh"

say "This takes some 6 minutes, the first time some 15: up to 2 GB in /tmp, which goes again; 3 GB in" \
    "${CARGO_TARGET_DIR:-$ROOT/target} and up to 100 MB in $COMB_CACHE, which stay. It installs packages that are missing"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"

# A backtrace in a failure's text helps nobody who reads a summary.
export RUST_BACKTRACE=0

# As in a fresh clone, on a machine that has Rust and no PostgreSQL.
unit_tests() { (cd "$ROOT" && env -u PGRX_PG_CONFIG_PATH cargo test --locked 8>&-); }

# A server as most have it: with the library preloaded.
preloaded_start() {
    cluster_start "$PG_CONFIG" shared_preload_libraries=comb fsync=off max_wal_size=4GB max_connections=60 max_worker_processes=16
}

# Those of src/, and pg_test/*.rs over connections.
server_tests() {
    preloaded_start
    for_server test --package comb 8>&-
}

# What psql shows, compared with pg_test/expected. First as users call it, on a server where nothing is preloaded.
regress_all() {
    cluster_start "$PG_CONFIG"
    "$ROOT/tools/installcheck.sh" "$PG_CONFIG"
    cluster_restart shared_preload_libraries=comb
    rm -rf "$RESULTS"
    mkdir -p "$RESULTS"
    # One word a test.
    # shellcheck disable=SC2046
    run_regress "$PG_CONFIG" "$RESULTS" $(regress_tests) || die "the regression tests failed" "What psql showed is in $RESULTS"
}
RESULTS=$CARGO_TARGET_DIR/regress

# From the first release, and from the older PostgreSQLs beside which a run of theirs has installed this version.
update_tests() {
    local old config older=()
    for old in $SUPPORTED_MAJORS; do
        # To the newest only: each takes a while.
        [ "$MAJOR" = "${SUPPORTED_MAJORS##* }" ] && [ "$old" -lt "$MAJOR" ] || continue
        config=$COMB_CACHE/pg/$old/bin/pg_config
        if [ -x "$config" ] && cmp -s "$STAGE/comb--$COMB_VERSION.sql" "$("$config" --sharedir)/extension/comb--$COMB_VERSION.sql"; then
            older+=("$config")
        else
            say "Not tested: pg_upgrade from PostgreSQL $old, which has no comb $COMB_VERSION; make test PG=$old installs it"
        fi
    done
    "$ROOT/tools/upgrade.sh" "$PG_CONFIG" "${older[@]}"
}

install_release

suite "Unit and property tests" unit_tests
suite "Server tests on PostgreSQL $MAJOR" server_tests
suite "pg_regress on PostgreSQL $MAJOR" regress_all
suite "make, make install and make uninstall for PostgreSQL $MAJOR" "$ROOT/tools/packaging.sh" "$PG_CONFIG"
suite "cargo pgrx for PostgreSQL $MAJOR" "$ROOT/tools/cargo_pgrx.sh" "$PG_CONFIG" "$STAGE"
suite "The SQL of README.md and docs/ on PostgreSQL $MAJOR" "$ROOT/tools/docs.sh" "$PG_CONFIG"
suite "Dump, restore and upgrade on PostgreSQL $MAJOR" "$ROOT/tools/operate.sh" "$PG_CONFIG"
suite "Update from the first release on PostgreSQL $MAJOR" update_tests
suite "Faults on PostgreSQL $MAJOR" "$ROOT/tools/faults.sh" "$PG_CONFIG"

suites_end "PostgreSQL $MAJOR"
