//! From version 0.3.0 of the extension, of its own library, to this one.

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
const RELEASED: &str = "0.3.0";
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
        let name = format!("comb--{RELEASED}.sql");
        fs::copy(folder.join(&name), installation().scripts.join(name)).expect("the script of the released version");
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
const REMOVED: [(&str, &str, &str); 8] = [
    ("settled", "CREATE VIEW app.settled_ids AS SELECT comb_settled(comb_new())", "settled_ids"),
    ("guard", "CREATE TRIGGER old_guard BEFORE INSERT ON app.t FOR EACH ROW EXECUTE FUNCTION comb_guard('u')", "old_guard"),
    ("bounds", "CREATE VIEW app.bounds AS SELECT comb_max('2024-01-01Z'), comb_min('2024-01-01Z')", "bounds"),
    ("typeid", "ALTER TABLE app.t ADD named text DEFAULT comb_typeid('t', comb_new())", "column named"),
    ("time_order", "CREATE INDEX by_time ON app.t (u uuid_time_ops)", "by_time"),
    ("between_time", "CREATE VIEW app.recent AS SELECT * FROM app.t WHERE comb_between_time(u, now(), 'infinity')", "recent"),
    ("status", "CREATE VIEW app.clock AS SELECT lead_stays FROM comb_status()", "clock"),
    ("mysql", "CREATE INDEX swapped ON app.t (comb_mysql_swap(u))", "swapped"),
];

/// What objects of the released version do under this library, before the update: they go on, or fail with an error.
const BEFORE_UPDATE: [(&str, &str, Option<&str>); 14] = [
    ("comb_new()", "INSERT INTO orders (item) VALUES ('more')", None),
    ("comb_tracked()", "INSERT INTO outbox (n) VALUES (3)", None),
    ("comb_track()", "INSERT INTO events (body) VALUES ('three')", None),
    ("comb_version()", "UPDATE items SET n = n + 1", None),
    ("comb_horizon()", "SELECT count(*) FROM outbox WHERE id < comb_horizon()", None),
    ("comb_sequence_horizon()", "SELECT comb_sequence_horizon('events_position_seq')", None),
    ("comb_horizon_status()", "SELECT * FROM comb_horizon_status()", None),
    ("comb_observe()", "SELECT comb_observe(comb_new())", None),
    ("comb_between()", "SELECT count(*) FROM recent", None),
    ("uniqueidentifier", "SELECT '018e5f3b-0000-0000-0000-018e5f3bff48'::uniqueidentifier", None),
    ("comb_status()", "SELECT * FROM comb_status()", Some("42883")),
    ("comb_horizon_holders()", "SELECT * FROM comb_horizon_holders()", Some("42883")),
    ("comb_settled()", "SELECT comb_settled(comb_new())", Some("42883")),
    ("comb_hold()", "SELECT comb_hold()", Some("42883")),
];

