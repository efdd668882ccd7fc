//! Relations and functions in the catalogs.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, List, ListCell, Oid};

use super::compat::{ATTR_DEFAULT_RELATION, DEPEND_DEPENDER_INDEX, DEPEND_REFERENCE_INDEX, DEPEND_RELATION, FormDataPgDepend};
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

/// The name of a relation, which lives as long as the call.
pub fn relation_name<'a>(relation: Oid) -> Result<&'a [u8], Report> {
    // SAFETY: reads the catalogs. The name is a C string, copied into the memory context of the caller.
    unsafe {
        let name = raw::get_rel_name(relation);
        if name.is_null() {
            let oid = relation.to_u32();
            return Err(report!(ERRCODE_UNDEFINED_TABLE, "relation with OID {oid} does not exist"));
        }
        Ok(CStr::from_ptr(name).to_bytes())
    }
}

/// The number of a relation's file.
pub fn relation_file(relation: Oid) -> Result<Oid, Report> {
    let cache = pg_sys::SysCacheIdentifier::RELOID as i32;
    // SAFETY: reads the catalogs.
    unsafe {
        let row = raw::SearchSysCache1(cache, relation.into());
        if row.is_null() {
            return relation_name(relation).map(|_| Oid::INVALID);
        }
        let file = (*pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_class>()).relfilenode;
        raw::ReleaseSysCache(row);
        Ok(file)
    }
}

/// The tables with a column that owns a sequence, or whose default draws from it. The list lives as long as the call.
pub fn tables_of_sequence<'a>(sequence: Oid) -> &'a [ListCell] {
    let key = |column: i16, value: Oid| {
        let mut key = MaybeUninit::uninit();
        let (equal, function) = (pg_sys::BTEqualStrategyNumber as u16, Oid::from_u32(pg_sys::F_OIDEQ));
        // SAFETY: ScanKeyInit() fills the key in.
        unsafe {
            raw::ScanKeyInit(key.as_mut_ptr(), column, equal, function, value.into());
            key.assume_init()
        }
    };
    // SAFETY: reads pg_depend by its index on the referenced object, and by the one on the dependent object. After an
    // ERROR, the transaction closes the scans and the relation.
    unsafe {
        let lock = pg_sys::AccessShareLock as i32;
        let depend = raw::table_open(DEPEND_RELATION, lock);
        let mut tables = ptr::null_mut();
        let mut scan = |index, class: i16, object: i16, table: &dyn Fn(&FormDataPgDepend) -> Option<Oid>| {
            let mut keys = [key(class, pg_sys::RelationRelationId), key(object, sequence)];
            let scan = raw::systable_beginscan(depend, index, true, ptr::null_mut(), 2, keys.as_mut_ptr());
            while let Some(row) = raw::systable_getnext(scan).as_mut() {
                if let Some(table) = table(&*pg_sys::GETSTRUCT(row).cast()) {
                    tables = raw::lappend_oid(tables, table);
                }
            }
            raw::systable_endscan(scan);
        };
        // Columns 1 and 2 of pg_depend are classid and objid, 4 and 5 refclassid and refobjid.
        scan(DEPEND_DEPENDER_INDEX, 1, 2, &|row| {
            let owns = matches!(
                row.deptype as u32,
                pg_sys::DependencyType::DEPENDENCY_AUTO | pg_sys::DependencyType::DEPENDENCY_INTERNAL
            );
            (owns && row.refclassid == pg_sys::RelationRelationId).then_some(row.refobjid)
        });
        scan(DEPEND_REFERENCE_INDEX, 4, 5, &|row| {
            let is_default = row.classid == ATTR_DEFAULT_RELATION;
            is_default.then(|| raw::GetAttrDefaultColumnAddress(row.objid).objectId).filter(|table| *table != Oid::INVALID)
        });
        raw::table_close(depend, lock);
        cells(tables)
    }
}

/// Whether a table has such a trigger; `None` if the table was dropped. It does not lock the table: every role can lock a
/// temporary table whose default uses a sequence, and a poll would wait for it.
pub fn has_trigger(table: Oid, is_it: impl Fn(&pg_sys::Trigger) -> bool) -> Option<bool> {
    // SAFETY: reads the catalogs. The triggers stay until the relation is closed. After an ERROR, the transaction closes it.
    unsafe {
        let relation = raw::RelationIdGetRelation(table).as_mut()?;
        let triggers = relation
            .trigdesc
            .as_ref()
            .map_or(&[][..], |triggers| std::slice::from_raw_parts(triggers.triggers, triggers.numtriggers as usize));
        let has = triggers.iter().any(is_it);
        raw::RelationClose(relation);
        Some(has)
    }
}

/// Whether a table's rows are in shards of Citus, which creates this trigger on such tables.
pub fn is_of_citus(table: Oid) -> bool {
    // SAFETY: a function, in a transaction.
    has_trigger(table, |trigger| unsafe { raw::symbol(trigger.tgfoid) } == c"citus_truncate_trigger") == Some(true)
}
