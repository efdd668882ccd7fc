//! Whether one table calls the guard for each row that it stores, with the key that is stored.

use std::ffi::CStr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Oid};

use super::definition::{KeyType, Polled, deep_inheritance, has_children, parents};
use super::transactions::ServerTransactions;
use super::triggers::{self, Calls, TriggerRow};
use crate::postgres::catalog::{self, Relation, is_own};
use crate::postgres::compat::{COLUMNS_OF_TABLE, CONSTRAINTS_OF_TABLE};
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_horizon::Transactions;
use comb_id::layout::Layout;
use comb_id::layouts::labelled;

/// Checks one table. `must_see` gets the transactions that wrote the rows of the catalogs on which the answer rests.
pub fn check_table(
    column: &Polled,
    name: &CStr,
    table: Oid,
    inherits: bool,
    is_subscribed: bool,
    must_see: impl Fn(Option<u32>) -> Result<(), Report>,
) -> Result<(), Report> {
    // It was dropped.
    let Some(class) = catalog::relation(table) else { return Ok(()) };
    if class.persistence == pg_sys::RELPERSISTENCE_TEMP && inherits {
        // Those of other sessions have no rows that a poll can read.
        // SAFETY: in a transaction. A relation that does not exist has schema 0.
        return if unsafe { raw::isTempNamespace(raw::get_rel_namespace(table)) } { Err(temporary(table)) } else { Ok(()) };
    }
    must_see(class.written_by)?;
    // By a new constraint, or by NOT NULL, the planner can exclude a partition that had rows for the snapshot.
    for catalog in [COLUMNS_OF_TABLE, CONSTRAINTS_OF_TABLE] {
        catalog::scan(catalog, &[table], |row| must_see(row.written_by()))?;
    }
    if class.kind == pg_sys::RELKIND_PARTITIONED_TABLE {
        return Ok(());
    }
    if class.kind != pg_sys::RELKIND_RELATION {
        return Err(report!(ERRCODE_WRONG_OBJECT_TYPE, "cannot poll foreign table ").relation(table));
    }
    if inherits && (has_children(table)? || parents(table, Some(name))?[1].is_some()) {
        return Err(deep_inheritance(table));
    }
    check_guard(column, name, &class, table, is_subscribed, must_see)
}

/// Checks that a table that stores rows calls the guard for each of them, with the key that is stored.
fn check_guard(
    column: &Polled,
    name: &CStr,
    class: &Relation,
    table: Oid,
    is_subscribed: bool,
    must_see: impl Fn(Option<u32>) -> Result<(), Report>,
) -> Result<(), Report> {
    // Whether there is a guard, one that is called before the row is stored, and also before a DELETE.
    let (mut is_guarded, mut is_before, mut sees_deletes) = (false, false, false);
    let (mut is_only_local, mut has_version) = (false, false);
    triggers::scan(table, |trigger| {
        let calls = trigger.calls();
        let is_of_a_key = calls.is_some_and(Calls::guards);
        let is_of_column = is_of_a_key && trigger.column() == name;
        has_version |= is_of_column && calls == Some(Calls::RowVersion);
        // A guard compares by the layout of any of them.
        if let KeyType::Uuid(by_type) = column.key_type
            && is_of_column
            && trigger.layout().map_or(Some(by_type), |label| labelled(label.to_bytes())) != Some(column.layout)
        {
            return Err(other_layout(table, trigger, column.layout));
        }
        let is_in_time = || trigger.is_before_row() || calls == Some(Calls::Guard) && !class.is_partition;
        let guards = |always| is_of_column && trigger.sees_all_rows(always) && is_in_time();
        let is_guard = guards(is_subscribed);
        is_only_local |= !is_guard && guards(false);
        if is_guard || trigger.is_before_row() {
            must_see(trigger.row.written_by())?;
        }
        if is_guard {
            is_guarded = true;
            is_before |= trigger.is_before_row();
            sees_deletes |= trigger.is_before_delete();
            return Ok(());
        }
        let can_change = is_before && trigger.is_before_row() || sees_deletes && trigger.is_before_delete();
        let is_of_other_column = is_of_a_key && !is_of_column;
        if can_change && !trigger.is_disabled() && !is_of_other_column {
            return Err(later_trigger(table, trigger));
        }
        Ok(())
    })?;
    match (is_guarded, is_only_local) {
        (true, _) => Ok(()),
        (false, true) => Err(report!(ERRCODE_WRONG_OBJECT_TYPE, "the trigger that guards table ")
            .relation(table)
            .and(" is not called by the subscriptions of this database")
            .hint(
                "Use ALTER TABLE ... ENABLE ALWAYS TRIGGER if no subscription fills the table, or its keys come from comb_tracked() or \
                 comb_row_version(). Other rows would stop the subscription: poll them on the publisher.",
            )),
        (false, false) => Err(unguarded(table, name, class.is_partition, has_version)),
    }
}

