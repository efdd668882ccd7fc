//! Hypertables by the time of comb's keys, and TimescaleDB's functions together with comb's.

use pg_test::sqlstate;

use super::common::{Host, Section};

/// What drop_chunks does to `events`.
const CHUNKS: &str = "
    SELECT 'drop_chunks drops the old rows', count(*) > 0 FROM drop_chunks('events', older_than => now() - interval '5 days');
    SELECT 'and no others', (SELECT count(*) FROM events) = (SELECT count(*) FROM plain WHERE comb_timestamp(id) >= date_trunc('day', now()) - interval '5 days')";

const FUNCTIONS: &str = "
    CREATE TEMP TABLE ids AS SELECT comb_new() AS id FROM generate_series(1, 100000)
        UNION ALL SELECT comb_at('1970-01-01Z'::timestamptz + random() * 8000 * interval '1 year') FROM generate_series(1, 100000)
        UNION ALL SELECT generate_uuidv7() FROM generate_series(1, 100000) UNION ALL SELECT uuidv7() FROM generate_series(1, 100000);
    CREATE TEMP TABLE times AS SELECT '1970-01-01Z'::timestamptz + random() * 1000 * interval '1 year' AS t FROM generate_series(1, 100000);

    SELECT 'uuid_timestamp is comb_timestamp, for 100,000 ids of each of four functions', count(*) = 400000 AND bool_and(uuid_timestamp(id) = comb_timestamp(id)) FROM ids;
    SELECT 'uuid_timestamp_micros is comb_timestamp_micros', bool_and(uuid_timestamp_micros(id) = comb_timestamp_micros(id)) FROM ids;
    SELECT 'both are NULL for random UUIDs', bool_and(uuid_timestamp(id) IS NULL AND comb_timestamp(id) IS NULL)
    FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 1000)) random;
    SELECT 'comb reads the microseconds of to_uuidv7, for 100,000 times', bool_and(comb_timestamp_micros(to_uuidv7(t)) = t) FROM times;
    SELECT 'TimescaleDB reads those of comb_at', bool_and(uuid_timestamp_micros(comb_at(t)) = t) FROM times;
    SELECT 'for whole milliseconds, to_uuidv7_boundary is comb_lower_bound', bool_and(to_uuidv7_boundary(ms) = comb_lower_bound(ms))
    FROM (SELECT date_trunc('milliseconds', t) AS ms FROM times) whole;
    SELECT 'for others it is less', bool_and(to_uuidv7_boundary(t) <= comb_lower_bound(t))
    FROM times WHERE t <> date_trunc('milliseconds', t)";

