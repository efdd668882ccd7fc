//! The layouts that an id can be of.

use uuid::{Uuid, Variant};

use super::layout::Layout;
use super::layouts::{LAYOUTS, NEWSEQUENTIALID};

/// The plausible times, from 1990-01-01 to 2100-01-01, in microseconds since the Unix epoch.
const PLAUSIBLE: std::ops::Range<i64> = 631_152_000_000_000..4_102_444_800_000_000;

pub(crate) fn is_plausible(micros: i64) -> bool {
    PLAUSIBLE.contains(&micros)
}

/// An id read in one layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The layout.
    pub layout: &'static Layout,
    /// The time in microseconds since the Unix epoch.
    pub micros: i64,
    /// Whether the time is from 1990 to 2100.
    pub plausible: bool,
    /// Whether the id has the layout's stamp; `None` if the layout has none.
    pub stamped: Option<bool>,
}

/// The pairs of `plausible` and `stamped`, the most likely first.
const LIKELIHOODS: [(bool, Option<bool>); 6] =
    [(true, Some(true)), (true, None), (true, Some(false)), (false, Some(true)), (false, None), (false, Some(false))];

/// The readings of an id in all layouts that it can be of, the most likely first.
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

/// The layouts in the order of the table, but with `newsequentialid` first: one in 500 of its ids can be
/// read as `mysql_ordered`, and the other way round, and more tables have ids of SQL Server's default.
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

/// The name of an id's variant (RFC 9562 section 4.1).
pub fn variant(id: &Uuid) -> &'static str {
    match id.get_variant() {
        Variant::NCS => "ncs",
        Variant::RFC4122 => "rfc9562",
        Variant::Microsoft => "microsoft",
        _ => "future",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layouts::labelled;
    use crate::vectors::{STRIDE, micros, uuid, vectors};

    #[test]
    fn plausible_times_end_with_the_years() {
        assert_eq!(PLAUSIBLE.start, micros("1990-01-01 00:00:00"));
        assert_eq!(PLAUSIBLE.end, micros("2100-01-01 00:00:00"));
    }

    #[test]
    fn public_ids_are_recognised() {
        for vector in vectors() {
            let Some(layout) = labelled(vector.layout.as_bytes()) else {
                continue;
            };
            let readings: Vec<_> = readings(&vector.uuid()).collect();
            let of_layout = readings.iter().find(|reading| reading.layout.label == layout.label);
            let of_layout = of_layout.unwrap_or_else(|| panic!("{}: {readings:?}", vector.id));
            assert_eq!(of_layout.micros, vector.micros);
            assert!(of_layout.plausible, "{}", vector.id);
            let plausible = readings.iter().take_while(|reading| reading.plausible).count();
            assert!(readings[plausible..].iter().all(|reading| !reading.plausible));
        }
    }

    #[test]
    fn the_layout_whose_stamp_agrees_comes_first() {
        let first = |id| readings(&uuid(id)).next().unwrap().layout.label;
        assert_eq!(first("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), "uuidv7");
        assert_eq!(first("017c5af4-2617-4ae0-98f0-98086eef50ca"), "postgres");
        assert_eq!(first("d01c25cc-63a7-47cc-b5ba-018e5f3bff48"), "mssql");
        assert_eq!(first("e25afe33-db2d-4502-9bf0-919001862cc4"), "mssql_legacy");
        assert_eq!(first("39babcb4-e446-4ed5-4012-2e27653a9d13"), "sequential_as_string");
        assert_eq!(first("63dd0ad3-a111-dd11-b2eb-005056ae063c"), "newsequentialid");
        // Its first half-byte is by chance that of version 1 as MySQL stores it.
        let both = uuid("11dd0ad3-a111-dd11-b2eb-005056ae063c");
        assert!(readings(&both).any(|reading| reading.layout.label == "mysql_ordered" && reading.plausible));
        assert_eq!(first("11dd0ad3-a111-dd11-b2eb-005056ae063c"), "newsequentialid");
        assert_eq!(first("11e1c57d-ff6f-8cb0-9b21-0800200c9a66"), "mysql_ordered");
        assert_eq!(first("016fa936-bff0-997a-0a3c-428548fee8c9"), "ulid");
        assert_eq!(first("45f98020-66e7-871d-9641-0170e4be4d77"), "uuidv8_mssql");
    }

    /// No other layout comes first, whatever the time of this century and the node.
    #[test]
    fn newsequentialids_come_first() {
        let mut id = uuid("63dd0ad3-a111-dd11-b2eb-005056ae063c");
        let begin = micros("2005-11-07 00:00:00");
        for n in (0..100_000u64).step_by(STRIDE) {
            let at = begin + n as i64 * 20_000_000_011;
            let node = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !(3 << 62) | 2 << 62;
            id = NEWSEQUENTIALID.with_micros(&Uuid::from_u64_pair(id.as_u64_pair().0, node), at).unwrap();
            let first = readings(&id).next().unwrap();
            assert_eq!((first.layout.label, first.micros), ("newsequentialid", at), "{id}");
        }
    }

    #[test]
    fn variants_have_names() {
        let of = |byte| variant(&Uuid::from_bytes([byte; 16]));
        assert_eq!(
            [0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xdf, 0xe0, 0xff].map(of),
            ["ncs", "ncs", "rfc9562", "rfc9562", "microsoft", "microsoft", "future", "future"]
        );
    }
}
