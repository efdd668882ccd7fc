//! The errors of a clock that cannot generate a UUID.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use rand::rngs::SysError;

use super::settings;
use crate::postgres::report::{Report, report};
use crate::postgres::timestamp::TimestampTz;
use comb_clock::logical_clock::ClockError;
use comb_clock::source::{LAST_TICK, micros_of_clock};
use comb_id::layout::Layout;

/// The kind of UUID that is generated.
#[derive(Clone, Copy)]
pub enum MadeAs {
    Id(&'static Layout),
    Bsv,
    /// No UUID is generated: the clock is read.
    Nothing,
}

/// The first and the last time that a clock may show, in microseconds since the Unix epoch.
pub fn clock_micros() -> (i64, i64) {
    (0, micros_of_clock(LAST_TICK))
}

/// The clock is out of the range of that layout, or of BSV text, or of any id.
#[cold]
pub fn clock_out_of_range(made: MadeAs) -> Report {
    let (mut first, mut last) = clock_micros();
    let report = report!(ERRCODE_DATETIME_FIELD_OVERFLOW, "clock is out of range");
    let (report, holder) = match made {
        MadeAs::Id(layout) => {
            let (of_layout, label) = (layout.range_micros(), layout.label);
            (first, last) = (first.max(of_layout.0), last.min(of_layout.1));
            let report = report.and(format_args!(" for UUID layout \"{label}\""));
            (report, "New UUIDs of the layout")
        }
        MadeAs::Bsv => (report.and(" for a BSV COMB"), "New BSV COMBs"),
        MadeAs::Nothing => (report, "New UUIDs"),
    };
    let [first, last] = [first, last].map(TimestampTz::from_unix_micros);
    report
        .detail(format_args!("{holder} can have times from {first} to {last}."))
        .hint("Check the system clock. If comb_status() shows that new UUIDs are ahead of it, call comb_reset_clock().")
}

#[cold]
pub fn clock_error(error: ClockError, made: MadeAs) -> Report {
    match error {
        ClockError::OutOfRange => clock_out_of_range(made),
        ClockError::TooFarAhead => report!(
            ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
            "timestamps of new UUIDs would be ahead of the system clock by more than \"comb.max_ahead\""
        )
        .detail(format_args!("The limit is {} ms.", settings::max_ahead_ms()))
        .hint("A superuser can call comb_observe() with this UUID, or raise \"comb.max_ahead\"."),
    }
}

/// Where no UUID is generated.
impl From<ClockError> for Report {
    fn from(error: ClockError) -> Self {
        clock_error(error, MadeAs::Nothing)
    }
}

impl From<SysError> for Report {
    #[cold]
    fn from(error: SysError) -> Self {
        report!(ERRCODE_SYSTEM_ERROR, "could not generate random values: {error}")
    }
}
