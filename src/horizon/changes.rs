//! What changes during a transaction, in which a statement can have been planned before, or can have looked a name up.
//!
//! PostgreSQL looks up the table of a poll before the poll locks it. If another table gets its name meanwhile, the poll would
//! answer for the one, and the statement would read the other.

use std::cell::{Cell, UnsafeCell};

use pgrx::pg_sys::Oid;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use crate::postgres::catalog::{self, NameRows};
use crate::postgres::compat::local_transaction_id;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};

/// A set of numbers. Of more than there is room for, it contains every number.
#[derive(Clone, Copy)]
struct Set<const ROOM: usize> {
    numbers: [u32; ROOM],
    count: usize,
}

impl<const ROOM: usize> Set<ROOM> {
    const EMPTY: Self = Self { numbers: [0; ROOM], count: 0 };

    fn contains(&self, number: u32) -> bool {
        self.numbers.get(..self.count).is_none_or(|numbers| numbers.contains(&number))
    }

    /// 0: every number.
    fn insert(&mut self, number: u32) {
        if number == 0 {
            self.count = usize::MAX;
        } else if !self.contains(number) {
            if let Some(place) = self.numbers.get_mut(self.count) {
                *place = number;
            }
            self.count += 1;
        }
    }
}

/// The relations and schemas about which messages came during a transaction.
#[derive(Clone, Copy)]
pub struct Changed {
    transaction: u32,
    relations: Set<128>,
    /// The hashes of their OIDs.
    schemas: Set<8>,
}

impl Changed {
    const NONE: Self = Self { transaction: 0, relations: Set::EMPTY, schemas: Set::EMPTY };

    pub fn contains(&self, relation: Oid) -> bool {
        self.relations.contains(relation.to_u32())
    }

    /// Whether a table or its schema can have got another name.
    fn contains_name(&self, table: Oid) -> bool {
        self.contains(table) || catalog::schema_hash(table).is_none_or(|hash| self.schemas.contains(hash))
    }
}

static CHANGED_NOW: OneThread<Cell<Changed>> = OneThread::new(Cell::new(Changed::NONE));

/// Those of the current transaction.
pub fn changed_now() -> Changed {
    let (changed, transaction) = (CHANGED_NOW.get(), local_transaction_id());
    if changed.transaction == transaction { changed } else { Changed { transaction, ..Changed::NONE } }
}

/// Notes a relation that has changed; INVALID: any can have.
pub fn note_relation(relation: Oid) {
    note(|changed| changed.relations.insert(relation.to_u32()));
}

static SCHEMAS: OneThread<Cell<u64>> = OneThread::new(Cell::new(0));

/// A number that changes when a schema may have got another name.
pub fn schemas() -> u64 {
    SCHEMAS.get()
}

/// Notes a schema that has changed, by the hash of its OID; 0: any can have. No message comes about its tables, which have another
/// name.
pub fn note_schema(hash: u32) {
    SCHEMAS.set(SCHEMAS.get() + 1);
    note(|changed| changed.schemas.insert(hash));
}

fn note(insert: impl FnOnce(&mut Changed)) {
    // A statement is planned after the start of its transaction, at which all older messages come.
    // SAFETY: reads a variable of the process.
    if unsafe { raw::IsTransactionState() } {
        let mut changed = changed_now();
        insert(&mut changed);
        CHANGED_NOW.set(changed);
    }
}

/// How many tables a process knows.
const TABLES: usize = 64;

/// A table that the process has polled.
#[derive(Clone, Copy)]
struct Known {
    table: Oid,
    name: Option<NameRows>,
    /// The local id of the transaction whose statement may have meant another table.
    doubtful_in: u32,
}

struct Tables {
    tables: [Known; TABLES],
    next: usize,
}

static KNOWN: OneThread<UnsafeCell<Tables>> = OneThread::new(UnsafeCell::new(Tables {
    tables: [Known { table: Oid::INVALID, name: None, doubtful_in: 0 }; TABLES],
    next: 0,
}));

/// Compares the rows that have the name of a table, which the caller has locked, with those of the last poll. A table that was
/// renamed twice has the same name in other rows.
///
/// # Errors
/// Another transaction can have renamed the table during this one.
pub fn look(table: Oid) -> Result<(), Report> {
    let (name, transaction) = (catalog::name_rows(table), local_transaction_id());
    // SAFETY: no call of PostgreSQL while the reference is in use.
    let known = unsafe { &mut *KNOWN.get() };
    if let Some(known) = known.tables.iter_mut().find(|known| known.table == table) {
        if known.name == name && known.doubtful_in != transaction {
            return Ok(());
        }
        known.name = name;
        if is_renamed_by_another(table) {
            doubt(table);
            return Err(is_other(table));
        }
        return Ok(());
    }
    known.next = (known.next + 1) % TABLES;
    known.tables[known.next % TABLES] = Known { table, name, doubtful_in: 0 };
    // The name that it had is not known. Other checks come first: they say more.
    if changed_now().contains_name(table) {
        doubt(table);
    }
    Ok(())
}

/// That of this transaction is the error of another check.
#[cold]
fn is_renamed_by_another(table: Oid) -> bool {
    let is_own = catalog::relation(table).and_then(|class| class.written_by).is_some_and(catalog::is_own);
    changed_now().contains_name(table) && !is_own
}

/// Has [`require_unchanged`] return an error until the end of the transaction.
#[cold]
fn doubt(table: Oid) {
    // SAFETY: no call of PostgreSQL while the reference is in use.
    let known = unsafe { &mut *KNOWN.get() }.tables.iter_mut().find(|known| known.table == table);
    if let Some(known) = known {
        known.doubtful_in = local_transaction_id();
    }
}

/// Returns an error if the statement may have meant another table.
pub fn require_unchanged(table: Oid) -> Result<(), Report> {
    // SAFETY: no call of PostgreSQL while the reference is in use.
    let known = unsafe { &*KNOWN.get() }.tables.iter().find(|known| known.table == table);
    match known {
        Some(known) if known.doubtful_in != local_transaction_id() => Ok(()),
        _ => Err(is_other(table)),
    }
}

#[cold]
fn is_other(table: Oid) -> Report {
    report!(ERRCODE_T_R_SERIALIZATION_FAILURE, "table ")
        .relation(table)
        .and(" was changed or renamed during the transaction")
        .hint("Repeat the transaction.")
}
