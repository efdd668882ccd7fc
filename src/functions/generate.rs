//! SQL functions that generate UUIDs.

use super::layout::{clock_out_of_layout, timestamp_out_of_range};
use crate::postgres::call::export;
use crate::postgres::report::Report;
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend;
use crate::server::settings;
use comb_id::layout::{Comb, Layout};
use comb_id::layouts::{MSSQL, MSSQL_LEGACY, UUIDV7};
use comb_tick::{Tick, tick_of_micros};
use uuid::Uuid;

export!(comb_new, comb_new_layout = new_id, comb_new_mssql, comb_new_mssql_legacy, comb_at);

/// The next UUID in a layout, greater than all earlier ones of its scope in this layout.
///
/// It is inlined into each caller: code for one layout is 15 ns per UUID faster than code for all.
#[inline(always)]
pub fn new_id(layout: &'static Layout) -> Result<Uuid, Report> {
    let tick = backend::next_tick(layout.step(settings::timestamp_step()), layout.last_tick(), || clock_out_of_layout(layout))?;
    let random = if layout.marks_process() { layout.bits_of_process(backend::process_bits()?) } else { backend::random()? };
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
