-- Calls of every function of the extension with arguments from pools of values. For input.rs.

-- Functions that SQL can call. What takes or gives `internal` is called by the server alone.
CREATE VIEW members AS
SELECT p.oid::regprocedure AS function, p.oid::regproc AS name, p.proargtypes::oid[]::regtype[] AS arguments,
       p.proargnames AS argument_names, p.prorettype::regtype AS result, p.prokind = 'p' AS is_procedure
FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
      AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'comb');
CREATE VIEW callable AS
SELECT * FROM members WHERE 'internal'::regtype <> ALL (arguments) AND result <> 'internal'::regtype;
CREATE VIEW uncallable AS
SELECT * FROM members WHERE NOT ('internal'::regtype <> ALL (arguments) AND result <> 'internal'::regtype);

-- Values of each type, as expressions; random() is drawn anew at every call. Those with a name are only for arguments
-- of that name. An error of an expression counts as one of the function.
CREATE TABLE pool (type regtype, expression text, name text);
INSERT INTO pool
SELECT type, expression FROM
    (VALUES ('uuid'), ('uniqueidentifier')) identifiers (name), LATERAL (SELECT name::regtype AS type) t,
    (VALUES ('''00000000-0000-0000-0000-000000000000'''), ('''ffffffff-ffff-ffff-ffff-ffffffffffff'''),
            ('md5(random()::text)::uuid'), ('md5(random()::text)::uuid'), ('gen_random_uuid()'), ('comb_new()'),
            -- of each version, and of each layout, where the clock may be out of range for comb_new()
            ('overlay(md5(random()::text) PLACING to_hex(floor(random() * 16)::int) FROM 13)::uuid'),
            ('comb_at(now(), (ARRAY(SELECT label FROM comb_layouts()))[1 + floor(random() * (SELECT count(*) FROM comb_layouts()))::int])')) e (expression);
INSERT INTO pool SELECT 'timestamptz', unnest(ARRAY[
    '''-infinity''', '''infinity''', '''4714-11-24 00:00:00+00 BC''', '''294276-12-31 23:59:59.999999+00''', '''0001-01-01Z''',
    '''1582-10-15Z''', '''1900-01-01Z''', '''1969-12-31 23:59:59.999999Z''', '''1970-01-01Z''', '''2059-03-13 02:56:07.10656Z''',
    '''2079-06-06 23:59:59.999Z''', '''9999-12-31 23:59:59.999999Z''', '''10889-08-02 05:31:50.656Z''', 'now()', 'clock_timestamp()',
    'to_timestamp(random() * 4e9)', 'to_timestamp(random() * 3e11)', 'to_timestamp(-2e11 * random())']);
INSERT INTO pool SELECT 'interval', unnest(ARRAY[
    '''0''', '''1 microsecond''', '''-1 month''', '''178000000 years''', '''-178000000 years''', '''2562047788 hours''', '''-2562047788 hours''',
    'make_interval(secs => (random() - 0.5) * 1e12)', 'make_interval(months => (random() * 1e4)::int)', 'make_interval(days => 2147483647)',
    'make_interval(years => (random() * 2e4 - 1e4)::int, days => (random() * 1e6)::int, secs => random() * 1e9)']);
-- Tables of each kind, and what is none.
CREATE TABLE drawn (id uuid) PARTITION BY RANGE (id);
CREATE TABLE drawn_1 PARTITION OF drawn FOR VALUES FROM (MINVALUE) TO (comb_lower_bound('2026-01-01Z'));
CREATE TABLE drawn_2 PARTITION OF drawn FOR VALUES FROM ('80000000-0000-4000-8000-000000000000') TO (MAXVALUE);
CREATE TABLE drawn_default PARTITION OF drawn DEFAULT;
CREATE TABLE drawn_mssql (id uniqueidentifier) PARTITION BY RANGE (id);
CREATE TABLE drawn_hash (id uuid) PARTITION BY HASH (id);
CREATE TABLE drawn_columns (id uuid, n integer) PARTITION BY RANGE (id, n);
CREATE TABLE drawn_expression (id uuid) PARTITION BY RANGE (comb_timestamp(id));
CREATE TABLE polled (n bigserial, id uuid DEFAULT comb_new());
CALL comb_enable_polls('polled', 'n');
CALL comb_enable_polls('polled', 'id');
INSERT INTO pool SELECT 'regclass', unnest(ARRAY[
    '''drawn''', '''drawn''', '''drawn_mssql''', '''drawn_1''', '''drawn_2''', '''drawn_default''', '''drawn_hash''', '''drawn_columns''',
    '''drawn_expression''', '''pg_class''', '''pg_class_oid_index''', '''pool''', '''callable''', '0', '4294967295', '(random() * 1e5)::int']);
