//! What a backend keeps from one id to the next: a generator for each scope, and which one is in use.

use pgrx::PgLogLevel;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::clock_errors::{MadeAs, clock_error};
use super::mutation;
use super::process::{Process, in_parallel_worker};
use super::settings::{self, Scope};
use super::shared_memory::{self, Absent};
use super::system::System;
use crate::postgres::report::{Report, report};
use comb_clock::block::Block;
use comb_clock::generator::{Generator, Next};
use comb_clock::source::ClockSource;
use comb_id::layout::Layout;
use comb_tick::{TICKS_PER_MS, Tick};

/// The logical clock of this backend alone. Unused in the postmaster, so its forks start their own.
static OWN_BLOCK: Block = Block::unused();

/// A minute, in ticks.
const BETWEEN_WARNINGS: u64 = 60_000 * TICKS_PER_MS;

struct Backend {
    /// The settings that `in_use` follows; `None` before the first id.
    followed: Option<(Scope, u64)>,
    in_use: InUse,
    own: Generator,
    /// By the shared block, once it is attached.
    server: Generator,
    attached: Option<Result<InUse, Absent>>,
    /// When the last warning of a lead was, by the monotonic clock.
    warned_at: Option<u64>,
}

/// Whose logical clock is in use, and why, in words.
#[derive(Clone, Copy)]
pub enum InUse {
    Server(&'static str),
    Own(&'static str),
}

static mut BACKEND: Backend = Backend {
    followed: None,
    in_use: InUse::Own(""),
    own: Generator::new(&OWN_BLOCK),
    server: Generator::new(&OWN_BLOCK),
    attached: None,
    warned_at: None,
};

#[inline(always)]
fn backend() -> &'static mut Backend {
    let backend = &raw mut BACKEND;
    // SAFETY: a backend runs SQL functions on one thread. No caller keeps the reference while it calls a function that
    // borrows it again. While it is borrowed nothing runs that comes back here: the pure crates, and the methods of
    // `Process` that they call, which may raise an ERROR and end the borrow.
    unsafe { &mut *backend }
}

#[inline(always)]
pub fn process_id() -> i32 {
    if mutation::is("random bits of the postmaster") {
        return 0;
    }
    // SAFETY: written once, at the process's start.
    unsafe { pg_sys::MyProcPid }
}

impl Backend {
    #[inline(always)]
    fn generator(&mut self) -> &mut Generator {
        match self.in_use {
            InUse::Server(_) => &mut self.server,
            InUse::Own(_) => &mut self.own,
        }
    }

    fn process(&self) -> Process {
        Process { shares: matches!(self.in_use, InUse::Server(_)) }
    }

    fn attach(&mut self) -> Result<InUse, Absent> {
        let server = &mut self.server;
        *self.attached.get_or_insert_with(|| {
            let (block, reason) = shared_memory::attach()?;
            *server = Generator::new(block);
            Ok(InUse::Server(reason))
        })
    }

    /// Whether there was no warning within the last minute.
    fn may_warn(&self) -> bool {
        self.warned_at.is_none_or(|at| System.monotonic() - at >= BETWEEN_WARNINGS)
    }
}

/// The state of the backend, with the logical clock that the settings require.
fn follow_settings() -> Result<&'static mut Backend, Report> {
    let backend = backend();
    let (scope, step_ms) = (settings::scope(), settings::timestamp_step_ms());
    if backend.followed == Some((scope, step_ms)) {
        return Ok(backend);
    }
    let was_attached = backend.attached.is_some();
    let mut missing = None;
    backend.in_use = match (scope, step_ms) {
        (Scope::Backend, _) => InUse::Own("comb.scope is backend"),
        (_, 1..) => InUse::Own("comb.timestamp_step is set"),
        (Scope::Auto, 0) => backend.attach().unwrap_or_else(|absent| {
            missing = Some(absent).filter(|_| !was_attached);
            InUse::Own(absent.reason)
        }),
        (Scope::Server, 0) => backend.attach().map_err(no_shared_memory)?,
    };
    backend.followed = Some((scope, step_ms));
    if let Some(absent) = missing {
        warn_of_own_clock(absent);
    }
    Ok(self::backend())
}

/// The generator in use, and the tick of its next id in a layout.
#[inline(always)]
pub fn next(layout: &'static Layout) -> Result<(&'static mut Generator, u64), Report> {
    let fit = |tick: u64| layout.next_exact(Tick::from(tick))?.try_into().ok();
    next_tick(layout.min_step(), MadeAs::Id(layout), fit)
}

/// The generator in use, and its next tick, which is `step` above the last one. `fit` moves a tick up to
/// one that keeps comb.timestamp_step.
#[inline(always)]
pub fn next_tick(step: u64, made: MadeAs, fit: impl Fn(u64) -> Option<u64>) -> Result<(&'static mut Generator, u64), Report> {
    let backend = backend();
    if backend.followed == Some((settings::scope(), 0)) && settings::timestamp_step_ms() == 0 {
        let generator = backend.generator();
        if let Some(tick) = generator.try_tick(step, &System) {
            return Ok((generator, tick));
        }
    }
    slow_tick(step, made, &fit)
}

