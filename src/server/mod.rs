//! What the extension keeps in a server.

pub mod backend;
pub mod clock_errors;
pub mod earlier;
pub mod floors;
pub mod horizon;
#[cfg(feature = "mutants")]
pub mod mutation;
#[cfg(not(feature = "mutants"))]
#[path = "no_mutation.rs"]
pub mod mutation;
pub mod process;
pub mod settings;
pub mod shared_memory;
pub mod signals;
pub mod system;
