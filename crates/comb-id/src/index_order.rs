//! The orders that an index of UUIDs can have, other than the order of uuid.

use std::cmp::Ordering;

use uuid::Uuid;

use super::byte_order::ByteOrder;

/// A total order of all UUIDs, with the functions that sorts and index scans need. UUIDs that are equal in it
/// are equal byte for byte.
pub trait IndexOrder {
    /// The first UUID of all.
    const FIRST: Uuid;
    /// The last UUID of all.
    const LAST: Uuid;

    /// Compares two UUIDs in this order.
    fn compare(a: &Uuid, b: &Uuid) -> Ordering;

    /// The abbreviated key: the upper bits of the number that is compared. The smaller of two UUIDs never has the
    /// greater key.
    fn abbreviated(id: &Uuid) -> u64;

    /// The next UUID; `None` after the last.
    fn next(id: &Uuid) -> Option<Uuid>;

    /// The previous UUID; `None` before the first.
    fn previous(id: &Uuid) -> Option<Uuid>;
}

/// SQL Server's order.
pub struct SqlserverOrder;

impl IndexOrder for SqlserverOrder {
    const FIRST: Uuid = Uuid::nil();
    const LAST: Uuid = Uuid::max();

    #[inline(always)]
    fn compare(a: &Uuid, b: &Uuid) -> Ordering {
        ByteOrder::Sqlserver.compare(a, b)
    }

    #[inline(always)]
    fn abbreviated(id: &Uuid) -> u64 {
        (ByteOrder::Sqlserver.number(id) >> 64) as u64
    }

    fn next(id: &Uuid) -> Option<Uuid> {
        let number = ByteOrder::Sqlserver.number(id).checked_add(1)?;
        Some(ByteOrder::Sqlserver.uuid(number))
    }

    fn previous(id: &Uuid) -> Option<Uuid> {
        let number = ByteOrder::Sqlserver.number(id).checked_sub(1)?;
        Some(ByteOrder::Sqlserver.uuid(number))
    }
}

#[cfg(test)]
#[path = "index_order_tests.rs"]
mod tests;
