//! Ways in which one statement asks for the horizon of two rows, while the horizon moves between the two.

use pg_test::{Server, Session};
use postgres::{Client, SimpleQueryMessage};

use super::outbox::Outbox;

/// A name, and statements. They give two answers, and call `release()` in between.
pub struct Form(pub &'static str, &'static [&'static str]);

macro_rules! between_rows {
    ($answer:literal) => {
        concat!("SELECT string_agg((", $answer, ")::text, ' ') FROM (SELECT * FROM outbox WHERE n = 1 OR release() OFFSET 0) row")
    };
}

pub const FORMS: &[Form] = &[
    Form("comb_settled", &[between_rows!("comb_settled(id)")]),
    Form("settled_definer", &[between_rows!("settled_definer(id)")]),
    Form("settled_set", &[between_rows!("settled_set(id)")]),
    Form("settled_return", &[between_rows!("settled_return(id)")]),
    Form("settled_into", &[between_rows!("settled_into(id)")]),
    Form("settled_execute", &[between_rows!("settled_execute(id)")]),
    Form("settled_query", &[between_rows!("SELECT * FROM settled_query(id)")]),
    Form(
        "LATERAL",
        &["SELECT string_agg(settled::text, ' ')
           FROM (SELECT * FROM outbox WHERE n = 1 OR release() OFFSET 0) row, LATERAL settled_query(id) settled"],
    ),
    Form(
        "VALUES",
        &["SELECT string_agg((id < horizon)::text, ' ')
           FROM (VALUES (1, comb_horizon()), (2, CASE WHEN release() THEN comb_horizon() END)) v (n, horizon)
           JOIN outbox USING (n)"],
    ),
    Form(
        "partitions",
        &["SELECT string_agg(settled_set(id)::text, ' ')
           FROM (SELECT * FROM part_0 UNION ALL SELECT * FROM part_1) row WHERE nextval('visits') % 2 = 1 OR release()"],
    ),
    Form(
        "cursor",
        &[
            "BEGIN",
            "DECLARE page CURSOR FOR SELECT settled_definer(id)::text FROM outbox ORDER BY n",
            "FETCH page",
            "SELECT FROM release(), comb_horizon()",
            "FETCH page",
            "COMMIT",
        ],
    ),
    Form(
        "two cursors",
        &[
            "CREATE TEMP TABLE answers (answer boolean)",
            "DO $$
             DECLARE
                 page CURSOR FOR SELECT settled_return(id) FROM outbox ORDER BY n;
                 other CURSOR FOR SELECT settled_return(id) FROM outbox ORDER BY n;
                 answer boolean;
             BEGIN
                 OPEN page;
                 FETCH page INTO answer;
                 INSERT INTO answers VALUES (answer);
                 PERFORM release();
                 OPEN other;
                 FETCH other INTO answer;
                 FETCH page INTO answer;
                 INSERT INTO answers VALUES (answer);
             END $$",
            "SELECT string_agg(answer::text, ' ') FROM answers",
        ],
    ),
];

impl Form {
    /// The two answers.
    pub fn answers(&self, outbox: &Outbox) -> String {
        let mut client = outbox.connect();
        let answers = self.1.iter().flat_map(|statement| texts(&mut client, statement));
        answers.collect::<Vec<_>>().join(" ")
    }
}

/// The first column of the rows of a statement.
fn texts(client: &mut Client, statement: &str) -> Vec<String> {
    let messages = client.simple_query(statement).unwrap_or_else(|error| panic!("{statement}: {error:?}"));
    let text = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) if !row.is_empty() => row.get(0).map(str::to_owned),
        _ => None,
    };
    messages.iter().filter_map(text).collect()
}

/// A session that holds the horizon below two rows, until `release()` is called.
pub fn hold(server: &Server, outbox: &Outbox) -> Session {
    let mut client = outbox.connect();
    client.batch_execute("TRUNCATE outbox, parts").expect("TRUNCATE");
    let holder = Session::start(server, "holder", &["BEGIN; SELECT comb_hold(); SELECT pg_sleep(60)"]);
    holder.wait_for(server, "PgSleep");
    client.batch_execute("INSERT INTO outbox (n) VALUES (1), (2)").expect("INSERT");
    holder
}
