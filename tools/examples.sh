#!/usr/bin/env bash
# examples.sh [--some N] [MAJOR [NAME...]]: sets up and runs the programs of examples/, or those named, each in its own new
# database of a private PostgreSQL, and prints a table of what passed. --some N: only N of them, others at each commit.
#
# examples/README.md says what an example consists of.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

cd "$ROOT"

# --- Which ------------------------------------------------------------------------------------------

# What each prints a line for, unless the file `jobs` in its folder names others.
JOBS="schema schema_again insert batch page range timestamp error newest"
# These run a second time, through pgbouncer in transaction mode.
POOLED=" psycopg asyncpg "

some=
if [ "${1:-}" = --some ]; then some=$2 && shift 2; fi
major=${1:-}
shift $(($# > 0 ? 1 : 0))

mapfile -t all < <(for run in examples/*/run; do basename "$(dirname "$run")"; done)
names=("$@")
for name in "${names[@]}"; do
    [ -x "examples/$name/run" ] || die "there is no example '$name'" "Choose from: ${all[*]}"
done
if [ ${#names[@]} -eq 0 ]; then
    names=("${all[@]}")
    # In turn, so that every one is run at least once in as many commits as it takes.
    if [ -n "$some" ] && [ "$some" -lt ${#all[@]} ]; then
        first=$(($(git rev-list --count HEAD) * some % ${#all[@]}))
        names=()
        for ((i = 0; i < some; i++)); do names+=("${all[$(((first + i) % ${#all[@]}))]}"); done
    fi
fi

# --- A server that clients reach by TCP, as app -----------------------------------------------------

free_port() {
    local port
    # Below those that the system gives to connections.
    while port=$((10000 + RANDOM % 22000)); do
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

start_server() {
    cluster_create "$PG_CONFIG" fsync=off listen_addresses=127.0.0.1 "port=$(free_port)" \
        timezone=Asia/Kolkata log_min_messages=fatal
    trap examples_stop EXIT
    printf '%s\n' 'local all all trust' 'host all all 127.0.0.1/32 scram-sha-256' | as_server tee "$CLUSTER/data/pg_hba.conf" >/dev/null
    cluster_up
    PGPORT=$(sed -n 4p "$CLUSTER/data/postmaster.pid")
    sql -c "CREATE ROLE app LOGIN PASSWORD 'app'"
    # For the client programs of PostgreSQL.
    PATH=$BIN:$PATH
}

examples_stop() {
    local status=$?
    set +e
    [ ! -e "$CLUSTER/work/pgbouncer.pid" ] || kill "$(cat "$CLUSTER/work/pgbouncer.pid")" 2>/dev/null
    # It takes the status from here.
    (exit $status)
    cluster_stop
}

# pgbouncer, started when the first asks for it. Sets POOLER_PORT.
POOLER_PORT=
start_pooler() {
    local port tenth file=$CLUSTER/work/pgbouncer.ini
    [ -z "$POOLER_PORT" ] || return 0
    port=$(free_port)
    sed "s|@SERVER_PORT@|$PGPORT|; s|@POOLER_PORT@|$port|; s|@FOLDER@|$CLUSTER/work|" examples/pgbouncer/pgbouncer.ini |
        as_server tee "$file" >/dev/null
    printf '"app" "app"\n' | as_server tee "$CLUSTER/work/users.txt" >/dev/null
    # It refuses to run as root.
    as_server pgbouncer -q -d "$file" 8>&- 9>&- >"$CLUSTER/pgbouncer.out" 2>&1 || true
    for ((tenth = 0; tenth < 100; tenth++)); do
        if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then POOLER_PORT=$port && return; fi
        sleep 0.1
    done
    die "pgbouncer did not start" "$(tail -n 5 "$CLUSTER/pgbouncer.out" "$CLUSTER/work/pgbouncer.log")"
}

# --- One example ------------------------------------------------------------------------------------

rows=()
failed=0 not_run=0 ran=0
row() { rows+=("$(printf '%-24s %-28s %-9s %4s  %s' "$@")"); }

# set_up NAME: 0 or 75, with what is missing in MISSING.
set_up() {
    local status log=$COMB_CACHE/log/example-$1-setup.log
    mkdir -p "$COMB_CACHE/examples/$1" "$COMB_CACHE/log"
    set +e
    # --foreground: Ctrl-C reaches it.
    EXAMPLE_CACHE=$COMB_CACHE/examples/$1 timeout --foreground -k 10 1800 "examples/$1/setup" >"$log" 2>&1 </dev/null
    status=$?
    set -e
    [ $status -ne 130 ] || exit 130
    MISSING=$(tail -n 1 "$log")
    [ $status -eq 0 ] || [ $status -eq 75 ] || {
        tail -n 40 "$log" >&2
        MISSING="setup failed"
    }
    return $status
}

# example NAME [pooled]
example() {
    local name=$1 pooled=${2:-} shown=$1 port=$PGPORT log status begin=$SECONDS jobs job passed=0 wrong='' client said
    [ -z "$pooled" ] || shown="$name via pgbouncer"
    say "$shown"
    for said in "$name" ${pooled:+pgbouncer}; do
        status=0
        set_up "$said" || status=$?
        if [ $status -eq 75 ]; then
            row "$shown" - "not run" - "$MISSING"
            not_run=$((not_run + 1))
            return
        elif [ $status -ne 0 ]; then
            row "$shown" - FAILED $((SECONDS - begin)) "$MISSING"
            failed=$((failed + 1))
            return
        fi
    done
    if [ -n "$pooled" ] || [ "$name" = pgbouncer ]; then start_pooler; fi
    if [ -n "$pooled" ]; then port=$POOLER_PORT; fi

    sql -c "DROP DATABASE IF EXISTS shop WITH (FORCE)" -c "CREATE DATABASE shop OWNER app" 2>/dev/null
    log=$COMB_CACHE/log/example-$name${pooled:+-pooled}
    set +e
    env EXAMPLE_CACHE="$COMB_CACHE/examples/$name" PGHOST=127.0.0.1 PGPORT="$port" PGUSER=app PGPASSWORD=app \
        PGDATABASE=shop DATABASE_URL="postgresql://app:app@127.0.0.1:$port/shop" \
        POOLED="$pooled" POOLER_PORT="$POOLER_PORT" SUPERUSER_URL="postgresql://postgres@/shop?host=$PGHOST&port=$PGPORT" \
        timeout --foreground -k 10 300 "examples/$name/run" >"$log.out" 2>"$log.log" </dev/null
    status=$?
    set -e
    [ $status -ne 130 ] || exit 130
    ran=$((ran + 1))

    client=$(sed -n 's/^client //p' "$log.out" | head -n 1)
    [ -n "$client" ] || wrong=", no line 'client'"
    jobs=$JOBS
    [ ! -e "examples/$name/jobs" ] || jobs=$(cat "examples/$name/jobs")
    for job in $jobs; do
        if said=$(grep -E "^not ok $job(:|\$)" "$log.out"); then
            wrong+=", $said"
        elif grep -qxF "ok $job" "$log.out"; then
            passed=$((passed + 1))
        else
            wrong+=", nothing of $job"
        fi
    done
    # Jobs that no list has.
    [ -n "$wrong" ] || ! said=$(grep '^not ok' "$log.out") || wrong+=", $said"
    [ -n "$wrong" ] || [ $status -eq 0 ] || wrong=", ended with $status"
    if [ -n "$wrong" ]; then
        tail -n 40 "$log.log" | cut -c1-300 >&2
        failed=$((failed + 1))
    fi
    row "$shown" "${client:--}" "$([ -z "$wrong" ] && echo "all $passed" || echo "$passed of $(wc -w <<<"$jobs")")" $((SECONDS - begin)) \
        "$(cut -c1-300 <<<"${wrong#, }")"
}

# ----------------------------------------------------------------------------------------------------

PG_CONFIG=$("$ROOT/tools/setup.sh" "$major")
. "$ROOT/tools/private.sh"
# What an example needs is made once for all majors.
exec 9>"$COMB_CACHE/examples.lock"
lock 9 "Another run of the examples is going on"
install_release
start_server
for name in "${names[@]}"; do
    example "$name"
    [[ $POOLED != *" $name "* ]] || example "$name" pooled
done

echo
printf '%-24s %-28s %-9s %4s\n' "example, on PG $MAJOR" client passed s
printf '%s\n' "${rows[@]}" | sed 's/ *$//'
echo
[ $failed -eq 0 ] || die "$failed of ${#rows[@]} examples failed" "What they said is in $COMB_CACHE/log/example-*"
[ $ran -gt 0 ] || die "no example could be run here"
say "$ran examples passed, $not_run not run"
