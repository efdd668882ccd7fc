use super::*;
use crate::layout::Comb;
use crate::vectors::{ids, uuid};
use comb_tick::tick_of_micros;
use proptest::prelude::*;

/// 2026-11-01 in microseconds since the Unix epoch.
const NOVEMBER: i64 = 1_793_491_200_000_000;

#[test]
fn bounds_are_read_with_a_version_and_without() {
    for bound in ["01a19467-e800-7000-8000-000000000000", "01a19467-e800-0000-0000-000000000000"] {
        assert_eq!(micros(&uuid(bound)), Some(NOVEMBER), "{bound}");
    }
    for bound in ["00000000-0000-4000-8000-01a19467e800", "00000000-0000-0000-0000-01a19467e800"] {
        assert_eq!(micros_mssql(&uuid(bound)), Some(NOVEMBER), "{bound}");
    }
}

#[test]
fn bounds_of_any_time_are_read() {
    for at in [1_000, 631_151_999_999_000, 253_402_300_799_999_000] {
        assert_eq!(micros(&UUIDV7.lower_bound(at)), Some(at));
        assert_eq!(micros_mssql(&MSSQL.lower_bound(at)), Some(at));
    }
    assert_eq!(micros(&UUIDV7.lower_bound(0)), Some(0));
}

#[test]
fn other_uuids_have_no_time() {
    for id in [
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "01a19467-e800-4000-8000-000000000000", // version 4
        "01a19467-e800-0000-0000-000000000001", // a key, not a bound
        "1ec9414c-232a-6b00-b3c8-9f6bdeced846", // version 6
        "c232ab00-9414-11ec-b3c8-9f6bdeced846", // version 1
    ] {
        assert_eq!(micros(&uuid(id)), None, "{id}");
    }
    for id in [
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "d01c25cc-63a7-47cc-b5ba-f18e5f3bff48", // after the year 9999
        "d01c25cc-63a7-47cc-b5ba-718e5f3bff48", // the year 5929
    ] {
        assert_eq!(micros_mssql(&uuid(id)), None, "{id}");
    }
}

proptest! {
    #[test]
    fn random_keys_have_no_time(id in ids()) {
        let id = Builder::from_random_bytes(id.into_bytes()).into_uuid();
        prop_assert_eq!(micros(&id), None);
        prop_assert!(micros_mssql(&id).is_none_or(is_plausible));
    }

    /// pg_partman relies on it: the time of a row is between the times of a partition's bounds exactly if the row
    /// is between the bounds.
    #[test]
    fn keys_lie_between_bounds_as_their_times_do(
        at in 631_152_000_000i64..4_102_444_800_000, near in -2i64..=2, random in any::<u64>(),
    ) {
        let bound = (at + near) * 1000;
        let comb = Comb { tick: tick_of_micros(at * 1000), random };
        let id = UUIDV7.encode(comb).unwrap();
        prop_assert_eq!(id >= UUIDV7.lower_bound(bound), micros(&id).unwrap() >= bound);
        let id = MSSQL.encode(comb).unwrap();
        let order = MSSQL.order.compare(&id, &MSSQL.lower_bound(bound));
        prop_assert_eq!(order.is_ge(), micros_mssql(&id).unwrap() >= bound);
    }
}
