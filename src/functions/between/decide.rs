//! Decides whether a call is kept or replaced by its two comparisons.

use pgrx::pg_sys::{self, FuncExpr, Node, NodeTag, Oid};

use super::range_function::nodes;
use crate::postgres::catalog::cells;
use crate::postgres::compat::group_expressions;
use crate::postgres::raw;

pub enum Decision {
    Keep,
    Replace,
    /// The call, and the comparisons with the mark that removes them in a partition.
    Both,
}

/// Marks a call that was expanded already, and its comparisons: PostgreSQL simplifies the terms of a nested AND again. The functions
/// ignore collations. TimescaleDB marks conditions by `location`, which equal() ignores, as it ignores `opfuncid` if NOT has turned an
/// operator around: PostgreSQL would then remove one of two comparisons as a duplicate, of which only one is implied.
pub const EXPANDED: Oid = pg_sys::C_COLLATION_OID;

/// `root` may be null.
pub unsafe fn decide(root: *mut pg_sys::PlannerInfo, call: *mut FuncExpr) -> Decision {
    let [id, _, _] = nodes((*call).args);
    let variable = without_relabel(id);
    match (*variable).type_ {
        NodeTag::T_Var if !root.is_null() && !(*root).parse.is_null() => decide_for_column(root, call, variable.cast()),
        // Without a query: an expression of an index or a CHECK constraint, which the planner compares with conditions.
        NodeTag::T_Var | NodeTag::T_PlaceHolderVar => Decision::Replace,
        _ => Decision::Keep,
    }
}

/// `column` is the first argument of the call. `root` has a query.
unsafe fn decide_for_column(root: *mut pg_sys::PlannerInfo, call: *mut FuncExpr, column: *mut pg_sys::Var) -> Decision {
    let query = (*root).parse;
    if (*column).varlevelsup > 0 {
        return Decision::Keep;
    }
    let column = ungrouped(query, column);
    let Some(entry) = entry(query, (*column).varno) else {
        return Decision::Keep;
    };
    let parent = parent(root, (*column).varno);
    // When scans are planned, PostgreSQL simplifies conditions of child tables, and CHECK constraints, whose columns are
    // those of table 1.
    if parent.is_none() && !(*root).simple_rel_array.is_null() {
        return Decision::Replace;
    }
    let function = (*call).funcid;
    // In a partition, the decision for the partitioned table holds.
    let is_expanded = (*call).inputcollid == EXPANDED;
    let jointree: *mut Node = (*query).jointree.cast();
    let conditions = [(jointree, Place::Term), ((*entry).securityQuals.cast(), Place::Term), ((*query).havingQual, Place::Other)];
    let has = |places: &[Place]| {
        let mut rest = MOST_CONDITIONS;
        conditions.iter().any(|&(node, place)| any_call(node, function, place, &mut rest, places))
    };
    let is_partitioned = (*entry).relkind as u8 == pg_sys::RELKIND_PARTITIONED_TABLE;
    let elsewhere: &[Place] = if is_partitioned { &[Place::Negated, Place::Other] } else { &[Place::Negated] };
    // PostgreSQL reduces outer joins only for strict expressions, which the function is not. An index serves NOT of an
    // operator, not of a function. Where a partition does not evaluate a condition, its comparisons would not be removed.
    if !is_expanded && (is_nullable(jointree, (*column).varno) == Some(true) || has(elsewhere)) {
        return Decision::Replace;
    }
    if (*entry).rtekind != pg_sys::RTEKind::RTE_RELATION {
        return Decision::Keep;
    }
    if is_partitioned {
        let stays = is_expanded || (*entry).inh && has(&[Place::Term]);
        return if stays { Decision::Both } else { Decision::Replace };
    }
    if (*entry).relkind as u8 == pg_sys::RELKIND_FOREIGN_TABLE {
        return Decision::Replace;
    }
    let on = pg_sys::ConstraintExclusionType::CONSTRAINT_EXCLUSION_ON as i32;
    let excludes = parent.is_some() || pg_sys::constraint_exclusion == on;
    // `inh` is false for a hypertable. The children of a table by inheritance include itself.
    let has_children = || raw::has_subclass((*entry).relid) && parent.is_none_or(|parent| (*parent).relid != (*entry).relid);
    // For the scan of a partition, PostgreSQL has just read the predicates of its indexes. Some majors have not stored the
    // result yet.
    let scan = parent.filter(|_| is_expanded).map(|_| *(*root).simple_rel_array.add((*column).varno as usize));
    let scan = scan.filter(|scan| !scan.is_null());
    if !is_expanded && has_children() || is_compared((*entry).relid, column, excludes, scan) {
        return Decision::Replace;
    }
    Decision::Keep
}

