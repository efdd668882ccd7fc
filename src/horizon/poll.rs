//! The horizon of the calling statement for one column of one table: comb_horizon has the rule and its proof.

use std::cell::Cell;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, AclResult, Oid, SysCacheIdentifier};

use super::answers::{Horizon, Keys, asked, known, remember};
use super::changes;
use super::definition::{KeyType, Polled, accept_changes, not_polled, polled_column, polled_columns};
use super::entries::{self, clock_key};
use super::guarded::{must_see, temporary};
use super::source::{Source, scan_sequences};
use super::transactions::{ServerTransactions, full_id, own_id};
use super::tree;
use crate::postgres::catalog;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::sequence::{Reader, dropped, last_number};
use crate::postgres::string_info::StringInfo;
use crate::server::host::in_parallel_worker;
use comb_horizon::{Key, Snapshot, Unknown, number_of_tick};
use comb_id::layouts::UUIDV7;

/// The horizon for a column of a table. Without a name, it is the only polled column with such keys. `check` compares an answer with
/// the cursor: another reader can have read further since, and the source is read again.
pub fn horizon(table: Oid, name: &[u8], keys: Keys, check: impl Fn(&Horizon) -> Result<(), Report>) -> Result<Horizon, Report> {
    let snapshot = snapshot()?;
    let asked = asked(Some((table, name, keys)), &snapshot);
    if let Some(known) = known(&asked, |answer| answer.is_of(&asked), &check)? {
        return Ok(known);
    }
    let column = locked(table, name, keys)?;
    let attribute = column.attribute;
    if let Some(known) = known(&asked, |answer| answer.is_of_column(attribute, &asked), &check)? {
        tree::check(&column, &snapshot, true)?;
        changes::require_unchanged(table)?;
        return Ok(remember(asked, attribute, known));
    }
    let horizon = compute(&column, &snapshot, true)?;
    changes::require_unchanged(table)?;
    check(&horizon)?;
    Ok(remember(asked, attribute, horizon))
}

/// [`horizon`] for a statement that reads no rows by it. The caller has locked the table. It waits for no other lock, and keeps none.
pub fn horizon_now(column: &Polled) -> Result<Horizon, Report> {
    require_readable(column.topmost)?;
    let snapshot = snapshot()?;
    let compute = || compute(column, &snapshot, false);
    match column.source {
        Source::Clock => compute(),
        Source::Sequence(sequence) | Source::OwnedSequence(sequence) => {
            catalog::while_locked(sequence, pg_sys::RowExclusiveLock, compute)
                .unwrap_or_else(|| Err(catalog::is_locked(sequence)))
        }
    }
}

/// The column, after its table is locked.
fn locked(table: Oid, name: &[u8], keys: Keys) -> Result<Polled, Report> {
    lock(table)?;
    changes::look(table)?;
    let column = find(table, name, keys)?;
    if column.topmost == table { Ok(column) } else { Err(not_topmost(table, column.topmost)) }
}

/// `waits` for locks: [`tree::check`].
fn compute(column: &Polled, snapshot: &Snapshot, waits: bool) -> Result<Horizon, Report> {
    let last = || match column.source {
        Source::Clock => last_tick(),
        Source::Sequence(sequence) | Source::OwnedSequence(sequence) => Ok(last_number(sequence, Reader::Poll)?.number),
    };
    if let Source::Sequence(sequence) | Source::OwnedSequence(sequence) = column.source {
        check_sequence(sequence, false)?;
    }
    if let Source::OwnedSequence(_) = column.source {
        // The transaction can undo that the column owns it.
        scan_sequences(column.topmost, column.topmost_attribute, |row, _| must_see(row.written_by()))?;
    }
    let of_type = if let KeyType::Uuid(of_type) = column.key_type { of_type } else { column.layout };
    let horizon = Horizon { layout: column.layout, of_type, ..settled(column.key, last, snapshot)? };
    tree::check(column, snapshot, waits)?;
    Ok(horizon)
}

/// The horizon for all UUIDs that transactions of this database generate with comb_tracked() and comb_row_version().
pub fn unchecked_horizon() -> Result<Horizon, Report> {
    let snapshot = snapshot()?;
    let asked = asked(None, &snapshot);
    match known(&asked, |answer| answer.is_of_column(0, &asked), |_| Ok(()))? {
        Some(known) => Ok(known),
        None => Ok(remember(asked, 0, settled(clock_key(), last_tick, &snapshot)?)),
    }
}

/// Locks a table until the end of the transaction, so that no rewrite takes its rows from the statement.
fn lock(table: Oid) -> Result<(), Report> {
    require_readable(table)?;
    catalog::lock_to_the_end(table);
    accept_changes();
    Ok(())
}

