//! Floors of prepared transactions, which survive a restart as advisory locks.
//!
//! PostgreSQL's lock manager does the hard work: a lock of a transaction survives PREPARE TRANSACTION, a restart and a
//! promotion with it, and is released at its end. All locks are ShareLocks: no session waits.

use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::host::realtime;
use super::transactions::Server;
use crate::postgres::compat;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_clock::floors::{Entry, Floors, Source, Transactions, number_of_tick};

/// The fourth field of the locks. The first is the database; the others are
/// - [`OF_0_3`]: the halves of a tick. Version 0.3.0 wrote it, for all sequences and the clock.
/// - [`CLOCK`]: the halves of a tick, as a number.
/// - [`LOW`], [`HIGH`]: a sequence, and a half of its number.
///
/// pg_advisory_lock() writes 1 and 2 there, Citus 4 to 12.
const OF_0_3: u16 = 3083;
const CLOCK: u16 = 3084;
const LOW: u16 = 3085;
const HIGH: u16 = 3086;

/// Keeps the floors of this transaction, which is about to be prepared.
pub fn keep(floors: Floors, id: u64) {
    for entry in floors.live().filter(|entry| entry.id == id) {
        // An entry without a floor is of a statement that failed before it drew.
        let Some(floor) = entry.floor else { continue };
        let halves = [(floor >> 32) as u32, floor as u32];
        let [high, low] = halves;
        match entry.source.object() {
            0 => acquire(entry.source, [high, low], CLOCK),
            sequence => {
                acquire(entry.source, [sequence, low], LOW);
                acquire(entry.source, [sequence, high], HIGH);
            }
        }
    }
}

fn acquire(source: Source, [field2, field3]: [u32; 2], class: u16) {
    let tag = pg_sys::LOCKTAG {
        locktag_field1: source.database(),
        locktag_field2: field2,
        locktag_field3: field3,
        locktag_field4: class,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    };
    // SAFETY: before PREPARE, the top-level transaction is the owner. If lock memory is exhausted, the ERROR aborts it.
    unsafe { raw::LockAcquire(&raw const tag, pg_sys::ShareLock as i32, false, false) };
}

/// Fills the table with the floors of transactions that were prepared before the server started. One process does, before
/// any has an entry or an answer.
pub fn load(floors: Floors) -> Result<(), Report> {
    // SAFETY: an ERROR releases the lock, as it ends the (sub)transaction.
    unsafe { raw::LWLockAcquire(compat::addin_shmem_init_lock(), pg_sys::LWLockMode::LW_EXCLUSIVE) };
    let loaded = if floors.is_born() { Ok(()) } else { load_locked(floors) };
    // SAFETY: acquired above.
    unsafe { raw::LWLockRelease(compat::addin_shmem_init_lock()) };
    loaded
}

fn load_locked(floors: Floors) -> Result<(), Report> {
    // SAFETY: the data is a copy of the table of locks with `nelements` elements, in the memory context of the caller.
    let locks = unsafe {
        let data = &*raw::GetLockStatusData();
        std::slice::from_raw_parts(data.locks, usize::try_from(data.nelements).unwrap_or(0))
    };
    let prepared = || locks.iter().filter_map(Prepared::of);
    // Before the first entry: each attempt would write them again.
    let entries = |lock: Prepared| match lock.class {
        OF_0_3 => 2,
        HIGH => 0,
        _ => 1,
    };
    if prepared().map(entries).sum::<usize>() > floors.places() {
        return Err(no_room(floors));
    }
    for lock in prepared() {
        let [high, low] = match lock.class {
            OF_0_3 | CLOCK => lock.fields,
            LOW => {
                let is_other_half =
                    |other: &Prepared| other.class == HIGH && other.id == lock.id && other.object() == lock.object();
                let high = prepared().find(is_other_half);
                [high.map_or(u32::MAX, |high| high.fields[1]), lock.fields[1]]
            }
            _ => continue,
        };
        let floor = (u64::from(high) << 32 | u64::from(low)) as i64;
        match lock.class {
            LOW => place(floors, lock.id, Source::sequence(lock.database, lock.object()), floor)?,
            CLOCK => place(floors, lock.id, Source::clock(lock.database), floor)?,
            _ => {
                place(floors, lock.id, Source::clock(lock.database), number_of_tick(floor as u64))?;
                place(floors, lock.id, Source::every_sequence(lock.database), i64::MIN)?;
            }
        }
    }
    floors.set_born(&Server);
    Ok(())
}

fn place(floors: Floors, id: u32, source: Source, floor: i64) -> Result<(), Report> {
    let next = Server.next();
    let id = next - u64::from((next as u32).wrapping_sub(id));
    let since = realtime().unwrap_or(0);
    let place = floors.place(Entry { id, source, floor: Some(floor), since }, &Server);
    place.map(|_| ()).ok_or_else(|| no_room(floors))
}

#[cold]
fn no_room(floors: Floors) -> Report {
    report!(
        ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
        "prepared transactions have more floors than the {} places in shared memory",
        floors.places()
    )
    .hint("End prepared transactions, or raise \"max_connections\" and restart the server.")
}

/// One of our locks, held by a transaction that was prepared before the server started.
struct Prepared {
    id: u32,
    database: u32,
    fields: [u32; 2],
    class: u16,
}

impl Prepared {
    fn of(lock: &pg_sys::LockInstanceData) -> Option<Self> {
        let tag = &lock.locktag;
        let is_ours = u32::from(tag.locktag_type) == pg_sys::LockTagType::LOCKTAG_ADVISORY
            && u32::from(tag.locktag_lockmethodid) == pg_sys::USER_LOCKMETHOD
            && (OF_0_3..=HIGH).contains(&tag.locktag_field4)
            && lock.holdMask != 0;
        let id = compat::prepared_before_start(lock).filter(|_| is_ours)?;
        Some(Self {
            id,
            database: tag.locktag_field1,
            fields: [tag.locktag_field2, tag.locktag_field3],
            class: tag.locktag_field4,
        })
    }

    fn object(&self) -> u32 {
        self.fields[0]
    }
}
