//! The edges of the horizon: who is told what holds it back, and a prepared transaction that outlives a restart and a
//! promotion. What one connection shows stands in `sql/horizon.sql`.

use std::thread::sleep;
use std::time::Duration;

use pg_test::{SHARINGS, Server, Session, Sharing, Stop, check, execute_until_lock, rows, sqlstate, value, within};
use postgres::{Client, NoTls};

fn server(sharing: Sharing) -> Server {
    let server = Server::start(sharing, &[("max_prepared_transactions", "20"), ("wal_level", "replica")]);
    server.execute(
        "CREATE ROLE plain LOGIN;
         CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked(), n int); CALL comb_enable_polls('outbox', 'id');
         GRANT ALL ON outbox TO plain;
         CREATE TABLE two (a bigserial, b bigserial); CALL comb_enable_polls('two', 'a'); CALL comb_enable_polls('two', 'b');
         SELECT setval('two_a_seq', 5), setval('two_b_seq', 1 + (5::bigint << 32))",
    );
    server
}

/// What a connection finds while a session has run these statements and stays.
fn while_a_session<T>(server: &Server, statements: &[&str], find: impl FnOnce() -> T) -> T {
    let statements = [statements, &["SELECT pg_sleep(60)"]].concat();
    let mut session = Session::start(server, "stays", &statements);
    session.wait_for(server, "PgSleep");
    let found = find();
    // Waits until it holds nothing.
    assert!(server.value::<bool>(&format!("SELECT pg_terminate_backend({}, 20000)", session.pid(server))));
    assert!(session.end().is_err());
    found
}

/// The transaction that holds it back ends without a transaction id: a loop that waits must see the horizon move, though no
/// snapshot does.
#[test]
fn a_loop_waits_for_it() {
    for sharing in SHARINGS {
        let server = server(sharing);
        let mut waits = while_a_session(&server, &["BEGIN", "SELECT comb_tracked()"], || {
            server.execute("INSERT INTO outbox (n) VALUES (7)");
            let waits = "DO $$ BEGIN
                WHILE (SELECT id FROM outbox WHERE n = 7) > comb_uuid_horizon('outbox') LOOP PERFORM pg_sleep(0.05); END LOOP;
            END $$";
            let waits = Session::start(&server, "waits", &[waits]);
            sleep(Duration::from_millis(1500));
            assert!(waits.runs());
            waits
        });
        assert!(within(5, || !waits.runs()));
        assert_eq!(waits.end(), Ok(vec![]));
        server.assert_clean_log();
    }
}

/// A statement that was prepared before does not know a partition that was attached since its transaction has locked the table.
#[test]
fn a_first_poll_by_an_old_plan() {
    // More messages than PostgreSQL keeps: any relation can have changed.
    let flood = "DO $$BEGIN FOR i IN 1..500 LOOP CREATE TEMP TABLE many (n int); DROP TABLE many; END LOOP; END$$";
    for (sharing, others) in SHARINGS.into_iter().flat_map(|sharing| [(sharing, "SELECT 1"), (sharing, flood)]) {
        let server = server(sharing);
        server.execute(
            "CREATE TABLE parts (n bigserial, state text) PARTITION BY LIST (state);
             CREATE TABLE part_a PARTITION OF parts FOR VALUES IN ('a');
             CREATE TABLE part_b PARTITION OF parts FOR VALUES IN ('b') PARTITION BY LIST (state);
             CREATE TABLE leaf (LIKE parts INCLUDING DEFAULTS);
             CALL comb_enable_polls('parts', 'n');
             INSERT INTO parts (state) VALUES ('a')",
        );
        let mut reader = server.connect();
        let poll = "SELECT n FROM parts WHERE n > $1 AND n <= comb_number_horizon('parts', after => $1) ORDER BY n";
        let poll = reader.prepare(poll).expect("a statement");
        // The library hears of changes from its load on.
        reader.batch_execute("SELECT comb_new(); BEGIN; SELECT count(*) FROM parts").expect("a read");
        server.execute("ALTER TABLE part_b ATTACH PARTITION leaf DEFAULT");
        server.execute("INSERT INTO parts (state) VALUES ('b')");
        server.execute("INSERT INTO parts (state) VALUES ('a')");
        server.execute(others);
        let refused = reader.query(&poll, &[&0i64]).expect_err("the plan lacks the partition");
        assert_eq!(refused.code().map(|code| code.code()), Some("40001"), "{refused}");
        reader.batch_execute("ROLLBACK").expect("ROLLBACK");
        let rows = reader.query(&poll, &[&0i64]).expect("rows");
        assert_eq!(rows.iter().map(|row| row.get::<_, i64>(0)).collect::<Vec<_>>(), [1, 2, 3]);
        server.assert_clean_log();
    }
}

