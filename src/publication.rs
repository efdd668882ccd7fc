//! One line for many readers and few writers, in memory that processes share.
//!
//! The line stands under a sequence number, which is odd while somebody changes it. A reader loads
//! number and line, reads the clock, and looks at the number again: when it is another, it starts over.
//!
//! # Why ids are in order across a change
//! Let A be a tick that was returned before B was asked for. If both used one line, the monotonic clock
//! orders them. If A used a newer line than B, B's first look was before the change and its second one
//! after it, and B started over. If A used an older line than B, A's second look came before the number
//! became odd, and the writer read the clock after that: A's moment is not after that of the change but
//! for what a processor works ahead (see [`crate::line::START_DELAY`]). The new line is not below the
//! old one at that moment and for `START_DELAY` after it; and it never decreases.
//!
//! The model below lets loom try what the memory model permits, with up to two preemptions.

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Duration;

use crate::clock::Reading;
use crate::line::Line;

/// An atomic 64-bit word: the machine's, or loom's.
pub trait Word {
    fn load(&self, ordering: Ordering) -> u64;
    fn store(&self, value: u64, ordering: Ordering);
    /// Exchanges `current` for `new`; false where another value stands there.
    fn exchange(&self, current: u64, new: u64) -> bool;
    fn fence(ordering: Ordering);
    /// Called while somebody else changes the line, the `turn`th time in a row.
    fn wait(turn: u32);
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

