//! The documentation: its SQL runs, its links lead somewhere, and it has the names and the code of the sources.
//!
//! Each page runs from top to bottom, by the role app in its own new database shop. app is no superuser. The extension
//! exists, unless the page creates it. Blocks begin with one of
//!
//! ```text
//! ```sql                   must not fail
//! ```sql superuser         the same, by a superuser in the same database
//! ```sql error [SQLSTATE]  one statement, which must fail, with that SQLSTATE; `superuser` may follow
//! ```sql norun             does not run: it restarts something, or needs programs that tests do not have
//! ```LANGUAGE EXAMPLE:PART the code between "comb: PART" and "end" in examples/EXAMPLE
//! ```
//!
//! `COMB_PAGES=docs/tutorial.md cargo test -p pg_test --test pages sql -- --nocapture` runs some pages and shows the
//! output of psql. `COMB_WRITE=1 cargo test -p pg_test --test pages examples` writes the code of the examples into the pages.

mod generators;
mod layouts;
mod references;

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use pg_test::pages::{Block, Page, documentation};
use pg_test::{Server, Sharing, files_below, installation, is_writing, root, say};

/// What runs at the end of a block that must fail, by the name of its file.
const MUST_FAIL: &str = "must_fail.sql";
const HAS_FAILED: &str = r"
SELECT :'ERROR' AND :'wanted' IN ('any', :'SQLSTATE') AS has_failed \gset
\set ON_ERROR_STOP on
\if :has_failed
\else
    \warn :page must fail with SQLSTATE :wanted
    SELECT 1 / 0;
\endif
";

// --- SQL ----------------------------------------------------------------------------------------------------------------

/// The page as a psql script, line for line, so that the messages of psql have the numbers of the page's lines.
fn script(page: &Page) -> String {
    let mut lines = vec![String::new(); page.text.lines().count()];
    for block in page.blocks.iter().filter(|block| block.language == "sql") {
        let place = format!("{}:{}", page.path, block.line);
        let has = |word: &str| block.words.iter().any(|it| it == word);
        for word in &block.words {
            let known = ["superuser", "error", "norun"].contains(&word.as_str()) || word.contains(':');
            assert!(known || has("error") && word.len() == 5, "{place}: unknown word: {word}");
        }
        if has("norun") {
            continue;
        }
        let (mut before, mut after) = ("\\set ON_ERROR_STOP on".to_owned(), String::new());
        if has("error") {
            let statements = block.text.lines().filter(|line| code(line).ends_with(';')).count();
            assert_eq!(statements, 1, "{place}: a block that must fail has one statement");
            let state = block.words.iter().find(|word| word.len() == 5 && *word != "error");
            let state = state.map_or("any", String::as_str);
            before = "\\set ON_ERROR_STOP off".to_owned();
            after = format!("\\set page {place} \\\\ \\set wanted {state} \\\\ \\i {MUST_FAIL}");
        }
        if has("superuser") {
            before = format!("\\connect - postgres \\\\ {before}");
            after += if after.is_empty() { "\\connect - app" } else { " \\\\ \\connect - app" };
        }
        lines[block.line - 1] = before;
        for (line, text) in lines[block.line..].iter_mut().zip(block.text.lines()) {
            text.clone_into(line);
        }
        lines[block.line + block.text.lines().count()] = after;
    }
    lines.join("\n")
}

/// A line of SQL without its comment.
fn code(line: &str) -> &str {
    line.split("--").next().unwrap_or_default().trim_end()
}

#[test]
fn sql_runs() {
    let chosen = std::env::var("COMB_PAGES").ok();
    let mut server = Server::create(Sharing::Attached, &[]);
    server.up();
    server.execute("CREATE ROLE app LOGIN");
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join(MUST_FAIL), HAS_FAILED).expect("a file");
    symlink(root().join("portable"), directory.path().join("portable")).expect("a link");
    for page in documentation() {
        let is_chosen = |pages: &String| pages.split(' ').any(|path| path == page.path);
        if !chosen.as_ref().is_none_or(is_chosen) {
            continue;
        }
        for statement in ["DROP DATABASE IF EXISTS shop", "CREATE DATABASE shop OWNER app"] {
            server.execute(statement);
        }
        let script = script(&page);
        if !script.contains("CREATE EXTENSION comb") {
            server.psql().args(["-U", "app", "-d", "shop", "-c", "CREATE EXTENSION comb"]).status().expect("psql");
        }
        // Under the name of the page, which psql shows with each error.
        let path = directory.path().join(&page.path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, script).expect("a file");
        let mut psql = Command::new(installation().bin.join("psql"));
        psql.arg(if chosen.is_some() { "--echo-queries" } else { "-q" });
        psql.args(["-X", "-P", "pager=off", "-U", "app", "-d", "shop", "-h"]).arg(server.work());
        let output = psql.args(["-f", &page.path]).current_dir(directory.path()).output().expect("psql");
        let [shown, errors] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        let tail = errors.lines().rev().take(20).collect::<Vec<_>>().join("\n");
        assert!(output.status.success(), "{}: the last messages of psql, newest first:\n{tail}", page.path);
        if chosen.is_some() {
            println!("{shown}{errors}");
        }
    }
}

