//! Every setting: one static, one define.

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

/// `comb.timestamp_step`, in milliseconds.
static TIMESTAMP_STEP: GucSetting<i32> = GucSetting::<i32>::new(0);

/// An hour: far more than any clock's unit.
const TIMESTAMP_STEP_MAX_MS: i32 = 3_600_000;

/// How far apart the time fields of successive ids are at least, in milliseconds.
#[inline(always)]
pub fn timestamp_step_ms() -> u64 {
    TIMESTAMP_STEP.get().unsigned_abs().into()
}

/// Called from _PG_init, preloaded or not.
pub fn define() {
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
}
