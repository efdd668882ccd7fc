//! Citus with three nodes: keys, ranges and indexes of distributed tables, and polls of them while connections write.

use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_test::{Load, Session, duration, installation, sqlstate, value};
use postgres::Client;
use uuid::Uuid;

use super::common::{Host, Section};

const SETTINGS: [(&str, &str); 5] = [
    ("shared_preload_libraries", "comb,citus"),
    ("citus.shard_count", "8"),
    ("max_prepared_transactions", "100"),
    ("max_worker_processes", "24"),
    ("wal_level", "logical"),
];

const TABLES: &str = "
    CREATE TABLE events (id uuid PRIMARY KEY DEFAULT comb_new(), v int);
    SELECT create_distributed_table('events', 'id');
    CREATE TABLE parcels (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), v int);
    SELECT create_distributed_table('parcels', 'id');
    CREATE TABLE lines (parcel uniqueidentifier, n int, PRIMARY KEY (parcel, n));
    SELECT create_distributed_table('lines', 'parcel', colocate_with => 'parcels');
    CREATE TABLE invoices (id uuid NOT NULL DEFAULT comb_new_mssql(), v int);
    SELECT create_distributed_table('invoices', 'id');
    CREATE UNIQUE INDEX ON invoices (id uuid_mssql_ops);
    CREATE TABLE visits (tenant int, id uuid DEFAULT comb_new(), v int, PRIMARY KEY (tenant, id)) PARTITION BY RANGE (id);
    SELECT create_distributed_table('visits', 'tenant');
    SELECT format('CREATE TABLE visits_p%s PARTITION OF visits FOR VALUES FROM (%L) TO (%L)', n + 2, comb_lower_bound(month), comb_lower_bound(month + interval '1 month'))
    FROM generate_series(-2, 1) n, LATERAL (SELECT date_trunc('month', now()) + n * interval '1 month' AS month) months \\gexec
    CREATE TABLE countries (id uuid PRIMARY KEY DEFAULT comb_new(), v int);
    SELECT create_reference_table('countries');
    CREATE TABLE numbered (n bigint GENERATED ALWAYS AS IDENTITY, id uuid PRIMARY KEY DEFAULT comb_new(), v int);
    SELECT create_distributed_table('numbered', 'id')";

/// Rows by each way of inserting. The number of a row is its place in the order of insertion.
const ROWS: &str = "
    INSERT INTO events (v) SELECT generate_series(1, 10000);
    PREPARE one (int) AS INSERT INTO events (v) VALUES ($1);
    SELECT format('EXECUTE one (%s)', v) FROM generate_series(10001, 10010) v \\gexec
    INSERT INTO events (v) VALUES (10011), (10012), (10013);
    COPY events (v) FROM stdin;\n10014\n10015\n\\.
    INSERT INTO parcels (v) SELECT generate_series(1, 10000);
    INSERT INTO invoices (v) SELECT generate_series(1, 10000);
    INSERT INTO visits (tenant, v) SELECT v % 50, v FROM generate_series(1, 10000) v;
    INSERT INTO visits SELECT v % 50, comb_at(now() - interval '1 month'), v FROM generate_series(1, 1000) v;
    INSERT INTO countries (v) SELECT generate_series(1, 100);
    INSERT INTO numbered (v) SELECT generate_series(1, 100);
    INSERT INTO outbox (tenant) SELECT generate_series(1, 100);
    INSERT INTO lines SELECT id, 1 FROM parcels WHERE v <= 100;
    ANALYZE events; ANALYZE parcels; ANALYZE invoices; ANALYZE visits";

