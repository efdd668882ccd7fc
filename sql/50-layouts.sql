-- Layouts. ROWS is about right, so that a new layout need not change it. STABLE, because a release can add a layout.

CREATE FUNCTION comb_layouts() RETURNS TABLE (
        label text, time_field text, byte_order text, stamp integer, resolution text,
        first text, last text, known_as text
    )
    LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 20 AS 'MODULE_PATHNAME', 'comb_layouts';
COMMENT ON FUNCTION comb_layouts() IS
    'layouts, with their time field, byte order, version, resolution, range and the programs that write them';

