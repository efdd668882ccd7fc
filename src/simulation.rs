//! A process whose clocks the tests move.

use std::cell::Cell;

use crate::block::{Block, Floor, Host};
use crate::clock::Clocks;
use crate::comb::TICKS_PER_MS;
use crate::generator::{Generator, GeneratorError, Wishes};
use crate::layout::Layout;
use crate::order::Bytes;

pub const SECOND: u64 = 1000 * TICKS_PER_MS;
/// In November 2023.
pub const BEGIN: u64 = 1_700_000_000 * SECOND;

/// What a reading of a clock takes: 31 ns.
const READING: u64 = 2;

pub struct SimulatedHost {
    monotonic: Cell<u64>,
    /// `None` while the real clock is out of range.
    realtime: Cell<Option<u64>>,
    /// What a reading of the monotonic clock is cut off to.
    coarseness: u64,
    pub floor: Cell<Option<Floor>>,
    pub in_recovery: Cell<bool>,
}

impl SimulatedHost {
    pub fn new() -> Self {
        Self::coarse(1)
    }

    /// A monotonic clock that moves once in so many ticks.
    pub fn coarse(coarseness: u64) -> Self {
        Self {
            monotonic: Cell::new(1000 * SECOND),
            realtime: Cell::new(Some(BEGIN)),
            coarseness,
            floor: Cell::new(None),
            in_recovery: Cell::new(false),
        }
    }

    /// Time goes by.
    pub fn pass(&self, ticks: u64) {
        self.monotonic.set(self.monotonic.get() + ticks);
        self.suspend(ticks);
    }

    /// Time goes by, and the machine sleeps.
    pub fn suspend(&self, ticks: u64) {
        self.realtime.set(self.realtime.get().map(|now| now + ticks));
    }

    /// Somebody sets the real clock.
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
}

impl Clocks for SimulatedHost {
    fn monotonic(&self) -> u64 {
        self.pass(READING);
        self.monotonic.get() / self.coarseness * self.coarseness
    }

    fn realtime(&self) -> Option<u64> {
        self.pass(READING);
        self.realtime.get()
    }
}

impl Host for SimulatedHost {
    fn floor(&self) -> Option<Floor> {
        self.floor.get()
    }

    fn in_recovery(&self) -> bool {
        self.in_recovery.get()
    }

    fn undisturbed(&self, change: &mut dyn FnMut()) {
        change();
    }
}

/// A block as it is after a start of the server.
pub fn unused_block() -> &'static Block {
    Box::leak(Box::new(Block::unused()))
}

/// The next tick of a generator, as the PostgreSQL skin asks for it.
pub fn next_tick(
    generator: &mut Generator,
    layout: &Layout,
    host: &SimulatedHost,
    wishes: Wishes,
) -> Result<u64, GeneratorError> {
    if wishes.apart_ms == 0
        && let Some(tick) = generator.tick_at_once(layout.clock, host)
    {
        return Ok(tick);
    }
    Ok(generator.attend(layout.clock, host, wishes)?.tick)
}

pub fn next_id(
    generator: &mut Generator,
    layout: &Layout,
    host: &SimulatedHost,
    wishes: Wishes,
) -> Result<Bytes, GeneratorError> {
    let tick = next_tick(generator, layout, host, wishes)?;
    generator.id(layout, tick, 1)
}
