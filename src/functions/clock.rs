//! SQL functions that show the clock of generated UUIDs, advance it and set it back.

use pgrx::PgLogLevel;
use pgrx::pg_sys::Datum;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::layout_errors::not_of_layout;
use crate::postgres::call::{ascii, interval_of_micros, sql_functions};
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::rows::row;
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend::{self, InUse};
use crate::server::clock_errors::clock_micros;
use crate::server::settings;
use comb_clock::logical_clock::SeedSource;
use comb_clock::source::{LAST_TICK, micros_of_clock};
use comb_tick::TICKS_PER_MS;

sql_functions! {
    /// The row of comb_status(), without the columns from pg_extension. Later versions add columns at
    /// the end.
    fn comb_clock_status(call) {
        // SAFETY: the columns of its SQL declaration.
        unsafe { row(call, &clock_columns()?) }
    }

    /// comb_status() of version 0.1.0 of the extension, which calls it directly.
    fn comb_status(call) {
        let extension = [Some(ascii(b"0.1.0")), Some(Datum::from(true))];
        // SAFETY: the columns of its SQL declaration.
        unsafe { row(call, clock_columns()?.iter().chain(&extension)) }
    }
}

fn clock_columns() -> Result<[Option<Datum>; 13], Report> {
    let (block, process, in_use) = backend::block()?;
    let status = block.status(&process)?;
    let now = status.now;
    let (scope, reason) = match in_use {
        InUse::Server(reason) => ("server", reason),
        InUse::Own(reason) => ("backend", reason),
    };
    let level_at = now.level_in.filter(|_| now.lead > 0).map(|rest| now.tick - now.lead + rest);
    let source = status.seed_source.map(|source| match source {
        SeedSource::SystemClock => "system clock",
        SeedSource::Checkpoint => "checkpoint",
        SeedSource::Replay => "replay",
        SeedSource::Crash => "crash",
    });
    Ok([
        Some(ascii(scope.as_bytes())),
        Some(ascii(reason.as_bytes())),
        Some(timestamptz_of_tick(now.tick)),
        Some(interval_of_ticks(now.lead)),
        level_at.map(timestamptz_of_tick),
        Some(Datum::from(now.lead > 0 && level_at.is_none())),
        Some(Datum::from(status.steps_back as i64)),
        Some(interval_of_ticks(status.stepped_back)),
        Some(interval_of_ticks(status.largest_step_back)),
        Some(timestamptz_of_tick(status.seeded_at)),
        Some(timestamptz_of_tick(status.seeded_from)),
        source.map(|source| ascii(source.as_bytes())),
        Some(ascii(env!("CARGO_PKG_VERSION").as_bytes())),
    ])
}

sql_functions! {
    /// Advances the clock to a UUID, unless it is later already. Returns the time of the clock after that.
    fn comb_observe(call) {
        let layout = call.layout(1)?;
        let comb = layout.decode(&call.uuid(0)).ok_or_else(|| not_of_layout(layout))?;
        // Before 1970 there is nothing to raise.
        let tick = u64::try_from(comb.tick.max(0)).ok().filter(|&tick| tick < LAST_TICK);
        let tick = tick.ok_or_else(|| {
            let (begin, end) = clock_micros();
            let [begin, end] = [begin, end].map(TimestampTz::from_unix_micros);
            report!(ERRCODE_DATETIME_FIELD_OVERFLOW, "timestamp of the UUID is out of range for the clock")
                .detail(format_args!("A generated UUID has a time from {begin} to {end}."))
                .hint("Observe the greatest UUID that was generated, not a bound such as comb_max().")
        })?;
        let (block, process, in_use) = backend::block()?;
        // SAFETY: reads who the current user is.
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
    fn comb_reset_clock(_call) {
        let (block, process, in_use) = backend::block()?;
        let now = block.reset(&process)?;
        note_scope(in_use);
        Ok(timestamptz_of_tick(now.tick))
    }
}

fn note_scope(in_use: InUse) {
    if let InUse::Own(_) = in_use {
        report!(ERRCODE_SUCCESSFUL_COMPLETION, "only UUIDs of this connection are affected")
            .hint("The connection uses a separate clock. comb_status() shows the reason.")
            .send(PgLogLevel::NOTICE);
    }
}

pub fn timestamptz_of_tick(tick: u64) -> Datum {
    TimestampTz::from_unix_micros(micros_of_clock(tick)).datum()
}

pub fn interval_of_ticks(ticks: u64) -> Datum {
    interval_of_micros(micros_of_clock(ticks))
}
