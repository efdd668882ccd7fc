//! The polled columns of a table, as its triggers say: the topmost table of each, and what fills it.
//!
//! Floors belong to the topmost table, because a poll names that one: the root of a partitioned table, or the parent of a table
//! that inherits the column. Of INHERITS, one level and one parent are supported: NO INHERIT of a parent does not wait for the
//! writers of a grandchild.
//!
//! Facts are cached, and forgotten when PostgreSQL says that a relation has changed on which they depend. What a sequence owns it
//! does not say: such a source is read again by each poll, and by each writer after it has its entry.

use std::cell::{Cell, UnsafeCell};
use std::ffi::CStr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Oid, SysCacheIdentifier};

use super::changes;
use super::source::{Source, source_of};
use super::triggers::{self, Calls};
use crate::postgres::catalog;
use crate::postgres::compat::{CHILDREN, FormDataPgInherits, PARENTS};
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::sequence::dropped;
use comb_horizon::Key;
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, UUIDV7, labelled};
use uuid::Uuid;

/// A type of keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KeyType {
    Smallint,
    Integer,
    Bigint,
    /// uuid or uniqueidentifier, and the layout of keys if nothing names another one.
    Uuid(&'static Layout),
}

/// A polled column of a table.
#[derive(Clone, Copy)]
pub struct Polled {
    /// The number of the column in the table.
    pub attribute: i16,
    pub topmost: Oid,
    pub topmost_attribute: i16,
    pub key_type: KeyType,
    /// Of UUIDs.
    pub layout: &'static Layout,
    pub source: Source,
    /// Of the floors: the column in the topmost table, or the clock.
    pub key: Key,
}

/// How many polled columns a table can have.
const COLUMNS: usize = 8;
/// On how many relations the facts of a table can depend.
const DEPENDENCIES: usize = 32;
/// How many tables a process knows.
const TABLES: usize = 64;

/// The polled columns of one table.
#[derive(Clone, Copy)]
struct Definition {
    columns: [Option<Polled>; COLUMNS],
    depends_on: [Oid; DEPENDENCIES],
    count: usize,
}

impl Definition {
    const NONE: Self = Self { columns: [None; COLUMNS], depends_on: [Oid::INVALID; DEPENDENCIES], count: 0 };

    fn depend_on(&mut self, relation: Oid) -> Result<(), Report> {
        if self.depends_on.contains(&relation) {
            return Ok(());
        }
        let place = self.depends_on.get_mut(self.count).ok_or_else(|| {
            report!(ERRCODE_PROGRAM_LIMIT_EXCEEDED, "too many tables and sequences are above table ").relation(relation)
        })?;
        *place = relation;
        self.count += 1;
        Ok(())
    }
}

struct Known {
    tables: [Option<(Oid, Definition)>; TABLES],
    next: usize,
}

static KNOWN: OneThread<UnsafeCell<Known>> = OneThread::new(UnsafeCell::new(Known { tables: [None; TABLES], next: 0 }));

/// The number of changes of relations on which facts depended.
static GENERATION: OneThread<Cell<u64>> = OneThread::new(Cell::new(0));

/// A number that changes when a fact of this file may have changed.
pub fn generation() -> u64 {
    GENERATION.get()
}

/// Reads facts from catalogs until no message comes meanwhile about a relation on which they depend. `depends` says whether they
/// depend on any relation for which a function returns true.
pub fn read_facts<T>(
    read: impl Fn() -> Result<T, Report>,
    depends: impl Fn(&T, &dyn Fn(Oid) -> bool) -> bool,
) -> Result<T, Report> {
    loop {
        accept_changes();
        changes::watch();
        let facts = read()?;
        if !depends(&facts, &changes::has_come) {
            return Ok(facts);
        }
    }
}

/// Reads the messages of other processes that definitions have changed.
pub fn accept_changes() {
    // SAFETY: called in a transaction, in which PostgreSQL can read catalogs.
    unsafe { raw::AcceptInvalidationMessages() };
}

/// A relation has changed; INVALID: any can have.
pub fn forget(relation: Oid) {
    // SAFETY: no reference to the facts is in use while PostgreSQL reads catalogs.
    for known in unsafe { &mut *KNOWN.get() }.tables.iter_mut() {
        let is_concerned = |(_, facts): &(Oid, Definition)| relation == Oid::INVALID || facts.depends_on.contains(&relation);
        if known.as_ref().is_some_and(is_concerned) {
            *known = None;
            GENERATION.set(GENERATION.get() + 1);
        }
    }
}

/// The polled columns of a table.
pub fn polled_columns(table: Oid) -> Result<impl Iterator<Item = Polled>, Report> {
    Ok(definition(table)?.columns.into_iter().flatten())
}

