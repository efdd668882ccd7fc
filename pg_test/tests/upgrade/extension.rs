//! From version 0.4.1 of the extension, of its own library, to this one.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use pg_test::pages::Page;
use pg_test::{Server, Sharing, Stop, assert_same_lines, check, installation, root, say, value};
use postgres::Client;
use postgres::error::DbError;

use crate::script;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const RELEASED: &str = "0.4.1";
/// Its SQL runs with the library of the released version.
const BEFORE: &str = "0.4.0";
const OPTIONS: &str = "-c search_path=app,extensions -c comb_upgrade.schema=extensions -c client_min_messages=error";

/// The library of the released version, whose script is then installed; `None` where there is no clone of the repository.
fn released() -> Option<Vec<u8>> {
    static RELEASE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let release = RELEASE.get_or_init(|| {
        let build =
            Command::new(root().join("tools/released.sh")).arg(installation().major.to_string()).output().expect("a build");
        assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
        let folder = PathBuf::from(String::from_utf8(build.stdout).expect("UTF-8").trim());
        if folder.as_os_str().is_empty() {
            say(&format!("Not tested: updates: this is not a clone with the commit of version {RELEASED}"));
            return None;
        }
        for version in [BEFORE, RELEASED] {
            let name = format!("comb--{version}.sql");
            fs::copy(folder.join(&name), installation().scripts.join(name)).expect("the script of a released version");
        }
        Some(folder)
    });
    release.as_ref().map(|folder| fs::read(folder.join("comb.so")).expect("the library of the released version"))
}

/// A server with the released library.
fn old_server(library: &[u8], settings: &[(&str, &str)]) -> Server {
    let mut server = Server::create(Sharing::Attached, settings);
    server.configure(&[("dynamic_library_path", &server.place_library(library)), ("max_prepared_transactions", "5")]);
    server.up();
    server
}

/// Restarts it with the library of this version.
fn replace_library(server: &mut Server) {
    server.down(Stop::Fast);
    server.configure(&[("dynamic_library_path", "$libdir")]);
    server.up();
}

fn create(server: &Server, database: &str, version: &str) {
    server.execute(&format!("DROP DATABASE IF EXISTS {database}"));
    server.execute(&format!("CREATE DATABASE {database}"));
    let statements =
        format!("CREATE SCHEMA extensions; CREATE SCHEMA app; CREATE EXTENSION comb SCHEMA extensions VERSION '{version}'");
    server.connect_to(database).batch_execute(&statements).expect("the extension");
}

fn run(server: &Server, database: &str, name: &str) -> String {
    script(server, &format!("dbname={database} options='{OPTIONS}'"), name, &[])
}

fn update(server: &Server, database: &str) -> Result<(), postgres::Error> {
    server.connect_to(database).batch_execute("ALTER EXTENSION comb UPDATE")
}

fn version(server: &Server, database: &str) -> String {
    value(&mut server.connect_to(database), "SELECT extversion FROM pg_extension WHERE extname = 'comb'")
}

fn error(client: &mut Client, statement: &str) -> DbError {
    client.batch_execute(statement).expect_err(statement).as_db_error().expect("an error of the server").clone()
}

/// What goes, with something that uses it, and the name in the error.
const REMOVED: [(&str, &str, &str); 7] = [
    ("horizon", "CREATE VIEW app.outbox_settled AS SELECT * FROM app.t WHERE u < comb_horizon()", "outbox_settled"),
    ("sequence_horizon", "CREATE VIEW app.settled AS SELECT comb_sequence_horizon('app.s')", "settled"),
    ("track", "ALTER TABLE app.t ADD tracks text DEFAULT comb_track('app.s')::text", "column tracks"),
    ("status", "CREATE VIEW app.held AS SELECT held_for FROM comb_horizon_status()", "held"),
    ("holders", "CREATE VIEW app.holders AS SELECT floor_id FROM comb_horizon_holders()", "holders"),
    ("encode", "CREATE INDEX encoded ON app.t (comb_encode(u))", "encoded"),
    ("shifted", "CREATE VIEW app.shifted AS SELECT comb_shifted('-1 day')", "shifted"),
];

