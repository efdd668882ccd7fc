//! The promises of the layouts.

use super::*;
use crate::layouts::{LAYOUTS, MSSQL, NEWSEQUENTIALID, UUIDV1, UUIDV6, UUIDV7, labelled};
use crate::vectors::{ids, micros, uuid, vectors};
use comb_tick::{TICKS_PER_MS, Tick, micros_of_tick, tick_of_micros};
use proptest::prelude::*;

fn any_layout() -> impl Strategy<Value = &'static Layout> {
    (0..LAYOUTS.len()).prop_map(|index| &LAYOUTS[index])
}

/// A layout and two values that it can hold, which are often equal or near each other.
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

/// The bytes in the order in which they are compared.
fn sort_key(layout: &Layout, id: &Uuid) -> [u8; 16] {
    layout.order.positions().map(|position| id.as_bytes()[usize::from(position)])
}

/// comb_convert(); `None` if the target cannot hold the id.
fn convert(source: &Layout, target: &Layout, id: &Uuid) -> Option<Uuid> {
    target.rewrite(source, id, source.decode(id).unwrap())
}

#[test]
fn public_ids_read_as_their_times() {
    let mut read = std::collections::HashSet::new();
    for vector in vectors() {
        let Some(layout) = labelled(vector.layout.as_bytes()) else { continue };
        assert_eq!(layout.micros(&vector.uuid()), Some(vector.micros), "{}", vector.id);
        read.insert(layout.label);
    }
    assert_eq!(read.len(), LAYOUTS.len(), "a public id of every layout");
}

#[test]
fn times_are_written_as_in_public_ids() {
    for vector in vectors() {
        let Some(layout) = labelled(vector.layout.as_bytes()) else { continue };
        let (field, _) = layout.disassemble(&vector.uuid());
        let first = layout.time_field.field_of(vector.micros).unwrap();
        // A microsecond can have ten units.
        assert!((first..first + 10).contains(&field), "{}", vector.id);
        // Writing the time of an id into it changes no other bit.
        let written = layout.with_micros(&vector.uuid(), vector.micros).unwrap();
        assert_eq!(layout.disassemble(&written), (first, layout.disassemble(&vector.uuid()).1));
        if first == field {
            assert_eq!(written, vector.uuid(), "{}", vector.id);
        }
    }
}

#[test]
fn uuidv7_is_bit_for_bit_rfc_9562() {
    let tick = tick_of_micros(micros("2022-02-22 19:22:22")) + 0xabcd;
    let id = |random| UUIDV7.encode(Comb { tick, random }).unwrap();
    // 48 bits of milliseconds, 7, fraction bits 15..4, 10, fraction bits 3..0, random bits.
    assert_eq!(id(u64::MAX), uuid("017f22e2-79b0-7abc-b7ff-ffffffffffff"));
    assert_eq!(id(0), uuid("017f22e2-79b0-7abc-b400-000000000000"));
}

/// The example of RFC 9562 appendices A.1 and A.5, and its bits in the order of MySQL and of SQL Server.
#[test]
fn versions_1_and_6_say_the_same_in_every_layout() {
    let written = [
        (&UUIDV1, "c232ab00-9414-11ec-b3c8-9f6bdeced846"),
        (&UUIDV6, "1ec9414c-232a-6b00-b3c8-9f6bdeced846"),
        (labelled(b"mysql_ordered").unwrap(), "11ec9414-c232-ab00-b3c8-9f6bdeced846"),
        (&NEWSEQUENTIALID, "00ab32c2-1494-ec11-b3c8-9f6bdeced846"),
    ];
    for (source, id) in written {
        assert_eq!(source.micros(&uuid(id)), Some(micros("2022-02-22 19:22:22")), "{id}");
        for (target, there) in written {
            assert_eq!(convert(source, target, &uuid(id)), Some(uuid(there)), "{id} to {there}");
        }
    }
}

#[test]
fn the_node_of_a_generated_id_is_random() {
    let tick = tick_of_micros(micros("2022-02-22 19:22:22")) + 5;
    // 58 random bits: 11 of the clock sequence, below 5/6.5536 of 100 ns, and 47 of the node.
    let id = UUIDV6.encode(Comb { tick, random: 0 }).unwrap();
    assert_eq!(id, uuid("1ec9414c-232a-6b00-a800-010000000000"));
    let id = UUIDV1.encode(Comb { tick, random: u64::MAX }).unwrap();
    assert_eq!(id, uuid("c232ab00-9414-11ec-afff-ffffffffffff"));
    // The clock sequence has no remainder: it belongs to the process, as the node does.
    let id = NEWSEQUENTIALID.encode(Comb { tick, random: 0 }).unwrap();
    assert_eq!(id, uuid("00ab32c2-1494-ec11-8000-010000000000"));
    // A bound lies below the addresses of network cards too.
    assert_eq!(UUIDV6.smallest(tick), Some(uuid("1ec9414c-232a-6b00-a800-000000000000")));
    assert_eq!(UUIDV6.lower_bound(micros("2022-02-22 19:22:22")), uuid("1ec9414c-232a-6b00-8000-000000000000"));
}

