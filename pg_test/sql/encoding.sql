-- In a database of another encoding, text that is not ASCII is no comb's undoing.
\pset tuples_only on
\pset format unaligned
\set regress_database :DBNAME
CREATE DATABASE comb_regress_latin1 ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C';
\c comb_regress_latin1
SET client_encoding = 'UTF8';
CREATE EXTENSION comb;
SELECT comb_bsv_uuid('0Bj4hRXIFkDocé$DXPivPF7nPBmO-smc');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDocé$DXPivPF7nPBmO-smc');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF', 'Étretat');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF', 'UTC') AT TIME ZONE 'UTC' AS utc;
SELECT comb_new('maison-fondée');
SELECT comb_decode('01ARZ3NDEKTSV4RRFFQ69G5Fé');
\c :regress_database
DROP DATABASE comb_regress_latin1;

-- A message that is cut off ends with a whole character.
CREATE DATABASE comb_regress_utf8 ENCODING 'UTF8' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C';
\c comb_regress_utf8
SET client_encoding = 'UTF8';
CREATE EXTENSION comb;
SELECT comb_decode('01ARZ3NDEKTSV4RRFFQ69G5Fé');
SELECT comb_decode(repeat('é', 1000));
\set VERBOSITY terse
SELECT comb_new(repeat('𝄞', 1000));
\set VERBOSITY default
\c :regress_database
DROP DATABASE comb_regress_utf8;
