//! What each client must do, and what it is asked for the table of docs/clients.md.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pg_test::{Server, root};
use postgres::Client;

use crate::program::{Caller, Program, read};

/// The errors for which a library could repeat a statement, at last the end of the connection.
const ERRORS: [&str; 7] = ["40001", "40P01", "55P03", "55000", "53300", "57P03", "lost"];
/// Changes with every change of a table, a column, a default, an index, a trigger or a function of the schema public.
const CATALOG: &str = "
    SELECT concat(
        (SELECT string_agg(concat_ws(' ', c.relname, c.relfilenode, a.attname, a.attnum, a.xmin), ', ' ORDER BY c.oid, a.attnum)
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind <> 'S'),
        (SELECT string_agg(concat_ws(' ', adrelid, oid, xmin), ', ' ORDER BY oid) FROM pg_attrdef),
        (SELECT string_agg(concat_ws(' ', oid, xmin), ', ' ORDER BY oid) FROM pg_proc
         WHERE pronamespace = 'public'::regnamespace))";
/// The triggers and the defaults of the tables.
const RULES: &str = "
    SELECT concat_ws(', ',
        (SELECT string_agg(concat_ws(' ', tgname, oid, tgenabled), ', ' ORDER BY oid) FROM pg_trigger
         WHERE tgrelid = 'events'::regclass),
        (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'orders'::regclass AND adnum = 1),
        (SELECT attidentity FROM pg_attribute WHERE attrelid = 'events'::regclass AND attname = 'position'),
        (SELECT count(*) FROM pg_proc WHERE proname LIKE 'comb%'))";
/// Hours from the second to the fourth of five rows. The zones of the program and of the session are hours off.
const RANGE: [&str; 2] = ["2024-03-01T13:00:00+00:00", "2024-03-01T15:00:00+00:00"];

type Done = Result<(), String>;

pub struct Jobs<'a> {
    pub caller: &'a Caller,
    pub server: &'a Server,
    pub failed: Vec<String>,
    /// For the summary.
    pub remark: String,
}

fn layout(table: &str) -> &'static str {
    if table == "legacy" { "mssql" } else { "uuidv7" }
}

fn equal<T: PartialEq + std::fmt::Debug>(seen: T, expected: T) -> Done {
    if seen == expected { Ok(()) } else { Err(format!("{seen:?} instead of {expected:?}").chars().take(300).collect()) }
}

