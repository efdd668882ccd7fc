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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn snapshot(xmax: u32, running: &[u32]) -> Snapshot<Vec<u32>> {
        Snapshot { xmax, running: running.to_vec() }
    }

    #[test]
    fn everything_below_the_logical_clock_is_settled_if_no_floor_is_held() {
        assert_eq!(settled(100, None), 99);
        assert_eq!(settled(100, Some(98)), 98);
        assert_eq!(settled(100, Some(100)), 99);
        assert_eq!(settled(0, None), 0);
    }

    #[test]
    fn a_snapshot_covers_another_if_it_sees_all_that_had_ended() {
        let after = snapshot(10, &[4, 7]);
        for (statement, covers) in [
            (snapshot(10, &[4, 7]), true),
            (snapshot(10, &[4]), true),
            (snapshot(10, &[]), true),
            // Transaction 5 had ended for the first one.
            (snapshot(10, &[4, 5]), false),
            (snapshot(12, &[11, 10]), true),
            (snapshot(12, &[9]), false),
            (snapshot(9, &[4, 7]), false),
            // 2^31 ids later, the past cannot be told from the future.
            (snapshot(10 + (1 << 31), &[]), false),
        ] {
            assert_eq!(statement.covers(&after), covers, "{statement:?}");
        }
        // Ids wrap around.
        assert!(snapshot(3, &[u32::MAX]).covers(&snapshot(u32::MAX - 1, &[])));
        assert!(!snapshot(3, &[u32::MAX - 3]).covers(&snapshot(u32::MAX - 1, &[])));
    }

    #[test]
    fn a_statement_gets_the_greatest_horizon_that_its_snapshot_allows() {
        let mut ring = Ring::EMPTY;
        assert_eq!(ring.answer(&snapshot(10, &[])), None);
        for xmax in 0..20 {
            ring.remember(u64::from(xmax) * 100, snapshot(xmax, &[]));
        }
        assert_eq!(ring.answer(&snapshot(30, &[])), Some(1900));
        assert_eq!(ring.answer(&snapshot(15, &[])), Some(1500));
        // Forgotten.
        assert_eq!(ring.answer(&snapshot(11, &[])), None);
    }

    /// PostgreSQL lists transactions in no order.
    #[test]
    fn transactions_of_a_snapshot_can_have_any_order() {
        let (after, statement) = (snapshot(5, &[4, u32::MAX, 1, 3]), snapshot(6, &[3, 5, u32::MAX, 1, 4]));
        let mut ring = Ring::EMPTY;
        ring.remember(500, after);
        assert_eq!(ring.answer(&statement), Some(500));
        assert_eq!(ring.answer(&snapshot(6, &[2])), None);
    }

    /// REPEATABLE READ: the snapshot stays while horizons are computed.
    #[test]
    fn an_answer_is_not_forgotten_while_its_snapshot_is_used() {
        let mut ring = Ring::EMPTY;
        ring.remember(500, snapshot(5, &[]));
        for xmax in 10..100 {
            ring.remember(u64::from(xmax) * 100, snapshot(xmax, &[]));
            assert_eq!(ring.answer(&snapshot(xmax, &[])), Some(u64::from(xmax) * 100));
            assert_eq!(ring.answer(&snapshot(5, &[])), Some(500));
        }
    }

    /// An event in a server.
    #[derive(Clone, Debug)]
    enum Event {
        Begin,
        /// The index of the transaction among those in progress.
        End(usize),
        Compute,
    }

    proptest! {
        /// Compared with the definition: all ids at or below the answer had been generated by transactions that ended
        /// before the statement's snapshot.
        #[test]
        fn what_is_settled_is_visible(
            events in prop::collection::vec(prop_oneof![
                3 => Just(Event::Begin), 3 => (0..8usize).prop_map(Event::End), 2 => Just(Event::Compute),
            ], 1..200),
            first in any::<u32>(), lag in 0..10usize,
        ) {
            let mut xmax = first;
            let mut running: Vec<(u32, u64)> = Vec::new();
            let mut tick = 100u64;
            // The tick of each transaction, and the event that ended it.
            let mut ended: Vec<(u64, usize)> = Vec::new();
            let mut snapshots = Vec::new();
            let mut ring = Ring::EMPTY;
            for (now, event) in events.iter().enumerate() {
                let ids = || running.iter().map(|(id, _)| *id).collect::<Vec<_>>();
                snapshots.push(Snapshot { xmax, running: ids() });
                match event {
                    Event::Begin => {
                        tick += 2;
                        running.push((xmax, tick));
                        xmax = xmax.wrapping_add(1);
                    }
                    Event::End(place) if *place < running.len() => {
                        let (_, tick) = running.remove(*place);
                        ended.push((tick, now));
                    }
                    Event::End(_) => {}
                    Event::Compute => {
                        let lowest = running.iter().map(|(_, tick)| tick - 1).min();
                        ring.remember(settled(tick + 1, lowest), Snapshot { xmax, running: ids() });
                        let taken = now.saturating_sub(lag);
                        if let Some(settled) = ring.answer(&snapshots[taken]) {
                            prop_assert!(running.iter().all(|(_, tick)| *tick > settled));
                            let invisible = ended.iter().find(|(tick, at)| *tick <= settled && *at >= taken);
                            prop_assert_eq!(invisible, None);
                        }
                    }
                }
            }
        }
    }
}
