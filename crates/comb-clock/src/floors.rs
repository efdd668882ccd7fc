//! The horizon of a snapshot: one table of floors, in memory that processes share.
//!
//! An entry is (transaction id, source, floor). A *source* is what numbers are drawn from: a sequence, or the clock.
//!
//! ```text
//! writer, once for each source, before its transaction draws from it:
//!     write the entry, without a floor;  full fence;  give it the last number of the source as its floor
//! reader, with the snapshot S of its statement:
//!     last = last number of the source;  full fence
//!     to each entry without a floor whose transaction S does not see: give it the last number, read again, as its floor
//!     horizon = min(last, floor of each entry of the source whose transaction S does not see)
//! ```
//!
//! The first one that gives a floor decides, by compare-and-swap.
//!
//! # Proof
//! Suppose that transaction T draws v <= horizon, and that S does not see T. T's entry had its floor, a last number of before,
//! when T drew v. Therefore the floor is below v, and the entry was written before the source reached v, hence before the reader
//! read last >= v. The entry is still there (an entry is overwritten only after its transaction has ended, see below). Therefore
//! horizon <= floor < v: a contradiction.
//!
//! # One answer for a snapshot
//! Suppose that S sees a row with number v. Then v was drawn before S was taken. If a reader with S does not find an entry, its
//! floor is a number that the source had later: at least v. If it finds the entry, the entry has a floor from then on. The
//! entries with floors below v whose transactions S does not see are therefore the same whenever the horizon is computed. The
//! answer whether v is below the horizon is the same in each row, partition, branch, process and connection. (With a floor that
//! is read before the entry is written, a process that stops between the two changes the answer of others.)
//!
//! # Entries that were overwritten
//! `lost` is the greatest transaction id whose entry was overwritten. It is raised before the place is claimed, and read after
//! the entries. If S does not see a transaction with an id of up to `lost` that has ended and has no entry for the source, the
//! horizon is unknown. An id that is not below `lost_end` was assigned after all of these had ended. A snapshot with
//! xmax > `lost_end` therefore sees all of them. A transaction must not write a second entry for a source: that would hide that
//! the first one was overwritten.
//!
//! # Transactions prepared before the server started
//! `born` is the next transaction id when the table was filled with their floors. Where S does not see a transaction with a
//! lower id that has ended and has no entry, it may have ended before that: unknown as well.
//!
//! # The clock as a source
//!
//! | state | horizon | new rows |
//! |---|---|---|
//! | no UUID is generated | the reader moves the clock to the system clock first: the present | |
//! | the clock is ahead of the system clock | follows the clock, not the system clock | can be read at once |
//! | the clock is reset while a floor is held | the floor is lowered to the new clock first: see [`Floors::lower`] | wait for the transaction |
//! | a crash loses a lead | the clock starts lower; new UUIDs are below a cursor of before | read after comb_observe() with the cursor |
//!
//! # States of a place
//!
//! | word | meaning | changed by | to |
//! |---|---|---|---|
//! | id, ENDED | the transaction has ended; `note`: the next id after that. 0: never used | a writer, compare-and-swap | BUSY |
//! | BUSY, no id | the other words are being written | the writer that claimed it, store | its id, LIVE |
//! | id, LIVE | the transaction may draw; `note`: when the entry was written | its process at its end, or a writer that finds that it has ended: compare-and-swap | id, ENDING |
//! | id, ENDING | `note` is being written | the process that swapped, store | id, ENDED |
//!
//! The floor of an entry without one is a number that names the transaction ([`unset`]). The writer or a reader replaces it,
//! compare-and-swap, by the last number of the source.
//!
//! The end is a compare-and-swap because a transaction has ended before its process says so: meanwhile, another process
//! may have ended the entry and a third one have taken the place.

#[cfg(all(test, loom))]
use loom::sync::atomic::{AtomicI64, AtomicU64, fence};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
#[cfg(not(all(test, loom)))]
use std::sync::atomic::{AtomicI64, AtomicU64, fence};

const ENDED: u64 = 0;
const LIVE: u64 = 1;
const ENDING: u64 = 2;
const BUSY: u64 = 3;
const STATE: u64 = 3;

/// No transaction is older than half of the 32-bit ids.
const MAX_AGE: u64 = i32::MAX as u64;

