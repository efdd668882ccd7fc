//! The source of a column: the sequence that fills it, or the clock.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, DependencyType, NodeTag, Oid};

use crate::postgres::catalog::{self, Row};
use crate::postgres::compat::{BY_REFERENCED, DEFAULT_EXPRESSION, DEFAULTS_OF_TABLE, FormDataPgAttrdef, FormDataPgDepend};
use crate::postgres::raw;
use crate::postgres::report::{Report, report};

/// What the numbers or UUIDs of a column come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Clock,
    /// The identity or the default of the column.
    Sequence(Oid),
    /// A sequence that the column owns, from which programs draw.
    OwnedSequence(Oid),
}

impl Source {
    /// Whether it is this sequence.
    pub fn is(self, sequence: u32) -> bool {
        matches!(self, Self::Sequence(of) | Self::OwnedSequence(of) if of.to_u32() == sequence)
    }
}

/// The text of nextval('sequence') as nodes is shorter. A long one can be nested deeper than PostgreSQL's stack permits.
const LONGEST_CALL: usize = 8192;

fn is_sequence(relation: Oid) -> bool {
    catalog::relation(relation).is_some_and(|class| class.kind == pg_sys::RELKIND_SEQUENCE)
}

/// Calls `each` with the rows of pg_depend of the sequences that belong to a column.
pub fn scan_sequences(
    table: Oid,
    column: i16,
    mut each: impl FnMut(Row, &FormDataPgDepend) -> Result<(), Report>,
) -> Result<(), Report> {
    catalog::scan(BY_REFERENCED, &[pg_sys::RelationRelationId, table], |row| {
        // SAFETY: the scan is of pg_depend, whose rows have this type.
        let depends = unsafe { row.form::<FormDataPgDepend>() };
        let is_of_relation = depends.classid == pg_sys::RelationRelationId && depends.refobjsubid == i32::from(column);
        if is_of_relation && is_sequence(depends.objid) { each(row, depends) } else { Ok(()) }
    })
}

/// The sequence that fills a column: its identity, else that of its default, else the one that it owns.
pub fn source_of(table: Oid, column: i16) -> Result<Source, Report> {
    let (mut identity, mut owned, mut owns_several, mut default) = (None, None, false, None);
    scan_sequences(table, column, |_, depends| {
        match depends.deptype as u32 {
            DependencyType::DEPENDENCY_INTERNAL => identity = Some(depends.objid),
            DependencyType::DEPENDENCY_AUTO => {
                owns_several = owned.is_some();
                owned = Some(depends.objid);
            }
            _ => (),
        }
        Ok(())
    })?;
    catalog::scan(DEFAULTS_OF_TABLE, &[table], |row| {
        // SAFETY: the scan is of pg_attrdef, whose rows have this type, and whose expressions are texts of nodes.
        unsafe {
            if row.form::<FormDataPgAttrdef>().adnum == column
                && let Some(text) = row.value(DEFAULT_EXPRESSION)
                && let text = catalog::start_of_text(text, LONGEST_CALL)
                && text.count_bytes() < LONGEST_CALL
            {
                default = sequence_of(raw::stringToNode(text.as_ptr()).cast()).filter(|sequence| is_sequence(*sequence));
            }
        }
        Ok(())
    })?;
    let source = identity.or(default).map(Source::Sequence);
    source.or(owned.filter(|_| !owns_several).map(Source::OwnedSequence)).ok_or_else(|| no_source(table))
}

#[cold]
fn no_source(table: Oid) -> Report {
    report!(ERRCODE_WRONG_OBJECT_TYPE, "no sequence fills the polled column of table ")
        .relation(table)
        .detail("The column has no identity, no default nextval('sequence'), and owns no sequence, or several.")
        .hint("If a program draws the numbers, use ALTER SEQUENCE ... OWNED BY the column of this table.")
}

/// The sequence of an expression nextval('sequence'), possibly cast to a type that stores the same number.
///
/// # Safety
/// A node, or null.
unsafe fn sequence_of(node: *const pg_sys::Node) -> Option<Oid> {
    // SAFETY: guaranteed by the caller. The tag of a node says its type.
    unsafe {
        match node.as_ref()?.type_ {
            NodeTag::T_RelabelType => sequence_of((*node.cast::<pg_sys::RelabelType>()).arg.cast()),
            NodeTag::T_CoerceToDomain => sequence_of((*node.cast::<pg_sys::CoerceToDomain>()).arg.cast()),
            NodeTag::T_FuncExpr => {
                let call = &*node.cast::<pg_sys::FuncExpr>();
                let first = catalog::cells(call.args).first()?.ptr_value.cast_const().cast::<pg_sys::Node>();
                match call.funcid.to_u32() {
                    pg_sys::F_NEXTVAL if (*first).type_ == NodeTag::T_Const => {
                        let sequence = &*first.cast::<pg_sys::Const>();
                        (!sequence.constisnull).then(|| Oid::from_u32(sequence.constvalue.value() as u32))
                    }
                    pg_sys::F_INT4_INT8 | pg_sys::F_INT2_INT8 | pg_sys::F_INT8_INT4 | pg_sys::F_INT8_INT2 => sequence_of(first),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
