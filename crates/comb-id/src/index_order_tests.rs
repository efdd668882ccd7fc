use super::*;
use crate::layouts::MSSQL;
use crate::rfc9562;
use crate::vectors::{ids, uuid};
use proptest::prelude::*;

fn is_of_version_7(id: &Uuid) -> bool {
    rfc9562::version(id) == Some(7)
}

/// Ids of every version and variant, often next to where a part of the order begins, ends or is
/// interrupted.
fn edges() -> impl Strategy<Value = Uuid> {
    let edge = prop::sample::select(vec![0u8, 1, 0x7f, 0x80, 0xfe, 0xff]);
    let field = prop_oneof![Just([0; 8]), Just([0xff; 8]), any::<[u8; 8]>()];
    let stamp = (prop::sample::select(vec![0u8, 6, 7, 7, 7, 8, 15]), 0u8..4);
    let near = ((field.clone(), field), stamp, (edge, any::<prop::sample::Index>()));
    let near = near.prop_map(|((high, low), (version, variant), (edge, place))| {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&high);
        id[8..].copy_from_slice(&low);
        id[place.index(16)] = edge;
        id[6] = version << 4 | id[6] & 0xf;
        id[8] = variant << 6 | id[8] & 0x3f;
        Uuid::from_bytes(id)
    });
    prop_oneof![near, ids()]
}

/// The order, implemented independently.
fn by_rule(a: &Uuid, b: &Uuid) -> Ordering {
    match (is_of_version_7(a), is_of_version_7(b)) {
        (false, true) => Ordering::Less,
        (true, false) => Ordering::Greater,
        _ => a.cmp(b),
    }
}

fn check_order<O: IndexOrder>(a: &Uuid, b: &Uuid) -> Result<(), TestCaseError> {
    if O::compare(a, b).is_lt() {
        prop_assert!(O::abbreviated(a) <= O::abbreviated(b));
    }
    prop_assert_eq!(O::compare(a, b).is_eq(), a == b);
    prop_assert_eq!(O::compare(a, b), O::compare(b, a).reverse());
    prop_assert!(O::compare(a, &O::FIRST).is_ge() && O::compare(a, &O::LAST).is_le());
    prop_assert_eq!(O::next(a).is_none(), *a == O::LAST);
    prop_assert_eq!(O::previous(a).is_none(), *a == O::FIRST);
    if let Some(next) = O::next(a) {
        prop_assert!(O::compare(a, &next).is_lt());
        prop_assert_eq!(O::previous(&next), Some(*a));
        // No id lies between them.
        prop_assert!(O::compare(b, a).is_le() || O::compare(b, &next).is_ge());
    }
    if let Some(previous) = O::previous(a) {
        prop_assert!(O::compare(&previous, a).is_lt());
        prop_assert_eq!(O::next(&previous), Some(*a));
    }
    Ok(())
}

#[test]
fn neighbours_in_time_order_step_over_the_other_part() {
    for (id, next) in [
        // Ids of other versions, before and after a run of ids of version 7.
        ("00000000-0000-7000-7fff-ffffffffffff", "00000000-0000-7000-c000-000000000000"),
        ("018e5f3b-ff48-7d6e-7fff-ffffffffffff", "018e5f3b-ff48-7d6e-c000-000000000000"),
        ("ffffffff-ffff-7fff-7fff-ffffffffffff", "ffffffff-ffff-7fff-c000-000000000000"),
        // Ids of other versions without such a run between them.
        ("018e5f3b-ff48-6fff-7fff-ffffffffffff", "018e5f3b-ff48-6fff-8000-000000000000"),
        ("018e5f3b-ff48-6fff-ffff-ffffffffffff", "018e5f3b-ff48-7000-0000-000000000000"),
        // The last id of another version, and the first of version 7.
        ("ffffffff-ffff-ffff-ffff-ffffffffffff", "00000000-0000-7000-8000-000000000000"),
        // Ids of version 7. A carry passes through the variant and through the version.
        ("018e5f3b-ff48-7d6e-8000-000000000000", "018e5f3b-ff48-7d6e-8000-000000000001"),
        ("018e5f3b-ff48-7d6e-bfff-ffffffffffff", "018e5f3b-ff48-7d6f-8000-000000000000"),
        ("018e5f3b-ff48-7fff-bfff-ffffffffffff", "018e5f3b-ff49-7000-8000-000000000000"),
    ] {
        assert_eq!(TimeOrder::next(&uuid(id)), Some(uuid(next)), "{id}");
        assert_eq!(TimeOrder::previous(&uuid(next)), Some(uuid(id)), "{next}");
    }
    let last = uuid("ffffffff-ffff-7fff-bfff-ffffffffffff");
    assert_eq!(TimeOrder::LAST, last);
    assert_eq!(TimeOrder::next(&last), None);
    assert_eq!(TimeOrder::previous(&Uuid::nil()), None);
}

