# shellcheck shell=bash disable=SC2034
# What the companions' scripts share. Sourced first, in a bare Debian (all.sh), with PG_CONFIG set.
#
# A script runs all SQL of a section of docs/extensions.md, or of the page that it sets as PAGE, and tests the result. The role
# app owns the database shop and is no superuser. A host on the page, such as b.example, is another server of the script's.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../common.sh"
. "$ROOT/tools/cluster.sh"

PAGE=$ROOT/docs/extensions.md
PASSWORD=secret
# How many seconds a script may put a load on the server.
DURATION=6

# --- Servers --------------------------------------------------------------------------------------

# companion SECTION [SETTING=VALUE...]: the first server, the host a.
companion() {
    SECTION=$1
    shift
    cluster_create "$PG_CONFIG" fsync=off autovacuum=off max_connections=70 max_wal_size=4GB timezone=UTC shared_preload_libraries=comb "$@"
    ln -s socket "$CLUSTER/a"
    cluster_up
    # Of app, where a server asks for it.
    export PGPASSWORD=$PASSWORD PGDATABASE=shop PGOPTIONS="-c client_min_messages=warning"
    make_shop
    : >"$CLUSTER/typed"
}

make_shop() {
    sql -d postgres -c "CREATE ROLE app LOGIN PASSWORD '$PASSWORD'" -c "CREATE DATABASE shop OWNER app"
}

# beside HOST [SETTING=VALUE...]: another server, which asks app for its password.
beside() {
    local host=$1 setting
    shift
    install -d -o "$SERVER_USER" -m 700 "$CLUSTER/$host"
    as_server "$BIN/initdb" -D "$CLUSTER/$host" -U postgres --auth=trust --encoding=UTF8 --no-locale --no-sync >"$CLUSTER/initdb.log" 2>&1 ||
        die "initdb failed" "$(tail -n 5 "$CLUSTER/initdb.log")"
    printf 'local all app scram-sha-256\nlocal all all trust\nlocal replication all trust\n' >"$CLUSTER/$host/pg_hba.conf"
    for setting in port=5432 listen_addresses= "unix_socket_directories=$CLUSTER/$host" fsync=off timezone=UTC \
        shared_preload_libraries=comb "$@"; do
        echo "${setting%%=*} = '${setting#*=}'" >>"$CLUSTER/$host/postgresql.conf"
    done
    cluster_up "$host"
    at "$host" make_shop
}

# at HOST COMMAND...: with that server.
at() { PGHOST=$CLUSTER/$1 "${@:2}"; }

# until_true WHAT SQL: waits for it, half a minute.
until_true() {
    local tries
    for tries in $(seq 300); do
        [ "$(sql -c "$2" 2>"$CLUSTER/said")" != t ] || return 0
        sleep 0.1
    done
    die "$1: not after $tries tries" "$2" "$(cat "$CLUSTER/said")" "$(tail -n 5 "$CLUSTER"/work/*.log)"
}

# --- The page -------------------------------------------------------------------------------------

