-- Ids as text: what psql shows for good and for bad ones.
CREATE EXTENSION IF NOT EXISTS comb;

SELECT format, comb_encode('019535d9-3df7-79fb-b466-fa907fa17f9e', format)
FROM unnest(ARRAY['crockford', 'base32hex', 'base58']) format;
SELECT comb_decode('01JMTXJFFQF7XV8SQTJ1ZT2ZWY', 'crockford') AS crockford,
       comb_decode('06AJBM9TUTSVND36VA87V8BVJO', 'base32hex') AS base32hex,
       comb_decode('1CLX6BNbgzLqKvx4TBQjJd', 'base58') AS base58;

-- What is read besides: lower case, I, L and O, the padding of PostgreSQL 19's encode(), base58 without zeros in front.
SELECT id, count(*) FROM unnest(ARRAY[
    comb_decode('o1jmtxjffqf7xv8sqtj1zt2zwy', 'crockford'), comb_decode('OLJMTXJFFQF7XV8SQTJIZT2ZWY', 'crockford'),
    comb_decode('06ajbm9tutsvnd36va87v8bvjo', 'base32hex'), comb_decode('06AJBM9TUTSVND36VA87V8BVJO======', 'base32hex'),
    comb_decode('CLX6BNbgzLqKvx4TBQjJd', 'base58')]) id GROUP BY id;

