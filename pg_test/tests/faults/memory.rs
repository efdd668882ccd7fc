//! The memory of a backend after many ids is what it was after two thirds of them.

use std::fs;

use pg_test::{SHARINGS, Server, duration, value};
use postgres::Client;

/// Every generator once, so many thousand times.
fn generate(client: &mut Client, rounds: u64) {
    let query = format!(
        "SELECT count(comb_new()) + count(comb_new(layout)) + count(comb_new_mssql()) + count(comb_new_mssql_legacy()) +
                count(comb_new_bsv()) + count(comb_at(now()))
         FROM (SELECT label AS layout FROM comb_layouts()) layouts, generate_series(1, 1000) a, generate_series(1, {rounds}) b"
    );
    value::<i64>(client, &query);
}

/// The bytes of the backend's memory contexts, and its resident pages.
fn memory(client: &mut Client) -> (i64, i64) {
    let contexts = value(client, "SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts");
    let pid: i32 = value(client, "SELECT pg_backend_pid()");
    let pages = fs::read_to_string(format!("/proc/{pid}/statm")).expect("a backend");
    (contexts, pages.split(' ').nth(1).expect("resident pages").parse().expect("a number"))
}

#[test]
fn no_id_leaves_memory_behind() {
    for sharing in SHARINGS {
        let server = Server::start(sharing, &[("jit", "off")]);
        let mut client = server.connect();
        // About 14 million ids a statement, with 6 seconds: 7 calls for each layout, 1000 times a round.
        let rounds = duration().as_secs() * 20;
        // Twice, so that what the first statement of a kind leaves in the caches is there. All of one size: a longer statement
        // has a larger series, whose memory stays with the process.
        generate(&mut client, rounds);
        memory(&mut client);
        generate(&mut client, rounds);
        let (early_contexts, early_pages) = memory(&mut client);
        generate(&mut client, rounds);
        let (late_contexts, late_pages) = memory(&mut client);
        assert_eq!(late_contexts, early_contexts, "{sharing:?}: bytes in memory contexts");
        // A page that the kernel had not mapped yet may come; a leak of a byte an id would be thousands.
        assert!(late_pages - early_pages < 64, "{sharing:?}: {early_pages} resident pages, later {late_pages}");
    }
}

/// 100,000 polls in one transaction, each with a new snapshot: others write meanwhile.
#[test]
fn no_poll_leaves_memory_behind() {
    let server = Server::start(pg_test::Sharing::Attached, &[("jit", "off")]);
    server.execute(
        "CREATE TABLE polled (n bigserial, id uuid DEFAULT comb_new());
         CALL comb_enable_polls('polled', 'n'); CALL comb_enable_polls('polled', 'id');
         INSERT INTO polled DEFAULT VALUES;
         CREATE PROCEDURE polls(times integer) LANGUAGE plpgsql AS $$
         BEGIN
             FOR turn IN 1..times LOOP
                 PERFORM comb_number_horizon('polled', 'n'), comb_uuid_horizon('polled', 'id');
             END LOOP;
         END $$",
    );
    let mut writer = server.connect();
    let mut client = server.connect();
    client.batch_execute("BEGIN").expect("BEGIN");
    let mut polls = || {
        for _ in 0..10 {
            client.batch_execute("CALL polls(5000)").expect("polls");
            // A definition that may matter changes, and the snapshot.
            writer.batch_execute("INSERT INTO polled DEFAULT VALUES; CREATE TEMP TABLE t (n int); DROP TABLE t").expect("a row");
        }
        memory(&mut client)
    };
    let (early_contexts, early_pages) = polls();
    let (late_contexts, late_pages) = polls();
    assert_eq!(late_contexts, early_contexts, "bytes in memory contexts");
    assert!(late_pages - early_pages < 64, "{early_pages} resident pages, later {late_pages}");
}