/// The polled column of a table with that number, as the catalogs have it now: of what a sequence owns, no message comes.
pub fn polled_column(table: Oid, attribute: i16) -> Result<Polled, Report> {
    let find = || Ok::<_, Report>(polled_columns(table)?.find(|column| column.attribute == attribute));
    match find()? {
        Some(Polled { source: Source::OwnedSequence(_), .. }) => {
            relation_is_unknown(table);
            // SAFETY: in a transaction. The next scan of a catalog takes a new snapshot.
            unsafe { raw::InvalidateCatalogSnapshot() };
            find()?
        }
        found => found,
    }
    .ok_or_else(|| not_polled(table))
}

#[cold]
pub fn not_polled(table: Oid) -> Report {
    report!(ERRCODE_WRONG_OBJECT_TYPE, "table ")
        .relation(table)
        .and(" is not prepared for polls")
        .detail("It has no trigger that calls comb_guard() or comb_row_version() for such a column.")
        .hint("Use CALL comb_enable_polls('table', 'column').")
}

fn relation_is_unknown(table: Oid) {
    // SAFETY: no reference to the facts is in use.
    let known = unsafe { &mut *KNOWN.get() }.tables.iter_mut().find(|known| known.is_some_and(|(of, _)| of == table));
    if let Some(known) = known {
        *known = None;
    }
}

fn definition(table: Oid) -> Result<Definition, Report> {
    // SAFETY: no call below uses the facts while this reference is in use.
    if let Some((_, facts)) = unsafe { &*KNOWN.get() }.tables.iter().flatten().find(|(of, _)| *of == table) {
        return Ok(*facts);
    }
    let read = || {
        let mut facts = Definition::NONE;
        facts.depend_on(table)?;
        triggers::scan(table, |trigger| {
            if trigger.calls().is_some_and(Calls::guards) {
                add_column(&mut facts, table, trigger.column(), trigger.layout())?;
            }
            Ok(())
        })?;
        Ok(facts)
    };
    let facts = read_facts(read, |facts, is_it| facts.depends_on.iter().any(|relation| is_it(*relation)))?;
    // SAFETY: no call of PostgreSQL while this reference is in use.
    let known = unsafe { &mut *KNOWN.get() };
    known.next = (known.next + 1) % TABLES;
    if let Some(place) = known.tables.get_mut(known.next) {
        *place = Some((table, facts));
    }
    Ok(facts)
}

/// Adds the column that a trigger names. One that does not exist, or has another type, is the error of the trigger's function.
fn add_column(facts: &mut Definition, table: Oid, name: &CStr, label: Option<&CStr>) -> Result<(), Report> {
    let Some((attribute, key_type)) = catalog::column(table, name, |_, column| (column.attnum, key_type(column.atttypid))) else {
        return Ok(());
    };
    let Some(key_type) = key_type else { return Ok(()) };
    let layout = match (key_type, label) {
        (KeyType::Uuid(by_type), None) => by_type,
        (KeyType::Uuid(_), Some(label)) => match labelled(label.to_bytes()) {
            Some(layout) => layout,
            None => return Ok(()),
        },
        _ => &UUIDV7,
    };
    let topmost = topmost(table, name, |above| facts.depend_on(above))?;
    // SAFETY: a number that is set when the process connects to its database, before it runs SQL.
    let database = unsafe { pg_sys::MyDatabaseId }.to_u32();
    // SAFETY: in a transaction, where any OID can be looked up. The name is a C string.
    let topmost_attribute = unsafe { raw::get_attnum(topmost, name.as_ptr()) };
    let (source, key) = if let KeyType::Uuid(_) = key_type {
        (Source::Clock, Key::clock(database))
    } else {
        let source = source_of(topmost, topmost_attribute)?;
        if let Source::Sequence(sequence) | Source::OwnedSequence(sequence) = source {
            facts.depend_on(sequence)?;
            require_use(topmost, sequence)?;
        }
        (source, Key::column(database, topmost.to_u32(), topmost_attribute))
    };
    let polled = Polled { attribute, topmost, topmost_attribute, key_type, layout, source, key };
    match facts.columns.iter_mut().find(|place| place.is_none_or(|column| column.attribute == attribute)) {
        Some(place) => *place = Some(polled),
        None => {
            return Err(report!(ERRCODE_TOO_MANY_COLUMNS, "table ")
                .relation(table)
                .and(format_args!(" has more than {COLUMNS} polled columns"))
                .hint("Drop a trigger that calls comb_guard() or comb_row_version()."));
        }
    }
    Ok(())
}

