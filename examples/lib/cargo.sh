# shellcheck shell=bash
# The program of Cargo.toml, as EXAMPLE_CACHE/debug/NAME. Sourced by `setup`.

ROOT=$(cd "$(dirname "$0")/../.." && pwd)
here=$(cd "$(dirname "$0")" && pwd)

missing() { echo "$*" >&2; exit 75; }

. "$ROOT/tools/common.sh"
fault=$(rust_fault)
[ -z "$fault" ] || missing "$fault"
command -v cc >/dev/null || "$ROOT/tools/setup.sh" --packages gcc libc6-dev >&2 || missing "a linker (gcc, libc6-dev)"

# From a folder where no settings of the extension's own build count.
cd "$EXAMPLE_CACHE"
if ! said=$(cargo fetch --quiet --locked --manifest-path "$here/Cargo.toml" 2>&1); then
    printf '%s\n' "$said" >&2
    # No registry, not a mistake in Cargo.lock.
    ! grep -qiE "could not resolve|could not connect|couldn't connect|connection refused|timed out|timeout" <<<"$said" ||
        missing "cargo reaches no registry"
    exit 1
fi
export CARGO_TARGET_DIR=$EXAMPLE_CACHE
# cargo calls the program of every clone the same, and would give that of another for ours.
if [ "$(cat clone 2>/dev/null)" != "$here" ]; then
    package=$(sed -n 's/^name = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -n 1)
    cargo clean --quiet --locked --offline --manifest-path "$here/Cargo.toml" --package "$package"
    echo "$here" >clone
fi
cargo build --quiet --locked --offline --manifest-path "$here/Cargo.toml"
