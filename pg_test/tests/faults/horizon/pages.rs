//! Recipes of docs/, with writers: a copy of a table with deletes, and the audit of a reader.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use pg_test::pages::Page;
use pg_test::{Server, Sharing, kill_a_client_backend, output, within};
use postgres::{Client, NoTls};

use super::stage::{Random, numbers, run};
use super::{server, stage_time};

/// The keys of a writer are those with its remainder: no two writers change one row.
const WRITERS: u64 = 4;

/// $k and $j are two of its keys, $c is a partition.
const CHANGES: &[&str] = &[
    "INSERT INTO items (n, name) SELECT $k, '$c' WHERE NOT EXISTS (SELECT FROM items WHERE n = $k)",
    "INSERT INTO items (n, name) SELECT $k, '$c' WHERE NOT EXISTS (SELECT FROM items WHERE n = $k AND name <> '$c')
     ON CONFLICT (n, name) DO UPDATE SET name = excluded.name",
    "DELETE FROM items WHERE n = $k",
    "UPDATE items SET name = '$c' WHERE n = $k",
    "UPDATE items SET n = $j WHERE n = $k AND NOT EXISTS (SELECT FROM items WHERE n = $j)",
    "WITH old AS (DELETE FROM items WHERE n = $k RETURNING n) INSERT INTO items (n, name) SELECT n, '$c' FROM old",
    "BEGIN; DELETE FROM items WHERE n = $k; SELECT pg_sleep(0.003); INSERT INTO items (n, name) VALUES ($k, '$c'); COMMIT",
    "MERGE INTO items USING (VALUES ($k)) new (n) ON items.n = new.n WHEN MATCHED AND '$c' = 'a' THEN DELETE
     WHEN MATCHED THEN UPDATE SET name = '$c' WHEN NOT MATCHED THEN INSERT (n, name) VALUES (new.n, '$c')",
    "BEGIN; SAVEPOINT s; DELETE FROM items WHERE n = $k; ROLLBACK TO s; UPDATE items SET name = '$c' WHERE n = $k; COMMIT",
];

fn change(client: &mut Client, random: &mut Random, writer: u64) -> Result<(), postgres::Error> {
    let mut key = || (random.below(10) * WRITERS + writer).to_string();
    let (k, j) = (key(), key());
    let change = CHANGES[random.below(CHANGES.len() as u64) as usize];
    let change = change.replace("$k", &k).replace("$j", &j).replace("$c", ["a", "b", "c"][random.below(3) as usize]);
    change.split("; ").try_for_each(|statement| client.batch_execute(statement))
}

fn psql(server: &Server, text: &str) {
    let file = server.work().join("block.sql");
    server.write(&file, text);
    let (status, said) = output(server.psql().arg("-f").arg(&file).arg("postgres"));
    assert!(status.success(), "{said}");
}

