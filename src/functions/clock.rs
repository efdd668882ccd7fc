//! SQL functions for the clock that ids are made by: to see it, to raise it, to set it back.

use pgrx::pg_sys::Datum;

use crate::postgres::call::{ascii, interval, sql_function};
use crate::postgres::error::{self, Error};
use crate::postgres::raw;
use crate::postgres::rows::row;
use crate::postgres::text::Text;
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend::{self, InUse};
use crate::server::horizon;
use crate::server::settings;
use comb_clock::host::SeedSource;
use comb_clock::source::{LAST_TICK, micros_of_clock};
use comb_tick::TICKS_PER_MS;

const LIBRARY_VERSION: &str = env!("CARGO_PKG_VERSION");

sql_function! {
    /// One row. Later versions add columns at the end.
    fn comb_status(call) {
        let (block, process, in_use) = backend::block()?;
        let status = block.status(&process)?;
        let now = status.now;
        let (scope, reason) = match in_use {
            InUse::Server(place) => ("server", place.reason()),
            InUse::Own(reason) => ("backend", reason.text()),
        };
        let level_at = now.level_in.filter(|_| now.lead > 0).map(|rest| now.tick - now.lead + rest);
        let source = status.seed_source.map(|source| match source {
            SeedSource::SystemClock => "system clock",
            SeedSource::Checkpoint => "checkpoint",
            SeedSource::Replay => "replay",
            SeedSource::Crash => "crash",
        });
        let extension = extension_version();
        let update_due = extension.as_ref().map(|version| version.bytes() != LIBRARY_VERSION.as_bytes());
        if let (Some(version), Some(true)) = (&extension, update_due) {
            error::warn_of_update(version, LIBRARY_VERSION);
        }
        // Not in recovery, nor by a clock of one connection.
        let horizon = horizon::compute().ok();
        let columns = [
            Some(ascii(scope.as_bytes())),
            Some(ascii(reason.as_bytes())),
            Some(moment(now.tick)),
            Some(duration(now.lead)),
            level_at.map(moment),
            Some(Datum::from(now.lead > 0 && level_at.is_none())),
            Some(Datum::from(status.steps_back as i64)),
            Some(duration(status.stepped_back)),
            Some(duration(status.largest_step_back)),
            Some(moment(status.seeded_at)),
            Some(moment(status.seeded_from)),
            source.map(|source| ascii(source.as_bytes())),
            Some(ascii(LIBRARY_VERSION.as_bytes())),
            extension.map(|version| ascii(version.bytes())),
            update_due.map(Datum::from),
            horizon.as_ref().map(|horizon| moment(horizon.settled)),
            horizon.as_ref().map(|horizon| duration(horizon.held_for)),
        ];
        // SAFETY: the columns of its SQL declaration.
        unsafe { row(call, &columns) }
    }
}

/// The version of the extension in this database; `None` where it is not created.
fn extension_version() -> Option<Text<32>> {
    let query = c"SELECT extversion FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'comb'";
    // SAFETY: one query by SPI, whose value is copied before SPI ends. An ERROR jumps over frames that
    // hold nothing to be dropped, and ends SPI too.
    unsafe {
        raw::SPI_connect();
        raw::SPI_execute(query.as_ptr(), true, 1);
        let table = pgrx::pg_sys::SPI_tuptable;
        let version = (pgrx::pg_sys::SPI_processed > 0).then(|| {
            let value = raw::SPI_getvalue(*(*table).vals, (*table).tupdesc, 1);
            Text::of_c(std::ffi::CStr::from_ptr(value))
        });
        raw::SPI_finish();
        version
    }
}

sql_function! {
    /// Raises the clock to an id, unless it is there already. Answers the moment at which it then stands.
    fn comb_observe(call) {
        let layout = call.layout(1)?;
        let comb = layout.decode(&call.uuid(0)).ok_or(Error::NotOfLayout(layout))?;
        // Before 1970 there is nothing to raise.
        let tick = u64::try_from(comb.tick.max(0)).ok().filter(|&tick| tick < LAST_TICK);
        let tick = tick.ok_or(Error::BeyondAnyClock)?;
        let (block, process, in_use) = backend::block()?;
        // SAFETY: reads who the current user is.
        let is_superuser = unsafe { raw::superuser() };
        let max_ahead = settings::max_ahead_ms().saturating_mul(TICKS_PER_MS);
        let max_ahead = (!is_superuser).then_some(max_ahead);
        let (before, after) = block.observe(&process, tick, max_ahead)?;
        // The session that moved everybody's ids ahead is the first to be warned.
        if after.lead > before.lead + TICKS_PER_MS {
            backend::warn_of_new_lead(after.lead);
        }
        note_scope(in_use);
        Ok(moment(block.now(&process)))
    }
}

sql_function! {
    /// Sets the clock back to the system clock. Answers the moment at which it then stands.
    fn comb_reset_clock(_call) {
        let (block, process, in_use) = backend::block()?;
        let now = block.reset(&process)?;
        note_scope(in_use);
        Ok(moment(now.tick))
    }
}

fn note_scope(in_use: InUse) {
    if let InUse::Own(_) = in_use {
        error::note_own_clock();
    }
}

fn moment(tick: u64) -> Datum {
    TimestampTz::from_unix_micros(micros_of_clock(tick)).datum()
}

fn duration(ticks: u64) -> Datum {
    interval(micros_of_clock(ticks))
}
