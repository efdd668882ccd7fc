#!/usr/bin/env bash
# bare.sh make SYSTEM [PACKAGE...]: a bare SYSTEM in the cache folder, with its PostgreSQL and these packages downloaded and not
# installed. SYSTEM is a release, or RELEASE-ARCHITECTURE, which qemu-user runs.
# bare.sh run SYSTEM FOLDER COMMAND...: that command in it as root, without a network, with the folder as /comb. What it
# writes, mounts and starts is gone when it ends.
# bare.sh major SYSTEM: which PostgreSQL it has. All need root, namespaces and overlayfs.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

declare -A MAJORS=([bookworm]=15 [trixie]=17 [forky]=18 [noble]=16 [resolute]=18)

is_ubuntu() { [[ $RELEASE == noble || $RELEASE == resolute ]]; }

# Without the security updates: the PostgreSQL of the release itself, older than the one that comb is built with.
mirror() {
    if is_ubuntu; then
        echo "http://archive.ubuntu.com/ubuntu"
        return
    fi
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "Debian" { print $2; exit }'
}

# alone [--net] -- COMMAND...: its mounts and processes end with it, however it ends. --net: it has no network.
alone() { as_root env COMB_CACHE="$COMB_CACHE" unshare --mount --propagation private --ipc --pid --fork --kill-child "$@"; }

make_bare() {
    local mirror package missing=()
    mirror=$(mirror)
    [ -n "$mirror" ] || die "apt knows no mirror of Debian, from which $RELEASE would come" "Run apt-get update, and try again."
    [ -e "$FOLDER.complete" ] || bootstrap "$mirror"
    for package in "postgresql-${MAJORS[$RELEASE]}" "$@"; do
        grep -qxF "$package" "$FOLDER.complete" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] ||
        step "Downloading ${missing[*]} of $SYSTEM" alone -- "$0" download "$SYSTEM" "$mirror" "${missing[@]}"
}

bootstrap() {
    local script=/usr/share/debootstrap/scripts/$RELEASE tools=(debootstrap) options=(--variant=minbase)
    [ "$ARCHITECTURE" = "$(dpkg --print-architecture)" ] || tools+=(qemu-user-static binfmt-support)
    "$ROOT/tools/setup.sh" --packages "${tools[@]}"
    if [ ${#tools[@]} -gt 1 ] && ! compgen -G "/proc/sys/fs/binfmt_misc/qemu-*" >/dev/null; then
        # Where nothing has done so when the machine started.
        as_root sh -c 'mount -t binfmt_misc none /proc/sys/fs/binfmt_misc; update-binfmts --enable'
    fi
    # A release that debootstrap does not know yet is made like the newest.
    [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
    if is_ubuntu; then
        # Debian 12 has no keys of Ubuntu.
        "$0" make trixie ubuntu-keyring
        as_root dpkg-deb -x "$(compgen -G "$COMB_CACHE/bare/trixie/var/cache/apt/archives/ubuntu-keyring_*.deb")" "$COMB_CACHE/bare/keys"
        script=/usr/share/debootstrap/scripts/gutsy options+=("--keyring=$COMB_CACHE/bare/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg")
    fi
    as_root rm -rf "$FOLDER"
    as_root mkdir -p "$FOLDER"
    step "Installing a bare $SYSTEM (about a minute and 450 MB, once)" \
        alone -- debootstrap "${options[@]}" --include=ca-certificates --arch="$ARCHITECTURE" "$RELEASE" "$FOLDER" "$1" "$script"
    as_root touch "$FOLDER.complete"
}

# download MIRROR PACKAGE...: with mounts that end with it. Names them in FOLDER.complete.
download() {
    echo "deb [check-valid-until=no] $1 $RELEASE main" >"$FOLDER/etc/apt/sources.list"
    shift
    apt-config dump | grep '^Acquire::.*[pP]roxy' >"$FOLDER/etc/apt/apt.conf.d/01proxy" || true
    # Nothing has to outlive a power failure, and nothing starts by itself.
    echo force-unsafe-io >"$FOLDER/etc/dpkg/dpkg.cfg.d/unsafe-io"
    printf '#!/bin/sh\nexit 101\n' >"$FOLDER/usr/sbin/policy-rc.d"
    chmod 755 "$FOLDER/usr/sbin/policy-rc.d"
    # It trusts whom this machine trusts.
    cp /etc/resolv.conf /etc/hosts "$FOLDER/etc/"
    cp /etc/ssl/certs/ca-certificates.crt "$FOLDER/etc/ssl/certs/"
    mount -t proc proc "$FOLDER/proc"
    chroot "$FOLDER" apt-get update
    chroot "$FOLDER" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends --download-only "postgresql-${MAJORS[$RELEASE]}" "$@"
    printf '%s\n' "$@" >>"$FOLDER.complete"
}

# run_bare FOLDER COMMAND...
run_bare() {
    local world
    [ -e "$FOLDER.complete" ] || die "there is no bare $SYSTEM yet" "First: tools/package/bare.sh make $SYSTEM"
    world=$(mktemp -d "${TMPDIR:-/tmp}/comb-bare.XXXXXX")
    # shellcheck disable=SC2064
    trap "rmdir '$world'" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    alone --net -- "$0" enter "$SYSTEM" "$world" "$@"
}

# enter WORLD FOLDER COMMAND...: with mounts that end with it, and as the first of its processes.
enter() {
    local world=$1 folder=$2
    shift 2
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    mount -t tmpfs -o mode=755 none "$world"
    mkdir "$world/new" "$world/work" "$world/root"
    mount -t overlay none -o "lowerdir=$FOLDER,upperdir=$world/new,workdir=$world/work" "$world/root"
    mount -t proc proc "$world/root/proc"
    mount -t tmpfs -o mode=1777 none "$world/root/dev/shm"
    mkdir "$world/root/comb"
    mount --bind "$folder" "$world/root/comb"
    mount -o remount,bind,ro "$world/root/comb"
    # Not by exec: the first process ends the others.
    chroot "$world/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive COMB_CACHE=/nowhere "$@"
}

what=${1:-} SYSTEM=${2:-}
RELEASE=${SYSTEM%%-*} ARCHITECTURE=$(dpkg --print-architecture)
[ "$SYSTEM" = "$RELEASE" ] || ARCHITECTURE=${SYSTEM#*-}
[ -n "${MAJORS[${RELEASE:-none}]:-}" ] || die "no release is known here as '$RELEASE'" "Choose from: ${!MAJORS[*]}"
FOLDER=$COMB_CACHE/bare/$SYSTEM
shift 2
case $what in
    make) make_bare "$@" ;;
    run) run_bare "$@" ;;
    download) download "$@" ;;
    enter) enter "$@" ;;
    major) echo "${MAJORS[$RELEASE]}" ;;
    *) die "bare.sh does not know what to do: $what" ;;
esac
