//! The last number of a sequence.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Oid};

use super::compat::{TOP_SUBTRANSACTION, file_of, new_files};
use super::raw;
use super::report::{Report, report};

/// The data of a sequence (FormData_pg_sequence_data in commands/sequence.h).
#[repr(C)]
struct SequenceData {
    last_value: i64,
    log_cnt: i64,
    is_called: bool,
}

/// Who reads the number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A poll. It must not pass a number that can be drawn again: a crash sets a sequence back to the WAL that was flushed, and a
    /// rollback sets one back that the transaction has changed.
    Poll,
    Writer,
}

/// The last number of a sequence.
#[derive(Clone, Copy)]
pub struct LastNumber {
    /// The last one that was drawn; before the first one, the number below it.
    pub number: i64,
    /// The file that has it. TRUNCATE RESTART IDENTITY and ALTER SEQUENCE RESTART give the sequence another one.
    pub file: u32,
    /// Whether a rollback to a savepoint would bring back another file. Until then, no other transaction draws.
    pub is_provisional: bool,
}

/// The last number of a sequence. It checks no privilege: a role that may INSERT into a table needs none on the sequence of its
/// identity column.
///
/// It reads the page under the page's lock, so that it has all numbers that were drawn. A poll releases the lock on the sequence
/// at once. Otherwise, ALTER SEQUENCE would wait for the reader, and all others for ALTER SEQUENCE. A writer keeps it, as nextval()
/// does.
pub fn last_number(sequence: Oid, reader: Reader) -> Result<LastNumber, Report> {
    let lock = pg_sys::RowExclusiveLock as i32;
    // SAFETY: in a transaction. After an ERROR, the transaction releases the relation and the buffer. A sequence has one page
    // with one row, which does not move.
    unsafe {
        let relation = raw::try_relation_open(sequence, lock);
        let Some(open) = relation.as_ref() else { return Err(dropped(sequence)) };
        let persistence = (*open.rd_rel).relpersistence as u8;
        let [first, newest] = new_files(open);
        // Not all callers end the transaction.
        let refuse = |error| {
            raw::relation_close(relation, lock);
            Err(error)
        };
        if persistence == pg_sys::RELPERSISTENCE_TEMP {
            return refuse(report!(ERRCODE_INVALID_OBJECT_DEFINITION, "cannot poll numbers of a temporary sequence"));
        }
        if reader == Reader::Poll && first != 0 {
            return refuse(changed_here(sequence));
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
        let row = &*tuple.add((*header).t_hoff as usize).cast::<SequenceData>();
        let (last, is_called) = (row.last_value, row.is_called);
        let written = raw::BufferGetLSNAtomic(buffer);
        raw::UnlockReleaseBuffer(buffer);
        let file = file_of(open);
        if reader == Reader::Poll && persistence == pg_sys::RELPERSISTENCE_PERMANENT && raw::XLogNeedsFlush(written) {
            raw::XLogFlush(written);
        }
        raw::relation_close(relation, if reader == Reader::Poll { lock } else { pg_sys::NoLock as i32 });
        let number = if is_called { last } else { last.saturating_sub(1) };
        Ok(LastNumber { number, file, is_provisional: first != 0 && newest != TOP_SUBTRANSACTION })
    }
}

/// The column has another source by now, or none.
#[cold]
pub fn dropped(sequence: Oid) -> Report {
    report!(ERRCODE_T_R_SERIALIZATION_FAILURE, "sequence with OID {} was dropped during the statement", sequence.to_u32())
        .hint("Repeat the transaction.")
}

/// Others know nothing of the number of a sequence that this transaction has changed, and a rollback brings another one back.
#[cold]
fn changed_here(sequence: Oid) -> Report {
    report!(ERRCODE_ACTIVE_SQL_TRANSACTION, "cannot poll in the transaction that has changed sequence ")
        .relation(sequence)
        .hint("Commit the transaction first.")
}
