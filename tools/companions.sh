#!/usr/bin/env bash
# companions.sh [NAME...]: runs pg_test/tests/companions/, or these files of it, in a bare Debian testing with the packages of
# other extensions and of comb. citus alone: on the PostgreSQL 18 in the folder CITUS, which has Citus and comb.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/package/prepare.sh"

"$ROOT/tools/setup.sh" --rust
use_rust
if [ "$*" = citus ]; then
    # Debian has no package of Citus.
    [ -n "${CITUS:-}" ] || die "ON=citus needs CITUS: the folder of a PostgreSQL 18 with Citus and comb"
    cd "$ROOT"
    PG_CONFIG=$CITUS/bin/pg_config cargo test --locked --package pg_test --test companions -- --include-ignored citus::
    exit
fi

RELEASE=forky
PACKAGES=(partman timescaledb)

say "This takes some 5 minutes, the first time some 10. It needs root, for a bare Debian in namespaces of its own;" \
    "that and its packages stay in $COMB_CACHE (600 MB)"
tests=$(cd "$ROOT" && CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}/tests \
    cargo test --locked --package pg_test --test companions --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
known=$("$tests" --list --format=terse | sed 's/::.*//' | sort -u | paste -sd' ')
for name; do
    [[ " $known " == *" $name "* ]] || die "there is no companion '$name'" "Choose from: $known"
done

major=$("$PARTS/bare.sh" major "$RELEASE")
prepare "$RELEASE" "${PACKAGES[@]/#/postgresql-$major-}"
# Read by in_bare.
# shellcheck disable=SC2034
FILES=("$tests")
in_bare "$RELEASE" package/companions.sh "$ROOT" "${tests##*/}" "${PACKAGES[*]/#/postgresql-$major-}" "$@"
