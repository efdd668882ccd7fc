//! Every id layout of the field, as one table, and the one encoder and one decoder that walk it.
//!
//! Bits are placed in a 128-bit number whose most significant byte is the one that the layout's
//! byte order compares first. From the top it holds the time field, what the field leaves out of
//! the tick, and the random bits; a stamped layout leaves gaps for the RFC 9562 version (the high
//! half of byte 6) and variant (the top two bits of byte 8). Hence two ids of one layout compare
//! in its order exactly as their (tick, random) do.

use crate::comb::Comb;
use crate::field::Clock;
use crate::order::{ByteOrder, Bytes};

const VERSION_BITS: u32 = 4;
const VARIANT_BITS: u32 = 2;
const VARIANT_RFC9562: u128 = 0b10;

/// One way of writing a COMB down.
#[derive(Debug)]
pub struct Layout {
    /// The label of the SQL enum `comb_layout`.
    pub label: &'static str,
    pub clock: Clock,
    pub order: ByteOrder,
    /// The RFC 9562 version that is stamped together with the variant, if any.
    pub version: Option<u8>,
    /// Who writes such ids.
    pub known_as: &'static str,
}

/// RFC 9562 version 7, the default.
pub const UUIDV7: Layout = Layout {
    label: "uuidv7",
    clock: Clock::UnixMs,
    order: ByteOrder::Postgres,
    version: Some(7),
    known_as: "RFC 9562 version 7",
};
/// RT.Comb's SQL Server layout.
pub const MSSQL: Layout = Layout {
    label: "mssql",
    clock: Clock::UnixMs,
    order: ByteOrder::Sqlserver,
    version: Some(4),
    known_as: "RT.Comb Provider.Sql, its T-SQL NewComb",
};
/// Jimmy Nilsson's original COMB.
pub const MSSQL_LEGACY: Layout = Layout {
    label: "mssql_legacy",
    clock: Clock::SqlDatetime,
    order: ByteOrder::Sqlserver,
    version: Some(4),
    known_as: "Nilsson's original COMB, RT.Comb Provider.Legacy, NHibernate guid.comb",
};

/// The table of layouts, in the order of the SQL enum.
pub static LAYOUTS: [Layout; 11] = [
    UUIDV7,
    Layout {
        label: "postgres",
        clock: Clock::UnixMs,
        order: ByteOrder::Postgres,
        version: Some(4),
        known_as: "RT.Comb Provider.PostgreSql, Marten CombGuid",
    },
    Layout {
        label: "postgres_legacy",
        clock: Clock::SqlDatetime,
        order: ByteOrder::Postgres,
        version: Some(4),
        known_as: "RT.Comb PostgreSqlCombProvider with SqlDateTimeStrategy",
    },
    MSSQL,
    MSSQL_LEGACY,
    Layout {
        label: "binary",
        clock: Clock::UnixMs,
        order: ByteOrder::Dotnet,
        version: Some(4),
        known_as: "RT.Comb Provider.Oracle, Provider.SqliteBinary",
    },
    Layout {
        label: "laravel",
        clock: Clock::Unix10us,
        order: ByteOrder::Postgres,
        version: Some(4),
        known_as: "ramsey/uuid TimestampFirstCombCodec, Laravel Str::orderedUuid()",
    },
    Layout {
        label: "sequential_as_string",
        clock: Clock::DotnetMs,
        order: ByteOrder::Postgres,
        version: None,
        known_as: "jhtodd, Zaabee, ABP SequentialAsString",
    },
    Layout {
        label: "sequential_as_binary",
        clock: Clock::DotnetMs,
        order: ByteOrder::Dotnet,
        version: None,
        known_as: "jhtodd, Zaabee, ABP SequentialAsBinary",
    },
    Layout {
        label: "sequential_at_end",
        clock: Clock::DotnetMs,
        order: ByteOrder::Sqlserver,
        version: None,
        known_as: "jhtodd, Zaabee, ABP SequentialAtEnd",
    },
    Layout {
        label: "process_ticks",
        clock: Clock::DotnetTicks,
        order: ByteOrder::Sqlserver,
        version: None,
        known_as: "a random number for the process and .NET ticks; EF Core's and NewId's time field reads the same",
    },
];

