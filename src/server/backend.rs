//! The state of a backend from one UUID to the next: the generator, and the clock that it uses.

use std::time::{Duration, Instant};
use std::{fmt, ptr};

use pgrx::PgLogLevel;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{self, *};
use rand::rngs::SysError;

use super::host::{Process, realtime};
use super::settings::{self, Scope};
use super::shared_memory::{self, Unavailable};
use crate::postgres::report::{Report, report};
use crate::postgres::timestamp::TimestampTz;
use comb_clock::block::Block;
use comb_clock::clock::ClockError;
use comb_clock::generator::Generator;
use comb_clock::system_clock::{LAST_TICK, micros_of_clock};
use comb_tick::{TICKS_PER_MS, Tick};

/// The clock of this backend alone. The postmaster does not use it, so that each backend starts its own.
static SEPARATE_BLOCK: Block = Block::unused();

const BETWEEN_WARNINGS: Duration = Duration::from_secs(60);

struct Backend {
    /// The setting that `in_use` follows; `None` before the first UUID.
    followed: Option<Scope>,
    in_use: InUse,
    /// Uses the block of that clock.
    generator: Generator,
    /// The result of attaching, which is tried once.
    attached: Option<Result<(&'static Block, &'static str), Unavailable>>,
    /// When this backend last warned of a lead.
    warned_at: Option<Instant>,
}

/// The clock in use, and the reason.
#[derive(Clone, Copy)]
pub enum InUse {
    Shared(&'static str),
    Separate(Unavailable),
}

/// Why the shared clock is not in use if a setting says so.
const BY_SETTING: Unavailable = Unavailable { reason: "comb.scope is backend", remedy: "Set \"comb.scope\" to \"server\"." };

static mut BACKEND: Backend = Backend {
    followed: None,
    in_use: InUse::Separate(BY_SETTING),
    generator: Generator::new(&SEPARATE_BLOCK),
    attached: None,
    warned_at: None,
};

/// # Safety
/// The caller does not use the result after it has called a function of this file that calls this one. The methods of
/// comb-clock do not call it.
#[inline(always)]
unsafe fn backend() -> &'static mut Backend {
    let backend = &raw mut BACKEND;
    // SAFETY: a backend runs SQL functions on one thread, and the caller keeps no other reference in use.
    unsafe { &mut *backend }
}

#[inline(always)]
fn process_id() -> i32 {
    // SAFETY: a number that is written once, before the process runs SQL.
    unsafe { pg_sys::MyProcPid }
}

impl Backend {
    fn process(&self) -> Process {
        Process { shares_clock: matches!(self.in_use, InUse::Shared(_)) }
    }
}

/// Selects the clock that the setting requires. Warns the first time that comb.scope is auto and the shared clock is missing.
fn follow_settings() -> Result<(), Report> {
    // SAFETY: no other reference is in use.
    let backend = unsafe { backend() };
    let scope = settings::scope();
    if backend.followed == Some(scope) {
        return Ok(());
    }
    let was_attached = backend.attached.is_some();
    let shared = match scope {
        Scope::Backend => Err(BY_SETTING),
        Scope::Auto | Scope::Server => *backend.attached.get_or_insert_with(shared_memory::attach),
    };
    let (block, in_use) = match shared {
        Ok((block, reason)) => (block, InUse::Shared(reason)),
        Err(unavailable) if scope == Scope::Server => return Err(no_shared_memory(unavailable)),
        Err(unavailable) => (&SEPARATE_BLOCK, InUse::Separate(unavailable)),
    };
    // The clocks can return the same tick: UUIDs of each need other random bits.
    if !ptr::eq(block, backend.generator.block()) {
        backend.generator = Generator::new(block);
    }
    (backend.in_use, backend.followed) = (in_use, Some(scope));
    if let (Scope::Auto, false, Err(unavailable)) = (scope, was_attached, shared) {
        let message = "UUIDs of this connection are not ordered with those of other connections";
        separate_clock(ERRCODE_WARNING, message, unavailable).send(PgLogLevel::WARNING);
    }
    Ok(())
}

/// A lead above which the slow path looks whether to warn: connections that generate UUIDs at the same time cause less.
const MIN_WARNED_LEAD: u64 = TICKS_PER_MS;

/// The next tick of the clock in use, at least `step` above the last one. A tick after `last` is the error `out_of_range`, which
/// does not advance the clock.
#[inline(always)]
pub fn next_tick(step: u64, last: Tick, out_of_range: impl Fn() -> Report) -> Result<u64, Report> {
    let limit = last.try_into().unwrap_or(LAST_TICK);
    // SAFETY: no other reference is in use.
    let backend = unsafe { backend() };
    if backend.followed == Some(settings::scope())
        && let Some(reading) = backend.generator.try_tick(step, limit, realtime())
    {
        if reading.lead() > MIN_WARNED_LEAD {
            warn_again(reading.lead());
        }
        return Ok(reading.tick);
    }
    slow_tick(step, limit, &out_of_range)
}

/// [`next_tick`] if there is more to do.
#[cold]
#[inline(never)]
fn slow_tick(step: u64, limit: u64, out_of_range: &dyn Fn() -> Report) -> Result<u64, Report> {
    follow_settings()?;
    // SAFETY: no other reference is in use.
    let backend = unsafe { backend() };
    let process = backend.process();
    let reading = backend.generator.tick(step, limit, &process).map_err(|error| match error {
        ClockError::OutOfRange => out_of_range(),
        error => error.into(),
    })?;
    if reading.lead() > MIN_WARNED_LEAD {
        warn_again(reading.lead());
    }
    Ok(reading.tick)
}

