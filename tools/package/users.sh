#!/usr/bin/env bash
# users.sh MAJOR: installs, upgrades and removes the Debian package in a bare Debian (bare.sh), with the distribution's server.
# /comb has the sources as comb/, the packages as packages/, and the files that make has built as stage/.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/testing.sh"

MAJOR=$1
NAME=postgresql-$MAJOR-comb
DEB=$(compgen -G "/comb/packages/${NAME}_*_$(dpkg --print-architecture).deb")
PG_CONFIG=/usr/lib/postgresql/$MAJOR/bin/pg_config
CONFFILE=/etc/postgresql-common/comb-$MAJOR.control

# psql as the owner of the database, who is not a superuser.
shop() { as shopkeeper psql -X -q -At -v ON_ERROR_STOP=1 -d shop "$@"; }
superuser() { as postgres psql -X -q -At -v ON_ERROR_STOP=1 "$@"; }
server() { pg_ctlcluster "$MAJOR" main "$@"; }
# equal WHAT EXPECTED FOUND
equal() { [ "$2" = "$3" ] || die "$1: expected $2" "$3"; }
check_scope() { equal "the scope of the clock" server "$(shop -c "SELECT scope FROM comb_status()")"; }

# All files of comb, from whatever source.
files() { find /usr -xdev -type f \( -name 'comb.*' -o -name '.comb*' -o -name 'comb--*' -o -path '*/postgresql-*-comb*' \) | LC_ALL=C sort; }
no_files() { equal "files after $1" "" "$(files)"; }

# A session that stays open, and generates while files are replaced and removed. generates: in it.
open_session() {
    coproc SESSION { shop 2>&1; }
    session=$SESSION_PID
    generates
}
generates() {
    local answer
    echo "SELECT comb_inspect(comb_new()) IS NOT NULL;" >&"${SESSION[1]}"
    read -r answer <&"${SESSION[0]}" || true
    equal "an open session" t "$answer"
}
close_session() {
    printf '\\q\n' >&"${SESSION[1]}"
    wait "$session"
}

installed() {
    apt install "$DEB"
    equal "dpkg -V" "" "$(dpkg -V "$NAME")"
    equal "files that others than root may change" "" \
        "$(dpkg -L "$NAME" | xargs -I{} find {} -maxdepth 0 ! -type l \( ! -user root -o ! -group root -o -perm /022 \))"
    ! ldd "/usr/lib/postgresql/$MAJOR/lib/comb.so" | grep 'not found' || die "a library is missing"
    [[ $(dpkg-query -W -f '${Depends}' "$NAME") == "postgresql-$MAJOR, "* ]] || die "the package does not depend on PostgreSQL $MAJOR"
    ok "apt-get install $(basename "$DEB") with PostgreSQL $(dpkg-query -W -f '${Version}' "postgresql-$MAJOR")"
    server start
    useradd --create-home shopkeeper
    as postgres createuser shopkeeper
    as postgres createdb -O shopkeeper shop
    shop -c 'CREATE EXTENSION comb'
    check_scope
    ok "CREATE EXTENSION by the owner of the database"
    (cd / && PGUSER=postgres as postgres "$ROOT/tools/installcheck.sh" "$PG_CONFIG") >/tmp/regress.log 2>&1 ||
        die "pg_regress fails" "$(cat /tmp/regress.log)"
    ok "pg_regress: $(grep -E '^(# | )?All ' /tmp/regress.log)"
    shop -c "$(sed -n '/query: |/,/metrics:/{/:$\|: |$/!p}' "$ROOT/packaging/monitoring/postgres_exporter.yml")" >/dev/null
    ok "the query of postgres_exporter.yml"
    refuses "make install over the package" "belongs to the package $NAME" "$ROOT/tools/install.sh" "$PG_CONFIG" /comb/stage
    refuses "make uninstall of the package's files" "belongs to the package $NAME" "$ROOT/tools/install.sh" --uninstall "$PG_CONFIG"
    equal "dpkg -V after make install" "" "$(dpkg -V "$NAME")"
}

upgraded() {
    superuser -c "ALTER SYSTEM SET shared_preload_libraries = 'comb'"
    server restart
    open_session
    # An administrator's setting.
    sed -i 's/^#trusted/trusted/' "$CONFFILE"
    rm -rf /tmp/deb
    dpkg-deb -R "$DEB" /tmp/deb
    sed -i 's/^Version:.*/Version: 99.0.0-1/' /tmp/deb/DEBIAN/control
    dpkg-deb -b /tmp/deb /tmp/another.deb >/dev/null
    apt install /tmp/another.deb
    says "an upgrade" "ALTER EXTENSION comb UPDATE"
    generates
    close_session
    check_scope
    as postgres createdb -O shopkeeper second
    refuses "CREATE EXTENSION by an owner after trusted = false and an upgrade" "permission denied" shop -d second -c "CREATE EXTENSION comb"
    sed -i 's/^trusted/#trusted/' "$CONFFILE"
    apt install --allow-downgrades "$DEB"
    shop -d second -c "CREATE EXTENSION comb"
    as postgres dropdb second
}

removed() {
    shop -c "CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new(), n int)" -c "INSERT INTO orders (n) VALUES (1), (2), (3)"
    open_session
    apt remove "$NAME"
    no_files "apt-get remove"
    says "a removal" "DROP EXTENSION comb"
    says "a removal with a preloaded server" "shared_preload_libraries"
    generates
    close_session
    refuses "the start of a server that preloads comb after a removal" 'could not access file "comb"' server restart
    as postgres sed -i '/^shared_preload_libraries/d' "/var/lib/postgresql/$MAJOR/main/postgresql.auto.conf"
    server start
    refuses "comb_new() after a removal" 'could not access file "comb": No such file or directory' shop -c "INSERT INTO orders (n) VALUES (4)"
    shop -c "DROP EXTENSION comb CASCADE" 2>/dev/null
    equal "the data after DROP EXTENSION" "1,2,3" "$(shop -c "SELECT string_agg(n::text, ',' ORDER BY id) FROM orders")"
    ok "the data stays after the removal"
    apt purge "$NAME"
    [ ! -e "$CONFFILE" ] || die "apt-get purge leaves $CONFFILE"
}

installed
upgraded
removed
