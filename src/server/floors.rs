//! Floors of transactions that store tracked rows: heavyweight locks whose tag is a tick.
//!
//! PostgreSQL's lock manager does the hard work. It releases a lock after the transaction became visible or aborted,
//! whichever way it ends; the lock survives PREPARE TRANSACTION, a restart and a promotion with the prepared transaction,
//! and is released when a backend dies. All locks are ShareLocks: no session waits.

use std::cell::Cell;
use std::ffi::CStr;
use std::sync::atomic::{Ordering, fence};
use std::thread::sleep;
use std::time::Duration;

use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::backend;
use super::host::{Process, in_parallel_worker, wait_interruptibly};
use super::system_clock::SystemClock;
use crate::postgres::compat::local_transaction_id;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_clock::block::Block;
use comb_clock::horizon::settled;
use comb_clock::source::{ClockSource, LAST_TICK};
use comb_tick::TICKS_PER_MS;

/// The fourth field of our advisory locks. pg_advisory_lock() writes 1 and 2 there, Citus 4 to 12.
const LOCK_CLASS: u16 = 3083;

/// The floor of a transaction of this process.
#[derive(Clone, Copy)]
struct Floor {
    transaction: u32,
    /// How often the clock had been reset.
    resets: u64,
    /// The logical clock after the lock was acquired: keys from this tick on are covered by the floor.
    covered_from: u64,
}

static FLOOR: OneThread<Cell<Option<Floor>>> = OneThread::new(Cell::new(None));

/// The floor that the transaction holds, if the clock was not reset since.
#[inline(always)]
fn floor(block: &Block) -> Option<Floor> {
    FLOOR.get().filter(|floor| floor.transaction == local_transaction_id() && floor.resets == block.resets())
}

/// The tick from which on keys of this transaction are covered; `None` if it holds no floor.
pub fn covered_from() -> Result<Option<u64>, Report> {
    let (block, _) = backend::server()?;
    Ok(floor(block).map(|floor| floor.covered_from))
}

/// Ensures that the transaction holds a floor below all keys that are generated, and all numbers that are drawn, from now
/// on. Returns the tick from which on keys are covered.
#[inline(always)]
pub fn acquire() -> Result<u64, Report> {
    match covered_from()? {
        Some(tick) if !in_parallel_worker() => Ok(tick),
        _ => acquire_lock(),
    }
}

#[cold]
#[inline(never)]
fn acquire_lock() -> Result<u64, Report> {
    let (block, process) = server()?;
    // Read before the logical clock: a process that sees a reset then also sees the logical clock after it.
    let resets = block.resets();
    let latest = block.follow(&process)?.tick;
    // New connections can then use a horizon that this transaction does not hold back.
    if block.published().is_some_and(|published| published.claim(latest)) {
        fence(Ordering::SeqCst);
        publish(block, settled(latest, lowest().of_all));
    }
    let floor = block.follow(&process)?.tick - 1;
    let tag = pg_sys::LOCKTAG {
        // SAFETY: set when the process connected to its database.
        locktag_field1: unsafe { pg_sys::MyDatabaseId }.into(),
        locktag_field2: (floor >> 32) as u32,
        locktag_field3: floor as u32,
        locktag_field4: LOCK_CLASS,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    };
    // SAFETY: the top-level transaction owns the lock, because ROLLBACK TO would release that of a savepoint. If lock memory
    // is exhausted, the ERROR ends the (sub)transaction, which sets the owner again, and FLOOR does not change.
    unsafe {
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::CurrentResourceOwner = pg_sys::TopTransactionResourceOwner;
        raw::LockAcquire(&raw const tag, pg_sys::ShareLock as i32, false, false);
        pg_sys::CurrentResourceOwner = owner;
    }
    let covered_from = block.now(&process);
    FLOOR.set(Some(Floor { transaction: local_transaction_id(), resets, covered_from }));
    Ok(covered_from)
}

/// The longest lead that [`acquire_for_client`] waits for, 1 s.
const LONGEST_WAIT: u64 = 1000 * TICKS_PER_MS;

/// [`acquire`], which returns when the system clock is past the millisecond of the floor: many clients write no more than
/// milliseconds, and their keys of the same millisecond can be below the floor.
pub fn acquire_for_client() -> Result<u64, Report> {
    let covered_from = acquire()?;
    let next_ms = (covered_from | (TICKS_PER_MS - 1)) + 1;
    loop {
        // The lead is zero in a later call in the transaction.
        let lead = SystemClock.realtime().map_or(0, |now| next_ms.saturating_sub(now));
        if lead == 0 {
            return Ok(covered_from);
        }
        if lead > LONGEST_WAIT {
            return Err(report!(
                ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                "cannot track keys of clients while UUIDs are ahead of the system clock"
            )
            .detail("Keys that clients generate now would be older than the floor of the transaction.")
            .hint("Generate the keys with comb_tracked() until the lead ends. comb_status() shows when."));
        }
        if lead > TICKS_PER_MS {
            wait_interruptibly();
        } else {
            sleep(Duration::from_micros(lead * 1000 / TICKS_PER_MS + 1));
        }
    }
}

