//! One place of the table: its words and their states. The [crate] has the table of states.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::atomic::{AtomicI64, AtomicU64, fence};
use crate::key::Key;
use crate::snapshot::Transactions;

pub(crate) const ENDED: u64 = 0;
pub(crate) const LIVE: u64 = 1;
const ENDING: u64 = 2;
const BUSY: u64 = 3;
pub(crate) const STATE: u64 = 3;

/// The floor of an entry that has none yet, by its id: a late reader must not give a floor to the next entry at the place. No
/// source has such numbers: a sequence is about to end, and the clock out of its range.
pub(crate) const fn unset(id: u64) -> i64 {
    i64::MAX - (id % (1 << 48)) as i64
}

/// The greatest floor.
pub(crate) const MAX_FLOOR: i64 = i64::MAX - (1 << 48);

/// A place of the table. All zeros is a free one.
#[repr(C)]
#[derive(Default)]
pub struct Place {
    /// A full transaction id (64 bits, of which the upper two are always 0) and a state.
    word: AtomicU64,
    table: AtomicU64,
    column: AtomicU64,
    floor: AtomicI64,
    note: AtomicU64,
}

#[cfg(not(all(test, loom)))]
const _: () = assert!(size_of::<Place>() == 40);

/// An entry of a transaction that has not said that it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The full transaction id.
    pub id: u64,
    /// What its floor is for.
    pub key: Key,
    /// The last number of the source before the transaction stored one; `None` if it is not known yet.
    pub floor: Option<i64>,
    /// When the entry was written, in ticks of the system clock.
    pub since: u64,
}

impl Place {
    /// The id and the state.
    pub(crate) fn word(&self) -> u64 {
        self.word.load(Acquire)
    }

    /// The database of the entry. Another writer may claim the place meanwhile.
    pub(crate) fn database(&self) -> u32 {
        self.key().database()
    }

    fn key(&self) -> Key {
        Key { table: self.table.load(Relaxed), column: self.column.load(Relaxed) }
    }

    /// The key and the floor, or [`unset`], of the entry of a transaction. `None` if a writer has claimed the place since its
    /// word named the transaction, which has an id.
    pub(crate) fn read(&self, id: u64) -> Option<(Key, i64)> {
        let (key, floor) = (self.key(), self.floor.load(Relaxed));
        fence(Acquire);
        let is_same = self.word.load(Relaxed) >> 2 == id;
        debug_assert!(!is_same || floor <= MAX_FLOOR || floor == unset(id), "{floor} is not a floor of {id}");
        is_same.then_some((key, floor))
    }

    /// Whether it has an entry of the transaction for this key.
    pub(crate) fn has(&self, id: u64, key: Key) -> bool {
        self.word() >> 2 == id && self.read(id).is_some_and(|(of, _)| of == key)
    }

    /// The entry, if its transaction has not said that it ended.
    pub(crate) fn live(&self) -> Option<Entry> {
        let word = self.word();
        if word & STATE != LIVE {
            return None;
        }
        let (id, since) = (word >> 2, self.note.load(Relaxed));
        let (key, floor) = self.read(id)?;
        let floor = (floor != unset(id)).then_some(floor);
        (self.word.load(Relaxed) == word).then_some(Entry { id, key, floor, since })
    }

    /// The next id after the end of the entry with this word. `None` if a writer has claimed the place since: the note may be the
    /// time of its entry.
    pub(crate) fn end_of(&self, word: u64) -> Option<u64> {
        let end = self.note.load(Relaxed);
        fence(Acquire);
        (self.word.load(Relaxed) == word).then_some(end)
    }

    /// Claims the place, if it still has this word.
    pub(crate) fn claim(&self, word: u64) -> bool {
        debug_assert_eq!(word & STATE, ENDED);
        let is_claimed = self.word.compare_exchange(word, BUSY, AcqRel, Relaxed).is_ok();
        // A reader that finds one of the next words changed also finds that the place is busy.
        fence(Release);
        is_claimed
    }

    /// Writes an entry to a place that the caller has claimed.
    pub(crate) fn write(&self, entry: Entry) {
        debug_assert!(entry.id != 0 && entry.id >> 62 == 0, "{} is no transaction id", entry.id);
        self.table.store(entry.key.table, Relaxed);
        self.column.store(entry.key.column, Relaxed);
        self.floor.store(entry.floor.map_or(unset(entry.id), |floor| floor.min(MAX_FLOOR)), Relaxed);
        self.note.store(entry.since, Relaxed);
        debug_assert_eq!(self.word.load(Relaxed), BUSY, "only the writer that claimed a place changes it");
        self.word.store(entry.id << 2 | LIVE, Release);
    }

    /// Gives the entry of a transaction a floor, unless it has one. Returns the floor that it then has.
    pub(crate) fn give_floor(&self, id: u64, last: i64) -> i64 {
        let last = last.min(MAX_FLOOR);
        self.floor.compare_exchange(unset(id), last, AcqRel, Acquire).map_or_else(|floor| floor, |_| last)
    }

    pub(crate) fn lower(&self, floor: i64) {
        self.floor.fetch_min(floor.min(MAX_FLOOR), AcqRel);
    }

    /// [`Self::lower`] for an entry of the clock.
    pub(crate) fn lower_clock(&self, floor: i64) {
        if self.word() & STATE == LIVE && self.key().is_clock() {
            self.lower(floor);
        }
    }

    /// Ends the entry of a transaction; false if another process does. `at_end` is called before the place can be claimed.
    pub(crate) fn end(&self, id: u64, transactions: &impl Transactions, at_end: impl FnOnce()) -> bool {
        let ends = self.word.compare_exchange(id << 2 | LIVE, id << 2 | ENDING, AcqRel, Relaxed).is_ok();
        if ends {
            fence(Release);
            at_end();
            // Read after the transaction had ended.
            self.note.store(transactions.next(), Relaxed);
            debug_assert_eq!(self.word.load(Relaxed), id << 2 | ENDING, "only the process that swapped changes it");
            self.word.store(id << 2 | ENDED, Release);
        }
        ends
    }
}
