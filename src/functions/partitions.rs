//! SQL functions for tables that are partitioned by id. sql/92-partitions.sql names the partitions.

use std::ffi::c_int;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, Oid, SysCacheIdentifier};

use crate::postgres::call::{Call, Text, Value, export};
use crate::postgres::catalog::relation_name;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::rows::Rows;
use crate::postgres::timestamp::TimestampTz;
use comb_id::bound;
use comb_id::layouts::{MSSQL, UUIDV7};
use uuid::Uuid;

/// How many partitions a call names.
const MOST_PARTITIONS: i128 = 10_000;

export!(comb_partman_decoder, comb_partman_mssql_decoder, comb_partition_layout, comb_partition_step, comb_partition_bounds);

/// The time of a version 7 key or bound, for pg_partman.
fn comb_partman_decoder(id: &Uuid) -> Option<TimestampTz> {
    bound::micros(id).map(TimestampTz::from_unix_micros)
}

/// The same of layout mssql.
fn comb_partman_mssql_decoder(id: &Uuid) -> Option<TimestampTz> {
    bound::micros_mssql(id).map(TimestampTz::from_unix_micros)
}

/// The layout of the keys by which a table is partitioned.
fn comb_partition_layout(table: Oid) -> Result<Text, Report> {
    let layout = match key_order(table)? {
        KeyOrder::Uuid | KeyOrder::Time => UUIDV7,
        KeyOrder::Sqlserver => MSSQL,
    };
    Ok(Text::of_ascii(layout.label.as_bytes()))
}

/// The step of partitions from one time until another, if there can be such partitions.
fn comb_partition_step(from: TimestampTz, until: TimestampTz, step: &pg_sys::Interval) -> Result<pg_sys::Interval, Report> {
    let pg_sys::Interval { time, day, month } = *step;
    let months = i128::from(month);
    let micros = i128::from(day) * DAY_US + i128::from(time);
    // The infinities of PostgreSQL 17 and newer.
    let is_infinite = matches!((month, day), (i32::MIN, i32::MIN) | (i32::MAX, i32::MAX));
    let wrong = ERRCODE_INVALID_PARAMETER_VALUE;
    if [from.0, until.0].iter().any(|at| matches!(*at, i64::MIN | i64::MAX)) {
        return Err(report!(ERRCODE_DATETIME_FIELD_OVERFLOW, "times of partitions must be finite")
            .hint("For a partition without a bound, write FROM (MINVALUE) or TO (MAXVALUE)."));
    }
    if from.0 > until.0 {
        return Err(
            report!(wrong, "partitions cannot end before they begin").hint("The second time must not be earlier than the first.")
        );
    }
    if months != 0 && micros != 0 && !is_infinite {
        return Err(report!(wrong, "partition step must not mix months with days or shorter units")
            .hint("Use a step of months and years, or one of weeks, days, hours and shorter units."));
    }
    if is_infinite || months + micros <= 0 {
        return Err(report!(wrong, "partition step must be greater than zero and finite"));
    }
    if micros % 1000 != 0 {
        return Err(report!(wrong, "partition step must be a whole number of milliseconds")
            .hint("The timestamp of a UUID has a precision of one millisecond."));
    }
    if cuts(from.0.into(), until.0.into(), months, micros) > MOST_PARTITIONS {
        return Err(report!(ERRCODE_PROGRAM_LIMIT_EXCEEDED, "too many partitions")
            .detail(format_args!("One call returns at most {MOST_PARTITIONS} partitions."))
            .hint("Use a longer step or a shorter range."));
    }
    Ok(*step)
}

/// How many partitions of a step begin before `until` and end after `from`; for a step of months, at least as many.
fn cuts(from: i128, until: i128, months: i128, micros: i128) -> i128 {
    if months > 0 {
        // No month is shorter than 28 days.
        return (until - from) / (months * 28 * DAY_US) + 1;
    }
    // As comb_partitions() cuts: from Monday, 0001-01-01 on.
    let begun = |at: i128| (at + DAYS_BEFORE_2000 * DAY_US).div_euclid(micros);
    begun(until - 1) - begun(from) + 1
}

const DAY_US: i128 = 86_400_000_000;
/// Days from 0001-01-01 to 2000-01-01, from which PostgreSQL counts.
const DAYS_BEFORE_2000: i128 = 730_119;

/// The times between which the keys of a partition are; no row for the default partition, and for the one with the keys
/// that have no time.
fn comb_partition_bounds(call: Call, partition: Oid) -> Result<Rows, Report> {
    // SAFETY: a call of a set-returning function with the columns that follow.
    let rows = unsafe { Rows::begin(call)? };
    let name = relation_name(partition)?;
    // SAFETY: reads the catalogs.
    if unsafe { !raw::get_rel_relispartition(partition) } {
        return Err(report!(ERRCODE_WRONG_OBJECT_TYPE, "table ")
            .quote(name)
            .and(" is not a partition")
            .hint("Pass a partition instead of the partitioned table."));
    }
    // SAFETY: of a partition.
    let order = key_order(unsafe { raw::get_partition_parent(partition, true) })?;
    let Some(bounds) = bounds(partition) else { return Ok(rows) };
    let mut times = [None; 2];
    for (time, bound) in times.iter_mut().zip(bounds) {
        // The nil UUID and the max UUID mean that there is no bound.
        let Some(id) = bound.filter(|id| !id.is_nil() && !id.is_max()) else { continue };
        let micros = match order {
            KeyOrder::Uuid | KeyOrder::Time => bound::micros(&id),
            KeyOrder::Sqlserver => MSSQL.micros(&id),
        };
        let micros = micros.ok_or_else(|| no_time(name))?;
        *time = Some(TimestampTz::from_unix_micros(micros).datum());
    }
    // In time order, keys without a time come first: a partition without a lower bound has them.
    if !(matches!(order, KeyOrder::Time) && times[0].is_none()) {
        rows.put(&times);
    }
    Ok(rows)
}

