\echo Use "CREATE EXTENSION comb" to load this file. \quit

-- The install script is these files in the order of their names.

