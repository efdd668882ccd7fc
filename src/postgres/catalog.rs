//! Relations and functions in the catalogs.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, AclResult, Datum, HeapTuple, List, ListCell, Oid, SysCacheIdentifier, TupleDesc};

use super::compat::CatalogIndex;
use super::raw;
use super::report::{Report, report};

/// The elements of a list.
///
/// # Safety
/// The pointer is a list, or null, which is an empty one.
pub unsafe fn cells<'a>(list: *mut List) -> &'a [ListCell] {
    // SAFETY: guaranteed by the caller.
    unsafe { list.as_ref().map_or(&[], |list| std::slice::from_raw_parts(list.elements, list.length as usize)) }
}

#[cold]
pub fn no_relation(relation: Oid) -> Report {
    report!(ERRCODE_UNDEFINED_TABLE, "relation with OID {} does not exist", relation.to_u32())
}

/// A row of a catalog, during a look-up or a scan, which holds it.
#[derive(Clone, Copy)]
pub struct Row {
    tuple: HeapTuple,
    columns: Columns,
}

#[derive(Clone, Copy)]
enum Columns {
    OfCache(i32),
    Described(TupleDesc),
}

impl Row {
    /// The columns of fixed length.
    ///
    /// # Safety
    /// They have that type. The result is not used after the look-up or the scan.
    pub unsafe fn form<'a, T>(self) -> &'a T {
        // SAFETY: guaranteed by the caller.
        unsafe { &*pg_sys::GETSTRUCT(self.tuple).cast() }
    }

    /// A column; `None` if it is NULL.
    pub fn value(self, column: i32) -> Option<Datum> {
        let mut is_null = false;
        // SAFETY: the row is of that cache, or has that description, and is held.
        let value = unsafe {
            match self.columns {
                Columns::OfCache(cache) => raw::SysCacheGetAttr(cache, self.tuple, column as i16, &raw mut is_null),
                Columns::Described(columns) => raw::SPI_getbinval(self.tuple, columns, column, &raw mut is_null),
            }
        };
        (!is_null).then_some(value)
    }

    /// The transaction that wrote the row, also if all snapshots see it.
    pub fn raw_writer(self) -> u32 {
        // SAFETY: the row is held.
        unsafe { (*(*self.tuple).t_data).t_choice.t_heap.t_xmin.into_inner() }
    }

    /// The transaction that wrote the row; `None` if all snapshots see it.
    pub fn written_by(self) -> Option<u32> {
        // SAFETY: the row is held.
        let writer = unsafe { pg_sys::htup::HeapTupleHeaderGetXmin((*self.tuple).t_data) };
        // A frozen row has FrozenTransactionId, which is below.
        (writer >= pg_sys::FirstNormalTransactionId).then_some(writer.into_inner())
    }

    /// Whether a transaction that has committed has deleted or replaced the row, which is one of a scan.
    pub fn is_replaced(self) -> bool {
        // SAFETY: the row is held.
        let (bits, id) = unsafe {
            let header = (*self.tuple).t_data;
            (u32::from((*header).t_infomask), (*header).t_choice.t_heap.t_xmax)
        };
        if bits & (pg_sys::HEAP_XMAX_INVALID | pg_sys::HEAP_XMAX_LOCK_ONLY) != 0 {
            return false;
        }
        // SAFETY: in a transaction. The id is one of a row, whose transaction PostgreSQL still knows.
        bits & pg_sys::HEAP_XMAX_IS_MULTI != 0 || unsafe { raw::TransactionIdDidCommit(id) }
    }
}

/// Reads a row of a system cache, and releases it; `None` if there is no row with that key.
pub fn cached<T>(cache: SysCacheIdentifier::Type, key: Oid, read: impl FnOnce(Row) -> T) -> Option<T> {
    // SAFETY: in a transaction. The key of each cache that is read so is one OID.
    unsafe { read_and_release(cache, raw::SearchSysCache1(cache as i32, key.into()), read) }
}

/// Reads the row of a column, and releases it; `None` if the relation has no column of that name.
pub fn column<T>(relation: Oid, name: &CStr, read: impl FnOnce(Row, &pg_sys::FormData_pg_attribute) -> T) -> Option<T> {
    // SAFETY: in a transaction. The row is one of pg_attribute.
    unsafe {
        let found = raw::SearchSysCacheAttName(relation, name.as_ptr());
        read_and_release(SysCacheIdentifier::ATTNAME, found, |row| read(row, row.form()))
    }
}

