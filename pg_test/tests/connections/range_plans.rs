//! The plans of ranges of time are those of their comparisons.

use pg_test::installation;
use postgres::Client;

use super::common::{connect_to_schema, plan, run, server, value};

/// Keys of 30 days, one in 25.92 s, up to now.
const TABLE: &str = "
    CREATE TABLE keyed (id uuid PRIMARY KEY, day int);
    INSERT INTO keyed
        SELECT comb_at(now() - interval '30 days' + n * interval '25.92 s'), n / 3334 FROM generate_series(1, 100000) n;
    ANALYZE keyed;";

/// What is planned by operators alone, and what the comparisons give an index.
#[test]
fn plans_are_those_of_the_comparisons() {
    let mut client = connect_to_schema("range_plans");
    run(&mut client, TABLE);
    run(
        &mut client,
        "CREATE TABLE other AS SELECT * FROM keyed; CREATE UNIQUE INDEX ON other (id); ANALYZE other;
             CREATE TABLE recent (id uuid, CHECK (comb_between(id, '2024-01-01Z', 'infinity')));
             CREATE TABLE older (id uuid, CHECK (id < comb_lower_bound('2024-01-01Z')));
             CREATE VIEW all_of_them AS SELECT id FROM recent UNION ALL SELECT id FROM older UNION ALL SELECT id FROM keyed;
             CREATE TABLE parent (id uuid, day int);
             CREATE TABLE child (CHECK (comb_between(id, '-infinity', '2024-01-01Z'))) INHERITS (parent);
             CREATE TABLE partial AS SELECT * FROM keyed;
             CREATE INDEX partial_index ON partial (day) WHERE comb_between(id, '2024-01-01Z', 'infinity');
             CREATE TABLE expressed AS SELECT * FROM keyed;
             CREATE UNIQUE INDEX ON expressed (day, comb_between(id, '2024-01-01Z', 'infinity'), id);
             CREATE TABLE texts AS SELECT id::text AS id FROM keyed; CREATE INDEX ON texts ((id::uuid)); ANALYZE texts;
             CREATE TABLE parts (id uuid) PARTITION BY RANGE (id);
             CREATE TABLE parts_old PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (comb_lower_bound('2024-01-01Z'));
             CREATE TABLE parts_new PARTITION OF parts FOR VALUES FROM (comb_lower_bound('2024-01-01Z')) TO (MAXVALUE);
             CREATE FUNCTION keyed_between(a timestamptz, b timestamptz) RETURNS SETOF keyed LANGUAGE sql STABLE
                 AS 'SELECT * FROM keyed WHERE comb_between(id, a, b)';
             SET enable_seqscan = off",
    );
    let hour = "comb_between(id, now() - interval '1 hour', 'infinity')";
    for (query, has, has_not) in [
        (format!("SELECT * FROM keyed WHERE {hour}"), "Index Cond", "Filter"),
        (format!("SELECT * FROM keyed WHERE NOT {hour}"), "Index Cond", "Seq Scan"),
        (format!("SELECT * FROM keyed WHERE {hour} = false"), "Index Cond", "Seq Scan"),
        (format!("SELECT * FROM keyed WHERE {hour} <> true"), "Index Cond", "Seq Scan"),
        (format!("SELECT * FROM keyed WHERE {hour} = true"), "Index Cond", "Filter"),
        (format!("SELECT id FROM keyed GROUP BY id HAVING NOT {hour}"), "keyed.id < ", "comb_between"),
        (format!("SELECT id FROM keyed GROUP BY id HAVING {hour}"), "Index Cond", "Filter"),
        ("SELECT id FROM parts GROUP BY id HAVING comb_between(id, '2025-01-01Z', 'infinity')".into(), "parts_new", "parts_old"),
        ("SELECT * FROM keyed_between(now() - interval '1 hour', 'infinity')".into(), "Index Cond", "Filter"),
        ("SELECT * FROM texts WHERE comb_between(id::uuid, '2025-01-01Z', 'infinity')".into(), "Index Cond", "Filter"),
        (
            format!("SELECT id FROM (SELECT id FROM keyed UNION ALL SELECT id FROM other) ids WHERE {hour} ORDER BY id LIMIT 5"),
            "Merge Append",
            "Filter",
        ),
        (format!("SELECT * FROM keyed WHERE {hour} OR {hour} AND day = 1"), "Index Cond", "Seq Scan"),
        (
            "SELECT * FROM partial WHERE comb_between(id, '2025-01-01Z', 'infinity') AND day = 3".into(),
            "partial_index",
            "Seq Scan",
        ),
        ("SELECT day FROM expressed ORDER BY day, comb_between(id, '2024-01-01Z', 'infinity')".into(), "Index", "Sort"),
        (
            "INSERT INTO expressed SELECT * FROM keyed
                ON CONFLICT (day, comb_between(id, '2024-01-01Z', 'infinity'), id) DO NOTHING"
                .into(),
            "expressed_day_comb_between_id_idx",
            "no index",
        ),
        ("SELECT * FROM all_of_them WHERE comb_between(id, '2025-01-01Z', 'infinity')".into(), "Index Cond", "older"),
        (
            "SELECT * FROM keyed JOIN parent USING (day) WHERE comb_between(parent.id, '2025-01-01Z', 'infinity')".into(),
            "parent",
            "child",
        ),
        ("SELECT * FROM keyed WHERE comb_between(id, NULL, 'infinity')".into(), "One-Time Filter: false", "Scan"),
        (
            "SELECT * FROM keyed LEFT JOIN other USING (day) WHERE comb_between(other.id, '2025-01-01Z', 'infinity')".into(),
            "Join",
            "Left",
        ),
        (
            "SELECT * FROM other, keyed WHERE other.day = 1 AND comb_between(keyed.id, comb_timestamp(other.id), 'infinity')"
                .into(),
            "comb_lower_bound(comb_timestamp(other.id))",
            "Filter: comb_between",
        ),
    ] {
        let plan = plan(&mut client, &query);
        assert!(plan.contains(has) && !plan.contains(has_not), "{query}\n{plan}");
    }
    let bound: String = value(&mut client, "SELECT comb_lower_bound('2025-01-01Z')::text");
    let query = "SELECT * FROM keyed WHERE comb_between(id, '2025-01-01Z', now() - interval '1 day')";
    let condition =
        format!("Index Cond: ((keyed.id >= '{bound}'::uuid) AND (keyed.id < comb_lower_bound((now() - '1 day'::interval))))");
    let plan = plan(&mut client, query);
    assert!(plan.contains(&condition), "{plan}");
    let definition = "SELECT pg_get_viewdef(view) FROM (SELECT 'ranged'::regclass) views (view)";
    let view = format!("CREATE VIEW ranged AS SELECT id FROM keyed WHERE {hour}");
    run(&mut client, &view);
    // PostgreSQL 15 names the table of the column.
    let definition = value::<String>(&mut client, definition).replace("keyed.id", "id");
    assert!(definition.contains("comb_between(id, (now() - "), "{definition}");
}

