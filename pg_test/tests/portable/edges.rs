//! What gapless_upto() waits for, and what it refuses.

use pg_test::{sqlstate, value, within};
use postgres::Client;

use super::load::{PARTITIONED, PLAIN, Stage};
use super::{GAPLESS, server};

/// Two polls: the first one can take a new sample.
fn upto(client: &mut Client, table: &str) -> Option<i64> {
    let query = format!("SELECT gapless_upto('{table}', 'ev_id_seq')");
    value::<Option<i64>>(client, &query);
    value(client, &query)
}

fn run(client: &mut Client, statements: &str) {
    client.batch_execute(statements).unwrap_or_else(|error| panic!("{statements}: {error:?}"));
}

#[test]
fn only_writers_of_the_table_hold_it_back() {
    let server = server();
    for (schema, table) in [("plain", PLAIN), ("partitioned", PARTITIONED)] {
        let stage = Stage::new(&server, schema, table, GAPLESS);
        let [mut reader, mut other] = [stage.connect(), stage.connect()];
        run(&mut other, "CREATE TABLE shares (id bigint DEFAULT nextval('ev_id_seq'))");
        assert_eq!(upto(&mut reader, "ev"), None, "no number is drawn");
        run(&mut reader, "INSERT INTO ev DEFAULT VALUES");
        assert_eq!(upto(&mut reader, "ev"), Some(1));
        for (statement, holds) in [
            ("INSERT INTO leaf (part) VALUES (0)", true),
            ("DELETE FROM ev WHERE id = 0", true),
            ("LOCK TABLE ONLY ev IN ROW EXCLUSIVE MODE", true),
            ("SAVEPOINT a; INSERT INTO ev DEFAULT VALUES; ROLLBACK TO a", false),
            ("ANALYZE ev", false),
            ("SELECT FROM ev FOR UPDATE", false),
            ("LOCK TABLE ev IN SHARE MODE", false),
            ("LOCK TABLE ev IN SHARE ROW EXCLUSIVE MODE", true),
            ("LOCK TABLE ev IN EXCLUSIVE MODE", true),
            ("INSERT INTO shares DEFAULT VALUES", false),
        ] {
            run(&mut other, &format!("BEGIN; {statement}; SELECT nextval('ev_id_seq')"));
            let last: i64 = value(&mut reader, "SELECT last_value FROM ev_id_seq");
            let before = upto(&mut reader, "ev").expect("a number");
            assert_eq!(before < last, holds, "{statement}");
            run(&mut other, "COMMIT");
            assert_eq!(upto(&mut reader, "ev"), Some(last), "{statement}");
        }
        // A reader that writes the table itself, and holds the state until it commits: its rows appear with its answer.
        run(&mut other, "BEGIN; INSERT INTO ev DEFAULT VALUES");
        let last = upto(&mut other, "ev");
        assert!(upto(&mut reader, "ev") < last);
        run(&mut other, "COMMIT");
        assert_eq!(upto(&mut reader, "ev"), last);
        // Numbers begin again.
        run(&mut other, "BEGIN; TRUNCATE ev RESTART IDENTITY; ALTER SEQUENCE ev_id_seq RESTART; COMMIT");
        assert_eq!(upto(&mut reader, "ev"), None);
        run(&mut other, "INSERT INTO ev DEFAULT VALUES; BEGIN; INSERT INTO ev DEFAULT VALUES");
        assert_eq!(upto(&mut reader, "ev"), None, "of the numbers that are drawn again");
        run(&mut other, "COMMIT");
        assert_eq!(upto(&mut reader, "ev"), Some(2));
        // As many are drawn again before the next poll.
        run(&mut other, "BEGIN; TRUNCATE ev RESTART IDENTITY; ALTER SEQUENCE ev_id_seq RESTART; COMMIT");
        run(&mut other, "BEGIN; INSERT INTO ev DEFAULT VALUES");
        run(&mut reader, "INSERT INTO ev DEFAULT VALUES");
        assert_eq!(upto(&mut reader, "ev"), None, "the first of them is not visible");
        run(&mut other, "COMMIT");
        assert_eq!(upto(&mut reader, "ev"), Some(2));
        // While another reader has the state.
        run(&mut reader, "BEGIN; TRUNCATE ev RESTART IDENTITY; ALTER SEQUENCE ev_id_seq RESTART; COMMIT");
        let mut holder = stage.connect();
        run(&mut holder, "BEGIN");
        assert_eq!(upto(&mut holder, "ev"), None);
        run(&mut other, "BEGIN; INSERT INTO ev DEFAULT VALUES");
        run(&mut reader, "INSERT INTO ev DEFAULT VALUES");
        assert_eq!(upto(&mut reader, "ev"), None, "the answer of before");
        run(&mut other, "COMMIT");
        run(&mut holder, "COMMIT");
        assert_eq!(upto(&mut reader, "ev"), Some(2));
    }
    // A partition stands for its root, whose writers lock it later.
    let stage = Stage::new(&server, "leaves", PARTITIONED, GAPLESS);
    let [mut reader, mut other] = [stage.connect(), stage.connect()];
    run(&mut reader, "INSERT INTO ev DEFAULT VALUES");
    assert_eq!(upto(&mut reader, "twig"), Some(1));
    // A partition that nobody else sees yet.
    run(&mut other, "BEGIN; CREATE TABLE sprout PARTITION OF ev FOR VALUES IN (2); INSERT INTO sprout (part) VALUES (2)");
    assert_eq!(upto(&mut reader, "twig"), Some(1));
    run(&mut other, "COMMIT");
    assert_eq!(upto(&mut reader, "twig"), Some(2));
    assert_eq!(value::<String>(&mut reader, "SELECT string_agg(relation::text, ' ') FROM gapless_state"), "ev");
}

