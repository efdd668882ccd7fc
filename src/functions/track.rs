//! The horizon of any table: the triggers of its writers, and the numbers of its sequence for readers.

use std::ffi::CStr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum};

use super::horizon::tracked_id;
use super::trigger::Trigger;
use crate::postgres::call::{Call, export};
use crate::postgres::catalog;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::server::floors;
use crate::server::sequences::settled_number;

export!(comb_track, comb_version, comb_sequence_horizon = settled_number);

/// BEFORE INSERT OR UPDATE, FOR EACH STATEMENT: the transaction acquires a floor before the statement draws a number or
/// generates a key.
fn comb_track(call: Call) -> Result<Datum, Report> {
    let trigger = Trigger::of(call, "comb_track", false)?;
    if is_on_shard(trigger.data) {
        return Err(report!(
            ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "comb_track() cannot be called by a trigger on a shard of Citus"
        )
        .detail("Citus draws numbers and generates keys before it calls the trigger.")
        .hint("Drop the trigger. Use a key with DEFAULT comb_tracked(), and comb_horizon()."));
    }
    floors::acquire()?;
    Ok(Datum::null())
}

/// Whether Citus created the trigger with a shard, on the node that runs the statement. It adds the number of the shard to
/// the names of both: tracked_102008 on events_102008.
fn is_on_shard(data: &pg_sys::TriggerData) -> bool {
    // SAFETY: the trigger's table is open. Names are C strings.
    unsafe {
        let class = &*(*data.tg_relation).rd_rel;
        let (table, trigger) = (CStr::from_ptr(class.relname.data.as_ptr()), CStr::from_ptr((*data.tg_trigger).tgname));
        let (table, trigger) = (table.to_bytes(), trigger.to_bytes());
        let Some(at) = table.iter().rposition(|byte| *byte == b'_') else { return false };
        let number = &table[at..];
        if !trigger.ends_with(number) || !number.iter().skip(1).all(u8::is_ascii_digit) {
            return false;
        }
        let mut shared = class.relname;
        shared.data[at] = 0;
        catalog::is_of_citus(raw::get_relname_relid(shared.data.as_ptr(), class.relnamespace))
    }
}

/// BEFORE INSERT OR UPDATE, FOR EACH ROW: a new tracked UUID replaces the value of a column, by default `version`.
fn comb_version(call: Call) -> Result<Datum, Report> {
    let trigger = Trigger::of(call, "comb_version", true)?;
    let column = trigger.key_column(c"version")?;
    Ok(Datum::from(trigger.with_key(column, tracked_id(column.layout)?)))
}
