//! Every error that the extension raises: SQLSTATE, message, and what to do.

use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{IntoDatum, PgLogLevel, direct_function_call, pg_sys};

use super::timestamp::TimestampTz;
use crate::generator::GeneratorError;
use crate::layout::Layout;

pub enum Error {
    /// A moment that the layout's time field cannot hold.
    TimestampOutOfRange(&'static Layout),
    Generator(GeneratorError),
}

impl From<GeneratorError> for Error {
    fn from(error: GeneratorError) -> Self {
        Self::Generator(error)
    }
}

impl Error {
    /// Raises the error. Only inside a function that pgrx's guard surrounds, which `#[pg_extern]`
    /// functions are.
    #[cold]
    pub fn raise(self) -> ! {
        self.report().report(PgLogLevel::ERROR);
        unreachable!("an ERROR does not return")
    }

    fn report(self) -> ErrorReport {
        let new = |code, message| ErrorReport::new(code, message, "comb");
        match self {
            Self::TimestampOutOfRange(layout) => {
                let (first, last) = layout.clock.range_micros();
                new(
                    PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW,
                    format!("timestamp out of range for COMB layout \"{}\"", layout.label),
                )
                .set_detail(format!(
                    "The layout holds {} to {}, in UTC.",
                    utc(first),
                    utc(last)
                ))
            }
            Self::Generator(GeneratorError::ClockOutOfRange) => new(
                PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW,
                "system clock is out of range for a COMB".to_string(),
            )
            .set_hint("Set the clock of the database server to the present."),
            Self::Generator(GeneratorError::NoRandomness(error)) => new(
                PgSqlErrorCode::ERRCODE_SYSTEM_ERROR,
                format!("could not generate random values: {error}"),
            )
            .set_hint("The operating system gave no random seed; try again."),
        }
    }
}

/// A moment as PostgreSQL prints it.
fn utc(micros: i64) -> String {
    let timestamp = TimestampTz::from_unix_micros(micros).0.into_datum();
    // SAFETY: timestamp_out takes one timestamp, which this is, and returns a C string.
    unsafe { direct_function_call::<&std::ffi::CStr>(pg_sys::timestamp_out, &[timestamp]) }
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}
