# shellcheck shell=bash disable=SC2034
# What the scripts share: messages, the cache folder, the user that runs the servers. Sourced after set -euo pipefail.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The user that the servers run as reads the files.
umask 022
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
SUPPORTED_MAJORS="15 16 17 18 19"
RUST_WANTED=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml")
COMB_VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml" | head -n 1)
# Of 0.5.0-dev, no script leads to another version.
is_release() { [[ $COMB_VERSION != *-* ]]; }
NO_RELEASE="This is not a release, and databases with it cannot be updated. The last release: git checkout ':/^Release [0-9]'"
# Messages are not translated.
export LC_ALL=C.UTF-8
# If another make calls PostgreSQL's build, that leaves out its generated headers.
unset MAKELEVEL MAKEFLAGS MFLAGS

BOLD='' RED='' PLAIN=''
if [ -t 1 ] && [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then
    BOLD=$'\033[1m' RED=$'\033[1;31m' PLAIN=$'\033[0m'
fi
say() { printf '%s==>%s %s\n' "$BOLD" "$PLAIN" "$*" >&2; }
die() {
    printf '%serror:%s %s\n' "$RED" "$PLAIN" "$1" >&2
    shift
    for line in "$@"; do printf '       %s\n' "$line" >&2; done
    exit 1
}

is_root() { [ "$(id -u)" = 0 ]; }

# A command with root's rights.
as_root() {
    if is_root; then
        "$@"
    else
        command -v sudo >/dev/null || die "this step needs root: $*" "Run it as root, or install sudo, and try again."
        sudo "$@"
    fi
}

# The major version of the PostgreSQL of that pg_config.
major_of() { "$1" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/'; }

# Whether a package of the distribution is installed.
is_installed() { [ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = "install ok installed" ]; }

# is_newer VERSION VERSION: whether the first is newer than the second. 0.5.0 is newer than 0.5.0-dev.
is_newer() { ! printf '%s\n' "${1/-/\~}" "${2/-/\~}" | sort -VC; }
rust_version() { "$1" --version 2>/dev/null | cut -d' ' -f2; }
is_new_rust() { ! is_newer "$RUST_WANTED" "$(rust_version "$1")"; }
# The folder of the first Rust on the PATH that is new enough, with its cargo: a distribution's can be behind that of rustup.
rust_folder() {
    local rustc
    while read -r rustc; do
        if [ -x "${rustc%/*}/cargo" ] && is_new_rust "$rustc"; then
            echo "${rustc%/*}"
            return
        fi
    done < <(type -aP rustc)
}
has_rust_first() { command -v cargo >/dev/null && is_new_rust rustc; }
# What is missing of Rust, in a few words.
rust_fault() {
    if ! command -v cargo >/dev/null; then
        echo "cargo, of Rust $RUST_WANTED or newer"
    elif ! has_rust_first && [ -z "$(rust_folder)" ]; then
        echo "Rust $RUST_WANTED or newer; here is $(rust_version rustc || echo none that answers)"
    fi
}
# From here on, this script and those that it calls use that Rust. The rest of the PATH stays as it is.
use_rust() {
    local folder links tool
    ! has_rust_first || return 0
    folder=$(rust_folder)
    [ -n "$folder" ] || die "the build needs $(rust_fault)" "$RUST_HOW"
    links=${CARGO_TARGET_DIR:-$ROOT/target}/rust
    mkdir -p "$links"
    for tool in cargo rustc rustdoc cargo-clippy clippy-driver cargo-fmt rustfmt; do
        [ "$(readlink "$links/$tool")" = "$folder/$tool" ] || ln -sfn "$folder/$tool" "$links/$tool"
    done
    say "The first Rust on the PATH is $(rust_version rustc), and $RUST_WANTED is needed: $folder/cargo is used, of Rust $(rust_version "$folder/rustc")"
    export PATH=$links:$PATH RUSTC=$folder/rustc RUSTDOC=$folder/rustdoc
}
# The distribution's packages of a Rust that is new enough, if it has one. They do not fit with its package of rustup.
rust_packages() {
    local package version
    command -v apt-cache >/dev/null && ! is_installed rustup || return 0
    # In one call: each takes a second.
    while read -r package version; do
        if ! is_newer "$RUST_WANTED" "$version"; then
            echo "cargo${package#rustc} $package"
            return
        fi
    done < <(apt-cache policy rustc rustc-web | sed -n 's/^\(rustc.*\):$/\1/p; s/^ *Candidate: \([0-9.]*\).*/\1/p' | paste - -)
}
RUST_HOW="https://rustup.rs, then open a new shell; where rustup is: rustup update stable"

# A checksum of all files that a build reads.
sources_sum() {
    (cd "$ROOT" && find src crates sql Cargo.toml Cargo.lock comb.control -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1)
}

# Servers refuse to run as root, so that another user must be able to read root's cache.
if [ -z "${COMB_CACHE:-}" ]; then
    if is_root; then COMB_CACHE=/var/cache/comb; else COMB_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/comb; fi
fi
export COMB_CACHE

# The user that the private servers run as.
# In a container, the user may have no name.
SERVER_USER=$(id -un 2>/dev/null || id -u)
if is_root; then SERVER_USER=$(id -un postgres 2>/dev/null || echo nobody); fi

# A command as that user, from a folder that it may enter.
as_server() {
    if is_root; then
        (cd / && exec setpriv --reuid="$SERVER_USER" --regid="$(id -g "$SERVER_USER")" --clear-groups -- "$@")
    else
        "$@"
    fi
}

# At the end of a target that installs what it needs: what stays on this machine. Sourced private.sh or cargo.sh first.
say_what_stays() {
    local packages='' server=''
    [ ! -s "$COMB_CACHE/installed" ] || packages="; the packages that apt-get installed: $(sort -u "$COMB_CACHE/installed" | paste -sd' '), which apt-get autoremove also removes"
    [ -x "/usr/lib/postgresql/$MAJOR/bin/postgres" ] || server=", which is not installed as a server"
    say "On this machine stay: builds in ${CARGO_TARGET_DIR%/*}; crates in ${CARGO_HOME:-~/.cargo}; in $COMB_CACHE a private PostgreSQL $MAJOR$server$packages." \
        "To remove them, except packages that others need: make purge"
}

# step "what is done" COMMAND...: writes the output into a log, whose last line it shows every 20 seconds, and whose end if the
# command fails.
step() {
    local what=$1 log status heart
    shift
    mkdir -p "$COMB_CACHE/log"
    log=$COMB_CACHE/log/$(printf '%s' "$what" | tr -cs 'A-Za-z0-9.' '-' | cut -c1-80 | sed 's/-*$//').log
    say "$what"
    # Without the locks of this run.
    heartbeat "$log" 8>&- 9>&- &
    heart=$!
    # Not before `||`, where bash continues a function after a failed command.
    set +e
    (
        set -e
        "$@"
    ) >"$log" 2>&1 </dev/null
    status=$?
    set -e
    kill "$heart" 2>/dev/null && wait "$heart" 2>/dev/null || true
    if [ $status -ne 0 ]; then
        tail -n 40 "$log" >&2
        die "$what: failed" "The whole log is $log"
    fi
}
heartbeat() {
    local second=0
    while sleep 1 && kill -0 $$ 2>/dev/null; do
        second=$((second + 1))
        [ $((second % 20)) -ne 0 ] ||
            printf '    ... %d s: %s\n' $second "$(tail -n 1 "$1" | tr -d '\r' | cut -c1-100)" >&2
    done
}

# lock DESCRIPTOR "who has it": waits for the lock on the file that is open there.
lock() {
    local minute=0
    flock -n "$1" && return
    say "$2; waiting until it has ended"
    until flock -w 60 "$1"; do
        minute=$((minute + 1))
        printf '    ... %d min: waiting\n' $minute >&2
    done
}
