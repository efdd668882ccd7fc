use super::*;
use crate::layouts::LAYOUTS;
use crate::vectors::ids;
use proptest::prelude::*;

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
