//! How many rows are in a range of time.

use std::mem::MaybeUninit;

use pgrx::pg_sys::{self, Datum, NodeTag, Oid};

use super::range::{Between, cells, constant, nodes};
use crate::postgres::raw;
use crate::postgres::timestamp::TimestampTz;
use comb_id::histogram::{Bound, Query};
use uuid::Uuid;

/// PostgreSQL's estimate of a range that it does not know (DEFAULT_RANGE_INEQ_SEL).
const UNKNOWN_RANGE: f64 = 0.005;
/// And of two comparisons with another table's columns (twice DEFAULT_INEQ_SEL).
const JOIN: f64 = 1.0 / 9.0;
/// Of more ranges of the same keys the estimate leaves out the rest: each reads those before it.
const MOST_RANGES: usize = 16;
/// How many rows ANALYZE reads for each bin of a histogram.
const SAMPLED_ROWS_OF_BIN: f64 = 300.0;

/// The times of the keys that a condition is true for.
#[derive(Clone, Copy)]
struct Times {
    between: &'static Between,
    from: i64,
    to: i64,
}

impl Times {
    /// Of a call with known times. `None` if they are not known, and null apart.
    ///
    /// # Safety
    /// A function of a range and its arguments, in a statement that is planned.
    unsafe fn of(root: *mut pg_sys::PlannerInfo, function: Oid, arguments: *mut pg_sys::List) -> Option<Option<Self>> {
        let [id, from, to] = nodes(arguments);
        let [from, to] = [from, to].map(|time| constant(raw::estimate_expression_value(root, time)));
        let between = Between::of(function, id);
        Some(from?.zip(to?).map(|(from, to)| Self { between, from, to }))
    }

    /// Those for which both conditions are true. If one of them leaves out keys of other layouts, both do.
    fn and(self, other: Self) -> Self {
        let between = if self.between.others { other.between } else { self.between };
        Self { between, from: self.from.max(other.from), to: self.to.min(other.to) }
    }
}

/// The share of the rows for which the function is true. The planner multiplies the shares of conditions, so if it has
/// other ranges of the same keys, the share is of the rows that are in those.
///
/// # Safety
/// The planner's request.
pub unsafe fn selectivity(request: &pg_sys::SupportRequestSelectivity) -> f64 {
    if request.is_join {
        return JOIN;
    }
    let times = match Times::of(request.root, request.funcid, request.args) {
        Some(Some(times)) => times,
        Some(None) => return 0.0,
        None => return UNKNOWN_RANGE,
    };
    let [id, _, _] = nodes(request.args);
    let mut variable = MaybeUninit::uninit();
    raw::examine_variable(request.root, id, request.varRelid, variable.as_mut_ptr());
    let variable = variable.assume_init();
    let share = |times| of_statistics(times, request.root, &variable);
    let share = match others(request, variable.rel) {
        Some(others) => {
            share(others).filter(|of_others| *of_others > 0.0).and_then(|of_others| Some(share(times.and(others))? / of_others))
        }
        None => share(times),
    };
    if let Some(free) = variable.freefunc
        && !variable.statsTuple.is_null()
    {
        free(variable.statsTuple);
    }
    share.unwrap_or(UNKNOWN_RANGE).clamp(0.0, 1.0)
}

/// The times of the other ranges of the same keys among the conditions of a table: those before the given one, or all
/// if the given one is not among these conditions.
///
/// # Safety
/// The planner's request, and the relation of its variable, or null.
unsafe fn others(request: &pg_sys::SupportRequestSelectivity, relation: *mut pg_sys::RelOptInfo) -> Option<Times> {
    let conditions = relation.as_ref().map_or(std::ptr::null_mut(), |of| of.baserestrictinfo);
    let support = raw::get_func_support(request.funcid);
    let [id, _, _] = nodes(request.args);
    cells(conditions)
        .iter()
        .map(|cell| (*cell.ptr_value.cast::<pg_sys::RestrictInfo>()).clause)
        .filter(|condition| (**condition).type_ == NodeTag::T_FuncExpr)
        .map(|condition| condition.cast::<pg_sys::FuncExpr>())
        .take_while(|call| (**call).args != request.args)
        .filter(|call| raw::get_func_support((**call).funcid) == support)
        .filter(|call| raw::equal(nodes::<3>((**call).args)[0].cast(), id.cast()))
        .take(MOST_RANGES)
        .filter_map(|call| Times::of(request.root, (*call).funcid, (*call).args).flatten())
        .reduce(Times::and)
}