/// A transaction that polls more tables than a process knows, and has changed all of them, beside older ones. A snapshot has up to 64
/// subtransactions of each.
#[test]
fn first_polls_of_many_tables() {
    for (sharing, subtransactions) in
        [(Sharing::Preloaded, [0, 0, 0]), (Sharing::Preloaded, [1, 70, 1]), (Sharing::Attached, [1, 70, 1])]
    {
        let server = server(sharing);
        let (mut reader, mut ddl) = (server.connect(), server.connect());
        reader.batch_execute("SELECT comb_new()").expect("a UUID");
        server.execute("CREATE TABLE aside ()");
        let _old = subtransactions.map(|count| {
            let mut old = server.connect();
            old.batch_execute("BEGIN; SELECT pg_current_xact_id()").expect("a transaction");
            (0..count)
                .for_each(|_| old.batch_execute("SAVEPOINT s; INSERT INTO aside DEFAULT VALUES").expect("a subtransaction"));
            old
        });
        for n in 0..70 {
            ddl.batch_execute(&format!("CREATE TABLE t{n} (n bigserial); CALL comb_enable_polls('t{n}', 'n')")).expect("a table");
        }
        let polls = (0..70).map(|n| format!("SELECT comb_number_horizon('t{n}');")).collect::<String>();
        let mut poll = |reader: &mut Client| {
            reader.batch_execute("BEGIN; SAVEPOINT s").expect("a transaction");
            ddl.batch_execute("ANALYZE t0").expect("a message");
            assert_eq!(sqlstate(reader, "SELECT 1 / count(*) FROM t0"), "22012");
            reader.batch_execute("ROLLBACK TO s; ANALYZE").expect("messages");
            let answer = reader.batch_execute(&polls);
            reader.batch_execute("ROLLBACK").expect("ROLLBACK");
            answer.map_err(|error| error.code().map(|code| code.code().to_owned()))
        };
        // The connection can have prepared a statement before the first tables got their triggers.
        assert_eq!([poll(&mut reader), poll(&mut reader)], [Err(Some("40001".to_owned())), Ok(())]);
        assert_eq!(poll(&mut server.connect()), Ok(()), "a new connection");
        server.assert_clean_log();
    }
}

/// Each of many partitioned tables gets a partition: before the transaction that polls them, or in its middle.
#[test]
fn new_partitions_of_many_tables() {
    let server = server(Sharing::Preloaded);
    let mut reader = server.connect();
    let tables = 0..20;
    for n in tables.clone() {
        server.execute(&format!("CREATE TABLE t{n} (n bigserial) PARTITION BY RANGE (n); CALL comb_enable_polls('t{n}', 'n')"));
    }
    let polls = tables.clone().map(|n| format!("SELECT comb_number_horizon('t{n}');")).collect::<String>();
    for (begin, repeats) in [("", 0), ("BEGIN; SELECT 1", 1)] {
        reader.batch_execute(&polls).expect("polls");
        reader.batch_execute(begin).expect("a transaction");
        for n in tables.clone() {
            server.execute(&format!(
                "CREATE TABLE t{n}_{repeats} PARTITION OF t{n} FOR VALUES FROM ({repeats}) TO ({repeats} + 1)"
            ));
        }
        for _ in 0..repeats {
            assert_eq!(sqlstate(&mut reader, &polls), "40001");
            reader.batch_execute("ROLLBACK").expect("ROLLBACK");
        }
        reader.batch_execute(&format!("BEGIN; {polls} COMMIT")).expect("polls");
    }
    server.assert_clean_log();
}

