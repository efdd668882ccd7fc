//! What writers of tracked tables call: triggers, and functions for numbers and UUIDs that are not drawn by an INSERT.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, Oid};

use super::generate::new_id;
use super::horizon::given;
use super::trigger::{Each, Trigger};
use crate::horizon::definition::{not_polled, polled_columns};
use crate::horizon::entries::{track, track_clock};
use crate::horizon::poll::{may, require_table};
use crate::postgres::call::{Call, export};
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_id::layout::Layout;
use comb_id::layouts::UUIDV7;
use uuid::Uuid;

export!(
    comb_track,
    comb_track_table,
    comb_tracked,
    comb_tracked_layout = tracked_id,
    // The symbol of comb_row_version(). Triggers in databases of 0.4 call it before the update.
    comb_version,
);

/// BEFORE INSERT OR UPDATE, FOR EACH STATEMENT: the transaction writes its floors before the statement draws a number or
/// generates a UUID, which a program may have written into it.
fn comb_track(call: Call) -> Result<Datum, Report> {
    let trigger = Trigger::of(call, "comb_track", Each::Statement)?;
    if !trigger.is_temporary() {
        for column in polled_columns(trigger.table())? {
            track(trigger.table(), &column)?;
        }
    }
    Ok(Datum::null())
}

/// The same before a program generates keys itself.
fn comb_track_table(table: Option<Oid>) -> Result<Datum, Report> {
    let table = given(table)?;
    require_table(table)?;
    // Others must not hold the horizon.
    if !may(table, pg_sys::ACL_INSERT | pg_sys::ACL_UPDATE) {
        return Err(report!(ERRCODE_INSUFFICIENT_PRIVILEGE, "permission denied for table ").relation(table));
    }
    // SAFETY: in a transaction, which keeps the lock. Its definition does not change until the program has written.
    unsafe { raw::LockRelationOid(table, pg_sys::RowExclusiveLock as i32) };
    let mut is_polled = false;
    for column in polled_columns(table)? {
        is_polled = true;
        track(table, &column)?;
    }
    if is_polled { Ok(Datum::null()) } else { Err(not_polled(table)) }
}

fn comb_tracked() -> Result<Uuid, Report> {
    tracked_id(&UUIDV7)
}

/// The next UUID, above a floor of the transaction.
#[inline(always)]
fn tracked_id(layout: &'static Layout) -> Result<Uuid, Report> {
    track_clock()?;
    new_id(layout)
}

/// BEFORE INSERT OR UPDATE, FOR EACH ROW: a new tracked UUID replaces the value of a column, by default `version`.
fn comb_version(call: Call) -> Result<Datum, Report> {
    let trigger = Trigger::of(call, "comb_row_version", Each::Row)?;
    let column = trigger.uuid_column(c"version")?;
    Ok(Datum::from(trigger.with_id(column, tracked_id(column.layout)?)))
}
