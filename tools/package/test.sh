#!/usr/bin/env bash
# test.sh [RELEASE...]: tests the packages in bare systems of these releases of Debian and Ubuntu, with the distribution's
# PostgreSQL and without Rust, and the archive for PGXN on this machine.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/../suite.sh"
. "$(dirname "$0")/prepare.sh"
. "$(dirname "$0")/output.sh"

# same_bytes MAJOR: builds the packages again, from sources and crates in other folders, which have a space, and compares them.
same_bytes() {
    local work file
    work=$(mktemp -d "${TMPDIR:-/tmp}/comb-twice.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    mkdir -p "$work/other sources" "$work/other cargo"
    tar -C "$ROOT" --exclude=./target --exclude=./bench/results -c . | tar -C "$work/other sources" -x
    ln -s "${CARGO_HOME:-$HOME/.cargo}/registry" "$work/other cargo/registry"
    CARGO_HOME="$work/other cargo" CARGO_TARGET_DIR="$work/other target" "$work/other sources/tools/package/package.sh" "$1"
    for file in "$work/other sources"/target/package/*comb*; do
        cmp "$file" "$OUTPUT/${file##*/}" || die "${file##*/} has other bytes if it is built in another folder"
        echo "ok: two builds of ${file##*/} have the same bytes"
    done
}

# The archive for PGXN: make, make install and make installcheck in its folder, with a private PostgreSQL.
archive() {
    local target folder
    . "$ROOT/tools/cluster.sh"
    "$PARTS/dist.sh"
    "$ROOT/tools/setup.sh" --packages unzip
    PG_CONFIG=$("$ROOT/tools/setup.sh")
    # In the folder of the tests' own builds, which has the built crates.
    target=${CARGO_TARGET_DIR:-$ROOT/target}
    . "$ROOT/tools/private.sh"
    cluster_start "$PG_CONFIG"
    folder=$CLUSTER/work/comb-$COMB_VERSION
    unzip -q "$OUTPUT/comb-$COMB_VERSION.zip" -d "$CLUSTER/work"
    [ -f "$folder/META.json" ] || die "the archive has no META.json"
    for command in "" install installcheck; do
        CARGO_TARGET_DIR=$target step "make $command in the archive for PGXN" make --no-print-directory -C "$folder" PG_CONFIG="$PG_CONFIG" $command
    done
}

[ $# -gt 0 ] || set -- bookworm trixie forky noble resolute
for release; do
    major=$("$PARTS/bare.sh" major "$release")
    prepare "$release"
    suite "The package on $release, PostgreSQL $major" in_bare "$release" package/users.sh
done
suite "Two builds for PostgreSQL $major give the same bytes" same_bytes "$major"
suite "The archive for PGXN" archive

suites_end "the packages"
