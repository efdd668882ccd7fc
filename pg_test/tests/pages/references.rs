//! What comments and pages name exists: files and folders of the repository, headings of pages, functions and settings.

use std::collections::BTreeSet;
use std::fs;

use pg_test::pages::Page;
use pg_test::{files_below, root};

/// The folders with texts of ours.
const FOLDERS: [&str; 11] =
    [".ci", "bench", "crates", "docs", "examples", "packaging", "pg_test", "portable", "sql", "src", "tools"];
/// Those of tests, which pages name without the rest of their paths.
const TESTS: [&str; 7] = ["companions/", "connections/", "examples/", "faults/", "pages/", "portable/", "upgrade/"];
/// How names of files end that mean files of this repository.
const ENDS: [&str; 9] = [".rs", ".md", ".sh", ".py", ".toml", ".txt", ".csv", ".patch", ".yml"];
/// They have names of other versions.
const EXEMPT: [&str; 4] = ["CHANGELOG.md", "sql/comb--", "bench/published/", "packaging/debian/changelog"];
/// A site, files of other projects, and those that the benchmark and `make release` create.
const OF_OTHERS: [&str; 6] =
    ["rustup.rs", "manage.py", "SECURITY-INSIGHTS.yml", "profiles/full.txt", "bench/results/", "notes.md"];

/// What exists.
struct Repository {
    /// The paths of all files.
    files: Vec<String>,
    /// The names of functions and settings.
    names: BTreeSet<String>,
}

impl Repository {
    fn read() -> Self {
        let top = fs::read_dir(root()).expect("the repository").map(|entry| entry.expect("a file").path());
        let paths = top.filter(|path| path.is_file()).chain(FOLDERS.iter().flat_map(|folder| files_below(&root().join(folder))));
        let in_repository = |path: std::path::PathBuf| path.strip_prefix(root()).expect("a path").to_str().map(str::to_owned);
        let files: Vec<_> = paths.filter_map(in_repository).collect();
        let is_code = |path: &&String| path.starts_with("sql/") || path.starts_with("src/") || path.starts_with("portable/");
        let code: String = files.iter().filter(is_code).filter_map(|path| fs::read_to_string(root().join(path)).ok()).collect();
        let code = code.lines().filter(|line| !line.trim_start().starts_with(['-', '/'])).collect::<Vec<_>>().join("\n");
        Self { files, names: names(&code) }
    }

    /// Whether there is such a file or folder: its path in the repository, or the end of it.
    fn has(&self, name: &str) -> bool {
        let name = name.trim_end_matches('/');
        let (end, inside) = (format!("/{name}"), format!("/{name}/"));
        self.files
            .iter()
            .map(|path| format!("/{path}"))
            .any(|path| path.ends_with(&end) || path.ends_with(&format!("{end}.rs")) || path.contains(&inside))
    }

    /// What a line of a comment or of a page names that does not exist.
    fn missing(&self, line: &str) -> Vec<String> {
        let words = line.split(|c: char| c.is_whitespace() || "()[]\"'`;:|=<>".contains(c));
        let files = words.map(|word| word.trim_end_matches(['.', ','])).filter(|word| is_path(word));
        let files = files.flat_map(alternatives).filter(|name| !self.has(name));
        let names = names(line).into_iter().filter(|name| !self.names.contains(name));
        files.chain(names).chain(missing_heading(line)).collect()
    }
}

/// Whether a word is the name of a file or folder. One with a variable part is not.
fn is_path(word: &str) -> bool {
    // A test of links checks `../`.
    let is_other = OF_OTHERS.contains(&word) || word.starts_with(['.', '/']) && !word.starts_with(".ci");
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "._-/{},".contains(c)) && !word.contains("--") && !is_other;
    let is_variable = word.split(['/', '.', '_']).any(|part| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase()));
    let is_module = !word.contains('.') && (word.ends_with("_tests") || word.ends_with("_model"));
    let is_file = is_module || ENDS.iter().any(|end| word.len() > end.len() && word.ends_with(end));
    let is_folder = word.split_once('/').is_some_and(|(first, _)| FOLDERS.contains(&first))
        || TESTS.iter().any(|tests| word.len() > tests.len() && word.starts_with(tests));
    let is_page = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].iter().any(|page| word.ends_with(page));
    plain && (is_page || (is_file || is_folder) && !is_variable)
}

