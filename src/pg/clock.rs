//! SQL functions for the clock that ids are made by: to see it, to raise it, to set it back.

use pgrx::datum::Interval;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::backend::{self, InForce};
use super::error::{self, Error};
use super::layouts::LayoutArgument;
use super::settings;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::block::{BLOCK_VERSION, LineError, SeedSource, Status};
use crate::clock::{LAST_TICK, micros_of_clock};
use crate::comb::TICKS_PER_MS;

/// One row.
#[pg_extern(volatile, parallel_restricted)]
#[allow(clippy::type_complexity)] // A row is as wide as it is.
fn comb_status() -> TableIterator<
    'static,
    (
        name!(scope, &'static str),
        name!(reason, String),
        name!(latest, TimestampTz),
        name!(ahead, Interval),
        name!(level_at, Option<TimestampTz>),
        name!(steps_back, i64),
        name!(stepped_back, Interval),
        name!(largest_step_back, Interval),
        name!(seeded_at, TimestampTz),
        name!(seeded_from, TimestampTz),
        name!(seed_source, Option<&'static str>),
        name!(library_version, &'static str),
        name!(block_version, i32),
    ),
> {
    let (block, process, in_force) = backend::block();
    let status = or_raise(block.status(&process));
    let (scope, reason) = match in_force {
        InForce::Server(place) => ("server", place.to_string()),
        InForce::BackendFor(absent) => ("backend", absent.to_string()),
        InForce::Backend => ("backend", "comb.scope is backend".into()),
    };
    TableIterator::once((
        scope,
        reason,
        moment(status.latest),
        interval(status.ahead),
        level_at(&status),
        status.steps_back as i64,
        interval(status.stepped_back),
        interval(status.largest_step_back),
        moment(status.seeded_at),
        moment(status.seeded_from),
        status.seed_source.map(|source| match source {
            SeedSource::SystemClock => "system clock",
            SeedSource::Checkpoint => "checkpoint",
            SeedSource::Replay => "replay",
        }),
        env!("CARGO_PKG_VERSION"),
        BLOCK_VERSION as i32,
    ))
}

/// By the system clock: when the lead will be gone, infinity if it is too long to be worked off.
fn level_at(status: &Status) -> Option<TimestampTz> {
    (status.ahead > 0).then(|| match status.level_in {
        Some(rest) => moment(status.latest - status.ahead + rest),
        None => TimestampTz(i64::MAX),
    })
}

/// Lets the clock go on from an id, if it is not there yet. The moment at which it then stands.
#[pg_extern(volatile, parallel_restricted)]
fn comb_observe(id: Uuid, layout: default!(LayoutArgument, "'uuidv7'")) -> TimestampTz {
    let comb = layout.0.decode(&id.0).unwrap_or_else(|| Error::NotOfLayout(layout.0).raise());
    let (block, process, in_force) = backend::block();
    // SAFETY: reads who the current user is.
    let is_superuser = unsafe { pg_sys::superuser() };
    let max_ahead = (!is_superuser).then(|| settings::max_ahead_ms().saturating_mul(TICKS_PER_MS));
    // Before 1970 there is nothing to raise.
    let tick = u64::try_from(comb.tick.max(0))
        .ok()
        .filter(|&tick| tick < LAST_TICK)
        .unwrap_or_else(|| Error::BeyondAnyClock.raise());
    let (before, after) = or_raise(block.observe(&process, tick, max_ahead));
    // Who led everybody ahead should be the first to know.
    if after > before + TICKS_PER_MS {
        backend::warn_of_new_lead(after);
    }
    note_scope(in_force);
    moment(block.now(&process).0)
}

/// Sets the clock back to the system's. The moment at which it then stands.
#[pg_extern(volatile, parallel_restricted)]
fn comb_reset_clock() -> TimestampTz {
    let (block, process, in_force) = backend::block();
    or_raise(block.reset(&process));
    note_scope(in_force);
    moment(block.now(&process).0)
}

fn or_raise<T>(result: Result<T, LineError>) -> T {
    result.unwrap_or_else(|error| Error::of_line(error).raise())
}

fn note_scope(in_force: InForce) {
    if !matches!(in_force, InForce::Server(_)) {
        error::note_own_clock();
    }
}

extension_sql!(
    r#"
-- They concern everybody's ids.
REVOKE ALL ON FUNCTION comb_observe(uuid, comb_layout), comb_reset_clock() FROM PUBLIC;

DO $$
BEGIN
    -- PostgreSQL 17 and newer.
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'pg_maintain') THEN
        GRANT EXECUTE ON FUNCTION comb_observe(uuid, comb_layout), comb_reset_clock() TO pg_maintain;
    END IF;
END
$$;
"#,
    name = "clock_privileges",
    requires = [comb_observe, comb_reset_clock]
);

fn moment(tick: u64) -> TimestampTz {
    TimestampTz::from_unix_micros(micros_of_clock(tick))
}

fn interval(ticks: u64) -> Interval {
    Interval::from_micros(micros_of_clock(ticks))
}
