//! The library's file is replaced while the server runs, as by an upgrade: sessions that have loaded the old one keep it, new
//! ones load the new one, and both use the server's shared memory. Not preloaded: what is preloaded stays while the server
//! runs.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use pg_test::{ORDER_TABLE, Server, Sharing, check, connections, duration, installation, inversions, listen, order_load, value};
use postgres::Client;
use uuid::Uuid;

const OLD: &str = env!("CARGO_PKG_VERSION");

/// A version of the same length.
fn newer_version() -> String {
    OLD.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect()
}

/// A library with these bytes in place of those.
fn with_replaced(library: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut replaced = library.to_vec();
    let mut from = 0;
    let mut places = 0;
    while let Some(next) = library[from..].iter().position(|&byte| byte == old[0]) {
        let at = from + next;
        if library[at..].starts_with(old) {
            replaced[at..at + old.len()].copy_from_slice(new);
            places += 1;
        }
        from = at + 1;
    }
    println!("{places} times {}", String::from_utf8_lossy(old));
    assert!(places > 0, "the library does not contain {old:?}");
    replaced
}

/// As it stands in memory: `VERSION` of crates/comb-clock/src/block.rs.
fn block_version(text: &[u8; 8]) -> [u8; 8] {
    u64::from_be_bytes(*text).to_ne_bytes()
}

#[test]
fn the_library_is_replaced_while_the_server_runs() {
    let old = fs::read(installation().libraries.join("comb.so")).expect("the library");
    let newer = with_replaced(&old, OLD.as_bytes(), newer_version().as_bytes());
    // Only the block differs.
    let other_block = with_replaced(&old, &block_version(b"comb0003"), &block_version(b"comb9999"));

    let mut server = Server::create(Sharing::Attached, &[("synchronous_commit", "off")]);
    server.configure(&[("dynamic_library_path", &server.place_library(&old))]);
    server.up();
    server.execute("CREATE EXTENSION comb; CREATE TABLE numbers (n bigserial); CALL comb_enable_polls('numbers', 'n')");
    let started: String = server.value("SELECT pg_postmaster_start_time()::text");
    both_generate_under_load(&server, &newer);
    server.place_library(&old);
    two_sessions_take_turns(&server, &newer, &other_block);
    let still: String = server.value("SELECT pg_postmaster_start_time()::text");
    assert_eq!(still, started, "the server never restarted");
}

/// Another version with the same shared block.
fn both_generate_under_load(server: &Server, newer: &[u8]) {
    server.execute(&format!(
        "CREATE FUNCTION library() RETURNS text LANGUAGE sql AS 'SELECT library_version FROM comb_status()';
         CREATE TABLE generated {ORDER_TABLE};
         ALTER TABLE generated ADD library text;
         ALTER TABLE generated ALTER library SET DEFAULT library()"
    ));
    // Connections stay, and so does their library.
    let load = |time| order_load(server, "generated", "comb_new()", connections() / 2, time, false);
    let old_load = load(duration());
    sleep(Duration::from_secs(1));
    server.place_library(newer);
    let new_load = load(duration() - Duration::from_secs(1));
    for load in [new_load, old_load] {
        load.join().expect("no id is generated twice");
    }
    let libraries: Vec<(String, i64)> = server
        .connect()
        .query("SELECT library, count(*) FROM generated WHERE library IS NOT NULL GROUP BY library ORDER BY library", &[])
        .expect("libraries")
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect();
    println!("ids by library: {libraries:?}");
    let versions: Vec<_> = libraries.iter().map(|(version, _)| version.as_str()).collect();
    assert_eq!(versions, [OLD, &newer_version()], "both generate ids");
    assert_eq!(inversions(server, "generated"), 0, "ids below one that was committed before, by either");
}

fn generate(client: &mut Client) -> Uuid {
    value(client, "SELECT comb_new()")
}

fn two_sessions_take_turns(server: &Server, newer: &[u8], other_block: &[u8]) {
    let mut old = server.connect();
    let is_old = format!("SELECT library_version = '{OLD}' AND scope = 'server' FROM comb_status()");
    check(&mut old, "a session of the old library", &is_old);
    server.place_library(newer);
    check(&mut old, "keeps it", &is_old);
    // Ahead of the system clock, so that nothing but the shared block can tell the other.
    old.execute("SELECT comb_observe(comb_at(clock_timestamp() + interval '10 seconds'))", &[]).expect("comb_observe()");
    let of_old = generate(&mut old);
    let mut new = server.connect();
    let of_new = generate(&mut new);
    let is_new = format!("SELECT library_version = '{}' AND scope = 'server' FROM comb_status()", newer_version());
    check(&mut new, "a new session has the new library", &is_new);
    assert!(of_new > of_old, "{of_new} of the new library after {of_old} of the old one");
    let next = generate(&mut old);
    assert!(next > of_new, "{next} of the old library after {of_new} of the new one");

    let state = "SELECT seeded_at::text, ahead::text FROM comb_status()";
    let before = old.query_one(state, &[]).expect(state);
    let (seeded_at, ahead): (String, String) = (before.get(0), before.get(1));
    server.place_library(other_block);
    a_library_of_another_block_stays_away(server);
    let next = generate(&mut old);
    assert!(next > of_new, "the old session goes on as before: {next} after {of_new}");
    check(
        &mut old,
        "and so does the block",
        &format!(
            "SELECT scope = 'server' AND seeded_at = '{seeded_at}'
                    AND ahead BETWEEN interval '9 seconds' AND '{ahead}' FROM comb_status()"
        ),
    );
}

fn a_library_of_another_block_stays_away(server: &Server) {
    let (mut other, warnings) = listen(server.config());
    let status: String = value(&mut other, "SELECT scope || ': ' || reason FROM comb_status()");
    assert!(status.starts_with("backend: ") && status.contains("version"), "{status}");
    let warnings = warnings.lock().expect("warnings");
    println!("a session of a library of another block is warned: {warnings:?}");
    assert!(
        warnings.iter().any(|warning| warning.severity() == "WARNING"
            && warning.detail().is_some_and(|detail| detail.ends_with("another version of the library."))
            && warning.hint() == Some("Restart the server to finish the update.")),
        "{warnings:?}"
    );
    let generated = "SELECT count(comb_new()) FROM generate_series(1, 1000)";
    assert_eq!(server.value::<i64>(generated), 1000, "it generates ids");
    let mut other = server.connect();
    let mut refusal = |statement| {
        let error = other.batch_execute(statement).expect_err(statement);
        let error = error.as_db_error().expect("an error of the server").clone();
        (error.code().code().to_owned(), error.hint().unwrap_or_default().to_owned())
    };
    for statement in [
        "SELECT comb_tracked()",
        "SELECT comb_number_horizon('numbers')",
        "INSERT INTO numbers DEFAULT VALUES",
        "SET comb.scope = server; SELECT comb_new()",
    ] {
        let (state, hint) = refusal(statement);
        assert!(state == "F0000" && hint.starts_with("Restart the server to finish the update."), "{statement}: {state} {hint}");
    }
}