#[cold]
fn unguarded(table: Oid, name: &CStr, is_partition: bool, has_version: bool) -> Report {
    report!(ERRCODE_WRONG_OBJECT_TYPE, "table ")
        .relation(table)
        .and(" has no enabled trigger that calls comb_guard() for column ")
        .quote(name.to_bytes())
        .hint(if has_version {
            "comb_row_version() must be called by one enabled trigger BEFORE INSERT OR UPDATE FOR EACH ROW without WHEN."
        } else if is_partition {
            "Use DETACH PARTITION ... FINALIZE if a DETACH was interrupted, else CALL comb_enable_polls() for the partitioned table."
        } else {
            "Use CALL comb_enable_polls('table', 'column')."
        })
}

#[cold]
fn other_layout(table: Oid, trigger: &TriggerRow, layout: &Layout) -> Report {
    report!(ERRCODE_WRONG_OBJECT_TYPE, "trigger ")
        .quote(trigger.name().to_bytes())
        .and(" of table ")
        .relation(table)
        .and(format_args!(" is not for layout \"{}\"", layout.label))
        .hint("All triggers for a column, also disabled ones and those of child tables, must have one layout.")
}

#[cold]
fn later_trigger(table: Oid, trigger: &TriggerRow) -> Report {
    report!(ERRCODE_WRONG_OBJECT_TYPE, "trigger ")
        .quote(trigger.name().to_bytes())
        .and(" of table ")
        .relation(table)
        .and(" is called after the guard, and can change the key")
        .hint(
            "PostgreSQL calls triggers in the order of their names. Use ALTER TRIGGER ... RENAME TO a name that sorts before that of \
             the guard, then CALL comb_enable_polls().",
        )
}

#[cold]
pub fn temporary(table: Oid) -> Report {
    report!(ERRCODE_INVALID_OBJECT_DEFINITION, "cannot poll temporary table ").relation(table)
}

/// Returns an error unless the snapshot of the statement sees what that transaction wrote.
pub fn must_see(writer: Option<u32>) -> Result<(), Report> {
    let Some(writer) = writer else { return Ok(()) };
    // SAFETY: a statement that asks for a horizon has an active snapshot.
    unsafe {
        if is_own(writer) {
            return Err(report!(
                ERRCODE_ACTIVE_SQL_TRANSACTION,
                "cannot poll in the transaction that has changed the table or its triggers"
            )
            .hint("Commit the transaction first."));
        }
        // A copy in the memory of a process keeps an id that VACUUM has frozen since: after 2^31 transactions, it is above the next.
        let is_old = ((ServerTransactions.next() as u32).wrapping_sub(writer) as i32) < 0;
        // Also of a subtransaction, which comb_horizon::Snapshot does not know.
        if is_old || !raw::XidInMVCCSnapshot(pg_sys::TransactionId::from_inner(writer), raw::GetActiveSnapshot()) {
            return Ok(());
        }
    }
    Err(too_old())
}

#[cold]
pub fn too_old() -> Report {
    report!(ERRCODE_T_R_SERIALIZATION_FAILURE, "the snapshot is older than the definition of the polled table")
        .hint("Repeat the transaction.")
}
