#!/usr/bin/env bash
# docs.sh [--show] PG_CONFIG [PAGE...]: runs the SQL of README.md, docs/*.md and docs/clients/*.md, or of these pages, on a
# private server of the PostgreSQL of that pg_config, in which the extension is installed. --show prints what psql shows.
#
# Each page is run from top to bottom, by the role app in its own new database shop. app is no superuser. The extension is
# there, unless the page creates it. What runs is each block that begins with one of
#   ```sql                   must not fail
#   ```sql superuser         the same, by a superuser in the same database
#   ```sql error [SQLSTATE]  one statement, which must fail, with that SQLSTATE if one is named; `superuser` may follow
#   ```sql norun             does not run: it restarts something, or needs what is not here
# Then docs/reference.md must name every function, operator, type, operator class and setting of the extension, and links from
# page to page must lead somewhere, and docs/clients/*.md must show the code of the examples.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

SHOW=
if [ "${1:-}" = --show ]; then SHOW=1 && shift; fi
PG_CONFIG=$1
shift
cd "$ROOT"
[ $# -gt 0 ] || set -- README.md docs/*.md docs/clients/*.md

# script_of PAGE: the page as a psql script, line for line, so that psql's messages have the line numbers of the page.
script_of() {
    awk -v CHECK="$CLUSTER/must_fail.sql" '
        function fail(why) { printf "%s:%d: %s\n", FILENAME, FNR, why >"/dev/stderr"; failed = 1; exit 1 }
        !open && /^ *```sql/ {
            if ($0 !~ /^```sql( |$)/) fail("a block of SQL begins at the start of a line, with ```sql")
            open = 1; run = 1; user = "app"; code = ""; error = 0; statements = 0
            for (i = 2; i <= NF; i++) {
                if ($i == "superuser") user = "postgres"
                else if ($i == "norun") run = 0
                else if ($i == "error") error = 1
                else if (error && $i ~ /^[0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z]$/) code = $i
                # Whose code it is: tools/examples.sh.
                else if ($i ~ /^[A-Za-z0-9_.\/-]+:[a-z_]+$/) continue
                else fail("unknown word after ```sql: " $i)
            }
            if (!run) { print ""; next }
            line = user == "app" ? "" : "\\connect - " user " \\\\ "
            print line (error ? "\\set ON_ERROR_STOP off" : "\\set ON_ERROR_STOP on")
            next
        }
        open && /^```$/ {
            open = 0
            if (!run) { print ""; next }
            line = ""
            if (error) {
                if (statements != 1) fail("a block that must fail has one statement")
                line = "\\set page " FILENAME ":" FNR " \\\\ \\set want " (code == "" ? "any" : code) " \\\\ \\i " CHECK
            }
            if (user != "app") line = line (line == "" ? "" : " \\\\ ") "\\connect - app"
            print line
            next
        }
        open && run { if ($0 ~ /;[ \t]*(--.*)?$/) statements++; print; next }
        { print "" }
        END { if (open && !failed) { printf "%s: a block has no end\n", FILENAME >"/dev/stderr"; exit 1 } }
    ' "$1"
}

# What runs at the end of a block that must fail.
must_fail() {
    cat <<'SQL'
SELECT :'ERROR' AND :'want' IN ('any', :'SQLSTATE') AS as_said \gset
\if :as_said
\else
    \warn :page: this block must fail, with SQLSTATE :want
\endif
\set ON_ERROR_STOP on
SQL
}

new_database() {
    sql -d postgres -c "DROP DATABASE IF EXISTS shop" -c "CREATE DATABASE shop OWNER app" 2>/dev/null
}

run_page() {
    local page=$1 shown=$CLUSTER/shown noise=(-q) status=0
    new_database
    mkdir -p "$CLUSTER/pages/$(dirname "$page")"
    # Under the name of the page, which psql says with each error.
    script_of "$page" >"$CLUSTER/pages/$page"
    grep -q '^CREATE EXTENSION comb' "$CLUSTER/pages/$page" || sql -d shop -U app -c "CREATE EXTENSION comb"
    [ -z "$SHOW" ] || noise=(--echo-queries)
    (cd "$CLUSTER/pages" && "$BIN/psql" -X "${noise[@]}" -P pager=off -U app -d shop -f "$page") >"$shown" 2>&1 || status=$?
    if [ -n "$SHOW" ]; then cat "$shown"; fi
    ! grep -q ': this block must fail, with SQLSTATE' "$shown" || status=1
    if [ $status -ne 0 ]; then
        tail -n 20 "$shown" >&2
        die "$page: an example does not do what the page says" "See the line that begins with $page above."
    fi
    echo "ok: $page, $(grep -c '^```sql' "$page") blocks of SQL"
}

# What docs/reference.md does not name, one a line. Support functions go by the names of their operators and classes.
unnamed() {
    local name
    sql -d shop -U app <<'SQL' | while IFS= read -r name; do grep -qF -- "$name" docs/reference.md || printf '%s\n' "$name"; done
SELECT DISTINCT CASE classid
    WHEN 'pg_proc'::regclass THEN (SELECT proname || '(' FROM pg_proc WHERE oid = objid)
    WHEN 'pg_operator'::regclass THEN (SELECT '`' || oprname || '`' FROM pg_operator WHERE oid = objid)
    WHEN 'pg_type'::regclass THEN (SELECT typname FROM pg_type WHERE oid = objid AND typelem = 0)
    WHEN 'pg_opclass'::regclass THEN (SELECT opcname FROM pg_opclass WHERE oid = objid)
END AS name
FROM pg_depend
WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'comb')
AND NOT (classid = 'pg_proc'::regclass AND objid IN (SELECT oid FROM pg_proc WHERE proname LIKE 'uniqueidentifier\_%'))
UNION
SELECT name FROM pg_settings, comb_status() WHERE name LIKE 'comb.%'
EXCEPT SELECT NULL ORDER BY 1;
SQL
}

# The anchors of a page's headings, as GitHub makes them, one a line.
anchors() {
    sed -n '/^```/,/^```/d; s/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# Links within the repository that lead nowhere, one a line.
broken_links() {
    local page link file anchor
    for page in ./*.md docs/*.md docs/clients/*.md bench/README.md examples/README.md examples/*/README.md; do
        grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//' | grep -v '^https\?:' | while IFS= read -r link; do
            file=${link%%#*} anchor=
            [[ $link != *'#'* ]] || anchor=${link#*#}
            if [ -n "$file" ]; then file=$(dirname "$page")/$file; else file=$page; fi
            if [ ! -e "$file" ]; then
                echo "$page: $link: there is no such file"
            elif [ -n "$anchor" ] && ! anchors "$file" | grep -qxF -- "$anchor"; then
                echo "$page: $link: there is no such heading"
            fi
        done || true
    done
}

broken=$(broken_links)
[ -z "$broken" ] || die "links lead nowhere:" "$broken"
echo "ok: links from page to page"
"$ROOT/tools/examples.sh" --check-docs

cluster_start "$PG_CONFIG" timezone=UTC fsync=off
sql -c "CREATE ROLE app LOGIN"
must_fail >"$CLUSTER/must_fail.sql"
for page; do
    case $page in README.md | docs/*.md) ;; *) die "$page is neither README.md nor in docs/" ;; esac
    run_page "$page"
done

new_database
sql -d shop -U app -c "CREATE EXTENSION comb"
missing=$(unnamed)
[ -z "$missing" ] || die "docs/reference.md does not name:" "$missing"
echo "ok: docs/reference.md names everything that the extension has"
