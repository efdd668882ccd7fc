//! The orders that an index of ids can have, other than the order of uuid.

use std::cmp::Ordering;

use uuid::Uuid;

use super::byte_order::ByteOrder;
use super::layouts::UUIDV7;

/// A total order of all ids, with the functions that sorts and index scans need. Ids that are equal in it
/// are equal byte for byte.
pub trait IndexOrder {
    /// The first id of all.
    const FIRST: Uuid;
    /// The last id of all.
    const LAST: Uuid;

    /// Compares two ids in this order.
    fn compare(a: &Uuid, b: &Uuid) -> Ordering;

    /// The abbreviated key: the upper bits of the number that is compared. The smaller of two ids never has the
    /// greater key.
    fn abbreviated(id: &Uuid) -> u64;

    /// The next id; `None` after the last.
    fn next(id: &Uuid) -> Option<Uuid>;

    /// The previous id; `None` before the first.
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

/// Ids of other versions sort before ids of version 7. Ids of each part are in uuid's order.
pub struct TimeOrder;

/// The bits of version and variant in an id's number, and their values in version 7.
const STAMP: u128 = 0xf << 76 | 0b11 << 62;
const VERSION_7: u128 = 7 << 76 | 0b10 << 62;
/// The number of ids of version 7 with the same upper 66 bits. They are neighbours in uuid's order too.
const RUN: u128 = 1 << 62;

#[inline(always)]
const fn is_version_7(number: u128) -> bool {
    number & STAMP == VERSION_7
}

/// The value that [`TimeOrder`] compares.
#[inline(always)]
const fn rank(id: &Uuid) -> (bool, u128) {
    let number = id.as_u128();
    (is_version_7(number), number)
}

impl TimeOrder {
    const FIRST_OF_VERSION_7: Uuid = Uuid::from_u128(VERSION_7);
    const LAST_OF_OTHERS: Uuid = Uuid::max();

    /// The first id of a time or later, in microseconds since the Unix epoch. After the range of version 7, it is the
    /// last id of all. Therefore no range contains that id, as no range in uuid's order contains the greatest uuid.
    pub fn first_from(micros: i64) -> Uuid {
        let bound = UUIDV7.lower_bound(micros);
        if rank(&bound).0 { bound } else { Self::LAST }
    }

    /// The last id before [`Self::first_from`]. Ids of other versions are before any time.
    pub fn last_before(micros: i64) -> Uuid {
        let first = Self::first_from(micros);
        Self::previous(&first).unwrap_or(first)
    }
}

impl IndexOrder for TimeOrder {
    const FIRST: Uuid = Uuid::nil();
    const LAST: Uuid = Uuid::from_u128(!STAMP | VERSION_7);

    #[inline(always)]
    fn compare(a: &Uuid, b: &Uuid) -> Ordering {
        rank(a).cmp(&rank(b))
    }

    #[inline(always)]
    fn abbreviated(id: &Uuid) -> u64 {
        let (is_version_7, number) = rank(id);
        u64::from(is_version_7) << 63 | (number >> 65) as u64
    }

    fn next(id: &Uuid) -> Option<Uuid> {
        let number = match rank(id) {
            // With ones in place of the stamp, a carry passes through it.
            (true, number) => (number | STAMP).checked_add(1)? & !STAMP | VERSION_7,
            (false, number) => match number.checked_add(1) {
                Some(next) if is_version_7(next) => next + RUN,
                Some(next) => next,
                None => return Some(Self::FIRST_OF_VERSION_7),
            },
        };
        Some(Uuid::from_u128(number))
    }

    fn previous(id: &Uuid) -> Option<Uuid> {
        let number = match rank(id) {
            (true, VERSION_7) => return Some(Self::LAST_OF_OTHERS),
            // With zeros in place of the stamp, a borrow passes through it.
            (true, number) => (number & !STAMP).checked_sub(1)? & !STAMP | VERSION_7,
            (false, number) => match number.checked_sub(1)? {
                previous if is_version_7(previous) => previous - RUN,
                previous => previous,
            },
        };
        Some(Uuid::from_u128(number))
    }
}

#[cfg(test)]
#[path = "index_order_tests.rs"]
mod tests;
