-- Fixed values, and what psql shows for bad input.
\pset tuples_only on
\pset format unaligned
CREATE EXTENSION IF NOT EXISTS comb;
SET timezone = 'UTC';
SET datestyle = 'ISO, YMD';

-- Versions 7, 6 and 1 carry a moment; RFC 9562, A.6, A.5 and A.1.
SELECT comb_timestamp('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
SELECT comb_timestamp('1ec9414c-232a-6b00-b3c8-9f6bdeced846');
SELECT comb_timestamp('c232ab00-9414-11ec-b3c8-9f6bdeced846');

-- Any other uuid says nothing of a moment.
SELECT comb_timestamp('919108f7-52d1-4320-9bac-f847db4148a8') IS NULL AS version_4, comb_timestamp(NULL) IS NULL AS "null";

-- Microseconds, from a generator that writes them. Version 1 has no rand_a.
SELECT comb_timestamp_micros('019913ce-f124-7835-96c7-a2df691caa98');
SELECT comb_timestamp_micros('c232ab00-9414-11ec-b3c8-9f6bdeced846') IS NULL AS version_1;

-- The first and the last time of version 7.
SELECT comb_lower_bound('1970-01-01 00:00:00Z'), comb_lower_bound('10889-08-02 05:31:50.655Z');
SELECT comb_timestamp(comb_at('1970-01-01 00:00:00Z')), comb_timestamp(comb_at('10889-08-02 05:31:50.655999Z'));

-- A range has no end that is out of range: nothing is beyond it, and infinity is no error.
SELECT comb_between(comb_new(), '-infinity', 'infinity') AS always,
       comb_between(comb_new(), 'infinity', 'infinity') AS never;
SELECT comb_lower_bound('-infinity'), comb_lower_bound('2022-02-22 19:22:22Z'), comb_lower_bound('infinity');
-- Between milliseconds, it is the first key of comb at that microsecond.
SELECT comb_lower_bound('2022-02-22 19:22:22.000001Z'), comb_lower_bound('2022-02-22 19:22:22.000500Z', 'mssql'),
       comb_timestamp_micros(comb_lower_bound('2022-02-22 19:22:22.123456Z'));

-- NULL in, NULL out; of a range, what its two comparisons say.
SELECT comb_at(NULL) IS NULL AS at, comb_lower_bound(NULL) IS NULL AS lower_bound,
       comb_timestamp_micros(NULL) IS NULL AS micros,
       comb_between(NULL::uuid, now(), now()) IS NULL AS between_id,
       comb_between(comb_new(), NULL, 'infinity') IS NULL AS between_from,
       comb_between(comb_new(), NULL, '-infinity') AS between_to;

DROP EXTENSION comb;
