# shellcheck shell=bash
# An outbox with writers and readers, and what the readers missed. Sourced after fault.sh.
#
# Everything is in a schema of its own, which the tests call a stage.

NOTHING_READ=00000000-0000-0000-0000-000000000000

# stage NAME: an outbox, which is the one that all functions here use from now on.
stage() {
    STAGE=$1
    export PGOPTIONS="-c search_path=$STAGE,public -c client_min_messages=error"
    sql -c "CREATE SCHEMA $STAGE" -f "$ROOT/pg_test/tests/faults/horizon/outbox.sql"
    printf '%s\n' a b c | as_server tee "$CLUSTER/work/rows" >/dev/null
    WRITERS=() READERS=() KINDS=()
    touch "$CLUSTER/$STAGE.reads"
}

# script NAME: the pgbench script of that name, written with what stands here. Pauses between an id and its
# commit let others commit first.
script() {
    case $1 in
        single) cat <<'PGBENCH' ;;
INSERT INTO outbox DEFAULT VALUES RETURNING id \gset
INSERT INTO acknowledged VALUES (':id');
PGBENCH
        pausing) cat <<'PGBENCH' ;;
\set pause random(0, 3000)
BEGIN;
INSERT INTO outbox DEFAULT VALUES RETURNING id \gset
\sleep :pause us
COMMIT;
INSERT INTO acknowledged VALUES (':id');
PGBENCH
        many) cat <<'PGBENCH' ;;
WITH made AS (INSERT INTO outbox (body) SELECT 'many' FROM generate_series(1, 20) RETURNING id) SELECT array_agg(id) AS ids FROM made \gset
INSERT INTO acknowledged SELECT unnest(':ids'::uuid[]);
PGBENCH
        copy) cat <<PGBENCH ;;
BEGIN;
COPY outbox (body) FROM '$CLUSTER/work/rows';
\sleep 500 us
COMMIT;
PGBENCH
        rollback) cat <<'PGBENCH' ;;
BEGIN;
INSERT INTO outbox (body) VALUES ('never');
ROLLBACK;
BEGIN;
INSERT INTO outbox (body) VALUES ('after a rollback') RETURNING id \gset
\sleep 300 us
COMMIT;
INSERT INTO acknowledged VALUES (':id');
PGBENCH
        savepoint) cat <<'PGBENCH' ;;
\set pause random(0, 1000)
BEGIN;
SAVEPOINT a;
INSERT INTO outbox (body) VALUES ('never');
ROLLBACK TO a;
\sleep :pause us
INSERT INTO outbox (body) VALUES ('after a savepoint') RETURNING id \gset
SAVEPOINT b;
INSERT INTO outbox (body) VALUES ('in a savepoint');
RELEASE b;
\sleep :pause us
COMMIT;
INSERT INTO acknowledged VALUES (':id');
PGBENCH
        prepared) cat <<'PGBENCH' ;;
\set number random(1, 1000000000000)
BEGIN;
INSERT INTO outbox (body) VALUES ('prepared') RETURNING id \gset
PREPARE TRANSACTION 'writer :client_id/:number';
INSERT INTO outbox (body) VALUES ('while another is prepared') RETURNING id AS next \gset
\sleep 2 ms
COMMIT PREPARED 'writer :client_id/:number';
INSERT INTO acknowledged VALUES (':id'), (':next');
PGBENCH
        deferred) cat <<'PGBENCH' ;;
BEGIN;
INSERT INTO orders VALUES (1);
\sleep 300 us
COMMIT;
PGBENCH
        conflict) cat <<'PGBENCH' ;;
\set n random(1, 1000)
BEGIN;
INSERT INTO outbox (n) VALUES (:n) ON CONFLICT (n) DO NOTHING;
\sleep 300 us
COMMIT;
INSERT INTO outbox (n) VALUES (:n) ON CONFLICT (n) DO UPDATE SET body = 'again';
PGBENCH
        exception) cat <<'PGBENCH' ;;
SELECT caught() AS id \gset
INSERT INTO acknowledged VALUES (':id');
PGBENCH
        procedure) echo "CALL commits();" ;;
        *) die "there is no script $1" ;;
    esac
}
ALL_SCRIPTS="pausing@6 single@4 many copy rollback savepoint@2 prepared deferred@2 conflict exception procedure"

