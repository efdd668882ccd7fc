//! SQL functions for tracked ids and the commit horizon: comb_clock::horizon has the proof.

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{Ordering, fence};

use pgrx::pg_sys;
use pgrx::pg_sys::Datum;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::generate::next_id;
use super::layout_errors::not_of_layout;
use crate::postgres::call::{self, Answer, Call, sql_function};
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::server::backend;
use crate::server::clock_errors::{MadeAs, clock_out_of_range};
use crate::server::floors;
use comb_clock::horizon::{Ring, Snapshot, settled};
use comb_id::layout::Layout;
use comb_id::layouts::UUIDV7;
use comb_tick::Tick;
use uuid::Uuid;

sql_function! {
    /// The next id, above a floor that the transaction holds.
    fn comb_tracked(_call) {
        tracked_id(&UUIDV7)
    }
}

sql_function! {
    fn comb_tracked_layout(call) {
        tracked_id(call.layout(0)?)
    }
}

#[inline(always)]
fn tracked_id(layout: &'static Layout) -> Answer {
    loop {
        floors::hold()?;
        let id = next_id(layout)?;
        // Else the clock was reset between the two, and the id may be below the floor.
        if floors::covered_from()?.is_some() {
            return Ok(id);
        }
    }
}

sql_function! {
    /// Takes a floor for ids that the client makes. Answers the smallest id that it covers.
    fn comb_hold(_call) {
        smallest_id(&UUIDV7, floors::hold()?).map(call::uuid)
    }
}

sql_function! {
    /// The smallest id above all that is settled for the statement; the nil UUID where nothing is.
    fn comb_horizon(call) {
        let layout = ordered_layout(call)?;
        match settled_for_statement(call)? {
            Some(settled) => smallest_id(layout, settled + 1).map(call::uuid),
            None => Ok(call::uuid(Uuid::nil())),
        }
    }
}

sql_function! {
    /// Whether an id and all before it are settled for the statement.
    fn comb_settled(call) {
        let layout = call.layout(1)?;
        let id = call.uuid(0);
        layout.decode(&id).ok_or_else(|| not_of_layout(layout))?;
        // Not by their ticks: a layout may keep less than a tick.
        let is_settled = match settled_for_statement(call)? {
            Some(settled) => layout.order.compare(&id, &smallest_id(layout, settled + 1)?).is_lt(),
            None => false,
        };
        Ok(Datum::from(is_settled))
    }
}

sql_function! {
    /// The horizon for the next statement, whose snapshot is taken after this call.
    fn comb_horizon_now(call) {
        let layout = ordered_layout(call)?;
        // SAFETY: reads the isolation level of the transaction.
        if unsafe { pg_sys::XactIsoLevel } >= pg_sys::XACT_REPEATABLE_READ as i32 {
            return Err(report!(
                ERRCODE_INVALID_TRANSACTION_STATE,
                "comb_horizon_now() requires the isolation level READ COMMITTED"
            )
            .detail("The next statement of this transaction has the same snapshot.")
            .hint("Use comb_horizon(), which works in every isolation level."));
        }
        smallest_id(layout, compute()?.settled + 1).map(call::uuid)
    }
}

/// The layout that the first argument names. An id of it is to be compared with others: where PostgreSQL has
/// not their order, that would lose rows.
fn ordered_layout(call: Call) -> Result<&'static Layout, Report> {
    let layout = call.layout(0)?;
    if layout.order.is_in_postgres() {
        return Ok(layout);
    }
    Err(report!(
        ERRCODE_FEATURE_NOT_SUPPORTED,
        "layout \"{}\" has no horizon to compare with",
        layout.label
    )
    .detail("PostgreSQL does not compare its ids in the order of their times.")
    .hint("comb_settled() says of each id whether it is below the horizon."))
}

/// The smallest id of a tick, and so of all later ones.
fn smallest_id(layout: &'static Layout, tick: u64) -> Result<Uuid, Report> {
    layout.smallest(Tick::from(tick)).ok_or_else(|| clock_out_of_range(MadeAs::Id(layout)))
}