/// Returns an error unless the owner of the table may use the sequence: a horizon says its last number.
fn require_use(table: Oid, sequence: Oid) -> Result<(), Report> {
    let (owner, of_sequence) = (catalog::owner(table)?, catalog::owner(sequence).map_err(|_| dropped(sequence))?);
    let any = pg_sys::ACL_SELECT | pg_sys::ACL_USAGE | pg_sys::ACL_UPDATE;
    // A sequence of the same owner is the usual one, also if its owner has revoked privileges.
    if of_sequence == owner || catalog::may(sequence, owner, any) == Some(true) {
        return Ok(());
    }
    Err(report!(ERRCODE_INSUFFICIENT_PRIVILEGE, "the owner of table ")
        .relation(table)
        .and(" may not use sequence ")
        .relation(sequence)
        .hint("Use GRANT USAGE ON SEQUENCE."))
}

/// The topmost table of a column, from whose rows the table gets the column. Calls `visit` with the tables above.
fn topmost(table: Oid, column: &CStr, mut visit: impl FnMut(Oid) -> Result<(), Report>) -> Result<Oid, Report> {
    let mut at = table;
    if catalog::relation(table).is_some_and(|class| class.is_partition) {
        while let [Some(above), _] = parents(at, None)? {
            visit(above)?;
            at = above;
        }
        return Ok(at);
    }
    match parents(table, Some(column))? {
        [None, _] => Ok(table),
        [Some(above), None] if parents(above, Some(column))?[0].is_none() && !has_children(table)? => {
            visit(above)?;
            Ok(above)
        }
        _ => Err(deep_inheritance(table)),
    }
}

#[cold]
pub fn deep_inheritance(table: Oid) -> Report {
    report!(ERRCODE_WRONG_OBJECT_TYPE, "table ")
        .relation(table)
        .and(" inherits a polled column over two levels, or from two tables")
        .hint("Use a partitioned table, or ALTER TABLE ... NO INHERIT.")
}

/// The first two tables above; of INHERITS, those that have the column.
pub fn parents(table: Oid, column: Option<&CStr>) -> Result<[Option<Oid>; 2], Report> {
    let mut parents = [None; 2];
    let mut count = 0;
    catalog::scan(PARENTS, &[table], |row| {
        // SAFETY: the scan is of pg_inherits, whose rows have this type.
        let above = unsafe { row.form::<FormDataPgInherits>() }.inhparent;
        if column.is_none_or(|name| catalog::column(above, name, |_, _| ()).is_some()) {
            if let Some(place) = parents.get_mut(count) {
                *place = Some(above);
            }
            count += 1;
        }
        Ok(())
    })?;
    Ok(parents)
}

pub fn has_children(table: Oid) -> Result<bool, Report> {
    let mut has = false;
    if catalog::relation(table).is_some_and(|class| class.has_children) {
        catalog::scan(CHILDREN, &[table], |_| {
            has = true;
            Ok(())
        })?;
    }
    Ok(has)
}

/// The name of a column in all tables of its tree.
pub fn column_name(column: &Polled) -> &CStr {
    // SAFETY: the column exists. The name is a copy in the memory context of the call.
    unsafe { CStr::from_ptr(raw::get_attname(column.topmost, column.topmost_attribute, false)) }
}

/// The type of a key, under its domains; `None` if it is another one.
pub fn key_type(type_id: Oid) -> Option<KeyType> {
    // SAFETY: in a transaction. A type that does not exist is an ERROR.
    match unsafe { raw::getBaseType(type_id) } {
        pg_sys::INT2OID => Some(KeyType::Smallint),
        pg_sys::INT4OID => Some(KeyType::Integer),
        pg_sys::INT8OID => Some(KeyType::Bigint),
        pg_sys::UUIDOID => Some(KeyType::Uuid(&UUIDV7)),
        other => is_uniqueidentifier(other).then_some(KeyType::Uuid(&MSSQL)),
    }
}

fn is_uniqueidentifier(type_id: Oid) -> bool {
    let is_it = catalog::cached(SysCacheIdentifier::TYPEOID, type_id, |row| {
        // SAFETY: the rows of this cache are those of pg_type, whose names end with a zero.
        let (form, name) = unsafe {
            let form = row.form::<pg_sys::FormData_pg_type>();
            (form, CStr::from_ptr(form.typname.data.as_ptr()))
        };
        // Any type can have this name.
        let is_sixteen_bytes = !form.typbyval && usize::try_from(form.typlen) == Ok(size_of::<Uuid>());
        is_sixteen_bytes && name == c"uniqueidentifier"
    });
    is_it == Some(true)
}
