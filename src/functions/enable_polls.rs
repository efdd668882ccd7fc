//! comb_enable_polls() and comb_disable_polls(): the triggers of a polled table.

use std::ffi::CStr;

use pgrx::PgLogLevel;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, Oid};

use super::horizon::{given, greatest, require_comparable};
use super::layout::layout_named;
use crate::horizon::definition::{KeyType, Polled, column_name, key_type, polled_column};
use crate::horizon::members;
use crate::horizon::poll::{check_sequence, column_named, last_tick, require_table};
use crate::horizon::source::{Source, source_of};
use crate::horizon::tree;
use crate::horizon::triggers::{self, Calls, TriggerRow};
use crate::postgres::call::{Call, export};
use crate::postgres::catalog;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::sequence::{Reader, last_number};
use crate::postgres::spi;
use crate::postgres::string_info::StringInfo;
use comb_id::layout::Layout;
use comb_id::layouts::labelled;

export!(comb_enable_polls, comb_disable_polls);

/// The name of the guard begins so that it sorts after those of other triggers, such as those of TimescaleDB.
const GUARD: &str = "zz_comb_guard_";

/// Creates the triggers, or creates them again: polls then see that the guard is there.
fn comb_enable_polls(call: Call, table: Option<Oid>, key: Option<&[u8]>, layout: Option<&[u8]>) -> Result<Datum, Report> {
    let (table, key) = (given(table)?, given(key)?);
    require_table(table)?;
    require_owner(table)?;
    let name = StringInfo::of_bytes(key);
    let attribute = column_named(table, key)?;
    let column = catalog::column(table, name.as_c_str(), |_, column| (column.atttypid, column.attgenerated));
    let by_type = match column.filter(|column| column.1 == 0).and_then(|column| key_type(column.0)) {
        Some(KeyType::Uuid(by_type)) => Some(by_type),
        Some(_) => None,
        None => {
            return Err(report!(ERRCODE_INVALID_PARAMETER_VALUE, "cannot poll by column ")
                .quote(key)
                .hint("Poll by a column of type bigint, integer, smallint, uuid or uniqueidentifier that is not generated."));
        }
    };
    let layout = match (layout, by_type) {
        (None, None) => None,
        // Its keys stay as they are.
        (None, Some(_)) => layout_of_guard(table, key)?,
        (Some(label), Some(by_type)) => {
            let layout = layout_named(label)?;
            require_comparable(layout, by_type)?;
            Some(layout).filter(|layout| *layout != by_type)
        }
        (Some(_), None) => {
            return Err(report!(ERRCODE_INVALID_PARAMETER_VALUE, "numbers have no layout").hint("Leave the argument out."));
        }
    };
    if catalog::relation(table).is_some_and(|class| class.is_partition) {
        return Err(report!(ERRCODE_WRONG_OBJECT_TYPE, "cannot poll partition ")
            .relation(table)
            .hint("Call it for the partitioned table."));
    }
    let functions = Functions::of(call);
    spi::connected(|| {
        // A table that inherits does not inherit triggers.
        for_each_root(table, |root| create_guard(&functions, root, key, layout.map(|layout| layout.label)))?;
        let column = polled_column(table, attribute)?;
        if column.topmost != table {
            return Err(report!(ERRCODE_WRONG_OBJECT_TYPE, "cannot poll ")
                .relation(table)
                .and(" alone, which is a part of table ")
                .relation(column.topmost)
                .hint("Call it for that table."));
        }
        if let Source::Sequence(sequence) | Source::OwnedSequence(sequence) = column.source {
            check_sequence(sequence, true)?;
            for_each_root(table, |root| check_default(&column, root, sequence))?;
        }
        // TimescaleDB stores no row in a chunk that has a statement trigger. Programs do not write chunks directly.
        let has_chunks = is_hypertable(table);
        members::for_each_table(table, |member| {
            if has_chunks && member.inherits { Ok(()) } else { create_track(&functions, member.table) }
        })?;
        tree::check_triggers(&column, false)?;
        if members::has_subscription()?
            && let Err(refused) = tree::check_triggers(&column, true)
        {
            refused.send(PgLogLevel::WARNING);
        }
        warn(&functions, &column)
    })?;
    Ok(Datum::null())
}

/// The layout that a guard of a column names.
fn layout_of_guard(table: Oid, key: &[u8]) -> Result<Option<&'static Layout>, Report> {
    let mut layout = None;
    triggers::scan(table, |trigger| {
        if is_guard(table, trigger, key) {
            layout = trigger.layout().and_then(|label| labelled(label.to_bytes()));
        }
        Ok(())
    })?;
    Ok(layout)
}

