//! What the core learns from the process that it runs in: its clocks, and what PostgreSQL knows of the
//! time before the server started.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI64, Ordering};

use pgrx::pg_sys;

use super::timestamp::TimestampTz;
use crate::block::{Floor, Host, SeedSource};
use crate::clock::{Clocks, tick_of_seconds, ticks_of_seconds};
use crate::comb::tick_of_micros;

/// The clocks of the operating system.
pub struct System;

/// This process, making ids by a line of its own or by the server's.
pub struct Process {
    pub shares: bool,
}

impl Clocks for Process {
    fn monotonic(&self) -> u64 {
        System.monotonic()
    }

    fn realtime(&self) -> Option<u64> {
        System.realtime()
    }
}

impl Clocks for System {
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
    fn floor(&self) -> Option<Floor> {
        // What was before the start of the server does not bind a line that begins with a process.
        let known = if self.shares { [checkpoint(), replayed()] } else { [None, None] };
        known.into_iter().flatten().max_by_key(|floor| floor.reached)
    }

    fn in_recovery(&self) -> bool {
        // SAFETY: reads shared memory that every backend has.
        unsafe { pg_sys::RecoveryInProgress() }
    }

    fn undisturbed(&self, change: &mut dyn FnMut()) {
        // A background worker that was told nothing else ends inside its handler of SIGTERM, and
        // would leave everybody waiting for the change.
        let mut held = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: sets of signals that the calls fill before they are read. Those that a process raises
        // by its own fault cannot be held back.
        unsafe {
            libc::sigfillset(held.as_mut_ptr());
            for fault in [
                libc::SIGTRAP,
                libc::SIGABRT,
                libc::SIGILL,
                libc::SIGFPE,
                libc::SIGSEGV,
                libc::SIGBUS,
            ] {
                libc::sigdelset(held.as_mut_ptr(), fault);
            }
            libc::sigprocmask(libc::SIG_SETMASK, held.as_ptr(), before.as_mut_ptr());
        }
        change();
        // SAFETY: the mask that was in force.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    }
}

/// The last checkpoint that the postmaster saw before it started the server, in Unix seconds; 0 where it
/// did not look. Inherited by all backends.
static CHECKPOINT_BEFORE_START: AtomicI64 = AtomicI64::new(0);

/// For the postmaster, before recovery: after a crash that ends with a checkpoint of its own, whose time is
/// that of the clock as it stands then. When a backend crashed, too, and what was seen before stays.
pub fn remember_checkpoint() {
    CHECKPOINT_BEFORE_START.fetch_max(last_checkpoint().unwrap_or(0), Ordering::Relaxed);
}

/// The second of the last checkpoint. After a clean stop no id was made after it.
fn checkpoint() -> Option<Floor> {
    let second = last_checkpoint()?.max(CHECKPOINT_BEFORE_START.load(Ordering::Relaxed));
    Some(Floor {
        reached: tick_of_seconds(second, 0)?,
        end: tick_of_seconds(second.checked_add(1)?, 0)?,
        source: SeedSource::Checkpoint,
    })
}

/// What the control file says of it, in Unix seconds.
fn last_checkpoint() -> Option<i64> {
    // Somebody may be writing it: the server itself reads it under a lock that is not exported.
    (0..10).find_map(|_| {
        let mut is_valid = false;
        // SAFETY: the process's DataDir is the path of its data directory; the result is the caller's.
        let second = unsafe {
            let file = pg_sys::get_controlfile(pg_sys::DataDir, &mut is_valid);
            let second = (*file).checkPointCopy.time;
            pg_sys::pfree(file.cast());
            second
        };
        is_valid.then_some(second)
    })
}

/// The microsecond in which the last transaction that was replayed had ended, by the clock of the
/// server that did it. On a standby, and after its promotion; PostgreSQL does not keep it in the
/// recovery from a crash.
fn replayed() -> Option<Floor> {
    // SAFETY: reads shared memory that every backend has.
    let at = unsafe { pg_sys::GetLatestXTime() };
    if at == 0 {
        return None;
    }
    let micros = TimestampTz(at).unix_micros();
    Some(Floor {
        reached: tick_of_micros(micros).try_into().ok()?,
        end: tick_of_micros(micros.checked_add(1)?).try_into().ok()?,
        source: SeedSource::Replay,
    })
}
