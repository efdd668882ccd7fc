use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::key::{number_of_tick, tick_of_number};

impl Floors<'_> {
    /// [`Self::end`] for all entries of a transaction.
    fn end_all(&self, id: u64, transactions: &impl Transactions) {
        self.places.iter().for_each(|place| _ = self.end_place(place, id, transactions));
    }
}

const CLOCK: Key = Key::clock(5);
const NUMBERS: Key = Key::column(5, 16_384, 1);
const KEYS: [Key; 3] = [CLOCK, NUMBERS, Key::column(6, 16_384, 1)];

/// Above the last tick of a clock, which ends a thousand years before 64 bits do.
const LAST_TICK: u64 = u64::MAX - 900 * 365 * 86_400_000 * 65_536;

/// The transactions of a server, and the numbers that they stored.
struct Server {
    next: u64,
    running: HashSet<u64>,
    committed: HashSet<u64>,
    last: HashMap<Key, i64>,
    stored: Vec<(u64, Key, i64)>,
}

struct World {
    header: Header,
    places: Vec<Place>,
    server: RefCell<Server>,
}

impl Transactions for World {
    fn next(&self) -> u64 {
        self.server.borrow().next
    }

    fn in_progress(&self, id: u64) -> bool {
        self.server.borrow().running.contains(&id)
    }
}

/// A snapshot as a statement has it, and the transactions that are visible to it.
struct Taken {
    xmin: u64,
    xmax: u64,
    running: Vec<u32>,
    visible: HashSet<u64>,
    /// The last numbers of the sources.
    last: HashMap<Key, i64>,
    /// For each key, the greatest number that may be read, once it was asked for.
    answers: HashMap<Key, i64>,
}

impl World {
    fn new(places: usize, next: u64) -> Self {
        let world = Self {
            header: Header::default(),
            places: (0..places).map(|_| Place::default()).collect(),
            server: RefCell::new(Server {
                next,
                running: HashSet::new(),
                committed: HashSet::new(),
                last: HashMap::new(),
                stored: Vec::new(),
            }),
        };
        world.floors().set_born(&world);
        world
    }

