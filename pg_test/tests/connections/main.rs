//! The extension over connections to one server. What one connection shows by psql stands in `sql/`.

mod bounds;
mod clock;
mod common;
mod connections;
mod conversion;
mod estimates;
mod first_last;
mod generate;
mod index_order;
mod layouts;
mod mssql;
mod partitions;
mod range_plans;
