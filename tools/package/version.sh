#!/usr/bin/env bash
# version.sh VERSION: gives the sources that version, in each place that has one. 0.5.0 of sources of 0.5.0-dev: the release, of
# today. 0.6.0-dev after it: the development of the next one.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

new=${1:?a version} old=$COMB_VERSION
cd "$ROOT"
entry() { printf 'comb (%s-1) %s; urgency=medium\n\n  * %s\n\n -- %s  %s\n\n' "$1" "$2" "New release." "Debian PostgreSQL Maintainers <team+postgresql@tracker.debian.org>" "$(date -uR)"; }

if [ "$old" = "$new-dev" ]; then
    script=$(compgen -G "sql/comb--*--$old.sql")
    released=${script%-dev.sql}.sql
    git mv "$script" "$released"
    sed -i "s/'$old'/'$new'/; 1s/-dev\$//" "$released"
    (cd sql && sha256sum "${released#sql/}" >>released.sha256)
    sed -i "s/^## $new (unreleased)\$/## $new ($(date -u +%F))/" CHANGELOG.md
    { entry "$new" unstable && sed '1,/^ -- /d' packaging/debian/changelog | sed 1d; } >packaging/debian/changelog.new
elif is_release && [[ $new =~ ^[0-9.]+-dev$ ]]; then
    {
        printf -- "-- comb %s to %s\n\\\\echo Use \"ALTER EXTENSION comb UPDATE TO '%s'\" to load this file. \\\\quit\n\n" "$old" "$new" "$new"
        cat sql/95-skip-support.sql
    } >"sql/comb--$old--$new.sql"
    git add -N "sql/comb--$old--$new.sql"
    sed -i "0,/^## /s//## ${new%-dev} (unreleased)\n\n&/" CHANGELOG.md
    sed -i "0,/^|---|---|\$/s//&\n| $old | \`$(git log -1 --format=%h --abbrev=7)\` |/" docs/install.md
    { entry "${new/-/\~}" UNRELEASED && cat packaging/debian/changelog; } >packaging/debian/changelog.new
else
    die "the sources have version $old, which is not followed by $new"
fi
mv packaging/debian/changelog.new packaging/debian/changelog
sed -i "0,/^version = .*/s//version = \"$new\"/" Cargo.toml
use_rust
cargo update --quiet --workspace --offline
say "The sources have version $new. Look at: git diff HEAD"
