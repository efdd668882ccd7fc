//! The exported functions have the parameters, the results and the STRICT of their declarations in sql/.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;
use crate::postgres::call::{ANY, Signature};

const EXPORTED: [&[(&str, Signature)]; 20] = [
    between::EXPORTED,
    bsv::EXPORTED,
    clock::EXPORTED,
    enable_polls::EXPORTED,
    execute::EXPORTED,
    first_last::EXPORTED,
    generate::EXPORTED,
    guard::EXPORTED,
    horizon::EXPORTED,
    layouts::EXPORTED,
    mssql_order::EXPORTED,
    partitions::EXPORTED,
    ranges::EXPORTED,
    read::EXPORTED,
    rewrite::EXPORTED,
    skip_support::EXPORTED,
    sort_support::EXPORTED,
    track::EXPORTED,
    ulid::EXPORTED,
    uniqueidentifier::EXPORTED,
];

/// The texts of sql/.
fn scripts() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let paths = fs::read_dir(directory).expect("sql/").map(|entry| entry.expect("a file").path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "sql"))
        .map(|path| fs::read_to_string(path).expect("UTF-8"))
        .collect()
}

/// The parts between commas that are in no brackets.
fn parts(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = list.split(|character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// What is between the bracket that a text begins with and its end, and what follows.
fn in_brackets(text: &str) -> (&str, &str) {
    let mut depth = 0;
    let end = text.find(|character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        depth == 0
    });
    let end = end.expect("a closing bracket");
    (&text[1..end], &text[end + 1..])
}

/// A function in C of a script: its name, its symbol, and its types.
#[derive(Debug)]
struct Declared {
    name: String,
    symbol: String,
    parameters: Vec<String>,
    result: String,
    takes_nulls: bool,
}

/// Those of the chapters.
fn declared() -> Vec<Declared> {
    let chapters = scripts().into_iter().filter(|text| !text.contains("\\quit")).collect::<String>();
    let same = |name: &str| name.replace("uniqueidentifier", "uuid");
    let mut declared = Vec::new();
    let functions = |text: &'_ str| text.strip_prefix("FUNCTION ").or(text.strip_prefix("PROCEDURE ")).map(str::to_owned);
    for statement in chapters.split("\nCREATE ").filter_map(functions) {
        let (name, rest) = statement.split_at(statement.find('(').expect("parameters"));
        let (arguments, rest) = in_brackets(rest);
        let rest = &rest[..rest.find(';').expect("an end")];
        let Some((_, symbol)) = rest.split_once("'MODULE_PATHNAME', '") else { continue };
        let arguments = parts(arguments).into_iter().filter(|argument| !argument.starts_with("OUT "));
        let types =
            arguments.map(|argument| argument.split(" DEFAULT ").next().and_then(|it| it.rsplit(' ').next()).expect("a type"));
        let parameters: Vec<_> = types.map(same).collect();
        // A procedure has none.
        let result = rest.trim_start().strip_prefix("RETURNS ").and_then(|rest| rest.split_whitespace().next()).unwrap_or("void");
        declared.push(Declared {
            name: name.to_owned(),
            symbol: symbol.trim_end_matches('\'').to_owned(),
            takes_nulls: !parameters.is_empty() && !rest.contains(" STRICT "),
            parameters,
            result: match result {
                "record" | "trigger" | "TABLE" | "TABLE(" | "SETOF" | "internal" | "jsonb" | "void" => ANY.to_owned(),
                result => same(result),
            },
        });
    }
    declared
}

#[test]
fn each_function_has_the_types_of_its_declaration() {
    let exported: BTreeMap<_, _> = EXPORTED.iter().copied().flatten().map(|(name, signature)| (*name, signature)).collect();
    let declared = declared();
    assert!(declared.len() > 60 && exported.len() > 50, "{} and {}", declared.len(), exported.len());
    for function in &declared {
        let Signature { parameters, result, takes_nulls } =
            exported.get(&*function.symbol).unwrap_or_else(|| panic!("no function is exported: {function:?}"));
        let parameters: Vec<_> = parameters.iter().copied().flatten().collect();
        // Arguments of type internal are passed by PostgreSQL alone.
        let fits = |ours: &str, theirs: &str| ours == theirs || ours == ANY || theirs == "internal";
        assert!(
            parameters.len() == function.parameters.len()
                && parameters.iter().zip(&function.parameters).all(|(ours, theirs)| fits(ours, theirs))
                && fits(result, &function.result)
                && *takes_nulls == function.takes_nulls,
            "{}: {function:?}, but in Rust {parameters:?}, {result}, NULL: {takes_nulls}",
            function.name
        );
    }
}

#[test]
fn each_exported_function_is_declared_by_some_version() {
    let scripts = scripts().concat();
    for (symbol, _) in EXPORTED.iter().copied().flatten() {
        assert!(scripts.contains(&format!("'{symbol}'")), "no script declares {symbol}");
    }
}
