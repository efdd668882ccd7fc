//! Time-ordered UUIDs: how each layout writes a time and random bits, and how they are read back.
//!
//! A [`layout::Comb`] is a tick and random bits. A [`layout::Layout`] writes it along three axes: a time
//! field ([`time_field`]), a byte order ([`byte_order`]) and a stamp. [`layouts`] is the table of all
//! layouts. Times are microseconds since the Unix epoch, ticks 1/65536 ms (`comb_tick`).
//!
//! ```
//! use comb_id::layouts::{MSSQL, UUIDV7};
//! use comb_id::layout::Comb;
//! use comb_tick::tick_of_micros;
//!
//! // Generate a UUID of version 7 at a time, and read the time back.
//! let at = 1_645_557_742_000_000; // 2022-02-22 19:22:22 UTC
//! let comb = Comb { tick: tick_of_micros(at), random: 0x9e37_79b9_7f4a_7c15 };
//! let id = UUIDV7.encode(comb).unwrap();
//! assert_eq!(id.to_string(), "017f22e2-79b0-7000-8278-dde6e5fd29f0");
//! assert_eq!(UUIDV7.micros(&id), Some(at));
//!
//! // Read a COMB of SQL Server, and write it as version 7.
//! let key = "d01c25cc-63a7-47cc-b5ba-018e5f3bff48".parse().unwrap();
//! assert_eq!(MSSQL.micros(&key), Some(1_710_994_751_304_000)); // 2024-03-21 04:19:11.304 UTC
//! let id = UUIDV7.rewrite(&MSSQL, &key, MSSQL.decode(&key).unwrap()).unwrap();
//! assert_eq!(id.to_string(), "018e5f3b-ff48-7d6e-acc7-a763cc251cd0");
//! ```
//!
//! [`rfc9562`] reads the UUIDs whose version says that they have a time; [`inspect`] lists all layouts that a UUID
//! can be of; [`bound`] reads the keys and the bounds of partitions. [`bsv`] is a layout that is text, [`ulid`] a text of
//! any UUID, and [`text_error`] says why a text is neither. [`uuid_text`] reads PostgreSQL's text of a UUID. [`histogram`]
//! serves the planner.

#![forbid(unsafe_code)]

pub mod bound;
pub mod bsv;
pub mod byte_order;
pub mod histogram;
pub mod inspect;
pub mod layout;
pub mod layouts;
pub mod rfc9562;
pub mod text_error;
pub mod time_field;
pub mod ulid;
pub mod uuid_text;

#[cfg(test)]
mod vectors;
