//! The tables below a topmost one.

use std::ptr;

use pgrx::pg_sys::{self, Oid};

use crate::postgres::catalog::{self, Relation};
use crate::postgres::compat::{CHILDREN, FormDataPgInherits, SUBSCRIPTIONS_OF_DATABASE};
use crate::postgres::raw;
use crate::postgres::report::Report;

/// A table of a tree.
#[derive(Clone, Copy)]
pub struct Member {
    pub table: Oid,
    /// The transaction that put it below its parent.
    pub attached_by: u32,
    /// The xmax of the snapshot with which it was last checked, or a state. A snapshot with a greater one is later, and sees all
    /// that this one saw.
    pub checked: u64,
    /// By INHERITS, not as a partition.
    pub inherits: bool,
    /// A table by INHERITS can be rewritten alone, and a partition of a partition can be replaced: polls lock the one, and the
    /// parent of the other. They do not wait for a temporary table of another session.
    pub is_locked: bool,
    /// The topmost table, one by INHERITS, or a partitioned one: a change can be one of the tree.
    pub shapes_tree: bool,
}

impl Member {
    /// Not a temporary table of INHERITS, which can be that of another session.
    pub fn can_be_locked(&self) -> bool {
        !self.inherits || self.is_locked
    }
}

/// States of [`Member::checked`].
pub const CHANGED: u64 = u64::MAX;
pub const BEING_CHECKED: u64 = u64::MAX - 1;

/// A table and those below it, in the memory of the call, in the order of their OIDs.
pub struct Found {
    pub first: *mut Member,
    pub count: usize,
    /// A partition whose DETACH CONCURRENTLY has begun.
    pub being_detached: Option<Oid>,
}

impl Found {
    pub fn members(&self) -> &[Member] {
        // SAFETY: the memory has `count` members.
        unsafe { std::slice::from_raw_parts(self.first, self.count) }
    }
}

pub fn find_tables(topmost: Oid) -> Result<Found, Report> {
    // The tables, and for each the transaction that put it there.
    let begin = |first| {
        // SAFETY: a new list of OIDs.
        unsafe { raw::lappend_oid(ptr::null_mut(), first) }
    };
    let (mut tables, mut writers) = (begin(topmost), begin(Oid::INVALID));
    let (mut count, mut being_detached) = (0, None);
    // SAFETY: a list of OIDs, of which no cell is in use when it grows.
    while let Some(at) = unsafe { catalog::cells(tables).get(count).map(|cell| cell.oid_value) } {
        count += 1;
        // A poll refuses INHERITS over two levels. The paths to one table could be too many to follow.
        let is_followed = |class: Relation| class.has_children && (class.is_partition || at == topmost);
        if !catalog::relation(at).is_some_and(is_followed) {
            continue;
        }
        catalog::scan(CHILDREN, &[at], |row| {
            // SAFETY: the scan is of pg_inherits, whose rows have this type. Both are lists of OIDs.
            unsafe {
                let form = row.form::<FormDataPgInherits>();
                being_detached = being_detached.or(form.inhdetachpending.then_some(form.inhrelid));
                tables = raw::lappend_oid(tables, form.inhrelid);
                writers = raw::lappend_oid(writers, Oid::from_u32(row.raw_writer()));
            }
            Ok(())
        })?;
    }
    let member = |table, attached_by: Oid| {
        let class = catalog::relation(table);
        let is_partitioned = class.as_ref().is_some_and(|class| class.kind == pg_sys::RELKIND_PARTITIONED_TABLE);
        let is_partition = class.as_ref().is_some_and(|class| class.is_partition);
        let inherits = table != topmost && !is_partition;
        let is_temporary = class.is_none_or(|class| class.persistence == pg_sys::RELPERSISTENCE_TEMP);
        let is_locked = inherits && !is_temporary || is_partition && is_partitioned;
        let (attached_by, shapes_tree) = (attached_by.to_u32(), !is_partition || is_partitioned);
        Member { table, attached_by, checked: CHANGED, inherits, is_locked, shapes_tree }
    };
    // SAFETY: the memory has a place for each cell.
    let members = unsafe {
        let memory = raw::palloc(count * size_of::<Member>()).cast::<Member>();
        for (place, (table, writer)) in catalog::cells(tables).iter().zip(catalog::cells(writers)).enumerate() {
            memory.add(place).write(member(table.oid_value, writer.oid_value));
        }
        std::slice::from_raw_parts_mut(memory, count)
    };
    members.sort_unstable_by_key(|member| member.table.to_u32());
    Ok(Found { first: members.as_mut_ptr(), count, being_detached })
}

/// Whether the database has a subscription. A table can get the name of one that a subscription fills, and leave a subscription whose
/// worker still stores rows in it.
pub fn has_subscription() -> Result<bool, Report> {
    let mut has = false;
    // SAFETY: a number that is set when the process connects to its database, before it runs SQL.
    let database = unsafe { pg_sys::MyDatabaseId };
    catalog::scan(SUBSCRIPTIONS_OF_DATABASE, &[database], |_| {
        has = true;
        Ok(())
    })?;
    Ok(has)
}

/// Calls `each` with a table and those below it, but not with temporary ones of INHERITS.
pub fn for_each_table(topmost: Oid, each: impl FnMut(&Member) -> Result<(), Report>) -> Result<(), Report> {
    let found = find_tables(topmost)?;
    found.members().iter().filter(|member| member.can_be_locked()).try_for_each(each)
}
