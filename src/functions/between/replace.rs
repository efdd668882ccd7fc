//! Replaces a call by its two comparisons.
//!
//! Partition pruning, exclusion by CHECK constraints, partial indexes, foreign tables, hypertables and the reduction of outer
//! joins understand operators only. A scan of an ordinary table keeps the call for its estimate, and an index gets the
//! comparisons as its conditions.
//!
//! A condition of a partitioned table becomes the call AND both comparisons, since its partitions are pruned by the comparisons
//! and estimated by the call. `OpExpr.opfuncid` of these comparisons is comb_between_implied() instead of the function of
//! their operator: its planner support replaces them by TRUE in each partition. TimescaleDB removes such conditions in
//! set_rel_pathlist_hook, which PostgreSQL calls after it has estimated the rows.

use std::ffi::CStr;
use std::ptr;

use pgrx::pg_sys::{self, Datum, Expr, List, Node, NodeTag, Oid, SysCacheIdentifier};

use super::decide::{Decision, EXPANDED, decide, is_of_scanned_child};
use super::range_function::{RangeFunction, constant, nodes};
use crate::postgres::call::Value;
use crate::postgres::raw;

const IMPLIED: &CStr = c"_comb_between_implied";

/// The replacement of a call of a function with this support function, or null. `root` may be null.
pub unsafe fn simplified(root: *mut pg_sys::PlannerInfo, call: *mut pg_sys::FuncExpr) -> *mut Expr {
    // Of the functions with this support function, only comb_between_implied() has two arguments.
    if (*(*call).args).length == 2 {
        let [id, _] = nodes((*call).args);
        return if is_of_scanned_child(root, id) { raw::makeBoolConst(true, false).cast() } else { ptr::null_mut() };
    }
    let is_expanded = (*call).inputcollid == EXPANDED;
    // Without the privilege, the call stays and raises the error.
    let may_execute = |_: &_| is_expanded || may_execute(root, (*call).funcid);
    let Some(range) = RangeFunction::of((*call).funcid).filter(may_execute) else {
        return ptr::null_mut();
    };
    let [_, times @ ..]: [*mut Node; 3] = nodes((*call).args);
    // Whether a time can stand twice in a scan of one table, with the same value and at no cost.
    let is_repeatable = |time: *mut Node| {
        !raw::contain_volatile_functions(time) && !raw::contain_subplans(time) && !raw::contain_var_clause(time)
    };
    let decision = match decide(root, call) {
        // The planner drops a condition that is null.
        _ if times.iter().any(|time| constant(*time) == Some(None)) => Decision::Replace,
        Decision::Both if times.iter().any(|time| !is_repeatable(*time)) => Decision::Replace,
        decision => decision,
    };
    let plain = || comparisons(root, range, call, None).map_or(ptr::null_mut(), |pair| raw::make_andclause(list(&pair)));
    let replacement = match decision {
        Decision::Replace => plain(),
        Decision::Both if !is_expanded => {
            let internal = &[pg_sys::INTERNALOID; 2];
            let mark = function_named(root, IMPLIED, internal, raw::get_func_namespace((*call).funcid));
            mark.and_then(|mark| comparisons(root, range, call, Some(mark))).map_or_else(plain, |[lower, upper]| {
                let call: *mut pg_sys::FuncExpr = raw::copyObjectImpl(call.cast()).cast();
                (*call).inputcollid = EXPANDED;
                raw::make_andclause(list(&[call.cast(), lower, upper]))
            })
        }
        _ => ptr::null_mut(),
    };
    if !replacement.is_null() {
        record_dependency(root, (*call).funcid);
    }
    replacement
}

/// A plan ends with a change of the functions that it depends on, also of their privileges. This one is not in it any more.
/// `root` may be null.
unsafe fn record_dependency(root: *mut pg_sys::PlannerInfo, function: Oid) {
    if !root.is_null() {
        raw::record_plan_function_dependency(root, function);
    }
}

unsafe fn list(nodes: &[*mut Node]) -> *mut List {
    // A null pointer is an empty list.
    nodes.iter().fold(ptr::null_mut(), |list, node| raw::lappend(list, node.cast()))
}

