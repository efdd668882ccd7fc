//! What the clock learns from the process that it runs in: the operating system's clocks, and what
//! PostgreSQL knows of the time before the server started.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use pgrx::pg_sys;

use crate::postgres::raw;
use crate::postgres::timestamp::TimestampTz;
use comb_clock::block::Block;
use comb_clock::host::{EarlierTime, Host};
use comb_clock::logical_clock::SeedSource;
use comb_clock::source::{ClockSource, tick_of_seconds, ticks_of_seconds};
use comb_tick::tick_of_micros;

/// The clocks of the operating system.
pub struct System;

/// This process, whose ids come from a logical clock of its own or from the server's.
pub struct Process {
    pub shares: bool,
}

impl ClockSource for System {
    #[inline(always)]
    fn monotonic(&self) -> u64 {
        let time = read(libc::CLOCK_MONOTONIC);
        ticks_of_seconds(time.tv_sec as u64, time.tv_nsec as u32)
    }

    fn realtime(&self) -> Option<u64> {
        let time = read(libc::CLOCK_REALTIME);
        tick_of_seconds(time.tv_sec, time.tv_nsec as u32)
    }
}

impl ClockSource for Process {
    fn monotonic(&self) -> u64 {
        System.monotonic()
    }

    fn realtime(&self) -> Option<u64> {
        System.realtime()
    }
}

/// Through libc, where libfaketime can steer it.
#[inline(always)]
fn read(clock: libc::clockid_t) -> libc::timespec {
    let mut time = MaybeUninit::uninit();
    // SAFETY: both clocks exist wherever PostgreSQL runs, so the call cannot fail, and fills the
    // structure.
    unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    }
}

impl Host for Process {
    fn earlier_time(&self) -> Option<EarlierTime> {
        // A logical clock of one process does not go on from what was before the start of the server.
        let known =
            if self.shares { [crash(), checkpoint(), replayed()] } else { [None, None, None] };
        known.into_iter().flatten().max_by_key(|earlier| earlier.reached)
    }

    fn in_recovery(&self) -> bool {
        // SAFETY: reads shared memory that every backend has.
        unsafe { raw::RecoveryInProgress() }
    }

    fn undisturbed(&self, change: &mut dyn FnMut()) {
        // No other process waits for the logical clock of one process.
        let _blocked = self.shares.then(BlockedSignals::new);
        change();
    }

    fn wait(&self, turn: u32) {
        // A change takes some 100 ns, unless its process loses the processor, or somebody stops it.
        match turn {
            0..100 => std::hint::spin_loop(),
            100..1000 => std::thread::yield_now(),
            _ => wait_interruptibly(),
        }
    }
}

/// Waits for a millisecond, shows up in pg_stat_activity, and obeys cancel and terminate: it then raises
/// an ERROR.
fn wait_interruptibly() {
    let events = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH;
    // SAFETY: as PostgreSQL's own loops wait, in a process that runs SQL and so has a latch. An ERROR
    // jumps over frames that hold nothing to be dropped: no signal is blocked, no lock is held here.
    unsafe {
        raw::WaitLatch(pg_sys::MyLatch, events as i32, 1, wait_event());
        raw::ResetLatch(pg_sys::MyLatch);
        if pg_sys::InterruptPending != 0 {
            raw::ProcessInterrupts();
        }
    }
}

/// What pg_stat_activity shows: CombClock from PostgreSQL 17 on, before that Extension.
fn wait_event() -> u32 {
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    {
        static EVENT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        if EVENT.load(Ordering::Relaxed) == 0 {
            // SAFETY: a constant name, in a process that runs SQL.
            let event = unsafe { raw::WaitEventExtensionNew(c"CombClock".as_ptr()) };
            EVENT.store(event, Ordering::Relaxed);
        }
        EVENT.load(Ordering::Relaxed)
    }
    #[cfg(not(any(feature = "pg17", feature = "pg18")))]
    pg_sys::PG_WAIT_EXTENSION
}

/// Signals that PostgreSQL handles, held back until this is dropped: a background worker that was told
/// nothing else ends inside its handler of SIGTERM, and would leave everybody waiting for its change.
struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    fn new() -> Self {
        let mut blocked = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: sets of signals that the calls fill before they are read. Those that a process raises
        // by its own fault cannot be held back.
        unsafe {
            libc::sigfillset(blocked.as_mut_ptr());
            for fault in [
                libc::SIGTRAP,
                libc::SIGABRT,
                libc::SIGILL,
                libc::SIGFPE,
                libc::SIGSEGV,
                libc::SIGBUS,
            ] {
                libc::sigdelset(blocked.as_mut_ptr(), fault);
            }
            libc::sigprocmask(libc::SIG_SETMASK, blocked.as_ptr(), before.as_mut_ptr());
            Self { before: before.assume_init() }
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the mask that was in force.
        unsafe {
            libc::sigprocmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut())
        };
    }
}

