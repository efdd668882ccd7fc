# shellcheck shell=bash
# pg_test/sql by pg_regress. Sourced after common.sh.

# The names of the tests, one a line.
regress_tests() { (cd "$ROOT/pg_test/sql" && ls ./*.sql) | sed 's|^\./||; s|\.sql$||'; }

# run_regress PG_CONFIG FOLDER TEST...: on the server of PGHOST, PGPORT and their kin. What psql shows goes into the
# folder.
run_regress() {
    local pg_config=$1 folder=$2 regress
    shift 2
    regress=$("$pg_config" --pgxs)
    regress=${regress%/makefiles/pgxs.mk}/test/regress/pg_regress
    [ -x "$regress" ] || die "there is no $regress" "It comes with PostgreSQL's server headers."
    "$regress" --bindir="$("$pg_config" --bindir)" --inputdir="$ROOT/pg_test" --outputdir="$folder" \
        --dbname=comb_regression "$@" || { show_differences "$folder" && return 1; }
}

show_differences() { [ ! -f "$1/regression.diffs" ] || cat "$1/regression.diffs"; }
