//! How old what PostgreSQL has stored in this process can be: names, plans and partition descriptors.

use std::cell::UnsafeCell;
use std::ptr;

use pgrx::pg_sys;

use super::transactions::{full_id, own_id, topmost};
use crate::postgres::compat::local_transaction_id;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;

/// The transactions that had ended at some time, by a snapshot of then.
struct Ended {
    /// All before it had.
    xmin: u64,
    /// None from it on had.
    xmax: u64,
    /// Those between that had not, in memory that lives until the next snapshot.
    running: &'static [u32],
    /// Also their subtransactions, unless there were too many.
    has_subtransactions: bool,
}

impl Ended {
    const NONE: Self = Self { xmin: 0, xmax: 0, running: &[], has_subtransactions: true };

    /// None if the snapshot is not that of a statement.
    fn of(snapshot: &pg_sys::SnapshotData) -> Self {
        let has_subtransactions = !snapshot.suboverflowed;
        // Of a standby, the subtransactions are with the others.
        let is_complete = has_subtransactions || !snapshot.takenDuringRecovery;
        if snapshot.snapshot_type != pg_sys::SnapshotType::SNAPSHOT_MVCC || !is_complete {
            return Self::NONE;
        }
        let ids = |first: *mut pg_sys::TransactionId, count: usize| match count {
            0 => &[],
            // SAFETY: the snapshot has so many ids there. A transaction id is a u32.
            count => unsafe { std::slice::from_raw_parts(first.cast_const().cast::<u32>(), count) },
        };
        // A copy of a snapshot with too many has none of them, and keeps their number.
        let subtransactions = if has_subtransactions { ids(snapshot.subxip, snapshot.subxcnt as usize) } else { &[] };
        let running = copy(ids(snapshot.xip, snapshot.xcnt as usize), subtransactions);
        let [xmin, xmax] = [snapshot.xmin, snapshot.xmax].map(|id| full_id(id.into_inner()));
        // A snapshot does not have the transaction that takes it.
        Self { xmin, xmax: own_id().map_or(xmax, |own| own.min(xmax)), running, has_subtransactions }
    }

    fn free(self) {
        if !self.running.is_empty() {
            // SAFETY: memory of copy(), to which there is no other reference.
            unsafe { raw::pfree(self.running.as_ptr().cast_mut().cast()) };
        }
    }

    fn has(&self, id: u32) -> bool {
        let had_ended = |id| full_id(id) < self.xmin || full_id(id) < self.xmax && !self.running.contains(&id);
        full_id(id) < self.xmin || if self.has_subtransactions { had_ended(id) } else { topmost(id).is_some_and(had_ended) }
    }
}

/// Both lists, in the memory of the process.
fn copy(first: &[u32], second: &[u32]) -> &'static [u32] {
    let count = first.len() + second.len();
    if count == 0 {
        return &[];
    }
    // SAFETY: the memory has a place for each id of both.
    unsafe {
        let memory = raw::MemoryContextAlloc(pg_sys::TopMemoryContext, count * size_of::<u32>()).cast::<u32>();
        ptr::copy_nonoverlapping(first.as_ptr(), memory, first.len());
        ptr::copy_nonoverlapping(second.as_ptr(), memory.add(first.len()), second.len());
        std::slice::from_raw_parts(memory, count)
    }
}

struct Stored {
    /// These had ended before PostgreSQL read what it has stored of tables. The snapshot of a statement says nothing about that: its
    /// names and descriptors come from caches, which are older until messages come.
    since: Ended,
    /// The same for the transaction that had all read again. Its earlier statements keep what they have.
    before: Ended,
    /// The local id of that transaction.
    renewed_in: u32,
}

static STORED: OneThread<UnsafeCell<Stored>> =
    OneThread::new(UnsafeCell::new(Stored { since: Ended::NONE, before: Ended::NONE, renewed_in: 0 }));

/// Notes that PostgreSQL has stored nothing of tables yet. It is in a transaction.
pub fn note_nothing_stored() {
    note(ended());
}

fn ended() -> Ended {
    // SAFETY: in a transaction. If there is no active snapshot, no parallel query runs, during which none can be taken.
    Ended::of(unsafe { &*if raw::ActiveSnapshotSet() { raw::GetActiveSnapshot() } else { raw::GetLatestSnapshot() } })
}

fn note(ended: Ended) {
    // SAFETY: no other reference is in use.
    std::mem::replace(&mut unsafe { &mut *STORED.get() }.since, ended).free();
}

/// Has PostgreSQL read and plan all again, for later statements. It is in a transaction.
pub fn forget() {
    let ended = ended();
    // SAFETY: guaranteed by the callers, as when a connection has missed messages.
    unsafe { raw::InvalidateSystemCaches() };
    // An ERROR can leave a plan as it is.
    note(ended);
}

/// [`forget`], when statements of this transaction have begun.
pub fn renew() {
    // SAFETY: no other reference is in use.
    let stored = unsafe { &mut *STORED.get() };
    if stored.renewed_in != local_transaction_id() {
        stored.renewed_in = local_transaction_id();
        let since = std::mem::replace(&mut stored.since, Ended::NONE);
        std::mem::replace(&mut stored.before, since).free();
    }
    forget();
}

/// The last transactions and subtransactions of the process in which messages came: also those about its own changes.
struct Own {
    ids: [u32; 256],
    next: usize,
}

static OWN: OneThread<UnsafeCell<Own>> = OneThread::new(UnsafeCell::new(Own { ids: [0; 256], next: 0 }));

/// Notes that a message has come.
pub fn note_own() {
    // SAFETY: reads a variable of the process.
    let id = unsafe { raw::GetCurrentTransactionIdIfAny() }.into_inner();
    // SAFETY: no other reference is in use.
    let own = unsafe { &mut *OWN.get() };
    if id != 0 && own.ids[own.next % own.ids.len()] != id {
        own.next += 1;
        own.ids[own.next % own.ids.len()] = id;
    }
}

/// Others commit a transaction that is prepared, after other plans of this process.
pub fn forget_own() {
    // SAFETY: no other reference is in use.
    unsafe { &mut *OWN.get() }.ids.fill(0);
}

/// Whether what PostgreSQL has stored may lack the changes of a transaction. Not of those of the process, whose messages come at once.
pub fn may_lack(writer: u32) -> bool {
    // SAFETY: no other reference is in use.
    let (stored, own) = unsafe { (&*STORED.get(), &*OWN.get()) };
    let ended = if stored.renewed_in == local_transaction_id() { &stored.before } else { &stored.since };
    !ended.has(writer) && !own.ids.contains(&writer)
}
