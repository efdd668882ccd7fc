//! Every setting: one static, one definition.

use std::ffi::{CStr, c_int};

use pgrx::pg_sys;

use crate::postgres::raw;

/// Whose ids are in strict order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The server's if there is shared memory, else the connection's.
    Auto = 0,
    Server = 1,
    Backend = 2,
}

static mut SCOPE: c_int = Scope::Auto as c_int;
static mut TIMESTAMP_STEP_MS: c_int = 0;
static mut MAX_AHEAD_MS: c_int = 60_000;
/// -1 is off.
static mut DRIFT_WARNING_MS: c_int = 1000;

/// An hour: far more than the unit of any time field.
const TIMESTAMP_STEP_MAX_MS: c_int = 3_600_000;

#[inline(always)]
pub fn scope() -> Scope {
    // SAFETY: PostgreSQL changes settings on the thread that runs SQL.
    match unsafe { SCOPE } {
        1 => Scope::Server,
        2 => Scope::Backend,
        _ => Scope::Auto,
    }
}

/// The minimum distance between the time fields of successive ids, in milliseconds; 0 for none.
#[inline(always)]
pub fn timestamp_step_ms() -> u64 {
    // SAFETY: as above.
    unsafe { TIMESTAMP_STEP_MS }.unsigned_abs().into()
}

/// How far comb_observe() may move ids ahead of the clock, in milliseconds.
pub fn max_ahead_ms() -> u64 {
    // SAFETY: as above.
    unsafe { MAX_AHEAD_MS }.unsigned_abs().into()
}

/// The lead over which there is a warning, in milliseconds; `None` for never.
pub fn drift_warning_ms() -> Option<u64> {
    // SAFETY: as above.
    unsafe { DRIFT_WARNING_MS }.try_into().ok()
}

struct Options([pg_sys::config_enum_entry; 4]);

// SAFETY: constants.
unsafe impl Sync for Options {}

static SCOPES: Options = {
    const fn entry(name: &'static CStr, scope: Scope) -> pg_sys::config_enum_entry {
        pg_sys::config_enum_entry { name: name.as_ptr(), val: scope as c_int, hidden: false }
    }
    let end = pg_sys::config_enum_entry { name: std::ptr::null(), val: 0, hidden: false };
    Options([
        entry(c"auto", Scope::Auto),
        entry(c"server", Scope::Server),
        entry(c"backend", Scope::Backend),
        end,
    ])
};

/// Called from _PG_init, preloaded or not.
pub fn define() {
    // SAFETY: called while the library is loaded, with statics and constants that live as long as the
    // process.
    unsafe {
        raw::DefineCustomEnumVariable(
            c"comb.scope".as_ptr(),
            c"Sets whether ids are in strict order across all connections of the server.".as_ptr(),
            c"\"auto\" is \"server\" if shared memory can be allocated, otherwise \"backend\"."
                .as_ptr(),
            &raw mut SCOPE,
            Scope::Auto as c_int,
            SCOPES.0.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            0,
            None,
            None,
            None,
        );
        let milliseconds =
            |name: &CStr, texts: [&CStr; 2], value: *mut c_int, least, most, context| {
                let [short, long] = texts.map(CStr::as_ptr);
                let unit = pg_sys::GUC_UNIT_MS as c_int;
                let (name, default) = (name.as_ptr(), *value);
                raw::DefineCustomIntVariable(
                    name, short, long, value, default, least, most, context, unit, None, None, None,
                );
            };
        milliseconds(
            c"comb.timestamp_step",
            [
                c"Sets the minimum distance between the time fields of successive ids.",
                c"If it is not 0, the connection makes ids by a clock of its own, as with \"comb.scope\" = \"backend\". Ids that are made faster than one a step run ahead of the clock.",
            ],
            &raw mut TIMESTAMP_STEP_MS,
            0,
            TIMESTAMP_STEP_MAX_MS,
            pg_sys::GucContext::PGC_USERSET,
        );
        milliseconds(
            c"comb.max_ahead",
            [
                c"Sets how far comb_observe() can move ids ahead of the system clock.",
                c"There is no limit for superusers.",
            ],
            &raw mut MAX_AHEAD_MS,
            0,
            c_int::MAX,
            pg_sys::GucContext::PGC_SUSET,
        );
        milliseconds(
            c"comb.drift_warning",
            [
                c"Sets the lead of ids over the system clock above which a warning is issued.",
                c"A connection issues it at most once a minute. -1 disables it.",
            ],
            &raw mut DRIFT_WARNING_MS,
            -1,
            c_int::MAX,
            pg_sys::GucContext::PGC_USERSET,
        );
        // Any other setting of this prefix is an error.
        raw::MarkGUCPrefixReserved(c"comb".as_ptr());
    }
}
