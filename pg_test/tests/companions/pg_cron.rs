//! pg_cron's worker runs the procedure of docs/partitions.md, which creates and drops partitions.

use super::common::{Host, Section};

/// Of both types, and for a table whose name is quoted and whose schema is not in the search path.
const TABLES: &str = r#"
    CREATE TABLE events (id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id);
    CREATE TABLE sales."Parcels" (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), body text) PARTITION BY RANGE (id);
    CREATE TABLE events_2020_01 PARTITION OF events FOR VALUES FROM (comb_lower_bound('2020-01-01Z')) TO (comb_lower_bound('2020-02-01Z'))"#;

const PARTITIONS: &str = r#"
    SET timezone = 'UTC';
    SELECT 'no run failed', bool_and(status IN ('succeeded', 'running') AND username = 'app') FROM cron.job_run_details;
    SELECT 'the partition that ended years ago is dropped', to_regclass('events_2020_01') IS NULL;
    CREATE TEMP TABLE created AS
    SELECT inhparent::regclass::text AS parent, inhrelid::regclass::text AS partition, pg_get_expr(relpartbound, oid) AS bound,
        date_trunc('month', now()) + number * interval '1 month' AS first, date_trunc('month', now()) + (number + 1) * interval '1 month' AS after
    FROM (SELECT *, row_number() OVER (PARTITION BY inhparent ORDER BY inhrelid::regclass::text COLLATE "C") - 1 AS number FROM pg_inherits) parts
    JOIN pg_class ON oid = inhrelid WHERE relkind = 'r';
    SELECT 'each table has the partitions of this month and the next three, in its schema, with the names of the months', count(*) >= 8
        AND bool_and(partition IN ('events' || to_char(first, '_YYYY_MM'), 'sales."Parcels' || to_char(first, '_YYYY_MM') || '"')) FROM created;
    SELECT 'their bounds are the months in UTC, though the role has the time zone of New York: ' || parent, bool_and(
        bound = format('FOR VALUES FROM (''%s'') TO (''%s'')', comb_lower_bound(first), comb_lower_bound(after)) OR
        bound = format('FOR VALUES FROM (''%s'') TO (''%s'')', comb_mssql_lower_bound(first), comb_mssql_lower_bound(after)))
    FROM created GROUP BY parent;

    CREATE TEMP TABLE ends AS SELECT min(first) AS first, max(after) AS after FROM created;
    INSERT INTO events SELECT comb_at(first + n * (after - first) / 1000), n FROM ends, generate_series(0, 999) n;
    INSERT INTO sales."Parcels" SELECT comb_at(first + n * (after - first) / 1000, 'mssql'), n FROM ends, generate_series(0, 999) n;
    SELECT 'the partitions accept rows of all these months', (SELECT count(*) FROM events) + (SELECT count(*) FROM sales."Parcels") = 2000"#;

#[test]
#[ignore = "needs pg_cron: make companions"]
fn the_worker_creates_and_drops_partitions() {
    let hosts = [Host::start(&[
        ("shared_preload_libraries", "pg_cron,comb"),
        ("cron.database_name", "shop"),
        ("cron.use_background_workers", "on"),
    ])];
    let [a] = &hosts;
    let heading = "Create and drop partitions on a schedule";
    let mut section = Section::of("docs/partitions.md", heading, &hosts);
    section.run(a, "CREATE EXTENSION pg_cron");
    a.app("CREATE EXTENSION comb; CREATE SCHEMA sales");
    // The job's session has it, too.
    a.superuser("ALTER ROLE app SET timezone = 'America/New_York'");
    a.app(TABLES);
    section.run(a, "CREATE PROCEDURE maintain_partitions");
    section.run(a, "cron.schedule");
    assert_eq!(a.superuser("SELECT schedule FROM cron.job"), "0 3 * * *");
    a.app(
        r#"SELECT cron.schedule('partitions of parcels', '0 3 * * *', $$CALL maintain_partitions('sales."Parcels"', '1 year')$$)"#,
    );

    // Now instead of at night.
    a.superuser("SELECT cron.alter_job(jobid, schedule => '1 second') FROM cron.job");
    a.wait_until(
        "shop",
        "SELECT count(*) = 2 FROM (SELECT FROM cron.job_run_details WHERE status = 'succeeded' GROUP BY jobid HAVING count(*) >= 2) runs",
    );
    a.superuser("SELECT cron.alter_job(jobid, active => false) FROM cron.job");
    assert_eq!(section.run(a, "FROM cron.job_run_details"), "succeeded|CALL");
    section.run(a, "CALL maintain_partitions('events', '1 year');");

    a.facts("shop", "postgres", PARTITIONS);
    // The millisecond before the first month has no partition.
    for (table, layout) in [("events", "uuidv7"), (r#"sales."Parcels""#, "mssql")] {
        let insert = format!(
            "SET timezone = 'UTC';
             INSERT INTO {table} SELECT comb_at(date_trunc('month', now()) - interval '1 ms', '{layout}')"
        );
        let messages = a.psql("shop", "postgres", &insert).messages;
        assert!(messages.contains("no partition of relation"), "{table}: {messages}");
    }
    section.end();
}
