//! The functions in src/functions/ have the parameters, the results and the STRICT of their declarations in sql/.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A function: the types of its parameters and of its result, and whether it is called with NULLs.
#[derive(Debug, PartialEq)]
struct Signature {
    parameters: Vec<String>,
    result: String,
    takes_nulls: bool,
}

/// The texts of the files of a directory and of those below it whose names end so.
fn texts(directory: &Path, end: &str) -> Vec<String> {
    let mut paths: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let texts = paths.iter().flat_map(|path| match path.is_dir() {
        true => texts(path, end),
        false if path.to_str().unwrap().ends_with(end) => vec![fs::read_to_string(path).unwrap()],
        false => vec![],
    });
    texts.collect()
}

/// The parts between commas that are in no brackets.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut parts, mut begin) = (0, Vec::new(), 0);
    for (index, character) in list.char_indices() {
        match character {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[begin..index].trim());
                begin = index + 1;
            }
            _ => {}
        }
    }
    parts.push(list[begin..].trim());
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// What is between the bracket that a text begins with and its end, and what follows.
fn in_brackets(text: &str) -> (&str, &str) {
    let mut depth = 0;
    let end = text.find(|character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        depth == 0
    });
    (&text[1..end.unwrap()], &text[end.unwrap() + 1..])
}

/// The type in SQL of a type in Rust, without `Option`.
fn sql_type(rust: &str) -> &str {
    let rust = rust.strip_prefix("Result<").map_or(rust, |inner| parts(inner)[0]);
    let rust = rust.strip_prefix("Option<").map_or(rust, |inner| inner.strip_suffix('>').unwrap_or(inner));
    match rust.trim_start_matches(['&', ' ']).trim_start_matches("'a ").trim_start_matches("'static ") {
        "Uuid" => "uuid",
        "Layout" | "Format" | "[u8]" | "Text" => "text",
        "TimestampTz" => "timestamptz",
        "pg_sys::Interval" | "Interval" => "interval",
        "Oid" => "regclass",
        "bool" => "boolean",
        "i32" => "integer",
        "i64" => "bigint",
        "f64" => "float8",
        "Datum" | "Rows" => "any",
        pointer if pointer.starts_with("*mut ") => "internal",
        other => panic!("{other} has no type in SQL"),
    }
}

/// The functions of the list of each `export!`, by their names in SQL.
fn exported() -> BTreeMap<String, Signature> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = texts(&root.join("src"), ".rs");
    let own = sources.len();
    sources.extend(texts(&root.join("crates/comb-id/src"), ".rs"));
    let mut exported = BTreeMap::new();
    for index in 0..own {
        for list in sources[index].split("\nexport!").skip(1) {
            let (list, _) = in_brackets(list);
            let lines = list.lines().map(|line| line.split("//").next().unwrap());
            for entry in parts(&lines.collect::<String>()) {
                let (name, function) = entry.split_once(" = ").unwrap_or((entry, entry));
                let function = function.split("::<").next().unwrap().rsplit("::").next().unwrap();
                let begins = [format!("fn {function}("), format!("fn {function}<")];
                let mut places = [index].into_iter().chain(0..sources.len());
                let declaration = places.find_map(|place| {
                    let text = &sources[place];
                    begins.iter().find_map(|begin| text.find(begin.as_str())).map(|at| &text[at..])
                });
                let declaration = declaration.unwrap_or_else(|| panic!("{function} is not in the sources"));
                let (parameters, rest) = in_brackets(&declaration[declaration.find('(').unwrap()..]);
                let parameters = parts(parameters).into_iter().map(|parameter| parameter.split_once(": ").unwrap().1);
                let parameters: Vec<_> = parameters.filter(|parameter| *parameter != "Call").collect();
                let result = rest[..rest.find('{').unwrap()].trim().trim_start_matches("-> ");
                let signature = Signature {
                    takes_nulls: parameters.iter().any(|parameter| parameter.starts_with("Option<")),
                    parameters: parameters.into_iter().map(|parameter| sql_type(parameter).to_owned()).collect(),
                    result: sql_type(result).to_owned(),
                };
                assert!(exported.insert(name.to_owned(), signature).is_none(), "{name} is exported twice");
            }
        }
    }
    exported
}

/// The functions in C of the chapters, with the symbol of each.
fn declared() -> Vec<(String, String, Signature)> {
    let chapters = texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sql"), ".sql");
    let chapters = chapters.iter().filter(|text| !text.contains("\\quit"));
    let mut declared = Vec::new();
    for statement in chapters.flat_map(|text| text.split("CREATE FUNCTION ").skip(1)) {
        let (name, rest) = statement.split_at(statement.find('(').unwrap());
        let (arguments, rest) = in_brackets(rest);
        let rest = &rest[..rest.find(';').unwrap()];
        let Some((_, symbol)) = rest.split_once("'MODULE_PATHNAME', '") else { continue };
        let arguments = parts(arguments).into_iter().filter(|argument| !argument.starts_with("OUT "));
        let types = arguments.map(|argument| argument.split(" DEFAULT ").next().unwrap().rsplit(' ').next().unwrap());
        let same = |name: &str| {
            let ours = [("uniqueidentifier", "uuid"), ("oid", "regclass")].into_iter().find(|(theirs, _)| *theirs == name);
            ours.map_or(name, |(_, ours)| ours).to_owned()
        };
        let result = rest.trim_start().strip_prefix("RETURNS ").unwrap().split_whitespace().next().unwrap();
        let parameters: Vec<_> = types.map(same).collect();
        let signature = Signature {
            takes_nulls: !parameters.is_empty() && !rest.contains(" STRICT "),
            parameters,
            result: match result {
                "record" | "trigger" | "TABLE" | "TABLE(" | "SETOF" | "internal" | "jsonb" | "void" => "any".to_owned(),
                result => same(result),
            },
        };
        declared.push((name.to_owned(), symbol.trim_end_matches('\'').to_owned(), signature));
    }
    declared
}

#[test]
fn each_function_has_the_types_of_its_declaration() {
    let (exported, declared) = (exported(), declared());
    assert!(declared.len() > 60 && exported.len() > 50, "{} and {}", declared.len(), exported.len());
    for (name, symbol, signature) in &declared {
        let function = exported.get(symbol).unwrap_or_else(|| panic!("{name}: no function {symbol} is exported"));
        // A Datum is passed on to PostgreSQL. Arguments of type internal are passed by PostgreSQL alone.
        let fits = |(ours, theirs): (&String, &String)| ours == theirs || ours == "any" || theirs == "internal";
        assert!(
            function.parameters.len() == signature.parameters.len()
                && function.parameters.iter().zip(&signature.parameters).all(fits)
                && fits((&function.result, &signature.result))
                && function.takes_nulls == signature.takes_nulls,
            "{name}: {signature:?} in SQL, {function:?} in Rust"
        );
    }
}

#[test]
fn each_exported_function_is_declared_by_some_version() {
    let scripts = texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sql"), ".sql").concat();
    for symbol in exported().keys() {
        assert!(scripts.contains(&format!("'{symbol}'")), "no script declares {symbol}");
    }
}
