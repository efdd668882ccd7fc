//! SQL functions for tables that are partitioned by id. What reads the catalogs is written in SQL
//! (sql/92-partitions.sql); it says here what is wrong.

use std::ffi::CStr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode;

use crate::postgres::call::sql_function;
use crate::postgres::error::{Error, Name, Report};
use crate::postgres::text::Text;
use comb_id::bound;

sql_function! {
    /// The moment of a version 7 key or bound, for pg_partman.
    fn comb_partman_decoder(call) {
        call.moment(bound::micros(&call.uuid(0)))
    }
}

sql_function! {
    /// The same of layout mssql.
    fn comb_partman_mssql_decoder(call) {
        call.moment(bound::micros_mssql(&call.uuid(0)))
    }
}

sql_function! {
    /// Raises the error that is called so, about that name. NULL is no error.
    fn comb_partition_error(call) {
        Err(Error::Partition(Fault::called(call.text(0)), Name::of(call.text(1))))
    }
}

/// Why there are no partitions to be named, or no range of one.
#[derive(Clone, Copy)]
pub enum Fault {
    NoTable,
    NotPartitioned,
    NotByRange,
    SeveralColumns,
    Expression,
    NotById,
    NotPartition,
    BoundWithoutTime,
    Infinite,
    Backwards,
    StepNotPositive,
    StepMixed,
    StepTooFine,
    TooMany,
}

impl Fault {
    /// By the word that sql/92-partitions.sql has for it.
    fn called(what: &[u8]) -> Self {
        match what {
            b"no table" => Self::NoTable,
            b"not by range" => Self::NotByRange,
            b"several columns" => Self::SeveralColumns,
            b"expression" => Self::Expression,
            b"not by id" => Self::NotById,
            b"no partition" => Self::NotPartition,
            b"no time" => Self::BoundWithoutTime,
            b"infinite" => Self::Infinite,
            b"backwards" => Self::Backwards,
            b"step not positive" => Self::StepNotPositive,
            b"step mixed" => Self::StepMixed,
            b"step too fine" => Self::StepTooFine,
            b"too many" => Self::TooMany,
            _ => Self::NotPartitioned,
        }
    }

    pub fn report(self, name: Name) -> Report {
        let wrong_value = || Report::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE);
        match self {
            Self::NoTable => Report::new(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE)
                .message(format_args!("relation with OID"))
                .quoting_as(c"%s %.*s%s does not exist", name),
            Self::NotPartitioned => not_by_time(c"%s \"%.*s%s\" is not partitioned", name),
            Self::NotByRange => not_by_time(c"%s \"%.*s%s\" is not partitioned by range", name),
            Self::SeveralColumns => not_by_time(c"%s \"%.*s%s\" is partitioned by several columns", name),
            Self::Expression => not_by_time(c"%s \"%.*s%s\" is partitioned by an expression", name),
            Self::NotById => not_by_time(c"%s \"%.*s%s\" is not partitioned by an id", name)
                .detail(Text::of(format_args!("The type or the operator class of its partition key has no order of ids."))),
            Self::NotPartition => wrong_object(c"%s \"%.*s%s\" is not a partition", name)
                .hint(format_args!("Name a partition of the table, not the table.")),
            Self::BoundWithoutTime => wrong_value()
                .message(format_args!("bound of partition"))
                .quoting_as(c"%s \"%.*s%s\" has no time", name)
                .detail(Text::of(format_args!("A bound has a time if it is of version 7, or in the order of SQL Server of layout \"mssql\". The nil UUID and the max UUID stand for no bound.")))
                .hint(format_args!("pg_get_expr(relpartbound, oid) in pg_class shows the bound.")),
            Self::Infinite => Report::new(PgSqlErrorCode::ERRCODE_DATETIME_FIELD_OVERFLOW)
                .message(format_args!("times of partitions must be finite"))
                .hint(format_args!("A partition without a bound is FROM (MINVALUE) or TO (MAXVALUE).")),
            Self::Backwards => wrong_value()
                .message(format_args!("partitions cannot end before they begin"))
                .hint(format_args!("The second time must be the first one or after it.")),
            Self::StepNotPositive => wrong_value()
                .message(format_args!("step of partitions must be greater than zero and finite")),
            Self::StepMixed => wrong_value()
                .message(format_args!("step of partitions must not mix months with days or shorter units"))
                .hint(format_args!("Use a step of months and years, or one of weeks, days, hours and shorter units.")),
            Self::StepTooFine => wrong_value()
                .message(format_args!("step of partitions must be a whole number of milliseconds"))
                .hint(format_args!("The time of an id is in milliseconds.")),
            Self::TooMany => Report::new(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED)
                .message(format_args!("too many partitions"))
                .detail(Text::of(format_args!("A call names up to 10000.")))
                .hint(format_args!("Use a longer step, or times that are closer together.")),
        }
    }
}

/// `format` is that of the message: of the word "table", and the table's name.
fn wrong_object(format: &'static CStr, table: Name) -> Report {
    Report::new(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE)
        .message(format_args!("table"))
        .quoting_as(format, table)
}

fn not_by_time(format: &'static CStr, table: Name) -> Report {
    wrong_object(format, table).hint(format_args!("Partitions by time require PARTITION BY RANGE of one column: a uuid, a uuid with the operator class uuid_mssql_ops or uuid_time_ops, or a uniqueidentifier."))
}
