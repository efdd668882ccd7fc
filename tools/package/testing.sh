# shellcheck shell=bash
# What the tests in a bare Debian share. Sourced after common.sh.

# as USER COMMAND...: from a folder that the user may enter.
as() {
    local user=$1
    shift
    (cd / && exec setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups -- "$@")
}

# apt ARGUMENT...: the output is in /tmp/apt.log, and shown if it fails.
apt() {
    apt-get -y -q --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root "$@" >/tmp/apt.log 2>&1 ||
        die "apt-get $* fails" "$(tail -n 20 /tmp/apt.log)"
}

ok() { echo "ok: $1"; }

# refuses WHAT TEXT COMMAND...: the command has to fail with that text.
refuses() {
    local what=$1 text=$2 said
    shift 2
    if said=$("$@" 2>&1); then die "$what: it works" "$said"; fi
    [[ $said == *"$text"* ]] || die "$what: it does not say \"$text\"" "$said"
    ok "$what is refused: $(grep -F -m 1 -- "$text" <<<"$said" | sed 's/^[[:space:]]*//')"
}

# says WHAT TEXT: the last apt has printed that text.
says() {
    grep -qF -- "$2" /tmp/apt.log || die "$1 does not say \"$2\"" "$(cat /tmp/apt.log)"
    ok "$1 says: $(grep -F -m 1 -- "$2" /tmp/apt.log)"
}
