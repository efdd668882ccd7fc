//! What the layouts promise.

use super::*;
use crate::id::layouts::{LAYOUTS, MSSQL, UUIDV7, labelled};
use crate::id::value::{TICKS_PER_MS, Tick, tick_of_micros};
use crate::id::vectors::{bytes, micros, vectors};
use proptest::prelude::*;

fn any_layout() -> impl Strategy<Value = &'static Layout> {
    (0..LAYOUTS.len()).prop_map(|index| &LAYOUTS[index])
}

/// A layout and two values that it can hold, near each other or equal as often as not.
fn layout_and_combs() -> impl Strategy<Value = (&'static Layout, Comb, Comb)> {
    any_layout().prop_flat_map(|layout| {
        let (first, last) = layout.range_micros();
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
        let Some(layout) = labelled(vector.layout.as_bytes()) else { continue };
        assert_eq!(layout.micros(&vector.bytes()), Some(vector.micros), "{}", vector.id);
        read.insert(layout.label);
    }
    assert_eq!(read.len(), LAYOUTS.len(), "a public id of every layout");
}

#[test]
fn moments_are_written_as_in_public_ids() {
    for vector in vectors() {
        let Some(layout) = labelled(vector.layout.as_bytes()) else { continue };
        let written = layout.min(vector.micros).unwrap();
        let time_bytes = layout.time_field.bits() as usize / 8;
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

/// But for version 7, which declares its time: any UUID could be an id of those.
#[test]
fn layouts_end_with_year_9999() {
    let last = micros("9999-12-29 23:59:59.999999") + 2 * 86_400_000_000;
    for layout in &LAYOUTS {
        let beyond = Comb { tick: tick_of_micros(last + 1), random: 0 };
        if layout.declares_time() {
            let id = layout.encode(beyond).unwrap();
            assert_eq!(layout.micros(&id), Some(last + 1));
            assert_eq!(layout.decode(&id), Some(beyond));
            continue;
        }
        assert!(layout.range_micros().1 <= last, "{}", layout.label);
        assert_eq!(layout.encode(beyond), None, "{}", layout.label);
        assert_eq!(layout.min(last + 1), None, "{}", layout.label);
        assert_eq!(layout.max(last + 1), None, "{}", layout.label);
        assert_eq!(layout.with_micros(&[0; 16], last + 1), None, "{}", layout.label);
    }
    let of_year_10000 = bytes("e677d21f-dc00-4000-8000-000000000000");
    let postgres = labelled(b"postgres").unwrap();
    assert_eq!(postgres.time_field.micros(0xe677_d21f_dc00), Some(last + 1));
    assert_eq!((postgres.micros(&of_year_10000), postgres.decode(&of_year_10000)), (None, None));
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
    let overwritten = |label: &str| {
        nil_and_max.map(|id| {
            let id = labelled(label.as_bytes()).unwrap().with_micros(&id, at).unwrap();
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
        if layout.time_field == TimeField::DotnetTicks {
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
        let (ms, _) = MSSQL.disassemble(&id);
        let moment = ms as i64 * 1000;
        for bound in [at, moment + near] {
            let lower_bound = MSSQL.lower_bound(bound);
            if bound > YEAR_10000_US - 1000 {
                prop_assert_eq!(lower_bound, [0xff; 16]);
            } else {
                let is_from_on = MSSQL.order.compare(&id, &lower_bound).is_ge();
                prop_assert_eq!(is_from_on, moment >= bound);
            }
        }
    }

    /// Among the four layouts of one time field and one stamp, every bit is kept, and the order.
    #[test]
    fn unix_ms_layouts_convert_without_loss((_, a, b) in layout_and_combs()) {
        let layouts: Vec<_> =
            LAYOUTS.iter().filter(|layout| layout.time_field == TimeField::UnixMs).collect();
        prop_assert_eq!(layouts.len(), 4);
        for source in &layouts {
            let (Some(id_a), Some(id_b)) = (source.encode(a), source.encode(b)) else {
                continue;
            };
            for target in &layouts {
                let convert = |id| target.encode(source.decode(id).unwrap());
                let (Some(there_a), Some(there_b)) = (convert(&id_a), convert(&id_b)) else {
                    // Only a version 7 id can be of a year after 9999.
                    prop_assert!(source.declares_time() && b.tick >= YEAR_10000);
                    continue;
                };
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
            let (field, _) = target.time_field.split(value.tick).unwrap();
            prop_assert_eq!(target.micros(&there), target.time_field.micros(field));
            let kept = source.random_bits().min(target.random_bits());
            let random = target.decode(&there).unwrap().random;
            prop_assert_eq!(random >> (64 - kept), value.random >> (64 - kept));
        }
    }

    #[test]
    fn decoding_reverses_encoding((layout, comb, _) in layout_and_combs()) {
        let decoded = layout.decode(&layout.encode(comb).unwrap()).unwrap();
        prop_assert_eq!(decoded.random, comb.random);
        if layout.time_field == TimeField::DotnetTicks {
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
        if matches!(layout.time_field, TimeField::UnixMs | TimeField::DotnetMs) {
            match layout.decode(&stamped) {
                Some(comb) => prop_assert_eq!(layout.encode(comb), Some(stamped)),
                None => {
                    let year = layout.time_field.micros(field).unwrap();
                    prop_assert!(!layout.declares_time() && year >= YEAR_10000_US);
                }
            }
        }
    }

    #[test]
    fn ids_compare_as_their_values_do((layout, a, b) in layout_and_combs()) {
        let (id_a, id_b) = (layout.encode(a).unwrap(), layout.encode(b).unwrap());
        let by_bytes = sort_key(layout, &id_a).cmp(&sort_key(layout, &id_b));
        prop_assert_eq!(layout.order.compare(&id_a, &id_b), by_bytes);
        if layout.time_field == TimeField::DotnetTicks {
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
