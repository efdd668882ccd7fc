#!/usr/bin/env bash
# install.sh [--quiet] [PG_CONFIG [STAGE]]: copies the files that make has built into the PostgreSQL of that pg_config, below
# DESTDIR if that is set. Compiles nothing and needs no cargo.
# install.sh --uninstall [PG_CONFIG]: removes them.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/user_server.sh"

quiet='' uninstall=''
case ${1:-} in
    --quiet) quiet=1 && shift ;;
    --uninstall) uninstall=1 && shift ;;
esac
find_server "${1:-}"
STAGE=${2:-$(user_stage)}
LIBRARIES=${DESTDIR:-}$("$PG_CONFIG" --pkglibdir)
SCRIPTS=${DESTDIR:-}$("$PG_CONFIG" --sharedir)/extension

# check_rights COMMAND: before the first change.
check_rights() {
    local folder
    for folder in "$LIBRARIES" "$SCRIPTS"; do
        until [ -e "$folder" ]; do folder=$(dirname "$folder"); done
        [ -d "$folder" ] && [ -w "$folder" ] && [ -x "$folder" ] ||
            die "$(id -un) may not write into $folder; nothing was changed" "Try: sudo $(make_command "$1")"
    done
}

# Only its package manager replaces and removes the files of a package. Below DESTDIR is a package that is being built.
check_package() {
    local package
    [ -z "${DESTDIR:-}" ] && command -v dpkg-query >/dev/null || return 0
    package=$(dpkg-query -S "$LIBRARIES/comb.so" "$SCRIPTS/comb.control" 2>/dev/null | sed -n '1s/:.*//p') || true
    [ -z "$package" ] || die "the comb of PostgreSQL $MAJOR belongs to the package $package; nothing was changed" \
        "To install or remove another one there, first: sudo apt-get remove $package"
}

temporaries=()
# put MODE FILE FOLDER: a copy with a temporary name in that folder.
put() {
    local temporary=$3/.${2##*/}.new said
    temporaries+=("$temporary")
    rm -f "$temporary"
    said=$(install -m "$1" "$2" "$temporary" 2>&1) ||
        die "cannot write into $3; nothing was changed" "$said" "Correct that (is the disk full?) and try again."
}

copy() {
    local file name before=''
    [ -f "$STAGE/comb.so" ] || die "nothing is built for PostgreSQL $MAJOR" "First, and not as root: $(make_command)"
    [ "$(cat "$STAGE/sum")" = "$(sources_sum)" ] ||
        die "what is built for PostgreSQL $MAJOR is not of these sources" "First, and not as root: $(make_command)"
    check_package
    check_rights install
    [ ! -e "$LIBRARIES/comb.so" ] || before=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$SCRIPTS/comb.control")
    trap 'rm -f "${temporaries[@]}"' EXIT
    install -d "$LIBRARIES" "$SCRIPTS"
    put 755 "$STAGE/comb.so" "$LIBRARIES"
    for file in "$STAGE"/comb--*.sql "$STAGE/comb.control"; do put 644 "$file" "$SCRIPTS"; done
    # By renaming: to write into a library that a server has loaded would end the server. The control file comes last, since
    # CREATE EXTENSION reads it first.
    for file in "${temporaries[@]}"; do
        name=${file##*/.}
        mv -f "$file" "${file%/*}/${name%.new}"
    done
    # Those of a development version have no other version to lead to.
    for file in "$SCRIPTS"/comb--*-dev.sql; do [ -e "$STAGE/${file##*/}" ] || rm -f "$file"; done
    [ -z "$quiet" ] || return 0
    say "Installed comb $COMB_VERSION for $PG_CONFIG_VERSION: $LIBRARIES/comb.so, $SCRIPTS/comb.control and comb--*.sql"
    is_release || say "$NO_RELEASE"
    if [ -z "$before" ]; then
        say "In a database: CREATE EXTENSION comb; preloading is optional: docs/production.md"
    else
        say "Open connections keep the library that they have loaded. A server that preloads it keeps it until it restarts"
        if [[ $before == *-* ]]; then
            say "Databases that have the extension of $before cannot be updated: it is not a release. docs/install.md says how to leave it"
        elif is_newer "$before" "$COMB_VERSION"; then
            say "In databases that have the extension of $before, functions may be missing: install that newer version"
        else
            say "In databases that have the extension, by the steps of Upgrade in docs/production.md: ALTER EXTENSION comb UPDATE;"
        fi
    fi
}

# Where the configuration of a server can be read. Below DESTDIR, no server has the files.
warn_of_preloading() {
    local found folder files=()
    [ -z "${DESTDIR:-}" ] || return 0
    for folder in "/etc/postgresql/$MAJOR"/* "/var/lib/postgresql/$MAJOR"/* ${PGDATA:+"$PGDATA"}; do
        files+=("$folder/postgresql.conf" "$folder/postgresql.auto.conf" "$folder"/conf.d/*.conf)
    done
    found=$(grep -lsE '^[[:space:]]*(shared|session)_preload_libraries[^#]*comb' "${files[@]}") || [ -n "$found" ] || return 0
    say "A server has comb in shared_preload_libraries or session_preload_libraries. Without the library, it does not start, or accepts" \
        "no connection: remove the entry from" $found
}

remove() {
    local file installed=()
    for file in "$SCRIPTS/comb.control" "$SCRIPTS"/comb--*.sql "$LIBRARIES/comb.so"; do
        [ ! -e "$file" ] || installed+=("$file")
    done
    if [ ${#installed[@]} -eq 0 ]; then
        say "comb is not installed for $PG_CONFIG_VERSION"
        return
    fi
    check_package
    check_rights uninstall
    warn_of_preloading
    rm -f "${installed[@]}"
    say "Removed comb of $PG_CONFIG_VERSION. Where a database has it, its functions fail now: DROP EXTENSION comb;"
}

if [ -n "$uninstall" ]; then remove; else copy; fi
