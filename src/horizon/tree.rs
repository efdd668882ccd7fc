//! Whether each table of a polled one calls the guard for its rows, and whether the snapshot of a poll sees that.
//!
//! A table is checked again when PostgreSQL says that it has changed, and for a snapshot that may be older than the one with which
//! it was checked.

use std::cell::UnsafeCell;
use std::ptr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Oid};

use super::changes;
use super::definition::{Polled, accept_changes, column_name, read_facts};
use super::guarded::{check_table, must_see, too_old};
use super::members::{BEING_CHECKED, CHANGED, Found, Member, find_tables, has_subscription};
use super::stored::may_lack;
use crate::postgres::catalog;
use crate::postgres::compat::{CHILDREN, FormDataPgInherits, local_transaction_id};
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_horizon::{Snapshot, Taken};
use comb_id::layout::Layout;
use comb_id::layouts::UUIDV7;

/// The tables of a polled column, in the order of their OIDs.
#[derive(Clone, Copy)]
struct Tree {
    topmost: Oid,
    attribute: i16,
    /// Of UUIDs, for which all guards are.
    layout: &'static Layout,
    first: *mut Member,
    count: usize,
    is_listed: bool,
    /// The database has a subscription.
    is_subscribed: bool,
    /// A table is to be locked.
    has_locked: bool,
    /// The greatest [`Member::checked`].
    checked: u64,
    /// The last snapshot that saw no table that has been removed. NEVER: it is not known.
    complete: Taken,
    /// The snapshot with which all tables were checked.
    taken: Taken,
    /// The local id of the transaction that found a new table.
    grown_in: u32,
}

impl Tree {
    const fn unlisted(topmost: Oid, attribute: i16, layout: &'static Layout) -> Self {
        Self {
            topmost,
            attribute,
            layout,
            first: ptr::dangling_mut(),
            count: 0,
            is_listed: false,
            is_subscribed: false,
            has_locked: false,
            checked: CHANGED,
            complete: Taken::NEVER,
            taken: Taken::NEVER,
            grown_in: 0,
        }
    }

    /// Whether a snapshot sees what a check with the xmax `checked` saw: it is later, or the one of all checks.
    fn holds(&self, checked: u64, taken: Taken) -> bool {
        checked < BEING_CHECKED && (taken.xmax > checked || taken == self.taken)
    }

    fn members(&mut self) -> &mut [Member] {
        // SAFETY: the memory has `count` members.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.count) }
    }

    fn find(&mut self, table: Oid) -> Option<&mut Member> {
        let index = self.members().binary_search_by_key(&table.to_u32(), |member| member.table.to_u32()).ok()?;
        self.members().get_mut(index)
    }
}

/// How many trees a process knows.
const TREES: usize = 64;

struct Trees {
    trees: [Tree; TREES],
    next: usize,
}

static KNOWN: OneThread<UnsafeCell<Trees>> =
    OneThread::new(UnsafeCell::new(Trees { trees: [Tree::unlisted(Oid::INVALID, 0, &UUIDV7); TREES], next: 0 }));

/// A tree. PostgreSQL can call [`forget`] whenever it reads a catalog.
///
/// # Safety
/// The caller drops the reference before it calls a function of PostgreSQL.
unsafe fn tree(index: usize) -> &'static mut Tree {
    // SAFETY: guaranteed by the caller.
    unsafe { &mut (&mut *KNOWN.get()).trees[index % TREES] }
}

/// A relation has changed; INVALID: any can have.
pub fn forget(relation: Oid) {
    for index in 0..TREES {
        // SAFETY: no call of PostgreSQL while the reference is in use.
        let tree = unsafe { tree(index) };
        if relation == Oid::INVALID {
            tree.members().iter_mut().for_each(|member| member.checked = CHANGED);
            (tree.is_listed, tree.checked, tree.complete) = (false, CHANGED, Taken::NEVER);
        } else if let Some(member) = tree.find(relation) {
            member.checked = CHANGED;
            let shapes_tree = member.shapes_tree;
            (tree.is_listed, tree.checked) = (tree.is_listed && !shapes_tree, CHANGED);
            if shapes_tree {
                tree.complete = Taken::NEVER;
            }
        }
    }
}

/// Checks all tables of a polled column. If it `waits` for locks, some are locked until the end of the transaction:
/// [`Member::is_locked`].
///
/// # Errors
/// A table does not call the guard, or the snapshot does not see that it does.
pub fn check(column: &Polled, snapshot: &Snapshot, waits: bool) -> Result<(), Report> {
    let taken = snapshot.taken();
    let index = index_of(column);
    // SAFETY: a copy; no call of PostgreSQL while the reference is in use.
    let state = || unsafe { *tree(index) };
    let is_changing = may_be_changing(index);
    // A change that comes later is one that later writers read as well.
    accept_changes();
    if !state().is_listed {
        list(index, column, waits)?;
    }
    if waits {
        lock_members(index);
    }
    // A message has come.
    if !state().is_listed {
        list(index, column, waits)?;
    }
    let complete = state().complete;
    if is_changing || complete == Taken::NEVER || taken.xmax <= complete.xmax && taken != complete {
        check_removed(index, taken)?;
    }
    if !state().holds(state().checked, taken) {
        check_members(column, index, taken)?;
    }
    // The statement may have been planned without it.
    if state().grown_in == local_transaction_id() {
        return Err(report!(ERRCODE_T_R_SERIALIZATION_FAILURE, "table ")
            .relation(column.topmost)
            .and(" has a new partition or child table")
            .hint("Repeat the transaction in the same connection."));
    }
    Ok(())
}