/// Also without the option extensions 'comb'.
#[test]
fn a_foreign_server_gets_comparisons() {
    if !installation().has("postgres_fdw") {
        return;
    }
    let mut client = connect_to_schema("range_plans_foreign");
    run(
        &mut client,
        "CREATE EXTENSION postgres_fdw SCHEMA public; CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw;
             CREATE USER MAPPING FOR postgres SERVER elsewhere; CREATE FOREIGN TABLE remote (id uuid) SERVER elsewhere",
    );
    let query = "SELECT * FROM remote WHERE comb_between(id, '2025-01-01Z', 'infinity')";
    let plan = plan(&mut client, query);
    assert!(plan.contains("WHERE ((id >= '") && !plan.contains("Filter"), "{plan}");
}

/// A call under NOT becomes comparisons, for which each call reads the conditions of the statement: not of too many.
#[test]
fn a_statement_of_many_ranges_is_planned_by_comparisons() {
    let mut client = connect_to_schema("range_plans_many");
    run(&mut client, TABLE);
    run(&mut client, "SET enable_bitmapscan = off");
    for (count, calls) in [(900, 900), (1200, 0)] {
        let range = |hours| format!("comb_between(id, now() - interval '{hours} hours', now())");
        let ranges: Vec<_> = (1..=count).map(range).collect();
        let plan = plan(&mut client, &format!("SELECT id FROM keyed WHERE {}", ranges.join(" OR ")));
        assert_eq!(plan.matches("comb_between").count(), calls);
    }
}

