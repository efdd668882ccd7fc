//! The transactions of this server, as the table of floors asks for them.

use pgrx::pg_sys;

use crate::postgres::raw;
use comb_clock::floors::Transactions;

pub struct Server;

impl Transactions for Server {
    fn next(&self) -> u64 {
        // SAFETY: reads shared memory that every backend has.
        unsafe { raw::ReadNextFullTransactionId() }.value
    }

    fn in_progress(&self, id: u64) -> bool {
        // SAFETY: as above. The caller excludes ids that are so old that their lower half was assigned again.
        unsafe { raw::TransactionIdIsInProgress(pg_sys::TransactionId::from_inner(id as u32)) }
    }
}
