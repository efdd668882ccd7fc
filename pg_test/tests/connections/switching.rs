//! The recipe of docs/existing-tables.md, as it stands there, while others write.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use pg_test::pages::Page;
use postgres::Client;
use postgres::error::SqlState;

use super::common::{connect, connect_to_schema, value};

/// The SQL blocks of a section that must not fail, each as what is to be sent at once: a transaction, or a
/// statement outside one.
fn blocks(heading: &str) -> Vec<Vec<String>> {
    let page = Page::read("docs/existing-tables.md");
    let blocks = page.section(heading).into_iter();
    let blocks = blocks.filter(|block| block.language == "sql" && block.words.is_empty());
    blocks.map(|block| sent_at_once(&block.text)).collect()
}

fn sent_at_once(block: &str) -> Vec<String> {
    let mut sent = Vec::new();
    let mut script = String::new();
    for line in block.lines() {
        script += line;
        script.push('\n');
        let is_open = script.trim_start().starts_with("BEGIN;") && !script.contains("COMMIT;");
        if line.ends_with(';') && !is_open {
            sent.push(std::mem::take(&mut script));
        }
    }
    sent
}

/// Tries again whatever the lock timeout ended, as the page says.
fn send(client: &mut Client, script: &str) {
    for _ in 0..200 {
        match client.batch_execute(script) {
            Ok(()) => return,
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                client.batch_execute("ROLLBACK").expect("ROLLBACK");
            }
            Err(error) => panic!("{script}: {error:?}"),
        }
    }
    panic!("{script}: always ended by the lock timeout");
}

/// Rows with children, in both orders of locks that applications take; every third one is deleted again.
/// Not one statement may fail.
fn write(schema: &str, is_over: &AtomicBool, stays: &AtomicI64) {
    let mut client = connect();
    client.batch_execute(&format!("SET search_path = {schema}, public")).expect("a search path");
    for number in 0.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let parent_and_child = "
            WITH item AS (INSERT INTO items (name) VALUES ('written beside') RETURNING id) SELECT id::text FROM item";
        let mut transaction = client.transaction().expect("BEGIN");
        let id: String = transaction.query_one(parent_and_child, &[]).expect("an item").get(0);
        transaction.batch_execute(&format!("INSERT INTO prices VALUES ('{id}', 1)")).expect("a price in the same transaction");
        transaction.commit().expect("COMMIT");
        let more = format!("INSERT INTO prices VALUES ('{id}', 2)");
        client.batch_execute(&more).expect("a price");
        if number % 3 == 0 {
            let delete = format!("DELETE FROM items WHERE id = '{id}'");
            client.batch_execute(&delete).expect("a cascade");
        } else {
            let again = format!("INSERT INTO items VALUES ('{id}') ON CONFLICT (id) DO UPDATE SET name = 'twice'");
            client.batch_execute(&again).expect("an upsert");
            stays.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Ends the writers, also where a test fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn the_recipe_runs_beside_writers_there_and_back() {
    const SCHEMA: &str = "switching";
    let mut client = connect_to_schema(SCHEMA);
    let there = blocks("Replace the primary key of a table in use");
    let back = blocks("Restore the primary key");
    assert!(there.len() > 6 && !back.is_empty());
    let (tables, there) = there.split_first().expect("the tables of the example");
    tables.iter().for_each(|script| send(&mut client, script));

    let (is_over, stays) = (AtomicBool::new(false), AtomicI64::new(0));
    let index = "SELECT string_agg(DISTINCT conindid::regclass::text, ' ') FROM pg_constraint
                 WHERE conrelid = 'prices'::regclass AND contype = 'f' AND convalidated";
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4).map(|_| scope.spawn(|| write(SCHEMA, &is_over, &stays))).collect();
        let end = End(&is_over);
        // There and back, until enough was written meanwhile.
        while stays.load(Ordering::Relaxed) < 500 && !writers.iter().any(|writer| writer.is_finished()) {
            for script in there.iter().flatten() {
                send(&mut client, script);
            }
            assert_eq!(value::<String>(&mut client, index), "items_id");
            for script in back.iter().flatten() {
                send(&mut client, script);
            }
            assert_eq!(value::<String>(&mut client, index), "items_pkey");
        }
        drop(end);
        for writer in writers {
            writer.join().expect("no statement of a writer fails");
        }
    });

    let stays = stays.into_inner();
    let twice = "SELECT count(*) FROM items WHERE name = 'twice'";
    assert_eq!(value::<i64>(&mut client, twice), stays);
    let prices = "SELECT count(*) FROM prices JOIN items ON id = item WHERE name = 'twice'";
    assert_eq!(value::<i64>(&mut client, prices), 2 * stays);
    let orphans = "SELECT count(*) FROM prices WHERE NOT EXISTS (SELECT FROM items WHERE id = item)";
    assert_eq!(value::<i64>(&mut client, orphans), 0);
}
