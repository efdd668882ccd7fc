//! The horizon of any table: the triggers of its writers, and the numbers of its sequence for readers.

use pgrx::pg_sys::Datum;

use super::horizon::tracked_id;
use super::trigger::Trigger;
use crate::postgres::call::{Call, export};
use crate::postgres::report::Report;
use crate::server::floors;
use crate::server::sequences::settled_number;

export!(comb_track, comb_version, comb_sequence_horizon = settled_number);

/// BEFORE INSERT OR UPDATE, FOR EACH STATEMENT: the transaction acquires a floor before the statement draws a number or
/// generates a key.
fn comb_track(call: Call) -> Result<Datum, Report> {
    Trigger::of(call, "comb_track", false)?;
    floors::acquire()?;
    Ok(Datum::null())
}

/// BEFORE INSERT OR UPDATE, FOR EACH ROW: a new tracked UUID replaces the value of a column, by default `version`.
fn comb_version(call: Call) -> Result<Datum, Report> {
    let trigger = Trigger::of(call, "comb_version", true)?;
    let column = trigger.key_column(c"version")?;
    Ok(Datum::from(trigger.with_key(column, tracked_id(column.layout)?)))
}
