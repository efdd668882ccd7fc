#!/usr/bin/env bash
# package.sh [MAJOR...]: comb for those majors of PostgreSQL as packages of Debian and Ubuntu, and as archives in the layout
# of CloudNativePG's extension images, into target/package/.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/output.sh"

# The oldest that the packages are for, Ubuntu 22.04, has this one. Debian 12 has 2.36.
GLIBC=2.35
# After the version of comb, that of the packages.
VERSION=$(package_version)-1
# A package needs an address.
if [[ $MAINTAINER != *"<"* ]]; then
    MAINTAINER="$MAINTAINER <comb@localhost>"
    say "The packages name a placeholder for their maintainer, $MAINTAINER. Another: make package MAINTAINER='NAME <ADDRESS>'"
fi

# For another architecture: its compiler, the headers of its PostgreSQL, and Rust's standard library.
cross() {
    local target=aarch64-unknown-linux-gnu release headers
    [ "$ARCHITECTURE" = arm64 ] || die "cannot compile packages for $ARCHITECTURE here" "Choose ARCH=arm64, or build them on a machine of that architecture."
    "$ROOT/tools/setup.sh" --packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    [ -d "$(rustc --print target-libdir --target $target)" ] || rustup --quiet target add $target || true
    [ -d "$(rustc --print target-libdir --target $target)" ] ||
        die "$(rustc --version) has no standard library for $target" "rustup has it: rustup target add $target." \
            "So has Debian, for its own Rust: dpkg --add-architecture arm64, and the package libstd-rust-dev:arm64 or libstd-rust-web-dev:arm64."
    for release in bookworm trixie forky; do
        [ "$("$ROOT/tools/package/bare.sh" major $release)" != "$MAJOR" ] || break
    done
    "$ROOT/tools/package/bare.sh" make "$release-$ARCHITECTURE" "postgresql-server-dev-$MAJOR"
    headers=$COMB_CACHE/headers/$ARCHITECTURE
    mkdir -p "$headers"
    dpkg-deb -x "$(compgen -G "$COMB_CACHE/bare/$release-$ARCHITECTURE/var/cache/apt/archives/postgresql-server-dev-${MAJOR}_*.deb")" "$headers"
    export "PGRX_INCLUDEDIR_SERVER_PG$MAJOR=$headers/usr/include/postgresql/$MAJOR/server" CARGO_BUILD_TARGET=$target \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        BINDGEN_EXTRA_CLANG_ARGS_aarch64_unknown_linux_gnu="--target=aarch64-linux-gnu -I/usr/aarch64-linux-gnu/include"
    STRIP=aarch64-linux-gnu-strip
}

# versions PREFIX: those of the symbols that the library takes from others, in order.
versions() { readelf --version-info --wide "$LIBRARY" | grep -o "Name: $1_[A-Za-z0-9_.]*" | sed "s/^Name: $1_//" | sort -uV; }

check_library() {
    local library newest
    for library in $(readelf --dynamic --wide "$LIBRARY" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        case $library in
            libc.so.6 | libm.so.6 | libgcc_s.so.1 | ld-linux-*.so.*) ;;
            *) die "comb.so needs $library, on which the package does not depend" ;;
        esac
    done
    newest=$(versions GLIBC | tail -n 1)
    [ "$(printf '%s\n' "$newest" "$GLIBC" | sort -V | tail -n 1)" = "$GLIBC" ] ||
        die "comb.so needs glibc $newest; packages must run with glibc $GLIBC" "Build them on Debian 12."
    [[ $(readelf --dyn-syms --wide "$LIBRARY") != *InjectionPoint* ]] || die "comb.so has the injection points of tests"
    [[ $(readelf --segments --wide "$LIBRARY") == *GNU_RELRO* && $(readelf --dynamic --wide "$LIBRARY") == *BIND_NOW* ]] ||
        die "comb.so is not linked with full RELRO"
    ! grep -aqF -e "$ROOT" -e "${CARGO_HOME:-$HOME/.cargo}" -e "$CARGO_TARGET_DIR" "$LIBRARY" || die "comb.so contains a path of this machine"
}

# The crates that are linked, not those that only build or test the library: NAME VERSION on each line.
linked() {
    cargo tree "${features[@]}" --package comb --target "$host" --edges normal,no-proc-macro --prefix none --no-dedupe --format '{p}' |
        sed 's/ v/ /; s/ (.*//'
}
# Those of other authors, as lines of tab-separated fields.
crates() {
    local linked
    linked=$(linked)
    cargo metadata "${features[@]}" --format-version 1 --filter-platform "$host" | jq -r --arg linked "$linked" '
        .packages[] | select(.source and ("\(.name) \(.version)" | IN($linked | split("\n")[]))) |
        [.name, .version, .license, (.authors | join(", ") | if . == "" then "its authors" else . end),
            (.manifest_path | rtrimstr("/Cargo.toml"))] | @tsv'
}

