//! The horizon of the publisher and that of the subscriber.

use std::time::{Duration, Instant};

use pg_test::{Load, duration, value, within};

use super::{Hosts, catch_up, subscribe};
use crate::common::{Host, Section};

const OUTBOX: &str = "SELECT id, body FROM outbox";

pub fn test(hosts: &Hosts, section: &mut Section) {
    let [a, b, _] = hosts;
    section.run(a, "CREATE TABLE outbox");
    section.run(b, "CREATE TABLE outbox");
    a.app("CREATE PUBLICATION outbox FOR TABLE outbox");
    subscribe(b, "shop", "b_outbox", a, "outbox");

    rows_arrive_below_the_subscribers_horizon(hosts, section);
    rows_below_the_publishers_horizon_are_complete(a, b, section);

    b.superuser("ALTER SUBSCRIPTION b_outbox DISABLE");
    let inactive = "SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'b_outbox'";
    a.wait_until("shop", inactive);
    a.app("INSERT INTO outbox (body) VALUES ('while the subscriber is away')");
    // Neither the subscriber nor its slot holds the horizon back.
    a.wait_until("shop", "SELECT bool_and(id < comb_horizon()) FROM outbox");
    b.superuser("ALTER SUBSCRIPTION b_outbox ENABLE");
}

fn rows_arrive_below_the_subscribers_horizon(hosts: &Hosts, section: &mut Section) {
    let [a, b, _] = hosts;
    let mut client = a.connect();
    let mut holder = client.transaction().expect("BEGIN");
    let first = "INSERT INTO outbox (body) VALUES ('first key, last commit')";
    holder.batch_execute(first).expect(first);
    assert_eq!(a.superuser("SELECT count(*) FROM comb_horizon_holders()"), "1");
    a.app("INSERT INTO outbox (body) VALUES ('second key')");
    catch_up(hosts);
    b.wait_until("shop", "SELECT id < comb_horizon() FROM outbox");
    let horizon = b.superuser("SELECT comb_horizon()");
    assert_eq!(section.run(a, OUTBOX), "", "the publisher's horizon is below both keys");
    holder.commit().expect("COMMIT");
    catch_up(hosts);

    let both = "first key, last commit,second key";
    let below = format!("SELECT string_agg(body, ',' ORDER BY id) FROM outbox WHERE id < '{horizon}'");
    assert_eq!(b.superuser(&below), both);
    a.wait_until("shop", "SELECT bool_and(id < comb_horizon()) FROM outbox");
    let rows = section.run(a, OUTBOX);
    let bodies: Vec<_> = rows.lines().filter_map(|row| row.split('|').nth(1)).collect();
    assert_eq!(bodies.join(","), both);
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
        let below = format!("(SELECT * FROM outbox WHERE id < '{horizon}')");
        assert_eq!(a.content("shop", &below), b.content("shop", &below));
        rounds += 1;
    }
    load.stop();
    load.join().expect("no error");
}