/// The copy equals its table after any changes. Without the condition that the row does not exist now, it loses rows.
#[test]
fn a_copy_with_deletes_equals_its_table() {
    let page = Page::read("docs/readers.md");
    let heading = "Read what changed";
    let server = server(Sharing::Attached);
    // Partitions, so that an UPDATE of the name deletes the row in one and inserts it into another.
    let tables = page.block_with(heading, "CREATE TABLE items").text.replace(
        "(n int PRIMARY KEY, name text, version uuid NOT NULL DEFAULT comb_tracked());",
        "(n int, name text, version uuid NOT NULL DEFAULT comb_tracked(), PRIMARY KEY (n, name)) PARTITION BY LIST (name);
         CREATE TABLE items_a PARTITION OF items FOR VALUES IN ('a'); CREATE TABLE items_b PARTITION OF items FOR VALUES IN ('b', 'c');",
    );
    psql(&server, &tables);
    let (setup, poll) = page
        .block_with(heading, "CREATE TABLE copied_items")
        .text
        .split_once("BEGIN ")
        .map_or_else(|| panic!("no poll"), |(setup, poll)| (setup.to_owned(), format!("BEGIN {poll}")));
    let naive = |text: &str| text.replace("copied_items", "naive_items").replace("copies", "naive_copies");
    let condition = " AND NOT EXISTS (SELECT FROM items i WHERE i.n = d.n)";
    assert!(poll.contains(condition));
    let naive_poll = naive(&poll).replace(condition, "");
    psql(&server, &format!("{setup}{}", naive(&setup)));
    let (config, end) = (server.config(), Instant::now() + stage_time() * 2);
    thread::scope(|scope| {
        let config = &config;
        let write = move |writer| {
            let (mut client, mut random) = (config.connect(NoTls).expect("a connection"), Random::new(writer));
            while Instant::now() < end {
                change(&mut client, &mut random, writer).expect("no error");
            }
        };
        (0..WRITERS).for_each(|writer| drop(scope.spawn(move || write(writer))));
        while Instant::now() < end {
            psql(&server, &format!("{poll}{naive_poll}"));
        }
    });
    psql(&server, &format!("{poll}{naive_poll}"));
    // An UPDATE moves a row, and generates the version of the deleted key last. A poll between the two reads the row first.
    psql(&server, "INSERT INTO items (n, name) VALUES (1000, 'a')");
    psql(&server, &format!("{poll}{naive_poll}"));
    let (mut slow, mut other) = (server.connect(), server.connect());
    let moves = "UPDATE items SET name = 'b' WHERE n = 1000 RETURNING pg_sleep(1)";
    thread::scope(|scope| {
        scope.spawn(|| slow.batch_execute(moves).expect(moves));
        let sleeps = "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
        assert!(within(20, || server.value(sleeps)), "the UPDATE has inserted the row");
        other.batch_execute("BEGIN; SELECT comb_tracked()").expect("a floor between the two");
    });
    psql(&server, &format!("{poll}{naive_poll}"));
    other.batch_execute("COMMIT").expect("COMMIT");
    psql(&server, &format!("{poll}{naive_poll}"));
    let differ = |copy: &str| -> i64 {
        server.value(&format!(
            "SELECT count(*) FROM (SELECT n, name FROM items) t FULL JOIN {copy} c USING (n) WHERE t.name IS DISTINCT FROM c.name"
        ))
    };
    assert!(server.value::<i64>("SELECT count(*) FROM deleted_items") > 50);
    assert_eq!(differ("copied_items"), 0);
    assert!(differ("naive_items") > 0, "the test could not fail");
    server.assert_clean_log();
}

/// A reader by the page's poll with an audit: its cursor, its last snapshot, and what it read and found.
struct Audited {
    query: String,
    cursor: i64,
    snapshot: String,
    found: BTreeSet<i64>,
}

impl Audited {
    fn poll(&mut self, client: &mut Client) -> Vec<i64> {
        let query = self.query.replace("'1:1:'", &format!("'{}'", self.snapshot));
        let query = query.replace("position > 0", &format!("position > {}", self.cursor));
        let query = query.replace("after => 0", &format!("after => {}", self.cursor));
        let query = query.replace("position <= 0 ", &format!("position <= {} ", self.cursor));
        let query = query.replace("SELECT pg_current_snapshot() AS", "SELECT pg_current_snapshot()::text AS");
        let mut read = Vec::new();
        for row in client.query(&query, &[]).expect(&query) {
            if let Some(snapshot) = row.get(0) {
                self.snapshot = snapshot;
            }
            if let Some(position) = row.get::<_, Option<i64>>(2) {
                if row.get(1) { self.found.extend([position]) } else { read.push(position) }
            }
        }
        self.cursor = read.iter().copied().max().unwrap_or(self.cursor);
        read
    }
}

