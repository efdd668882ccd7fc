//! SQL functions that generate UUIDs.

use pgrx::pg_sys;

use super::layout::{clock_out_of_layout, timestamp_out_of_range};
use crate::postgres::call::{Value, export};
use crate::postgres::raw;
use crate::postgres::report::Report;
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend;
use crate::server::settings;
use comb_clock::system_clock::LAST_TICK;
use comb_id::layout::{Comb, Layout};
use comb_id::layouts::{MSSQL, MSSQL_LEGACY, UUIDV7};
use comb_tick::{Tick, micros_of_tick, tick_of_micros};
use uuid::Uuid;

export!(comb_new, comb_new_layout = new_id, comb_new_mssql, comb_new_mssql_legacy, comb_at, comb_shifted);

/// The next UUID in a layout, greater than all earlier ones of its scope in this layout.
///
/// It is inlined into each caller: code for one layout is 15 ns per UUID faster than code for all.
#[inline(always)]
pub fn new_id(layout: &'static Layout) -> Result<Uuid, Report> {
    let tick = backend::next_tick(layout.step(settings::timestamp_step()), layout.last_tick(), || clock_out_of_layout(layout))?;
    let random = if layout.marks_process() { backend::process_bits()? } else { backend::random()? };
    layout.encode(Comb { tick: Tick::from(tick), random }).ok_or_else(|| clock_out_of_layout(layout))
}

fn comb_new() -> Result<Uuid, Report> {
    new_id(&UUIDV7)
}

fn comb_new_mssql() -> Result<Uuid, Report> {
    new_id(&MSSQL)
}

fn comb_new_mssql_legacy() -> Result<Uuid, Report> {
    new_id(&MSSQL_LEGACY)
}

/// A UUID of a time. It does not change the clock.
fn comb_at(at: TimestampTz, layout: &'static Layout) -> Result<Uuid, Report> {
    let tick = tick_of_micros(at.unix_micros());
    // Generating a tick would do this.
    backend::refresh_random();
    layout.encode(Comb { tick, random: backend::random()? }).ok_or_else(|| timestamp_out_of_range(layout, Some(at)))
}

/// The next UUID with an interval added to its time, as PostgreSQL adds one to a timestamptz.
///
/// It has new random bits even in a layout whose UUIDs share those of their process: the time of another UUID can become
/// the same tick.
fn comb_shifted(shift: &pg_sys::Interval, layout: &'static Layout) -> Result<Uuid, Report> {
    // The tick need not be one of the layout before it is shifted.
    let tick = backend::next_tick(layout.step(settings::timestamp_step()), LAST_TICK.into(), || clock_out_of_layout(layout))?;
    let random = backend::random()?;
    let id = shifted(tick.into(), shift).and_then(|tick| layout.encode(Comb { tick, random }));
    id.ok_or_else(|| timestamp_out_of_range(layout, None))
}

/// The tick moved as far as the interval moves its microsecond; `None` out of range.
///
/// The tick is moved as a whole, so that UUIDs of one shift keep the order of their ticks. Months and days are as long as
/// in the calendar, which can move a later UUID to an earlier day.
fn shifted(tick: Tick, shift: &pg_sys::Interval) -> Option<Tick> {
    let micros = micros_of_tick(tick)?;
    let at = TimestampTz::from_unix_micros(micros).datum();
    // SAFETY: the arguments are a timestamptz and an interval.
    let moved = unsafe {
        let (add, interval): (pg_sys::PGFunction, _) = (Some(raw::timestamptz_pl_interval), std::ptr::from_ref(shift));
        raw::DirectFunctionCall2Coll(add, pg_sys::Oid::INVALID, at, pg_sys::Datum::from(interval))
    };
    let distance = TimestampTz(moved.value() as pg_sys::TimestampTz).unix_micros().checked_sub(micros)?;
    Some(tick + tick_of_micros(distance))
}