/// `a/{b,c}` is `a/b` and `a/c`.
fn alternatives(word: &str) -> Vec<String> {
    let parts = word.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        Some((before, (inside, after))) => inside.split(',').map(|part| format!("{before}{part}{after}")).collect(),
        None => vec![word.to_owned()],
    }
}

/// The functions `comb_name(` and the settings `comb.name` in a text.
fn names(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut names = BTreeSet::new();
    for (at, start) in [(text, "comb_"), (text, "comb.")].iter().flat_map(|(text, start)| text.match_indices(start)) {
        let rest = &text[at..];
        let name = rest.split(|c| !is_part(c)).next().unwrap_or_default().trim_end_matches('.');
        let is_word = !text[..at].ends_with(|c: char| is_part(c) || "/$-".contains(c));
        let is_function = start == "comb_" && !name.contains('.') && rest[name.len()..].starts_with('(');
        let is_setting = start == "comb."
            && name != "comb.control"
            && name.chars().all(|c| c.is_ascii_lowercase() || "_.".contains(c))
            && name.len() > 8;
        if is_word && (is_function || is_setting) {
            names.insert(name.to_owned());
        }
    }
    names
}

/// `docs/page.md, "Heading"` and `docs/page.md, Heading.`: the heading, if the page does not have it.
fn missing_heading(line: &str) -> Option<String> {
    let (before, after) = line.split_once(".md, ")?;
    let path = format!("{}.md", before.rsplit([' ', '`', '(']).next()?);
    let heading = match after.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => after.split(['.', ',', ':', ')']).next().filter(|heading| heading.starts_with(|c: char| c.is_uppercase()))?,
    };
    let page = root().join(&path).exists().then(|| Page::read(&path))?;
    let has = page.prose().any(|(_, line)| line.starts_with('#') && line.trim_start_matches('#').trim() == heading);
    (!has).then(|| format!("{path}, {heading}"))
}

/// The comments of a source, and the lines of a page outside of its blocks.
fn comments(path: &str) -> Vec<(usize, String)> {
    let text = fs::read_to_string(root().join(path)).unwrap_or_default();
    let mark = match path.rsplit('.').next() {
        Some("md") => return Page::read(path).prose().map(|(line, text)| (line, text.to_owned())).collect(),
        Some("rs") => "//",
        Some("sql") => "--",
        Some("c") => "*",
        Some("sh" | "py" | "toml" | "yml") => "#",
        _ if path.ends_with("Makefile") || path.ends_with("rules") => "#",
        _ => return Vec::new(),
    };
    let comment = |line: &str| {
        let is_code =
            |before: &str| before.ends_with([':', '"', '\'']) || mark == "#" && before.ends_with(|c: char| !c.is_whitespace());
        line.split_once(mark).filter(|(before, _)| !is_code(before)).map(|(_, after)| after.to_owned())
    };
    text.lines().enumerate().filter_map(|(number, line)| Some((number + 1, comment(line)?))).collect()
}

#[test]
fn comments_and_pages_name_what_exists() {
    let repository = Repository::read();
    let mut dead = String::new();
    let is_ours = |path: &&String| !EXEMPT.iter().any(|start| path.starts_with(start)) && !path.ends_with("pages/references.rs");
    for path in repository.files.iter().filter(is_ours) {
        for (line, text) in comments(path) {
            for name in repository.missing(&text) {
                dead += &format!("{path}:{line}: {name}\n");
            }
        }
    }
    assert_eq!(dead, "");
}

#[test]
fn a_dead_reference_is_found() {
    let repository = Repository::read();
    for (line, name) in [
        ("docs/desing.md tells why.", Some("docs/desing.md")),
        ("As docs/design.md, \"The clock\", tells.", None),
        ("As docs/design.md, \"The clock line\", tells.", Some("docs/design.md, The clock line")),
        ("Of what a value means: docs/production.md, Monitored.", Some("docs/production.md, Monitored")),
        ("What floors.rs says.", Some("floors.rs")),
        ("What PostgreSQL's uuid.c says of comb--OLD--NEW.sql, in README.md.", None),
        ("`faults/{order,clocks}`", Some("faults/clocks")),
        ("`comb-horizon`: `table_model`", None),
        ("`comb-horizon`: `lock_model`", Some("lock_model")),
        ("Call comb_new(), or comb_newer().", Some("comb_newer")),
        ("It is comb.scope, and not comb.scopes.", Some("comb.scopes")),
    ] {
        assert_eq!(repository.missing(line), name.into_iter().collect::<Vec<_>>(), "{line}");
    }
}