    fn floors(&self) -> Floors<'_> {
        Floors::new(&self.header, &self.places)
    }

    fn begin(&self) -> u64 {
        let server = &mut *self.server.borrow_mut();
        let id = server.next;
        server.next += 1;
        server.running.insert(id);
        id
    }

    fn last(&self, key: Key) -> i64 {
        self.server.borrow().last.get(&key).copied().unwrap_or(-3)
    }

    /// Writes the entry.
    fn place(&self, id: u64, key: Key) -> Result<usize, Full> {
        self.floors().place(Entry { id, key, floor: None, since: 7 }, self)
    }

    /// Writes the entry with its floor; false if there is no place.
    fn track(&self, id: u64, key: Key) -> bool {
        self.place(id, key).map(|place| self.floors().set_floor(place, id, self.last(key), self)).is_ok()
    }

    /// Draws the next number, and stores it.
    fn draw(&self, id: u64, key: Key) -> i64 {
        let server = &mut *self.server.borrow_mut();
        let last = server.last.entry(key).or_insert(-3);
        *last += 1;
        server.stored.push((id, key, *last));
        *last
    }

    /// Stores a number that is not drawn from the source, if GUARD accepts it.
    fn store(&self, id: u64, key: Key, bound: i64, number: i64) {
        if number > bound {
            self.server.borrow_mut().stored.push((id, key, number));
        }
    }

    fn finish(&self, id: u64, commits: bool) {
        let server = &mut *self.server.borrow_mut();
        server.running.remove(&id);
        if commits {
            server.committed.insert(id);
        }
    }

    fn snapshot(&self) -> Taken {
        let server = self.server.borrow();
        // The id after the last one that has ended, as PostgreSQL has it.
        let ended = (3..server.next).rev().find(|id| *id < server.next && !server.running.contains(id));
        let xmax = ended.map_or(3, |id| id + 1);
        let mut running: Vec<_> = server.running.iter().copied().filter(|id| *id < xmax).collect();
        running.sort_unstable();
        Taken {
            xmin: running.first().copied().unwrap_or(xmax),
            xmax,
            running: running.iter().map(|id| *id as u32).collect(),
            visible: server.committed.clone(),
            last: server.last.clone(),
            answers: HashMap::new(),
        }
    }

    /// Checks what is true between two steps. `floors`: those of before.
    fn check(&self, floors: &mut HashMap<(u64, Key), i64>) {
        for entry in self.floors().live() {
            let Some(floor) = entry.floor else { continue };
            let before = *floors.entry((entry.id, entry.key)).or_insert(floor);
            assert_eq!(floor, before, "a floor is given once: {entry:?}");
        }
        let [live, lost, end] = [&self.header.live, &self.header.lost, &self.header.lost_end].map(|word| word.load(Relaxed));
        assert_eq!(live, self.floors().live().count() as u64);
        assert!((lost == 0 && end == 0 || lost < end) && end <= self.next(), "{lost} was overwritten, up to {end}");
    }

    /// Asks, and checks the answer.
    fn ask(&self, taken: &mut Taken, key: Key) -> Result<i64, Unknown> {
        let snapshot = Snapshot { xmin: taken.xmin, xmax: taken.xmax, running: &taken.running, own: None };
        let settled = self.floors().settled(key, || Ok::<_, Unknown>(self.last(key)), &snapshot, self)?;
        let server = self.server.borrow();
        let is_missed = |(id, of, number): &&(u64, Key, i64)| {
            *of == key && *number <= settled && !taken.visible.contains(id) && !is_aborted(&server, *id)
        };
        assert_eq!(server.stored.iter().find(is_missed), None, "not visible, and up to the horizon {settled}");
        // What the source had reached when the snapshot was taken.
        let reached = taken.last.get(&key).copied().unwrap_or(-3).min(settled);
        let of_key = server.stored.iter().filter(|(id, of, _)| *of == key && taken.visible.contains(id));
        let readable = of_key.map(|stored| stored.2).filter(|number| *number <= reached).max().unwrap_or(i64::MIN);
        let before = *taken.answers.entry(key).or_insert(readable);
        assert_eq!(readable, before, "two answers for one snapshot");
        Ok(settled)
    }
}

fn is_aborted(server: &Server, id: u64) -> bool {
    !server.running.contains(&id) && !server.committed.contains(&id)
}

#[derive(Clone, Debug)]
enum Step {
    Begin,
    /// Writes an entry without a floor; the next one reads the last number, with which the writer then stops.
    Place(usize, usize),
    Draw(usize, usize),
    /// Stores a number that is so far from the last one.
    Store(usize, usize, i64),
    Finish(usize, bool),
    /// A process says that its transaction has ended, some time after it has.
    End(usize),
    Snapshot,
    Ask(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Begin),
        2 => (0..6usize, 0..3usize).prop_map(|(which, key)| Step::Place(which, key)),
        4 => (0..6usize, 0..3usize).prop_map(|(which, key)| Step::Draw(which, key)),
        2 => (0..6usize, 0..3usize, -3..4i64).prop_map(|(which, key, from)| Step::Store(which, key, from)),
        2 => (0..6usize, any::<bool>()).prop_map(|(which, commits)| Step::Finish(which, commits)),
        2 => (0..6usize).prop_map(Step::End),
        2 => Just(Step::Snapshot),
        4 => (0..6usize, 0..3usize).prop_map(|(which, key)| Step::Ask(which, key)),
    ]
}

/// The entries of a transaction, by key: the place, the last number that it has read, and whether it has given it to the entry.
type Tracked = HashMap<Key, (usize, Option<i64>, bool)>;

