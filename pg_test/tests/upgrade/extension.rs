//! From released versions of the extension to this one.
//!
//! - What ALTER EXTENSION UPDATE creates is what CREATE EXTENSION creates, in the same catalogs.
//! - The library of this version serves the SQL of the first one.
//! - Data, indexes, defaults and views go on, over an update and over pg_upgrade from older PostgreSQLs.
//! - Mistakes in an update script are caught.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use pg_test::{Installation, Server, Sharing, files, installation, say, value};

use crate::{forget_writers, script};

const FIRST: &str = "0.1.0";
const SECOND: &str = "0.2.0";
const VERSION: &str = env!("CARGO_PKG_VERSION");
const OPTIONS: &str = "-c search_path=app,extensions -c comb_upgrade.schema=extensions -c client_min_messages=error";

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

fn catalog(server: &Server, database: &str) -> String {
    run(server, database, "catalog.sql")
}

fn update(server: &Server, database: &str) -> Result<(), postgres::Error> {
    server.connect_to(database).batch_execute("ALTER EXTENSION comb UPDATE")
}

fn version(server: &Server, database: &str) -> String {
    value(&mut server.connect_to(database), "SELECT extversion FROM pg_extension WHERE extname = 'comb'")
}

fn update_due(server: &Server, database: &str) -> bool {
    value(&mut server.connect_to(database), "SELECT update_due FROM extensions.comb_status()")
}

/// The released versions. PostgreSQL creates each but the first one by that and the update scripts.
fn released() -> Vec<String> {
    let scripts = files("sql", ".sql");
    let updated = |path: &String| Some(path.strip_prefix("sql/comb--")?.strip_suffix(".sql")?.split_once("--")?.1.to_owned());
    let updated = scripts.iter().filter_map(updated).filter(|version| version != VERSION);
    [FIRST.to_owned()].into_iter().chain(updated).collect()
}

/// Whoever uses the update script, which one of the tests changes.
static SCRIPT: Mutex<()> = Mutex::new(());

#[test]
fn an_update_is_a_fresh_install() {
    let _lock = SCRIPT.lock();
    let mut server = Server::create(Sharing::Attached, &[("max_prepared_transactions", "1")]);
    server.up();
    create(&server, "fresh", VERSION);
    let fresh = catalog(&server, "fresh");
    assert!(fresh.lines().count() > 100, "the catalogs say too little: {fresh}");

    create(&server, "shop", FIRST);
    run(&server, "shop", "usage.sql");
    let before = run(&server, "shop", "facts.sql");
    assert!(update_due(&server, "shop"), "comb_status() says that an update is due");
    update(&server, "shop").expect("ALTER EXTENSION UPDATE");
    assert_eq!(version(&server, "shop"), VERSION);
    assert_eq!(catalog(&server, "shop"), fresh);
    assert_eq!(run(&server, "shop", "facts.sql"), before);
    assert!(!update_due(&server, "shop"), "comb_status() still says that an update is due");
    for released in released() {
        create(&server, "released", &released);
        update(&server, "released").expect("ALTER EXTENSION UPDATE");
        assert_eq!(catalog(&server, "released"), fresh, "the update from {released}");
    }
    both_work_in_two_phases(&server);
    privileges_stay(&server);
    what_uses_a_removed_function_stays(&server);
    no_update_is_due_to_an_older_library(&server);
    let mut client = server.connect_to("shop");
    client.batch_execute("DROP EXTENSION comb CASCADE").expect("DROP EXTENSION");
    let left =
        "SELECT count(*) FROM pg_operator o LEFT JOIN pg_proc p ON p.oid = o.oprcode WHERE p.oid IS NULL OR p.probin = 'comb'";
    assert_eq!(value::<i64>(&mut client, left), 0, "what DROP EXTENSION leaves");
    mistakes_are_caught(&server, &fresh);
}