/// Whether the column is one of a child table that is scanned. `id` is a column of a table. `root` has a query.
pub unsafe fn is_of_scanned_child(root: *mut pg_sys::PlannerInfo, id: *mut Node) -> bool {
    let number = (*without_relabel(id).cast::<pg_sys::Var>()).varno;
    let is_partitioned = |entry: *mut pg_sys::RangeTblEntry| (*entry).relkind as u8 == pg_sys::RELKIND_PARTITIONED_TABLE;
    parent(root, number).is_some_and(is_partitioned) && entry((*root).parse, number).is_some_and(|entry| !is_partitioned(entry))
}

unsafe fn without_relabel(mut expression: *mut Node) -> *mut Node {
    while (*expression).type_ == NodeTag::T_RelabelType {
        expression = (*expression.cast::<pg_sys::RelabelType>()).arg.cast();
    }
    expression
}

/// The column of a table for one of GROUP BY.
unsafe fn ungrouped(query: *mut pg_sys::Query, column: *mut pg_sys::Var) -> *mut pg_sys::Var {
    let index = usize::try_from(i32::from((*column).varattno) - 1).unwrap_or(usize::MAX);
    let grouped = entry(query, (*column).varno).and_then(|entry| cells(group_expressions(&*entry)).get(index));
    let expression = grouped.map(|cell| without_relabel(cell.ptr_value.cast()));
    expression.filter(|expression| (**expression).type_ == NodeTag::T_Var).map_or(column, |column| column.cast())
}

/// An entry of the range table.
unsafe fn entry(query: *mut pg_sys::Query, number: i32) -> Option<*mut pg_sys::RangeTblEntry> {
    // A special number, as of a column of an index, has no entry.
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    cells((*query).rtable).get(index).map(|cell| cell.ptr_value.cast())
}

/// The parent of a table: a table that has partitions or other child tables, or a UNION ALL. `root` has a query.
unsafe fn parent(root: *mut pg_sys::PlannerInfo, number: i32) -> Option<*mut pg_sys::RangeTblEntry> {
    if (*root).append_rel_array.is_null() || number >= (*root).simple_rel_array_size {
        return None;
    }
    let member = (*(*root).append_rel_array.add(number as usize)).as_ref()?;
    entry((*root).parse, member.parent_relid as i32)
}

/// Whether an outer join can make a table's columns null. `None` if the table is not among those joined.
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

/// Above this number of conditions, every call is replaced: each call searches all conditions, which takes quadratic time.
const MOST_CONDITIONS: u32 = 1000;

/// Where a call stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// It is a term of WHERE, or of ON of an inner join. PostgreSQL evaluates such a condition in the scan of its table.
    Term,
    Negated,
    Other,
}