#[test]
fn mssql_puts_the_variant_above_the_version() {
    let tick = tick_of_micros(micros("2022-02-22 19:22:22")) + 0xabcd;
    let id = MSSQL.encode(Comb { tick, random: 0 }).unwrap();
    // 0xabcd = 10.101011.11001101 in bytes 8 and 9 after the variant; its last two bits in byte 7.
    assert_eq!(id, uuid("00000000-0000-4040-aaf3-017f22e279b0"));
}

/// Version 7 does not: no random UUID is read as one.
#[test]
fn layouts_end_with_year_9999() {
    let last = micros("9999-12-29 23:59:59.999999") + 2 * 86_400_000_000;
    for layout in &LAYOUTS {
        let beyond = Comb { tick: tick_of_micros(last + 1), random: 0 };
        if layout.label == "uuidv7" {
            let id = layout.encode(beyond).unwrap();
            assert_eq!(layout.micros(&id), Some(last + 1));
            assert_eq!(layout.decode(&id), Some(beyond));
            continue;
        }
        assert!(layout.range_micros().1 <= last, "{}", layout.label);
        assert_eq!(layout.encode(beyond), None, "{}", layout.label);
        assert!(layout.lower_bound(last + 1).is_max(), "{}", layout.label);
        assert_eq!(layout.with_micros(&Uuid::nil(), last + 1), None, "{}", layout.label);
    }
    let of_year_10000 = uuid("e677d21f-dc00-4000-8000-000000000000");
    let postgres = labelled(b"postgres").unwrap();
    assert_eq!(postgres.time_field.micros(0xe677_d21f_dc00), Some(last + 1));
    assert_eq!((postgres.micros(&of_year_10000), postgres.decode(&of_year_10000)), (None, None));
}

#[test]
fn layouts_hold_the_times_of_their_range() {
    for layout in &LAYOUTS {
        let (first, last) = layout.range_micros();
        let held = [first - 1, first, last, last + 1].map(|micros| layout.with_micros(&Uuid::nil(), micros).is_some());
        assert_eq!(held, [false, true, true, false], "{}", layout.label);
        let held = [0, 1].map(|later| layout.encode(Comb { tick: layout.last_tick() + later, random: 0 }).is_some());
        assert_eq!(held, [true, false], "{}", layout.label);
    }
}

/// Layouts of other versions require their stamp.
#[test]
fn only_version_4_is_read_from_other_versions() {
    for layout in &LAYOUTS {
        let id = layout.smallest(tick_of_micros(micros("2022-02-22 19:22:22"))).unwrap();
        let other = !layout.stamp(0xf, 0b11) & layout.order.number(&id);
        let read = layout.micros(&layout.order.uuid(other));
        let is_read = matches!(layout.version, None | Some(4));
        assert_eq!(read.is_some(), is_read, "{}", layout.label);
    }
}

/// RT.Comb's Create(Guid, DateTime): six bytes change, and nothing else.
#[test]
fn only_the_time_bytes_are_overwritten() {
    let at = micros("2022-02-22 19:22:22");
    let nil_and_max = [Uuid::nil(), Uuid::max()];
    let overwritten =
        |label: &str| nil_and_max.map(|id| labelled(label.as_bytes()).unwrap().with_micros(&id, at).unwrap().to_string());
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
    assert_eq!(UUIDV7.with_micros(&Uuid::nil(), -1), None);
}