/// Support functions go by the names of their operators and classes.
#[test]
fn the_reference_names_everything() {
    let server = Server::start(Sharing::Attached, &[]);
    let reference = Page::read("docs/reference.md");
    let names = server
        .connect()
        .query(
            "SELECT DISTINCT CASE classid
                 WHEN 'pg_proc'::regclass THEN (SELECT proname || '(' FROM pg_proc WHERE oid = objid)
                 WHEN 'pg_operator'::regclass THEN (SELECT '`' || oprname || '`' FROM pg_operator WHERE oid = objid)
                 WHEN 'pg_type'::regclass THEN (SELECT typname::text FROM pg_type WHERE oid = objid AND typelem = 0)
                 WHEN 'pg_opclass'::regclass THEN (SELECT opcname::text FROM pg_opclass WHERE oid = objid)
             END
             FROM pg_depend
             WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'comb')
             AND NOT (classid = 'pg_proc'::regclass
                      AND objid IN (SELECT oid FROM pg_proc WHERE proname LIKE 'uniqueidentifier%'))
             UNION SELECT name FROM pg_settings, comb_status() WHERE name LIKE 'comb.%'
             EXCEPT SELECT NULL",
            &[],
        )
        .expect("names");
    let names = names.iter().map(|row| row.get(0));
    let missing: Vec<String> = names.filter(|name: &String| !reference.text.contains(name)).collect();
    assert_eq!(missing, Vec::<String>::new());
}

// --- Links and tables -----------------------------------------------------------------------------------------------------

/// All pages of the repository.
fn pages() -> Vec<Page> {
    let mut pages = documentation();
    let examples = fs::read_dir(root().join("examples")).expect("examples/").flatten();
    let mut paths: Vec<_> = examples.map(|entry| format!("examples/{}/README.md", entry.file_name().display())).collect();
    paths.extend(["CHANGELOG", "CONTRIBUTING", "SECURITY", "bench/README", "examples/README"].map(|name| format!("{name}.md")));
    pages.extend(paths.iter().filter(|path| root().join(path).exists()).map(|path| Page::read(path)));
    pages
}

#[test]
fn links_lead_somewhere() {
    let mut broken = String::new();
    for page in pages() {
        for (line, text) in page.prose() {
            for link in text.split("](").skip(1).filter_map(|link| link.split(')').next()) {
                if link.starts_with("http") {
                    continue;
                }
                let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
                let path = Path::new(&page.path);
                let path = if file.is_empty() { path.into() } else { path.with_file_name("").join(file) };
                let exists = root().join(&path).exists();
                let path = path.to_str().expect("UTF-8");
                if !exists || !anchor.is_empty() && !Page::read(path).anchors().iter().any(|it| it == anchor) {
                    writeln!(broken, "{}:{line}: {link}", page.path).expect("a string");
                }
            }
        }
    }
    assert_eq!(broken, "");
}

#[test]
fn tables_have_headers() {
    let mut wrong = String::new();
    for page in pages() {
        let lines: Vec<_> = page.prose().collect();
        for pair in lines.windows(2) {
            let [(line, header), (_, rule)] = pair else { unreachable!("a window of two") };
            let is_rule = rule.starts_with('|') && rule.chars().all(|c| "|-: ".contains(c));
            let cells = header.trim_matches('|').split('|');
            if is_rule && header.starts_with('|') && cells.map(str::trim).any(str::is_empty) {
                writeln!(wrong, "{}:{line}: {header}", page.path).expect("a string");
            }
        }
    }
    assert_eq!(wrong, "");
}

