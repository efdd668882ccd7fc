//! PostgreSQL's logical replication: three servers that all generate ids and replicate to each other; replica
//! identities; the order of arrival, the horizon, row filters, a switch-over, and subscribers without comb.

mod horizon;

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use pg_test::pages::Page;
use pg_test::{Load, duration, installation, say, value};
use postgres::Client;
use uuid::Uuid;

use super::common::{Host, Section};

type Hosts = [Host; 3];

const NAMES: [&str; 3] = ["a", "b", "c"];
const TABLES: [&str; 3] = ["orders", "parcels", "invoices"];

const SETTINGS: [(&str, &str); 6] = [
    ("wal_level", "logical"),
    ("max_wal_senders", "30"),
    ("max_replication_slots", "30"),
    ("max_logical_replication_workers", "30"),
    ("max_worker_processes", "50"),
    // Parallel workers apply a large transaction.
    ("logical_decoding_work_mem", "64kB"),
];

#[test]
fn keys_are_replicated() {
    if installation().major < 16 {
        say("Not tested: logical replication: the page has origin = none, which PostgreSQL 15 does not know");
        return;
    }
    let hosts: Hosts = std::array::from_fn(|_| Host::start(&SETTINGS));
    let mut section = Section::of("docs/extensions.md", "Logical replication", &hosts);
    replicate_to_each_other(&hosts, &mut section);
    all_write(&hosts);
    order_of_arrival(&hosts, &mut section);
    versions_of_a_subscriber(&hosts);
    a_feed_of_a_subscriber(&hosts);
    subscribers_without_comb(&hosts);
    row_filters(&hosts, &mut section);
    horizon::test(&hosts, &mut section);
    switch_over(&hosts);

    for host in &hosts[1..] {
        let log = host.server.log();
        // The latter when a subscription ends that has parallel workers.
        let expected = ["is starting up", "terminating logical replication worker due to administrator command"];
        let is_expected = |line: &str| expected.iter().any(|end| line.ends_with(end));
        let is_error = |line: &&str| !is_expected(line) && ["ERROR", "FATAL", "PANIC"].iter().any(|e| line.contains(e));
        assert_eq!(log.lines().find(is_error), None);
    }
    section.end();
}

/// Waits until every subscription has everything that was written before.
fn catch_up(hosts: &Hosts) {
    for host in hosts {
        let lsn = host.superuser("SELECT pg_current_wal_insert_lsn()");
        let caught_up = format!(
            "SELECT coalesce(bool_and(confirmed_flush_lsn >= '{lsn}'), true) AND NOT EXISTS (SELECT FROM pg_replication_slots WHERE temporary)
             FROM pg_replication_slots WHERE slot_type = 'logical'"
        );
        host.wait_until("shop", &caught_up);
    }
}

/// Creates a subscription to that publication of `a`, and waits for the first copy.
fn subscribe(host: &Host, database: &str, name: &str, a: &Host, publication: &str) {
    let address = a.address();
    let subscription =
        format!("CREATE SUBSCRIPTION {name} CONNECTION 'host={address} dbname=shop user=postgres' PUBLICATION {publication}");
    host.run(database, "postgres", &subscription);
    host.wait_until(database, "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel");
}

/// A database of app, with those tables.
fn create_database(host: &Host, database: &str, tables: &str) {
    host.superuser(&format!("CREATE DATABASE {database} OWNER app"));
    host.run(database, "app", tables);
}

fn replicate_to_each_other(hosts: &Hosts, section: &mut Section) {
    for host in hosts {
        section.run(host, "-- on a.example, b.example and c.example");
        section.run(host, "CREATE PUBLICATION everything");
    }
    section.run(&hosts[0], "CREATE SUBSCRIPTION a_from_b");
    let on_a = section.block("CREATE SUBSCRIPTION a_from_b").sql;
    for (to, one, other) in [(1, 0, 2), (2, 0, 1)] {
        let from = |publisher: usize| format!("{}_from_{}", NAMES[to], NAMES[publisher]);
        let sql = on_a.replace(&hosts[1].address(), "ONE").replace(&hosts[2].address(), "OTHER");
        let sql = sql.replace("a_from_b", &from(one)).replace("a_from_c", &from(other));
        let sql = sql.replace("ONE", &hosts[one].address());
        hosts[to].superuser(&sql.replace("OTHER", &hosts[other].address()));
    }
}

/// Inserts a row into each table, updates all three, and deletes some.
fn write(client: &mut Client, node: &str) -> Result<(), postgres::Error> {
    for table in TABLES {
        let insert = format!("INSERT INTO {table} (node) VALUES ('{node}') RETURNING id::text");
        let id: String = client.query_one(&insert, &[])?.get(0);
        client.batch_execute(&format!("UPDATE {table} SET item = 'changed' WHERE id = '{id}'"))?;
        if table != "orders" {
            let delete = format!("DELETE FROM {table} WHERE id = '{id}' AND random() < 0.25");
            client.batch_execute(&delete)?;
        }
    }
    Ok(())
}

