#!/usr/bin/env bash
# The edges of the commit horizon: who may not have it and what they are told, what holds it back and what does not, the
# guard, a restart and a promotion with a prepared transaction, and the plan of a poll.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/sessions.sh"

server_start max_prepared_transactions=20 wal_level=replica
sql -c "CREATE DATABASE another" -c "CREATE ROLE plain LOGIN" -c "CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked(), n int)" \
    -c "GRANT ALL ON outbox TO plain"
sql -d another -c "CREATE EXTENSION comb"

asleep() { is_true "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = '$1' AND wait_event = 'PgSleep'"; }
end_session() {
    sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '$1'" >/dev/null
    wait "${SESSIONS[$1]}" || true
}
# held [OPTION...]: whether the horizon is below the ids of now.
held() { sql "$@" -c "SELECT comb_horizon_now() < id FROM (SELECT comb_new() AS id OFFSET 0) generated_before"; }
# with_session SQL DATABASE COMMAND...: the command while a session has said that and stays.
with_session() {
    PGDATABASE=$2 session stays "$1; SELECT pg_sleep(60)"
    shift 2
    within 20 asleep stays || die "the session does not come to sleep" "$(said stays)"
    sleep 0.05
    "$@"
    end_session stays
}
passes() { truth [ "$(held)" = f ]; }

