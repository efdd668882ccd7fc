//! SQL functions that make ids.

use pgrx::pg_sys;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;

use super::backend::{self, process_id};
use super::error::Error;
use super::fast::fast_function;
use super::layouts::LayoutArgument;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::comb::{Comb, micros_of_tick, tick_of_micros};
use crate::layout::{Layout, MSSQL, MSSQL_LEGACY, UUIDV7};
use crate::order::Bytes;

/// The next id in a layout, greater than every earlier one of its scope in it.
///
/// Inlined into each caller: compiled once for each layout it is 15 ns an id faster than once for
/// all.
#[inline(always)]
fn next_id(layout: &'static Layout) -> Result<Bytes, Error> {
    let (generator, tick) = backend::next(layout.clock, layout.label);
    generator
        .id(layout, tick, process_id())
        .map_err(|error| Error::of_generator(error, layout.label))
}

/// Random bits for an id whose moment is given.
fn random() -> u64 {
    backend::generator()
        .random(process_id())
        .unwrap_or_else(|error| Error::of_generator(error, UUIDV7.label).raise())
}

fast_function! {
    fn comb_new(call) {
        let id = next_id(&UUIDV7);
        call.return_uuid_or_raise(id)
    }
}

fast_function! {
    fn comb_new_layout(call) {
        let id = next_id(call.layout(0));
        call.return_uuid_or_raise(id)
    }
}

fast_function! {
    fn comb_new_mssql(call) {
        let id = next_id(&MSSQL);
        call.return_uuid_or_raise(id)
    }
}

fast_function! {
    fn comb_new_mssql_legacy(call) {
        let id = next_id(&MSSQL_LEGACY);
        call.return_uuid_or_raise(id)
    }
}

extension_sql!(
    r#"
CREATE FUNCTION comb_new() RETURNS uuid
STRICT VOLATILE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_new';

CREATE FUNCTION comb_new(layout comb_layout) RETURNS uuid
STRICT VOLATILE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_new_layout';

CREATE FUNCTION comb_new_mssql() RETURNS uuid
STRICT VOLATILE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_new_mssql';

CREATE FUNCTION comb_new_mssql_legacy() RETURNS uuid
STRICT VOLATILE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_new_mssql_legacy';
"#,
    name = "generate"
);

/// A COMB of a moment; the generator's last tick stays as it is.
#[pg_extern(volatile, parallel_safe)]
fn comb_at(at: TimestampTz, layout: default!(LayoutArgument, "'uuidv7'")) -> Uuid {
    let comb = Comb { tick: tick_of_micros(at.unix_micros()), random: random() };
    Uuid::or_out_of_range(layout.0.encode(comb), layout.0)
}

fast_function! {
    /// The next COMB, its moment moved by an interval as PostgreSQL adds one to a timestamptz.
    fn comb_shifted(call) {
        let layout = call.layout(1);
        let (generator, tick) = backend::next(layout.clock, layout.label);
        let next = generator
            .comb(tick, process_id())
            .map_err(|error| Error::of_generator(error, layout.label));
        let shifted = next.and_then(|comb| {
            // SAFETY: a timestamptz and an interval.
            let moved = |at| unsafe {
                call.of_builtin(timestamptz_pl_interval, at, call.argument(0))
            };
            shift(comb, moved)
                .and_then(|comb| layout.encode(comb))
                .ok_or(Error::TimestampOutOfRange(layout))
        });
        call.return_uuid_or_raise(shifted)
    }
}

extension_sql!(
    r#"
CREATE FUNCTION comb_shifted(shift interval, layout comb_layout DEFAULT 'uuidv7') RETURNS uuid
STRICT VOLATILE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_shifted';
"#,
    name = "comb_shifted"
);

/// The value with its tick moved as far as `moved` moves its microsecond; `None` out of range.
///
/// The tick is moved as a whole, so that ids of one shift keep the order of their ticks; months
/// and days are as long as the calendar has them, which can take a later id to an earlier day.
fn shift(comb: Comb, moved: impl FnOnce(Datum) -> Datum) -> Option<Comb> {
    let micros = micros_of_tick(comb.tick)?;
    let at = TimestampTz::from_unix_micros(micros);
    let moved = TimestampTz(moved(Datum::from(at.0)).value() as pg_sys::TimestampTz);
    let distance = moved.unix_micros().checked_sub(micros)?;
    Some(Comb { tick: comb.tick + tick_of_micros(distance), ..comb })
}

unsafe extern "C-unwind" {
    fn timestamptz_pl_interval(call: pg_sys::FunctionCallInfo) -> Datum;
}
