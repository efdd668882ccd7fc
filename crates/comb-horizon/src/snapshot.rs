//! The transactions of the server, and which of them a statement sees.

use std::ffi::CStr;

/// The transactions of the server.
pub trait Transactions {
    /// The full transaction id that is assigned next.
    fn next(&self) -> u64;

    /// Whether the transaction with this full id is in progress or prepared.
    fn in_progress(&self, id: u64) -> bool;

    /// Called at the steps of the protocol and in rare states, which have these names: tests stop a process there, or count.
    #[inline(always)]
    fn reach(&self, _point: &'static CStr) {}
}

/// Which transactions a statement sees.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The full id below which it sees all transactions.
    pub xmin: u64,
    /// The full id from which on it sees none.
    pub xmax: u64,
    /// The lower halves of the ids between, of the transactions that it does not see.
    pub running: &'a [u32],
    /// The full id of the statement's own transaction. Its rows become readable for all readers alike, when it has committed.
    pub own: Option<u64>,
}

/// What identifies a snapshot of a server: of the transactions below `xmax`, it does not see those that were in progress, which
/// become fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// That of the snapshot.
    pub xmin: u64,
    /// That of the snapshot.
    pub xmax: u64,
    running: u64,
}

impl Taken {
    /// That of no snapshot.
    pub const NEVER: Self = Self { xmin: 0, xmax: 0, running: 0 };
}

impl Snapshot<'_> {
    /// What identifies it. The number of ids in [`Self::running`] is not enough: PostgreSQL lists an id twice while its
    /// PREPARE TRANSACTION waits for a standby.
    pub fn taken(&self) -> Taken {
        let hash = |id: &u32| {
            let first = (u64::from(*id) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (first ^ first >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
        };
        let running = self.running.iter().map(hash).fold(0, u64::wrapping_add);
        Taken { xmin: self.xmin, xmax: self.xmax, running }
    }

    /// Whether the snapshot sees what the transaction with this full id has stored, if it committed.
    pub fn sees(&self, id: u64) -> bool {
        id < self.xmin || id < self.xmax && self.own != Some(id) && !self.running.contains(&(id as u32))
    }

    /// The full ids of [`Self::running`].
    pub(crate) fn running(&self) -> impl Iterator<Item = u64> {
        self.running.iter().map(|id| self.xmin + u64::from(id.wrapping_sub(self.xmin as u32)))
    }
}

/// Why the horizon of a snapshot is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// An entry that counts for it may have been overwritten. A newer snapshot has a horizon.
    Overwritten,
    /// The transaction with this full id stores numbers in columns that it does not name, until it ends.
    EveryNumber(u64),
}