# What the section has: each block as a line FENCE and its lines, after a NUL each.
section() {
    awk -v section="## $SECTION" '
        /^## / && !open { here = $0 == section }
        /^```sql/ { open = 1; if (here) printf "%c", 0 }
        here && open && !/^```$/ { print }
        /^```$/ { open = 0 }' "$PAGE"
}

# take TEXT: the section's only block with that text, in BLOCK, BLOCK_ROLE and BLOCK_ERROR (what it must fail with).
take() {
    local block found=()
    while IFS= read -r -d '' block; do
        [[ $block != *"$1"* ]] || found+=("$block")
    done < <(section && printf '\0')
    if [ ${#found[@]} -ne 1 ]; then
        # That ends a command substitution, and not the script.
        touch "$CLUSTER/mistaken"
        die "${PAGE#"$ROOT/"}, $SECTION: ${#found[@]} blocks have the text: $1"
    fi
    local fence=${found[0]%%$'\n'*}
    BLOCK_ROLE=app BLOCK_ERROR=
    [[ $fence != *superuser* ]] || BLOCK_ROLE=postgres
    [[ ! $fence =~ error\ ([0-9A-Z]{5}) ]] || BLOCK_ERROR=${BASH_REMATCH[1]}
    md5sum <<<"${found[0]}" >>"$CLUSTER/typed"
    BLOCK=$(sed "1d; s|\([a-z]\)\.example|$CLUSTER/\1|g" <<<"${found[0]}")
}

# typed TEXT: runs that block, by the role that the page says.
typed() {
    take "$1"
    [ -z "$BLOCK_ERROR" ] || die "${PAGE#"$ROOT/"}, $SECTION: this block has to fail: $1"
    sql -U "$BLOCK_ROLE" <<<"$BLOCK"
}

# refused TEXT: that block fails as the page says: with that SQLSTATE, and with the message that is a comment in it.
refused() {
    local said message
    take "$1"
    [ -n "$BLOCK_ERROR" ] || die "${PAGE#"$ROOT/"}, $SECTION: this block does not have to fail: $1"
    if said=$(sql -v VERBOSITY=verbose -U "$BLOCK_ROLE" <<<"$BLOCK" 2>&1); then
        not_ok "refused: $1 (it works)"
        return
    fi
    message=$(sed -n 's/.*ERROR:  \([0-9A-Z]\{5\}: .*\)/\1/p' <<<"$said" | head -n 1)
    if [ "${message%%: *}" = "$BLOCK_ERROR" ] && [[ $BLOCK == *"ERROR:  ${message#*: }"* ]]; then
        ok "refused: ${message#*: }"
    else
        not_ok "refused: $1 ($said)"
    fi
}

# --- Facts ----------------------------------------------------------------------------------------

failed=0
ok() { echo "ok: $1"; }
not_ok() {
    echo "NOT OK: $1"
    failed=$((failed + 1))
}

# fact SENTENCE TRUTH: TRUTH is t, as psql prints it.
fact() { if [ "$2" = t ]; then ok "$1"; else not_ok "$1 ($2)"; fi; }

# facts [OPTION...]: psql with those options and this script's standard input. Every row that it prints
# is a sentence and whether it is true.
facts() {
    local rows status=0 sentence truth
    rows=$(PGOPTIONS="-c client_min_messages=error" sql -F '|' "$@") || status=$?
    while IFS='|' read -r sentence truth; do
        [ -z "$sentence" ] || fact "$sentence" "$truth"
    done <<<"$rows"
    [ $status -eq 0 ] || not_ok "a script ran to its end"
}

# The end of a script. No error, whatever it is, shows the inside of the library.
finish() {
    local inside
    inside=$(grep -lE "panicked at|stack backtrace" "$CLUSTER"/work/*.log 2>/dev/null) || true
    [ -z "$inside" ] || not_ok "no backtrace in the server's log"
    [ $failed -eq 0 ] || die "$failed facts do not hold"
}

# same WHAT EXPECTED SEEN
same() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: '$2' was expected, and seen was '$3'"; fi; }
# has WHAT TEXT SEEN, lacks WHAT TEXT SEEN
has() { if [[ $3 == *"$2"* ]]; then ok "$1"; else not_ok "$1: '$2' does not stand in: $3"; fi; }
lacks() { if [[ $3 != *"$2"* ]]; then ok "$1"; else not_ok "$1: '$2' stands in: $3"; fi; }
# A table's content in one word.
content() { sql -c "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) || ' of ' || count(*) FROM $1 t"; }

# The end of a script: all of its section has run.
companion_end() {
    local blocks typed
    blocks=$(section | tr -dc '\0' | wc -c)
    typed=$(sort -u "$CLUSTER/typed" | wc -l)
    [ ! -e "$CLUSTER/mistaken" ] || not_ok "each text is of one block"
    same "all $blocks blocks of SQL in ${PAGE#"$ROOT/"}, $SECTION, have run" "$blocks" "$typed"
    finish
}
