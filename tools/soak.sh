#!/usr/bin/env bash
# soak.sh [MAJOR [MINUTES [CONNECTIONS]]]: the fault tests for longer than `make test` has time for, against one major of PostgreSQL.
# They share the time; those that need none of it end sooner. Then PostgreSQL's own suites, sqlsmith for that time, all mistakes,
# tests on a PostgreSQL 18 with assertions, schedules at its injection points, Miri and cargo-mutants.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/suite.sh"

MINUTES=${2:-30} CONNECTIONS=${3:-32}
[[ $MINUTES =~ ^[1-9][0-9]*$ && $CONNECTIONS =~ ^[1-9][0-9]*$ ]] || die "MINUTES and CONNECTIONS are whole numbers from 1 on"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"

mapfile -t faults < <(sed -n 's/^mod \(.*\);/\1/p' "$ROOT/pg_test/tests/faults/main.rs")
install_release
# A test has two servers, one after the other.
SHARE=$((MINUTES * 60 / (2 * ${#faults[@]})))
for fault in "${faults[@]}"; do
    suite "Fault: $fault" env PG_CONFIG="$PG_CONFIG" COMB_TEST_SECONDS=$((SHARE > 6 ? SHARE : 6)) COMB_TEST_CONNECTIONS="$CONNECTIONS" \
        CARGO_TARGET_DIR="${CARGO_TARGET_DIR%/*}" cargo test --locked --manifest-path "$ROOT/Cargo.toml" --package pg_test \
        --test faults -- --test-threads=1 --nocapture "$fault::"
done

if tests=$("$ROOT/tools/setup.sh" --tests "$MAJOR"); then
    suite "PostgreSQL's own suites with comb, and sqlsmith" "$ROOT/tools/postgres_suites.sh" "$PG_CONFIG" "$tests" $((MINUTES * 60))
else
    summary+=("skipped PostgreSQL's own suites and sqlsmith: see why the source of PostgreSQL $MAJOR is missing")
fi

suite "Mistakes that the tests must catch" env PG_CONFIG="$PG_CONFIG" COMB_MISTAKES=all CARGO_TARGET_DIR="${CARGO_TARGET_DIR%/*}" \
    cargo test --locked --manifest-path "$ROOT/Cargo.toml" --package pg_test --test mistakes -- --nocapture

# The assertions of PostgreSQL itself, which no distribution builds it with, and ours. They take time: no test lasts longer than in
# make test.
assertions=(env -u PG_CONFIG PG=18-assertions CARGO_TARGET_DIR="${CARGO_TARGET_DIR%/*}")
tests=(cargo test --locked --manifest-path "$ROOT/Cargo.toml" --package pg_test)
suite "PostgreSQL 18 with assertions" "${assertions[@]}" "${tests[@]}" --test isolation --test regress --test faults -- --test-threads=1 --nocapture
suite "An oracle, and states that it must reach" "${assertions[@]}" COMB_TEST_SECONDS=60 "${tests[@]}" --test oracle -- --nocapture
suite "Polls without caches" "${assertions[@]}" COMB_TEST_OPTIONS="-c debug_discard_caches=1" "${tests[@]}" \
    --test faults -- --test-threads=1 --nocapture horizon::histories::each_row
suite "Mistakes that the schedules must catch" "${assertions[@]}" COMB_MISTAKES=all "${tests[@]}" --test mistakes -- --nocapture
crates=(--package comb-tick --package comb-id --package comb-clock --package comb-horizon)
if RUSTUP_AUTO_INSTALL=0 cargo +nightly miri --version >/dev/null 2>&1; then
    # The tests keep their blocks for ever.
    suite "Miri" env MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks" PROPTEST_CASES=1 \
        cargo +nightly miri test --locked --manifest-path "$ROOT/Cargo.toml" "${crates[@]}" --lib
else
    say "Miri is not run: rustup component add --toolchain nightly miri"
fi
if cargo mutants --version >/dev/null 2>&1; then
    suite "Mutants of the crates" env -u CARGO_TARGET_DIR PROPTEST_CASES=16 cargo mutants --dir "$ROOT" --output "$COMB_CACHE" "${crates[@]}"
else
    say "Mutants of the crates are not run: cargo install cargo-mutants"
fi
suites_end "make soak"
