//! Reads the time of a uuid whose version says that it has one: RFC 9562 versions 7, 6 and 1.

use uuid::{Uuid, Variant};

use super::layouts::{UUIDV1, UUIDV6, UUIDV7};

/// The version of a uuid with the variant of RFC 9562; `None` with any other variant.
#[inline(always)]
pub fn version(id: &Uuid) -> Option<usize> {
    (id.get_variant() == Variant::RFC4122).then(|| id.get_version_num())
}

/// The time of a version 7, 6 or 1 uuid, in microseconds since the Unix epoch; `None` for any other uuid.
/// Version 7 has whole milliseconds; versions 6 and 1 have units of 100 ns (section 5), which are cut off
/// to the microsecond.
#[inline(always)]
pub fn micros(id: &Uuid) -> Option<i64> {
    match version(id)? {
        7 => UUIDV7.micros(id),
        6 => UUIDV6.micros(id),
        1 => UUIDV1.micros(id),
        _ => None,
    }
}

/// The time of a version 7 uuid whose rand_a is the fraction of the millisecond in units of 1/4096 (section
/// 6.2, method 3); `None` for any other uuid. The result is the last microsecond of the unit: only this one is
/// the microsecond that was written.
pub fn micros_with_fraction(id: &Uuid) -> Option<i64> {
    let micros = UUIDV7.micros(id)?;
    let (_, _, version_and_rand_a, _) = id.as_fields();
    let rand_a = i64::from(version_and_rand_a & 0xfff);
    Some(micros + ((rand_a + 1) * 1000) / 4096)
}

#[cfg(test)]
#[path = "rfc9562_tests.rs"]
mod tests;