fn check_members(column: &Polled, index: usize, taken: Taken) -> Result<(), Report> {
    // SAFETY: a copy; no call of PostgreSQL while the reference is in use.
    let state = || unsafe { *tree(index) };
    let name = column_name(column);
    for_each(index, |member| {
        if state().holds(member.checked, taken) {
            return Ok(());
        }
        // A message that comes during the check is about a later state. After an ERROR, no table passes by this snapshot.
        // SAFETY: no call of PostgreSQL while the reference is in use.
        unsafe { tree(index) }.taken = Taken::NEVER;
        change(index, member.table, |member| member.checked = BEING_CHECKED);
        check_table(column, name, member.table, member.inherits, state().is_subscribed, must_see)?;
        change(index, member.table, |member| {
            if member.checked == BEING_CHECKED {
                member.checked = taken.xmax;
            }
        });
        Ok(())
    })?;
    // SAFETY: no call of PostgreSQL while the reference is in use.
    let tree = unsafe { tree(index) };
    tree.checked = tree.members().iter().map(|member| member.checked).max().unwrap_or(CHANGED);
    tree.taken = taken;
    Ok(())
}

/// Whether another session may be changing the tree. It keeps its locks until it has sent its messages, which is later than its changes
/// can be seen.
fn may_be_changing(index: usize) -> bool {
    // SAFETY: a copy; no call of PostgreSQL while the reference is in use.
    let tree = unsafe { *tree(index) };
    let mut may_be = catalog::may_be_changing(tree.topmost);
    if tree.has_locked {
        let _ = for_each(index, |member| {
            may_be |= member.is_locked && !member.inherits && catalog::may_be_changing(member.table);
            Ok(())
        });
    }
    may_be
}

#[cold]
fn being_detached(table: Oid) -> Report {
    report!(ERRCODE_T_R_SERIALIZATION_FAILURE, "partition ")
        .relation(table)
        .and(" is being detached or dropped")
        .hint("Repeat the transaction. If DETACH PARTITION ... CONCURRENTLY was interrupted, use DETACH PARTITION ... FINALIZE.")
}

/// Returns an error if a table is being removed, or has been since the snapshot was taken: rows that others have moved out of it are
/// where the snapshot does not see them, and the statement does not read the table. Also if the snapshot sees other tables, or one that
/// was removed and attached again: the messages come later.
fn check_removed(index: usize, taken: Taken) -> Result<(), Report> {
    // The topmost table is the first.
    let (mut seen, mut is_same) = (1, true);
    for_each(index, |member| {
        if !member.shapes_tree || member.inherits {
            return Ok(());
        }
        catalog::scan_seen(CHILDREN, &[member.table], |row| {
            // SAFETY: the scan is of pg_inherits, whose rows have this type. No call of PostgreSQL while the reference is in use.
            let (known, form) = unsafe {
                let form = row.form::<FormDataPgInherits>();
                (tree(index).find(form.inhrelid).map(|known| known.attached_by), form)
            };
            seen += 1;
            is_same &= known == Some(row.raw_writer());
            // The plan of the statement can be newer than its snapshot, and lack a table that has been marked or removed since.
            if form.inhdetachpending || row.is_replaced() { Err(being_detached(form.inhrelid)) } else { Ok(()) }
        })
    })?;
    // SAFETY: no call of PostgreSQL while the reference is in use.
    let tree = unsafe { tree(index) };
    if !is_same || seen != tree.count {
        tree.is_listed = false;
        return Err(too_old());
    }
    tree.complete = if tree.is_listed { taken } else { Taken::NEVER };
    Ok(())
}

/// Checks the triggers of all tables of a polled column, whether or not a snapshot sees them.
///
/// # Errors
/// A table does not call the guard.
pub fn check_triggers(column: &Polled, is_subscribed: bool) -> Result<(), Report> {
    let (name, found) = (column_name(column), find_tables(column.topmost)?);
    let check = |member: &Member| check_table(column, name, member.table, member.inherits, is_subscribed, |_| Ok(()));
    found.members().iter().try_for_each(check)
}

fn for_each(index: usize, mut each: impl FnMut(Member) -> Result<(), Report>) -> Result<(), Report> {
    let mut place = 0;
    // SAFETY: a copy; no call of PostgreSQL while the reference is in use.
    while let Some(member) = unsafe { tree(index) }.members().get(place).copied() {
        each(member)?;
        place += 1;
    }
    Ok(())
}

