//! Every error and warning: SQLSTATE, message, and what to do.

use std::ffi::{CStr, c_char};
use std::fmt;

use pgrx::PgLogLevel;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use rand::rngs::SysError;

use super::invalid_text::{self, InvalidText};
use super::raw;
use super::text::Text;
use super::timestamp::iso8601;
use crate::functions::partitions::Fault;
use crate::server::backend::Reason;
use crate::server::settings;
use crate::server::shared_memory::Absent;
use comb_clock::host::LineError;
use comb_clock::source::{LAST_TICK, micros_of_clock};
use comb_id::bsv::BsvError;
use comb_id::layout::Layout;
use comb_id::layouts::LAYOUTS;
use comb_id::text_form::TEXT_FORMS;
use comb_tick::TICKS_PER_MS;

pub enum Error {
    /// A moment that the layout cannot hold.
    TimestampOutOfRange(&'static Layout),
    /// The clock is out of the range of that layout, or of BSV text, or of any id.
    ClockOutOfRange(MadeAs),
    NoRandomBits(SysError),
    /// comb_observe() would move ids further ahead of the clock than comb.max_ahead permits.
    TooFarAhead,
    /// comb.scope asks for the server's order without shared memory.
    NoSharedMemory(Absent),
    /// No clock reaches the moment of an observed id.
    BeyondAnyClock,
    /// An observed id is not of the layout.
    NotOfLayout(&'static Layout),
    /// A name that the table of layouts does not have, in the encoding of the database.
    UnknownLayout(Name),
    InvalidBsv(BsvError),
    /// A name that no text form has, in the encoding of the database.
    UnknownTextForm(Name),
    /// Text that is no id.
    InvalidText(InvalidText),
    /// A horizon in a layout whose order PostgreSQL does not have.
    NoOrder(&'static Layout),
    /// Tracked ids and the horizon are not to be had.
    NoHorizon(Unavailable),
    /// comb_guard() does not let a row in.
    Guard(Refused),
    /// A table, a partition or a step that is not one of ids, and its name.
    Partition(Fault, Name),
}

/// Why there are no tracked ids, or no horizon.
pub enum Unavailable {
    InRecovery,
    InParallelWorker,
    /// The ids are not of the server's clock.
    OwnClock(Reason),
    /// The next statement has the same snapshot.
    SnapshotStays,
}

/// Why comb_guard() does not let a row in.
pub enum Refused {
    NotTrigger,
    /// The trigger is not called by an UPDATE that does not name the key.
    UpdateOf,
    NoColumn,
    Generated,
    NoFloor,
    BelowFloor,
    AheadOfClock,
}

/// What an id is made as.
#[derive(Clone, Copy)]
pub enum MadeAs {
    Id(&'static Layout),
    Bsv,
    /// No id is made: the clock is looked at.
    Nothing,
}

/// Bytes of an argument, which live as long as the call.
pub struct Name {
    bytes: *const u8,
    length: usize,
}

impl Name {
    pub fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.as_ptr(), length: bytes.len() }
    }

    /// At most 63 characters, all ASCII.
    pub fn ascii(&self) -> Text<64> {
        // SAFETY: the argument lives as long as the call, which has not ended.
        Text::of_bytes(unsafe { std::slice::from_raw_parts(self.bytes, self.length) })
    }
}

impl From<SysError> for Error {
    fn from(error: SysError) -> Self {
        Self::NoRandomBits(error)
    }
}

/// Where no id is made.
impl From<LineError> for Error {
    fn from(error: LineError) -> Self {
        Self::of_line(error, MadeAs::Nothing)
    }
}

impl Error {
    #[cold]
    pub fn of_line(error: LineError, made: MadeAs) -> Self {
        match error {
            LineError::OutOfRange => Self::ClockOutOfRange(made),
            LineError::TooFarAhead => Self::TooFarAhead,
        }
    }

    /// Raises the error. No frame between here and PostgreSQL may hold anything to be dropped.
    #[cold]
    pub fn raise(self) -> ! {
        match self {
            Self::TimestampOutOfRange(layout) => {
                let (first, last) = layout.range_micros();
                Report::new(PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW)
                    .message(format_args!("timestamp out of range for COMB layout \"{}\"", layout.label))
                    .detail(range("The layout holds", first, last))
            }
            Self::ClockOutOfRange(made) => {
                let (begin, end) = clock_micros();
                let report = Report::new(PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW);
                match made {
                    MadeAs::Id(layout) => {
                        let (first, last) = layout.range_micros();
                        report
                            .message(format_args!(
                                "clock is out of range for COMB layout \"{}\"",
                                layout.label
                            ))
                            .detail(range("New ids of the layout hold", first.max(begin), last.min(end)))
                    }
                    MadeAs::Bsv => report
                        .message(format_args!("clock is out of range for a BSV COMB"))
                        .detail(range("New BSV COMBs hold", begin, end)),
                    MadeAs::Nothing => report
                        .message(format_args!("clock is out of range"))
                        .detail(range("New ids hold", begin, end)),
                }
                .hint(format_args!("Check the clock of the database server. If comb_status() shows that ids run ahead of it, comb_reset_clock() sets them back."))
            }
            Self::TooFarAhead => Report::new(PgSqlErrorCode::ERRCODE_CONFIGURATION_LIMIT_EXCEEDED)
                .message(format_args!("ids would run further ahead of the system clock than \"comb.max_ahead\" permits"))
                .detail(Text::of(format_args!("The limit is {} ms.", settings::max_ahead_ms())))
                .hint(format_args!("A superuser can observe this id, or raise \"comb.max_ahead\".")),
            Self::NoSharedMemory(absent) => {
                Report::new(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE)
                    .message(format_args!("\"comb.scope\" = \"server\" requires shared memory"))
                    .detail(Text::of(format_args!("The reason is that {}.", absent.reason())))
                    .hint(format_args!("{} Or set \"comb.scope\" to \"auto\" or \"backend\".", absent.remedy()))
            }
            Self::BeyondAnyClock => {
                let (begin, end) = clock_micros();
                Report::new(PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW)
                    .message(format_args!("time of the UUID is out of range for a clock"))
                    .detail(range("A clock shows", begin, end))
                    .hint(format_args!("Observe the greatest id that a generator made, not a bound such as comb_max()."))
            }
            Self::NotOfLayout(layout) => Report::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE)
                .message(format_args!("UUID is not a COMB of layout \"{}\"", layout.label))
                .hint(format_args!("If it is of another layout, name that layout as the second argument. A random UUID has no time, though some layouts read one from it.")),
            Self::NoRandomBits(error) => Report::new(PgSqlErrorCode::ERRCODE_SYSTEM_ERROR)
                .message(format_args!("could not generate random values: {error}")),
            Self::UnknownLayout(name) => {
                Report::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE)
                    .message(format_args!("unrecognized COMB layout"))
                    .quoting(name)
                    .hint(format_args!("The layouts are {}.", List(LAYOUTS.iter().map(|layout| layout.label))))
            }
            Self::UnknownTextForm(name) => {
                Report::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE)
                    .message(format_args!("unrecognized text format"))
                    .quoting(name)
                    .hint(format_args!("The formats are {}.", List(TEXT_FORMS.iter().map(|form| form.label()))))
            }
            Self::InvalidText(invalid) => invalid.report(),
            Self::NoOrder(layout) => Report::new(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED)
                .message(format_args!("layout \"{}\" has no horizon to compare with", layout.label))
                .detail(Text::of(format_args!("PostgreSQL does not compare its ids in the order of their times.")))
                .hint(format_args!("comb_settled() says of each id whether it is below the horizon.")),
            Self::NoHorizon(unavailable) => unavailable.report(),
            Self::Guard(refused) => refused.report(),
            Self::Partition(fault, name) => fault.report(name),
            Self::InvalidBsv(fault) => invalid_text::bsv(&fault),
        }
        .raise()
    }
}

