-- SQL declarations that no script of the extension makes.
CREATE EXTENSION IF NOT EXISTS comb;

-- The function of that name with so many columns: later ones are text.
CREATE FUNCTION declare(name text, columns int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE (
        SELECT format('CREATE FUNCTION %s_%s(%s) RETURNS %s LANGUAGE c AS %L, %L', name, columns,
            (SELECT string_agg(format('OUT column_%s %s', n, coalesce((proallargtypes::regtype[])[n], 'text')), ', ' ORDER BY n)
             FROM generate_series(1, columns) n),
            CASE WHEN proretset THEN 'SETOF record' ELSE 'record' END, probin, prosrc)
        FROM pg_proc WHERE proname = name AND pronargs = 0);
END
$$;
SELECT declare(name, columns) FROM unnest('{comb_clock_status,comb_layouts}'::text[]) name, unnest('{32,33,60}'::int[]) columns \g /dev/null
SELECT column_1 IS NOT NULL AS first, column_32 FROM comb_clock_status_32();
SELECT column_1 IS NOT NULL AS first, column_32 FROM comb_layouts_32() LIMIT 1;
SELECT FROM comb_clock_status_33();
SELECT FROM comb_layouts_33();
SELECT FROM comb_clock_status_60();
SELECT FROM comb_layouts_60();

-- The planner support of equality of two arguments, for functions that have fewer or more.
CREATE FUNCTION zero() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION one(uuid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 IS NOT NULL; END';
CREATE FUNCTION three(uuid, uniqueidentifier, uuid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 <> $3; END';
ALTER FUNCTION zero() SUPPORT uniqueidentifier_eq_support;
ALTER FUNCTION one(uuid) SUPPORT uniqueidentifier_eq_support;
ALTER FUNCTION three(uuid, uniqueidentifier, uuid) SUPPORT uniqueidentifier_eq_support;
CREATE TABLE few (id uuid);
INSERT INTO few SELECT lpad(n::text, 32, '0')::uuid FROM generate_series(1, 9) n;
SELECT count(*) FROM few WHERE zero();
SELECT count(*) FROM few WHERE one(id);
SELECT count(*) FROM few WHERE three(id, id::uniqueidentifier, id);

DROP TABLE few;
DROP FUNCTION declare, zero, one, three, comb_clock_status_32, comb_clock_status_33, comb_clock_status_60,
    comb_layouts_32, comb_layouts_33, comb_layouts_60;
DROP EXTENSION comb;
