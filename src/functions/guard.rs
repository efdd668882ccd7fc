//! comb_guard(): the trigger that lets in only keys that the horizon covers.

use std::ffi::CStr;

use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{Datum, NodeTag};

use super::layout_errors::not_of_layout;
use crate::postgres::call::sql_function;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::server::backend;
use crate::server::floors;
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, UUIDV7, labelled};
use comb_tick::Tick;
use uuid::Uuid;

// SQLSTATEs of class OC, which no standard and no PostgreSQL uses: six bits a character, as MAKE_SQLSTATE() has them.
const CLASS_OC: i32 = (b'O' - b'0') as i32 | ((b'C' - b'0') as i32) << 6;
const NO_FLOOR: i32 = CLASS_OC | 1 << 24;
const BELOW_FLOOR: i32 = CLASS_OC | 2 << 24;
const AHEAD_OF_CLOCK: i32 = CLASS_OC | 3 << 24;

sql_function! {
    /// BEFORE INSERT OR UPDATE, FOR EACH ROW; its arguments are the column of the key (by default id) and its
    /// layout (by default that of the column's type).
    fn comb_guard(call) {
        // SAFETY: PostgreSQL gives a trigger function its TriggerData, which lives as long as the call.
        let Some(data) = (unsafe { trigger_data((*call.info()).context) }) else {
            return Err(report!(
                ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                "comb_guard() must be called by a trigger BEFORE INSERT OR UPDATE FOR EACH ROW"
            ));
        };
        let updates = data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK == pg_sys::TRIGGER_EVENT_UPDATE;
        let new = if updates { data.tg_newtuple } else { data.tg_trigtuple };
        // SAFETY: rows of the trigger's table.
        let (key, layout) = unsafe { key(data, new)? };
        let old = if updates { unsafe { self::key(data, data.tg_trigtuple)? }.0 } else { None };
        if let Some(key) = key && old != Some(key) {
            check(&key, layout)?;
        }
        Ok(Datum::from(new))
    }
}

/// Whether the transaction covers the key by its floor.
fn check(key: &Uuid, layout: &'static Layout) -> Result<(), Report> {
    let tick = layout.decode(key).ok_or_else(|| not_of_layout(layout))?.tick;
    floors::check_available()?;
    let covered_from = floors::covered_from()?.ok_or_else(|| {
        report!(NO_FLOOR, "key is not covered by the horizon: the transaction holds no floor")
            .hint("Make the key by comb_tracked() in this transaction, or call comb_hold() before the client makes it.")
    })?;
    if tick < Tick::from(covered_from) {
        return Err(report!(
            BELOW_FLOOR,
            "key is not covered by the horizon: it is older than the floor of the transaction"
        )
        .hint("Make the key by comb_tracked() in the transaction that stores it, or after comb_hold() in it."));
    }
    let (block, process) = backend::server()?;
    if tick > Tick::from(block.now(&process)) {
        return Err(report!(AHEAD_OF_CLOCK, "key is ahead of the clock of the server")
            .hint("Make the key by comb_tracked(), or set the clock of the client."));
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

/// The key of a row, and the layout of its column.
///
/// # Safety
/// A row of the trigger's table.
unsafe fn key(
    data: &pg_sys::TriggerData,
    row: pg_sys::HeapTuple,
) -> Result<(Option<Uuid>, &'static Layout), Report> {
    // SAFETY: the caller's word. The arguments of a trigger are C strings.
    unsafe {
        let trigger = &*data.tg_trigger;
        let argument = |index: i16| {
            (index < trigger.tgnargs).then(|| CStr::from_ptr(*trigger.tgargs.add(index as usize)))
        };
        let description = (*data.tg_relation).rd_att;
        let column = raw::SPI_fnumber(description, argument(0).unwrap_or(c"id").as_ptr());
        if column <= 0 {
            return Err(no_column());
        }
        // Anybody can call a type of another kind so.
        let (mut length, mut by_value) = (0, false);
        let type_id = raw::SPI_gettypeid(description, column);
        raw::get_typlenbyval(type_id, &raw mut length, &raw mut by_value);
        if by_value || usize::try_from(length) != Ok(size_of::<Uuid>()) {
            return Err(no_column());
        }
        let by_type = match CStr::from_ptr(raw::SPI_gettype(description, column)).to_bytes() {
            b"uuid" => &UUIDV7,
            b"uniqueidentifier" => &MSSQL,
            _ => return Err(no_column()),
        };
        let layout = match argument(1) {
            Some(label) => labelled(label.to_bytes()).ok_or_else(no_column)?,
            None => by_type,
        };
        let mut is_null = false;
        let value = raw::SPI_getbinval(row, description, column, &raw mut is_null);
        // A uuid's datum points to 16 bytes of any alignment.
        Ok(((!is_null).then(|| value.cast_mut_ptr::<Uuid>().read()), layout))
    }
}

fn no_column() -> Report {
    report!(
        ERRCODE_INVALID_PARAMETER_VALUE,
        "comb_guard() requires a column of type uuid or uniqueidentifier and a known layout"
    )
    .hint("EXECUTE FUNCTION comb_guard('column', 'layout'). Without arguments they are id, and uuidv7 or mssql by the type of the column.")
}
