#!/usr/bin/env bash
# A statement gets one answer, by whatever functions it asks for the horizon. The answer stands in a word of its snapshot that
# PostgreSQL does not use: where a release no longer keeps that word for a statement, or uses it itself, these facts fail.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/sessions.sh"
. "$LIB/horizon.sh"

server_start max_prepared_transactions=10 max_locks_per_transaction=256
stage forms

say "The horizon moves in the middle of a statement"
for form in "${!FORMS[@]}"; do
    hold_horizon
    before=$(answers "$form")
    wait "${SESSIONS[holder]}" || true
    after=$(answers "$form")
    fact "$form: while the horizon is held $before, in the next statement $after" "$(truth [ "$before, $after" = "false false, true true" ])"
done

# While its files are removed, a transaction that drops tables is visible and still has its lock. A statement of that time sees
# both rows, and must not let the second one through when the lock has gone.
say "A transaction is visible before it releases the horizon"
sql <<'SQL'
CREATE FUNCTION waited() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    WHILE EXISTS (SELECT FROM pg_locks WHERE objsubid = 3083) LOOP PERFORM pg_sleep(0.01); END LOOP;
    RETURN true;
END $$;
CREATE FUNCTION answers(form text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answers text;
BEGIN
    LOOP EXIT WHEN EXISTS (SELECT FROM outbox WHERE n = 1); END LOOP;
    EXECUTE format('SELECT string_agg(%I(id)::text, '' '') FROM (SELECT id FROM outbox WHERE n = 1 OR waited() OFFSET 0) row', form) INTO answers;
    RETURN answers;
END $$;
CREATE PROCEDURE tables(command text) LANGUAGE plpgsql AS $$
BEGIN
    FOR number IN 1..3000 LOOP EXECUTE format(command, number); END LOOP;
END $$;
SQL
while_visible() {
    sql <<'SQL'
TRUNCATE outbox, parts;
CALL tables('CREATE TABLE dropped_%s (n int)');
BEGIN;
INSERT INTO outbox (n) VALUES (1);
CALL tables('DROP TABLE dropped_%s');
PREPARE TRANSACTION 'drops';
INSERT INTO outbox (n) VALUES (2);
SQL
    session reads "SELECT answers('$1')"
    sleep 0.3
    sql -c "COMMIT PREPARED 'drops'"
    wait "${SESSIONS[reads]}"
    said reads
}
for form in comb_settled settled_definer; do
    for _ in 1 2 3 4 5; do
        answers=$(while_visible $form)
        # Else the statement came when the lock had gone.
        [[ $answers != false* ]] || break
    done
    fact "$form: of a row that is visible and not yet released, and a later one: $answers" "$(truth [ "$answers" = "false false" ])"
done
log_is_clean
finish
