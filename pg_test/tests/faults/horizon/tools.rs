//! The statements of programs that poll a table by a cursor, beside writers: in the table itself each misses rows, in the form of
//! docs/tools.md none.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use pg_test::pages::Page;
use pg_test::{Server, Sharing, check, duration, sqlstate, value};
use postgres::{Client, Config, Error, NoTls};

use super::server;
use super::stage::{Random, is_to_be_repeated, numbers, run};

const PAGE: &str = "docs/tools.md";
const FORMS: &str = "Three forms";
/// How long programs wait for a missing number. Theirs wait for 3 to 60 s.
const WAIT: Duration = Duration::from_millis(150);

// --- Programs -----------------------------------------------------------------------------------------------------------

/// A poll of a relation with a column `position` (or `updated_at`, and an integer n): the keys of its rows.
type Poll = Box<dyn FnMut(&mut Client, &str) -> Result<Vec<i64>, Error> + Send>;

fn keys(client: &mut Client, query: &str) -> Result<Vec<i64>, Error> {
    Ok(client.query(query, &[])?.iter().map(|row| row.get(0)).collect())
}

/// Kafka Connect JDBC, `incrementing`: the criteria stand behind the user's text, and a portal fetches the rows.
fn kafka_incrementing() -> Poll {
    let mut cursor = -1;
    Box::new(move |client, relation| {
        let mut transaction = client.transaction()?;
        transaction.query_one("SELECT CURRENT_TIMESTAMP::text", &[])?;
        let query = format!(r#"SELECT "position" FROM {relation} WHERE "position" > $1 ORDER BY "position" ASC"#);
        let portal = transaction.bind(&query, &[&cursor])?;
        let mut found = Vec::new();
        loop {
            let rows = transaction.query_portal(&portal, 100)?;
            found.extend(rows.iter().map(|row| row.get::<_, i64>(0)));
            if rows.len() < 100 {
                break;
            }
        }
        transaction.commit()?;
        cursor = found.last().copied().unwrap_or(cursor);
        Ok(found)
    })
}

/// Logstash jdbc input, `use_column_value`, without paging: the value of the last row. $C is its literal.
fn logstash() -> Poll {
    let mut cursor = 0;
    Box::new(move |client, statement| {
        let statement = statement.replace("$C", &cursor.to_string());
        let found = keys(client, &format!("SELECT position FROM ({statement}) statement"))?;
        cursor = found.last().copied().unwrap_or(cursor);
        Ok(found)
    })
}

/// The same with paging: a count, then pages, each with a snapshot.
fn logstash_pages() -> Poll {
    const SIZE: i64 = 50;
    let mut cursor = 0;
    Box::new(move |client, relation| {
        let statement = format!("SELECT position FROM {relation} WHERE position > {cursor} ORDER BY position");
        let count = keys(client, &format!("SELECT count(*) FROM ({statement}) AS t1 LIMIT 1"))?[0];
        let mut found = Vec::new();
        for page in 0..(count + SIZE - 1) / SIZE {
            found.extend(keys(client, &format!("SELECT * FROM ({statement}) AS t1 LIMIT {SIZE} OFFSET {}", page * SIZE))?);
        }
        cursor = found.last().copied().unwrap_or(cursor);
        Ok(found)
    })
}

/// Airbyte up to 3.7: `>=` if other rows have the value of the cursor than before.
fn airbyte_3_7() -> Poll {
    let (mut cursor, mut stored) = (0, 0);
    Box::new(move |client, relation| {
        let same = |cursor| format!("SELECT count(*) FROM {relation} WHERE position = {cursor}");
        let operator = if keys(client, &same(cursor))?[0] == stored { ">" } else { ">=" };
        let found =
            keys(client, &format!("SELECT position FROM {relation} WHERE position {operator} {cursor} ORDER BY position ASC"))?;
        if let Some(&last) = found.last() {
            cursor = last;
            stored = found.iter().filter(|&&key| key == last).count() as i64;
        }
        Ok(found)
    })
}

/// Airbyte from 3.8: the maximum, then pages up to it.
fn airbyte_3_8() -> Poll {
    let mut cursor = 0;
    Box::new(move |client, relation| {
        let maximum = keys(client, &format!("SELECT position FROM {relation} ORDER BY position DESC NULLS LAST LIMIT 1"))?;
        let Some(&maximum) = maximum.first().filter(|&&maximum| maximum != cursor) else { return Ok(Vec::new()) };
        let mut found: Vec<i64> = Vec::new();
        loop {
            let from = found.last().map_or(format!(">= {cursor}"), |last| format!("> {last}"));
            let page = format!(
                "SELECT position FROM (SELECT * FROM {relation}
                     WHERE position {from} AND position <= {maximum} ORDER BY position) p LIMIT 100"
            );
            let rows = keys(client, &page)?;
            let is_last = rows.len() < 100;
            found.extend(rows);
            if is_last {
                break;
            }
        }
        cursor = maximum;
        Ok(found)
    })
}

/// dlt sql_table, closed range: the maximum, of rows in no order.
fn dlt() -> Poll {
    let mut cursor = 0;
    Box::new(move |client, relation| {
        let found = keys(client, &format!("SELECT position FROM {relation} WHERE position >= {cursor}"))?;
        cursor = found.iter().copied().max().unwrap_or(cursor);
        Ok(found)
    })
}

