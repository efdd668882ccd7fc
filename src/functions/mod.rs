//! SQL functions, by the chapters of sql/. A file that exports the functions of a crate's file has its name.

mod between;
mod bsv;
mod clock;
#[cfg(test)]
mod declarations;
mod enable_polls;
mod execute;
mod first_last;
mod generate;
mod guard;
mod horizon;
mod layout;
mod layouts;
mod mssql_order;
mod partitions;
mod ranges;
mod read;
mod rewrite;
mod skip_support;
mod sort_support;
mod track;
mod trigger;
mod ulid;
mod uniqueidentifier;