/// What objects of the released version do under this library, before the update: they go on, or fail with an error.
const BEFORE_UPDATE: [(&str, &str, Option<&str>); 12] = [
    ("comb_new()", "INSERT INTO orders (item) VALUES ('more')", None),
    ("comb_tracked()", "INSERT INTO outbox (n) VALUES (3)", None),
    ("comb_track() and comb_guard()", "INSERT INTO events (body) VALUES ('three')", None),
    ("comb_row_version()", "UPDATE items SET n = n + 1", None),
    ("comb_track(sequence)", "SELECT comb_track('events_position_seq')", Some("42883")),
    ("comb_horizon()", "SELECT count(*) FROM outbox WHERE id < comb_horizon()", Some("42883")),
    ("comb_sequence_horizon()", "SELECT comb_sequence_horizon('events_position_seq')", Some("42883")),
    ("comb_horizon_status()", "SELECT * FROM comb_horizon_status()", Some("42883")),
    ("comb_horizon_holders()", "SELECT * FROM comb_horizon_holders()", Some("42883")),
    ("comb_observe()", "SELECT comb_observe(comb_new())", None),
    ("comb_between()", "SELECT count(*) FROM recent", None),
    ("uniqueidentifier", "SELECT '018e5f3b-0000-0000-0000-018e5f3bff48'::uniqueidentifier", None),
];

#[test]
fn an_update_is_a_fresh_install() {
    let Some(library) = released() else { return };
    let mut server = old_server(&library, &[]);
    for database in ["shop", "plain", "prepared", "without_plpgsql"] {
        create(&server, database, RELEASED);
    }
    create(&server, "older", BEFORE);
    run(&server, "shop", "usage.sql");
    let facts = run(&server, "shop", "facts.sql");
    server.execute("CREATE ROLE second SUPERUSER");
    server.connect_to("without_plpgsql").batch_execute("DROP EXTENSION plpgsql").expect("no PL/pgSQL");
    for (database, statement, _) in REMOVED {
        create(&server, database, RELEASED);
        let statement = format!("SET search_path = extensions; CREATE SEQUENCE app.s; CREATE TABLE app.t (u uuid); {statement}");
        server.connect_to(database).batch_execute(&statement).expect("something that uses a function");
    }

    replace_library(&mut server);
    let mut client = server.connect_to("shop");
    client.batch_execute("SET search_path = app, extensions").expect("a search path");
    // comb_status() of 0.4.1 cannot compare the version of a library that is not a release.
    let status = ("comb_status()", "SELECT * FROM comb_status()", VERSION.contains('-').then_some("22P02"));
    for (object, statement, state) in BEFORE_UPDATE.into_iter().chain([status]) {
        let found = client.batch_execute(statement).err().and_then(|error| error.code().map(|code| code.code().to_owned()));
        assert_eq!(found.as_deref(), state, "{object} before the update");
    }
    let from_no_release =
        "SELECT count(*) = 0 FROM pg_extension_update_paths('comb') WHERE source LIKE '%-%' AND path IS NOT NULL";
    check(&mut client, "no script leads from a version that is not a release", from_no_release);
    drop(client);

    create(&server, "fresh", VERSION);
    let fresh = run(&server, "fresh", "catalog.sql");
    assert!(fresh.lines().count() > 100, "the catalogs say too little: {fresh}");
    let mut in_two_phases = server.connect_to("prepared");
    in_two_phases.batch_execute("BEGIN; ALTER EXTENSION comb UPDATE; PREPARE TRANSACTION 'update'").expect("the first phase");
    in_two_phases.batch_execute("COMMIT PREPARED 'update'").expect("the second phase");
    drop(in_two_phases);
    let by_another = "SET SESSION AUTHORIZATION second; ALTER EXTENSION comb UPDATE";
    server.connect_to("plain").batch_execute(by_another).expect("an update by another superuser");
    for database in ["shop", "without_plpgsql", "older"] {
        update(&server, database).unwrap_or_else(|error| panic!("{database}: {error:?}"));
    }
    for database in ["shop", "without_plpgsql", "plain", "older"] {
        assert_eq!(version(&server, database), VERSION);
    }
    for database in ["shop", "prepared", "without_plpgsql", "older"] {
        assert_same_lines(&run(&server, database, "catalog.sql"), &fresh, database);
    }
    let more = facts.replace("events 2", "events 3").replace("outbox 2", "outbox 3");
    let more = more.replace("recent 1000", "recent 1001").replace("inserted 989", "inserted 990");
    let same = |facts: String| {
        facts.lines().filter(|line| !line.starts_with("orders ")).map(|line| format!("{line}\n")).collect::<String>()
    };
    assert_same_lines(&same(run(&server, "shop", "facts.sql")), &same(more), "facts");

    for (database, _, name) in REMOVED {
        let refused = update(&server, database).expect_err(database);
        let refused = refused.as_db_error().expect("an error of the server");
        assert_eq!(refused.code().code(), "2BP01", "{database}: {refused}");
        assert!(refused.detail().is_some_and(|detail| detail.contains(name)), "{database}: {refused:?}");
        assert_eq!(version(&server, database), RELEASED);
    }
    server.connect_to("shop").batch_execute("DROP EXTENSION comb CASCADE").expect("DROP EXTENSION");
    server.assert_clean_log();
}

