//! Where a function of a range stays, and where its comparisons stand.

use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

use super::range::cells;
use crate::postgres::raw;

pub enum Form {
    Function,
    Comparisons,
    /// The function, and the comparisons under the functions that go away in a partition.
    Both,
}

/// The form of a call.
///
/// # Safety
/// A function and its first argument, in a statement that is planned. `root` may be null.
pub unsafe fn form(root: *mut pg_sys::PlannerInfo, function: Oid, id: *mut Node) -> Form {
    let variable = without_relabel(id);
    match (*variable).type_ {
        NodeTag::T_Var if !root.is_null() && !(*root).parse.is_null() => form_of_column(root, function, variable.cast()),
        // An expression of an index, of a CHECK constraint and the like, to be compared with others; and
        // a column behind an outer join.
        NodeTag::T_Var | NodeTag::T_PlaceHolderVar => Form::Comparisons,
        _ => Form::Function,
    }
}

/// # Safety
/// As [`form`].
unsafe fn form_of_column(root: *mut pg_sys::PlannerInfo, function: Oid, column: *mut pg_sys::Var) -> Form {
    let query = (*root).parse;
    let Some(entry) = entry(query, (*column).varno) else {
        return Form::Function;
    };
    if (*column).varlevelsup > 0 {
        return Form::Function;
    }
    let parent = parent(root, (*column).varno);
    // While scans are planned, only conditions of child tables are simplified, and CHECK constraints of any table, all as of
    // table 1.
    if parent.is_none() && !(*root).simple_rel_array.is_null() {
        return Form::Comparisons;
    }
    let jointree: *mut Node = (*query).jointree.cast();
    let conditions = [jointree, (*entry).securityQuals.cast(), (*query).havingQual];
    let mut rest = MOST_CONDITIONS;
    // The function is not STRICT. The planner makes an inner join of an outer one for an operator that is, and knows
    // NOT of an operator.
    if is_nullable(jointree, (*column).varno) == Some(true)
        || conditions.iter().any(|of| has_negated(*of, function, false, &mut rest))
    {
        return Form::Comparisons;
    }
    if (*entry).rtekind != pg_sys::RTEKind::RTE_RELATION {
        return Form::Function;
    }
    match (*entry).relkind as u8 {
        pg_sys::RELKIND_FOREIGN_TABLE => return Form::Comparisons,
        pg_sys::RELKIND_PARTITIONED_TABLE if (*entry).inh => return Form::Both,
        pg_sys::RELKIND_PARTITIONED_TABLE => return Form::Comparisons,
        _ => {}
    }
    // Also if `inh` does not say so: that of a hypertable does not. A parent is listed among its children as well.
    let is_itself = parent.is_some_and(|parent| (*parent).relid == (*entry).relid);
    let on = pg_sys::ConstraintExclusionType::CONSTRAINT_EXCLUSION_ON as i32;
    let excludes = parent.is_some() || pg_sys::constraint_exclusion == on;
    if raw::has_subclass((*entry).relid) && !is_itself || has_predicate((*entry).relid, (*column).varattno, excludes) {
        return Form::Comparisons;
    }
    Form::Function
}

/// Whether the column is one of a partition, or of another child table.
///
/// # Safety
/// As [`form`], with a column of a table.
pub unsafe fn is_of_child(root: *mut pg_sys::PlannerInfo, id: *mut Node) -> bool {
    let column = without_relabel(id).cast::<pg_sys::Var>();
    parent(root, (*column).varno).is_some_and(|parent| (*parent).rtekind == pg_sys::RTEKind::RTE_RELATION)
}

/// # Safety
/// An expression.
unsafe fn without_relabel(mut expression: *mut Node) -> *mut Node {
    while (*expression).type_ == NodeTag::T_RelabelType {
        expression = (*expression.cast::<pg_sys::RelabelType>()).arg.cast();
    }
    expression
}

/// An entry of the range table.
///
/// # Safety
/// A query.
unsafe fn entry(query: *mut pg_sys::Query, number: i32) -> Option<*mut pg_sys::RangeTblEntry> {
    // A column outside of scans, with a special number, has no entry.
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    cells((*query).rtable).get(index).map(|cell| cell.ptr_value.cast())
}

/// What a table is a member of: a table that has partitions or other child tables, or a UNION ALL.
///
/// # Safety
/// As [`form`].
unsafe fn parent(root: *mut pg_sys::PlannerInfo, number: i32) -> Option<*mut pg_sys::RangeTblEntry> {
    if (*root).append_rel_array.is_null() || number >= (*root).simple_rel_array_size {
        return None;
    }
    let member = (*(*root).append_rel_array.add(number as usize)).as_ref()?;
    entry((*root).parse, member.parent_relid as i32)
}

