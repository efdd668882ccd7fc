#!/usr/bin/env bash
# clean.sh: removes all builds of this clone. The private PostgreSQLs stay.
# clean.sh purge: removes also these, and the packages that setup.sh has installed and nothing else needs, for which apt-get asks.
set -euo pipefail
. "$(dirname "$0")/common.sh"

if [ "${1:-}" = purge ] && [ -s "$COMB_CACHE/installed" ]; then
    # To remove them by their names would take along what needs them, such as a server that was installed later.
    as_root apt-get autoremove
fi
rm -rf "$ROOT/target"
# Only the folders of cargo.sh and test.sh: others may belong to other projects.
if [ -n "${CARGO_TARGET_DIR:-}" ]; then
    for major in $SUPPORTED_MAJORS 18-assertions; do rm -rf "${CARGO_TARGET_DIR:?}/pg$major" "${CARGO_TARGET_DIR:?}/user-pg$major"; done
    rm -rf "${CARGO_TARGET_DIR:?}/loom" "${CARGO_TARGET_DIR:?}/rust" "${CARGO_TARGET_DIR:?}/pg19-bindings"
fi
if [ "${1:-}" = purge ]; then
    [ ! -e "$COMB_CACHE/bare" ] || as_root rm -rf "$COMB_CACHE/bare"
    rm -rf "$COMB_CACHE"/{cargo-pgrx,citus,examples,examples.lock,headers,installed,lock,log,mutants.out,package.lock,pg,pg-*.lock,released-*,released.lock,source}
    rmdir --ignore-fail-on-non-empty "$COMB_CACHE"
    # What tests leave for the next run, of processes that have ended.
    for left in "${TMPDIR:-/tmp}"/comb.[0-9]*.*; do
        process=${left#*/comb.}
        [ -e "/proc/${process%%.*}" ] || rm -rf "$left"
    done
    say "Removed. The crates that cargo has downloaded stay in ${CARGO_HOME:-$HOME/.cargo}/registry"
fi