/// The floor of an entry that has none yet, by its id: a late reader must not give a floor to the next entry at the place. No
/// source has such numbers: a sequence is about to end, and the clock out of its range.
const fn unset(id: u64) -> i64 {
    i64::MAX - (id % (1 << 48)) as i64
}

/// The greatest floor.
const MAX_FLOOR: i64 = i64::MAX - (1 << 48);

/// How many places a writer looks at for one whose entry ended long ago.
const SEARCH: usize = 32;

/// What numbers are drawn from: a sequence of a database, or the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source(u64);

impl Source {
    /// The clock, for the tables of a database.
    pub const fn clock(database: u32) -> Self {
        Self((database as u64) << 32)
    }

    /// The sequence of a database with that OID, which is not 0.
    pub const fn sequence(database: u32, sequence: u32) -> Self {
        Self((database as u64) << 32 | sequence as u64)
    }

    /// Each sequence of a database: a transaction that version 0.3.0 prepared does not say from which ones it drew.
    pub const fn every_sequence(database: u32) -> Self {
        Self::sequence(database, u32::MAX)
    }

    /// The OID of the database.
    pub const fn database(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The OID of the sequence; 0 for the clock, `u32::MAX` for every sequence.
    pub const fn object(self) -> u32 {
        self.0 as u32
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

/// A place of the table. All zeros is a free one.
#[repr(C, align(32))]
#[derive(Default)]
pub struct Place {
    /// A full transaction id (64 bits, of which the upper two are always 0) and a state.
    word: AtomicU64,
    source: AtomicU64,
    floor: AtomicI64,
    note: AtomicU64,
}

/// The words of the table that all places share. All zeros is an unused table.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Header {
    /// Where the next writer begins to look for a place.
    next: AtomicU64,
    lost: AtomicU64,
    lost_end: AtomicU64,
    /// 0 until the table has the floors of prepared transactions.
    born: AtomicU64,
}

/// The table.
#[derive(Clone, Copy)]
pub struct Floors<'a> {
    header: &'a Header,
    places: &'a [Place],
}

/// An entry of a transaction that has not said that it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The full transaction id.
    pub id: u64,
    /// What it draws from.
    pub source: Source,
    /// The last number before the transaction drew; `None` if it is not known yet.
    pub floor: Option<i64>,
    /// When the entry was written, in ticks of the system clock.
    pub since: u64,
}

/// The transactions of the server.
pub trait Transactions {
    /// The full transaction id that is assigned next.
    fn next(&self) -> u64;

    /// Whether the transaction with this full id is in progress or prepared.
    fn in_progress(&self, id: u64) -> bool;
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

impl Snapshot<'_> {
    /// Whether the snapshot sees what the transaction with this full id has stored, if it committed.
    pub fn sees(&self, id: u64) -> bool {
        id < self.xmin || id < self.xmax && self.own != Some(id) && !self.running.contains(&(id as u32))
    }

    fn full(&self, id: u32) -> u64 {
        self.xmin + u64::from(id.wrapping_sub(self.xmin as u32))
    }
}

/// Why the horizon of a snapshot is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// An entry that counts for it may have been overwritten. A newer snapshot has a horizon.
    Overwritten,
    /// The transaction with this full id draws from sequences that it does not name, until it ends.
    EverySequence(u64),
}

impl<'a> Floors<'a> {
    /// The table in this memory.
    pub fn new(header: &'a Header, places: &'a [Place]) -> Self {
        Self { header, places }
    }

    /// The number of places.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// Whether [`Self::set_born`] was called.
    pub fn is_born(&self) -> bool {
        self.header.born.load(Acquire) != 0
    }

    /// Says that the table has the floors of all transactions that were prepared before the server started.
    pub fn set_born(&self, transactions: &impl Transactions) {
        self.header.born.store(transactions.next(), Release);
    }

