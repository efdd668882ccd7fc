//! Differences between major versions of PostgreSQL, and assumptions about all of them for which pgrx has no binding.
//!
//! The compiler reports bindings that another major version does not have. tools/unbound.c checks the assumptions
//! against its headers.

use pgrx::pg_sys::{self, Datum, Oid};

/// A pointer to memory that PostgreSQL only reads: const in its headers from version 17 on.
#[cfg(not(any(feature = "pg15", feature = "pg16")))]
pub type Const<T> = *const T;
#[cfg(any(feature = "pg15", feature = "pg16"))]
pub type Const<T> = *mut T;

/// The bytes of appendBinaryStringInfo(): void from version 16 on.
#[cfg(not(feature = "pg15"))]
pub type Bytes = std::ffi::c_void;
#[cfg(feature = "pg15")]
pub type Bytes = std::ffi::c_char;

/// The number of the top-level transaction in this process.
#[inline(always)]
pub fn local_transaction_id() -> u32 {
    // SAFETY: a process that runs SQL has a PGPROC.
    let process = unsafe { &*pg_sys::MyProc };
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    return process.vxid.lxid;
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    return process.lxid;
}

/// The number of AddinShmemInitLock (storage/lwlocknames.h, storage/lwlocklist.h).
const ADDIN_SHMEM_INIT_LOCK: usize = 21;

/// The lock under which libraries that are not preloaded allocate shared memory.
pub fn addin_shmem_init_lock() -> *mut pg_sys::LWLock {
    // SAFETY: every process has the array, with this element.
    unsafe { &raw mut (*pg_sys::MainLWLockArray.add(ADDIN_SHMEM_INIT_LOCK)).lock }
}

/// SkipSupportData (utils/skipsupport.h), from PostgreSQL 18 on.
#[repr(C)]
pub struct SkipSupportData {
    pub low_elem: Datum,
    pub high_elem: Datum,
    pub decrement: SkipSupportIncDec,
    pub increment: SkipSupportIncDec,
}

pub type SkipSupportIncDec = unsafe extern "C-unwind" fn(pg_sys::Relation, Datum, *mut bool) -> Datum;

/// hyperLogLogState (lib/hyperloglog.h).
#[repr(C)]
pub struct HyperLogLog {
    register_width: u8,
    registers: usize,
    alpha_mm: f64,
    hashes: *mut u8,
    size: usize,
}

/// catalog/pg_attrdef.h, catalog/pg_depend.h.
pub const ATTR_DEFAULT_RELATION: Oid = Oid::from_u32(2604);
pub const DEPEND_RELATION: Oid = Oid::from_u32(2608);
pub const DEPEND_DEPENDER_INDEX: Oid = Oid::from_u32(2673);
pub const DEPEND_REFERENCE_INDEX: Oid = Oid::from_u32(2674);

/// FormData_pg_depend (catalog/pg_depend.h).
#[repr(C)]
pub struct FormDataPgDepend {
    pub classid: Oid,
    pub objid: Oid,
    pub objsubid: i32,
    pub refclassid: Oid,
    pub refobjid: Oid,
    pub refobjsubid: i32,
    pub deptype: std::ffi::c_char,
}
