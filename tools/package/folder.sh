#!/usr/bin/env bash
# folder.sh MAJOR: the archive in the layout of CloudNativePG's extension images, unpacked into a folder of its own, in a bare
# Debian with a PostgreSQL of 18 or newer (bare.sh). In /comb lie the sources as comb/ and the packages as packages/.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/testing.sh"

MAJOR=$1
BIN=/usr/lib/postgresql/$MAJOR/bin
FOLDER=/extensions/comb
CONTROL="extension_control_path=$FOLDER/share:\$system" LIBRARY="dynamic_library_path=$FOLDER/lib:\$libdir"

apt-get -y -q --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root install "postgresql-$MAJOR" >/tmp/apt.log 2>&1 ||
    die "apt-get install postgresql-$MAJOR fails" "$(cat /tmp/apt.log)"
SERVER_USER=postgres
. "$ROOT/tools/cluster.sh"
mkdir -p "$FOLDER"
ARCHITECTURE=$(dpkg --print-architecture)
tar -xzf /comb/packages/comb-*-pg"$MAJOR-$ARCHITECTURE".tar.gz -C "$FOLDER"
[ "$(ls "$FOLDER")" = "lib
licenses
share" ] || die "the archive has another layout" "$(ls "$FOLDER")"

shop() { sql -U shopkeeper -d shop "$@"; }
new_shop() {
    sql -c "DROP DATABASE IF EXISTS shop" 2>/dev/null
    sql -c "CREATE DATABASE shop OWNER shopkeeper"
}

cluster_start "$BIN/pg_config"
sql -c "CREATE ROLE shopkeeper LOGIN"
new_shop
refuses "without settings: CREATE EXTENSION" 'extension "comb" is not available' shop -c "CREATE EXTENSION comb"
cluster_restart "$CONTROL"
refuses "with extension_control_path alone: CREATE EXTENSION" 'could not access file "comb"' shop -c "CREATE EXTENSION comb"
# As much as has been made of others.
for other in /comb/packages/comb-*-pg*-"$ARCHITECTURE".tar.gz; do
    case $other in *-pg"$MAJOR"-*) continue ;; esac
    rm -rf /tmp/other
    mkdir /tmp/other
    tar -xzf "$other" -C /tmp/other
    refuses "the library of ${other##*/}" "version mismatch" sql -c "LOAD '/tmp/other/lib/comb.so'"
done

for preload in "" comb; do
    cluster_restart "$LIBRARY" shared_preload_libraries=$preload debug_parallel_query=off parallel_setup_cost=0 parallel_tuple_cost=0 \
        min_parallel_table_scan_size=0
    new_shop
    shop <<'SQL'
CREATE EXTENSION comb;
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new(), number int);
INSERT INTO orders (number) SELECT generate_series(1, 20000);
CREATE TABLE guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
INSERT INTO guids (number) SELECT generate_series(1, 20000);
ANALYZE orders, guids;
SQL
    [ "$(shop -c "SELECT scope FROM comb_status()")" = server ] || die "the clock is not the server's" "$(shop -c "SELECT comb_status()")"
    for table in orders guids; do
        layout=$(if [ $table = guids ]; then echo ", 'mssql'"; fi)
        query="SELECT count(*) FROM $table WHERE comb_timestamp(id$layout) > now() - interval '1 hour'"
        [ "$(shop -c "$query")" = 20000 ] || die "$query"
        plan=$(shop -c "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query")
        grep -q 'Workers Launched: [1-9]' <<<"$plan" || die "there are no parallel workers" "$plan"
    done
    [ "$(shop -c "SELECT array_agg(number ORDER BY id) = array_agg(number ORDER BY number) FROM guids")" = t ] || die "uniqueidentifier is not in order"
    ok "the folder, preloaded: '$preload': CREATE EXTENSION by the owner of a database, uniqueidentifier, parallel workers"
done

# From a server that has the extension so to another one that has not, and then has.
cluster_down fast
mv "$CLUSTER/data" "$CLUSTER/old"
upgrade() {
    as_server bash -c 'cd "$1" && exec "$2/pg_upgrade" --old-bindir "$2" --new-bindir "$2" --old-datadir "$3" --new-datadir "$4" \
        --username postgres --socketdir "$1"' - "$CLUSTER/work" "$BIN" "$CLUSTER/old" "$CLUSTER/data" || {
        cat "$CLUSTER"/data/pg_upgrade_output.d/*/loadable_libraries.txt
        return 1
    }
}
install -d -o postgres -m 700 "$CLUSTER/data"
as_server "$BIN/initdb" -D "$CLUSTER/data" -U postgres --auth=trust --encoding=UTF8 --no-locale --no-sync >/dev/null
cluster_configure listen_addresses= "unix_socket_directories=$CLUSTER/socket"
refuses "pg_upgrade to a server without the folder" 'could not load library "comb"' upgrade
rm -rf "$CLUSTER/data/pg_upgrade_output.d"
cluster_configure "$CONTROL" "$LIBRARY" shared_preload_libraries=comb
upgrade >/tmp/upgrade.log 2>&1 || die "pg_upgrade fails" "$(cat /tmp/upgrade.log)"
cluster_up
[ "$(shop -c "SELECT count(DISTINCT id), (SELECT id FROM orders ORDER BY id DESC LIMIT 1) < comb_new() FROM guids")" = "20000|t" ] ||
    die "the database is not what it was before pg_upgrade"
shop -c "INSERT INTO orders DEFAULT VALUES" -c "INSERT INTO guids DEFAULT VALUES"
ok "pg_upgrade to a server with the folder"