/// A block of the changelog, in the section of this version.
fn changelog(text: &str) -> String {
    let page = Page::read("CHANGELOG.md");
    let block = page.blocks.iter().find(|block| block.text.contains(text));
    block.unwrap_or_else(|| panic!("CHANGELOG.md: no block has: {text}")).text.clone()
}

/// The view of the page for readers stops the update. The changelog's block replaces it, and its query prints what each table
/// needs to be polled.
#[test]
fn the_changelog_updates_a_database() {
    let Some(library) = released() else { return };
    let mut server = old_server(&library, &[]);
    create(&server, "shop", RELEASED);
    run(&server, "shop", "usage.sql");
    let connect = |server: &Server| {
        let mut client = server.connect_to("shop");
        client.batch_execute("SET search_path = app, extensions").expect("a search path");
        client
    };
    let view = "CREATE VIEW outbox_settled AS SELECT * FROM outbox WHERE id < comb_horizon()";
    connect(&server).batch_execute(view).expect(view);
    replace_library(&mut server);
    let refused = error(&mut connect(&server), "ALTER EXTENSION comb UPDATE");
    assert!(refused.code().code() == "2BP01" && refused.detail().is_some_and(|detail| detail.contains("outbox_settled")));
    let mut client = connect(&server);
    client.batch_execute(&changelog("ALTER EXTENSION comb UPDATE")).expect("the block of the changelog");
    client.batch_execute("SET search_path = app, extensions").expect("a search path");
    let calls = client.query(&changelog("'CALL comb_enable_polls("), &[]).expect("the query of the changelog");
    let calls: Vec<String> = calls.iter().map(|row| row.get(0)).collect();
    assert!(["events", "outbox", "items"].iter().all(|table| calls.iter().any(|call| call.contains(table))), "{calls:?}");
    calls.iter().for_each(|call| client.batch_execute(call).unwrap_or_else(|error| panic!("{call}: {error:?}")));
    client.batch_execute("INSERT INTO events (body) VALUES ('three'); INSERT INTO outbox (n) VALUES (3)").expect("rows");
    check(&mut client, "the view shows rows", "SELECT count(*) = 3 FROM outbox_settled");
    check(&mut client, "numbers", "SELECT count(*) = 3 FROM events WHERE position <= comb_number_horizon('events', after => 0)");
    check(&mut client, "versions", "SELECT count(*) = 1 FROM items WHERE version <= comb_uuid_horizon('items')");
    check(&mut client, "no problem", "SELECT bool_and(problem IS NULL) FROM comb_horizon_status()");
}