/// `None` where there are no statistics.
///
/// # Safety
/// What the planner knows of a variable. The function is LEAKPROOF, so it may read the statistics whoever
/// asks.
unsafe fn of_statistics(
    Times { between, from, to }: Times,
    root: *mut pg_sys::PlannerInfo,
    variable: &pg_sys::VariableStatData,
) -> Option<f64> {
    if variable.statsTuple.is_null() {
        return None;
    }
    let (lower, upper) = ((between.lower)(from), (between.upper)(to));
    let statistics = pg_sys::GETSTRUCT(variable.statsTuple).cast::<pg_sys::FormData_pg_statistic>();
    let mut rest = 1.0 - f64::from((*statistics).stanullfrac);
    let mut share = 0.0;
    let kind = pg_sys::STATISTIC_KIND_MCV;
    let flags = pg_sys::ATTSTATSSLOT_VALUES | pg_sys::ATTSTATSSLOT_NUMBERS;
    // A slot is of values of the variable's type, which has uuid's 16 bytes; its arrays live until the slot is
    // freed.
    if let Some(mut slot) = slot(variable, kind, Oid::INVALID, flags) {
        for index in 0..slot.nvalues.min(slot.nnumbers) as usize {
            let id = key(&slot, index);
            let frequency = f64::from(*slot.numbers.add(index));
            rest -= frequency;
            if (between.is_from)(&id, &lower) && (between.is_before)(&id, &upper) {
                share += frequency;
            }
        }
        raw::free_attstatsslot(&mut slot);
    }
    let flags = pg_sys::TYPECACHE_LT_OPR as i32;
    let less = (*raw::lookup_type_cache(variable.vartype, flags)).lt_opr;
    let kind = pg_sys::STATISTIC_KIND_HISTOGRAM;
    let Some(mut slot) = slot(variable, kind, less, pg_sys::ATTSTATSSLOT_VALUES) else {
        return (share > 0.0).then_some(share + rest * UNKNOWN_RANGE);
    };
    let count = slot.nvalues.max(0) as usize;
    if count > 1 {
        let now = TimestampTz(raw::GetCurrentTimestamp()).unix_micros();
        let query = Query {
            range: (between.position)(&lower)..(between.position)(&upper),
            others: between.others,
            now: (between.position)(&(between.lower)(now)),
            growth: growth(root, variable.rel, (count - 1) as f64 * SAMPLED_ROWS_OF_BIN),
        };
        share += rest.max(0.0)
            * query.estimate(count, |index| {
                let id = key(&slot, index);
                Bound { position: (between.position)(&id), in_layout: (between.in_layout)(&id) }
            });
    }
    raw::free_attstatsslot(&mut slot);
    Some(share)
}

/// A kind of statistics, if it is there.
///
/// # Safety
/// A variable that has statistics.
unsafe fn slot(variable: &pg_sys::VariableStatData, kind: u32, operator: Oid, flags: u32) -> Option<pg_sys::AttStatsSlot> {
    let mut slot = MaybeUninit::uninit();
    let (place, statistics) = (slot.as_mut_ptr(), variable.statsTuple);
    let is_there = raw::get_attstatsslot(place, statistics, kind as i32, operator, flags as i32);
    is_there.then(|| slot.assume_init())
}

/// # Safety
/// A slot of more values of 16 bytes than that.
unsafe fn key(slot: &pg_sys::AttStatsSlot, index: usize) -> Uuid {
    (*slot.values.add(index)).cast_mut_ptr::<Uuid>().read()
}

/// The share of a table's rows that are newer than its histogram: those inserted since, and if the
/// histogram is of a sample, those that came after the newest row in it.
///
/// # Safety
/// A relation of the planner, or null.
unsafe fn growth(root: *mut pg_sys::PlannerInfo, relation: *mut pg_sys::RelOptInfo, sample: f64) -> f64 {
    if relation.is_null() || (*relation).tuples < 1.0 {
        return 0.0;
    }
    let rows = (*relation).tuples;
    // A variable with statistics is of one entry of the range table.
    let entry = *(*root).simple_rte_array.add((*relation).relid as usize);
    if (*entry).rtekind != pg_sys::RTEKind::RTE_RELATION {
        return 0.0;
    }
    let after_sample = if rows > sample { 1.0 / sample } else { 0.0 };
    (inserted_since_analyze((*entry).relid, rows) / rows + after_sample).min(1.0)
}

/// What the cumulative statistics count: all changes, as far as they are sent when a transaction ends. Those of a
/// load may be sent after its ANALYZE, so more rows than have come are not believed.
///
/// # Safety
/// A relation that the planner has locked.
unsafe fn inserted_since_analyze(relation: Oid, rows: f64) -> f64 {
    let come = rows - rows_at_vacuum_or_analyze(relation).unwrap_or(rows);
    // That would read the statistics of all tables.
    let snapshot = pg_sys::PgStat_FetchConsistency::PGSTAT_FETCH_CONSISTENCY_SNAPSHOT as i32;
    if pg_sys::pgstat_fetch_consistency != snapshot
        && let Some(counters) = raw::pgstat_fetch_stat_tabentry(relation).as_ref()
        && let (changes, analyzed @ 1.., vacuumed) = upkeep(counters)
    {
        // The counters live until the end of the transaction or of the statement.
        let all = counters.tuples_inserted + counters.tuples_updated + counters.tuples_deleted;
        let part = |of: i64| of as f64 / all.max(1) as f64 * changes as f64;
        let inserted = part(counters.tuples_inserted);
        if vacuumed > analyzed {
            return inserted;
        }
        return inserted.min(come.max(0.0) + part(counters.tuples_deleted));
    }
    // On a standby, and after a crash.
    come.max(0.0)
}

/// # Safety
/// A relation that the planner has locked.
unsafe fn rows_at_vacuum_or_analyze(relation: Oid) -> Option<f64> {
    let cache = pg_sys::SysCacheIdentifier::RELOID as i32;
    let tuple = raw::SearchSysCache1(cache, Datum::from(relation));
    if tuple.is_null() {
        return None;
    }
    let class = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_class>();
    let rows = f64::from((*class).reltuples);
    raw::ReleaseSysCache(tuple);
    (rows >= 0.0).then_some(rows)
}

/// The number of changes since the last ANALYZE, and the times of the last ANALYZE and of the last VACUUM.
fn upkeep(of: &pg_sys::PgStat_StatTabEntry) -> (i64, i64, i64) {
    #[cfg(feature = "pg15")]
    return (
        of.changes_since_analyze,
        of.analyze_timestamp.max(of.autovac_analyze_timestamp),
        of.vacuum_timestamp.max(of.autovac_vacuum_timestamp),
    );
    #[cfg(not(feature = "pg15"))]
    return (
        of.mod_since_analyze,
        of.last_analyze_time.max(of.last_autoanalyze_time),
        of.last_vacuum_time.max(of.last_autovacuum_time),
    );
}
