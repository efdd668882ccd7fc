-- MySQL's order of the bytes of version 1

CREATE FUNCTION comb_mysql_swap(id uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mysql_swap';
COMMENT ON FUNCTION comb_mysql_swap(uuid) IS
    'move bytes 6 to 7 and 4 to 5 of UUID in front of bytes 0 to 3, as UUID_TO_BIN(id, 1) of MySQL does';

CREATE FUNCTION comb_mysql_unswap(id uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mysql_unswap';
COMMENT ON FUNCTION comb_mysql_unswap(uuid) IS
    'reverse comb_mysql_swap(), as BIN_TO_UUID(id, 1) of MySQL does';

