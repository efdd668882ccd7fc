#!/usr/bin/env bash
# twice.sh MAJOR: builds the packages again, from sources and crates in other folders, and compares the bytes.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/output.sh"

WORK=$(mktemp -d "${TMPDIR:-/tmp}/comb-twice.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
# Users may have folders with a space.
mkdir -p "$WORK/other sources" "$WORK/other cargo"
tar -C "$ROOT" --exclude=./target --exclude=./.git --exclude=./bench/results -c . | tar -C "$WORK/other sources" -x
ln -s "${CARGO_HOME:-$HOME/.cargo}/registry" "$WORK/other cargo/registry"

SOURCE_DATE_EPOCH=$(source_date) CARGO_HOME="$WORK/other cargo" CARGO_TARGET_DIR="$WORK/other target" \
    "$WORK/other sources/tools/package/package.sh" "$1"
for file in "$WORK/other sources"/target/package/*comb*; do
    cmp "$file" "$OUTPUT/${file##*/}" || die "${file##*/} has other bytes if it is built in another folder"
    echo "ok: two builds of ${file##*/} have the same bytes"
done