/// Each way to lose a row silently, committed: the reader skips rows, and the audit finds exactly these.
#[test]
fn the_audit_finds_each_row_that_a_reader_skips() {
    let page = Page::read("docs/readers.md");
    let server = server(Sharing::Preloaded);
    server.execute(
        "CREATE TABLE events (position bigint GENERATED BY DEFAULT AS IDENTITY, body text, tx xid8 NOT NULL DEFAULT pg_current_xact_id());
         CREATE INDEX ON events (tx);
         CALL comb_enable_polls('events', 'position');
         CREATE FUNCTION volatile_horizon() RETURNS bigint LANGUAGE plpgsql AS
             $$ BEGIN RETURN comb_number_horizon('events'); END $$",
    );
    let query = page.block_with("Audit a reader", "AS skipped").text.clone();
    let mut audited = Audited { query, cursor: 0, snapshot: "1:1:".to_owned(), found: BTreeSet::new() };
    let (mut a, mut b, mut reader) = (server.connect(), server.connect(), server.connect());
    let insert = "INSERT INTO events (body) VALUES ('honest')";
    run(&mut b, insert);
    assert_eq!(audited.poll(&mut reader), [1]);

    // The trigger does not run.
    run(&mut a, "SET session_replication_role = replica");
    run(&mut a, "BEGIN; INSERT INTO events (body) VALUES ('silent')");
    run(&mut b, insert);
    assert_eq!(audited.poll(&mut reader), [3]);
    run(&mut a, "COMMIT; RESET session_replication_role");
    assert_eq!(audited.poll(&mut reader), []);
    assert_eq!(audited.found, BTreeSet::from([2]));

    // The sequence is set back, and has passed the cursor before the next poll.
    run(&mut a, "DELETE FROM events; SELECT setval('events_position_seq', 1, false)");
    run(&mut a, "INSERT INTO events (body) SELECT 'silent' FROM generate_series(1, 5)");
    assert_eq!(audited.poll(&mut reader), [4, 5]);
    audited.poll(&mut reader);
    assert_eq!(audited.found, BTreeSet::from([1, 2, 3]));

    // A VOLATILE function asks after the statement has read the rows.
    run(&mut a, "BEGIN");
    run(&mut a, insert);
    run(&mut b, insert);
    let begin = audited.query.find("comb_number_horizon(").expect("a horizon");
    let end = begin + audited.query[begin..].find(')').expect("its end");
    let late = format!("{}volatile_horizon({}", &audited.query[..begin], &audited.query[end..]);
    let late = late.replace("e.position > 0", "e.position > 0 AND pg_sleep(1 + 0 * e.position) IS NOT NULL");
    let right = std::mem::replace(&mut audited.query, late);
    let committer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        a.batch_execute("COMMIT").expect("COMMIT");
        a
    });
    assert_eq!(audited.poll(&mut reader), [7], "without 6");
    committer.join().expect("a commit");
    audited.query = right;
    audited.poll(&mut reader);
    assert_eq!(audited.found, BTreeSet::from([1, 2, 3, 6]));

    // Honest writers cause no alarm.
    run(&mut b, insert);
    assert_eq!(audited.poll(&mut reader), [8]);
    audited.poll(&mut reader);
    assert_eq!(audited.found, BTreeSet::from([1, 2, 3, 6]));
    server.assert_clean_log();
}

/// The start and the snapshot are stored in the database that is read. Outside, a crash can give the id of a transaction that was
/// rolled back to one that comes later.
#[test]
fn whole_transactions_over_crashes() {
    let page = Page::read("docs/readers.md");
    let query = page.block_with("Whole transactions", "pg_visible_in_snapshot").text.clone();
    let query = query.replace("h.snapshot, e.position, e.body", "h.snapshot::text, e.position");
    let mut server = server(Sharing::Preloaded);
    server.execute(
        "CREATE TABLE events (position bigint GENERATED BY DEFAULT AS IDENTITY, body text, tx xid8 NOT NULL DEFAULT pg_current_xact_id());
         CREATE INDEX ON events (tx);
         CALL comb_enable_polls('events', 'position');
         CREATE TABLE readers (start bigint, snapshot text); INSERT INTO readers VALUES (0, '1:1:')",
    );
    let mut seen = Vec::new();
    let mut poll = |server: &Server| {
        let mut client = server.connect();
        let mut poll = client.transaction().expect("BEGIN");
        let last = poll.query_one("SELECT start, snapshot FROM readers", &[]).expect("the last poll");
        let query = query.replace("position > 0", &format!("position > {}", last.get::<_, i64>(0)));
        let rows = poll.query(&query.replace("1:1:", last.get(1)), &[]).expect(&query);
        seen.extend(rows.iter().filter_map(|row| row.get::<_, Option<i64>>(2)));
        let (start, snapshot): (i64, String) = (rows[0].get(0), rows[0].get(1));
        poll.execute("UPDATE readers SET start = $1, snapshot = $2", &[&start, &snapshot]).expect("the next poll");
        poll.commit().expect("COMMIT");
    };
    for _ in 0..4 {
        server.execute("INSERT INTO events (body) VALUES ('before')");
        poll(&server);
        server.execute("BEGIN; INSERT INTO events (body) VALUES ('never'); ROLLBACK");
        poll(&server);
        let _victim = server.connect();
        assert!(kill_a_client_backend(&server));
        server.wait_until_it_accepts();
        server.execute("INSERT INTO events (body) VALUES ('after')");
        poll(&server);
        poll(&server);
    }
    let stored: Vec<i64> = numbers(&mut server.connect(), "SELECT position FROM events ORDER BY position");
    seen.sort_unstable();
    assert_eq!(seen, stored, "each row once");
}