/// The statements of the call read the table and change its triggers.
fn require_owner(table: Oid) -> Result<(), Report> {
    if catalog::is_owner(table) {
        return Ok(());
    }
    Err(report!(ERRCODE_INSUFFICIENT_PRIVILEGE, "must be owner of table ").relation(table))
}

/// Returns an error if a table that inherits draws from another sequence: the guard would reject its numbers.
fn check_default(column: &Polled, table: Oid, sequence: Oid) -> Result<(), Report> {
    let name = column_name(column).to_bytes();
    match source_of(table, column_named(table, name)?) {
        Ok(Source::Sequence(other)) if other != sequence => Err(report!(ERRCODE_WRONG_OBJECT_TYPE, "column ")
            .quote(name)
            .and(" of table ")
            .relation(table)
            .and(" does not draw from sequence ")
            .relation(sequence)
            .hint(
                "The table that is inherited does. Use ALTER TABLE ... ALTER COLUMN ... SET DEFAULT nextval() of that sequence.",
            )),
        _ => Ok(()),
    }
}

/// Drops the triggers that guard a column, and those that track the table if no other column is guarded.
fn comb_disable_polls(table: Option<Oid>, key: Option<&[u8]>) -> Result<Datum, Report> {
    let (table, key) = (given(table)?, given(key)?);
    require_table(table)?;
    column_named(table, key)?;
    spi::connected(|| {
        for_each_root(table, |root| drop_triggers(root, |trigger| is_guard(root, trigger, key)))?;
        members::for_each_table(table, |member| {
            let mut is_guarded = false;
            triggers::scan(member.table, |trigger| {
                is_guarded |= trigger.calls() == Some(Calls::Guard);
                Ok(())
            })?;
            drop_triggers(member.table, |trigger| !is_guarded && trigger.calls() == Some(Calls::Track))
        })
    })?;
    Ok(Datum::null())
}

/// Whether it is a guard of a column, or of one that does not exist any more, as after a rename.
fn is_guard(table: Oid, trigger: &TriggerRow, key: &[u8]) -> bool {
    let of_column = || trigger.column().to_bytes() == key || catalog::column(table, trigger.column(), |_, _| ()).is_none();
    trigger.calls() == Some(Calls::Guard) && of_column()
}

/// The names of the functions that the triggers call, in the schema of the extension.
struct Functions {
    schema: Oid,
    guard: StringInfo,
    track: StringInfo,
    /// The operator of uuid in SQL Server's order.
    above: StringInfo,
}

impl Functions {
    fn of(call: Call) -> Self {
        // SAFETY: PostgreSQL passes the function that it calls, whose schema exists.
        let (of, schema) = unsafe {
            let of = raw::get_func_namespace((*(*call.info()).flinfo).fn_oid);
            (of, raw::get_namespace_name(of))
        };
        let name = |name: &CStr| {
            // SAFETY: both are C strings.
            StringInfo::of_bytes(unsafe { CStr::from_ptr(raw::quote_qualified_identifier(schema, name.as_ptr())) }.to_bytes())
        };
        // SAFETY: a C string, in the memory of the call.
        let schema = identifier(unsafe { CStr::from_ptr(schema) }.to_bytes());
        let mut above = StringInfo::of(" OPERATOR(");
        above.push(schema.bytes());
        above.add(".>#) ");
        Self { schema: of, guard: name(c"comb_guard"), track: name(c"comb_track"), above }
    }
}

/// Whether it is a hypertable of TimescaleDB.
fn is_hypertable(table: Oid) -> bool {
    if !catalog::has_extension(c"timescaledb") {
        return false;
    }
    // SAFETY: the table exists, and both are C strings.
    let [schema, name] = unsafe {
        let (schema, name) = (raw::get_namespace_name(raw::get_rel_namespace(table)), raw::get_rel_name(table));
        [schema, name].map(|name| literal(CStr::from_ptr(name).to_bytes()))
    };
    let found = spi::select(&[
        b"SELECT pg_catalog.count(*) FROM _timescaledb_catalog.hypertable WHERE schema_name OPERATOR(pg_catalog.=) ",
        schema.bytes(),
        b" AND table_name OPERATOR(pg_catalog.=) ",
        name.bytes(),
    ]);
    found > Some(0)
}

/// Calls `each` with the tables that inherit no trigger: the table, and those that inherit from it.
fn for_each_root(table: Oid, mut each: impl FnMut(Oid) -> Result<(), Report>) -> Result<(), Report> {
    members::for_each_table(table, |member| if member.table == table || member.inherits { each(member.table) } else { Ok(()) })
}

