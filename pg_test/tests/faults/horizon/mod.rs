//! Readers poll an outbox by the horizon while writers commit out of the order of their ids: no reader misses a row,
//! none reads one twice. One that polls by its cursor alone does miss rows, so the test is able to fail.

mod any_table;
mod edges;
mod histories;
mod pages;
mod places;
mod plans;
mod stage;
mod steps;
mod tools;

use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_test::{SHARINGS, Server, Sharing, connections, duration, kill_a_client_backend};

use stage::{NIL, Reader, Stage, commit_prepared, server_with_tables};

fn server(sharing: Sharing) -> Server {
    Server::start(sharing, &[("max_prepared_transactions", "100"), ("max_connections", "150")])
}

/// How long writers write where a test has several stages.
fn stage_time() -> Duration {
    duration() / if duration() < Duration::from_secs(60) { 2 } else { 5 }
}

const OUTBOX: Reader = Reader {
    name: "plain",
    table: "outbox",
    key: "key",
    setup: "",
    around: ["", ""],
    poll: "SELECT key FROM outbox WHERE key > $1::text::uuid AND key <= comb_uuid_horizon('outbox', after => $1::text::uuid)
           ORDER BY key LIMIT 1000",
    reconnects: false,
    begin: NIL,
};

/// The first one needs several writers to miss a row.
const READERS: &[Reader] = &[
    Reader { name: "naive", poll: "SELECT key FROM outbox WHERE key > $1::text::uuid ORDER BY key LIMIT 1000", ..OUTBOX },
    OUTBOX,
    Reader { name: "generic plan", setup: "SET plan_cache_mode = force_generic_plan", ..OUTBOX },
    Reader { name: "repeatable read", around: ["BEGIN ISOLATION LEVEL REPEATABLE READ", "COMMIT"], ..OUTBOX },
    Reader { name: "connects for each poll", reconnects: true, ..OUTBOX },
    Reader {
        name: "the horizon of an earlier statement",
        around: ["SELECT set_config('test.horizon', comb_uuid_horizon('outbox')::text, false)", ""],
        poll: "SELECT key FROM outbox WHERE key > $1::text::uuid AND key <= current_setting('test.horizon')::uuid",
        ..OUTBOX
    },
];

#[test]
fn readers_miss_no_row() {
    for sharing in SHARINGS {
        let server = server_with_tables(sharing);
        for (writers, readers) in [(1, &READERS[1..]), (8, READERS)] {
            let mut stage = Stage::new(&server, false);
            stage.read(readers);
            stage.write(writers, stage_time(), "outbox", &[]);
            stage.finish();
        }
        server.assert_clean_log();
    }
}

/// From a minute on: backends are killed meanwhile, and once the postmaster is.
#[test]
fn readers_miss_no_row_when_processes_are_killed() {
    if duration() < Duration::from_secs(60) {
        return;
    }
    for sharing in SHARINGS {
        let mut server = server_with_tables(sharing);
        let time = duration() * 2 / 5;
        let mut stage = Stage::new(&server, true);
        let end = Instant::now() + time;
        stage.read(&READERS[1..]);
        stage.write(connections(), time, "outbox", &[]);
        let (mut kills, mut postmaster_is_killed) = (0, false);
        while Instant::now() + Duration::from_secs(3) < end {
            sleep(Duration::from_secs(2));
            kills += usize::from(kill_a_client_backend(&server));
            server.wait_until_it_accepts();
            // A prepared transaction outlives its writer, and holds the horizon.
            commit_prepared(&mut server.connect(), Duration::from_secs(1));
            if !postmaster_is_killed && Instant::now() >= end - time / 2 {
                server.kill_postmaster();
                postmaster_is_killed = true;
            }
        }
        stage.finish();
        println!("{sharing:?}: {kills} backends killed, and the postmaster");
        assert!(kills > 1 && postmaster_is_killed);
        let crashed =
            server.log().lines().filter(|line| line.contains("terminated by signal") && !line.contains("signal 9")).count();
        assert_eq!(crashed, 0, "processes that ended by themselves");
    }
}
