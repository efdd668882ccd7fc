//! How many rows are in a range of time.

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use pgrx::pg_sys::{self, Node, NodeTag, Oid};

use super::range_function::{RangeFunction, UUID_MSSQL, constant, nodes};
use crate::postgres::catalog::{self, cells, is_ours, with_c_function};
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::timestamp::TimestampTz;
use comb_id::histogram::{Bound, Query};
use uuid::Uuid;

/// PostgreSQL's estimate of a comparison with an unknown value (DEFAULT_INEQ_SEL).
const UNKNOWN: f64 = 1.0 / 3.0;
/// PostgreSQL's estimate of a range that it does not know (DEFAULT_RANGE_INEQ_SEL).
const UNKNOWN_RANGE: f64 = 0.005;
/// PostgreSQL's estimate of two comparisons with columns of another table (DEFAULT_INEQ_SEL squared).
const JOIN: f64 = 1.0 / 9.0;
/// How many ranges of one key the estimate considers. Each looks at all earlier ones.
const MAX_RANGES: usize = 16;
/// How many rows ANALYZE reads for each bin of a histogram.
const SAMPLED_ROWS_OF_BIN: f64 = 300.0;

/// The keys of a range: from the lower to before the upper one.
#[derive(Clone, Copy)]
struct Keys {
    range: &'static RangeFunction,
    lower: Uuid,
    upper: Uuid,
}

impl Keys {
    /// The keys for which a call of a range function is true. `None` if they are unknown, `Some(None)` if a time is null.
    unsafe fn of(
        root: *mut pg_sys::PlannerInfo,
        range: &'static RangeFunction,
        arguments: *mut pg_sys::List,
    ) -> Option<Option<Self>> {
        let [_, from, to] = nodes(arguments);
        let [from, to] = [(from, &ESTIMATED[0]), (to, &ESTIMATED[1])].map(|(time, last)| estimated(root, time, last));
        let bound = range.bound;
        Some(from?.zip(to?).map(|(from, to)| Self { range, lower: bound(from), upper: bound(to) }))
    }

    /// The keys on one side of a key. It does not matter for an estimate whether this key is among them.
    fn beside(range: &'static RangeFunction, key: Uuid, is_less: bool) -> Self {
        let (lower, upper) = if is_less { (Uuid::nil(), key) } else { (key, Uuid::max()) };
        Self { range, lower, upper }
    }

    /// The keys in both ranges of one column.
    fn and(self, other: Self) -> Self {
        let is_from = self.range.is_from;
        let lower = if is_from(&self.lower, &other.lower) { self.lower } else { other.lower };
        let upper = if is_from(&self.upper, &other.upper) { other.upper } else { self.upper };
        Self { range: self.range, lower, upper }
    }
}

/// The value of an expression such as `now()` in the statement that is planned: each partition has a copy of the expression, and
/// its evaluation takes longer than the rest of the estimate.
#[derive(Clone, Copy)]
struct Estimated {
    planning: *mut pg_sys::PlannerGlobal,
    expression: *mut Node,
    value: Option<i64>,
}

/// The last values of the lower and of the upper time. A value lives as long as the memory of its planning.
static ESTIMATED: OneThread<[Cell<Option<Estimated>>; 2]> = OneThread::new([const { Cell::new(None) }; 2]);

