//! The state of the clock in a server.

pub mod backend;
pub mod host;
pub mod seed;
pub mod settings;
pub mod shared_memory;
