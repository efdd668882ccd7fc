//! A model of the table for loom: two writers with one place after the other, and a reader, in every order that the memory
//! model permits, with up to three or four preemptions.

use loom::sync::atomic::AtomicI64;
use loom::sync::{Arc, Mutex};
use loom::thread;

use super::*;

const NUMBERS: Key = Key::column(5, 16_384, 1);
const FIRST: u64 = 100;
const SECOND: u64 = 101;
const THIRD: u64 = 102;
/// More than these.
const NEXT: u64 = 103;
/// When entries are written: no transaction id.
const SINCE: u64 = 1 << 50;

struct World {
    header: Header,
    places: Vec<Place>,
    /// The last number of the sequence. The lock of its page orders nothing but the numbers.
    last: AtomicI64,
    /// The ids in progress, as in PostgreSQL's array of processes, under its lock.
    running: Mutex<Vec<u64>>,
}

impl Transactions for World {
    fn next(&self) -> u64 {
        NEXT
    }

    fn in_progress(&self, id: u64) -> bool {
        self.running.lock().unwrap().contains(&id)
    }
}

impl World {
    fn floors(&self) -> Floors<'_> {
        Floors::new(&self.header, &self.places)
    }

    /// Writes an entry. Where there is one place, without the check of shares: the search finds the same.
    fn place(&self, id: u64) -> Option<usize> {
        let entry = Entry { id, key: NUMBERS, floor: None, since: SINCE };
        let floors = self.floors();
        if floors.places() == 1 { floors.write(entry, NEXT, self) } else { floors.place(entry, self).ok() }
    }

    /// A transaction that draws a number, and stores the least one that GUARD accepts. Returns that; `None` if the table is full.
    fn write(&self, id: u64) -> Option<i64> {
        let place = self.place(id);
        let number = place.map(|place| {
            let last = self.last.load(Relaxed);
            let floor = self.floors().set_floor(place, id, last, self);
            let drawn = self.last.fetch_add(1, Relaxed) + 1;
            drawn.min(floor.max(last) + 1)
        });
        self.running.lock().unwrap().retain(|running| *running != id);
        if let Some(place) = place {
            self.floors().end(place, id, self);
        }
        number
    }

    /// A poll. Returns the horizon, and the transactions that it does not see.
    fn poll(&self) -> Option<(i64, Vec<u64>)> {
        let running = self.running.lock().unwrap().clone();
        let ids: Vec<_> = running.iter().map(|id| *id as u32).collect();
        // Snapshots see THIRD, which has ended.
        let snapshot = Snapshot { xmin: running.first().copied().unwrap_or(NEXT), xmax: NEXT, running: &ids, own: None };
        let last = || Ok::<_, Unknown>(self.last.load(Relaxed));
        Some((self.floors().settled(NUMBERS, last, &snapshot, self).ok()?, running))
    }
}

/// `threads` are the writers: each writes its transactions one after the other.
fn check(places: usize, threads: &'static [&'static [u64]], preemptions: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        let world = Arc::new(World {
            header: Header::default(),
            places: (0..places).map(|_| Place::default()).collect(),
            last: AtomicI64::new(0),
            running: Mutex::new(vec![FIRST, SECOND]),
        });
        let writers = threads.iter().map(|ids| {
            let world = world.clone();
            thread::spawn(move || ids.iter().map(|id| (*id, world.write(*id))).collect::<Vec<_>>())
        });
        let writers: Vec<_> = writers.collect();
        let polled = world.poll();
        let drawn: Vec<_> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        let Some((settled, unseen)) = polled else { return };
        for (id, number) in drawn {
            let is_missed = unseen.contains(&id) && number.is_some_and(|number| number <= settled);
            assert!(!is_missed, "{number:?} of {id} is below the horizon {settled}");
        }
    });
}

#[test]
fn one_place_for_two_writers() {
    check(1, &[&[FIRST], &[SECOND]], 3);
}

#[test]
fn a_place_for_each_writer() {
    check(2, &[&[FIRST], &[SECOND]], 3);
}

#[test]
fn one_place_for_two_transactions_of_a_writer() {
    check(1, &[&[FIRST, SECOND]], 4);
}

/// Two writers look for a place a second time, and find the same one, which has just become free: the time of the entry of one is
/// not taken for the id at which the entry before has ended.
#[test]
fn two_writers_for_a_place_that_becomes_free() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let world = Arc::new(World {
            header: Header::default(),
            places: vec![Place::default()],
            last: AtomicI64::new(0),
            running: Mutex::new(vec![FIRST, SECOND, THIRD]),
        });
        let first = world.place(FIRST).expect("a place");
        let writers = [SECOND, THIRD].map(|id| {
            let world = world.clone();
            thread::spawn(move || world.place(id))
        });
        world.running.lock().unwrap().retain(|running| *running != FIRST);
        world.floors().end(first, FIRST, &*world);
        let placed = writers.map(|writer| writer.join().unwrap()).into_iter().flatten().count();
        let lost = [&world.header.lost, &world.header.lost_end].map(|word| word.load(Relaxed));
        assert!(placed <= 1, "both have the place");
        assert!(lost == [FIRST, NEXT] || placed == 0 && lost == [0, 0], "{lost:?} of {placed}");
    });
}
