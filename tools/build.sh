#!/usr/bin/env bash
# build.sh [PG_CONFIG [STAGE]]: builds the extension for the PostgreSQL of that pg_config, and puts its files into that folder, by
# default the one that install.sh reads. Installs nothing, not even missing tools.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/user_server.sh"

missing=() packages=()
# lacks "what is missing" "how to get it" [PACKAGE...]: the packages are Debian's.
lacks() {
    missing+=("$1" "    $2")
    packages+=("${@:3}")
}

# Looks for libclang, which reads PostgreSQL's headers, where the build looks for it.
has_libclang() {
    local place
    [ -z "${LIBCLANG_PATH:-}" ] || return 0
    for place in $(llvm-config --libdir 2>/dev/null) /usr/lib/llvm*/lib /usr/lib/*-linux-* /usr/lib /usr/lib64 /usr/lib64/llvm*/lib \
        /usr/local/lib /usr/local/lib64 /usr/local/llvm*/lib; do
        # Not libclang-cpp.
        if compgen -G "$place/libclang.so*" >/dev/null || compgen -G "$place/libclang-[0-9]*.so*" >/dev/null; then return 0; fi
    done
    return 1
}

# has_icu HEADERS: whether all is there that PostgreSQL's pg_locale.h includes. Debian's package of the headers does not depend on it.
has_icu() { printf '#include <postgres.h>\n#include <utils/pg_locale.h>\n' | cc -E -x c -I"$1" - >/dev/null 2>&1; }

check_needs() {
    local fault headers
    fault=$(rust_fault)
    # shellcheck disable=SC2046
    [ -z "$fault" ] || lacks "$fault" "$RUST_HOW" $(rust_packages)
    command -v cc >/dev/null || lacks "cc, which links" "a C compiler" gcc libc6-dev
    has_libclang || lacks "libclang, which reads PostgreSQL's headers" "the package libclang-dev or clang-devel, or LIBCLANG_PATH" libclang-dev
    headers=$("$PG_CONFIG" --includedir-server)
    if [ -f "$headers/postgres.h" ]; then
        ! command -v cc >/dev/null || has_icu "$headers" ||
            lacks "unicode/ucol.h, which PostgreSQL's headers include" "the package libicu-dev or libicu-devel" libicu-dev
    else
        lacks "the server headers of $PG_CONFIG_VERSION: there is no $headers/postgres.h" \
            "the package postgresql-server-dev-$MAJOR or postgresql$MAJOR-devel, or make PG_CONFIG=... for another server" "postgresql-server-dev-$MAJOR"
    fi
    [ ${#missing[@]} -gt 0 ] || return 0
    [ ${#packages[@]} -eq 0 ] || missing+=("On Debian and Ubuntu: sudo apt-get install ${packages[*]}")
    die "the build needs:" "${missing[@]}"
}

find_server "${1:-}"
check_needs
. "$ROOT/tools/cargo.sh"
[ -d "$CARGO_TARGET_DIR" ] || say "The first build fetches the crates and takes some two minutes and 600 MB under ${CARGO_TARGET_DIR%/*}"
# It fetches the crates that are missing.
for_server metadata --format-version 1 --filter-platform "${CARGO_BUILD_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}" >/dev/null ||
    die "cargo cannot get the crates that the build needs: see above" \
        "Without a network: make dist VENDOR=1 on another machine writes an archive with them. docs/install.md says how to use it."
build_release "${2:-$(user_stage)}"
is_release || say "$NO_RELEASE"
say "Built comb $COMB_VERSION for $PG_CONFIG_VERSION. To install it: $(make_command install), with sudo if it needs root"
