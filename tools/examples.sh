#!/usr/bin/env bash
# examples.sh [--some N] [MAJOR [NAME...]]: sets up and runs the programs of examples/, or those named, each in its own new
# database of a private PostgreSQL, and prints a table of what passed. --some N: only N of them, others at each commit.
# examples.sh --check-docs: the pages of docs/clients/ show the code of the examples as it is there.
# examples.sh --write-docs: puts it there.
#
# examples/README.md says what an example consists of.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

# --- docs/clients/ ---------------------------------------------------------------------------------

# with_code PAGE: the page, with the code that the examples have now in each block that begins with ```LANGUAGE EXAMPLE:BLOCK
# or, where only one of its files is meant, ```LANGUAGE EXAMPLE/FILE:BLOCK
# A line <!-- code: OLD -> NEW --> of the page: the code below it has NEW for OLD. An example does the same for several tables,
# its page shows one of them.
# A block of code that no example runs begins with ```LANGUAGE norun, in one of the languages of NORUN.
NORUN="csharp elixir java"
with_code() {
    awk -v NORUN=" $NORUN " '
        function fail(why) { printf "%s:%d: %s\n", FILENAME, FNR, why >"/dev/stderr"; failed = 1; exit 1 }
        # A line with the replacements of the page.
        function changed(line,    i, at, done) {
            for (i = 1; i <= changes; i++) {
                done = ""
                while ((at = index(line, old[i])) > 0) {
                    done = done substr(line, 1, at - 1) new[i]
                    line = substr(line, at + length(old[i]))
                }
                line = done line
            }
            return line
        }
        # A part without its common indentation.
        function print_part(lines, n,    i, first, least) {
            least = 1000
            for (i = 1; i <= n; i++)
                if (lines[i] ~ /[^ \t]/) {
                    match(lines[i], /^[ \t]*/)
                    if (RLENGTH < least) least = RLENGTH
                    if (!first) first = i
                }
            while (n && lines[n] !~ /[^ \t]/) n--
            for (i = first; i <= n; i++) print changed(substr(lines[i], least + 1))
        }
        # The lines between "comb: BLOCK" and "end" in the files of that example, in comments of any language. Blocks of the
        # same name are parts of one.
        function show(example, block,    command, line, n, parts, inside, lines, begin) {
            command = "grep -rlE \"comb: " block "( |$)\" examples/" example " 2>/dev/null | LC_ALL=C sort | xargs -r awk 1"
            begin = "^[ \\t]*(#|//|--|;) *comb: " block "( |$)"
            while ((command | getline line) > 0) {
                if (inside && line ~ /^[ \t]*(#|\/\/|--|;) *end *$/) {
                    print_part(lines, n)
                    inside = 0
                } else if (line ~ begin) {
                    if (parts++) print ""
                    inside = 1
                    n = 0
                } else if (inside) {
                    lines[++n] = line
                }
            }
            close(command)
            if (!parts || inside) fail("there is no block \"comb: " block "\" with an end in examples/" example)
        }
        !open && /^<!-- code: .+ -> .* -->$/ {
            at = index($0, " -> ")
            i = substr($0, 12, at - 12) in number ? number[substr($0, 12, at - 12)] : ++changes
            old[i] = substr($0, 12, at - 12)
            new[i] = substr($0, at + 4, length($0) - at - 7)
            number[old[i]] = i
        }
        !open && /^```[a-z]+ [A-Za-z0-9_.\/-]+:[a-z_]+( [a-z]+)*$/ {
            print; open = 1
            split($2, name, ":")
            show(name[1], name[2])
            next
        }
        # SQL is run by docs.sh; commands of a shell are not code of a client.
        !open && /^```/ && !/^```((sql|sh)( |$)|$)/ && !(/^```[a-z]+ norun$/ && index(NORUN, " " substr($1, 4) " ")) {
            fail("code of no example: write ```LANGUAGE EXAMPLE:BLOCK, or ```LANGUAGE norun for" NORUN)
        }
        open && /^```$/ { open = 0 }
        !open { print }
        END { if (open && !failed) { printf "%s: a block has no end\n", FILENAME >"/dev/stderr"; exit 1 } }
    ' "$1"
}

cd "$ROOT"
case ${1:-} in
    --check-docs)
        for page in docs/clients/*.md; do
            now=$(with_code "$page")
            diff -u --label "$page" --label "the code of examples/" "$page" <(printf '%s\n' "$now") ||
                die "$page shows code that the examples do not have" "To take theirs over: tools/examples.sh --write-docs"
        done
        echo "ok: the pages of docs/clients/ show the code of the examples"
        exit
        ;;
    --write-docs)
        for page in docs/clients/*.md; do
            now=$(with_code "$page")
            printf '%s\n' "$now" >"$page"
        done
        exit
        ;;
esac

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