fn numbers(values: impl IntoIterator<Item = i32>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

impl Jobs<'_> {
    fn database(&self) -> Client {
        self.server.connect_to("shop")
    }

    /// The first value of the only row, empty for NULL and without a row.
    fn value(&self, query: &str) -> Result<String, String> {
        let row = self.database().query_opt(query, &[]).map_err(|error| format!("{error}: {query}"))?;
        Ok(row.and_then(|row| row.get::<_, Option<String>>(0)).unwrap_or_default())
    }

    fn execute(&self, statements: &str) -> Done {
        self.database().batch_execute(statements).map_err(|error| format!("{error}: {statements}"))
    }

    fn job(&mut self, name: &str, job: impl FnOnce(&mut Self) -> Done) {
        if let Err(why) = job(self) {
            self.failed.push(format!("{name}: {why}"));
        }
    }

    /// All jobs. Returns the name and the version of the client.
    pub fn run(&mut self) -> Result<String, String> {
        let program = &mut self.caller.start()?;
        let name = program.name.clone();
        self.job("schema", |_| program.ask(&["schema"]).map(drop));
        self.job("schema_again", |jobs| {
            let before = jobs.value(CATALOG)?;
            program.ask(&["schema"])?;
            equal(jobs.value(CATALOG)?, before)
        });
        for table in program.tables.clone() {
            self.rows(program, &table);
        }
        self.job("error", |_| {
            let error = program.ask(&["error", "1969-07-20T20:17:00+00:00"])?;
            let message = "timestamp out of range for UUID layout \"uuidv7\": 1969-07-20T20:17:00+00:00";
            let hint = "The layout holds times from 1970-01-01T00:00:00+00:00 to ";
            equal(error.first().map(String::as_str), Some("22008"))?;
            equal(error.get(1).map(String::as_str), Some(message))?;
            equal(error.get(2).is_some_and(|text| text.starts_with(hint)), true)
        });
        self.job("outbox", Self::outbox);
        self.job("answers", |jobs| jobs.answers(program));
        Ok(name)
    }

    /// The jobs on a table.
    fn rows(&mut self, program: &mut Program, table: &str) {
        self.job("insert", |jobs| {
            let key = program.ask(&["insert", table, "-1"])?.join(" ");
            equal(jobs.value(&format!("SELECT string_agg(id::text, ' ') FROM {table} WHERE n = -1"))?, key.to_lowercase())
        });
        self.job("batch", |jobs| {
            let keys = program.ask(&["batch", table, "1000"])?.join(" ").to_lowercase();
            let stored = format!("FROM {table} WHERE n >= 0");
            equal(jobs.value(&format!("SELECT string_agg(n::text, ' ' ORDER BY id) {stored}"))?, numbers(0..1000).join(" "))?;
            equal(keys, jobs.value(&format!("SELECT string_agg(id::text, ' ' ORDER BY n) {stored}"))?)
        });
        self.job("page", |jobs| {
            let last = jobs.value(&format!("SELECT id::text FROM {table} WHERE n = 499"))?;
            equal(program.ask(&["page", table, &last])?, numbers(500..510))
        });
        self.job("range", |jobs| {
            jobs.execute(&format!(
                "INSERT INTO {table} (id, n) SELECT comb_at('2024-03-01 12:00+00'::timestamptz + hour * interval '1 hour', '{}'),
                 -100 - hour FROM generate_series(0, 4) hour",
                layout(table)
            ))?;
            equal(program.ask(&["range", table, RANGE[0], RANGE[1]])?, numbers([-101, -102]))
        });
        self.job("timestamp", |_| {
            let milliseconds = program.ask(&["timestamp", table, layout(table), "0"])?.join(" ");
            let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_millis();
            let age = milliseconds.parse::<u128>().ok().and_then(|time| now.checked_sub(time));
            if age.is_some_and(|age| age < 60_000) { Ok(()) } else { Err(format!("{milliseconds}, it is {now}")) }
        });
        self.job("newest", |_| equal(program.ask(&["newest", table])?, numbers([999])));
    }

    /// Four writers, of which one rolls back each fifth transaction, and two readers, of which one does not ask for the
    /// horizon. The first must find each row that was committed, and no other; the second must miss one.
    fn outbox(&mut self) -> Done {
        let start = |_| self.caller.start();
        let mut writers = (0..4).map(start).collect::<Result<Vec<_>, _>>()?;
        let mut readers = (0..2).map(start).collect::<Result<Vec<_>, _>>()?;
        // The first command of a program takes long: it connects, and loads code.
        thread::scope(|scope| {
            for writer in &mut writers {
                scope.spawn(|| writer.ask(&["write", "0", "rollback", "first"]));
            }
            for reader in &mut readers {
                scope.spawn(|| reader.ask(&["poll", "0", "no"]).and_then(|_| reader.ask(&["poll", "0", "yes"])));
            }
        });
        let end = Instant::now() + Duration::from_secs(3);
        let written = AtomicBool::new(false);
        let (committed, read) = thread::scope(|scope| {
            let readers = readers.iter_mut().zip(["yes", "no"]).map(|(reader, horizon)| {
                let written = &written;
                scope.spawn(move || follow(reader, horizon, written))
            });
            let readers: Vec<_> = readers.collect();
            let writers = writers.iter_mut().enumerate().map(|(number, writer)| scope.spawn(move || write(number, writer, end)));
            let writers: Vec<_> = writers.collect();
            let committed: Result<Vec<_>, _> = writers.into_iter().map(|it| it.join().expect("a writer")).collect();
            written.store(true, Ordering::Release);
            let read: Result<Vec<_>, _> = readers.into_iter().map(|it| it.join().expect("a reader")).collect();
            (committed, read)
        });
        let committed: HashSet<_> = committed?.into_iter().flatten().collect();
        let [settled, naive] = read?.try_into().expect("two readers");
        let in_order = settled.is_sorted_by_key(|(position, _)| *position);
        let [settled, naive] = [settled, naive].map(|rows| rows.into_iter().map(|(_, body)| body).collect::<HashSet<_>>());
        let missed = committed.difference(&naive).count();
        self.remark = format!("position > cursor missed {missed} of {} rows", committed.len());
        equal(settled.symmetric_difference(&committed).take(10).collect::<Vec<_>>(), Vec::new())?;
        equal(in_order, true)?;
        if missed > 0 { Ok(()) } else { Err("a reader without the horizon missed no row".to_owned()) }
    }

    /// The answers must be those of the table on the page.
    fn answers(&mut self, program: &mut Program) -> Done {
        self.execute(
            "CREATE TABLE avoided (id uuid PRIMARY KEY DEFAULT comb_at('2001-01-01'), n integer);
             GRANT ALL ON avoided TO app;
             CREATE SCHEMA checks;
             GRANT USAGE ON SCHEMA checks TO app;
             CREATE SEQUENCE checks.tries;
             CREATE FUNCTION checks.fail(sqlstate text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
             BEGIN
                 PERFORM nextval('checks.tries');
                 IF sqlstate = 'lost' THEN
                     PERFORM pg_terminate_backend(pg_backend_pid());
                 END IF;
                 RAISE 'failed' USING ERRCODE = sqlstate;
             END $$;",
        )?;
        let generates = match program.ask_optional(&["avoided"])? {
            None => None,
            Some(_) => {
                let is_default = "comb_timestamp(id) < '2002-01-01'";
                Some(self.value(&format!("SELECT CASE WHEN {is_default} THEN 'no' ELSE 'yes' END FROM avoided"))?)
            }
        };
        let zone = match program.ask_optional(&["unzoned", RANGE[0], RANGE[1]]) {
            Ok(None) => "no",
            Ok(Some(found)) if found == numbers([-101, -102]) => "no",
            Ok(Some(_)) => "yes",
            Err(_) => "error",
        };
        let quoted = self.value(
            "SELECT string_agg(DISTINCT '`' || name || '`', ', ') FROM (
                 SELECT attname AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
                 WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
                 UNION SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
             ) AS names WHERE name !~ '^[a-z_]*$' OR name IN (SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T'))",
        )?;
        let before = self.value(RULES)?;
        let keeps = match program.ask_optional(&["change"])? {
            None => "no tool".to_owned(),
            Some(_) => {
                let note = "FROM pg_attribute WHERE attrelid = 'events'::regclass AND attname = 'note'";
                equal(self.value(&format!("SELECT count(*)::text {note}"))?.as_str(), "1")?;
                let after = self.value(RULES)?;
                if after == before { "yes".to_owned() } else { format!("{after} instead of {before}") }
            }
        };
        let mut retried = Vec::new();
        for error in ERRORS {
            self.execute("SELECT setval('checks.tries', 1, false)")?;
            equal(program.ask(&["call", &format!("SELECT checks.fail('{error}')")]).is_err(), true)?;
            match self.value("SELECT CASE WHEN is_called THEN last_value ELSE 0 END::text FROM checks.tries")?.as_str() {
                "0" => return Err(format!("{error}: no call")),
                "1" => {}
                _ => retried.push(if error == "lost" { "a lost connection" } else { error }),
            }
        }
        let is_mapper = generates.is_some() || keeps != "no tool";
        let list = |words: &str| if words.is_empty() { "no".to_owned() } else { words.to_owned() };
        let answers = [
            "yes".to_owned(),
            generates.unwrap_or_else(|| "no".to_owned()),
            zone.to_owned(),
            list(&quoted),
            keeps,
            list(&retried.join(", ")),
        ];
        match row(&program.name) {
            Some(row) => equal(answers.join(" | "), row.join(" | ")),
            None if is_mapper => Err(format!("docs/clients.md has no row for it: {}", answers.join(" | "))),
            None => Ok(()),
        }
    }
}

/// The cells of the client in the table of answers.
fn row(name: &str) -> Option<Vec<String>> {
    let (client, _) = name.rsplit_once(' ')?;
    let page = read(&root().join("docs/clients.md"));
    let rows = page.lines().skip_while(|line| !line.starts_with("| mapper |")).take_while(|line| line.starts_with('|'));
    let mut rows = rows.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>());
    rows.find(|cells| cells[0] == client).map(|cells| cells[1..].to_vec())
}