/// A horizon as it was computed.
pub struct Horizon {
    pub settled: u64,
    /// How long the oldest transaction holds it back, in ticks; 0 if none does.
    pub held_for: u64,
}

/// Computes the horizon: true for every snapshot that is taken from now on.
pub fn compute() -> Result<Horizon, Report> {
    floors::check_available()?;
    let (block, process) = backend::server()?;
    let latest = block.follow(&process)?.tick;
    // The logical clock is read before the floors.
    fence(Ordering::SeqCst);
    let least = floors::least();
    let held_for = least.map_or(0, |least| latest.saturating_sub(least));
    Ok(Horizon { settled: settled(latest, least), held_for })
}

/// The tick up to which everything is settled for the statement that calls: committed and visible to it, or
/// never to come. `None` if that cannot be said: an empty poll.
fn settled_for_statement(call: Call) -> Result<Option<u64>, Report> {
    let (block, _) = backend::server()?;
    let Some((statement, mark)) = statement_snapshot() else {
        floors::check_available()?;
        return Ok(None);
    };
    if let Some(settled) = Memo::find(*mark) {
        return Ok(settled);
    }
    let resets = block.resets();
    let horizon = compute()?;
    let after = snapshot_now();
    // SAFETY: a backend runs SQL on one thread, and nothing here comes back to it.
    let ring = unsafe {
        let ring = &raw mut RING;
        &mut *ring
    };
    if ring.resets != resets {
        *ring = Horizons { resets, ring: Ring::EMPTY };
    }
    ring.ring.remember(horizon.settled, after);
    let settled = ring.ring.answer(&statement);
    Memo::keep(call, mark, settled);
    Ok(settled)
}

/// The horizons that this process computed last, since the clock was last reset.
struct Horizons {
    resets: u64,
    ring: Ring<TransactionIds>,
}

static mut RING: Horizons = Horizons { resets: 0, ring: Ring::EMPTY };

/// Transaction ids in memory that lives as long as the process.
struct TransactionIds {
    ids: NonNull<u32>,
    count: usize,
}

impl AsRef<[u32]> for TransactionIds {
    fn as_ref(&self) -> &[u32] {
        // SAFETY: so many of them, until they are dropped.
        unsafe { std::slice::from_raw_parts(self.ids.as_ptr(), self.count) }
    }
}

impl Drop for TransactionIds {
    fn drop(&mut self) {
        // SAFETY: palloc gave it, and nobody else has it.
        unsafe { raw::pfree(self.ids.as_ptr().cast()) };
    }
}

/// A snapshot that is taken now. Not by GetLatestSnapshot(), which the leader of a parallel query may not call.
fn snapshot_now() -> Snapshot<TransactionIds> {
    static mut NOW: Option<pg_sys::SnapshotData> = None;
    // SAFETY: a backend runs SQL on one thread. GetSnapshotData() allocates the arrays of a snapshot at its
    // first use and keeps them; it changes the process's xmin only where it has none, and it has the active
    // snapshot's.
    unsafe {
        let now = &raw mut NOW;
        let now = (*now).get_or_insert_with(|| pg_sys::SnapshotData {
            snapshot_type: pg_sys::SnapshotType::SNAPSHOT_MVCC,
            ..std::mem::zeroed()
        });
        raw::GetSnapshotData(now);
        let count = now.xcnt as usize;
        // palloc refuses 0 only where it has nothing to give; one more does no harm.
        let size = (count + 1) * size_of::<u32>();
        let ids = raw::MemoryContextAlloc(pg_sys::TopMemoryContext, size).cast::<u32>();
        ids.copy_from_nonoverlapping(now.xip.cast(), count);
        let ids = NonNull::new_unchecked(ids);
        Snapshot { xmax: now.xmax.into(), running: TransactionIds { ids, count } }
    }
}