/// Whether the conditions have a call in one of these places, or there are more than `rest`. `= false` and `<> true` are NOT.
/// `node` is the join tree of a query, conditions, or null.
unsafe fn any_call(node: *mut Node, function: Oid, place: Place, rest: &mut u32, places: &[Place]) -> bool {
    let Some(fewer) = rest.checked_sub(1) else {
        return true;
    };
    *rest = fewer;
    let Some(tag) = node.as_ref().map(|node| node.type_) else {
        return false;
    };
    let mut any = |list, place| cells(list).iter().any(|cell| any_call(cell.ptr_value.cast(), function, place, rest, places));
    match tag {
        NodeTag::T_List => any(node.cast(), place),
        NodeTag::T_FromExpr => {
            let from = node.cast::<pg_sys::FromExpr>();
            any((*from).fromlist, Place::Term) || any_call((*from).quals, function, Place::Term, rest, places)
        }
        NodeTag::T_JoinExpr => {
            use pg_sys::JoinType::{JOIN_INNER, JOIN_SEMI};
            let join = node.cast::<pg_sys::JoinExpr>();
            let on = if [JOIN_INNER, JOIN_SEMI].contains(&(*join).jointype) { Place::Term } else { Place::Other };
            let parts = [((*join).larg, Place::Term), ((*join).rarg, Place::Term), ((*join).quals, on)];
            parts.iter().any(|&(part, place)| any_call(part, function, place, rest, places))
        }
        NodeTag::T_BoolExpr => {
            let expression = node.cast::<pg_sys::BoolExpr>();
            let place = match (*expression).boolop {
                pg_sys::BoolExprType::NOT_EXPR => Place::Negated,
                pg_sys::BoolExprType::OR_EXPR if place == Place::Term => Place::Other,
                _ => place,
            };
            any((*expression).args, place)
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
            cells(arguments).iter().any(is_value) && any(arguments, Place::Negated)
        }
        NodeTag::T_FuncExpr => (*node.cast::<FuncExpr>()).funcid == function && places.contains(&place),
        _ => false,
    }
}

/// Whether the planner compares conditions of a column with the predicate of a partial index or, if `excludes`, with a CHECK
/// constraint; and, unless the table is scanned, with a condition that is an expression of an index. The planner has locked the
/// table.
unsafe fn is_compared(table: Oid, column: *mut pg_sys::Var, excludes: bool, scan: Option<*mut pg_sys::RelOptInfo>) -> bool {
    // The resource owner closes it after an ERROR.
    let relation = raw::RelationIdGetRelation(table);
    if relation.is_null() {
        return false;
    }
    let has_column = |expression: *mut Node, table| {
        let mut columns = std::ptr::null_mut();
        raw::pull_varattnos(expression, table, &mut columns);
        raw::bms_is_member(i32::from((*column).varattno) - pg_sys::FirstLowInvalidHeapAttributeNumber, columns)
    };
    let constraints = (*(*relation).rd_att).constr.as_ref().filter(|_| excludes);
    let in_check = constraints.is_some_and(|constraints| {
        let check = |index| raw::stringToNode((*constraints.check.add(index)).ccbin);
        (0..usize::from(constraints.num_check)).any(|index| has_column(check(index).cast(), 1))
    });
    let answer = in_check
        || match scan {
            Some(scan) => cells((*scan).indexlist)
                .iter()
                .any(|cell| has_column((*cell.ptr_value.cast::<pg_sys::IndexOptInfo>()).indpred.cast(), (*scan).relid)),
            // As get_relation_info() will: the relation cache keeps the expressions. A call is two comparisons in them.
            None => cells(raw::RelationGetIndexList(relation)).iter().any(|cell| {
                let index = raw::relation_open(cell.oid_value, pg_sys::AccessShareLock as i32);
                let is_condition = |expression: &pg_sys::ListCell| {
                    let expression: *mut Node = expression.ptr_value.cast();
                    raw::exprType(expression) == pg_sys::BOOLOID && has_column(expression, 1)
                };
                let has = has_column(raw::RelationGetIndexPredicate(index).cast(), 1)
                    || cells(raw::RelationGetIndexExpressions(index)).iter().any(is_condition);
                raw::relation_close(index, pg_sys::NoLock as i32);
                has
            }),
        };
    raw::RelationClose(relation);
    answer
}
