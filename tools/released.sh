#!/usr/bin/env bash
# released.sh MAJOR: builds version 0.4.1 from its commit, for tests of the update, into the cache folder. Prints the folder with
# comb.so, comb--0.4.1.sql and comb--0.4.0.sql; nothing where this is not a clone with that commit.
set -euo pipefail
. "$(dirname "$0")/common.sh"
COMMIT=304116c
PG_CONFIG=$("$ROOT/tools/setup.sh" "$1")
. "$ROOT/tools/cargo.sh"
to=$COMB_CACHE/released-0.4.1/$MAJOR
git -C "$ROOT" cat-file -e "$COMMIT^{commit}" 2>/dev/null || exit 0
if [ ! -f "$to/comb.so" ]; then
    exec 7>"$COMB_CACHE/released.lock"
    lock 7 "Another run builds version 0.4.1"
    rm -rf "$to"
    mkdir -p "$to/source"
    git -C "$ROOT" archive "$COMMIT" Cargo.toml Cargo.lock src crates sql pg_test/Cargo.toml comb.control | tar -x -C "$to/source"
    mkdir -p "$to/source/pg_test/src"
    touch "$to/source/pg_test/src/lib.rs"
    ROOT=$to/source CARGO_TARGET_DIR=$to/target step "Building version 0.4.1 for $PG_CONFIG_VERSION, once" \
        for_server build --lib --package comb 7>&- >&2
    mv "$to/target/debug/libcomb.so" "$to/comb.so"
    rm -rf "$to/target" "$to/source"
fi
for release in "0.4.0 25e0a49" "0.4.1 $COMMIT"; do
    script=$to/comb--${release% *}.sql
    [ -s "$script" ] || git -C "$ROOT" archive "${release#* }" sql | tar -xO --wildcards 'sql/[0-9]*' >"$script"
done
echo "$to"
