#!/usr/bin/env bash
# copyright.sh MAJOR FOLDER: writes the licences and copyright notices of all that is linked into the library for that major of
# PostgreSQL into that folder, from what cargo has downloaded: the file copyright, and the notices of Rust's standard library.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

MAJOR=$1 FOLDER=$2
HOST=${CARGO_BUILD_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
RUST=$(rustc -vV | sed -n 's/^release: //p')
SYSROOT=$(rustc --print sysroot)
RULE=$(printf "%079d" 0 | tr 0 -)
OPTIONS=(--locked --offline --no-default-features --features "pg$MAJOR")

# The crates that are linked, not those that only build or test the library: NAME VERSION on each line.
linked() {
    cargo tree "${OPTIONS[@]}" --package comb --target "$HOST" --edges normal,no-proc-macro --prefix none --no-dedupe --format '{p}' |
        sed 's/ v/ /; s/ (.*//'
}
# Those of other authors, as lines of tab-separated fields.
crates() {
    local linked
    linked=$(linked)
    cargo metadata "${OPTIONS[@]}" --format-version 1 --filter-platform "$HOST" | jq -r --arg linked "$linked" '
        .packages[] | select(.source and ("\(.name) \(.version)" | IN($linked | split("\n")[]))) |
        [.name, .version, .license, (.authors | join(", ") | if . == "" then "its authors" else . end),
            (.manifest_path | rtrimstr("/Cargo.toml"))] | @tsv'
}

print_crates() {
    local name version licence authors folder
    while IFS=$'\t' read -r name version licence authors folder; do
        case $licence in
            MIT | "MIT OR Apache-2.0" | "Apache-2.0 OR MIT" | MIT/Apache-2.0 | "Unlicense OR MIT" | Zlib) ;;
            "(MIT OR Apache-2.0) AND Unicode-3.0") ;;
            *) die "check whether comb may be linked with $name, whose licence copyright.sh does not know: $licence" ;;
        esac
        printf "\n%s\n%s %s, by %s\nLicence: %s\n\n" "$RULE" "$name" "$version" "$authors" "$licence"
        # Not the text of Apache-2.0: comb takes MIT where there is a choice.
        find "$folder" -maxdepth 2 -type f \( -ipath "$folder/licen[cs]e*" -o -ipath "$folder/copy*" -o -ipath "$folder/unlicense*" -o \
            -ipath "$folder/notice*" \) ! -name '*.rs' ! -name '*.html' | LC_ALL=C sort |
            { xargs -rd '\n' grep -L 'END OF TERMS AND CONDITIONS' || true; } | xargs -rd '\n' cat | tr -d '\r'
    done
}

"$ROOT/tools/setup.sh" --packages jq
cd "$ROOT"
mkdir -p "$FOLDER"
# From rustup, or from the distribution's package.
notices=$SYSROOT/share/doc/rust/COPYRIGHT-library.html
if [ ! -f "$notices" ]; then
    notices=/usr/share/doc/$(dpkg -S "$SYSROOT/lib/rustlib/$HOST/lib/libstd-*.rlib" 2>/dev/null | sed -n '1s/:.*//p')/copyright
fi
[ -f "$notices" ] || die "Rust $RUST has no copyright notices of its standard library" "There is no $notices"
install -D -m 644 -t "$FOLDER/rust-$RUST" "$notices"
{
    cat <<END
comb $COMB_VERSION is compiled to one library, which contains Rust's standard library $RUST (by the Rust Project Developers and the
authors of the crates in it, MIT OR Apache-2.0; of core/src/unicode/unicode_data.rs: Unicode-3.0, as of unicode-ident) and the
crates below. A crate that is MIT OR something is used under MIT; one that has no text of it, under the text that follows.

END
    cat LICENSE
    crates | print_crates
} >"$FOLDER/copyright"
grep -q "UNICODE LICENSE" "$FOLDER/copyright" || die "there is no text of Unicode-3.0, the licence of a table of Rust's, too"
