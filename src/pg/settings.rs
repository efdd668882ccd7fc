//! Every setting: one static, one define.

use pgrx::PostgresGucEnum;
use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

/// Whose ids are in strict order.
#[derive(Clone, Copy, PartialEq, Eq, PostgresGucEnum)]
pub enum Scope {
    /// The server's where there is shared memory, else the backend's.
    #[name = c"auto"]
    Auto,
    #[name = c"server"]
    Server,
    #[name = c"backend"]
    Backend,
}

static SCOPE: GucSetting<Scope> = GucSetting::<Scope>::new(Scope::Auto);
/// `comb.timestamp_step`, in milliseconds.
static TIMESTAMP_STEP: GucSetting<i32> = GucSetting::<i32>::new(0);
/// `comb.max_ahead`, in milliseconds.
static MAX_AHEAD: GucSetting<i32> = GucSetting::<i32>::new(60_000);
/// `comb.drift_warning`, in milliseconds; -1 is off.
static DRIFT_WARNING: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// An hour: far more than any clock's unit.
const TIMESTAMP_STEP_MAX_MS: i32 = 3_600_000;

#[inline(always)]
pub fn scope() -> Scope {
    SCOPE.get()
}

/// How far apart the time fields of successive ids are at least, in milliseconds.
#[inline(always)]
pub fn timestamp_step_ms() -> u64 {
    TIMESTAMP_STEP.get().unsigned_abs().into()
}

/// How far ids may be led ahead of the clock by those who ask for it, in milliseconds.
pub fn max_ahead_ms() -> u64 {
    MAX_AHEAD.get().unsigned_abs().into()
}

/// From which lead on there is a warning, in milliseconds; `None` if never.
pub fn drift_warning_ms() -> Option<u64> {
    DRIFT_WARNING.get().try_into().ok()
}

/// Called from _PG_init, preloaded or not.
pub fn define() {
    GucRegistry::define_enum_guc(
        c"comb.scope",
        c"Whose COMBs are in strict order: the server's or the connection's.",
        c"auto is server where there is shared memory: on PostgreSQL 17 and newer, and where comb is in shared_preload_libraries.",
        &SCOPE,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"comb.timestamp_step",
        c"Least distance between the time fields of successive COMBs.",
        c"Where it is set, no time field repeats: for systems that read ids by their time alone. Ids made faster than that run ahead of the clock. 0 is off.",
        &TIMESTAMP_STEP,
        0,
        TIMESTAMP_STEP_MAX_MS,
        GucContext::Userset,
        GucFlags::UNIT_MS,
    );
    GucRegistry::define_int_guc(
        c"comb.max_ahead",
        c"How far comb_observe(), and in scope server comb.timestamp_step, may lead COMBs ahead of the clock.",
        c"comb_observe() by a superuser may lead further.",
        &MAX_AHEAD,
        0,
        i32::MAX,
        GucContext::Suset,
        GucFlags::UNIT_MS,
    );
    GucRegistry::define_int_guc(
        c"comb.drift_warning",
        c"Warns when COMBs run ahead of the system clock by more than this.",
        c"At most once a minute and connection. -1 is off.",
        &DRIFT_WARNING,
        -1,
        i32::MAX,
        GucContext::Userset,
        GucFlags::UNIT_MS,
    );
    // A setting that there is not is an error, not a placeholder.
    // SAFETY: as the definitions, while the library is loaded.
    unsafe { pgrx::pg_sys::MarkGUCPrefixReserved(c"comb".as_ptr()) };
}