proptest! {
    /// Whatever the order of the steps, and with few places: no row is missed, and a snapshot has one answer.
    #[test]
    fn no_row_is_missed(places in 2..12usize, wraps in any::<bool>(), steps in prop::collection::vec(step(), 1..200)) {
        let world = World::new(places, if wraps { u64::from(u32::MAX) - 20 } else { 3 });
        let (mut running, mut ended): (Vec<(u64, Tracked)>, Vec<u64>) = Default::default();
        let mut snapshots = Vec::new();
        let mut floors = HashMap::new();
        for step in steps {
            world.check(&mut floors);
            match step {
                Step::Begin => running.push((world.begin(), HashMap::new())),
                Step::Place(which, key) | Step::Draw(which, key) | Step::Store(which, key, _) => {
                    let count = running.len().max(1);
                    let Some((id, tracked)) = running.get_mut(which % count) else { continue };
                    let key = KEYS[key];
                    let known = tracked.get(&key).copied();
                    let Some((place, read, has_floor)) = known.or_else(|| Some((world.place(*id, key).ok()?, None, false)))
                    else {
                        continue;
                    };
                    let stores = !matches!(step, Step::Place(..));
                    let read = read.or_else(|| (stores || known.is_some()).then(|| world.last(key)));
                    if let Some(last) = read.filter(|_| stores && !has_floor) {
                        world.floors().set_floor(place, *id, last, &world);
                    }
                    tracked.insert(key, (place, read, has_floor || stores));
                    let floor = world.floors().entry(place, *id).expect("the entry stays until the transaction ends").floor;
                    match step {
                        Step::Draw(..) => prop_assert!(Some(world.draw(*id, key)) > floor.max(read)),
                        Step::Store(_, _, from) => {
                            let bound = floor.max(read).expect("a floor");
                            world.store(*id, key, bound, world.last(key) + from);
                        }
                        _ => (),
                    }
                }
                Step::Finish(which, commits) if !running.is_empty() => {
                    let (id, _) = running.remove(which % running.len());
                    world.finish(id, commits);
                    ended.push(id);
                }
                Step::End(which) if !ended.is_empty() => {
                    let id = ended.remove(which % ended.len());
                    world.floors().end_all(id, &world);
                }
                Step::Snapshot => snapshots.push(world.snapshot()),
                Step::Ask(which, key) => {
                    let count = snapshots.len().max(1);
                    if let Some(taken) = snapshots.get_mut(which % count) {
                        let _ = world.ask(taken, KEYS[key]);
                    }
                }
                _ => (),
            }
        }
        // A new snapshot has an answer as long as no place that it needs was overwritten.
        let mut now = world.snapshot();
        for key in KEYS {
            prop_assert!(world.ask(&mut now, key).is_ok());
        }
    }
}

#[test]
fn a_transaction_counts_until_the_snapshot_sees_it() {
    let world = World::new(8, 100);
    let id = world.begin();
    assert!(world.track(id, NUMBERS));
    assert_eq!(world.draw(id, NUMBERS), -2);
    let mut before = world.snapshot();
    assert_eq!(world.ask(&mut before, NUMBERS), Ok(-3), "it is in progress");
    world.finish(id, true);
    assert_eq!(world.ask(&mut before, NUMBERS), Ok(-3), "the snapshot does not see it");
    let mut between = world.snapshot();
    assert_eq!(world.ask(&mut between, NUMBERS), Ok(-2), "its process has not said yet that it has ended");
    world.floors().end_all(id, &world);
    assert_eq!(world.ask(&mut before, NUMBERS), Ok(-3), "its entry stays");
    assert_eq!(world.floors().live().count(), 0);
}

#[test]
fn an_id_that_is_listed_twice_is_not_another_one() {
    let taken = |running: &[u32]| Snapshot { xmin: 100, xmax: 110, running, own: None }.taken();
    assert_eq!(taken(&[100, 103, 107]), taken(&[107, 100, 103]));
    assert_ne!(taken(&[100, 103, 107]), taken(&[100, 107, 107]));
    assert_ne!(taken(&[100, 103]), taken(&[100, 104]));
}

#[test]
fn ids_of_more_than_32_bits() {
    let world = World::new(8, u64::from(u32::MAX));
    let (_, id) = (world.begin(), world.begin());
    assert!(world.track(id, NUMBERS));
    world.draw(id, NUMBERS);
    let mut now = world.snapshot();
    assert_eq!(world.ask(&mut now, NUMBERS), Ok(-3), "its lower half is less than that of xmin");
}

