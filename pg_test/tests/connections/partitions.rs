//! The procedure of docs/partitions.md creates and drops partitions, also when several sessions call it at once.

use std::thread;

use pg_test::pages::Page;

use super::common::{connect_to_schema, value};

#[test]
fn several_sessions_maintain_partitions() {
    let page = Page::read("docs/partitions.md");
    let block = page.block_with("Create and drop partitions on a schedule", "CREATE PROCEDURE");
    let (procedure, _) = block.text.split_once("CALL").expect("a call");
    let mut client = connect_to_schema("maintained");
    client
        .batch_execute(&format!(
            "CREATE TABLE events (id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id);
             CREATE TABLE events_other PARTITION OF events DEFAULT; {procedure}"
        ))
        .expect("a procedure");
    // Partitions that end within two months are dropped, and created again by the next call.
    let call = "SET search_path = maintained, public; CALL maintain_partitions('events', '-2 months')";
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = super::common::connect();
                (0..10).for_each(|_| client.batch_execute(call).expect(call));
            });
        }
    });
    let partitions = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass";
    assert!((2..=4).contains(&value::<i64>(&mut client, partitions)));
    client.batch_execute("CALL maintain_partitions('events', '1 year')").expect("a call");
    assert_eq!(value::<i64>(&mut client, partitions), 5, "four months and the default partition");
    client.batch_execute("INSERT INTO events VALUES (DEFAULT, 'now'), (comb_at('1999-12-31Z'), 'old')").expect("rows");
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM events_other"), 1);
}