    /// Writes an entry. Returns its place; `None` if transactions in progress have all places. The transaction may draw from the
    /// source when the entry has a floor: [`Self::set_floor`].
    ///
    /// Places are used in turn, so that an entry stays readable after the end of its transaction. One that ended less than a
    /// quarter as many ids ago as there are places is passed over, if there is another among the next [`SEARCH`].
    pub fn place(&self, entry: Entry, transactions: &impl Transactions) -> Option<usize> {
        let count = self.places.len();
        let search = count.min(SEARCH);
        let first = self.header.next.fetch_add(1, Relaxed) as usize;
        let next = transactions.next();
        let unneeded = |end: u64| end + count as u64 / 4 <= next;
        for turn in 0..search + count {
            let index = first.wrapping_add(turn) % count;
            let place = self.places.get(index)?;
            if turn < count {
                self.end_if_over(place, next, transactions);
            }
            let word = place.word.load(Acquire);
            if word & STATE != ENDED {
                continue;
            }
            if word != 0 {
                let end = place.note.load(Relaxed);
                if turn < search && !unneeded(end) {
                    continue;
                }
                // In this order: a reader that sees the second one also sees the first.
                self.header.lost.fetch_max(word >> 2, AcqRel);
                self.header.lost_end.fetch_max(end, AcqRel);
            }
            if place.word.compare_exchange(word, BUSY, AcqRel, Relaxed).is_err() {
                continue;
            }
            // A reader that finds one of the next words changed also finds that the place is busy.
            fence(Release);
            place.source.store(entry.source.0, Relaxed);
            place.floor.store(entry.floor.unwrap_or(unset(entry.id)), Relaxed);
            place.note.store(entry.since, Relaxed);
            place.word.store(entry.id << 2 | LIVE, Release);
            // The entry is written before the last number is read.
            fence(SeqCst);
            return Some(index);
        }
        None
    }

    /// Gives an entry of a transaction in progress the last number of its source as its floor, which was read after the entry was
    /// written. A reader may have done that already.
    pub fn set_floor(&self, index: usize, id: u64, last: i64) {
        if let Some(place) = self.places.get(index) {
            Self::give_floor(place, id, last);
        }
        // The floor is there before the number is drawn.
        fence(SeqCst);
    }

    /// The floor that the entry then has.
    fn give_floor(place: &Place, id: u64, last: i64) -> i64 {
        let last = last.min(MAX_FLOOR);
        place.floor.compare_exchange(unset(id), last, AcqRel, Acquire).map_or_else(|floor| floor, |_| last)
    }

    /// Ends the entry of a transaction whose process is gone: it was prepared, or the process was killed.
    fn end_if_over(&self, place: &Place, next: u64, transactions: &impl Transactions) {
        let word = place.word.load(Acquire);
        let id = word >> 2;
        if word & STATE == LIVE && (next.saturating_sub(id) > MAX_AGE || !transactions.in_progress(id)) {
            Self::end_place(place, id, transactions);
        }
    }

    /// Says that a transaction has ended: all snapshots that are taken from now on see that.
    pub fn end(&self, index: usize, id: u64, transactions: &impl Transactions) {
        if let Some(place) = self.places.get(index) {
            Self::end_place(place, id, transactions);
        }
    }

    fn end_place(place: &Place, id: u64, transactions: &impl Transactions) {
        if place.word.compare_exchange(id << 2 | LIVE, id << 2 | ENDING, AcqRel, Relaxed).is_ok() {
            fence(Release);
            // Read after the transaction had ended.
            place.note.store(transactions.next(), Relaxed);
            place.word.store(id << 2 | ENDED, Release);
        }
    }

    /// [`Self::end`] for all entries of a transaction.
    pub fn end_all(&self, id: u64, transactions: &impl Transactions) {
        self.places.iter().for_each(|place| Self::end_place(place, id, transactions));
    }

