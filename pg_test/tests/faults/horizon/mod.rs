//! Readers poll an outbox by the commit horizon while writers commit out of the order of their ids: no reader misses a row,
//! none reads one twice. One that polls by its cursor alone does miss rows, so the test is able to fail.

mod any_table;
mod edges;
mod outbox;
mod pages;
mod readers;
mod steps;
mod writers;

use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_test::{SHARINGS, Server, Sharing, connections, duration, kill_a_client_backend};

use outbox::{Outbox, commit_prepared};

fn server(sharing: Sharing) -> Server {
    Server::start(sharing, &[("max_prepared_transactions", "100"), ("max_connections", "150")])
}

/// How long writers write where a test has several stages.
fn stage_time() -> Duration {
    duration() / if duration() < Duration::from_secs(60) { 2 } else { 5 }
}

#[test]
fn readers_miss_no_row() {
    for sharing in SHARINGS {
        let server = server(sharing);
        let stages: [(&str, usize, &[&str]); 3] = [
            ("one_writer", 1, &["jumping", "repeatable", "cursor", "partitioned"]),
            ("eight_writers", 8, &["naive", "statement", "repeatable", "view", "connects"]),
            ("other_readers", 8, &["prepared", "loop", "earlier", "set", "values"]),
        ];
        for (schema, writers, readers) in stages {
            let mut outbox = Outbox::new(&server, schema);
            outbox.write(writers, stage_time(), writers::ALL);
            outbox.read(readers);
            let (rows, missed) = outbox.finish();
            println!("{sharing:?}, {schema}: {rows} rows, missed: {missed:?}");
            if let Some(&naive) = missed.get("naive") {
                assert!(naive > 0, "id > cursor without the horizon missed none: the test could not fail");
            }
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
        let mut server = server(sharing);
        let time = duration() * 2 / 5;
        let mut outbox = Outbox::new(&server, "killed");
        let end = Instant::now() + time;
        outbox.write(connections(), time, writers::ALL);
        outbox.read(&["statement", "repeatable", "view", "partitioned"]);
        let (mut kills, mut postmaster_is_killed) = (0, false);
        while Instant::now() + Duration::from_secs(3) < end {
            sleep(Duration::from_secs(2));
            kills += usize::from(kill_a_client_backend(&server));
            server.wait_until_it_accepts();
            // A prepared transaction outlives its writer, and holds the horizon.
            commit_prepared(&mut outbox.connect(), Duration::from_secs(1));
            if !postmaster_is_killed && Instant::now() >= end - time / 2 {
                server.kill_postmaster();
                postmaster_is_killed = true;
            }
        }
        let (rows, _) = outbox.finish();
        println!("{sharing:?}: {rows} rows, {kills} backends killed, and the postmaster");
        assert!(kills > 1 && postmaster_is_killed);
        let crashed =
            server.log().lines().filter(|line| line.contains("terminated by signal") && !line.contains("signal 9")).count();
        assert_eq!(crashed, 0, "processes that ended by themselves");
    }
}
