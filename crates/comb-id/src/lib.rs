//! What an id is: its layouts, and how they are read and written.
//!
//! A value ([`value::Comb`]) is a moment and some randomness. A [`layout`] writes it down along three axes: its
//! [`time_field`], its [`byte_order`] and its stamp; [`layouts`] is the table of all of them. [`rfc9562`]
//! reads what a uuid declares of itself, [`inspect`] what else it could be, [`bound`] what partitions have;
//! [`bsv`] is the layout that is text; [`text_form`] and [`typeid`] write any id as short text;
//! [`index_order`] has the orders of indexes; [`abbreviation`] helps sorting, [`histogram`] the planner.

#![forbid(unsafe_code)]

pub mod abbreviation;
pub mod bound;
pub mod bsv;
pub mod byte_order;
pub mod histogram;
pub mod index_order;
pub mod inspect;
pub mod layout;
pub mod layouts;
pub mod rfc9562;
pub mod text_form;
pub mod time_field;
pub mod typeid;
pub mod value;

#[cfg(test)]
mod vectors;
