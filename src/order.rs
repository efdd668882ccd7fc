//! The second axis of a layout: which byte of an id the target system compares first.

use std::cmp::Ordering;

/// The 16 bytes of a uuid as PostgreSQL stores and prints them.
pub type Bytes = [u8; 16];

/// Positions of an id's bytes, the one compared first in front.
#[derive(Debug, PartialEq, Eq)]
pub struct ByteOrder {
    pub label: &'static str,
    positions: [usize; 16],
    /// Where byte 6 and byte 8, which carry the RFC 9562 stamp, come in this order.
    pub(crate) rank_of_6: u32,
    pub(crate) rank_of_8: u32,
}

/// PostgreSQL's uuid, .NET's Guid, and whoever compares the text.
pub const POSTGRES: ByteOrder =
    ByteOrder::new("postgres", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

/// `Guid.ToByteArray()` compared as bytes: Oracle RAW(16), SQLite BLOB.
pub const DOTNET: ByteOrder =
    ByteOrder::new("dotnet", [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]);

/// SQL Server's uniqueidentifier, .NET's SqlGuid.
pub const SQLSERVER: ByteOrder =
    ByteOrder::new("sqlserver", [10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0]);

/// The id with bytes 0 to 3, 4 to 5 and 6 to 7 reversed: what `Guid.ToByteArray()` makes of a Guid's
/// text, and back.
pub fn dotnet_swap(id: &Bytes) -> Bytes {
    POSTGRES.bytes(DOTNET.number(id))
}

/// An id in SQL Server's order as two numbers, of which the first is compared first.
///
/// The same as `SQLSERVER.number`, without moving the bytes one by one: bytes 8 to 15 in their order,
/// turned by two, and bytes 0 to 7 from the last to the first.
#[inline(always)]
pub fn sqlserver_words(id: &Bytes) -> (u64, u64) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *id;
    (u64::from_be_bytes([k, l, m, n, o, p, i, j]), u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

/// Two ids in SQL Server's order.
#[inline(always)]
pub fn sqlserver_compare(a: &Bytes, b: &Bytes) -> Ordering {
    sqlserver_words(a).cmp(&sqlserver_words(b))
}

/// The id that comes after in SQL Server's order; `None` after the last.
pub fn sqlserver_next(id: &Bytes) -> Option<Bytes> {
    SQLSERVER.number(id).checked_add(1).map(|number| SQLSERVER.bytes(number))
}

/// The id that comes before in SQL Server's order; `None` before the first.
pub fn sqlserver_previous(id: &Bytes) -> Option<Bytes> {
    SQLSERVER.number(id).checked_sub(1).map(|number| SQLSERVER.bytes(number))
}

impl ByteOrder {
    const fn new(label: &'static str, positions: [usize; 16]) -> Self {
        let (mut rank_of_6, mut rank_of_8, mut rank) = (0, 0, 0);
        while rank < 16 {
            match positions[rank] {
                6 => rank_of_6 = rank as u32,
                8 => rank_of_8 = rank as u32,
                _ => {}
            }
            rank += 1;
        }
        Self { label, positions, rank_of_6, rank_of_8 }
    }

    /// The id as one number that compares as the id does in this order.
    #[inline(always)]
    pub fn number(&self, id: &Bytes) -> u128 {
        // A loop, not `map`: that is a call, and this one dissolves where the order is a constant.
        let mut bytes = [0; 16];
        for (byte, position) in bytes.iter_mut().zip(self.positions) {
            *byte = id[position];
        }
        u128::from_be_bytes(bytes)
    }

    /// The id of such a number.
    #[inline(always)]
    pub fn bytes(&self, number: u128) -> Bytes {
        let mut id = [0; 16];
        for (byte, position) in number.to_be_bytes().into_iter().zip(self.positions) {
            id[position] = byte;
        }
        id
    }

    #[inline(always)]
    pub fn compare(&self, a: &Bytes, b: &Bytes) -> Ordering {
        self.number(a).cmp(&self.number(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sql_server_compares_the_last_six_bytes_first() {
        // Each id is one in the byte that SQL Server compares next.
        let ranked = [10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0];
        for pair in ranked.windows(2) {
            let one = |position: usize| {
                let mut id = [0; 16];
                id[position] = 1;
                id
            };
            assert_eq!(SQLSERVER.compare(&one(pair[0]), &one(pair[1])), Ordering::Greater);
        }
    }

    #[test]
    fn dotnet_order_is_that_of_the_swapped_bytes() {
        let guid = uuid::Uuid::from_bytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(DOTNET.number(guid.as_bytes()).to_be_bytes(), guid.to_bytes_le());
    }

    #[test]
    fn swapping_is_what_dotnet_does() {
        let guid = uuid::Uuid::parse_str("00112233-4455-6677-8899-aabbccddeeff").unwrap();
        assert_eq!(dotnet_swap(guid.as_bytes()), guid.to_bytes_le());
        assert_eq!(dotnet_swap(&dotnet_swap(guid.as_bytes())), guid.into_bytes());
    }

    #[test]
    fn the_ends_of_sql_servers_order_have_no_neighbours() {
        assert_eq!(sqlserver_previous(&[0; 16]), None);
        assert_eq!(sqlserver_next(&[0xff; 16]), None);
    }

    proptest! {
        #[test]
        fn words_compare_as_the_number(a in any::<Bytes>(), b in any::<Bytes>()) {
            let (high, low) = sqlserver_words(&a);
            prop_assert_eq!(u128::from(high) << 64 | u128::from(low), SQLSERVER.number(&a));
            prop_assert_eq!(sqlserver_compare(&a, &b), SQLSERVER.compare(&a, &b));
        }

        #[test]
        fn neighbours_stand_next_to_each_other(id in any::<Bytes>()) {
            if let Some(next) = sqlserver_next(&id) {
                prop_assert!(sqlserver_compare(&id, &next).is_lt());
                prop_assert_eq!(sqlserver_previous(&next), Some(id));
            }
        }

        #[test]
        fn bytes_reverses_number(id in any::<Bytes>()) {
            for order in [&POSTGRES, &DOTNET, &SQLSERVER] {
                prop_assert_eq!(order.bytes(order.number(&id)), id);
            }
        }
    }
}
