//! Many connections generate ids at once: none is generated twice, and none is below one that was committed before.

use std::thread;

use pg_test::{ORDER_TABLE, Server, Sharing, connections, duration, inversions, order_load};

fn ids_are_in_order(sharing: Sharing) {
    let server = Server::start(sharing, &[("synchronous_commit", "off")]);
    server.execute(&format!("CREATE TABLE generated {ORDER_TABLE}"));
    let load = order_load(&server, "generated", "comb_new()", connections(), duration(), false);
    let ids = load.join().expect("no id is generated twice");
    println!("{} connections generated {ids} ids", connections());
    assert!(ids > 1000, "{ids} ids are too few to say anything");
    assert_eq!(inversions(&server, "generated"), 0);
    server.assert_clean_log();
}

/// While UUIDs are ahead of the system clock, each takes the tick after the last one.
#[test]
fn no_two_connections_get_one_tick() {
    let server = Server::start(Sharing::Attached, &[("comb.max_ahead", "-1"), ("comb.drift_warning", "-1")]);
    server.execute("SELECT comb_observe(comb_at(clock_timestamp() + interval '1 hour'))");
    let ids = "SELECT comb_new() AS id FROM generate_series(1, 100000)";
    let backends: Vec<_> = (0..4)
        .map(|n| {
            let mut client = server.connect();
            thread::spawn(move || client.batch_execute(&format!("CREATE TABLE generated_{n} AS {ids}")).expect("UUIDs"))
        })
        .collect();
    backends.into_iter().for_each(|backend| backend.join().expect("UUIDs"));
    let all = (0..4).map(|n| format!("SELECT id FROM generated_{n}")).collect::<Vec<_>>().join(" UNION ALL ");
    // The bits above the random ones: a tick, and version and variant.
    let tick = "substr(uuid_send(id), 1, 8), get_byte(uuid_send(id), 8) / 4";
    let repeated: i64 = server.value(&format!("SELECT count(*) - count(DISTINCT ({tick})) FROM ({all}) ids"));
    assert_eq!(repeated, 0);
    server.assert_clean_log();
}

#[test]
fn preloaded() {
    ids_are_in_order(Sharing::Preloaded);
}

#[test]
fn attached() {
    ids_are_in_order(Sharing::Attached);
}
