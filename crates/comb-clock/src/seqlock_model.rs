//! A model of the sequence lock for loom: two readers, a writer that finds the clock set back, and time
//! that passes.

use std::convert::Infallible;

use loom::sync::Arc;
use loom::sync::atomic as model;

use super::*;
use crate::logical_clock::START_DELAY;
use crate::source::Sample;

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
}

/// A processor may read the clock this much later than program order says: 16 µs, far more than any does.
const WORKED_AHEAD: u64 = 1024;
/// The lead of the logical clock over the system clock.
const LEAD: u64 = 1 << 30;
const BEGIN: u64 = 1 << 40;

struct World {
    lock: SeqLock<model::AtomicU64>,
    /// The monotonic clock. A reading advances it, and orders no other access.
    clock: model::AtomicU64,
    /// The last tick that was returned.
    returned: model::AtomicU64,
}

impl World {
    fn new() -> Arc<Self> {
        let word = model::AtomicU64::new;
        Arc::new(Self {
            lock: SeqLock { number: word(2), offset: word(LEAD), slow_from: word(0), slow_until: word(0) },
            clock: word(BEGIN),
            returned: word(0),
        })
    }

    fn monotonic(&self) -> u64 {
        self.clock.fetch_add(2, Ordering::Relaxed)
    }

    /// A tick, by a reader whose processor reads the clock as late as possible. `None` if the reader has to
    /// start over: it then is like a later reader.
    fn tick(&self, second_look: bool) -> Option<u64> {
        if !second_look {
            return Some(self.lock.words().tick(self.monotonic()));
        }
        let (clock, first) = self.lock.try_read(|| self.monotonic())?;
        Some(clock.tick(self.monotonic().min(first + WORKED_AHEAD)))
    }

    fn publish_slower_clock(&self, delay: u64) {
        let Ok(()) = self.lock.update(
            |_| loom::thread::yield_now(),
            |change| change(),
            |clock| {
                let monotonic = self.monotonic();
                let at = Sample { monotonic, realtime: monotonic };
                Ok::<_, Infallible>((LogicalClock::slowing_after(delay, clock.tick(monotonic), at), ()))
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

/// Two readers, a writer that publishes, and `passing` ticks that pass at one time.
fn check(second_look: bool, delay: u64, passing: u64) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let world = World::new();
        let threads: [Box<dyn FnOnce(Arc<World>)>; 3] = [
            Box::new(move |world| world.publish_slower_clock(delay)),
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