/// The order in which PostgreSQL compares the keys of partitions.
enum KeyOrder {
    Uuid,
    Time,
    Sqlserver,
}

/// The order of the ids by which a table is partitioned.
fn key_order(table: Oid) -> Result<KeyOrder, Report> {
    let name = relation_name(table)?;
    let refused = |problem: &str| {
        report!(ERRCODE_WRONG_OBJECT_TYPE, "table ").quote(name).and(problem)
            .hint("Partitions by time require PARTITION BY RANGE with one column: a uuid, a uuid with the operator class uuid_mssql_ops or uuid_time_ops, or a uniqueidentifier.")
    };
    let cache = SysCacheIdentifier::PARTRELID as c_int;
    // SAFETY: reads the catalogs. Columns 2, 3, 5 and 6 of pg_partitioned_table (pg_partitioned_table.h) are partstrat,
    // partnatts, partattrs and partclass, which are never NULL and have an element for each column of the key.
    unsafe {
        let row = raw::SearchSysCache1(cache, Datum::from(table));
        if row.is_null() {
            return Err(refused(" is not partitioned"));
        }
        let column = |number| raw::SysCacheGetAttr(cache, row, number, &mut false);
        let (strategy, columns) = (column(2).value() as u8, column(3).value());
        let attribute = *(*column(5).cast_mut_ptr::<pg_sys::int2vector>()).values.as_ptr();
        let class = *(*column(6).cast_mut_ptr::<pg_sys::oidvector>()).values.as_ptr();
        raw::ReleaseSysCache(row);
        if strategy != b'r' {
            return Err(refused(" is not partitioned by range"));
        }
        if columns != 1 {
            return Err(refused(" is partitioned by several columns"));
        }
        if attribute == 0 {
            return Err(refused(" is partitioned by an expression"));
        }
        // The C function that compares says more than the type, and no ALTER changes it.
        let (family, input) = (raw::get_opclass_family(class), raw::get_opclass_input_type(class));
        match raw::symbol(raw::get_opfamily_proc(family, input, input, 1)).to_bytes() {
            b"uuid_cmp" => Ok(KeyOrder::Uuid),
            b"comb_time_cmp" => Ok(KeyOrder::Time),
            b"comb_mssql_cmp" => Ok(KeyOrder::Sqlserver),
            _ => Err(refused(" is not partitioned by a UUID column")
                .detail("The type or the operator class of its partition key does not order UUIDs.")),
        }
    }
}

/// The bounds of a partition by range of a uuid or uniqueidentifier, as far as it has them. `None` of the default
/// partition, and of one that another transaction has just detached.
fn bounds(partition: Oid) -> Option<[Option<Uuid>; 2]> {
    let cache = SysCacheIdentifier::RELOID as c_int;
    let column = pg_sys::Anum_pg_class_relpartbound as i16;
    // SAFETY: reads the catalogs. A bound by range has a list with one value for each column of the key; one of 16 bytes
    // is a pointer to them.
    unsafe {
        let row = raw::SearchSysCache1(cache, Datum::from(partition));
        if row.is_null() {
            return None;
        }
        let mut is_null = false;
        let text = raw::SysCacheGetAttr(cache, row, column, &raw mut is_null);
        if is_null {
            raw::ReleaseSysCache(row);
            return None;
        }
        let text = raw::text_to_cstring(text.cast_mut_ptr());
        raw::ReleaseSysCache(row);
        let spec = &*raw::stringToNode(text).cast::<pg_sys::PartitionBoundSpec>();
        if spec.is_default || spec.lowerdatums.is_null() || spec.upperdatums.is_null() {
            return None;
        }
        Some([spec.lowerdatums, spec.upperdatums].map(|datums| {
            let datum = (*(*datums).elements).ptr_value.cast::<pg_sys::PartitionRangeDatum>();
            let value = (*datum).value.cast::<pg_sys::Const>().as_ref()?;
            (value.constlen == 16).then(|| value.constvalue.cast_mut_ptr::<Uuid>().read())
        }))
    }
}

fn no_time(partition: &[u8]) -> Report {
    report!(ERRCODE_INVALID_PARAMETER_VALUE, "bound of partition ").quote(partition).and(" has no timestamp")
        .detail("A bound has a timestamp if its UUID has version 7, or layout \"mssql\" in the order of SQL Server. The nil UUID and the max UUID mean that there is no bound.")
        .hint("pg_get_expr(relpartbound, oid) of its row in pg_class shows the bound.")
}
