# shellcheck shell=bash
# The folder of the packages and archives. Sourced after common.sh.

OUTPUT=$ROOT/target/package

# The time of all files in packages and archives: that of the last commit or, where this is not a clone, of Cargo.toml.
source_date() {
    if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
        echo "$SOURCE_DATE_EPOCH"
    elif is_clone; then
        git -C "$ROOT" log -1 --format=%ct
    else
        stat -c %Y "$ROOT/Cargo.toml"
    fi
}
# The version of packages. That of a development version is less than that of its release, and has the time and the hash of the commit.
package_version() {
    local commit=''
    if ! is_release && is_clone; then
        commit=.git$(TZ=UTC git -C "$ROOT" log -1 --abbrev=7 --date=format-local:%Y%m%d%H%M --format=%cd.%h)
    fi
    echo "${COMB_VERSION/-/\~}$commit"
}
# setting NAME: that of the workspace in Cargo.toml.
setting() { sed -n "s/^$1 = \[*\"\(.*\)\".*/\1/p" "$ROOT/Cargo.toml" | head -n 1; }
REPOSITORY=${REPOSITORY:-$(setting repository)}
MAINTAINER=${MAINTAINER:-$(setting authors)}
# fill: the standard input, a file of packaging/ or META.json.in, with the values of Cargo.toml. As long as comb has no public address,
# without the lines that name it.
fill() {
    local status=stable absent=''
    is_release || status=unstable
    [ -n "$REPOSITORY" ] || absent='/@REPOSITORY@/d;'
    sed "$absent s|@REPOSITORY@|$REPOSITORY|g; s|@VERSION@|$COMB_VERSION|g; s|@STATUS@|$status|; s|@MAINTAINER@|$MAINTAINER|"
}
# A folder in another project's clone is not a clone.
is_clone() { [ "$(git -C "$ROOT" rev-parse --show-toplevel 2>/dev/null)" = "$ROOT" ]; }

# deliver FILE...: puts them there, and writes the checksums of all.
deliver() {
    local file
    mkdir -p "$OUTPUT"
    for file; do
        install -m 644 "$file" "$OUTPUT/.new"
        mv "$OUTPUT/.new" "$OUTPUT/${file##*/}"
        say "Written: target/package/${file##*/}"
    done
    (cd "$OUTPUT" && find . -maxdepth 1 -type f -name '*comb*' | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
}
