//! The logical clock under a sequence lock, in memory that processes share.
//!
//! The number of the lock is odd during a change. A reader loads the number and the logical clock, reads
//! the monotonic clock, and loads the number again. If the number has changed, the reader starts over.
//!
//! # Why ids are in order across a change
//! Let tick A be returned before tick B is requested. A change turns the old logical clock into the new one.
//!
//! - Both used the same one. The monotonic clock orders them.
//! - A used the new one, B the old one. Not possible: B loaded the number before the change and again after
//!   it, and started over.
//! - A used the old one, B the new one. A loaded the number again before it became odd, and the writer read
//!   the monotonic clock after that. So A's time is before that of the change, except for the time by which
//!   a processor executes a load ahead (see [`START_DELAY`](super::logical_clock::START_DELAY)). The new
//!   logical clock is not below the old one at the change and for `START_DELAY` after it, and it never
//!   decreases.
//!
//! seqlock_model.rs checks with loom every order that the memory model permits, with up to two preemptions.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::logical_clock::LogicalClock;

/// An atomic 64-bit word: the machine's, or loom's.
pub trait Word {
    fn load(&self, ordering: Ordering) -> u64;
    fn store(&self, value: u64, ordering: Ordering);
    /// Replaces `current` by `new`; false if the word has another value.
    fn exchange(&self, current: u64, new: u64) -> bool;
    fn fence(ordering: Ordering);
}

impl Word for AtomicU64 {
    #[inline(always)]
    fn load(&self, ordering: Ordering) -> u64 {
        self.load(ordering)
    }

    #[inline(always)]
    fn store(&self, value: u64, ordering: Ordering) {
        self.store(value, ordering);
    }

    fn exchange(&self, current: u64, new: u64) -> bool {
        self.compare_exchange(current, new, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[inline(always)]
    fn fence(ordering: Ordering) {
        fence(ordering);
    }
}

/// A logical clock under a sequence lock. All zeros is a logical clock that has not started.
#[repr(C)]
pub struct SeqLock<W = AtomicU64> {
    number: W,
    offset: W,
    slow_from: W,
    slow_until: W,
}

impl SeqLock {
    pub const fn empty() -> Self {
        Self { number: AtomicU64::new(0), offset: AtomicU64::new(0), slow_from: AtomicU64::new(0), slow_until: AtomicU64::new(0) }
    }

    /// The tick that the logical clock had reached at a time of the monotonic clock, for a lock whose
    /// users are gone; `None` if it had not started. If a writer was killed during a change, the words may
    /// be of the old and of the new one; then the result is a tick that is below neither.
    pub fn last_tick(&self, monotonic: u64) -> Option<u64> {
        self.has_started().then(|| match self.try_read(|| ()) {
            Some((clock, ())) => clock.tick(monotonic),
            None => monotonic.wrapping_add(self.words().offset),
        })
    }
}

impl<W: Word> SeqLock<W> {
    /// The logical clock, and the result of `look`, which ran while nothing changed. `None` if something changed.
    #[inline(always)]
    pub fn try_read<T>(&self, look: impl Fn() -> T) -> Option<(LogicalClock, T)> {
        let number = self.number.load(Ordering::Acquire);
        if !number.is_multiple_of(2) {
            return None;
        }
        let clock = self.words();
        let seen = look();
        W::fence(Ordering::Acquire);
        (self.number.load(Ordering::Relaxed) == number).then_some((clock, seen))
    }

    /// [`Self::try_read`] after waiting for changes. `wait` gets the number of its calls so far.
    pub fn read<T>(&self, wait: impl Fn(u32), look: impl Fn() -> T) -> (LogicalClock, T) {
        let mut turn = 0;
        loop {
            if let Some(read) = self.try_read(&look) {
                return read;
            }
            wait(turn);
            turn = turn.saturating_add(1);
        }
    }

    /// Whether the logical clock has started.
    pub fn has_started(&self) -> bool {
        self.number.load(Ordering::Relaxed) > 1
    }

    /// Changes the logical clock: `decide` gets the current one and returns the new one, or an error, which
    /// keeps the current one. All other processes wait for the change. Therefore `decide` must be short, and must
    /// be completed: it runs within `undisturbed`. It reads the clocks itself, so that no process uses the
    /// old logical clock at a later time.
    ///
    /// # Errors
    /// The error of `decide`.
    pub fn update<T, E>(
        &self,
        wait: impl Fn(u32),
        undisturbed: impl Fn(&mut dyn FnMut()),
        decide: impl FnOnce(LogicalClock) -> Result<(LogicalClock, T), E>,
    ) -> Result<T, E> {
        let mut decide = Some(decide);
        let mut turn = 0;
        loop {
            let mut answer = None;
            undisturbed(&mut || {
                if let Some(locked) = self.try_lock()
                    && let Some(decide) = decide.take()
                {
                    answer = Some(locked.change(decide));
                }
            });
            if let Some(answer) = answer {
                return answer;
            }
            wait(turn);
            turn = turn.saturating_add(1);
        }
    }

    fn try_lock(&self) -> Option<Locked<'_, W>> {
        let number = self.number.load(Ordering::Relaxed);
        if !number.is_multiple_of(2) || !self.number.exchange(number, number + 1) {
            return None;
        }
        // Others see the odd number before the clocks are read, and before a word changes.
        W::fence(Ordering::SeqCst);
        Some(Locked { lock: self, number })
    }

    #[inline(always)]
    fn words(&self) -> LogicalClock {
        LogicalClock {
            offset: self.offset.load(Ordering::Relaxed),
            slow_from: self.slow_from.load(Ordering::Relaxed),
            slow_until: self.slow_until.load(Ordering::Relaxed),
        }
    }
}

/// The lock while it is held. Dropping it releases the lock, also after an error of `decide`. (A panic ends
/// a server without dropping it; new shared memory follows.)
struct Locked<'a, W: Word> {
    lock: &'a SeqLock<W>,
    /// The number after the release.
    number: u64,
}