-- Infinite intervals came with PostgreSQL 17.
INSERT INTO pool SELECT 'interval', unnest(ARRAY['''infinity''', '''-infinity''']) WHERE current_setting('server_version_num')::int >= 170000;
INSERT INTO pool
SELECT type, expression FROM
    (VALUES ('text'::regtype), ('cstring')) t (type),
    unnest(ARRAY[
        '''''', '''é''', '''0Bj4hRXIFkDoc$DXPivPF7nPBmO-smc''', '''0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF''', '''0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcFF''',
        'repeat(''z'', 32)', 'repeat(''$'', 32)', 'repeat(''-'', 31)', 'repeat(''é'', 16)', 'repeat(''𝄞'', 8)', 'repeat(''x'', 100000)',
        'comb_new_bsv()', 'overlay(comb_new_bsv() PLACING chr(1 + floor(random() * 1000)::int) FROM 1 + floor(random() * 32)::int)',
        'left(md5(random()::text), floor(random() * 34)::int)', '''UTC''', '''Europe/Stockholm''', '''+99''', '''-15:59:59''', '''EST5EDT4,M3.2.0,M11.1.0''',
        'gen_random_uuid()::text', '''{'' || gen_random_uuid()::text || ''}''', '''uuidv7''']) e (expression);
-- More often than anything else, so that functions of two layouts have an answer, too.
INSERT INTO pool SELECT 'text', quote_literal(label) FROM comb_layouts(), generate_series(1, 4);
-- Texts of ULID: valid ones, and some with a changed character.
INSERT INTO pool
SELECT 'text', expression, name FROM generate_series(1, 8), (VALUES
    ('value', 'comb_encode(md5(random()::text)::uuid)'),
    ('value', 'overlay(comb_encode(comb_new()) PLACING chr(1 + floor(random() * 1000)::int) FROM 1 + floor(random() * 26)::int)'),
    ('value', 'repeat(''Z'', 22 + floor(random() * 6)::int)')) named (name, expression);
-- A table that is polled, its keys, and cursors.
INSERT INTO pool
SELECT type::regtype, expression, name FROM generate_series(1, 40), (VALUES
    ('regclass', '''polled''', 'relation'), ('text', '''n''', 'key'), ('text', '''id''', 'key'), ('text', '''''', 'layout'),
    ('bigint', '0', 'after'), ('uuid', '''00000000-0000-0000-0000-000000000000''', 'after')) named (type, expression, name);
INSERT INTO pool SELECT 'integer', unnest(ARRAY['0', '1', '-1', '2147483647', '-2147483648', '(random() * 1e6)::int']);
INSERT INTO pool SELECT 'bigint', unnest(ARRAY['0', '1', '-1', '9223372036854775807', '-9223372036854775808', '(random() * 1e18)::bigint']);
INSERT INTO pool SELECT 'boolean', unnest(ARRAY['true', 'false']);
INSERT INTO pool SELECT 'bytea', unnest(ARRAY['''''', '''\x00''', 'decode(md5(random()::text), ''hex'')', 'decode(repeat(''ff'', 100000), ''hex'')']);
INSERT INTO pool SELECT DISTINCT type, 'NULL' FROM pool;

-- What was answered: NULL for a value.
CREATE TABLE called (function regprocedure, sqlstate text, calls bigint, example text);
CREATE UNIQUE INDEX ON called (function, coalesce(sqlstate, ''));

-- At least so many calls, each function as often as any other. Casting to text writes the value out, which
-- a value that cannot be would not survive.
CREATE PROCEDURE call_them(calls bigint) LANGUAGE plpgsql AS $$
DECLARE
    member record;
    statement text;
    state text;
BEGIN
    FOR round IN 1 .. ceil(call_them.calls::numeric / (SELECT count(*) FROM callable)) LOOP
        FOR member IN SELECT * FROM callable ORDER BY function::text LOOP
            SELECT format(CASE WHEN member.is_procedure THEN 'CALL %s(%s)' ELSE 'SELECT (%s(%s))::text' END, member.name, coalesce(string_agg(format('(%s)::%s', drawn.expression, argument), ', ' ORDER BY place), ''))
            INTO statement
            FROM unnest(member.arguments, member.argument_names[:cardinality(member.arguments)]) WITH ORDINALITY arguments (argument, argument_name, place), LATERAL (
                -- By place, too: a draw for each argument.
                SELECT expression FROM pool WHERE type = argument AND (name IS NULL OR name = argument_name) AND place > 0 ORDER BY random() LIMIT 1) drawn;
            BEGIN
                EXECUTE statement;
                state := NULL;
            EXCEPTION WHEN OTHERS THEN
                state := SQLSTATE;
            END;
            INSERT INTO called VALUES (member.function, state, 1, statement)
            ON CONFLICT (function, coalesce(sqlstate, '')) DO UPDATE SET calls = called.calls + 1;
        END LOOP;
        -- Again, if a call has changed it.
        CALL comb_enable_polls('polled', 'n');
        CALL comb_enable_polls('polled', 'id');
        COMMIT;
    END LOOP;
END
$$;