    /// The last number of the source up to which all numbers are settled for a snapshot: drawn by transactions that it
    /// sees, or that have aborted, or never stored. `last` reads the last number of the source.
    ///
    /// # Errors
    /// It is not known, or the error of `last`.
    pub fn settled<E: From<Unknown>>(
        &self,
        source: Source,
        last: impl Fn() -> Result<i64, E>,
        snapshot: &Snapshot,
        transactions: &impl Transactions,
    ) -> Result<i64, E> {
        let mut settled = last()?;
        // The source is read before the entries.
        fence(SeqCst);
        let every = if source.object() == 0 { source } else { Source::every_sequence(source.database()) };
        for place in self.places {
            let word = place.word.load(Acquire);
            let id = word >> 2;
            // Also places that are free or busy.
            if id < snapshot.xmin {
                continue;
            }
            let (of, floor) = (Source(place.source.load(Relaxed)), place.floor.load(Relaxed));
            fence(Acquire);
            let is_other = (of != source && of != every) || place.word.load(Relaxed) >> 2 != id;
            // An entry that changes nothing needs no search of the snapshot.
            if is_other || (of == source && floor >= settled && floor != unset(id)) || snapshot.sees(id) {
                continue;
            }
            if of != source {
                let is_prepared = transactions.in_progress(id);
                return Err(if is_prepared { Unknown::EverySequence(id) } else { Unknown::Overwritten }.into());
            }
            let floor = if floor == unset(id) { Self::give_floor(place, id, last()?) } else { floor };
            settled = settled.min(floor);
        }
        fence(Acquire);
        // Read after the entries.
        let lost_end = self.header.lost_end.load(Acquire);
        let lost = if lost_end < snapshot.xmax { 0 } else { self.header.lost.load(Acquire) };
        let unsure_below = self.header.born.load(Acquire).max(lost + 1);
        if lost >= snapshot.xmax {
            return Err(Unknown::Overwritten.into());
        }
        if unsure_below > snapshot.xmin {
            let ids = snapshot.running.iter().map(|id| snapshot.full(*id));
            let is_lost = |id: u64| id < unsure_below && !self.has_entry(id, source) && !transactions.in_progress(id);
            if ids.into_iter().any(is_lost) {
                return Err(Unknown::Overwritten.into());
            }
        }
        Ok(settled)
    }

    /// Whether a transaction has an entry for this source: it may have entries for others as well.
    fn has_entry(&self, id: u64, source: Source) -> bool {
        self.places.iter().any(|place| {
            place.word.load(Acquire) >> 2 == id && {
                let of = place.source.load(Relaxed);
                fence(Acquire);
                of == source.0 && place.word.load(Relaxed) >> 2 == id
            }
        })
    }

    /// The entry of a transaction at this place.
    pub fn entry(&self, index: usize, id: u64) -> Option<Entry> {
        self.places.get(index).and_then(Self::live_entry).filter(|entry| entry.id == id)
    }

    /// The place of the entry that a transaction in progress has for a source.
    pub fn place_of(&self, id: u64, source: Source) -> Option<usize> {
        (0..self.places.len()).find(|index| self.entry(*index, id).is_some_and(|entry| entry.source == source))
    }

    /// The entries of transactions that have not said that they ended.
    pub fn live(&self) -> impl Iterator<Item = Entry> + use<'a> {
        self.places.iter().filter_map(Self::live_entry)
    }

    fn live_entry(place: &Place) -> Option<Entry> {
        let word = place.word.load(Acquire);
        let (id, floor) = (word >> 2, place.floor.load(Relaxed));
        let entry = Entry {
            id,
            source: Source(place.source.load(Relaxed)),
            floor: (floor != unset(id)).then_some(floor),
            since: place.note.load(Relaxed),
        };
        fence(Acquire);
        (word & STATE == LIVE && place.word.load(Relaxed) == word).then_some(entry)
    }

    /// Lowers the floors of all transactions that draw from the clock, which is about to be set back to that tick.
    ///
    /// A transaction with a floor that is not lowered wrote it after the clock was announced to be set back. It finds that
    /// when it looks again after writing the entry, and calls [`Self::lower_place`]. The place may have become that of
    /// another transaction meanwhile: a floor that is too low holds readers back, and loses no row.
    pub fn lower(&self, tick: i64) {
        for place in self.places {
            if place.word.load(Acquire) & STATE == LIVE && Source(place.source.load(Relaxed)).object() == 0 {
                place.floor.fetch_min(tick, AcqRel);
            }
        }
        fence(SeqCst);
    }

    /// Lowers the floor at a place.
    pub fn lower_place(&self, index: usize, tick: i64) {
        if let Some(place) = self.places.get(index) {
            place.floor.fetch_min(tick, AcqRel);
        }
        fence(SeqCst);
    }
}

#[cfg(all(test, not(loom)))]
#[path = "floors_tests.rs"]
mod tests;

#[cfg(all(test, loom))]
#[path = "floors_model.rs"]
mod model;
