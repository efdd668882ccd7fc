//! The second axis of a layout: which byte of a UUID the target system compares first.

use std::cmp::Ordering;

use uuid::Uuid;

/// The order in which the bytes of a UUID are compared; [`Self::number`] defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The order of PostgreSQL's uuid, of .NET's Guid and of the text.
    Postgres,
    /// The order of the bytes of `Guid.ToByteArray()`, as Oracle compares RAW(16) and SQLite a BLOB.
    Dotnet,
    /// The order of SQL Server's uniqueidentifier and of .NET's SqlGuid.
    Sqlserver,
    /// The time of RFC 9562 version 1, its highest byte first. No system compares in this order.
    Uuidv1,
    /// The time of SQL Server's NEWSEQUENTIALID(), its highest byte first. SQL Server compares UUIDs of one
    /// node and clock sequence in this order.
    Newsequentialid,
}

impl ByteOrder {
    /// Its name in SQL.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Dotnet => "dotnet",
            Self::Sqlserver => "sqlserver",
            Self::Uuidv1 => "uuidv1",
            Self::Newsequentialid => "newsequentialid",
        }
    }

    /// Whether PostgreSQL has a type with this order: `uuid`, or the extension's `uniqueidentifier`.
    pub const fn is_in_postgres(self) -> bool {
        match self {
            Self::Postgres | Self::Sqlserver => true,
            Self::Dotnet | Self::Uuidv1 | Self::Newsequentialid => false,
        }
    }

    /// The rank of a byte: how many bytes are compared before it.
    #[inline(always)]
    pub(super) const fn rank_of(self, byte: u32) -> u32 {
        // The number of a UUID in which only this byte is not zero: a constant if `byte` is one.
        self.number(&Uuid::from_u128(1 << 127 >> (8 * byte))).leading_zeros() / 8
    }

    /// The UUID as a number. Numbers compare as the UUIDs do in this order.
    ///
    /// Rationale: whole words are rotated and swapped in registers. To move the bytes one by one costs 10 ns per id.
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

    /// The UUID of a number, the reverse of [`Self::number`].
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

    /// The upper half of [`Self::number`], for sorts and histograms: the smaller of two UUIDs never has the greater one.
    #[inline(always)]
    pub const fn upper_half(self, id: &Uuid) -> u64 {
        (self.number(id) >> 64) as u64
    }

    /// The next UUID in this order; `None` after the last.
    pub fn next(self, id: &Uuid) -> Option<Uuid> {
        self.number(id).checked_add(1).map(|number| self.uuid(number))
    }

    /// The previous UUID in this order; `None` before the first.
    pub fn previous(self, id: &Uuid) -> Option<Uuid> {
        self.number(id).checked_sub(1).map(|number| self.uuid(number))
    }

    /// Compares two UUIDs in this order.
    #[inline(always)]
    pub fn compare(self, a: &Uuid, b: &Uuid) -> Ordering {
        self.number(a).cmp(&self.number(b))
    }
}

const fn join(high: u64, low: u64) -> u128 {
    (high as u128) << 64 | low as u128
}

/// A word with its bytes 0 to 3, 4 to 5 and 6 to 7 reversed, each group separately.
const fn swap_groups(word: u64) -> u64 {
    let (a, b, c) = ((word >> 32) as u32, (word >> 16) as u16, word as u16);
    (a.swap_bytes() as u64) << 32 | (b.swap_bytes() as u64) << 16 | c.swap_bytes() as u64
}

#[cfg(test)]
#[path = "byte_order_tests.rs"]
mod tests;