/// Creates the guard of a column, or replaces it. Another one of the column goes. A row version is a guard.
fn create_guard(functions: &Functions, table: Oid, key: &[u8], label: Option<&str>) -> Result<(), Report> {
    let name = guard_name(key);
    let (mut has_version, mut was_always, mut was_after) = (false, false, false);
    triggers::scan(table, |trigger| {
        let is_guard = is_guard(table, trigger, key);
        was_always |= is_guard && trigger.sees_all_rows(true);
        was_after |= is_guard && !trigger.is_before_row();
        has_version |= trigger.calls() == Some(Calls::RowVersion) && trigger.column().to_bytes() == key;
        // Such as the guard of another column whose long name begins in the same way.
        if trigger.name().to_bytes() == name.bytes() && !is_guard { Err(exists_already(table, trigger)) } else { Ok(()) }
    })?;
    drop_triggers(table, |trigger| is_guard(table, trigger, key) && (has_version || trigger.name().to_bytes() != name.bytes()))?;
    if has_version {
        return Ok(());
    }
    let label = label.map_or_else(StringInfo::new, |label| StringInfo::of(format_args!(", '{label}'")));
    let when: &[u8] = match (is_partitioned(table), was_after) {
        (true, _) => b" BEFORE INSERT OR UPDATE OR DELETE",
        (false, false) => b" BEFORE INSERT OR UPDATE",
        // So that an upsert may conflict on the key.
        (false, true) => b" AFTER INSERT OR UPDATE",
    };
    spi::execute(&[
        b"CREATE OR REPLACE TRIGGER ",
        identifier(name.bytes()).bytes(),
        when,
        b" ON ",
        relation(table).bytes(),
        b" FOR EACH ROW EXECUTE FUNCTION ",
        functions.guard.bytes(),
        b"(",
        literal(key).bytes(),
        label.bytes(),
        b")",
    ]);
    if was_always {
        let name = identifier(name.bytes());
        spi::execute(&[b"ALTER TABLE ", relation(table).bytes(), b" ENABLE ALWAYS TRIGGER ", name.bytes()]);
    }
    Ok(())
}

#[cold]
fn exists_already(table: Oid, trigger: &TriggerRow) -> Report {
    report!(ERRCODE_DUPLICATE_OBJECT, "trigger ")
        .quote(trigger.name().to_bytes())
        .and(" of table ")
        .relation(table)
        .and(" exists already")
        .hint("It is not that of comb for this column. Rename it.")
}

fn is_partitioned(table: Oid) -> bool {
    catalog::relation(table).is_some_and(|class| class.kind == pg_sys::RELKIND_PARTITIONED_TABLE)
}

/// Drops triggers of a table, but not those that PostgreSQL created for a partition.
fn drop_triggers(table: Oid, is_it: impl Fn(&TriggerRow) -> bool) -> Result<(), Report> {
    loop {
        let mut found = None;
        triggers::scan(table, |trigger| {
            if is_it(trigger) && !trigger.is_of_parent() {
                found = Some(StringInfo::of_bytes(trigger.name().to_bytes()));
            }
            Ok(())
        })?;
        let Some(trigger) = found else { return Ok(()) };
        if is_partitioned(table) {
            // DROP TRIGGER locks the partitions before the table, and readers lock the table first.
            spi::execute(&[b"LOCK TABLE ", relation(table).bytes(), b" IN ACCESS EXCLUSIVE MODE"]);
        }
        spi::execute(&[b"DROP TRIGGER ", identifier(trigger.bytes()).bytes(), b" ON ", relation(table).bytes()]);
    }
}

/// Creates the statement trigger, unless the table has one.
fn create_track(functions: &Functions, table: Oid) -> Result<(), Report> {
    let mut exists = false;
    triggers::scan(table, |trigger| {
        exists |= trigger.tracks_inserts();
        Ok(())
    })?;
    if !exists {
        triggers::scan(table, |trigger| {
            let is_other = trigger.name() == c"comb_track" && trigger.calls() != Some(Calls::Track);
            if is_other { Err(exists_already(table, trigger)) } else { Ok(()) }
        })?;
        spi::execute(&[
            b"CREATE OR REPLACE TRIGGER comb_track BEFORE INSERT ON ",
            relation(table).bytes(),
            b" FOR EACH STATEMENT EXECUTE FUNCTION ",
            functions.track.bytes(),
            b"()",
        ]);
    }
    Ok(())
}

