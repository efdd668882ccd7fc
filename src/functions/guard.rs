//! comb_guard(): the trigger that accepts only rows whose key the horizon covers.

use std::ffi::c_void;
use std::ptr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, Oid};

use super::horizon::smallest_id;
use super::layout::not_of_layout;
use super::trigger::{Each, Trigger, UuidColumn};
use crate::postgres::call::{Call, export};
use crate::postgres::catalog;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::sequence::UNKNOWN;
use crate::server::floors::{self, find};
use crate::server::tracked::drawn_by;
use comb_clock::floors::{Source, tick_of_number};
use uuid::Uuid;

export!(comb_guard);

/// The column of the key.
#[derive(Clone, Copy)]
enum Column {
    /// Its number, and the width of its type.
    Number(i32, Width),
    Uuid(UuidColumn),
}

#[derive(Clone, Copy)]
enum Width {
    Smallint,
    Integer,
    Bigint,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Number(i64),
    Uuid(Uuid),
}

/// FOR EACH ROW, INSERT OR UPDATE. Its arguments are the column of the key (by default id), and its layout if it is a UUID.
///
/// A key above the floor of the transaction is covered, wherever it comes from: the horizon stays below the floor until the
/// transaction is visible.
fn comb_guard(call: Call) -> Result<Datum, Report> {
    let trigger = Trigger::of(call, "comb_guard", Each::RowAtAnyTime)?;
    let column = trigger.once(|| find_column(trigger))?;
    let row = trigger.new_row();
    let old = trigger.old_row().and_then(|row| key(trigger, row, column));
    match key(trigger, row, column) {
        Some(key) if old == Some(key) => expect_move(trigger, key),
        Some(key) if trigger.updates() || !is_moved(trigger, key) => check(trigger, column, key)?,
        _ => (),
    }
    Ok(Datum::from(row))
}

fn find_column(trigger: Trigger) -> Result<Column, Report> {
    let name = trigger.argument(0).unwrap_or(c"id");
    let refused = || {
        report!(
            ERRCODE_INVALID_PARAMETER_VALUE,
            "comb_guard() requires a column of type bigint, integer, smallint, uuid or uniqueidentifier"
        )
        .hint("Write EXECUTE FUNCTION comb_guard('column'), or comb_guard('column', 'layout') for a UUID.")
    };
    let (number, type_id) = trigger.column(name)?;
    let width = match type_id {
        pg_sys::INT8OID => Width::Bigint,
        pg_sys::INT4OID => Width::Integer,
        pg_sys::INT2OID => Width::Smallint,
        _ => return trigger.uuid_of_type(number, type_id)?.map(Column::Uuid).ok_or_else(refused),
    };
    Ok(Column::Number(number, width))
}

/// The key of a row; `None` if it is NULL.
fn key(trigger: Trigger, row: pg_sys::HeapTuple, column: Column) -> Option<Key> {
    match column {
        Column::Number(number, width) => trigger.value(row, number).map(|value| {
            let value = value.value();
            Key::Number(match width {
                Width::Smallint => i64::from(value as i16),
                Width::Integer => i64::from(value as i32),
                Width::Bigint => value as i64,
            })
        }),
        Column::Uuid(column) => trigger.value(row, column.number).map(|value| {
            // SAFETY: the datum of a uuid points to 16 bytes of any alignment.
            Key::Uuid(unsafe { value.cast_mut_ptr::<Uuid>().read() })
        }),
    }
}

