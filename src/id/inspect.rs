//! Which layouts an id can be of.

use super::byte_order::Bytes;
use super::layout::Layout;
use super::layouts::LAYOUTS;

/// 1990-01-01 and 2100-01-01, between which a moment is plausible, in microseconds since the Unix
/// epoch.
const PLAUSIBLE: std::ops::Range<i64> = 631_152_000_000_000..4_102_444_800_000_000;

pub fn is_plausible(micros: i64) -> bool {
    PLAUSIBLE.contains(&micros)
}

/// An id read in one layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub layout: &'static Layout,
    /// Microseconds since the Unix epoch.
    pub micros: i64,
    /// Whether the moment lies between 1990 and 2100.
    pub plausible: bool,
    /// Whether the id carries the layout's stamp; `None` where the layout has none.
    pub stamped: Option<bool>,
}

/// From the most to the least likely: plausible moments first, and among them those whose stamp agrees,
/// then those of layouts without a stamp.
const LIKELIHOODS: [(bool, Option<bool>); 6] = [
    (true, Some(true)),
    (true, None),
    (true, Some(false)),
    (false, Some(true)),
    (false, None),
    (false, Some(false)),
];

/// The id in every layout in which it can be read, the most likely first; otherwise in the order of the
/// table. Allocates nothing.
pub fn readings(id: &Bytes) -> impl Iterator<Item = Reading> + '_ {
    LIKELIHOODS.iter().flat_map(move |&(plausible, stamped)| {
        LAYOUTS
            .iter()
            .filter_map(|layout| Reading::of(layout, id))
            .filter(move |reading| (reading.plausible, reading.stamped) == (plausible, stamped))
    })
}

impl Reading {
    fn of(layout: &'static Layout, id: &Bytes) -> Option<Self> {
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
pub fn variant(id: &Bytes) -> &'static str {
    match id[8] >> 5 {
        0..=3 => "ncs",
        4..=5 => "rfc9562",
        6 => "microsoft",
        _ => "future",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::layouts::labelled;
    use crate::id::vectors::{bytes, micros, vectors};

    #[test]
    fn plausible_moments_end_with_the_years() {
        assert_eq!(PLAUSIBLE.start, micros("1990-01-01 00:00:00"));
        assert_eq!(PLAUSIBLE.end, micros("2100-01-01 00:00:00"));
    }

    #[test]
    fn public_ids_are_recognised() {
        for vector in vectors() {
            let Some(layout) = labelled(vector.layout.as_bytes()) else {
                continue;
            };
            let readings: Vec<_> = readings(&vector.bytes()).collect();
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
        let first = |id| readings(&bytes(id)).next().unwrap().layout.label;
        assert_eq!(first("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), "uuidv7");
        assert_eq!(first("017c5af4-2617-4ae0-98f0-98086eef50ca"), "postgres");
        assert_eq!(first("d01c25cc-63a7-47cc-b5ba-018e5f3bff48"), "mssql");
        assert_eq!(first("e25afe33-db2d-4502-9bf0-919001862cc4"), "mssql_legacy");
        assert_eq!(first("39babcb4-e446-4ed5-4012-2e27653a9d13"), "sequential_as_string");
    }

    #[test]
    fn variants_have_names() {
        let of = |byte| variant(&[byte; 16]);
        assert_eq!(
            [0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xdf, 0xe0, 0xff].map(of),
            ["ncs", "ncs", "rfc9562", "rfc9562", "microsoft", "microsoft", "future", "future"]
        );
    }
}