/// The conditions of an index; null if the index does not have their operators, or a bound differs between its rows.
pub unsafe fn index_condition(request: &mut pg_sys::SupportRequestIndexCondition) -> *mut List {
    let function = request.funcid;
    let range = RangeFunction::of(function).filter(|_| may_execute(request.root, function));
    let (0, NodeTag::T_FuncExpr, Some(range)) = (request.indexarg, (*request.node).type_, range) else {
        return ptr::null_mut();
    };
    let call = request.node.cast::<pg_sys::FuncExpr>();
    let [_, from, to] = nodes((*call).args);
    let is_constant = |time| constant(time) != Some(None) && raw::is_pseudo_constant_for_index(request.root, time, request.index);
    if !is_constant(from) || !is_constant(to) {
        return ptr::null_mut();
    }
    let Some(pair) = comparisons(request.root, range, call, None) else {
        return ptr::null_mut();
    };
    let fits = |comparison: &*mut Node| raw::op_in_opfamily((*comparison.cast::<pg_sys::OpExpr>()).opno, request.opfamily);
    if !pair.iter().all(fits) {
        return ptr::null_mut();
    }
    record_dependency(request.root, function);
    request.lossy = false;
    list(&pair)
}

/// The two comparisons of a call of a range function, with the function `mark` if they are implied by the call. `None` if an
/// operator or a function is missing, or the user may not execute it. `root` may be null.
unsafe fn comparisons(
    root: *mut pg_sys::PlannerInfo,
    range: &RangeFunction,
    call: *mut pg_sys::FuncExpr,
    mark: Option<Oid>,
) -> Option<[*mut Node; 2]> {
    let [id, from, to] = nodes((*call).args);
    let own = raw::get_func_namespace((*call).funcid);
    let key = raw::exprType(id);
    let comparison = |name, time| {
        let operator = operator(name, key, Oid::from_u32(pg_sys::PG_CATALOG_NAMESPACE))?;
        let none = Oid::INVALID;
        let bound = match constant(time) {
            Some(None) => return Some(raw::makeBoolConst(false, true)),
            Some(Some(micros)) => raw::makeConst(key, -1, none, 16, (range.bound)(micros).datum(), false, false).cast(),
            None => {
                let bound = function_named(root, range.bound_name, &[pg_sys::TIMESTAMPTZOID], own)?;
                let form = pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
                raw::makeFuncExpr(bound, key, list(&[time]), none, none, form).cast()
            }
        };
        let collation = if mark.is_some() { EXPANDED } else { none };
        let id = raw::copyObjectImpl(id.cast()).cast();
        let comparison = raw::make_opclause(operator, pg_sys::BOOLOID, false, id, bound, none, collation);
        let comparison = comparison.cast::<pg_sys::OpExpr>();
        match mark {
            Some(mark) => (*comparison).opfuncid = mark,
            None => raw::set_opfuncid(comparison),
        }
        may_execute(root, (*comparison).opfuncid).then_some(comparison.cast::<Node>())
    };
    let lower = comparison(c">=", from)?;
    let upper = comparison(c"<", to)?;
    Some([lower, upper])
}

/// An operator of two keys in a schema, without a check of privileges: these are those of its function.
unsafe fn operator(name: &CStr, key: Oid, schema: Oid) -> Option<Oid> {
    let (cache, oid) = (SysCacheIdentifier::OPERNAMENSP as i32, pg_sys::Anum_pg_operator_oid);
    let (name, key, schema) = (name.as_ptr().into(), key.into(), schema.into());
    let found = raw::GetSysCacheOid(cache, oid as i16, name, key, key, schema);
    (found != Oid::INVALID).then_some(found)
}

/// A function that the user may execute. `root` may be null.
unsafe fn function_named(root: *mut pg_sys::PlannerInfo, name: &CStr, arguments: &[Oid], schema: Oid) -> Option<Oid> {
    let (cache, oid) = (SysCacheIdentifier::PROCNAMEARGSNSP as i32, pg_sys::Anum_pg_proc_oid);
    let arguments = raw::buildoidvector(arguments.as_ptr(), arguments.len() as i32).into();
    let found = raw::GetSysCacheOid(cache, oid as i16, name.as_ptr().into(), arguments, schema.into(), Datum::null());
    (found != Oid::INVALID && may_execute(root, found)).then_some(found)
}

/// Whether the user may execute a function. If PUBLIC may not, PostgreSQL plans a cached plan again for another role.
/// Without a query, the result is an expression of a table in a cache of the session, for all roles.
/// `root` may be null.
unsafe fn may_execute(root: *mut pg_sys::PlannerInfo, function: Oid) -> bool {
    let may = |role| {
        let execute = pg_sys::ACL_EXECUTE as pg_sys::AclMode;
        #[cfg(not(feature = "pg15"))]
        let answer = raw::object_aclcheck(pg_sys::ProcedureRelationId, function, role, execute);
        #[cfg(feature = "pg15")]
        let answer = raw::pg_proc_aclcheck(function, role, execute);
        answer == pg_sys::AclResult::ACLCHECK_OK
    };
    let public = Oid::from_u32(pg_sys::ACL_ID_PUBLIC);
    root.is_null() || may(public) || {
        (*(*root).glob).dependsOnRole = true;
        may(raw::GetUserId())
    }
}