/// Whether an outer join can make a table's columns null. `None` if the table is not among those joined.
///
/// # Safety
/// Of the tree of joins of a query.
unsafe fn is_nullable(joined: *mut Node, table: i32) -> Option<bool> {
    raw::check_stack_depth();
    match (*joined).type_ {
        NodeTag::T_RangeTblRef => ((*joined.cast::<pg_sys::RangeTblRef>()).rtindex == table).then_some(false),
        NodeTag::T_FromExpr => {
            cells((*joined.cast::<pg_sys::FromExpr>()).fromlist).iter().find_map(|cell| is_nullable(cell.ptr_value.cast(), table))
        }
        NodeTag::T_JoinExpr => {
            use pg_sys::JoinType::{JOIN_FULL, JOIN_LEFT, JOIN_RIGHT};
            let join = joined.cast::<pg_sys::JoinExpr>();
            let side = |side, by: [pg_sys::JoinType::Type; 2]| Some(is_nullable(side, table)? || by.contains(&(*join).jointype));
            side((*join).larg, [JOIN_RIGHT, JOIN_FULL]).or_else(|| side((*join).rarg, [JOIN_LEFT, JOIN_FULL]))
        }
        _ => None,
    }
}

/// Of a statement with more conditions the comparisons stand: each of its calls would read all of them.
const MOST_CONDITIONS: u32 = 1000;

/// Whether the function stands under NOT, which `= false` and `<> true` become, or there are more than `rest` conditions.
///
/// # Safety
/// Of the tree of joins of a query, a condition, or null.
unsafe fn has_negated(node: *mut Node, function: Oid, negated: bool, rest: &mut u32) -> bool {
    let Some(fewer) = rest.checked_sub(1) else {
        return true;
    };
    *rest = fewer;
    let Some(tag) = node.as_ref().map(|node| node.type_) else {
        return false;
    };
    let mut any = |list, negated| cells(list).iter().any(|cell| has_negated(cell.ptr_value.cast(), function, negated, rest));
    match tag {
        NodeTag::T_List => any(node.cast(), negated),
        NodeTag::T_FromExpr => {
            let from = node.cast::<pg_sys::FromExpr>();
            any((*from).fromlist, false) || has_negated((*from).quals, function, false, rest)
        }
        NodeTag::T_JoinExpr => {
            let join = node.cast::<pg_sys::JoinExpr>();
            [(*join).larg, (*join).rarg, (*join).quals].iter().any(|part| has_negated(*part, function, false, rest))
        }
        NodeTag::T_BoolExpr => {
            let expression = node.cast::<pg_sys::BoolExpr>();
            let not = (*expression).boolop == pg_sys::BoolExprType::NOT_EXPR;
            any((*expression).args, negated || not)
        }
        NodeTag::T_OpExpr => {
            let expression = node.cast::<pg_sys::OpExpr>();
            let value = match (*expression).opno.to_u32() {
                pg_sys::BooleanEqualOperator => false,
                pg_sys::BooleanNotEqualOperator => true,
                _ => return false,
            };
            let is_value = |cell: &pg_sys::ListCell| {
                let constant = cell.ptr_value.cast::<pg_sys::Const>();
                (*constant).xpr.type_ == NodeTag::T_Const
                    && !(*constant).constisnull
                    && ((*constant).constvalue.value() != 0) == value
            };
            let arguments = (*expression).args;
            cells(arguments).iter().any(is_value) && any(arguments, true)
        }
        NodeTag::T_FuncExpr => negated && (*node.cast::<pg_sys::FuncExpr>()).funcid == function,
        _ => false,
    }
}

/// Whether the planner compares conditions of a column with the predicate of a partial index or, if
/// `excludes`, with a CHECK constraint.
///
/// # Safety
/// A table that the planner has locked.
unsafe fn has_predicate(table: Oid, column: i16, excludes: bool) -> bool {
    // What an ERROR leaves open, the resource owner closes.
    let relation = raw::RelationIdGetRelation(table);
    if relation.is_null() {
        return false;
    }
    let constraints = (*(*relation).rd_att).constr.as_ref().filter(|_| excludes);
    let in_check = constraints.is_some_and(|constraints| {
        (0..usize::from(constraints.num_check)).any(|index| mentions((*constraints.check.add(index)).ccbin, column))
    });
    let indexes = raw::RelationGetIndexList(relation);
    let answer = in_check || cells(indexes).iter().any(|cell| is_partial_on(cell.oid_value, column));
    raw::RelationClose(relation);
    answer
}

/// # Safety
/// An index.
unsafe fn is_partial_on(index: Oid, column: i16) -> bool {
    let cache = pg_sys::SysCacheIdentifier::INDEXRELID as i32;
    let tuple = raw::SearchSysCache1(cache, Datum::from(index));
    // An index that was dropped meanwhile is not in the cache.
    if tuple.is_null() {
        return false;
    }
    let mut is_whole = false;
    let attribute = pg_sys::Anum_pg_index_indpred as i16;
    let predicate = raw::SysCacheGetAttr(cache, tuple, attribute, &mut is_whole);
    let answer = !is_whole && mentions(raw::text_to_cstring(predicate.cast_mut_ptr()), column);
    raw::ReleaseSysCache(tuple);
    answer
}

/// Whether an expression of a catalog has a column.
///
/// # Safety
/// The text of an expression over one table, or null.
unsafe fn mentions(expression: *const std::ffi::c_char, column: i16) -> bool {
    if expression.is_null() {
        return false;
    }
    let mut columns = std::ptr::null_mut();
    raw::pull_varattnos(raw::stringToNode(expression).cast(), 1, &mut columns);
    let first = pg_sys::FirstLowInvalidHeapAttributeNumber;
    raw::bms_is_member(i32::from(column) - first, columns)
}
