//! The system clock is set back by an hour, ahead by 30 years, to before 1970, and mended again, under sessions that
//! go on and new ones.

use std::thread::sleep;
use std::time::Duration;

use pg_test::{SHARINGS, Server, Sharing, check, create_parallel_source, duration, listen, sqlstate, value};
use postgres::Client;
use uuid::Uuid;

/// A server whose clock can be set.
fn server(sharing: Sharing) -> Server {
    let mut server = Server::create(sharing, &[("client_min_messages", "error")]).with_clock();
    server.up();
    server.execute("CREATE EXTENSION comb");
    server
}

fn next_id(client: &mut Client) -> Uuid {
    value(client, "SELECT comb_new()")
}

#[test]
fn an_hour_back() {
    for sharing in SHARINGS {
        let server = server(sharing);
        let (mut old, is_back) = (server.connect(), "SELECT clock_timestamp() < now() - interval '59 minutes'");
        let before = next_id(&mut old);
        old.batch_execute("BEGIN").expect("a transaction, so that now() stays");
        server.set_clock("-3600");
        check(&mut old, "the clock is an hour back", is_back);
        old.batch_execute("COMMIT").expect("its end");
        assert!(next_id(&mut old) > before, "the same session goes on above");
        let by_sql_server = format!(
            "SELECT bool_and(id > before) FROM (SELECT comb_convert('{before}', 'uuidv7', 'mssql')::uniqueidentifier AS before,
                    comb_new_mssql()::uniqueidentifier AS id) ids"
        );
        check(&mut old, "in SQL Server's order, too", &by_sql_server);
        let mut new = server.connect();
        assert!(next_id(&mut new) > before, "a new session goes on above");
        check(
            &mut new,
            "the status says how far ids are ahead",
            "SELECT ahead BETWEEN interval '59 minutes' AND interval '1 hour' FROM comb_status()",
        );
        check(
            &mut new,
            "time stands still",
            "SELECT comb_timestamp(comb_new()) - time < interval '10 ms' FROM (SELECT comb_timestamp(comb_new()) AS time, pg_sleep(0.1) OFFSET 0) b",
        );
        create_parallel_source(&mut new, 10_000);
        let before = next_id(&mut new);
        new.batch_execute("CREATE TABLE generated AS SELECT comb_new() AS id FROM source").expect("ids");
        let least: Uuid = value(&mut new, "SELECT id FROM generated ORDER BY id LIMIT 1");
        assert!(least > before, "parallel workers go on above");
        server.set_clock("+0");
        let greatest: Uuid = value(&mut new, "SELECT id FROM generated ORDER BY id DESC LIMIT 1");
        assert!(next_id(&mut new) > greatest, "the clock mended, ids are above");
        check(&mut new, "and as good as level", "SELECT ahead < interval '1 second' FROM comb_status()");
    }
}

#[test]
fn thirty_years_ahead() {
    for sharing in SHARINGS {
        let server = server(sharing);
        let is_of_now = "SELECT abs(extract(epoch FROM clock_timestamp() - comb_timestamp(comb_new()))) < 1";
        let mut old = server.connect();
        next_id(&mut old);
        server.set_clock("+30y");
        let future = next_id(&mut old);
        check(&mut old, "ids follow the clock", is_of_now);
        server.set_clock("+0");
        assert!(next_id(&mut old) > future, "the clock mended, the same session stays above");
        let mut new = server.connect();
        assert!(next_id(&mut new) > future, "a new session stays above");
        check(&mut new, "the status says how far ahead", "SELECT ahead > interval '29 years' FROM comb_status()");
        check(&mut server.connect(), "comb_reset_clock() works", "SELECT comb_reset_clock() IS NOT NULL");
        check(&mut old, "called in another session, it brings this one back", is_of_now);
        let mut new = server.connect();
        check(&mut new, "and a new one", is_of_now);
        check(&mut new, "the status says so", "SELECT ahead < interval '1 s' FROM comb_status()");
    }
}

#[test]
fn before_1970() {
    for sharing in SHARINGS {
        let server = server(sharing);
        let mut old = server.connect();
        old.batch_execute("CREATE TABLE stored (id uuid)").expect("a table");
        let labels: Vec<String> = value(&mut old, "SELECT array_agg(label) FROM comb_layouts()");
        let before = next_id(&mut old);
        server.set_clock("-70y");
        check(&mut old, "the clock is before 1970", "SELECT clock_timestamp() < '1970-01-01Z'");
        let generate = "INSERT INTO stored SELECT comb_new()";
        assert_eq!(sqlstate(&mut old, generate), "22008", "the same session");
        let mut new = server.connect();
        assert_eq!(sqlstate(&mut new, generate), "22008", "a new session");
        for label in labels {
            assert_eq!(sqlstate(&mut new, &format!("INSERT INTO stored SELECT comb_new('{label}')")), "22008", "{label}");
        }
        assert_eq!(sqlstate(&mut new, "SELECT comb_new_bsv()"), "22008", "BSV text");
        assert_eq!(sqlstate(&mut new, "SELECT comb_status()"), "22008", "the status, which is of now");
        server.set_clock("+0");
        assert!(next_id(&mut new) > before, "the clock mended, ids are above those before");
        check(&mut new, "of now", "SELECT abs(extract(epoch FROM clock_timestamp() - comb_timestamp(comb_new()))) < 1");
        check(&mut new, "nothing was stored", "SELECT count(*) = 0 FROM stored");
        assert!(next_id(&mut server.connect()) > before, "a new session's are, too");
    }
}

#[test]
fn a_session_whose_ids_run_ahead_is_warned_once_a_minute() {
    for sharing in SHARINGS {
        let server = server(sharing);
        let mut config = server.config();
        config.options("-c client_min_messages=warning");
        let (mut client, heard) = listen(config);
        next_id(&mut client);
        server.set_clock("-3600");
        for _ in 0..2 {
            value::<i64>(&mut client, "SELECT count(comb_new()) FROM generate_series(1, 100000)");
            sleep(Duration::from_millis(100));
        }
        let warned = || heard.lock().expect("messages").clone();
        assert_eq!(warned().len(), 1, "{:?}", warned());
        if duration() >= Duration::from_secs(60) {
            sleep(Duration::from_secs(62));
            next_id(&mut client);
            assert_eq!(warned().len(), 2, "{:?}", warned());
        }
    }
}
