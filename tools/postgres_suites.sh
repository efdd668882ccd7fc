#!/usr/bin/env bash
# postgres_suites.sh PG_CONFIG TESTS SECONDS: PostgreSQL's regression and isolation suites, from the folder TESTS of its sources, in a
# private server without comb, then with comb preloaded and in each database. A test that fails with comb must have the same output
# without comb, except for rows that list objects of comb: in opr_sanity. Then sqlsmith for that time, in the regression database.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

PG_CONFIG=$1 TESTS=$2 SECONDS_OF_SMITH=$3
PROGRAMS=$("$PG_CONFIG" --pgxs)
PROGRAMS=${PROGRAMS%/makefiles/pgxs.mk}/test

# run NAME PROGRAM SCHEDULE WITH DATABASE: the suite TESTS/src/test/NAME, whose tests may fail.
run() {
    local suite=$1 folder=$CLUSTER/work/$1-$4 options=()
    [ "$4" = without ] || options=(--load-extension=comb)
    install -d -o "$SERVER_USER" "$folder"
    step "PostgreSQL's suite $suite $4 comb" as_server sh -c '"$@" || [ $? = 1 ]' sh "$PROGRAMS/$suite/$2" --bindir="$BIN" \
        --inputdir="$TESTS/src/test/$suite" --outputdir="$folder" --dlpath="$CLUSTER/work" \
        --schedule="$TESTS/src/test/$suite/$3" --max-concurrent-tests=20 --dbname="$5" "${options[@]}"
}

# Without widths and numbers of rows. A query that finds faults has no rows: that number stays.
comparable() { sed -E 's/ +/ /g; s/ $//; s/^\([1-9][0-9]* rows?\)$/(rows)/; /^[-+]*$/d' "$1"; }

compare() {
    local suite=$1 name without with
    without=$CLUSTER/work/$suite-without with=$CLUSTER/work/$suite-with
    [ "$(ls "$without/results")" = "$(ls "$with/results")" ] || die "the suite $suite has not run all tests"
    [ -e "$with/regression.diffs" ] || return 0
    for name in $(sed -nE 's|^\+\+\+ .*/results/(.*)\.out\t.*|\1|p' "$with/regression.diffs"); do
        { diff <(comparable "$without/results/$name.out") <(comparable "$with/results/$name.out") || true; } |
            awk -F ' *[|] *' -v name="$suite/$name" 'NR == FNR { combs[$0]; next } /^[0-9]/ { next }
                /^> / { sub(/^> */, ""); for (i = 1; i <= NF; i++) if ($i in combs) { listed++; next } }
                { print name ": " $0; faults++ }
                END { if (faults) exit 1; print name ": " (listed ? listed " rows list objects of comb" : "fails in the same way without comb") }' "$CLUSTER/names" - ||
            die "comb changes the output of PostgreSQL's test $suite/$name"
    done
}

cluster_start "$PG_CONFIG" max_prepared_transactions=2 log_error_verbosity=verbose
for source in "$TESTS"/src/test/regress/regress.c "$TESTS"/contrib/spi/{autoinc,refint}.c; do
    cc -w -fPIC -shared -I"$("$PG_CONFIG" --includedir-server)" -o "$CLUSTER/work/$(basename "$source" .c).so" "$source"
done
for with in without with; do
    if [ $with = with ]; then
        cluster_restart shared_preload_libraries=comb
        sql -d template1 -c "CREATE EXTENSION comb"
        # All that PostgreSQL itself has is older. It has operators of the same names for other types.
        sql -d template1 -c "SELECT proname FROM pg_proc WHERE oid >= 16384 UNION SELECT typname FROM pg_type WHERE oid >= 16384
            UNION (SELECT oprname FROM pg_operator WHERE oid >= 16384 EXCEPT SELECT oprname FROM pg_operator WHERE oid < 16384)" >"$CLUSTER/names"
    fi
    run regress pg_regress parallel_schedule $with regression
    run isolation pg_isolation_regress isolation_schedule $with isolation_regression
done
compare regress
compare isolation

if "$ROOT/tools/setup.sh" --packages sqlsmith; then
    # Not a superuser, who could end other processes and write files.
    sql -d regression <<'SQL'
CREATE ROLE smith LOGIN;
GRANT CREATE ON SCHEMA public TO smith;
ALTER ROLE smith SET statement_timeout = '1s';
SET ROLE smith;
CREATE TABLE keys AS SELECT comb_new() AS id, comb_new_mssql() AS guid, n FROM generate_series(1, 1000) n;
CREATE INDEX ON keys (id);
CREATE TABLE parts (id uuid DEFAULT comb_new(), guid uniqueidentifier DEFAULT comb_new_mssql()) PARTITION BY RANGE (id);
CREATE TABLE parts_old PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (comb_lower_bound(now()));
CREATE TABLE parts_new PARTITION OF parts FOR VALUES FROM (comb_lower_bound(now())) TO (MAXVALUE);
INSERT INTO parts SELECT FROM generate_series(1, 1000);
SQL
    say "sqlsmith for $SECONDS_OF_SMITH seconds"
    status=0
    as_server timeout -s INT "$SECONDS_OF_SMITH" sqlsmith --verbose --target="host=$PGHOST port=$PGPORT dbname=regression user=smith" \
        >"$CLUSTER/sqlsmith.log" 2>&1 || status=$?
    [ $status = 124 ] || die "sqlsmith has ended before its time, with $status" "$(tail -n 5 "$CLUSTER/sqlsmith.log")"
    grep '^queries: ' "$CLUSTER/sqlsmith.log" | tail -n 1
else
    say "sqlsmith is not run: this system has no package of it"
fi
# An entry of the log has a line for each of its fields.
if grep -E 'terminated by signal|PANIC:|TRAP:' "$CLUSTER/work/data.log" ||
    grep -A 9 -E 'ERROR:  XX000' "$CLUSTER/work/data.log" | grep -E '(ERROR|DETAIL|CONTEXT|LOCATION):.*(comb|\.rs:)'; then
    cp "$CLUSTER/work/data.log" "$COMB_CACHE/log/postgres_suites.log"
    die "a server process has crashed, or comb has raised an internal error" "The server's log is $COMB_CACHE/log/postgres_suites.log"
fi
