//! How the line begins, follows the real clock, and is moved on purpose.

use std::sync::atomic::Ordering;

use super::block::Block;
use super::host::{Host, LineError, SeedSource};
use super::line::Line;
use super::source::{LAST_TICK, Sample};
use comb_tick::TICKS_PER_MS;

/// The real clock was set if it differs by more than this from what the monotonic clock makes of it, 1 ms.
/// Both keep the same pace, by which NTP slews them; reading them is exact to a microsecond.
pub(super) const TOLERANCE: u64 = TICKS_PER_MS;

/// What an observed tick is raised by: the next tick of the coarsest time field that has no fraction, 100 ns.
const BEYOND_OBSERVED: u64 = TICKS_PER_MS.div_ceil(10_000);

/// The line at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub tick: u64,
    pub monotonic: u64,
    /// How far the line is ahead of the real clock; 0 within the tolerance.
    pub lead: u64,
    /// In how many ticks the lead will be worked off; `None` where none is.
    pub level_in: Option<u64>,
}

impl Moment {
    fn of(line: Line, at: Sample) -> Self {
        let tick = line.tick(at.monotonic);
        Self {
            tick,
            monotonic: at.monotonic,
            lead: lead(tick, at),
            level_in: line.level_in(at.monotonic),
        }
    }
}

impl Block {
    /// Where the line is, after it has followed the real clock. Begins the line if there is none.
    ///
    /// # Errors
    /// The real clock is out of range.
    pub fn follow(&self, host: &impl Host) -> Result<Moment, LineError> {
        if !self.line.has_line() {
            self.seed(host)?;
        } else if !self.awaits_promotion() {
            // A server that crashes may have become a standby before it is up again.
            if host.in_recovery() {
                self.history.in_recovery.store(1, Ordering::Relaxed);
            }
        } else if !host.in_recovery() {
            self.end_recovery(host)?;
        }
        let (line, at) = self.line.read(|turn| host.wait(turn), || Sample::take(host));
        let at = at.ok_or(LineError::OutOfRange)?;
        if !self.was_set(at) {
            return Ok(Moment::of(line, at));
        }
        self.change(host, |line, at| {
            // Another process may have followed it first.
            let line = if self.was_set(at) {
                self.note_step(at);
                Line::through(line.tick(at.monotonic).max(at.realtime), at)
            } else {
                line
            };
            Ok((line, Moment::of(line, at)))
        })
    }

    /// Takes the next tick of a process: where the line is, or `least` if the line is not there yet; the
    /// line is then raised to it. `arrange` moves the tick up to one that the layout can use.
    ///
    /// # Errors
    /// A clock or the tick is out of range.
    pub fn take(
        &self,
        host: &impl Host,
        least: impl Fn() -> u64,
        arrange: impl Fn(u64) -> Option<u64>,
    ) -> Result<(u64, Moment), LineError> {
        self.change(host, |line, at| {
            let tick = line.tick(at.monotonic).max(least());
            let tick = arrange(tick).ok_or(LineError::OutOfRange)?;
            let line = raised(line, tick, at, None)?;
            Ok((line, (tick, Moment::of(line, at))))
        })
    }

    /// Raises the line such that ids made from now on have a greater tick than the observed one. Answers
    /// where the line was before, and where it is then.
    ///
    /// # Errors
    /// A clock or the tick is out of range, or the tick is further ahead of the real clock than
    /// `max_ahead`.
    pub fn observe(
        &self,
        host: &impl Host,
        tick: u64,
        max_ahead: Option<u64>,
    ) -> Result<(Moment, Moment), LineError> {
        let before = self.follow(host)?;
        let after = self.change(host, |line, at| {
            let line = raised(line, tick.saturating_add(BEYOND_OBSERVED), at, max_ahead)?;
            Ok((line, Moment::of(line, at)))
        })?;
        Ok((before, after))
    }

