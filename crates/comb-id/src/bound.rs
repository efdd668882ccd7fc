//! Reads the times of a column that is partitioned by time: those of its keys and of the bounds of its
//! partitions. A key with a time sorts between the bounds of the times before and after it.

use uuid::{Builder, Uuid, Variant, Version};

use super::inspect::is_plausible;
use super::layouts::{MSSQL, UUIDV7};

/// The time of a version 7 key, or of a bound that pg_partman's `uuid7_time_encoder` writes (a time field and
/// zeros), in microseconds since the Unix epoch. `None` for any other uuid. The nil UUID has no time either,
/// since clients use it as a key that means "none".
///
/// Versions 6 and 1 have a time too, but do not sort by it among UUIDs of version 7.
pub fn micros(id: &Uuid) -> Option<i64> {
    match id.as_bytes() {
        [time @ .., 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] if *time != [0; 6] => UUIDV7.micros(
            &Builder::from_bytes(id.into_bytes()).with_version(Version::SortRand).with_variant(Variant::RFC4122).into_uuid(),
        ),
        _ => UUIDV7.micros(id),
    }
}

/// The time of a key of layout `mssql` or of a bound, in microseconds since the Unix epoch. A version 4 UUID
/// does not say whether it has a time. Therefore a key has one from 1990 to 2100 only, a bound in the whole range of
/// the layout. These years contain the times of 1.2% of random keys.
pub fn micros_mssql(id: &Uuid) -> Option<i64> {
    let micros = MSSQL.micros(id)?;
    (is_plausible(micros) || is_mssql_bound(id)).then_some(micros)
}

/// Whether all bits below the time field but those of the stamp are zero, and the UUID is not nil.
fn is_mssql_bound(id: &Uuid) -> bool {
    let mut bytes = id.into_bytes();
    if (bytes[6], bytes[8]) == (0x40, 0x80) {
        (bytes[6], bytes[8]) = (0, 0);
    }
    bytes[..10] == [0; 10] && !id.is_nil()
}

#[cfg(test)]
#[path = "bound_tests.rs"]
mod tests;