/// Constants by EXECUTE: TimescaleDB excludes chunks by constants only.
const MSSQL_RANGES: &str = "
    CREATE FUNCTION differs(a timestamptz, b timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE answer boolean;
    BEGIN
        EXECUTE format('SELECT (SELECT array_agg(v ORDER BY v) FROM parcels WHERE id >= %1$L AND id < %2$L)
            IS DISTINCT FROM (SELECT array_agg(v ORDER BY v) FROM plain_parcels WHERE id >= %1$L AND id < %2$L)',
            comb_mssql_lower_bound(a), comb_mssql_lower_bound(b)) INTO answer;
        RETURN answer;
    END $$;
    SELECT 'the rows of 50 ranges are those of a plain table', count(*) FILTER (WHERE differs(a, a + w)) = 0
    FROM (SELECT '2026-10-31Z'::timestamptz + random() * interval '11 days' AS a, random() * interval '3 days' AS w FROM generate_series(1, 50)) ranges;
    SELECT 'and in its order', array_agg(v ORDER BY id) = array_agg(v ORDER BY v) FROM parcels";

/// The plan of a statement, with the rows that each part had.
fn plan(a: &Host, statement: &str) -> String {
    let options = "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF";
    a.superuser(&format!("EXPLAIN ({options}) {statement}"))
}

/// How many chunks a plan reads.
fn chunks(plan: &str) -> usize {
    plan.lines().filter(|line| line.contains("on _hyper_")).count()
}

/// Asserts that all but two chunks at most are excluded when the query starts.
fn assert_excluded_at_startup(plan: &str) {
    assert!(plan.contains("Chunks excluded during startup: ") && chunks(plan) <= 2, "{plan}");
}

fn start() -> [Host; 1] {
    let host = Host::start(&[("shared_preload_libraries", "comb,timescaledb"), ("timescaledb.telemetry_level", "off")]);
    [host]
}

#[test]
#[ignore = "needs TimescaleDB: make companions"]
fn hypertables_by_keys() {
    let hosts = start();
    let [a] = &hosts;
    let mut section = Section::of("docs/extensions.md", "TimescaleDB", &hosts);
    section.run(a, "CREATE EXTENSION timescaledb");
    a.app("CREATE EXTENSION comb");

    version_7(a, &mut section);
    a.facts("shop", "postgres", FUNCTIONS);
    mssql(a, &mut section);
    section.end();
}

#[test]
#[ignore = "needs TimescaleDB: make companions"]
fn polls_of_a_hypertable() {
    let [a] = &start();
    a.superuser("CREATE EXTENSION timescaledb");
    a.app(
        "CREATE EXTENSION comb;
         CREATE TABLE readings (position bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL, v int)
             WITH (tsdb.hypertable, tsdb.partition_column = 'at', tsdb.chunk_interval = '1 day');
         INSERT INTO readings (at, v) VALUES ('2026-01-01Z', 0);
         CALL comb_enable_polls('readings', 'position')",
    );
    let (mut slow, mut fast, mut reader) = (a.connect(), a.connect(), a.connect());
    let mut read = Vec::<i64>::new();
    let mut poll = || {
        let cursor = read.last().copied().unwrap_or_default();
        let rows = "SELECT position FROM readings
            WHERE position > $1 AND position <= comb_number_horizon('readings', after => $1) ORDER BY position";
        match reader.query(rows, &[&cursor]) {
            Ok(rows) => read.extend(rows.iter().map(|row| row.get::<_, i64>(0))),
            Err(error) => assert_eq!(error.code().map(|code| code.code()), Some("40001"), "{error}"),
        }
        read.clone()
    };
    assert_eq!(poll(), [1]);
    slow.batch_execute("BEGIN; INSERT INTO readings (at, v) VALUES ('2026-01-01Z', 1)").expect("a row");
    fast.batch_execute("INSERT INTO readings (at, v) VALUES ('2026-01-01 01:00Z', 2), ('2026-01-01 02:00Z', 3)").expect("rows");
    assert_eq!(poll(), [1], "the open transaction holds the horizon");
    slow.batch_execute("COMMIT").expect("COMMIT");
    assert_eq!(poll(), [1, 2, 3, 4]);
    fast.batch_execute(
        "INSERT INTO readings (at, v) SELECT '2026-01-02Z'::timestamptz + n * interval '1 day', n FROM generate_series(1, 5) n",
    )
    .expect("rows in new chunks");
    // The first poll finds the new chunks: 40001.
    poll();
    assert_eq!(poll(), (1..=9).collect::<Vec<_>>());
    let old = "INSERT INTO readings OVERRIDING SYSTEM VALUE VALUES (2, '2026-01-05Z', 1)";
    assert_eq!(sqlstate(&mut fast, old), "23514");
    a.app("CALL comb_enable_polls('readings', 'position')");
    fast.batch_execute("INSERT INTO readings (at, v) VALUES ('2026-01-05Z', 1)").expect("a row");
    assert_eq!(poll().last(), Some(&10));

    // Who creates a chunk waits for no writer.
    slow.batch_execute("BEGIN; INSERT INTO readings (at, v) VALUES ('2026-01-05Z', 1)").expect("a row");
    fast.batch_execute("INSERT INTO readings (at, v) VALUES ('2026-02-01Z', 1)").expect("a new chunk");
    slow.batch_execute("INSERT INTO readings (at, v) VALUES ('2026-02-01Z', 1)").expect("a row of the chunk");
    poll();
    assert_eq!(poll().last(), Some(&10), "the open transaction holds the horizon");
    slow.batch_execute("COMMIT").expect("COMMIT");
    assert_eq!(poll(), (1..=13).collect::<Vec<_>>());
}

fn version_7(a: &Host, section: &mut Section) {
    section.run(a, "tsdb.hypertable");
    a.app(
        "INSERT INTO events SELECT comb_at(date_trunc('day', now()) - n * interval '1 hour'), n FROM generate_series(1, 240) n;
         CREATE TABLE plain AS SELECT * FROM events",
    );
    assert_eq!(a.superuser("SELECT count(*) FROM show_chunks('events')"), "10");
    let days_ago = |days| a.superuser(&format!("SELECT date_trunc('day', now()) - interval '{days} days'"));
    let (from, to) = (days_ago(3), days_ago(2));
    let range = plan(a, &format!("SELECT * FROM events WHERE comb_between(id, '{from}', '{to}')"));
    assert_eq!(chunks(&range), 1, "{range}");
    let now = "SELECT * FROM events WHERE comb_between(id, now() - interval '1 day', now())";
    assert_excluded_at_startup(&plan(a, now));
    let generic = a.superuser(&format!(
        "SET plan_cache_mode = force_generic_plan;
         PREPARE q(timestamptz, timestamptz) AS SELECT * FROM events WHERE comb_between(id, $1, $2);
         EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) EXECUTE q('{from}', '{to}')"
    ));
    assert_excluded_at_startup(&generic);

    let days = "SELECT date_trunc('day', comb_timestamp(id)), count(*) FROM plain
                WHERE comb_between(id, now() - interval '3 days', now()) GROUP BY 1 ORDER BY 1";
    assert_eq!(section.run(a, "SELECT time_bucket"), a.superuser(days));
    let bucket = "SELECT bool_and(time_bucket('1 day', id) = time_bucket('1 day', comb_timestamp(id))) FROM events";
    assert_eq!(a.superuser(bucket), "t");
    a.facts("shop", "app", CHUNKS);
}

fn mssql(a: &Host, section: &mut Section) {
    section.run(a, "CREATE FUNCTION parcel_time");
    a.app(
        "INSERT INTO parcels SELECT comb_at('2026-11-01Z'::timestamptz + n * interval '1 hour', 'mssql'), n FROM generate_series(0, 239) n;
         CREATE TABLE plain_parcels AS SELECT * FROM parcels",
    );
    assert_eq!(a.superuser("SELECT count(*) FROM show_chunks('parcels')"), "10");
    let constants = "SELECT * FROM parcels WHERE comb_between(id, '2026-11-03Z', '2026-11-04Z')";
    let constants = plan(a, constants);
    assert!(chunks(&constants) <= 2, "{constants}");
    let now = "SELECT * FROM parcels WHERE comb_between(
                   id, '2026-11-03Z'::timestamptz + (now() - now()), '2026-11-04Z'::timestamptz + (now() - now()))";
    let now = plan(a, now);
    assert_eq!(chunks(&now), 10, "{now}");
    assert!(now.contains("Index Cond: ((id >= comb_mssql_lower_bound"), "{now}");
    a.facts("shop", "postgres", MSSQL_RANGES);
}
