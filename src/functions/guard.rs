//! comb_guard(): the trigger that lets in only keys that the horizon covers.

use std::ffi::CStr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, NodeTag};

use super::horizon::smallest_id;
use super::layout_errors::not_of_layout;
use crate::postgres::call::{Call, sql_functions, unknown_layout};
use crate::postgres::compat::local_transaction_id;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::server::backend;
use crate::server::floors;
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, UUIDV7, labelled};
use comb_tick::{TICKS_PER_MS, Tick};
use uuid::Uuid;

// SQLSTATEs of class OC, which no standard and no PostgreSQL uses: six bits a character, as MAKE_SQLSTATE() has them.
const CLASS_OC: i32 = (b'O' - b'0') as i32 | ((b'C' - b'0') as i32) << 6;
const NO_FLOOR: i32 = CLASS_OC | 1 << 24;
const BELOW_FLOOR: i32 = CLASS_OC | 2 << 24;
const AHEAD_OF_CLOCK: i32 = CLASS_OC | 3 << 24;

sql_functions! {
    /// BEFORE INSERT OR UPDATE, FOR EACH ROW; its arguments are the column of the key (by default id) and its
    /// layout (by default that of the column's type).
    fn comb_guard(call) {
        // SAFETY: PostgreSQL passes its TriggerData to a trigger function; it lives as long as the call.
        let Some(data) = (unsafe { trigger_data((*call.info()).context) }) else {
            return Err(report!(
                ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                "comb_guard() must be called by a trigger BEFORE INSERT OR UPDATE FOR EACH ROW"
            ));
        };
        // SAFETY: the call of a trigger.
        let column = unsafe { key_column(call, data)? };
        let updates = data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK == pg_sys::TRIGGER_EVENT_UPDATE;
        let new = if updates { data.tg_newtuple } else { data.tg_trigtuple };
        // SAFETY: rows of the trigger's table.
        let key = unsafe { key(data, new, column) };
        let old = if updates { unsafe { self::key(data, data.tg_trigtuple, column) } } else { None };
        match key {
            Some(key) if old == Some(key) => remember(data, key),
            Some(key) if updates || !is_moved(data, &key) => check(&key, column.layout)?,
            _ => (),
        }
        Ok(Datum::from(new))
    }
}

/// A row of a partition that an UPDATE left its key.
#[derive(Clone, Copy)]
struct Updated {
    by: u32,
    partition: pg_sys::Oid,
    key: Uuid,
}

/// The last of them: other triggers can update such rows before this one is called again for the same row.
fn updated() -> &'static mut [Option<Updated>; 8] {
    static mut UPDATED: [Option<Updated>; 8] = [None; 8];
    let updated = &raw mut UPDATED;
    // SAFETY: a backend runs SQL on one thread. No caller keeps the reference while it calls what comes back here.
    unsafe { &mut *updated }
}

/// Remembers a row that an UPDATE may move to another partition: this trigger is then called for an INSERT there as well.
fn remember(data: &pg_sys::TriggerData, key: Uuid) {
    // SAFETY: the trigger's table is open, and has its row of pg_class.
    let (partition, is_partition) = unsafe {
        let table = &*data.tg_relation;
        (table.rd_id, (*table.rd_rel).relispartition)
    };
    if is_partition {
        let updated = updated();
        updated.rotate_right(1);
        updated[0] = Some(Updated { by: local_transaction_id(), partition, key });
    }
}

/// Whether the INSERT is that of a row that an UPDATE moves.
fn is_moved(data: &pg_sys::TriggerData, key: &Uuid) -> bool {
    // SAFETY: as above.
    let table = unsafe { (*data.tg_relation).rd_id };
    let is_it = |row: Updated| {
        row.by == local_transaction_id() && row.key == *key && row.partition != table && root(row.partition) == root(table)
    };
    let row = updated().iter_mut().find(|row| row.is_some_and(is_it));
    row.and_then(Option::take).is_some()
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

/// Keys may be so much ahead of the clock: the horizon covers them, but they are read when it is past them.
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
    // SAFETY: the caller's word. A statement has one FmgrInfo for each trigger of each table.
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
    // SAFETY: the caller's word. The arguments of a trigger are C strings.
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
            Some(label) => labelled(label).ok_or_else(|| unknown_layout(label))?,
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
    // Anybody can call a type of another kind so.
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
    // SAFETY: the caller's word. A uuid's datum points to 16 bytes of any alignment.
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
