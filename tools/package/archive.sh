#!/usr/bin/env bash
# archive.sh: tests the archive for PGXN: make, make install and make installcheck in its folder, with a private PostgreSQL.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/../cluster.sh"

"$ROOT/tools/package/dist.sh"
"$ROOT/tools/setup.sh" --packages unzip
PG_CONFIG=$("$ROOT/tools/setup.sh")
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
. "$ROOT/tools/private.sh"
cluster_start "$PG_CONFIG"
ZIP=$ROOT/target/package/comb-$COMB_VERSION.zip
FOLDER=$CLUSTER/work/comb-$COMB_VERSION

unzip -q "$ZIP" -d "$CLUSTER/work"
[ -f "$FOLDER/META.json" ] || die "$ZIP has no comb-$COMB_VERSION/META.json"
for target in "" install installcheck; do
    # In the folder of the tests' own builds, which has the built crates.
    CARGO_TARGET_DIR=$TARGET step "make${target:+ $target} in ${ZIP##*/}" make --no-print-directory -C "$FOLDER" PG_CONFIG="$PG_CONFIG" $target
    echo "ok: make${target:+ $target}"
done