impl<W: Word> Locked<'_, W> {
    fn change<T, E>(mut self, decide: impl FnOnce(LogicalClock) -> Result<(LogicalClock, T), E>) -> Result<T, E> {
        let (clock, answer) = decide(self.lock.words())?;
        self.lock.offset.store(clock.offset, Ordering::Relaxed);
        self.lock.slow_from.store(clock.slow_from, Ordering::Relaxed);
        self.lock.slow_until.store(clock.slow_until, Ordering::Relaxed);
        self.number += 2;
        Ok(answer)
    }
}

impl<W: Word> Drop for Locked<'_, W> {
    fn drop(&mut self) {
        self.lock.number.store(self.number, Ordering::Release);
    }
}

#[cfg(all(test, loom))]
#[path = "seqlock_model.rs"]
mod model;

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn unwinding_releases_the_lock_and_keeps_the_logical_clock() {
        let lock: SeqLock = SeqLock::empty();
        let clock = LogicalClock { offset: 7, slow_from: 0, slow_until: 0 };
        let never = |_| panic!("no other process holds the lock");
        lock.update(never, |change| change(), |_| Ok::<_, ()>((clock, ()))).unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            lock.update(never, |change| change(), |_| -> Result<(LogicalClock, ()), ()> { panic!("on purpose") })
        }));
        assert!(panicked.is_err());
        assert_eq!(lock.try_read(|| ()), Some((clock, ())));
    }

    /// An error of `wait`, such as that of a canceled query, leaves the lock as it was.
    #[test]
    fn waiting_can_be_given_up() {
        let lock: SeqLock = SeqLock::empty();
        let held = lock.try_lock().unwrap();
        assert!(!lock.has_started());
        let give_up = |turn| assert!(turn < 3, "canceled");
        let waited = catch_unwind(AssertUnwindSafe(|| lock.read(give_up, || ())));
        assert!(waited.is_err());
        let waited = catch_unwind(AssertUnwindSafe(|| lock.update(give_up, |change| change(), |clock| Ok::<_, ()>((clock, ())))));
        assert!(waited.is_err());
        assert!(lock.try_read(|| ()).is_none());
        drop(held);
        assert!(lock.try_read(|| ()).is_some());
    }
}
