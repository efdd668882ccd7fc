#!/usr/bin/env bash
# folder.sh MAJOR: unpacks the archive in the layout of CloudNativePG's extension images into its own folder, and uses it from
# there, in a bare Debian with PostgreSQL 18 or newer (bare.sh). /comb has the sources as comb/ and the packages as packages/.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/testing.sh"

MAJOR=$1
FOLDER=/extensions/comb
CONTROL="extension_control_path=$FOLDER/share:\$system" LIBRARY="dynamic_library_path=$FOLDER/lib:\$libdir"

apt install "postgresql-$MAJOR"
SERVER_USER=postgres
. "$ROOT/tools/cluster.sh"
mkdir -p "$FOLDER"
tar -xzf "/comb/packages/comb-$COMB_VERSION-pg$MAJOR-$(dpkg --print-architecture).tar.gz" -C "$FOLDER"
[ "$(ls "$FOLDER" | paste -sd ' ')" = "lib licenses share" ] || die "the archive has another layout" "$(ls "$FOLDER")"

shop() { sql -U shopkeeper -d shop "$@"; }
cluster_start "/usr/lib/postgresql/$MAJOR/bin/pg_config"
sql -c "CREATE ROLE shopkeeper LOGIN" -c "CREATE DATABASE shop OWNER shopkeeper"
refuses "CREATE EXTENSION without settings" 'extension "comb" is not available' shop -c "CREATE EXTENSION comb"
cluster_restart "$CONTROL"
refuses "CREATE EXTENSION with only extension_control_path" 'could not access file "comb"' shop -c "CREATE EXTENSION comb"

cluster_restart "$LIBRARY"
shop <<'SQL'
CREATE EXTENSION comb;
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new());
INSERT INTO orders SELECT FROM generate_series(1, 1000);
CREATE TABLE guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql());
INSERT INTO guids SELECT FROM generate_series(1, 1000);
SQL
ok "CREATE EXTENSION by the owner of the database"
for preload in "" comb; do
    cluster_restart shared_preload_libraries=$preload
    [ "$(shop -c "SELECT scope FROM comb_status()")" = server ] || die "the clock is not the server's" "$(shop -c "SELECT comb_status()")"
    # In a parallel worker, which also loads the library.
    count=$(shop -c "SET debug_parallel_query = on" -c "SELECT count(comb_timestamp(id, 'mssql')) FROM guids")
    [ "$count" = 1000 ] || die "a parallel worker reads other times" "$count"
    ok "the folder with shared_preload_libraries = '$preload'"
done

# To another server that has the folder.
cluster_down fast
mv "$CLUSTER/data" "$CLUSTER/old"
cluster_initdb "$CONTROL" "$LIBRARY" shared_preload_libraries=comb
cd "$CLUSTER/work"
setpriv --reuid=postgres --regid="$(id -g postgres)" --clear-groups -- "$BIN/pg_upgrade" --old-bindir "$BIN" --new-bindir "$BIN" \
    --old-datadir "$CLUSTER/old" --new-datadir "$CLUSTER/data" --username postgres --socketdir "$CLUSTER/work" >/tmp/upgrade.log 2>&1 ||
    die "pg_upgrade fails" "$(cat /tmp/upgrade.log)"
cluster_up
[ "$(shop -c "SELECT count(DISTINCT id), (SELECT id FROM orders ORDER BY id DESC LIMIT 1) < comb_new() FROM guids")" = "1000|t" ] ||
    die "the database is not what it was before pg_upgrade"
ok "pg_upgrade to another server with the folder"
