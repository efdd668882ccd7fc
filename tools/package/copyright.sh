#!/usr/bin/env bash
# copyright.sh MAJOR FILE FOLDER: who has the copyright of what is linked into the library for that major of PostgreSQL, and
# under which licences it is: into that file in Debian's format (DEP-5), and the texts as their authors have them into that
# folder. From what cargo has downloaded.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

MAJOR=$1 FILE=$2 FOLDER=$3
HOST=${CARGO_BUILD_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
RUST=$(rustc -vV | sed -n 's/^release: //p')
SYSROOT=$(rustc --print sysroot)

# What is linked in, NAME VERSION LICENCE a line: neither what only builds it nor what only tests it.
crates() {
    cd "$ROOT"
    cargo tree --locked --offline --package comb --target "$HOST" --edges normal,no-proc-macro --no-default-features --features "pg$MAJOR" \
        --prefix none --no-dedupe --format '{p} {l}' |
        sed 's/ v/ /; s/ ([/(][^)]*)//' | LC_ALL=C sort -u | grep -vE '^comb(-id|-clock|-tick)? '
}
# The folders that cargo has of them and of others.
folders() {
    cd "$ROOT"
    cargo metadata --locked --offline --no-default-features --features "pg$MAJOR" --format-version 1 --filter-platform "$HOST" | tr ',' '\n' |
        sed -n 's|.*"manifest_path":"\(.*\)/Cargo.toml".*|\1|p'
}

# The texts in a crate's folder.
texts() {
    find "$1" -maxdepth 2 -type f \( -ipath "$1/licen[cs]e*" -o -ipath "$1/copy*" -o -ipath "$1/unlicense*" -o -ipath "$1/notice*" \) \
        ! -name '*.rs' ! -name '*.html' | LC_ALL=C sort
}

# A crate's copyright, a line each: what its texts say, and its authors where that names none of them. The licences' own
# examples are none, and Unicode's are its data.
holders() {
    local authors found
    authors=$(awk '/^authors = \[/ { on = 1 } on { print } on && /\]/ { exit }' "$1/Cargo.toml" | grep -o '"[^"]*"' | tr -d '"' |
        awk '{ printf "%s%s", separator, $0; separator = ", " }') || true
    authors=${authors:-its authors}
    found=$(texts "$1" | tr '\n' '\0' | xargs -0r sed -n 's/^[[:space:]]*Copyright[[:space:]:]\+\(([cC])[[:space:]]*\|©[[:space:]]*\)\{0,1\}//p' |
        tr -d '\r' | grep -Ev '^([[{<]|holder|notice|owner|License|and )|^$' |
        awk -v authors="$authors" '!/[A-Za-z]/ { $0 = $0 " " authors } !seen[$0]++') || true
    [ -z "$found" ] || printf '%s\n' "$found"
    grep -qv 'Unicode, Inc' <<<"$found" && [ -n "$found" ] || printf '%s\n' "$authors"
}

# The name of a licence in Debian's format. What is not known here has to be looked at first.
debian_licence() {
    case $1 in
        MIT) echo Expat ;;
        "MIT OR Apache-2.0" | "Apache-2.0 OR MIT" | MIT/Apache-2.0) echo "Expat or Apache-2.0" ;;
        "Unlicense OR MIT") echo "Unlicense or Expat" ;;
        "(MIT OR Apache-2.0) AND Unicode-3.0") echo "Expat or Apache-2.0, and Unicode-3.0" ;;
        Zlib) echo Zlib ;;
        *) die "$2 is under a licence that copyright.sh does not know: $1" ;;
    esac
}

# The words of a text alone, for it is wrapped and quoted in many ways.
words() { tr -cs '[:alnum:]' ' ' <"$1" | tr '[:upper:]' '[:lower:]'; }
MIT_WORDS=$(sed -n '/^Permission is/,$p' "$ROOT/LICENSE" >"$FILE.mit" && words "$FILE.mit")
# check_mit CRATE FOLDER: where a crate has a text of MIT, it is the text that is printed here.
check_mit() {
    local text
    while IFS= read -r text; do
        case $(words "$text") in
            *"permission is hereby granted free of charge"*"the software is provided as is"*)
                [[ $(words "$text") == *"${MIT_WORDS% }"* ]] || die "the text of MIT in $1 is not the usual one: $text"
                ;;
        esac
    done < <(texts "$2")
}

