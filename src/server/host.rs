//! This process as a host of comb-clock.

use pgrx::pg_sys;

use super::seed;
use super::system_clock::SystemClock;
use crate::postgres::raw;
use comb_clock::host::{EarlierTime, Host};
use comb_clock::source::ClockSource;

/// This process, which uses a separate clock or the shared one.
pub struct Process {
    pub shares_clock: bool,
}

const _: () = assert!(!std::mem::needs_drop::<Process>());

impl ClockSource for Process {
    fn realtime(&self) -> Option<u64> {
        SystemClock.realtime()
    }
}

impl Host for Process {
    fn earlier_time(&self) -> Option<EarlierTime> {
        // A separate clock does not continue from the time before the start of the server.
        if self.shares_clock { seed::latest() } else { None }
    }

    fn in_recovery(&self) -> bool {
        // SAFETY: reads shared memory that every backend has.
        unsafe { raw::RecoveryInProgress() }
    }
}

#[inline(always)]
pub fn in_parallel_worker() -> bool {
    // SAFETY: written once, at the process's start.
    unsafe { pg_sys::ParallelWorkerNumber >= 0 }
}
