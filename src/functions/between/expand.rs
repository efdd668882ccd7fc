//! The comparisons of a range of time, where something asks for those.
//!
//! What finds its way by operators alone takes the place of the function by two comparisons: pruning of partitions,
//! exclusion by CHECK constraints, partial indexes, foreign tables, hypertables, and the reduction of outer
//! joins. A scan of an ordinary table keeps the function, with an estimate, and gives an index the
//! comparisons.
//!
//! A partitioned table has both: its partitions are pruned by the comparisons, which go away again in each
//! partition, by the functions under which their operators stand here.

use std::ffi::CStr;
use std::ptr;

use pgrx::pg_sys::{self, Datum, Expr, List, Node, NodeTag, Oid, SysCacheIdentifier};

use super::form::{Form, form, is_of_child};
use super::range::{Between, Side, constant, nodes};
use crate::postgres::call::Value;
use crate::postgres::raw;

/// Arguments of a function that is only there to stand under an operator: those of the operator.
const OF_TEST: i32 = 2;

/// The collation of a call and of its comparisons where both stand, which means nothing to them. By it the support
/// function knows such a call again: the planner simplifies the terms of an AND again that it gets in place of a term
/// of another AND. And PostgreSQL's equal() takes no such comparison for one that the statement has itself: it ignores
/// the function under an operator that NOT has turned around.
const EXPANDED: Oid = pg_sys::C_COLLATION_OID;

/// What the planner takes in place of a call; null if nothing else.
///
/// # Safety
/// A call of a function with this support function, by the planner. `root` may be null.
pub unsafe fn simplified(root: *mut pg_sys::PlannerInfo, call: *mut pg_sys::FuncExpr) -> *mut Expr {
    let function = (*call).funcid;
    if (*(*call).args).length == OF_TEST {
        let [id, _] = nodes((*call).args);
        let stays = matches!(form(root, function, id), Form::Both);
        return if stays { ptr::null_mut() } else { raw::makeBoolConst(true, false).cast() };
    }
    // Where the function stays, its call raises the error.
    if !may_execute(function) {
        return ptr::null_mut();
    }
    let arguments @ [id, from, to] = nodes((*call).args);
    let times = [from, to];
    let form = match form(root, function, id) {
        // The planner drops a condition that is null.
        _ if times.iter().any(|time| constant(*time) == Some(None)) => Form::Comparisons,
        Form::Both if times.iter().any(|time| !is_repeatable(*time)) => Form::Comparisons,
        form => form,
    };
    let comparisons = |as_tests| comparisons(Between::of(function, id), function, arguments, as_tests);
    let plain = || comparisons(false).map_or(ptr::null_mut(), |pair| all_of(&pair));
    let replacement = match form {
        Form::Comparisons => plain(),
        Form::Both if !is_of_child(root, id) && (*call).inputcollid != EXPANDED => {
            comparisons(true).map_or_else(plain, |[lower, upper]| {
                let call: *mut pg_sys::FuncExpr = raw::copyObjectImpl(call.cast()).cast();
                (*call).inputcollid = EXPANDED;
                all_of(&[call.cast(), lower, upper])
            })
        }
        _ => ptr::null_mut(),
    };
    if !replacement.is_null() {
        record_dependency(root, function);
    }
    replacement
}

/// A plan ends with a change of what it depends on, also of the privileges for a function that is no longer in it.
///
/// # Safety
/// As [`simplified`].
unsafe fn record_dependency(root: *mut pg_sys::PlannerInfo, function: Oid) {
    if !root.is_null() {
        raw::record_plan_function_dependency(root, function);
    }
}

/// Whether an expression may stand twice: with the same value, in a scan of one table, at no cost.
///
/// # Safety
/// An expression.
unsafe fn is_repeatable(expression: *mut Node) -> bool {
    !raw::contain_volatile_functions(expression) && !raw::contain_subplans(expression) && !raw::contain_var_clause(expression)
}

/// # Safety
/// Expressions of type boolean.
unsafe fn all_of(terms: &[*mut Node]) -> *mut Expr {
    raw::make_andclause(list(terms))
}

/// # Safety
/// Pointers to nodes.
unsafe fn list(nodes: &[*mut Node]) -> *mut List {
    // A null pointer is an empty list.
    nodes.iter().fold(ptr::null_mut(), |list, node| raw::lappend(list, node.cast()))
}

