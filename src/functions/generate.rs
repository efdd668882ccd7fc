//! SQL functions that generate UUIDs.

use pgrx::pg_sys;

use super::layout_errors::timestamp_out_of_range;
use crate::postgres::call::{self, Answer, Call, sql_functions};
use crate::postgres::raw;
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend::{self, process_id};
use crate::server::clock_errors::{MadeAs, clock_out_of_range};
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, MSSQL_LEGACY, UUIDV7};
use comb_id::value::Comb;
use comb_tick::{Tick, micros_of_tick, tick_of_micros};

/// The next id in a layout, greater than every earlier one of its scope in it.
///
/// Inlined into each caller: compiled once for each layout it is 15 ns an id faster than once for
/// all.
#[inline(always)]
pub fn next_id(layout: &'static Layout) -> Answer {
    let (generator, tick) = backend::next(layout)?;
    let random =
        if layout.marks_process() { generator.random.process_bits(process_id())? } else { generator.random.next(process_id())? };
    let comb = Comb { tick: Tick::from(tick), random };
    let id = layout.encode(comb).ok_or_else(|| clock_out_of_range(MadeAs::Id(layout)))?;
    generator.made(tick);
    Ok(call::uuid(id))
}

sql_functions! {
    fn comb_new(_call) { next_id(&UUIDV7) }
    fn comb_new_layout(call) { next_id(call.layout(0)?) }
    fn comb_new_mssql(_call) { next_id(&MSSQL) }
    fn comb_new_mssql_legacy(_call) { next_id(&MSSQL_LEGACY) }

    /// A COMB of a time; the generator's last tick stays as it is.
    fn comb_at(call) {
        let layout = call.layout(1)?;
        let tick = tick_of_micros(call.timestamptz(0).unix_micros());
        let id = layout.encode(Comb { tick, random: backend::random()? });
        id.map(call::uuid).ok_or_else(|| timestamp_out_of_range(layout))
    }

    /// The next COMB, its time moved by an interval as PostgreSQL adds one to a timestamptz.
    ///
    /// Its random bits are drawn for it even in a layout whose ids share those of their process: another
    /// id may be moved to the same tick.
    fn comb_shifted(call) {
        let layout = call.layout(1)?;
        let (generator, tick) = backend::next(layout)?;
        let comb = Comb { tick: Tick::from(tick), random: generator.random.next(process_id())? };
        generator.made(tick);
        let id = shift(comb, call).and_then(|comb| layout.encode(comb));
        id.map(call::uuid).ok_or_else(|| timestamp_out_of_range(layout))
    }
}

/// The value with its tick moved as far as the interval, the first argument, moves its microsecond; `None`
/// out of range.
///
/// The tick is moved as a whole, so that ids of one shift keep the order of their ticks; months
/// and days are as long as in the calendar, which can move a later UUID to an earlier day.
fn shift(comb: Comb, call: Call) -> Option<Comb> {
    let micros = micros_of_tick(comb.tick)?;
    let at = TimestampTz::from_unix_micros(micros).datum();
    // SAFETY: a timestamptz and an interval.
    let moved = unsafe {
        let add: pg_sys::PGFunction = Some(raw::timestamptz_pl_interval);
        raw::DirectFunctionCall2Coll(add, pg_sys::Oid::INVALID, at, call.argument(0))
    };
    let moved = TimestampTz(moved.value() as pg_sys::TimestampTz);
    let distance = moved.unix_micros().checked_sub(micros)?;
    Some(Comb { tick: comb.tick + tick_of_micros(distance), ..comb })
}
