use super::common::{connect, connect_to_schema, major, run, value};

/// comb_between against its definition, on ids around its bounds, whole milliseconds and not.
#[test]
fn comb_between_is_what_the_times_say() {
    for (layout, of_type) in [("uuidv7", "uuid"), ("mssql", "uniqueidentifier")] {
        let query = format!(
            "WITH ids AS (
                 SELECT at, comb_at(at, '{layout}')::{of_type} AS id
                 FROM generate_series(-40, 40) n, LATERAL (SELECT timestamptz '2024-01-01Z' + n * interval '250 us' AS at) times),
             bounds AS (
                 SELECT timestamptz '2024-01-01Z' + f * interval '333 us' AS from_time,
                        timestamptz '2024-01-01Z' + t * interval '500 us' AS to_time
                 FROM generate_series(-20, 20) f, generate_series(-15, 15) t
                 UNION ALL VALUES (timestamptz '-infinity', timestamptz 'infinity'),
                                  ('infinity', 'infinity'), ('-infinity', '-infinity'),
                                  ('0044-03-15 BC', '2024-01-01Z'), ('2024-01-01Z', '294276-01-01'))
             SELECT count(*) FROM ids, bounds
             WHERE comb_between(id, from_time, to_time) IS DISTINCT FROM (at >= from_time AND at < to_time)"
        );
        assert_eq!(value::<i64>(&mut connect(), &query), 0, "{of_type}");
    }
}

/// The time right before an INSERT is the start of a range that has its row, the time right after it the end of one.
#[test]
fn a_row_is_between_the_times_before_and_after_its_insert() {
    let mut client = connect_to_schema("right_before");
    // Its own clock: that of the server can be ahead, since other tests share it.
    run(&mut client, "SET comb.scope = 'backend'; SET comb.drift_warning = -1");
    let own = ["uuid DEFAULT comb_new()", "uniqueidentifier DEFAULT comb_new_mssql()"];
    let of_postgres = (major(&mut client) >= 18).then_some("uuid DEFAULT uuidv7()");
    for column in own.into_iter().chain(of_postgres) {
        let insert = format!(
            "DROP TABLE IF EXISTS rows, times;
             CREATE TABLE rows (id {column}, n int);
             CREATE TABLE times (n int PRIMARY KEY, before timestamptz, after timestamptz);
             DO $$ DECLARE before timestamptz; BEGIN
                 FOR n IN 1..1000 LOOP
                     before := clock_timestamp();
                     INSERT INTO rows (n) VALUES (n);
                     INSERT INTO times VALUES (n, before, clock_timestamp());
                 END LOOP;
             END $$"
        );
        client.batch_execute(&insert).expect("rows");
        let query = "SELECT count(*) FROM rows JOIN times USING (n)
                     WHERE comb_between(id, before, 'infinity') AND comb_between(id, '-infinity', after) AND comb_between(id, before, after)
                     AND NOT comb_between(id, '-infinity', before) AND NOT comb_between(id, after, 'infinity')";
        assert_eq!(value::<i64>(&mut client, query), 1000, "{column}");
    }
}

/// Ranges that follow one another have each key once, whoever generated it. In whole milliseconds they are also right for keys that
/// have random bits below the millisecond.
#[test]
fn neighbouring_ranges_have_each_key_once() {
    let mut client = connect_to_schema("neighbours");
    run(
        &mut client,
        "CREATE TABLE keys AS
             SELECT at, comb_set_timestamp(gen_random_uuid(), at) AS random, comb_at(at) AS comb
             FROM generate_series(0, 4999) n, LATERAL (SELECT timestamptz '2024-01-01Z' + n * interval '7 us' AS at) times;
         CREATE TABLE ranges AS
             SELECT at, lead(at, 1, 'infinity') OVER (ORDER BY at) AS until
             FROM (SELECT '-infinity'::timestamptz AS at
                   UNION ALL SELECT timestamptz '2024-01-01Z' + n * interval '613 us' FROM generate_series(0, 60) n) starts",
    );
    for column in ["random", "comb"] {
        let query = format!("SELECT count(*) FROM keys k, ranges r WHERE comb_between(k.{column}, r.at, r.until)");
        assert_eq!(value::<i64>(&mut client, &query), 5000, "{column}");
    }
    let query = "SELECT count(*) FROM keys WHERE comb_between(comb, '2024-01-01 00:00:00.0049Z', '2024-01-01 00:00:00.0149Z')
                 IS DISTINCT FROM (at >= '2024-01-01 00:00:00.0049Z' AND at < '2024-01-01 00:00:00.0149Z')";
    assert_eq!(value::<i64>(&mut client, query), 0);
    let query = "SELECT count(*) FROM keys WHERE comb_between(random, '2024-01-01 00:00:00.005Z', '2024-01-01 00:00:00.015Z')
                 IS DISTINCT FROM (at >= '2024-01-01 00:00:00.005Z' AND at < '2024-01-01 00:00:00.015Z')";
    assert_eq!(value::<i64>(&mut client, query), 0);
}
