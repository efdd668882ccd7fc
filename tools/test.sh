#!/usr/bin/env bash
# test.sh [MAJOR]: every test there is, against one major of PostgreSQL.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"
. "$(dirname "$0")/suite.sh"

PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/cargo.sh"

# Unit and property tests, and those that pgrx runs inside a server.
rust_tests() (
    place=$(mktemp -d /tmp/comb-test.XXXXXX)
    trap 'stop_test_server "$place"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    chown "$SERVER_USER" "$place"
    run_as=(--pgdata "$place/data")
    if is_root; then run_as+=(--runas "$SERVER_USER"); fi
    # A backtrace in an error's DETAIL would not be what a user sees.
    (cd "$ROOT" && RUST_BACKTRACE=0 cargo pgrx test "${run_as[@]}" --no-default-features --features "pg$MAJOR pg_test" "pg$MAJOR" 8>&-)
)

# pgrx's test runner stops its server when it ends, but not when it is interrupted.
stop_test_server() {
    local data
    for data in "$1"/data "$1"/data/*; do
        if [ -f "$data/postmaster.pid" ]; then
            as_server "$("$PG_CONFIG" --bindir)/pg_ctl" -D "$data" -m immediate -s stop || true
        fi
    done
    rm -rf "$1"
}

# What psql shows, compared with pg_test/expected.
regress_tests() {
    local names status=0 regress
    # The tests above leave a test build behind.
    install_release || return
    regress=$("$PG_CONFIG" --pgxs)
    regress=${regress%/makefiles/pgxs.mk}/test/regress/pg_regress
    rm -rf "$CARGO_TARGET_DIR/regress-results"
    cluster_start "$PG_CONFIG" shared_preload_libraries=comb
    # The server's user may be unable to enter this folder.
    cp -r "$ROOT/pg_test/sql" "$ROOT/pg_test/expected" "$ROOT/pg_test/vectors.csv" "$CLUSTER/work/"
    chown -R "$SERVER_USER" "$CLUSTER/work"
    names=$(cd "$ROOT/pg_test/sql" && ls ./*.sql | sed 's|^\./||; s|\.sql$||')
    # One word a test.
    # shellcheck disable=SC2086
    (cd "$CLUSTER/work" && as_server "$regress" --bindir="$BIN" --inputdir="$CLUSTER/work" \
        --outputdir="$CLUSTER/work" --host="$PGHOST" --port="$PGPORT" --user=postgres $names) || status=$?
    if [ $status -ne 0 ] && [ -f "$CLUSTER/work/regression.diffs" ]; then
        cat "$CLUSTER/work/regression.diffs"
        cp -r "$CLUSTER/work/results" "$CARGO_TARGET_DIR/regress-results"
        say "What psql showed is kept in $CARGO_TARGET_DIR/regress-results"
    fi
    return $status
}

suite "Rust tests on PostgreSQL $MAJOR" rust_tests
# In a process of its own, which stops its server when it ends.
suite "pg_regress on PostgreSQL $MAJOR" eval '(regress_tests)'

suite "Dump, restore and upgrade on PostgreSQL $MAJOR" "$ROOT/tools/operate.sh" "$PG_CONFIG"
suite "Faults on PostgreSQL $MAJOR" "$ROOT/tools/faults.sh" "$PG_CONFIG"

suites_end "PostgreSQL $MAJOR"