fn all_write(hosts: &Hosts) {
    let scans = || hosts.each_ref().map(|host| host.superuser("SELECT sum(seq_scan) FROM pg_stat_user_tables"));
    let before = scans();
    let loads: Vec<_> = hosts
        .iter()
        .zip(NAMES)
        .map(|(host, node)| Load::start(&host.config(), 5, duration() / 2, false, move |client| write(client, node)))
        .collect();
    let written: u64 = loads.into_iter().map(|load| load.join().expect("no error")).sum();
    catch_up(hosts);
    // The statistics of backends that have ended are there at once, those of apply workers within a second.
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(scans(), before, "no UPDATE or DELETE scans a table, as written or replicated");

    // Which of them there are depends on the version.
    let errors = "SELECT sum(value::int) FROM pg_stat_subscription_stats s, jsonb_each_text(to_jsonb(s))
        WHERE key ~ '_error_count$|^confl_(insert_exists|update_missing|delete_missing|multiple_unique_conflicts)$'";
    for host in hosts {
        assert_eq!(host.superuser(errors), "0", "errors and conflicts");
    }
    let a = &hosts[0];
    let rows = a.superuser("SELECT count(*) FROM orders WHERE item = 'changed'");
    assert_eq!(rows, written.to_string(), "no row is lost");
    let twice = "SELECT count(*) - count(DISTINCT id)
        FROM (SELECT id FROM orders UNION ALL SELECT id::uuid FROM parcels UNION ALL SELECT id FROM invoices) ids";
    assert_eq!(a.superuser(twice), "0");
    for table in TABLES {
        let nodes = format!("SELECT string_agg(DISTINCT node, ',' ORDER BY node) FROM {table}");
        assert_eq!(a.superuser(&nodes), "a,b,c");
        for host in &hosts[1..] {
            assert_eq!(a.content("shop", table), host.content("shop", table), "{table}");
        }
    }
}

/// The rows of a transaction that parallel workers apply while it is open have lower keys than one that commits meanwhile.
fn order_of_arrival(hosts: &Hosts, section: &mut Section) {
    let [a, b, _] = hosts;
    a.app("CREATE PUBLICATION orders_alone FOR TABLE orders");
    let arrived = section.block("ADD arrived").sql;
    create_database(
        b,
        "arrivals",
        &format!("CREATE EXTENSION comb; CREATE TABLE orders (id uuid PRIMARY KEY, node text, item text); {arrived}"),
    );
    subscribe(b, "arrivals", "arrivals", a, "orders_alone WITH (streaming = parallel)");
    // From then on the apply worker knows that the first copy has ended, and starts parallel workers.
    a.app("INSERT INTO orders (node) VALUES ('streamed')");
    catch_up(hosts);
    let mut readers = ["", "AND arrived <= comb_uuid_horizon('orders', after => $1)"].map(|horizon| {
        let query = format!("SELECT arrived FROM orders WHERE arrived > $1 {horizon} ORDER BY arrived");
        (b.server.connect_to("arrivals"), query, Uuid::nil(), 0)
    });
    let mut poll = || {
        for (client, query, cursor, seen) in &mut readers {
            let rows = client.query(&*query, &[cursor]).expect("rows");
            *cursor = rows.last().map_or(*cursor, |row| row.get(0));
            *seen += rows.len() as i64;
        }
    };
    poll();
    let mut open = a.connect();
    let streams = "BEGIN; INSERT INTO orders (node) SELECT 'streamed' FROM generate_series(1, 20000)";
    open.batch_execute(streams).expect(streams);
    b.wait_until("arrivals", "SELECT count(*) > 0 FROM comb_horizon_holders()");
    b.facts(
        "arrivals",
        "postgres",
        "SELECT 'a parallel worker applies the large transaction', count(*) > 0 FROM pg_stat_activity
         WHERE datname = 'arrivals' AND backend_type = 'logical replication parallel worker'",
    );
    a.app("INSERT INTO orders (node) VALUES ('meanwhile')");
    b.wait_until("arrivals", "SELECT count(*) = 1 FROM orders WHERE node = 'meanwhile'");
    poll();
    open.batch_execute("COMMIT").expect("COMMIT");
    a.app("INSERT INTO orders (node) VALUES ('last')");
    catch_up(hosts);
    b.wait_until("arrivals", "SELECT bool_and(arrived <= comb_uuid_horizon('orders')) FROM orders");
    poll();
    let stored: i64 = value(&mut b.server.connect_to("arrivals"), "SELECT count(*) FROM orders");
    let [naive, right] = readers.map(|(_, _, _, seen)| seen);
    println!("{stored} rows arrived: {naive} read without the horizon, {right} with it");
    assert!(naive < stored && right == stored);
    b.facts(
        "arrivals",
        "postgres",
        "SELECT 'each row has its own id of arrival, of the first copy and of parallel apply workers',
             count(*) > 20000 AND count(DISTINCT arrived) = count(*) FROM orders;
         SELECT 'those of the first copy are below those that came later, and the last is the greatest',
             max(arrived::text) FILTER (WHERE node NOT IN ('streamed', 'meanwhile', 'last'))
                 < min(arrived::text) FILTER (WHERE node IN ('streamed', 'meanwhile'))
             AND (SELECT node FROM orders ORDER BY arrived DESC LIMIT 1) = 'last' FROM orders",
    );
}