/// A statement that was prepared before names the table that had the name then.
#[test]
fn a_poll_by_an_old_name() {
    let swaps = [
        "ALTER TABLE app.t RENAME TO old; ALTER TABLE new.t SET SCHEMA app",
        "ALTER TABLE app.t SET SCHEMA old; ALTER TABLE new.t SET SCHEMA app",
        "DROP SCHEMA old; ALTER SCHEMA app RENAME TO old; ALTER SCHEMA new RENAME TO app",
        "ALTER TABLE app.t ALTER n DROP DEFAULT; DROP TABLE app.t; ALTER TABLE new.t SET SCHEMA app",
    ];
    for sharing in SHARINGS {
        let server = server(sharing);
        for (swap, has_polled) in swaps.into_iter().flat_map(|swap| [(swap, true), (swap, false)]) {
            server.execute(
                "DROP SCHEMA IF EXISTS app, old, new CASCADE; CREATE SCHEMA app; CREATE SCHEMA old; CREATE SCHEMA new;
                 DROP SEQUENCE IF EXISTS s; CREATE SEQUENCE s; CREATE TABLE app.t (n bigint DEFAULT nextval('s'), body text);
                 CALL comb_enable_polls('app.t', 'n'); INSERT INTO app.t DEFAULT VALUES",
            );
            let (mut reader, mut writer) = (server.connect(), server.connect());
            let ask = reader.prepare("SELECT comb_number_horizon('app.t', after => $1)").expect("a statement");
            let ask = |reader: &mut Client| {
                let answer = reader.query_one(&ask, &[&0i64]).map(|row| row.get::<_, i64>(0));
                answer.map_err(|error| error.code().map(|code| code.code().to_owned()))
            };
            // The library hears of changes from its load on.
            reader.batch_execute("SELECT comb_new()").expect("a UUID");
            if has_polled {
                assert_eq!(ask(&mut reader), Ok(1));
                reader.batch_execute("BEGIN; SELECT 1").expect("a transaction");
                server.execute("ANALYZE app.t");
                assert_eq!(ask(&mut reader), Ok(1), "the name is the same");
                reader.batch_execute("ROLLBACK").expect("ROLLBACK");
                assert_eq!(ask(&mut reader), Ok(1), "planned again");
            }
            reader.batch_execute("BEGIN; SELECT 1").expect("a transaction");
            server.execute(
                "CREATE TABLE new.t (LIKE app.t INCLUDING DEFAULTS); INSERT INTO new.t SELECT * FROM app.t; CALL comb_enable_polls('new.t', 'n')",
            );
            server.execute(swap);
            writer.batch_execute("BEGIN; INSERT INTO app.t DEFAULT VALUES").expect("a row");
            server.execute("INSERT INTO app.t DEFAULT VALUES");
            // The first poll does not know that the table has existed. A statement from before the load of the library is parsed again.
            let is_old = matches!(sharing, Sharing::Preloaded) && swap.contains("DROP TABLE") && !has_polled;
            let code = if is_old { "42P01" } else { "40001" };
            assert_eq!(ask(&mut reader), Err(Some(code.to_owned())), "{swap}, {has_polled}");
            reader.batch_execute("ROLLBACK").expect("ROLLBACK");
            if is_old {
                // The poll of a dropped table repairs nothing, and the transaction can have prepared a statement.
                assert_eq!(ask(&mut reader), Err(Some("40001".to_owned())));
            }
            assert_eq!(ask(&mut reader), Ok(1), "the other table, which a writer holds");
            writer.batch_execute("COMMIT").expect("COMMIT");
            assert_eq!(ask(&mut reader), Ok(3));
        }
        server.assert_clean_log();
    }
}

