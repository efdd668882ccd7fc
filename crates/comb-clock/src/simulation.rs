//! A process whose clocks are set by the tests.

use std::cell::Cell;

use super::block::Block;
use super::generator::{Generator, Next};
use super::host::{EarlierTime, Host};
use super::logical_clock::ClockError;
use super::source::ClockSource;
use comb_tick::TICKS_PER_MS;

pub const SECOND: u64 = 1000 * TICKS_PER_MS;
pub const HOUR: u64 = 3600 * SECOND;
/// In November 2023.
pub const BEGIN: u64 = 1_700_000_000 * SECOND;

/// Miri is slow: with it, a test takes one of this many steps.
pub const STRIDE: usize = if cfg!(miri) { 1000 } else { 1 };

/// The time that a reading of a clock takes: 31 ns.
const READING: u64 = 2;

pub struct SimulatedHost {
    monotonic: Cell<u64>,
    /// `None` while the system clock is out of range.
    realtime: Cell<Option<u64>>,
    /// The unit to which a reading of the monotonic clock is cut off.
    coarseness: u64,
    /// The number of readings after which the process is stopped, and for how many ticks.
    stop: Cell<Option<(u64, u64)>>,
    pub earlier_time: Cell<Option<EarlierTime>>,
    pub in_recovery: Cell<bool>,
}

impl SimulatedHost {
    pub fn new() -> Self {
        Self::coarse(1)
    }

    /// A monotonic clock that moves once in this many ticks.
    pub fn coarse(coarseness: u64) -> Self {
        Self {
            monotonic: Cell::new(1000 * SECOND),
            realtime: Cell::new(Some(BEGIN)),
            coarseness,
            stop: Cell::new(None),
            earlier_time: Cell::new(None),
            in_recovery: Cell::new(false),
        }
    }

    /// Lets time pass.
    pub fn pass(&self, ticks: u64) {
        self.monotonic.set(self.monotonic.get() + ticks);
        self.suspend(ticks);
    }

    /// Lets time pass while the machine is suspended.
    pub fn suspend(&self, ticks: u64) {
        self.realtime.set(self.realtime.get().map(|now| now + ticks));
    }

    /// Stops the process for this many ticks after this many readings of a clock.
    pub fn stop_after(&self, readings: u64, ticks: u64) {
        self.stop.set(Some((readings, ticks)));
    }

    /// Sets the system clock.
    pub fn set(&self, realtime: Option<u64>) {
        self.realtime.set(realtime);
    }

    pub fn set_back(&self, ticks: u64) {
        self.set(Some(self.real() - ticks));
    }

    pub fn real(&self) -> u64 {
        self.realtime.get().unwrap()
    }

    pub fn mono(&self) -> u64 {
        self.monotonic.get()
    }

    fn read(&self) {
        self.pass(READING);
        match self.stop.get() {
            Some((0, ticks)) => {
                self.stop.set(None);
                self.pass(ticks);
            }
            Some((readings, ticks)) => self.stop.set(Some((readings - 1, ticks))),
            None => {}
        }
    }
}

impl ClockSource for SimulatedHost {
    fn monotonic(&self) -> u64 {
        self.read();
        self.monotonic.get() / self.coarseness * self.coarseness
    }

    fn realtime(&self) -> Option<u64> {
        self.read();
        self.realtime.get()
    }
}

impl Host for SimulatedHost {
    fn earlier_time(&self) -> Option<EarlierTime> {
        self.earlier_time.get()
    }

    fn in_recovery(&self) -> bool {
        self.in_recovery.get()
    }

    fn undisturbed(&self, change: &mut dyn FnMut()) {
        change();
    }

    fn wait(&self, _: u32) {
        panic!("a process of a simulation never meets another one's change");
    }
}

/// A block as it is after a start of the server.
pub fn unused_block() -> &'static Block {
    Box::leak(Box::new(Block::unused()))
}

/// The next tick of a generator, generated as the extension does.
pub fn next_tick(generator: &mut Generator, step: u64, host: &SimulatedHost) -> Result<u64, ClockError> {
    match generator.try_tick(step, host) {
        Some(tick) => Ok(tick),
        None => Ok(generator.tick(Next { step, advance: false }, host, Some)?.tick),
    }
}

/// The next tick of a generator that keeps a distance, for time fields of whole milliseconds.
pub fn distant_tick(generator: &mut Generator, ms: u64, host: &SimulatedHost) -> Result<u64, ClockError> {
    let whole_ms = |tick: u64| Some(tick.next_multiple_of(TICKS_PER_MS));
    let next = Next { step: ms * TICKS_PER_MS, advance: true };
    Ok(generator.tick(next, host, whole_ms)?.tick)
}
