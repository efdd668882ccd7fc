//! Citus with three nodes: keys, ranges and types of distributed tables, what is refused, and polls while nodes write.

use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_test::{Load, duration, installation, sqlstate, value};
use uuid::Uuid;

use super::common::{Host, Section};

const SETTINGS: [(&str, &str); 4] = [
    ("shared_preload_libraries", "comb,citus"),
    ("citus.shard_count", "8"),
    ("max_prepared_transactions", "100"),
    ("max_worker_processes", "24"),
];

const TABLES: &str = "
    CREATE TABLE parcels (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), v int);
    SELECT create_distributed_table('parcels', 'id');
    INSERT INTO parcels (v) SELECT generate_series(1, 10000);
    CREATE TABLE numbered (n bigint GENERATED ALWAYS AS IDENTITY, id uuid PRIMARY KEY DEFAULT comb_new(), v int);
    SELECT create_distributed_table('numbered', 'id');
    INSERT INTO numbered (v) SELECT generate_series(1, 100)";

const FACTS: &str = "
    SELECT 'keys of one node are in the order of insertion', bool_and(v = place)
    FROM (SELECT v, row_number() OVER (ORDER BY id) AS place FROM parcels) places;
    SELECT 'ranges of time', count(*) = 10000 FROM parcels WHERE comb_between(id, now() - interval '1 hour', 'infinity')";

/// The SQLSTATE with which Citus refuses a statement (an internal error), or comb, since rows were lost.
const REFUSED: [(&str, &str); 4] = [
    ("XX000", "CREATE TRIGGER t BEFORE INSERT ON numbered FOR EACH STATEMENT EXECUTE FUNCTION comb_track()"),
    ("42809", "SELECT comb_number_horizon('numbered')"),
    ("42809", "SELECT FROM outbox WHERE tenant = 7 AND id <= comb_node_horizon()"),
    ("42809", "INSERT INTO outbox (tenant) SELECT v FROM parcels"),
];

/// Tables that Citus manages after they were prepared for polls, and one that is distributed although it has triggers.
const PREPARED_BEFORE: &str = "
    CREATE TABLE local_numbers (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v int);
    CALL comb_enable_polls('local_numbers', 'n');
    SELECT citus_add_local_table_to_metadata('local_numbers');
    CREATE TABLE local_keys (id uuid PRIMARY KEY DEFAULT comb_new(), v int);
    CALL comb_enable_polls('local_keys', 'id');
    SELECT citus_add_local_table_to_metadata('local_keys')";
const UNSAFE: &str = "
    CREATE TABLE unsafe (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v int);
    CALL comb_enable_polls('unsafe', 'n');
    SELECT create_distributed_table('unsafe', 'n')";

/// Their writers fail: the tables that store the rows have no sequence, and no statement trigger.
const WRITES: [(&str, &str); 3] = [
    ("42809", "INSERT INTO local_numbers (v) VALUES (1)"),
    ("23514", "INSERT INTO local_keys (v) VALUES (1)"),
    ("42809", "INSERT INTO unsafe (v) VALUES (1)"),
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
    a.app(TABLES);
    a.facts("shop", "app", FACTS);
    let mut client = a.connect();
    for (state, statement) in REFUSED {
        assert_eq!(sqlstate(&mut client, statement), state, "{statement}");
    }
    a.app(PREPARED_BEFORE);
    a.superuser("ALTER ROLE app SET citus.enable_unsafe_triggers = on");
    a.app(UNSAFE);
    for (state, statement) in WRITES {
        assert_eq!(sqlstate(&mut client, statement), state, "{statement}");
    }

    // A reader on the coordinator, while connections write on all nodes, skips no row.
    section.run(a, "run_command_on_all_nodes");
    let horizon =
        "SELECT result::uuid AS least FROM run_command_on_all_nodes('SELECT comb_node_horizon()') ORDER BY least LIMIT 1";
    let loads = hosts.each_ref().map(write_slowly);
    let mut read = Vec::<Uuid>::new();
    let mut poll = || {
        let (cursor, horizon) = (read.last().copied().unwrap_or_default(), value::<Uuid>(&mut client, horizon));
        let poll = "SELECT id FROM outbox WHERE id > $1 AND id <= $2 ORDER BY id";
        read.extend(client.query(poll, &[&cursor, &horizon]).expect("rows").iter().map(|row| row.get::<_, Uuid>(0)));
    };
    let until = Instant::now() + duration() / 2;
    while Instant::now() < until {
        poll();
    }
    let turns: u64 = loads.into_iter().map(|load| load.join().expect("a load")).sum();
    poll();
    assert_eq!(read.len() as u64, 2 * turns, "rows that were read");
    section.end();
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
