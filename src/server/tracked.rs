//! Which sequences a table draws from: what comb_track() tracks, and what a poll accepts.
//!
//! A table draws from a sequence if a column of it, or of a partitioned table above it, has the sequence as its identity, owns
//! it, or has a default that uses it. Any role can name any sequence in a default. Therefore a poll considers only tables whose
//! owner may draw, and a trigger is an error where neither the owner nor the role that inserts may.

use std::cell::{Cell, UnsafeCell};
use std::ptr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, AclResult, Datum, DependencyType, NodeTag, Oid, SysCacheIdentifier};

use crate::postgres::catalog::{self, Row, calls, relation_name, scan};
use crate::postgres::compat::{
    ATTR_DEFAULT_RELATION, BY_DEPENDENT, BY_REFERENCED, CHILDREN, DEFAULT_BY_OID, DEFAULT_EXPRESSION, DEFAULTS_OF_TABLE,
    FormDataPgAttrdef, FormDataPgDepend, FormDataPgInherits, FormDataPgRewrite, ON_INSERT, PARENTS, RELATION_BY_OID,
    RULES_OF_TABLE, SEQUENCE, TRIGGER_CONDITION, TRIGGERS_OF_TABLE,
};
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_clock::floors::Snapshot;

const RELATION: Oid = pg_sys::RelationRelationId;
const STATE: pg_sys::errcodes::PgSqlErrorCode = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;

/// One of these privileges is needed to draw from a sequence.
const DRAW: u32 = pg_sys::ACL_USAGE | pg_sys::ACL_UPDATE;

/// A sequence from which a table draws, and the column of the table that it fills.
#[derive(Clone, Copy)]
pub struct Drawn {
    pub sequence: Oid,
    pub column: i16,
    /// PostgreSQL checks no privilege.
    is_identity: bool,
    /// Of the table whose column it fills.
    owner: Oid,
}

impl Drawn {
    /// Returns an error unless the owner of the table or the current role may draw. To track nothing is no alternative: the
    /// statement could get the privilege before it draws.
    pub fn require_draw(&self) -> Result<(), Report> {
        if self.is_identity || may_draw(self.owner, self.sequence) { Ok(()) } else { require_draw(self.sequence) }
    }
}

/// The sequences from which a table draws. The list exists until the next call.
pub fn drawn_by<'a>(table: Oid) -> Result<&'a [Drawn], Report> {
    accept_changes();
    // SAFETY: no call below uses the cache while this reference is in use.
    if let Some(known) = unsafe { &*KNOWN.get() }.drawn.find(table) {
        return Ok(known);
    }
    let generation = GENERATION.get();
    let mut list = ptr::null_mut();
    let mut count = 0;
    find_drawn(table, watch, |drawn| {
        // SAFETY: allocates a list in the memory context of the call.
        unsafe {
            let memory = raw::palloc(size_of::<Drawn>()).cast::<Drawn>();
            memory.write(drawn);
            list = raw::lappend(list, memory.cast());
        }
        count += 1;
    })?;
    // SAFETY: the memory lives until the entry is replaced, which frees it.
    let drawn = unsafe {
        let memory = raw::MemoryContextAlloc(pg_sys::TopMemoryContext, (count + 1) * size_of::<Drawn>()).cast::<Drawn>();
        for (index, cell) in catalog::cells(list).iter().enumerate() {
            memory.add(index).write(*cell.ptr_value.cast::<Drawn>());
        }
        std::slice::from_raw_parts(memory, count)
    };
    // SAFETY: as above.
    if let Some(old) = unsafe { &mut *KNOWN.get() }.drawn.add(generation, table, drawn) {
        // SAFETY: nothing refers to a list after the next call.
        unsafe { raw::pfree(old.as_ptr().cast_mut().cast()) };
    }
    Ok(drawn)
}

