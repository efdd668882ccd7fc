//! How the logical clock starts, follows the system clock, and is advanced and reset.

use std::sync::atomic::Ordering;

use super::block::Block;
use super::host::Host;
use super::logical_clock::{ClockError, LogicalClock, SeedSource};
use super::source::{LAST_TICK, Sample};
use comb_tick::TICKS_PER_MS;

/// The system clock was set if it moved against the monotonic clock by more than this, 1 ms. NTP adjusts the speed of
/// both clocks alike, and they are read to a microsecond.
pub(super) const TOLERANCE: u64 = TICKS_PER_MS;

/// The distance from an observed tick to the next one, 100 ns: the unit of the time fields without a remainder.
const BEYOND_OBSERVED: u64 = TICKS_PER_MS.div_ceil(10_000);

/// The logical clock at one time, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The logical clock.
    pub tick: u64,
    /// The monotonic clock.
    pub monotonic: u64,
    /// How far the logical clock is ahead of the system clock; 0 within the tolerance.
    pub lead: u64,
    /// The number of ticks until the lead is worked off; `None` if no lead is being worked off.
    pub level_in: Option<u64>,
}

impl ClockReading {
    fn of(clock: LogicalClock, at: Sample) -> Self {
        let tick = clock.tick(at.monotonic);
        Self { tick, monotonic: at.monotonic, lead: lead(tick, at), level_in: clock.level_in(at.monotonic) }
    }
}

impl Block {
    /// The logical clock after it has followed the system clock. Starts it if it has not started.
    ///
    /// # Errors
    /// The system clock is out of range.
    pub fn follow(&self, host: &impl Host) -> Result<ClockReading, ClockError> {
        if !self.clock.has_started() {
            self.seed(host)?;
        } else if !self.awaits_promotion() {
            // After a crash, the server may come up as a standby.
            if host.in_recovery() {
                self.history.in_recovery.store(1, Ordering::Relaxed);
            }
        } else if !host.in_recovery() {
            self.end_recovery(host)?;
        }
        let (clock, at) = self.clock.read(|turn| host.wait(turn), || Sample::read(host));
        let at = at.ok_or(ClockError::OutOfRange)?;
        if !self.was_set(at) {
            return Ok(ClockReading::of(clock, at));
        }
        self.change(host, |clock, at| {
            // Another process may have followed the system clock first.
            let clock = if self.was_set(at) {
                self.note_step(at);
                LogicalClock::starting_at(clock.tick(at.monotonic).max(at.realtime), at)
            } else {
                clock
            };
            Ok((clock, ClockReading::of(clock, at)))
        })
    }

    /// The tick of the logical clock, increased to at least `min_tick`, and by `fit` to one that the layout can hold.
    /// Advances the logical clock to it.
    ///
    /// # Errors
    /// A clock or the tick is out of range.
    pub fn tick_at_least(
        &self,
        host: &impl Host,
        min_tick: impl Fn() -> u64,
        fit: impl Fn(u64) -> Option<u64>,
    ) -> Result<ClockReading, ClockError> {
        self.change(host, |clock, at| {
            let tick = clock.tick(at.monotonic).max(min_tick());
            let tick = fit(tick).ok_or(ClockError::OutOfRange)?;
            let clock = advanced(clock, tick, at, None)?;
            Ok((clock, ClockReading::of(clock, at)))
        })
    }

    /// Advances the logical clock so that all new ids have a greater tick than the observed one. Returns it
    /// before and after.
    ///
    /// # Errors
    /// A clock or the tick is out of range, or the tick is further ahead of the system clock than
    /// `max_ahead`.
    pub fn observe(
        &self,
        host: &impl Host,
        tick: u64,
        max_ahead: Option<u64>,
    ) -> Result<(ClockReading, ClockReading), ClockError> {
        let before = self.follow(host)?;
        let after = self.change(host, |clock, at| {
            let clock = advanced(clock, tick.saturating_add(BEYOND_OBSERVED), at, max_ahead)?;
            Ok((clock, ClockReading::of(clock, at)))
        })?;
        Ok((before, after))
    }