#[test]
fn abbreviated_keys_differ_from_one_millisecond_to_the_next() {
    let [id, later] = [1, 2].map(|ms| UUIDV7.min(ms * 1000).unwrap());
    assert!(TimeOrder::abbreviated(&Uuid::max()) < TimeOrder::abbreviated(&id));
    assert!(TimeOrder::abbreviated(&id) < TimeOrder::abbreviated(&later));
    let [id, later] = [1, 2].map(|ms| MSSQL.min(ms * 1000).unwrap());
    assert!(SqlserverOrder::abbreviated(&id) < SqlserverOrder::abbreviated(&later));
}

#[test]
fn bounds_of_a_time_saturate() {
    let (others, first) = (Uuid::max(), uuid("00000000-0000-7000-8000-000000000000"));
    for (micros, last_before, first_from) in [
        (i64::MIN, others, first),
        (0, others, first),
        (1, first_ms_end(), uuid("00000000-0001-7000-8000-000000000000")),
        (1000, first_ms_end(), uuid("00000000-0001-7000-8000-000000000000")),
        (281_474_976_710_655_000, uuid("ffffffff-fffe-7fff-bfff-ffffffffffff"), uuid("ffffffff-ffff-7000-8000-000000000000")),
        (281_474_976_710_655_001, uuid("ffffffff-ffff-7fff-bfff-fffffffffffe"), TimeOrder::LAST),
        (i64::MAX, uuid("ffffffff-ffff-7fff-bfff-fffffffffffe"), TimeOrder::LAST),
    ] {
        assert_eq!(TimeOrder::last_before(micros), last_before, "{micros}");
        assert_eq!(TimeOrder::first_from(micros), first_from, "{micros}");
    }
}

fn first_ms_end() -> Uuid {
    uuid("00000000-0000-7fff-bfff-ffffffffffff")
}

proptest! {
    #[test]
    fn time_order_follows_its_rule(a in edges(), b in edges()) {
        prop_assert_eq!(TimeOrder::compare(&a, &b), by_rule(&a, &b));
    }

    #[test]
    fn orders_are_sound(a in edges(), b in edges()) {
        check_order::<TimeOrder>(&a, &b)?;
        check_order::<SqlserverOrder>(&a, &b)?;
    }

    /// No id a few steps away in uuid's order lies between neighbours.
    #[test]
    fn neighbours_in_time_order_are_the_nearest(id in edges()) {
        let number = id.as_u128();
        let around = (0..40u128).flat_map(|step| {
            [number.wrapping_add(step), number.wrapping_sub(step)].map(Uuid::from_u128)
        });
        for other in around {
            if let Some(next) = TimeOrder::next(&id) {
                prop_assert!(by_rule(&other, &id).is_le() || by_rule(&other, &next).is_ge());
            }
            if let Some(previous) = TimeOrder::previous(&id) {
                prop_assert!(by_rule(&other, &id).is_ge() || by_rule(&other, &previous).is_le());
            }
        }
    }

    /// The promise of comb_between_time: the bounds separate ids of version 7 exactly as their times do.
    #[test]
    fn bounds_separate_ids_by_their_times(id in edges(), at in any::<i64>(), near in -3000i64..3000) {
        let time = rfc9562::micros(&id).filter(|_| is_of_version_7(&id));
        for bound in [at, time.unwrap_or(0) + near] {
            let is_later = time.is_some_and(|time| time >= bound);
            // The last id of all is after every range.
            let is_later = is_later || id == TimeOrder::LAST;
            prop_assert_eq!(TimeOrder::compare(&id, &TimeOrder::last_before(bound)).is_gt(), is_later);
            prop_assert_eq!(TimeOrder::compare(&id, &TimeOrder::first_from(bound)).is_ge(), is_later);
        }
    }
}
