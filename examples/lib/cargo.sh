# shellcheck shell=bash
# Builds the program of Cargo.toml as EXAMPLE_CACHE/debug/NAME. Sourced by `setup`.

. "$(dirname "$0")/../lib/setup.sh"
. "$ROOT/tools/common.sh"
fault=$(rust_fault)
[ -z "$fault" ] || missing "$fault"
command -v cc >/dev/null || packages gcc libc6-dev

# From a folder where no settings of the extension's own build count.
cd "$EXAMPLE_CACHE"
download "could not resolve|could not connect|couldn't connect|connection refused|timed out|timeout" \
    cargo fetch --quiet --locked --manifest-path "$HERE/Cargo.toml"
export CARGO_TARGET_DIR=$EXAMPLE_CACHE
# cargo gives the programs of all clones the same name, and would take that of another clone for ours.
if [ "$(cat clone 2>/dev/null)" != "$HERE" ]; then
    package=$(sed -n 's/^name = "\(.*\)"/\1/p' "$HERE/Cargo.toml" | head -n 1)
    cargo clean --quiet --locked --offline --manifest-path "$HERE/Cargo.toml" --package "$package"
    echo "$HERE" >clone
fi
cargo build --quiet --locked --offline --manifest-path "$HERE/Cargo.toml"
