//! comb_between(): is a key in a range of time?
//!
//! PostgreSQL cannot interpolate uuid in a histogram: it counts half of a bin, and no row if both ends of the range are in the
//! same bin. Therefore these are functions with planner support: [`estimate`] computes how many rows are in a range, and
//! [`replace`] the comparisons that replace a call or become the conditions of an index. [`estimate`] also serves the operators of
//! uuid in SQL Server's order: a histogram in uuid's order says nothing to PostgreSQL's own estimator.

// These functions read and build the planner's nodes in nearly every line. One contract makes their bodies sound: the planner
// calls each function in a transaction, with its nodes. A pointer is valid, or null where the comment of the function says so.
// That comment has what else the function needs.
#![allow(unsafe_op_in_unsafe_fn)]

mod decide;
mod estimate;
mod range_function;
mod replace;

use std::convert::Infallible;

use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};
use uuid::Uuid;

use crate::postgres::call::{Call, export};
use crate::postgres::timestamp::TimestampTz;
use range_function::{RangeFunction, UNIQUEIDENTIFIER, UUID};

export!(comb_between, comb_mssql_between, comb_between_implied, comb_between_support, comb_mssql_selectivity);

fn comb_between(call: Call, id: Option<&Uuid>, from: Option<TimestampTz>, to: Option<TimestampTz>) -> Option<bool> {
    is_between(call, &UUID, id?, from, to)
}

fn comb_mssql_between(call: Call, id: Option<&Uuid>, from: Option<TimestampTz>, to: Option<TimestampTz>) -> Option<bool> {
    is_between(call, &UNIQUEIDENTIFIER, id?, from, to)
}

/// The bound of the previous row, and its time.
#[derive(Clone, Copy)]
struct LastBound {
    micros: i64,
    bound: Uuid,
}

/// The AND of two comparisons, which are null if one of their arguments is.
#[inline(always)]
fn is_between(
    call: Call,
    range: &'static RangeFunction,
    id: &Uuid,
    from: Option<TimestampTz>,
    to: Option<TimestampTz>,
) -> Option<bool> {
    let bound_of = |time: TimestampTz, known: &mut LastBound| {
        let micros = time.unix_micros();
        if known.micros != micros {
            *known = LastBound { micros, bound: (range.bound)(micros) };
        }
        known.bound
    };
    // The bounds of the previous row, which are those of most rows: computing them takes five times as long as comparing.
    let first = || Ok::<_, Infallible>([0, 0].map(|micros| LastBound { micros, bound: (range.bound)(micros) }));
    // SAFETY: only this function keeps a value for the two.
    let Ok([lower, upper]) = unsafe { call.state(first) };
    let from = from.map(|from| (range.is_from)(id, &bound_of(from, lower)));
    let before = to.map(|to| !(range.is_from)(id, &bound_of(to, upper)));
    match (from, before) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        _ => Some(from? && before?),
    }
}

/// The function of a comparison that a call implies, for the planner only.
fn comb_between_implied(_: *mut Node, _: *mut Node) -> bool {
    true
}

/// Estimates the operators `<#`, `<=#`, `>=#` and `>#` of uuid. The planner calls it as the function RESTRICT of these.
fn comb_mssql_selectivity(root: *mut pg_sys::PlannerInfo, operator: Datum, arguments: *mut pg_sys::List, table: i32) -> f64 {
    // SAFETY: the planner calls it with the OID of an operator and its two arguments.
    unsafe { estimate::comparison(root, Oid::from_u32(operator.value() as u32), arguments, table) }
}

/// The planner calls it for each call of one of the functions.
fn comb_between_support(request: *mut Node) -> Datum {
    // SAFETY: the planner calls it with one of its requests. An ERROR jumps over frames that hold nothing to be dropped.
    unsafe {
        match (*request).type_ {
            NodeTag::T_SupportRequestSimplify => {
                let request = request.cast::<pg_sys::SupportRequestSimplify>();
                Datum::from(replace::simplified((*request).root, (*request).fcall))
            }
            NodeTag::T_SupportRequestSelectivity => {
                let selectivity = request.cast::<pg_sys::SupportRequestSelectivity>();
                let Some(share) = estimate::selectivity(&mut *selectivity) else { return Datum::null() };
                (*selectivity).selectivity = share;
                Datum::from(request)
            }
            NodeTag::T_SupportRequestIndexCondition => {
                let request = request.cast::<pg_sys::SupportRequestIndexCondition>();
                Datum::from(replace::index_condition(&mut *request))
            }
            _ => Datum::null(),
        }
    }
}
