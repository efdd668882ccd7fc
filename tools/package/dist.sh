#!/usr/bin/env bash
# dist.sh: the sources as an archive for PGXN, into target/package/: what is committed, and META.json. With VENDOR=1 also the crates,
# for builds without a network.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/output.sh"

is_clone || die "make dist needs a git clone; $ROOT is not one"
"$ROOT/tools/setup.sh" --packages git
WORK=$(mktemp -d "${TMPDIR:-/tmp}/comb-dist.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

[ -z "$(git -C "$ROOT" status --porcelain)" ] || say "Uncommitted changes are not in the archive"
version=$COMB_VERSION
git -C "$ROOT" show HEAD:META.json.in | fill >"$WORK/META.json"
# The format has no time zones.
TZ=UTC git -C "$ROOT" archive --format=zip -9 --prefix="comb-$version/" --add-file="$WORK/META.json" -o "$WORK/comb-$version.zip" HEAD
deliver "$WORK/comb-$version.zip"
if [ -n "${VENDOR:-}" ]; then
    "$ROOT/tools/setup.sh" --rust
    use_rust
    (cd "$ROOT" && step "Fetching the crates" cargo vendor --locked "$WORK/vendor")
    tar -C "$WORK" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(source_date)" --use-compress-program="xz -1 -T0" -cf "$WORK/comb-$version-vendor.tar.xz" vendor
    deliver "$WORK/comb-$version-vendor.tar.xz"
fi