/// Calls `each` with the sequences from which a table draws, in any order, some more than once.
fn find_drawn(table: Oid, watch: impl Fn(Oid), mut each: impl FnMut(Drawn)) -> Result<(), Report> {
    let mut above = Some(table);
    while let Some(at) = above {
        watch(at);
        let Some(owner) = catalog::relation(at).map(|class| class.owner) else { break };
        let column = |number: i16| column_of(table, at, number);
        find_owned(at, |sequence, number, is_identity| each(Drawn { sequence, column: column(number), is_identity, owner }))?;
        scan(DEFAULTS_OF_TABLE, &[at], |row| {
            // SAFETY: a row of pg_attrdef.
            let default = unsafe { row.form::<FormDataPgAttrdef>() };
            scan(BY_DEPENDENT, &[ATTR_DEFAULT_RELATION, default.oid], |row| {
                // SAFETY: a row of pg_depend.
                let depends = unsafe { row.form::<FormDataPgDepend>() };
                let sequence = depends.refobjid;
                if depends.refclassid == RELATION && is_sequence(sequence) {
                    each(Drawn { sequence, column: column(default.adnum), is_identity: false, owner });
                }
                Ok(())
            })
        })?;
        above = parent(at, |_| Ok(()))?;
    }
    Ok(())
}

/// Calls `each` with the sequences that columns of a table own or have as their identity: the sequence, the column, and whether
/// the sequence is the identity of the column.
fn find_owned(table: Oid, mut each: impl FnMut(Oid, i16, bool)) -> Result<(), Report> {
    scan(BY_REFERENCED, &[RELATION, table], |row| {
        // SAFETY: a row of pg_depend.
        let depends = unsafe { row.form::<FormDataPgDepend>() };
        if says_owned(depends) {
            each(depends.objid, depends.refobjsubid as i16, says_identity(depends));
        }
        Ok(())
    })
}

/// The number of a column of `above` in `table`; 0 if it has none of that name.
fn column_of(table: Oid, above: Oid, number: i16) -> i16 {
    if table == above {
        return number;
    }
    // SAFETY: reads the catalogs.
    unsafe {
        let name = raw::get_attname(above, number, true);
        if name.is_null() { 0 } else { raw::get_attnum(table, name) }
    }
}

/// Whether a row of pg_depend says that a column owns a sequence, or has it as its identity.
fn says_owned(depends: &FormDataPgDepend) -> bool {
    let is_owned = matches!(depends.deptype as u32, DependencyType::DEPENDENCY_AUTO | DependencyType::DEPENDENCY_INTERNAL);
    is_owned && depends.classid == RELATION && depends.refobjsubid > 0 && is_sequence(depends.objid)
}

fn says_identity(depends: &FormDataPgDepend) -> bool {
    depends.deptype as u32 == DependencyType::DEPENDENCY_INTERNAL
}

fn is_sequence(relation: Oid) -> bool {
    catalog::relation(relation).is_some_and(|class| class.kind == pg_sys::RELKIND_SEQUENCE)
}

/// Whether a role may draw from a sequence.
fn may_draw(role: Oid, sequence: Oid) -> bool {
    has_privilege(sequence, role, DRAW)
}

/// Returns an error unless it is a sequence, from which the current role may draw.
pub fn require_draw(sequence: Oid) -> Result<(), Report> {
    require_privilege(sequence, DRAW)
}

/// Returns an error unless it is a sequence, whose last number the current role may read.
pub fn require_read(sequence: Oid) -> Result<(), Report> {
    require_privilege(sequence, pg_sys::ACL_SELECT | pg_sys::ACL_USAGE)
}

fn require_privilege(sequence: Oid, any_of: u32) -> Result<(), Report> {
    if !is_sequence(sequence) {
        return Err(catalog::not_a_sequence(sequence));
    }
    // SAFETY: reads a variable of the process.
    if has_privilege(sequence, unsafe { raw::GetUserId() }, any_of) {
        return Ok(());
    }
    Err(report!(ERRCODE_INSUFFICIENT_PRIVILEGE, "permission denied for sequence ").quote(relation_name(sequence)?))
}

fn has_privilege(sequence: Oid, role: Oid, any_of: u32) -> bool {
    // SAFETY: reads the catalogs. The sequence exists: its row in a cache was just read.
    unsafe { raw::pg_class_aclcheck(sequence, role, pg_sys::AclMode::from(any_of)) == AclResult::ACLCHECK_OK }
}