    /// Sets the line to the real clock, whatever ids were made before.
    ///
    /// # Errors
    /// The real clock is out of range.
    pub fn reset(&self, host: &impl Host) -> Result<Moment, LineError> {
        self.follow(host)?;
        self.change(host, |_, at| {
            self.count_reset();
            self.clock_offset.store(at.offset(), Ordering::Relaxed);
            self.note_seed(at, at.realtime, SeedSource::SystemClock);
            let line = Line::through(at.realtime, at);
            Ok((line, Moment::of(line, at)))
        })
    }

    /// Begins the line: at the real clock, or at the floor if that is later.
    fn seed(&self, host: &impl Host) -> Result<(), LineError> {
        // Before others have to wait: it reads a file.
        let (in_recovery, floor) = (host.in_recovery(), host.floor());
        self.change(host, |line, at| {
            if self.history.seed_source.load(Ordering::Relaxed) != 0 {
                return Ok((line, ()));
            }
            let (tick, source) = match floor {
                Some(floor) if floor.reached > at.realtime => (floor.end, floor.source),
                _ => (at.realtime, SeedSource::SystemClock),
            };
            if tick > LAST_TICK {
                return Err(LineError::OutOfRange);
            }
            self.history.in_recovery.store(in_recovery.into(), Ordering::Relaxed);
            self.clock_offset.store(at.offset(), Ordering::Relaxed);
            self.note_seed(at, tick, source);
            Ok((Line::through(tick, at), ()))
        })
    }

    /// Raises the line above what was replayed, which another server's clock made.
    fn end_recovery(&self, host: &impl Host) -> Result<(), LineError> {
        let floor = host.floor();
        self.change(host, |line, at| {
            let mut line = line;
            if let Some(floor) = floor.filter(|floor| floor.reached > line.tick(at.monotonic)) {
                line = raised(line, floor.end, at, None)?;
                self.note_seed(at, floor.end, floor.source);
            }
            self.history.in_recovery.store(0, Ordering::Relaxed);
            Ok((line, ()))
        })
    }

    /// Whether the real clock was set since the line last followed it.
    fn was_set(&self, at: Sample) -> bool {
        self.moved_back(at).unsigned_abs() > TOLERANCE
    }

    /// By how many ticks the real clock was set back since; negative where it was set forward.
    fn moved_back(&self, at: Sample) -> i64 {
        self.clock_offset.load(Ordering::Relaxed).wrapping_sub(at.offset()) as i64
    }

    fn note_step(&self, at: Sample) {
        if let Ok(back @ 1..) = u64::try_from(self.moved_back(at)) {
            let history = &self.history;
            history.steps_back.fetch_add(1, Ordering::Relaxed);
            history.stepped_back.fetch_add(back, Ordering::Relaxed);
            history.largest_step_back.fetch_max(back, Ordering::Relaxed);
        }
        self.clock_offset.store(at.offset(), Ordering::Relaxed);
    }

    fn note_seed(&self, at: Sample, tick: u64, source: SeedSource) {
        self.history.seeded_at.store(at.realtime, Ordering::Relaxed);
        self.history.seeded_from.store(tick, Ordering::Relaxed);
        self.history.seed_source.store(source as u64, Ordering::Relaxed);
    }
}

/// The line raised to a tick, unless it is there already.
fn raised(line: Line, tick: u64, at: Sample, max_ahead: Option<u64>) -> Result<Line, LineError> {
    if tick <= line.tick(at.monotonic) {
        return Ok(line);
    }
    if tick > LAST_TICK {
        return Err(LineError::OutOfRange);
    }
    if max_ahead.is_some_and(|most| lead(tick, at) > most) {
        return Err(LineError::TooFarAhead);
    }
    Ok(Line::through(tick, at))
}

fn lead(tick: u64, at: Sample) -> u64 {
    // A lead within the tolerance is how exactly the clock is read.
    Some(tick.saturating_sub(at.realtime)).filter(|&lead| lead > TOLERANCE).unwrap_or(0)
}
