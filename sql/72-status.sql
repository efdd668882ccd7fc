-- What the clock and the horizon are doing

CREATE FUNCTION _comb_clock_status(
        OUT scope text, OUT reason text, OUT latest timestamptz, OUT ahead interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT places integer, OUT places_used integer, OUT library_version text
    ) RETURNS record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'comb_clock_state';
COMMENT ON FUNCTION _comb_clock_status() IS 'columns of comb_status() without the version of the extension';

-- An update is due where the library is newer. What follows a hyphen, as of 0.5.0-dev, is not compared.
CREATE FUNCTION comb_status(
        OUT scope text, OUT reason text, OUT latest timestamptz, OUT ahead interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT places integer, OUT places_used integer,
        OUT library_version text, OUT extension_version text, OUT update_due boolean
    ) RETURNS record
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED COST 1000
BEGIN ATOMIC
    SELECT s.scope, s.reason, s.latest, s.ahead, s.seeded_at, s.seeded_from, s.seed_source,
        s.places, s.places_used, s.library_version, e.extversion,
        pg_catalog.string_to_array(pg_catalog.split_part(e.extversion, '-', 1), '.')::integer[]
            OPERATOR(pg_catalog.<) pg_catalog.string_to_array(pg_catalog.split_part(s.library_version, '-', 1), '.')::integer[]
    FROM _comb_clock_status() s
    LEFT JOIN pg_catalog.pg_extension e ON e.extname OPERATOR(pg_catalog.=) 'comb'::pg_catalog.name;
END;
COMMENT ON FUNCTION comb_status() IS
    'state of the clock that UUIDs are generated from: its scope, its lead over the system clock, and how it started';
