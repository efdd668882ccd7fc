//! The state of the extension in a server.

pub mod backend;
pub mod floors;
pub mod horizon;
pub mod host;
pub mod prepared;
pub mod seed;
pub mod settings;
pub mod shared_memory;
pub mod tracked;
pub mod transactions;
