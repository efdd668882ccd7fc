#!/usr/bin/env bash
# users.sh MAJOR: what becomes of the package in the hands of its users, in a bare Debian (bare.sh). In /comb lie the sources as
# comb/, the packages as packages/, and what make has built as stage/.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/testing.sh"

MAJOR=$1
NAME=postgresql-$MAJOR-comb
DEB=$(compgen -G "/comb/packages/${NAME}_*_$(dpkg --print-architecture).deb")
PG_CONFIG=/usr/lib/postgresql/$MAJOR/bin/pg_config

# --- What its users call --------------------------------------------------------------------------

# psql as the owner of the database, who is no superuser.
shop() { as shopkeeper psql -X -q -At -v ON_ERROR_STOP=1 -d shop "$@"; }
superuser() { as postgres psql -X -q -At -v ON_ERROR_STOP=1 "$@"; }
server() { pg_ctlcluster "$MAJOR" main "$@"; }

# Every file of comb's, whoever put it there.
files() { find /usr -xdev -type f \( -name 'comb.*' -o -name '.comb*' -o -name 'comb--*' -o -path '*/postgresql-*-comb*' \) | LC_ALL=C sort; }
no_files() { [ -z "$(files)" ] || die "$1: files stay" "$(files)"; }

# another_deb EXPRESSION...: the package with another control file, made by that sed.
another_deb() {
    rm -rf /tmp/deb /tmp/another.deb
    dpkg-deb -R "$DEB" /tmp/deb
    sed -i "$@" /tmp/deb/DEBIAN/control
    dpkg-deb -b /tmp/deb /tmp/another.deb >/dev/null
    echo /tmp/another.deb
}

# --------------------------------------------------------------------------------------------------

refused() {
    refuses "apt-get install by an ordinary user" "are you root" \
        as nobody apt-get install -y "$DEB"
    refuses "the package for another major" "postgresql-14" \
        apt install "$(another_deb "s/^\(Package:.*\|Depends:.*\)postgresql-$MAJOR/\1postgresql-14/")"
    no_files "what was refused"
}

installed() {
    apt install "$DEB" >/tmp/apt.log 2>&1 || die "apt-get install fails" "$(cat /tmp/apt.log)"
    [ -z "$(dpkg -V "$NAME")" ] || die "the package is not as it says" "$(dpkg -V "$NAME")"
    [ -z "$(dpkg -L "$NAME" | xargs -I{} find {} -maxdepth 0 \( ! -user root -o ! -group root -o -perm /022 \))" ] ||
        die "others than root may change its files"
    ! ldd "/usr/lib/postgresql/$MAJOR/lib/comb.so" | grep 'not found' || die "a library is missing"
    ok "apt-get install $(basename "$DEB") beside PostgreSQL $(dpkg-query -W -f '${Version}' "postgresql-$MAJOR"): $(dpkg-query -W -f '${Depends}' "$NAME")"
    server start
    useradd --create-home shopkeeper
    as postgres createuser shopkeeper
    as postgres createdb -O shopkeeper shop
}

# What README.md types, on the distribution's server.
first_page() {
    shop -c 'CREATE EXTENSION comb'
    [ "$(shop -c "SELECT scope FROM comb_status()")" = server ] || die "the clock is not the server's" "$(shop -c "SELECT comb_status()")"
    ok "CREATE EXTENSION by the owner of the database"
    { echo "BEGIN;" && sed -n '/^```sql$/,/^```$/ { /^```/!p }' "$ROOT/README.md" && echo "ROLLBACK;"; } | shop >/dev/null
    ok "the SQL of README.md"
    (cd / && PGUSER=postgres as postgres "$ROOT/tools/installcheck.sh" "$PG_CONFIG") >/tmp/regress.log 2>&1 ||
        die "pg_regress fails" "$(cat /tmp/regress.log)"
    ok "pg_regress: $(grep -E '^(# | )?All ' /tmp/regress.log)"
}

# make install beside the package.
from_source() {
    local before
    before=$(files | xargs sha256sum)
    refuses "make install beside the package" "belongs to the package $NAME" "$ROOT/tools/install.sh" "$PG_CONFIG" /comb/stage
    refuses "make uninstall of the package's files" "belongs to the package $NAME" "$ROOT/tools/install.sh" --uninstall "$PG_CONFIG"
    [ "$before" = "$(files | xargs sha256sum)" ] || die "make install changes the package's files"
}

# A session that stays open: tell TEXT, and what it said goes into a file.
open_session() {
    mkfifo -m 666 /tmp/session.in
    shop </tmp/session.in >/tmp/session.out 2>&1 &
    exec 7>/tmp/session.in
    tell "SELECT comb_new() IS NOT NULL;"
    until grep -q t /tmp/session.out; do sleep 0.1; done
}
tell() { printf '%s\n' "$@" >&7; }
close_session() {
    exec 7>&-
    wait $!
    rm /tmp/session.in
    [ "$(tr -d '\n' </tmp/session.out)" = "$1" ] || die "an open session does not go on" "$(cat /tmp/session.out)"
}

