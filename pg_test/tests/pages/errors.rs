//! The reference has the message of each `report!` of the sources.

use std::fs;

use pg_test::pages::Page;
use pg_test::{files_below, root};

/// The first string after each `report!(`.
fn messages(source: &str) -> Vec<String> {
    let calls = source.split("report!(").skip(1);
    let strings = calls.map(|call| call.split_once('"').expect("a message").1);
    let message = |string: &str| {
        let mut characters = string.chars();
        let mut message = String::new();
        while let Some(character) = characters.next().filter(|&character| character != '"') {
            message.extend(if character == '\\' { characters.next() } else { Some(character) });
        }
        message
    };
    strings.map(message).collect()
}

#[test]
fn each_error_is_listed() {
    let reference = Page::read("docs/reference.md").text;
    let mut missing = Vec::new();
    for path in files_below(&root().join("src")) {
        for message in messages(&fs::read_to_string(&path).expect("a source")) {
            // The text around arguments, up to a colon: the reference leaves out the explanation that follows.
            let text = message.split(':').next().unwrap_or_default();
            let mut parts = text.split(['{', '}']).step_by(2).map(str::trim);
            if !parts.all(|part| reference.contains(part)) {
                missing.push(format!("{}: {message}", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "docs/reference.md does not have:\n{}", missing.join("\n"));
}
