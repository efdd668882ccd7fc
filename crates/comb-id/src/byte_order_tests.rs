use super::*;
use crate::layouts::{LAYOUTS, MSSQL};
use crate::vectors::ids;
use proptest::prelude::*;

impl ByteOrder {
    /// The positions of the bytes of a UUID, the byte that is compared first in front.
    pub(crate) const fn positions(self) -> [u8; 16] {
        match self {
            Self::Postgres => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
            Self::Dotnet => [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15],
            Self::Sqlserver => [10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0],
            Self::Uuidv1 => [6, 7, 4, 5, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15],
            Self::Newsequentialid => [7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15],
        }
    }
}

/// The byte orders that a layout has.
fn orders() -> impl Iterator<Item = ByteOrder> {
    LAYOUTS.iter().map(|layout| layout.order)
}

#[test]
fn sql_server_compares_the_last_six_bytes_first() {
    // Each id has a one in the byte that SQL Server compares next.
    let ranked = [10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0];
    for pair in ranked.windows(2) {
        let one = |position: usize| {
            let mut id = [0; 16];
            id[position] = 1;
            Uuid::from_bytes(id)
        };
        assert_eq!(ByteOrder::Sqlserver.compare(&one(pair[0]), &one(pair[1])), Ordering::Greater);
    }
}

fn check_order(order: ByteOrder, a: &Uuid, b: &Uuid) -> Result<(), TestCaseError> {
    let (first, last) = (Uuid::nil(), Uuid::max());
    if order.compare(a, b).is_lt() {
        prop_assert!(order.upper_half(a) <= order.upper_half(b));
    }
    prop_assert_eq!(order.compare(a, b).is_eq(), a == b);
    prop_assert_eq!(order.compare(a, b), order.compare(b, a).reverse());
    prop_assert!(order.compare(a, &first).is_ge() && order.compare(a, &last).is_le());
    prop_assert_eq!(order.next(a).is_none(), *a == last);
    prop_assert_eq!(order.previous(a).is_none(), *a == first);
    if let Some(next) = order.next(a) {
        prop_assert!(order.compare(a, &next).is_lt());
        prop_assert_eq!(order.previous(&next), Some(*a));
        // No id lies between them.
        prop_assert!(order.compare(b, a).is_le() || order.compare(b, &next).is_ge());
    }
    if let Some(previous) = order.previous(a) {
        prop_assert!(order.compare(&previous, a).is_lt());
        prop_assert_eq!(order.next(&previous), Some(*a));
    }
    Ok(())
}

#[test]
fn abbreviated_keys_differ_from_one_millisecond_to_the_next() {
    let [id, later] = [1, 2].map(|ms| MSSQL.lower_bound(ms * 1000));
    assert!(ByteOrder::Sqlserver.upper_half(&id) < ByteOrder::Sqlserver.upper_half(&later));
}

#[test]
fn both_ends_have_one_neighbour() {
    for order in orders() {
        for end in [Uuid::nil(), Uuid::max()] {
            check_order(order, &end, &Uuid::from_u128(1 << 70)).unwrap();
        }
    }
}

#[test]
fn postgres_has_a_type_for_two_orders() {
    for order in orders() {
        let has_type = [ByteOrder::Postgres, ByteOrder::Sqlserver].contains(&order);
        assert_eq!(order.is_in_postgres(), has_type, "{order:?}");
    }
}

#[test]
fn dotnet_order_is_that_of_the_swapped_bytes() {
    let guid = Uuid::from_bytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    assert_eq!(ByteOrder::Dotnet.number(&guid).to_be_bytes(), guid.to_bytes_le());
}

proptest! {
    #[test]
    fn every_order_is_sound(a in ids(), b in ids()) {
        for order in orders() {
            check_order(order, &a, &b)?;
            check_order(order, &a, &a)?;
        }
    }

    #[test]
    fn numbers_are_the_bytes_in_their_order(id in ids()) {
        for order in orders() {
            let bytes = order.positions().map(|position| id.as_bytes()[usize::from(position)]);
            prop_assert_eq!(order.number(&id), u128::from_be_bytes(bytes));
            let ranked = order.positions().map(|position| order.rank_of(position.into()));
            prop_assert!(ranked.into_iter().eq(0..16));
        }
    }

    #[test]
    fn uuid_reverses_number(id in ids()) {
        for order in orders() {
            prop_assert_eq!(order.uuid(order.number(&id)), id);
        }
    }

    /// SQL Server sorts the ids of one process by their times.
    #[test]
    fn sql_server_compares_newsequentialids_of_one_node_by_their_time(id in ids(), time in any::<[u8; 8]>()) {
        let mut other = id.into_bytes();
        other[..8].copy_from_slice(&time);
        let other = Uuid::from_bytes(other);
        prop_assert_eq!(
            ByteOrder::Newsequentialid.compare(&id, &other),
            ByteOrder::Sqlserver.compare(&id, &other)
        );
    }
}
