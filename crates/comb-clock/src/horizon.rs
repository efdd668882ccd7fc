//! The commit horizon: the tick up to which all ids are settled, and which statements can rely on it.
//!
//! A transaction holds a *floor*, a tick below all ids that it generates, from before its first id until it
//! is visible or aborted. No new id appears at or below the lowest floor that is held.
//!
//! # Proof
//! Let t be a tracked tick of a transaction T that [`settled`] covers: t <= min(latest - 1, lowest floor).
//! There are three cases, by the time at which the floors were read:
//!
//! 1. T held its floor. Then lowest floor <= floor of T < t: a contradiction.
//! 2. T did not hold its floor yet. Then T read the logical clock for t later, hence after `latest` was
//!    read, and so t >= latest: a contradiction.
//! 3. T had released its floor. Then T is visible or aborted for every snapshot that is taken afterwards.
//!
//! No later tick is at or below the result. Therefore it stays true until the logical clock is reset.
//!
//! # The snapshot trap
//! A statement takes its snapshot before it computes a horizon. A transaction that commits in between is
//! below the horizon and invisible. Therefore a [`Ring`] keeps each horizon with a snapshot that was taken after
//! it, and answers a statement with a horizon whose snapshot the statement's snapshot covers.

/// The number of horizons that a process keeps.
const REMEMBERED: usize = 8;

/// The last tick that is settled. `latest` is the logical clock, read before the floors; `lowest_floor` is the
/// lowest one that is held.
pub fn settled(latest: u64, lowest_floor: Option<u64>) -> u64 {
    let below = latest.saturating_sub(1);
    lowest_floor.map_or(below, |floor| floor.min(below))
}

/// The part of a snapshot that tells which transactions had ended. Transaction ids wrap around.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<R> {
    /// The first transaction id that was not assigned yet.
    pub xmax: u32,
    /// The transactions below `xmax` that were in progress.
    pub running: R,
}

impl<R: AsRef<[u32]>> Snapshot<R> {
    /// Whether each transaction that had ended for `other` had ended for this snapshot too. `other.running` is sorted.
    fn covers<S: AsRef<[u32]>>(&self, other: &Snapshot<S>) -> bool {
        let precedes = |a: u32, b: u32| (a.wrapping_sub(b) as i32) < 0;
        let had_ended = |id: &u32| precedes(*id, other.xmax) && other.running.as_ref().binary_search(id).is_err();
        !precedes(self.xmax, other.xmax) && !self.running.as_ref().iter().any(had_ended)
    }
}

/// A settled tick, and a snapshot that was taken after it was computed, whose transactions are sorted as numbers.
struct Remembered<R> {
    settled: u64,
    after: Snapshot<R>,
}

/// The last horizons that a process computed.
pub struct Ring<R> {
    remembered: [Option<Remembered<R>>; REMEMBERED],
    /// The index that is overwritten next.
    next: usize,
    /// The index of the last answer. It is not overwritten, so that a later statement with the same
    /// snapshot does not get an earlier horizon.
    answered: Option<usize>,
}

impl<R: AsRef<[u32]> + AsMut<[u32]>> Ring<R> {
    /// No horizon yet.
    pub const EMPTY: Self = Self { remembered: [const { None }; REMEMBERED], next: 0, answered: None };

    /// Keeps a settled tick and a snapshot that was taken after it was computed.
    pub fn remember(&mut self, settled: u64, mut after: Snapshot<R>) {
        after.running.as_mut().sort_unstable();
        if self.answered == Some(self.next) {
            self.next = (self.next + 1) % REMEMBERED;
        }
        if let Some(place) = self.remembered.get_mut(self.next) {
            *place = Some(Remembered { settled, after });
        }
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// The greatest kept tick that is settled for a statement with a snapshot; `None` if there is none.
    pub fn answer<S: AsRef<[u32]>>(&mut self, statement: &Snapshot<S>) -> Option<u64> {
        let settled = |index: &usize| Some(self.remembered.get(*index)?.as_ref()?.settled);
        let fits = |index: &usize| {
            let remembered = self.remembered.get(*index).and_then(Option::as_ref);
            remembered.is_some_and(|remembered| statement.covers(&remembered.after))
        };
        let best = (0..REMEMBERED).filter(fits).max_by_key(settled)?;
        let settled = settled(&best);
        self.answered = Some(best);
        settled
    }
}

#[cfg(test)]
#[path = "horizon_tests.rs"]
mod tests;
