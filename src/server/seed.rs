//! The times that UUIDs had reached before the server started, or before a backend crashed.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use pgrx::pg_sys;

use crate::postgres::raw;
use crate::postgres::timestamp::TimestampTz;
use comb_clock::block::Block;
use comb_clock::interface::{EarlierTime, SeedTime};
use comb_clock::system_clock::tick_of_seconds;
use comb_tick::tick_of_micros;

/// The latest of these times.
pub fn latest() -> Option<EarlierTime> {
    // After a crash the checkpoint does not count: the clock was past it, unless it was reset since.
    let known = [crash().or_else(checkpoint), replayed()];
    known.into_iter().flatten().max_by_key(|earlier| earlier.reached)
}

/// The last tick when a backend crashed; 0 for no crash. The postmaster writes it, and its backends inherit it (a platform
/// where they do not, EXEC_BACKEND, is not supported).
static CRASHED_AT: AtomicU64 = AtomicU64::new(0);

/// The postmaster calls it before the shared memory is removed.
pub fn remember_crash(block: &Block) {
    if let Some(tick) = block.last_tick() {
        CRASHED_AT.store(tick, Ordering::Relaxed);
    }
}

fn crash() -> Option<EarlierTime> {
    let reached = CRASHED_AT.load(Ordering::Relaxed);
    (reached != 0).then_some(EarlierTime { reached, end: reached, known_by: SeedTime::Crash })
}

/// The last checkpoint before the postmaster started the server, in Unix seconds; 0 if it did not read it. Backends
/// inherit it, as above.
static CHECKPOINT_BEFORE_START: AtomicI64 = AtomicI64::new(0);

/// The postmaster calls it before recovery. After a crash, recovery ends with a checkpoint at the time of the clock then.
pub fn remember_checkpoint() {
    CHECKPOINT_BEFORE_START.fetch_max(last_checkpoint().unwrap_or(0), Ordering::Relaxed);
}

/// The second of the last checkpoint. After a clean shutdown, no UUID was generated after it.
fn checkpoint() -> Option<EarlierTime> {
    let second = last_checkpoint()?.max(CHECKPOINT_BEFORE_START.load(Ordering::Relaxed));
    Some(EarlierTime {
        reached: tick_of_seconds(second, 0)?,
        end: tick_of_seconds(second.checked_add(1)?, 0)?,
        known_by: SeedTime::Checkpoint,
    })
}

/// The time of the last checkpoint in the control file, in Unix seconds.
fn last_checkpoint() -> Option<i64> {
    // Another process may be writing the file, under a lock that is not exported.
    (0..10).find_map(|_| {
        let mut is_valid = false;
        // SAFETY: DataDir is the path of the data directory. The result is palloc'd.
        let second = unsafe {
            let file = raw::get_controlfile(pg_sys::DataDir, &raw mut is_valid);
            let second = (*file).checkPointCopy.time;
            raw::pfree(file.cast());
            second
        };
        is_valid.then_some(second)
    })
}

/// The microsecond in which the last replayed transaction had ended, by the clock of its server. A standby knows it, also
/// after its promotion; recovery from a crash does not keep it.
fn replayed() -> Option<EarlierTime> {
    // SAFETY: it has no arguments, and a process that runs SQL has attached to the shared memory that it reads.
    let at = unsafe { raw::GetLatestXTime() };
    if at == 0 {
        return None;
    }
    let micros = TimestampTz(at).unix_micros();
    Some(EarlierTime {
        reached: tick_of_micros(micros).try_into().ok()?,
        end: tick_of_micros(micros.checked_add(1)?).try_into().ok()?,
        known_by: SeedTime::Replay,
    })
}
