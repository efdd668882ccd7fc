-- comb 0.2.0 to 0.3.0
\echo Use "ALTER EXTENSION comb UPDATE TO '0.3.0'" to load this file. \quit
