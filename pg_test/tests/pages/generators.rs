//! The table of generators: each row has a layout that reads a key of that generator.

use pg_test::pages::Page;
use pg_test::{Server, Sharing, value};

/// A key of each row, by a part of its first cell, and the time that the key has. The keys are those of vectors.csv.
const KEYS: [(&str, &str, &str); 14] = [
    ("NEWSEQUENTIALID()", "63dd0ad3-a111-dd11-b2eb-005056ae063c", "2008-04-24 01:57:41.909437"),
    ("`Provider.Sql`", "d01c25cc-63a7-47cc-b5ba-018e5f3bff48", "2024-03-21 04:19:11.304"),
    ("`Provider.Legacy`", "e25afe33-db2d-4502-9bf0-919001862cc4", "2002-01-10 23:40:35"),
    ("NHibernate", "076a04fa-ef4e-4093-8479-b0e10103cdc5", "2023-12-23 15:45:55.003334"),
    ("`Provider.PostgreSql`", "017c5af4-2617-4ae0-98f0-98086eef50ca", "2021-10-07 13:32:02.455"),
    ("`Provider.Oracle`", "3b5f8e01-48ff-4987-bff0-ef42adafcbd1", "2024-03-21 04:19:11.304"),
    ("SequentialGuidValueGenerator", "a34e3306-4ca0-4883-8df1-08df4bce0400", "2026-11-26 15:00:31.239115"),
    ("NewId.NextGuid", "2c3d0000-0a1b-d60e-bf48-08df4bce03e9", "2026-11-26 15:00:31.089645"),
    ("NewId.NextSequentialGuid", "08df4bce-03b0-65c6-d60e-0a1b2c3d0000", "2026-11-26 15:00:30.713799"),
    ("SequentialAtEnd", "a47ec5e3-8d62-4cc1-e132-39babcb4e47a", "2012-06-02 00:11:11.866"),
    ("SequentialAsString", "39babcb4-e446-4ed5-4012-2e27653a9d13", "2012-06-02 00:11:11.814"),
    ("SequentialAsBinary", "b4bcba39-58eb-47ce-8890-71e7867d67a5", "2012-06-02 00:11:13.624"),
    ("UUIDNext for SQL Server", "45f98020-66e7-871d-9641-0170e4be4d77", "2020-03-16 19:07:21.847"),
    ("CreateVersion7", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "2022-02-22 19:22:22"),
];

#[test]
fn each_generator_has_the_layout_of_its_keys() {
    let server = Server::start(Sharing::Attached, &[]);
    let mut client = server.connect();
    let page = Page::read("docs/sql-server.md");
    let rows = page.text.lines().skip_while(|line| *line != "## Find your generator").skip(4);
    let rows: Vec<_> = rows.take_while(|line| line.starts_with('|')).collect();
    let mut read = 0;
    for row in &rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        if cells[1] == "none" {
            continue;
        }
        let layout = cells[1].trim_matches('`');
        let found: Vec<_> = KEYS.iter().filter(|(part, ..)| cells[0].contains(part)).collect();
        let [(_, key, time)] = found[..] else { panic!("{row}: {found:?}") };
        let query = format!(
            "SELECT date_trunc('milliseconds', comb_timestamp('{key}', '{layout}')) = date_trunc('milliseconds', '{time}Z'::timestamptz)"
        );
        assert!(value::<bool>(&mut client, &query), "{row}");
        read += 1;
    }
    assert_eq!((read, rows.len()), (KEYS.len(), KEYS.len() + 1));
}
