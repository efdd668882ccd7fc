//! SQL functions that make ids.

use std::cell::UnsafeCell;

use pgrx::prelude::*;

use super::error::Error;
use super::fast::fast_function;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::clock;
use crate::comb::{Comb, tick_of_micros};
use crate::generator::{Generator, GeneratorError};
use crate::layout::{Layout, UUIDV7};
use crate::order::Bytes;

/// This backend's generator.
struct Backend(UnsafeCell<Generator>);

// SAFETY: a backend runs SQL functions on one thread, and no borrow of the cell outlives the
// closure of `generator`, which calls nothing that could come back here.
unsafe impl Sync for Backend {}

static BACKEND: Backend = Backend(UnsafeCell::new(Generator::START));

/// Calls `make` with this backend's generator and the id of its process.
#[inline(always)]
fn generator<T>(make: impl FnOnce(&mut Generator, i32) -> T) -> T {
    // SAFETY: see Backend; MyProcPid is written once, at the process's start.
    let (generator, process_id) = unsafe { (&mut *BACKEND.0.get(), pg_sys::MyProcPid) };
    make(generator, process_id)
}

/// The next id in that layout.
#[inline(always)]
fn next(layout: &Layout) -> Result<Bytes, GeneratorError> {
    let comb = generator(|generator, process_id| generator.next(clock::now(), 1, process_id))?;
    layout.encode(comb).ok_or(GeneratorError::ClockOutOfRange)
}

fast_function! {
    /// A version 7 COMB of now, greater than every earlier one of this backend.
    fn comb_new(call) {
        match next(&UUIDV7) {
            Ok(id) => call.return_uuid(id),
            Err(error) => call.raise(error.into()),
        }
    }
}

extension_sql!(
    r#"
CREATE FUNCTION comb_new() RETURNS uuid
STRICT VOLATILE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_new';
"#,
    name = "comb_new"
);

/// A version 7 COMB of a moment; the generator's last tick stays as it is.
#[pg_extern(volatile, parallel_safe)]
fn comb_at(at: TimestampTz) -> Uuid {
    let random = generator(|generator, process_id| generator.random(process_id));
    let encoded = random.map_err(Error::from).and_then(|random| {
        let comb = Comb { tick: tick_of_micros(at.unix_micros()), random };
        UUIDV7.encode(comb).ok_or(Error::TimestampOutOfRange(&UUIDV7))
    });
    encoded.map(Uuid).unwrap_or_else(|error| error.raise())
}
