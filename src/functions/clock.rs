//! SQL functions that show the clock, advance it and reset it.

use pgrx::PgLogLevel;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{Datum, Interval};

use super::layout::not_of_layout;
use crate::horizon::entries;
use crate::horizon::transactions::ServerTransactions;
use crate::postgres::call::{Call, Text, Value, export};
use crate::postgres::report::{Report, report};
use crate::postgres::rows::row;
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend::{self, InUse, clock_micros};
use crate::server::settings;
use crate::server::shared_memory;
use comb_clock::clock::ClockError;
use comb_clock::interface::SeedTime;
use comb_clock::system_clock::{LAST_TICK, micros_of_clock};
use comb_horizon::Transactions;
use comb_id::layout::Layout;
use comb_tick::TICKS_PER_MS;
use uuid::Uuid;

export!(comb_clock_state, comb_observe, comb_reset_clock);

/// The row of comb_status(), without the columns from pg_extension. Later versions add columns at the end.
fn comb_clock_state(call: Call) -> Result<Datum, Report> {
    let (block, process, in_use) = backend::block()?;
    let status = block.status(&process)?;
    let (scope, reason) = match in_use {
        InUse::Shared(reason) => ("server", reason),
        InUse::Separate(unavailable) => ("backend", unavailable.reason),
    };
    let seed_source = status.seed_time.map(|time| match time {
        SeedTime::SystemClock => "system clock",
        SeedTime::Checkpoint => "checkpoint",
        SeedTime::Replay => "replay",
        SeedTime::Crash => "crash",
    });
    let text = |text: &str| Text::of(text.as_bytes()).datum();
    let timestamp = |tick| timestamptz_of_tick(tick).datum();
    let floors = shared_memory::floors();
    let columns = [
        Some(text(scope)),
        Some(text(reason)),
        Some(timestamp(status.now.tick)),
        Some(interval_of_ticks(status.now.lead()).datum()),
        Some(timestamp(status.seeded_at)),
        Some(timestamp(status.seeded_from)),
        seed_source.map(text),
        floors.map(|floors| (floors.places() as i32).datum()),
        floors.map(|floors| (floors.live().filter(|entry| ServerTransactions.in_progress(entry.id)).count() as i32).datum()),
        Some(text(env!("CARGO_PKG_VERSION"))),
    ];
    // SAFETY: the columns of its SQL declaration.
    Ok(unsafe { row(call, &columns) })
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
            .hint("Observe the greatest UUID that comb generated, not a bound.")
    })?;
    let (block, process, in_use) = backend::block()?;
    let (before, after) = block.observe(tick, settings::max_ahead(), &process).map_err(|error| match error {
        ClockError::TooFarAhead => {
            Report::from(error).detail(format_args!("The timestamp of the UUID is {}.", timestamptz_of_tick(tick)))
        }
        error => error.into(),
    })?;
    // The session that advanced the clock of all sessions is the first to be warned.
    if after.lead() > before.lead() + TICKS_PER_MS {
        backend::warn_of_new_lead(after.lead());
    }
    note_scope(in_use);
    Ok(timestamptz_of_tick(block.now(&process)?.tick))
}

/// Sets the clock back to the system clock. Returns the time of the clock after that.
fn comb_reset_clock() -> Result<TimestampTz, Report> {
    let (block, process, in_use) = backend::block()?;
    let now = entries::reset_clock(block, &process)?;
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