/// [`next_tick`] where one reading of the logical clock is not enough.
#[cold]
#[inline(never)]
fn slow_tick(step: u64, made: MadeAs, fit: &dyn Fn(u64) -> Option<u64>) -> Result<(&'static mut Generator, u64), Report> {
    let backend = follow_settings()?;
    let process = backend.process();
    let generator = backend.generator();
    let tick = match settings::timestamp_step_ms() {
        1.. if in_parallel_worker() => return Err(step_in_parallel_worker()),
        0 => generator.tick(Next { step, advance: false }, &process, Some),
        ms => generator.tick(Next { step: ms * TICKS_PER_MS, advance: true }, &process, fit),
    };
    let tick = tick.map_err(|error| clock_error(error, made))?;
    if backend.may_warn() {
        warn_of_new_lead(tick.lead);
    }
    Ok((self::backend().generator(), tick.tick))
}

/// Warns of a lead that is longer than ids may have without a warning, whenever the last warning was.
pub fn warn_of_new_lead(lead: u64) {
    if settings::drift_warning_ms().is_some_and(|ms| lead > ms * TICKS_PER_MS) {
        backend().warned_at = Some(System.monotonic());
        warn_of_lead(lead);
    }
}

/// Sends a WARNING of a lead, unless there was one within the last minute.
pub fn warn_once_a_minute(warning: impl FnOnce() -> Report) {
    if backend().may_warn() {
        backend().warned_at = Some(System.monotonic());
        warning().send(PgLogLevel::WARNING);
    }
}

/// Warns that UUIDs are ahead of the system clock by so many ticks.
fn warn_of_lead(lead: u64) {
    let ms = lead / TICKS_PER_MS;
    let (days, seconds) = (ms / 86_400_000, ms / 1000 % 86_400);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let (seconds, ms) = (seconds % 60, ms % 1000);
    let time = format_args!("{hours:02}:{minutes:02}:{seconds:02}.{ms:03}");
    let report = report!(ERRCODE_WARNING, "UUIDs are ");
    let report = if days > 0 { report.and(format_args!("{days} days ")) } else { report };
    report
        .and(format_args!("{time} ahead of the system clock"))
        .detail("UUIDs stay in order. The system clock was set back, or comb_observe() or \"comb.timestamp_step\" advanced their timestamps.")
        .hint("comb_status() shows when the lead ends; a lead of more than two hours does not end by itself. comb_reset_clock() ends it immediately; later UUIDs can then be smaller than earlier ones.")
        .send(PgLogLevel::WARNING);
}

/// Random bits for an id whose time is given.
pub fn random() -> Result<u64, Report> {
    let generator = backend().generator();
    // No tick is generated, which would do it.
    generator.random.refresh(System.monotonic());
    Ok(generator.random.next(process_id())?)
}

/// The block of the server, for what only its order allows. An error if another logical clock is in use.
#[inline(always)]
pub fn server() -> Result<(&'static Block, Process), Report> {
    let backend = follow_settings()?;
    match backend.in_use {
        InUse::Server(_) => Ok((backend.server.block(), Process { shares: true })),
        InUse::Own(reason) => Err(own_clock(reason)),
    }
}

#[cold]
fn own_clock(reason: &str) -> Report {
    report!(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "tracked UUIDs and the horizon require the shared clock")
        .detail(format_args!("The connection uses a separate clock, because {reason}."))
        .hint("Set \"comb.scope\" to \"server\" and \"comb.timestamp_step\" to 0.")
}

#[cold]
fn step_in_parallel_worker() -> Report {
    report!(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        "cannot generate UUIDs in a parallel worker while \"comb.timestamp_step\" is set"
    )
    .detail("Each worker uses a separate clock, which does not keep the step.")
    .hint("Set \"max_parallel_workers_per_gather\" or \"comb.timestamp_step\" to 0.")
}

/// Warns that ids are not in the order of the server, though comb.scope is auto.
fn warn_of_own_clock(absent: Absent) {
    report!(ERRCODE_WARNING, "UUIDs of this connection are not ordered with those of other connections")
        .detail(format_args!("The connection uses a separate clock, because {}.", absent.reason))
        .hint(absent.remedy)
        .send(PgLogLevel::WARNING);
}

#[cold]
fn no_shared_memory(absent: Absent) -> Report {
    report!(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "\"comb.scope\" = \"server\" requires shared memory")
        .detail(format_args!("The shared clock cannot be used, because {}.", absent.reason))
        .hint(format_args!("{} Or set \"comb.scope\" to \"auto\" or \"backend\".", absent.remedy))
}

/// The block in use, by which process, and why it is that one. An error where the settings ask for one that
/// there is not.
pub fn block() -> Result<(&'static Block, Process, InUse), Report> {
    let backend = follow_settings()?;
    Ok((backend.generator().block(), backend.process(), backend.in_use))
}
