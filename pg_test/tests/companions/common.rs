//! Servers, and a section of a page whose SQL a test runs on them.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;
use std::thread;

use pg_test::pages::Page;
use pg_test::{Server, Sharing, installation, value, within};
use postgres::{Client, Config, NoTls};

/// As in docs/extensions.md.
const PASSWORD: &str = "secret";

/// A server with the database shop of the role app. The role is no superuser, and has to give its password.
pub struct Host {
    pub server: Server,
}

/// What psql printed.
pub struct Output {
    pub succeeded: bool,
    pub rows: String,
    /// Errors with their SQLSTATE, and warnings.
    pub messages: String,
}

impl Host {
    pub fn start(settings: &[(&str, &str)]) -> Self {
        let mut server = Server::create(Sharing::Preloaded, settings);
        let access = "local all app scram-sha-256\nlocal all all trust\nlocal replication all trust\n";
        server.write(&server.data().join("pg_hba.conf"), access);
        server.up();
        server.execute(&format!("CREATE ROLE app LOGIN PASSWORD '{PASSWORD}'"));
        server.execute("CREATE DATABASE shop OWNER app");
        Self { server }
    }

    /// What other servers connect to.
    pub fn address(&self) -> String {
        self.server.work().display().to_string()
    }

    /// How app connects to shop.
    pub fn config(&self) -> Config {
        let mut config = self.server.config();
        config.user("app").password(PASSWORD).dbname("shop");
        config
    }

    pub fn connect(&self) -> Client {
        self.config().connect(NoTls).expect("a connection")
    }

    /// Runs a script by psql, which can do what the pages use, and sends statement by statement.
    pub fn psql(&self, database: &str, role: &str, script: &str) -> Output {
        let environment = [
            ("PGPASSWORD", PASSWORD),
            // Nothing here takes long, but some mistakes run for ever.
            ("PGOPTIONS", "-c client_min_messages=warning -c statement_timeout=60s"),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut command = installation().program("psql", &environment);
        command.args(["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose"]);
        command.args(["-U", role, "-d", database, "-h"]).arg(self.server.work());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut psql = command.spawn().expect("psql");
        // It fails where psql ended before: then psql says why.
        let _ = psql.stdin.take().expect("a pipe").write_all(script.as_bytes());
        let output = psql.wait_with_output().expect("psql");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8").trim_end_matches('\n').to_owned();
        Output { succeeded: output.status.success(), rows: text(output.stdout), messages: text(output.stderr) }
    }

    /// The rows of a script that must not fail.
    pub fn run(&self, database: &str, role: &str, script: &str) -> String {
        let output = self.psql(database, role, script);
        assert!(output.succeeded, "{script}: {}", output.messages);
        output.rows
    }

    /// The same by app in shop.
    pub fn app(&self, script: &str) -> String {
        self.run("shop", "app", script)
    }

    /// The same by the superuser in shop.
    pub fn superuser(&self, script: &str) -> String {
        self.run("shop", "postgres", script)
    }

    /// Asserts each row of a script, which is a sentence and whether it is true.
    pub fn facts(&self, database: &str, role: &str, script: &str) {
        let rows = self.run(database, role, script);
        let wrong: Vec<_> = rows.lines().filter(|row| !row.ends_with("|t")).collect();
        assert!(!rows.is_empty() && wrong.is_empty(), "not so: {wrong:#?}");
    }

    /// Waits until a query of the superuser is true.
    pub fn wait_until(&self, database: &str, query: &str) {
        let mut client = self.server.connect_to(database);
        let is_true = || value::<Option<bool>>(&mut client, query) == Some(true);
        assert!(within(30, is_true), "never true: {query}");
    }

    /// A word for the content of a table, if it has rows.
    pub fn content(&self, database: &str, table: &str) -> Option<String> {
        let query = format!("SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {table} t");
        value(&mut self.server.connect_to(database), &query)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.server.assert_clean_log();
        }
    }
}

/// A section of a page. On the page, the servers of a test are a.example, b.example and so on.
pub struct Section<'a> {
    page: Page,
    heading: &'a str,
    hosts: &'a [Host],
    /// The lines where the blocks begin that the test has asked for.
    used: BTreeSet<usize>,
}

/// A block of SQL in a section.
pub struct Block {
    pub sql: String,
    role: &'static str,
}

impl<'a> Section<'a> {
    pub fn of(page: &str, heading: &'a str, hosts: &'a [Host]) -> Self {
        Self { page: Page::read(page), heading, hosts, used: BTreeSet::new() }
    }

    /// The section's only block with that text.
    pub fn block(&mut self, text: &str) -> Block {
        let block = self.page.block_with(self.heading, text);
        self.used.insert(block.line);
        let mut sql = block.text.clone();
        for (host, letter) in self.hosts.iter().zip('a'..) {
            sql = sql.replace(&format!("{letter}.example"), &host.address());
        }
        let has = |word: &str| block.words.iter().any(|other| other == word);
        let role = if has("superuser") { "postgres" } else { "app" };
        Block { sql, role }
    }

    /// Runs that block, by the role that the page says. Returns the rows.
    pub fn run(&mut self, host: &Host, text: &str) -> String {
        let block = self.block(text);
        host.run("shop", block.role, &block.sql)
    }

    /// Asserts that the test has asked for all blocks.
    pub fn end(self) {
        for block in self.page.section(self.heading) {
            assert!(self.used.contains(&block.line), "not tested: {}", block.text);
        }
    }
}