/// The partitioned table above a partition. `check` gets the row that says so.
fn parent(table: Oid, mut check: impl FnMut(Row) -> Result<(), Report>) -> Result<Option<Oid>, Report> {
    let mut parent = None;
    if catalog::relation(table).is_some_and(|class| class.is_partition) {
        scan(PARENTS, &[table], |row| {
            // SAFETY: a row of pg_inherits.
            parent = Some(unsafe { row.form::<FormDataPgInherits>() }.inhparent);
            check(row)
        })?;
    }
    Ok(parent)
}

/// Whether this transaction has changed the sequence.
pub fn is_changed_here(sequence: Oid) -> bool {
    let writer = catalog::cached(SysCacheIdentifier::RELOID, sequence, |row| row.written_by());
    writer.flatten().is_some_and(is_own)
}

/// Returns an error if numbers of a sequence can be stored by a statement that does not write a floor. It is called after the
/// last number was read: what changes later is about later numbers.
pub fn check_use(sequence: Oid, snapshot: &Snapshot) -> Result<(), Report> {
    accept_changes();
    check_definition(sequence)?;
    // SAFETY: no call below uses the cache while this reference is in use.
    let verified = unsafe { &*KNOWN.get() }.checked.find(sequence);
    let is_later = |then: Verified| (snapshot.xmax, then.running) >= (then.xmax, snapshot.running.len());
    if verified.is_some_and(is_later) {
        return Ok(());
    }
    let generation = GENERATION.get();
    check_tables(sequence, snapshot)?;
    let verified = Verified { xmax: snapshot.xmax, running: snapshot.running.len() };
    // SAFETY: as above.
    unsafe { &mut *KNOWN.get() }.checked.add(generation, sequence, verified);
    Ok(())
}

/// Numbers must be drawn in ascending order, and must not repeat.
fn check_definition(sequence: Oid) -> Result<(), Report> {
    // seqincrement, seqcache and seqcycle (catalog/pg_sequence.h), which are never NULL.
    let definition = catalog::cached(SysCacheIdentifier::SEQRELID, sequence, |row| {
        [4, 7, 8].map(|column| row.value(column).map_or(0, |value| value.value() as i64))
    });
    let Some([increment, cache, cycles]) = definition else { return Err(catalog::not_a_sequence(sequence)) };
    let refused = |problem: &str, hint: &str| Err(refused(sequence, problem)?.hint(hint));
    if cache != 1 {
        return refused(
            ", which has a cache",
            "Each session would draw numbers before others, and store them later. Use ALTER SEQUENCE ... CACHE 1.",
        );
    }
    if increment != 1 {
        return refused(
            ", whose increment is not 1",
            "Programs that draw several numbers at once store them later. Use ALTER SEQUENCE ... INCREMENT BY 1.",
        );
    }
    if cycles as u8 != 0 {
        return refused(", which cycles", "Old numbers would come again. Use ALTER SEQUENCE ... NO CYCLE.");
    }
    Ok(())
}

#[cold]
fn refused(sequence: Oid, problem: &str) -> Result<Report, Report> {
    Ok(report!(STATE, "the horizon does not support sequence ").quote(relation_name(sequence)?).and(problem))
}