/// Singer tap-postgres.
fn tap_postgres() -> Poll {
    let mut cursor = 0;
    Box::new(move |client, relation| {
        let found = keys(
            client,
            &format!("SELECT position FROM {relation} WHERE position >= {cursor} ORDER BY position ASC NULLS FIRST"),
        )?;
        cursor = found.last().copied().unwrap_or(cursor);
        Ok(found)
    })
}

/// message-db, a reader of `$all`, or another one by the number alone.
fn by_number() -> Poll {
    let mut cursor = 0;
    Box::new(move |client, relation| {
        let found = keys(
            client,
            &format!("SELECT position FROM {relation} WHERE position >= {} ORDER BY position LIMIT 1000", cursor + 1),
        )?;
        cursor = found.last().copied().unwrap_or(cursor);
        Ok(found)
    })
}

/// message-db, readers of its categories.
fn message_db_categories() -> Poll {
    let mut cursors = [0, 0];
    Box::new(move |client, _| {
        let mut found = Vec::new();
        for (cursor, category) in cursors.iter_mut().zip(["account", "order"]) {
            let rows = keys(client, &format!("SELECT get_category_messages('{category}', {}, 1000)", *cursor + 1))?;
            *cursor = rows.last().copied().unwrap_or(*cursor);
            found.extend(rows);
        }
        Ok(found)
    })
}

/// Akka.Persistence.JDBC and .Sql: one query finds gaps and waits for them, another reads up to the greatest number without one.
fn akka() -> Poll {
    let (mut cursor, mut maximum) = (0i64, 0i64);
    let mut gaps = BTreeMap::<i64, Instant>::new();
    Box::new(move |client, relation| {
        let above =
            keys(client, &format!("SELECT position FROM {relation} WHERE position > {maximum} ORDER BY position LIMIT 10000"))?;
        let end = above.last().copied().unwrap_or(maximum);
        let above: HashSet<_> = above.into_iter().collect();
        for gap in (maximum + 1..=end).filter(|number| !above.contains(number)) {
            gaps.entry(gap).or_insert_with(Instant::now);
        }
        let is_over = |number: &i64| gaps.get(number).is_none_or(|since| above.contains(number) || since.elapsed() > WAIT);
        maximum = (maximum + 1..=end).take_while(is_over).last().unwrap_or(maximum);
        gaps = gaps.split_off(&maximum);
        let found = keys(
            client,
            &format!(
                "SELECT position FROM {relation} WHERE position > {cursor} AND position <= {maximum} ORDER BY position LIMIT 500"
            ),
        )?;
        cursor = found.last().copied().unwrap_or(cursor);
        Ok(found)
    })
}

/// Axon: the gaps below the cursor are in the token, and forgotten after a time.
fn axon() -> Poll {
    let mut cursor = 0i64;
    let mut gaps = BTreeMap::<i64, Instant>::new();
    Box::new(move |client, relation| {
        gaps.retain(|_, since| since.elapsed() < WAIT);
        let list: Vec<_> = gaps.keys().map(i64::to_string).collect();
        let or = if list.is_empty() { String::new() } else { format!(" OR position IN ({})", list.join(", ")) };
        let found =
            keys(client, &format!("SELECT position FROM {relation} WHERE position > {cursor}{or} ORDER BY position LIMIT 500"))?;
        for &key in &found {
            gaps.remove(&key);
            gaps.extend((cursor + 1..key).map(|gap| (gap, Instant::now())));
            cursor = cursor.max(key);
        }
        Ok(found)
    })
}

/// Marten: the high-water mark is below the first gap, and passes gaps before an event that is old.
fn marten() -> Poll {
    let (mut cursor, mut mark) = (0i64, 0i64);
    Box::new(move |client, relation| {
        let gap = format!(
            "SELECT position FROM (SELECT position, lead(position) OVER (ORDER BY position) - position AS step
                 FROM (SELECT {mark}::bigint AS position UNION
                       SELECT position FROM {relation} WHERE position > {mark}) numbers) steps
             WHERE step > 1 OR step IS NULL ORDER BY position LIMIT 1"
        );
        let old = format!(
            "SELECT coalesce(max(position), 0) FROM {relation}
             WHERE position > {mark} AND at < clock_timestamp() - interval '{} ms'",
            WAIT.as_millis()
        );
        mark = keys(client, &gap)?[0].max(keys(client, &old)?[0]);
        let found = keys(
            client,
            &format!("SELECT position FROM {relation} WHERE position > {cursor} AND position <= {mark} ORDER BY position"),
        )?;
        cursor = mark;
        Ok(found)
    })
}

/// Kafka Connect JDBC, `timestamp`: both bounds are open.
fn kafka_timestamp() -> Poll {
    let mut cursor = "epoch".to_owned();
    Box::new(move |client, relation| {
        let mut transaction = client.transaction()?;
        let end: String = transaction.query_one("SELECT CURRENT_TIMESTAMP::text", &[])?.get(0);
        let query = format!(
            "SELECT n::bigint, updated_at::text FROM {relation}
             WHERE updated_at > '{cursor}' AND updated_at < '{end}' ORDER BY updated_at ASC"
        );
        let rows = transaction.query(&query, &[])?;
        transaction.commit()?;
        cursor = rows.last().map_or(cursor.clone(), |row| row.get(1));
        Ok(rows.iter().map(|row| row.get(0)).collect())
    })
}

