//! The horizon of the publisher and that of the subscriber.

use std::time::{Duration, Instant};

use pg_test::{Load, duration, sqlstate, value, within};
use postgres::Client;
use uuid::Uuid;

use super::{Hosts, catch_up, create_database, subscribe};
use crate::common::{Host, Section};

const OUTBOX: &str = "SELECT id, body FROM outbox";

pub fn test(hosts: &Hosts, section: &mut Section) {
    let [a, b, _] = hosts;
    section.run(a, "CREATE TABLE outbox");
    b.app("CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_new(), body text); CALL comb_enable_polls('outbox', 'id')");
    a.app("CREATE PUBLICATION outbox FOR TABLE outbox");
    subscribe(b, "shop", "b_outbox", a, "outbox");

    the_subscriber_does_not_know_the_publishers_horizon(hosts, section);
    rows_are_read_in_the_order_of_arrival(a, b);
    rows_below_the_publishers_horizon_are_complete(a, b, section);

    b.superuser("ALTER SUBSCRIPTION b_outbox DISABLE");
    let inactive = "SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'b_outbox'";
    a.wait_until("shop", inactive);
    a.app("INSERT INTO outbox (body) VALUES ('while the subscriber is away')");
    // Neither the subscriber nor its slot holds the horizon back.
    a.wait_until("shop", "SELECT bool_and(id <= comb_uuid_horizon('outbox')) FROM outbox");
    b.superuser("ALTER SUBSCRIPTION b_outbox ENABLE");
}

/// A row of the publisher arrives after rows with greater keys: the subscriber refuses to poll by its key.
fn the_subscriber_does_not_know_the_publishers_horizon(hosts: &Hosts, section: &mut Section) {
    let [a, b, _] = hosts;
    let mut client = a.connect();
    let mut holder = client.transaction().expect("BEGIN");
    let first = "INSERT INTO outbox (body) VALUES ('first key, last commit')";
    holder.batch_execute(first).expect(first);
    assert_eq!(a.superuser("SELECT count(*) FROM comb_horizon_holders()"), "1");
    a.app("INSERT INTO outbox (body) VALUES ('second key')");
    catch_up(hosts);
    assert_eq!(sqlstate(&mut unlogged(b, "shop"), "SELECT comb_uuid_horizon('outbox')"), "42809");
    assert_eq!(section.run(a, OUTBOX), "", "the publisher's horizon is below both keys");
    holder.commit().expect("COMMIT");
    catch_up(hosts);

    let both = "first key, last commit,second key";
    assert_eq!(b.superuser("SELECT string_agg(body, ',' ORDER BY id) FROM outbox"), both);
    a.wait_until("shop", "SELECT bool_and(id <= comb_uuid_horizon('outbox')) FROM outbox");
    let rows = section.run(a, OUTBOX);
    let bodies: Vec<_> = rows.lines().filter_map(|row| row.split('|').nth(1)).collect();
    assert_eq!(bodies.join(","), both);
}

/// A connection whose errors are not those that the log must not have.
fn unlogged(host: &Host, database: &str) -> Client {
    let mut client = host.server.connect_to(database);
    client.batch_execute("SET log_min_messages = panic").expect("a setting");
    client
}

/// A column of the subscriber is polled: its guard must be called by apply workers, and its default writes the floor itself.
fn rows_are_read_in_the_order_of_arrival(a: &Host, b: &Host) {
    const COUNT: &str = "SELECT count(*) = 1 FROM outbox WHERE body = 'replicated'";
    const POLL: &str =
        "SELECT body, arrived FROM outbox WHERE arrived > $1 AND arrived <= comb_uuid_horizon('outbox', after => $1)
                        ORDER BY arrived";
    let table =
        "CREATE EXTENSION comb; CREATE TABLE outbox (id uuid PRIMARY KEY, body text, arrived uuid DEFAULT comb_tracked())";
    create_database(b, "arrival", &format!("{table}; CALL comb_enable_polls('outbox', 'arrived')"));
    subscribe(b, "arrival", "arrival", a, "outbox");
    let (mut local, mut reader) = (b.server.connect_to("arrival"), unlogged(b, "arrival"));
    assert_eq!(sqlstate(&mut reader, "SELECT comb_uuid_horizon('outbox')"), "42809", "an apply worker does not call the guard");
    local.batch_execute("ALTER TABLE outbox ENABLE ALWAYS TRIGGER zz_comb_guard_arrived").expect("a guard");
    local.batch_execute("BEGIN; INSERT INTO outbox (id, body) VALUES (comb_new(), 'local')").expect("a row");
    a.app("INSERT INTO outbox (body) VALUES ('replicated')");
    b.wait_until("arrival", COUNT);
    let (mut cursor, mut seen) = (Uuid::nil(), Vec::new());
    let mut poll = || {
        for row in reader.query(POLL, &[&cursor]).expect(POLL) {
            seen.push(row.get::<_, String>(0));
            cursor = row.get(1);
        }
    };
    poll();
    local.batch_execute("COMMIT").expect("COMMIT");
    poll();
    let stored: i64 = value(&mut local, "SELECT count(*) FROM outbox");
    assert!(seen.len() as i64 == stored && seen.iter().any(|body| body == "local"), "{seen:?} of {stored}");
}

/// Under load: once the subscriber has replayed the publisher's position, it has all rows below the horizon that was
/// asked for before.
fn rows_below_the_publishers_horizon_are_complete(a: &Host, b: &Host, section: &mut Section) {
    let load = Load::start(&a.config(), 8, Duration::from_secs(60), false, |client| {
        client.batch_execute("INSERT INTO outbox (body) VALUES ('under load'); SELECT pg_sleep(0.03 * random())")
    });
    let ask = section.block("AS horizon").sql;
    let replayed = section.block("SELECT bool_and(confirmed_flush_lsn").sql;
    let mut client = a.connect();
    let end = Instant::now() + duration() / 2;
    let mut rounds = 0;
    // On a busy machine six rounds can take longer.
    while Instant::now() < end || rounds < 6 {
        let answer = a.app(&format!("{ask}\n\\echo :horizon :lsn"));
        let (horizon, lsn) = answer.split_once(' ').expect("two values");
        let replayed = replayed.replace(":'lsn'", &format!("'{lsn}'"));
        assert!(within(30, || value(&mut client, &replayed)));
        let below = format!("(SELECT * FROM outbox WHERE id <= '{horizon}')");
        assert_eq!(a.content("shop", &below), b.content("shop", &below));
        rounds += 1;
    }
    load.stop();
    load.join().expect("no error");
}
