//! comb_between() and comb_between_time(): is a key in a range of time?
//!
//! PostgreSQL's estimates of ranges do not know uuid: within a bin of the histogram it takes half of it, and
//! nothing if both ends of the range are in the same bin. Therefore these are functions with planner support:
//! [`estimate`] tells how many rows are in a range, [`expand`] which comparisons an index or a
//! partitioned table takes in their place.

// What these functions read and build are the planner's nodes, nearly in every line. The contract of each is the
// reason why its body is sound.
#![allow(unsafe_op_in_unsafe_fn)]

mod estimate;
mod expand;
mod form;
mod range;

use pgrx::pg_sys::{self, Datum, Node, NodeTag};
use uuid::Uuid;

use crate::postgres::call::{Answer, Call, sql_functions};
use crate::postgres::raw;
use range::{Between, TIME, UNIQUEIDENTIFIER, UUID};

sql_functions! {
    fn comb_between(call) { answer_of(call, &UUID) }
    fn comb_mssql_between(call) { answer_of(call, &UNIQUEIDENTIFIER) }
    fn comb_between_time(call) { answer_of(call, &TIME) }
}

/// A bound, and the time that it is of.
#[derive(Clone, Copy)]
struct Known {
    micros: i64,
    bound: Uuid,
}

/// The AND of two comparisons, each of which is null if an argument of it is.
#[inline(always)]
fn answer_of(call: Call, between: &'static Between) -> Answer {
    if call.is_null(0) {
        return call.null();
    }
    let id = call.uuid(0);
    let known = known_bounds(call, between);
    let side = |index, known: &mut Known, bound: fn(i64) -> Uuid, test: fn(&Uuid, &Uuid) -> bool| {
        if call.is_null(index) {
            return None;
        }
        let micros = call.timestamptz(index).unix_micros();
        if known.micros != micros {
            *known = Known { micros, bound: bound(micros) };
        }
        Some(test(&id, &known.bound))
    };
    let [lower, upper] = known;
    let from = side(1, lower, between.lower, between.is_from);
    let before = side(2, upper, between.upper, between.is_before);
    match (from, before) {
        (Some(false), _) | (_, Some(false)) => Ok(Datum::from(false)),
        (Some(true), Some(true)) => Ok(Datum::from(true)),
        _ => call.null(),
    }
}

/// The bounds of the last row, which are those of most rows. To compute them takes five times as long as to compare.
#[inline(always)]
fn known_bounds<'a>(call: Call, between: &Between) -> &'a mut [Known; 2] {
    // SAFETY: the executor calls it by a FmgrInfo, where a function keeps what is its own, in the
    // memory that lives as long.
    unsafe {
        let function = (*call.info()).flinfo;
        if (*function).fn_extra.is_null() {
            let known = raw::MemoryContextAlloc((*function).fn_mcxt, size_of::<[Known; 2]>());
            let bound = |bound: fn(i64) -> Uuid| Known { micros: 0, bound: bound(0) };
            known.cast::<[Known; 2]>().write([bound(between.lower), bound(between.upper)]);
            (*function).fn_extra = known;
        }
        &mut *(*function).fn_extra.cast()
    }
}

sql_functions! {
    /// Called by the planner for each place where one of the functions stands.
    fn comb_between_support(call) {
        let request = call.pointer::<Node>(0);
        // SAFETY: the planner calls it with a node that is one of its requests. An ERROR jumps over frames that
        // hold nothing to be dropped.
        unsafe {
            match (*request).type_ {
                NodeTag::T_SupportRequestSimplify => {
                    let request = request.cast::<pg_sys::SupportRequestSimplify>();
                    Ok(Datum::from(expand::simplified((*request).root, (*request).fcall)))
                }
                NodeTag::T_SupportRequestSelectivity => {
                    let selectivity = request.cast::<pg_sys::SupportRequestSelectivity>();
                    (*selectivity).selectivity = estimate::selectivity(&*selectivity);
                    Ok(Datum::from(request))
                }
                NodeTag::T_SupportRequestIndexCondition => {
                    let request = request.cast::<pg_sys::SupportRequestIndexCondition>();
                    Ok(Datum::from(expand::index_condition(&mut *request)))
                }
                _ => Ok(Datum::null()),
            }
        }
    }
}