#[test]
fn ones_own_transaction_counts() {
    let world = World::new(8, 100);
    let id = world.begin();
    assert!(world.track(id, NUMBERS));
    world.draw(id, NUMBERS);
    let own = Snapshot { xmin: 101, xmax: 101, running: &[], own: Some(id) };
    let settled = |own: &Snapshot| world.floors().settled(NUMBERS, || Ok::<_, Unknown>(-2), own, &world);
    assert_eq!(settled(&own), Ok(-2), "below xmin, which no own id is");
    let own = Snapshot { xmin: 100, xmax: 101, running: &[], own: Some(id) };
    assert_eq!(settled(&own), Ok(-3));
}

#[test]
fn an_overwritten_entry_is_an_error_for_its_snapshot_alone() {
    let world = World::new(2, 100);
    let first = world.begin();
    assert!(world.track(first, NUMBERS) && world.track(first, CLOCK));
    world.draw(first, NUMBERS);
    let holds = world.begin();
    world.finish(holds, true);
    let mut old = world.snapshot();
    world.finish(first, true);
    world.floors().end_all(first, &world);
    assert_eq!(world.ask(&mut old, NUMBERS), Ok(-3));
    let second = world.begin();
    assert!(world.track(second, NUMBERS), "a place of the first one is used again");
    assert_eq!(world.ask(&mut old, NUMBERS), Err(Unknown::Overwritten));
    let mut new = world.snapshot();
    assert_eq!(world.ask(&mut new, NUMBERS), Ok(-2));
    assert!(world.track(second, CLOCK) && !world.track(second, Key::column(5, 16_384, 2)), "both places are in use");
}

#[test]
fn an_entry_that_was_not_overwritten_answers() {
    let world = World::new(2, 100);
    let [counts, ends] = [(), ()].map(|()| world.begin());
    assert!(world.track(counts, NUMBERS) && world.track(ends, NUMBERS));
    world.finish(ends, true);
    world.floors().end_all(ends, &world);
    let mut old = world.snapshot();
    let next = world.begin();
    assert!(world.track(next, NUMBERS), "a later place is used again");
    world.finish(counts, true);
    world.floors().end_all(counts, &world);
    assert_eq!(world.ask(&mut old, NUMBERS), Ok(-3));
    assert_eq!(world.ask(&mut old, CLOCK), Err(Unknown::Overwritten), "its entry for the clock would have been overwritten");
}

/// A transaction that was prepared before a restart has ended after the snapshot and before the table was filled.
#[test]
fn a_prepared_transaction_that_ended_before_the_table_was_filled() {
    let world = World::new(8, 100);
    let prepared = world.begin();
    let other = world.begin();
    world.finish(other, true);
    let mut old = world.snapshot();
    assert_eq!(world.ask(&mut old, NUMBERS), Ok(-3), "it is still prepared, and would be in the table");
    world.finish(prepared, true);
    world.floors().set_born(&world);
    old.answers.clear();
    assert_eq!(world.ask(&mut old, NUMBERS), Err(Unknown::Overwritten));
    let mut new = world.snapshot();
    assert_eq!(world.ask(&mut new, NUMBERS), Ok(-3));
}

#[test]
fn one_that_names_no_sequence_stops_readers_of_its_database() {
    let world = World::new(8, 100);
    let prepared = world.begin();
    assert!(world.track(prepared, Key::every_number(5)));
    assert_eq!([CLOCK, NUMBERS].map(Key::database), [5, 5]);
    let mut now = world.snapshot();
    assert_eq!(world.ask(&mut now, NUMBERS), Err(Unknown::EveryNumber(prepared)));
    assert_eq!(world.ask(&mut now, CLOCK), Ok(-3));
    assert_eq!(world.ask(&mut now, Key::column(6, 16_384, 1)), Ok(-3));
    world.finish(prepared, true);
    assert_eq!(world.ask(&mut now, NUMBERS), Err(Unknown::Overwritten), "to retry is of use");
    let mut after = world.snapshot();
    assert_eq!(world.ask(&mut after, NUMBERS), Ok(-3));
}