/// While PostgreSQL hears of a change of a partitioned table that it has open, it hears of another one.
#[test]
fn a_partition_that_is_new_while_a_poll_is_planned() {
    for sharing in SHARINGS {
        let server = server(sharing);
        server.execute(
            "CREATE TABLE parts (n bigserial, state text) PARTITION BY LIST (state);
             CREATE TABLE part_a PARTITION OF parts FOR VALUES IN ('a');
             CREATE TABLE other (o int) PARTITION BY LIST (o); CREATE TABLE other_1 PARTITION OF other FOR VALUES IN (1);
             CREATE TABLE unrelated (); INSERT INTO other VALUES (1); CALL comb_enable_polls('parts', 'n')",
        );
        server.execute("CREATE TABLE leaf (LIKE parts INCLUDING DEFAULTS)");
        let mut locker = server.connect();
        locker.batch_execute("BEGIN; LOCK TABLE other_1 IN ACCESS EXCLUSIVE MODE").expect("a lock");
        let poll = "SELECT n FROM parts, other WHERE n > 0 AND n <= (SELECT comb_number_horizon('parts', after => 0)) ORDER BY n";
        let mut reader = Session::start(&server, "reader", &["SELECT comb_new()", poll]);
        reader.wait_for(&server, "relation");
        server.execute("ALTER TABLE parts ATTACH PARTITION leaf FOR VALUES IN ('b')");
        server.execute("ALTER TABLE unrelated SET (fillfactor = 90)");
        server.execute("INSERT INTO parts (state) VALUES ('b')");
        server.execute("INSERT INTO parts (state) VALUES ('a')");
        locker.batch_execute("COMMIT").expect("COMMIT");
        assert_eq!(reader.end(), Err("40001".to_owned()));
        assert_eq!(Session::start(&server, "again", &[poll]).end(), Ok(vec!["1".to_owned(), "2".to_owned()]));
        server.assert_clean_log();
    }
}

/// PostgreSQL reads again what it knows of an open table before it says that the table has changed. A cancel ends that.
#[test]
fn a_message_that_a_cancel_loses() {
    let server = server(Sharing::Preloaded);
    server.execute(
        "CREATE TABLE t (n bigserial); CALL comb_enable_polls('t', 'n');
         CREATE TABLE other (o int) PARTITION BY LIST (o); CREATE TABLE other_1 PARTITION OF other FOR VALUES IN (1)",
    );
    let (mut reader, mut locker, mut killer) = (server.connect(), server.connect(), server.connect());
    let poll = "SELECT comb_number_horizon('t')";
    reader.batch_execute(poll).expect("a horizon");
    let pid: i32 = value(&mut reader, "SELECT pg_backend_pid()");
    locker.batch_execute("BEGIN; LOCK TABLE other_1 IN ACCESS EXCLUSIVE MODE").expect("a lock");
    let opens = "DO $$ DECLARE c CURSOR FOR SELECT FROM t; BEGIN OPEN c; PERFORM FROM other; END $$";
    let reader = execute_until_lock(&server, reader, opens);
    server.execute("ALTER TABLE t DISABLE TRIGGER USER");
    killer.batch_execute("BEGIN; LOCK TABLE pg_trigger IN ACCESS EXCLUSIVE MODE").expect("a lock");
    locker.batch_execute("COMMIT").expect("COMMIT");
    let holder = format!("SELECT {} = ANY (pg_blocking_pids({pid}))", value::<i32>(&mut killer, "SELECT pg_backend_pid()"));
    assert!(within(20, || value::<bool>(&mut killer, &holder)));
    killer.batch_execute(&format!("SELECT pg_cancel_backend({pid})")).expect("a cancel");
    let (ended, mut reader) = reader.join().expect("a reader");
    assert!(ended.is_err(), "it was canceled");
    killer.batch_execute("COMMIT").expect("COMMIT");
    assert_eq!(sqlstate(&mut reader, poll), "42809");
    server.assert_clean_log();
}