/// As Citus runs them on its nodes. PostgreSQL refuses PREPARE TRANSACTION after a use of temporary objects.
fn both_work_in_two_phases(server: &Server) {
    create(server, "prepared", SECOND);
    let mut client = server.connect_to("prepared");
    for statement in ["ALTER EXTENSION comb UPDATE", "DROP EXTENSION comb", "CREATE EXTENSION comb SCHEMA extensions"] {
        let phases = client.batch_execute(&format!("BEGIN; {statement}; PREPARE TRANSACTION 'comb'"));
        let phases = phases.and_then(|()| client.batch_execute("COMMIT PREPARED 'comb'"));
        phases.unwrap_or_else(|error| panic!("{statement}: {error:?}"));
    }
}

fn what_uses_a_removed_function_stays(server: &Server) {
    create(server, "used", SECOND);
    let mut client = server.connect_to("used");
    let view = "SET search_path = extensions; CREATE VIEW v AS SELECT 1 WHERE comb_horizon_now() > comb_tracked()";
    client.batch_execute(view).expect("a view");
    update(server, "used").expect("ALTER EXTENSION UPDATE");
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM v"), 0);
}

fn privileges_stay(server: &Server) {
    const OF_STATUS: &str = "REVOKE EXECUTE ON FUNCTION extensions.comb_status() FROM PUBLIC;
                             GRANT EXECUTE ON FUNCTION extensions.comb_status() TO pg_monitor;";
    const OF_RESET: &str = "REVOKE EXECUTE ON FUNCTION extensions.comb_reset_clock() FROM pg_maintain;";
    for version in released() {
        create(server, "revoked", &version);
        let mut client = server.connect_to("revoked");
        client.batch_execute(OF_STATUS).expect("privileges");
        // The script from the first release grants it again.
        if version != FIRST && installation().major >= 17 {
            client.batch_execute(OF_RESET).expect("privileges");
        }
        let privileges = "SELECT string_agg(proacl::text, ' ' ORDER BY proname) FROM pg_proc
                          WHERE proname IN ('comb_status', 'comb_reset_clock')";
        let before: String = value(&mut client, privileges);
        update(server, "revoked").expect("ALTER EXTENSION UPDATE");
        assert_eq!(value::<String>(&mut client, privileges), before, "privileges since {version}");
    }
}

/// Of 0.2.0 and 0.10.0 the second is newer.
fn no_update_is_due_to_an_older_library(server: &Server) {
    let script = installation().scripts.join(format!("comb--{VERSION}--0.10.0.sql"));
    fs::write(&script, "").expect("an update script");
    create(server, "newer", VERSION);
    let updated = server.connect_to("newer").batch_execute("ALTER EXTENSION comb UPDATE TO '0.10.0'");
    fs::remove_file(&script).expect("no update script");
    updated.expect("ALTER EXTENSION UPDATE");
    assert!(!update_due(server, "newer"), "an update is due to a library that is older");
}

/// The update script from the first release to the second, which is put back when this is dropped.
struct Script {
    path: PathBuf,
    original: String,
}

impl Script {
    fn new() -> Self {
        let path = installation().scripts.join(format!("comb--{FIRST}--{SECOND}.sql"));
        let original = fs::read_to_string(&path).expect("the update script");
        Self { path, original }
    }

    /// The script without the statement that begins so.
    fn without(&self, statement: &str) -> String {
        let begin = self.original.find(statement).unwrap_or_else(|| panic!("there is no {statement}"));
        let end = begin + self.original[begin..].find(";\n").expect("the end of the statement") + 2;
        format!("{}{}", &self.original[..begin], &self.original[end..])
    }

    /// The script with another text within the statement that begins so.
    fn with(&self, statement: &str, from: &str, to: &str) -> String {
        let begin = self.original.find(statement).unwrap_or_else(|| panic!("there is no {statement}"));
        let (head, tail) = self.original.split_at(begin);
        let end = tail.find(";\n").expect("the end of the statement");
        assert!(tail[..end].contains(from), "{statement} has no {from}");
        format!("{head}{}{}", tail[..end].replacen(from, to, 1), &tail[end..])
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = fs::write(&self.path, &self.original);
    }
}

