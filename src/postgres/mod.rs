//! PostgreSQL's own functions, and the conventions by which it calls ours.

pub mod call;
pub mod compat;
pub mod error;
pub mod invalid_text;
pub mod raw;
pub mod rows;
pub mod skip_support;
pub mod sort_support;
pub mod text;
pub mod timestamp;
