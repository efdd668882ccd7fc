//! The system clock is set back under load, as by a leap second: time comes twice, UUIDs stay in order, and their lead ends
//! when the system clock has caught up. And comb.timestamp_step, whose UUIDs get ahead of the system clock.

use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_test::{
    ORDER_TABLE, SHARINGS, Server, Sharing, check, connections, create_parallel_source, duration, inversions, order_load, value,
};

#[test]
fn a_lead_ends_when_the_clock_has_caught_up() {
    for sharing in SHARINGS {
        lead_ends(sharing);
    }
}

fn lead_ends(sharing: Sharing) {
    let time = duration();
    let lead = time.as_secs_f64();
    let server = Server::create(sharing, &[("synchronous_commit", "off"), ("client_min_messages", "error")]).with_clock();
    let mut server = server;
    server.up();
    server.execute("CREATE EXTENSION comb");
    server.set_clock(&format!("+{lead:.3}"));
    let tables = ["by_connections", "by_new_connections"];
    for table in tables {
        server.execute(&format!("CREATE TABLE {table} {ORDER_TABLE}"));
    }
    let mut client = server.connect();
    value::<uuid::Uuid>(&mut client, "SELECT comb_new()");
    let load_time = time + Duration::from_secs(3);
    let loads = [
        order_load(&server, tables[0], "comb_new()", connections(), load_time, false),
        order_load(&server, tables[1], "comb_new()", 4, load_time, true),
    ];
    sleep(Duration::from_secs(1));
    let before = Instant::now();
    server.set_clock("+0");
    let after = Instant::now();
    // When exactly the lead is read depends on the load of the machine.
    let mut check_lead = || {
        let most = (lead - after.elapsed().as_secs_f64()).max(0.0);
        let ahead: f64 = value(&mut client, "SELECT extract(epoch FROM ahead)::float8 FROM comb_status()");
        let least = (lead - before.elapsed().as_secs_f64()).max(0.0);
        assert!((least - 0.05..most + 0.05).contains(&ahead), "{ahead} s, not {least} to {most} s");
    };
    check_lead();
    sleep(time / 2);
    check_lead();
    sleep(time / 2 + Duration::from_millis(500));
    check_lead();
    for load in loads {
        load.join().expect("no UUID is generated twice");
    }
    for table in tables {
        assert_eq!(inversions(&server, table), 0, "{table}");
    }
    // The two loads together: each was compared with those of its own table.
    check(
        &mut server.connect(),
        "no UUID was generated twice",
        "SELECT count(*) = 0 FROM by_connections JOIN by_new_connections USING (id) WHERE id > '00000000-0000-0000-0000-000000000001'",
    );
    server.assert_clean_log();
}

/// In parallel workers too, and above the UUIDs of connections without a step.
#[test]
fn a_step_holds_on_the_clock_of_the_server() {
    for sharing in SHARINGS {
        let server = Server::start(sharing, &[("client_min_messages", "error")]);
        let mut client = server.connect();
        create_parallel_source(&mut client, 10_000);
        client.batch_execute("SET comb.timestamp_step = '2 ms'").expect("a step");
        let mut other = server.connect();
        let before: uuid::Uuid = value(&mut other, "SELECT comb_new()");
        client.batch_execute("CREATE TABLE generated AS SELECT comb_new() AS id FROM source").expect("UUIDs");
        let least = "SELECT min(t - before) >= interval '2 ms' FROM (SELECT comb_timestamp(id) AS t,
                     lag(comb_timestamp(id)) OVER (ORDER BY id) AS before FROM generated) times";
        check(&mut client, "each is the step above the one before", least);
        let first: uuid::Uuid = value(&mut client, "SELECT comb_first(id) FROM generated");
        assert!(first > before);
        let last: uuid::Uuid = value(&mut client, "SELECT comb_last(id) FROM generated");
        assert!(value::<uuid::Uuid>(&mut other, "SELECT comb_new()") > last, "the clock of all connections");
        server.assert_clean_log();
    }
}
