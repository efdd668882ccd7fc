//! The settings: one static and one definition each.

use std::ffi::CStr;

use pgrx::guc::{GucContext, GucEnum, GucFlags, GucRegistry, GucSetting, GucValue, PostgresGucEnum};
use pgrx::pg_sys;

use crate::postgres::compat::ALLOW_IN_PARALLEL;
use comb_tick::TICKS_PER_MS;

/// The UUIDs that are in strict order.
#[derive(Clone, Copy, PartialEq, Eq, PostgresGucEnum)]
pub enum Scope {
    /// The UUIDs of the server if there is shared memory, otherwise of the connection.
    #[name = c"auto"]
    Auto,
    #[name = c"server"]
    Server,
    #[name = c"backend"]
    Backend,
}

static SCOPE: GucSetting<Scope> = GucSetting::<Scope>::new(Scope::Auto);
static TIMESTAMP_STEP_MS: GucSetting<i32> = GucSetting::<i32>::new(0);
/// -1 is no limit.
static MAX_AHEAD_MS: GucSetting<i32> = GucSetting::<i32>::new(60_000);
/// -1 disables it.
static DRIFT_WARNING_MS: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// An hour: far more than the unit of any time field.
const TIMESTAMP_STEP_MAX_MS: i32 = 3_600_000;

/// The value as PostgreSQL stores it.
#[inline(always)]
fn value<T: GucValue>(setting: &GucSetting<T>) -> T::Raw {
    // SAFETY: PostgreSQL changes settings on the thread that runs SQL. `GucSetting::get()` checks each time that this
    // is the thread.
    unsafe { *setting.as_ptr() }
}

#[inline(always)]
pub fn scope() -> Scope {
    Scope::from_ordinal(value(&SCOPE))
}

/// The ticks of a setting; `None` if it is negative.
#[inline(always)]
fn ticks(setting: &GucSetting<i32>) -> Option<u64> {
    u64::try_from(value(setting)).ok().map(|ms| ms * TICKS_PER_MS)
}

/// The minimum distance between the time fields of successive UUIDs, in ticks; 0 for none.
#[inline(always)]
pub fn timestamp_step() -> u64 {
    // Not negative: see its range.
    u64::from(value(&TIMESTAMP_STEP_MS).unsigned_abs()) * TICKS_PER_MS
}

/// How far comb_observe() may advance new UUIDs ahead of the system clock, in ticks; `None` for no limit.
pub fn max_ahead() -> Option<u64> {
    ticks(&MAX_AHEAD_MS)
}

/// The lead above which a warning is issued, in ticks; `None` to disable it.
pub fn drift_warning() -> Option<u64> {
    ticks(&DRIFT_WARNING_MS)
}

/// Called from _PG_init, preloaded or not.
pub fn define() {
    GucRegistry::define_enum_guc(
        c"comb.scope",
        c"Sets whether UUIDs are in strict order across all connections of the server.",
        c"\"auto\" is \"server\" if shared memory can be allocated, otherwise \"backend\".",
        &SCOPE,
        GucContext::Userset,
        flags(GucFlags::empty()),
    );
    define_ms(
        c"comb.timestamp_step",
        c"Sets the minimum difference between the timestamps of successive UUIDs.",
        c"UUIDs that are generated faster than one per step advance the timestamps of all connections ahead of the system clock.",
        &TIMESTAMP_STEP_MS,
        0,
        TIMESTAMP_STEP_MAX_MS,
        GucContext::Suset,
    );
    define_ms(
        c"comb.max_ahead",
        c"Sets how far comb_observe() can advance new UUIDs ahead of the system clock.",
        c"-1 means no limit.",
        &MAX_AHEAD_MS,
        -1,
        i32::MAX,
        GucContext::Suset,
    );
    define_ms(
        c"comb.drift_warning",
        c"Sets the lead of new UUIDs over the system clock above which a warning is issued.",
        c"A connection issues the warning at most once a minute. -1 disables it.",
        &DRIFT_WARNING_MS,
        -1,
        i32::MAX,
        GucContext::Userset,
    );
    // SAFETY: the prefix is a C string. Other settings with it become errors.
    unsafe { pg_sys::MarkGUCPrefixReserved(c"comb".as_ptr()) };
}

/// A setting in milliseconds.
fn define_ms(
    name: &'static CStr,
    short: &'static CStr,
    long: &'static CStr,
    setting: &'static GucSetting<i32>,
    min: i32,
    max: i32,
    context: GucContext,
) {
    GucRegistry::define_int_guc(name, short, long, setting, min, max, context, flags(GucFlags::UNIT_MS));
}

/// A parallel operation can be the first one of a session that uses the library. It then reads the configured values.
fn flags(unit: GucFlags) -> GucFlags {
    unit | GucFlags::from_bits_retain(ALLOW_IN_PARALLEL)
}
