#!/usr/bin/env bash
# bare.sh make RELEASE [MINOR [PACKAGE...]]: a bare Debian of that release, in the cache folder, with all that the
# distribution's PostgreSQL and these packages need downloaded and not installed. Made anew where that PostgreSQL is older than
# that minor release.
# bare.sh run RELEASE FOLDER COMMAND...: that command in it as root, without a network, with the folder as /comb. What it
# writes, mounts and starts is gone when it ends, however it ends.
#
# It needs root, debootstrap, chroot, namespaces of mounts, processes and networks, and overlayfs.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

# Which PostgreSQL the distribution has.
declare -A DEBIAN_MAJOR=([bookworm]=15 [trixie]=17 [forky]=18)

# apt_mirror LABEL: where this machine gets the packages from that apt labels so.
apt_mirror() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | awk -v label="$1" '$1 == label { print $2; exit }'
}

# alone [--net] -- COMMAND...: its mounts and processes end with it, however it ends. --net: it has no network.
alone() { as_root env COMB_CACHE="$COMB_CACHE" unshare --mount --propagation private --ipc --pid --fork --kill-child "$@"; }

# --- Made once ------------------------------------------------------------------------------------

make_bare() {
    local mirror security='' script=/usr/share/debootstrap/scripts/$RELEASE minor=${1:-0}
    shift $(($# > 0))
    is_root || command -v sudo >/dev/null || die "bare systems of Debian need root" "Run it as root, or install sudo, and try again."
    check_namespaces
    if [ -e "$FOLDER.complete" ] && is_recent "$minor"; then
        if has_downloaded "$@"; then return; fi
        # Until they are there it is not whole.
        as_root rm "$FOLDER.complete"
        step "Downloading $* of Debian $RELEASE" alone -- "$0" download "$RELEASE" "$@"
        has_downloaded "$@" || die "Debian $RELEASE did not give all of these packages: $*"
        as_root touch "$FOLDER.complete"
        return
    fi
    "$ROOT/tools/setup.sh" --packages debootstrap
    mirror=$(apt_mirror Debian)
    [ -n "$mirror" ] || die "apt knows no mirror of Debian, from which $RELEASE would come" "Run apt-get update, and try again."
    # Testing has none.
    if [ "$RELEASE" != forky ]; then security=$(apt_mirror Debian-Security); fi
    # What debootstrap does not know by its name yet is made like the newest.
    [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
    as_root rm -rf "$FOLDER" "$FOLDER.complete"
    as_root mkdir -p "$FOLDER"
    step "Making a bare Debian $RELEASE (about a minute and 450 MB, once)" \
        alone -- debootstrap --variant=minbase --include=ca-certificates "$RELEASE" "$FOLDER" "$mirror" "$script"
    step "Downloading the PostgreSQL of Debian $RELEASE" \
        alone -- "$0" fill "$RELEASE" "$mirror" "$security" "$@"
    as_root touch "$FOLDER.complete"
    is_recent "$minor" || die "Debian $RELEASE has no PostgreSQL ${DEBIAN_MAJOR[$RELEASE]} of $minor yet"
}

# has_downloaded PACKAGE...: all of them.
has_downloaded() {
    local package
    for package; do compgen -G "$FOLDER/var/cache/apt/archives/${package}_*.deb" >/dev/null || return 1; done
}
# is_recent MINOR: the PostgreSQL that was downloaded is of that release or newer.
is_recent() {
    local version
    version=$(compgen -G "$FOLDER/var/cache/apt/archives/postgresql-${DEBIAN_MAJOR[$RELEASE]}_*.deb" | sed 's|.*/[^_]*_||; s|_[^_]*$||') || return 1
    dpkg --compare-versions "$version" ge "$1"
}

# fill MIRROR SECURITY PACKAGE...: on mounts of its own.
fill() {
    echo "deb [check-valid-until=no] $1 $RELEASE main" >"$FOLDER/etc/apt/sources.list"
    [ -z "$2" ] || echo "deb [check-valid-until=no] $2 $RELEASE-security main" >>"$FOLDER/etc/apt/sources.list"
    apt-config dump | grep '^Acquire::.*[pP]roxy' >"$FOLDER/etc/apt/apt.conf.d/01proxy" || true
    # Nothing here has to outlive the machine's power, and nothing starts by itself.
    echo force-unsafe-io >"$FOLDER/etc/dpkg/dpkg.cfg.d/unsafe-io"
    printf '#!/bin/sh\nexit 101\n' >"$FOLDER/usr/sbin/policy-rc.d"
    chmod 755 "$FOLDER/usr/sbin/policy-rc.d"
    shift 2
    download "$@"
}

# download PACKAGE...: on mounts of its own. What fits together is what the mirror has now.
download() {
    cp /etc/resolv.conf /etc/hosts "$FOLDER/etc/"
    mount -t proc proc "$FOLDER/proc"
    chroot "$FOLDER" apt-get update
    chroot "$FOLDER" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends --download-only "postgresql-${DEBIAN_MAJOR[$RELEASE]}" "$@"
    chroot "$FOLDER" apt-get autoclean
}

# --- Entered as often as it takes -----------------------------------------------------------------

check_namespaces() {
    local folder said
    folder=$(mktemp -d "${TMPDIR:-/tmp}/comb-bare.XXXXXX")
    # shellcheck disable=SC2016
    if ! said=$(alone --net -- bash -c 'set -e; mount -t tmpfs none "$1"; cd "$1"; mkdir lower upper work root
            mount -t overlay none -o lowerdir=lower,upperdir=upper,workdir=work root
            mkdir root/proc; mount -t proc proc root/proc; chroot / true' - "$folder" 2>&1); then
        rmdir "$folder"
        die "this machine does not let root have mounts, processes and a network of its own, in which packages are tested" "$said"
    fi
    rmdir "$folder"
}

run_bare() {
    local world
    [ -e "$FOLDER.complete" ] || die "there is no bare Debian $RELEASE yet" "First: tools/package/bare.sh make $RELEASE"
    world=$(mktemp -d "${TMPDIR:-/tmp}/comb-bare.XXXXXX")
    # shellcheck disable=SC2064
    trap "rmdir '$world'" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    alone --net -- "$0" enter "$RELEASE" "$world" "$@"
}

# enter WORLD FOLDER COMMAND...: on mounts of its own, and as the first of its processes.
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

# --------------------------------------------------------------------------------------------------

what=${1:-} RELEASE=${2:-}
[ -n "${DEBIAN_MAJOR[${RELEASE:-none}]:-}" ] || die "no release of Debian is known here as '$RELEASE'" "Choose from: ${!DEBIAN_MAJOR[*]}"
FOLDER=$COMB_CACHE/bare/$RELEASE
shift 2
case $what in
    make) make_bare "$@" ;;
    run) run_bare "$@" ;;
    fill) fill "$@" ;;
    download) download "$@" ;;
    enter) enter "$@" ;;
    major) echo "${DEBIAN_MAJOR[$RELEASE]}" ;;
    *) die "bare.sh does not know what to do: $what" ;;
esac