#[test]
fn an_update_is_a_fresh_install() {
    let Some(library) = released() else { return };
    let mut server = old_server(&library, &[]);
    for database in ["shop", "plain", "prepared", "without_plpgsql"] {
        create(&server, database, RELEASED);
    }
    run(&server, "shop", "usage.sql");
    let facts = run(&server, "shop", "facts.sql");
    let privileges = "SELECT string_agg(proname || coalesce(proacl::text, ''), ' ' ORDER BY proname) FROM pg_proc WHERE proname ~
                      '^comb_(status|clock_status|reset_clock|observe|horizon_status|horizon_holders)$'";
    let mut plain = server.connect_to("plain");
    plain
        .batch_execute(
            "CREATE ROLE reader; REVOKE EXECUTE ON FUNCTION extensions.comb_status(), extensions.comb_horizon_holders() FROM PUBLIC;
             GRANT EXECUTE ON FUNCTION extensions.comb_status() TO reader, pg_monitor; GRANT EXECUTE ON FUNCTION
             extensions.comb_horizon_holders() TO reader; REVOKE EXECUTE ON FUNCTION extensions.comb_horizon_status() FROM PUBLIC;
             CREATE ROLE second SUPERUSER; CREATE ROLE stranger;
             ALTER DEFAULT PRIVILEGES FOR ROLE second GRANT EXECUTE ON FUNCTIONS TO stranger",
        )
        .expect("privileges");
    let granted: String = value(&mut plain, privileges);
    drop(plain);
    server.connect_to("without_plpgsql").batch_execute("DROP EXTENSION plpgsql").expect("no PL/pgSQL");
    for (database, statement, _) in REMOVED {
        create(&server, database, RELEASED);
        let statement = format!("SET search_path = extensions; CREATE TABLE app.t (u uuid); {statement}");
        server.connect_to(database).batch_execute(&statement).expect("something that uses a function");
    }
    // The query of the changelog finds these, and nothing where nothing is removed.
    let changelog = Page::read("CHANGELOG.md");
    let uses = |database: &str| -> Vec<String> {
        let rows = server.connect_to(database).query(&changelog.blocks[0].text, &[]).expect("the query of the changelog");
        rows.iter().map(|row| row.get(0)).collect()
    };
    assert_eq!(uses("plain"), Vec::<String>::new());
    for (database, _, name) in REMOVED {
        assert!(uses(database).iter().any(|using| using.contains(name)), "{database}: {:?}", uses(database));
    }
    let view = "CREATE VIEW app.short AS SELECT extensions.comb_encode(extensions.comb_new(), 'base58')";
    server.connect_to("prepared").batch_execute(view).expect("a removed format");
    assert_eq!(uses("prepared"), ["rule _RETURN on view app.short"]);

    replace_library(&mut server);
    let mut client = server.connect_to("shop");
    client.batch_execute("SET search_path = app, extensions").expect("a search path");
    for (object, statement, state) in BEFORE_UPDATE {
        let found = client.batch_execute(statement).err().and_then(|error| error.code().map(|code| code.code().to_owned()));
        assert_eq!(found.as_deref(), state, "{object} before the update");
    }
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
    for database in ["shop", "without_plpgsql"] {
        update(&server, database).unwrap_or_else(|error| panic!("{database}: {error:?}"));
    }
    for database in ["shop", "without_plpgsql", "plain"] {
        assert_eq!(version(&server, database), VERSION);
    }
    for database in ["shop", "prepared", "without_plpgsql"] {
        assert_same_lines(&run(&server, database, "catalog.sql"), &fresh, database);
    }
    let mut plain = server.connect_to("plain");
    assert_eq!(value::<String>(&mut plain, privileges), granted, "privileges");
    let refused = error(&mut plain, "DROP ROLE reader");
    assert!(refused.detail().is_some_and(|detail| detail.contains("comb_status")), "{refused}");
    let refused = error(&mut plain, "DROP ROLE stranger");
    assert!(refused.detail().is_some_and(|detail| !detail.contains("status")), "{refused:?}");
    plain.batch_execute("REVOKE EXECUTE ON FUNCTION extensions.comb_status() FROM reader").expect("REVOKE");
    check(&mut plain, "no longer", "SELECT NOT has_function_privilege('reader', 'extensions.comb_status()', 'EXECUTE')");
    drop(plain);
    let more = facts.replace("settled 2", "settled 3").replace("outbox 2", "outbox 3");
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
}

/// A transaction that version 0.3.0 prepared keeps its floor, for all sequences of its database.
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
    for updates in [false, true] {
        if updates {
            update(&server, "shop").expect("ALTER EXTENSION UPDATE");
        }
        let mut client = server.connect_to("shop");
        client.batch_execute("SET search_path = app, extensions").expect("a search path");
        let poll = "SELECT comb_sequence_horizon('events_position_seq')";
        assert_eq!(error(&mut client, poll).code().code(), "55000", "the number of the transaction is not known");
        check(&mut client, "the clock's is", "SELECT count(*) = 2 FROM outbox WHERE id < comb_horizon()");
    }
    let mut other = server.connect_to("other");
    check(&mut other, "another database", "SELECT extensions.comb_sequence_horizon('app.events_position_seq') = 2");
    let mut client = server.connect_to("shop");
    client.batch_execute("SET search_path = app, extensions").expect("a search path");
    client.batch_execute("COMMIT PREPARED 'old'").expect("COMMIT PREPARED");
    check(&mut client, "after its end", "SELECT comb_sequence_horizon('events_position_seq') = 3");
    check(&mut client, "after its end", "SELECT count(*) = 3 FROM outbox WHERE id < comb_horizon()");
}

/// Both libraries in one server, without a restart: whoever comes second finds memory that it cannot use.
#[test]
fn two_libraries_do_not_share_memory() {
    let Some(library) = released() else { return };
    let tracked = ["SELECT extensions.comb_tracked()", "SELECT extensions.comb_horizon()"];
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
        for statement in tracked {
            assert_eq!(error(&mut second, statement).code().code(), "55000", "{statement}");
        }
        assert_eq!(error(&mut second, "SET comb.scope = server; SELECT extensions.comb_new()").code().code(), "55000");
        first.batch_execute("SELECT extensions.comb_new(); SELECT extensions.comb_horizon()").expect("the first goes on");
    }
}
