//! No memory: every function answers, or raises an error as PostgreSQL's own do (53200). In backends whose address space is
//! limited and full, Rust's allocator would end the server.

use std::collections::BTreeMap;
use std::fs;

use pg_test::{SHARINGS, Server, value};
use postgres::Client;

/// The bytes that a backend can fill.
const ROOM: u64 = 24_000 << 10;

/// Functions of ours and two of PostgreSQL's, each so often in one row that its memory context has to grow; of volatile
/// arguments, which the planner does not fold.
const CALLS: [(usize, &str); 19] = [
    (40, "comb_inspect(gen_random_uuid())"),
    (40, "comb_status()"),
    (1, "(SELECT count(*) FROM comb_layouts())"),
    (600, "comb_new()"),
    (600, "comb_new('mssql')"),
    (1, "comb_new('nonsense')"),
    (1, "comb_at('infinity', 'mssql')"),
    (1, "left(comb_new()::text, 5)::uniqueidentifier"),
    (600, "comb_at(now(), 'mssql')"),
    (300, "comb_new_bsv()"),
    (600, "comb_bsv_uuid(comb_new_bsv())"),
    (600, "comb_bsv_timestamp(comb_new_bsv())"),
    (1, "comb_bsv_timestamp(left(comb_new_bsv(), 5))"),
    (600, "comb_decode(comb_encode(gen_random_uuid()))"),
    (1, "comb_decode(left(comb_encode(gen_random_uuid()), 5))"),
    (1, "comb_observe(comb_new())"),
    (
        1,
        "(SELECT min(id) FROM (SELECT md5(n::text)::uuid::uniqueidentifier AS id FROM generate_series(1, 1000) n
          ORDER BY id OFFSET 0) ids)",
    ),
    (40, "to_jsonb(clock_timestamp())"),
    (600, "gen_random_uuid()"),
];

/// How a call may end: with a value, without memory, or with the error that some of them are for.
const PERMITTED: [&str; 5] = ["00000", "53200", "22008", "22023", "22P02"];

/// Without a just-in-time compiler, whose libraries are larger than all else.
const SETTINGS: [(&str, &str); 3] = [("jit", "off"), ("shared_buffers", "16MB"), ("comb.drift_warning", "-1")];

fn create_functions(server: &Server) {
    server.execute("CREATE EXTENSION comb");
    // In a cached plan, a call needs hardly any memory but its own.
    for (number, (times, call)) in CALLS.iter().enumerate() {
        server.execute(&format!(
            "CREATE FUNCTION call_{number}() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN PERFORM {}; END $f$",
            vec![*call; *times].join(",")
        ));
    }
    // Takes memory until there is none for another statement of that size.
    server.execute(
        "CREATE FUNCTION fill(size int) RETURNS void LANGUAGE plpgsql AS $$
         BEGIN
             FOR n IN 0 .. 1000000 LOOP
                 EXECUTE format('PREPARE filler_%s_%s AS SELECT %L', size, n, repeat('x', size));
             END LOOP;
         END $$",
    );
}

/// Limits the address space of new backends to what one takes that has generated an id, and [`ROOM`].
fn limit(server: &Server) {
    let mut client = server.connect();
    value::<uuid::Uuid>(&mut client, "SELECT comb_new()");
    let pid: i32 = value(&mut client, "SELECT pg_backend_pid()");
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a backend");
    let size = status.split_once("VmSize:").and_then(|(_, rest)| rest.split_whitespace().next());
    let kilobytes: u64 = size.and_then(|size| size.parse().ok()).expect("a size");
    server.limit_address_space((kilobytes << 10) + ROOM);
}

/// The SQLSTATE of a statement; `None` where the connection is gone.
fn sqlstate(client: &mut Client, statement: &str) -> Option<String> {
    match client.batch_execute(statement) {
        Ok(()) => Some("00000".to_owned()),
        Err(error) => error.code().map(|code| code.code().to_owned()),
    }
}

/// How often the calls ended with which SQLSTATE, in a session whose memory is full and is released bit by bit. Warm, it has
/// made all calls before; cold, it has only loaded the library. `None` where the connection is gone.
fn full(server: &Server, warm: bool) -> Option<Vec<BTreeMap<String, usize>>> {
    let mut client = server.connect();
    sqlstate(&mut client, "LOAD 'comb'")?;
    for _ in 0..if warm { 7 } else { 0 } {
        for number in 0..CALLS.len() {
            sqlstate(&mut client, &format!("SELECT call_{number}()"))?;
        }
    }
    for size in [1_000_000, 100_000, 10_000, 1000, 1] {
        sqlstate(&mut client, &format!("SELECT fill({size})"))?;
    }
    let mut ends = vec![BTreeMap::new(); CALLS.len()];
    for size in [1, 1000, 10_000, 100_000] {
        for filler in 0..10 {
            for (number, ends) in ends.iter_mut().enumerate() {
                let state = sqlstate(&mut client, &format!("SELECT call_{number}()"))?;
                *ends.entry(state).or_default() += 1;
            }
            sqlstate(&mut client, &format!("DEALLOCATE filler_{size}_{filler}"))?;
        }
    }
    Some(ends)
}

#[test]
fn a_backend_whose_memory_is_full() {
    for sharing in SHARINGS {
        let mut server = Server::create(sharing, &SETTINGS);
        server.up();
        create_functions(&server);
        limit(&server);
        for warm in [false, true] {
            let ends = full(&server, warm).expect("a connection");
            println!("{sharing:?}, warm: {warm}: {ends:?}");
            let ended = |state| ends.iter().any(|ends| ends.contains_key(state));
            assert!(ended("53200"), "warm: {warm}: calls have memory");
            assert!(!warm || ended("00000"), "when there is some again, they have none");
            for ((_, call), ends) in CALLS.iter().zip(&ends) {
                let is_permitted = ends.keys().all(|state| PERMITTED.contains(&state.as_str()));
                assert!(is_permitted, "warm: {warm}: {call}: {ends:?}");
            }
        }
        server.assert_clean_log();
    }
}
