# shellcheck shell=bash disable=SC2034
# What every script here shares: messages, the cache folder, who runs the servers.
# Sourced, never run. Callers have set -euo pipefail.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# What is made here is read by the user that the servers run as.
umask 022
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
SUPPORTED_MAJORS="15 16 17 18 19"
RUST_WANTED=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml")
COMB_VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml" | head -n 1)
# The demo reports rates; a translated psql would not match what the README shows.
export LC_ALL=C.UTF-8
# PostgreSQL's own build takes a make that is called by another for a part of itself, and then leaves
# out its generated headers.
unset MAKELEVEL MAKEFLAGS MFLAGS

BOLD='' CYAN='' RED='' PLAIN=''
if [ -t 1 ] && [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then
    BOLD=$'\033[1m' CYAN=$'\033[36m' RED=$'\033[1;31m' PLAIN=$'\033[0m'
fi
say() { printf '%s==>%s %s\n' "$BOLD" "$PLAIN" "$*" >&2; }
die() {
    printf '%serror:%s %s\n' "$RED" "$PLAIN" "$1" >&2
    shift
    for line in "$@"; do printf '       %s\n' "$line" >&2; done
    exit 1
}

is_root() { [ "$(id -u)" = 0 ]; }

# A command with root's rights, or a plain word about what is missing.
as_root() {
    if is_root; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this step needs root: $*" "Run it as root, or install sudo, and try again."
    fi
}

# The major version of the PostgreSQL of that pg_config.
major_of() { "$1" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/'; }

# is_newer VERSION VERSION: the first than the second.
is_newer() { ! printf '%s\n' "$1" "$2" | sort -VC; }
# What is wrong with the Rust that is here, in a few words; none where nothing is.
rust_fault() {
    local have
    if ! command -v cargo >/dev/null; then
        echo "cargo, of Rust $RUST_WANTED or newer"
        return
    fi
    have=$(rustc --version 2>/dev/null | cut -d' ' -f2) || true
    ! is_newer "$RUST_WANTED" "$have" || echo "Rust $RUST_WANTED or newer; here is ${have:-none that answers}"
}
# The distribution's packages of a Rust that is new enough, if it has one.
rust_packages() {
    local package version
    ! command -v rustup >/dev/null && command -v apt-cache >/dev/null || return 0
    # In one call: each takes a second.
    while read -r package version; do
        if ! is_newer "$RUST_WANTED" "$version"; then
            echo "cargo${package#rustc} $package"
            return
        fi
    done < <(apt-cache policy rustc rustc-web | sed -n 's/^\(rustc.*\):$/\1/p; s/^ *Candidate: \([0-9.]*\).*/\1/p' | paste - -)
}
RUST_HOW="https://rustup.rs, then open a new shell; where rustup is: rustup update stable"

# One word that is another as soon as anything is that a build is made of.
sources_sum() {
    (cd "$ROOT" && find src crates sql Cargo.toml Cargo.lock comb.control -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1)
}

# Servers refuse to run as root, so root's cache must be readable by another user. setup.sh makes it.
if [ -z "${COMB_CACHE:-}" ]; then
    if is_root; then COMB_CACHE=/var/cache/comb; else COMB_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/comb; fi
fi
export COMB_CACHE

# The user that the private servers run as.
server_user() {
    if ! is_root; then
        id -un 2>/dev/null || id -u
    elif id -u postgres >/dev/null 2>&1; then
        echo postgres
    else
        echo nobody
    fi
}
SERVER_USER=$(server_user)

# A command as that user, from a folder that it may enter.
as_server() {
    if is_root; then
        (cd / && exec setpriv --reuid="$SERVER_USER" --regid="$(id -g "$SERVER_USER")" --clear-groups -- "$@")
    else
        "$@"
    fi
}

# step "what is done" command...: output into a log, a sign of life every 20 seconds, the end of the
# log if it fails.
step() {
    local what=$1 log status heart
    shift
    mkdir -p "$COMB_CACHE/log"
    log=$COMB_CACHE/log/$(printf '%s' "$what" | tr -cs 'A-Za-z0-9.' '-' | cut -c1-80 | sed 's/-*$//').log
    say "$what"
    # Without the locks of this run, which must not outlive it.
    heartbeat "$log" 8>&- 9>&- &
    heart=$!
    # In the foreground: Ctrl-C ends it too. And not before `||`, where bash would let a function go
    # on after a command of it failed.
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

# lock DESCRIPTOR "who has it": waits for the lock on the file that is open there, with a sign of life.
lock() {
    local minute=0
    flock -n "$1" && return
    say "$2; waiting until it has ended"
    until flock -w 60 "$1"; do
        minute=$((minute + 1))
        printf '    ... %d min: waiting\n' $minute >&2
    done
}