-- Both ends, and NULL.
SELECT format, comb_encode(id, format), comb_decode(comb_encode(id, format), format) = id AS same
FROM unnest(ARRAY['crockford', 'base32hex', 'base58']) format,
     unnest(ARRAY['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[]) id;
SELECT comb_encode(NULL, 'base58') IS NULL AS id, comb_encode(comb_new(), NULL) IS NULL AS format,
       comb_decode(NULL, 'base58') IS NULL AS value, comb_typeid(NULL, comb_new()) IS NULL AS prefix,
       comb_typeid_uuid('user_', NULL) IS NULL AS expected;

-- All three sort as the ids do under COLLATE "C", and TypeIDs of one prefix do.
SELECT count(DISTINCT a.id), bool_and((comb_encode(a.id, format) COLLATE "C" < comb_encode(b.id, format)) = (a.id < b.id)) AS in_order,
       bool_and((comb_typeid('x', a.id) COLLATE "C" < comb_typeid('x', b.id)) = (a.id < b.id)) AS typeids_in_order
FROM (SELECT md5(n::text)::uuid AS id FROM generate_series(1, 100) n UNION ALL SELECT comb_new() FROM generate_series(1, 20)) a,
     (SELECT md5(n::text)::uuid AS id FROM generate_series(50, 150) n UNION ALL SELECT comb_new() FROM generate_series(1, 20)) b,
     unnest(ARRAY['crockford', 'base32hex', 'base58']) format;

-- A uniqueidentifier is written as the uuid that it is; its text sorts as the uuid does.
SELECT comb_encode('d01c25cc-63a7-47cc-b5ba-018e5f3bff48'::uniqueidentifier, 'crockford'),
       comb_typeid('order', 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48'::uniqueidentifier),
       comb_decode('6G3GJWRRX78Z6BBEG1HSFKQZT8', 'crockford')::uniqueidentifier;

-- TypeIDs.
SELECT comb_typeid('prefix', '01890a5d-ac96-774b-bcce-b302099a8057'), comb_typeid('', '01890a5d-ac96-774b-bcce-b302099a8057');
SELECT comb_typeid_uuid('prefix_01h455vb4pex5vsknk084sn02q'), comb_typeid_uuid('prefix_01h455vb4pex5vsknk084sn02q', 'prefix'),
       comb_typeid_uuid('01h455vb4pex5vsknk084sn02q', '');
SELECT length(comb_typeid(repeat('x', 63), comb_new())) AS longest;

-- The prefix is checked.
SELECT comb_typeid_uuid('order_01h455vb4pex5vsknk084sn02q', 'user');
SELECT comb_typeid_uuid('01h455vb4pex5vsknk084sn02q', 'user');
SELECT comb_typeid_uuid('user_01h455vb4pex5vsknk084sn02q', '');
SELECT comb_typeid_uuid('user_01h455vb4pex5vsknk084sn02q', 'User');
SELECT comb_typeid_uuid('User_01h455vb4pex5vsknk084sn02q', 'user');

-- Bad text: what is wrong, and where.
SELECT comb_decode('', 'crockford');
SELECT comb_decode('01ARZ3NDEKTSV4RRFFQ69G5FA', 'crockford');
SELECT comb_decode('01ARZ3NDEK-TSV4RRFFQ69G5FAV', 'crockford');
SELECT comb_decode('01ARZ3NDEKTSV4RRFFQ69G5FAU', 'crockford');
SELECT comb_decode(E'01ARZ3NDEKTSV4RRFFQ69G5FA\n', 'crockford');
SELECT comb_decode('80000000000000000000000000', 'crockford');
SELECT comb_decode('06AJBM9TUTSVND36VA87V8BVJO=', 'base32hex');
SELECT comb_decode('06AJBM9TUTSVND36VA87V8BVJP', 'base32hex');
SELECT comb_decode('019535d9-3df7-79fb-b466-fa907fa17f9e', 'base32hex');
SELECT comb_decode('', 'base58');
SELECT comb_decode('11CLX6BNbgzLqKvx4TBQjJd', 'base58');
SELECT comb_decode('1CLX6BNbgzLqKvx4TBQjJO', 'base58');
SELECT comb_decode('YcVfxkQb6JRzqk5kF2tNLw', 'base58');

-- Bad TypeIDs and prefixes.
SELECT comb_typeid_uuid('');
SELECT comb_typeid_uuid('user_01h455vb4pex5vsknk084sn02');
SELECT comb_typeid_uuid('user_01h455vb4pex5vsknk084sn02Q');
SELECT comb_typeid_uuid('user_8zzzzzzzzzzzzzzzzzzzzzzzzz');
SELECT comb_typeid_uuid('_01h455vb4pex5vsknk084sn02q');
SELECT comb_typeid_uuid('pre.fix_01h455vb4pex5vsknk084sn02q');
SELECT comb_typeid('User', comb_new());
SELECT comb_typeid('user_', comb_new());
SELECT comb_typeid('_', comb_new());
SELECT comb_typeid(repeat('x', 64), comb_new());

-- A format that there is not.
SELECT comb_encode(comb_new(), 'base64');
SELECT comb_decode('x', 'Crockford');

-- However long the argument, the message is not.
SELECT comb_decode(repeat('0', 100000), 'crockford');
SELECT comb_typeid_uuid('x_' || repeat('y', 100000));
SELECT comb_typeid(repeat('x', 100000), comb_new());
SELECT comb_encode(comb_new(), repeat('x', 100000));
\set VERBOSITY terse
SELECT comb_new(repeat('x', 97));
SELECT comb_new(repeat('x', 96));
\set VERBOSITY default

-- What the client has sent is 22P02; a format that there is not, 22023.
\set VERBOSITY sqlstate
SELECT comb_decode('x', 'crockford');
SELECT comb_typeid_uuid('x');
SELECT comb_typeid('X', comb_new());
SELECT comb_typeid_uuid('order_01h455vb4pex5vsknk084sn02q', 'user');
SELECT comb_encode(comb_new(), 'x');
\set VERBOSITY default

-- Immutable: a generated column and an index.
CREATE TABLE users (id uuid PRIMARY KEY, public_id text COLLATE "C" GENERATED ALWAYS AS (comb_typeid('user', id)) STORED);
CREATE UNIQUE INDEX ON users (comb_encode(id, 'base58'));
INSERT INTO users VALUES ('01890a5d-ac96-774b-bcce-b302099a8057');
SELECT * FROM users WHERE id = comb_typeid_uuid('user_01h455vb4pex5vsknk084sn02q', 'user');
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM users WHERE id = comb_decode('1BzmjTFLHWXwiSK4y3H5iW', 'base58');
DROP TABLE users;
DROP EXTENSION comb;
