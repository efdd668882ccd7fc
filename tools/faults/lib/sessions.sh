# shellcheck shell=bash
# Sessions in the background, and what the server's log says. Sourced after fault.sh.

# session NAME SQL: a session in the background, whose application_name and last words ($CLUSTER/NAME.out) are of that
# name.
session() {
    PGAPPNAME=$1 sql -v VERBOSITY=sqlstate -c "$2" >"$CLUSTER/$1.out" 2>&1 8>&- &
    SESSIONS[$1]=$!
}
declare -A SESSIONS=()

# runs NAME: whether that session does.
runs() { kill -0 "${SESSIONS[$1]}" 2>/dev/null; }

# said NAME: what it said in the end, on one line.
said() { tr '\n' ' ' <"$CLUSTER/$1.out" | sed 's/ *$//'; }

# within SECONDS COMMAND...: whether the command is true before so much time has passed.
within() {
    local tries=$(($1 * 20))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.05
    done
}
ended() { ! runs "$1"; }

# is_true QUERY: whether the server says so.
is_true() { [ "$(sql -c "$1")" = t ]; }

# truth COMMAND...: its answer, for fact.
truth() { if "$@"; then echo t; else echo f; fi; }

# The environment of the server asks for backtraces, which then would stand in the log.
SERVER_LAUNCHER=(env RUST_BACKTRACE=1)

# How many processes ended by a signal. (The postmaster's start time says nothing: a crash leaves it as it is.)
crashes() { cat "$CLUSTER"/work/*.log | grep -c 'terminated by signal' || true; }

# log_is_clean: a fact: no process crashed, and no error has a backtrace.
log_is_clean() {
    local found
    found=$(cat "$CLUSTER"/work/*.log | grep -m 1 -E 'terminated by signal|panicked at|stack backtrace|^[[:space:]]+[0-9]+: .*::' || true)
    fact "no process crashed, and the log has no backtrace${found:+: $found}" "$(truth [ -z "$found" ])"
}
