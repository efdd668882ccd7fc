//! The interface of the clock to its process.

use super::clock::SeedSource;

/// A process and its server. The tests implement it with clocks that stop, step back and jump.
pub trait Host {
    /// The Unix time of the system clock, in ticks; `None` before 1970 and after [`LAST_TICK`](super::source::LAST_TICK). It can
    /// be set back.
    fn realtime(&self) -> Option<u64>;

    /// The time that UUIDs had reached before the clock started, if it is known.
    fn earlier_time(&self) -> Option<EarlierTime>;

    /// Whether the server is in recovery.
    fn in_recovery(&self) -> bool;
}

/// A time that UUIDs had reached before the clock started, and its source.
#[derive(Clone, Copy, Debug)]
pub struct EarlierTime {
    /// The tick that UUIDs had reached.
    pub reached: u64,
    /// The end of the unit in which `reached` is known. The clock starts there if the system clock is before `reached`.
    pub end: u64,
    /// How it is known.
    pub source: SeedSource,
}
