# shellcheck shell=bash
# cargo for one PostgreSQL, and the files that an installation consists of. Sourced after common.sh, with
# PG_CONFIG set.

PG_CONFIG_VERSION=$("$PG_CONFIG" --version)
MAJOR=$(major_of "$PG_CONFIG")

# Whose headers pgrx reads.
export PGRX_PG_CONFIG_PATH=$PG_CONFIG
# pgrx has its bindings formatted, and fails without rustfmt, which a distribution's Rust need not have.
export RUSTFMT=true
# A folder a major: a change of features or headers in one would build everything again. So would a change
# between the user's PostgreSQL and the private one of that major.
case $PG_CONFIG in
    "$COMB_CACHE"/*) CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}/pg$MAJOR ;;
    *) CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}/user-pg$MAJOR ;;
esac
export CARGO_TARGET_DIR

# cargo SUBCOMMAND for this PostgreSQL and these sources.
for_server() {
    local command=$1
    shift
    (cd "$ROOT" && cargo "$command" --locked --no-default-features --features "pg$MAJOR" "$@")
}

# clean_other_clone: cargo calls the library of every clone the same, and would give that of another for ours. What clones
# that are gone have left would only pile up.
clean_other_clone() {
    local profile
    [ "$(cat "$CARGO_TARGET_DIR/clone" 2>/dev/null)" != "$ROOT" ] || return 0
    for profile in dev release; do
        (cd "$ROOT" && cargo clean --quiet --locked --profile "$profile" -p comb -p comb-tick -p comb-id -p comb-clock)
    done
    mkdir -p "$CARGO_TARGET_DIR"
    echo "$ROOT" >"$CARGO_TARGET_DIR/clone"
}

# build_release STAGE: builds the extension as users get it, and puts its files together in that folder.
build_release() {
    local stage=$1
    clean_other_clone
    for_server build --release --lib --package comb
    rm -rf "$stage.new"
    mkdir -p "$stage.new"
    install -m 755 "$CARGO_TARGET_DIR/release/libcomb.so" "$stage.new/comb.so"
    sed "s/^default_version = .*/default_version = '$COMB_VERSION'/" "$ROOT/comb.control" >"$stage.new/comb.control"
    cat "$ROOT"/sql/[0-9]*.sql >"$stage.new/comb--$COMB_VERSION.sql"
    # From a version to the next, and earlier ones as they were.
    install -m 644 "$ROOT"/sql/comb--*.sql "$stage.new/"
    sources_sum >"$stage.new/sum"
    rm -rf "$stage"
    mv "$stage.new" "$stage"
}
