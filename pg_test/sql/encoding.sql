-- In a database of another encoding, text that is not ASCII is no comb's undoing.
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
\c :regress_database
DROP DATABASE comb_regress_latin1;