/// Warns of keys that the source has not reached: their rows are above the horizon.
fn warn(functions: &Functions, column: &Polled) -> Result<(), Report> {
    let name = identifier(column_name(column).to_bytes());
    let table = relation(column.topmost);
    let owner = catalog::owner(column.topmost)?;
    // SAFETY: the table exists.
    let schemas = [unsafe { raw::get_rel_namespace(column.topmost) }, functions.schema];
    let may_use = schemas.iter().all(|schema| catalog::may_use_schema(*schema, owner));
    if !may_use || catalog::may(column.topmost, owner, pg_sys::ACL_SELECT) != Some(true) {
        report!(ERRCODE_WARNING, "keys of table ")
            .relation(column.topmost)
            .and(" are not compared with the source")
            .detail("The owner of the table may not read it, or may not use its schema or that of comb.")
            .send(PgLogLevel::WARNING);
        return Ok(());
    }
    let select = |statement: &[&[u8]]| spi::as_owner(owner, || spi::select(statement));
    match column.source {
        Source::Clock => {
            let last = greatest(column.layout, last_tick()?)?;
            let is_by_type = column.key_type == KeyType::Uuid(column.layout);
            let above: &[u8] = if is_by_type { b" OPERATOR(pg_catalog.>) " } else { functions.above.bytes() };
            let found = select(&[
                b"SELECT pg_catalog.count(*) FROM (SELECT FROM ",
                table.bytes(),
                b" WHERE ",
                name.bytes(),
                above,
                StringInfo::of(format_args!("'{last}' LIMIT 1) above")).bytes(),
            ]);
            if found > Some(0) {
                report!(ERRCODE_WARNING, "table ")
                    .relation(column.topmost)
                    .and(" has keys that are later than the clock")
                    .hint("Polls do not return them, such as random UUIDs. Poll by a column that comb_row_version() fills.")
                    .send(PgLogLevel::WARNING);
            }
        }
        Source::Sequence(sequence) | Source::OwnedSequence(sequence) => {
            if let Source::OwnedSequence(_) = column.source {
                report!(ERRCODE_WARNING, "column ")
                    .quote(column_name(column).to_bytes())
                    .and(" has no default from its sequence")
                    .hint("Programs that draw the numbers use CALL comb_track('table') before, in the same transaction.")
                    .send(PgLogLevel::WARNING);
            }
            let greatest = select(&[b"SELECT pg_catalog.max(", name.bytes(), b")::pg_catalog.int8 FROM ", table.bytes()]);
            let last = last_number(sequence, Reader::Writer)?.number;
            if let Some(greatest) = greatest.filter(|greatest| *greatest > last) {
                report!(ERRCODE_WARNING, "key {greatest} is above {last}, the last number of sequence ")
                    .relation(sequence)
                    .hint("Polls do not return rows above the last number. Use setval() with the greatest key.")
                    .send(PgLogLevel::WARNING);
            }
        }
    }
    Ok(())
}

/// The name of the guard of a column, as long as PostgreSQL accepts.
fn guard_name(key: &[u8]) -> StringInfo {
    let room = pg_sys::NAMEDATALEN as i32 - 1 - GUARD.len() as i32;
    let mut name = StringInfo::of(GUARD);
    // SAFETY: it reads as many bytes as the key has.
    let length = unsafe { raw::pg_mbcliplen(key.as_ptr().cast(), key.len() as i32, room) };
    name.push(key.get(..length as usize).unwrap_or(key));
    name
}

fn identifier(name: &[u8]) -> StringInfo {
    let name = StringInfo::of_bytes(name);
    // SAFETY: a C string, of which it returns a copy or itself.
    StringInfo::of_bytes(unsafe { CStr::from_ptr(raw::quote_identifier(name.as_ptr())) }.to_bytes())
}

fn literal(text: &[u8]) -> StringInfo {
    let text = StringInfo::of_bytes(text);
    // SAFETY: a C string, of which it returns a copy.
    StringInfo::of_bytes(unsafe { CStr::from_ptr(raw::quote_literal_cstr(text.as_ptr())) }.to_bytes())
}

/// The name of a relation with its schema.
fn relation(relation: Oid) -> StringInfo {
    // SAFETY: the relation exists: this transaction has locked it, or found it in a catalog.
    unsafe {
        let (schema, name) = (raw::get_namespace_name(raw::get_rel_namespace(relation)), raw::get_rel_name(relation));
        if name.is_null() {
            return StringInfo::of(relation.to_u32());
        }
        StringInfo::of_bytes(CStr::from_ptr(raw::quote_qualified_identifier(schema, name)).to_bytes())
    }
}
