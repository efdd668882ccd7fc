//! SQL functions for tracked UUIDs and the commit horizon.

use pgrx::pg_sys::Datum;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::clock::{interval_of_ticks, timestamptz_of_tick};
use super::generate::new_id;
use super::layout::not_of_layout;
use crate::postgres::call::{Call, Value, export};
use crate::postgres::report::{Report, report};
use crate::postgres::rows::row;
use crate::server::backend::TickFormat;
use crate::server::floors;
use crate::server::horizon::{compute, settled_for_statement};
use comb_id::layout::Layout;
use comb_id::layouts::UUIDV7;
use comb_tick::Tick;
use uuid::Uuid;

export!(
    comb_tracked,
    comb_tracked_layout = tracked_id,
    comb_hold,
    comb_horizon,
    // Version 0.2.0 of the extension declares it. The horizon of the statement is true for the next one as well.
    comb_horizon_now = comb_horizon,
    comb_horizon_status,
    comb_settled,
);

fn comb_tracked() -> Result<Uuid, Report> {
    tracked_id(&UUIDV7)
}

/// The next UUID, above a floor that the transaction holds.
#[inline(always)]
pub fn tracked_id(layout: &'static Layout) -> Result<Uuid, Report> {
    loop {
        floors::acquire()?;
        let id = new_id(layout)?;
        // If the clock was reset between the two, the UUID may be below the floor.
        if floors::covered_from()?.is_some() {
            return Ok(id);
        }
    }
}

/// Acquires a floor for UUIDs that the client generates. Returns the smallest UUID that it covers.
fn comb_hold() -> Result<Uuid, Report> {
    smallest_id(&UUIDV7, floors::acquire_for_client()?)
}

/// The smallest UUID above all that are settled for the statement; the nil UUID if none is.
fn comb_horizon(layout: &'static Layout) -> Result<Uuid, Report> {
    // If PostgreSQL does not have the order of the layout, a comparison with the result would lose rows.
    if !layout.order.is_in_postgres() {
        return Err(report!(ERRCODE_FEATURE_NOT_SUPPORTED, "layout \"{}\" does not support comb_horizon()", layout.label)
            .detail("PostgreSQL does not sort UUIDs of this layout by their timestamps.")
            .hint("Use comb_settled(), which returns for each UUID whether it is below the horizon."));
    }
    match settled_for_statement()? {
        Some(settled) => smallest_id(layout, settled + 1),
        None => Ok(Uuid::nil()),
    }
}

/// The horizon for the next statement, and for how long it has been held. NULL in recovery and in scope backend.
fn comb_horizon_status(call: Call) -> Result<Datum, Report> {
    let columns = compute().map_or([None; 2], |horizon| {
        [Some(timestamptz_of_tick(horizon.settled).datum()), Some(interval_of_ticks(horizon.held_for).datum())]
    });
    // SAFETY: the columns of its SQL declaration.
    unsafe { row(call, &columns) }
}

/// Whether a UUID and all before it are settled for the statement.
fn comb_settled(id: &Uuid, layout: &'static Layout) -> Result<bool, Report> {
    layout.decode(id).ok_or_else(|| not_of_layout(layout))?;
    let Some(settled) = settled_for_statement()? else { return Ok(false) };
    // UUIDs are compared, not ticks: a layout may keep less than a tick.
    Ok(layout.order.compare(id, &smallest_id(layout, settled + 1)?).is_lt())
}

/// The smallest UUID of a tick or later.
pub fn smallest_id(layout: &'static Layout, tick: u64) -> Result<Uuid, Report> {
    layout.smallest(Tick::from(tick)).ok_or_else(|| layout.out_of_range())
}
