# shellcheck shell=bash
# cargo for one PostgreSQL, and the files of an installation. Sourced after common.sh, with PG_CONFIG set.

PG_CONFIG_VERSION=$("$PG_CONFIG" --version)
MAJOR=$(major_of "$PG_CONFIG")
use_rust

# The PostgreSQL whose headers pgrx reads. A private copy has the headers of its original, for which the crates may be built already.
PGRX_PG_CONFIG_PATH=/usr/lib/postgresql/$MAJOR/bin/pg_config
[ "$("$PGRX_PG_CONFIG_PATH" --version 2>/dev/null)" = "$PG_CONFIG_VERSION" ] || PGRX_PG_CONFIG_PATH=$PG_CONFIG
export PGRX_PG_CONFIG_PATH
# pgrx has its bindings formatted, and fails without rustfmt, which a distribution's Rust need not have.
export RUSTFMT=true
# A folder for each: for other headers, cargo builds pgrx again.
case $PGRX_PG_CONFIG_PATH in
    "$COMB_CACHE"/* | /usr/lib/postgresql/*) CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}/pg$(basename "${PGRX_PG_CONFIG_PATH%/bin/pg_config}") ;;
    *) CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}/user-pg$MAJOR ;;
esac
export CARGO_TARGET_DIR

# Tests stop processes of the PostgreSQL with assertions, and our own assertions are on.
FEATURES=pg$MAJOR
if [[ $PG_CONFIG == */18-assertions/bin/pg_config ]]; then
    FEATURES+=,injection_points
    export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true
fi

# cargo SUBCOMMAND for this PostgreSQL and these sources. For another SOURCE_DATE_EPOCH, the crate cc would have pgrx built again.
for_server() {
    local command=$1
    shift
    (cd "$ROOT" && env -u SOURCE_DATE_EPOCH cargo "$command" --locked --no-default-features --features "$FEATURES" "$@")
}

# clean_other_clone: cargo gives the libraries of all clones the same name, and would take that of another clone for ours.
clean_other_clone() {
    local profile
    [ "$(cat "$CARGO_TARGET_DIR/clone" 2>/dev/null)" != "$ROOT" ] || return 0
    for profile in dev release; do
        (cd "$ROOT" && cargo clean --quiet --locked --profile "$profile" -p comb -p comb-tick -p comb-id -p comb-clock -p comb-horizon)
    done
    mkdir -p "$CARGO_TARGET_DIR"
    echo "$ROOT" >"$CARGO_TARGET_DIR/clone"
}

# crate_folders [--no-deps]: the folders of the crates' sources. --no-deps: only of those of the workspace.
crate_folders() {
    for_server metadata --format-version 1 --filter-platform "${CARGO_BUILD_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}" "$@" | tr ',' '\n' |
        sed -n 's|.*"manifest_path":"\(.*\)/[^/]*/Cargo.toml".*|\1|p' | sort -u
}

# The library contains no path of this machine, so that packages are the same wherever they are built. cargo writes the paths of
# the workspace from its root on.
release_flags() {
    local folder folders flags IFS
    read -ra flags <<<"${RUSTFLAGS:-}"
    flags+=(
        "--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rustc/$(rustc -vV | sed -n 's/^commit-hash: //p')"
        "--remap-path-prefix=$CARGO_TARGET_DIR=/target"
    )
    # Not at the same time: one cargo would wait for the other, and say so.
    folders=$(crate_folders)
    while IFS= read -r folder; do flags+=("--remap-path-prefix=$folder=/crates"); done < <(comm -23 - <(crate_folders --no-deps) <<<"$folders")
    # Unlike RUSTFLAGS, it accepts folders with a space.
    IFS=$'\x1f'
    echo "${flags[*]}"
}

# build_release STAGE: builds the extension for users, and puts its files into that folder.
build_release() {
    local stage=$1
    clean_other_clone
    CARGO_ENCODED_RUSTFLAGS=$(release_flags) for_server build --release --lib --package comb
    rm -rf "$stage.new"
    mkdir -p "$stage.new"
    install -m 755 "$CARGO_TARGET_DIR/${CARGO_BUILD_TARGET:-}/release/libcomb.so" "$stage.new/comb.so"
    sed "s/^default_version = .*/default_version = '$COMB_VERSION'/" "$ROOT/comb.control" >"$stage.new/comb.control"
    cat "$ROOT"/sql/[0-9]*.sql >"$stage.new/comb--$COMB_VERSION.sql"
    # Update scripts, and the install scripts of earlier versions.
    install -m 644 "$ROOT"/sql/comb--*.sql "$stage.new/"
    sources_sum >"$stage.new/sum"
    rm -rf "$stage"
    mv "$stage.new" "$stage"
}
