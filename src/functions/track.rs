//! What writers of tracked tables call: triggers, and functions for numbers and UUIDs that are not drawn by an INSERT.

use pgrx::pg_sys::{Datum, Oid};

use super::generate::new_id;
use super::trigger::{Each, Trigger};
use crate::postgres::call::{Call, export};
use crate::postgres::report::Report;
use crate::server::floors::{track_clock, track_sequence};
use crate::server::tracked::{drawn_by, require_draw};
use comb_id::layout::Layout;
use comb_id::layouts::UUIDV7;
use uuid::Uuid;

export!(
    comb_track,
    comb_track_sequence,
    comb_tracked,
    comb_tracked_layout = tracked_id,
    // The name of comb_row_version() in version 0.3.0 of the extension.
    comb_version,
);

/// BEFORE INSERT OR UPDATE, FOR EACH STATEMENT: the transaction writes its floors before the statement draws a number or
/// generates a UUID, which a program may have written into it.
fn comb_track(call: Call) -> Result<Datum, Report> {
    let trigger = Trigger::of(call, "comb_track", Each::Statement)?;
    track_clock()?;
    for drawn in drawn_by(trigger.table())? {
        drawn.require_draw()?;
        track_sequence(drawn.sequence)?;
    }
    Ok(Datum::null())
}

/// The same before a program draws numbers itself.
fn comb_track_sequence(sequence: Oid) -> Result<Datum, Report> {
    require_draw(sequence)?;
    track_clock()?;
    track_sequence(sequence)?;
    Ok(Datum::null())
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
