# shellcheck shell=bash
# The PostgreSQL that make, make install, make uninstall and make installcheck are for. Sourced after common.sh.

# find_server [PG_CONFIG]: sets PG_CONFIG, MAJOR and PG_CONFIG_VERSION.
find_server() {
    local given=${1:-pg_config}
    PG_CONFIG=$(command -v "$given") ||
        die "there is no $given" \
            "It comes with PostgreSQL's server headers, on Debian and Ubuntu: sudo apt-get install postgresql-server-dev-MAJOR" \
            "Where it is not on the PATH: make PG_CONFIG=/usr/lib/postgresql/17/bin/pg_config"
    # Scripts call it from other folders.
    [[ $PG_CONFIG == /* ]] || PG_CONFIG=$PWD/$PG_CONFIG
    PG_CONFIG_VERSION=$("$PG_CONFIG" --version) || die "$PG_CONFIG does not say its version"
    MAJOR=$(major_of "$PG_CONFIG")
    [[ " $SUPPORTED_MAJORS " == *" $MAJOR "* ]] ||
        die "$PG_CONFIG_VERSION is not supported" "comb is for PostgreSQL ${SUPPORTED_MAJORS// /, }." \
            "Another one than that of $PG_CONFIG: make PG_CONFIG=/usr/lib/postgresql/17/bin/pg_config"
}

# The folder of the files that make has built for that server.
user_stage() { echo "$ROOT/target/stage/pg$MAJOR"; }

# How the user calls make for that server.
make_command() {
    local words="make${1:+ $1}"
    [ "$PG_CONFIG" = "$(command -v pg_config)" ] || words+=" PG_CONFIG=$PG_CONFIG"
    echo "$words"
}