/// # Safety
/// `tuple` is what a search in the cache has returned.
unsafe fn read_and_release<T>(cache: SysCacheIdentifier::Type, tuple: HeapTuple, read: impl FnOnce(Row) -> T) -> Option<T> {
    if tuple.is_null() {
        return None;
    }
    let value = read(Row { tuple, columns: Columns::OfCache(cache as i32) });
    // SAFETY: guaranteed by the caller. After an ERROR, the transaction releases the row.
    unsafe { raw::ReleaseSysCache(tuple) };
    Some(value)
}

/// Whether the database has an extension of that name.
pub fn has_extension(name: &CStr) -> bool {
    // SAFETY: in a transaction. The name is a C string.
    unsafe { raw::get_extension_oid(name.as_ptr(), true) != Oid::INVALID }
}

/// What pg_class says of a relation.
pub struct Relation {
    /// The transaction that wrote the row; `None` if all snapshots see it.
    pub written_by: Option<u32>,
    pub kind: u8,
    pub persistence: u8,
    pub is_partition: bool,
    /// Or had.
    pub has_children: bool,
    /// The number of rows at the last VACUUM or ANALYZE; -1 before.
    pub rows: f32,
}

/// `None` if it was dropped.
pub fn relation(relation: Oid) -> Option<Relation> {
    class(relation, |row, class| Relation {
        written_by: row.written_by(),
        kind: class.relkind as u8,
        persistence: class.relpersistence as u8,
        is_partition: class.relispartition,
        has_children: class.relhassubclass,
        rows: class.reltuples,
    })
}

fn class<T>(relation: Oid, read: impl FnOnce(Row, &pg_sys::FormData_pg_class) -> T) -> Option<T> {
    // SAFETY: the rows of this cache are those of pg_class, whose columns of fixed length have this type.
    cached(SysCacheIdentifier::RELOID, relation, |row| read(row, unsafe { row.form() }))
}

/// The role that owns a relation.
pub fn owner(relation: Oid) -> Result<Oid, Report> {
    class(relation, |_, class| class.relowner).ok_or_else(|| no_relation(relation))
}

/// Whether the current role has the privileges of the owner of a relation.
pub fn is_owner(relation: Oid) -> bool {
    // SAFETY: in a transaction. A relation that does not exist is an ERROR.
    #[cfg(not(feature = "pg15"))]
    return unsafe { raw::object_ownercheck(pg_sys::RelationRelationId, relation, raw::GetUserId()) };
    // SAFETY: in a transaction. A relation that does not exist is an ERROR.
    #[cfg(feature = "pg15")]
    return unsafe { raw::pg_class_ownercheck(relation, raw::GetUserId()) };
}

/// Whether a role has any of these privileges on a relation; `None` if it does not exist.
pub fn may(relation: Oid, role: Oid, privileges: u32) -> Option<bool> {
    let (privileges, mut is_missing) = (pg_sys::AclMode::from(privileges), false);
    // SAFETY: in a transaction, where any OID can be looked up; `is_missing` says if there is none.
    let result = unsafe { raw::pg_class_aclcheck_ext(relation, role, privileges, &raw mut is_missing) };
    (!is_missing).then_some(result == AclResult::ACLCHECK_OK)
}

/// Whether a role may use the objects of a schema.
pub fn may_use_schema(schema: Oid, role: Oid) -> bool {
    let usage = pg_sys::AclMode::from(pg_sys::ACL_USAGE);
    // SAFETY: in a transaction. A schema that does not exist is an ERROR.
    #[cfg(not(feature = "pg15"))]
    let result = unsafe { raw::object_aclcheck(pg_sys::NamespaceRelationId, schema, role, usage) };
    // SAFETY: in a transaction. A schema that does not exist is an ERROR.
    #[cfg(feature = "pg15")]
    let result = unsafe { raw::pg_namespace_aclcheck(schema, role, usage) };
    result == AclResult::ACLCHECK_OK
}

