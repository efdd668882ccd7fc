//! The second axis of a layout: which byte of an id the target system compares first.

use std::cmp::Ordering;

use uuid::Uuid;

/// Which bytes of an id are compared first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// 0 to 15: PostgreSQL's uuid, .NET's Guid, and whoever compares the text.
    Postgres,
    /// 3 2 1 0, 5 4, 7 6, 8 to 15: `Guid.ToByteArray()` compared as bytes, as Oracle's RAW(16) and
    /// SQLite's BLOB are.
    Dotnet,
    /// 10 to 15, 8 9, 7 6, 5 4, 3 2 1 0: SQL Server's uniqueidentifier, .NET's SqlGuid.
    Sqlserver,
    /// 6 7, 4 5, 0 to 3, 8 to 15: the time of RFC 9562 version 1, its highest byte first. Nothing
    /// compares so.
    Uuidv1,
    /// 7 6, 5 4, 3 2 1 0, 8 to 15: the time of SQL Server's NEWSEQUENTIALID(), its highest byte first. SQL
    /// Server compares so among ids of one node and clock sequence.
    Newsequentialid,
}

impl ByteOrder {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Dotnet => "dotnet",
            Self::Sqlserver => "sqlserver",
            Self::Uuidv1 => "uuidv1",
            Self::Newsequentialid => "newsequentialid",
        }
    }

    /// Whether PostgreSQL can compare ids so: as `uuid`, or as our `uniqueidentifier`.
    pub const fn is_in_postgres(self) -> bool {
        matches!(self, Self::Postgres | Self::Sqlserver)
    }

    /// Where byte 6 comes in this order.
    pub(super) const fn rank_of_6(self) -> u32 {
        match self {
            Self::Postgres => 6,
            Self::Dotnet => 7,
            Self::Sqlserver => 9,
            Self::Uuidv1 => 0,
            Self::Newsequentialid => 1,
        }
    }

    /// Where byte 8 comes in this order.
    pub(super) const fn rank_of_8(self) -> u32 {
        match self {
            Self::Sqlserver => 6,
            _ => 8,
        }
    }

    /// The id as one number that compares as the id does in this order.
    ///
    /// Rationale: whole words are turned and swapped in registers. Moving the bytes one by one by a
    /// table of positions costs 10 ns an id.
    #[inline(always)]
    pub const fn number(self, id: &Uuid) -> u128 {
        let number = id.as_u128();
        let (high, low) = ((number >> 64) as u64, number as u64);
        match self {
            Self::Postgres => number,
            Self::Dotnet => join(swap_groups(high), low),
            Self::Sqlserver => join(low.rotate_left(16), high.swap_bytes()),
            Self::Uuidv1 => join(high << 48 | high << 16 & 0xffff_0000_0000 | high >> 32, low),
            Self::Newsequentialid => join(high.swap_bytes(), low),
        }
    }

    /// The id of such a number.
    #[inline(always)]
    pub const fn uuid(self, number: u128) -> Uuid {
        let (high, low) = ((number >> 64) as u64, number as u64);
        let number = match self {
            Self::Postgres => number,
            Self::Dotnet => join(swap_groups(high), low),
            Self::Sqlserver => join(low.swap_bytes(), high.rotate_right(16)),
            Self::Uuidv1 => join(high << 32 | high >> 16 & 0xffff_0000 | high >> 48, low),
            Self::Newsequentialid => join(high.swap_bytes(), low),
        };
        Uuid::from_u128(number)
    }

    #[inline(always)]
    pub fn compare(self, a: &Uuid, b: &Uuid) -> Ordering {
        self.number(a).cmp(&self.number(b))
    }
}

const fn join(high: u64, low: u64) -> u128 {
    (high as u128) << 64 | low as u128
}

/// Uuid 0 to 3, 4 to 5 and 6 to 7 of a word, the highest first, each group reversed.
const fn swap_groups(word: u64) -> u64 {
    let (a, b, c) = ((word >> 32) as u32, (word >> 16) as u16, word as u16);
    (a.swap_bytes() as u64) << 32 | (b.swap_bytes() as u64) << 16 | c.swap_bytes() as u64
}

/// The id with bytes 6 to 7, 4 to 5 and 0 to 3 in front: what MySQL's `UUID_TO_BIN(x, 1)` makes of a
/// UUID's text.
pub fn mysql_swap(id: &Uuid) -> Uuid {
    ByteOrder::Postgres.uuid(ByteOrder::Uuidv1.number(id))
}

/// The reverse, MySQL's `BIN_TO_UUID(x, 1)`.
pub fn mysql_unswap(id: &Uuid) -> Uuid {
    ByteOrder::Uuidv1.uuid(ByteOrder::Postgres.number(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::{ids, uuid};
    use proptest::prelude::*;

    /// The design's table of positions.
    const POSITIONS: [(ByteOrder, [u8; 16]); 5] = [
        (ByteOrder::Postgres, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
        (ByteOrder::Dotnet, [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]),
        (ByteOrder::Sqlserver, [10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0]),
        (ByteOrder::Uuidv1, [6, 7, 4, 5, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15]),
        (ByteOrder::Newsequentialid, [7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15]),
    ];

    #[test]
    fn sql_server_compares_the_last_six_bytes_first() {
        // Each id is one in the byte that SQL Server compares next.
        let ranked = [10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0];
        for pair in ranked.windows(2) {
            let one = |position: usize| {
                let mut id = [0; 16];
                id[position] = 1;
                Uuid::from_bytes(id)
            };
            assert_eq!(
                ByteOrder::Sqlserver.compare(&one(pair[0]), &one(pair[1])),
                Ordering::Greater
            );
        }
    }

    #[test]
    fn dotnet_order_is_that_of_the_swapped_bytes() {
        let guid = Uuid::from_bytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(ByteOrder::Dotnet.number(&guid).to_be_bytes(), guid.to_bytes_le());
    }

    /// The example of MySQL's manual for UUID_TO_BIN().
    #[test]
    fn swapping_is_what_mysql_does() {
        let id = uuid("6ccd780c-baba-1026-9564-5b8c656024db");
        let stored = uuid("1026baba-6ccd-780c-9564-5b8c656024db");
        assert_eq!(mysql_swap(&id), stored);
        assert_eq!(mysql_unswap(&stored), id);
    }

    proptest! {
        #[test]
        fn numbers_are_the_bytes_in_their_order(id in ids()) {
            for (order, positions) in POSITIONS {
                let bytes = positions.map(|position| id.as_bytes()[usize::from(position)]);
                prop_assert_eq!(order.number(&id), u128::from_be_bytes(bytes));
                let rank = |byte| positions.iter().position(|&position| position == byte).unwrap();
                prop_assert_eq!(order.rank_of_6() as usize, rank(6));
                prop_assert_eq!(order.rank_of_8() as usize, rank(8));
            }
        }

        #[test]
        fn uuid_reverses_number(id in ids()) {
            for (order, _) in POSITIONS {
                prop_assert_eq!(order.uuid(order.number(&id)), id);
            }
            prop_assert_eq!(mysql_unswap(&mysql_swap(&id)), id);
        }

        /// Why ids of one process are in SQL Server's order as in that of their times.
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
}
