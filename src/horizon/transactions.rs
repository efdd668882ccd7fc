//! The transactions of this server, as the table of floors asks for them.

use pgrx::pg_sys;

use std::sync::atomic::Ordering::Relaxed;

use crate::postgres::compat;
use crate::postgres::raw;
use comb_horizon::Transactions;

pub struct ServerTransactions;

/// A transaction id with its epoch. An id of more than 2^32 transactions ago gets a later one.
pub fn full_id(id: u32) -> u64 {
    let next = ServerTransactions.next();
    next.saturating_sub((next as u32).wrapping_sub(id).into())
}

/// The full id of the top-level transaction; `None` if it has none yet.
pub fn own_id() -> Option<u64> {
    // SAFETY: in a transaction, to which it assigns no id.
    Some(unsafe { raw::GetTopFullTransactionIdIfAny() }.value).filter(|id| *id != 0)
}

/// The top-level transaction of a transaction or subtransaction; `None` if PostgreSQL may not know it any more.
pub fn topmost(id: u32) -> Option<u32> {
    // SAFETY: reads a variable of the process.
    let oldest = unsafe { pg_sys::TransactionXmin }.into_inner();
    let is_known = |id: &u32| id.wrapping_sub(oldest) as i32 >= 0;
    // SAFETY: PostgreSQL keeps what it knows of subtransactions from the oldest one on.
    let topmost = |id| unsafe { raw::SubTransGetTopmostTransaction(pg_sys::TransactionId::from_inner(id)) }.into_inner();
    // One that is older can be a subtransaction: there the search ends.
    Some(id).filter(is_known).map(topmost).filter(is_known)
}

/// How many transactions with an id have ended, at least those that a snapshot of this process sees.
pub fn ended() -> u64 {
    // SAFETY: every backend has the word. PostgreSQL counts a transaction under the lock under which snapshots are taken.
    unsafe { compat::transaction_counters() }.1.load(Relaxed)
}

impl Transactions for ServerTransactions {
    fn next(&self) -> u64 {
        // SAFETY: every backend has the word, which PostgreSQL writes as one. ReadNextFullTransactionId() would wait for a lock that
        // each new transaction id needs. Without it, the word is one that PostgreSQL wrote after all that this process knows of:
        // a transaction that this process saw in progress, or ended, had got its id before.
        unsafe { compat::transaction_counters() }.0.load(Relaxed)
    }

    fn in_progress(&self, id: u64) -> bool {
        // SAFETY: compares an id with shared memory, to which the process has attached. The caller excludes ids whose lower half
        // was assigned again.
        unsafe { raw::TransactionIdIsInProgress(pg_sys::TransactionId::from_inner(id as u32)) }
    }

    #[cfg(feature = "injection_points")]
    fn reach(&self, point: &'static std::ffi::CStr) {
        // SAFETY: the name ends with a zero. Tests that attach an action to it know where they stop the process.
        unsafe { raw::InjectionPointRun(point.as_ptr(), std::ptr::null_mut()) }
    }
}