impl Unavailable {
    fn report(&self) -> Report {
        let report = Report::new(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE);
        match self {
            Self::InRecovery => report
                .message(format_args!("tracked ids and the horizon are not available during recovery"))
                .hint(format_args!("Compute the horizon on the primary. A standby has all rows below it when it has replayed what the primary had written by then.")),
            Self::InParallelWorker => report
                .message(format_args!("tracked ids and the horizon are not available in a parallel worker"))
                .hint(format_args!("A function that calls comb_tracked() or comb_horizon() must be PARALLEL RESTRICTED or PARALLEL UNSAFE.")),
            Self::OwnClock(reason) => report
                .message(format_args!("tracked ids and the horizon require the clock of the server"))
                .detail(Text::of(format_args!("The connection has a clock of its own, because {}.", reason.text())))
                .hint(format_args!("Set \"comb.scope\" to \"server\" and \"comb.timestamp_step\" to 0.")),
            Self::SnapshotStays => Report::new(PgSqlErrorCode::ERRCODE_INVALID_TRANSACTION_STATE)
                .message(format_args!("comb_horizon_now() requires the isolation level READ COMMITTED"))
                .detail(Text::of(format_args!("The next statement of this transaction has the same snapshot.")))
                .hint(format_args!("Use comb_horizon(), which works in every isolation level.")),
        }
    }
}

