//! Horizons that processes publish for processes that have computed none.
//!
//! A horizon is published with the next transaction id, which is read after it was computed. All transactions that the
//! horizon covers had ended by then, so their ids are smaller. Therefore it is true for each snapshot whose transactions in
//! progress are not below that id.
//!
//! A process that stores needs no lock: both words of an entry only increase, the id first. A reader loads the horizon
//! first, so its id is at least the one that the horizon was stored with.

use std::sync::atomic::{AtomicU64, Ordering};

use comb_tick::TICKS_PER_MS;

/// The distances of the two entries of each level, 0.1 s to 100 s. A snapshot in which a transaction of another table has
/// been in progress for a minute needs a horizon from before that minute.
const LEVELS: [u64; 4] = [100 * TICKS_PER_MS, 1000 * TICKS_PER_MS, 10_000 * TICKS_PER_MS, 100_000 * TICKS_PER_MS];

/// A settled tick, and the next transaction id after it was computed.
#[repr(C)]
struct Entry {
    next_id: AtomicU64,
    settled: AtomicU64,
}

/// How often a process that needs no horizon computes one for the others, 1 s: where the lock table is large, it takes
/// milliseconds.
const BETWEEN_CLAIMS: u64 = 1000 * TICKS_PER_MS;

/// The horizons of the last minutes.
#[repr(C)]
pub struct Published {
    entries: [[Entry; 2]; 4],
    /// When a process last claimed to compute one for the others.
    claimed: AtomicU64,
}

impl Published {
    /// No horizons.
    pub const fn empty() -> Self {
        Self {
            entries: [const { [const { Entry { next_id: AtomicU64::new(0), settled: AtomicU64::new(0) } }; 2] }; 4],
            claimed: AtomicU64::new(0),
        }
    }

    /// Whether the caller, at that tick, is to compute a horizon for the others: one process in a second is, also while a
    /// transaction holds the horizon back.
    pub fn claim(&self, tick: u64) -> bool {
        let last = self.claimed.load(Ordering::Relaxed);
        tick >= last + BETWEEN_CLAIMS && self.claimed.compare_exchange(last, tick, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Publishes a settled tick, with the next transaction id that was read after it was computed.
    pub fn add(&self, settled: u64, next_id: u64) {
        for ([one, other], distance) in self.entries.iter().zip(LEVELS) {
            let [first, second] = [one, other].map(|entry| entry.settled.load(Ordering::Relaxed));
            let (older, last) = if first < second { (one, second) } else { (other, first) };
            if settled >= last + distance {
                older.next_id.fetch_max(next_id, Ordering::Release);
                older.settled.fetch_max(settled, Ordering::Release);
            }
        }
    }

    /// The greatest published tick that is settled for a snapshot in which no transaction below that id is in progress.
    pub fn settled(&self, oldest_running: u64) -> Option<u64> {
        let entries = self.entries.iter().flatten();
        let settled = entries.map(|entry| {
            let settled = entry.settled.load(Ordering::Acquire);
            (entry.next_id.load(Ordering::Acquire) <= oldest_running).then_some(settled)
        });
        settled.flatten().max().filter(|&settled| settled > 0)
    }
}

#[cfg(test)]
#[path = "published_tests.rs"]
mod tests;
