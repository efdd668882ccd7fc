//! This process as a host of comb-clock.

use std::mem::MaybeUninit;

use pgrx::pg_sys;

use super::seed;
use crate::postgres::raw;
use comb_clock::interface::{EarlierTime, Host};
use comb_clock::system_clock::tick_of_seconds;

/// This process, which uses a separate clock or the shared one.
pub struct Process {
    pub shares_clock: bool,
}

const _: () = assert!(!std::mem::needs_drop::<Process>());

impl Host for Process {
    fn realtime(&self) -> Option<u64> {
        realtime()
    }

    fn earlier_time(&self) -> Option<EarlierTime> {
        // A separate clock does not continue from the time before the start of the server.
        if self.shares_clock { seed::latest() } else { None }
    }

    fn in_recovery(&self) -> bool {
        // SAFETY: it has no arguments, and a process that runs SQL has attached to the shared memory that it reads.
        unsafe { raw::RecoveryInProgress() }
    }
}

/// The tick of the system clock; `None` if it is out of range.
#[inline(always)]
pub fn realtime() -> Option<u64> {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the clock exists on all platforms of PostgreSQL, so the call fills the structure. It is libc's, which
    // libfaketime can replace.
    let time = unsafe {
        libc::clock_gettime(libc::CLOCK_REALTIME, time.as_mut_ptr());
        time.assume_init()
    };
    tick_of_seconds(time.tv_sec, time.tv_nsec as u32)
}

#[inline(always)]
pub fn in_parallel_worker() -> bool {
    // SAFETY: a number that is written once, before the process runs SQL.
    unsafe { pg_sys::ParallelWorkerNumber >= 0 }
}