# writers COUNT SECONDS [SCRIPT...]: that many connections write, each transaction by one of the scripts (name@weight). The
# connections are made again when the server has restarted.
writers() {
    local count=$1 until=$((SECONDS + $2)) name weight files=()
    shift 2
    for name in "$@"; do
        weight=${name#*@} name=${name%@*}
        [ "$weight" != "$name" ] || weight=1
        script "$name" >"$CLUSTER/$name.pgbench"
        files+=("--file=$CLUSTER/$name.pgbench@$weight")
    done
    while [ $SECONDS -lt $until ] && [ -d "$CLUSTER" ]; do
        pgbench --no-vacuum --client="$count" --jobs=2 --time=$((until - SECONDS)) "${files[@]}" \
            >>"$CLUSTER/writers.log" 2>&1 8>&- || sleep 0.1
    done &
    WRITERS+=($!)
}

# poll KIND: what a reader of that kind does, for psql. :cursor is the last id that it has seen; what it sees
# it prints. psql goes on after each \g, so that the transaction's end comes after the rows.
poll() {
    local page="SELECT id FROM outbox WHERE id > :'cursor' AND id < comb_horizon() ORDER BY id LIMIT 1000"
    case $1 in
        # What everybody writes who knows of no horizon: it must miss rows.
        naive) rows_of "SELECT id FROM outbox WHERE id > :'cursor' ORDER BY id LIMIT 1000" ;;
        statement) rows_of "$page" ;;
        repeatable)
            echo "BEGIN ISOLATION LEVEL REPEATABLE READ;"
            rows_of "$page"
            rows_of "$page"
            echo "COMMIT;"
            ;;
        view) rows_of "SELECT id FROM outbox_settled WHERE id > :'cursor' ORDER BY id LIMIT 1000" ;;
        prepared) rows "EXECUTE page(:'cursor')" ;;
        loop) rows_of "SELECT id FROM by_loop(:'cursor') id" ;;
        cursor) rows_of "SELECT id FROM by_cursor(:'cursor') id" ;;
        partitioned) rows_of "SELECT id FROM parts WHERE id > :'cursor' AND id < comb_horizon()" ;;
        settled) rows_of "SELECT id FROM parts WHERE id > :'cursor' AND comb_settled(id)" ;;
        definer | return | into | execute) rows_of "SELECT id FROM outbox WHERE id > :'cursor' AND settled_$1(id) ORDER BY id LIMIT 1000" ;;
        set) rows_of "SELECT id FROM parts_settled WHERE id > :'cursor'" ;;
        lateral) rows_of "SELECT id FROM outbox, LATERAL settled_query(id) settled WHERE id > :'cursor' AND settled" ;;
        two_cursors) rows_of "SELECT id FROM by_two_cursors(:'cursor') id" ;;
        values)
            rows_of "SELECT id FROM (VALUES (0, comb_horizon()), (1, comb_horizon())) v (half, horizon)
                     JOIN outbox ON id < horizon AND get_byte(uuid_send(id), 15) % 2 = half WHERE id > :'cursor'"
            ;;
        now)
            echo "SELECT comb_horizon_now() AS horizon \\gset"
            rows_of "SELECT id FROM outbox WHERE id > :'cursor' AND id < :'horizon' ORDER BY id LIMIT 1000"
            ;;
        # Its cursor is the horizon, above all that it has seen: whatever appears below later is missed.
        jumping)
            cat <<PSQL
SELECT count(*) > 0 AS found, string_agg(id::text, E'\n' ORDER BY id) AS ids, greatest(:'cursor', comb_horizon()) AS cursor
FROM (SELECT id FROM outbox WHERE id > :'cursor' AND id < comb_horizon()) page \\gset
\\if :found
\\echo :ids
\\endif
PSQL
            ;;
        *) die "there is no reader $1" ;;
    esac
}
AGGREGATE="SELECT count(*) > 0 AS found, string_agg(id::text, E'\n' ORDER BY id) AS ids, (array_agg(id ORDER BY id))[count(*)] AS last"
rows_of() { rows "$AGGREGATE FROM ($1) page"; }
rows() {
    cat <<PSQL
$1 \\gset
\\if :found
\\echo :ids
\\set cursor :last
\\endif
PSQL
}

# What a connection of a reader begins with: the documentation asks for comb_observe(), since the server may have been
# restarted.
begin_reading() {
    [ "$1" = naive ] || [ "$2" = "$NOTHING_READ" ] || echo "SELECT comb_observe('$2') \\g /dev/null"
    [ "$1" != prepared ] || cat <<PSQL
SET plan_cache_mode = force_generic_plan;
PREPARE page(uuid) AS $AGGREGATE FROM (SELECT id FROM outbox WHERE id > \$1 AND id < comb_horizon() ORDER BY id LIMIT 1000) page;
PSQL
}

# readers KIND...: each polls as fast as it can, until read_to_end. Its connection is made again when the server
# has restarted, and goes on after the last row that it saw.
readers() {
    local kind
    for kind in "$@"; do
        poll "$kind" >"$CLUSTER/poll.$kind"
        reader "$kind" &
        READERS+=($!) KINDS+=("$kind")
    done
}
reader() {
    local kind=$1 seen=$CLUSTER/seen.$STAGE.$1
    touch "$seen"
    while reads_on; do
        polls "$kind" "$(cursor_of "$seen")" | sql >>"$seen" 2>>"$CLUSTER/reader.log" 8>&- || sleep 0.1
    done
}
reads_on() { [ -e "$CLUSTER/$STAGE.reads" ]; }
cursor_of() {
    local last
    last=$(tail -n 1 "$1")
    echo "${last:-$NOTHING_READ}"
}
# polls KIND CURSOR [TIMES]: for psql.
polls() {
    local kind=$1 cursor=$2 text times=${3:-1000000000}
    text=$(<"$CLUSTER/poll.$kind")
    echo "\\set cursor '$cursor'"
    begin_reading "$kind" "$cursor"
    while [ "$times" -gt 0 ] && reads_on; do
        echo "$text" || return
        times=$((times - 1))
    done 2>/dev/null
}