/// The value of a time, or an estimate of it, as [`constant`] returns it.
unsafe fn estimated(root: *mut pg_sys::PlannerInfo, time: *mut Node, last: &Cell<Option<Estimated>>) -> Option<Option<i64>> {
    let planning = (*root).glob;
    match last.get() {
        _ if (*time).type_ == NodeTag::T_Const => return constant(time),
        Some(last) if last.planning == planning && raw::equal(last.expression.cast(), time.cast()) => return Some(last.value),
        _ => {}
    }
    let value = constant(raw::estimate_expression_value(root, time))?;
    let memory = (*root).planner_cxt;
    let callback: *mut pg_sys::MemoryContextCallback =
        raw::MemoryContextAlloc(memory, size_of::<pg_sys::MemoryContextCallback>()).cast();
    callback.write(pg_sys::MemoryContextCallback { func: Some(forget), arg: ptr::null_mut(), next: ptr::null_mut() });
    raw::MemoryContextRegisterResetCallback(memory, callback);
    let caller = pg_sys::CurrentMemoryContext;
    pg_sys::CurrentMemoryContext = memory;
    let expression = raw::copyObjectImpl(time.cast()).cast();
    pg_sys::CurrentMemoryContext = caller;
    last.set(Some(Estimated { planning, expression, value }));
    Some(value)
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn forget(_argument: *mut c_void) {
    ESTIMATED.iter().for_each(|last| last.set(None));
}

/// The share of the rows for which the function is true; `None` for another function. The planner multiplies the shares of
/// conditions. If there are other ranges of the same key, it is therefore the share of the rows in those ranges.
pub unsafe fn selectivity(request: &mut pg_sys::SupportRequestSelectivity) -> Option<f64> {
    let range = RangeFunction::of(request.funcid)?;
    if request.is_join {
        return Some(JOIN);
    }
    let keys = match Keys::of(request.root, range, request.args) {
        Some(Some(keys)) => keys,
        Some(None) => return Some(0.0),
        None => return Some(UNKNOWN_RANGE),
    };
    let [id, _, _] = nodes(request.args);
    let mut variable = MaybeUninit::uninit();
    raw::examine_variable(request.root, id, request.varRelid, variable.as_mut_ptr());
    let mut variable = variable.assume_init();
    let others = other_ranges(request, variable.rel);
    let share = share_beside(keys, others, request.root, &mut variable, request.funcid);
    release(&variable);
    Some(share.unwrap_or(UNKNOWN_RANGE).clamp(0.0, 1.0))
}

/// The share of the rows for which a comparison of uuid in SQL Server's order holds: of the rows for which the other comparisons
/// of the same key hold, as [`selectivity`].
pub unsafe fn comparison(root: *mut pg_sys::PlannerInfo, operator: Oid, arguments: *mut pg_sys::List, table: i32) -> f64 {
    // Any operator can have this estimator: its operands may be of other types.
    let Some(is_less) = is_less(operator) else { return UNKNOWN };
    let (mut variable, mut other, mut is_left) = (MaybeUninit::uninit(), ptr::null_mut(), false);
    if !raw::get_restriction_variable(root, arguments, table, variable.as_mut_ptr(), &mut other, &mut is_left) {
        return UNKNOWN;
    }
    let mut variable = variable.assume_init();
    let id = nodes::<2>(arguments)[usize::from(!is_left)];
    let (others, count) = other_comparisons(root, variable.rel, arguments, id);
    // The product of two is PostgreSQL's estimate of a range that it does not know.
    let unknown = if count == 0 { UNKNOWN } else { UNKNOWN_RANGE / UNKNOWN };
    let share = match key_of(other) {
        Some(None) => Some(0.0),
        Some(Some(key)) => {
            let keys = Keys::beside(&UUID_MSSQL, key, is_less == is_left);
            share_beside(keys, others, root, &mut variable, raw::get_opcode(operator))
        }
        None => None,
    };
    release(&variable);
    share.unwrap_or(unknown).clamp(0.0, 1.0)
}

/// The value of a uuid: `Some(None)` for null, `None` if it is not a constant.
unsafe fn key_of(expression: *mut Node) -> Option<Option<Uuid>> {
    if (*expression).type_ != NodeTag::T_Const {
        return None;
    }
    let constant = expression.cast::<pg_sys::Const>();
    Some((!(*constant).constisnull).then(|| (*constant).constvalue.cast_mut_ptr::<Uuid>().read()))
}

/// Whether an operator of uuid in SQL Server's order is one of `<#` and `<=#`; `None` for another operator.
fn is_less(operator: Oid) -> Option<bool> {
    // SAFETY: in a transaction, where any OID can be looked up.
    let function = unsafe { raw::get_opcode(operator) };
    with_c_function(function, |library, symbol| match symbol.to_bytes() {
        _ if !is_ours(library) => None,
        b"comb_mssql_lt" | b"comb_mssql_le" => Some(true),
        b"comb_mssql_ge" | b"comb_mssql_gt" => Some(false),
        _ => None,
    })
    .flatten()
}

/// The intersection of the other comparisons of a key with constants, and their number: see [`other_ranges`].
unsafe fn other_comparisons(
    root: *mut pg_sys::PlannerInfo,
    relation: *mut pg_sys::RelOptInfo,
    arguments: *mut pg_sys::List,
    id: *mut Node,
) -> (Option<Keys>, usize) {
    let conditions = relation.as_ref().map_or(ptr::null_mut(), |of| of.baserestrictinfo);
    let comparisons = cells(conditions)
        .iter()
        .map(|cell| (*cell.ptr_value.cast::<pg_sys::RestrictInfo>()).clause)
        .filter(|condition| (**condition).type_ == NodeTag::T_OpExpr)
        .map(|condition| condition.cast::<pg_sys::OpExpr>())
        .take_while(|comparison| (**comparison).args != arguments)
        .filter_map(|comparison| {
            // Another operator can have one operand, or operands of other types.
            let is_less = is_less((*comparison).opno)?;
            let [left, right] = nodes((*comparison).args);
            let is_id = |side: *mut Node| raw::equal(side.cast(), id.cast());
            let is_left = is_id(left);
            (is_left || is_id(right)).then_some((is_less, is_left, if is_left { right } else { left }))
        })
        .take(MAX_RANGES);
    let (mut all, mut count) = (None, 0);
    for (is_less, is_left, other) in comparisons {
        count += 1;
        if let Some(key) = key_of(raw::estimate_expression_value(root, other)).flatten() {
            let keys = Keys::beside(&UUID_MSSQL, key, is_less == is_left);
            all = Some(all.map_or(keys, |all: Keys| all.and(keys)));
        }
    }
    (all, count)
}

/// The share of the rows in a range, of those in `others`. As PostgreSQL's estimators: the user may read the columns, or the
/// function tells nothing about them.
unsafe fn share_beside(
    keys: Keys,
    others: Option<Keys>,
    root: *mut pg_sys::PlannerInfo,
    variable: &mut pg_sys::VariableStatData,
    function: Oid,
) -> Option<f64> {
    if variable.statsTuple.is_null() || !raw::statistic_proc_security_check(variable, function) {
        return None;
    }
    match others {
        Some(others) => {
            let of_others = share_by_statistics(others, root, variable).filter(|of_others| *of_others > 0.0)?;
            Some(share_by_statistics(keys.and(others), root, variable)? / of_others)
        }
        None => share_by_statistics(keys, root, variable),
    }
}

unsafe fn release(variable: &pg_sys::VariableStatData) {
    if let Some(free) = variable.freefunc
        && !variable.statsTuple.is_null()
    {
        free(variable.statsTuple);
    }
}

/// The intersection of the other ranges of the same key among the conditions of a table: those before the given one, or all
/// if the given one is not among these conditions. `relation` is that of the variable, or null.
unsafe fn other_ranges(request: &pg_sys::SupportRequestSelectivity, relation: *mut pg_sys::RelOptInfo) -> Option<Keys> {
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
        .filter_map(|call| Some((RangeFunction::of((*call).funcid)?, (*call).args)))
        .filter(|(_, arguments)| raw::equal(nodes::<3>(*arguments)[0].cast(), id.cast()))
        .take(MAX_RANGES)
        .filter_map(|(range, arguments)| Keys::of(request.root, range, arguments).flatten())
        .reduce(Keys::and)
}

/// `None` where the statistics have neither a histogram nor a value in the range. The variable has statistics.
unsafe fn share_by_statistics(
    Keys { range, lower, upper }: Keys,
    root: *mut pg_sys::PlannerInfo,
    variable: &pg_sys::VariableStatData,
) -> Option<f64> {
    let statistics = pg_sys::GETSTRUCT(variable.statsTuple).cast::<pg_sys::FormData_pg_statistic>();
    let mut rest = 1.0 - f64::from((*statistics).stanullfrac);
    let mut share = 0.0;
    let kind = pg_sys::STATISTIC_KIND_MCV;
    let flags = pg_sys::ATTSTATSSLOT_VALUES | pg_sys::ATTSTATSSLOT_NUMBERS;
    // The values of a slot have the variable's type, of 16 bytes. Its arrays live until the slot is freed.
    if let Some(mut slot) = slot(variable, kind, Oid::INVALID, flags) {
        for index in 0..slot.nvalues.min(slot.nnumbers) as usize {
            let id = key(&slot, index);
            let frequency = f64::from(*slot.numbers.add(index));
            rest -= frequency;
            if (range.is_from)(&id, &lower) && !(range.is_from)(&id, &upper) {
                share += frequency;
            }
        }
        raw::free_attstatsslot(&mut slot);
    }
    let flags = pg_sys::TYPECACHE_LT_OPR as i32;
    let less = if range.is_sorted { (*raw::lookup_type_cache(variable.vartype, flags)).lt_opr } else { Oid::INVALID };
    let kind = pg_sys::STATISTIC_KIND_HISTOGRAM;
    let Some(mut slot) = slot(variable, kind, less, pg_sys::ATTSTATSSLOT_VALUES) else {
        return (share > 0.0).then_some(share + rest * UNKNOWN_RANGE);
    };
    let count = slot.nvalues.max(0) as usize;
    if count > 1 {
        // The bounds of a histogram in another order are a sample of the keys. Each bin of the sample holds as many of them as
        // there are bins: with fewer, their number would be too uncertain.
        let bins = if range.is_sorted { count - 1 } else { (count - 1).isqrt() };
        if !range.is_sorted {
            let keys = std::slice::from_raw_parts_mut(slot.values, count);
            keys.sort_unstable_by_key(|key| (range.position)(&*key.cast_mut_ptr()));
        }
        let now = TimestampTz(raw::GetCurrentTimestamp()).unix_micros();
        let query = Query {
            range: (range.position)(&lower)..(range.position)(&upper),
            now: (range.position)(&(range.bound)(now)),
            growth: growth(root, variable.rel, (count - 1) as f64 * SAMPLED_ROWS_OF_BIN),
        };
        share += rest.max(0.0)
            * query.estimate(bins + 1, |bound| {
                let id = key(&slot, bound * (count - 1) / bins);
                Bound { position: (range.position)(&id), in_layout: (range.in_layout)(&id) }
            });
    }
    raw::free_attstatsslot(&mut slot);
    Some(share)
}

/// A kind of statistics, if the variable has it. The variable has some.
unsafe fn slot(variable: &pg_sys::VariableStatData, kind: u32, operator: Oid, flags: u32) -> Option<pg_sys::AttStatsSlot> {
    let mut slot = MaybeUninit::uninit();
    let (place, statistics) = (slot.as_mut_ptr(), variable.statsTuple);
    let is_there = raw::get_attstatsslot(place, statistics, kind as i32, operator, flags as i32);
    is_there.then(|| slot.assume_init())
}

/// The slot has values of 16 bytes, more than `index`.
unsafe fn key(slot: &pg_sys::AttStatsSlot, index: usize) -> Uuid {
    (*slot.values.add(index)).cast_mut_ptr::<Uuid>().read()
}

/// The share of a table's rows that are newer than its histogram: those inserted since, and those after the newest row of the
/// sample if the histogram comes from a sample. `relation` may be null.
unsafe fn growth(root: *mut pg_sys::PlannerInfo, relation: *mut pg_sys::RelOptInfo, sample: f64) -> f64 {
    if relation.is_null() || (*relation).tuples < 1.0 {
        return 0.0;
    }
    let rows = (*relation).tuples;
    // A variable with statistics belongs to one entry of the range table.
    let entry = *(*root).simple_rte_array.add((*relation).relid as usize);
    if (*entry).rtekind != pg_sys::RTEKind::RTE_RELATION {
        return 0.0;
    }
    let after_sample = if rows > sample { 1.0 / sample } else { 0.0 };
    (inserted_since_analyze((*entry).relid, rows) / rows + after_sample).min(1.0)
}

/// The rows inserted since the last ANALYZE, by the cumulative statistics. Sessions send these later: the counts of a load may
/// arrive after its ANALYZE. Therefore the growth of the table is the limit. The planner has locked the relation.
unsafe fn inserted_since_analyze(relation: Oid, rows: f64) -> f64 {
    let at_vacuum_or_analyze = catalog::relation(relation).map(|class| f64::from(class.rows)).filter(|rows| *rows >= 0.0);
    let grown = rows - at_vacuum_or_analyze.unwrap_or(rows);
    // With this setting, PostgreSQL would read the statistics of all tables.
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
        return inserted.min(grown.max(0.0) + part(counters.tuples_deleted));
    }
    // A standby has no counters, nor has a server after a crash.
    grown.max(0.0)
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
