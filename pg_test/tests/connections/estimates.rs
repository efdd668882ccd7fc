//! What the planner estimates of ranges of time.

use postgres::Client;

use super::common::{connect_to_schema, plan, run, value};

/// Keys of 30 days, one in 25.92 s, up to now: all but those of the last day are analyzed.
const TABLE: &str = "
    CREATE TABLE keyed (id uuid PRIMARY KEY, day int) WITH (autovacuum_enabled = off);
    INSERT INTO keyed
        SELECT comb_at(now() - interval '30 days' + n * interval '25.92 s'), n / 3334 FROM generate_series(1, 96666) n;
    ANALYZE keyed;
    INSERT INTO keyed
        SELECT comb_at(now() - interval '30 days' + n * interval '25.92 s'), n / 3334 FROM generate_series(96667, 100000) n;
    SELECT pg_stat_force_next_flush();";

fn rows(plan: &str) -> f64 {
    let rows = plan.split("rows=").nth(1).and_then(|rest| rest.split(' ').next());
    rows.and_then(|rows| rows.parse().ok()).unwrap_or_else(|| panic!("{plan}"))
}

/// The rows that are estimated, of those that are there.
fn factor(client: &mut Client, condition: &str) -> f64 {
    let actual: i64 = value(client, &format!("SELECT count(*) FROM keyed WHERE {condition}"));
    let estimated = client.query(&format!("EXPLAIN SELECT * FROM keyed WHERE {condition}"), &[]);
    let estimated: String = estimated.expect("a plan")[0].get(0);
    rows(&estimated) / actual.max(1) as f64
}

fn assert_estimates(client: &mut Client, conditions: &[&str]) {
    for condition in conditions {
        let factor = factor(client, condition);
        assert!((1.0 / 1.3..1.3).contains(&factor), "{condition}: {factor}");
    }
}

#[test]
fn estimates_know_the_time() {
    let mut client = connect_to_schema("estimates");
    run(&mut client, TABLE);
    assert_estimates(
        &mut client,
        &[
            "comb_between(id, now() - interval '9 days', now() - interval '8 days')",
            "comb_between(id, now() - interval '9 days', now() - interval '215 hours')",
            "comb_between(id, now() - interval '9 days 5 min', now() - interval '215 hours')",
            "comb_between(id, now() - interval '1 day', 'infinity')",
            "comb_between(id, now() - interval '1 hour', 'infinity')",
            "comb_between(id, '-infinity', 'infinity')",
            "day = 5 AND comb_between(id, '-infinity', 'infinity')",
            "comb_between(id, now() - interval '3 days', 'infinity') AND comb_between(id, now() - interval '9 hours', 'infinity')",
            "comb_between(id, now() - interval '3 days', 'infinity') AND comb_between(id, '-infinity', now() - interval '2 days')",
        ],
    );
    // The value of an expression in one statement is not that in the next.
    let older = "EXPLAIN SELECT FROM keyed WHERE comb_between(id, '-infinity', now() - current_setting('test.age')::interval)";
    let [most, few] = ["05 days", "25 days"].map(|age| {
        run(&mut client, &format!("SET test.age = '{age}'"));
        rows(client.query(older, &[]).expect("a plan")[0].get(0))
    });
    assert!(most > 4.0 * few, "{most} and {few}");
    let same = "comb_between(id, now() - interval '2 days', 'infinity') AND comb_between(id, now() - interval '2 days', now())";
    assert_estimates(&mut client, &[same]);
    for other in [
        "comb_between(id, 'infinity', '-infinity')",
        "comb_between(id, NULL, now())",
        "comb_between(id, now() + interval '1 day', 'infinity')",
        "comb_between(id, now() - interval '3 days', 'infinity') AND comb_between(id, '-infinity', now() - interval '5 days')",
    ] {
        assert!(factor(&mut client, other) <= 1.0, "{other}");
    }
}