# A text as a field of Debian's format.
indented() { sed 's/\r$//; s/[[:space:]]*$//; s/^$/./; s/^/ /' "$@"; }
# lines FIELD: what comes in, its first line beside the name of the field.
lines() { sed "1s/^/$1: /; 2,\$s/^/ /"; }

head_of_file() {
    cat <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: comb
Source: comb-$COMB_VERSION.zip
Comment: comb is compiled to one library, into which the crates are linked that
 its Cargo.lock names, and Rust's standard library. Here crates/NAME-VERSION
 stands for the source of each, rust/library for that of the latter.

Files: *
Copyright: $(sed -n 's/^Copyright (c) //p' "$ROOT/LICENSE")
License: Expat

Files: rust/library/*
Copyright: The Rust Project Developers
 and the authors of the crates in it: $(crates_of_rust)
License: Expat or Apache-2.0
Comment: of Rust $RUST

Files: rust/library/core/src/unicode/unicode_data.rs
Copyright: 1991-2024 Unicode, Inc.
License: Unicode-3.0
END
}
crates_of_rust() {
    find "$SYSROOT/lib/rustlib/$HOST/lib" -name 'lib*.rlib' -printf '%f\n' | sed 's/^lib//; s/-[0-9a-f]*\.rlib$//' |
        grep -Ev '^(rustc_std_workspace_.*|sysroot|alloc|core|std|test|getopts|proc_macro|profiler_builtins|panic_abort)$' |
        LC_ALL=C sort | paste -sd, | sed 's/,/, /g'
}

tail_of_file() {
    printf '\nLicense: Expat\n'
    indented "$FILE.mit"
    printf '\nLicense: Apache-2.0\n On Debian systems, the text stands in /usr/share/common-licenses/Apache-2.0.\n'
    printf '\nLicense: Unicode-3.0\n'
    indented "$(text_of unicode-ident LICENSE-UNICODE)"
    printf '\nLicense: Unlicense\n'
    indented "$(text_of memchr UNLICENSE)"
    printf '\nLicense: Zlib\n'
    indented "$(text_of foldhash LICENSE)"
}
# text_of CRATE FILE
text_of() {
    local found
    found=$(compgen -G "$FOLDER/$1-*/$2" | head -n 1) || die "no crate $1 has a $2 any more, from which copyright.sh has the text"
    echo "$found"
}

# The notices of Rust's standard library, as they came with it: by rustup, or by the distribution's package of it.
rust_texts() {
    local package notices=$SYSROOT/share/doc/rust/COPYRIGHT-library.html
    if [ ! -f "$notices" ]; then
        package=$(dpkg -S "$SYSROOT/lib/rustlib/$HOST/lib/libstd-*.rlib" 2>/dev/null | sed -n '1s/:.*//p')
        notices=/usr/share/doc/$package/copyright
    fi
    [ -f "$notices" ] || die "Rust $RUST has no notices of its standard library's copyright here" "There is no $notices"
    install -D -m 644 -t "$FOLDER/rust-$RUST" "$notices"
}

rm -rf "$FOLDER"
mkdir -p "$FOLDER"
install -m 644 "$ROOT/LICENSE" "$FOLDER/LICENSE"
rust_texts
all=$(folders)
linked=$(crates)
head_of_file >"$FILE"
while read -r name version licence; do
    folder=$(awk -v end="/$name-$version" 'substr($0, length($0) - length(end) + 1) == end { print; exit }' <<<"$all")
    [ -n "$folder" ] || die "cargo has no folder of $name $version"
    check_mit "$name" "$folder"
    {
        printf '\nFiles: crates/%s-%s/*\n' "$name" "$version"
        holders "$folder" | lines Copyright
        printf 'License: %s\n' "$(debian_licence "$licence" "$name")"
    } >>"$FILE"
    while IFS= read -r text; do
        target=${text#"$folder"/}
        install -D -m 644 "$text" "$FOLDER/$name-$version/$target"
    done < <(texts "$folder")
done <<<"$linked"
tail_of_file >>"$FILE"
rm -f "$FILE.mit"
install -m 644 "$FILE" "$FOLDER/copyright"