/// The library is replaced and the extension updated in either order, while pooled connections keep the old library and one has
/// an open transaction. Each poll answers right or fails, and after the restart each row is read.
#[test]
fn no_row_is_skipped_by_an_update() {
    let Some(library) = released() else { return };
    let newer = fs::read(installation().libraries.join("comb.so")).expect("the library");
    let mut server = old_server(&library, &[]);
    create(&server, "shop", RELEASED);
    run(&server, "shop", "usage.sql");
    let connect = |server: &Server| {
        let mut client = server.connect_to("shop");
        client.batch_execute("SET search_path = app, extensions; SET client_min_messages = error").expect("a search path");
        client
    };
    // The new SQL with the old library: the update fails, and changes nothing.
    assert_eq!(error(&mut connect(&server), "ALTER EXTENSION comb UPDATE").code().code(), "42883");
    assert_eq!(version(&server, "shop"), RELEASED);
    let old_poll = "SELECT max(position) FROM events WHERE position <= comb_sequence_horizon('events_position_seq')";
    let new_poll = "SELECT max(position) FROM events WHERE position <= comb_number_horizon('events', after => 2)";
    let insert = "INSERT INTO events (body) VALUES ('more')";
    let (mut pooled, mut other) = (connect(&server), connect(&server));
    for client in [&mut pooled, &mut other] {
        client.batch_execute(insert).expect(insert);
        client
            .batch_execute("DELETE FROM events WHERE body = 'more'; SELECT setval('events_position_seq', 2)")
            .expect("two rows");
    }
    pooled.batch_execute("BEGIN; INSERT INTO events (body) VALUES ('open')").expect("number 3");
    // The new library with the old SQL.
    server.place_library(&newer);
    let mut client = connect(&server);
    assert_eq!(error(&mut client, insert).code().code(), "F0000", "the floors are those of the old library");
    assert_eq!(error(&mut client, old_poll).code().code(), "42883");
    other.batch_execute(insert).expect("number 4");
    check(&mut other, "a pooled connection polls right", &format!("SELECT max = 2 FROM ({old_poll}) poll"));
    // The new library with the new SQL.
    client.batch_execute("ALTER EXTENSION comb UPDATE").expect("the update");
    assert_eq!(error(&mut client, insert).code().code(), "F0000");
    assert!(["F0000", "42809"].contains(&error(&mut client, new_poll).code().code()));
    assert_eq!(error(&mut other, old_poll).code().code(), "42883");
    assert_eq!(error(&mut other, new_poll).code().code(), "42883", "the old library has no such function");
    other.batch_execute(insert).expect("number 5");
    pooled.batch_execute("COMMIT").expect("COMMIT");
    client.batch_execute("ALTER TABLE outbox ADD body text; CALL comb_enable_polls('events', 'position')").expect("the set-up");
    assert_eq!(error(&mut client, new_poll).code().code(), "F0000");
    drop((client, pooled, other));
    server.down(Stop::Fast);
    server.up();
    let mut client = connect(&server);
    client.batch_execute(insert).expect("number 6");
    check(&mut client, "all rows", &format!("SELECT max >= 6 FROM ({new_poll}) poll"));
    check(&mut client, "five of six numbers or all", "SELECT count(*) = 6 FROM events");
    // A table whose triggers are those of 0.4.1, without a guard.
    assert_eq!(error(&mut client, "SELECT comb_uuid_horizon('outbox')").code().code(), "42809");
    client.batch_execute("CALL comb_enable_polls('outbox', 'id')").expect("the set-up");
    check(&mut client, "its rows", "SELECT count(*) = 2 FROM outbox WHERE id <= comb_uuid_horizon('outbox')");
}