/// The counters of the load arrive after those of its ANALYZE.
#[test]
fn a_table_that_was_loaded_has_no_new_rows() {
    let mut client = connect_to_schema("estimates_loaded");
    run(
        &mut client,
        "CREATE TABLE keyed (id uuid) WITH (autovacuum_enabled = off);
         INSERT INTO keyed
             SELECT comb_at(now() - interval '30 days' + n * interval '25.92 s') FROM generate_series(1, 90000) n; ANALYZE keyed;
         SELECT pg_stat_force_next_flush();",
    );
    let recent = "comb_between(id, now() - interval '2 days', 'infinity')";
    assert!(factor(&mut client, recent) < 10.0);
}

#[test]
fn random_keys_repeated_keys_and_nulls_get_their_share() {
    let mut client = connect_to_schema("estimates_mixed");
    run(
        &mut client,
        "CREATE TABLE keyed (id uuid);
             INSERT INTO keyed SELECT gen_random_uuid() FROM generate_series(1, 40000);
             INSERT INTO keyed
                 SELECT comb_at('2024-01-01Z'::timestamptz + n * interval '1 minute') FROM generate_series(1, 30000) n;
             INSERT INTO keyed SELECT comb_lower_bound('2024-02-01Z') FROM generate_series(1, 10000);
             INSERT INTO keyed SELECT NULL FROM generate_series(1, 20000);
             ANALYZE keyed;",
    );
    assert_estimates(
        &mut client,
        &[
            "comb_between(id, '2024-01-10Z', '2024-01-12Z')",
            "comb_between(id, '2024-01-30Z', '2024-02-02Z')",
            "comb_between(id, '-infinity', 'infinity')",
            "comb_between(id, '2024-01-10Z', 'infinity')",
        ],
    );
}

#[test]
fn uniqueidentifiers_are_estimated_in_their_order() {
    let mut client = connect_to_schema("estimates_mssql");
    run(&mut client, TABLE);
    run(
        &mut client,
        "CREATE TABLE guids AS SELECT comb_convert(id, 'uuidv7', 'mssql')::uniqueidentifier AS id FROM keyed;
             DROP TABLE keyed; ALTER TABLE guids RENAME TO keyed; ANALYZE keyed",
    );
    let hour = "comb_between(id, now() - interval '9 days', now() - interval '215 hours')";
    assert_estimates(&mut client, &[hour]);
    // The histogram is in the order of the column's type, not in that of what it is cast to.
    let cast = "comb_between(id::uuid, '1970-01-01Z', '1970-01-01 00:01Z')";
    assert_eq!(factor(&mut client, cast), 500.0, "{cast}");
}

/// PostgreSQL's own estimator counts one row: the histogram of a uuid is in another order. Of a histogram in another order, bins
/// of ten keys are left.
#[test]
fn comparisons_of_uuid_in_sql_servers_order_are_estimated() {
    let mut client = connect_to_schema("estimates_mssql_ops");
    run(&mut client, TABLE);
    run(
        &mut client,
        "CREATE TABLE guids AS SELECT comb_convert(id, 'uuidv7', 'mssql') AS id, day FROM keyed;
             CREATE UNIQUE INDEX ON guids (id uuid_mssql_ops);
             DROP TABLE keyed; ALTER TABLE guids RENAME TO keyed; ANALYZE keyed",
    );
    let bound = |age: &str| format!("comb_lower_bound(now() - interval '{age}', 'mssql')");
    let range = |from: &str, to: &str| format!("id >=# {} AND id <# {}", bound(from), bound(to));
    for condition in [
        range("9 days", "8 days"),
        range("9 days", "215 hours"),
        range("9 days", "12940 min"),
        format!("{} ># id AND {} <=# id", bound("8 days"), bound("9 days")),
        format!("day >= 0 AND {}", range("20 days", "10 days")),
        format!("id ># {}", bound("3 days")),
        format!("NOT id <# {}", bound("27 days")),
        format!("{} AND id ># {}", range("9 days", "7 days"), bound("8 days")),
    ] {
        let factor = factor(&mut client, &condition);
        assert!((0.4..2.5).contains(&factor), "{condition}: {factor}");
    }
    // Without a time.
    assert!(factor(&mut client, "id <# (SELECT id FROM keyed LIMIT 1)") > 0.2);
    let never = format!("{} AND id ># {}", range("9 days", "8 days"), bound("1 day"));
    assert!(factor(&mut client, &never) <= 1.0);
    assert!(factor(&mut client, "id <# NULL") <= 1.0);
    let plan = plan(&mut client, &format!("SELECT * FROM keyed WHERE {}", range("9 days", "215 hours")));
    assert!(plan.contains("Index Cond: ((keyed.id >=# ") && plan.contains(" AND (keyed.id <# "), "{plan}");
}