/// The conditions of an index; null if the index has not their operators, or a bound is not the same for
/// all its rows.
///
/// # Safety
/// The planner's request.
pub unsafe fn index_condition(request: &mut pg_sys::SupportRequestIndexCondition) -> *mut List {
    if request.indexarg != 0 || (*request.node).type_ != NodeTag::T_FuncExpr || !may_execute(request.funcid) {
        return ptr::null_mut();
    }
    let arguments @ [id, from, to] = nodes((*request.node.cast::<pg_sys::FuncExpr>()).args);
    let is_constant = |time| constant(time) != Some(None) && raw::is_pseudo_constant_for_index(request.root, time, request.index);
    if !is_constant(from) || !is_constant(to) {
        return ptr::null_mut();
    }
    let between = Between::of(request.funcid, id);
    let Some(pair) = comparisons(between, request.funcid, arguments, false) else {
        return ptr::null_mut();
    };
    let fits = |comparison: &*mut Node| raw::op_in_opfamily((*comparison.cast::<pg_sys::OpExpr>()).opno, request.opfamily);
    if !pair.iter().all(fits) {
        return ptr::null_mut();
    }
    record_dependency(request.root, request.funcid);
    request.lossy = false;
    list(&pair)
}

/// The two comparisons of a range; under the functions that are tests, if `as_tests`. `None` if somebody
/// dropped what they are made of, or the user may not execute one of their functions.
///
/// # Safety
/// A function of a range, and its arguments.
unsafe fn comparisons(
    between: &Between,
    function: Oid,
    [id, from, to]: [*mut Node; 3],
    as_tests: bool,
) -> Option<[*mut Node; 2]> {
    let own = raw::get_func_namespace(function);
    let key = raw::exprType(id);
    let comparison = |side: &Side, time, bound: fn(i64) -> uuid::Uuid| {
        let operator = operator(side.operator, key, (between.operators_schema)(own))?;
        let bound = match constant(time) {
            Some(None) => return Some(raw::makeBoolConst(false, true)),
            Some(Some(micros)) => {
                let datum = bound(micros).datum();
                raw::makeConst(key, -1, Oid::INVALID, 16, datum, false, false).cast()
            }
            None => {
                let bound = function_named(side.bound, &[pg_sys::TIMESTAMPTZOID], own)?;
                let (none, form) = (Oid::INVALID, pg_sys::CoercionForm::COERCE_EXPLICIT_CALL);
                raw::makeFuncExpr(bound, key, list(&[time]), none, none, form).cast()
            }
        };
        let (none, result) = (Oid::INVALID, pg_sys::BOOLOID);
        let collation = if as_tests { EXPANDED } else { none };
        let id = raw::copyObjectImpl(id.cast()).cast();
        let comparison: *mut pg_sys::OpExpr = raw::make_opclause(operator, result, false, id, bound, none, collation).cast();
        if as_tests {
            (*comparison).opfuncid = function_named(side.test, &[pg_sys::INTERNALOID; 2], own)?;
        } else {
            raw::set_opfuncid(comparison);
        }
        may_execute((*comparison).opfuncid).then_some(comparison.cast::<Node>())
    };
    let lower = comparison(&between.lower_side, from, between.lower)?;
    let upper = comparison(&between.upper_side, to, between.upper)?;
    Some([lower, upper])
}

/// An operator of two keys in a schema, whatever the privileges: those are asked for its function.
///
/// # Safety
/// Called in a transaction.
unsafe fn operator(name: &CStr, key: Oid, schema: Oid) -> Option<Oid> {
    let (cache, oid) = (SysCacheIdentifier::OPERNAMENSP as i32, pg_sys::Anum_pg_operator_oid);
    let (name, key, schema) = (name.as_ptr().into(), key.into(), schema.into());
    let found = raw::GetSysCacheOid(cache, oid as i16, name, key, key, schema);
    (found != Oid::INVALID).then_some(found)
}

/// A function that the user may execute.
///
/// # Safety
/// Called in a transaction.
unsafe fn function_named(name: &CStr, arguments: &[Oid], schema: Oid) -> Option<Oid> {
    let (cache, oid) = (SysCacheIdentifier::PROCNAMEARGSNSP as i32, pg_sys::Anum_pg_proc_oid);
    let arguments = raw::buildoidvector(arguments.as_ptr(), arguments.len() as i32).into();
    let (name, schema) = (name.as_ptr().into(), schema.into());
    let found = raw::GetSysCacheOid(cache, oid as i16, name, arguments, schema, Datum::null());
    (found != Oid::INVALID && may_execute(found)).then_some(found)
}

/// Whether the user has the privilege to execute a function.
///
/// # Safety
/// Called in a transaction.
unsafe fn may_execute(function: Oid) -> bool {
    let execute = pg_sys::ACL_EXECUTE as pg_sys::AclMode;
    let user = raw::GetUserId();
    // A function that was dropped meanwhile raises the error of that.
    #[cfg(not(feature = "pg15"))]
    let answer = raw::object_aclcheck(pg_sys::ProcedureRelationId, function, user, execute);
    #[cfg(feature = "pg15")]
    let answer = raw::pg_proc_aclcheck(function, user, execute);
    answer == pg_sys::AclResult::ACLCHECK_OK
}
