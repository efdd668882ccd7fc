//! More than one process, and what the planner makes of the functions.

use postgres::Client;

use super::common::{connect, connect_to_schema, plan, value};

/// A connection whose queries of the table `source` are parallel, without the leader.
fn connect_with_workers(schema: &str, rows: i64) -> Client {
    let mut client = connect_to_schema(schema);
    client
        .batch_execute(&format!(
            "CREATE TABLE source AS SELECT n FROM generate_series(1, {rows}) n;
             ANALYZE source;
             SET parallel_setup_cost = 0;
             SET parallel_tuple_cost = 0;
             SET min_parallel_table_scan_size = 0;
             SET max_parallel_workers_per_gather = 4;
             SET parallel_leader_participation = off;"
        ))
        .expect("a table");
    client
}

#[test]
fn parallel_workers_make_distinct_ids() {
    const ROWS: i64 = 200_000;
    let mut client = connect_with_workers("parallel", ROWS);
    let ids = "SELECT comb_new() AS id FROM source";

    // The call stands below the Gather, and the leader takes no part.
    let plan = plan(&mut client, ids);
    let gather = plan.find("Gather").unwrap_or_else(|| panic!("{plan}"));
    assert!(plan[gather..].contains("Parallel Seq Scan"), "{plan}");
    let scan = plan.find("Parallel Seq Scan").expect("found above");
    assert!(plan[scan..].contains("comb_new()"), "{plan}");

    client.batch_execute(&format!("CREATE TABLE made AS {ids}")).expect("ids");
    assert_eq!(value::<i64>(&mut client, "SELECT count(DISTINCT id) FROM made"), ROWS);
    // Workers that shared their randomness would repeat tails, whatever their ticks were. Of so many
    // random ones, of 48 bits, none repeats but once in ten thousand runs.
    let tails = "SELECT count(DISTINCT right(id::text, 12)) FROM made";
    assert_eq!(value::<i64>(&mut client, tails), ROWS);
}

#[test]
fn the_library_names_itself() {
    let mut client = connect();
    if super::common::major(&mut client) >= 18 {
        let version = "SELECT count(comb_new()) || (SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'comb')";
        assert_eq!(value::<String>(&mut client, version), concat!("1", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn connections_draw_different_random_bits() {
    const CONNECTIONS: usize = 50;
    // Byte 8 on: the lowest four fraction bits and all that is random.
    let tails: std::collections::HashSet<String> =
        (0..CONNECTIONS).map(|_| value(&mut connect(), "SELECT right(comb_new()::text, 15)")).collect();
    assert_eq!(tails.len(), CONNECTIONS);
}

#[test]
fn comb_between_uses_an_ordinary_index() {
    let mut client = connect_to_schema("indexed");
    client
        .batch_execute(
            "CREATE TABLE keyed (id uuid PRIMARY KEY);
             INSERT INTO keyed
                 SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '1 minute')
                 FROM generate_series(0, 99999) n;
             ANALYZE keyed;",
        )
        .expect("a table");
    let query = "SELECT count(*) FROM keyed
                 WHERE comb_between(id, timestamptz '2024-02-01Z', timestamptz '2024-02-02Z')";
    let constant = plan(&mut client, query);
    assert!(constant.contains("Index Cond"), "{constant}");
    assert!(!constant.contains("comb_between"), "{constant}");
    assert_eq!(value::<i64>(&mut client, query), 24 * 60);

    // A time that is known only when the query runs.
    let stable = plan(&mut client, "SELECT * FROM keyed WHERE comb_between(id, now() - interval '1 day', now())");
    assert!(stable.contains("Index Cond"), "{stable}");
}

#[test]
fn comb_between_prunes_partitions() {
    let mut client = connect_to_schema("partitioned");
    client
        .batch_execute(
            "CREATE TABLE keyed (id uuid PRIMARY KEY DEFAULT comb_new()) PARTITION BY RANGE (id);
             CREATE TABLE january PARTITION OF keyed
                 FOR VALUES FROM (comb_lower_bound('2024-01-01Z')) TO (comb_lower_bound('2024-02-01Z'));
             CREATE TABLE february PARTITION OF keyed
                 FOR VALUES FROM (comb_lower_bound('2024-02-01Z')) TO (comb_lower_bound('2024-03-01Z'));
             CREATE TABLE march PARTITION OF keyed
                 FOR VALUES FROM (comb_lower_bound('2024-03-01Z')) TO (comb_lower_bound('2024-04-01Z'));
             INSERT INTO keyed
                 SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '1 hour')
                 FROM generate_series(0, 31 * 24 + 29 * 24 - 1) n;",
        )
        .expect("a table");
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM january"), 31 * 24);
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM february"), 29 * 24);

    let query = "SELECT * FROM keyed WHERE comb_between(id, timestamptz '2024-02-10Z', timestamptz '2024-02-11Z')";
    let plan = plan(&mut client, query);
    assert!(plan.contains("february"), "{plan}");
    assert!(!plan.contains("january") && !plan.contains("march"), "{plan}");
}