fn prepared_plan(client: &mut Client, mode: &str, from: &str) -> String {
    run(client, &format!("SET plan_cache_mode = force_{mode}_plan"));
    let query = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE range ({from}, 'infinity')");
    let lines = client.query(&query, &[]).expect("a plan");
    lines.iter().map(|line| line.get::<_, String>(0)).collect::<Vec<_>>().join("\n")
}

#[test]
fn prepared_statements_find_their_index_and_partitions() {
    let mut client = connect_to_schema("range_plans_prepared");
    run(&mut client, TABLE);
    run(
        &mut client,
        "CREATE TABLE months (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
             CREATE TABLE last PARTITION OF months
                 FOR VALUES FROM (comb_lower_bound('-infinity')) TO (comb_lower_bound(now() - interval '15 days'));
             CREATE TABLE this PARTITION OF months
                 FOR VALUES FROM (comb_lower_bound(now() - interval '15 days')) TO (comb_lower_bound('infinity'));
             INSERT INTO months SELECT id FROM keyed; ANALYZE months",
    );
    for table in ["keyed", "months"] {
        let statement = format!("SELECT * FROM {table} WHERE comb_between(id, $1, $2)");
        run(&mut client, &format!("PREPARE range(timestamptz, timestamptz) AS {statement}"));
        let plan = prepared_plan(&mut client, "custom", "now() - interval '1 hour'");
        assert!(plan.contains("Index Cond: ((id >= '") && !plan.contains("Filter"), "{plan}");
        let plan = prepared_plan(&mut client, "custom", "NULL");
        assert!(plan.contains("One-Time Filter: false"), "{plan}");
        let plan = prepared_plan(&mut client, "generic", "now() - interval '1 hour'");
        let condition = "id >= comb_lower_bound($1)) AND (";
        assert!(plan.contains(condition) && !plan.contains("Filter"), "{plan}");
        assert_eq!(plan.contains("Subplans Removed: 1"), table == "months", "{plan}");
        let plan = prepared_plan(&mut client, "generic", "NULL");
        assert!(plan.contains("rows=0"), "{plan}");
        run(&mut client, "DEALLOCATE range");
    }
    let ordered = "SELECT * FROM months WHERE comb_between(id, '2024-01-01Z', 'infinity') ORDER BY id LIMIT 5";
    let plan = plan(&mut client, ordered);
    assert!(plan.contains("Append") && !plan.contains("Sort"), "{plan}");
}

/// The condition of a user that a policy or a view stands before: it is LEAKPROOF, so an index serves it.
#[test]
fn an_index_serves_ranges_behind_policies() {
    let mut client = connect_to_schema("range_plans_policies");
    run(&mut client, TABLE);
    run(
        &mut client,
        "CREATE ROLE reader;
             CREATE POLICY recent ON keyed USING (comb_between(id, now() - interval '3 days', 'infinity'));
             ALTER TABLE keyed ENABLE ROW LEVEL SECURITY;
             CREATE TABLE other AS SELECT * FROM keyed; CREATE UNIQUE INDEX ON other (id); ANALYZE other;
             CREATE POLICY past ON other USING (NOT comb_between(id, now() - interval '29 days', 'infinity'));
             ALTER TABLE other ENABLE ROW LEVEL SECURITY;
             CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM keyed WHERE day < 100;
             GRANT USAGE ON SCHEMA range_plans_policies TO reader;
             GRANT SELECT ON keyed, other, barrier TO reader; SET ROLE reader; SET enable_seqscan = off",
    );
    let hour = "comb_between(id, now() - interval '1 hour', 'infinity')";
    let own = "day::text <> 'none'";
    for query in [
        format!("SELECT * FROM keyed WHERE {hour} AND {own}"),
        format!("SELECT * FROM barrier WHERE {hour} AND {own}"),
        "SELECT * FROM other".into(),
    ] {
        let plan = plan(&mut client, &query);
        assert!(plan.contains("Index Cond") && !plan.contains("comb_between"), "{query}\n{plan}");
    }
    let days = |days| format!("comb_between(id, now() - interval '{days} days', 'infinity')");
    for (days, count) in [(days(2), 6666..=6667), (days(9), 10_000..=10_000)] {
        let query = format!("SELECT count(*) FROM keyed WHERE {days}");
        assert!(count.contains(&value::<i64>(&mut client, &query)), "{query}");
    }
}