upgraded() {
    local another
    another=$(another_deb 's/^\(Version:.*-\).*/\199/')
    superuser -c "ALTER SYSTEM SET shared_preload_libraries = 'comb'"
    server restart
    open_session
    apt install "$another" >/tmp/apt.log 2>&1 || die "the upgrade of the package fails" "$(cat /tmp/apt.log)"
    says "an upgrade" "ALTER EXTENSION comb UPDATE" /tmp/apt.log
    tell "SELECT comb_new() IS NOT NULL;" "SELECT comb_inspect(comb_new()) IS NOT NULL;"
    close_session ttt
    [ "$(shop -c "SELECT scope FROM comb_status()")" = server ] || die "the preloaded server does not go on"
    ok "an upgrade of the package under a running server with sessions open"
    apt install "$(another_deb 's/^Version:.*/Version: 99.0.0-1/')" >/tmp/apt.log 2>&1 || die "the upgrade of the package fails" "$(cat /tmp/apt.log)"
    apt install --allow-downgrades "$DEB" >/tmp/apt.log 2>&1 || die "the downgrade of the package fails" "$(cat /tmp/apt.log)"
    says "a downgrade" "install the newer package" /tmp/apt.log
}

removed() {
    shop <<'SQL'
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new(), item text);
INSERT INTO orders (item) VALUES ('apples'), ('pears'), ('plums');
CREATE TABLE invoices (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
INSERT INTO invoices (number) VALUES (1), (2), (3);
SQL
    open_session
    apt remove "$NAME" >/tmp/apt.log 2>&1 || die "apt-get remove fails" "$(cat /tmp/apt.log)"
    no_files "apt-get remove"
    says "a removal" "DROP EXTENSION comb" /tmp/apt.log
    says "a removal under a preloaded server" "shared_preload_libraries" /tmp/apt.log
    tell "SELECT comb_new() IS NOT NULL;"
    close_session tt
    ok "a session that is open at a removal goes on"

    refuses "a server that preloads what was removed" 'could not access file "comb"' server restart
    as postgres sed -i '/^shared_preload_libraries/d' "/var/lib/postgresql/$MAJOR/main/postgresql.auto.conf"
    server start
    [ "$(shop -c "SELECT string_agg(item, ',' ORDER BY id) FROM orders" -c "SELECT sum(number), count(id) FROM invoices")" = "apples,pears,plums
6|3" ] || die "data does not stay"
    refuses "comb_new() after a removal" 'could not access file "comb": No such file or directory' shop -c "INSERT INTO orders (item) VALUES ('figs')"
    refuses "CREATE EXTENSION after a removal" 'extension "comb" is not available' superuser -d template1 -c "CREATE EXTENSION comb"
    shop -c "ALTER TABLE invoices ALTER COLUMN id DROP DEFAULT, ALTER COLUMN id TYPE uuid"
    refuses "DROP EXTENSION while something depends on it" "orders" shop -c "DROP EXTENSION comb"
    shop -c "DROP EXTENSION comb CASCADE" 2>/dev/null
    [ "$(shop -c "SELECT count(id) FROM orders" -c "SELECT count(id) FROM invoices" -c "SELECT count(*) FROM pg_attrdef")" = "3
3
0" ] || die "data does not stay after DROP EXTENSION"
    ok "after the removal data stays, and DROP EXTENSION takes the defaults alone"
}

no_room() {
    local scripts=/usr/share/postgresql/$MAJOR/extension small=/tmp/small
    mount -t tmpfs -o size=16k none "$scripts"
    refuses "apt-get install without room" "No space left on device" apt install "$DEB"
    [ -z "$(ls -A "$scripts")" ] || die "apt-get install without room leaves something behind" "$(ls -A "$scripts")"
    umount "$scripts"
    no_files "apt-get install without room"

    mkdir "$small"
    mount -t tmpfs -o size=256k none "$small"
    DESTDIR=$small refuses "make install without room" "No space left on device" "$ROOT/tools/install.sh" "$PG_CONFIG" /comb/stage
    umount "$small"
    # For the library, and not for all of the script.
    mount -t tmpfs -o size=$(($(stat -c %s /comb/stage/comb.so) + 16384)) none "$small"
    DESTDIR=$small refuses "make install with room for half of it" "No space left on device" "$ROOT/tools/install.sh" "$PG_CONFIG" /comb/stage
    [ -z "$(find "$small" -type f)" ] || die "make install without room leaves something behind" "$(find "$small" -type f)"
    umount "$small"
    DESTDIR=$small refuses "make install without rights" "may not write into" as nobody "$ROOT/tools/install.sh" "$PG_CONFIG" /comb/stage
    refuses "make install with nothing built" "nothing is built" "$ROOT/tools/install.sh" "$PG_CONFIG" /nowhere
    no_files "make install that was refused"
}

# From source first, and then the package.
after_source() {
    "$ROOT/tools/install.sh" "$PG_CONFIG" /comb/stage
    shop -c "CREATE EXTENSION comb" -c "SELECT comb_new()" >/dev/null
    apt install "$DEB" >/tmp/apt.log 2>&1 || die "apt-get install over make install fails" "$(cat /tmp/apt.log)"
    [ -z "$(dpkg -V "$NAME")" ] || die "the package is not as it says" "$(dpkg -V "$NAME")"
    shop -c "SELECT comb_new()" >/dev/null
    ok "the package takes the place of make install"
    apt purge "$NAME" >/tmp/apt.log 2>&1
    no_files "apt-get purge"
    ok "apt-get purge leaves nothing behind"
}

refused
installed
first_page
from_source
upgraded
removed
no_room
after_source