/// Checks that the floors of the transaction are below the key.
fn check(trigger: Trigger, column: Column, key: Key) -> Result<(), Report> {
    let (_, _, table) = floors::server()?;
    match (column, key) {
        (Column::Number(number, _), Key::Number(key)) => {
            let sequences = drawn_by(trigger.table())?.iter().filter(|drawn| i32::from(drawn.column) == number);
            let mut is_filled = false;
            let mut is_covered = None;
            for drawn in sequences {
                is_filled = true;
                let source = Source::sequence(floors::database(), drawn.sequence.to_u32());
                if let Some(floor) = find(table, source) {
                    // If several sequences fill it, readers poll by any of them.
                    is_covered = Some(is_covered.unwrap_or(true) && key > floor && floor != UNKNOWN);
                }
            }
            if is_covered == Some(true) {
                return Ok(());
            }
            if !is_filled {
                return Err(report!(
                    ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "no sequence fills the column that comb_guard() checks"
                )
                .hint("If a function draws its numbers, use ALTER SEQUENCE ... OWNED BY the column that stores them."));
            }
            let error = report!(ERRCODE_CHECK_VIOLATION, "number {key} is not tracked");
            let remedy = "Let the INSERT draw the number, or call comb_track() with the name of the sequence before nextval(), \
                          in the same transaction.";
            Err(refused(trigger, error, remedy))
        }
        (Column::Uuid(column), Key::Uuid(key)) => {
            let layout = column.layout;
            layout.decode(&key).ok_or_else(|| not_of_layout(layout))?;
            if let Some(floor) = find(table, Source::clock(floors::database())) {
                // UUIDs are compared, not ticks: a layout may keep less than a tick.
                let lowest = smallest_id(layout, tick_of_number(floor) + 1)?;
                if layout.order.compare(&key, &lowest).is_ge() {
                    return Ok(());
                }
            }
            let error = report!(ERRCODE_CHECK_VIOLATION, "UUID \"{key}\" is not tracked");
            Err(refused(trigger, error, "Let the INSERT generate the UUID, or use comb_tracked() in this transaction."))
        }
        _ => Ok(()),
    }
}

#[cold]
fn refused(trigger: Trigger, error: Report, remedy: &str) -> Report {
    let error = error.detail(
        "It was generated before the transaction tracked its keys, or a partition was written directly. \
         A reader may have passed it already.",
    );
    if trigger.is_before() || trigger.updates() {
        error.hint(remedy)
    } else {
        error.hint(format_args!(
            "{remedy} If an UPDATE moves the row to another partition, create the trigger BEFORE instead of AFTER."
        ))
    }
}

/// The last row of a partition whose key an UPDATE kept, in a statement that has not ended. PostgreSQL may move the row to
/// another partition: it then calls the trigger for an INSERT there, before the statement updates its next row.
struct Updated {
    callback: pg_sys::MemoryContextCallback,
    partition: Oid,
    key: Option<Key>,
}

/// The callback of an [`Updated`]. It does nothing: the list of callbacks is where the memory of a statement can be searched.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn no_callback(_argument: *mut c_void) {}

fn of_statement(statement: pg_sys::MemoryContext) -> Option<&'static mut Updated> {
    let ours: unsafe extern "C-unwind" fn(*mut c_void) = no_callback;
    // SAFETY: the memory of the statement exists, with all in its list. The caller drops the reference before the next call.
    unsafe {
        let mut next = (*statement).reset_cbs;
        while let Some(callback) = next.as_ref() {
            if callback.func.is_some_and(|function| ptr::fn_addr_eq(function, ours)) {
                return callback.arg.cast::<Updated>().as_mut();
            }
            next = callback.next;
        }
    }
    None
}

fn expect_move(trigger: Trigger, key: Key) {
    if !trigger.is_before() || !catalog::relation(trigger.table()).is_some_and(|class| class.is_partition) {
        return;
    }
    let statement = trigger.statement();
    if of_statement(statement).is_none() {
        // SAFETY: the entry is in the memory whose list it enters.
        unsafe {
            let updated = raw::MemoryContextAlloc(statement, size_of::<Updated>()).cast::<Updated>();
            let callback = pg_sys::MemoryContextCallback { func: Some(no_callback), arg: updated.cast(), next: ptr::null_mut() };
            updated.write(Updated { callback, partition: Oid::INVALID, key: None });
            raw::MemoryContextRegisterResetCallback(statement, &raw mut (*updated).callback);
        }
    }
    if let Some(updated) = of_statement(statement) {
        (updated.partition, updated.key) = (trigger.table(), Some(key));
    }
}

/// Whether the INSERT is that of a row that an UPDATE of the same statement moves.
fn is_moved(trigger: Trigger, key: Key) -> bool {
    let Some(updated) = of_statement(trigger.statement()).filter(|_| trigger.is_before()) else { return false };
    let is_it =
        updated.key == Some(key) && updated.partition != trigger.table() && root(updated.partition) == root(trigger.table());
    if is_it {
        updated.key = None;
    }
    is_it
}

/// The partitioned table at the top of a partition.
fn root(mut table: Oid) -> Oid {
    // SAFETY: reads the catalogs. A table that was dropped or detached in this transaction is no partition.
    unsafe {
        while raw::get_rel_relispartition(table) {
            table = raw::get_partition_parent(table, true);
        }
    }
    table
}