fn change(index: usize, table: Oid, change: impl FnOnce(&mut Member)) {
    // SAFETY: no call of PostgreSQL while the reference is in use.
    if let Some(member) = unsafe { tree(index) }.find(table) {
        change(member);
    }
}

/// Where the tree of a column with such a guard is, or will be.
fn index_of(column: &Polled) -> usize {
    // SAFETY: no call of PostgreSQL while the reference is in use.
    let known = unsafe { &mut *KNOWN.get() };
    let (topmost, attribute, layout) = (column.topmost, column.topmost_attribute, column.layout);
    let is_it = |tree: &Tree| (tree.topmost, tree.attribute, tree.layout) == (topmost, attribute, layout);
    known.trees.iter().position(is_it).unwrap_or_else(|| {
        known.next = (known.next + 1) % TREES;
        replace(known.next, Tree::unlisted(topmost, attribute, layout));
        known.next
    })
}

/// Replaces a tree, and frees its memory.
fn replace(index: usize, with: Tree) {
    // SAFETY: no call of PostgreSQL while the reference is in use. pfree() calls no other.
    unsafe {
        let old = std::mem::replace(tree(index), with);
        if old.count > 0 {
            raw::pfree(old.first.cast());
        }
    }
}

fn lock_members(index: usize) {
    // SAFETY: no call of PostgreSQL while the reference is in use.
    if unsafe { tree(index) }.has_locked {
        let _ = for_each(index, |member| {
            if member.is_locked {
                catalog::lock_to_the_end(member.table);
            }
            Ok(())
        });
        accept_changes();
    }
}

/// Lists the tables of a tree. What is known of each stays.
fn list(index: usize, column: &Polled, waits: bool) -> Result<(), Report> {
    let read = || {
        let found = find_tables(column.topmost)?;
        // FINALIZE locks the partition, and waits for snapshots: who has one does not wait for the lock.
        if let Some(partition) = found.being_detached {
            return Err(being_detached(partition));
        }
        for member in found.members() {
            // SAFETY: no call of PostgreSQL while the reference is in use.
            let known = unsafe { tree(index) }.find(member.table).map(|known| known.attached_by);
            if known != Some(member.attached_by) && member.can_be_locked() {
                // Else a message comes in a later transaction, whose statement may lack the table.
                catalog::receive_messages_of(member.table, waits)?;
            }
        }
        Ok((found, has_subscription()?))
    };
    // Of a partition that is not partitioned, a message is about its parent as well.
    let shaping = |member: &&Member| member.shapes_tree;
    let depends = |(found, _): &(Found, bool), is_it: &dyn Fn(Oid) -> bool| {
        found.members().iter().filter(shaping).any(|member| is_it(member.table))
    };
    let (found, is_subscribed) = read_facts(read, depends)?;
    let has_grown = has_grown(index, column, found.members());
    if has_grown {
        changes::repair();
    }
    let count = found.count;
    // SAFETY: the memory has a place for each member, and lives until it is replaced.
    let members = unsafe {
        let memory = raw::MemoryContextAlloc(pg_sys::TopMemoryContext, count * size_of::<Member>()).cast::<Member>();
        ptr::copy_nonoverlapping(found.first, memory, count);
        raw::pfree(found.first.cast());
        std::slice::from_raw_parts_mut(memory, count)
    };
    // SAFETY: no call of PostgreSQL while the reference is in use.
    let old = unsafe { tree(index) };
    for member in &mut *members {
        if let Some(known) = old.find(member.table).filter(|known| known.attached_by == member.attached_by) {
            member.checked = known.checked;
        }
    }
    let grown_in = if has_grown { local_transaction_id() } else { old.grown_in };
    let (first, has_locked) = (members.as_mut_ptr(), members.iter().any(|member| member.is_locked));
    // During a repair, messages about the tree can have come.
    replace(
        index,
        Tree {
            first,
            count,
            is_listed: !has_grown,
            is_subscribed,
            has_locked,
            checked: CHANGED,
            complete: Taken::NEVER,
            grown_in,
            ..*old
        },
    );
    Ok(())
}

/// Whether a statement may lack a table that is not known: one that others have attached since PostgreSQL stored its plan or a
/// partition descriptor, which it has not stored again since, as far as messages say.
fn has_grown(index: usize, column: &Polled, members: &[Member]) -> bool {
    // SAFETY: no call of PostgreSQL while the reference is in use.
    let is_known =
        |member: &Member| unsafe { tree(index) }.find(member.table).is_some_and(|known| known.attached_by == member.attached_by);
    let may_be_lacking = |member: &Member| member.table != column.topmost && !is_known(member) && may_lack(member.attached_by);
    members.iter().any(may_be_lacking) && members.iter().any(|member| member.shapes_tree && changes::doubts(member.table))
}
