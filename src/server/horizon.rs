//! The horizon of this server, and of one statement: comb_clock::horizon has the proof.

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

use pgrx::pg_sys;

use super::floors::{self, Lowest};
use super::host::Process;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::Report;
use comb_clock::block::Block;
use comb_clock::horizon::{Ring, Snapshot, settled};

/// A horizon as it was computed.
pub struct Horizon {
    pub settled: u64,
    /// How long the oldest transaction has held it back, in ticks; 0 if none does.
    pub held_for: u64,
    floors: Lowest,
}

/// Computes the horizon: true for every snapshot that is taken from now on.
pub fn compute() -> Result<Horizon, Report> {
    let (block, process) = floors::server()?;
    compute_with(block, &process)
}

fn compute_with(block: &Block, process: &Process) -> Result<Horizon, Report> {
    let latest = block.follow(process)?.tick;
    // The logical clock is read before the floors.
    fence(Ordering::SeqCst);
    let lowest = floors::lowest();
    floors::publish(block, settled(latest, lowest.of_all));
    let of_database = lowest.of_database;
    let held_for = of_database.map_or(0, |lowest| latest.saturating_sub(lowest));
    Ok(Horizon { settled: settled(latest, of_database), held_for, floors: lowest })
}

/// The tick up to which everything is settled for the calling statement: committed and visible to it, or aborted.
/// `None` if no tick is known to be settled; the poll is then empty.
///
/// All rows, partitions and branches of a statement get one answer. Otherwise one answer could exclude a row, and the
/// next one include a later row. Therefore the answer is stored in the statement's snapshot.
pub fn settled_for_statement() -> Result<Option<u64>, Report> {
    Ok(settle()?.0)
}

/// [`settled_for_statement`], and the floors that transactions hold after the call began.
pub fn settled_and_floors() -> Result<(Option<u64>, Lowest), Report> {
    let (settled, floors) = settle()?;
    Ok((settled, floors.unwrap_or_else(floors::lowest)))
}

/// [`settled_for_statement`], with the floors if they were read.
fn settle() -> Result<(Option<u64>, Option<Lowest>), Report> {
    // This excludes parallel workers, in whose snapshots PostgreSQL does not set that word.
    let (block, process) = floors::server()?;
    let Some(Statement { snapshot, xmin, answer }) = statement() else { return Ok((None, None)) };
    if let Some(settled) = known(answer) {
        return Ok((settled, None));
    }
    let resets = block.resets();
    let horizon = compute_with(block, &process)?;
    let after = snapshot_now();
    // SAFETY: no call below uses the ring.
    let ring = unsafe { &mut *RING.get() };
    if ring.resets != resets {
        *ring = Horizons { resets, ring: Ring::EMPTY };
    }
    ring.ring.remember(horizon.settled, after);
    // Another process can know a later horizon than this one.
    let published = block.published().and_then(|published| published.settled(full_transaction_id(xmin)));
    let settled = ring.ring.answer(&snapshot).max(published);
    // SAFETY: the active snapshot exists until the end of the call.
    unsafe { *answer = std::ptr::without_provenance_mut(settled.unwrap_or(NOTHING) as usize) };
    Ok((settled, Some(horizon.floors)))
}

/// The answer of [`settled_for_statement`] if the calling statement has one.
pub fn settled_before() -> Option<Option<u64>> {
    known(statement()?.answer)
}

fn known(answer: *mut Settled) -> Option<Option<u64>> {
    // SAFETY: the active snapshot exists until the end of the call.
    let known = unsafe { *answer };
    (!known.is_null()).then(|| Some(known.addr() as u64).filter(|&settled| settled != NOTHING))
}

/// The answer if nothing is known to be settled. No clock reaches it.
const NOTHING: u64 = u64::MAX;

/// The word of a snapshot that points to the answer, null until there is one.
///
/// Rationale: PostgreSQL uses the word only in snapshots of another kind (SNAPSHOT_NON_VACUUMABLE). GetSnapshotData()
/// leaves it null, and it is copied with the snapshot. A statement, its cursor and the STABLE functions that it calls
/// use one snapshot. The next statement has a new snapshot, or in REPEATABLE READ a new copy of the transaction's,
/// which is never active itself, so that its word stays null.
type Settled = *mut pg_sys::GlobalVisState;

