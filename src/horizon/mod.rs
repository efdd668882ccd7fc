//! The horizon of polls, over the table of floors of crate comb-horizon, which has the rule and its proof.
//!
//! - [`triggers`]: the rows of pg_trigger that call the functions of the extension.
//! - [`definition`]: the polled columns of a table, and the topmost table of each; [`source`]: the sequence that fills a column.
//! - [`entries`]: the floors and bounds of this process's transaction; [`prepared`]: those of prepared transactions.
//! - [`tree`]: whether all tables of a polled one call the guard, and the snapshot sees that; [`members`]: these tables;
//!   [`guarded`]: whether one does.
//! - [`messages`]: callbacks of PostgreSQL, that relations have changed; [`changes`]: what changes during a transaction; [`stored`]:
//!   how old what PostgreSQL has stored can be.
//! - [`poll`]: the horizon of a statement; [`answers`]: those that a process remembers.

pub mod answers;
pub mod changes;
pub mod definition;
pub mod entries;
pub mod guarded;
pub mod members;
pub mod messages;
pub mod poll;
pub mod prepared;
pub mod source;
pub mod stored;
pub mod transactions;
pub mod tree;
pub mod triggers;