/// The snapshot of the statement that calls, and its mark; `None` if it says too little: there is none, or
/// it was taken in recovery, when PostgreSQL notes all running transactions elsewhere.
fn statement_snapshot() -> Option<(Snapshot<&'static [u32]>, &'static mut u32)> {
    // SAFETY: the active snapshot stays for the time of the call.
    unsafe {
        if !raw::ActiveSnapshotSet() {
            return None;
        }
        let active = &mut *raw::GetActiveSnapshot();
        if active.takenDuringRecovery || active.snapshot_type != pg_sys::SnapshotType::SNAPSHOT_MVCC
        {
            return None;
        }
        let running = match active.xcnt {
            0 => &[],
            count => std::slice::from_raw_parts(active.xip.cast(), count as usize),
        };
        Some((Snapshot { xmax: active.xmax.into(), running }, &mut active.speculativeToken))
    }
}

/// What a statement was answered: it gets that answer for each row, partition and branch, else a row could
/// be left out by one answer and a later one be let through by the next.
///
/// A statement is told from the next one by a mark in its snapshot: in a word that PostgreSQL uses in
/// snapshots of another kind alone, and copies with the snapshot. Two snapshots may say the same and yet
/// be of two statements, of which the later is to learn that the horizon has moved. A memo lives in the
/// memory context of the execution of the statement's plan, and goes with it.
#[repr(C)]
struct Memo {
    callback: pg_sys::MemoryContextCallback,
    context: pg_sys::MemoryContext,
    mark: u32,
    settled: Option<u64>,
    next: *mut Memo,
}

static mut MEMOS: *mut Memo = null_mut();
static mut LAST_MARK: u32 = 0;

impl Memo {
    fn first(matches: impl Fn(&Self) -> bool) -> Option<&'static mut Self> {
        // SAFETY: each memo of the list lives, since the end of its context takes it off.
        unsafe {
            let mut memo = MEMOS.as_mut();
            while let Some(found) = memo {
                if matches(found) {
                    return Some(found);
                }
                memo = found.next.as_mut();
            }
            None
        }
    }

    fn find(mark: u32) -> Option<Option<u64>> {
        if mark == 0 {
            return None;
        }
        Self::first(|memo| memo.mark == mark).map(|memo| memo.settled)
    }

    fn keep(call: Call, place: &mut u32, settled: Option<u64>) {
        // SAFETY: a valid call. One that no plan makes has no such context.
        let Some(function) = (unsafe { (*call.info()).flinfo.as_ref() }) else { return };
        let context = function.fn_mcxt;
        // SAFETY: a backend runs SQL on one thread.
        let mark = unsafe {
            LAST_MARK = LAST_MARK.wrapping_add(1).max(1);
            LAST_MARK
        };
        *place = mark;
        // PL/pgSQL evaluates one expression after the other in one context.
        if let Some(memo) = Self::first(|memo| memo.context == context) {
            (memo.mark, memo.settled) = (mark, settled);
            return;
        }
        // SAFETY: memory of that context, which calls back before it is gone.
        unsafe {
            let memo = raw::MemoryContextAlloc(context, size_of::<Self>()).cast::<Self>();
            let callback = pg_sys::MemoryContextCallback {
                func: Some(forget),
                arg: memo.cast(),
                next: null_mut(),
            };
            memo.write(Self { callback, context, mark, settled, next: MEMOS });
            MEMOS = memo;
            raw::MemoryContextRegisterResetCallback(context, &raw mut (*memo).callback);
        }
    }
}

/// Takes a memo off the list.
unsafe extern "C-unwind" fn forget(memo: *mut std::ffi::c_void) {
    // SAFETY: called once for each memo of the list.
    unsafe {
        let memo = memo.cast::<Memo>();
        let mut place = &raw mut MEMOS;
        while !(*place).is_null() {
            if *place == memo {
                *place = (*memo).next;
                return;
            }
            place = &raw mut (**place).next;
        }
    }
}
