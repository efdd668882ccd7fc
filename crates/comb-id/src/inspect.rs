//! The layouts that a UUID can be of.

use uuid::{Uuid, Variant};

use super::layout::Layout;
use super::layouts::{LAYOUTS, NEWSEQUENTIALID};
use super::rfc9562;

/// The plausible times, from 1990-01-01 to 2100-01-01, in microseconds since the Unix epoch.
const PLAUSIBLE: std::ops::Range<i64> = 631_152_000_000_000..4_102_444_800_000_000;

pub(crate) fn is_plausible(micros: i64) -> bool {
    PLAUSIBLE.contains(&micros)
}

/// A UUID read in one layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The layout.
    pub layout: &'static Layout,
    /// The time in microseconds since the Unix epoch.
    pub micros: i64,
    /// Whether the time is from 1990 to 2100.
    pub plausible: bool,
    /// Whether the UUID has the layout's stamp; `None` if the layout has none.
    pub stamped: Option<bool>,
}

/// The pairs of `plausible` and `stamped`, the most likely first.
const LIKELIHOODS: [(bool, Option<bool>); 6] =
    [(true, Some(true)), (true, None), (true, Some(false)), (false, Some(true)), (false, None), (false, Some(false))];

/// The readings of a UUID in all layouts that it can be of, the most likely first.
///
/// ```
/// use comb_id::inspect::readings;
///
/// let id = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f".parse().unwrap();
/// let first = readings(&id).next().unwrap();
/// assert_eq!((first.layout.label, first.micros), ("uuidv7", 1_645_557_742_000_000));
/// ```
pub fn readings(id: &Uuid) -> impl Iterator<Item = Reading> + '_ {
    LIKELIHOODS.iter().flat_map(move |&(plausible, stamped)| {
        by_frequency()
            .filter_map(|layout| Reading::of(layout, id))
            .filter(move |reading| (reading.plausible, reading.stamped) == (plausible, stamped))
    })
}

/// The layouts in the order of the table, but with `newsequentialid` first: one in 500 of its UUIDs can be
/// read as `mysql_ordered`, and the other way round, and more tables have UUIDs of SQL Server's default.
fn by_frequency() -> impl Iterator<Item = &'static Layout> {
    let others = LAYOUTS.iter().filter(|layout| **layout != NEWSEQUENTIALID);
    std::iter::once(&NEWSEQUENTIALID).chain(others)
}

impl Reading {
    fn of(layout: &'static Layout, id: &Uuid) -> Option<Self> {
        let micros = layout.micros(id)?;
        Some(Self {
            layout,
            micros,
            plausible: is_plausible(micros),
            stamped: layout.version.is_some().then(|| layout.is_stamped(id)),
        })
    }
}

/// Whether a UUID may be of an early draft of version 7, which began with 36 bits of seconds: as version 7, its time is far in
/// the future (draft-peabody-dispatch-new-uuid-format-02, section 4.4).
pub fn may_be_draft(id: &Uuid) -> bool {
    let seconds = (id.as_u128() >> 92) as i64;
    rfc9562::version(id) == Some(7)
        && rfc9562::micros(id).is_some_and(|micros| !is_plausible(micros))
        && is_plausible(seconds * 1_000_000)
}

/// The name of a UUID's variant (RFC 9562 section 4.1).
pub fn variant(id: &Uuid) -> &'static str {
    match id.get_variant() {
        Variant::NCS => "ncs",
        Variant::RFC4122 => "rfc9562",
        Variant::Microsoft => "microsoft",
        _ => "future",
    }
}

#[cfg(test)]
#[path = "inspect_tests.rs"]
mod tests;