/// A snapshot has an answer for the table. While the next statement is parsed, another table gets its name.
#[test]
fn an_answer_for_an_old_name() {
    let server = server(Sharing::Preloaded);
    server.execute(
        "CREATE TABLE blocker (); INSERT INTO blocker DEFAULT VALUES; CREATE SCHEMA app; CREATE SCHEMA new;
         CREATE TABLE app.t (n bigserial); CREATE TABLE new.t (n bigserial);
         CALL comb_enable_polls('app.t', 'n'); CALL comb_enable_polls('new.t', 'n')",
    );
    let mut locker = server.connect();
    locker.batch_execute("BEGIN; LOCK TABLE blocker IN ACCESS EXCLUSIVE MODE").expect("a lock");
    let statements = [
        "BEGIN ISOLATION LEVEL REPEATABLE READ",
        "SELECT comb_number_horizon('app.t')",
        "SELECT n FROM (SELECT comb_number_horizon('app.t') OFFSET 0) s (horizon), blocker, app.t WHERE n <= horizon",
    ];
    let mut reader = Session::start(&server, "reader", &statements);
    reader.wait_for(&server, "relation");
    server.execute("ALTER SCHEMA app RENAME TO old; ALTER SCHEMA new RENAME TO app");
    locker.batch_execute("COMMIT").expect("COMMIT");
    assert_eq!(reader.end(), Err("40001".to_owned()));
    server.assert_clean_log();
}

/// Two tables swap their names, and swap them back after a statement has looked one up. Both have the names of the last poll.
#[test]
fn a_poll_by_a_name_of_between() {
    let swaps = [
        "ALTER TABLE app.t SET SCHEMA third; ALTER TABLE new.t SET SCHEMA app; ALTER TABLE third.t SET SCHEMA new",
        "ALTER SCHEMA app RENAME TO fourth; ALTER SCHEMA new RENAME TO app; ALTER SCHEMA fourth RENAME TO new",
    ];
    for sharing in SHARINGS {
        let server = server(sharing);
        server.execute(
            "CREATE SCHEMA app; CREATE SCHEMA new; CREATE SCHEMA third;
             CREATE TABLE app.t (n bigserial); CREATE TABLE new.t (n bigserial);
             CALL comb_enable_polls('app.t', 'n'); CALL comb_enable_polls('new.t', 'n')",
        );
        for swap in swaps {
            let mut reader = server.connect();
            reader.batch_execute("SELECT comb_number_horizon('app.t'), comb_number_horizon('new.t')").expect("horizons");
            server.execute(swap);
            reader.batch_execute("BEGIN").expect("a transaction");
            let table: u32 = value(&mut reader, "SELECT 'app.t'::regclass::oid");
            server.execute(swap);
            let refused = sqlstate(&mut reader, &format!("SELECT comb_number_horizon({table}::regclass)"));
            assert_eq!(refused, "40001", "its name is new.t again: {swap}");
            reader.batch_execute("ROLLBACK; SELECT comb_number_horizon('app.t')").expect("a horizon");
        }
        server.assert_clean_log();
    }
}

/// The statement creates the schema of the connection's temporary tables, after messages about no table.
#[test]
fn the_first_temporary_table() {
    for sharing in SHARINGS {
        let server = server(sharing);
        server.execute("CREATE TABLE t (n bigserial); CALL comb_enable_polls('t', 'n'); INSERT INTO t DEFAULT VALUES");
        let (_keeps_another_schema, mut reader) = (server.connect(), server.connect());
        reader.batch_execute("SELECT comb_new()").expect("a UUID");
        server.execute("CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'");
        reader.batch_execute("CREATE TEMP TABLE copied AS SELECT n FROM t WHERE n <= comb_number_horizon('t')").expect("a poll");
        assert_eq!(value::<i64>(&mut reader, "SELECT count(*) FROM copied"), 1);
        server.assert_clean_log();
    }
}

