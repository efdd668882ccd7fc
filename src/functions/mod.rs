//! SQL functions, by the chapters of sql/.

mod between;
mod bsv;
mod clock;
mod first_last;
mod generate;
mod guard;
mod horizon;
mod layout;
mod layouts;
mod mssql_order;
mod order_functions;
mod partitions;
mod ranges;
mod read;
mod rewrite;
mod track;
mod trigger;
mod ulid;
mod uniqueidentifier;