/// Returns an error unless the statement can poll a table.
fn require_readable(table: Oid) -> Result<(), Report> {
    if in_parallel_worker() {
        return Err(report!(ERRCODE_INVALID_FUNCTION_DEFINITION, "cannot poll a table in a parallel worker")
            .hint("A function that asks for a horizon must be PARALLEL RESTRICTED."));
    }
    entries::shared()?;
    require_select(table)?;
    require_table(table)
}

/// Returns an error unless it is a table that polls can read.
pub fn require_table(table: Oid) -> Result<(), Report> {
    let class = catalog::relation(table).ok_or_else(|| catalog::no_relation(table))?;
    if !matches!(class.kind, pg_sys::RELKIND_RELATION | pg_sys::RELKIND_PARTITIONED_TABLE) {
        return Err(report!(ERRCODE_WRONG_OBJECT_TYPE, "")
            .relation(table)
            .and(" is not a table")
            .hint("Name the table that stores the rows."));
    }
    if class.persistence == pg_sys::RELPERSISTENCE_TEMP { Err(temporary(table)) } else { Ok(()) }
}

fn find(table: Oid, name: &[u8], keys: Keys) -> Result<Polled, Report> {
    let has_keys = |column: &Polled| matches!(column.key_type, KeyType::Uuid(_)) == (keys == Keys::Uuids);
    if name.is_empty() {
        let mut columns = polled_columns(table)?.filter(has_keys);
        let Some(column) = columns.next() else {
            return Err(if polled_columns(table)?.next().is_some() { other_keys(table, keys) } else { not_polled(table) });
        };
        if columns.next().is_some() {
            return Err(report!(ERRCODE_AMBIGUOUS_COLUMN, "table ")
                .relation(table)
                .and(" has several polled columns")
                .hint("Name one of them: key => 'column'."));
        }
        return polled_column(table, column.attribute);
    }
    let attribute = column_named(table, name)?;
    let column = polled_column(table, attribute)?;
    if has_keys(&column) {
        return Ok(column);
    }
    Err(other_keys(table, keys))
}

#[cold]
fn other_keys(table: Oid, keys: Keys) -> Report {
    let (asked, other) = match keys {
        Keys::Numbers => ("numbers", "comb_uuid_horizon()"),
        Keys::Uuids => ("UUIDs", "comb_number_horizon()"),
    };
    report!(ERRCODE_INVALID_PARAMETER_VALUE, "table ")
        .relation(table)
        .and(format_args!(" is not polled by {asked}"))
        .hint(format_args!("Use {other}, or name a column of {asked}."))
}

/// The number of a column.
pub fn column_named(table: Oid, name: &[u8]) -> Result<i16, Report> {
    // SAFETY: in a transaction, where any OID can be looked up. The name is a C string.
    let attribute = unsafe { raw::get_attnum(table, StringInfo::of_bytes(name).as_ptr()) };
    if attribute > 0 {
        return Ok(attribute);
    }
    let error = report!(ERRCODE_UNDEFINED_COLUMN, "column ").quote(name).and(" of table ").relation(table).and(" does not exist");
    Err(if name.starts_with(b"\"") { error.hint("Write the name without double quotes.") } else { error })
}

#[cold]
fn not_topmost(table: Oid, topmost: Oid) -> Report {
    report!(ERRCODE_WRONG_OBJECT_TYPE, "cannot poll ")
        .relation(table)
        .and(" alone, which is a part of table ")
        .relation(topmost)
        .hint("Poll the partitioned table, or the table that is inherited.")
}

/// Whether the current role has a privilege on a table, or on a column of it. False if there is no table.
pub fn may(table: Oid, privilege: u32) -> bool {
    // SAFETY: reads a variable of the process, which is set in a transaction.
    let role = unsafe { raw::GetUserId() };
    catalog::may(table, role, privilege).is_some_and(|may| {
        let (mode, any) = (pg_sys::AclMode::from(privilege), pg_sys::AclMaskHow::ACLMASK_ANY);
        // SAFETY: the table exists.
        may || unsafe { raw::pg_attribute_aclcheck_all(table, role, mode, any) == AclResult::ACLCHECK_OK }
    })
}

/// Returns an error unless the current role may read a column.
pub fn require_select(table: Oid) -> Result<(), Report> {
    if may(table, pg_sys::ACL_SELECT) {
        return Ok(());
    }
    if catalog::relation(table).is_none() {
        return Err(catalog::no_relation(table));
    }
    Err(report!(ERRCODE_INSUFFICIENT_PRIVILEGE, "permission denied for table ")
        .relation(table)
        .hint("The role needs SELECT on the table or on one of its columns."))
}

