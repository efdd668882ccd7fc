-- comb 0.1.0 to 0.2.0
\echo Use "ALTER EXTENSION comb UPDATE TO '0.2.0'" to load this file. \quit

-- The build replaces a line "chapter: NAME" by that file of sql/.

-- chapter: 32-mysql.sql

-- chapter: 42-ranges-micros.sql

-- comb_layouts() has six more rows.
ALTER FUNCTION comb_layouts() ROWS 20;

-- chapter: 65-text-forms.sql

-- chapter: 75-horizon.sql

-- comb_status() has two more columns.
DROP FUNCTION comb_status();
-- chapter: 72-status.sql

-- chapter: 85-time-order.sql

-- chapter: 91-first-last.sql

-- chapter: 92-partitions.sql

-- chapter: 93-between.sql

-- chapter: 95-majors.sql