impl Refused {
    /// The SQLSTATEs of class OC, which no standard and no PostgreSQL uses.
    fn report(&self) -> Report {
        let refused = |state: &[u8; 5]| Report {
            code: sqlstate(state),
            ..Report::new(PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION)
        };
        match self {
            Self::NotTrigger => Report::new(PgSqlErrorCode::ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED)
                .message(format_args!("comb_guard() must be called by a trigger BEFORE INSERT OR UPDATE FOR EACH ROW")),
            Self::UpdateOf => Report::new(PgSqlErrorCode::ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED)
                .message(format_args!("comb_guard() cannot be called by a trigger with a list of columns"))
                .detail(Text::of(format_args!("Another trigger can change the key in an UPDATE that does not name it.")))
                .hint(format_args!("Create the trigger BEFORE INSERT OR UPDATE, without OF.")),
            Self::Generated => Report::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE)
                .message(format_args!("comb_guard() cannot check a generated column"))
                .detail(Text::of(format_args!("PostgreSQL computes generated columns after BEFORE triggers.")))
                .hint(format_args!("Store the key in a column that is not generated, for example by a trigger that runs before this one.")),
            Self::NoColumn => Report::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE)
                .message(format_args!("comb_guard() requires a column of type uuid or uniqueidentifier"))
                .hint(format_args!("EXECUTE FUNCTION comb_guard('column', 'layout'). Without arguments they are id, and uuidv7 or mssql by the type of the column.")),
            Self::NoFloor => refused(b"OC001")
                .message(format_args!("key is not covered by the horizon: the transaction holds no floor"))
                .hint(format_args!("Make the key by comb_tracked() in this transaction, or call comb_hold() before the client makes it.")),
            Self::BelowFloor => refused(b"OC002")
                .message(format_args!("key is not covered by the horizon: it is older than the floor of the transaction"))
                .hint(format_args!("Make the key by comb_tracked() in the transaction that stores it, or after comb_hold() in it.")),
            Self::AheadOfClock => refused(b"OC003")
                .message(format_args!("key is ahead of the clock of the server"))
                .hint(format_args!("Make the key by comb_tracked(), or set the clock of the client.")),
        }
    }
}

/// The number of a SQLSTATE, as MAKE_SQLSTATE() makes it.
fn sqlstate(state: &[u8; 5]) -> i32 {
    state
        .iter()
        .rev()
        .fold(0, |number, &character| number << 6 | i32::from(character.wrapping_sub(b'0') & 0x3f))
}

/// Warns that ids run ahead of the clock by so many ticks.
pub fn warn_of_lead(lead: u64) {
    let ms = lead / TICKS_PER_MS;
    let (days, seconds) = (ms / 86_400_000, ms / 1000 % 86_400);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let days = if days > 0 { Text::of(format_args!("{days} days ")) } else { Text::<16>::EMPTY };
    Report::new(PgSqlErrorCode::ERRCODE_WARNING)
        .message(format_args!(
            "ids run {days}{hours:02}:{minutes:02}:{:02}.{:03} ahead of the system clock",
            seconds % 60,
            ms % 1000
        ))
        .detail(Text::of(format_args!("Their order is kept. The clock was set back, or comb_observe() or \"comb.timestamp_step\" moved the ids ahead.")))
        .hint(format_args!("comb_status() shows when the lead ends; a lead of more than two hours stays. comb_reset_clock() ends it at once, and gives up the order."))
        .send(PgLogLevel::WARNING);
}

