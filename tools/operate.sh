#!/usr/bin/env bash
# operate.sh PG_CONFIG [OLD_PG_CONFIG]: what operators do to a database that uses the extension: dump it,
# restore it, upgrade it by pg_upgrade (from the old PostgreSQL, by default from the same one). The
# extension is installed beside both.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

NEW_CONFIG=$1
OLD_CONFIG=${2:-$1}

# A database of each name, with the extension in that schema.
declare -A DATABASES=([shop]=extensions [flat]=pg_catalog)

# The rows, and whether everything that hangs on the extension still works; one line a fact.
FACTS="
SELECT 'rows ' || md5(string_agg(o::text, ',' ORDER BY id)) FROM app.orders o;
SELECT 'guids in order ' || (array_agg(number ORDER BY id) = array_agg(number ORDER BY number))::text FROM app.guids;
SELECT 'default ' || count(*) FROM pg_attrdef WHERE pg_get_expr(adbin, adrelid) LIKE '%comb_new%';
SELECT 'made after those before ' || bool_and(new.id > o.id)::text
FROM (SELECT comb_new() AS id) new, app.orders o;
SELECT 'view ' || count(*) FROM app.recent;
SELECT 'check ' || count(*) FROM pg_constraint WHERE conname = 'of_this_century' AND convalidated;
SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'app' ORDER BY indexdef;
SELECT 'newest ' || number FROM app.items ORDER BY id USING >@~ LIMIT 1;
SELECT 'in time order ' || count(*) FROM app.items WHERE comb_between_time(id, '2020-01-01Z', 'infinity');
SELECT 'foreign key by ' || conindid::regclass FROM pg_constraint WHERE conrelid = 'app.parts'::regclass AND contype = 'f';
SELECT 'replica identity ' || indexrelid::regclass FROM pg_index WHERE indisreplident;
SELECT 'partition ' || tableoid::regclass || ' ' || count(*) FROM app.journal GROUP BY tableoid ORDER BY 1;
SELECT 'operator ' || (app.guids.id < 'ffffffff-ffff-ffff-ffff-ffffffffffff')::text FROM app.guids LIMIT 1;
SELECT 'layouts ' || count(*) FROM comb_layouts();
SELECT 'schema ' || extnamespace::regnamespace FROM pg_extension WHERE extname = 'comb';"
# facts DATABASE [COPY]: those of that database, or of the copy that was made of it.
facts() { sql -d "${2:-$1}" -c "SET search_path = ${DATABASES[$1]}" -c "$FACTS"; }
# same WHAT BEFORE AFTER
same() {
    diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") || die "$1: the database is not what it was"
    echo "ok: $1"
}

cluster_start "$OLD_CONFIG"
declare -A before
for database in "${!DATABASES[@]}"; do
    schema=${DATABASES[$database]}
    sql -c "CREATE DATABASE $database"
    [ "$schema" = pg_catalog ] || sql -d "$database" -c "CREATE SCHEMA $schema"
    sql -d "$database" -v schema="$schema" <<'SQL'
CREATE EXTENSION comb SCHEMA :schema;
CREATE SCHEMA app;
SET search_path = app, :schema;
CREATE TABLE orders (
    id uuid PRIMARY KEY DEFAULT comb_new(), legacy uuid NOT NULL DEFAULT comb_new_mssql_legacy(), layout text,
    CONSTRAINT of_this_century CHECK (comb_timestamp(id) >= '2000-01-01Z')
);
CREATE UNIQUE INDEX orders_legacy ON orders (legacy uuid_mssql_ops);
CREATE TABLE items (id uuid NOT NULL DEFAULT comb_new(), number int);
CREATE UNIQUE INDEX items_id ON items (id uuid_time_ops);
ALTER TABLE items REPLICA IDENTITY USING INDEX items_id;
CREATE TABLE parts (item uuid REFERENCES items (id));
CREATE TABLE journal (id uuid PRIMARY KEY, number int) PARTITION BY RANGE (id uuid_time_ops);
CREATE TABLE journal_random PARTITION OF journal FOR VALUES FROM (MINVALUE) TO (comb_first_from('-infinity'));
CREATE TABLE journal_new PARTITION OF journal FOR VALUES FROM (comb_first_from('-infinity')) TO (MAXVALUE);
CREATE TABLE guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
CREATE INDEX guids_day ON guids (comb_timestamp(id, 'mssql'));
CREATE INDEX guids_brin ON guids USING brin (id);
CREATE VIEW recent AS SELECT * FROM orders WHERE comb_between(id, '2020-01-01Z', 'infinity');
CREATE VIEW after_the_first AS SELECT * FROM guids WHERE id > (SELECT min(id) FROM guids);
INSERT INTO orders (layout) SELECT label FROM comb_layouts(), generate_series(1, 1000);
INSERT INTO guids (number) SELECT generate_series(1, 10000);
INSERT INTO items SELECT gen_random_uuid(), generate_series(1, 1000);
INSERT INTO items (number) SELECT generate_series(1001, 2000);
INSERT INTO parts SELECT id FROM items;
INSERT INTO journal TABLE items;
SQL
    before[$database]=$(facts "$database")

    as_server "$BIN/pg_dump" -h "$PGHOST" -U postgres -Fc -f "$CLUSTER/work/$database.dump" "$database"
    sql -c "CREATE DATABASE restored_$database"
    as_server "$BIN/pg_restore" -h "$PGHOST" -U postgres --exit-on-error -d "restored_$database" "$CLUSTER/work/$database.dump"
    same "pg_dump and pg_restore, the extension in schema $schema" "${before[$database]}" "$(facts "$database" "restored_$database")"
done

cluster_pg_upgrade "$NEW_CONFIG"
for database in "${!DATABASES[@]}"; do
    same "pg_upgrade from $("$OLD_CONFIG" --version) to $("$NEW_CONFIG" --version), the extension in schema ${DATABASES[$database]}" \
        "${before[$database]}" "$(facts "$database")"
done
# What pg_upgrade itself does with every library.
sql -c "LOAD '\$libdir/comb'" && echo "ok: LOAD"

# Without a postmaster, preloaded and not.
cluster_down fast
for preload in comb ""; do
    said=$(printf '%s\n' "SELECT scope FROM extensions.comb_status()" \
        "SELECT extensions.comb_new()::text > max(id::text) AS above FROM app.orders" |
        as_server "$BIN/postgres" --single -D "$CLUSTER/data" -c shared_preload_libraries="$preload" shop 2>&1)
    grep -q 'above = "t"' <<<"$said" || die "single-user mode, preloaded: '$preload'" "$said"
    echo "ok: single-user mode, preloaded: '$preload', in scope $(sed -n 's/.*scope = "\([a-z]*\)".*/\1/p' <<<"$said")"
done
