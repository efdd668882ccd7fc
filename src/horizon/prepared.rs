//! Floors of prepared transactions, which survive a restart as advisory locks.
//!
//! PostgreSQL's lock manager does the hard work: a lock of a transaction survives PREPARE TRANSACTION, a restart and a
//! promotion with it, and is released at its end. All locks are ShareLocks: no session waits.

use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::transactions::{ServerTransactions, full_id};
use crate::postgres::compat;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::server::host::realtime;
use comb_horizon::{Entry, Floors, Key};

/// The fourth field of the locks. The first is the database; the others are
/// - [`CLOCK`]: the halves of the floor.
/// - [`OLD_LOW`], [`OLD_HIGH`]: a sequence, and a half of its number. Version 0.4.1 wrote them.
/// - from [`HALVES`] on: the topmost table, and a half of the floor. Twice the number of the column is added, and 1 for the upper half.
///
/// pg_advisory_lock() writes 1 and 2 there, Citus 4 to 12.
const CLOCK: u16 = 3084;
const OLD_LOW: u16 = 3085;
const OLD_HIGH: u16 = 3086;
const HALVES: u16 = 8192;

/// The greatest class: a table has up to 1600 columns.
const LAST: u16 = HALVES + 2 * 1600 + 1;

/// Keeps the floors of this transaction, which is about to be prepared.
pub fn keep(entries: impl Iterator<Item = Entry>) {
    for entry in entries {
        // An entry without a floor is of a statement that failed before it generated a key.
        let Some(floor) = entry.floor else { continue };
        let (high, low) = ((floor >> 32) as u32, floor as u32);
        match (entry.key.table(), entry.key.attribute()) {
            (0, _) => acquire(entry.key, [high, low], CLOCK),
            (table, column) => {
                let class = HALVES + 2 * column as u16;
                acquire(entry.key, [table, low], class);
                acquire(entry.key, [table, high], class + 1);
            }
        }
    }
}

fn acquire(key: Key, [field2, field3]: [u32; 2], class: u16) {
    let tag = pg_sys::LOCKTAG {
        locktag_field1: key.database(),
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
    if prepared().filter(Prepared::is_entry).count() > floors.places() {
        return Err(no_room(floors));
    }
    for lock in prepared().filter(Prepared::is_entry) {
        let [first, second] = lock.fields;
        let floor = |high: u32, low: u32| (u64::from(high) << 32 | u64::from(low)) as i64;
        let (key, floor) = match lock.class {
            CLOCK => (Key::clock(lock.database), floor(first, second)),
            OLD_LOW => (Key::every_number(lock.database), i64::MIN),
            class => {
                let is_upper = |other: &Prepared| (other.class, other.id, other.fields[0]) == (class + 1, lock.id, first);
                let high = prepared().find(is_upper).map_or(1 << 31, |upper| upper.fields[1]);
                (Key::column(lock.database, first, ((class - HALVES) / 2) as i16), floor(high, second))
            }
        };
        let since = realtime().unwrap_or(0);
        let place = floors.restore(Entry { id: full_id(lock.id), key, floor: Some(floor), since }, &ServerTransactions);
        place.ok_or_else(|| no_room(floors))?;
    }
    floors.set_born(&ServerTransactions);
    Ok(())
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
            && matches!(tag.locktag_field4, CLOCK..=OLD_HIGH | HALVES..=LAST)
            && lock.holdMask != 0;
        let id = compat::prepared_before_start(lock).filter(|_| is_ours)?;
        Some(Self {
            id,
            database: tag.locktag_field1,
            fields: [tag.locktag_field2, tag.locktag_field3],
            class: tag.locktag_field4,
        })
    }

    /// Whether it is of an entry, and not the upper half of the floor of one.
    fn is_entry(&self) -> bool {
        match self.class {
            CLOCK | OLD_LOW => true,
            class => class >= HALVES && class % 2 == 0,
        }
    }
}
