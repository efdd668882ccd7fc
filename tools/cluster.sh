# shellcheck shell=bash
# A private PostgreSQL in a temporary folder, which only a socket reaches and which ends with the script.
# Sourced after common.sh.

# cluster_start PG_CONFIG [SETTING=VALUE...]: starts a server in a new folder of CLUSTER_PARENT, by default /tmp. Sets BIN and
# CLUSTER, and exports PGHOST, PGPORT, PGUSER and PGDATABASE.
cluster_start() {
    local pg_config=$1 setting
    shift
    BIN=$("$pg_config" --bindir)
    CLUSTER=$(mktemp -d "${CLUSTER_PARENT:-/tmp}/comb.XXXXXX")
    trap cluster_stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    chmod 755 "$CLUSTER"
    install -d -o "$SERVER_USER" -m 755 "$CLUSTER/socket" "$CLUSTER/work"
    # No variable of the environment may lead to another server.
    for setting in "${!PG@}"; do
        case $setting in PG_CONFIG* | PGRX_*) ;; *) unset "$setting" ;; esac
    done
    export PGHOST=$CLUSTER/socket PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
    install -d -o "$SERVER_USER" -m 700 "$CLUSTER/data"
    as_server "$BIN/initdb" -D "$CLUSTER/data" -U postgres --auth=trust --encoding=UTF8 --no-locale --no-sync \
        >"$CLUSTER/initdb.log" 2>&1 || die "initdb failed" "$(tail -n 5 "$CLUSTER/initdb.log")"
    # Without TCP, the port is only part of the socket's name.
    cluster_configure port=5432 listen_addresses= "unix_socket_directories=$CLUSTER/socket" "$@"
    cluster_up
}

# cluster_restart SETTING=VALUE...: restarts the server with these settings.
cluster_restart() {
    cluster_configure "$@"
    cluster_down fast
    cluster_up
}

# Of two values of a setting, the later one counts.
cluster_configure() {
    local setting
    for setting in "$@"; do echo "${setting%%=*} = '${setting#*=}'"; done >>"$CLUSTER/data/postgresql.conf"
}

cluster_up() {
    # In its own session, since Ctrl-C is for the script, which then stops the server in order; and without the locks of this
    # run, which the server must not keep. Users see no backtrace in an error's DETAIL either.
    as_server env -u RUST_BACKTRACE setsid "$BIN/pg_ctl" -D "$CLUSTER/data" \
        -l "$CLUSTER/work/data.log" -w -s start </dev/null 8>&- 9>&- ||
        die "the private server did not start" "$(tail -n 5 "$CLUSTER/work/data.log")"
}

# cluster_down MODE: stops the server in one of pg_ctl's modes.
cluster_down() { as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m "$1" -t 600 -s -w stop; }

cluster_stop() {
    local status=$?
    trap '' INT TERM HUP
    [ ! -e "$CLUSTER/data/postmaster.pid" ] || cluster_down immediate >/dev/null 2>&1 || true
    rm -rf "$CLUSTER"
    exit $status
}

sql() { "$BIN/psql" -X -q -v ON_ERROR_STOP=1 -At "$@"; }
