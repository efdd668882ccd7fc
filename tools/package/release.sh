#!/usr/bin/env bash
# release.sh [MAJOR...]: what a person publishes of a release, in target/package/: packages and archives for these majors of PostgreSQL,
# the sources for PGXN and their crates, checksums, notes, and the folders for CloudNativePG and pglayers.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/output.sh"

is_release || die "$COMB_VERSION is not a release" "CONTRIBUTING.md, Release a version, says how it becomes one."
is_clone || die "make release needs a git clone; $ROOT is not one"
[ -z "$(git -C "$ROOT" status --porcelain)" ] || die "there are uncommitted changes, which would not be in the archive of the sources"
[ $# -gt 0 ] || set -- 15 16 17 18

rm -rf "$OUTPUT"
missing=()
for major; do "$ROOT/tools/package/package.sh" "$major" || missing+=("$major"); done
VENDOR=1 "$ROOT/tools/package/dist.sh"

notes=$OUTPUT/notes.md
sed -n "/^## $COMB_VERSION /,/^## /{/^## /!p}" "$ROOT/CHANGELOG.md" | sed '1{/^$/d}' >"$notes"
if [ -n "$REPOSITORY" ]; then
    # Links to pages.
    sed -i "s|](docs/|]($REPOSITORY/blob/v$COMB_VERSION/docs/|g" "$notes"
    for place in cnpg pglayers; do
        mkdir -p "$OUTPUT/$place/comb"
        for file in "$ROOT/packaging/$place"/*; do fill <"$file" >"$OUTPUT/$place/comb/${file##*/}"; done
    done
    # Its Dockerfile copies from there.
    ln "$OUTPUT"/postgresql-18-comb_*.deb "$OUTPUT/cnpg/comb"
else
    say "Without the folders for CloudNativePG and pglayers: Cargo.toml has no repository, whose address they contain"
fi
[ ${#missing[@]} -eq 0 ] || say "Without packages for PostgreSQL ${missing[*]}: see above"
say "target/package/ has what CONTRIBUTING.md says to publish: $(cd "$OUTPUT" && find . -type f | wc -l) files"