// --- Examples --------------------------------------------------------------------------------------------------------------

/// The part of an example: the lines between "comb: PART" and "end" in comments of its files, without their common
/// indentation. Parts of the same name are joined by an empty line.
fn part(example: &str, name: &str) -> String {
    let comment = |line: &str| {
        let line = line.trim_start();
        let text = ["//", "--", "#", ";"].iter().find_map(|start| line.strip_prefix(start));
        text.map(|text| text.trim().to_owned())
    };
    let mut parts = Vec::new();
    for file in files_below(&root().join("examples").join(example)) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let mut open: Option<Vec<&str>> = None;
        for line in text.lines() {
            let words = comment(line);
            match &mut open {
                Some(lines) if words.as_deref() == Some("end") => {
                    parts.push(unindented(lines));
                    open = None;
                }
                Some(lines) => lines.push(line),
                None => {
                    let begin = words.as_deref().and_then(|words| words.strip_prefix("comb: "));
                    if begin.and_then(|words| words.split(' ').next()) == Some(name) {
                        open = Some(Vec::new());
                    }
                }
            }
        }
        assert!(open.is_none(), "{}: 'comb: {name}' has no end", file.display());
    }
    assert!(!parts.is_empty(), "examples/{example} has no part 'comb: {name}'");
    parts.join("\n")
}

fn unindented(lines: &[&str]) -> String {
    let is_empty = |line: &&str| line.trim().is_empty();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let least = lines.iter().filter(|line| !is_empty(line)).map(indent).min().unwrap_or(0);
    let first = lines.iter().take_while(|line| is_empty(line)).count();
    let last = lines.len() - lines.iter().rev().take_while(|line| is_empty(line)).count();
    let lines = lines[first..last].iter().map(|line| line.get(least..).unwrap_or_default());
    lines.map(|line| format!("{line}\n")).collect()
}

/// The page with the code that the examples have now. A line `<!-- code: OLD -> NEW -->` replaces OLD below it: an example
/// does the same for several tables, and its page shows one of them.
fn with_code(page: &Page) -> String {
    let mut text = String::new();
    let mut replacements: Vec<(&str, &str)> = Vec::new();
    let mut blocks = page.blocks.iter().peekable();
    let mut lines = page.text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        text += line;
        text.push('\n');
        let change = line.strip_prefix("<!-- code: ").and_then(|line| line.strip_suffix(" -->"));
        if let Some((old, new)) = change.and_then(|change| change.split_once(" -> ")) {
            replacements.retain(|(known, _)| *known != old);
            replacements.push((old, new));
        }
        let Some(block) = blocks.next_if(|block| block.line == number + 1) else { continue };
        let code = match shown(page, block) {
            Some(code) => replacements.iter().fold(code, |code, (old, new)| code.replace(old, new)),
            None => block.text.clone(),
        };
        text += &code;
        lines.by_ref().take(block.text.lines().count()).for_each(drop);
    }
    text
}

/// The code of an example that a block shows. `None` for SQL, output, and commands.
fn shown(page: &Page, block: &Block) -> Option<String> {
    if let Some((example, name)) = block.words.iter().find_map(|word| word.split_once(':')) {
        return Some(part(example, name));
    }
    let language = block.language.as_str();
    assert!(["", "sql", "sh", "dockerfile"].contains(&language), "{}:{}: code of no example", page.path, block.line);
    None
}

#[test]
fn the_pages_show_the_code_of_the_examples() {
    for page in ["docs/clients.md", "docs/dotnet.md", "docs/tools.md"].map(Page::read) {
        let text = with_code(&page);
        if is_writing() {
            fs::write(root().join(&page.path), text).expect("a page");
        } else {
            let mut lines = text.lines().zip(page.text.lines()).enumerate();
            let other = lines.find(|(_, (now, shown))| now != shown);
            assert!(text == page.text, "{}: shows other code than examples/: {other:?}; see COMB_WRITE", page.path);
        }
    }
}

/// Less is better: a reader finds what few pages say.
#[test]
fn the_pages_are_short() {
    // The first one does not block a fix.
    let (wanted, limit) = (23_500, 30_000);
    let words: usize = pages().iter().map(|page| page.text.split_whitespace().count()).sum();
    if words > wanted {
        say(&format!("Warning: all pages together have {words} words, more than {wanted}: shorten others"));
    }
    assert!(words <= limit, "all pages together have {words} words, more than {limit}");
}