/// The rows of catalogs that have the name of a relation and that of its schema: the transactions that wrote them, and the schema.
/// VACUUM and ANALYZE change a row, and do not write another one.
pub type NameRows = (u32, u32, Oid);

/// `None` if the relation was dropped.
pub fn name_rows(relation: Oid) -> Option<NameRows> {
    let (writer, schema) = class(relation, |row, class| (row.raw_writer(), class.relnamespace))?;
    Some((writer, cached(SysCacheIdentifier::NAMESPACEOID, schema, Row::raw_writer)?, schema))
}

/// How messages about the schema of a relation name it; `None` if the relation was dropped.
pub fn schema_hash(relation: Oid) -> Option<u32> {
    let schema = class(relation, |_, class| class.relnamespace)?;
    let none = Datum::null();
    // SAFETY: in a transaction. The key of the cache is one OID.
    Some(unsafe { raw::GetSysCacheHashValue(SysCacheIdentifier::NAMESPACEOID as i32, schema.into(), none, none, none) })
}

/// Calls `read` with the library and the C function that a SQL function calls; `None` if it is of another language. Its address
/// does not say it: with SET or SECURITY DEFINER, it is that of a wrapper.
pub fn with_c_function<T>(function: Oid, read: impl FnOnce(&CStr, &CStr) -> T) -> Option<T> {
    cached(SysCacheIdentifier::PROCOID, function, |row| {
        // SAFETY: the rows of this cache are those of pg_proc, whose columns of fixed length have this type.
        let is_c = unsafe { row.form::<pg_sys::FormData_pg_proc>() }.prolang == Oid::from_u32(pg_sys::ClanguageId);
        // SAFETY: probin and prosrc are of type text.
        let text = |column| row.value(column).filter(|_| is_c).map(|text| unsafe { c_string(text) });
        text(pg_sys::Anum_pg_proc_probin as i32)
            .zip(text(pg_sys::Anum_pg_proc_prosrc as i32))
            .map(|(library, symbol)| read(library, symbol))
    })?
}

/// Locks a relation as a reader until the end of the transaction, also if the subtransaction that asks is rolled back.
pub fn lock_to_the_end(relation: Oid) {
    // SAFETY: in a transaction. After an ERROR, PostgreSQL restores the owner of the (sub)transaction.
    unsafe {
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::CurrentResourceOwner = pg_sys::TopTransactionResourceOwner;
        raw::LockRelationOid(relation, pg_sys::AccessShareLock as i32);
        pg_sys::CurrentResourceOwner = owner;
    }
}

/// Calls `run` while a relation is locked; `None` if another session has a lock that conflicts.
pub fn while_locked<T>(relation: Oid, mode: u32, run: impl FnOnce() -> T) -> Option<T> {
    // SAFETY: in a transaction, which releases the lock after an ERROR. Any OID can be locked.
    unsafe {
        raw::ConditionalLockRelationOid(relation, mode as i32).then(|| {
            let result = run();
            raw::UnlockRelationOid(relation, mode as i32);
            result
        })
    }
}

/// Whether a session may have a lock on a relation of this database with which it changes the tables below, or waits for one. PostgreSQL
/// counts such locks, and weaker ones only where they have no place in their process.
pub fn may_be_changing(relation: Oid) -> bool {
    let tag = pg_sys::LOCKTAG {
        // SAFETY: a number that is set when the process connects to its database, before it runs SQL.
        locktag_field1: unsafe { pg_sys::MyDatabaseId }.to_u32(),
        locktag_field2: relation.to_u32(),
        locktag_field3: 0,
        locktag_field4: 0,
        locktag_type: pg_sys::LockTagType::LOCKTAG_RELATION as u8,
        locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
    };
    // SAFETY: counts in shared memory, under the lock of its part.
    unsafe { raw::LockWaiterCount(&raw const tag) > 0 }
}

#[cold]
pub fn is_locked(relation: Oid) -> Report {
    report!(ERRCODE_LOCK_NOT_AVAILABLE, "").relation(relation).and(" is locked")
}

/// A copy of a text, in the memory context of the caller.
///
/// # Safety
/// The datum is a text. The result is not used after the call.
pub unsafe fn c_string<'a>(text: Datum) -> &'a CStr {
    // SAFETY: guaranteed by the caller. text_to_cstring() returns a copy.
    unsafe { CStr::from_ptr(raw::text_to_cstring(text.cast_mut_ptr())) }
}