/// A second answer for a snapshot could be lower than the first one, up to which the statement has returned rows.
#[test]
fn more_horizons_than_are_remembered() {
    let server = server(Sharing::Preloaded);
    server.execute(
        "DO $$BEGIN FOR i IN 1..257 LOOP
             EXECUTE format('CREATE TABLE t%1$s (n bigserial); CALL comb_enable_polls(''t%1$s'', ''n'')', i);
         END LOOP; END$$",
    );
    let mut reader = server.connect();
    let all = "SELECT comb_number_horizon(format('t%s', i)::regclass) FROM generate_series(1, 257) i";
    reader.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").expect("a transaction");
    reader.batch_execute(all).expect("horizons");
    assert_eq!(sqlstate(&mut reader, "SELECT comb_number_horizon('t257')"), "00000");
    assert_eq!(sqlstate(&mut reader, "SELECT comb_number_horizon('t1')"), "54000");
    reader.batch_execute("ROLLBACK").expect("ROLLBACK");

    // Also if the statement asks in two forms.
    server.execute("INSERT INTO t2 SELECT FROM generate_series(1, 20)");
    let forms = "SELECT comb_number_horizon('t2') UNION ALL SELECT comb_number_horizon('t2', 'n')";
    reader.batch_execute(&format!("BEGIN; DECLARE c CURSOR FOR {forms}")).expect("a cursor");
    assert_eq!(value::<i64>(&mut reader, "FETCH c"), 20);
    server.execute("BEGIN; SAVEPOINT s; ALTER SEQUENCE t2_n_seq RESTART 5; INSERT INTO t2 DEFAULT VALUES; COMMIT");
    assert_eq!(value::<i64>(&mut reader, "FETCH c"), 20);
    reader.batch_execute("ROLLBACK").expect("ROLLBACK");

    reader
        .batch_execute("BEGIN; DECLARE c CURSOR FOR SELECT comb_number_horizon('t1') FROM generate_series(1, 2); FETCH c")
        .expect("one");
    server.execute("INSERT INTO t1 DEFAULT VALUES");
    reader.batch_execute(all).expect("horizons of a later snapshot");
    assert_eq!(sqlstate(&mut reader, "SELECT comb_number_horizon('t257')"), "00000");
    assert_eq!(sqlstate(&mut reader, "FETCH c"), "54000");
    reader.batch_execute("ROLLBACK").expect("ROLLBACK");

    // The last answer that was overwritten is one for an older snapshot.
    let ask = "CURSOR FOR SELECT comb_number_horizon('t1') FROM generate_series(1, 2)";
    reader.batch_execute(&format!("BEGIN; DECLARE older {ask}")).expect("a cursor");
    server.execute("INSERT INTO t1 DEFAULT VALUES");
    reader.batch_execute(&format!("DECLARE newer {ask}; FETCH newer; FETCH older")).expect("two answers");
    server.execute("INSERT INTO t1 DEFAULT VALUES");
    reader.batch_execute(&all.replace("257", "256")).expect("horizons of a later snapshot");
    assert_eq!(sqlstate(&mut reader, "FETCH newer"), "54000");
    server.assert_clean_log();
}

/// The worker of a subscription stores rows in any table that has, or gets, the name of one of the publisher.
#[test]
fn a_database_with_a_subscription() {
    let server = server(Sharing::Preloaded);
    server.execute("CREATE TABLE t (n bigserial); CALL comb_enable_polls('t', 'n')");
    let mut reader = server.connect();
    let mut poll = || sqlstate(&mut reader, "SELECT comb_number_horizon('t')");
    assert_eq!(poll(), "00000");
    server.execute("CREATE SUBSCRIPTION s CONNECTION 'dbname=none' PUBLICATION p WITH (connect = false, slot_name = NONE)");
    assert_eq!(poll(), "42809");
    server.execute("CALL comb_enable_polls('t', 'n')");
    assert_eq!(poll(), "42809", "it would stop a subscription that has keys of a publisher");
    server.execute("ALTER TABLE t ENABLE ALWAYS TRIGGER zz_comb_guard_n");
    assert_eq!(poll(), "00000");
    server.execute("CALL comb_enable_polls('t', 'n')");
    assert_eq!(poll(), "00000", "it stays ALWAYS");
    server.execute("ALTER TABLE t ENABLE TRIGGER zz_comb_guard_n");
    assert_eq!(poll(), "42809");
    server.execute("DROP SUBSCRIPTION s");
    assert_eq!(poll(), "00000");
    server.assert_clean_log();
}

