-- Statements that only some major versions have
--
-- SQL has no IF, and a database may lack PL/pgSQL. Therefore a script calls this function in a query with a condition.

CREATE FUNCTION _comb_execute(statement text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'comb_execute';
COMMENT ON FUNCTION _comb_execute(text) IS 'execute a statement of the extension''s scripts, in a query that has its condition';
REVOKE ALL ON FUNCTION _comb_execute(text) FROM PUBLIC;

