-- gapless_upto(): read a table in the order of a sequence without skipping a row. docs/without-comb.md says how.
--
-- Plain SQL for PostgreSQL 14 to 18: no extension, no superuser, no background job. It creates its objects in the first schema of
-- search_path.
--
-- An INSERT locks its table in ROW EXCLUSIVE mode before its default draws a number from the sequence. PostgreSQL releases the
-- lock after the transaction has become visible. Let L be the last number of the sequence, and W the transactions that hold the
-- lock after L was read. When none of W holds it any more, each number up to L is visible, or will never appear.

CREATE TABLE gapless_state (
    relation  regclass,
    sequence  regclass,
    file      oid,     -- that of the sequence: TRUNCATE ... RESTART IDENTITY and ALTER SEQUENCE ... RESTART replace it
    upto      bigint,  -- the last answer
    last      bigint,  -- L, the next answer ...
    waits_for text[],  -- ... and its W
    PRIMARY KEY (relation, sequence)
);
COMMENT ON TABLE gapless_state IS 'state of gapless_upto(), one row for each table and sequence';

-- VACUUM, ANALYZE, CREATE INDEX and readers hold other modes. INSERT locks the table that it names and the partition of the row. A
-- transaction that creates a partition, and writes it before others can see it, holds ACCESS EXCLUSIVE on the parent. Writers that
-- exclude each other lock the table in another of these modes, and can draw a number before the INSERT.
CREATE FUNCTION gapless_writers(tab regclass) RETURNS TABLE (virtualtransaction text, pid integer) LANGUAGE sql STABLE AS $$
    WITH RECURSIVE tables AS (
        SELECT tab::oid AS oid
        UNION SELECT inhrelid FROM pg_inherits JOIN tables ON inhparent = oid
    )
    SELECT DISTINCT virtualtransaction, pid FROM pg_locks
    WHERE locktype = 'relation' AND granted
    AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    AND relation IN (SELECT oid FROM tables)
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
$$;
COMMENT ON FUNCTION gapless_writers(regclass) IS 'transactions that write the table; pid is null if the transaction is prepared';

CREATE FUNCTION gapless_upto(tab regclass, seq regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    old gapless_state;
    new gapless_state;
    drawn bigint;
    writers text[];
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE 'gapless_upto() is not available during recovery' USING ERRCODE = '55000',
            HINT = 'Ask the primary. Read here when pg_last_wal_replay_lsn() has reached its pg_current_wal_insert_lsn().';
    END IF;
    -- The reader's statement needs a snapshot that is younger than the answer.
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        RAISE 'gapless_upto() requires the isolation level READ COMMITTED' USING ERRCODE = '25000',
            HINT = 'Call it in an earlier transaction.';
    END IF;
    -- With CACHE, a session keeps numbers for later transactions. Clients that use an INCREMENT do the same.
    PERFORM FROM pg_sequence WHERE seqrelid = seq AND seqcache = 1 AND seqincrement = 1 AND NOT seqcycle;
    IF NOT FOUND THEN
        RAISE '% is not a sequence with CACHE 1, INCREMENT 1 and NO CYCLE', seq USING ERRCODE = '55000';
    END IF;
    -- Without it, PostgreSQL 18 returns NULL as the last number, earlier versions raise an error.
    IF NOT has_sequence_privilege(seq, 'SELECT, USAGE') THEN
        RAISE 'permission denied for sequence %', seq USING ERRCODE = '42501';
    END IF;
    -- INSERT locks the root of a partitioned table first.
    tab := coalesce(pg_partition_root(tab), tab);

    SELECT * INTO old FROM gapless_state WHERE relation = tab AND sequence = seq;
    IF NOT FOUND THEN
        -- Clients that draw numbers in a separate statement hold no lock then. Their columns often have no default.
        PERFORM FROM pg_class WHERE oid = tab AND relkind IN ('r', 'p') AND EXISTS (
            SELECT FROM pg_depend LEFT JOIN pg_attrdef ON classid = 'pg_attrdef'::regclass AND pg_attrdef.oid = objid
            WHERE refclassid = 'pg_class'::regclass AND (refobjid = seq AND adrelid = tab
                OR refobjid = tab AND objid = seq AND classid = 'pg_class'::regclass)
        );
        IF NOT FOUND THEN
            RAISE 'no column of table % has a default from sequence %', tab, seq USING ERRCODE = '55000',
                HINT = 'If a trigger of the table draws the numbers, use ALTER SEQUENCE ... OWNED BY.';
        END IF;
        -- The only place where two readers can wait for each other: their first calls.
        INSERT INTO gapless_state VALUES (tab, seq, pg_relation_filenode(seq)) ON CONFLICT DO NOTHING RETURNING * INTO old;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    ELSIF old.upto = pg_sequence_last_value(seq) AND old.file = pg_relation_filenode(seq) THEN
        RETURN old.upto;
    END IF;

    -- L, then W: a transaction that has drawn a number up to L holds the lock when W is read, or is visible. The reader's own
    -- transaction is not in W: other readers see the new state when its rows are visible.
    drawn := pg_sequence_last_value(seq);
    writers := ARRAY(SELECT virtualtransaction FROM gapless_writers(tab) WHERE pid IS DISTINCT FROM pg_backend_pid());

    new := old;
    new.file := pg_relation_filenode(seq);
    -- After RESTART or setval(), numbers are drawn again.
    IF new.file <> old.file OR drawn IS NULL OR drawn < greatest(old.upto, old.last) THEN
        new.upto := NULL;
        new.last := NULL;
    END IF;
    -- A restart of the server renames prepared transactions to -1/xid: W can contain each of them under another name.
    IF new.last IS NULL OR NOT EXISTS (
        SELECT FROM unnest(writers) writer WHERE writer = ANY (new.waits_for) OR writer LIKE '-1/%'
    ) THEN
        new.upto := CASE WHEN writers = '{}' THEN drawn ELSE coalesce(new.last, new.upto) END;
        new.last := drawn;
        new.waits_for := writers;
    END IF;
    -- If another reader has locked or changed the row, its state stays. This answer is true all the same; the old one can be from
    -- before the numbers began again.
    IF new IS DISTINCT FROM old THEN
        UPDATE gapless_state SET file = new.file, upto = new.upto, last = new.last, waits_for = new.waits_for
        WHERE (relation, sequence) = (
            SELECT relation, sequence FROM gapless_state state
            WHERE relation = tab AND sequence = seq AND state IS NOT DISTINCT FROM old FOR UPDATE SKIP LOCKED
        );
    END IF;
    RETURN new.upto;
END $$;
COMMENT ON FUNCTION gapless_upto(regclass, regclass) IS
    'number up to which each row is visible to the next statement, or will never appear; null if none is known';
-- Not FROM CURRENT: "$user" is another schema for other roles.
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION gapless_upto SET search_path = %I, pg_temp', current_schema());
END $$;
