//! Every error that the extension raises: SQLSTATE, message, and what to do.

use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{IntoDatum, PgLogLevel, direct_function_call, pg_sys};
use rand::rngs::SysError;

use super::settings;
use super::shared::Absent;
use super::timestamp::TimestampTz;
use crate::block::LineError;
use crate::bsv::BsvError;
use crate::clock::{LAST_TICK, micros_of_clock};
use crate::comb::TICKS_PER_MS;
use crate::generator::GeneratorError;
use crate::layout::{Layout, UUIDV7};

pub enum Error {
    /// A moment that the layout's time field cannot hold.
    TimestampOutOfRange(&'static Layout),
    /// The clock that ids are made by cannot be written in the layout of that label.
    ClockOutOfRange(&'static str),
    NoRandomness(SysError),
    /// Observing an id would lead ids further ahead of the clock than comb.max_ahead permits.
    ObservedTooFarAhead,
    /// The distance of comb.timestamp_step would.
    SpacedTooFarAhead,
    /// comb.scope asks for the server's order without shared memory.
    NoSharedMemory(Absent),
    /// An id that is to be observed is of a moment that no clock will reach.
    BeyondAnyClock,
    /// An id that is to be observed is not of the layout.
    NotOfLayout(&'static Layout),
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
            GeneratorError::TooFarAhead => Self::SpacedTooFarAhead,
            GeneratorError::NoRandomness(error) => Self::NoRandomness(error),
        }
    }

    /// The error of the clock line that was asked for something by a function of no layout.
    #[cold]
    pub fn of_line(error: LineError) -> Self {
        match error {
            LineError::OutOfRange => Self::ClockOutOfRange(UUIDV7.label),
            LineError::TooFarAhead => Self::ObservedTooFarAhead,
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
            Self::TimestampOutOfRange(layout) => new(
                PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW,
                format!("timestamp out of range for COMB layout \"{}\"", layout.label),
            )
            .set_detail(layout_range(layout)),
            Self::ClockOutOfRange(label) => {
                new(
                    PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW,
                    format!("clock is out of range for COMB layout \"{label}\""),
                )
                .set_detail(match Layout::labelled(label) {
                    Some(layout) => {
                        let (first, last) = layout.clock.range_micros();
                        let (begin, end) = clock_micros();
                        between("New ids of the layout can be of", first.max(begin), last.min(end))
                    }
                    None => clock_range(),
                })
                .set_hint("Check the clock of the database server. If comb_status() shows that ids run ahead of it, comb_reset_clock() goes back to it.")
            }
            Self::ObservedTooFarAhead => too_far_ahead()
                .set_hint("A superuser may observe an id beyond that, or raise \"comb.max_ahead\"."),
            Self::SpacedTooFarAhead => too_far_ahead().set_hint(
                "Make ids less often, lower \"comb.timestamp_step\" or set \"comb.scope\" to backend; a superuser may raise the limit.",
            ),
            Self::NoSharedMemory(absent) => {
                let report = new(
                    PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "there is no shared memory for \"comb.scope\" server".into(),
                )
                .set_detail(format!("{}.", sentence(&absent.to_string())));
                match absent {
                    Absent::NotPreloaded => report.set_hint(
                        "Add comb to \"shared_preload_libraries\" and restart the server, or set \"comb.scope\" to auto or backend.",
                    ),
                    Absent::OtherVersion(_) | Absent::Foreign => {
                        report.set_hint("Restart the server, or set \"comb.scope\" to auto or backend.")
                    }
                }
            }
            Self::BeyondAnyClock => new(
                PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW,
                "timestamp of the uuid is out of range for a clock".into(),
            )
            .set_detail(clock_range())
            .set_hint("Observe the greatest id that a generator made, not a bound like comb_max()."),
            Self::NotOfLayout(layout) => new(
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                format!("uuid is not a COMB of layout \"{}\"", layout.label),
            )
            .set_hint("If it is known to be of another layout, name that as the second argument. A random UUID has no moment, though some layouts read one."),
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

/// Warns that ids run ahead of the clock by so many ticks. Only inside a function that pgrx's guard
/// surrounds.
pub fn warn_of_lead(ahead: u64) {
    let ms = ahead / TICKS_PER_MS;
    let seconds = ms / 1000;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    ErrorReport::new(
        PgSqlErrorCode::ERRCODE_WARNING,
        format!(
            "COMBs run {hours:02}:{minutes:02}:{:02}.{:03} ahead of the system clock",
            seconds % 60,
            ms % 1000
        ),
        "comb",
    )
    .set_detail("They stay in order. The clock was set back, or they were led ahead by comb_observe() or comb.timestamp_step.")
    .set_hint("comb_status() shows when that will be worked off, which more than two hours never are. comb_reset_clock(), for superusers and members of pg_maintain, goes back to the clock at once, and gives up the order for it.")
    .report(PgLogLevel::WARNING);
}

/// Says that it is this connection's clock that was set, and not everybody's. Only inside a function that
/// pgrx's guard surrounds.
pub fn note_own_clock() {
    ErrorReport::new(
        PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION,
        "only the COMBs of this connection are concerned, since they are of scope backend",
        "comb",
    )
    .set_hint("comb_status() shows why they are.")
    .report(PgLogLevel::NOTICE);
}

fn too_far_ahead() -> ErrorReport {
    ErrorReport::new(
        PgSqlErrorCode::ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
        "COMBs would run further ahead of the system clock than \"comb.max_ahead\" permits",
        "comb",
    )
    .set_detail(format!("The limit is {} ms.", settings::max_ahead_ms()))
}

/// The first and the last moment that a clock may show.
fn clock_micros() -> (i64, i64) {
    (0, micros_of_clock(LAST_TICK))
}

fn clock_range() -> String {
    let (first, last) = clock_micros();
    between("A clock can show", first, last)
}

fn layout_range(layout: &Layout) -> String {
    let (first, last) = layout.clock.range_micros();
    between("The layout holds", first, last)
}

fn between(what: &str, first: i64, last: i64) -> String {
    format!("{what} {} to {}, in UTC.", utc(first), utc(last))
}

/// A clause with a capital.
fn sentence(clause: &str) -> String {
    let mut characters = clause.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// A moment as PostgreSQL prints it.
fn utc(micros: i64) -> String {
    let timestamp = TimestampTz::from_unix_micros(micros).0.into_datum();
    // SAFETY: timestamp_out takes one timestamp, which this is, and returns a C string.
    unsafe { direct_function_call::<&std::ffi::CStr>(pg_sys::timestamp_out, &[timestamp]) }
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}
