use super::*;

#[test]
fn unix_time_becomes_ticks() {
    assert_eq!(tick_of_seconds(0, 0), Some(0));
    assert_eq!(tick_of_seconds(1, 0), Some(65_536_000));
    assert_eq!(tick_of_seconds(1, 1_000_000), Some(65_536_000 + 65_536));
    assert_eq!(tick_of_seconds(0, 999_999_999), Some(65_535_999));
    // PostgreSQL 18's uuidv7() keeps 12 bits of the fraction, cut off: ours are its continuation.
    let ns = 123_456;
    assert_eq!(tick_of_seconds(0, ns).unwrap() >> 4, u64::from(ns) * 4096 / 1_000_000);
}

#[test]
fn ticks_become_microseconds() {
    assert_eq!(micros_of_clock(0), 0);
    assert_eq!(micros_of_clock(65_536_000), 1_000_000);
    assert_eq!(micros_of_clock(u64::MAX), 281_474_976_710_655_999);
}

#[test]
fn a_clock_ends_a_thousand_years_before_64_bits_do() {
    assert_eq!(micros_of_clock(LAST_TICK), 249_852_576_710_655_999);
    assert_eq!(LAST_SECOND, 249_852_576_709);
}

#[test]
fn a_clock_before_1970_or_beyond_the_last_tick_is_refused() {
    assert_eq!(tick_of_seconds(-1, 999_999_999), None);
    assert_eq!(tick_of_seconds(i64::MIN, 0), None);
    let last = LAST_SECOND as i64;
    assert!(tick_of_seconds(last, 999_999_999).is_some());
    assert_eq!(tick_of_seconds(last + 1, 0), None);
    assert_eq!(tick_of_seconds(i64::MAX, 0), None);
}