/// [`warn_of_new_lead`], at most once a minute.
#[cold]
fn warn_again(lead: u64) {
    // SAFETY: no other reference is in use.
    if unsafe { backend() }.warned_at.is_none_or(|at| at.elapsed() >= BETWEEN_WARNINGS) {
        warn_of_new_lead(lead);
    }
}

/// Warns that UUIDs are ahead of the system clock by this number of ticks, if that is more than comb.drift_warning.
pub fn warn_of_new_lead(lead: u64) {
    if settings::drift_warning().is_none_or(|limit| lead <= limit) {
        return;
    }
    // SAFETY: no other reference is in use.
    unsafe { backend() }.warned_at = Some(Instant::now());
    let ms = lead / TICKS_PER_MS;
    let (days, seconds) = (ms / 86_400_000, ms / 1000 % 86_400);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let (seconds, ms) = (seconds % 60, ms % 1000);
    let time = format_args!("{hours:02}:{minutes:02}:{seconds:02}.{ms:03}");
    let report = report!(ERRCODE_WARNING, "UUIDs are ");
    let report = if days > 0 { report.and(format_args!("{days} days ")) } else { report };
    report
        .and(format_args!("{time} ahead of the system clock"))
        .detail(
            "UUIDs stay in order, and their timestamps stand still until the system clock has caught up. It was set back, \
             or comb_observe() or \"comb.timestamp_step\" advanced the timestamps.",
        )
        .hint("comb_reset_clock() ends the lead at once; later UUIDs can then be smaller than earlier ones.")
        .send(PgLogLevel::WARNING);
}

/// Discards random bits that were in use for too long. [`next_tick`] does it as well.
pub fn refresh_random() {
    // SAFETY: no other reference is in use.
    unsafe { backend() }.generator.random.refresh(realtime().unwrap_or(0));
}

/// Random bits.
#[inline(always)]
pub fn random() -> Result<u64, Report> {
    // SAFETY: no other reference is in use.
    Ok(unsafe { backend() }.generator.random.next(process_id())?)
}

/// Random bits that are the same for most UUIDs of the process.
#[inline(always)]
pub fn process_bits() -> Result<u64, Report> {
    // SAFETY: no other reference is in use.
    Ok(unsafe { backend() }.generator.random.process_bits(process_id())?)
}

/// The shared block; an error if another clock is in use.
#[inline(always)]
pub fn server() -> Result<(&'static Block, Process), Report> {
    match block()? {
        (block, process, InUse::Shared(_)) => Ok((block, process)),
        (_, _, InUse::Separate(unavailable)) => {
            let message = "tracked UUIDs and the horizon require the shared clock";
            Err(separate_clock(ERRCODE_CONFIG_FILE_ERROR, message, unavailable))
        }
    }
}

/// The block in use, the process that uses it, and the reason; an error if the settings require a block that does not
/// exist.
#[inline(always)]
pub fn block() -> Result<(&'static Block, Process, InUse), Report> {
    follow_settings()?;
    // SAFETY: no other reference is in use.
    let backend = unsafe { backend() };
    Ok((backend.generator.block(), backend.process(), backend.in_use))
}

/// The report of what a separate clock does not have.
#[cold]
fn separate_clock(sqlstate: PgSqlErrorCode, message: &str, unavailable: Unavailable) -> Report {
    report!(sqlstate, "{message}")
        .detail(format_args!("The connection uses a separate clock, because {}.", unavailable.reason))
        .hint(unavailable.remedy)
}

#[cold]
fn no_shared_memory(unavailable: Unavailable) -> Report {
    report!(ERRCODE_CONFIG_FILE_ERROR, "\"comb.scope\" = \"server\" requires shared memory")
        .detail(format_args!("The shared clock cannot be used, because {}.", unavailable.reason))
        .hint(format_args!("{} Or set \"comb.scope\" to \"auto\" or \"backend\".", unavailable.remedy))
}

/// The first and the last time that a clock may show, in microseconds since the Unix epoch.
pub fn clock_micros() -> (i64, i64) {
    (0, micros_of_clock(LAST_TICK))
}

/// The error of a clock that is out of the range of `holder`, such as "New UUIDs", in microseconds.
#[cold]
pub fn clock_out_of_range(of: impl fmt::Display, holder: &str, (first, last): (i64, i64)) -> Report {
    let [first, last] = [first, last].map(TimestampTz::from_unix_micros);
    report!(ERRCODE_DATETIME_FIELD_OVERFLOW, "clock is out of range{of}")
        .detail(format_args!("{holder} can have times from {first} to {last}."))
        .hint("Check the system clock. If comb_status() shows that new UUIDs are ahead of it, call comb_reset_clock().")
}

impl From<ClockError> for Report {
    #[cold]
    fn from(error: ClockError) -> Self {
        match error {
            ClockError::OutOfRange => clock_out_of_range("", "New UUIDs", clock_micros()),
            ClockError::TooFarAhead => report!(
                ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
                "timestamps of new UUIDs would be ahead of the system clock by more than \"comb.max_ahead\""
            )
            .hint(
                "Observe the greatest UUID that comb generated, not one of another program or a bound. For a greater lead, a \
                 superuser can raise \"comb.max_ahead\", or set it to -1 for no limit.",
            ),
        }
    }
}

impl From<SysError> for Report {
    #[cold]
    fn from(error: SysError) -> Self {
        report!(ERRCODE_SYSTEM_ERROR, "could not generate random values: {error}")
    }
}