#[test]
fn a_reset_lowers_the_floors_of_the_clock_alone() {
    let world = World::new(8, 100);
    let id = world.begin();
    let place = |key, floor| world.floors().place(Entry { id, key, floor: Some(floor), since: 0 }, &world);
    let [clock, sequence] = [place(CLOCK, 500), place(NUMBERS, 500)].map(|place| place.expect("a place"));
    world.floors().lower(200);
    let floor = |index| world.floors().entry(index, id).and_then(|entry| entry.floor);
    assert_eq!([floor(clock), floor(sequence)], [Some(200), Some(500)]);
    world.floors().lower_place(sequence, 300);
    assert_eq!(floor(sequence), Some(300));
    assert_eq!(world.floors().entry(clock, id + 1), None, "of another transaction");
}

/// A writer that stops before it has a floor changes no answer: the first reader gives the entry a floor.
#[test]
fn a_reader_gives_a_floor() {
    let world = World::new(8, 100);
    let (slow, fast) = (world.begin(), world.begin());
    let place = world.place(slow, NUMBERS).expect("a place");
    assert!(world.track(fast, NUMBERS));
    assert_eq!(world.draw(fast, NUMBERS), -2);
    world.finish(fast, true);
    let mut seen = world.snapshot();
    assert_eq!(world.ask(&mut seen, NUMBERS), Ok(-2));
    assert_eq!(world.floors().set_floor(place, slow, -3, &world), -2);
    assert_eq!(world.floors().entry(place, slow).and_then(|entry| entry.floor), Some(-2), "that of the reader");
    assert_eq!(world.ask(&mut seen, NUMBERS), Ok(-2));
    assert_eq!(world.draw(slow, NUMBERS), -1);
    let mut later = world.snapshot();
    assert_eq!(world.ask(&mut later, NUMBERS), Ok(-2));
    // A late reader must not give a floor to the next entry at the place.
    let entry = Entry { id: 200, key: NUMBERS, floor: None, since: 0 };
    let other = world.floors().place(entry, &world).expect("a place");
    assert!(world.floors().places[other].give_floor(slow, -9) > MAX_FLOOR, "none");
    assert_eq!(world.floors().entry(other, 200).expect("the entry").floor, None);
}

#[test]
fn floors_near_the_end_of_a_sequence() {
    let world = World::new(8, 100);
    let id = world.begin();
    let place = world.place(id, NUMBERS).expect("a place");
    world.floors().set_floor(place, id, i64::MAX, &world);
    assert_eq!(world.floors().entry(place, id).and_then(|entry| entry.floor), Some(MAX_FLOOR));
}

#[test]
fn columns_of_a_table_do_not_hold_back_each_other() {
    let world = World::new(8, 100);
    let id = world.begin();
    assert!(world.track(id, NUMBERS));
    world.draw(id, NUMBERS);
    let mut now = world.snapshot();
    for other in [Key::column(5, 16_384, 2), Key::column(5, 16_385, 1), Key::column(6, 16_384, 1)] {
        world.server.borrow_mut().last.insert(other, 50);
        assert_eq!(world.ask(&mut now, other), Ok(50));
    }
    assert_eq!(world.ask(&mut now, NUMBERS), Ok(-3));
}