/// A row version that a subscriber generates: an update that parallel workers apply while it is open is not skipped.
fn versions_of_a_subscriber(hosts: &Hosts) {
    let [a, b, _] = hosts;
    a.app("CREATE TABLE items (n int PRIMARY KEY, name text); INSERT INTO items SELECT n, 'old' FROM generate_series(1, 5000) n");
    a.app("CREATE PUBLICATION items_alone FOR TABLE items");
    let table = "CREATE EXTENSION comb;
        CREATE TABLE items (n int PRIMARY KEY, name text, version uuid NOT NULL DEFAULT comb_tracked());
        CREATE TRIGGER version BEFORE INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION comb_row_version()";
    create_database(b, "versions", table);
    subscribe(b, "versions", "versions", a, "items_alone WITH (streaming = parallel)");
    let mut reader = b.server.connect_to("versions");
    let problem = b.run("versions", "app", "SELECT problem FROM comb_horizon_status()");
    assert_eq!(problem, "the trigger that guards table \"items\" is not called by the subscriptions of this database");
    b.run("versions", "app", "ALTER TABLE items ENABLE ALWAYS TRIGGER version");
    // The worker knows then that the first copy has ended.
    a.app("UPDATE items SET name = 'older' WHERE n = 1");
    catch_up(hosts);

    let (mut cursor, mut copy) = (Uuid::nil(), HashMap::new());
    let poll = "SELECT version, n, name FROM items WHERE version > $1 AND version <= comb_uuid_horizon('items', after => $1)
        ORDER BY version";
    let mut poll = || {
        for row in reader.query(poll, &[&cursor]).expect("rows") {
            cursor = row.get(0);
            copy.insert(row.get::<_, i32>(1), row.get::<_, String>(2));
        }
        copy.values().fold([0; 3], |[old, open, meanwhile], name| match name.as_str() {
            "open" => [old, open + 1, meanwhile],
            "meanwhile" => [old, open, meanwhile + 1],
            _ => [old + 1, open, meanwhile],
        })
    };
    assert_eq!(poll(), [5000, 0, 0]);
    let mut open = a.connect();
    let streams = "BEGIN; UPDATE items SET name = 'open' WHERE n <= 4000";
    open.batch_execute(streams).expect(streams);
    b.wait_until("versions", "SELECT count(*) > 0 FROM comb_horizon_holders()");
    a.app("UPDATE items SET name = 'meanwhile' WHERE n > 4000");
    b.wait_until("versions", "SELECT count(*) = 1000 FROM items WHERE name = 'meanwhile'");
    assert_eq!(poll(), [5000, 0, 0], "the open transaction holds the horizon");
    open.batch_execute("COMMIT").expect("COMMIT");
    catch_up(hosts);
    b.wait_until(
        "versions",
        "SELECT bool_and(version <= comb_uuid_horizon('items')) AND count(*) FILTER (WHERE name = 'open') = 4000 FROM items",
    );
    assert_eq!(poll(), [0, 4000, 1000]);
}

