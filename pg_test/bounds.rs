use super::server::{connect, connect_to_schema, plan, run, value};

/// comb_between against its definition, on ids around its bounds, whole milliseconds and not.
#[test]
fn comb_between_is_what_the_timestamps_say() {
    let differences: i64 = value(
        &mut connect(),
        "WITH ids AS (
             SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '250 us') AS id
             FROM generate_series(-40, 40) n),
         bounds AS (
             SELECT timestamptz '2024-01-01Z' + f * interval '333 us' AS from_time,
                    timestamptz '2024-01-01Z' + t * interval '500 us' AS to_time
             FROM generate_series(-20, 20) f, generate_series(-15, 15) t
             UNION ALL VALUES (timestamptz '-infinity', timestamptz 'infinity'),
                              ('infinity', 'infinity'), ('-infinity', '-infinity'),
                              ('0044-03-15 BC', '2024-01-01Z'), ('2024-01-01Z', '294276-01-01'))
         SELECT count(*) FROM ids, bounds
         WHERE comb_between(id, from_time, to_time)
               IS DISTINCT FROM (comb_timestamp(id) >= from_time AND comb_timestamp(id) < to_time)",
    );
    assert_eq!(differences, 0);
}

/// comb_between_micros against its definition, on ids around its bounds.
#[test]
fn comb_between_micros_is_what_the_timestamps_say() {
    let mut client = connect();
    let differences: i64 = value(
        &mut client,
        "WITH ids AS (
             SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '1 us') AS id
             FROM generate_series(-1100, 1100, 7) n
             UNION ALL SELECT comb_max(timestamptz '2024-01-01Z' + n * interval '1 ms')
             FROM generate_series(-2, 2) n
             UNION ALL SELECT unnest(ARRAY[comb_min('1970-01-01Z'), comb_max('10889-08-02 05:31:50.655Z')])),
         bounds AS (
             SELECT timestamptz '2024-01-01Z' + f * interval '333 us' AS from_time,
                    timestamptz '2024-01-01Z' + t * interval '501 us' AS to_time
             FROM generate_series(-4, 4) f, generate_series(-3, 3) t
             UNION ALL SELECT comb_timestamp_micros(id), 'infinity' FROM ids
             UNION ALL VALUES (timestamptz '-infinity', timestamptz 'infinity'),
                              ('infinity', 'infinity'), ('-infinity', '-infinity'),
                              ('0044-03-15 BC', '2024-01-01Z'), ('2024-01-01Z', '294276-01-01'))
         SELECT count(*) FROM ids, bounds
         WHERE comb_between_micros(id, from_time, to_time)
               IS DISTINCT FROM (comb_timestamp_micros(id) >= from_time AND comb_timestamp_micros(id) < to_time)",
    );
    assert_eq!(differences, 0);
    // New ids are found by their own time, which comb_lower_bound() would round up.
    let found: bool = value(
        &mut client,
        "SELECT bool_and(id >= comb_lower_bound_micros(comb_timestamp_micros(id))
                         AND id < comb_lower_bound_micros(comb_timestamp_micros(id) + interval '1 us'))
         FROM (SELECT comb_new() AS id FROM generate_series(1, 100000)) ids",
    );
    assert!(found);
}

/// The planner sees the two comparisons.
#[test]
fn comb_between_micros_uses_an_index() {
    let mut client = connect_to_schema("between_micros");
    run(
        &mut client,
        "CREATE TABLE items (id uuid PRIMARY KEY DEFAULT comb_new());
         INSERT INTO items SELECT FROM generate_series(1, 10000);
         VACUUM ANALYZE items;",
    );
    let range =
        "SELECT * FROM items WHERE comb_between_micros(id, now() - interval '1 s', '2024-01-01Z')";
    let plan = plan(&mut client, range);
    assert!(plan.contains("Index Cond: ((items.id >= comb_lower_bound_micros("), "{plan}");
}

#[test]
fn ids_of_a_millisecond_lie_between_comb_min_and_comb_max() {
    let inside: bool = value(
        &mut connect(),
        "SELECT bool_and(id BETWEEN comb_min(comb_timestamp(id)) AND comb_max(comb_timestamp(id)))
         FROM (SELECT comb_new() AS id FROM generate_series(1, 10000)) ids",
    );
    assert!(inside);
}
