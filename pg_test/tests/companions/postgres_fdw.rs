//! Partitions on two other servers by time: what is sent there, with the option extensions 'comb' and
//! without it.

use pg_test::installation;

use super::common::{Host, Section};

const HOSTS: usize = 3;

#[test]
fn partitions_on_other_servers() {
    if !installation().has("postgres_fdw") {
        return;
    }
    let hosts: [Host; HOSTS] = std::array::from_fn(|_| Host::start(&[]));
    let [a, b, c] = &hosts;
    let mut section = Section::of("docs/extensions.md", "postgres_fdw", &hosts);
    for host in &hosts {
        section.run(host, "CREATE EXTENSION comb");
    }
    for host in [b, c] {
        section.run(host, "CREATE TABLE events (id uuid PRIMARY KEY, body text);");
    }
    section.run(a, "CREATE EXTENSION postgres_fdw");
    section.run(a, "PARTITION BY RANGE (id)");

    rows_by_time(&hosts, &mut section);
    conditions_that_are_sent(&hosts, &mut section);
    another_schema(&hosts);
    section.end();
}

fn rows_by_time([a, b, c]: &[Host; HOSTS], section: &mut Section) {
    // The last of them is of October 1, 2026: none is in the last hour.
    a.app(
        "INSERT INTO events SELECT comb_at('2026-01-01Z'::timestamptz + n * interval '8 hours'), n FROM generate_series(0, 819) n;
         INSERT INTO events (body) VALUES ('now')",
    );
    assert_eq!(b.app("SELECT max(comb_timestamp(id)) < '2026-07-01Z' FROM events"), "t");
    assert_eq!(c.app("SELECT min(comb_timestamp(id)) >= '2026-07-01Z' FROM events"), "t");

    let plan = a.app("EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM events WHERE comb_between(id, '2026-03-01Z', '2026-04-01Z')");
    assert!(plan.contains("Foreign Scan on public.events_old") && plan.contains("WHERE ((id >= '019ca6b1-dc00-7000"), "{plan}");
    assert!(!plan.contains("events_new"), "{plan}");
    assert_eq!(section.run(a, "(SELECT now() - interval '1 hour')"), "1");
}

/// Foreign tables of b for app in the schemas with_option and without_option.
fn import(a: &Host, b: &Host, section: &mut Section) {
    b.app(
        "CREATE TABLE parcels (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), at timestamptz, legacy uuid DEFAULT comb_new_mssql());
         INSERT INTO parcels SELECT comb_at(m, 'mssql'), m, comb_at(m, 'mssql') FROM generate_series('2026-01-01Z'::timestamptz, '2026-12-31Z', '1 day') m;
         CREATE INDEX ON parcels (legacy uuid_mssql_ops);
         ANALYZE parcels",
    );
    let servers = section.block("CREATE EXTENSION postgres_fdw").sql;
    let server = servers.lines().find(|line| line.starts_with("CREATE SERVER b")).expect("a server");
    let without = server.replace("SERVER b", "SERVER without").replace(", extensions 'comb'", "");
    assert!(!without.contains("comb'"), "{without}");
    a.superuser(&format!("{without} GRANT USAGE ON FOREIGN SERVER without TO app"));
    a.app(
        "CREATE USER MAPPING FOR app SERVER without OPTIONS (user 'app', password 'secret');
         CREATE SCHEMA with_option;
         CREATE SCHEMA without_option;
         IMPORT FOREIGN SCHEMA public LIMIT TO (events, parcels) FROM SERVER b INTO with_option OPTIONS (import_default 'true');
         IMPORT FOREIGN SCHEMA public LIMIT TO (events, parcels) FROM SERVER without INTO without_option",
    );
    a.app("INSERT INTO with_option.parcels (at) VALUES ('2027-01-01Z')");
    let default = "SELECT comb_timestamp(id, 'mssql') > now() - interval '1 hour' FROM parcels WHERE at >= '2027-01-01Z'";
    assert_eq!(b.app(default), "t");
}

