//! What a backend keeps from one id to the next: a generator for each scope, and which is in force.

use std::cell::UnsafeCell;

use pgrx::pg_sys;
use pgrx::pg_sys::submodules::panic::pgrx_extern_c_guard;

use super::error::{self, Error};
use super::host::{Process, System};
use super::settings::{self, Scope};
use super::shared::{self, Absent, Place};
use crate::block::Block;
use crate::clock::Clocks;
use crate::comb::TICKS_PER_MS;
use crate::field::Clock;
use crate::generator::{Generator, Wishes};

/// The line of this backend alone. Unused in the postmaster, so its forks begin their own.
static OWN_BLOCK: Block = Block::unused();

/// A minute, in ticks.
const BETWEEN_WARNINGS: u64 = 60_000 * TICKS_PER_MS;

struct Backend {
    /// The setting that `in_force` follows; `None` before the first id.
    setting: Option<Scope>,
    in_force: InForce,
    own: Generator,
    /// By the shared block, once it is attached.
    server: Generator,
    shared: Option<Result<Place, Absent>>,
    /// When the last warning of a lead was, by the monotonic clock.
    warned_at: Option<u64>,
}

/// Whose line ids are made by, and why.
#[derive(Clone, Copy)]
pub enum InForce {
    Server(Place),
    /// There is no shared memory.
    BackendFor(Absent),
    /// It is what the user wants.
    Backend,
}

struct Cell(UnsafeCell<Backend>);

// SAFETY: a backend runs SQL functions on one thread, and while the cell is borrowed nothing runs
// that could come back here: the pure core, and what it asks of `Process`.
unsafe impl Sync for Cell {}

static BACKEND: Cell = Cell(UnsafeCell::new(Backend {
    setting: None,
    in_force: InForce::Backend,
    own: Generator::new(&OWN_BLOCK),
    server: Generator::new(&OWN_BLOCK),
    shared: None,
    warned_at: None,
}));

#[inline(always)]
fn backend() -> &'static mut Backend {
    // SAFETY: see Cell; no caller keeps it while it calls another that takes it.
    unsafe { &mut *BACKEND.0.get() }
}

#[inline(always)]
pub fn process_id() -> i32 {
    // SAFETY: written once, at the process's start.
    unsafe { pg_sys::MyProcPid }
}

impl Backend {
    #[inline(always)]
    fn generator(&mut self) -> &mut Generator {
        match self.in_force {
            InForce::Server(_) => &mut self.server,
            InForce::BackendFor(_) | InForce::Backend => &mut self.own,
        }
    }

    fn process(&self) -> Process {
        Process { shares: matches!(self.in_force, InForce::Server(_)) }
    }

    fn attach(&mut self) -> Result<Place, Absent> {
        let server = &mut self.server;
        *self.shared.get_or_insert_with(|| {
            let (block, place) = shared::attach()?;
            *server = Generator::new(block);
            Ok(place)
        })
    }

    /// Puts the scope in force that the setting asks for.
    fn follow(&mut self, setting: Scope) -> Result<(), Error> {
        if self.setting == Some(setting) {
            return Ok(());
        }
        self.in_force = match setting {
            Scope::Backend => InForce::Backend,
            Scope::Auto => self.attach().map_or_else(InForce::BackendFor, InForce::Server),
            Scope::Server => InForce::Server(self.attach().map_err(Error::NoSharedMemory)?),
        };
        self.setting = Some(setting);
        Ok(())
    }

    /// Whether there was no warning within the last minute.
    fn may_warn(&self) -> bool {
        self.warned_at.is_none_or(|at| System.monotonic() - at >= BETWEEN_WARNINGS)
    }
}

/// The generator in force, and the tick of its next id in the layout of that label, which is written
/// by that clock. For functions that no guard surrounds.
#[inline(always)]
#[expect(clippy::mut_from_ref, reason = "it is not borrowed from the label")]
pub fn next(clock: Clock, label: &'static str) -> (&'static mut Generator, u64) {
    let backend = backend();
    if backend.setting == Some(settings::scope()) {
        let generator = backend.generator();
        if settings::timestamp_step_ms() == 0
            && let Some(tick) = generator.tick_at_once(clock, &System)
        {
            return (generator, tick);
        }
    }
    // SAFETY: the guard turns a panic, which carries an error, into PostgreSQL's ERROR after its frames
    // are gone.
    unsafe { pgrx_extern_c_guard(|| attend(clock, label)) }
}

/// The same where reading the line is not enough. An ERROR where there is no such tick.
#[cold]
fn attend(clock: Clock, label: &'static str) -> (&'static mut Generator, u64) {
    let backend = backend();
    backend.follow(settings::scope()).unwrap_or_else(|error| error.raise());
    let process = backend.process();
    let wishes = Wishes {
        apart_ms: settings::timestamp_step_ms(),
        max_ahead_ms: process.shares.then(settings::max_ahead_ms),
    };
    let attended = backend
        .generator()
        .attend(clock, &process, wishes)
        .unwrap_or_else(|error| Error::of_generator(error, label).raise());
    if backend.may_warn() {
        warn_of_new_lead(attended.ahead);
    }
    (self::backend().generator(), attended.tick)
}

/// Warns if that is more than ids may run ahead without a warning, whenever the last one was. Only inside
/// a function that pgrx's guard surrounds.
pub fn warn_of_new_lead(ahead: u64) {
    if settings::drift_warning_ms().is_some_and(|ms| ahead > ms * TICKS_PER_MS) {
        backend().warned_at = Some(System.monotonic());
        error::warn_of_lead(ahead);
    }
}

/// The generator in force, as it is: for random bits.
pub fn generator() -> &'static mut Generator {
    backend().generator()
}

/// The block in force, what uses it, and why it is that one. An ERROR where the setting asks for what there is not.
pub fn block() -> (&'static Block, Process, InForce) {
    let backend = backend();
    backend.follow(settings::scope()).unwrap_or_else(|error| error.raise());
    (backend.generator().block(), backend.process(), backend.in_force)
}
