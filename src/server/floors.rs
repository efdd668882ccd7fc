//! Floors of transactions that generate tracked UUIDs: heavyweight locks whose tag is a tick.
//!
//! PostgreSQL's lock manager does the hard work. It releases a lock after the transaction became visible
//! or aborted, whichever way it ends; the lock survives PREPARE TRANSACTION, a restart and a promotion with
//! the prepared transaction, and is released when a backend dies. All locks are ShareLocks: no session waits.

use std::thread::sleep;
use std::time::Duration;

use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::backend;
use super::mutation;
use super::process::in_parallel_worker;
use super::system::System;
use crate::postgres::compat::local_transaction_id;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_clock::block::Block;
use comb_clock::source::{ClockSource, LAST_TICK};
use comb_tick::TICKS_PER_MS;

/// The fourth field of our advisory locks. pg_advisory_lock() writes 1 and 2 there, Citus 4 to 12.
pub const LOCK_CLASS: u16 = 3083;

/// What this process remembers of its transaction's floor.
#[derive(Clone, Copy)]
struct Held {
    /// The local transaction id, and how often the clock had been reset.
    by: Option<(u32, u64)>,
    /// The logical clock after the lock was taken: keys from this tick on are covered by the floor.
    covered_from: u64,
}

impl Held {
    /// Whether the transaction holds it, and the clock was not reset since.
    #[inline(always)]
    fn is_valid(&self, block: &Block) -> bool {
        self.by == Some((local_transaction_id(), block.resets()))
            || mutation::is("remembered across transactions") && self.by.is_some()
    }
}

static mut HELD: Held = Held { by: None, covered_from: 0 };

/// Ensures that the transaction holds a floor below all UUIDs that it generates from now on. Returns the tick
/// from which on keys are covered.
#[inline(always)]
pub fn hold() -> Result<u64, Report> {
    let (block, _) = backend::server()?;
    // SAFETY: a backend runs SQL on one thread.
    let held = unsafe { HELD };
    if held.is_valid(block) && !in_parallel_worker() {
        return Ok(held.covered_from);
    }
    take()
}

/// The longest lead that [`hold_for_client`] waits for.
const LONGEST_WAIT: u64 = 10 * TICKS_PER_MS;

/// [`hold`], which returns when the system clock is past the millisecond of the floor: many clients write no more than
/// milliseconds, and their keys of the same millisecond can be below the floor.
pub fn hold_for_client() -> Result<u64, Report> {
    let covered_from = hold()?;
    let last_of_ms = covered_from | (TICKS_PER_MS - 1);
    match System.realtime().map_or(0, |now| (last_of_ms + 1).saturating_sub(now)) {
        // A later call in the transaction.
        0 => (),
        _ if mutation::is("hold without waiting") => (),
        lead @ ..=LONGEST_WAIT => sleep(Duration::from_micros(lead * 1000 / TICKS_PER_MS + 1)),
        _ => backend::warn_once_a_minute(|| {
            report!(ERRCODE_WARNING, "keys that clients generate now are not tracked")
                .detail("The shared clock is ahead of the system clock: such keys are older than the result of comb_hold().")
                .hint("Generate the keys with comb_tracked() until the lead ends. comb_status() shows when.")
        }),
    }
    Ok(covered_from)
}

/// The tick from which on keys of this transaction are covered; `None` if it holds no floor.
pub fn covered_from() -> Result<Option<u64>, Report> {
    let (block, _) = backend::server()?;
    // SAFETY: as above.
    let held = unsafe { HELD };
    Ok(held.is_valid(block).then_some(held.covered_from))
}

#[cold]
#[inline(never)]
fn take() -> Result<u64, Report> {
    check_available()?;
    let (block, process) = backend::server()?;
    // Before the logical clock is read: a process that sees a reset sees the logical clock after it.
    let resets = block.resets();
    let floor = block.follow(&process)?.tick - 1;
    mutation::pause();
    let tag = pg_sys::LOCKTAG {
        // SAFETY: set when the process connected to its database.
        locktag_field1: unsafe { pg_sys::MyDatabaseId }.into(),
        locktag_field2: (floor >> 32) as u32,
        locktag_field3: floor as u32,
        locktag_field4: LOCK_CLASS,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    };
    // SAFETY: a lock of the top-level transaction: that of a savepoint would go at ROLLBACK TO. Out of lock
    // memory, the ERROR ends the (sub)transaction, which sets the owner again; nothing is remembered then.
    unsafe {
        let owner = pg_sys::CurrentResourceOwner;
        if !mutation::is("lock of the savepoint") {
            pg_sys::CurrentResourceOwner = pg_sys::TopTransactionResourceOwner;
        }
        if mutation::is("remembered before the lock") {
            HELD = Held { by: Some((local_transaction_id(), resets)), covered_from: floor + 1 };
        }
        let of_session = mutation::is("forgotten at PREPARE") || mutation::releases_before_commit(&tag);
        raw::LockAcquire(&raw const tag, pg_sys::ShareLock as i32, of_session, false);
        pg_sys::CurrentResourceOwner = owner;
    }
    let covered_from = block.now(&process);
    // SAFETY: as above.
    unsafe { HELD = Held { by: Some((local_transaction_id(), resets)), covered_from } };
    Ok(covered_from)
}

/// The least floor that a transaction of this database holds.
pub fn least() -> Option<u64> {
    // SAFETY: a copy of the table of locks, with so many elements, in the memory context of the caller.
    unsafe {
        let data = raw::GetLockStatusData();
        let count = usize::try_from((*data).nelements).unwrap_or(0);
        let least = std::slice::from_raw_parts((*data).locks, count)
            .iter()
            .filter(|lock| lock.holdMask != 0)
            .filter_map(|lock| floor_of(&lock.locktag))
            .min();
        raw::pfree((*data).locks.cast());
        raw::pfree(data.cast());
        least
    }
}

/// The floor that a lock of this database represents.
fn floor_of(tag: &pg_sys::LOCKTAG) -> Option<u64> {
    let is_ours = u32::from(tag.locktag_type) == pg_sys::LockTagType::LOCKTAG_ADVISORY
        && u32::from(tag.locktag_lockmethodid) == pg_sys::USER_LOCKMETHOD
        && tag.locktag_field4 == LOCK_CLASS
        // SAFETY: set when the process connected to its database.
        && (tag.locktag_field1 == u32::from(unsafe { pg_sys::MyDatabaseId })
            || mutation::is("floors of other databases"));
    let floor = u64::from(tag.locktag_field2) << 32 | u64::from(tag.locktag_field3);
    (is_ours && floor <= LAST_TICK).then_some(floor)
}

/// An error in recovery and in a parallel worker, which do not have their own transactions.
pub fn check_available() -> Result<(), Report> {
    // SAFETY: reads shared memory that every backend has.
    if unsafe { raw::RecoveryInProgress() } {
        return Err(report!(
            ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "tracked UUIDs and the horizon are not available during recovery"
        )
        .hint("Compute the horizon on the primary. A standby has all rows below it when it has replayed the WAL that the primary had written by then."));
    }
    if in_parallel_worker() && !mutation::is("floors in parallel workers") {
        // The label PARALLEL RESTRICTED is not enough: a function that calls ours can be labelled SAFE.
        return Err(report!(
            ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "tracked UUIDs and the horizon are not available in a parallel worker"
        )
        .hint("A function that calls comb_tracked() or comb_horizon() must be PARALLEL RESTRICTED or PARALLEL UNSAFE. In a condition on a partitioned table, write (SELECT comb_horizon())."));
    }
    Ok(())
}
