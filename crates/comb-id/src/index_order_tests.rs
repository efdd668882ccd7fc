use super::*;
use crate::layouts::MSSQL;
use crate::vectors::ids;
use proptest::prelude::*;

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
fn abbreviated_keys_differ_from_one_millisecond_to_the_next() {
    let [id, later] = [1, 2].map(|ms| MSSQL.lower_bound(ms * 1000));
    assert!(SqlserverOrder::abbreviated(&id) < SqlserverOrder::abbreviated(&later));
}

proptest! {
    #[test]
    fn the_order_is_sound(a in ids(), b in ids()) {
        check_order::<SqlserverOrder>(&a, &b)?;
        check_order::<SqlserverOrder>(&a, &a)?;
    }
}

#[test]
fn both_ends_have_one_neighbour() {
    for end in [Uuid::nil(), Uuid::max()] {
        check_order::<SqlserverOrder>(&end, &Uuid::from_u128(1 << 70)).unwrap();
    }
}