proptest! {
    /// The time of an id, written over its time field, is the same field again; all other bits stay.
    #[test]
    fn overwriting_with_what_was_read_changes_nothing((layout, comb, _) in layout_and_combs()) {
        let id = layout.encode(comb).unwrap();
        let read = layout.micros(&id).unwrap();
        let again = layout.with_micros(&id, read).unwrap();
        // A microsecond can have ten units.
        prop_assert_eq!(layout.micros(&again), Some(read));
        prop_assert_eq!(layout.disassemble(&again).1, layout.disassemble(&id).1);
        let (field, _) = layout.disassemble(&id);
        prop_assert!(layout.time_field.field_of(read) == Some(field) || layout.time_field.micros(field - 1) == Some(read));
    }

    /// In whole milliseconds, the time field decides, whatever the version.
    #[test]
    fn lower_bounds_part_ids_by_their_time(id in ids(), at in any::<i64>(), near in -3i64..3) {
        let (ms, _) = MSSQL.disassemble(&id);
        let time = ms as i64 * 1000;
        for bound in [at / 1000 * 1000, time + near * 1000] {
            let lower_bound = MSSQL.lower_bound(bound);
            if bound > YEAR_10000_US - 1000 {
                prop_assert_eq!(lower_bound, Uuid::max());
            } else {
                let is_from_on = MSSQL.order.compare(&id, &lower_bound).is_ge();
                prop_assert_eq!(is_from_on, time >= bound);
            }
        }
    }

    /// Layouts with 58 random bits or more, and room for the remainder, keep 58 random bits and the order.
    #[test]
    fn layouts_of_58_random_bits_convert_without_loss(
        (source, a, b) in layout_and_combs(), target in any_layout(),
    ) {
        let holds_all = |layout: &Layout| layout.random_bits() >= 58 && !layout.marks_process();
        prop_assume!(holds_all(source) && holds_all(target));
        let of_58 = |comb: Comb| Comb { random: comb.random >> 6 << 6, ..comb };
        let (id_a, id_b) = (source.encode(of_58(a)).unwrap(), source.encode(of_58(b)).unwrap());
        let (Some(there_a), Some(there_b)) = (convert(source, target, &id_a), convert(source, target, &id_b)) else {
            let (first, last) = target.range_micros();
            prop_assert!(a.tick < tick_of_micros(first) || b.tick >= tick_of_micros(last + 1));
            return Ok(());
        };
        prop_assert_eq!(convert(target, source, &there_a), Some(id_a));
        prop_assert_eq!(target.order.compare(&there_a, &there_b), source.order.compare(&id_a, &id_b));
    }

    /// Layouts with one time field and the same number of low bits keep every bit, whoever wrote the id.
    #[test]
    fn layouts_of_one_time_field_convert_without_loss(
        source in any_layout(), id in ids(), at in any::<prop::sample::Index>(),
    ) {
        let (first, last) = source.range_micros();
        let at = first + at.index((last - first) as usize) as i64;
        let number = source.stamped(source.order.number(&source.with_micros(&id, at).unwrap()));
        let id = source.order.uuid(number);
        let alike = |target: &&Layout| {
            source.time_field == target.time_field && source.low_bits() == target.low_bits()
        };
        for target in LAYOUTS.iter().filter(alike) {
            match convert(source, target, &id) {
                Some(there) => {
                    prop_assert_eq!(target.micros(&there), source.micros(&id));
                    prop_assert_eq!(convert(target, source, &there), Some(id));
                }
                None => prop_assert!(at >= YEAR_10000_US),
            }
        }
    }

    /// Any other layout that holds the time keeps it to its resolution.
    #[test]
    fn converting_keeps_the_time((source, comb, _) in layout_and_combs(), target in any_layout()) {
        let id = source.encode(comb).unwrap();
        let value = source.decode(&id).unwrap();
        if let Some(there) = convert(source, target, &id) {
            let (field, _) = target.time_field.split(value.tick).unwrap();
            prop_assert_eq!(target.micros(&there), target.time_field.micros(field));
            // Bits of the process are copied into the remainder, and the other way round.
            prop_assume!(source.time_field != target.time_field || source.marks_process() == target.marks_process());
            let kept = source.random_bits().min(target.random_bits());
            let random = target.decode(&there).unwrap().random;
            prop_assert_eq!(random >> (64 - kept), value.random >> (64 - kept));
        }
    }

    #[test]
    fn decoding_reverses_encoding((layout, comb, _) in layout_and_combs()) {
        let decoded = layout.decode(&layout.encode(comb).unwrap()).unwrap();
        prop_assert_eq!(decoded.random, comb.random);
        // The layout does not hold the end of the tick.
        prop_assert!((0..Tick::from(layout.min_step())).contains(&(comb.tick - decoded.tick)));
    }

    /// A layout whose remainder is whole ticks decodes any id, and loses no bit of it.
    #[test]
    fn encoding_reverses_decoding(layout in any_layout(), id in ids()) {
        let (field, low) = layout.disassemble(&id);
        prop_assert_eq!(layout.field(layout.order.number(&id)), field);
        let stamped = layout.assemble(field, low, true);
        prop_assert!(layout.is_stamped(&stamped));
        if layout.time_field.unit.ticks.is_power_of_two() {
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
        if b.tick - a.tick >= Tick::from(layout.min_step()) {
            prop_assert_eq!(by_bytes, std::cmp::Ordering::Less);
        } else if !layout.marks_process() {
            prop_assert_eq!(by_bytes, a.cmp(&b));
        }
    }

    /// Bits of a process increase with each seed.
    #[test]
    fn newsequentialids_of_a_process_stay_in_sql_servers_order(bits in any::<u64>(), more in 8u64..1 << 60) {
        let id = |bits| NEWSEQUENTIALID.encode(Comb { tick: tick_of_micros(0), random: NEWSEQUENTIALID.bits_of_process(bits) });
        let (before, after) = (id(bits.min(u64::MAX - more)).unwrap(), id(bits.min(u64::MAX - more) + more).unwrap());
        prop_assert!(ByteOrder::Sqlserver.compare(&before, &after).is_lt(), "{before} {after}");
    }

    /// A horizon is above all ids of earlier ticks, and not above one of the same tick or of a later one.
    #[test]
    fn the_smallest_id_of_a_tick_parts_ids_by_their_ticks((layout, a, b) in layout_and_combs()) {
        let (id_a, id_b) = (layout.encode(a).unwrap(), layout.encode(b).unwrap());
        let smallest = layout.smallest(b.tick).unwrap();
        prop_assert!(layout.order.compare(&smallest, &id_b).is_le());
        if b.tick - a.tick >= Tick::from(layout.min_step()) {
            prop_assert!(layout.order.compare(&id_a, &smallest).is_lt());
        }
    }

    #[test]
    fn stamps_are_rfc_9562s((layout, comb, _) in layout_and_combs()) {
        let id = layout.encode(comb).unwrap();
        // Other layouts of version 1 store the bytes in another order.
        let id = if layout.version == Some(1) { convert(layout, &UUIDV1, &id).unwrap() } else { id };
        if let Some(version) = layout.version {
            prop_assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
            prop_assert_eq!(id.get_version_num(), usize::from(version));
        }
    }

    /// The uuid crate reads versions 1 and 6 independently.
    #[test]
    fn uuidv1_and_uuidv6_are_read_by_others((_, comb, _) in layout_and_combs()) {
        let (Some(v1), Some(v6)) = (UUIDV1.encode(comb), UUIDV6.encode(comb)) else { return Ok(()) };
        let (ticks, _) = v1.get_timestamp().unwrap().to_gregorian();
        prop_assert_eq!(TimeField::GREGORIAN_100NS.split(comb.tick).unwrap().0, ticks);
        prop_assert_eq!(v1.get_timestamp(), v6.get_timestamp());
        prop_assert_eq!(v1.get_node_id(), v6.get_node_id());
        prop_assert!(v1.get_node_id().unwrap()[0] & 1 == 1, "a random node");
    }

    /// The uuid crate reads version 7 independently.
    #[test]
    fn uuidv7_is_read_by_others(ms in 0u64..1 << 48, fraction in 0..TICKS_PER_MS, random in any::<u64>()) {
        let comb = Comb { tick: Tick::from(ms * TICKS_PER_MS + fraction), random };
        let id = UUIDV7.encode(comb).unwrap();
        let (seconds, nanos) = id.get_timestamp().unwrap().to_unix();
        prop_assert_eq!((seconds, nanos / 1_000_000), (ms / 1000, (ms % 1000) as u32));
    }

    /// No value of a uuid column panics.
    #[test]
    fn any_uuid_can_be_asked(layout in any_layout(), id in ids()) {
        let _ = (layout.micros(&id), layout.decode(&id));
    }

    /// Exactly the ids of the time and later are at or after its bound: by the time that they show, and within the unit of
    /// the time field by their remainder.
    #[test]
    fn lower_bounds_of_every_layout_part_its_ids((layout, comb, _) in layout_and_combs(), near in -20_000i64..20_000) {
        let id = layout.encode(comb).unwrap();
        let at = layout.micros(&id).unwrap();
        for bound in [at, at + near, at + near / 20, at + 1] {
            let is_from_on = at >= bound || !layout.marks_process() && comb.tick >= tick_of_micros(bound);
            prop_assert_eq!(layout.order.compare(&id, &layout.lower_bound(bound)).is_ge(), is_from_on, "{}", layout.label);
        }
    }

    /// A range that ends at a time and one that begins there have no key in common and leave none out.
    #[test]
    fn lower_bounds_increase((layout, a, b) in layout_and_combs(), near in -20_000i64..20_000) {
        let micros = [a.tick, b.tick].map(|tick| micros_of_tick(tick).unwrap());
        for (early, late) in [(micros[0], micros[1]), (micros[0], micros[0].saturating_add(near))] {
            let order = layout.order.compare(&layout.lower_bound(early), &layout.lower_bound(late));
            prop_assert!(if early <= late { order.is_le() } else { order.is_ge() }, "{}", layout.label);
        }
    }
}
