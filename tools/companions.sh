#!/usr/bin/env bash
# companions.sh [NAME...]: runs pg_test/tests/companions/, or these files of it, in a bare Debian testing with the packages of
# other extensions and of comb. citus alone: with CITUS, a tree of its sources or an installation of PostgreSQL 18 that has it.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/package/prepare.sh"

# Debian has no package of Citus. Its test runs in a copy of the private PostgreSQL.
citus() {
    local place=$COMB_CACHE/citus pg_config=$CITUS/bin/pg_config
    if [ -e "$CITUS/configure" ]; then
        pg_config=$("$ROOT/tools/install_private.sh" 18)
        # The second line is that of the lock.
        pg_config=${pg_config%%$'\n'*}
        rm -rf "$place"
        mkdir -p "$place"
        cp -a "${pg_config%/bin/pg_config}" "$place/pg"
        cp -a "$CITUS" "$place/sources"
        pg_config=$place/pg/bin/pg_config
        step "Building Citus in $place, from $CITUS" build_citus "$place/sources" "$pg_config"
    fi
    cd "$ROOT"
    PG_CONFIG=$pg_config cargo test --locked --package pg_test --test companions -- --include-ignored citus::
}
build_citus() {
    cd "$1"
    ./configure --without-libcurl --without-lz4 --without-zstd PG_CONFIG="$2"
    make -s clean
    make -s -j2 extension
    make -s install-extension
}
if [ "$*" = citus ]; then
    [ -n "${CITUS:-}" ] || die "ON=citus needs CITUS: a tree of Citus' sources, or an installation of PostgreSQL 18 with Citus and comb"
    citus
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
