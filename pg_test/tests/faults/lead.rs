//! The clock is set back by less than two hours under load, as by a leap second: some time comes twice, ids stay in order,
//! and their lead falls by a sixteenth of the time that passes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_test::{
    ORDER_TABLE, SHARINGS, Server, Sharing, check, connections, duration, installation, inversions, order_load, value,
};

#[test]
fn a_lead_is_worked_off_under_load() {
    for sharing in SHARINGS {
        lead_is_worked_off(sharing);
    }
}

fn lead_is_worked_off(sharing: Sharing) {
    // A lead that is gone after the duration.
    let time = duration();
    let lead_ms = time.as_millis() as i64 / 16;
    let server = Server::create(sharing, &[("synchronous_commit", "off"), ("client_min_messages", "error")]).with_clock();
    let mut server = server;
    server.up();
    server.execute("CREATE EXTENSION comb");
    server.set_clock(&format!("+{}.{:03}", lead_ms / 1000, lead_ms % 1000));
    let tables = ["by_connections", "by_new_connections", "by_uuidv7"];
    for table in tables {
        server.execute(&format!("CREATE TABLE {table} {ORDER_TABLE}"));
    }
    let mut client = server.connect();
    value::<uuid::Uuid>(&mut client, "SELECT comb_new()");
    let steps: i64 = value(&mut client, "SELECT steps_back FROM comb_status()");
    let load_time = time + Duration::from_secs(3);
    let mut loads = vec![
        order_load(&server, tables[0], "comb_new()", connections(), load_time, false),
        order_load(&server, tables[1], "comb_new()", 4, load_time, true),
    ];
    // Shown, not tested.
    let shows_uuidv7 = time >= Duration::from_secs(60) && installation().major >= 18;
    if shows_uuidv7 {
        loads.push(order_load(&server, tables[2], "uuidv7()", 4, load_time, true));
    }
    sleep(Duration::from_secs(1));
    let before = Instant::now();
    server.set_clock("+0");
    let after = Instant::now();
    // Asserts the lead of new ids, in milliseconds. When exactly it is read depends on the load of the machine.
    let mut check_lead = || {
        let left = |passed: Duration| (lead_ms - passed.as_millis() as i64 / 16).max(0);
        let most = left(after.elapsed());
        let lead: i64 = value(
            &mut client,
            "SELECT max(extract(epoch FROM comb_timestamp_micros(comb_new()) - clock_timestamp()) * 1000)::bigint
             FROM generate_series(1, 20)",
        );
        let least = left(before.elapsed());
        assert!((least - 20..=most + 5).contains(&lead), "{lead} ms, not {least} to {most} ms");
    };
    check_lead();
    let mut status = server.connect();
    check(
        &mut status,
        "one step is counted, for all connections",
        &format!("SELECT steps_back - {steps} = 1 FROM comb_status()"),
    );
    let most = time.as_millis() as i64 - after.elapsed().as_millis() as i64;
    let level_in: i64 =
        value(&mut status, "SELECT (extract(epoch FROM level_at - clock_timestamp()) * 1000)::bigint FROM comb_status()");
    let least = time.as_millis() as i64 - before.elapsed().as_millis() as i64;
    assert!(
        (least - 500..=most + 500).contains(&level_in),
        "the status says when they will be level: in {level_in} ms, not {least} to {most} ms"
    );
    sleep(time / 2);
    check_lead();
    sleep(time / 2 + Duration::from_millis(500));
    check_lead();
    check(&mut status, "as the status says", "SELECT ahead < interval '20 ms' AND level_at IS NULL FROM comb_status()");
    for load in loads {
        load.join().expect("no id is generated twice");
    }
    for table in &tables[..2] {
        assert_eq!(inversions(&server, table), 0, "{table}");
    }
    // Those who came anew and those who stayed, together: what each saw was of its own table.
    check(
        &mut status,
        "no id was generated twice",
        "SELECT count(*) = 0 FROM by_connections JOIN by_new_connections USING (id) WHERE id > '00000000-0000-0000-0000-000000000001'",
    );
    if shows_uuidv7 {
        let ids: i64 = value(&mut status, "SELECT count(*) FROM by_uuidv7");
        println!(
            "uuidv7() in new connections: {} of {ids} ids below one that was committed before",
            inversions(&server, tables[2])
        );
    }
    server.assert_clean_log();
}
