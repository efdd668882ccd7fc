-- What \dx+, \dT+ and \df+ show.

-- Layouts

COMMENT ON TYPE comb_layout IS
    'layout of a COMB: which clock it carries, which bytes are compared first, which version is stamped';
COMMENT ON VIEW comb_layouts IS
    'every layout with its clock, byte order, stamp, resolution, range and the programs that write it';
COMMENT ON FUNCTION comb_layout_table() IS
    'rows of the view comb_layouts';

-- Generating

COMMENT ON FUNCTION comb_new() IS
    'new time-ordered UUID (RFC 9562 version 7), greater than every earlier one of its scope';
COMMENT ON FUNCTION comb_new(comb_layout) IS
    'new COMB in the given layout, greater in its byte order than every earlier one of its scope';
COMMENT ON FUNCTION comb_new_mssql() IS
    'new COMB in layout mssql: increasing as SQL Server compares';
COMMENT ON FUNCTION comb_new_mssql_legacy() IS
    'new COMB in layout mssql_legacy: increasing as SQL Server compares, readable as its datetime';
COMMENT ON FUNCTION comb_new_bsv() IS
    'new BSV COMB: 32 characters that sort as their moments do under COLLATE "C"';
COMMENT ON FUNCTION comb_at(timestamptz, comb_layout) IS
    'new COMB of the given moment, for backfills';
COMMENT ON FUNCTION comb_shifted(interval, comb_layout) IS
    'new COMB of now plus the given interval';

-- Reading

COMMENT ON FUNCTION comb_timestamp(uuid) IS
    'moment of a version 7 (to the millisecond), 6 or 1 UUID; NULL for any other';
COMMENT ON FUNCTION comb_timestamp(uuid, comb_layout) IS
    'moment of a COMB in the given layout; NULL where the UUID cannot be one';
COMMENT ON FUNCTION comb_timestamp_mssql(uuid) IS
    'moment of a COMB in layout mssql';
COMMENT ON FUNCTION comb_timestamp_mssql_legacy(uuid) IS
    'moment of a COMB in layout mssql_legacy; NULL where the UUID cannot be one';
COMMENT ON FUNCTION comb_timestamp_micros(uuid) IS
    'moment of a version 7 UUID to the microsecond, from generators that write a fraction of the millisecond into rand_a, as comb_new() does';
COMMENT ON FUNCTION comb_inspect(uuid) IS
    'what a UUID can be: version, variant, and its moment in every layout, plausible ones first';
COMMENT ON FUNCTION comb_bsv_timestamp(text, text) IS
    'moment of a BSV COMB whose writer''s clock showed the given time zone; NULL past year 9999';
COMMENT ON FUNCTION comb_bsv_uuid(text) IS
    'version 4 UUID in a BSV COMB';

-- Rewriting

COMMENT ON FUNCTION comb_set_timestamp(uuid, timestamptz, comb_layout) IS
    'the UUID with its time field overwritten and every other bit kept; uuidv7 is stamped too';
COMMENT ON FUNCTION comb_convert(uuid, comb_layout, comb_layout) IS
    'the COMB of the first layout written in the second; NULL where the UUID is not of the first';
COMMENT ON FUNCTION comb_dotnet_swap(uuid) IS
    'the UUID with bytes 0 to 3, 4 to 5 and 6 to 7 reversed, as Guid.ToByteArray() has them; its own inverse';

-- Ranges

COMMENT ON FUNCTION comb_min(timestamptz, comb_layout) IS
    'smallest COMB of the given moment';
COMMENT ON FUNCTION comb_max(timestamptz, comb_layout) IS
    'largest COMB of the given moment';
COMMENT ON FUNCTION comb_between(uuid, timestamptz, timestamptz) IS
    'whether a version 7 UUID is of a moment from the first on and before the second; served by an ordinary index';
COMMENT ON FUNCTION comb_lower_bound(timestamptz) IS
    'UUID from which on version 7 UUIDs are not before the given moment; saturates beyond their range';

-- The clock

COMMENT ON FUNCTION comb_status() IS
    'the clock that ids are made by: whose it is and why, where it stands, its lead over the system clock and when that will be gone';
COMMENT ON FUNCTION comb_observe(uuid, comb_layout) IS
    'lets ids go on from the given one: after a failover, a restore or a switch-over';
COMMENT ON FUNCTION comb_reset_clock() IS
    'sets the clock that ids are made by back to the system clock, and gives up their order for it';
