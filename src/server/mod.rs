//! What the extension keeps in a server.

pub mod backend;
pub mod clock_errors;
pub mod earlier;
pub mod floors;
pub mod horizon;
pub mod mutation;
pub mod process;
pub mod settings;
pub mod shared_memory;
pub mod signals;
pub mod system;
