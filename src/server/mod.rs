//! What the extension keeps in a server.

pub mod backend;
pub mod clock_errors;
pub mod floors;
pub mod settings;
pub mod shared_memory;
pub mod system;
