//! The answers to polls that a process remembers. A snapshot has one answer for a column, and a long scan asks once.

use std::cell::UnsafeCell;

use pgrx::pg_sys::Oid;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::changes;
use super::transactions::ended;
use crate::postgres::compat::local_transaction_id;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_horizon::{Snapshot, Taken};
use comb_id::layout::Layout;

/// The answer to a poll, in numbers of the source: [`comb_horizon::tick_of_number`] for the clock.
#[derive(Clone, Copy)]
pub struct Horizon {
    /// All keys up to it are visible to the statement, or will never appear.
    pub settled: i64,
    /// The last one of the source when the poll began.
    pub last: i64,
    /// Of UUIDs, and that of the column's type.
    pub layout: &'static Layout,
    pub of_type: &'static Layout,
}

/// What keys a poll compares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    Numbers,
    Uuids,
}

/// What identifies an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The table; INVALID for the horizon of all UUIDs.
    table: Oid,
    name: [u8; 64],
    keys: Keys,
    /// Another role may not have the privilege.
    role: Oid,
    transaction: u32,
    taken: Taken,
    /// [`changes::count`]: the statement may mean another table, or another one may have the rows of the snapshot.
    changes: u64,
    /// [`ended`]: the plan of the statement may see what a transaction has changed since, before its messages come.
    ended: u64,
}

/// A name that is too long is that of no column.
pub fn asked(of: Option<(Oid, &[u8], Keys)>, snapshot: &Snapshot) -> Asked {
    let (table, text, keys) = of.unwrap_or((Oid::INVALID, b"", Keys::Uuids));
    let mut name = [0; 64];
    name.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    // SAFETY: a number that this process alone changes.
    let role = unsafe { raw::GetUserId() };
    let (transaction, taken) = (local_transaction_id(), snapshot.taken());
    Asked { table, name, keys, role, transaction, taken, changes: changes::count(), ended: ended() }
}

#[derive(Clone, Copy)]
pub struct Answer {
    asked: Asked,
    /// The number of the column; 0 for the horizon of all UUIDs.
    attribute: i16,
    horizon: Horizon,
}

impl Answer {
    /// In whatever form it was asked.
    pub fn is_of_column(&self, attribute: i16, asked: &Asked) -> bool {
        let of = |asked: &Asked, attribute| (asked.table, attribute, asked.transaction, asked.taken);
        of(&self.asked, self.attribute) == of(asked, attribute)
    }

    pub fn is_of(&self, asked: &Asked) -> bool {
        self.asked == *asked
    }
}

/// How many answers a process remembers.
const CAPACITY: usize = 256;

/// Those of one transaction.
struct Answers {
    transaction: u32,
    answers: [Option<Answer>; CAPACITY],
    /// How many there were, also overwritten ones.
    count: usize,
    /// The greatest xmax of the snapshots whose answers were overwritten.
    overwritten: u64,
}

static ANSWERS: OneThread<UnsafeCell<Answers>> =
    OneThread::new(UnsafeCell::new(Answers { transaction: 0, answers: [None; CAPACITY], count: 0, overwritten: 0 }));

/// The first answer that a statement has got: with two, it would return rows above the lower one, and not those that it has read
/// before.
///
/// # Errors
/// The answer may have been overwritten.
pub fn known(
    asked: &Asked,
    is_it: impl Fn(&Answer) -> bool,
    check: impl Fn(&Horizon) -> Result<(), Report>,
) -> Result<Option<Horizon>, Report> {
    // SAFETY: no other reference is in use.
    let answers = unsafe { &*ANSWERS.get() };
    if answers.transaction != asked.transaction {
        return Ok(None);
    }
    let oldest = answers.count.saturating_sub(CAPACITY);
    let oldest_first = (oldest..answers.count).filter_map(|number| answers.answers[number % CAPACITY].as_ref());
    if let Some(answer) = oldest_first.filter(|answer| is_it(answer)).find(|answer| check(&answer.horizon).is_ok()) {
        return Ok(Some(answer.horizon));
    }
    if asked.taken.xmax <= answers.overwritten {
        return Err(report!(ERRCODE_PROGRAM_LIMIT_EXCEEDED, "cannot remember more than {CAPACITY} horizons of a transaction")
            .hint("Poll in several transactions."));
    }
    Ok(None)
}

pub fn remember(asked: Asked, attribute: i16, horizon: Horizon) -> Horizon {
    // SAFETY: no other reference is in use.
    let answers = unsafe { &mut *ANSWERS.get() };
    if answers.transaction != asked.transaction {
        (answers.transaction, answers.count, answers.overwritten) = (asked.transaction, 0, 0);
    }
    // After a change, the answer stays.
    let is_it = |answer: &&mut Answer| {
        let known = Asked { changes: asked.changes, ended: asked.ended, ..answer.asked };
        (known, answer.attribute, answer.horizon.settled, answer.horizon.last)
            == (asked, attribute, horizon.settled, horizon.last)
    };
    if let Some(answer) = answers.answers.iter_mut().flatten().find(is_it) {
        answer.asked = asked;
        return horizon;
    }
    let place = &mut answers.answers[answers.count % CAPACITY];
    let overwritten = place.replace(Answer { asked, attribute, horizon });
    if let Some(overwritten) = overwritten.filter(|_| answers.count >= CAPACITY) {
        answers.overwritten = answers.overwritten.max(overwritten.asked.taken.xmax);
    }
    answers.count += 1;
    horizon
}
