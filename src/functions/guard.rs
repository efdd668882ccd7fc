//! comb_guard(): the trigger that lets in only keys that the horizon covers.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, NodeTag};

use super::horizon::smallest_id;
use super::layout::{layout_named, not_of_layout};
use crate::postgres::call::{Call, export};
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::server::backend;
use crate::server::floors;
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, UUIDV7};
use comb_tick::{TICKS_PER_MS, Tick};
use uuid::Uuid;

// SQLSTATEs of class OC, which no standard and no PostgreSQL uses: six bits a character, as MAKE_SQLSTATE() has them.
const CLASS_OC: i32 = (b'O' - b'0') as i32 | ((b'C' - b'0') as i32) << 6;
const NO_FLOOR: i32 = CLASS_OC | 1 << 24;
const BELOW_FLOOR: i32 = CLASS_OC | 2 << 24;
const AHEAD_OF_CLOCK: i32 = CLASS_OC | 3 << 24;

export!(comb_guard);

/// BEFORE INSERT OR UPDATE, FOR EACH ROW; its arguments are the column of the key (by default id) and its layout (by
/// default that of the column's type).
fn comb_guard(call: Call) -> Result<Datum, Report> {
    // SAFETY: PostgreSQL passes its TriggerData to a trigger function; it lives as long as the call.
    let Some(data) = (unsafe { trigger_data((*call.info()).context) }) else {
        return Err(report!(
            ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
            "comb_guard() must be called by a trigger BEFORE INSERT OR UPDATE FOR EACH ROW"
        ));
    };
    // SAFETY: the call of a trigger. A statement has one FmgrInfo for each trigger of each table, in its own memory.
    let (column, statement) = unsafe { (key_column(call, data)?, (*(*call.info()).flinfo).fn_mcxt) };
    let updates = data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK == pg_sys::TRIGGER_EVENT_UPDATE;
    let new = if updates { data.tg_newtuple } else { data.tg_trigtuple };
    // SAFETY: rows of the trigger's table.
    let key = unsafe { key(data, new, column) };
    let old = if updates { unsafe { self::key(data, data.tg_trigtuple, column) } } else { None };
    match key {
        Some(key) if old == Some(key) => remember(data, statement, key),
        Some(key) if updates || !is_moved(data, statement, &key) => check(&key, column.layout)?,
        _ => (),
    }
    Ok(Datum::from(new))
}

/// A row of a partition whose key an UPDATE kept.
#[derive(Clone, Copy)]
struct Updated {
    /// The memory of the statement.
    statement: pg_sys::MemoryContext,
    partition: pg_sys::Oid,
    key: Uuid,
}

/// The last of them, of statements that have not ended: other triggers can update such rows before this one is called
/// again for the same row.
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
        // SAFETY: the callback is allocated in the memory that calls it when it goes.
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
    // SAFETY: as above.
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

/// Whether the transaction covers the key by its floor.
fn check(key: &Uuid, layout: &'static Layout) -> Result<(), Report> {
    let tick = layout.decode(key).ok_or_else(|| not_of_layout(layout))?.tick;
    floors::check_available()?;
    let covered_from = floors::covered_from()?.ok_or_else(|| {
        report!(NO_FLOOR, "key is not tracked: the transaction has not called comb_tracked() or comb_hold()").hint(
            "Generate the key with comb_tracked() in this transaction, or call comb_hold() before the client generates the key.",
        )
    })?;
    // Not by their ticks: a layout may keep less than a tick.
    if layout.order.compare(key, &smallest_id(layout, covered_from)?).is_lt() {
        return Err(report!(
            BELOW_FLOOR,
            "key is not tracked: it is older than the first call of comb_tracked() or comb_hold() in the transaction"
        )
        .hint(
            "Generate the key with comb_tracked() in the transaction that stores it, or after comb_hold() in that transaction.",
        ));
    }
    let (block, process) = backend::server()?;
    if tick > Tick::from(block.now(&process) + AHEAD) {
        return Err(report!(AHEAD_OF_CLOCK, "timestamp of the key is in the future")
            .hint("Generate the key with comb_tracked(), or correct the clock of the client."));
    }
    Ok(())
}

/// What a row-level trigger that runs before the change is called with.
///
/// # Safety
/// The context of a call.
unsafe fn trigger_data(context: *mut pg_sys::Node) -> Option<&'static pg_sys::TriggerData> {
    let when = pg_sys::TRIGGER_EVENT_ROW | pg_sys::TRIGGER_EVENT_BEFORE;
    let mask = pg_sys::TRIGGER_EVENT_ROW | pg_sys::TRIGGER_EVENT_TIMINGMASK;
    // SAFETY: a node of that tag is a TriggerData.
    unsafe {
        let node = context.as_ref().filter(|node| node.type_ == NodeTag::T_TriggerData)?;
        let data = &*std::ptr::from_ref(node).cast::<pg_sys::TriggerData>();
        (data.tg_event & mask == when).then_some(data)
    }
}