/// A transaction that version 0.4.1 prepared keeps its floor, for all numbers of its database.
#[test]
fn a_prepared_transaction_of_the_released_version() {
    let Some(library) = released() else { return };
    let mut server = old_server(&library, &[]);
    for database in ["shop", "other"] {
        create(&server, database, RELEASED);
        run(&server, database, "usage.sql");
    }
    let prepare = "SET search_path = app, extensions; BEGIN; INSERT INTO events (body) VALUES ('prepared');
                   INSERT INTO outbox (n) VALUES (3); PREPARE TRANSACTION 'old'";
    server.connect_to("shop").batch_execute(prepare).expect("a prepared transaction");
    replace_library(&mut server);
    let connect = |database: &str| {
        update(&server, database).expect("ALTER EXTENSION UPDATE");
        let mut client = server.connect_to(database);
        client.batch_execute("SET search_path = app, extensions").expect("a search path");
        client.batch_execute("CREATE TABLE later (n bigserial, id uuid DEFAULT comb_new())").expect("a table");
        client.batch_execute("CALL comb_enable_polls('later', 'n'); CALL comb_enable_polls('later', 'id')").expect("the set-up");
        client.batch_execute("INSERT INTO later DEFAULT VALUES").expect("a row");
        client
    };
    let numbers = "SELECT comb_number_horizon('later', 'n')";
    let ids = "SELECT count(*) = 1 FROM later WHERE id <= comb_uuid_horizon('later', 'id')";
    let mut other = connect("other");
    check(&mut other, "another database", &format!("SELECT ({numbers}) = 1 AND ({ids})"));
    let mut client = connect("shop");
    assert_eq!(error(&mut client, numbers).code().code(), "40001", "the number of the transaction is not known");
    check(&mut client, "the clock's is, or no answer", &ids.replace("= 1", "= 0"));
    client.batch_execute("COMMIT PREPARED 'old'").expect("COMMIT PREPARED");
    check(&mut client, "after its end", &format!("SELECT ({numbers}) = 1 AND ({ids})"));
    client.batch_execute("CALL comb_enable_polls('events', 'position')").expect("the set-up");
    check(&mut client, "its row", "SELECT count(*) = 3 FROM events WHERE position <= comb_number_horizon('events')");
}

/// Both libraries in one server, without a restart: whoever comes second finds memory that it cannot use.
#[test]
fn two_libraries_do_not_share_memory() {
    let Some(library) = released() else { return };
    for new_is_first in [false, true] {
        let server = old_server(&library, &[]);
        create(&server, "shop", RELEASED);
        let path = server.place_library(&library);
        let options = |new: bool| if new { "$libdir".to_owned() } else { path.clone() };
        let connect = |new: bool| {
            let mut client = server.connect_to("shop");
            client.batch_execute(&format!("SET dynamic_library_path = '{}'", options(new))).expect("a library");
            client
        };
        // The extension was created by the old one, which has not used its memory.
        let mut first = connect(new_is_first);
        first.batch_execute("SELECT extensions.comb_new(); SELECT extensions.comb_tracked()").expect("the first");
        let mut second = connect(!new_is_first);
        second.batch_execute("SET client_min_messages = error; SELECT extensions.comb_new()").expect("a separate clock");
        let refused = if new_is_first { "55000" } else { "F0000" };
        for statement in ["SELECT extensions.comb_tracked()", "SET comb.scope = server; SELECT extensions.comb_new()"] {
            assert_eq!(error(&mut second, statement).code().code(), refused, "{statement}");
        }
        first.batch_execute("SELECT extensions.comb_new(); SELECT extensions.comb_tracked()").expect("the first goes on");
    }
}