const FACTS: &str = "
    SELECT 'keys of one node are in the order of insertion', bool_and(v = place) FROM (SELECT v, row_number() OVER (ORDER BY id) AS place FROM events) places;
    SELECT 'so are those of uniqueidentifier', bool_and(v = place) FROM (SELECT v, row_number() OVER (ORDER BY id) AS place FROM parcels) places;
    SELECT 'and in the order of uuid_mssql_ops', array_agg(v) = ARRAY[1, 2, 3] FROM (SELECT v FROM invoices ORDER BY id USING <# LIMIT 3) first;
    SELECT 'joins on uniqueidentifier are co-located', count(*) = 100 FROM parcels JOIN lines ON parcels.id = lines.parcel;
    INSERT INTO events (v) SELECT v FROM events;
    SELECT 'INSERT ... SELECT with repartition generates different keys', count(*) = 20030 AND count(DISTINCT id) = 20030 FROM events;
    CREATE TABLE copied (id uuid PRIMARY KEY, v int);
    SELECT create_distributed_table('copied', 'id') IS NOT NULL, true;
    MERGE INTO copied USING events ON copied.id = events.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (events.id, events.v);
    SELECT 'MERGE inserts keys of its source', count(*) = 20030 FROM copied";

/// The SQLSTATE with which Citus refuses a statement, mostly that of an internal error, or comb, since rows were lost.
const REFUSED: [(&str, &str); 15] = [
    ("0A000", "UPDATE events SET id = comb_new()"),
    (
        "XX000",
        "MERGE INTO outbox USING visits v ON outbox.tenant = v.tenant WHEN NOT MATCHED THEN INSERT (tenant) VALUES (v.tenant)",
    ),
    ("XX000", "CREATE TRIGGER t BEFORE INSERT ON numbered FOR EACH STATEMENT EXECUTE FUNCTION comb_track()"),
    ("XX000", "CREATE TRIGGER t BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION comb_guard()"),
    ("55000", "SELECT comb_sequence_horizon('numbered_n_seq')"),
    ("55000", "SELECT FROM outbox WHERE id < comb_horizon()"),
    ("55000", "SELECT FROM outbox WHERE tenant = 7 AND id < comb_horizon()"),
    ("55000", "SELECT FROM outbox WHERE tenant = 7 AND id < (SELECT comb_horizon())"),
    ("55000", "INSERT INTO outbox (tenant) SELECT v FROM events"),
    ("55000", "INSERT INTO outbox SELECT v, comb_tracked() FROM events"),
    ("00000", "WITH source AS MATERIALIZED (SELECT v FROM events LIMIT 9) INSERT INTO outbox (tenant) SELECT v FROM source"),
    ("00000", "DELETE FROM outbox WHERE id < comb_horizon()"),
    // The foreign key gives the local table a shard. Its trigger is called after the defaults.
    ("00000", "CREATE TRIGGER tracked BEFORE INSERT ON local FOR EACH STATEMENT EXECUTE FUNCTION comb_track()"),
    ("55000", "INSERT INTO local (v) VALUES (1)"),
    ("55000", "SELECT comb_sequence_horizon('local_n_seq')"),
];

#[test]
#[ignore = "needs Citus: make companions ON=citus CITUS=..."]
fn distributed_tables() {
    if !installation().has("citus") {
        return;
    }
    let hosts = [(); 3].map(|()| Host::start(&SETTINGS));
    let [a, b, c] = &hosts;
    let mut section = Section::of("docs/extensions.md", "Citus", &hosts);
    for host in &hosts {
        let address = host.address();
        host.superuser(&format!(
            "ALTER SYSTEM SET citus.local_hostname = '{address}'; SELECT pg_reload_conf(); CREATE EXTENSION citus;
             INSERT INTO pg_dist_authinfo VALUES (0, 'app', 'password=secret'), (-1, 'app', 'password=secret')"
        ));
    }
    a.superuser(&format!("SELECT citus_set_coordinator_host('{}', 5432)", a.address()));
    for host in [b, c] {
        a.superuser(&format!("SELECT citus_add_node('{}', 5432)", host.address()));
    }
    section.run(a, "CREATE EXTENSION comb");
    for host in [b, c] {
        assert_eq!(host.app("SELECT extversion FROM pg_extension WHERE extname = 'comb'"), env!("CARGO_PKG_VERSION"));
    }
    a.app(TABLES);
    a.app(ROWS);
    a.facts("shop", "app", FACTS);
    plans(a);

    a.app("CREATE TABLE local (n bigint GENERATED ALWAYS AS IDENTITY, id uuid DEFAULT comb_new(), v int, country uuid REFERENCES countries)");
    let mut client = a.connect();
    let found = REFUSED.map(|(_, statement)| (sqlstate(&mut client, statement), statement));
    let wrong: Vec<_> = found.iter().zip(REFUSED).filter(|(found, (expected, _))| found.0 != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    polls(&hosts, &mut section);
    section.end();
}

/// How a range of time is sent to shards, with the estimate that it gets there.
fn plans(a: &Host) {
    let plan = |options: &str, statement: &str| a.app(&format!("EXPLAIN ({options}) {statement}"));
    let hour = "now() - interval '1 hour', now() - interval '59 minutes'";
    for (table, function, condition) in [
        ("events", "comb_between", "Index Cond: ((id >= comb_lower_bound("),
        ("parcels", "comb_between", "Index Cond: ((id >= comb_mssql_lower_bound("),
    ] {
        let plan = plan("COSTS OFF", &format!("SELECT * FROM {table} WHERE {function}(id, {hour})"));
        assert!(plan.contains("Task Count: 8") && plan.contains(condition), "{plan}");
    }
    let all = plan("ANALYZE, TIMING OFF", "SELECT * FROM events WHERE comb_between(id, now() - interval '1 hour', now())");
    let shard = all.lines().find(|line| line.contains(" on events_")).expect("a shard");
    let rows: Vec<f64> = shard.split("rows=").skip(1).filter_map(|rest| rest.split(' ').next()?.parse().ok()).collect();
    assert!(matches!(rows[..], [estimated, actual] if (0.5..2.0).contains(&(estimated / actual))), "{all}");
    let tenant = "SELECT * FROM visits WHERE tenant = 7 AND comb_between(id, now() - interval '1 hour', now())";
    let tenant = plan("COSTS OFF", tenant);
    assert!(tenant.contains("Task Count: 1") && tenant.contains("Subplans Removed: "), "{tenant}");
    let one = plan("COSTS OFF", "SELECT * FROM parcels WHERE id = 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48'");
    assert!(one.contains("Task Count: 1") && one.contains("Index Cond: (id = "), "{one}");
}

/// A reader on the coordinator, while connections write on nodes and shards move, skips no row.
fn polls(hosts: &[Host; 3], section: &mut Section) {
    let [a, b, c] = hosts;
    section.run(a, "run_command_on_all_nodes");
    let of_all = "SELECT result::uuid AS least FROM run_command_on_all_nodes('SELECT comb_horizon()') ORDER BY least LIMIT 1";
    for (writers, horizon) in [(&hosts[..1], "SELECT comb_horizon()"), (&hosts[..], of_all)] {
        a.app("TRUNCATE outbox");
        let loads: Vec<_> = writers.iter().map(write_slowly).collect();
        let moves = ["force_logical", "block_writes"].map(|mode| {
            format!(
                "SELECT citus_move_shard_placement(shardid, nodename, 5432, CASE nodename WHEN '{0}' THEN '{1}' ELSE '{0}' END, 5432, '{mode}')
                 FROM (SELECT * FROM citus_shards WHERE table_name = 'outbox'::regclass LIMIT 1) shards",
                b.address(),
                c.address()
            )
        });
        let mut moves = Session::start_in(&a.server, "shop", "moves", &[&moves[0], &moves[1]]);
        let mut client = a.connect();
        let (mut all, mut of_tenant) = (Vec::new(), Vec::new());
        let until = Instant::now() + duration() / 2;
        while Instant::now() < until {
            read(&mut client, horizon, [("true", &mut all), ("tenant = 7", &mut of_tenant)]);
        }
        assert_eq!(moves.end().map(|moved| moved.len()), Ok(2));
        let turns: u64 = loads.into_iter().map(|load| load.join().expect("a load")).sum();
        read(&mut client, horizon, [("true", &mut all), ("tenant = 7", &mut of_tenant)]);
        for (condition, ids) in [("true", &all), ("tenant = 7", &of_tenant)] {
            let rows = client.query(&format!("SELECT id FROM outbox WHERE {condition} ORDER BY id"), &[]).expect("rows");
            let written: Vec<Uuid> = rows.iter().map(|row| row.get(0)).collect();
            assert_eq!(*ids, written, "{condition}: rows that the reader skipped, with writers on {} nodes", writers.len());
        }
        assert_eq!(all.len() as u64, 2 * turns);
    }
}

/// Transactions of two rows, some of which stay open, for half of the test's duration.
fn write_slowly(host: &Host) -> Load {
    Load::start(&host.config(), 4, duration() / 2, false, |client| {
        let number = value::<i32>(client, "SELECT (random() * 100)::int");
        let mut transaction = client.transaction()?;
        transaction.execute("INSERT INTO outbox (tenant) VALUES ($1)", &[&(number % 10)])?;
        sleep(Duration::from_millis(number as u64));
        transaction.execute("INSERT INTO outbox (tenant) VALUES ($1)", &[&(number % 9)])?;
        transaction.commit()
    })
}

/// Polls the rows of conditions after those that were read.
fn read(client: &mut Client, horizon: &str, polls: [(&str, &mut Vec<Uuid>); 2]) {
    let horizon = value::<Uuid>(client, horizon);
    for (condition, ids) in polls {
        let poll = format!("SELECT id FROM outbox WHERE {condition} AND id > $1 AND id < $2 ORDER BY id");
        let cursor = ids.last().copied().unwrap_or_default();
        ids.extend(client.query(&poll, &[&cursor, &horizon]).expect("rows").iter().map(|row| row.get::<_, Uuid>(0)));
    }
}