impl Layout {
    /// The layout of that label.
    pub fn labelled(label: &str) -> Option<&'static Self> {
        LAYOUTS.iter().find(|layout| layout.label == label)
    }

    /// Bits that are not stamped.
    const fn payload_bits(&self) -> u32 {
        match self.version {
            Some(_) => 128 - VERSION_BITS - VARIANT_BITS,
            None => 128,
        }
    }

    /// Bits below the time field: the remainder of the tick, then the random ones.
    const fn rest_bits(&self) -> u32 {
        self.payload_bits() - self.clock.bits()
    }

    /// Bits below the time field in the number that is compared, the stamp included: no layout has
    /// its stamp within the field.
    const fn below_field(&self) -> u32 {
        128 - self.clock.bits()
    }

    /// Random bits of an id: 56 to 64.
    pub const fn random_bits(&self) -> u32 {
        self.rest_bits() - self.clock.remainder_bits()
    }

    /// Whether the random bits are those of the process that makes the ids, not of each id.
    pub const fn marks_process(&self) -> bool {
        matches!(self.clock, Clock::DotnetTicks)
    }

    /// The stamp's gaps as (position of the first bit from the top, width), higher one first.
    const fn gaps(&self) -> [(u32, u32); 2] {
        let version = (8 * self.order.rank_of_6(), VERSION_BITS);
        let variant = (8 * self.order.rank_of_8(), VARIANT_BITS);
        if version.0 < variant.0 { [version, variant] } else { [variant, version] }
    }

    /// A version and a variant in their places.
    const fn stamp(&self, version: u8, variant: u128) -> u128 {
        ((version as u128) << (128 - VERSION_BITS - 8 * self.order.rank_of_6()))
            | (variant << (128 - VARIANT_BITS - 8 * self.order.rank_of_8()))
    }

    /// The number with this layout's stamp, if it has one, in place of what stands there.
    const fn stamped(&self, number: u128) -> u128 {
        match self.version {
            Some(version) => number & !self.stamp(0xf, 0b11) | self.stamp(version, VARIANT_RFC9562),
            None => number,
        }
    }

    /// An id of a time field and the bits below it.
    #[inline(always)]
    fn assemble(&self, field: u64, rest: u128) -> Bytes {
        let payload = ((field as u128) << self.rest_bits()) | rest;
        let mut number = payload << (128 - self.payload_bits());
        if self.version.is_some() {
            for (at, width) in self.gaps() {
                number = open_gap(number, at, width);
            }
        }
        self.order.bytes(self.stamped(number))
    }

    /// The time field and the bits below it; the stamp is passed over, whatever it is.
    #[inline(always)]
    fn disassemble(&self, id: &Bytes) -> (u64, u128) {
        let mut number = self.order.number(id);
        if self.version.is_some() {
            for (at, width) in self.gaps().into_iter().rev() {
                number = close_gap(number, at, width);
            }
        }
        let payload = number >> (128 - self.payload_bits());
        ((payload >> self.rest_bits()) as u64, payload & ones(self.rest_bits()))
    }

    /// Whether the id carries this layout's stamp, bit for bit; true for any id where there is none.
    #[inline(always)]
    pub fn is_stamped(&self, id: &Bytes) -> bool {
        let number = self.order.number(id);
        self.stamped(number) == number
    }

    /// The id of a value; `None` outside the range of the time field.
    #[inline(always)]
    pub fn encode(&self, comb: Comb) -> Option<Bytes> {
        let (field, remainder) = self.clock.split(comb.tick)?;
        let random = comb.random >> (64 - self.random_bits());
        Some(self.assemble(field, ((remainder as u128) << self.random_bits()) | random as u128))
    }

    /// The value of an id; `None` where the id lacks the stamp or its time field cannot be.
    #[inline(always)]
    pub fn decode(&self, id: &Bytes) -> Option<Comb> {
        if !self.is_stamped(id) {
            return None;
        }
        let (field, rest) = self.disassemble(id);
        let tick = self.clock.join(field, (rest >> self.random_bits()) as u64)?;
        Some(Comb { tick, random: (rest << (64 - self.random_bits())) as u64 })
    }

    /// The moment in an id's time field, in microseconds since the Unix epoch; `None` where the id
    /// cannot be of this layout.
    ///
    /// Version 7 says that an id carries a time, so another version is none of `uuidv7`. Version 4
    /// says nothing, and other writers of the same field stamp other versions: it is not asked for.
    #[inline(always)]
    pub fn micros(&self, id: &Bytes) -> Option<i64> {
        if self.version == Some(7) && !self.is_stamped(id) {
            return None;
        }
        self.clock.micros((self.order.number(id) >> self.below_field()) as u64)
    }

    /// The id with its time field overwritten by that of a moment, in microseconds since the Unix
    /// epoch, and every other bit as it was; `uuidv7` is stamped too, since without its stamp
    /// nothing reads the time. `None` outside the range.
    pub fn with_micros(&self, id: &Bytes, micros: i64) -> Option<Bytes> {
        let (field, _) = self.clock.fields_of(micros)?;
        let below = self.order.number(id) & ones(self.below_field());
        let number = ((field as u128) << self.below_field()) | below;
        Some(self.order.bytes(if self.version == Some(7) { self.stamped(number) } else { number }))
    }

    /// Of a layout of whole milliseconds, the bytes that part ids at a moment, in microseconds since
    /// the Unix epoch: ids from them on have a time field that is not before the moment, those
    /// below an earlier one. Saturates beyond the range, where no id is left on one side.
    pub fn lower_bound(&self, micros: i64) -> Bytes {
        // The next whole millisecond, since an id's moment is one.
        self.with_micros(&[0; 16], micros.max(0).saturating_add(999)).unwrap_or([0xff; 16])
    }

    /// The smallest id of a moment, in microseconds since the Unix epoch; `None` outside the range.
    pub fn min(&self, micros: i64) -> Option<Bytes> {
        let (first, _) = self.clock.fields_of(micros)?;
        Some(self.assemble(first, 0))
    }

    /// The largest id of a moment, in microseconds since the Unix epoch; `None` outside the range.
    pub fn max(&self, micros: i64) -> Option<Bytes> {
        let (_, last) = self.clock.fields_of(micros)?;
        Some(self.assemble(last, ones(self.rest_bits())))
    }
}

