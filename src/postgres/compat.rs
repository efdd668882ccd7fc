//! Differences between major versions of PostgreSQL, and assumptions about all of them for which pgrx has no binding.
//!
//! The compiler reports bindings that another major version does not have. tools/unbound.c checks the assumptions
//! against its headers.

use std::sync::atomic::AtomicU64;

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

/// TopSubTransactionId (c.h): the transaction itself.
pub const TOP_SUBTRANSACTION: pg_sys::SubTransactionId = 1;

/// The first and the newest file that this transaction has given a relation: up to which subtransaction it has kept each; 0: none.
pub fn new_files(relation: &pg_sys::RelationData) -> [u32; 2] {
    #[cfg(not(feature = "pg15"))]
    return [relation.rd_firstRelfilelocatorSubid, relation.rd_newRelfilelocatorSubid];
    #[cfg(feature = "pg15")]
    return [relation.rd_firstRelfilenodeSubid, relation.rd_newRelfilenodeSubid];
}

/// The number of a relation's file.
pub fn file_of(relation: &pg_sys::RelationData) -> u32 {
    #[cfg(not(feature = "pg15"))]
    return relation.rd_locator.relNumber.to_u32();
    #[cfg(feature = "pg15")]
    return relation.rd_node.relNode.to_u32();
}

/// The expressions of GROUP BY of an entry of the range table: from version 18 on, columns of HAVING are those of such an entry.
#[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17")))]
pub fn group_expressions(entry: &pg_sys::RangeTblEntry) -> *mut pg_sys::List {
    entry.groupexprs
}
#[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17"))]
pub fn group_expressions(_: &pg_sys::RangeTblEntry) -> *mut pg_sys::List {
    std::ptr::null_mut()
}

/// GUC_ALLOW_IN_PARALLEL (utils/guc.h): the value of a setting can change during a parallel operation. Minor releases before
/// November 2024 ignore it.
pub const ALLOW_IN_PARALLEL: i32 = if cfg!(feature = "pg15") { 0x40_0000 } else { 0x8000 };

/// Words of shared memory: the full transaction id that is assigned next, and how many transactions with an id have ended since the
/// server started.
///
/// # Safety
/// The process has attached to shared memory.
pub unsafe fn transaction_counters() -> (&'static AtomicU64, &'static AtomicU64) {
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    // SAFETY: guaranteed by the caller.
    let variables = unsafe { pg_sys::TransamVariables };
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    // SAFETY: guaranteed by the caller.
    let variables = unsafe { pg_sys::ShmemVariableCache };
    // SAFETY: guaranteed by the caller. The words are aligned, and processes read and write each as one.
    unsafe {
        let (next, ended) = (&raw mut (*variables).nextXid.value, &raw mut (*variables).xactCompletionCount);
        (AtomicU64::from_ptr(next), AtomicU64::from_ptr(ended))
    }
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

/// A catalog, and an index of it whose first columns are OIDs.
#[derive(Clone, Copy)]
pub struct CatalogIndex {
    pub catalog: Oid,
    pub index: Oid,
    /// The numbers of the catalog's columns that it begins with.
    pub columns: &'static [i16],
}

/// catalog/pg_attrdef.h: by table and column, and by OID.
pub const ATTR_DEFAULT_RELATION: Oid = Oid::from_u32(2604);
pub const DEFAULTS_OF_TABLE: CatalogIndex =
    CatalogIndex { catalog: ATTR_DEFAULT_RELATION, index: Oid::from_u32(2656), columns: &[2] };
/// The number of adbin.
pub const DEFAULT_EXPRESSION: i32 = 4;

/// catalog/pg_depend.h: by the object that another one depends on.
pub const BY_REFERENCED: CatalogIndex =
    CatalogIndex { catalog: Oid::from_u32(2608), index: Oid::from_u32(2674), columns: &[4, 5] };

/// catalog/pg_inherits.h: by the child, and by the parent.
pub const PARENTS: CatalogIndex = CatalogIndex { catalog: Oid::from_u32(2611), index: Oid::from_u32(2680), columns: &[1] };
pub const CHILDREN: CatalogIndex = CatalogIndex { catalog: Oid::from_u32(2611), index: Oid::from_u32(2187), columns: &[2] };

/// catalog/pg_attribute.h: by the table.
pub const COLUMNS_OF_TABLE: CatalogIndex = CatalogIndex {
    catalog: Oid::from_u32(1249),
    index: Oid::from_u32(2659),
    columns: &[pg_sys::Anum_pg_attribute_attrelid as i16],
};

/// catalog/pg_constraint.h: by the table.
pub const CONSTRAINTS_OF_TABLE: CatalogIndex = CatalogIndex {
    catalog: Oid::from_u32(2606),
    index: Oid::from_u32(2665),
    columns: &[pg_sys::Anum_pg_constraint_conrelid as i16],
};

/// catalog/pg_trigger.h: by the table.
pub const TRIGGERS_OF_TABLE: CatalogIndex =
    CatalogIndex { catalog: Oid::from_u32(2620), index: Oid::from_u32(2701), columns: &[2] };
/// The numbers of tgargs and tgqual.
pub const TRIGGER_ARGUMENTS: i32 = 16;
pub const TRIGGER_CONDITION: i32 = 17;

/// catalog/pg_subscription.h: by the database.
pub const SUBSCRIPTIONS_OF_DATABASE: CatalogIndex =
    CatalogIndex { catalog: Oid::from_u32(6100), index: Oid::from_u32(6115), columns: &[2] };

/// FormData_pg_attrdef (catalog/pg_attrdef.h), without the expression.
#[repr(C)]
pub struct FormDataPgAttrdef {
    pub oid: Oid,
    pub adrelid: Oid,
    pub adnum: i16,
}

/// FormData_pg_inherits (catalog/pg_inherits.h).
#[repr(C)]
pub struct FormDataPgInherits {
    pub inhrelid: Oid,
    pub inhparent: Oid,
    pub inhseqno: i32,
    pub inhdetachpending: bool,
}

/// The transaction id of a transaction that was prepared before the server started, and holds this lock.
pub fn prepared_before_start(lock: &pg_sys::LockInstanceData) -> Option<u32> {
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    let (backend, id) = (lock.vxid.procNumber, lock.vxid.localTransactionId);
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    let (backend, id) = (lock.backend, lock.lxid);
    (backend < 0 && lock.pid == 0).then_some(id)
}

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
