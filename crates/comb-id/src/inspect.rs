//! The layouts that a UUID can be of.

use uuid::{Uuid, Variant};

use super::byte_order::ByteOrder;
use super::layout::Layout;
use super::layouts::LAYOUTS;
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

/// The layouts, and how many of 2^64 random UUIDs they read as a plausible time, the fewest first.
static BY_RARITY: [(u64, &Layout); LAYOUTS.len()] = by_rarity();

/// The readings of a UUID in all layouts that it can be of: plausible ones first, among them those whose stamp does not
/// contradict the layout, among these those that are rarest for random UUIDs. Any random UUID of version 4 has the stamp of
/// layouts of version 4.
///
/// ```
/// use comb_id::inspect::readings;
///
/// let id = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f".parse().unwrap();
/// let first = readings(&id).next().unwrap();
/// assert_eq!((first.layout.label, first.micros), ("uuidv7", 1_645_557_742_000_000));
/// ```
pub fn readings(id: &Uuid) -> impl Iterator<Item = Reading> + '_ {
    [(true, true), (true, false), (false, true), (false, false)].iter().flat_map(move |&(plausible, fits)| {
        BY_RARITY
            .iter()
            .filter_map(|(_, layout)| Reading::of(layout, id))
            .filter(move |reading| (reading.plausible, reading.stamped != Some(false)) == (plausible, fits))
    })
}

/// Among layouts that are equally rare, `newsequentialid` is before `mysql_ordered`: one in 500 UUIDs of each can be read as the
/// other, and more tables have UUIDs of SQL Server's default. Then those with a stamp are before those without.
const fn by_rarity() -> [(u64, &'static Layout); LAYOUTS.len()] {
    let mut sorted = [(u64::MAX, &LAYOUTS[0]); LAYOUTS.len()];
    let mut count = 0;
    let mut pass = 0;
    while pass < 3 {
        let mut row = 0;
        while row < LAYOUTS.len() {
            let layout = &LAYOUTS[row];
            let kind = if matches!(layout.order, ByteOrder::Newsequentialid) {
                0
            } else if layout.version.is_some() {
                1
            } else {
                2
            };
            if kind == pass {
                let share = layout.share_of_random(PLAUSIBLE.start, PLAUSIBLE.end);
                let mut place = count;
                while place > 0 && sorted[place - 1].0 > share {
                    sorted[place] = sorted[place - 1];
                    place -= 1;
                }
                sorted[place] = (share, layout);
                count += 1;
            }
            row += 1;
        }
        pass += 1;
    }
    sorted
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

/// The UUID without its first bit, if it may be one of DuckDB 1.3.0's `uuidv7()`, which set that bit: as version 7, its time is
/// in the year 6429 or later.
pub fn without_first_bit(id: &Uuid) -> Option<Uuid> {
    let meant = Uuid::from_u128(id.as_u128() & (u128::MAX >> 1));
    let is_meant = meant != *id && rfc9562::version(id) == Some(7) && rfc9562::micros(&meant).is_some_and(is_plausible);
    is_meant.then_some(meant)
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
