-- What \dx+ and \df+ show.

-- Generating

COMMENT ON FUNCTION comb_new() IS
    'new time-ordered UUID (RFC 9562 version 7), greater than every earlier one';
COMMENT ON FUNCTION comb_at(timestamptz) IS
    'new version 7 UUID of the given moment, for backfills';

-- Reading

COMMENT ON FUNCTION comb_timestamp(uuid) IS
    'moment of a version 7 (to the millisecond), 6 or 1 UUID; NULL for any other';
COMMENT ON FUNCTION comb_timestamp_micros(uuid) IS
    'moment of a version 7 UUID to the microsecond, from generators that write a fraction of the millisecond into rand_a, as comb_new() does';

-- Ranges

COMMENT ON FUNCTION comb_min(timestamptz) IS
    'smallest version 7 UUID of the given millisecond';
COMMENT ON FUNCTION comb_max(timestamptz) IS
    'largest version 7 UUID of the given millisecond';
COMMENT ON FUNCTION comb_between(uuid, timestamptz, timestamptz) IS
    'whether a version 7 UUID is of a moment from the first on and before the second; served by an ordinary index';
COMMENT ON FUNCTION comb_lower_bound(timestamptz) IS
    'UUID from which on version 7 UUIDs are not before the given moment; saturates beyond their range';