/// Logstash jdbc input with a timestamp.
fn logstash_timestamp() -> Poll {
    let mut cursor = "epoch".to_owned();
    Box::new(move |client, relation| {
        let query =
            format!("SELECT n::bigint, updated_at::text FROM {relation} WHERE updated_at > '{cursor}' ORDER BY updated_at");
        let rows = client.query(&query, &[])?;
        cursor = rows.last().map_or(cursor.clone(), |row| row.get(1));
        Ok(rows.iter().map(|row| row.get(0)).collect())
    })
}

/// Logstash without `use_column_value`: the time of the client at the start of the run before.
fn logstash_clock() -> Poll {
    let mut cursor = "epoch".to_owned();
    Box::new(move |client, relation| {
        let now = value(client, "SELECT clock_timestamp()::text");
        let query = format!("SELECT n::bigint FROM {relation} WHERE updated_at > '{cursor}' ORDER BY updated_at");
        cursor = now;
        keys(client, &query)
    })
}

/// Airbyte from 3.8, xmin mode.
fn airbyte_xmin() -> Poll {
    let mut cursor = 0;
    Box::new(move |client, relation| {
        let maximum = keys(client, "SELECT txid_current() % 4294967296")?[0];
        let query =
            format!("SELECT position FROM {relation} WHERE xmin::text::bigint >= {cursor} AND xmin::text::bigint <= {maximum}");
        cursor = maximum;
        keys(client, &query)
    })
}

/// A poll as the page has it, with its cursor in place of each 0 of `> 0` and `after => 0`. The last column is the cursor.
fn page_poll(query: &str, key: &'static str) -> Poll {
    let (query, mut cursor) =
        (query.trim().trim_end_matches(';').replace("SELECT e.*", &format!("SELECT {key}, f.position")), 0i64);
    Box::new(move |client, _| {
        let query = query.replace("> 0", &format!("> {cursor}"));
        let rows = client.query(&query, &[])?;
        cursor = rows.last().map_or(cursor, |row| row.get(1));
        Ok(rows.iter().map(|row| row.get(0)).collect())
    })
}

// --- Stage --------------------------------------------------------------------------------------------------------------

struct Reader {
    name: &'static str,
    role: &'static str,
    relation: &'static str,
    poll: Poll,
    /// Without the horizon: it must miss rows.
    misses: bool,
}

fn reader(name: &'static str, role: &'static str, relation: &'static str, poll: Poll) -> Reader {
    Reader { name, role, relation, poll, misses: false }
}

fn loser(name: &'static str, relation: &'static str, poll: Poll) -> Reader {
    Reader { misses: true, ..reader(name, "postgres", relation, poll) }
}

fn connect(config: &Config, role: &str) -> Client {
    let mut config = config.clone();
    config.user(role);
    config.connect(NoTls).unwrap_or_else(|error| panic!("{role}: {error:?}"))
}

/// What a reader has read when `writes` is over for longer than programs wait.
fn read(config: &Config, reader: &mut Reader, writes: &AtomicBool) -> HashSet<i64> {
    let (mut client, mut seen, mut end) = (connect(config, reader.role), HashSet::new(), None);
    while end.is_none_or(|end| Instant::now() < end) {
        if end.is_none() && !writes.load(Ordering::Relaxed) {
            end = Some(Instant::now() + WAIT * 8);
        }
        match (reader.poll)(&mut client, reader.relation) {
            Ok(rows) => seen.extend(rows),
            Err(error) if is_to_be_repeated(&error) => {}
            Err(error) => panic!("{}: {error:?}", reader.name),
        }
        sleep(Duration::from_millis(20));
    }
    seen
}

