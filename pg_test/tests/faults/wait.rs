//! A process is stopped while it holds the lock of the logical clock. Others wait for it, and can be seen to; cancel,
//! time-outs, terminate and shutdown end the wait at once; and when the process goes on, so do they.

use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use pg_test::{
    ORDER_TABLE, Server, Session, Sharing, Signal, check, duration, installation, inversions, order_load, signal, within,
};

const TIME_OUT: &str = "SET statement_timeout = '200 ms'";
const GENERATE: &str = "SELECT comb_new()";
/// Its own error if the time-out comes late. By the server's clock: on a loaded machine, a session takes seconds to start.
const GENERATE_IN_TIME: &str = "DO $$
DECLARE
    start timestamptz := clock_timestamp();
BEGIN
    PERFORM comb_new();
EXCEPTION WHEN query_canceled THEN
    IF clock_timestamp() - start > interval '2 s' THEN
        RAISE 'the time-out came after %', clock_timestamp() - start;
    END IF;
    RAISE;
END
$$";

/// Stops the process that first reads the clock with SIGTERM blocked, as comb does during a change of the clock, after a file
/// of this name has appeared in the data directory.
const STOPPER: &str = "
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <signal.h>
    #include <stdio.h>
    #include <time.h>
    int clock_gettime(clockid_t clock, struct timespec *time) {
        static int (*next)(clockid_t, struct timespec *);
        sigset_t blocked;
        if (!next) next = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, \"clock_gettime\");
        sigprocmask(SIG_SETMASK, NULL, &blocked);
        if (clock == CLOCK_REALTIME && sigismember(&blocked, SIGTERM) == 1 && sigismember(&blocked, SIGUSR2) == 1
            && !rename(\"stop in a change\", \"stopped in a change\"))
            raise(SIGSTOP);
        return next(clock, time);
    }";

/// The library of [`STOPPER`], for LD_PRELOAD.
fn stopper(server: &Server) -> String {
    let [source, library] = ["stopper.c", "stopper.so"].map(|name| server.work().join(name));
    fs::write(&source, STOPPER).expect("a source");
    let status = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).arg("-ldl").status();
    assert!(status.is_ok_and(|status| status.success()), "cc");
    library.display().to_string()
}

fn is_stopped(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|status| status.contains("State:\tT"))
}

fn ends_within(seconds: u64, session: &Session) -> bool {
    within(seconds, || !session.runs())
}

/// A session that advances the clock by two minutes, and is stopped while it does; and its process.
fn stop_writer(server: &Server) -> (Session, i32) {
    let stopped = server.data().join("stopped in a change");
    let _ = fs::remove_file(&stopped);
    fs::write(server.data().join("stop in a change"), "").expect("a file");
    let advance = "SELECT comb_observe(comb_at(clock_timestamp() + interval '2 minutes'))";
    let writer = Session::start(server, "writer", &[advance]);
    assert!(within(10, || stopped.exists()), "no process changes the clock");
    let pid = writer.pid(server);
    assert!(within(10, || is_stopped(pid)), "the writer does not stop");
    (writer, pid)
}

/// Whether these sessions wait for the clock, as pg_stat_activity shows it.
fn all_wait(server: &Server, sessions: &[&Session]) -> bool {
    let event = if installation().major >= 17 { "CombClock" } else { "Extension" };
    sessions.iter().for_each(|session| session.wait_for(server, event));
    let names: Vec<_> = sessions.iter().map(|session| format!("'{}'", session.name)).collect();
    let names = names.join(", ");
    let waiting = format!(
        "SELECT count(*) FROM pg_stat_activity
         WHERE wait_event_type = 'Extension' AND wait_event = '{event}' AND application_name IN ({names})"
    );
    within(5, || server.value::<i64>(&waiting) == sessions.len() as i64)
}

fn processes_wait_for_one_that_is_stopped(sharing: Sharing) {
    let server = Server::create(sharing, &[("synchronous_commit", "off")]);
    let stopper = stopper(&server);
    let mut server = server.with_environment("LD_PRELOAD", &stopper);
    server.up();
    server.execute("CREATE EXTENSION comb; SELECT comb_new(); CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) n");
    server.execute("ANALYZE source");
    under_load(&server);
    fast_shutdown(&mut server);
    server.up();
    server.assert_clean_log();
}

fn under_load(server: &Server) {
    server.execute(&format!("CREATE TABLE generated {ORDER_TABLE}"));
    let load = order_load(server, "generated", "comb_new()", 4, duration(), false);
    sleep(Duration::from_millis(500));
    let (mut writer, writer_pid) = stop_writer(server);
    let mut timed = Session::start(server, "timed", &[TIME_OUT, GENERATE_IN_TIME]);
    assert!(ends_within(20, &timed), "a time-out of 200 ms ends a wait");
    assert_eq!(timed.end(), Err("57014".to_owned()), "a time-out of 200 ms ends a wait at once");
    let start = |name| Session::start(server, name, &[GENERATE]);
    let (canceled, terminated, mut goes_on) = (start("canceled"), start("terminated"), start("goes_on"));
    // Below the Gather, where the workers are.
    let parallel = Session::start(
        server,
        "parallel",
        &[
            "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0",
            "SET parallel_leader_participation = off",
            "CREATE TABLE by_workers AS SELECT comb_new() FROM source",
        ],
    );
    assert!(all_wait(server, &[&canceled, &terminated, &goes_on]), "the wait is shown");
    let workers_wait =
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND wait_event_type = 'Extension')";
    assert!(within(5, || server.value(workers_wait)), "parallel workers wait, too");
    server.execute(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name IN ('canceled', 'parallel') AND leader_pid IS NULL",
    );
    let terminated_pid = terminated.pid(server);
    server.execute(&format!("SELECT pg_terminate_backend({terminated_pid}), pg_terminate_backend({writer_pid})"));
    for (session, what) in
        [(canceled, "pg_cancel_backend()"), (parallel, "that of parallel workers"), (terminated, "pg_terminate_backend()")]
    {
        assert!(ends_within(2, &session), "{what} ends a wait");
    }
    assert!(goes_on.runs(), "the others wait on");
    signal(writer_pid, Signal::CONT);
    assert!(ends_within(2, &goes_on), "when the stopped process goes on, so do they");
    assert!(ends_within(2, &writer), "it had been told to end, and does");
    assert!(writer.end().is_err());
    let id = &goes_on.end().expect("an id")[0];
    check(
        &mut server.connect(),
        "it ended after its change",
        &format!("SELECT '{id}' < comb_new() AND ahead > interval '70 s' FROM comb_status()"),
    );
    let ids = load.join().expect("no id is generated twice");
    println!("{ids} ids were generated meanwhile");
    assert_eq!(inversions(server, "generated"), 0);
}

fn fast_shutdown(server: &mut Server) {
    let (_writer, writer_pid) = stop_writer(server);
    let [first, second] = ["first", "second"].map(|name| Session::start(server, name, &[GENERATE]));
    assert!(all_wait(server, &[&first, &second]), "they wait");
    server.signal(Signal::INT);
    assert!(within(2, || !first.runs() && !second.runs()), "a fast shutdown ends the wait");
    signal(writer_pid, Signal::CONT);
    let pid_file = server.data().join("postmaster.pid");
    assert!(within(10, || !pid_file.exists()), "the server stops as soon as the stopped process goes on");
    server.wait_for_its_end();
}

#[test]
fn preloaded() {
    processes_wait_for_one_that_is_stopped(Sharing::Preloaded);
}

#[test]
fn attached() {
    processes_wait_for_one_that_is_stopped(Sharing::Attached);
}