/// The column of the key in the trigger's table.
#[derive(Clone, Copy)]
struct Column {
    number: i32,
    layout: &'static Layout,
}

/// The column of the key, which is looked up once for each table of a statement.
///
/// # Safety
/// A call of a trigger, with its data.
unsafe fn key_column(call: Call, data: &pg_sys::TriggerData) -> Result<Column, Report> {
    // SAFETY: guaranteed by the caller. A statement has one FmgrInfo for each trigger of each table.
    unsafe {
        let function = &mut *(*call.info()).flinfo;
        if let Some(column) = function.fn_extra.cast::<Column>().as_ref() {
            return Ok(*column);
        }
        let column = find_column(data)?;
        let memory = raw::MemoryContextAlloc(function.fn_mcxt, size_of::<Column>());
        memory.cast::<Column>().write(column);
        function.fn_extra = memory;
        Ok(column)
    }
}

/// # Safety
/// The data of a trigger's call.
unsafe fn find_column(data: &pg_sys::TriggerData) -> Result<Column, Report> {
    // SAFETY: guaranteed by the caller. The arguments of a trigger are C strings.
    unsafe {
        let trigger = &*data.tg_trigger;
        if trigger.tgnattr > 0 {
            return Err(report!(
                ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                "comb_guard() cannot be called by a trigger with a list of columns"
            )
            .detail("Another trigger can change the key in an UPDATE that does not name it.")
            .hint("Create the trigger BEFORE INSERT OR UPDATE, without OF."));
        }
        let argument = |index: i16| (index < trigger.tgnargs).then(|| CStr::from_ptr(*trigger.tgargs.add(index as usize)));
        let table = &*data.tg_relation;
        let number = raw::SPI_fnumber(table.rd_att, argument(0).unwrap_or(c"id").as_ptr());
        if number <= 0 {
            return Err(no_column());
        }
        if raw::get_attgenerated(table.rd_id, number as i16) != 0 {
            return Err(report!(ERRCODE_INVALID_PARAMETER_VALUE, "comb_guard() cannot check a generated column")
                .detail("PostgreSQL computes generated columns after BEFORE triggers.")
                .hint(
                    "Store the key in a column that is not generated, for example with a trigger that fires before this one.",
                ));
        }
        let type_id = raw::getBaseType(raw::SPI_gettypeid(table.rd_att, number));
        let by_type = layout_of_type(type_id).ok_or_else(no_column)?;
        let layout = match argument(1).map(CStr::to_bytes) {
            Some(label) => layout_named(label)?,
            None => by_type,
        };
        Ok(Column { number, layout })
    }
}

/// The layout of keys of a type; `None` if it is neither uuid nor uniqueidentifier.
fn layout_of_type(type_id: pg_sys::Oid) -> Option<&'static Layout> {
    if type_id == pg_sys::UUIDOID {
        return Some(&UUIDV7);
    }
    // SAFETY: the row of a type that a column has. It is copied before it is released.
    let (name, length, by_value) = unsafe {
        let row = raw::SearchSysCache1(pg_sys::SysCacheIdentifier::TYPEOID as i32, type_id.into());
        let form = pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_type>();
        let found = ((*form).typname, (*form).typlen, (*form).typbyval);
        raw::ReleaseSysCache(row);
        found
    };
    // Any type can have this name.
    let is_sixteen_bytes = !by_value && usize::try_from(length) == Ok(size_of::<Uuid>());
    // SAFETY: a name ends with a zero.
    let name = unsafe { CStr::from_ptr(name.data.as_ptr()) };
    (is_sixteen_bytes && name == c"uniqueidentifier").then_some(&MSSQL)
}

/// The key of a row; `None` if it is NULL.
///
/// # Safety
/// A row of the trigger's table, and its column of the key.
unsafe fn key(data: &pg_sys::TriggerData, row: pg_sys::HeapTuple, column: Column) -> Option<Uuid> {
    let mut is_null = false;
    // SAFETY: guaranteed by the caller. A uuid's datum points to 16 bytes of any alignment.
    unsafe {
        let description = (*data.tg_relation).rd_att;
        let value = raw::SPI_getbinval(row, description, column.number, &raw mut is_null);
        (!is_null).then(|| value.cast_mut_ptr::<Uuid>().read())
    }
}

fn no_column() -> Report {
    report!(
        ERRCODE_INVALID_PARAMETER_VALUE,
        "comb_guard() requires a column of type uuid or uniqueidentifier"
    )
    .hint("Write EXECUTE FUNCTION comb_guard('column', 'layout'). The defaults are column id, and layout uuidv7 for uuid or mssql for uniqueidentifier.")
}