fn mistakes_are_caught(server: &Server, fresh: &str) {
    let script = Script::new();
    let mistakes = [
        ("a function is missing", script.without("CREATE FUNCTION comb_settled")),
        ("another volatility", script.with("CREATE FUNCTION comb_horizon(", "STABLE", "VOLATILE")),
        ("another parallel label", script.with("CREATE FUNCTION comb_tracked()", "PARALLEL RESTRICTED", "PARALLEL SAFE")),
        ("another cost", script.with("CREATE FUNCTION comb_horizon(", "COST 10", "COST 1")),
        ("IMMUTABLE as it was", script.without("ALTER FUNCTION comb_inspect")),
        ("not LEAKPROOF", script.without("ALTER FUNCTION comb_timestamp(")),
        ("another comment", script.with("COMMENT ON FUNCTION comb_encode(", "UUID", "id")),
        (
            "a forgotten column",
            script
                .with("CREATE FUNCTION comb_clock_status(", ", OUT seed_source text", "")
                .replace("s.seed_source", "NULL::text"),
        ),
        (
            "a forgotten REVOKE",
            format!(
                "{}\nDROP FUNCTION comb_reset_clock();
                 CREATE FUNCTION comb_reset_clock() RETURNS timestamptz LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_reset_clock';
                 COMMENT ON FUNCTION comb_reset_clock() IS 'set the clock back to the system clock; the next UUID may be smaller than earlier ones';\n",
                script.original
            ),
        ),
        ("a privilege too many", format!("{}\nGRANT EXECUTE ON FUNCTION comb_reset_clock() TO PUBLIC;\n", script.original)),
    ];
    for (mistake, text) in mistakes {
        fs::write(&script.path, text).expect("the update script");
        create(server, "mistaken", FIRST);
        let is_caught = update(server, "mistaken").is_err() || catalog(server, "mistaken") != fresh;
        assert!(is_caught, "not caught: {mistake}");
    }
    // The name of the script says another version than the library's.
    let wrong_name = script.path.with_file_name(format!("comb--{FIRST}--{SECOND}.1.sql"));
    fs::rename(&script.path, &wrong_name).expect("another name");
    create(server, "mistaken", FIRST);
    let is_caught = update(server, "mistaken").is_err() || version(server, "mistaken") != VERSION;
    fs::rename(&wrong_name, &script.path).expect("its name");
    assert!(is_caught, "not caught: a wrong version");
}

/// From the first release in an older PostgreSQL to this version in the one under test.
#[test]
fn pg_upgrade_and_an_update() {
    let _lock = SCRIPT.lock();
    let older: &'static [Installation] = installation().older().leak();
    if older.is_empty() {
        say(&format!("Not tested: pg_upgrade: no older PostgreSQL has comb {VERSION}"));
    }
    for old in older {
        let mut server = Server::create_of(old, Sharing::Attached, &[]);
        server.up();
        create(&server, "shop", FIRST);
        run(&server, "shop", "usage.sql");
        let before = run(&server, "shop", "facts.sql");
        let released: Vec<_> =
            released().into_iter().map(|version| (format!("from_{}", version.replace('.', "_")), version)).collect();
        for (database, version) in &released {
            create(&server, database, version);
        }
        forget_writers(&server);
        let server = server.pg_upgrade(installation());
        let what = format!("from {} to {}", old.major, installation().major);
        assert_eq!(run(&server, "shop", "facts.sql"), before, "pg_upgrade {what}");
        create(&server, "fresh", VERSION);
        update(&server, "shop").expect("ALTER EXTENSION UPDATE");
        assert_eq!(catalog(&server, "shop"), catalog(&server, "fresh"), "the catalogs after pg_upgrade {what}");
        for (database, version) in &released {
            update(&server, database).expect("ALTER EXTENSION UPDATE");
            assert_eq!(
                catalog(&server, database),
                catalog(&server, "fresh"),
                "the catalogs after pg_upgrade {what} and an update from {version}"
            );
        }
        assert_eq!(run(&server, "shop", "facts.sql"), before, "an update after pg_upgrade {what}");
        println!("pg_upgrade {what}");
    }
}
