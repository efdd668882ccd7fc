# shellcheck shell=bash
# A private PostgreSQL in a temporary folder: reachable by a socket only, gone when the script ends.
# Sourced after common.sh.

# cluster_start PG_CONFIG [SETTING=VALUE...]: a server that runs.
cluster_start() {
    cluster_create "$@"
    cluster_up
}

# cluster_create PG_CONFIG [SETTING=VALUE...]: sets BIN, CLUSTER and exports PGHOST, PGPORT, PGUSER,
# PGDATABASE; registers the removal. The folder is created in CLUSTER_PARENT, by default /tmp.
cluster_create() {
    local pg_config=$1 setting
    shift
    BIN=$("$pg_config" --bindir)
    CLUSTER=$(mktemp -d "${CLUSTER_PARENT:-/tmp}/comb.XXXXXX")
    trap cluster_stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    chmod 755 "$CLUSTER"
    install -d -o "$SERVER_USER" -m 755 "$CLUSTER/socket" "$CLUSTER/work"
    install -d -o "$SERVER_USER" -m 700 "$CLUSTER/data"
    as_server "$BIN/initdb" -D "$CLUSTER/data" -U postgres --auth=trust --encoding=UTF8 --no-locale --no-sync \
        >"$CLUSTER/initdb.log" 2>&1 || die "initdb failed" "$(tail -n 5 "$CLUSTER/initdb.log")"
    # No TCP: the number only names the socket, so it cannot meet another server.
    cluster_configure port=5432 listen_addresses= "unix_socket_directories=$CLUSTER/socket" "$@"
    # Whatever else in the environment would lead to a server of the user's.
    for setting in "${!PG@}"; do
        case $setting in PG_CONFIG* | PGRX_*) ;; *) unset "$setting" ;; esac
    done
    export PGHOST=$CLUSTER/socket PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

# cluster_restart SETTING=VALUE...: the same server with these settings.
cluster_restart() {
    cluster_configure "$@"
    cluster_down fast
    cluster_up
}

# Of two values for a setting, the later counts.
cluster_configure() {
    local setting options=()
    for setting in "$@"; do options+=("${setting%%=*} = '${setting#*=}'"); done
    printf '%s\n' "${options[@]}" | as_server tee -a "$CLUSTER/data/postgresql.conf" >/dev/null
}

cluster_up() {
    # Its own session: Ctrl-C is for the script, which then stops the server in order. And without the
    # locks of this run, which must not outlive it.
    # A backtrace in an error's DETAIL is not what users see.
    as_server env -u RUST_BACKTRACE setsid "$BIN/pg_ctl" -D "$CLUSTER/data" \
        -l "$CLUSTER/work/data.log" -w -s start </dev/null 8>&- 9>&- ||
        die "the private server did not start" "$(tail -n 5 "$CLUSTER/work/data.log")"
}

# cluster_down MODE: stops it, in one of pg_ctl's modes.
cluster_down() { as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m "$1" -t 600 -s -w stop; }

cluster_stop() {
    local status=$?
    trap '' INT TERM HUP
    if [ -n "${CLUSTER:-}" ] && [ -d "$CLUSTER" ]; then
        [ ! -e "$CLUSTER/data/postmaster.pid" ] || cluster_down immediate >/dev/null 2>&1 || true
        rm -rf "$CLUSTER"
    fi
    exit $status
}

sql() { "$BIN/psql" -X -q -v ON_ERROR_STOP=1 -At "$@"; }
