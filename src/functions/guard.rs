//! comb_guard(): the trigger that accepts only keys that the horizon covers.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use pgrx::pg_sys::{self, Datum};

use super::horizon::smallest_id;
use super::layout::not_of_layout;
use super::trigger::Trigger;
use crate::postgres::call::{Call, export};
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::server::floors;
use comb_id::layout::Layout;
use comb_tick::{TICKS_PER_MS, Tick};
use uuid::Uuid;

// SQLSTATEs of class OC, which neither the standard nor PostgreSQL uses. MAKE_SQLSTATE() has six bits for a character.
const CLASS_OC: i32 = (b'O' - b'0') as i32 | ((b'C' - b'0') as i32) << 6;
const NO_FLOOR: i32 = CLASS_OC | 1 << 24;
const BELOW_FLOOR: i32 = CLASS_OC | 2 << 24;
const AHEAD_OF_CLOCK: i32 = CLASS_OC | 3 << 24;

export!(comb_guard);

/// BEFORE INSERT OR UPDATE, FOR EACH ROW; its arguments are the column of the key (by default id) and its layout (by
/// default that of the column's type).
fn comb_guard(call: Call) -> Result<Datum, Report> {
    let trigger = Trigger::of(call, "comb_guard", true)?;
    let column = trigger.key_column(c"id")?;
    let (data, updates) = (trigger.data, trigger.updates());
    // SAFETY: a statement has one FmgrInfo for each trigger of each table, in its own memory.
    let statement = unsafe { (*(*call.info()).flinfo).fn_mcxt };
    let old = if updates { trigger.key(data.tg_trigtuple, column) } else { None };
    match trigger.key(trigger.new_row(), column) {
        Some(key) if old == Some(key) => remember(data, statement, key),
        Some(key) if updates || !is_moved(data, statement, &key) => check(&key, column.layout)?,
        _ => (),
    }
    Ok(Datum::from(trigger.new_row()))
}

/// A row of a partition whose key an UPDATE kept.
#[derive(Clone, Copy)]
struct Updated {
    /// The memory of the statement.
    statement: pg_sys::MemoryContext,
    partition: pg_sys::Oid,
    key: Uuid,
}

/// The last such rows of statements that have not ended: other triggers can update rows before this one is called again
/// for the same row.
static UPDATED: OneThread<Cell<[Option<Updated>; 8]>> = OneThread::new(Cell::new([None; 8]));

/// Remembers a row that an UPDATE may move to another partition: PostgreSQL then calls this trigger for an INSERT there as
/// well, in the same statement.
fn remember(data: &pg_sys::TriggerData, statement: pg_sys::MemoryContext, key: Uuid) {
    // SAFETY: the trigger's table is open, and has its row of pg_class.
    let (partition, is_partition) = unsafe {
        let table = &*data.tg_relation;
        (table.rd_id, (*table.rd_rel).relispartition)
    };
    if !is_partition {
        return;
    }
    let mut updated = UPDATED.get();
    if !updated.iter().flatten().any(|row| row.statement == statement) {
        // SAFETY: the callback is allocated in the memory context that calls it when it is reset.
        unsafe {
            let size = size_of::<pg_sys::MemoryContextCallback>();
            let callback = raw::MemoryContextAlloc(statement, size).cast::<pg_sys::MemoryContextCallback>();
            callback.write(pg_sys::MemoryContextCallback { func: Some(forget), arg: statement.cast(), next: ptr::null_mut() });
            raw::MemoryContextRegisterResetCallback(statement, callback);
        }
    }
    updated.rotate_right(1);
    updated[0] = Some(Updated { statement, partition, key });
    UPDATED.set(updated);
}

/// Forgets the rows of a statement that has ended.
unsafe extern "C-unwind" fn forget(statement: *mut c_void) {
    UPDATED.set(UPDATED.get().map(|row| row.filter(|row| row.statement != statement.cast())));
}

/// Whether the INSERT is that of a row that an UPDATE of the same statement moves.
fn is_moved(data: &pg_sys::TriggerData, statement: pg_sys::MemoryContext, key: &Uuid) -> bool {
    // SAFETY: the trigger's table is open.
    let table = unsafe { (*data.tg_relation).rd_id };
    let mut updated = UPDATED.get();
    let moved = updated.iter_mut().find(|row| {
        row.is_some_and(|row| {
            row.statement == statement && row.key == *key && row.partition != table && root(row.partition) == root(table)
        })
    });
    let is_moved = moved.and_then(Option::take).is_some();
    UPDATED.set(updated);
    is_moved
}

/// The partitioned table at the top of a partition.
fn root(mut table: pg_sys::Oid) -> pg_sys::Oid {
    // SAFETY: reads the catalogs. A table that was dropped or detached in this transaction is no partition.
    unsafe {
        while raw::get_rel_relispartition(table) {
            table = raw::get_partition_parent(table, true);
        }
    }
    table
}

/// How far a key may be ahead of the clock. Readers see such a row once the horizon has passed its key.
const AHEAD: u64 = 1000 * TICKS_PER_MS;

/// Checks that the floor of the transaction covers the key.
fn check(key: &Uuid, layout: &'static Layout) -> Result<(), Report> {
    let tick = layout.decode(key).ok_or_else(|| not_of_layout(layout))?.tick;
    let (block, process) = floors::server()?;
    let covered_from = floors::covered_from()?.ok_or_else(|| {
        report!(NO_FLOOR, "key is not tracked: the transaction has not called comb_tracked() or comb_hold()").hint(
            "Generate the key with comb_tracked() in this transaction, or call comb_hold() before the client generates the key.",
        )
    })?;
    // UUIDs are compared, not ticks: a layout may keep less than a tick.
    if layout.order.compare(key, &smallest_id(layout, covered_from)?).is_lt() {
        return Err(report!(
            BELOW_FLOOR,
            "key is not tracked: it is older than the first call of comb_tracked() or comb_hold() in the transaction"
        )
        .hint(
            "Generate the key with comb_tracked() in the transaction that stores it, or after comb_hold() in that transaction.",
        ));
    }
    if tick > Tick::from(block.now(&process) + AHEAD) {
        return Err(report!(AHEAD_OF_CLOCK, "timestamp of the key is in the future")
            .hint("Generate the key with comb_tracked(), or correct the clock of the client."));
    }
    Ok(())
}