/// The feed of docs/tools.md on a subscriber: without ALWAYS it is empty, with it a late row is not skipped.
fn a_feed_of_a_subscriber(hosts: &Hosts) {
    const HEADING: &str = "A feed, for numbers that a framework draws";
    let [a, b, _] = hosts;
    let page = Page::read("docs/tools.md");
    let block = |text: &str| page.block_with(HEADING, text).text.as_str();
    let (feed, poll) = block("CREATE TABLE feed").split_once("COMMIT;").expect("a poll");
    a.app("CREATE TABLE mt_events (seq_id bigint PRIMARY KEY, type text, body text)");
    a.app("CREATE PUBLICATION events FOR TABLE mt_events");
    create_database(b, "feeds", &format!("CREATE EXTENSION comb; {feed} COMMIT; {}", block("CREATE FUNCTION feed_event()")));
    subscribe(b, "feeds", "feeds", a, "events WITH (streaming = parallel)");
    let (mut reader, mut cursor, mut seen) = (b.server.connect_to("feeds"), 0i64, 0);
    let poll = poll.trim().trim_end_matches(';').replace("SELECT e.*", "SELECT f.position").replace("LIMIT 1000", "");
    let mut poll = || {
        let rows = reader.query(&poll.replace("> 0", &format!("> {cursor}")), &[]).expect("rows");
        cursor = rows.last().map_or(cursor, |row| row.get(0));
        seen += rows.len() as i64;
        seen
    };
    let arrived = |type_: &str| b.wait_until("feeds", &format!("SELECT count(*) = 1 FROM mt_events WHERE type = '{type_}'"));
    a.app("INSERT INTO mt_events VALUES (1, 'first')");
    arrived("first");
    b.facts("feeds", "app", "SELECT 'triggers of origin are not called', count(*) = 0 FROM feed");
    b.run("feeds", "app", block("ENABLE ALWAYS"));
    let mut open = a.connect();
    let streams = "BEGIN; INSERT INTO mt_events SELECT n, 'streamed' FROM generate_series(10, 5000) n";
    open.batch_execute(streams).expect(streams);
    b.wait_until("feeds", "SELECT count(*) > 0 FROM comb_horizon_holders()");
    a.app("INSERT INTO mt_events VALUES (2, 'meanwhile')");
    arrived("meanwhile");
    assert_eq!(poll(), 0);
    open.batch_execute("COMMIT").expect("COMMIT");
    catch_up(hosts);
    b.wait_until("feeds", "SELECT bool_and(position <= comb_number_horizon('feed')) AND count(*) = 4992 FROM feed");
    assert_eq!(poll(), 4992);
}

fn subscribers_without_comb(hosts: &Hosts) {
    let [a, _, c] = hosts;
    a.app("CREATE PUBLICATION parcels_alone FOR TABLE parcels");
    let table = "CREATE TABLE parcels (id uuid PRIMARY KEY, node text, item text)";
    let subscribers = [("plain_text", "off"), ("plain_binary", "on")];
    for (database, binary) in subscribers {
        create_database(c, database, table);
        subscribe(c, database, database, a, &format!("parcels_alone WITH (binary = {binary})"));
    }
    a.app(
        "INSERT INTO parcels (node) VALUES ('later');
         UPDATE parcels SET item = 'later' WHERE node = 'a';
         DELETE FROM parcels WHERE node = 'b'",
    );
    catch_up(hosts);
    for (database, _) in subscribers {
        assert_eq!(a.content("shop", "parcels"), c.content(database, "parcels"), "{database}");
    }
}

fn row_filters(hosts: &Hosts, section: &mut Section) {
    let [a, _, c] = hosts;
    let insert = |from: &str, minutes: u32| {
        a.app(&format!(
            "INSERT INTO orders
             SELECT comb_at('{from}'::timestamptz + n * interval '1 minute'), 'turn of the year' FROM generate_series(1, {minutes}) n"
        ));
    };
    // A day before the year and a day of it.
    insert("2025-12-30 23:59Z", 2880);
    let bound = section.run(a, "SELECT comb_lower_bound");
    let block = section.block("SELECT comb_lower_bound").sql;
    assert_eq!(block.matches(&bound).count(), 2, "the constant of the filter is {bound}");
    create_database(c, "recent", "CREATE TABLE orders (id uuid PRIMARY KEY, node text, item text)");
    subscribe(c, "recent", "recent", a, "recent");
    insert("2025-12-31 22:59Z", 120);
    catch_up(hosts);
    let rows = "SELECT count(*) FROM orders WHERE node = 'turn of the year'";
    assert_eq!(c.run("recent", "postgres", rows), "1500", "first copy and later");
    let older = "SELECT count(*) FROM orders WHERE id < '019b76da-a800-7000-8000-000000000000'";
    assert_eq!(c.run("recent", "postgres", older), "0");
}

fn switch_over(hosts: &Hosts) {
    let [a, b, _] = hosts;
    a.superuser(
        "SET comb.max_ahead = -1; SELECT comb_observe(comb_at(now() + interval '1 hour'));
         INSERT INTO orders (node) VALUES ('ahead');
         INSERT INTO parcels (node) VALUES ('ahead')",
    );
    catch_up(hosts);
    let above =
        "SELECT comb_new() > (SELECT id FROM orders ORDER BY id DESC LIMIT 1), comb_new_mssql() > (SELECT max(id) FROM parcels)";
    assert_eq!(b.superuser(above), "f|f", "ids of another server do not lead this one");
    b.superuser(
        "SET comb.max_ahead = '1d'; SELECT comb_observe(id) FROM orders ORDER BY id DESC LIMIT 1;
         SELECT comb_observe(id, 'mssql') FROM parcels ORDER BY id DESC LIMIT 1",
    );
    assert_eq!(b.superuser(above), "t|t");
}