/// Who may execute the function needs no other privilege, and who may not gets an error whatever the plan.
#[test]
fn the_privilege_of_the_function_decides() {
    server().execute("CREATE ROLE granted; CREATE ROLE denied");
    server().execute("CREATE DATABASE privileges");
    let mut client = server().connect_to("privileges");
    run(&mut client, "CREATE EXTENSION comb");
    run(&mut client, TABLE);
    run(
        &mut client,
        "CREATE TABLE months (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
             CREATE TABLE month PARTITION OF months DEFAULT;
             INSERT INTO months SELECT id FROM keyed; ANALYZE months;
             CREATE TABLE partial AS SELECT * FROM keyed;
             CREATE UNIQUE INDEX ON partial (id) WHERE comb_between(id, '2024-01-01Z', 'infinity');
             GRANT ALL ON keyed, months, partial TO granted, denied; GRANT denied TO postgres",
    );
    let range = "comb_between(id, '2024-01-01Z', now() + interval '1 day')";
    let queries = [
        format!("SELECT count(*) FROM keyed WHERE {range}"),
        format!("SELECT count(*) FROM months WHERE {range}"),
        format!("SELECT count(*) FILTER (WHERE {range}) FROM months"),
        "SELECT count(*) FROM keyed WHERE comb_between(id, '2024-01-01Z', 'infinity')".into(),
        "SELECT count(*) FROM partial WHERE comb_between(id, '2024-01-01Z', 'infinity')".into(),
    ];
    run(&mut client, "SET ROLE denied");
    let prepared: Vec<_> = queries.iter().map(|query| client.prepare(query).expect(query)).collect();
    for (statement, query) in prepared.iter().zip(&queries) {
        assert_eq!(client.query_one(statement, &[]).expect(query).get::<_, i64>(0), 100_000);
    }
    run(
        &mut client,
        "RESET ROLE;
             REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
             GRANT EXECUTE ON FUNCTION comb_between(uuid, timestamptz, timestamptz) TO granted;
             SET enable_seqscan = off;
             PREPARE recent AS SELECT FROM keyed WHERE comb_between(id, now(), 'infinity');
             EXECUTE recent;
             SET ROLE granted;
             EXECUTE recent;
             RESET enable_seqscan",
    );
    // The role that first reads a table must not leave its own form of a predicate in the session's cache.
    run(
        &mut server().connect_to("privileges"),
        "SET ROLE denied;
             SELECT FROM partial WHERE day = -1;
             SET ROLE granted;
             INSERT INTO partial SELECT * FROM keyed
                 ON CONFLICT (id) WHERE comb_between(id, '2024-01-01Z', 'infinity') DO NOTHING",
    );
    for query in &queries {
        assert_eq!(value::<i64>(&mut client, query), 100_000, "{query}");
    }
    run(&mut client, "SET ROLE denied");
    for (statement, query) in prepared.iter().zip(&queries) {
        for error in [client.query(statement, &[]).err(), client.query(query, &[]).err()] {
            let error = error.unwrap_or_else(|| panic!("{query} was allowed"));
            assert_eq!(error.code().map(|code| code.code()), Some("42501"), "{query}");
        }
    }
    let error = client.simple_query("EXECUTE recent").err();
    assert_eq!(error.and_then(|error| error.code().map(|code| code.code().to_owned())).as_deref(), Some("42501"));
    // Statistics of a table with a policy are only for functions that tell nothing about them.
    run(
        &mut client,
        "RESET ROLE; CREATE POLICY rows ON keyed USING (day >= 0); ALTER TABLE keyed ENABLE ROW LEVEL SECURITY;
             ALTER FUNCTION comb_between(uuid, timestamptz, timestamptz) NOT LEAKPROOF; SET ROLE granted",
    );
    let explain = format!("EXPLAIN {}", queries[3].replace("count(*)", "id"));
    let estimate: String = client.query(&explain, &[]).expect("a plan")[0].get(0);
    assert!(estimate.contains("rows=500 "), "{estimate}");
}