    /// Sets the logical clock to the system clock, even if ids have greater ticks.
    ///
    /// # Errors
    /// The system clock is out of range.
    pub fn reset(&self, host: &impl Host) -> Result<ClockReading, ClockError> {
        self.follow(host)?;
        self.change(host, |_, at| {
            self.count_reset();
            self.realtime_offset.store(at.offset(), Ordering::Relaxed);
            self.note_seed(at, at.realtime, SeedSource::SystemClock);
            let clock = LogicalClock::starting_at(at.realtime, at);
            Ok((clock, ClockReading::of(clock, at)))
        })
    }

    /// Starts the logical clock at the system clock, or at an earlier time of ids if that is later.
    fn seed(&self, host: &impl Host) -> Result<(), ClockError> {
        // This reads a file. Other processes would wait if it were part of the change.
        let (in_recovery, earlier) = (host.in_recovery(), host.earlier_time());
        self.change(host, |clock, at| {
            if self.history.seed_source.load(Ordering::Relaxed) != 0 {
                return Ok((clock, ()));
            }
            let (tick, source) = match earlier {
                Some(earlier) if earlier.reached > at.realtime => (earlier.end, earlier.source),
                _ => (at.realtime, SeedSource::SystemClock),
            };
            if tick > LAST_TICK {
                return Err(ClockError::OutOfRange);
            }
            self.history.in_recovery.store(in_recovery.into(), Ordering::Relaxed);
            self.realtime_offset.store(at.offset(), Ordering::Relaxed);
            self.note_seed(at, tick, source);
            Ok((LogicalClock::starting_at(tick, at), ()))
        })
    }

    /// Advances the logical clock above the replayed time, which another server's clock has reached.
    fn end_recovery(&self, host: &impl Host) -> Result<(), ClockError> {
        let earlier = host.earlier_time();
        self.change(host, |clock, at| {
            let mut clock = clock;
            if let Some(earlier) = earlier.filter(|earlier| earlier.reached > clock.tick(at.monotonic)) {
                clock = advanced(clock, earlier.end, at, None)?;
                self.note_seed(at, earlier.end, earlier.source);
            }
            self.history.in_recovery.store(0, Ordering::Relaxed);
            Ok((clock, ()))
        })
    }

    /// Whether the system clock was set since the logical clock last followed it.
    fn was_set(&self, at: Sample) -> bool {
        self.moved_back(at).unsigned_abs() > TOLERANCE
    }

    /// The number of ticks by which the system clock was set back since then; negative if it was set forward.
    fn moved_back(&self, at: Sample) -> i64 {
        self.realtime_offset.load(Ordering::Relaxed).wrapping_sub(at.offset()) as i64
    }

    fn note_step(&self, at: Sample) {
        if let Ok(back @ 1..) = u64::try_from(self.moved_back(at)) {
            let history = &self.history;
            history.steps_back.fetch_add(1, Ordering::Relaxed);
            history.stepped_back.fetch_add(back, Ordering::Relaxed);
            history.largest_step_back.fetch_max(back, Ordering::Relaxed);
        }
        self.realtime_offset.store(at.offset(), Ordering::Relaxed);
    }

    fn note_seed(&self, at: Sample, tick: u64, source: SeedSource) {
        self.history.seeded_at.store(at.realtime, Ordering::Relaxed);
        self.history.seeded_from.store(tick, Ordering::Relaxed);
        self.history.seed_source.store(source as u64, Ordering::Relaxed);
    }
}

/// The logical clock advanced to a tick, unless it has reached the tick.
fn advanced(clock: LogicalClock, tick: u64, at: Sample, max_ahead: Option<u64>) -> Result<LogicalClock, ClockError> {
    if tick <= clock.tick(at.monotonic) {
        return Ok(clock);
    }
    if tick > LAST_TICK {
        return Err(ClockError::OutOfRange);
    }
    if max_ahead.is_some_and(|max| lead(tick, at) > max) {
        return Err(ClockError::TooFarAhead);
    }
    Ok(LogicalClock::starting_at(tick, at))
}

fn lead(tick: u64, at: Sample) -> u64 {
    // The clocks cannot be compared more exactly.
    Some(tick.saturating_sub(at.realtime)).filter(|&lead| lead > TOLERANCE).unwrap_or(0)
}
