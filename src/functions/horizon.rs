//! The horizon for readers.

use pgrx::pg_sys::Datum;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::clock::{interval_of_ticks, timestamptz_of_tick};
use super::layout::clock_out_of_layout;
use crate::postgres::call::{Call, Value, export};
use crate::postgres::report::{Report, report};
use crate::postgres::rows::{Rows, row};
use crate::server::floors;
use crate::server::horizon::{held_for, settled_number, settled_tick};
use crate::server::host::realtime;
use crate::server::transactions::Server;
use comb_clock::floors::{Entry, Transactions, tick_of_number};
use comb_id::layout::Layout;
use comb_id::layouts::UUIDV7;
use comb_tick::Tick;
use uuid::Uuid;

export!(comb_horizon, comb_sequence_horizon = settled_number, comb_horizon_status, comb_floors);

/// The smallest UUID above all that are settled for the statement.
fn comb_horizon(layout: &'static Layout) -> Result<Uuid, Report> {
    // If PostgreSQL does not have the order of the layout, a comparison with the result would lose rows.
    if !layout.order.is_in_postgres() {
        return Err(report!(ERRCODE_FEATURE_NOT_SUPPORTED, "layout \"{}\" does not support comb_horizon()", layout.label)
            .detail("PostgreSQL does not sort UUIDs of this layout by their timestamps.")
            .hint("Poll the table by another column: an identity column, or a version column."));
    }
    smallest_id(layout, settled_tick()? + 1)
}

/// The smallest UUID of a tick or later.
pub fn smallest_id(layout: &'static Layout, tick: u64) -> Result<Uuid, Report> {
    layout.smallest(Tick::from(tick)).ok_or_else(|| clock_out_of_layout(layout))
}

/// The time of the horizon, and for how long it has been held. NULL in recovery and in scope backend.
fn comb_horizon_status(call: Call) -> Result<Datum, Report> {
    let now = realtime().unwrap_or(0);
    let columns = match floors::server() {
        Ok(_) => [Some(timestamptz_of_tick(settled_tick()?).datum()), Some(interval_of_ticks(held_for(now)?).datum())],
        Err(_) => [None; 2],
    };
    // SAFETY: the columns of its SQL declaration.
    Ok(unsafe { row(call, &columns) })
}

/// The transactions of the server that hold a horizon back: transaction id, database, the floor of their UUIDs, and since when.
fn comb_floors(call: Call) -> Result<Rows, Report> {
    // SAFETY: it returns a set, with the columns of its SQL declaration.
    let rows = unsafe { Rows::begin(call) };
    let Ok((_, _, floors)) = floors::server() else { return Ok(rows) };
    let is_clock = |entry: &Entry| entry.source.object() == 0;
    for entry in floors.live().filter(is_clock).filter(|entry| Server.in_progress(entry.id)) {
        let Some(floor) = entry.floor else { continue };
        rows.put(&[
            Some(Datum::from(entry.id as i64)),
            Some(Datum::from(entry.source.database())),
            Some(smallest_id(&UUIDV7, tick_of_number(floor))?.datum()),
            Some(timestamptz_of_tick(entry.since).datum()),
        ]);
    }
    Ok(rows)
}