/// Each table that draws from the sequence must have a trigger that calls comb_track(), and store the number itself. The
/// snapshot must see the rows of the catalogs that say so: before, rows could be stored otherwise.
fn check_tables(sequence: Oid, snapshot: &Snapshot) -> Result<(), Report> {
    // Of privileges and persistence.
    watch(sequence);
    let persistence = catalog::relation(sequence).map_or(0, |class| class.persistence);
    if persistence == pg_sys::RELPERSISTENCE_UNLOGGED {
        let error = refused(sequence, ", which is unlogged")?;
        return Err(error.hint("After a crash, it would draw its first numbers again. Use ALTER SEQUENCE ... SET LOGGED."));
    }
    // Numbers can have been drawn under an earlier definition.
    scan(SEQUENCE, &[sequence], must_see)?;
    let is_temporary = persistence == pg_sys::RELPERSISTENCE_TEMP;
    let mut tracked_above = None;
    let mut descended = None;
    let mut tables = 0;
    // Whether rows of the table count, which must then be tracked. Other sessions cannot read a temporary table.
    let mut check_table = |table: Oid, column: i16, is_identity: bool| -> Result<bool, Report> {
        match catalog::relation(table) {
            Some(class)
                if (is_identity || may_draw(class.owner, sequence))
                    && (is_temporary || class.persistence != pg_sys::RELPERSISTENCE_TEMP) =>
            {
                tables += 1;
                if class.kind == pg_sys::RELKIND_FOREIGN_TABLE {
                    return Err(refused(sequence, ", which a foreign table uses")?);
                }
                if class.has_rules {
                    check_rules(sequence, table)?;
                }
                // The check of a partitioned table above includes its partitions.
                let is_included = check_triggers(sequence, table, column, class.kind, &mut tracked_above)?;
                // A column that owns the sequence, and has it in its default, is found twice.
                if !is_included && descended != Some((table, column)) {
                    check_sequences(sequence, table, column)?;
                    descended = Some((table, column));
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    };
    scan(BY_DEPENDENT, &[RELATION, sequence], |row| {
        // SAFETY: a row of pg_depend.
        let depends = unsafe { row.form::<FormDataPgDepend>() };
        let is_identity = says_identity(depends);
        let (table, column) = (depends.refobjid, depends.refobjsubid as i16);
        if depends.refclassid == RELATION && says_owned(depends) && check_table(table, column, is_identity)? {
            must_see(row)?;
            if !is_identity && !check_default(sequence, table, column)? {
                // A program draws. A statement that began before the column owned the sequence has no floor for it.
                must_precede(snapshot, row)?;
            }
        }
        Ok(())
    })?;
    scan(BY_REFERENCED, &[RELATION, sequence], |row| {
        // SAFETY: a row of pg_depend.
        let depends = unsafe { row.form::<FormDataPgDepend>() };
        if depends.classid != ATTR_DEFAULT_RELATION {
            return Ok(());
        }
        scan(DEFAULT_BY_OID, &[depends.objid], |default| {
            // SAFETY: a row of pg_attrdef.
            let form = unsafe { default.form::<FormDataPgAttrdef>() };
            if !check_table(form.adrelid, form.adnum, false)? {
                return Ok(());
            }
            must_see(row)?;
            check_expression(sequence, form.adrelid, default)
        })
    })?;
    if tables == 0 {
        return Err(report!(STATE, "no table uses sequence ")
            .quote(relation_name(sequence)?)
            .detail("The owner of a table that uses it must have the privilege USAGE on it.")
            .hint("If a function draws its numbers, use ALTER SEQUENCE ... OWNED BY the column that stores them."));
    }
    Ok(())
}

/// An INSERT that a rule replaces calls no trigger of this table.
#[cold]
fn check_rules(sequence: Oid, table: Oid) -> Result<(), Report> {
    scan(RULES_OF_TABLE, &[table], |row| {
        // SAFETY: a row of pg_rewrite.
        let rule = unsafe { row.form::<FormDataPgRewrite>() };
        if !rule.is_instead || rule.ev_type != ON_INSERT || rule.ev_enabled == b'D' {
            return Ok(());
        }
        let error = refused(sequence, ", which a table with a rule ON INSERT DO INSTEAD uses")?;
        Err(error.hint("Use a trigger or a partitioned table instead of the rule."))
    })
}

/// Readers can poll a column by the numbers of one sequence alone. Partitions and tables that inherit the column must not have
/// another one, or another default.
fn check_sequences(sequence: Oid, table: Oid, column: i16) -> Result<(), Report> {
    // SAFETY: a new list of OIDs.
    let mut tables = unsafe { raw::lappend_oid(ptr::null_mut(), table) };
    let mut done = 0;
    // SAFETY: as above. No cell is in use when the list grows.
    while let Some(at) = unsafe { catalog::cells(tables).get(done).map(|cell: &pg_sys::ListCell| cell.oid_value) } {
        done += 1;
        let Some(class) = catalog::relation(at) else { continue };
        // Watched before its children are read: no change is missed. A partition that changes is found by its partitioned table.
        if !class.is_partition {
            watch(at);
        }
        let same = column_of(at, table, column);
        let mut shares = false;
        find_owned(at, |other, number, _| shares |= number == same && other != sequence)?;
        if shares {
            return Err(shared(sequence, at)?);
        }
        check_default(sequence, at, same)?;
        if !class.has_children {
            continue;
        }
        scan(CHILDREN, &[at], |row| {
            // SAFETY: a row of pg_inherits; as above. A partition has only one parent.
            unsafe {
                let child = row.form::<FormDataPgInherits>().inhrelid;
                if class.kind == pg_sys::RELKIND_PARTITIONED_TABLE || !raw::list_member_oid(tables, child) {
                    tables = raw::lappend_oid(tables, child);
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[cold]
fn shared(sequence: Oid, table: Oid) -> Result<Report, Report> {
    let error = report!(STATE, "table ").quote(relation_name(table)?).and(" fills the column of sequence ");
    Ok(error.quote(relation_name(sequence)?).and(" from another sequence as well").hint(
        "Use ALTER SEQUENCE ... OWNED BY NONE or ALTER COLUMN ... DROP IDENTITY for a sequence that the column does not use. \
         A partition must have the default of its partitioned table.",
    ))
}

/// Whether a column has a default, which must be the number.
fn check_default(sequence: Oid, table: Oid, column: i16) -> Result<bool, Report> {
    let mut has_default = false;
    scan(DEFAULTS_OF_TABLE, &[table], |row| {
        // SAFETY: a row of pg_attrdef.
        if unsafe { row.form::<FormDataPgAttrdef>() }.adnum != column {
            return Ok(());
        }
        has_default = true;
        check_expression(sequence, table, row)
    })?;
    Ok(has_default)
}

/// A column must store the number itself, not another value.
fn check_expression(sequence: Oid, table: Oid, default: Row) -> Result<(), Report> {
    // SAFETY: the expression of a default is a node as a text.
    let is_number = default
        .value(DEFAULT_EXPRESSION)
        .is_none_or(|text| unsafe { is_nextval(sequence, raw::stringToNode(catalog::c_string(text).as_ptr()).cast()) });
    if is_number {
        return Ok(());
    }
    let error = report!(STATE, "table ").quote(relation_name(table)?).and(" stores other values than the numbers of sequence ");
    Err(error.quote(relation_name(sequence)?).detail("The horizon of the sequence is a number, not a value of the column.").hint(
        "Poll by an identity column, by one with DEFAULT nextval('sequence'), or by one that the trigger comb_row_version() \
             fills.",
    ))
}

/// Whether an expression is nextval() of that sequence, possibly cast to a type that stores the same number.
///
/// # Safety
/// A node, or null.
unsafe fn is_nextval(sequence: Oid, node: *const pg_sys::Node) -> bool {
    // SAFETY: guaranteed by the caller. The tag of a node says its type.
    unsafe {
        let Some(tag) = node.as_ref().map(|node| node.type_) else { return false };
        match tag {
            NodeTag::T_RelabelType => is_nextval(sequence, (*node.cast::<pg_sys::RelabelType>()).arg.cast()),
            NodeTag::T_CoerceToDomain => is_nextval(sequence, (*node.cast::<pg_sys::CoerceToDomain>()).arg.cast()),
            NodeTag::T_FuncExpr => {
                let call = &*node.cast::<pg_sys::FuncExpr>();
                let cells = catalog::cells(call.args);
                let argument =
                    |index| cells.get(index).map(|cell: &pg_sys::ListCell| cell.ptr_value.cast_const().cast::<pg_sys::Node>());
                let constant = |index| {
                    let node = argument(index).filter(|node| (**node).type_ == NodeTag::T_Const);
                    node.map(|node| (*node.cast::<pg_sys::Const>()).constvalue.value())
                };
                let is_cast = match call.funcid.to_u32() {
                    pg_sys::F_NEXTVAL => return constant(0) == Some(Datum::from(sequence).value()),
                    pg_sys::F_INT4_INT8 | pg_sys::F_INT2_INT8 | pg_sys::F_INT4_INT2 | pg_sys::F_NUMERIC_INT8 => true,
                    pg_sys::F_INT8_INT4 | pg_sys::F_INT8_INT2 => true,
                    // A negative scale rounds: numeric_typmod_scale() in numeric.c.
                    pg_sys::F_NUMERIC_NUMERIC_INT4 => constant(1).is_some_and(|typmod| (typmod as i32 - 4) & 1024 == 0),
                    _ => false,
                };
                is_cast && argument(0).is_some_and(|argument| is_nextval(sequence, argument))
            }
            _ => false,
        }
    }
}

/// The table, or a partitioned table above it that draws from the sequence as well, must have the trigger. Statements that
/// insert into a partition through the partitioned table call the triggers of the partitioned table. `tracked_above` is the
/// last one that was found, with the column, and whether its own check includes its partitions: other partitions have the same.
/// Returns whether the check of that table includes this one.
fn check_triggers(
    sequence: Oid,
    table: Oid,
    column: i16,
    kind: u8,
    tracked_above: &mut Option<(Oid, i16, bool)>,
) -> Result<bool, Report> {
    watch(table);
    let mut at = parent(table, must_see)?;
    while let Some(above) = at {
        watch(above);
        let same = column_of(above, table, column);
        if let Some((_, _, includes)) = tracked_above.filter(|tracked| (tracked.0, tracked.1) == (above, same)) {
            return Ok(includes);
        }
        let (mut draws, mut includes, mut shares) = (false, false, false);
        find_drawn(above, watch, |drawn| {
            draws |= drawn.sequence == sequence;
            includes |=
                drawn.sequence == sequence && drawn.column == same && (drawn.is_identity || may_draw(drawn.owner, sequence));
            shares |= drawn.column == same && drawn.sequence != sequence;
        })?;
        if shares {
            return Err(shared(sequence, table)?);
        }
        if draws && has_trigger(above, pg_sys::RELKIND_PARTITIONED_TABLE)? {
            *tracked_above = Some((above, same, includes));
            return Ok(includes);
        }
        at = parent(above, must_see)?;
    }
    if has_trigger(table, kind)? {
        return Ok(false);
    }
    let mut exists = false;
    scan(RELATION_BY_OID, &[table], |_| {
        exists = true;
        Ok(())
    })?;
    if !exists {
        // It was dropped after the poll had found its default.
        return Ok(false);
    }
    Err(report!(STATE, "table ")
        .quote(relation_name(table)?)
        .and(" has no enabled trigger that calls comb_track()")
        .detail("Rows that are inserted into it do not hold the horizon back.")
        .hint("Use CREATE TRIGGER tracked BEFORE INSERT ON ... FOR EACH STATEMENT EXECUTE FUNCTION comb_track()."))
}

fn has_trigger(table: Oid, kind: u8) -> Result<bool, Report> {
    const BEFORE_INSERT: u32 = pg_sys::TRIGGER_TYPE_BEFORE | pg_sys::TRIGGER_TYPE_INSERT;
    const INSTEAD_OF_INSERT: u32 = pg_sys::TRIGGER_TYPE_INSTEAD | pg_sys::TRIGGER_TYPE_INSERT;
    // A view without an INSTEAD OF INSERT trigger calls no BEFORE INSERT trigger.
    let (mut tracks, mut is_called) = (false, kind != pg_sys::RELKIND_VIEW);
    scan(TRIGGERS_OF_TABLE, &[table], |row| {
        // SAFETY: a row of pg_trigger.
        let trigger = unsafe { row.form::<pg_sys::FormData_pg_trigger>() };
        let timing = trigger.tgtype as u32;
        if timing & INSTEAD_OF_INSERT == INSTEAD_OF_INSERT {
            is_called = true;
        }
        if catalog::c_function(trigger.tgfoid, |_, symbol| symbol == c"citus_truncate_trigger") == Some(true) {
            return Err(of_citus());
        }
        let is_it = timing & (BEFORE_INSERT | pg_sys::TRIGGER_TYPE_ROW) == BEFORE_INSERT
            && matches!(trigger.tgenabled as u8, b'O' | b'A')
            && trigger.tgattr.dim1 == 0
            && row.value(TRIGGER_CONDITION).is_none()
            && calls(trigger.tgfoid, c"comb_track");
        if is_it {
            tracks = true;
            must_see(row)?;
        }
        Ok(())
    })?;
    Ok(tracks && is_called)
}

#[cold]
fn of_citus() -> Report {
    report!(STATE, "the horizon does not support sequences that a table of Citus uses")
        .detail("Citus draws the numbers before a trigger on a shard is called, and on each node others.")
        .hint("Use a key with DEFAULT comb_tracked(), and comb_horizon().")
}

/// Returns an error unless the snapshot of the statement sees a row of a catalog.
fn must_see(row: Row) -> Result<(), Report> {
    let Some(writer) = row.written_by() else { return Ok(()) };
    // SAFETY: a statement that asks for a horizon has an active snapshot.
    let sees = unsafe {
        let snapshot = raw::GetActiveSnapshot();
        if is_own(writer) {
            // A snapshot of the whole transaction can be older than transactions for which this one waited.
            pg_sys::XactIsoLevel < pg_sys::XACT_REPEATABLE_READ as i32 && row.command() < (*snapshot).curcid
        } else {
            // Also of a subtransaction, which comb_clock::floors::Snapshot does not know.
            !raw::XidInMVCCSnapshot(pg_sys::TransactionId::from_inner(writer), snapshot)
        }
    };
    if sees { Ok(()) } else { Err(too_old()) }
}

/// Returns an error unless all transactions that the snapshot does not see began after that row of a catalog was written.
fn must_precede(snapshot: &Snapshot, row: Row) -> Result<(), Report> {
    match row.written_by() {
        Some(writer) if full(writer, snapshot) >= snapshot.xmin => Err(too_old()),
        _ => Ok(()),
    }
}

#[cold]
fn too_old() -> Report {
    report!(ERRCODE_T_R_SERIALIZATION_FAILURE, "the snapshot is older than the trigger or the table that it polls")
        .hint("Repeat the statement or the transaction, when transactions that are older than the change have ended.")
}

/// The full transaction id of a row's writer.
fn full(writer: u32, snapshot: &Snapshot) -> u64 {
    snapshot.xmax.wrapping_add_signed(i64::from(writer.wrapping_sub(snapshot.xmax as u32) as i32))
}

fn is_own(id: u32) -> bool {
    // SAFETY: in a transaction.
    unsafe { raw::TransactionIdIsCurrentTransactionId(pg_sys::TransactionId::from_inner(id)) }
}

/// A sequence whose tables were checked for a snapshot. A later one sees what that one saw.
#[derive(Clone, Copy)]
struct Verified {
    xmax: u64,
    running: usize,
}

/// How many tables, and how many sequences, a process knows.
const CAPACITY: usize = 64;

/// Facts about relations, as long as no definition has changed that they depend on.
struct Cache<T> {
    facts: [Option<(u64, Oid, T)>; CAPACITY],
    next: usize,
}

impl<T: Copy> Cache<T> {
    const EMPTY: Self = Self { facts: [const { None }; CAPACITY], next: 0 };

    fn find(&self, relation: Oid) -> Option<T> {
        let generation = GENERATION.get();
        let known = self.facts.iter().flatten();
        known.filter(|fact| fact.0 == generation && fact.1 == relation).map(|fact| fact.2).next()
    }

    /// Adds a fact of a generation. Returns the one that it replaces.
    fn add(&mut self, generation: u64, relation: Oid, fact: T) -> Option<T> {
        let old = self.facts.iter().position(|old| old.is_some_and(|old| old.1 == relation));
        let place = old.unwrap_or_else(|| {
            self.next = (self.next + 1) % CAPACITY;
            self.next
        });
        let old = self.facts.get_mut(place)?.replace((generation, relation, fact));
        old.map(|old| old.2)
    }
}

struct Known {
    drawn: Cache<&'static [Drawn]>,
    checked: Cache<Verified>,
}

static KNOWN: OneThread<UnsafeCell<Known>> =
    OneThread::new(UnsafeCell::new(Known { drawn: Cache::EMPTY, checked: Cache::EMPTY }));

/// The number of changes on which facts may depend.
static GENERATION: OneThread<Cell<u64>> = OneThread::new(Cell::new(0));

/// The relations on which facts depend, by their OIDs modulo the number of bits.
static WATCHED: OneThread<UnsafeCell<[u64; 256]>> = OneThread::new(UnsafeCell::new([0; 256]));

/// Other relations that have changed: one may draw from a sequence now that was checked.
static CHANGED: OneThread<Cell<([Oid; CHANGED_CAPACITY], usize)>> =
    OneThread::new(Cell::new(([Oid::INVALID; CHANGED_CAPACITY], 0)));

const CHANGED_CAPACITY: usize = 16;

fn watched(relation: Oid) -> (&'static mut u64, u64) {
    let bit = relation.to_u32() as usize % (256 * 64);
    // SAFETY: the caller uses the word at once.
    let words = unsafe { &mut *WATCHED.get() };
    (&mut words[bit / 64], 1 << (bit % 64))
}

fn watch(relation: Oid) {
    let (word, bit) = watched(relation);
    *word |= bit;
}

/// Facts of a new generation watch the relations on which they depend.
fn forget_all() {
    GENERATION.set(GENERATION.get() + 1);
    // SAFETY: no reference is in use.
    unsafe { *WATCHED.get() = [0; 256] };
}

/// Reads the messages of other processes that definitions have changed.
fn accept_changes() {
    static REGISTERED: OneThread<Cell<bool>> = OneThread::new(Cell::new(false));
    if !REGISTERED.replace(true) {
        // SAFETY: the functions stay for the life of the process.
        unsafe {
            raw::CacheRegisterRelcacheCallback(Some(relation_changed), Datum::null());
            use SysCacheIdentifier::{AUTHMEMROLEMEM, AUTHOID, DATABASEOID, SEQRELID};
            for cache in [SEQRELID, AUTHOID, AUTHMEMROLEMEM, DATABASEOID] {
                raw::CacheRegisterSyscacheCallback(cache as i32, Some(row_changed), Datum::null());
            }
        }
    }
    // SAFETY: in a transaction.
    unsafe { raw::AcceptInvalidationMessages() };
    let changed =
        |index| Some(CHANGED.get()).filter(|(_, count)| index < *count).and_then(|(changed, _)| changed.get(index).copied());
    let mut done = 0;
    while let Some(table) = changed(done) {
        let mut is_used = false;
        let found = find_drawn(table, drop, |drawn| {
            // SAFETY: no call below uses the cache while this reference is in use.
            is_used |= unsafe { &*KNOWN.get() }.checked.find(drawn.sequence).is_some();
        });
        if is_used || found.is_err() {
            forget_all();
        }
        done += 1;
    }
    // Not before: an ERROR in find_drawn() must not lose a change.
    CHANGED.set(([Oid::INVALID; CHANGED_CAPACITY], 0));
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn relation_changed(_argument: Datum, relation: Oid) {
    let (word, bit) = watched(relation);
    let (mut changed, count) = CHANGED.get();
    if relation == Oid::INVALID || *word & bit != 0 {
        forget_all();
    } else if let Some(place) = changed.get_mut(count) {
        *place = relation;
        CHANGED.set((changed, count + 1));
    } else {
        forget_all();
        CHANGED.set((changed, 0));
    }
}

/// OWNED BY changes which tables draw from a sequence. Roles, their members and the owner of the database change which ones may.
/// None of these sends a message about a table.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn row_changed(_argument: Datum, _cache: i32, _hash: u32) {
    forget_all();
}
