# shellcheck shell=bash
# What the tests in a bare Debian share. Sourced after common.sh.

# A command as that user, from a folder that it may enter.
as() {
    local user=$1
    shift
    (cd / && exec setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups -- "$@")
}

apt() { apt-get -y -q --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root "$@"; }

ok() { echo "ok: $1"; }

# refuses WHAT TEXT COMMAND...: it fails and says that text.
refuses() {
    local what=$1 text=$2 said
    shift 2
    if said=$("$@" 2>&1); then die "$what: it works" "$said"; fi
    [[ $said == *"$text"* ]] || die "$what: it does not say \"$text\"" "$said"
    ok "$what is refused: $(grep -F -m 1 -- "$text" <<<"$said" | sed 's/^[[:space:]]*//')"
}

# says WHAT TEXT FILE
says() {
    grep -qF -- "$2" "$3" || die "$1 does not say \"$2\"" "$(cat "$3")"
    ok "$1 says: $(grep -F -m 1 -- "$2" "$3")"
}
