#!/usr/bin/env bash
# upgrade.sh PG_CONFIG [OLD_PG_CONFIG...]: from the first released version of the extension to this one. The
# extension is installed beside each.
# - What ALTER EXTENSION UPDATE makes is what CREATE EXTENSION makes, in the same catalogs.
# - The library of this version serves the SQL of each released one.
# - Data, indexes, defaults and views go on, over an update and over pg_upgrade from the old PostgreSQLs.
# - Mistakes in an update script are caught.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

NEW_CONFIG=$1
shift
VERSION=$COMB_VERSION
FIRST=0.1.0
SCHEMA=extensions

ok() { echo "ok: $1"; }
in_database() { local database=$1 && shift && PGOPTIONS="-c search_path=app,$SCHEMA -c comb_upgrade.schema=$SCHEMA -c client_min_messages=error" sql -d "$database" "$@"; }
facts() { in_database "$1" -f "$ROOT/tools/upgrade/facts.sql"; }
catalog() { in_database "$1" -f "$ROOT/tools/upgrade/catalog.sql"; }
same() { diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") || die "$1"; ok "$1"; }

# create DATABASE VERSION
create() {
    sql -c "CREATE DATABASE $1"
    sql -d "$1" -c "CREATE SCHEMA $SCHEMA" -c "CREATE SCHEMA app" -c "CREATE EXTENSION comb SCHEMA $SCHEMA VERSION '$2'"
}
use() { in_database "$1" -f "$ROOT/tools/upgrade/usage.sql"; }
version() { sql -d "$1" -c "SELECT extversion FROM pg_extension WHERE extname = 'comb'"; }

# Some builds of PostgreSQL 15 note in each column which version wrote it, which no other major can restore.
forget_writers() {
    local database
    for database in $(sql -c "SELECT datname FROM pg_database WHERE datallowconn"); do
        sql -d "$database" -c "SET allow_system_table_mods = on" \
            -c "UPDATE pg_attribute SET attoptions = NULL WHERE attoptions::text LIKE '%pg_attver%'"
    done
}

# --- Within one PostgreSQL ------------------------------------------------------------------------

update_within() {
    cluster_start "$NEW_CONFIG"
    create fresh "$VERSION"
    local fresh before
    fresh=$(catalog fresh)
    [ "$(wc -l <<<"$fresh")" -gt 100 ] || die "the catalogs say too little" "$fresh"

    create shop "$FIRST"
    use shop
    before=$(facts shop)
    ok "the library of $VERSION serves the SQL of $FIRST"
    due=$(sql -d shop -c "SELECT extension_version, update_due FROM $SCHEMA.comb_status()" 2>&1)
    if [ "$VERSION" != "$FIRST" ]; then
        [ "$due" = "$FIRST|t" ] || die "comb_status() does not say that an update is due" "$due"
        ok "comb_status() says that an update is due"
    fi
    sql -d shop -c "ALTER EXTENSION comb UPDATE"
    [ "$(version shop)" = "$VERSION" ] || die "the database has version $(version shop) after the update"
    same "ALTER EXTENSION UPDATE from $FIRST makes what CREATE EXTENSION makes" "$fresh" "$(catalog shop)"
    same "data, indexes, defaults and views go on" "$before" "$(facts shop)"
    [ "$(sql -d shop -c "SELECT update_due FROM $SCHEMA.comb_status()" 2>&1)" = f ] || die "comb_status() still says that an update is due"
    sql -d shop -c "DROP EXTENSION comb CASCADE" 2>/dev/null
    [ "$(sql -d shop -c "SELECT count(*) FROM pg_operator o LEFT JOIN pg_proc p ON p.oid = o.oprcode WHERE p.oid IS NULL OR p.probin = 'comb'")" = 0 ] ||
        die "DROP EXTENSION after an update leaves something"
    ok "DROP EXTENSION after an update leaves nothing"
    [ "$VERSION" = "$FIRST" ] || mistakes "$fresh"
}

# mistake NAME SED: an update script with that change makes something else than CREATE EXTENSION does.
mistake() {
    local name=$1 expression=$2 fresh=$3 scripts script original status=0
    scripts=$("$NEW_CONFIG" --sharedir)/extension
    script=$scripts/comb--$FIRST--$VERSION.sql
    original=$CLUSTER/work/update.sql
    cp "$script" "$original"
    sed --regexp-extended "$expression" "$original" >"$script.new"
    if cmp -s "$original" "$script.new"; then rm "$script.new" && die "the mistake finds nothing to change: $expression"; fi
    mv "$script.new" "$script"
    sql -c "DROP DATABASE IF EXISTS mistaken"
    create mistaken "$FIRST"
    sql -d mistaken -c "ALTER EXTENSION comb UPDATE" >/dev/null 2>&1 && [ "$(catalog mistaken)" = "$fresh" ] && status=1
    cp "$original" "$script"
    [ $status -eq 0 ] || die "a mistake in the update script is not caught: $name"
    ok "caught: $name"
}

mistakes() {
    mistake "a function is missing" '/^CREATE FUNCTION comb_settled/,/;$/d; /^COMMENT ON FUNCTION comb_settled/,/;$/d' "$1"
    mistake "another volatility" '/^CREATE FUNCTION comb_horizon\(/,/;$/s/STABLE/VOLATILE/' "$1"
    mistake "another parallel label" '/^CREATE FUNCTION comb_tracked\(\)/,/;$/s/PARALLEL RESTRICTED/PARALLEL SAFE/' "$1"
    mistake "another cost" '/^CREATE FUNCTION comb_horizon\(/,/;$/s/COST [0-9]+/COST 1/' "$1"
    mistake "IMMUTABLE as it was" '/^ALTER FUNCTION comb_inspect/d' "$1"
    mistake "not LEAKPROOF" '/^ALTER FUNCTION comb_timestamp\(/d' "$1"
    mistake "another comment" "s/^    'horizon for the next statement/    'horizon/" "$1"
    mistake "a forgotten column" 's/, OUT horizon_held_for interval|,? *OUT horizon_held_for interval//' "$1"
    mistaken_name
    mistake "a forgotten REVOKE" '$aDROP FUNCTION comb_reset_clock();\
CREATE FUNCTION comb_reset_clock() RETURNS timestamptz LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS '"'MODULE_PATHNAME', 'comb_reset_clock'"';\
COMMENT ON FUNCTION comb_reset_clock() IS '"'set the clock back to the system clock; the next UUID may be smaller than earlier ones'"';' "$1"
    mistake "a privilege too many" '$aGRANT EXECUTE ON FUNCTION comb_reset_clock() TO PUBLIC;' "$1"
}

# The name of the script says another version than the library's.
mistaken_name() {
    local scripts
    scripts=$("$NEW_CONFIG" --sharedir)/extension
    mv "$scripts/comb--$FIRST--$VERSION.sql" "$scripts/comb--$FIRST--$VERSION.1.sql"
    sql -c "DROP DATABASE IF EXISTS mistaken"
    create mistaken "$FIRST"
    sql -d mistaken -c "ALTER EXTENSION comb UPDATE" >/dev/null 2>&1 && [ "$(version mistaken)" = "$VERSION" ] && caught=f || caught=t
    mv "$scripts/comb--$FIRST--$VERSION.1.sql" "$scripts/comb--$FIRST--$VERSION.sql"
    [ $caught = t ] || die "a mistake in the update script is not caught: a wrong version"
    ok "caught: a wrong version"
}

# --- From an old PostgreSQL to the new one --------------------------------------------------------

upgrade_from() {
    local old_config=$1 before fresh what
    cluster_start "$old_config"
    create shop "$FIRST"
    use shop
    before=$(facts shop)
    forget_writers
    cluster_pg_upgrade "$NEW_CONFIG"
    what="from $("$old_config" --version) to $("$NEW_CONFIG" --version)"
    same "pg_upgrade $what: data, indexes, defaults and views go on" "$before" "$(facts shop)"
    create fresh "$VERSION"
    fresh=$(catalog fresh)
    if [ "$VERSION" != "$FIRST" ]; then
        sql -d shop -c "ALTER EXTENSION comb UPDATE"
        same "then ALTER EXTENSION UPDATE makes what CREATE EXTENSION makes, skip support and privileges included" "$fresh" "$(catalog shop)"
        same "and data, indexes, defaults and views go on" "$before" "$(facts shop)"
    fi
}

# In processes of their own, which stop their servers when they end.
(update_within)
for old in "$@"; do (upgrade_from "$old"); done
