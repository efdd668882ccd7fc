-- Equality of uuid and uniqueidentifier: an ordinary index on a column of the one type serves values of the other, as a
-- foreign key from the one to the other needs it.
CREATE EXTENSION IF NOT EXISTS comb;
SET max_parallel_workers_per_gather = 0;
SET enable_bitmapscan = off;

-- guid(n): the same UUIDs at every run.
CREATE FUNCTION guid(n int) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN md5(n::text)::uuid;
CREATE TABLE parent (id uniqueidentifier PRIMARY KEY, n int);
INSERT INTO parent SELECT guid(n), n FROM generate_series(1, 1000) n;
CREATE TABLE child (n int PRIMARY KEY, pid uuid NOT NULL REFERENCES parent ON DELETE CASCADE);
INSERT INTO child SELECT n, guid(n % 1000 + 1) FROM generate_series(1, 10000) n;
CREATE INDEX child_pid ON child (pid);
-- The other way round.
CREATE TABLE uparent (id uuid PRIMARY KEY, n int);
INSERT INTO uparent SELECT guid(n), n FROM generate_series(1, 1000) n;
CREATE TABLE uchild (n int PRIMARY KEY, pid uniqueidentifier NOT NULL REFERENCES uparent ON DELETE CASCADE);
INSERT INTO uchild SELECT n, guid(n % 1000 + 1) FROM generate_series(1, 10000) n;
CREATE INDEX uchild_pid ON uchild (pid);
ANALYZE parent, child, uparent, uchild;

-- A literal, and a parameter whose value the planner does not know, on either side.
EXPLAIN (COSTS OFF) SELECT * FROM child WHERE pid = 'c4ca4238-a0b9-2382-0dcc-509a6f75849b'::uniqueidentifier;
EXPLAIN (COSTS OFF) SELECT * FROM uchild WHERE pid = 'c4ca4238-a0b9-2382-0dcc-509a6f75849b'::uuid;
SET plan_cache_mode = force_generic_plan;
PREPARE by_uniqueidentifier (uniqueidentifier) AS SELECT count(*) FROM child WHERE pid = $1;
PREPARE by_uuid (uuid) AS SELECT count(*) FROM uchild WHERE $1 = pid;
EXPLAIN (COSTS OFF) EXECUTE by_uniqueidentifier(guid(1));
EXPLAIN (COSTS OFF) EXECUTE by_uuid(guid(1));
EXECUTE by_uniqueidentifier(guid(1));
EXECUTE by_uuid(guid(1));
RESET plan_cache_mode;

-- Joins, from the parent and from the child.
EXPLAIN (COSTS OFF) SELECT * FROM parent JOIN child ON child.pid = parent.id WHERE parent.n = 1;
EXPLAIN (COSTS OFF) SELECT * FROM uparent JOIN uchild ON uchild.pid = uparent.id WHERE uparent.n = 1;
EXPLAIN (COSTS OFF) SELECT * FROM child JOIN parent ON child.pid = parent.id WHERE child.n = 1;
EXPLAIN (COSTS OFF) SELECT * FROM uchild JOIN uparent ON uchild.pid = uparent.id WHERE uchild.n = 1;
-- A subquery that looks outside, which PostgreSQL 19 gives another name.
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        RETURN NEXT replace(line, 'SubPlan expr_1', 'SubPlan 1');
    END LOOP;
END
$$;
SELECT plan('SELECT (SELECT count(*) FROM child WHERE pid = parent.id) FROM parent WHERE n = 1');
SELECT plan('SELECT (SELECT n FROM parent WHERE id = child.pid) FROM child WHERE n = 1');
-- Of everything: by hash and by merge.
EXPLAIN (COSTS OFF) SELECT count(*) FROM child JOIN parent ON child.pid = parent.id;
SELECT count(*), count(DISTINCT pid) FROM child JOIN parent ON child.pid = parent.id;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT count(*), count(DISTINCT pid) FROM child JOIN parent ON child.pid = parent.id;
SELECT count(*), count(DISTINCT pid) FROM uchild JOIN uparent ON uchild.pid = uparent.id;
SELECT count(*) FROM child FULL JOIN uchild ON child.pid = uchild.pid AND child.n = uchild.n WHERE child.n IS NULL OR uchild.n IS NULL;
RESET enable_hashjoin;
RESET enable_nestloop;
SELECT count(*) FROM child WHERE pid IN (SELECT id FROM parent WHERE n <= 10);
SELECT count(*) FROM parent WHERE NOT EXISTS (SELECT FROM child WHERE pid = id);

-- The cascade of a foreign key: an index scan a row, no scan of the table.
CREATE FUNCTION scans(of regclass, OUT tables bigint, OUT indexes bigint) LANGUAGE sql
    AS 'SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE relid = of';