const _: () = assert!(size_of::<Settled>() == size_of::<u64>());

/// The horizons that this process computed last, since the clock was last reset.
struct Horizons {
    resets: u64,
    ring: Ring<TransactionIds>,
}

static RING: OneThread<UnsafeCell<Horizons>> = OneThread::new(UnsafeCell::new(Horizons { resets: 0, ring: Ring::EMPTY }));

/// Transaction ids in memory that lives as long as the process.
struct TransactionIds {
    ids: NonNull<u32>,
    count: usize,
}

impl AsRef<[u32]> for TransactionIds {
    fn as_ref(&self) -> &[u32] {
        // SAFETY: there are `count` ids until this is dropped.
        unsafe { std::slice::from_raw_parts(self.ids.as_ptr(), self.count) }
    }
}

impl AsMut<[u32]> for TransactionIds {
    fn as_mut(&mut self) -> &mut [u32] {
        // SAFETY: there are `count` ids until this is dropped.
        unsafe { std::slice::from_raw_parts_mut(self.ids.as_ptr(), self.count) }
    }
}

impl Drop for TransactionIds {
    fn drop(&mut self) {
        // SAFETY: the ids are palloc'd, and nothing else refers to them.
        unsafe { raw::pfree(self.ids.as_ptr().cast()) };
    }
}

/// Takes a snapshot. The leader of a parallel query may not call GetLatestSnapshot().
fn snapshot_now() -> Snapshot<TransactionIds> {
    static mut NOW: Option<pg_sys::SnapshotData> = None;
    // SAFETY: a backend runs SQL on one thread. GetSnapshotData() allocates the arrays of a snapshot at its first use and
    // keeps them. It changes the process's xmin only if there is none; the active snapshot has set it.
    unsafe {
        let now = &raw mut NOW;
        let now = (*now).get_or_insert_with(|| pg_sys::SnapshotData {
            snapshot_type: pg_sys::SnapshotType::SNAPSHOT_MVCC,
            ..std::mem::zeroed()
        });
        raw::GetSnapshotData(now);
        let count = now.xcnt as usize;
        // One more element avoids an allocation of size zero.
        let size = (count + 1) * size_of::<u32>();
        let ids = raw::MemoryContextAlloc(pg_sys::TopMemoryContext, size).cast::<u32>();
        ids.copy_from_nonoverlapping(now.xip.cast(), count);
        let ids = NonNull::new_unchecked(ids);
        Snapshot { xmax: now.xmax.into(), running: TransactionIds { ids, count } }
    }
}

/// An assigned transaction id with its epoch.
fn full_transaction_id(id: u32) -> u64 {
    // SAFETY: reads shared memory that every backend has.
    let next = unsafe { raw::ReadNextFullTransactionId() }.value;
    next - u64::from((next as u32).wrapping_sub(id))
}

/// The snapshot of the calling statement.
struct Statement {
    snapshot: Snapshot<&'static [u32]>,
    /// No transaction below it is in progress.
    xmin: u32,
    answer: *mut Settled,
}

/// `None` if there is no snapshot, or if it was taken in recovery: it then has the running transactions in another array.
fn statement() -> Option<Statement> {
    // SAFETY: the active snapshot exists until the end of the call.
    unsafe {
        if !raw::ActiveSnapshotSet() {
            return None;
        }
        let active = &mut *raw::GetActiveSnapshot();
        if active.takenDuringRecovery || active.snapshot_type != pg_sys::SnapshotType::SNAPSHOT_MVCC {
            return None;
        }
        let running = match active.xcnt {
            0 => &[],
            count => std::slice::from_raw_parts(active.xip.cast(), count as usize),
        };
        let snapshot = Snapshot { xmax: active.xmax.into(), running };
        Some(Statement { snapshot, xmin: active.xmin.into(), answer: &raw mut active.vistest })
    }
}
