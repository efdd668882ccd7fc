//! SQL functions for tracked ids and the commit horizon.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum};

use super::clock::{interval_of_ticks, timestamptz_of_tick};
use super::generate::next_id;
use super::layout_errors::not_of_layout;
use crate::postgres::call::{self, Answer, Call, sql_functions};
use crate::postgres::report::{Report, report};
use crate::postgres::rows::row;
use crate::server::clock_errors::{MadeAs, clock_out_of_range};
use crate::server::floors;
use crate::server::horizon::{compute, settled_for_statement};
use crate::server::mutation;
use comb_id::layout::Layout;
use comb_id::layouts::UUIDV7;
use comb_tick::Tick;
use uuid::Uuid;

sql_functions! {
    /// The next id, above a floor that the transaction holds.
    fn comb_tracked(_call) {
        tracked_id(&UUIDV7)
    }

    fn comb_tracked_layout(call) {
        tracked_id(call.layout(0)?)
    }
}

#[inline(always)]
fn tracked_id(layout: &'static Layout) -> Answer {
    loop {
        let early = mutation::early("G2 before G1", || next_id(layout));
        floors::hold()?;
        mutation::pause();
        let id = early.unwrap_or_else(|| next_id(layout))?;
        // Else the clock was reset between the two, and the id may be below the floor.
        if floors::covered_from()?.is_some() {
            return Ok(id);
        }
    }
}

sql_functions! {
    /// Acquires a floor for UUIDs that the client generates. Returns the smallest UUID that it covers.
    fn comb_hold(_call) {
        smallest_id(&UUIDV7, floors::hold_for_client()?).map(call::uuid)
    }

    /// The smallest id above all that is settled for the statement; the nil UUID where nothing is.
    fn comb_horizon(call) {
        let layout = ordered_layout(call)?;
        match settled_for_statement()? {
            Some(settled) => smallest_id(layout, settled + 1).map(call::uuid),
            None => Ok(call::uuid(Uuid::nil())),
        }
    }

    /// The horizon for the next statement, and for how long it has been held. Not in recovery, nor in scope backend.
    fn comb_horizon_status(call) {
        let columns = compute().map_or([None; 2], |horizon| {
            [Some(timestamptz_of_tick(horizon.settled)), Some(interval_of_ticks(horizon.held_for))]
        });
        // SAFETY: the columns of its SQL declaration.
        unsafe { row(call, &columns) }
    }

    /// Whether an id and all before it are settled for the statement.
    fn comb_settled(call) {
        let layout = call.layout(1)?;
        let id = call.uuid(0);
        layout.decode(&id).ok_or_else(|| not_of_layout(layout))?;
        // Not by their ticks: a layout may keep less than a tick.
        let is_settled = match settled_for_statement()? {
            Some(settled) => layout.order.compare(&id, &smallest_id(layout, settled + 1)?).is_lt(),
            None => false,
        };
        Ok(Datum::from(is_settled))
    }

    /// The horizon for the next statement, whose snapshot is taken after this call.
    fn comb_horizon_now(call) {
        let layout = ordered_layout(call)?;
        // SAFETY: reads the isolation level of the transaction.
        if unsafe { pg_sys::XactIsoLevel } >= pg_sys::XACT_REPEATABLE_READ as i32 {
            return Err(report!(
                ERRCODE_INVALID_TRANSACTION_STATE,
                "comb_horizon_now() requires the isolation level READ COMMITTED"
            )
            .detail("The next statement of this transaction has the same snapshot.")
            .hint("Use comb_horizon(), which works in every isolation level."));
        }
        smallest_id(layout, compute()?.settled + 1).map(call::uuid)
    }
}

/// The layout that the first argument names. An id of it is to be compared with others: where PostgreSQL has
/// not their order, that would lose rows.
fn ordered_layout(call: Call) -> Result<&'static Layout, Report> {
    let layout = call.layout(0)?;
    if layout.order.is_in_postgres() {
        return Ok(layout);
    }
    Err(report!(ERRCODE_FEATURE_NOT_SUPPORTED, "layout \"{}\" does not support comb_horizon()", layout.label)
        .detail("PostgreSQL does not sort UUIDs of this layout by their timestamps.")
        .hint("Use comb_settled(), which returns for each UUID whether it is below the horizon."))
}

/// The smallest id of a tick, and so of all later ones.
pub fn smallest_id(layout: &'static Layout, tick: u64) -> Result<Uuid, Report> {
    layout.smallest(Tick::from(tick)).ok_or_else(|| clock_out_of_range(MadeAs::Id(layout)))
}
