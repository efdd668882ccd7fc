//! SQL functions that show the clock, advance it and reset it.

use pgrx::PgLogLevel;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{Datum, Interval};

use super::layout::not_of_layout;
use crate::postgres::call::{Call, Text, Value, export};
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::rows::row;
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend::{self, InUse, clock_micros};
use crate::server::settings;
use comb_clock::logical_clock::SeedSource;
use comb_clock::source::{LAST_TICK, micros_of_clock};
use comb_id::layout::Layout;
use comb_tick::TICKS_PER_MS;
use uuid::Uuid;

export!(comb_clock_status, comb_status, comb_observe, comb_reset_clock);

/// The row of comb_status(), without the columns from pg_extension. Later versions add columns at the end.
fn comb_clock_status(call: Call) -> Result<Datum, Report> {
    // SAFETY: the columns of its SQL declaration.
    unsafe { row(call, &clock_columns()?) }
}

/// comb_status() of version 0.1.0 of the extension, which calls it directly.
fn comb_status(call: Call) -> Result<Datum, Report> {
    let extension = [Some(Text::of_ascii(b"0.1.0").datum()), Some(true.datum())];
    // SAFETY: the columns of its SQL declaration.
    unsafe { row(call, clock_columns()?.iter().chain(&extension)) }
}

fn clock_columns() -> Result<[Option<Datum>; 13], Report> {
    let (block, process, in_use) = backend::block()?;
    let status = block.status(&process)?;
    let now = status.now;
    let (scope, reason) = match in_use {
        InUse::Shared(reason) => ("server", reason),
        InUse::Separate(reason) => ("backend", reason),
    };
    let level_at = now.level_in.filter(|_| now.lead > 0).map(|rest| now.tick - now.lead + rest);
    let source = status.seed_source.map(|source| match source {
        SeedSource::SystemClock => "system clock",
        SeedSource::Checkpoint => "checkpoint",
        SeedSource::Replay => "replay",
        SeedSource::Crash => "crash",
    });
    let text = |text: &str| Text::of_ascii(text.as_bytes()).datum();
    let timestamp = |tick| timestamptz_of_tick(tick).datum();
    let interval = |ticks| interval_of_ticks(ticks).datum();
    Ok([
        Some(text(scope)),
        Some(text(reason)),
        Some(timestamp(now.tick)),
        Some(interval(now.lead)),
        level_at.map(timestamp),
        Some((now.lead > 0 && level_at.is_none()).datum()),
        Some((status.steps_back as i64).datum()),
        Some(interval(status.stepped_back)),
        Some(interval(status.largest_step_back)),
        Some(timestamp(status.seeded_at)),
        Some(timestamp(status.seeded_from)),
        source.map(text),
        Some(text(env!("CARGO_PKG_VERSION"))),
    ])
}

/// Advances the clock to a UUID, unless it is later already. Returns the time of the clock after that.
fn comb_observe(id: &Uuid, layout: &'static Layout) -> Result<TimestampTz, Report> {
    let comb = layout.decode(id).ok_or_else(|| not_of_layout(layout))?;
    // A UUID from before 1970 does not advance the clock.
    let tick = u64::try_from(comb.tick.max(0)).ok().filter(|&tick| tick < LAST_TICK);
    let tick = tick.ok_or_else(|| {
        let (begin, end) = clock_micros();
        let [begin, end] = [begin, end].map(TimestampTz::from_unix_micros);
        report!(ERRCODE_DATETIME_FIELD_OVERFLOW, "timestamp of the UUID is out of range for the clock")
            .detail(format_args!("A generated UUID has a time from {begin} to {end}."))
            .hint("Observe the greatest UUID that was generated, not a bound such as comb_max().")
    })?;
    let (block, process, in_use) = backend::block()?;
    // SAFETY: reads the current user.
    let is_superuser = unsafe { raw::superuser() };
    let max_ahead = settings::max_ahead_ms().saturating_mul(TICKS_PER_MS);
    let max_ahead = (!is_superuser).then_some(max_ahead);
    let (before, after) = block.observe(&process, tick, max_ahead)?;
    // The session that advanced the clock of all sessions is the first to be warned.
    if after.lead > before.lead + TICKS_PER_MS {
        backend::warn_of_new_lead(after.lead);
    }
    note_scope(in_use);
    Ok(timestamptz_of_tick(block.now(&process)))
}

/// Sets the clock back to the system clock. Returns the time of the clock after that.
fn comb_reset_clock() -> Result<TimestampTz, Report> {
    let (block, process, in_use) = backend::block()?;
    let now = block.reset(&process)?;
    note_scope(in_use);
    Ok(timestamptz_of_tick(now.tick))
}

fn note_scope(in_use: InUse) {
    if let InUse::Separate(_) = in_use {
        report!(ERRCODE_SUCCESSFUL_COMPLETION, "only UUIDs of this connection are affected")
            .hint("The connection uses a separate clock. comb_status() shows the reason.")
            .send(PgLogLevel::NOTICE);
    }
}

pub fn timestamptz_of_tick(tick: u64) -> TimestampTz {
    TimestampTz::from_unix_micros(micros_of_clock(tick))
}

pub fn interval_of_ticks(ticks: u64) -> Interval {
    Interval { time: micros_of_clock(ticks), day: 0, month: 0 }
}