/// Writers write while readers read. No reader misses a row of `stored`, except those that must.
fn stage(
    server: &Server,
    time: Duration,
    write: &(dyn Fn(&mut Client, u64, &mut Random) + Sync),
    mut readers: Vec<Reader>,
    stored: &str,
) {
    let (config, writes) = (&server.config(), &AtomicBool::new(true));
    let end = Instant::now() + time;
    let seen: Vec<_> = thread::scope(|scope| {
        let readers: Vec<_> = readers.iter_mut().map(|reader| scope.spawn(move || read(config, reader, writes))).collect();
        let writers: Vec<_> = (0..6)
            .map(|number| {
                scope.spawn(move || {
                    let (mut client, mut random) = (connect(config, "app"), Random::new(number));
                    while Instant::now() < end {
                        write(&mut client, number, &mut random);
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().expect("a writer"));
        writes.store(false, Ordering::Relaxed);
        readers.into_iter().map(|reader| reader.join().expect("a reader")).collect()
    });
    let stored: HashSet<i64> = numbers(&mut server.connect(), stored).into_iter().collect();
    assert!(stored.len() > 100);
    let mut wrong = Vec::new();
    for (reader, seen) in readers.iter().zip(&seen) {
        let missed = stored.difference(seen).count();
        println!("{} from {:.60}: {missed} of {} missed", reader.name, reader.relation, stored.len());
        if !seen.is_subset(&stored) || reader.misses != (missed > 0) {
            wrong.push(format!("{} from {}: {missed}", reader.name, reader.relation));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// So many of the writers have transactions that stay open for longer than programs wait.
const SLOW: u64 = 2;

fn transaction(client: &mut Client, number: u64, random: &mut Random, insert: &str) {
    let rows = 1 + random.below(5);
    let mut up_to = |milliseconds: u64| random.below(milliseconds) as f64 / 1000.0;
    let (before, after) = if number < SLOW { (0.05, 0.4 + up_to(300)) } else { (up_to(4), up_to(5)) };
    let end = if random.below(7) == 0 { "ROLLBACK" } else { "COMMIT" };
    let insert = insert.replace("$ROWS", &rows.to_string());
    run(client, &format!("BEGIN; SELECT pg_sleep({before}); {insert}; SELECT pg_sleep({after}); {end}"));
}

fn blocks(page: &Page, heading: &str) -> Vec<String> {
    let blocks =
        page.section(heading).into_iter().filter(|block| block.language == "sql" && !block.words.contains(&"norun".to_owned()));
    blocks.map(|block| block.text.clone()).collect()
}

/// Runs a section, whose first table gets the time at which Marten looks.
fn run_section(server: &Server, page: &Page, heading: &str, column: &str) {
    let blocks = blocks(page, heading);
    assert!(blocks.iter().any(|block| block.contains(column)), "{column}");
    let with_time = format!("{column}, at timestamptz NOT NULL DEFAULT now()");
    blocks.iter().for_each(|block| server.execute(&block.replace(column, &with_time)));
}

/// A server with the role app, which owns no table.
fn server_with_app() -> Server {
    let server = server(Sharing::Preloaded);
    server.execute("CREATE ROLE app LOGIN");
    server
}

// --- Tests --------------------------------------------------------------------------------------------------------------

#[test]
fn tools_and_event_stores_miss_no_row() {
    const TABLE: &str = "events";
    const VIEW: &str = "settled_events";
    const OWN: &str = "(SELECT * FROM events WHERE position <= comb_number_horizon('events')) e";
    let page = Page::read(PAGE);
    assert!(page.block_with(FORMS, "SELECT * FROM (SELECT").text.contains(OWN));
    let server = server_with_app();
    run_section(&server, &page, FORMS, "body     text NOT NULL");
    server.execute("GRANT INSERT ON events TO app");
    // Logstash's statement as the page has it.
    let statement = page.block_with("Extraction tools", ":sql_last_value").text.replace(":sql_last_value", "$C");
    let statement: &'static str = statement.leak();
    let readers = vec![
        loser("Kafka Connect", TABLE, kafka_incrementing()),
        loser("Logstash", "SELECT * FROM events WHERE position > $C ORDER BY position", logstash()),
        loser("Logstash by pages", TABLE, logstash_pages()),
        loser("Airbyte 3.7", TABLE, airbyte_3_7()),
        loser("Airbyte 3.8", TABLE, airbyte_3_8()),
        loser("dlt", TABLE, dlt()),
        loser("tap-postgres", TABLE, tap_postgres()),
        loser("Akka", TABLE, akka()),
        loser("Axon", TABLE, axon()),
        loser("Marten", TABLE, marten()),
        loser("Airbyte xmin", TABLE, airbyte_xmin()),
        Reader { role: "tool", ..loser("Airbyte xmin", TABLE, airbyte_xmin()) },
        reader("Kafka Connect", "tool", OWN, kafka_incrementing()),
        reader("Kafka Connect", "view_tool", VIEW, kafka_incrementing()),
        reader("Logstash", "tool", statement, logstash()),
        reader("Logstash by pages", "tool", OWN, logstash_pages()),
        reader("Airbyte 3.7", "view_tool", VIEW, airbyte_3_7()),
        reader("Airbyte 3.8", "view_tool", VIEW, airbyte_3_8()),
        reader("Airbyte 3.8", "tool", TABLE, airbyte_3_8()),
        reader("dlt", "tool", OWN, dlt()),
        reader("dlt", "tool", TABLE, dlt()),
        reader("tap-postgres", "tool", OWN, tap_postgres()),
        reader("tap-postgres", "view_tool", VIEW, tap_postgres()),
        reader("Akka", "view_tool", VIEW, akka()),
        reader("Axon", "view_tool", VIEW, axon()),
        reader("Marten", "view_tool", VIEW, marten()),
    ];
    let write = |client: &mut Client, number: u64, random: &mut Random| {
        transaction(client, number, random, "INSERT INTO events (body) SELECT 'row' FROM generate_series(1, $ROWS)");
    };
    stage(&server, duration(), &write, readers, "SELECT position FROM events");
    server.assert_clean_log();
}

/// Its functions name the table without a schema: a view in a schema before that of the table takes its place. A writer locks the
/// category until it commits, so that a category alone is in order.
#[test]
fn message_db() {
    let server = server_with_app();
    server.execute(
        "CREATE SCHEMA message_store; SET search_path = message_store, public;
         CREATE TABLE messages (global_position bigserial PRIMARY KEY, stream_name text NOT NULL);
         CREATE FUNCTION category(stream_name text) RETURNS text LANGUAGE sql IMMUTABLE RETURN split_part(stream_name, '-', 1);
         CREATE FUNCTION write_message(stream_name text) RETURNS bigint LANGUAGE plpgsql AS $$
         DECLARE
             written bigint;
         BEGIN
             PERFORM pg_advisory_xact_lock(hashtext(category(stream_name)));
             INSERT INTO messages (stream_name) VALUES (stream_name) RETURNING global_position INTO written;
             RETURN written;
         END $$;
         CREATE FUNCTION get_category_messages(name text, start bigint, batch bigint) RETURNS SETOF bigint
             LANGUAGE plpgsql AS $$
         BEGIN
             RETURN QUERY EXECUTE 'SELECT global_position FROM messages
                 WHERE category(stream_name) = $1 AND global_position >= $2 ORDER BY global_position LIMIT $3'
                 USING name, start, batch;
         END $$",
    );
    server.execute(
        "CALL comb_enable_polls('message_store.messages', 'global_position');
         CREATE SCHEMA settled;
         CREATE VIEW settled.messages AS SELECT * FROM message_store.messages
             WHERE global_position <= comb_number_horizon('message_store.messages');
         CREATE ROLE reader LOGIN; ALTER ROLE reader SET search_path = settled, message_store, public;
         GRANT USAGE ON SCHEMA settled, message_store TO reader; GRANT SELECT ON settled.messages TO reader;
         GRANT SELECT (global_position) ON message_store.messages TO reader;
         ALTER ROLE app SET search_path = message_store, public; GRANT USAGE ON SCHEMA message_store TO app;
         GRANT INSERT, SELECT ON message_store.messages TO app; GRANT USAGE ON message_store.messages_global_position_seq TO app",
    );
    const ALL: &str = "(SELECT global_position AS position FROM messages) m";
    let readers = vec![
        Reader { role: "app", ..loser("$all", ALL, by_number()) },
        reader("$all", "reader", ALL, by_number()),
        reader("categories", "app", "messages", message_db_categories()),
        reader("categories", "reader", "settled.messages", message_db_categories()),
    ];
    let write = |client: &mut Client, number: u64, random: &mut Random| {
        let stream = if number.is_multiple_of(2) { "account" } else { "order" };
        let write = format!("SELECT write_message('{stream}-' || n) FROM generate_series(1, $ROWS) n");
        transaction(client, if number == 0 { 0 } else { number + SLOW }, random, &write);
    };
    stage(&server, duration() / 2, &write, readers, "SELECT global_position FROM message_store.messages");
    server.assert_clean_log();
}

#[test]
fn a_timestamp_as_the_cursor() {
    const HEADING: &str = "A timestamp as the cursor";
    let page = Page::read(PAGE);
    let server = server_with_app();
    blocks(&page, HEADING).iter().for_each(|block| server.execute(block));
    server.execute(
        "GRANT SELECT ON items TO app; GRANT INSERT ON items TO app;
         CREATE SEQUENCE numbers; GRANT USAGE ON numbers TO app;
         CREATE TABLE plain (n int PRIMARY KEY, updated_at timestamptz NOT NULL DEFAULT now()); GRANT INSERT ON plain TO app;
         CREATE VIEW both_times AS SELECT n, updated_at FROM plain JOIN items USING (n)
             WHERE version <= comb_uuid_horizon('items');
         CREATE VIEW natural_view AS SELECT n, comb_timestamp(version) AS updated_at FROM items
             WHERE version <= comb_uuid_horizon('items');
         CREATE ROLE view_tool LOGIN; GRANT SELECT ON settled_items TO view_tool; GRANT SELECT (n) ON items TO view_tool",
    );
    let readers = vec![
        loser("Kafka Connect", "plain", kafka_timestamp()),
        loser("Logstash", "plain", logstash_timestamp()),
        loser("Kafka Connect", "natural_view", kafka_timestamp()),
        loser("Logstash", "natural_view", logstash_timestamp()),
        loser("the horizon of another column", "both_times", logstash_timestamp()),
        loser("Logstash by its clock", "plain", logstash_clock()),
        loser("Logstash by its clock", "settled_items", logstash_clock()),
        reader("Kafka Connect", "view_tool", "settled_items", kafka_timestamp()),
        reader("Logstash", "view_tool", "settled_items", logstash_timestamp()),
    ];
    const INSERT: &str =
        "WITH new AS (INSERT INTO items (n) SELECT nextval('numbers') FROM generate_series(1, $ROWS) RETURNING n)
        INSERT INTO plain (n) SELECT n FROM new";
    let write = |client: &mut Client, number: u64, random: &mut Random| {
        // Its millisecond is often that of the floor which follows.
        run(client, &INSERT.replace("$ROWS", "1"));
        transaction(client, number + SLOW, random, INSERT);
    };
    stage(&server, duration(), &write, readers, "SELECT n::bigint FROM items");

    let mut client = server.connect();
    run(&mut client, "INSERT INTO items (n) SELECT -n FROM generate_series(1, 10000) n; ANALYZE items");
    let plan = plan(&mut client, "SELECT * FROM settled_items WHERE updated_at > now() - interval '1 ms' ORDER BY updated_at");
    assert_index(&plan, &["comb_timestamp(comb_uuid_horizon(", "now()"]);

    // Pages by OFFSET: a row of the first page changes before the second is read, and another one is on neither.
    run(&mut client, "DELETE FROM items; INSERT INTO items (n) VALUES (1)");
    run(&mut client, "INSERT INTO items (n) VALUES (2)");
    sleep(Duration::from_millis(5));
    let mut page = |offset: i32| -> i64 {
        let query = format!("SELECT n::bigint FROM settled_items ORDER BY updated_at, n LIMIT 1 OFFSET {offset}");
        keys(&mut client, &query).expect("a page")[0]
    };
    let first = page(0);
    server.execute("UPDATE items SET name = 'changed' WHERE n = 1");
    sleep(Duration::from_millis(5));
    assert_eq!((first, page(1)), (1, 1), "without 2");
    server.assert_clean_log();
}

fn plan(client: &mut Client, query: &str) -> String {
    let lines = client.query(&format!("EXPLAIN (COSTS OFF) {query}"), &[]).unwrap_or_else(|error| panic!("{query}: {error:?}"));
    lines.iter().map(|line| line.get::<_, String>(0) + "\n").collect()
}

/// The conditions are of the index, whose order is that of the result.
fn assert_index(plan: &str, conditions: &[&str]) {
    let condition = plan.lines().find(|line| line.contains("Index Cond")).unwrap_or_else(|| panic!("no index: {plan}"));
    assert!(conditions.iter().all(|it| condition.contains(it)) && !plan.contains("Sort"), "{plan}");
}

#[test]
fn what_each_role_sees_and_which_plans_it_gets() {
    let page = Page::read(PAGE);
    let server = server_with_app();
    run_section(&server, &page, FORMS, "body     text NOT NULL");
    server.execute(
        "GRANT INSERT, SELECT ON events TO app; GRANT INSERT ON events TO tool; CREATE ROLE bypass LOGIN BYPASSRLS;
         CREATE ROLE nothing LOGIN; GRANT SELECT ON events, settled_events TO bypass; GRANT SELECT ON settled_events TO nothing;
         INSERT INTO events (body) SELECT 'old' FROM generate_series(1, 10000); ANALYZE events",
    );
    let (config, mut owner) = (&server.config(), server.connect());
    let [mut app, mut tool, mut view_tool, mut bypass, mut nothing] =
        ["app", "tool", "view_tool", "bypass", "nothing"].map(|role| connect(config, role));
    for (client, relation) in [(&mut tool, "events"), (&mut view_tool, "settled_events")] {
        let plan = plan(client, &format!("SELECT * FROM {relation} WHERE position > 9990 ORDER BY position"));
        assert_index(&plan, &["comb_number_horizon('events'", "> 9990"]);
    }
    run(&mut owner, "CREATE INDEX ON events (position DESC NULLS LAST)");
    let maximum = plan(&mut view_tool, "SELECT position FROM settled_events ORDER BY position DESC NULLS LAST LIMIT 1");
    assert_index(&maximum, &["comb_number_horizon('events'"]);
    let own = page.block_with(FORMS, "SELECT * FROM (SELECT").text.replace("> 0", "> 9990");
    assert_index(&plan(&mut bypass, &own), &["comb_number_horizon('events'", "> 9990"]);

    // Beside an open transaction: the tool alone does not see the row above the horizon.
    let mut open = connect(config, "app");
    run(&mut open, "BEGIN; INSERT INTO events (body) VALUES ('open')");
    run(&mut app, "INSERT INTO events (body) VALUES ('new')");
    let new = |relation: &str| format!("SELECT count(*) FROM {relation} WHERE body = 'new'");
    for (client, relation, rows) in [
        (&mut app, "events", 1),
        (&mut owner, "events", 1),
        (&mut bypass, "events", 1),
        (&mut tool, "events", 0),
        (&mut view_tool, "settled_events", 0),
    ] {
        assert_eq!(value::<i64>(client, &new(relation)), rows, "{relation}");
    }
    assert_eq!(value::<i64>(&mut bypass, &new("settled_events")), 0);
    assert_eq!(sqlstate(&mut nothing, &new("settled_events")), "42501", "the horizon needs a column of the table");
    assert_eq!(sqlstate(&mut view_tool, "SELECT body FROM events"), "42501");
    assert_eq!(sqlstate(&mut view_tool, "SELECT xmin FROM settled_events"), "42703");
    // A role under the policy that writes.
    assert_eq!(sqlstate(&mut tool, "INSERT INTO events (body) VALUES ('own') RETURNING position"), "42501");
    run(&mut tool, "INSERT INTO events (body) VALUES ('own')");
    assert_eq!(value::<i64>(&mut tool, "SELECT count(*) FROM events WHERE body = 'own'"), 0);
    run(&mut open, "COMMIT");
    assert_eq!(value::<i64>(&mut tool, "SELECT count(*) FROM events WHERE body IN ('own', 'new')"), 2);
    // Without the permissive policy, and without any for other roles.
    run(&mut owner, "DROP POLICY everything ON events");
    assert_eq!(value::<i64>(&mut tool, "SELECT count(*) FROM events"), 0);
    assert_eq!(value::<i64>(&mut app, "SELECT count(*) FROM events"), 0);
    assert_eq!(sqlstate(&mut app, "INSERT INTO events (body) VALUES ('refused')"), "42501");
    server.assert_clean_log();
}

/// The events of an aggregate end with the value of its table if it is locked before an event is stored.
#[test]
fn order_inside_an_aggregate() {
    let server = server(Sharing::Preloaded);
    server.execute(
        "CREATE TABLE account (id int PRIMARY KEY, value int); INSERT INTO account VALUES (1, 0);
         CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY, value int);
         CALL comb_enable_polls('events', 'position')",
    );
    let change = |value: i32| format!("UPDATE account SET value = {value}");
    let store = |value: i32| format!("INSERT INTO events (value) VALUES ({value})");
    for locks in [false, true] {
        let (mut a, mut b) = (server.connect(), server.connect());
        run(&mut a, "BEGIN");
        run(&mut a, &if locks { change(1) } else { store(1) });
        let second = thread::spawn(move || {
            run(
                &mut b,
                &if locks {
                    format!("BEGIN; {}; {}; COMMIT", change(2), store(2))
                } else {
                    format!("{}; {}", store(2), change(2))
                },
            );
        });
        sleep(Duration::from_millis(300));
        run(&mut a, &if locks { store(1) } else { change(1) });
        run(&mut a, "COMMIT");
        second.join().expect("a transaction");
        let mut client = server.connect();
        let last = "SELECT value FROM events WHERE position <= comb_number_horizon('events') ORDER BY position DESC LIMIT 1";
        assert_eq!(value::<i32>(&mut client, last), 2);
        assert_eq!(value::<i32>(&mut client, "SELECT value FROM account"), if locks { 2 } else { 1 });
    }
}

// --- A feed -------------------------------------------------------------------------------------------------------------

const FEED: &str = "A feed, for numbers that a framework draws";
const EVENTS: &str = "(SELECT seq_id AS position, at FROM mt_events WHERE type <> 'tombstone') e";

/// A framework: it draws its numbers in a function, on another connection, and stores old ones for what was rolled back.
fn append(client: &mut Client, other: &mut Client, number: u64, random: &mut Random) {
    let pause = if random.below(8) == 0 { 0.3 } else { random.below(5) as f64 / 1000.0 };
    match number {
        0 | 1 => run(client, &format!("BEGIN; SELECT append({pause}); SELECT pg_sleep({pause}); COMMIT")),
        2 | 3 => {
            let drawn: i64 = value(other, "SELECT nextval('numbers')");
            sleep(Duration::from_secs_f64(pause));
            let end = if random.below(5) == 0 { "ROLLBACK" } else { "COMMIT" };
            run(client, &format!("BEGIN; INSERT INTO mt_events VALUES ({drawn}, 'placed'); SELECT pg_sleep({pause}); {end}"));
            if end == "ROLLBACK" {
                run(other, &format!("INSERT INTO mt_events VALUES ({drawn}, 'tombstone')"));
            }
        }
        4 => {
            let drawn: Vec<i64> = (0..3).map(|_| value(other, "SELECT nextval('numbers')")).collect();
            let rows: String = drawn
                .iter()
                .map(|drawn| {
                    format!(
                        "{drawn}	placed
"
                    )
                })
                .collect();
            let mut transaction = client.transaction().expect("BEGIN");
            let mut sink = transaction.copy_in("COPY mt_events (seq_id, type) FROM STDIN").expect("COPY");
            std::io::Write::write_all(&mut sink, rows.as_bytes()).expect("rows");
            sink.finish().expect("COPY");
            sleep(Duration::from_secs_f64(pause));
            transaction.commit().expect("COMMIT");
        }
        _ => run(
            client,
            &format!(
                "BEGIN; MERGE INTO mt_events USING (SELECT nextval('numbers') AS drawn FROM generate_series(1, 2)) new ON false
                     WHEN NOT MATCHED THEN INSERT (seq_id, type) VALUES (drawn, 'placed'); SELECT pg_sleep({pause});
                 INSERT INTO TARGET SELECT nextval('numbers'), 'placed'; COMMIT"
            )
            .replace("TARGET", if random.below(2) == 0 { "mt_events" } else { "leaf" }),
        ),
    }
}

/// With a statement trigger, and with a row trigger on a table whose partition is also written directly.
#[test]
fn a_feed_of_a_framework_misses_no_row() {
    const TABLE: &str = concat!(
        "CREATE TABLE mt_events (seq_id bigint PRIMARY KEY, type text NOT NULL, body text, ",
        "at timestamptz NOT NULL DEFAULT now());"
    );
    let page = Page::read(PAGE);
    let sections = blocks(&page, FEED);
    let [feed, row_trigger, _always] = sections.as_slice() else { panic!("{sections:?}") };
    let feed = feed.replace("body text)", "body text, at timestamptz NOT NULL DEFAULT now())");
    assert!(feed.contains(TABLE));
    let (_, poll) = feed.split_once("COMMIT;").expect("a poll");
    for partitioned in [false, true] {
        let server = server_with_app();
        let table = if partitioned {
            "CREATE TABLE mt_events (seq_id bigint, type text, body text, at timestamptz NOT NULL DEFAULT now(),
                 PRIMARY KEY (seq_id, type))
                 PARTITION BY LIST (type);
             CREATE TABLE leaf PARTITION OF mt_events FOR VALUES IN ('placed');
             CREATE TABLE others PARTITION OF mt_events DEFAULT;"
        } else {
            "CREATE TABLE mt_events (seq_id bigint PRIMARY KEY, type text, body text, at timestamptz NOT NULL DEFAULT now());
             CREATE VIEW leaf AS SELECT * FROM mt_events;"
        };
        // Events that exist before the feed. The role knows nothing of the feed, and finds other tables first.
        let before = "INSERT INTO mt_events VALUES (-2, 'placed'), (-1, 'tombstone');";
        server.execute(&feed.replace(TABLE, &format!("{table} {before}")));
        server.execute(
            "CREATE SEQUENCE numbers; GRANT USAGE ON numbers TO app; GRANT INSERT, SELECT ON mt_events, leaf TO app;
             CREATE SCHEMA app AUTHORIZATION app; CREATE TABLE app.feed (seq_id text); CREATE TABLE app.inserted (seq_id text);
             ALTER ROLE app SET search_path = app, public;
             CREATE FUNCTION append(pause float) RETURNS void LANGUAGE plpgsql AS $$
             DECLARE
                 drawn bigint := nextval('numbers');
             BEGIN
                 PERFORM pg_sleep(pause);
                 INSERT INTO mt_events (seq_id, type) VALUES (drawn, 'placed');
             END $$",
        );
        if partitioned {
            let mut client = server.connect();
            run(&mut client, "INSERT INTO leaf VALUES (-10, 'placed')");
            check(&mut client, "the statement trigger does not see it", "SELECT count(*) = 1 FROM feed");
            run(
                &mut client,
                &format!("{row_trigger}; DELETE FROM mt_events WHERE seq_id = -10; INSERT INTO leaf VALUES (-20, 'placed')"),
            );
            check(&mut client, "the row trigger does", "SELECT count(*) = 2 FROM feed");
            run(&mut client, "UPDATE mt_events SET type = 'archived' WHERE seq_id = -20");
            check(&mut client, "a row that moves comes again", "SELECT count(*) = 3 FROM feed");
        }
        let config = &server.config();
        let write = |client: &mut Client, number: u64, random: &mut Random| {
            // Each turn takes a few rows: a connection for the numbers is cheap beside them.
            let mut other = connect(config, "app");
            (0..5).for_each(|_| append(client, &mut other, number, random));
        };
        let readers = vec![
            loser("id > cursor", EVENTS, by_number()),
            loser("the high-water mark", EVENTS, marten()),
            reader("the feed", "postgres", "feed", page_poll(poll, "e.seq_id")),
        ];
        stage(&server, duration() * 2 / 3, &write, readers, "SELECT seq_id FROM mt_events WHERE type <> 'tombstone'");
        let once = "SELECT count(*) = count(DISTINCT seq_id) FROM feed WHERE seq_id <> -20";
        check(&mut server.connect(), "each event is in the feed once", once);
        // The function is no way into the feed.
        let mut app = connect(config, "app");
        assert_eq!(sqlstate(&mut app, "INSERT INTO public.feed (seq_id) VALUES (1)"), "42501");
        run(&mut app, "CREATE TABLE mine (seq_id bigint, type text)");
        let trigger = "CREATE TRIGGER feed AFTER INSERT ON mine REFERENCING NEW TABLE AS inserted
             FOR EACH STATEMENT EXECUTE FUNCTION public.feed_events()";
        assert_eq!(sqlstate(&mut app, trigger), "42501");
        server.assert_clean_log();
    }
}

/// A number that another connection draws is above the floor of a transaction which called comb_track() before.
#[test]
fn a_program_that_tracks_before_it_draws_elsewhere() {
    let server = server(Sharing::Preloaded);
    server.execute(
        "CREATE SEQUENCE numbers; CREATE TABLE events (seq_id bigint PRIMARY KEY); ALTER SEQUENCE numbers OWNED BY events.seq_id;
         CALL comb_enable_polls('events', 'seq_id')",
    );
    const POLL: &str = "SELECT seq_id FROM events WHERE seq_id <= comb_number_horizon('events') ORDER BY seq_id";
    let (mut client, mut other, mut reader) = (server.connect(), server.connect(), server.connect());
    let draw = |other: &mut Client| value::<i64>(other, "SELECT nextval('numbers')");
    let late = draw(&mut other);
    run(&mut client, "BEGIN; CALL comb_track('events')");
    assert_eq!(sqlstate(&mut client, &format!("INSERT INTO events VALUES ({late})")), "23514", "drawn before the call");
    run(&mut client, "ROLLBACK; BEGIN; CALL comb_track('events')");
    let (first, second) = (draw(&mut other), draw(&mut other));
    run(&mut other, "BEGIN; CALL comb_track('events'); INSERT INTO events VALUES (nextval('numbers')); COMMIT");
    run(&mut client, &format!("INSERT INTO events VALUES ({first}), ({second})"));
    assert_eq!(numbers(&mut reader, POLL), []);
    run(&mut client, "COMMIT");
    assert_eq!(numbers(&mut reader, POLL), [first, second, second + 1]);
    server.assert_clean_log();
}
