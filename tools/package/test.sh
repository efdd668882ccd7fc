#!/usr/bin/env bash
# test.sh [RELEASE...]: the packages in the hands of their users: in bare systems of these releases of Debian, with the
# distribution's own PostgreSQL and without Rust, and the archive for PGXN on this machine.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/../suite.sh"

[ $# -gt 0 ] || set -- bookworm trixie forky
PARTS=$ROOT/tools/package
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}

# in_bare RELEASE SCRIPT: that script in that system, with the files as they are now.
in_bare() {
    local release=$1 script=$2 major work
    major=$("$PARTS/bare.sh" major "$release")
    work=$(mktemp -d "${TMPDIR:-/tmp}/comb-users.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    chmod 755 "$work"
    mkdir "$work/comb"
    tar -C "$ROOT" --exclude=./target --exclude=./.git --exclude=./bench/results -c . | tar -C "$work/comb" -x
    cp -r "$ROOT/target/package" "$work/packages"
    cp -r "$TARGET/for-packages/pg$major/stage" "$work/stage"
    "$PARTS/bare.sh" run "$release" "$work" "/comb/comb/tools/package/$script" "$major"
}

for release; do
    major=$("$PARTS/bare.sh" major "$release")
    "$PARTS/package.sh" "$major"
    minor=$(dpkg-deb -f "$ROOT"/target/package/postgresql-"$major"-comb_"$COMB_VERSION"-*.deb Depends | sed 's/.*>= \([0-9.]*\)).*/\1/; s/,.*//')
    "$PARTS/bare.sh" make "$release" "$minor"
    suite "The package on Debian $release, PostgreSQL $major" in_bare "$release" users.sh
    [ "$major" -lt 18 ] || suite "The folder on Debian $release, PostgreSQL $major" in_bare "$release" folder.sh
done
suite "The same bytes, made twice for PostgreSQL $major" "$PARTS/twice.sh" "$major"
suite "The archive for PGXN" "$PARTS/archive.sh"

suites_end "the packages"
