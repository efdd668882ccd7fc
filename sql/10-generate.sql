-- Generating UUIDs

CREATE FUNCTION comb_new() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new';
COMMENT ON FUNCTION comb_new() IS 'generate UUID version 7, greater than all earlier ones in the scope';

CREATE FUNCTION comb_new(layout text) RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_layout';
COMMENT ON FUNCTION comb_new(text) IS
    'generate UUID in the given layout, greater in the order of the layout than all earlier ones in the scope';

CREATE FUNCTION comb_new_mssql() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_mssql';
COMMENT ON FUNCTION comb_new_mssql() IS
    'generate UUID in layout mssql, greater in SQL Server''s order than all earlier ones in the scope';

CREATE FUNCTION comb_new_mssql_legacy() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_mssql_legacy';
COMMENT ON FUNCTION comb_new_mssql_legacy() IS
    'generate UUID in layout mssql_legacy, greater in SQL Server''s order than all earlier ones in the scope';

CREATE FUNCTION comb_at(at timestamptz, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_at';
COMMENT ON FUNCTION comb_at(timestamptz, text) IS 'generate UUID with the given timestamp';