    #[cold]
    fn wait(turn: u32) {
        // A change takes some 100 ns, unless its process loses the processor, or somebody stops it.
        match turn {
            0..100 => std::hint::spin_loop(),
            100..1000 => std::thread::yield_now(),
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// A line under a sequence number. All zeros is a line that nobody has published yet.
#[repr(C)]
pub struct Published<W = AtomicU64> {
    number: W,
    offset: W,
    slow_from: W,
    slow_until: W,
}

impl Published {
    pub const fn unpublished() -> Self {
        Self {
            number: AtomicU64::new(0),
            offset: AtomicU64::new(0),
            slow_from: AtomicU64::new(0),
            slow_until: AtomicU64::new(0),
        }
    }

    /// A line that is published.
    pub fn with(line: Line) -> Self {
        Self {
            number: AtomicU64::new(2),
            offset: AtomicU64::new(line.offset),
            slow_from: AtomicU64::new(line.slow_from),
            slow_until: AtomicU64::new(line.slow_until),
        }
    }

    /// The line that those left who used it and are gone; `None` if there was none. If one of them died
    /// while changing it, its words may be of two lines: then one that is below neither, since nothing
    /// is taken off for what they had worked off.
    pub fn left(&self, at: Reading) -> Option<Line> {
        self.is_published().then(|| match self.attempt(|| ()) {
            Some((line, ())) => line,
            None => Line::through(at.monotonic.wrapping_add(self.line().offset), at),
        })
    }
}

impl<W: Word> Published<W> {
    /// The line, and what `look` saw while it was in force.
    #[inline(always)]
    pub fn read<T>(&self, look: impl Fn() -> T) -> (Line, T) {
        let mut turn = 0;
        loop {
            if let Some(read) = self.attempt(&look) {
                return read;
            }
            W::wait(turn);
            turn = turn.saturating_add(1);
        }
    }

    /// The same; `None` while the line is being changed.
    #[inline(always)]
    fn attempt<T>(&self, look: impl Fn() -> T) -> Option<(Line, T)> {
        let number = self.number.load(Ordering::Acquire);
        if !number.is_multiple_of(2) {
            return None;
        }
        let line = self.line();
        let seen = look();
        W::fence(Ordering::Acquire);
        (self.number.load(Ordering::Relaxed) == number).then_some((line, seen))
    }

    /// Whether there has been a line yet.
    pub fn is_published(&self) -> bool {
        self.number.load(Ordering::Relaxed) > 1
    }

    /// Lets `decide` change the line: it gets the one in force, and answers the one that takes its place,
    /// or an error that leaves it. Readers and others who want to change wait meanwhile, so it has to be
    /// short, and must not leave but by returning: `undisturbed` runs what must not be interrupted for
    /// good. It reads the clocks itself: nobody uses the old line at a later moment than it reads.
    ///
    /// # Errors
    /// Those of `decide`.
    pub fn change<T, E>(
        &self,
        undisturbed: impl Fn(&mut dyn FnMut()),
        decide: impl FnOnce(Line) -> Result<(Line, T), E>,
    ) -> Result<T, E> {
        let mut decide = Some(decide);
        let mut turn = 0;
        loop {
            let mut answer = None;
            undisturbed(&mut || {
                let number = self.number.load(Ordering::Relaxed);
                if number.is_multiple_of(2)
                    && self.number.exchange(number, number + 1)
                    && let Some(decide) = decide.take()
                {
                    answer = Some(self.decided(number, decide));
                }
            });
            if let Some(answer) = answer {
                return answer;
            }
            W::wait(turn);
            turn = turn.saturating_add(1);
        }
    }

    /// What `decide` makes of the line, by who made the number odd.
    fn decided<T, E>(
        &self,
        number: u64,
        decide: impl FnOnce(Line) -> Result<(Line, T), E>,
    ) -> Result<T, E> {
        // The odd number is seen before the clock is read, and before a word of the line changes.
        W::fence(Ordering::SeqCst);
        match decide(self.line()) {
            Ok((line, answer)) => {
                self.offset.store(line.offset, Ordering::Relaxed);
                self.slow_from.store(line.slow_from, Ordering::Relaxed);
                self.slow_until.store(line.slow_until, Ordering::Relaxed);
                self.number.store(number + 2, Ordering::Release);
                Ok(answer)
            }
            Err(error) => {
                self.number.store(number, Ordering::Release);
                Err(error)
            }
        }
    }

    #[inline(always)]
    fn line(&self) -> Line {
        Line {
            offset: self.offset.load(Ordering::Relaxed),
            slow_from: self.slow_from.load(Ordering::Relaxed),
            slow_until: self.slow_until.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod model {
    //! Two readers, a writer who finds the clock set back, and time that goes by.

    use std::convert::Infallible;

    use loom::sync::Arc;
    use loom::sync::atomic as model;

    use super::*;
    use crate::line::START_DELAY;

    impl Word for model::AtomicU64 {
        fn load(&self, ordering: Ordering) -> u64 {
            self.load(ordering)
        }
        fn store(&self, value: u64, ordering: Ordering) {
            self.store(value, ordering);
        }
        fn exchange(&self, current: u64, new: u64) -> bool {
            self.compare_exchange(current, new, Ordering::Acquire, Ordering::Relaxed).is_ok()
        }
        fn fence(ordering: Ordering) {
            model::fence(ordering);
        }
        fn wait(_: u32) {
            loom::thread::yield_now();
        }
    }

    /// How much later than it seems a processor may read the clock: 16 us, far more than any does.
    const WORKED_AHEAD: u64 = 1024;
    /// So far ahead of the real clock the line is found to be.
    const LEAD: u64 = 1 << 30;
    const BEGIN: u64 = 1 << 40;

    struct World {
        published: Published<model::AtomicU64>,
        /// The monotonic clock. Every reading moves it, and tells nothing else of other threads.
        clock: model::AtomicU64,
        /// The last tick that was returned.
        returned: model::AtomicU64,
    }

    impl World {
        fn new() -> Arc<Self> {
            let word = model::AtomicU64::new;
            Arc::new(Self {
                published: Published {
                    number: word(2),
                    offset: word(LEAD),
                    slow_from: word(0),
                    slow_until: word(0),
                },
                clock: word(BEGIN),
                returned: word(0),
            })
        }

        fn monotonic(&self) -> u64 {
            self.clock.fetch_add(2, Ordering::Relaxed)
        }

        /// A tick, by a reader whose processor reads the clock as late as it may. `None` where it
        /// would have to start over: it would be a reader that comes later.
        fn tick(&self, second_look: bool) -> Option<u64> {
            if !second_look {
                return Some(self.published.line().tick(self.monotonic()));
            }
            let (line, early) = self.published.attempt(|| self.monotonic())?;
            Some(line.tick(self.monotonic().min(early + WORKED_AHEAD)))
        }

        fn publish_slower_line(&self, delay: u64) {
            let Ok(()) = self.published.change(
                |change| change(),
                |line| {
                    let monotonic = self.monotonic();
                    let at = Reading { monotonic, realtime: monotonic };
                    Ok::<_, Infallible>((Line::slowing_after(delay, line.tick(monotonic), at), ()))
                },
            );
        }

        fn returns_in_order(&self, second_look: bool) {
            let before = self.returned.load(Ordering::Acquire);
            if let Some(tick) = self.tick(second_look) {
                assert!(tick >= before, "{tick} was returned after {before}");
                self.returned.store(tick, Ordering::Release);
            }
        }
    }

    /// Two readers, while a writer publishes and so much time goes by at one moment.
    fn check(second_look: bool, delay: u64, passing: u64) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(move || {
            let world = World::new();
            let threads: [Box<dyn FnOnce(Arc<World>)>; 3] = [
                Box::new(move |world| world.publish_slower_line(delay)),
                Box::new(move |world| {
                    world.clock.fetch_add(passing, Ordering::Relaxed);
                }),
                Box::new(move |world| world.returns_in_order(second_look)),
            ];
            let threads = threads.map(|run| {
                let world = world.clone();
                loom::thread::spawn(move || run(world))
            });
            world.returns_in_order(second_look);
            for thread in threads {
                thread.join().unwrap();
            }
        });
    }

    #[test]
    fn ids_are_in_order_across_a_change() {
        check(true, START_DELAY, WORKED_AHEAD);
        check(true, START_DELAY, 2 * START_DELAY);
    }

    #[test]
    #[should_panic(expected = "was returned after")]
    fn not_without_the_second_look() {
        check(false, START_DELAY, 2 * START_DELAY);
    }

    #[test]
    #[should_panic(expected = "was returned after")]
    fn not_without_the_delayed_start() {
        check(true, 0, WORKED_AHEAD);
    }
}