#[test]
fn a_place_is_free_after_the_end_of_its_transaction() {
    let world = World::new(2, 100);
    let floors = world.floors();
    let [said, killed] = [(), ()].map(|()| world.begin());
    let place = world.place(said, NUMBERS).expect("a place");
    assert!(world.track(killed, NUMBERS));
    world.finish(said, true);
    floors.end(place, killed, &world);
    assert_eq!(floors.live().count(), 2, "of another transaction");
    floors.end(place, said, &world);
    assert_eq!(floors.live().map(|entry| entry.id).collect::<Vec<_>>(), [killed]);
    // The next writer ends the entry of a process that was killed.
    let next = world.begin();
    assert!(world.track(next, NUMBERS) && !world.track(next, CLOCK), "the other place is that of a running transaction");
    world.finish(killed, false);
    assert!(world.track(next, CLOCK));
    assert!(floors.live().all(|entry| entry.id == next));
    // No transaction is older than half of the ids: that of an older entry is another one.
    world.server.borrow_mut().next = next + MAX_AGE;
    assert_eq!(world.place(next + MAX_AGE, NUMBERS), Err(Full::Table));
    world.server.borrow_mut().next += 1;
    assert!(world.place(next + MAX_AGE, NUMBERS).is_ok());
}

#[test]
fn places_of_transactions_that_have_just_ended_are_passed_over() {
    let world = World::new(8, 100);
    let ids = [(); 8].map(|()| world.begin());
    // Of a database each: none has more than its share.
    let places = ids.map(|id| world.place(id, Key::clock(id as u32)).expect("a place"));
    let end = |index: usize| {
        world.finish(ids[index], true);
        world.floors().end(places[index], ids[index], &world);
    };
    // A quarter of the number of places is two ids.
    end(1);
    world.finish(world.begin(), true);
    end(0);
    let next = world.begin();
    assert_eq!(world.place(next, NUMBERS), Ok(places[1]));
    assert_eq!(world.place(next, CLOCK), Ok(places[0]), "no other one is free");
    end(3);
    world.finish(world.begin(), true);
    end(2);
    assert_eq!(
        world.place(next, Key::column(5, 16_384, 2)),
        Ok(places[3]),
        "of two that have just ended, the one that ended first"
    );
}

#[test]
fn a_table_is_born_once_it_has_the_floors_of_prepared_transactions() {
    let (header, places) = (Header::default(), [Place::default(), Place::default()]);
    let floors = Floors::new(&header, &places);
    assert_eq!((floors.places(), floors.is_born()), (2, false));
    floors.set_born(&World::new(2, 100));
    assert!(floors.is_born());
}

proptest! {
    #[test]
    fn ticks_as_numbers_keep_their_order(a in any::<u64>(), b in any::<u64>()) {
        prop_assert_eq!(tick_of_number(number_of_tick(a)), a);
        prop_assert_eq!(number_of_tick(a).cmp(&number_of_tick(b)), a.cmp(&b));
    }

    /// What says that an entry has no floor yet is no floor.
    #[test]
    fn no_floor_is_above_the_greatest(id in 0..1u64 << 62) {
        prop_assert!(unset(id) > MAX_FLOOR && MAX_FLOOR > number_of_tick(LAST_TICK));
    }
}

/// Transactions that take what they get, each with one place.
fn take(world: &World, database: u32, most: usize) -> usize {
    (0..most).take_while(|_| world.place(world.begin(), Key::clock(database)).is_ok()).count()
}

/// The places that each of the databases has when all take one after the other.
fn compete(world: &World, databases: std::ops::Range<u32>) -> Vec<usize> {
    let mut taken = vec![0; databases.len()];
    loop {
        let round: Vec<_> = databases.clone().map(|database| take(world, database, 1)).collect();
        if round.iter().sum::<usize>() == 0 {
            return taken;
        }
        taken.iter_mut().zip(round).for_each(|(taken, got)| *taken += got);
    }
}

const PLACES: usize = 1024;

#[test]
fn a_database_alone_has_three_quarters() {
    let world = World::new(PLACES, 100);
    assert_eq!(take(&world, 1, PLACES), 768);
    assert_eq!(world.place(world.begin(), Key::clock(1)), Err(Full::Share));
    // Its entries that end make room for others.
    let ids: Vec<_> = world.floors().live().map(|entry| entry.id).take(10).collect();
    for id in ids {
        world.finish(id, true);
        world.floors().end_all(id, &world);
    }
    assert_eq!(take(&world, 1, PLACES), 10);
}

