CREATE FUNCTION comb_between(id uuid, from_time timestamptz, to_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= comb_lower_bound(from_time) AND id < comb_lower_bound(to_time);
