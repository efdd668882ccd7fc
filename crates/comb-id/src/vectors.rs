//! UUIDs from public sources and the times that they carry, for the tests.

use proptest::prelude::*;
use uuid::Uuid;

/// Miri is slow: with it, a test takes one of this many steps.
pub const STRIDE: usize = if cfg!(miri) { 1000 } else { 1 };

pub struct Vector {
    pub layout: &'static str,
    pub id: &'static str,
    /// Microseconds since the Unix epoch.
    pub micros: i64,
}

impl Vector {
    pub fn uuid(&self) -> Uuid {
        uuid(self.id)
    }
}

pub fn uuid(id: &str) -> Uuid {
    id.parse().expect("a UUID")
}

/// Any UUID.
pub fn ids() -> impl Strategy<Value = Uuid> {
    any::<u128>().prop_map(Uuid::from_u128)
}

/// Microseconds since the Unix epoch of a time in UTC.
pub fn micros(utc: &str) -> i64 {
    let time: jiff::civil::DateTime = utc.parse().expect("a time");
    time.to_zoned(jiff::tz::TimeZone::UTC).expect("a time").timestamp().as_microsecond()
}

/// Without those of no time, which the tests of SQL read.
pub fn vectors() -> impl Iterator<Item = Vector> {
    include_str!("../../../pg_test/vectors.csv").lines().skip(1).filter(|line| !line.starts_with("none,")).map(|line| {
        let mut columns = line.splitn(4, ',');
        let mut column = || columns.next().expect("four columns");
        Vector { layout: column(), id: column(), micros: micros(column()) }
    })
}
