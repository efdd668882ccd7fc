# shellcheck shell=bash disable=SC2034
# What the scripts `setup` share. Status 75 says that the example cannot run here; the last line on standard error says why.

ROOT=$(cd "$(dirname "$0")/../.." && pwd)
HERE=$(cd "$(dirname "$0")" && pwd)

missing() { echo "$*" >&2; exit 75; }

# packages NAME...: installs packages of the distribution.
packages() { "$ROOT/tools/setup.sh" --packages "$@" >&2 || missing "the packages $*"; }

# download PATTERN COMMAND...: the messages that match the pattern are of a registry that cannot be reached.
download() {
    local unreachable=$1 said
    shift
    said=$("$@" 2>&1) && return
    printf '%s\n' "$said" >&2
    ! grep -qiE "$unreachable" <<<"$said" || missing "${1##*/} reaches no registry"
    exit 1
}