/// A copy of the first bytes of a text, up to a zero byte, in the memory context of the caller. The rest is not read.
///
/// # Safety
/// The datum is a text. The result is not used after the call.
pub unsafe fn start_of_text<'a>(text: Datum, count: usize) -> &'a CStr {
    // SAFETY: guaranteed by the caller. text_to_cstring() returns a copy.
    unsafe { CStr::from_ptr(raw::text_to_cstring(raw::pg_detoast_datum_slice(text.cast_mut_ptr(), 0, count as i32).cast())) }
}

/// Whether the path of a library is that of ours, as a database stores it.
pub fn is_ours(library: &CStr) -> bool {
    matches!(library.to_bytes(), b"comb" | [.., b'/', b'c', b'o', b'm', b'b'])
}

/// Whether it is the id of this transaction, or of a subtransaction.
pub fn is_own(id: u32) -> bool {
    // SAFETY: in a transaction, with whose ids it compares any number.
    unsafe { raw::TransactionIdIsCurrentTransactionId(pg_sys::TransactionId::from_inner(id)) }
}

/// Receives the messages of a transaction that has attached a table. It becomes visible before it sends them, and releases its lock
/// on the table after that. (A subtransaction releases the lock on its own id before.) Who gets the lock reads all messages.
///
/// # Errors
/// It does not wait for the lock, and another session has one that conflicts.
pub fn receive_messages_of(table: Oid, waits: bool) -> Result<(), Report> {
    let lock = pg_sys::AccessShareLock;
    if !waits {
        return while_locked(table, lock, || ()).ok_or_else(|| is_locked(table));
    }
    // SAFETY: in a transaction. Any OID can be locked.
    unsafe {
        raw::LockRelationOid(table, lock as i32);
        raw::UnlockRelationOid(table, lock as i32);
    }
    Ok(())
}

/// Calls `each` with the rows that have these values in the first columns of an index, until it returns an error.
pub fn scan(by: CatalogIndex, values: &[Oid], each: impl FnMut(Row) -> Result<(), Report>) -> Result<(), Report> {
    scan_rows(by, values, ptr::null_mut(), each)
}

/// [`scan`] of the rows that the snapshot of the calling statement sees.
pub fn scan_seen(by: CatalogIndex, values: &[Oid], each: impl FnMut(Row) -> Result<(), Report>) -> Result<(), Report> {
    // SAFETY: a statement that polls has an active snapshot, to the end of the call.
    scan_rows(by, values, unsafe { raw::GetActiveSnapshot() }, each)
}

fn scan_rows(
    by: CatalogIndex,
    values: &[Oid],
    snapshot: pg_sys::Snapshot,
    mut each: impl FnMut(Row) -> Result<(), Report>,
) -> Result<(), Report> {
    let lock = pg_sys::AccessShareLock as i32;
    let mut keys = [const { MaybeUninit::<pg_sys::ScanKeyData>::uninit() }; 2];
    // SAFETY: in a transaction. The index is one of the catalog, and its first columns are OIDs. ScanKeyInit() fills the keys in.
    // After an ERROR, the transaction closes the scan and the relation.
    unsafe {
        for ((key, column), value) in keys.iter_mut().zip(by.columns).zip(values) {
            let (equal, function) = (pg_sys::BTEqualStrategyNumber as u16, Oid::from_u32(pg_sys::F_OIDEQ));
            raw::ScanKeyInit(key.as_mut_ptr(), *column, equal, function, (*value).into());
        }
        let catalog = raw::table_open(by.catalog, lock);
        let count = values.len().min(by.columns.len()).min(keys.len()) as i32;
        let scan = raw::systable_beginscan(catalog, by.index, true, snapshot, count, keys.as_mut_ptr().cast());
        let mut result = Ok(());
        while result.is_ok() {
            let tuple = raw::systable_getnext(scan);
            if tuple.is_null() {
                break;
            }
            result = each(Row { tuple, columns: Columns::Described((*catalog).rd_att) });
        }
        raw::systable_endscan(scan);
        raw::table_close(catalog, lock);
        result
    }
}
