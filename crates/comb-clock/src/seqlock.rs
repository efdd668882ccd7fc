//! The clock line under a sequence lock, in memory that processes share.
//!
//! The lock's number is odd while a writer changes the line. A reader loads the number and the line, reads
//! the clock, and loads the number again: if it changed, the reader starts over.
//!
//! # Why ids are in order across a change
//! Let A be a tick that was returned before B was asked for. If both used one line, the monotonic clock
//! orders them. If A used a newer line than B, B loaded the number first before the change and again
//! after it, and B started over. If A used an older line than B, A loaded the number again before it
//! became odd, and the writer read the clock after that: A's moment is not after that of the change but
//! for what a processor works ahead (see [`super::line::START_DELAY`]). The new line is not below the
//! old one at that moment and for `START_DELAY` after it; and it never decreases.
//!
//! The model in seqlock_model.rs lets loom try what the memory model permits, with up to two preemptions.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::line::Line;

/// An atomic 64-bit word: the machine's, or loom's.
pub trait Word {
    fn load(&self, ordering: Ordering) -> u64;
    fn store(&self, value: u64, ordering: Ordering);
    /// Exchanges `current` for `new`; false where another value stands there.
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

/// A line under a sequence lock. All zeros is a lock without a line.
#[repr(C)]
pub struct SeqLock<W = AtomicU64> {
    number: W,
    offset: W,
    slow_from: W,
    slow_until: W,
}

impl SeqLock {
    pub const fn empty() -> Self {
        Self {
            number: AtomicU64::new(0),
            offset: AtomicU64::new(0),
            slow_from: AtomicU64::new(0),
            slow_until: AtomicU64::new(0),
        }
    }

    /// A tick that the line had reached at that moment, when nobody uses it any more; `None` if there was
    /// no line. If a writer died, the words may be of two lines: then a tick that is below neither.
    pub fn last_tick(&self, monotonic: u64) -> Option<u64> {
        self.has_line().then(|| match self.try_read(|| ()) {
            Some((line, ())) => line.tick(monotonic),
            None => monotonic.wrapping_add(self.words().offset),
        })
    }
}

impl<W: Word> SeqLock<W> {
    /// The line, and what `look` saw while it was in force. `None` while a writer changes the line.
    #[inline(always)]
    pub fn try_read<T>(&self, look: impl Fn() -> T) -> Option<(Line, T)> {
        let number = self.number.load(Ordering::Acquire);
        if !number.is_multiple_of(2) {
            return None;
        }
        let line = self.words();
        let seen = look();
        W::fence(Ordering::Acquire);
        (self.number.load(Ordering::Relaxed) == number).then_some((line, seen))
    }

    /// The same, after waiting for writers. `wait` is called with the number of turns waited so far.
    pub fn read<T>(&self, wait: impl Fn(u32), look: impl Fn() -> T) -> (Line, T) {
        let mut turn = 0;
        loop {
            if let Some(read) = self.try_read(&look) {
                return read;
            }
            wait(turn);
            turn = turn.saturating_add(1);
        }
    }

    /// Whether there has been a line yet.
    pub fn has_line(&self) -> bool {
        self.number.load(Ordering::Relaxed) > 1
    }

    /// Lets `decide` change the line: it gets the current line and returns the new one, or an error that
    /// keeps the current one. Everybody else waits meanwhile, so `decide` has to be short, and it must
    /// not be interrupted for good: it runs within `undisturbed`. It reads the clocks itself, so that
    /// nobody uses the old line at a later moment than it reads.
    ///
    /// # Errors
    /// Those of `decide`.
    pub fn update<T, E>(
        &self,
        wait: impl Fn(u32),
        undisturbed: impl Fn(&mut dyn FnMut()),
        decide: impl FnOnce(Line) -> Result<(Line, T), E>,
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
        // The odd number is seen before the clock is read, and before a word of the line changes.
        W::fence(Ordering::SeqCst);
        Some(Locked { lock: self, number })
    }

    #[inline(always)]
    fn words(&self) -> Line {
        Line {
            offset: self.offset.load(Ordering::Relaxed),
            slow_from: self.slow_from.load(Ordering::Relaxed),
            slow_until: self.slow_until.load(Ordering::Relaxed),
        }
    }
}

/// The lock, held. It is released when this is dropped, after a panic too.
struct Locked<'a, W: Word> {
    lock: &'a SeqLock<W>,
    /// What the number becomes.
    number: u64,
}

impl<W: Word> Locked<'_, W> {
    fn change<T, E>(mut self, decide: impl FnOnce(Line) -> Result<(Line, T), E>) -> Result<T, E> {
        let (line, answer) = decide(self.lock.words())?;
        self.lock.offset.store(line.offset, Ordering::Relaxed);
        self.lock.slow_from.store(line.slow_from, Ordering::Relaxed);
        self.lock.slow_until.store(line.slow_until, Ordering::Relaxed);
        self.number += 2;
        Ok(answer)
    }
}

impl<W: Word> Drop for Locked<'_, W> {
    fn drop(&mut self) {
        self.lock.number.store(self.number, Ordering::Release);
    }
}

#[cfg(test)]
#[path = "seqlock_model.rs"]
mod model;

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_releases_the_lock_and_keeps_the_line() {
        let lock: SeqLock = SeqLock::empty();
        let line = Line { offset: 7, slow_from: 0, slow_until: 0 };
        let never = |_| panic!("nobody else holds the lock");
        lock.update(never, |change| change(), |_| Ok::<_, ()>((line, ()))).unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            lock.update(
                never,
                |change| change(),
                |_| -> Result<(Line, ()), ()> { panic!("on purpose") },
            )
        }));
        assert!(panicked.is_err());
        assert_eq!(lock.try_read(|| ()), Some((line, ())));
    }

    /// A wait that raises an error, as PostgreSQL's does for a canceled query, leaves the lock as it was.
    #[test]
    fn waiting_can_be_given_up() {
        let lock: SeqLock = SeqLock::empty();
        let held = lock.try_lock().unwrap();
        let give_up = |turn| assert!(turn < 3, "canceled");
        let waited = catch_unwind(AssertUnwindSafe(|| lock.read(give_up, || ())));
        assert!(waited.is_err());
        let waited = catch_unwind(AssertUnwindSafe(|| {
            lock.update(give_up, |change| change(), |line| Ok::<_, ()>((line, ())))
        }));
        assert!(waited.is_err());
        assert!(lock.try_read(|| ()).is_none());
        drop(held);
        assert!(lock.try_read(|| ()).is_some());
    }
}