#[test]
fn what_would_lose_rows_is_refused() {
    let server = server();
    let stage = Stage::new(&server, "plain", PLAIN, GAPLESS);
    let mut client = stage.connect();
    run(
        &mut client,
        "INSERT INTO ev DEFAULT VALUES; CREATE SEQUENCE elsewhere; CREATE TABLE triggered (id bigint); CREATE SEQUENCE by_trigger;
         CREATE TABLE cached (id bigint GENERATED ALWAYS AS IDENTITY (CACHE 20));
         CREATE TABLE pooled (id bigint GENERATED ALWAYS AS IDENTITY (INCREMENT 50));
         CREATE TABLE cycled (id bigint GENERATED ALWAYS AS IDENTITY (CYCLE));
         CREATE VIEW seen AS SELECT * FROM ev; ALTER VIEW seen ALTER id SET DEFAULT nextval('elsewhere')",
    );
    let call = |table: &str, sequence: &str| format!("SELECT gapless_upto('{table}', '{sequence}')");
    for (table, sequence) in [
        ("cached", "cached_id_seq"),
        ("pooled", "pooled_id_seq"),
        ("cycled", "cycled_id_seq"),
        ("ev", "ev"),
        ("ev", "elsewhere"),
        ("cached", "ev_id_seq"),
        ("seen", "elsewhere"),
        ("triggered", "by_trigger"),
    ] {
        assert_eq!(sqlstate(&mut client, &call(table, sequence)), "55000", "{table}, {sequence}");
    }
    run(&mut client, "ALTER SEQUENCE by_trigger OWNED BY triggered.id");
    assert_eq!(sqlstate(&mut client, &call("triggered", "by_trigger")), "00000");
    run(&mut client, "SELECT gapless_upto('ev', 'ev_id_seq'); ALTER SEQUENCE ev_id_seq CACHE 2");
    assert_eq!(sqlstate(&mut client, &call("ev", "ev_id_seq")), "55000", "later, too");
    run(&mut client, "ALTER SEQUENCE ev_id_seq CACHE 1");
    for level in ["REPEATABLE READ", "SERIALIZABLE"] {
        assert_eq!(sqlstate(&mut client, &format!("BEGIN ISOLATION LEVEL {level}; {}", call("ev", "ev_id_seq"))), "25000");
        run(&mut client, "ROLLBACK");
    }
    // Another role, with another search_path, by the privileges that the page names.
    server.execute("CREATE ROLE polls LOGIN");
    run(&mut client, "GRANT USAGE ON SCHEMA plain TO polls; GRANT SELECT, INSERT, UPDATE ON gapless_state TO polls");
    let mut config = server.config();
    let mut polls = config.user("polls").connect(postgres::NoTls).expect("a connection");
    let polled = "SELECT plain.gapless_upto('plain.ev', 'plain.ev_id_seq')";
    assert_eq!(sqlstate(&mut polls, polled), "42501");
    run(&mut client, "GRANT SELECT ON SEQUENCE ev_id_seq TO polls");
    assert_eq!(value::<i64>(&mut polls, polled), 1);
    // The objects are in "$user", which is another schema for the other role.
    server.execute("CREATE SCHEMA app AUTHORIZATION app");
    let mut owner = config.user("app").connect(postgres::NoTls).expect("a connection");
    let grants = "GRANT USAGE ON SCHEMA app TO polls; GRANT SELECT, INSERT, UPDATE ON gapless_state TO polls; GRANT SELECT ON ev_id_seq TO polls";
    run(&mut owner, &format!("{PLAIN}; {GAPLESS}; INSERT INTO ev DEFAULT VALUES; {grants}"));
    assert_eq!(value::<i64>(&mut polls, "SELECT app.gapless_upto('app.ev', 'app.ev_id_seq')"), 1);

    let mut standby = server.standby();
    standby.up();
    let refused =
        || sqlstate(&mut standby.connect(), &format!("SET search_path = plain; {}", call("ev", "ev_id_seq"))) == "55000";
    assert!(within(20, refused), "a standby answers");
}
