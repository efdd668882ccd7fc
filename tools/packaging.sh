#!/usr/bin/env bash
# packaging.sh PG_CONFIG: that make says what it lacks, and what make install and make uninstall do and do not do.
# Called by a script that has built the extension for that PostgreSQL (tools/private.sh).
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

PG_CONFIG=$1
MAJOR=$(major_of "$PG_CONFIG")

cluster_start "$PG_CONFIG" shared_preload_libraries=comb
# A space, as a folder may have one.
TREE=$CLUSTER/work/"a tree" PLACE=$CLUSTER/work/"a place"
LIBRARIES=$PLACE$("$PG_CONFIG" --pkglibdir)
SCRIPTS=$PLACE$("$PG_CONFIG" --sharedir)/extension

# Where the sources can be changed, and by everybody read.
mkdir "$TREE" "$PLACE"
(cd "$ROOT" && cp -r Makefile tools src crates sql pg_test Cargo.toml Cargo.lock comb.control "$TREE/")

ok() { echo "ok: $1"; }
# Programs as a machine has them that lacks some: all that are installed but those.
without() {
    local folder
    folder=$(mktemp -d "$CLUSTER/work/programs.XXXXXX")
    chmod 755 "$folder"
    ln -s /usr/bin/* "$folder/"
    (cd "$folder" && rm -f "$@")
    echo "$folder"
}
# refuses "why" TEXT COMMAND...: the command fails at once, and says that text.
refuses() {
    local why=$1 text=$2 said begin=$SECONDS
    shift 2
    if said=$("$@" 2>&1); then die "$why, and yet it works: $*" "$said"; fi
    [[ $said == *"$text"* ]] || die "$why: it does not say \"$text\"" "$said"
    [ $((SECONDS - begin)) -le 3 ] || die "$why: it takes $((SECONDS - begin)) s to say so"
    ok "$why, make says: $(grep -F -m 1 "$text" <<<"$said" | sed 's/^error: //; s/^ *//')"
}
NO_RUST=$(without cargo rustc rustup)
make_for() { make --no-print-directory -C "$TREE" PG_CONFIG="$PG_CONFIG" "$@"; }
files() { (cd "$PLACE" && find . -type f -printf '%p %m\n' | LC_ALL=C sort); }
# files_are WHY FILE...: those, each with its mode, and no other stand below PLACE.
files_are() { diff <([ $# -eq 1 ] || printf '%s\n' "${@:2}") <(files) || die "$1"; }

say "What make lacks"
refuses "without Rust" "cargo, of Rust" env PATH="$NO_RUST" make -C "$TREE" PG_CONFIG="$PG_CONFIG"
refuses "without a linker" "cc, which links" env PATH="$(without cc):$PATH" bash -c 'PATH=${PATH%%:*}:$(dirname "$(command -v cargo)") exec make -C "$0" PG_CONFIG="$1"' "$TREE" "$PG_CONFIG"
refuses "without any pg_config" "there is no /nowhere/pg_config" make -C "$TREE" PG_CONFIG=/nowhere/pg_config
# fake_pg_config ANSWER...: the real one but for some options, each followed by what it says.
fake_pg_config() {
    local fake
    fake=$(mktemp "$CLUSTER/work/pg_config.XXXXXX")
    printf '#!/bin/sh\ncase $1 in\n' >"$fake"
    printf '%s) echo "%s"; exit ;;\n' "$@" >>"$fake"
    printf 'esac\nexec "%s" "$@"\n' "$PG_CONFIG" >>"$fake"
    chmod 755 "$fake"
    echo "$fake"
}
refuses "without server headers" "postgresql-server-dev-$MAJOR" make -C "$TREE" PG_CONFIG="$(fake_pg_config --includedir-server /nowhere)"
refuses "for a major that is not supported" "PostgreSQL 14.7 is not supported" make -C "$TREE" PG_CONFIG="$(fake_pg_config --version "PostgreSQL 14.7")"
[ ! -e "$TREE/target" ] || die "what refuses leaves something behind"

say "make install"
refuses "before anything is built" "nothing is built for PostgreSQL $MAJOR" make_for install DESTDIR="$PLACE"
# In the folder of the tests' own builds: to build it once more there takes no time.
CARGO_TARGET_DIR=${CARGO_TARGET_DIR%/*} "$ROOT/tools/build.sh" "$PG_CONFIG" "$TREE/target/stage/pg$MAJOR"
files_are "make installs something"
# By somebody else than who built, and without cargo.
chown -R "$SERVER_USER" "$PLACE"
chmod 555 "$PLACE"
refuses "without rights" "may not write into" as_server env PATH="$NO_RUST" make -C "$TREE" PG_CONFIG="$PG_CONFIG" install DESTDIR="$PLACE"
chmod 755 "$PLACE"
files_are "an installation that was refused leaves something behind"
as_server env PATH="$NO_RUST" make -C "$TREE" PG_CONFIG="$PG_CONFIG" install DESTDIR="$PLACE"
installed=(".${SCRIPTS#"$PLACE"}/comb--$COMB_VERSION.sql 644" ".${SCRIPTS#"$PLACE"}/comb.control 644" ".${LIBRARIES#"$PLACE"}/comb.so 755")
for script in "$ROOT"/sql/comb--*.sql; do
    [ ! -e "$script" ] || installed+=(".${SCRIPTS#"$PLACE"}/${script##*/} 644")
done
mapfile -t installed < <(printf '%s\n' "${installed[@]}" | LC_ALL=C sort)
files_are "an installation is not what it should be" "${installed[@]}"
ok "it copies ${#installed[@]} files, and needs no cargo"
grep -q "^default_version = '$COMB_VERSION'" "$SCRIPTS/comb.control" || die "the control file says another version"

say "make install, again"
for file in "$LIBRARIES/comb.so" "$SCRIPTS/comb.control" "$SCRIPTS/comb--$COMB_VERSION.sql"; do
    ln "$file" "$PLACE/../before.${file##*/}"
    echo "of before" >"$file"
done
make_for install DESTDIR="$PLACE"
for file in "$LIBRARIES/comb.so" "$SCRIPTS/comb.control" "$SCRIPTS/comb--$COMB_VERSION.sql"; do
    [ "$(cat "$PLACE/../before.${file##*/}")" = "of before" ] || die "it writes into $file"
    grep -q "of before" "$file" && die "$file is the one of before"
done
ok "it writes into no file that is there"
# In the PostgreSQL itself, where this server has the library loaded.
sql -c "CREATE EXTENSION comb"
started=$(sql -c "SELECT pg_postmaster_start_time()")
export INSTALL="make --no-print-directory -C '$TREE' PG_CONFIG='$PG_CONFIG' install"
sql >"$CLUSTER/work/session" <<'SQL'
SELECT comb_new() AS before \gset
\! unset DESTDIR; eval "$INSTALL" 2>/dev/null
SELECT comb_new() > :'before' AND comb_inspect(comb_new()) IS NOT NULL AND count(*) > 1 FROM comb_layouts();
SQL
[ "$(cat "$CLUSTER/work/session")" = t ] || die "a session does not go on under make install" "$(cat "$CLUSTER/work/session")"
[ "$(sql -c "SELECT comb_new() IS NOT NULL, pg_postmaster_start_time() = '$started'")" = "t|t" ] || die "the server does not go on under make install"
ok "a server that has the library loaded goes on, and so do its sessions"
echo "-- changed" >>"$TREE/sql/00-header.sql"
refuses "for sources that changed since" "not of these sources" make_for install DESTDIR="$PLACE"

say "make uninstall"
chmod 555 "$SCRIPTS"
refuses "without rights" "may not write into" as_server make -C "$TREE" PG_CONFIG="$PG_CONFIG" uninstall DESTDIR="$PLACE"
files_are "a removal that was refused removes something" "${installed[@]}"
chmod 755 "$SCRIPTS"
make_for uninstall DESTDIR="$PLACE"
files_are "make uninstall leaves something behind"
make_for uninstall DESTDIR="$PLACE"
ok "it removes what was installed"
