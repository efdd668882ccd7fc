//! The table: who gets a place, and the horizon of a snapshot.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use crate::atomic::{AtomicU64, fence};
use crate::key::Key;
use crate::place::{ENDED, Entry, LIVE, MAX_FLOOR, Place, STATE, unset};
use crate::snapshot::{Snapshot, Transactions, Unknown};

/// No transaction is older than half of the 32-bit ids.
const MAX_AGE: u64 = i32::MAX as u64;

/// How many places a writer looks at for one whose entry ended long ago.
const SEARCH: usize = 32;

/// A database gets another place while it has fewer than this many times the free ones.
const SHARE: usize = 3;

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
    /// The number of entries that are live, or are being written.
    live: AtomicU64,
}

/// The table.
#[derive(Clone, Copy)]
pub struct Floors<'a> {
    header: &'a Header,
    places: &'a [Place],
}

/// Why there is no place for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Transactions in progress have all places.
    Table,
    /// The database has its share of the places.
    Share,
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

    /// Writes an entry, and returns its place. The transaction has no entry for the key. It may store numbers when the entry has
    /// a floor: [`Self::set_floor`].
    ///
    /// Places are used in turn, so that an entry stays readable after the end of its transaction. One that ended less than a
    /// quarter as many ids ago as there are places is passed over, if there is another among the next 32. If there is none, that
    /// of the first end of these is used: the end of a prepared transaction is noted when a writer comes by.
    ///
    /// # Errors
    /// There is no free place, or the database has its share of them: the rule stands at the [crate].
    pub fn place(&self, entry: Entry, transactions: &impl Transactions) -> Result<usize, Full> {
        // A second entry would hide that the first one was overwritten. (The search would be most of the model.)
        debug_assert!(cfg!(loom) || self.place_of(entry.id, entry.key).is_none(), "the second entry of {entry:?}");
        let next = transactions.next();
        if 2 * self.header.live.load(Relaxed) > self.places.len() as u64 {
            self.check_share(entry.key.database(), next, transactions)?;
        }
        self.write(entry, next, transactions).ok_or(Full::Table)
    }

    /// Writes an entry with the floor of a transaction that was prepared before the server started, whatever the share of its
    /// database, and returns the place; `None` if the table is full.
    pub fn restore(&self, entry: Entry, transactions: &impl Transactions) -> Option<usize> {
        self.write(entry, transactions.next(), transactions)
    }

    /// Whether a database gets another place, when more than half of them are in use.
    #[cold]
    #[inline(never)]
    fn check_share(&self, database: u32, next: u64, transactions: &impl Transactions) -> Result<(), Full> {
        if self.has_share(database).is_ok() {
            return Ok(());
        }
        // Some may be entries of processes that are gone.
        self.places.iter().for_each(|place| self.end_if_over(place, next, transactions));
        self.has_share(database)
    }

    fn has_share(&self, database: u32) -> Result<(), Full> {
        let (mut free, mut own) = (0, 0);
        for place in self.places {
            match place.word() & STATE {
                ENDED => free += 1,
                LIVE if place.database() == database => own += 1,
                _ => (),
            }
        }
        match free {
            0 => Err(Full::Table),
            _ if own < SHARE * free => Ok(()),
            _ => Err(Full::Share),
        }
    }

    fn write(&self, entry: Entry, next: u64, transactions: &impl Transactions) -> Option<usize> {
        let count = self.places.len();
        let search = count.min(SEARCH);
        let first = self.header.next.fetch_add(1, Relaxed) as usize;
        // The end, the place and the word of the entry that ended first of those that are passed over.
        let mut oldest: Option<(u64, usize, u64)> = None;
        for turn in 0..search + count {
            if turn == search
                && let Some((_, index, word)) = oldest
                && self.overwrite(self.places.get(index)?, word, entry, transactions)
            {
                return Some(index);
            }
            let index = first.wrapping_add(turn) % count;
            let place = self.places.get(index)?;
            if turn < count {
                self.end_if_over(place, next, transactions);
            }
            let word = place.word();
            if word & STATE != ENDED {
                continue;
            }
            let recent_end = || place.end_of(word).filter(|end| end + count as u64 / 4 > next);
            if turn < search
                && word != 0
                && let Some(end) = recent_end()
            {
                let found = (end, index, word);
                oldest = Some(oldest.map_or(found, |oldest| oldest.min(found)));
            } else if self.overwrite(place, word, entry, transactions) {
                return Some(index);
            }
        }
        None
    }

    /// Writes an entry to a place whose entry has ended; false if another writer has claimed it.
    fn overwrite(&self, place: &Place, word: u64, entry: Entry, transactions: &impl Transactions) -> bool {
        if word != 0 {
            let Some(end) = place.end_of(word) else { return false };
            self.lose(word >> 2, end, transactions);
            transactions.reach(c"comb-overwritten");
        }
        if !place.claim(word) {
            return false;
        }
        transactions.reach(c"comb-claimed");
        let live = self.header.live.fetch_add(1, Relaxed);
        debug_assert!(live < self.places.len() as u64, "more entries than places");
        place.write(entry);
        // The entry is written before the last number is read.
        fence(SeqCst);
        true
    }

    /// Says that the entry of a transaction is about to be overwritten. `end`: the next id after it had ended.
    fn lose(&self, id: u64, end: u64, transactions: &impl Transactions) {
        debug_assert!(id < end && end <= transactions.next(), "{end} is no id after the end of {id}");
        // In this order: a reader that sees the second one also sees the first.
        self.header.lost.fetch_max(id, AcqRel);
        self.header.lost_end.fetch_max(end, AcqRel);
    }

    /// Gives an entry of a transaction in progress the last number of its source as its floor, which was read after the entry was
    /// written. A reader may have done that already. Returns the floor that the entry has.
    pub fn set_floor(&self, index: usize, id: u64, last: i64, transactions: &impl Transactions) -> i64 {
        let is_own = |place: &Place| place.word() == (id << 2 | LIVE);
        debug_assert!(self.places.get(index).is_none_or(is_own), "the entry of {id}, which is in progress, is not at {index}");
        transactions.reach(c"comb-before-floor");
        let floor = self.places.get(index).map_or(last, |place| place.give_floor(id, last));
        debug_assert!(floor <= MAX_FLOOR, "{id} has no floor");
        // The floor is there before a number is drawn.
        fence(SeqCst);
        transactions.reach(c"comb-floor");
        floor
    }

    /// Ends the entry of a transaction whose process is gone: it was prepared, or the process was killed.
    fn end_if_over(&self, place: &Place, next: u64, transactions: &impl Transactions) {
        let word = place.word();
        let id = word >> 2;
        if word & STATE == LIVE && (next.saturating_sub(id) > MAX_AGE || !transactions.in_progress(id)) {
            self.end_place(place, id, transactions);
        }
    }

    /// Says that a transaction has ended: all snapshots that are taken from now on see that.
    pub fn end(&self, index: usize, id: u64, transactions: &impl Transactions) {
        if let Some(place) = self.places.get(index)
            && !self.end_place(place, id, transactions)
        {
            transactions.reach(c"comb-ended-by-another");
        }
    }

    /// False if another process has ended it.
    fn end_place(&self, place: &Place, id: u64, transactions: &impl Transactions) -> bool {
        place.end(id, transactions, || {
            let live = self.header.live.fetch_sub(1, Relaxed);
            debug_assert!(live > 0, "an entry that was not counted");
        })
    }

    /// The number up to which a snapshot has all numbers of a key: stored by transactions that it sees, or that have aborted, or
    /// never stored. `last` reads the last number of the source.
    ///
    /// # Errors
    /// It is not known, or the error of `last`.
    pub fn settled<E: From<Unknown>>(
        &self,
        key: Key,
        last: impl Fn() -> Result<i64, E>,
        snapshot: &Snapshot,
        transactions: &impl Transactions,
    ) -> Result<i64, E> {
        debug_assert!(snapshot.xmin <= snapshot.xmax);
        let mut settled = last()?;
        // The source is read before the entries.
        fence(SeqCst);
        transactions.reach(c"comb-last-number");
        let every = if key.is_clock() { key } else { Key::every_number(key.database()) };
        for place in self.places {
            let id = place.word() >> 2;
            // Also places that are free or busy.
            if id < snapshot.xmin {
                continue;
            }
            let Some((of, floor)) = place.read(id).filter(|(of, _)| *of == key || *of == every) else { continue };
            if floor == unset(id) {
                transactions.reach(c"comb-no-floor");
            }
            // An entry that changes nothing needs no search of the snapshot.
            if (of == key && floor >= settled && floor != unset(id)) || snapshot.sees(id) {
                continue;
            }
            if of != key {
                let is_prepared = transactions.in_progress(id);
                return Err(if is_prepared { Unknown::EveryNumber(id) } else { Unknown::Overwritten }.into());
            }
            let floor = if floor == unset(id) { place.give_floor(id, last()?) } else { floor };
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
            // It may have entries for other keys.
            let has_entry = |id: u64| self.places.iter().any(|place| place.has(id, key));
            let is_lost = |id: u64| id < unsure_below && !has_entry(id) && !transactions.in_progress(id);
            if snapshot.running().any(is_lost) {
                return Err(Unknown::Overwritten.into());
            }
        }
        Ok(settled)
    }

    /// The entry of a transaction at this place.
    pub fn entry(&self, index: usize, id: u64) -> Option<Entry> {
        self.places.get(index).and_then(Place::live).filter(|entry| entry.id == id)
    }

    /// The place of the entry that a transaction in progress has for a key.
    pub fn place_of(&self, id: u64, key: Key) -> Option<usize> {
        (0..self.places.len()).find(|index| self.entry(*index, id).is_some_and(|entry| entry.key == key))
    }

    /// The entries of transactions that have not said that they ended.
    pub fn live(&self) -> impl Iterator<Item = Entry> + use<'a> {
        self.places.iter().filter_map(Place::live)
    }

    /// Lowers the floors of all transactions that generate UUIDs, because the clock is about to be set back to that tick.
    ///
    /// A transaction with a floor that is not lowered wrote it after the clock was announced to be set back. It finds that
    /// when it looks again after writing the entry, and calls [`Self::lower_place`]. The place may have become that of
    /// another transaction meanwhile: a floor that is too low holds readers back, and loses no row.
    pub fn lower(&self, tick: i64) {
        self.places.iter().for_each(|place| place.lower_clock(tick));
        fence(SeqCst);
    }

    /// Lowers the floor at a place.
    pub fn lower_place(&self, index: usize, tick: i64) {
        if let Some(place) = self.places.get(index) {
            place.lower(tick);
        }
        fence(SeqCst);
    }
}

#[cfg(all(test, not(loom)))]
#[path = "table_tests.rs"]
mod tests;

#[cfg(all(test, loom))]
#[path = "table_model.rs"]
mod model;
