use pgrx::prelude::*;

#[pg_test(schema = "tests")]
fn public_ids_read_as_their_moments() {
    let mut read = 0;
    for line in include_str!("vectors.csv").lines().filter(|line| line.starts_with("uuidv")) {
        let columns: Vec<&str> = line.splitn(4, ',').collect();
        let same = Spi::get_one::<bool>(&format!(
            "SELECT comb_timestamp('{}') = timestamptz '{}Z'",
            columns[1], columns[2]
        ));
        assert_eq!(same, Ok(Some(true)), "{line}");
        read += 1;
    }
    assert_eq!(read, 6);
}

#[pg_test(schema = "tests")]
fn random_uuids_have_no_moment() {
    let read = Spi::get_one::<i64>(
        "SELECT count(comb_timestamp(gen_random_uuid())) FROM generate_series(1, 10000)",
    );
    assert_eq!(read, Ok(Some(0)));
}
