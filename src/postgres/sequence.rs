//! The last number of a sequence.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Oid};

use super::catalog;
use super::compat::{TOP_SUBTRANSACTION, new_files};
use super::raw;
use super::report::{Report, report};

/// The row of a sequence (FormData_pg_sequence_data in commands/sequence.h).
#[repr(C)]
struct Row {
    last_value: i64,
    log_cnt: i64,
    is_called: bool,
}

/// Whether a number must not be drawn again after a crash: readers need that, writers do not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A crash sets a sequence back to the WAL that was flushed: this flushes it.
    Flushed,
    Any,
}

/// The last number for a writer whose subtransaction has changed the sequence: below all numbers.
pub const UNKNOWN: i64 = i64::MIN;

/// The last number that was drawn from a sequence; before the first one, the number below it. It checks no privilege: a role
/// that may INSERT into a table needs none on the sequence of its identity column.
///
/// It reads the page under the page's lock, so that it has all numbers that were drawn. A reader releases the lock on the sequence
/// at once. Otherwise, ALTER SEQUENCE would wait for the reader, and all others for ALTER SEQUENCE. A writer keeps it, as nextval()
/// does.
pub fn last_number(sequence: Oid, durability: Durability) -> Result<i64, Report> {
    let lock = pg_sys::RowExclusiveLock as i32;
    // SAFETY: in a transaction. After an ERROR, the transaction releases the relation and the buffer. A sequence has one page
    // with one row, which does not move.
    unsafe {
        let relation = raw::try_relation_open(sequence, lock);
        let Some(open) = relation.as_ref() else { return Err(catalog::no_relation(sequence)) };
        let class = &*open.rd_rel;
        let (kind, persistence) = (class.relkind as u8, class.relpersistence as u8);
        if kind != pg_sys::RELKIND_SEQUENCE {
            return Err(catalog::not_a_sequence(sequence));
        }
        if persistence == pg_sys::RELPERSISTENCE_TEMP && !open.rd_islocaltemp {
            return Err(report!(ERRCODE_FEATURE_NOT_SUPPORTED, "cannot read temporary sequences of other sessions"));
        }
        let [first, newest] = new_files(open);
        if durability == Durability::Flushed && first != 0 {
            return Err(changed_here(sequence));
        }
        if first != 0 && newest != TOP_SUBTRANSACTION {
            // A rollback to a savepoint can bring an earlier number back. Until then, no other transaction draws.
            raw::relation_close(relation, pg_sys::NoLock as i32);
            return Ok(UNKNOWN);
        }
        let buffer = raw::ReadBuffer(relation, 0);
        #[cfg(not(feature = "pg19"))]
        raw::LockBuffer(buffer, pg_sys::BUFFER_LOCK_SHARE as i32);
        #[cfg(feature = "pg19")]
        raw::LockBufferInternal(buffer, pg_sys::BufferLockMode::BUFFER_LOCK_SHARE);
        // pgrx has this one in Rust, without its guard.
        let page = pg_sys::BufferGetPage(buffer);
        let item = (*page.cast::<pg_sys::PageHeaderData>()).pd_linp.as_ptr();
        let tuple = page.add((*item).lp_off() as usize);
        let header = tuple.cast::<pg_sys::HeapTupleHeaderData>();
        let row = &*tuple.add((*header).t_hoff as usize).cast::<Row>();
        let (last, is_called) = (row.last_value, row.is_called);
        let written = raw::BufferGetLSNAtomic(buffer);
        raw::UnlockReleaseBuffer(buffer);
        if durability == Durability::Flushed && persistence == pg_sys::RELPERSISTENCE_PERMANENT && raw::XLogNeedsFlush(written) {
            raw::XLogFlush(written);
        }
        raw::relation_close(relation, if durability == Durability::Flushed { lock } else { pg_sys::NoLock as i32 });
        Ok(if is_called { last } else { last.saturating_sub(1) })
    }
}

/// Others know nothing of the number of a sequence that this transaction has changed, and a rollback brings another one back.
#[cold]
pub fn changed_here(sequence: Oid) -> Report {
    match catalog::relation_name(sequence) {
        Ok(name) => report!(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "cannot read the horizon of sequence ")
            .quote(name)
            .and(" in the transaction that has changed the sequence"),
        Err(error) => error,
    }
}
