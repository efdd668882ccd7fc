# shellcheck shell=bash
# What those share who try the packages in a bare Debian (bare.sh). Sourced after common.sh.

PARTS=$ROOT/tools/package

# The architecture of that system.
architecture() { if [[ $1 == *-* ]]; then echo "${1#*-}"; else dpkg --print-architecture; fi; }

# prepare SYSTEM [PACKAGE...]: comb's package for the PostgreSQL of that system, and the bare system, with these packages of the
# distribution's downloaded.
prepare() {
    ARCH=$(architecture "$1") "$PARTS/package.sh" "$("$PARTS/bare.sh" major "$1")"
    "$PARTS/bare.sh" make "$@"
}

# in_bare SYSTEM SCRIPT [ARGUMENT...]: that script of tools/ in that system, with the files as they are now: the sources as
# /comb/comb, the packages as /comb/packages, the built files as /comb/stage, and FILES in /comb. Its first argument is the major.
FILES=()
in_bare() {
    local release=$1 script=$2 major work
    shift 2
    major=$("$PARTS/bare.sh" major "$release")
    work=$(mktemp -d "${TMPDIR:-/tmp}/comb-users.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    chmod 755 "$work"
    mkdir "$work/comb"
    tar -C "$ROOT" --exclude=./target --exclude=./.git --exclude=./bench/results -c . | tar -C "$work/comb" -x
    cp -r "$ROOT/target/package" "$work/packages"
    cp -r "${CARGO_TARGET_DIR:-$ROOT/target}/pg$major/package-$(architecture "$release")" "$work/stage"
    [ ${#FILES[@]} -eq 0 ] || cp "${FILES[@]}" "$work"
    "$PARTS/bare.sh" run "$release" "$work" "/comb/comb/tools/$script" "$major" "$@"
}