/// The logical clock when a backend crashed, and the moment by the monotonic clock; 0 for no crash. The
/// postmaster writes it, and its backends inherit it (a platform where they do not, EXEC_BACKEND, is not
/// supported).
static CRASHED_AT: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// For the postmaster, before the shared memory goes.
pub fn remember_clock(block: &Block) {
    let monotonic = System.monotonic();
    if let Some(tick) = block.last_tick(monotonic) {
        CRASHED_AT[0].store(tick, Ordering::Relaxed);
        CRASHED_AT[1].store(monotonic, Ordering::Relaxed);
    }
}

fn crash() -> Option<EarlierTime> {
    let [tick, monotonic] = CRASHED_AT.each_ref().map(|word| word.load(Ordering::Relaxed));
    let reached = tick.checked_add(System.monotonic().saturating_sub(monotonic))?;
    (tick != 0).then_some(EarlierTime { reached, end: reached, source: SeedSource::Crash })
}

/// The last checkpoint that the postmaster saw before it started the server, in Unix seconds; 0 where it
/// did not look. Inherited as above.
static CHECKPOINT_BEFORE_START: AtomicI64 = AtomicI64::new(0);

/// For the postmaster, before recovery, which after a crash ends with a checkpoint of its own, whose time
/// is that of the clock as it stands then.
pub fn remember_checkpoint() {
    CHECKPOINT_BEFORE_START.fetch_max(last_checkpoint().unwrap_or(0), Ordering::Relaxed);
}

/// The second of the last checkpoint. After a clean stop no id was made after it.
fn checkpoint() -> Option<EarlierTime> {
    let second = last_checkpoint()?.max(CHECKPOINT_BEFORE_START.load(Ordering::Relaxed));
    Some(EarlierTime {
        reached: tick_of_seconds(second, 0)?,
        end: tick_of_seconds(second.checked_add(1)?, 0)?,
        source: SeedSource::Checkpoint,
    })
}

/// The time of the last checkpoint in the control file, in Unix seconds.
fn last_checkpoint() -> Option<i64> {
    // Somebody may be writing it: the server itself reads it under a lock that is not exported.
    (0..10).find_map(|_| {
        let mut is_valid = false;
        // SAFETY: the process's DataDir is the path of its data directory; the result is the caller's.
        let second = unsafe {
            let file = raw::get_controlfile(pg_sys::DataDir, &raw mut is_valid);
            let second = (*file).checkPointCopy.time;
            raw::pfree(file.cast());
            second
        };
        is_valid.then_some(second)
    })
}

/// The microsecond in which the last transaction that was replayed had ended, by the clock of the
/// server that did it. On a standby, and after its promotion; PostgreSQL does not keep it in the
/// recovery from a crash.
fn replayed() -> Option<EarlierTime> {
    // SAFETY: reads shared memory that every backend has.
    let at = unsafe { raw::GetLatestXTime() };
    if at == 0 {
        return None;
    }
    let micros = TimestampTz(at).unix_micros();
    Some(EarlierTime {
        reached: tick_of_micros(micros).try_into().ok()?,
        end: tick_of_micros(micros.checked_add(1)?).try_into().ok()?,
        source: SeedSource::Replay,
    })
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn is_blocked(signal: i32) -> bool {
        let mut mask = MaybeUninit::uninit();
        // SAFETY: fills the mask with the one in force, and reads it.
        unsafe {
            libc::sigprocmask(libc::SIG_SETMASK, std::ptr::null(), mask.as_mut_ptr());
            libc::sigismember(mask.as_ptr(), signal) == 1
        }
    }

    #[test]
    fn signals_are_blocked_during_a_change_and_not_after_a_panic() {
        let process = Process { shares: true };
        let mut seen = None;
        process.undisturbed(&mut || {
            seen = Some((is_blocked(libc::SIGTERM), is_blocked(libc::SIGSEGV)))
        });
        assert_eq!(seen, Some((true, false)));
        let panicked =
            catch_unwind(AssertUnwindSafe(|| process.undisturbed(&mut || panic!("on purpose"))));
        assert!(panicked.is_err() && !is_blocked(libc::SIGTERM));
    }
}
