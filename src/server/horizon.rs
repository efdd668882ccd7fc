//! The horizon of the calling statement. It depends on the statement's snapshot alone: comb_clock::floors has the proof.

use std::cell::UnsafeCell;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Oid};

use super::floors;
use super::host::in_parallel_worker;
use super::tracked;
use super::transactions::Server;
use crate::postgres::compat::local_transaction_id;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::sequence::{Durability, changed_here, last_number};
use comb_clock::floors::{Snapshot, Source, Transactions, Unknown, number_of_tick, tick_of_number};

/// The last tick that is settled for the calling statement: all UUIDs up to it are visible to it, or will never appear.
pub fn settled_tick() -> Result<u64, Report> {
    let source = Source::clock(floors::database());
    let last = || {
        let (block, process, _) = floors::server()?;
        // An idle server's clock would stand still.
        Ok(number_of_tick(block.now(&process)?.tick))
    };
    let number = settled(source, last, |_| Ok(()))?;
    Ok(tick_of_number(number))
}

/// The same for the numbers of a sequence.
pub fn settled_number(sequence: Oid) -> Result<i64, Report> {
    let source = Source::sequence(floors::database(), sequence.to_u32());
    tracked::require_read(sequence)?;
    // The relation cache of a worker does not say what last_number() asks it.
    if in_parallel_worker() && tracked::is_changed_here(sequence) {
        return Err(changed_here(sequence));
    }
    settled(source, || last_number(sequence, Durability::Flushed), |snapshot| tracked::check_use(sequence, snapshot))
}

/// Answers of this process. A snapshot has one answer for ever, and a long scan asks once.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Asked {
    source: Source,
    /// Who asked: another role may not have the privilege.
    role: Oid,
    /// Within a transaction, these two numbers identify a snapshot: of the transactions below `xmax`, it does not see those
    /// that were in progress, which become fewer.
    transaction: u32,
    xmax: u64,
    running: u32,
}

const CAPACITY: usize = 16;

struct Answers {
    answers: [Option<(Asked, i64)>; CAPACITY],
    next: usize,
}

static ANSWERS: OneThread<UnsafeCell<Answers>> = OneThread::new(UnsafeCell::new(Answers { answers: [None; CAPACITY], next: 0 }));

fn settled(
    source: Source,
    last: impl Fn() -> Result<i64, Report>,
    check: impl Fn(&Snapshot) -> Result<(), Report>,
) -> Result<i64, Report> {
    let snapshot = snapshot()?;
    let asked = Asked {
        source,
        // SAFETY: reads a variable of the process.
        role: unsafe { raw::GetUserId() },
        transaction: local_transaction_id(),
        xmax: snapshot.xmax,
        running: snapshot.running.len() as u32,
    };
    // SAFETY: no call below uses the answers while this reference is in use.
    let known = unsafe { &*ANSWERS.get() }.answers.iter().flatten().find(|answer| answer.0 == asked);
    if let Some((_, answer)) = known {
        return Ok(*answer);
    }
    let (_, _, floors) = floors::server()?;
    let answer = floors.settled(source, last, &snapshot, &Server)?;
    check(&snapshot)?;
    // SAFETY: as above.
    let answers = unsafe { &mut *ANSWERS.get() };
    if let Some(place) = answers.answers.get_mut(answers.next) {
        *place = Some((asked, answer));
    }
    answers.next = (answers.next + 1) % CAPACITY;
    Ok(answer)
}

impl From<Unknown> for Report {
    #[cold]
    fn from(unknown: Unknown) -> Self {
        match unknown {
            Unknown::Overwritten => report!(
                ERRCODE_T_R_SERIALIZATION_FAILURE,
                "the horizon of this snapshot is not known any more"
            )
            .detail("Since the snapshot was taken, more transactions have ended than comb remembers.")
            .hint(
                "Repeat the statement or the transaction. Ask for the horizon first in a long transaction; it keeps the answer.",
            ),
            Unknown::EverySequence(id) => report!(
                ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                "transaction {} was prepared by version 0.3.0 of comb, and can have stored numbers of any sequence",
                id as u32
            )
            .hint("End it with COMMIT PREPARED or ROLLBACK PREPARED. pg_prepared_xacts shows it."),
        }
    }
}

/// The snapshot of the calling statement, which exists until the end of the call.
fn snapshot() -> Result<Snapshot<'static>, Report> {
    // SAFETY: the active snapshot exists until the end of the call.
    let active = unsafe { raw::ActiveSnapshotSet().then(|| &*raw::GetActiveSnapshot()) };
    let Some(active) = active.filter(|active| active.snapshot_type == pg_sys::SnapshotType::SNAPSHOT_MVCC) else {
        return Err(report!(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "the horizon requires the snapshot of a statement"));
    };
    // It has the running transactions in another array, without those that will begin on the new primary.
    if active.takenDuringRecovery {
        return Err(floors::in_recovery());
    }
    let running = match active.xcnt {
        0 => &[],
        // SAFETY: as above. A transaction id is an u32.
        count => unsafe { std::slice::from_raw_parts(active.xip.cast(), count as usize) },
    };
    let next = Server.next();
    let full = |id: pg_sys::TransactionId| next - u64::from((next as u32).wrapping_sub(id.into_inner()));
    Ok(Snapshot { xmin: full(active.xmin), xmax: full(active.xmax), running, own: floors::own_id() })
}

/// For how long the oldest transaction of this database has held the horizon of the clock back, in ticks of the system
/// clock; 0 if none does.
pub fn held_for(now: u64) -> Result<u64, Report> {
    let (_, _, floors) = floors::server()?;
    let clock = Source::clock(floors::database());
    let holding = floors.live().filter(|entry| entry.source == clock && Server.in_progress(entry.id));
    Ok(holding.map(|entry| now.saturating_sub(entry.since)).max().unwrap_or(0))
}
