#!/usr/bin/env bash
# test.sh [RELEASE...]: tests the packages in bare systems of these releases of Debian and Ubuntu, with the distribution's
# PostgreSQL and without Rust, and the archive for PGXN on this machine.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/../suite.sh"
. "$(dirname "$0")/prepare.sh"

[ $# -gt 0 ] || set -- bookworm trixie forky noble resolute
for release; do
    major=$("$PARTS/bare.sh" major "$release")
    prepare "$release"
    suite "The package on $release, PostgreSQL $major" in_bare "$release" package/users.sh
    [ "$major" -lt 18 ] || suite "The folder on $release, PostgreSQL $major" in_bare "$release" package/folder.sh
done
suite "Two builds for PostgreSQL $major give the same bytes" "$PARTS/twice.sh" "$major"
suite "The archive for PGXN" "$PARTS/archive.sh"

suites_end "the packages"
