//! Every error that the extension raises: SQLSTATE, message, and what to do.

use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{IntoDatum, PgLogLevel, direct_function_call, pg_sys};
use rand::rngs::SysError;

use super::timestamp::TimestampTz;
use crate::bsv::BsvError;
use crate::generator::GeneratorError;
use crate::layout::Layout;

pub enum Error {
    /// A moment that the layout's time field cannot hold.
    TimestampOutOfRange(&'static Layout),
    /// The system's clock cannot be written in the layout of that label.
    ClockOutOfRange(&'static str),
    NoRandomness(SysError),
    /// A label of the enum comb_layout that the table of layouts does not have.
    UnknownLayout(String),
    InvalidBsv(BsvError),
}

impl Error {
    /// The error of a generator that was to make an id in the layout of that label.
    #[cold]
    pub fn of_generator(error: GeneratorError, label: &'static str) -> Self {
        match error {
            GeneratorError::ClockOutOfRange => Self::ClockOutOfRange(label),
            GeneratorError::NoRandomness(error) => Self::NoRandomness(error),
        }
    }

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
            Self::ClockOutOfRange(label) => new(
                PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW,
                format!("system clock is out of range for COMB layout \"{label}\""),
            )
            .set_hint("Check the clock of the database server, and whether comb.timestamp_step let ids run ahead of it."),
            Self::NoRandomness(error) => new(
                PgSqlErrorCode::ERRCODE_SYSTEM_ERROR,
                format!("could not generate random values: {error}"),
            )
            .set_hint("The operating system gave no random seed; try again."),
            Self::UnknownLayout(label) => new(
                PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
                format!("COMB layout \"{label}\" is not known to the library"),
            )
            .set_hint("The view comb_layouts lists those that are; do not add labels to the type."),
            Self::InvalidBsv(BsvError::Length(length)) => new(
                PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION,
                format!("invalid length of BSV COMB: {length}"),
            )
            .set_detail("A BSV COMB has 32 characters."),
            Self::InvalidBsv(BsvError::Character { byte, position }) => {
                let character = match byte {
                    b' '..=b'~' => format!("character \"{}\"", char::from(byte)),
                    _ => format!("byte 0x{byte:02x}"),
                };
                new(
                    PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION,
                    format!("invalid {character} at position {position} of BSV COMB"),
                )
                .set_detail("A BSV COMB consists of \"$\", \"-\", digits and the letters A to Z and a to z.")
            }
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