/// Transactions until the end, and at least forty. Returns what was committed.
fn write(number: usize, writer: &mut Program, end: Instant) -> Result<Vec<String>, String> {
    let mut committed = Vec::new();
    let mut random = number;
    for turn in 0.. {
        // On a busy machine, time alone could leave too few transactions for one to be overtaken.
        if Instant::now() > end && turn >= 40 {
            break;
        }
        // Of Numerical Recipes. Some milliseconds between the rows and the commit, other ones between transactions.
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & 0xffff_ffff;
        let (open, pause) = ((random >> 16) % 20, (random >> 24) % 20);
        let bodies: Vec<_> = (0..1 + turn % 3).map(|row| format!("{number}-{turn}-{row}")).collect();
        let rolls_back = turn % 5 == 4;
        let open = open.to_string();
        let mut words = vec!["write", &open, if rolls_back { "rollback" } else { "commit" }];
        words.extend(bodies.iter().map(String::as_str));
        writer.ask(&words)?;
        if !rolls_back {
            committed.extend(bodies);
        }
        thread::sleep(Duration::from_millis(pause as u64));
    }
    Ok(committed)
}

/// Polls until nothing comes after the writers' end. Returns positions and bodies.
fn follow(reader: &mut Program, horizon: &str, written: &AtomicBool) -> Result<Vec<(i64, String)>, String> {
    let mut rows = Vec::new();
    let mut cursor = 0_i64;
    loop {
        let is_last = written.load(Ordering::Acquire);
        let new = reader.ask(&["poll", &cursor.to_string(), horizon])?;
        for row in new.chunks_exact(2) {
            cursor = row[0].parse().map_err(|error| format!("{}: {error}", row[0]))?;
            rows.push((cursor, row[1].clone()));
        }
        if new.is_empty() {
            if is_last {
                return Ok(rows);
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}
