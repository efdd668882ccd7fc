-- The clock that keeps generated UUIDs in order

CREATE FUNCTION comb_status(
        OUT scope text, OUT reason text,
        OUT latest timestamptz, OUT ahead interval, OUT level_at timestamptz, OUT lead_stays boolean,
        OUT steps_back bigint, OUT stepped_back interval, OUT largest_step_back interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT library_version text, OUT extension_version text, OUT update_due boolean,
        OUT horizon timestamptz, OUT horizon_held_for interval
    ) RETURNS record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_status';
COMMENT ON FUNCTION comb_status() IS
    'state of the clock that UUIDs are generated from: its scope, its lead over the system clock, and how it started';

CREATE FUNCTION comb_observe(id uuid, layout text DEFAULT 'uuidv7') RETURNS timestamptz
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_observe';
COMMENT ON FUNCTION comb_observe(uuid, text) IS
    'advance the clock to the given UUID, so that the next UUID is greater; for use after failover or restore';

CREATE FUNCTION comb_reset_clock() RETURNS timestamptz
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_reset_clock';
COMMENT ON FUNCTION comb_reset_clock() IS
    'set the clock back to the system clock; the next UUID may be smaller than earlier ones';

-- They change the order of everybody's UUIDs. 95-majors.sql grants them to pg_maintain.
REVOKE ALL ON FUNCTION comb_observe(uuid, text), comb_reset_clock() FROM PUBLIC;

