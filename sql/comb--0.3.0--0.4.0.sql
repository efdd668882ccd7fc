-- comb 0.3.0 to 0.4.0
\echo Use "ALTER EXTENSION comb UPDATE TO '0.4.0'" to load this file. \quit
