# shellcheck shell=bash disable=SC2034
# What the fault tests share: their arguments, a server with the extension, facts. Sourced first.
#
#   FAULT.sh PG_CONFIG [SHARING [DURATION [CONNECTIONS]]]
#
# The extension is installed beside PG_CONFIG. SHARING says how the server comes to the memory that its
# connections share: preloaded (by shared_preload_libraries), attached (by the first connection that
# asks). DURATION is how many seconds a test may put a load on the server,
# CONNECTIONS how many connections do it.
set -euo pipefail
LIB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$LIB/../../common.sh"
. "$LIB/../../cluster.sh"

PG_CONFIG=$1 SHARING=${2:-preloaded} DURATION=${3:-6} CONNECTIONS=${4:-32}
MAJOR=$(major_of "$PG_CONFIG")

failed=0
ok() { echo "ok: $1"; }
not_ok() {
    echo "NOT OK: $1"
    failed=$((failed + 1))
}

# fact SENTENCE TRUTH: a test's smallest part. TRUTH is t, as psql prints it.
fact() { if [ "$2" = t ]; then ok "$1"; else not_ok "$1 ($2)"; fi; }

# facts [OPTION...]: psql with those options and this script's standard input. Every row that it prints
# is a sentence and whether it is true.
facts() {
    local rows status=0 sentence truth
    # A test knows when ids run ahead of the clock; what warns of it is in the server's log.
    rows=$(PGOPTIONS="-c client_min_messages=error" sql -F '|' "$@") || status=$?
    while IFS='|' read -r sentence truth; do
        [ -z "$sentence" ] || fact "$sentence" "$truth"
    done <<<"$rows"
    [ $status -eq 0 ] || not_ok "a script ran to its end"
}

# server_create [SETTING=VALUE...]: a cluster whose server is to have the extension as SHARING says.
server_create() {
    local settings=()
    [ "$SHARING" != preloaded ] || settings+=(shared_preload_libraries=comb)
    # Without fsync: a process that is killed loses nothing that it has handed to the operating system.
    cluster_create "$PG_CONFIG" fsync=off autovacuum=off max_connections=$((CONNECTIONS + 60)) max_wal_size=4GB timezone=UTC \
        "${settings[@]}" "$@"
    # psql's \! calls programs by name.
    export PATH=$BIN:$PATH
}

server_start() {
    server_create "$@"
    cluster_up
    sql -c "CREATE EXTENSION comb"
}

# The end of a test. No error, whatever it is, shows the inside of the library.
finish() {
    local inside
    inside=$(grep -lE "panicked at|stack backtrace" "$CLUSTER"/work/*.log 2>/dev/null) || true
    [ -z "$inside" ] || not_ok "no backtrace in the server's log"
    [ $failed -eq 0 ] || die "$failed facts do not hold"
}
