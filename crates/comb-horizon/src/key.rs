//! What floors are for.

/// What a floor is for: a column of numbers of a table, or the clock, in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The OID of the database in the upper half, that of the table in the lower one.
    pub(crate) table: u64,
    pub(crate) column: u64,
}

impl Key {
    /// The UUIDs of the clock, in all tables of a database.
    pub const fn clock(database: u32) -> Self {
        Self::of(database, 0, 0)
    }

    /// The numbers of a column. The table is the topmost one, from which others inherit the column.
    pub const fn column(database: u32, table: u32, column: i16) -> Self {
        debug_assert!(table != 0 && table != u32::MAX);
        Self::of(database, table, column)
    }

    /// The numbers of each column of a database: a transaction that version 0.4.1 prepared names sequences, and no tables.
    pub const fn every_number(database: u32) -> Self {
        Self::of(database, u32::MAX, 0)
    }

    const fn of(database: u32, table: u32, column: i16) -> Self {
        Self { table: (database as u64) << 32 | table as u64, column: column as u16 as u64 }
    }

    /// The OID of the database.
    pub const fn database(self) -> u32 {
        (self.table >> 32) as u32
    }

    /// The OID of the table; 0 for the clock, `u32::MAX` for every number.
    pub const fn table(self) -> u32 {
        self.table as u32
    }

    /// The number of the column in its table; 0 for the clock and for every number.
    pub const fn attribute(self) -> i16 {
        self.column as i16
    }

    /// Whether it is that of the clock.
    pub(crate) const fn is_clock(self) -> bool {
        self.table() == 0
    }
}

/// A tick as a number: in the same order, over the whole range of both.
pub const fn number_of_tick(tick: u64) -> i64 {
    (tick ^ 1 << 63) as i64
}

/// The tick of [`number_of_tick`].
pub const fn tick_of_number(number: i64) -> u64 {
    number as u64 ^ 1 << 63
}
