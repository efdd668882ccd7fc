#!/usr/bin/env bash
# copyright.sh MAJOR FILE FOLDER: writes the licences and copyright notices of all that is linked into the library for that major
# of PostgreSQL, from what cargo has downloaded: into that file, and each text as its own file into that folder.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

MAJOR=$1 FILE=$2 FOLDER=$3
HOST=${CARGO_BUILD_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
RUST=$(rustc -vV | sed -n 's/^release: //p')
SYSROOT=$(rustc --print sysroot)
OPTIONS=(--locked --offline --no-default-features --features "pg$MAJOR")

# The crates that are linked, not those that only build or test the library: NAME VERSION on each line.
linked() {
    cargo tree "${OPTIONS[@]}" --package comb --target "$HOST" --edges normal,no-proc-macro --prefix none --no-dedupe --format '{p}' |
        sed 's/ v/ /; s/ (.*//'
}
# Those of other authors, as lines of tab-separated fields.
crates() {
    cargo metadata "${OPTIONS[@]}" --format-version 1 --filter-platform "$HOST" | jq -r --arg linked "$(linked)" '
        .packages[] | select(.source and ("\(.name) \(.version)" | IN($linked | split("\n")[]))) |
        [.name, .version, .license, (.authors | join(", ") | if . == "" then "its authors" else . end),
            (.manifest_path | rtrimstr("/Cargo.toml"))] | @tsv'
}

# The texts in the folder of a crate.
texts() {
    find "$1" -maxdepth 2 -type f \( -ipath "$1/licen[cs]e*" -o -ipath "$1/copy*" -o -ipath "$1/unlicense*" -o -ipath "$1/notice*" \) \
        ! -name '*.rs' ! -name '*.html' | LC_ALL=C sort
}

print_text() {
    echo
    if grep -q 'END OF TERMS AND CONDITIONS' "$1"; then
        # With the notice that some have below the text.
        grep -E '^ *Copyright ([0-9]|\([cC]\))' "$1" || true
        echo "Apache-2.0: on Debian systems, the text is in /usr/share/common-licenses/Apache-2.0."
    else
        tr -d '\r' <"$1"
    fi
}

print_crates() {
    local name version licence authors folder text
    while IFS=$'\t' read -r name version licence authors folder; do
        case $licence in
            MIT | "MIT OR Apache-2.0" | "Apache-2.0 OR MIT" | MIT/Apache-2.0 | "Unlicense OR MIT" | Zlib) ;;
            "(MIT OR Apache-2.0) AND Unicode-3.0") ;;
            *) die "check whether comb may be linked with $name, whose licence copyright.sh does not know: $licence" ;;
        esac
        printf '\n%s\n%s %s, by %s\nLicence: %s\n' "$RULE" "$name" "$version" "$authors" "$licence"
        [ -n "$(texts "$folder")" ] || printf 'It has no text of its licence. That of MIT is the one of comb.\n'
        while IFS= read -r text; do
            print_text "$text"
            install -D -m 644 "$text" "$FOLDER/$name-$version/${text#"$folder"/}"
        done < <(texts "$folder")
    done
}

print_rust() {
    local unicode crates
    crates=$(find "$SYSROOT/lib/rustlib/$HOST/lib" -name 'lib*.rlib' -printf '%f\n' | sed 's/^lib//; s/-[0-9a-f]*\.rlib$//' |
        grep -Ev '^(rustc_std_workspace_.*|sysroot|alloc|core|std|test|getopts|proc_macro|profiler_builtins|panic_abort)$' |
        LC_ALL=C sort | paste -sd, | sed 's/,/, /g')
    unicode=$(compgen -G "$FOLDER/unicode-ident-*/LICENSE-UNICODE") || die "unicode-ident has no LICENSE-UNICODE, the licence of Rust's table, too"
    cat <<END

$RULE
Rust's standard library $RUST, by the Rust Project Developers and the authors of the crates in it: $crates
Licence: MIT OR Apache-2.0; of core/src/unicode/unicode_data.rs: Unicode-3.0

$(cat "$unicode")
END
}
# The notices of Rust's standard library, from rustup or the distribution's package.
copy_rust_notices() {
    local package notices=$SYSROOT/share/doc/rust/COPYRIGHT-library.html
    if [ ! -f "$notices" ]; then
        package=$(dpkg -S "$SYSROOT/lib/rustlib/$HOST/lib/libstd-*.rlib" 2>/dev/null | sed -n '1s/:.*//p')
        notices=/usr/share/doc/$package/copyright
    fi
    [ -f "$notices" ] || die "Rust $RUST has no copyright notices of its standard library" "There is no $notices"
    install -D -m 644 -t "$FOLDER/rust-$RUST" "$notices"
}

RULE=$(printf '%079d' 0 | tr 0 -)
"$ROOT/tools/setup.sh" --packages jq
cd "$ROOT"
rm -rf "$FOLDER"
mkdir -p "$FOLDER"
install -m 644 LICENSE "$FOLDER/LICENSE"
copy_rust_notices
{
    echo "comb $COMB_VERSION is compiled to one library, which contains Rust's standard library and the crates below."
    echo
    cat LICENSE
    crates | print_crates
    print_rust
} >"$FILE"
install -m 644 "$FILE" "$FOLDER/copyright"