#[test]
fn partitions_are_pruned_and_estimated() {
    let mut client = connect_to_schema("estimates_partitions");
    run(
        &mut client,
        "CREATE TABLE keyed (id uuid PRIMARY KEY, n int) PARTITION BY RANGE (id);
             CREATE TABLE january PARTITION OF keyed
                 FOR VALUES FROM (comb_lower_bound('2024-01-01Z')) TO (comb_lower_bound('2024-02-01Z'));
             CREATE TABLE february PARTITION OF keyed
                 FOR VALUES FROM (comb_lower_bound('2024-02-01Z')) TO (comb_lower_bound('2024-03-01Z'))
                 PARTITION BY RANGE (id);
             CREATE TABLE february_1 PARTITION OF february
                 FOR VALUES FROM (comb_lower_bound('2024-02-01Z')) TO (comb_lower_bound('2024-02-15Z'));
             CREATE TABLE february_2 PARTITION OF february
                 FOR VALUES FROM (comb_lower_bound('2024-02-15Z')) TO (comb_lower_bound('2024-03-01Z'));
             INSERT INTO keyed
                 SELECT comb_at('2024-01-01Z'::timestamptz + n * interval '1 minute'), n FROM generate_series(0, 86399) n;
             ANALYZE keyed",
    );
    let hours = "comb_between(id, '2024-02-14 21:00Z', '2024-02-15 03:00Z')";
    assert_estimates(&mut client, &[hours, "comb_between(id, '2024-01-31Z', 'infinity')"]);
    let constant = plan(&mut client, &format!("SELECT * FROM keyed WHERE {hours}"));
    assert!(!constant.contains("january") && !constant.contains("comb_between"), "{constant}");
    assert_eq!(constant.matches("Index Cond").count(), 2, "{constant}");
    // A comparison of the statement's own that equals one of the range, but for what is under its operator.
    let others = "NOT id >= comb_lower_bound('2024-02-15 03:00Z') AND n > 64000 AND n > 64001";
    let either = format!("SELECT count(*) FROM keyed WHERE {hours} OR {others}");
    assert_eq!(value::<i64>(&mut client, &either), 978);
    // A condition that is not evaluated in the scan of a partition.
    let comparisons = "(p.id >= comb_lower_bound('2024-02-01Z') AND p.id < comb_lower_bound('2024-02-15Z'))";
    for (query, join) in [
        ("SELECT FROM keyed p JOIN january j USING (n) WHERE", " OR j.n = -1"),
        ("SELECT FROM keyed p WHERE NOT EXISTS (SELECT FROM january j WHERE j.n = p.n AND", ")"),
    ] {
        let [range, two] = ["comb_between(p.id, '2024-02-01Z', '2024-02-15Z')", comparisons].map(|condition| {
            let plan = client.query(&format!("EXPLAIN {query} {condition}{join}"), &[]).expect("a plan");
            rows(plan[0].get(0))
        });
        assert_eq!(range, two, "{query}");
    }
    let hours = format!("SELECT count(*) FILTER (WHERE {hours}) FROM keyed");
    assert_eq!(value::<i64>(&mut client, &hours), 360);
    let at_start = "EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM keyed
        WHERE comb_between(id, now() - interval '1 day', now())";
    let removed: String = client.query(at_start, &[]).expect("a plan")[1].get(0);
    assert!(removed.contains("Subplans Removed: 3"), "{removed}");
}
