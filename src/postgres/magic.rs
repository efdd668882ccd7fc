//! What PostgreSQL reads of a library before anything of it runs: whether it was built for this server.
//!
//! Rationale: pgrx's macro also allocates by Rust's allocator, for a panic hook that nothing here needs, and
//! tells PostgreSQL 18 the version as the name.

use std::ffi::{c_char, c_int};

use pgrx::pg_sys;

struct Magic(pg_sys::Pg_magic_struct);

// SAFETY: constants.
unsafe impl Sync for Magic {}

#[cfg(not(feature = "pg18"))]
static MAGIC: Magic = Magic(pg_sys::Pg_magic_struct {
    len: size_of::<pg_sys::Pg_magic_struct>() as c_int,
    version: MAJOR,
    funcmaxargs: pg_sys::FUNC_MAX_ARGS as c_int,
    indexmaxkeys: pg_sys::INDEX_MAX_KEYS as c_int,
    namedatalen: pg_sys::NAMEDATALEN as c_int,
    float8byval: FLOAT8_BY_VALUE,
    abi_extra: abi_extra(),
});

#[cfg(feature = "pg18")]
static MAGIC: Magic = Magic(pg_sys::Pg_magic_struct {
    len: size_of::<pg_sys::Pg_magic_struct>() as c_int,
    abi_fields: pg_sys::Pg_abi_values {
        version: MAJOR,
        funcmaxargs: pg_sys::FUNC_MAX_ARGS as c_int,
        indexmaxkeys: pg_sys::INDEX_MAX_KEYS as c_int,
        namedatalen: pg_sys::NAMEDATALEN as c_int,
        float8byval: FLOAT8_BY_VALUE,
        abi_extra: abi_extra(),
    },
    name: c"comb".as_ptr(),
    version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
});

const MAJOR: c_int = pg_sys::PG_VERSION_NUM as c_int / 100;
const FLOAT8_BY_VALUE: c_int = cfg!(target_pointer_width = "64") as c_int;

const fn abi_extra() -> [c_char; 32] {
    let text = pg_sys::FMGR_ABI_EXTRA.to_bytes();
    let mut extra = [0; 32];
    let mut index = 0;
    while index < text.len() {
        extra[index] = text[index] as c_char;
        index += 1;
    }
    extra
}

/// Called before the library is used.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
extern "C" fn Pg_magic_func() -> &'static pg_sys::Pg_magic_struct {
    &MAGIC.0
}
