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

DROP FUNCTION declare, comb_clock_status_32, comb_clock_status_33, comb_clock_status_60,
    comb_layouts_32, comb_layouts_33, comb_layouts_60;
DROP EXTENSION comb;
