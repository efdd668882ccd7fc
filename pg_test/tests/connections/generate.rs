use super::common::{connect, major, value};

#[test]
fn comb_new_is_of_now() {
    let of_now: bool = value(
        &mut connect(),
        "SELECT comb_timestamp_micros(comb_new())
             BETWEEN before AND clock_timestamp() + interval '10 ms'
         FROM (SELECT clock_timestamp() AS before OFFSET 0) clock",
    );
    assert!(of_now);
}

/// A time may come from a column: the function is evaluated for each row.
#[test]
fn comb_at_keeps_the_microseconds() {
    let kept: bool = value(
        &mut connect(),
        "SELECT bool_and(comb_timestamp_micros(comb_at(at)) = at)
         FROM (SELECT timestamptz '2024-02-29 12:00:00Z' + n * interval '1 us' AS at
               FROM generate_series(0, 5000) n) moments",
    );
    assert!(kept);
}

/// PostgreSQL 17 reads versions by itself, 18 the timestamps of version 7 too.
#[test]
fn postgres_reads_comb_new() {
    let mut client = connect();
    let major = major(&mut client);
    if major >= 17 {
        let agrees: bool =
            value(&mut client, "SELECT bool_and(uuid_extract_version(comb_new()) = 7) FROM generate_series(1, 1000)");
        assert!(agrees);
    }
    if major >= 18 {
        let agrees: bool = value(
            &mut client,
            "SELECT bool_and(uuid_extract_timestamp(id) = comb_timestamp(id))
             FROM (SELECT comb_new() AS id FROM generate_series(1, 1000)) ids",
        );
        assert!(agrees);
    }
}

/// PostgreSQL 18 writes the same fraction of the millisecond.
#[test]
fn comb_reads_uuidv7() {
    let mut client = connect();
    if major(&mut client) < 18 {
        return;
    }
    let agrees: bool = value(
        &mut client,
        "SELECT comb_timestamp(id) = uuid_extract_timestamp(id)
                AND comb_timestamp_micros(id) BETWEEN before AND clock_timestamp() + interval '10 ms'
         FROM (SELECT before, uuidv7() AS id
               FROM (SELECT clock_timestamp() AS before OFFSET 0) clock OFFSET 0) ids",
    );
    assert!(agrees);
}

#[test]
fn an_error_says_where_in_the_source_it_was_raised() {
    let refused = connect().query_one("SELECT comb_at('infinity')", &[]).unwrap_err();
    let error = refused.as_db_error().unwrap();
    assert_eq!((error.file(), error.line() > Some(0)), (Some("layout.rs"), true));
}
