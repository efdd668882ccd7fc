//! Many connections generate ids at once: none is generated twice, and none is below one that was committed before.

use std::time::Duration;

use pg_test::{ORDER_TABLE, Server, Sharing, connections, duration, installation, inversions, order_load};

fn ids_are_in_order(sharing: Sharing) {
    let server = Server::start(sharing, &[("synchronous_commit", "off")]);
    server.execute(&format!("CREATE TABLE generated {ORDER_TABLE}"));
    let load = order_load(&server, "generated", "comb_new()", connections(), duration(), false);
    let ids = load.join().expect("no id is generated twice");
    println!("{} connections generated {ids} ids", connections());
    assert!(ids > 1000, "{ids} ids are too few to say anything");
    assert_eq!(inversions(&server, "generated"), 0);
    // Compared with uuidv7(): shown, not tested, in long runs.
    let is_long = duration() >= Duration::from_secs(60);
    if is_long && installation().major >= 18 && sharing == Sharing::Preloaded {
        server.execute(&format!("CREATE TABLE by_uuidv7 {ORDER_TABLE}"));
        let load = order_load(&server, "by_uuidv7", "uuidv7()", connections(), duration(), false);
        let ids = load.join().expect("uuidv7()");
        println!("uuidv7(): {} of {ids} ids below one that was committed before", inversions(&server, "by_uuidv7"));
    }
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
