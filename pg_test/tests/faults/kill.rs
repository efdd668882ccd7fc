//! Backends are killed while they generate ids, and then the postmaster is: whatever was acknowledged is there, no id is
//! generated twice, and ids go on above those before.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pg_test::{ORDER_TABLE, SHARINGS, Server, Sharing, connections, duration, inversions, kill_a_client_backend};
use postgres::NoTls;
use uuid::Uuid;

#[test]
fn ids_of_killed_backends() {
    for sharing in SHARINGS {
        backends_are_killed(sharing);
    }
}

fn backends_are_killed(sharing: Sharing) {
    // SIGKILL takes a process, not the machine: what it has written is with the operating system, so that fsync, which is
    // off, has no part in this. synchronous_commit is on: what a backend has not yet written of its WAL dies with it.
    let mut server = Server::start(sharing, &[]);
    server.execute(&format!(
        "CREATE TABLE generated {ORDER_TABLE};
         INSERT INTO generated VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000000')"
    ));
    let (config, ends) = (server.config(), AtomicBool::new(false));
    // Connects again and again, and notes each id whose row was acknowledged. Any error but the loss of the connection is
    // a failure.
    let client = || {
        let mut acknowledged: Vec<Uuid> = Vec::new();
        while !ends.load(Ordering::Relaxed) {
            let Ok(mut client) = config.connect(NoTls) else {
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            let store = "INSERT INTO generated SELECT comb_new(), id FROM (SELECT id FROM generated ORDER BY id DESC LIMIT 1) seen RETURNING id";
            while !ends.load(Ordering::Relaxed) {
                match client.query_one(store, &[]) {
                    Ok(row) => acknowledged.push(row.get(0)),
                    Err(error) => {
                        let code = error.code().map(|code| code.code().to_owned());
                        // A connection that ends says so by class 57, or not at all.
                        assert!(code.as_deref().is_none_or(|code| code.starts_with("57P")), "{error:?}");
                        break;
                    }
                }
            }
        }
        acknowledged
    };
    let (acknowledged, kills, next) = thread::scope(|scope| {
        let clients: Vec<_> = (0..connections().min(8)).map(|_| scope.spawn(client)).collect();
        let mut greatest: Uuid = server.value("SELECT comb_new()");
        let (mut kills, end) = (0, Instant::now() + duration());
        while Instant::now() < end {
            thread::sleep(Duration::from_millis(800));
            if !kill_a_client_backend(&server) {
                continue;
            }
            kills += 1;
            server.wait_until_it_accepts();
            let next = server.value("SELECT comb_new()");
            assert!(next > greatest, "after a killed backend, a new connection's ids are above those before");
            greatest = next;
        }
        server.kill_postmaster();
        let next: Uuid = server.value("SELECT comb_new()");
        assert!(next > greatest, "after the postmaster was killed, too");
        thread::sleep(Duration::from_secs(1));
        ends.store(true, Ordering::Relaxed);
        let acknowledged: Vec<_> = clients.into_iter().flat_map(|client| client.join().expect("a client")).collect();
        (acknowledged, kills, next)
    });
    println!("{sharing:?}: {kills} backends killed, {} ids acknowledged", acknowledged.len());
    assert!(kills > 1, "{kills} backends were killed");
    assert!(acknowledged.len() > 1000, "{} ids were acknowledged", acknowledged.len());
    assert!(acknowledged.iter().any(|&id| id > next), "ids were acknowledged after the postmaster was killed");
    let stored: HashSet<Uuid> =
        server.connect().query("SELECT id FROM generated", &[]).expect("ids").iter().map(|row| row.get(0)).collect();
    let lost = acknowledged.iter().filter(|id| !stored.contains(id)).count();
    assert_eq!(lost, 0, "acknowledged rows that are not there");
    let distinct: HashSet<_> = acknowledged.iter().collect();
    assert_eq!(distinct.len(), acknowledged.len(), "ids that were acknowledged twice");
    assert_eq!(inversions(&server, "generated"), 0);
    // A backend that was killed ends with signal 9 in the log; one that crashed by itself with another.
    let crashed: Vec<_> = server
        .log()
        .lines()
        .filter(|line| line.contains("terminated by signal") && !line.contains("signal 9"))
        .map(str::to_owned)
        .collect();
    assert!(crashed.is_empty(), "{crashed:?}");
}
