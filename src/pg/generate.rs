//! SQL functions that make ids.

use std::cell::UnsafeCell;

use pgrx::datum::Interval;
use pgrx::prelude::*;
use pgrx::{direct_function_call, pg_sys};

use super::error::Error;
use super::fast::fast_function;
use super::layouts::LayoutArgument;
use super::settings;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::clock;
use crate::comb::{Comb, micros_of_tick, tick_of_micros};
use crate::generator::{Circumstances, Generator, GeneratorError};
use crate::layout::{Layout, MSSQL, MSSQL_LEGACY, UUIDV7};
use crate::order::Bytes;

/// This backend's generator.
struct Backend(UnsafeCell<Generator>);

// SAFETY: a backend runs SQL functions on one thread, and no borrow of the cell outlives the
// closure of `with_generator`, which calls nothing that could come back here.
unsafe impl Sync for Backend {}

static BACKEND: Backend = Backend(UnsafeCell::new(Generator::START));

/// Calls `make` with this backend's generator and what its next id depends on.
#[inline(always)]
pub fn with_generator<T>(
    make: impl FnOnce(&mut Generator, Circumstances) -> Result<T, GeneratorError>,
) -> Result<T, GeneratorError> {
    // SAFETY: see Backend; MyProcPid is written once, at the process's start.
    let (generator, process_id) = unsafe { (&mut *BACKEND.0.get(), pg_sys::MyProcPid) };
    let apart_ms = settings::timestamp_step_ms();
    make(generator, Circumstances { now: clock::now(), apart_ms, process_id })
}

/// Random bits for an id whose moment is given.
pub fn random() -> u64 {
    with_generator(|generator, given| generator.random(given.process_id))
        .unwrap_or_else(|error| Error::of_generator(error, UUIDV7.label).raise())
}

/// The next id in a layout, greater than every earlier one of this backend in it.
#[inline(always)]
fn next_id(layout: &'static Layout) -> Result<Bytes, Error> {
    with_generator(|generator, given| generator.next_id(layout, given))
        .map_err(|error| Error::of_generator(error, layout.label))
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

/// The next COMB, its moment moved by an interval as PostgreSQL adds one to a timestamptz.
///
/// The tick is moved as a whole, so that ids of one shift keep the order of their ticks; months
/// and days are as long as the calendar has them, which can take a later id to an earlier day.
#[pg_extern(volatile, parallel_safe)]
fn comb_shifted(shift: Interval, layout: default!(LayoutArgument, "'uuidv7'")) -> Uuid {
    let layout = layout.0;
    let comb = with_generator(|generator, given| generator.next_comb(layout, given))
        .unwrap_or_else(|error| Error::of_generator(error, layout.label).raise());
    let shifted = micros_of_tick(comb.tick).and_then(|micros| {
        let moved = add_interval(TimestampTz::from_unix_micros(micros), shift);
        let distance = moved.unix_micros().checked_sub(micros)?;
        layout.encode(Comb { tick: comb.tick + tick_of_micros(distance), ..comb })
    });
    Uuid::or_out_of_range(shifted, layout)
}

fn add_interval(at: TimestampTz, shift: Interval) -> TimestampTz {
    let arguments = [Some(pg_sys::Datum::from(at.0)), shift.into_datum()];
    // SAFETY: the function takes a timestamptz and an interval, which these are, and answers a
    // timestamptz or raises an error.
    unsafe { direct_function_call(pg_sys::timestamptz_pl_interval, &arguments) }
        .expect("a sum of two values is not NULL")
}
