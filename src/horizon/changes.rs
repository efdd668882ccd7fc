//! What changes during a transaction, in which a statement can have been planned before, or can have looked a name up.
//!
//! PostgreSQL looks up the table of a poll before the poll locks it. If another table gets its name meanwhile, the poll would
//! answer for the one, and the statement would read the other.

use std::cell::{Cell, UnsafeCell};

use pgrx::pg_sys::Oid;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::stored::{self, may_lack};
use crate::postgres::catalog::{self, NameRows};
use crate::postgres::compat::local_transaction_id;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};

/// A set of numbers, by their last 16 bits: it also contains others. New OIDs follow each other, and those of an hour have few bits
/// in common.
struct Set {
    words: [u64; 1024],
}

impl Set {
    const EMPTY: Self = Self { words: [0; 1024] };

    fn word(&mut self, number: u32) -> &mut u64 {
        &mut self.words[number as usize / 64 % 1024]
    }

    fn contains(&mut self, number: u32) -> bool {
        *self.word(number) >> (number % 64) & 1 != 0
    }

    /// 0: every number.
    fn insert(&mut self, number: u32) {
        if number == 0 {
            self.words.fill(u64::MAX);
        } else {
            *self.word(number) |= 1 << (number % 64);
        }
    }
}

/// The relations about which messages came since [`watch`].
static WATCHED: OneThread<UnsafeCell<Set>> = OneThread::new(UnsafeCell::new(Set::EMPTY));

/// Forgets which messages have come.
pub fn watch() {
    // SAFETY: no other reference is in use.
    unsafe { &mut *WATCHED.get() }.words.fill(0);
}

/// Whether a message about a relation has come since [`watch`].
pub fn has_come(relation: Oid) -> bool {
    // SAFETY: no other reference is in use.
    unsafe { &mut *WATCHED.get() }.contains(relation.to_u32())
}

/// About what messages came in the middle of a transaction. PostgreSQL can have stored a statement, a plan or a partition descriptor
/// since that it had begun before.
struct Doubted {
    relations: Set,
    /// The hashes of their OIDs.
    schemas: Set,
    /// The local id of the transaction whose statements can lack any message.
    all_in: u32,
}

static DOUBTED: OneThread<UnsafeCell<Doubted>> =
    OneThread::new(UnsafeCell::new(Doubted { relations: Set::EMPTY, schemas: Set::EMPTY, all_in: 0 }));

/// A statement is planned after the start of its transaction, at which all older messages come.
fn note_doubt(insert: impl FnOnce(&mut Doubted)) {
    // SAFETY: both read variables of the process. In a subtransaction that has failed, PostgreSQL is in no transaction state.
    if unsafe { raw::IsTransactionState() || raw::GetCurrentTransactionNestLevel() > 1 } {
        // SAFETY: no other reference is in use. `insert` calls no function of PostgreSQL.
        insert(unsafe { &mut *DOUBTED.get() });
        stored::note_own();
    }
}

/// Whether a statement may have been planned before a message about a relation, or with what PostgreSQL has stored before.
pub fn doubts(relation: Oid) -> bool {
    // SAFETY: no other reference is in use.
    let doubted = unsafe { &mut *DOUBTED.get() };
    doubted.all_in == local_transaction_id() || doubted.relations.contains(relation.to_u32())
}

fn doubts_schema(hash: u32) -> bool {
    // SAFETY: no other reference is in use.
    let doubted = unsafe { &mut *DOUBTED.get() };
    doubted.all_in == local_transaction_id() || doubted.schemas.contains(hash)
}

/// Has PostgreSQL read and plan all again after a poll has found that something can be wrong. Its transaction fails.
#[cold]
pub fn repair() {
    stored::renew();
    // SAFETY: no other reference is in use.
    let doubted = unsafe { &mut *DOUBTED.get() };
    doubted.relations.words.fill(0);
    doubted.schemas.words.fill(0);
    note_all();
}

/// Notes that the statements of this transaction can lack any change.
pub fn note_all() {
    COUNT.set(COUNT.get() + 1);
    note_any();
    // SAFETY: no other reference is in use.
    unsafe { &mut *DOUBTED.get() }.all_in = local_transaction_id();
}

/// Notes a message about something on which all that is read may depend.
pub fn note_any() {
    // SAFETY: no other reference is in use.
    unsafe { &mut *WATCHED.get() }.insert(0);
}

/// Notes a message about a relation; INVALID: about all.
pub fn note_relation(relation: Oid) {
    COUNT.set(COUNT.get() + 1);
    // SAFETY: no other reference is in use.
    unsafe { &mut *WATCHED.get() }.insert(relation.to_u32());
    note_doubt(|doubted| doubted.relations.insert(relation.to_u32()));
}

static COUNT: OneThread<Cell<u64>> = OneThread::new(Cell::new(0));

/// A number that changes when a relation may have changed, or a schema may have got another name.
pub fn count() -> u64 {
    COUNT.get()
}

/// Notes a message about a schema, by the hash of its OID; 0: about all. No message comes about its tables, which have another name.
pub fn note_schema(hash: u32) {
    COUNT.set(COUNT.get() + 1);
    note_doubt(|doubted| doubted.schemas.insert(hash));
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

/// Whether a statement can have meant another table by the name that a table had, or by that of its schema.
fn can_have_other_name(table: Oid, name: Option<NameRows>) -> bool {
    let Some(((writer, schema_writer, _), schema)) = name.zip(catalog::schema_hash(table)) else { return true };
    may_lack(writer) && doubts(table) || may_lack(schema_writer) && doubts_schema(schema)
}

/// Compares the rows that have the name of a table, which the caller has locked, with those of the last poll. A table that was
/// renamed twice has the same name in other rows.
///
/// # Errors
/// Another transaction can have renamed the table during this one, or during an earlier one that has prepared the statement.
pub fn look(table: Oid) -> Result<(), Report> {
    let (name, transaction) = (catalog::name_rows(table), local_transaction_id());
    // SAFETY: a copy; no call of PostgreSQL while the reference is in use.
    let known = unsafe { &*KNOWN.get() }.tables.iter().find(|known| known.table == table).copied();
    if known.is_some_and(|known| known.name == name && known.doubtful_in != transaction) {
        return Ok(());
    }
    // Of a new table, the name that it had is not known.
    let is_doubtful = can_have_other_name(table, name);
    if is_doubtful {
        // After an ERROR, the next poll compares again.
        repair();
    }
    let doubtful_in = if is_doubtful { transaction } else { known.map_or(0, |known| known.doubtful_in) };
    remember(Known { table, name, doubtful_in });
    // Of a new table, other checks come first: they say more.
    if is_doubtful && known.is_some() { Err(is_other(table)) } else { Ok(()) }
}

fn remember(table: Known) {
    // SAFETY: no call of PostgreSQL while the reference is in use.
    let known = unsafe { &mut *KNOWN.get() };
    let place = known.tables.iter().position(|known| known.table == table.table).unwrap_or_else(|| {
        known.next = (known.next + 1) % TABLES;
        known.next
    });
    known.tables[place] = table;
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
        .and(" can have been renamed since the statement looked up its name")
        .hint("Repeat the transaction in the same connection.")
}