/// The lowest floors that transactions hold.
#[derive(Clone, Copy, Default)]
pub struct Lowest {
    pub of_database: Option<u64>,
    pub of_all: Option<u64>,
    /// The highest floors of the database: of all transactions, and of prepared ones.
    pub highest: Option<u64>,
    pub highest_prepared: Option<u64>,
}

pub fn lowest() -> Lowest {
    // SAFETY: the data is a copy of the table of locks with `nelements` elements, in the memory context of the caller.
    unsafe {
        let data = raw::GetLockStatusData();
        let count = usize::try_from((*data).nelements).unwrap_or(0);
        let locks = std::slice::from_raw_parts((*data).locks, count).iter().filter(|lock| lock.holdMask != 0);
        let mut lowest = Lowest::default();
        for (floor, database, pid) in locks.filter_map(|lock| floor_of(&lock.locktag).map(|(floor, of)| (floor, of, lock.pid))) {
            let lower = |lowest: Option<u64>| Some(lowest.map_or(floor, |lowest| lowest.min(floor)));
            lowest.of_all = lower(lowest.of_all);
            if database == pg_sys::MyDatabaseId {
                lowest.of_database = lower(lowest.of_database);
                lowest.highest = lowest.highest.max(Some(floor));
                if pid == 0 {
                    lowest.highest_prepared = lowest.highest_prepared.max(Some(floor));
                }
            }
        }
        raw::pfree((*data).locks.cast());
        raw::pfree(data.cast());
        lowest
    }
}

/// The floor that a lock represents, and its database.
fn floor_of(tag: &pg_sys::LOCKTAG) -> Option<(u64, pg_sys::Oid)> {
    let is_ours = u32::from(tag.locktag_type) == pg_sys::LockTagType::LOCKTAG_ADVISORY
        && u32::from(tag.locktag_lockmethodid) == pg_sys::USER_LOCKMETHOD
        && tag.locktag_field4 == LOCK_CLASS;
    let floor = u64::from(tag.locktag_field2) << 32 | u64::from(tag.locktag_field3);
    (is_ours && floor <= LAST_TICK).then_some((floor, pg_sys::Oid::from_u32(tag.locktag_field1)))
}

/// Publishes a tick that is settled in all databases, for connections that have computed no horizon yet.
pub fn publish(block: &Block, settled: u64) {
    if let Some(published) = block.published() {
        // SAFETY: reads shared memory that every backend has.
        published.add(settled, unsafe { raw::ReadNextFullTransactionId() }.value);
    }
}

/// The shared clock; an error if floors are not available.
pub fn server() -> Result<(&'static Block, Process), Report> {
    check_available()?;
    backend::server()
}

/// Returns an error in recovery and in a parallel worker, where no transaction can hold a floor, and in a session that a
/// node of Citus opened to query shards: the transactions that write them hold their floors where they began, and this
/// session's transaction can end before theirs.
fn check_available() -> Result<(), Report> {
    // SAFETY: reads shared memory that every backend has.
    if unsafe { raw::RecoveryInProgress() } {
        return Err(report!(
            ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "tracked UUIDs and the horizon are not available during recovery"
        )
        .hint(
            "Compute the horizon on the primary. A standby has all rows below it when it has replayed the WAL that \
             the primary had written by then.",
        ));
    }
    if in_parallel_worker() {
        // PARALLEL RESTRICTED is not enough: a function that calls one of ours can be PARALLEL SAFE.
        return Err(report!(
            ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "tracked UUIDs and the horizon are not available in a parallel worker"
        )
        .hint(
            "A function that calls comb_tracked() or comb_horizon() must be PARALLEL RESTRICTED or PARALLEL UNSAFE. \
             In a condition on a partitioned table, write (SELECT comb_horizon()).",
        ));
    }
    // SAFETY: a setting that is never null. Citus recognizes its sessions in the same way.
    if unsafe { CStr::from_ptr(pg_sys::application_name) }.to_bytes().starts_with(b"citus_internal gpid=") {
        return Err(report!(
            ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "tracked UUIDs and the horizon are not available in a query on shards of Citus"
        )
        .detail("The floors of the transactions that write the shards are on the nodes where these transactions began.")
        .hint(
            "Select comb_horizon() in a separate statement before the one that reads the shards. In INSERT ... SELECT from \
             shards, select the source rows in WITH ... AS MATERIALIZED.",
        ));
    }
    Ok(())
}