/// Notes that only this connection's clock was set.
pub fn note_own_clock() {
    Report::new(PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION)
        .message(format_args!("only the ids of this connection are affected"))
        .hint(format_args!(
            "The connection has a clock of its own. comb_status() shows the reason."
        ))
        .send(PgLogLevel::NOTICE);
}

/// Warns that the extension of the database is of another version than the library.
pub fn warn_of_update(extension: &Text<32>, library: &str) {
    Report::new(PgSqlErrorCode::ERRCODE_WARNING)
        .message(format_args!("extension \"comb\" has version {extension} in this database, but the library has version {library}"))
        .hint(format_args!("Run ALTER EXTENSION comb UPDATE."))
        .send(PgLogLevel::WARNING);
}

/// How many bytes of an argument a message shows: a TypeID, and more than any other id or label.
const LONGEST_QUOTE: i32 = 96;

/// One call of ereport().
pub struct Report {
    code: i32,
    message: Text<256>,
    /// A name in the encoding of the database, and a format of the message and of it: `%s`, then `%.*s%s`.
    quote: Option<(&'static CStr, Name)>,
    detail: Option<Text<256>>,
    hint: Option<Text<512>>,
}

impl Report {
    pub fn new(code: PgSqlErrorCode) -> Self {
        Self { code: code as i32, message: Text::EMPTY, quote: None, detail: None, hint: None }
    }

    pub fn message(self, message: fmt::Arguments) -> Self {
        Self { message: Text::of(message), ..self }
    }

    pub fn quoting(self, quote: Name) -> Self {
        self.quoting_as(c"%s: \"%.*s%s\"", quote)
    }

    pub fn quoting_as(self, format: &'static CStr, quote: Name) -> Self {
        Self { quote: Some((format, quote)), ..self }
    }

    pub fn detail(self, detail: Text<256>) -> Self {
        Self { detail: Some(detail), ..self }
    }

    pub fn hint(self, hint: fmt::Arguments) -> Self {
        Self { hint: Some(Text::of(hint)), ..self }
    }

    fn raise(&self) -> ! {
        self.send(PgLogLevel::ERROR);
        // errfinish() does not return from an ERROR.
        std::process::abort()
    }

    fn send(&self, level: PgLogLevel) {
        let print = c"%s".as_ptr();
        // SAFETY: the calls that ereport() makes, with C strings that it copies.
        unsafe {
            if !raw::errstart(level as i32, std::ptr::null()) {
                return;
            }
            raw::errcode(self.code);
            match &self.quote {
                Some((format, Name { bytes, length })) => {
                    let bytes = bytes.cast::<c_char>();
                    let length = i32::try_from(*length).unwrap_or(i32::MAX);
                    let shown = raw::pg_mbcliplen(bytes, length, LONGEST_QUOTE);
                    let end = if shown < length { c"..." } else { c"" };
                    let message = self.message.as_ptr();
                    raw::errmsg(format.as_ptr(), message, shown, bytes, end.as_ptr())
                }
                None => raw::errmsg(print, self.message.as_ptr()),
            };
            if let Some(detail) = &self.detail {
                raw::errdetail(print, detail.as_ptr());
            }
            if let Some(hint) = &self.hint {
                raw::errhint(print, hint.as_ptr());
            }
            raw::errfinish(std::ptr::null(), 0, std::ptr::null());
        }
    }
}

/// The first and the last moment that a clock may show, in microseconds since the Unix epoch.
fn clock_micros() -> (i64, i64) {
    (0, micros_of_clock(LAST_TICK))
}

/// Labels as a list.
struct List<Labels>(Labels);

impl<Labels: Iterator<Item = &'static str> + Clone> fmt::Display for List<Labels> {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        for (index, label) in self.0.clone().enumerate() {
            write!(to, "{}{label}", if index > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

fn range(what: &str, first: i64, last: i64) -> Text<256> {
    Text::of(format_args!("{what} {} to {}.", iso8601(first), iso8601(last)))
}
