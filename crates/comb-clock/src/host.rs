//! The interface of the logical clock to its process.

use super::logical_clock::SeedSource;
use super::source::ClockSource;

/// A process and its server.
pub trait Host: ClockSource {
    /// The time that ids had reached before the logical clock started, if it is known.
    fn earlier_time(&self) -> Option<EarlierTime>;

    /// Whether the server is in recovery.
    fn in_recovery(&self) -> bool;

    /// Runs a change of shared memory. No error and no signal may end it before it is complete, because all
    /// other processes wait for it.
    fn undisturbed(&self, change: &mut dyn FnMut());

    /// Waits for the change of another process. The caller is a loop that counts the calls in `turn`. An error may end
    /// the loop.
    fn wait(&self, turn: u32);
}

/// A time that ids had reached before the logical clock started, and its source.
#[derive(Clone, Copy, Debug)]
pub struct EarlierTime {
    /// The tick that ids had reached.
    pub reached: u64,
    /// The end of the unit in which `reached` is known. The logical clock starts there if the system clock is
    /// before `reached`.
    pub end: u64,
    /// How it is known.
    pub source: SeedSource,
}