#[test]
fn a_database_gets_places_whatever_another_one_takes() {
    let world = World::new(PLACES, 100);
    assert_eq!(take(&world, 1, PLACES), 768);
    assert_eq!(take(&world, 2, PLACES), 192);
    assert_eq!(take(&world, 1, PLACES), 0);
}

#[test]
fn a_database_gets_places_whatever_two_others_take() {
    let world = World::new(PLACES, 100);
    // One after the other: the worst case.
    assert_eq!([1, 2, 3, 4].map(|database| take(&world, database, PLACES)), [768, 192, 48, 12]);
    let world = World::new(PLACES, 100);
    let taken = compete(&world, 1..3);
    assert_eq!(taken, [439, 439], "three sevenths");
    let victim = take(&world, 3, PLACES);
    assert_eq!(victim, 110, "three quarters of a seventh");
    assert_eq!(taken.iter().sum::<usize>() + victim, 988);
    assert_eq!([1, 2, 3].map(|database| take(&world, database, 1)), [0; 3]);
    // It gets the places of its transactions that end.
    for _ in 0..PLACES {
        let id = world.floors().live().find(|entry| entry.key.database() == 3).expect("an entry").id;
        world.finish(id, true);
        world.floors().end_all(id, &world);
        assert_eq!(take(&world, 3, 1), 1);
    }
}

#[test]
fn many_databases_have_equal_shares() {
    assert_eq!(compete(&World::new(PLACES, 100), 1..4), [308, 307, 307]);
    let world = World::new(PLACES, 100);
    let taken = compete(&world, 1..301);
    assert!(taken.iter().all(|places| (3..=4).contains(places)), "{taken:?}");
    assert_eq!(take(&world, 301, PLACES), 1, "the last one");
    assert_eq!(world.place(world.begin(), Key::clock(302)), Err(Full::Table));
}

/// The entries of processes that are gone count for no database.
#[test]
fn the_share_is_of_transactions_in_progress() {
    let world = World::new(PLACES, 100);
    assert_eq!(take(&world, 1, PLACES), 768);
    world.server.borrow_mut().running.clear();
    assert_eq!(take(&world, 1, PLACES), 768);
}

#[test]
fn prepared_transactions_are_not_refused() {
    let world = World::new(PLACES, 100);
    let id = world.begin();
    // As one of 0.4.1 with several sequences.
    let entry = Entry { id, key: Key::every_number(1), floor: Some(i64::MIN), since: 0 };
    assert!((0..PLACES).all(|_| world.floors().restore(entry, &world).is_some()));
    assert_eq!(world.floors().restore(entry, &world), None);
    assert_eq!(world.place(world.begin(), Key::clock(2)), Err(Full::Table));
}

proptest! {
    /// Up to eight databases in any order: each gets what the rule says, and one that holds nothing gets a free place.
    #[test]
    fn no_database_stops_another(count in 16..200usize, takers in prop::collection::vec(1..9u32, 1..400)) {
        let world = World::new(count, 100);
        let mut taken = HashMap::new();
        for database in takers {
            let own = taken.entry(database).or_insert(0);
            let free = count - world.floors().live().count();
            let placed = world.place(world.begin(), Key::clock(database));
            prop_assert_eq!(placed.is_ok(), 2 * free >= count || *own < 3 * free);
            *own += usize::from(placed.is_ok());
        }
        let free = count - world.floors().live().count();
        prop_assert_eq!(world.place(world.begin(), Key::clock(9)).is_ok(), free > 0);
    }

    #[test]
    fn keys_have_their_parts(database in 1..=u32::MAX, table in 1..u32::MAX, column in 1..=i16::MAX) {
        let key = Key::column(database, table, column);
        prop_assert_eq!((key.database(), key.table(), key.attribute()), (database, table, column));
        let [clock, every] = [Key::clock(database), Key::every_number(database)];
        prop_assert_eq!((clock.database(), clock.table(), clock.attribute()), (database, 0, 0));
        prop_assert_eq!((every.database(), every.table(), every.attribute()), (database, u32::MAX, 0));
    }
}
