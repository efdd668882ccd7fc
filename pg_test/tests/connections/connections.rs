//! More than one process.

use pg_test::create_parallel_source;

use super::common::{connect, connect_to_schema, plan, value};

#[test]
fn parallel_workers_make_distinct_ids() {
    const ROWS: u32 = 200_000;
    let mut client = connect_to_schema("parallel");
    create_parallel_source(&mut client, ROWS);
    let ids = "SELECT comb_new() AS id FROM source";

    // The call stands below the Gather, and the leader takes no part.
    let plan = plan(&mut client, ids);
    let gather = plan.find("Gather").unwrap_or_else(|| panic!("{plan}"));
    assert!(plan[gather..].contains("Parallel Seq Scan"), "{plan}");
    let scan = plan.find("Parallel Seq Scan").expect("found above");
    assert!(plan[scan..].contains("comb_new()"), "{plan}");

    client.batch_execute(&format!("CREATE TABLE made AS {ids}")).expect("ids");
    assert_eq!(value::<i64>(&mut client, "SELECT count(DISTINCT id) FROM made"), i64::from(ROWS));
    // Workers that shared their randomness would repeat tails, whatever their ticks were. Of so many
    // random ones, of 48 bits, none repeats but once in ten thousand runs.
    let tails = "SELECT count(DISTINCT right(id::text, 12)) FROM made";
    assert_eq!(value::<i64>(&mut client, tails), i64::from(ROWS));
}

#[test]
fn the_library_names_itself() {
    let mut client = connect();
    if super::common::major(&mut client) >= 18 {
        let version = "SELECT count(comb_new()) || (SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'comb')";
        assert_eq!(value::<String>(&mut client, version), concat!("1", env!("CARGO_PKG_VERSION")));
    }
}
