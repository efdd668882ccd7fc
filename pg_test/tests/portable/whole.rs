//! The reader of docs/without-comb.md that returns each row once, as soon as it is committed, by a column xid8.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use pg_test::pages::Page;
use pg_test::{duration, sqlstate};
use postgres::Client;

use super::load::{PARTITIONED, PLAIN, Stage, WRITERS};
use super::{GAPLESS, server};

/// The page's poll of the table ev: its rows, and the snapshot for the next poll.
fn poll(client: &mut Client, query: &str, last: &str) -> (String, Vec<i64>) {
    let rows = client.query(&query.replace("'1:1:'", &format!("'{last}'")), &[]).expect(query);
    (rows[0].get(0), rows.iter().filter_map(|row| row.get(1)).collect())
}

#[test]
fn each_row_is_read_once() {
    let page = Page::read("docs/without-comb.md");
    let query = page.block_with("Read each row once, in any order", "pg_visible_in_snapshot").text.clone();
    let query = query.replace("SELECT poll.snapshot::text, o.id, o.body", "SELECT poll.snapshot::text, o.id");
    let query = query.replace("LEFT JOIN outbox", "LEFT JOIN ev");
    let server = server();
    for (schema, table) in [("plain", PLAIN), ("partitioned", PARTITIONED)] {
        let mut stage = Stage::new(&server, schema, table, GAPLESS);
        let column = "ALTER TABLE ev ADD tx xid8 NOT NULL DEFAULT pg_current_xact_id(); CREATE INDEX ON ev (tx)";
        stage.connect().batch_execute(column).expect(column);
        let (mut reader, mut other) = (stage.connect(), stage.connect());
        stage.write(duration() / 2, WRITERS);
        let (mut last, mut seen) = ("1:1:".to_owned(), Vec::new());
        let end = Instant::now() + duration() / 2;
        let writes = AtomicBool::new(true);
        thread::scope(|scope| {
            // One transaction of the server is always open.
            scope.spawn(|| {
                while writes.load(Ordering::Relaxed) {
                    other.batch_execute("BEGIN; SELECT pg_current_xact_id()").expect("an id");
                    sleep(Duration::from_millis(300));
                    other.batch_execute("COMMIT").expect("COMMIT");
                }
            });
            for turn in 0.. {
                if turn % 3 == 0 {
                    reader = stage.connect();
                }
                let (next, rows) = poll(&mut reader, &query, &last);
                seen.extend(rows);
                last = next;
                if Instant::now() > end {
                    break;
                }
            }
            writes.store(false, Ordering::Relaxed);
        });
        // Also waits for the writers, and commits what is prepared.
        let config = stage.config();
        let (rows, _) = stage.end(&server);
        let mut client = config.connect(postgres::NoTls).expect("a connection");
        seen.extend(poll(&mut client, &query, &last).1);
        let stored: HashSet<i64> = client.query("SELECT id FROM ev", &[]).expect("rows").iter().map(|row| row.get(0)).collect();
        let distinct: HashSet<_> = seen.iter().copied().collect();
        assert!(rows > 100 && distinct.len() == seen.len(), "rows that were read twice");
        assert_eq!(stored, distinct, "{schema}");
    }
    let mut standby = server.standby();
    standby.up();
    let mut client = standby.connect();
    let refused = query.replace(" ev o", " plain.ev o");
    assert_eq!(sqlstate(&mut client, &refused), "55000", "a snapshot of a standby does not list running transactions");
    server.assert_clean_log();
}
