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
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: u64 = TICKS_PER_MS;

    #[test]
    fn a_snapshot_gets_the_latest_horizon_before_its_oldest_transaction() {
        let published = Published::empty();
        assert_eq!(published.settled(u64::MAX), None);
        // A transaction id each millisecond, and a horizon each 10 ms, for an hour.
        for ms in (1_000_000..4_600_000).step_by(10) {
            published.add(ms * MS, ms);
        }
        for (age, worst) in [(0, 120), (100, 220), (1000, 2200), (10_000, 22_000), (90_000, 210_000)] {
            let settled = published.settled(4_600_000 - age).expect("a horizon") / MS;
            assert!(settled <= 4_600_000 - age && settled >= 4_600_000 - worst, "{age} ms: {settled}");
        }
        assert_eq!(published.settled(1_000_000), None);
    }

    #[test]
    fn one_process_in_a_second_computes_a_horizon_for_others() {
        let published = Published::empty();
        let claims = [5000, 5001, 5999, 6000, 6001, 9000].map(|ms| published.claim(ms * MS));
        assert_eq!(claims, [true, false, false, true, false, true]);
    }

    #[test]
    fn a_horizon_of_the_same_tenth_of_a_second_is_not_published() {
        let published = Published::empty();
        published.add(1000 * MS, 5);
        published.add(1050 * MS, 6);
        assert_eq!(published.settled(6), Some(1000 * MS));
    }

    proptest! {
        /// Each horizon was published with a transaction id that is not above the snapshot's.
        #[test]
        fn what_is_settled_was_published_before(
            horizons in prop::collection::vec((0..500u64, 1..50u64), 1..200), oldest in 0..5000u64,
        ) {
            let (published, mut next_id, mut tick) = (Published::empty(), 0, 1000 * MS);
            let mut all = Vec::new();
            for (ms, ids) in horizons {
                (next_id, tick) = (next_id + ids, tick + ms * MS);
                published.add(tick, next_id);
                all.push((next_id, tick));
            }
            if let Some(settled) = published.settled(oldest) {
                prop_assert!(all.iter().any(|(id, tick)| *tick == settled && *id <= oldest));
            }
        }
    }
}