# licences FOLDER: writes there, from what cargo has downloaded, the notices of Rust's standard library, and the file copyright: the
# licences of all that is linked. deny.toml has the licences that are allowed.
licences() {
    local to=$1 name version licence authors folder rule features=(--locked --offline --no-default-features --features "pg$MAJOR")
    local host rust notices sysroot
    host=${CARGO_BUILD_TARGET:-$(rustc -vV | sed -n 's/^host: //p')} rust=$(rustc -vV | sed -n 's/^release: //p') sysroot=$(rustc --print sysroot)
    rule=$(printf '%079d' 0 | tr 0 -)
    # From rustup, or from the distribution's package.
    notices=$sysroot/share/doc/rust/COPYRIGHT-library.html
    [ -f "$notices" ] || notices=/usr/share/doc/$(dpkg -S "$sysroot/lib/rustlib/$host/lib/libstd-*.rlib" | sed -n '1s/:.*//p')/copyright
    install -D -m 644 -t "$to/rust-$rust" "$notices"
    {
        cat <<END
comb $COMB_VERSION is compiled to one library, which contains Rust's standard library $rust (by the Rust Project Developers and the
authors of the crates in it, MIT OR Apache-2.0; of core/src/unicode/unicode_data.rs: Unicode-3.0, as of unicode-ident) and the
crates below. A crate that is MIT OR something is used under MIT; one that has no text of it, under the text that follows.

END
        cat "$ROOT/LICENSE"
        (cd "$ROOT" && crates) | while IFS=$'\t' read -r name version licence authors folder; do
            printf '\n%s\n%s %s, by %s\nLicence: %s\n\n' "$rule" "$name" "$version" "$authors" "$licence"
            # Not the text of Apache-2.0: comb takes MIT where there is a choice.
            find "$folder" -maxdepth 2 -type f ! -name '*.rs' ! -name '*.html' | LC_ALL=C sort |
                { grep -iE "^.{${#folder}}/(licen[cs]e|copy|unlicense|notice)" | xargs -rd '\n' grep -L 'END OF TERMS AND CONDITIONS' || true; } |
                xargs -rd '\n' cat | tr -d '\r'
        done
    } >"$to/copyright"
}

# The package, by debian/rules of packaging/debian.
make_deb() {
    local sources=$WORK/deb/comb shlibs
    shlibs="libc6 (>= $(versions GLIBC | tail -n 1)), libgcc-s1 (>= $(versions GCC | tail -n 1))"
    mkdir -p "$sources"
    cp -r "$ROOT"/{README,SECURITY,CHANGELOG}.md "$ROOT/docs" "$sources"
    cp -r "$ROOT/packaging/debian" "$sources/debian"
    cp "$WORK/licenses/copyright" "$sources/debian/"
    mkdir -p "$sources/debian/stage/$MAJOR"
    cp "$STAGE"/comb.control "$STAGE"/comb--*.sql "$LIBRARY" "$sources/debian/stage/$MAJOR/"
    sed "s/PGVERSION/$MAJOR/; s/^Maintainer: .*/Maintainer: $MAINTAINER/${REPOSITORY:+; s|^Standards-Version|Homepage: $REPOSITORY\n&|}" \
        "$ROOT/packaging/debian/control.in" >"$sources/debian/control"
    printf 'comb (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' \
        "$VERSION" "$MAINTAINER" "$(date -uRd "@$SOURCE_DATE_EPOCH")" >"$sources/debian/changelog"
    # Without the build dependencies: it is built.
    (cd "$sources" && VERSIONS=$MAJOR SHLIBS=$shlibs step "Packing $NAME" \
        dpkg-buildpackage --build=binary --no-check-builddeps --no-pre-clean --no-sign --host-arch "$ARCHITECTURE")
}

make_archive() {
    local tree=$WORK/archive
    install -d "$tree/lib" "$tree/share/extension" "$tree/licenses"
    install -m 755 "$LIBRARY" "$tree/lib/"
    install -m 644 "$STAGE"/comb.control "$STAGE"/comb--*.sql "$tree/share/extension/"
    cp -r "$WORK/licenses/." "$tree/licenses/"
    tar -C "$tree" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" --format=gnu \
        -c lib share licenses | gzip -9n >"$WORK/comb-${VERSION%-*}-pg$MAJOR-$ARCHITECTURE.tar.gz"
}

package() {
    PG_CONFIG=$("$ROOT/tools/setup.sh" "$1")
    . "$ROOT/tools/cargo.sh"
    NAME=postgresql-$MAJOR-comb
    STAGE=$CARGO_TARGET_DIR/package-$ARCHITECTURE
    LIBRARY=$WORK/comb.so STRIP=strip
    [ "$ARCHITECTURE" = "$(dpkg --print-architecture)" ] || cross

    # Before the build, for what it does not find.
    step "Fetching the crates" crate_folders
    licences "$WORK/licenses"
    step "Building the extension for the packages of $PG_CONFIG_VERSION" build_release "$STAGE"
    $STRIP --strip-unneeded --remove-section=.comment -o "$LIBRARY" "$STAGE/comb.so"
    check_library
    make_deb
    make_archive
    # Of other commits.
    rm -f "$OUTPUT/$NAME"_*_"$ARCHITECTURE.deb" "$OUTPUT"/comb-*-pg"$MAJOR-$ARCHITECTURE.tar.gz"
    deliver "$WORK"/deb/*.deb "$WORK"/*.tar.gz
    say_what_stays
    say "To install it: sudo apt-get install $OUTPUT/${NAME}_${VERSION}_$ARCHITECTURE.deb. Then in a database: CREATE EXTENSION comb;"
}

ARCHITECTURE=${ARCH:-$(dpkg --print-architecture)} || die "make package needs Debian or Ubuntu"
"$ROOT/tools/setup.sh" --packages binutils debhelper dpkg-dev jq xz-utils
SOURCE_DATE_EPOCH=$(source_date)
export SOURCE_DATE_EPOCH
unset RUSTFLAGS

mkdir -p "$COMB_CACHE"
exec 8>"$COMB_CACHE/package.lock"
lock 8 "Another run makes packages"
[ $# -gt 0 ] || set -- ""
for major; do
    WORK=$(mktemp -d "${TMPDIR:-/tmp}/comb-package.XXXXXX")
    trap 'rm -rf "$WORK"' EXIT
    # In a process of its own, for what it sets.
    (package "$major")
    rm -rf "$WORK"
done
