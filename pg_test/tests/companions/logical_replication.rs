//! PostgreSQL's logical replication: three servers that all generate ids and replicate to each other; replica
//! identities; the order of arrival, the horizon, row filters, a switch-over, and subscribers without comb.

mod horizon;

use std::thread;
use std::time::Duration;

use pg_test::{Load, duration, installation, say};
use postgres::Client;

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
    subscribers_without_comb(&hosts);
    row_filters(&hosts, &mut section);
    horizon::test(&hosts, &mut section);
    switch_over(&hosts);

    for host in &hosts[1..] {
        let log = host.server.log();
        let starting = "the database system is starting up";
        let is_error = |line: &&str| !line.ends_with(starting) && ["ERROR", "FATAL", "PANIC"].iter().any(|e| line.contains(e));
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
    a.app("INSERT INTO orders (node) VALUES ('streamed')");
    catch_up(hosts);
    a.app(
        "INSERT INTO orders (node) SELECT 'streamed' FROM generate_series(1, 20000);
         INSERT INTO orders (node) VALUES ('last')",
    );
    catch_up(hosts);
    b.facts(
        "arrivals",
        "postgres",
        "SELECT 'a parallel worker applied the large transaction', count(*) > 0 FROM pg_stat_activity
         WHERE datname = 'arrivals' AND backend_type = 'logical replication parallel worker';
         SELECT 'each row has its own id of arrival, of the first copy and of parallel apply workers',
             count(*) > 20000 AND count(DISTINCT arrived) = count(*) FROM orders;
         SELECT 'those of the first copy are below those that came later, and the last is the greatest',
             max(arrived::text) FILTER (WHERE node NOT IN ('streamed', 'last')) < min(arrived::text) FILTER (WHERE node = 'streamed')
             AND (SELECT node FROM orders ORDER BY arrived DESC LIMIT 1) = 'last' FROM orders",
    );
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
