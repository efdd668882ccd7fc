//! This process as a host of comb-clock.

#[cfg(not(any(feature = "pg15", feature = "pg16")))]
use std::sync::atomic::{AtomicU32, Ordering};

use pgrx::pg_sys;

use super::seed;
use super::signals::BlockedSignals;
use super::system_clock::SystemClock;
use crate::postgres::raw;
use comb_clock::host::{EarlierTime, Host};
use comb_clock::source::ClockSource;

/// This process, which uses a separate logical clock or the shared one.
pub struct Process {
    pub shares_clock: bool,
}

const _: () = assert!(!std::mem::needs_drop::<Process>());

impl ClockSource for Process {
    fn monotonic(&self) -> u64 {
        SystemClock.monotonic()
    }

    fn realtime(&self) -> Option<u64> {
        SystemClock.realtime()
    }
}

impl Host for Process {
    fn earlier_time(&self) -> Option<EarlierTime> {
        // A separate logical clock does not continue from the time before the start of the server.
        if self.shares_clock { seed::latest() } else { None }
    }

    fn in_recovery(&self) -> bool {
        // SAFETY: reads shared memory that every backend has.
        unsafe { raw::RecoveryInProgress() }
    }

    fn undisturbed(&self, change: &mut dyn FnMut()) {
        // No other process waits for a separate logical clock.
        let _blocked = self.shares_clock.then(BlockedSignals::new);
        change();
    }

    fn wait(&self, turn: u32) {
        // A change needs some 100 ns, unless its process is descheduled or stopped. On a busy machine, a yield can take 10 ms:
        // a time-out must not wait for many of them.
        match turn {
            0..100 => std::hint::spin_loop(),
            100..110 => std::thread::yield_now(),
            _ => wait_interruptibly(),
        }
    }
}

/// Waits for a millisecond, visible in pg_stat_activity. Cancel and terminate raise an ERROR.
pub fn wait_interruptibly() {
    let events = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH;
    // SAFETY: PostgreSQL waits in the same way. A process that runs SQL has a latch. No caller has blocked signals or holds
    // a lock.
    unsafe {
        raw::WaitLatch(pg_sys::MyLatch, events as i32, 1, wait_event());
        raw::ResetLatch(pg_sys::MyLatch);
        if pg_sys::InterruptPending != 0 {
            raw::ProcessInterrupts();
        }
    }
}

/// The wait event in pg_stat_activity: CombClock from PostgreSQL 17 on, before that Extension.
#[cfg(not(any(feature = "pg15", feature = "pg16")))]
fn wait_event() -> u32 {
    static EVENT: AtomicU32 = AtomicU32::new(0);
    if EVENT.load(Ordering::Relaxed) == 0 {
        // SAFETY: this process runs SQL, and the name is a C string.
        EVENT.store(unsafe { raw::WaitEventExtensionNew(c"CombClock".as_ptr()) }, Ordering::Relaxed);
    }
    EVENT.load(Ordering::Relaxed)
}
#[cfg(any(feature = "pg15", feature = "pg16"))]
fn wait_event() -> u32 {
    pg_sys::PG_WAIT_EXTENSION
}

#[inline(always)]
pub fn in_parallel_worker() -> bool {
    // SAFETY: written once, at the process's start.
    unsafe { pg_sys::ParallelWorkerNumber >= 0 }
}