/// A transaction that has read one partition alone holds up the DDL. Another reader locks the table before its partitions.
#[test]
fn polls_end_beside_a_reader() {
    let server = server(Sharing::Preloaded);
    server.execute(
        "CREATE TABLE parts (n bigserial, state text) PARTITION BY LIST (state);
         CREATE TABLE part_a PARTITION OF parts FOR VALUES IN ('a'); CREATE TABLE part_b PARTITION OF parts FOR VALUES IN ('b');
         CALL comb_enable_polls('parts', 'n')",
    );
    let mut holder = server.connect();
    holder.batch_execute("BEGIN; SELECT FROM part_a").expect("a read");
    let mut ends = Session::start(&server, "ends", &["CALL comb_disable_polls('parts', 'n')"]);
    ends.wait_for(&server, "relation");
    let mut reader = Session::start(&server, "reader", &["SELECT FROM parts"]);
    reader.wait_for(&server, "relation");
    holder.batch_execute("COMMIT").expect("COMMIT");
    assert_eq!((ends.end(), reader.end()), (Ok(vec![]), Ok(vec![])));
    server.assert_clean_log();
}

/// The only row of comb_horizon_holders().
fn holder(client: &mut Client) -> String {
    value(
        client,
        "SELECT format('%s|%s|%s|%s|%s|%s|%s', database, username, application, state, gid IS NOT NULL,
                       floor_id < comb_new(), floor_timestamp <= now()) FROM comb_horizon_holders()",
    )
}

#[test]
fn who_holds_it_back() {
    for sharing in SHARINGS {
        let server = server(sharing);
        let mut superuser = server.connect();
        let mut plain = server.config().user("plain").connect(NoTls).expect("a connection");
        server.execute("BEGIN; INSERT INTO outbox DEFAULT VALUES; PREPARE TRANSACTION 'kept'");
        assert_eq!(holder(&mut superuser), "postgres|postgres||prepared|t|t|t");
        assert_eq!(holder(&mut plain), "postgres|postgres||prepared|t|t|t");
        server.execute("ROLLBACK PREPARED 'kept'");
        while_a_session(&server, &["BEGIN", "SELECT comb_tracked()"], || {
            assert_eq!(holder(&mut superuser), "postgres|postgres|stays|active|f|t|t");
            // Who may not see the state of the session.
            assert_eq!(holder(&mut plain), "postgres|postgres|stays||f|t|t");
        });
        server.assert_clean_log();
    }
}

/// comb_horizon_status() waits for no lock, keeps none, and locks no table without a privilege.
#[test]
fn the_monitoring_stops_nobody() {
    let server = server(Sharing::Preloaded);
    server.execute(
        "CREATE TABLE parts (n bigserial) PARTITION BY LIST (n); CREATE TABLE part_all PARTITION OF parts DEFAULT;
         CALL comb_enable_polls('parts', 'n'); CREATE TABLE free (n bigserial); CALL comb_enable_polls('free', 'n')",
    );
    let locks = ["BEGIN", "ALTER SEQUENCE two_a_seq NO CYCLE", "LOCK TABLE part_all, ONLY outbox IN ACCESS EXCLUSIVE MODE"];
    let status = "SELECT relation || ' ' || coalesce(key, '') || ': ' || coalesce(problem, horizon) FROM comb_horizon_status()
                  ORDER BY relation::text, key";
    let mut superuser = server.connect();
    let mut plain = server.config().user("plain").connect(NoTls).expect("a connection");
    while_a_session(&server, &locks, || {
        for (client, of_two, of_parts, free) in [
            (&mut superuser, ["a: \"two_a_seq\" is locked", "b: 21474836481"].as_slice(), "n: \"part_all\" is locked", "n: 0"),
            (
                &mut plain,
                [": permission denied for table \"two\""].as_slice(),
                ": permission denied for table \"parts\"",
                ": permission denied for table \"free\"",
            ),
        ] {
            client.batch_execute("SET statement_timeout = '20s'; BEGIN").expect("BEGIN");
            let mut expected =
                vec![format!("free {free}"), "outbox : \"outbox\" is locked".to_owned(), format!("parts {of_parts}")];
            expected.extend(of_two.iter().map(|row| format!("two {row}")));
            assert_eq!(rows(client, status).expect("the status"), expected);
            let kept =
                "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation >= 16384 AND locktype = 'relation'
                        AND relation IN (SELECT oid FROM pg_class WHERE relkind IN ('r', 'p', 'S'))";
            assert_eq!(value::<i64>(client, kept), 0);
            client.batch_execute("COMMIT").expect("COMMIT");
        }
    });
    server.assert_clean_log();
}

