//! The horizon of a snapshot: the number up to which it has all rows of a table, so that none of them is missed.
//!
//! The table of floors is memory that processes share. An entry is (transaction id, [`Key`], floor). A key is a polled column of
//! numbers, or the clock for all UUIDs of a database; a UUID counts by its tick, as a number. The *source* is the sequence or the
//! clock that a horizon is asked for. A floor belongs to the key and not to the source: another source may have drawn a number.
//!
//! > Each number that is stored is above the floor that its transaction wrote before.
//!
//! # Protocol
//! ```text
//! WRITER   once for each key, before its transaction stores a number:
//!     write the entry, without a floor;  full fence
//!     read which source the key has;  L = its last number;  give the entry L as its floor, unless it has one;  full fence
//!     bound = max(floor of the entry, L); of the clock, the floor
//! GUARD    for each number v that the transaction stores:
//!     if the source may be another one: read which source the key has;  bound = max(bound, its last number)
//!     v > bound, else an error
//! POLL     with the snapshot S of its statement, after it has locked the table and read which source the key has:
//!     L = last number of the source;  full fence
//!     to each entry of the key without a floor whose transaction S does not see: give it the last number, read again
//!     horizon = min(L, floor of each entry of the key whose transaction S does not see)
//!     unknown: S does not see a transaction with an entry of every number, or an entry that counts may have been overwritten
//! END      when the transaction has become visible, or is gone: end the entry; it can be read until it is overwritten
//! PREPARE  the entries stay; after a restart, all are written again before the first new entry and the first horizon
//! ```
//!
//! The first one that gives a floor decides, by compare-and-swap. [`Floors::place`] and [`Floors::set_floor`] are for WRITER,
//! [`Floors::settled`] is POLL. The bound is in the memory of the writer's process.
//!
//! # Proof
//! Three premises, which the caller ensures: GUARD is called for each number that is stored; S sees the definition that the poll
//! reads; the last number of a source never decreases, nor does that of a key when it gets another source.
//!
//! *Lemma.* T claims its entry at t0, and the entry gets the floor f. Each number v that T stores is above max(f, b), where b is a
//! last number of the source that T read after t0.
//!
//! T stores nothing before its entry has a floor. A floor does not change once it is given. Hence the bound is at least f. It is
//! also at least the last number of the source of the key, which T read after t0, and GUARD compares v with the bound.
//!
//! *Theorem.* A poll with snapshot S answers h. T stores v, and S does not see T. Then h < v.
//!
//! - The poll finds the entry of T. It reads its floor, or gives it one: h <= f < v.
//! - The poll looked at the place before t0. It had read L before. By the two full fences, T reads b after the poll has read L.
//!   The definition that T reads is not older than that of the poll. Therefore L <= b, and h <= L <= b < v.
//! - The entry was there before the poll looked at the place, and has been overwritten. The horizon is unknown: see below.
//!
//! The poll may give a floor of a source that is not that of T. This is safe: h <= f < v needs no source. A floor that is too
//! high is an error of the writer, and one that is too low holds readers back.
//!
//! # One answer for a snapshot
//! Suppose that S sees a row with number v, which the source had reached when S was taken. A poll with S that does not find an
//! entry looked before the entry was claimed: its floor is a number that the source had later, at least v. If a poll finds the
//! entry, the entry has a floor from then on. The entries with floors below v whose transactions S does not see are therefore
//! the same whenever the horizon is computed. The answer whether v is up to the horizon is the same in each row, partition,
//! branch, process and connection. (With a floor that is read before the entry is written, a process that stops between the two
//! changes the answer of others.) If T itself changed the source and gives its entry a lower floor, the horizon that is computed
//! then is a lower one. It misses no row either, but two answers in one statement would: a process remembers the first one.
//!
//! # Entries that were overwritten
//! `lost` is the greatest transaction id whose entry was overwritten. It is raised before the place is claimed, and read after
//! the entries. If S does not see a transaction with an id of up to `lost` that has ended and has no entry for the key, the
//! horizon is unknown. An id that is not below `lost_end` was assigned after all of these had ended. A snapshot with
//! xmax > `lost_end` therefore sees all of them. A transaction must not write a second entry for a key: that would hide that
//! the first one was overwritten.
//!
//! The id and the note of a place that raise both are those of one entry: the word is read again after the note. Otherwise
//! another writer may have claimed the place, and its note is a time, which no xmax exceeds.
//!
//! # Transactions prepared before the server started
//! `born` is the next transaction id when the table was filled with their floors. Where S does not see a transaction with a
//! lower id that has ended and has no entry, it may have ended before that: unknown as well.
//!
//! A transaction that version 0.4.1 prepared names sequences. It gets entries of [`Key::every_number`], one or several: no number
//! of its database has a horizon until it ends.
//!
//! # The clock as a source
//!
//! | state | horizon | new rows |
//! |---|---|---|
//! | no UUID is generated | the reader moves the clock to the system clock first: the present | |
//! | the clock is ahead of the system clock | follows the clock, not the system clock | can be read at once |
//! | the clock is reset while a floor is held | the floor is lowered to the new clock first: see [`Floors::lower`] | wait for the transaction |
//! | a crash loses a lead | the clock starts lower; new UUIDs are below a cursor of before | read after comb_observe() with the cursor |
//!
//! A reset is the only case in which a floor is lowered. The third premise excludes it for horizons of before.
//!
//! # States of a place
//!
//! | word | meaning | changed by | to |
//! |---|---|---|---|
//! | id, ENDED | the transaction has ended; `note`: the next id after that. 0: never used | a writer, compare-and-swap | BUSY |
//! | BUSY, no id | the other words are being written | the writer that claimed it, store | its id, LIVE |
//! | id, LIVE | the transaction may store; `note`: when the entry was written | its process at its end, or a writer that finds that it has ended: compare-and-swap | id, ENDING |
//! | id, ENDING | `note` is being written | the process that swapped, store | id, ENDED |
//!
//! The floor of an entry without one is a number that names the transaction. The writer or a reader replaces it,
//! compare-and-swap, by the last number of the source.
//!
//! The end is a compare-and-swap because a transaction has ended before its process says so: meanwhile, another process
//! may have ended the entry and a third one have taken the place.
//!
//! # Shares of the places
//! No database can stop the writers of the others: a database gets another place while it has fewer than three times as many as
//! are free. While half of the places or fewer are in use, nothing is checked.
//!
//! | databases that hold all they get | each, if they take at the same time | then free | free, if one takes after the other |
//! |---|---|---|---|
//! | 1 | 3/4 of the places: 768 of 1,024 | 1/4: 256 | 1/4: 256 |
//! | 2 | 3/7: 439 | 1/7: 146 | 1/16: 64 |
//! | 3 | 3/10: 307 | 1/10: 102 | 1/64: 16 |
//! | n | 3 / (3n + 1) | 1 / (3n + 1) | 1 / 4^n |
//!
//! The next database gets three quarters of the free places: after two others at least 48 of 1,024.
//! A database without an entry gets a place as long as one is free. Writers that are checked at the same time may each get one
//! place more than that. Entries of transactions that were prepared before the server started are not refused, and count.

#![forbid(unsafe_code)]

mod key;
mod place;
mod snapshot;
mod table;

pub use key::{Key, number_of_tick, tick_of_number};
pub use place::{Entry, Place};
pub use snapshot::{Snapshot, Taken, Transactions, Unknown};
pub use table::{Floors, Full, Header};

/// Those of loom in its model.
mod atomic {
    #[cfg(all(test, loom))]
    pub use loom::sync::atomic::{AtomicI64, AtomicU64, fence};
    #[cfg(not(all(test, loom)))]
    pub use std::sync::atomic::{AtomicI64, AtomicU64, fence};
}
