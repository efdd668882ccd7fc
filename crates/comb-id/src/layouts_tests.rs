use super::*;

#[test]
fn labels_are_found_from_what_people_write() {
    for (written, label) in [
        ("MSSQL", "mssql"),
        ("mssql-legacy", "mssql_legacy"),
        ("mssql_lagacy", "mssql_legacy"),
        ("UUIDv7 ", "uuidv7"),
        ("uuid7", "uuidv7"),
        ("v6", "uuidv6"),
        ("mysql", "mysql_ordered"),
        ("SequentialAtEnd", "sequential_at_end"),
        ("AsString", "sequential_as_string"),
        ("NewSequentialId()", "newsequentialid"),
        ("ULIDs", "ulid"),
        ("postgresql", "postgres"),
    ] {
        assert_eq!(nearest(written.as_bytes()).map(|layout| layout.label), Some(label), "{written}");
    }
    for written in [
        "",
        "guid",
        "comb",
        "x",
        "random",
        "sqlserver",
        "newid",
        "Laravel's way to write a UUID in order of time",
        "\u{e4}\u{f6}",
    ] {
        assert_eq!(nearest(written.as_bytes()).map(|layout| layout.label), None, "{written}");
    }
}

#[test]
fn each_label_is_the_nearest_of_itself() {
    for layout in &LAYOUTS {
        assert_eq!(nearest(layout.label.as_bytes()), Some(layout));
        assert_eq!(nearest(layout.label.to_uppercase().as_bytes()), Some(layout));
    }
}

/// The number of changes is a distance.
#[test]
fn distances_are_symmetric() {
    for (a, b, changes) in [("", "abc", 3), ("abc", "abc", 0), ("kitten", "sitting", 3), ("flaw", "lawn", 2)] {
        let [a, b] = [a, b].map(str::as_bytes);
        assert_eq!((distance(a, b), distance(b, a)), (changes, changes));
    }
}