/// Asserts what the remote SQL of a statement has, without the option and with it, and that the rows are the same.
/// `None`: it has no condition, order, limit, min or max.
fn sends(a: &Host, without: Option<&str>, with: Option<&str>, statement: &str) {
    let run =
        |schema: &str, statement: &str| a.app(&format!("SET search_path = {schema}, public; SET timezone = 'UTC'; {statement}"));
    for (schema, wanted) in [("without_option", without), ("with_option", with)] {
        let plan = run(schema, &format!("EXPLAIN (VERBOSE, COSTS OFF) {statement}"));
        let remote: Vec<_> = plan.lines().filter_map(|line| line.trim_start().strip_prefix("Remote SQL: ")).collect();
        let remote = remote.join("\n");
        assert!(!remote.is_empty(), "{plan}");
        match wanted {
            Some(text) => assert!(remote.contains(text), "{schema}: {text}: {remote}"),
            None => {
                for text in [" WHERE ", " ORDER BY ", " LIMIT ", "min(", "max("] {
                    assert!(!remote.contains(text), "{schema}: {text}: {remote}");
                }
            }
        }
    }
    let rows = format!("SELECT count(*) > 0, md5(string_agg(t::text, ',')) FROM ({statement}) t");
    let answer = run("without_option", &rows);
    assert!(answer.starts_with("t|"), "{statement}: no rows");
    assert_eq!(answer, run("with_option", &rows), "{statement}");
}

fn conditions_that_are_sent([a, b, _]: &[Host; HOSTS], section: &mut Section) {
    import(a, b, section);
    let bound = a.app("SELECT comb_mssql_lower_bound('2026-12-01Z')");
    let one = b.app("SELECT id FROM parcels ORDER BY id LIMIT 1");
    let constants = "'2026-03-01Z', '2026-04-01Z'";

    let statement = format!("SELECT * FROM events WHERE comb_between(id, {constants})");
    sends(a, Some("WHERE ((id >= '019"), Some("WHERE ((id >= '019"), &statement);
    let now = "SELECT id FROM events WHERE comb_between(id, now() - interval '5 years', now())";
    sends(a, None, None, now);
    let only_with = |text: &str, statement: &str| sends(a, None, Some(text), statement);
    only_with(
        "id >= public.comb_lower_bound($1::timestamp with time zone)",
        "SELECT * FROM events WHERE comb_between(id, (SELECT now() - interval '5 years'), (SELECT now()))",
    );
    only_with("public.comb_timestamp(id) > '2026-03-01", "SELECT * FROM events WHERE comb_timestamp(id) > '2026-03-01Z'");
    only_with("WHERE ((id ", &format!("SELECT * FROM parcels WHERE id = '{one}'"));
    only_with("WHERE ((id ", &format!("SELECT * FROM parcels WHERE id >= '{bound}'"));
    let statement = format!("SELECT * FROM parcels WHERE comb_between(id, {constants})");
    only_with("WHERE ((id ", &statement);
    let limit = "ORDER BY id ASC NULLS LAST LIMIT 7";
    only_with(limit, "SELECT * FROM parcels ORDER BY id LIMIT 7");
    only_with("min(id), max(id)", "SELECT min(id), max(id) FROM parcels");
    let order = "ORDER BY legacy USING OPERATOR(public.<#)";
    only_with(order, "SELECT * FROM parcels ORDER BY legacy USING <#");

    // Subselects are sent and prune no partition; parameters do both.
    let subselect = section.block("(SELECT now() - interval '1 hour')").sql;
    let plan = a.app(&format!("EXPLAIN (VERBOSE, COSTS OFF) {subselect}"));
    assert!(plan.contains("public.comb_lower_bound(") && plan.contains("events_old"), "{plan}");
    let plan = a.app(&format!(
        "SET plan_cache_mode = force_generic_plan;
         PREPARE q(timestamptz, timestamptz) AS SELECT * FROM events WHERE comb_between(id, $1, $2);
         EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE q({constants})"
    ));
    let bound = "public.comb_lower_bound($1::timestamp with time zone)";
    assert!(plan.contains(bound) && plan.contains("Subplans Removed: 1"), "{plan}");
}

fn another_schema([a, _, c]: &[Host; HOSTS]) {
    c.superuser("DROP EXTENSION comb; CREATE SCHEMA ext; CREATE EXTENSION comb SCHEMA ext");
    let query = "SELECT * FROM events WHERE comb_timestamp(id) > '2026-08-01Z'";
    let messages = a.psql("shop", "app", query).messages;
    assert!(messages.contains("function public.comb_timestamp(uuid) does not exist"), "{messages}");
}
