#!/usr/bin/env bash
# source.sh SYSTEM [TARGET [VARIABLE=VALUE...]]: make TARGET, by default make demo, in a bare system (bare.sh) that has git and make
# alone, with the network and, in a stable release of Debian, the security updates.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

SYSTEM=$1
shift
[ $# -gt 0 ] || set -- demo
"$ROOT/tools/package/bare.sh" make "$SYSTEM"
WORK=$(mktemp -d "${TMPDIR:-/tmp}/comb-source.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
git clone --quiet "$ROOT" "$WORK/comb"
chmod 755 "$WORK"
# shellcheck disable=SC2016
"$ROOT/tools/package/bare.sh" online "$SYSTEM" "$WORK" env COMB_CACHE=/var/cache/comb bash -c '
    case $0 in bookworm | trixie) echo "deb http://deb.debian.org/debian-security $0-security main" >>/etc/apt/sources.list ;; esac
    { apt-get update && apt-get install -y --no-install-recommends git make; } >/tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }
    cp -r /comb/comb /root/comb && cd /root/comb && exec make "$@"' "$SYSTEM" "$@"
