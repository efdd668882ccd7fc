# shellcheck shell=bash
# Builds of the library with something changed in it, for tests of what a test has to notice. Sourced after
# fault.sh, under a script that has set up cargo for this PostgreSQL (tools/private.sh).

# mutant NAME FILE SED [FILE SED...]: a build of a copy of this tree in which every sed expression has changed
# its file; LIBRARY is its path, without .so. It is built again only when the source or the change is another.
# Not optimised, and beside the builds of the tests, whose dependencies it shares.
mutant() {
    local name=$1 place=$CARGO_TARGET_DIR/mutants/$1 sum
    shift
    sum=$({ echo "$*" && rustc --version && "$PG_CONFIG" --version && sources_sum; } | sha256sum)
    # Where the server's user can read it, whoever's folder this is.
    LIBRARY=$CLUSTER/work/$name/comb
    mkdir "$CLUSTER/work/$name"
    if [ "$(cat "$place/sum" 2>/dev/null)" != "$sum" ]; then
        rm -rf "$place"
        mkdir -p "$place"
        (cd "$ROOT" && cp -r src crates pg_test Cargo.toml Cargo.lock "$place/")
        while [ $# -gt 0 ]; do
            mutate "$place/$1" "$2"
            shift 2
        done
        # A crate of another name: of two that are called the same, cargo would give one for the other.
        mutate "$place/Cargo.toml" "s/^name = \"comb\"\$/name = \"comb_$name\"/"
        mutate "$place/Cargo.lock" "s/^name = \"comb\"\$/name = \"comb_$name\"/"
        # What cargo has built of the crates of another tree it would take for those of this one.
        clean_crates "$place"
        step "Building the mutant $name for PostgreSQL $MAJOR" \
            cargo build --locked --manifest-path "$place/Cargo.toml" --lib --no-default-features --features "pg$MAJOR"
        clean_crates "$place"
        cp "$CARGO_TARGET_DIR/debug/libcomb_$name.so" "$place/comb.so"
        echo "$sum" >"$place/sum"
    fi
    cp "$place/comb.so" "$LIBRARY.so"
}

clean_crates() {
    cargo clean --quiet --locked --manifest-path "$1/Cargo.toml" --profile dev -p comb-tick -p comb-id -p comb-clock
}

# mutate FILE SED: fails where the code that the expression expects is not there.
mutate() {
    sed --in-place=.before --regexp-extended "$2" "$1"
    if cmp -s "$1" "$1.before"; then die "the mutation finds nothing to change: $2"; fi
    rm "$1.before"
}

# use_library PATH: the functions of the extension in this database come from that library, instead of the
# one that is installed. For a database in which none of them has been called.
use_library() {
    sql -c "UPDATE pg_proc SET probin = '$1' WHERE probin = 'comb'"
}