/// Numbers must be drawn in ascending order, and must not come again. `is_strict`: those of a cache, or with gaps that programs
/// fill, would be rejected by the guard.
pub fn check_sequence(sequence: Oid, is_strict: bool) -> Result<(), Report> {
    // seqincrement, seqcache and seqcycle (catalog/pg_sequence.h), which are never NULL.
    let definition = catalog::cached(SysCacheIdentifier::SEQRELID, sequence, |row| {
        [4, 7, 8].map(|column| row.value(column).map_or(0, |value| value.value() as i64))
    });
    let persistence = catalog::relation(sequence).map(|class| class.persistence);
    let Some(([increment, cache, cycles], persistence)) = definition.zip(persistence) else {
        return Err(dropped(sequence));
    };
    let refused = |problem, hint| Err(refused(sequence, problem, hint));
    if increment <= 0 {
        return refused("which descends", "Use an identity column that ascends.");
    }
    if cycles as u8 != 0 {
        return refused("which cycles", "Old numbers would come again. Use ALTER SEQUENCE ... NO CYCLE.");
    }
    if persistence == pg_sys::RELPERSISTENCE_UNLOGGED {
        return refused(
            "which is unlogged",
            "After a crash, it would draw its first numbers again. Use ALTER SEQUENCE ... SET LOGGED, then setval() with its last number.",
        );
    }
    if is_strict && cache != 1 {
        return refused(
            "which has a cache",
            "Each session would draw numbers before others, and store them later. Use ALTER SEQUENCE ... CACHE 1.",
        );
    }
    if is_strict && increment != 1 {
        return refused(
            "whose increment is not 1",
            "Programs such as Hibernate and EF Core's HiLo generate the numbers between, and store them later. Poll by a version \
             column, or let these programs draw each number, before ALTER SEQUENCE ... INCREMENT BY 1.",
        );
    }
    Ok(())
}

#[cold]
fn refused(sequence: Oid, problem: &str, hint: &str) -> Report {
    report!(ERRCODE_WRONG_OBJECT_TYPE, "cannot poll numbers of sequence ")
        .relation(sequence)
        .and(format_args!(", {problem}"))
        .hint(hint)
}

/// The tick of the clock now, as a number.
pub fn last_tick() -> Result<i64, Report> {
    let (block, process, _) = entries::shared()?;
    // An idle server's clock would stand still.
    Ok(number_of_tick(block.now(&process)?.tick))
}

fn settled(key: Key, last: impl Fn() -> Result<i64, Report>, snapshot: &Snapshot) -> Result<Horizon, Report> {
    let (_, _, floors) = entries::shared()?;
    let first = Cell::new(None);
    let last = || {
        let number = last()?;
        first.set(first.get().or(Some(number)));
        Ok::<_, Report>(number)
    };
    let settled = floors.settled(key, last, snapshot, &ServerTransactions)?;
    Ok(Horizon { settled, last: first.get().unwrap_or(settled), layout: &UUIDV7, of_type: &UUIDV7 })
}

impl From<Unknown> for Report {
    #[cold]
    fn from(unknown: Unknown) -> Self {
        match unknown {
            Unknown::Overwritten => {
                report!(ERRCODE_T_R_SERIALIZATION_FAILURE, "the horizon of this snapshot is not known any more")
                    .detail("Since the snapshot was taken, more transactions have ended than comb remembers.")
                    .hint("Repeat the transaction. Use REPEATABLE READ, and ask for the horizon before a long statement.")
            }
            Unknown::EveryNumber(id) => report!(
                ERRCODE_T_R_SERIALIZATION_FAILURE,
                "transaction {} was prepared by version 0.4.1 of comb, and can have stored numbers of any table",
                id as u32
            )
            .hint("End it with COMMIT PREPARED or ROLLBACK PREPARED. pg_prepared_xacts shows it."),
        }
    }
}

/// The snapshot of the calling statement, which exists until the end of the call.
fn snapshot() -> Result<Snapshot<'static>, Report> {
    // SAFETY: the active snapshot exists until the end of the call.
    let active = unsafe { raw::ActiveSnapshotSet().then(|| &*raw::GetActiveSnapshot()) };
    let Some(active) = active.filter(|active| active.snapshot_type == pg_sys::SnapshotType::SNAPSHOT_MVCC) else {
        return Err(report!(ERRCODE_INVALID_OBJECT_DEFINITION, "the horizon requires the snapshot of a statement"));
    };
    // It has the running transactions in another array, without those that will begin on the new primary.
    if active.takenDuringRecovery {
        return Err(entries::in_recovery());
    }
    let running = match active.xcnt {
        0 => &[],
        // SAFETY: the snapshot has `xcnt` ids there, until the end of the call. A transaction id is a u32.
        count => unsafe { std::slice::from_raw_parts(active.xip.cast(), count as usize) },
    };
    let [xmin, xmax] = [active.xmin, active.xmax].map(|id| full_id(id.into_inner()));
    Ok(Snapshot { xmin, xmax, running, own: own_id() })
}