# read_to_end: waits for the writers, ends what they have left prepared, and lets every reader read what there is.
read_to_end() {
    local kind seen before
    wait "${WRITERS[@]}"
    commit_prepared
    # What readers have to read first, they read after it, too.
    sleep 0.5
    mv "$CLUSTER/$STAGE.reads" "$CLUSTER/$STAGE.ending"
    wait "${READERS[@]}" || true
    mv "$CLUSTER/$STAGE.ending" "$CLUSTER/$STAGE.reads"
    for kind in "${KINDS[@]}"; do
        seen=$CLUSTER/seen.$STAGE.$kind
        before=
        # Until a session of its own finds no more.
        until [ "$before" = "$(cursor_of "$seen")" ]; do
            before=$(cursor_of "$seen")
            polls "$kind" "$before" 20 | sql >>"$seen"
        done
    done
    rm "$CLUSTER/$STAGE.reads"
    sql -c "CREATE TABLE seen (reader text, id uuid)"
    for kind in "${KINDS[@]}"; do
        sql -c "CREATE TEMP TABLE read (id uuid)" -c "\\copy read FROM '$CLUSTER/seen.$STAGE.$kind'" \
            -c "INSERT INTO seen SELECT '$kind', id FROM read"
    done
    sql -c "CREATE INDEX ON seen (id, reader)" -c "ANALYZE"
}

# commit_prepared [AGE]: what a writer that was killed has left prepared, for longer than that.
commit_prepared() {
    sql 2>>"$CLUSTER/writers.log" <<SQL || true
SELECT format('COMMIT PREPARED %L', gid) FROM pg_prepared_xacts
WHERE prepared <= clock_timestamp() - interval '${1:-0 s}' AND database = current_database() \gexec
SQL
}

# stored: how many rows there are.
stored() { sql -c "SELECT count(*) FROM outbox"; }

# missed KIND: how many of them that reader never saw.
missed() { sql -c "SELECT count(*) FROM outbox o WHERE NOT EXISTS (SELECT FROM seen s WHERE s.id = o.id AND s.reader = '$1')"; }

# hold_horizon: two rows that are above the horizon, until release() is called.
hold_horizon() {
    sql -c "TRUNCATE outbox, parts"
    session holder "BEGIN; SELECT comb_hold(); SELECT pg_sleep(60)"
    within 20 is_true "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'holder' AND wait_event = 'PgSleep'" ||
        die "the holder does not come to sleep" "$(said holder)"
    sql -c "INSERT INTO outbox (n) VALUES (1), (2)"
}

# FORMS: how a statement may ask for the horizon once for each of the rows of hold_horizon: for psql, with a call of
# release() between the two, or between two fetches. Each prints two answers.
declare -A FORMS=()
between_rows="(SELECT * FROM outbox WHERE n = 1 OR release() OFFSET 0) row"
for form in comb_settled settled_definer settled_set settled_return settled_into settled_execute; do
    FORMS[$form]="SELECT string_agg($form(id)::text, ' ') FROM $between_rows"
done
FORMS[settled_query]="SELECT string_agg((SELECT * FROM settled_query(id))::text, ' ') FROM $between_rows"
FORMS[LATERAL]="SELECT string_agg(settled::text, ' ') FROM $between_rows, LATERAL settled_query(id) settled"
FORMS[VALUES]="SELECT string_agg((id < horizon)::text, ' ')
    FROM (VALUES (1, comb_horizon()), (2, CASE WHEN release() THEN comb_horizon() END)) v (n, horizon) JOIN outbox USING (n)"
FORMS[partitions]="SELECT string_agg(settled_set(id)::text, ' ')
    FROM (SELECT * FROM part_0 UNION ALL SELECT * FROM part_1) row WHERE nextval('visits') % 2 = 1 OR release()"
FORMS[cursor]="BEGIN;
    DECLARE page CURSOR FOR SELECT settled_definer(id)::text FROM outbox ORDER BY n;
    FETCH page \\gset first_
    SELECT FROM release(), comb_horizon() \\g /dev/null
    FETCH page \\gset second_
    COMMIT;
    SELECT :'first_settled_definer' || ' ' || :'second_settled_definer'"
FORMS[two_cursors]="CREATE TEMP TABLE answers (answer boolean);
    DO \$\$
    DECLARE
        page CURSOR FOR SELECT settled_return(id) FROM outbox ORDER BY n;
        other CURSOR FOR SELECT settled_return(id) FROM outbox ORDER BY n;
        answer boolean;
    BEGIN
        OPEN page;
        FETCH page INTO answer;
        INSERT INTO answers VALUES (answer);
        PERFORM release();
        OPEN other;
        FETCH other INTO answer;
        FETCH page INTO answer;
        INSERT INTO answers VALUES (answer);
    END \$\$;
    SELECT string_agg(answer::text, ' ') FROM answers"

# answers FORM: the two answers.
answers() { sql <<<"${FORMS[$1]};"; }