SELECT pg_stat_force_next_flush();
SELECT tables AS child_tables, indexes AS child_indexes FROM scans('child') \gset
SELECT tables AS uchild_tables, indexes AS uchild_indexes FROM scans('uchild') \gset
DELETE FROM parent WHERE n <= 100;
DELETE FROM uparent WHERE n <= 100;
SELECT pg_stat_force_next_flush();
SELECT tables - :child_tables AS tables, indexes - :child_indexes AS indexes FROM scans('child');
SELECT tables - :uchild_tables AS tables, indexes - :uchild_indexes AS indexes FROM scans('uchild');
SELECT (SELECT count(*) FROM child), (SELECT count(*) FROM uchild);
INSERT INTO child VALUES (0, guid(1));
INSERT INTO uchild VALUES (0, guid(1));

-- Partitions by hash are pruned.
CREATE FUNCTION partitions(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN (SELECT count(*) FROM jsonb_path_query(plan::jsonb, 'strict $.**."Relation Name"'));
END
$$;
CREATE TABLE hashed (id uuid NOT NULL, n int) PARTITION BY HASH (id);
CREATE TABLE uhashed (id uniqueidentifier NOT NULL, n int) PARTITION BY HASH (id);
SELECT format('CREATE TABLE %s_%s PARTITION OF %1$s FOR VALUES WITH (MODULUS 4, REMAINDER %2$s)', name, n)
FROM unnest(ARRAY['hashed', 'uhashed']) name, generate_series(0, 3) n \gexec
INSERT INTO hashed SELECT guid(n), n FROM generate_series(1, 100) n;
INSERT INTO uhashed SELECT guid(n), n FROM generate_series(1, 100) n;
SELECT partitions('TABLE hashed') AS of, partitions($$SELECT * FROM hashed WHERE id = guid(1)::uniqueidentifier$$) AS literal,
       partitions($$SELECT * FROM uhashed WHERE id = guid(1)$$) AS other;
SET plan_cache_mode = force_generic_plan;
PREPARE hashed (uniqueidentifier) AS SELECT n FROM hashed WHERE id = $1;
PREPARE uhashed (uuid) AS SELECT n FROM uhashed WHERE id = $1;
SELECT partitions('EXECUTE hashed(guid(1))') AS parameter, partitions('EXECUTE uhashed(guid(1))') AS other;
EXECUTE hashed(guid(7));
EXECUTE uhashed(guid(7));
SELECT count(*) FROM hashed JOIN uhashed USING (id);

-- Lists of the other type: an index on a uniqueidentifier column serves them, one on a uuid column after a cast.
SET enable_seqscan = off;
PREPARE any_uuid (uuid[]) AS SELECT count(*) FROM parent WHERE id = ANY ($1);
PREPARE any_uniqueidentifier (uniqueidentifier[]) AS SELECT count(*) FROM child WHERE pid = ANY ($1);
PREPARE any_cast (uniqueidentifier[]) AS SELECT count(*) FROM child WHERE pid = ANY ($1::uuid[]);
EXPLAIN (COSTS OFF) EXECUTE any_uuid(ARRAY[guid(101), guid(102)]);
EXPLAIN (COSTS OFF) EXECUTE any_uniqueidentifier(ARRAY[guid(101), guid(102)]::uniqueidentifier[]);
EXPLAIN (COSTS OFF) EXECUTE any_cast(ARRAY[guid(101), guid(102)]::uniqueidentifier[]);
EXECUTE any_uuid(ARRAY[guid(101), guid(102)]);
EXECUTE any_uniqueidentifier(ARRAY[guid(101), guid(102)]::uniqueidentifier[]);

-- An index of two columns keeps its order under equality with a value of the other type.
CREATE TABLE event (tenant uniqueidentifier, created int);
CREATE INDEX event_tenant_created ON event (tenant, created);
PREPARE of_tenant (uuid) AS SELECT created FROM event WHERE tenant = $1 ORDER BY created LIMIT 10;
EXPLAIN (COSTS OFF) EXECUTE of_tenant(guid(1));
EXPLAIN (COSTS OFF) SELECT created FROM event WHERE tenant = guid(1) ORDER BY created LIMIT 10;
CREATE TABLE uevent (tenant uuid, created int);
CREATE INDEX uevent_tenant_created ON uevent (tenant, created);
PREPARE of_utenant (uniqueidentifier) AS SELECT created FROM uevent WHERE tenant = $1 ORDER BY created LIMIT 10;
EXPLAIN (COSTS OFF) EXECUTE of_utenant(guid(1));

DROP TABLE child, parent, uchild, uparent, hashed, uhashed, event, uevent;
DROP FUNCTION guid, scans, partitions;
DROP EXTENSION comb;
