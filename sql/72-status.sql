-- What the clock and the horizon are doing

CREATE FUNCTION comb_status(
        OUT scope text, OUT reason text,
        OUT latest timestamptz, OUT ahead interval, OUT level_at timestamptz, OUT lead_stays boolean,
        OUT steps_back bigint, OUT stepped_back interval, OUT largest_step_back interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT library_version text, OUT extension_version text, OUT update_due boolean,
        OUT horizon timestamptz, OUT horizon_held_for interval
    ) RETURNS record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'comb_status';
COMMENT ON FUNCTION comb_status() IS
    'state of the clock that UUIDs are generated from: its scope, its lead over the system clock, and how it started';
