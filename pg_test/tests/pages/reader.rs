//! `docs/reader.svg`: two readers of an outbox, drawn from the rows that they get.
//!
//! `COMB_WRITE=1 cargo test -p pg_test --test pages reader` writes the picture.

use std::fmt::Write;
use std::fs;

use pg_test::{Server, Sharing, is_writing, root};
use uuid::Uuid;

/// The width of a column and the height of a line, in pixels.
const WIDTH: usize = 224;
const LINE: usize = 17;

const TITLES: [&str; 4] = ["transaction A", "transaction B", "reader: id > cursor", "reader: comb_horizon()"];
const POLLS: [&str; 2] = [
    "SELECT body FROM outbox\nWHERE id > :'cursor'\nORDER BY id;",
    "SELECT body FROM outbox\nWHERE id > :'cursor'\n  AND id < comb_horizon()\nORDER BY id;",
];

/// A column for each session. Time goes down.
struct Picture {
    texts: String,
    /// The first line below what is drawn.
    end: usize,
}

impl Picture {
    fn new() -> Self {
        let mut picture = Self { texts: String::new(), end: 0 };
        for (column, title) in TITLES.iter().enumerate() {
            picture.draw(column, 0, "title", title);
        }
        // An empty line below the titles.
        picture.end += 1;
        picture
    }

    /// Draws lines from that line on.
    fn draw(&mut self, column: usize, first: usize, class: &str, text: &str) {
        for (line, text) in (first..).zip(text.lines()) {
            let (x, y) = (column * WIDTH + 14, 24 + line * LINE);
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            writeln!(self.texts, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{text}</text>").expect("a string");
            self.end = self.end.max(line + 1);
        }
    }

    fn command(&mut self, column: usize, statement: &str) {
        self.draw(column, self.end, "command", statement);
    }

    /// Both readers poll the outbox at the same time. Returns what each gets.
    fn polls(&mut self, server: &Server, cursors: [Uuid; 2]) -> [Vec<String>; 2] {
        let first = self.end;
        [0, 1].map(|reader| {
            let cursor = format!("'{}'", cursors[reader]);
            let query = POLLS[reader].replace(":'cursor'", &cursor);
            let rows = server.connect().query(&query, &[]).expect("rows");
            let rows: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            let end = if rows.len() == 1 { "row" } else { "rows" };
            let mut answer = vec!["body".to_owned()];
            answer.extend(rows.clone());
            answer.push(format!("({} {end})", rows.len()));
            self.draw(reader + 2, first, "command", POLLS[reader]);
            let below = first + POLLS[reader].lines().count();
            self.draw(reader + 2, below, "answer", &answer.join("\n"));
            rows
        })
    }

    fn svg(&self) -> String {
        let (width, height) = (TITLES.len() * WIDTH, 24 + self.end * LINE);
        let mut lines = String::new();
        for column in 1..TITLES.len() {
            let (x, bottom) = (column * WIDTH, height - 12);
            writeln!(lines, "<path d=\"M{x} 12V{bottom}\" stroke=\"#30363d\"/>").expect("a string");
        }
        let texts = &self.texts;
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">
<title>Transaction A gets its key first and commits last. The reader with id &gt; cursor skips its row; the reader with comb_horizon() does not.</title>
<style>text{{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#c9d1d9}}.title{{font-weight:bold;fill:#fff}}.command{{fill:#79c0ff}}.lost{{fill:#ff7b72}}.found{{fill:#7ee787}}</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
{lines}{texts}</svg>
"##
        )
    }
}

#[test]
fn reader_svg() {
    let server = Server::start(Sharing::Attached, &[]);
    server.execute("CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked(), body text)");
    let mut sessions = [server.connect(), server.connect()];
    let mut picture = Picture::new();
    let mut transaction = |picture: &mut Picture, column: usize, statement: &str| {
        sessions[column].batch_execute(statement).expect("a statement");
        picture.command(column, statement);
    };

    transaction(&mut picture, 0, "BEGIN;");
    transaction(&mut picture, 0, "INSERT INTO outbox (body)\nVALUES ('A');");
    transaction(&mut picture, 1, "INSERT INTO outbox (body)\nVALUES ('B');");
    assert_eq!(picture.polls(&server, [Uuid::nil(); 2]), [vec!["B"], vec![]]);
    // The reader remembers the key of the last row that it got.
    let last = server.value("SELECT id FROM outbox");
    transaction(&mut picture, 0, "COMMIT;");
    assert_eq!(picture.polls(&server, [last, Uuid::nil()]), [vec![], vec!["A", "B"]]);
    let end = picture.end;
    picture.draw(2, end, "lost", "-- A is skipped");
    picture.draw(3, end, "found", "-- A and B, in order");

    let (path, svg) = (root().join("docs/reader.svg"), picture.svg());
    if is_writing() {
        fs::write(path, svg).expect("a picture");
    } else {
        assert_eq!(fs::read_to_string(path).expect("a picture"), svg, "see COMB_WRITE");
    }
}
