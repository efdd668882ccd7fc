use super::common::{connect, value};

/// comb_between against its definition, on ids around its bounds, whole milliseconds and not.
#[test]
fn comb_between_is_what_the_timestamps_say() {
    for (layout, of_type) in [("uuidv7", "uuid"), ("mssql", "uniqueidentifier")] {
        let query = format!(
            "WITH ids AS (
                 SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '250 us', '{layout}')::{of_type} AS id
                 FROM generate_series(-40, 40) n),
             bounds AS (
                 SELECT timestamptz '2024-01-01Z' + f * interval '333 us' AS from_time,
                        timestamptz '2024-01-01Z' + t * interval '500 us' AS to_time
                 FROM generate_series(-20, 20) f, generate_series(-15, 15) t
                 UNION ALL VALUES (timestamptz '-infinity', timestamptz 'infinity'),
                                  ('infinity', 'infinity'), ('-infinity', '-infinity'),
                                  ('0044-03-15 BC', '2024-01-01Z'), ('2024-01-01Z', '294276-01-01'))
             SELECT count(*) FROM ids, bounds
             WHERE comb_between(id, from_time, to_time) IS DISTINCT FROM
                   (comb_timestamp(id, '{layout}') >= from_time AND comb_timestamp(id, '{layout}') < to_time)"
        );
        assert_eq!(value::<i64>(&mut connect(), &query), 0, "{of_type}");
    }
}
