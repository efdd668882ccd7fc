use super::*;
use crate::layout::Comb;
use crate::vectors::{ids, micros as micros_of, uuid, vectors};
use comb_tick::tick_of_micros;
use proptest::prelude::*;
use uuid::{Builder, Version};

/// 1582-10-15, where the time of versions 1 and 6 begins, in 100 ns before 1970-01-01.
const GREGORIAN_OFFSET: i64 = 122_192_928_000_000_000;

#[test]
fn public_ids_read_as_their_times() {
    let mut versions = std::collections::HashSet::new();
    let declaring = ["uuidv1", "uuidv6", "uuidv7"];
    for vector in vectors().filter(|vector| declaring.contains(&vector.layout)) {
        assert_eq!(micros(&vector.uuid()), Some(vector.micros), "{}", vector.id);
        versions.insert(version(&vector.uuid()).unwrap());
    }
    assert_eq!(versions, [1, 6, 7].into());
}

#[test]
fn the_fraction_is_read_as_timescale_reads_it() {
    let id = uuid("019913ce-f124-7835-96c7-a2df691caa98");
    assert_eq!(micros_with_fraction(&id), Some(micros_of("2025-09-04 08:19:13.316513")));
}

#[test]
fn other_uuids_have_no_time() {
    for id in [
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", // version 4
        "017f22e2-79b0-8cc3-98c4-dc0c0c07398f", // version 8
        "017f22e2-79b0-7cc3-18c4-dc0c0c07398f", // another variant
        "c232ab00-9414-11ec-d3c8-9f6bdeced846",
    ] {
        assert_eq!(micros(&uuid(id)), None, "{id}");
        assert_eq!(micros_with_fraction(&uuid(id)), None, "{id}");
    }
}

#[test]
fn lower_bounds_saturate() {
    let first = uuid("00000000-0000-7000-8000-000000000000");
    assert_eq!(UUIDV7.lower_bound(i64::MIN), first);
    assert_eq!(UUIDV7.lower_bound(-1), first);
    assert_eq!(UUIDV7.lower_bound(0), first);
    assert_eq!(UUIDV7.lower_bound(1), uuid("00000000-0000-7004-8800-000000000000"));
    assert_eq!(UUIDV7.lower_bound(1000), uuid("00000000-0001-7000-8000-000000000000"));
    assert_eq!(UUIDV7.lower_bound(281_474_976_710_655_000), uuid("ffffffff-ffff-7000-8000-000000000000"));
    assert_eq!(UUIDV7.lower_bound(281_474_976_710_655_999), uuid("ffffffff-ffff-7ffb-bc00-000000000000"));
    assert_eq!(UUIDV7.lower_bound(281_474_976_710_656_000), Uuid::max());
    assert_eq!(UUIDV7.lower_bound(i64::MAX), Uuid::max());
}

proptest! {
    /// The uuid crate reads versions 1 and 6 independently.
    #[test]
    fn gregorian_versions_are_read_as_others_do(id in ids(), version in prop::sample::select(vec![Version::Mac, Version::SortMac])) {
        let id = Builder::from_bytes(id.into_bytes()).with_version(version).with_variant(Variant::RFC4122).into_uuid();
        // Its to_unix() has no times before 1970; the Gregorian ticks have.
        let (ticks, _) = id.get_timestamp().unwrap().to_gregorian();
        prop_assert_eq!(micros(&id), Some((ticks as i64 - GREGORIAN_OFFSET).div_euclid(10)));
    }

    #[test]
    fn microseconds_come_back(at in 0i64..281_474_976_710_656_000, random in any::<u64>()) {
        let id = UUIDV7.encode(Comb { tick: tick_of_micros(at), random }).unwrap();
        prop_assert_eq!(micros_with_fraction(&id), Some(at));
        prop_assert_eq!(micros(&id), Some(at - at % 1000));
        prop_assert!(id >= UUIDV7.lower_bound(at) && id < UUIDV7.lower_bound(at + 1));
    }
}
