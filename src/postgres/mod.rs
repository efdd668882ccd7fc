//! PostgreSQL's own functions, and the conventions by which it calls ours.

pub mod call;
pub mod catalog;
pub mod compat;
pub mod one_thread;
pub mod raw;
pub mod report;
pub mod rows;
pub mod sequence;
pub mod spi;
pub mod string_info;
pub mod timestamp;