say "Errors"
facts <<'SQL'
CREATE FUNCTION state(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
CREATE FUNCTION message(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
CREATE TABLE calls (call text);
INSERT INTO calls VALUES ('comb_tracked()'), ('comb_tracked(''mssql'')'), ('comb_horizon()'), ('comb_horizon_now()'),
    ('comb_settled(comb_new())'), ('comb_hold()');
SET comb.scope = backend;
SELECT call || ' in scope backend: ' || state('SELECT ' || call), state('SELECT ' || call) = '55000' FROM calls;
SELECT 'comb_horizon_status() has none there', horizon IS NULL AND held_for IS NULL FROM comb_horizon_status();
RESET comb.scope;
SET comb.timestamp_step = 1;
SELECT call || ' with a timestamp step: ' || state('SELECT ' || call), state('SELECT ' || call) = '55000' FROM calls;
RESET comb.timestamp_step;
SELECT call || ' works: ' || state('SELECT ' || call), state('SELECT ' || call) = 'none' FROM calls;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 'comb_horizon_now() in REPEATABLE READ: ' || state('SELECT comb_horizon_now()'), state('SELECT comb_horizon_now()') = '25000';
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT 'and in SERIALIZABLE', state('SELECT comb_horizon_now()') = '25000';
COMMIT;
SELECT 'an unknown layout', state('SELECT comb_horizon(''none'')') = '22023' AND state('SELECT comb_tracked(''none'')') = '22023';
SELECT 'a random UUID is not settled: ' || state('SELECT comb_settled(gen_random_uuid())'), state('SELECT comb_settled(gen_random_uuid())') = '22023';
SELECT 'NULL', comb_settled(NULL) IS NULL AND comb_horizon(NULL) IS NULL AND comb_tracked(NULL) IS NULL;
SQL

say "The guard"
facts <<'SQL'
CREATE TABLE guarded (id uuid DEFAULT comb_tracked(), n int);
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT 'a key of comb_new(): OC001', state('INSERT INTO guarded VALUES (comb_new())') = 'OC001';
SELECT 'a tracked key passes', state('INSERT INTO guarded VALUES (DEFAULT, 1)') = 'none';
SELECT 'NULL passes', state('INSERT INTO guarded VALUES (NULL)') = 'none';
SELECT comb_new() AS before \gset
BEGIN;
SELECT comb_hold() \g /dev/null
SELECT 'after comb_hold(), an earlier key: OC002', state(format('INSERT INTO guarded VALUES (%L)', :'before')) = 'OC002';
SELECT 'a key that is made now passes', state('INSERT INTO guarded VALUES (comb_new())') = 'none';
SELECT 'a key of the future: OC003', state('INSERT INTO guarded VALUES (comb_at(now() + interval ''1 hour''))') = 'OC003';
SELECT 'a random key: 22023', state('INSERT INTO guarded VALUES (gen_random_uuid())') = '22023';
SAVEPOINT a;
INSERT INTO guarded VALUES (DEFAULT, 2);
ROLLBACK TO a;
SELECT 'a savepoint that is rolled back keeps the floor', state('INSERT INTO guarded VALUES (comb_new(), 2)') = 'none';
COMMIT;
SELECT 'the next transaction has none: OC001', state('INSERT INTO guarded VALUES (comb_new())') = 'OC001';
SELECT 'an UPDATE that keeps the key passes', state('UPDATE guarded SET n = 3, id = id') = 'none';
SELECT 'one that changes it: OC001', state('UPDATE guarded SET id = comb_new() WHERE n = 3') = 'OC001';
SELECT 'to a tracked key passes', state('UPDATE guarded SET id = comb_tracked()') = 'none';
SELECT 'to NULL, too', state('UPDATE guarded SET id = NULL') = 'none';
CREATE TABLE mistaken (id int, u uuid DEFAULT comb_tracked());
CREATE TRIGGER guard AFTER INSERT ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard('u');
SELECT 'a trigger AFTER: 39P01', state('INSERT INTO mistaken DEFAULT VALUES') = '39P01';
DROP TRIGGER guard ON mistaken;
CREATE TRIGGER guard BEFORE INSERT ON mistaken FOR EACH STATEMENT EXECUTE FUNCTION comb_guard('u');
SELECT 'FOR EACH STATEMENT: 39P01', state('INSERT INTO mistaken DEFAULT VALUES') = '39P01';
DROP TRIGGER guard ON mistaken;
CREATE TRIGGER guard BEFORE INSERT ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT 'a column of another type: 22023', state('INSERT INTO mistaken DEFAULT VALUES') = '22023';
DROP TRIGGER guard ON mistaken;
CREATE TRIGGER guard BEFORE INSERT ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard('none');
SELECT 'no such column: 22023', state('INSERT INTO mistaken DEFAULT VALUES') = '22023';
DROP TRIGGER guard ON mistaken;
CREATE TRIGGER guard BEFORE INSERT ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard('u', 'none');
SELECT 'no such layout: 22023', state('INSERT INTO mistaken DEFAULT VALUES') = '22023';
SELECT 'the message names it', message('INSERT INTO mistaken DEFAULT VALUES') = 'unrecognized COMB layout: "none"';
DROP TRIGGER guard ON mistaken;
CREATE TRIGGER guard BEFORE INSERT OR UPDATE OF u ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard('u');
SELECT 'UPDATE OF: 39P01', state('INSERT INTO mistaken DEFAULT VALUES') = '39P01';
SELECT 'some rows that are covered and one that is not: OC001',
    state('INSERT INTO guarded SELECT CASE n WHEN 3 THEN comb_new() END FROM generate_series(1, 3) n') = 'OC001';
CREATE FUNCTION change_key() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.id := comb_new(); RETURN NEW; END';
CREATE TRIGGER before_guard BEFORE UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION change_key();
SELECT 'an UPDATE whose key another trigger changes: OC001', state('UPDATE guarded SET n = 4') = 'OC001';
DROP TABLE guarded;
CREATE DOMAIN key AS uuid NOT NULL;
CREATE DOMAIN subkey AS key CHECK (VALUE <> '00000000-0000-0000-0000-000000000000');
CREATE TABLE guarded (id subkey DEFAULT comb_tracked());
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT 'a domain over uuid: a tracked key passes', state('INSERT INTO guarded DEFAULT VALUES') = 'none';
SELECT 'and another does not: OC001', state('INSERT INTO guarded VALUES (comb_new())') = 'OC001';
CREATE DOMAIN mssql_key AS uniqueidentifier;
CREATE TABLE guarded_mssql (id mssql_key DEFAULT comb_tracked('mssql'));
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded_mssql FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT 'a domain over uniqueidentifier: a tracked key passes', state('INSERT INTO guarded_mssql DEFAULT VALUES') = 'none';
SELECT 'and another does not: OC001', state('INSERT INTO guarded_mssql VALUES (comb_new(''mssql''))') = 'OC001';
-- They are computed after the trigger, which would see NULL.
CREATE TABLE computed (body jsonb, id uuid GENERATED ALWAYS AS ((body->>'id')::uuid) STORED);
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON computed FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT 'a generated column: ' || message, message = 'comb_guard() cannot check a generated column'
    FROM message(format('INSERT INTO computed VALUES (jsonb_build_object(''id'', %L))', comb_at(now() - interval '1 hour')));
SELECT 'and 22023', state('INSERT INTO computed VALUES (''{}'')') = '22023';
SELECT current_setting('server_version_num')::int >= 180000 AS has_virtual \gset
\if :has_virtual
CREATE TABLE computed_when_read (body jsonb, id uuid GENERATED ALWAYS AS ((body->>'id')::uuid) VIRTUAL);
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON computed_when_read FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT 'a virtual one: 22023', state('INSERT INTO computed_when_read VALUES (''{}'')') = '22023';
\endif
-- Anybody can call a type so. It must not be read as 16 bytes.
CREATE SCHEMA others;
CREATE TYPE others.uuid AS ENUM ('a');
CREATE TYPE others.uniqueidentifier AS (a text, b int);
CREATE TABLE of_enum (id others.uuid);
CREATE TRIGGER guard BEFORE INSERT ON of_enum FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT 'another type called uuid: 22023', state('INSERT INTO of_enum VALUES (''a'')') = '22023';
CREATE TABLE of_row (id others.uniqueidentifier);
CREATE TRIGGER guard BEFORE INSERT ON of_row FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT 'another called uniqueidentifier: 22023', state('INSERT INTO of_row VALUES (ROW(''a'', 1))') = '22023';
SQL

say "Layouts"
facts <<'SQL'
CREATE TABLE made (layout text, id uuid);
BEGIN;
INSERT INTO made SELECT label, comb_tracked(label) FROM comb_layouts();
SELECT 'layout ' || layout || ': not settled before the commit', NOT comb_settled(id, layout) FROM made;
COMMIT;
SELECT 'layout ' || layout || ': settled after it', comb_settled(id, layout) FROM made;
-- PostgreSQL has two orders. Where it lacks the layout's, a comparison would lose rows.
SELECT 'layout ' || layout || ': the horizon is above, or refused', CASE byte_order
    WHEN 'postgres' THEN id < comb_horizon(layout)
    WHEN 'sqlserver' THEN id::uniqueidentifier < comb_horizon(layout)::uniqueidentifier
    ELSE state(format('SELECT comb_horizon(%L)', layout)) = '0A000' AND state(format('SELECT comb_horizon_now(%L)', layout)) = '0A000'
    END FROM made JOIN comb_layouts() ON label = layout;
CREATE TABLE mssql (id uniqueidentifier PRIMARY KEY DEFAULT comb_tracked('mssql')::uniqueidentifier);
INSERT INTO mssql SELECT FROM generate_series(1, 1000);
SELECT 'uniqueidentifier: all below the horizon', count(*) = 1000 FROM mssql WHERE id < comb_horizon('mssql')::uniqueidentifier;
BEGIN;
INSERT INTO mssql SELECT FROM generate_series(1, 1000);
SELECT 'and none of this transaction', count(*) = 1000 FROM mssql WHERE id < comb_horizon('mssql')::uniqueidentifier;
COMMIT;
CREATE TRIGGER guard BEFORE INSERT ON mssql FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT 'its guard knows the layout by the type', state('INSERT INTO mssql DEFAULT VALUES') = 'none';
SELECT 'and refuses an id that is not tracked', state('INSERT INTO mssql VALUES (comb_new(''mssql'')::uniqueidentifier)') = 'OC001';
SQL

say "Ranges of time"
facts <<'SQL'
-- Keys of one millisecond, which the transaction sees and nobody else. A time that was rounded up would let them through.
CREATE TABLE ranged (layout text, id uuid);
CREATE TABLE ranges (layout text, range text);
INSERT INTO ranges VALUES
    ('uuidv7', 'id < comb_horizon()'), ('uuidv7', 'id < comb_min(horizon)'), ('uuidv7', 'id < comb_lower_bound(horizon)'),
    ('uuidv7', 'comb_between(id, ''-infinity'', horizon)'), ('uuidv7', 'comb_between_time(id, ''-infinity'', horizon)'),
    ('uuidv7', 'id <@~ comb_first_from(horizon)'), ('uuidv7', 'id <=@~ comb_last_before(horizon)'), ('uuidv7', 'comb_timestamp(id) < horizon'),
    ('mssql', 'id <# comb_horizon(''mssql'')'), ('mssql', 'id <# comb_mssql_lower_bound(horizon)'),
    ('mssql', 'id <# comb_partman_mssql_encoder(horizon)'), ('mssql', 'comb_between(id::uniqueidentifier, ''-infinity'', horizon)');
INSERT INTO ranges SELECT label, format(CASE byte_order WHEN 'sqlserver' THEN 'id <# comb_min(horizon, %L)' ELSE 'id < comb_min(horizon, %L)' END, label)
    FROM comb_layouts() WHERE byte_order IN ('postgres', 'sqlserver');
BEGIN;
INSERT INTO ranged SELECT label, comb_tracked(label) FROM comb_layouts(), generate_series(1, 20);
CREATE FUNCTION found(layout text, range text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE found bigint;
BEGIN
    EXECUTE format('WITH settled AS MATERIALIZED (SELECT comb_timestamp(comb_horizon(%1$L), %1$L) AS horizon)
                    SELECT count(*) FROM ranged, settled WHERE layout = %1$L AND %2$s', layout, range) INTO found;
    RETURN found;
END $$;
SELECT layout || ': ' || range || ' finds none of ' || keys || ' keys that are not settled: ' || found, keys > 0 AND found = 0
    FROM ranges, found(layout, range), LATERAL (SELECT count(*) AS keys FROM ranged WHERE ranged.layout = ranges.layout) counted;
ROLLBACK;
SQL

say "What holds it back"
nobody="AND NOT EXISTS (SELECT FROM comb_horizon_holders())"
facts <<SQL
SELECT 'nobody', comb_horizon_now() > '$(sql -c "SELECT comb_new()")' $nobody;
SQL
fact "a transaction that made a tracked id does" "$(with_session "BEGIN; SELECT comb_tracked()" postgres held)"
fact "and one that holds a floor" "$(with_session "BEGIN; SELECT comb_hold()" postgres held)"
fact "an idle transaction that wrote elsewhere does not" "$(with_session "BEGIN; INSERT INTO calls VALUES ('x')" postgres passes)"
fact "a long query does not" "$(with_session "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM outbox" postgres passes)"
fact "one of another database does not" "$(with_session "BEGIN; SELECT comb_tracked()" another passes)"
sql -d another -c "CREATE TABLE t (id uuid DEFAULT comb_tracked())" -c "BEGIN; INSERT INTO t DEFAULT VALUES; PREPARE TRANSACTION 'another'"
fact "one that is prepared there does not" "$(passes)"
fact "but there it does" "$(held -d another)"
sql -d another -c "COMMIT PREPARED 'another'"
fact "comb_reset_clock() in the middle of a transaction: it goes on holding it" \
    "$(with_session "BEGIN; SELECT comb_tracked(); SELECT comb_reset_clock(); SELECT comb_tracked()" postgres held)"
# It ends without a transaction id. A loop that waits must see the horizon move, though no snapshot does.
session waits "SELECT pg_sleep(0.5); DO \$\$ BEGIN WHILE NOT comb_settled((SELECT id FROM outbox WHERE n = 7)) LOOP PERFORM pg_sleep(0.05); END LOOP; END \$\$"
waits() { sql -c "INSERT INTO outbox (n) VALUES (7)" && sleep 1.5 && runs waits; }
fact "a loop waits for it" "$(truth with_session "BEGIN; SELECT comb_tracked()" postgres waits)"
fact "and ends with it" "$(truth within 5 ended waits)"
ended waits || sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waits'"

say "comb_horizon_holders()"
holders() { sql -F ' ' "$@" -c "SELECT database, username, application, coalesce(state, '-'), gid IS NOT NULL, floor_id < comb_new(), floor_timestamp <= now() FROM comb_horizon_holders()"; }
sql -c "BEGIN; INSERT INTO outbox DEFAULT VALUES; PREPARE TRANSACTION 'kept'"
fact "a prepared transaction: $(holders)" "$(truth [ "$(holders)" = "postgres postgres  prepared t t t" ])"
fact "for another user" "$(truth [ "$(holders -U plain)" = "postgres postgres  prepared t t t" ])"
sql -c "ROLLBACK PREPARED 'kept'"
shown=$(with_session "BEGIN; SELECT comb_tracked()" postgres holders)
fact "a session: $shown" "$(truth [ "$shown" = "postgres postgres stays active f t t" ])"
shown=$(with_session "BEGIN; SELECT comb_tracked()" postgres holders -U plain)
fact "for another user, who does not see its state: $shown" "$(truth [ "$shown" = "postgres postgres stays - f t t" ])"

say "The plan"
facts <<'SQL'
INSERT INTO outbox (n) SELECT 0 FROM generate_series(1, 50000);
ANALYZE outbox;
CREATE FUNCTION plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; lines text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP lines := lines || line || ' '; END LOOP;
    RETURN lines;
END $$;
SELECT 'a poll uses the primary key', plan($$SELECT * FROM outbox WHERE id > comb_min(now() - interval '1 s') AND id < comb_horizon() ORDER BY id LIMIT 1000$$)
    ~ 'Index Scan using outbox_pkey.*Index Cond: .*id > .*id < comb_horizon';
CREATE VIEW outbox_settled AS SELECT * FROM outbox WHERE id < comb_horizon();
SELECT 'through the view, too', plan($$SELECT * FROM outbox_settled WHERE id > comb_min(now() - interval '1 s') ORDER BY id LIMIT 1000$$)
    ~ 'Index Scan using outbox_pkey.*Index Cond: .*id > .*id < comb_horizon|Index Cond: .*id < comb_horizon.*id > ';
SQL

# A row that is prepared, one after it, and a reader whose answer must stay below the first. On the server of those options.
prepared_holds() {
    local what=$1
    shift
    facts "$@" <<SQL
SELECT '$what: the prepared transaction holds the horizon', comb_horizon() <= min FROM (SELECT min(id::text)::uuid FROM outbox WHERE n = 20) later;
INSERT INTO outbox (n) VALUES (20);
SELECT '$what: later rows wait', NOT comb_settled(id) FROM outbox WHERE n = 20 ORDER BY id DESC LIMIT 1;
SELECT '$what: it is shown', count(*) = 1 AND bool_and(gid = 'outlives' AND state = 'prepared') FROM comb_horizon_holders();
SQL
}
settles() {
    local what=$1
    shift
    sql "$@" -c "COMMIT PREPARED 'outlives'"
    facts "$@" <<SQL
SELECT '$what: after COMMIT PREPARED all is settled', count(*) > 1 AND bool_and(id < comb_horizon()) FROM outbox WHERE n IN (10, 20);
SQL
}

say "A standby"
install -d -o "$SERVER_USER" -m 700 "$CLUSTER/standby"
sql -c "BEGIN; INSERT INTO outbox (n) VALUES (10); PREPARE TRANSACTION 'outlives'" -c "INSERT INTO outbox (n) VALUES (20)"
as_server "$BIN/pg_basebackup" --pgdata="$CLUSTER/standby" --host="$PGHOST" --username=postgres --checkpoint=fast --write-recovery-conf
echo "port = 5433" | as_server tee -a "$CLUSTER/standby/postgresql.conf" >/dev/null
cluster_up standby
position=$(sql -c "SELECT pg_current_wal_flush_lsn()")
within 20 eval '[ "$(sql --port=5433 -c "SELECT pg_last_wal_replay_lsn() >= '"'$position'"'")" = t ]' || die "the standby does not follow"
facts --port=5433 <<'SQL'
SELECT call || ' on a standby: ' || state('SELECT ' || call), state('SELECT ' || call) = '55000' FROM calls;
SELECT 'comb_horizon_status() has none there', horizon IS NULL FROM comb_horizon_status();
SQL
# A snapshot of the time before the promotion says nothing of what runs.
PGPORT=5433 session before "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM outbox; SELECT pg_sleep(3); SELECT comb_horizon()"
sleep 0.5
sql --port=5433 -c "SELECT pg_promote()" >/dev/null
prepared_holds "after a promotion" --port=5433
settles "after a promotion" --port=5433
within 10 ended before || true
fact "a snapshot from before it gets the nil UUID: $(said before)" "$(truth eval "[[ '$(said before)' = *' 00000000-0000-0000-0000-000000000000' ]]")"
cluster_down fast standby

say "An immediate restart"
cluster_down immediate
cluster_up
prepared_holds "after a restart"
settles "after a restart"

say "The end"
facts <<'SQL'
DROP VIEW outbox_settled;
SELECT 'a default keeps the extension: 2BP01', state('DROP EXTENSION comb') = '2BP01';
DROP EXTENSION comb CASCADE;
SELECT 'the table stays', count(*) > 0 FROM outbox;
CREATE EXTENSION comb;
SELECT 'and the extension comes back', comb_horizon() > max(id::text)::uuid FROM outbox;
SQL
log_is_clean
finish
