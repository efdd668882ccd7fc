//! A server starts with its clock behind where it was: after a clean stop, after a crash, and as a standby that is
//! promoted. After a restart, ids start above the time of the last checkpoint.

use std::thread::sleep;
use std::time::Duration;

use pg_test::{SHARINGS, Server, Session, Sharing, Stop, check, kill, value, within};
use postgres::Client;

const STORE: &str = "INSERT INTO stored SELECT FROM generate_series(1, 1000)";
const IDS_GO_ON: &str = "SELECT comb_new()::text > max(id::text) FROM stored";

fn server(sharing: Sharing) -> Server {
    // The time-outs of replication would take a clock that jumps for a partner that is silent.
    let settings = [("wal_sender_timeout", "0"), ("wal_receiver_timeout", "0"), ("client_min_messages", "error")];
    let mut server = Server::create(sharing, &settings).with_clock();
    server.up();
    server.execute(&format!("CREATE EXTENSION comb; CREATE TABLE stored (id uuid PRIMARY KEY DEFAULT comb_new()); {STORE}"));
    server
}

fn check_source(client: &mut Client, source: &str) {
    check(client, "the status says why", &format!("SELECT seed_source = '{source}' FROM comb_status()"));
}

#[test]
fn a_clean_stop_and_the_clock_an_hour_back() {
    for sharing in SHARINGS {
        let mut server = server(sharing);
        server.down(Stop::Fast);
        server.set_clock("-3600");
        server.up();
        let mut client = server.connect();
        check(
            &mut client,
            "the clock is behind the checkpoint",
            "SELECT clock_timestamp() < checkpoint_time - interval '59 minutes' FROM pg_control_checkpoint()",
        );
        check(
            &mut client,
            "ids begin above the checkpoint",
            "SELECT comb_timestamp(comb_new()) >= checkpoint_time FROM pg_control_checkpoint()",
        );
        check(&mut client, "and above those before the stop", IDS_GO_ON);
        check_source(&mut client, "checkpoint");
    }
}

/// Without preloading, nothing promises this: recovery from a crash ends with a checkpoint by the clock as it then stands.
#[test]
fn a_crash_and_the_clock_an_hour_back() {
    let mut server = server(Sharing::Preloaded);
    server.execute("CHECKPOINT");
    let checkpoint: String = server.value("SELECT checkpoint_time::text FROM pg_control_checkpoint()");
    server.down(Stop::Immediate);
    server.set_clock("-3600");
    server.up();
    let mut client = server.connect();
    let is_above = format!("SELECT comb_timestamp(comb_new()) >= '{checkpoint}'");
    check(&mut client, "ids begin above the last checkpoint before the crash", &is_above);
    check(&mut client, "and above the ids before it", IDS_GO_ON);
}

fn crash_a_backend(server: &mut Server) {
    let mut victim = Session::start(server, "victim", &["SELECT pg_sleep(60)"]);
    victim.wait_for(server, "PgSleep");
    kill(victim.pid(server));
    assert!(victim.end().is_err());
    assert!(within(10, || server.crashes() == 1), "the postmaster hears of it");
    server.wait_until_it_accepts();
}

/// A backend dies, the postmaster does not: it creates the shared memory anew. Without preloading, nothing promises this.
#[test]
fn the_clock_an_hour_back_and_a_backend_that_crashes() {
    let mut server = server(Sharing::Preloaded);
    server.set_clock("-3600");
    server.execute(STORE);
    server.execute("CHECKPOINT");
    crash_a_backend(&mut server);
    let mut client = server.connect();
    check(&mut client, "ids go on above those before the crash", IDS_GO_ON);
    check(&mut client, "the lead is still known", "SELECT ahead > interval '59 minutes' FROM comb_status()");
    check_source(&mut client, "crash");
}

/// The clock was an hour ahead, also at a checkpoint; it was mended and reset.
#[test]
fn a_reset_and_a_backend_that_crashes() {
    for sharing in SHARINGS {
        let mut server = server(sharing);
        server.set_clock("+3600");
        server.execute(STORE);
        server.execute("CHECKPOINT");
        server.set_clock("+0");
        server.execute("SELECT comb_reset_clock()");
        crash_a_backend(&mut server);
        check(&mut server.connect(), "the lead does not come back", "SELECT ahead < interval '1 minute' FROM comb_status()");
    }
}

/// The standby's clock is an hour behind the primary's, which is set ahead by two hours and generates ids. All of them
/// arrive, and the standby is promoted.
fn standby_is_promoted(sharing: Sharing, before: &str) {
    let primary = server(sharing);
    let mut standby = primary.standby().with_clock();
    standby.set_clock("-3600");
    standby.up();
    standby.connect().simple_query(before).expect(before);
    primary.set_clock("+7200");
    primary.execute(STORE);
    let position: String = primary.value("SELECT pg_current_wal_flush_lsn()::text");
    let arrived = format!("SELECT pg_last_wal_replay_lsn() >= '{position}'");
    let mut client = standby.connect();
    assert!(within(60, || value(&mut client, &arrived)), "the standby does not follow");
    check(&mut client, "the standby is promoted", "SELECT pg_promote()");
    sleep(Duration::from_millis(100));
    let mut client = standby.connect();
    check(
        &mut client,
        "the clock is behind what was replayed",
        "SELECT clock_timestamp() < pg_last_xact_replay_timestamp() - interval '2 hours 59 minutes'",
    );
    check(
        &mut client,
        "ids begin above the time of what was replayed",
        "SELECT comb_timestamp(comb_new()) >= pg_last_xact_replay_timestamp() - interval '1 ms'",
    );
    check(&mut client, "and above those of the primary", IDS_GO_ON);
    check_source(&mut client, "replay");
}

#[test]
fn a_standby_that_is_promoted() {
    for sharing in SHARINGS {
        standby_is_promoted(sharing, "SELECT");
    }
}

#[test]
fn a_standby_that_generated_ids_before_it_was_promoted() {
    for sharing in SHARINGS {
        standby_is_promoted(sharing, "SELECT comb_new()");
    }
}
