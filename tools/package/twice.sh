#!/usr/bin/env bash
# twice.sh MAJOR: that its packages, made once more in other folders and by other crates' files, are the same bytes.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/output.sh"

WORK=$(mktemp -d "${TMPDIR:-/tmp}/comb-twice.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
# A space, as a folder may have one.
mkdir -p "$WORK/other sources" "$WORK/other cargo"
tar -C "$ROOT" --exclude=./target --exclude=./.git --exclude=./bench/results -c . | tar -C "$WORK/other sources" -x
ln -s "${CARGO_HOME:-$HOME/.cargo}/registry" "$WORK/other cargo/registry"

SOURCE_DATE_EPOCH=$(source_date) CARGO_HOME="$WORK/other cargo" CARGO_TARGET_DIR="$WORK/other target" \
    "$WORK/other sources/tools/package/package.sh" "$1"
for file in "$WORK/other sources"/target/package/*comb*; do
    cmp "$file" "$OUTPUT/${file##*/}" || die "${file##*/} is other bytes when it is made in another folder"
    echo "ok: ${file##*/} is the same bytes, made twice"
done