/// The transaction 'outlives' has stored a row and is prepared. Later rows are settled when it is committed, no earlier.
fn prepared_transaction_holds(server: &Server) {
    let mut client = server.connect();
    check(
        &mut client,
        "the prepared transaction holds the horizon",
        "SELECT comb_uuid_horizon('outbox') < comb_first(id) FROM outbox WHERE n = 20",
    );
    client.batch_execute("INSERT INTO outbox (n) VALUES (20)").expect("a row");
    check(
        &mut client,
        "later rows wait",
        "SELECT id > comb_uuid_horizon('outbox') FROM outbox WHERE n = 20 ORDER BY id DESC LIMIT 1",
    );
    client.batch_execute("INSERT INTO two DEFAULT VALUES").expect("a row");
    check(
        &mut client,
        "each number has its floor",
        "SELECT comb_number_horizon('two', 'a') = 5 AND comb_number_horizon('two', 'b') = 1 + (5::bigint << 32)",
    );
    check(
        &mut client,
        "it is shown",
        "SELECT count(*) = 3 AND bool_and(gid = 'outlives' AND state = 'prepared') FROM comb_horizon_holders()",
    );
    client.batch_execute("COMMIT PREPARED 'outlives'").expect("its end");
    check(
        &mut client,
        "all is settled",
        "SELECT count(*) > 1 AND bool_and(id <= comb_uuid_horizon('outbox')) FROM outbox WHERE n IN (10, 20)",
    );
    check(
        &mut client,
        "of both numbers",
        "SELECT comb_number_horizon('two', 'a') >= max(a) AND comb_number_horizon('two', 'b') >= max(b) FROM two",
    );
}

#[test]
fn a_prepared_transaction_a_restart_and_a_promotion() {
    for sharing in SHARINGS {
        let mut primary = server(sharing);
        primary
            .execute("BEGIN; INSERT INTO outbox (n) VALUES (10); INSERT INTO two DEFAULT VALUES; PREPARE TRANSACTION 'outlives'");
        primary.execute("INSERT INTO outbox (n) VALUES (20)");
        let mut standby = primary.standby();
        standby.up();
        let position: String = primary.value("SELECT pg_current_wal_flush_lsn()::text");
        let arrived = format!("SELECT pg_last_wal_replay_lsn() >= '{position}'");
        let mut client = standby.connect();
        assert!(within(20, || value(&mut client, &arrived)), "the standby does not follow");
        for call in ["comb_tracked()", "comb_tracked('mssql')", "comb_uuid_horizon('outbox')", "comb_number_horizon('outbox')"] {
            assert_eq!(sqlstate(&mut client, &format!("SELECT {call}")), "25006", "{call}");
        }
        check(
            &mut client,
            "comb_horizon_status() has no horizon on a standby",
            "SELECT count(*) = 3 AND bool_and(horizon IS NULL AND problem IS NOT NULL) FROM comb_horizon_status()",
        );
        // A snapshot of the time before the promotion says nothing of what runs.
        let mut before = Session::start(
            &standby,
            "before",
            &[
                "BEGIN ISOLATION LEVEL REPEATABLE READ",
                "SELECT count(*) FROM outbox",
                "SELECT pg_sleep(3)",
                "SELECT comb_uuid_horizon('outbox')",
            ],
        );
        before.wait_for(&standby, "PgSleep");
        check(&mut client, "the standby is promoted", "SELECT pg_promote()");
        prepared_transaction_holds(&standby);
        let error = before.end().expect_err("no horizon");
        assert!(["25006", "40001"].contains(&error.as_str()), "{error}");
        standby.assert_clean_log();

        primary.down(Stop::Immediate);
        primary.up();
        prepared_transaction_holds(&primary);
        primary.assert_clean_log();
    }
}
