//! What is installed makes no mistake on request, and pauses nowhere.

use std::fs;

use pg_test::{files_below, installation, mutants, root};

/// The names of mistakes in a source file.
fn mistakes(source: &str) -> impl Iterator<Item = String> {
    let places = ["is(\"", "early(\""].map(|call| source.split(call).skip(1));
    places.into_iter().flatten().filter_map(|place| Some(place.split_once('"')?.0.to_owned()))
}

#[test]
fn the_installed_library_has_no_mutation_points() {
    let sources = files_below(&root().join("src")).into_iter();
    let sources: Vec<_> = sources.map(|path| fs::read_to_string(path).expect("a source")).collect();
    let mistakes: Vec<_> = sources.iter().flat_map(|source| mistakes(source)).collect();
    println!("{mistakes:?}");
    assert!(mistakes.len() > 15);
    let installed = fs::read(installation().libraries.join("comb.so")).expect("the library");
    let [installed, mutants] = [installed.as_slice(), mutants()].map(String::from_utf8_lossy);
    for mistake in mistakes {
        assert!(mutants.contains(&mistake), "{mistake} is not in the mutants");
        assert!(!installed.contains(&mistake), "{mistake} is in the installed library");
    }
}