/// A number with `width` zero bits put in at a position counted from the top; what stood there
/// moves down, and as many bits at the bottom, which must be free, are pushed out.
const fn open_gap(number: u128, at: u32, width: u32) -> u128 {
    let below = ones(128 - at);
    (number & !below) | ((number & below) >> width)
}

/// The reverse: the bits at that position are taken out, and zeros come in at the bottom.
const fn close_gap(number: u128, at: u32, width: u32) -> u128 {
    (number & !ones(128 - at)) | ((number & ones(128 - at - width)) << width)
}

/// The lowest `count` bits, of 1 to 127.
const fn ones(count: u32) -> u128 {
    (1 << count) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comb::{TICKS_PER_MS, Tick, tick_of_micros};
    use crate::vectors::{bytes, micros, vectors};
    use proptest::prelude::*;

    fn any_layout() -> impl Strategy<Value = &'static Layout> {
        (0..LAYOUTS.len()).prop_map(|index| &LAYOUTS[index])
    }

    /// A layout and two values that it can hold, near each other or equal as often as not.
    fn layout_and_combs() -> impl Strategy<Value = (&'static Layout, Comb, Comb)> {
        any_layout().prop_flat_map(|layout| {
            let (first, last) = layout.clock.range_micros();
            let ticks = tick_of_micros(first)..=tick_of_micros(last);
            let distance = prop_oneof![Just(0), 0i128..20, 0i128..1 << 20];
            let room = 64 - layout.random_bits();
            (ticks, distance, any::<u64>(), any::<u64>()).prop_map(move |(tick, distance, a, b)| {
                let later = (tick + distance).min(tick_of_micros(last));
                let comb = |tick, random: u64| Comb { tick, random: random >> room << room };
                (layout, comb(tick, a), comb(later, b))
            })
        })
    }

    /// The bytes in the order in which the design's table says that they are compared.
    fn sort_key(layout: &Layout, id: &Bytes) -> Vec<u8> {
        let positions: [usize; 16] = match layout.order.label() {
            "postgres" => std::array::from_fn(|i| i),
            "dotnet" => [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15],
            "sqlserver" => [10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0],
            other => panic!("{other}"),
        };
        positions.iter().map(|&position| id[position]).collect()
    }

    #[test]
    fn public_ids_read_as_their_moments() {
        let mut read = std::collections::HashSet::new();
        for vector in vectors() {
            let Some(layout) = Layout::labelled(vector.layout) else { continue };
            assert_eq!(layout.micros(&vector.bytes()), Some(vector.micros), "{}", vector.id);
            read.insert(layout.label);
        }
        assert_eq!(read.len(), LAYOUTS.len(), "a public id of every layout");
    }

    #[test]
    fn moments_are_written_as_in_public_ids() {
        for vector in vectors() {
            let Some(layout) = Layout::labelled(vector.layout) else { continue };
            let written = layout.min(vector.micros).unwrap();
            let time_bytes = layout.clock.bits() as usize / 8;
            assert_eq!(
                sort_key(layout, &written)[..time_bytes],
                sort_key(layout, &vector.bytes())[..time_bytes],
                "{}",
                vector.id
            );
        }
    }

    #[test]
    fn uuidv7_is_bit_for_bit_rfc_9562() {
        let tick = tick_of_micros(micros("2022-02-22 19:22:22")) + 0xabcd;
        let id = UUIDV7.encode(Comb { tick, random: u64::MAX }).unwrap();
        // 48 bits of milliseconds, 7, fraction bits 15..4, 10, fraction bits 3..0, random bits.
        assert_eq!(id, bytes("017f22e2-79b0-7abc-b7ff-ffffffffffff"));
        let id = UUIDV7.encode(Comb { tick, random: 0 }).unwrap();
        assert_eq!(id, bytes("017f22e2-79b0-7abc-b400-000000000000"));
    }

    #[test]
    fn mssql_puts_the_variant_above_the_version() {
        let tick = tick_of_micros(micros("2022-02-22 19:22:22")) + 0xabcd;
        let id = MSSQL.encode(Comb { tick, random: 0 }).unwrap();
        // 0xabcd = 10.101011.11001101 in bytes 8 and 9 after the variant; its last two bits in byte 7.
        assert_eq!(id, bytes("00000000-0000-4040-aaf3-017f22e279b0"));
    }

    #[test]
    fn the_smallest_and_the_largest_id_of_a_millisecond() {
        let at = micros("2022-02-22 19:22:22.000999");
        assert_eq!(UUIDV7.min(at), Some(bytes("017f22e2-79b0-7000-8000-000000000000")));
        assert_eq!(UUIDV7.max(at), Some(bytes("017f22e2-79b0-7fff-bfff-ffffffffffff")));
        assert_eq!(MSSQL.min(at), Some(bytes("00000000-0000-4000-8000-017f22e279b0")));
        assert_eq!(MSSQL.max(at), Some(bytes("ffffffff-ffff-4fff-bfff-017f22e279b0")));
        assert_eq!(UUIDV7.min(-1), None);
    }

    #[test]
    fn another_version_is_no_uuidv7() {
        let id = bytes("017f22e2-79b0-4cc3-98c4-dc0c0c07398f");
        assert_eq!(UUIDV7.micros(&id), None);
        assert_eq!(UUIDV7.decode(&id), None);
        assert_eq!(UUIDV7.micros(&[0; 16]), None);
        assert_eq!(UUIDV7.micros(&[0xff; 16]), None);
    }

    /// RT.Comb's Create(Guid, DateTime): six bytes change, and nothing else.
    #[test]
    fn only_the_time_bytes_are_overwritten() {
        let at = micros("2022-02-22 19:22:22");
        let nil_and_max = [[0; 16], [0xff; 16]];
        let overwritten = |label| {
            nil_and_max.map(|id| {
                let id = Layout::labelled(label).unwrap().with_micros(&id, at).unwrap();
                uuid::Uuid::from_bytes(id).to_string()
            })
        };
        let [nil, max] = overwritten("postgres");
        assert_eq!(nil, "017f22e2-79b0-0000-0000-000000000000");
        assert_eq!(max, "017f22e2-79b0-ffff-ffff-ffffffffffff");
        let [nil, max] = overwritten("mssql");
        assert_eq!(nil, "00000000-0000-0000-0000-017f22e279b0");
        assert_eq!(max, "ffffffff-ffff-ffff-ffff-017f22e279b0");
        let [nil, max] = overwritten("binary");
        assert_eq!(nil, "e2227f01-b079-0000-0000-000000000000");
        assert_eq!(max, "e2227f01-b079-ffff-ffff-ffffffffffff");
        let [nil, max] = overwritten("uuidv7");
        assert_eq!(nil, "017f22e2-79b0-7000-8000-000000000000");
        assert_eq!(max, "017f22e2-79b0-7fff-bfff-ffffffffffff");
        assert_eq!(UUIDV7.with_micros(&[0; 16], -1), None);
    }

    proptest! {
        /// What an id says, written over its time field, is the same field again; the rest stays.
        #[test]
        fn overwriting_with_what_was_read_changes_nothing((layout, comb, _) in layout_and_combs()) {
            let id = layout.encode(comb).unwrap();
            let read = layout.micros(&id).unwrap();
            let again = layout.with_micros(&id, read).unwrap();
            if layout.clock == Clock::DotnetTicks {
                // A microsecond holds ten of its units.
                prop_assert_eq!(layout.micros(&again), Some(read));
                prop_assert_eq!(layout.disassemble(&again).1, layout.disassemble(&id).1);
            } else {
                prop_assert_eq!(again, id);
            }
        }

        /// The time field alone decides, whatever version the id has.
        #[test]
        fn lower_bounds_part_ids_by_their_time(id in any::<Bytes>(), at in any::<i64>(), near in -3000i64..3000) {
            let moment = MSSQL.micros(&id).unwrap();
            for bound in [at, moment + near] {
                let is_from_on = MSSQL.order.compare(&id, &MSSQL.lower_bound(bound)).is_ge();
                prop_assert_eq!(is_from_on, moment >= bound);
            }
        }

        /// Among the four layouts of one clock and one stamp, every bit is kept, and the order.
        #[test]
        fn unix_ms_layouts_convert_without_loss((_, a, b) in layout_and_combs()) {
            let layouts: Vec<_> =
                LAYOUTS.iter().filter(|layout| layout.clock == Clock::UnixMs).collect();
            prop_assert_eq!(layouts.len(), 4);
            for source in &layouts {
                let (Some(id_a), Some(id_b)) = (source.encode(a), source.encode(b)) else {
                    continue;
                };
                for target in &layouts {
                    let convert = |id| target.encode(source.decode(id).unwrap()).unwrap();
                    let (there_a, there_b) = (convert(&id_a), convert(&id_b));
                    prop_assert_eq!(source.encode(target.decode(&there_a).unwrap()), Some(id_a));
                    prop_assert_eq!(
                        target.order.compare(&there_a, &there_b),
                        source.order.compare(&id_a, &id_b)
                    );
                }
            }
        }

        /// To any other layout that holds it, the moment is kept to the target's resolution.
        #[test]
        fn converting_keeps_the_moment((source, comb, _) in layout_and_combs(), target in any_layout()) {
            let id = source.encode(comb).unwrap();
            let value = source.decode(&id).unwrap();
            if let Some(there) = target.encode(value) {
                let (field, _) = target.clock.split(value.tick).unwrap();
                prop_assert_eq!(target.micros(&there), target.clock.micros(field));
                let kept = source.random_bits().min(target.random_bits());
                let random = target.decode(&there).unwrap().random;
                prop_assert_eq!(random >> (64 - kept), value.random >> (64 - kept));
            }
        }

        #[test]
        fn decoding_reverses_encoding((layout, comb, _) in layout_and_combs()) {
            let decoded = layout.decode(&layout.encode(comb).unwrap()).unwrap();
            prop_assert_eq!(decoded.random, comb.random);
            if layout.clock == Clock::DotnetTicks {
                // 100 ns is all that the layout keeps of the tick.
                prop_assert!((0..7).contains(&(comb.tick - decoded.tick)));
            } else {
                prop_assert_eq!(decoded.tick, comb.tick);
            }
        }

        /// Any id of a layout whose remainder is whole ticks is some value, and no bit of it is lost.
        #[test]
        fn encoding_reverses_decoding(layout in any_layout(), id in any::<Bytes>()) {
            let (field, rest) = layout.disassemble(&id);
            let stamped = layout.assemble(field, rest);
            prop_assert!(layout.is_stamped(&stamped));
            if matches!(layout.clock, Clock::UnixMs | Clock::DotnetMs) {
                prop_assert_eq!(layout.encode(layout.decode(&stamped).unwrap()), Some(stamped));
            }
        }

        #[test]
        fn ids_compare_as_their_values_do((layout, a, b) in layout_and_combs()) {
            let (id_a, id_b) = (layout.encode(a).unwrap(), layout.encode(b).unwrap());
            let by_bytes = sort_key(layout, &id_a).cmp(&sort_key(layout, &id_b));
            prop_assert_eq!(layout.order.compare(&id_a, &id_b), by_bytes);
            if layout.clock == Clock::DotnetTicks {
                if b.tick - a.tick >= 7 {
                    prop_assert_eq!(by_bytes, std::cmp::Ordering::Less);
                }
            } else {
                prop_assert_eq!(by_bytes, a.cmp(&b));
            }
        }

        #[test]
        fn stamps_are_rfc_9562s((layout, comb, _) in layout_and_combs()) {
            let id = uuid::Uuid::from_bytes(layout.encode(comb).unwrap());
            if let Some(version) = layout.version {
                prop_assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
                prop_assert_eq!(id.get_version_num(), usize::from(version));
            }
        }

        /// The uuid crate reads version 7 on its own.
        #[test]
        fn uuidv7_is_read_by_others(ms in 0u64..1 << 48, fraction in 0..TICKS_PER_MS, random in any::<u64>()) {
            let comb = Comb { tick: Tick::from(ms * TICKS_PER_MS + fraction), random };
            let id = uuid::Uuid::from_bytes(UUIDV7.encode(comb).unwrap());
            let (seconds, nanos) = id.get_timestamp().unwrap().to_unix();
            prop_assert_eq!((seconds, nanos / 1_000_000), (ms / 1000, (ms % 1000) as u32));
        }

        /// Nothing that can stand in a uuid column is too strange to be read.
        #[test]
        fn any_uuid_can_be_asked(layout in any_layout(), id in any::<Bytes>()) {
            let _ = (layout.micros(&id), layout.decode(&id));
        }

        #[test]
        fn ids_of_a_moment_lie_between_its_min_and_max((layout, comb, _) in layout_and_combs()) {
            let id = layout.encode(comb).unwrap();
            let at = layout.micros(&id).unwrap();
            prop_assert!(layout.order.compare(&layout.min(at).unwrap(), &id).is_le());
            prop_assert!(layout.order.compare(&id, &layout.max(at).unwrap()).is_le());
        }
    }
}
