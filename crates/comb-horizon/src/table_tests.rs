use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::key::{number_of_tick, tick_of_number};
use crate::place::MAX_FLOOR;

const CLOCK: Key = Key::clock(5);
const NUMBERS: Key = Key::column(5, 16_384, 1);
const KEYS: [Key; 3] = [CLOCK, NUMBERS, Key::column(6, 16_384, 1)];

/// Above the last tick of a clock, which ends a thousand years before 64 bits do.
const LAST_TICK: u64 = u64::MAX - 900 * 365 * 86_400_000 * 65_536;

/// The transactions of a server, and what they drew.
struct Server {
    next: u64,
    running: HashSet<u64>,
    committed: HashSet<u64>,
    last: HashMap<Key, i64>,
    drawn: Vec<(u64, Key, i64)>,
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
                drawn: Vec::new(),
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
        let place = self.place(id, key);
        place.inspect(|place| self.floors().set_floor(*place, id, self.last(key))).is_ok()
    }

    fn draw(&self, id: u64, key: Key) -> i64 {
        let server = &mut *self.server.borrow_mut();
        let last = server.last.entry(key).or_insert(-3);
        *last += 1;
        server.drawn.push((id, key, *last));
        *last
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
            answers: HashMap::new(),
        }
    }

    /// Asks, and checks the answer.
    fn ask(&self, taken: &mut Taken, key: Key) -> Result<i64, Unknown> {
        let snapshot = Snapshot { xmin: taken.xmin, xmax: taken.xmax, running: &taken.running, own: None };
        let settled = self.floors().settled(key, || Ok::<_, Unknown>(self.last(key)), &snapshot, self)?;
        let server = self.server.borrow();
        let is_missed = |(id, of, number): &&(u64, Key, i64)| {
            *of == key && *number <= settled && !taken.visible.contains(id) && !is_aborted(&server, *id)
        };
        assert_eq!(server.drawn.iter().find(is_missed), None, "not visible, and below the horizon {settled}");
        let of_source = server.drawn.iter().filter(|(id, of, _)| *of == key && taken.visible.contains(id));
        let readable = of_source.map(|drawn| drawn.2).filter(|number| *number <= settled).max().unwrap_or(i64::MIN);
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
        for step in steps {
            match step {
                Step::Begin => running.push((world.begin(), HashMap::new())),
                Step::Place(which, key) | Step::Draw(which, key) => {
                    let count = running.len().max(1);
                    let Some((id, tracked)) = running.get_mut(which % count) else { continue };
                    let key = KEYS[key];
                    let known = tracked.get(&key).copied();
                    let Some((place, read, has_floor)) = known.or_else(|| Some((world.place(*id, key).ok()?, None, false)))
                    else {
                        continue;
                    };
                    let draws = matches!(step, Step::Draw(..));
                    let read = read.or_else(|| (draws || known.is_some()).then(|| world.last(key)));
                    if let Some(last) = read.filter(|_| draws && !has_floor) {
                        world.floors().set_floor(place, *id, last);
                    }
                    tracked.insert(key, (place, read, has_floor || draws));
                    if draws {
                        world.draw(*id, key);
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
    world.floors().set_floor(place, slow, -3);
    assert_eq!(world.floors().entry(place, slow).and_then(|entry| entry.floor), Some(-2), "that of the reader");
    assert_eq!(world.ask(&mut seen, NUMBERS), Ok(-2));
    assert_eq!(world.draw(slow, NUMBERS), -1);
    let mut later = world.snapshot();
    assert_eq!(world.ask(&mut later, NUMBERS), Ok(-2));
    // A late reader must not give a floor to the next entry at the place.
    let entry = Entry { id: 200, key: NUMBERS, floor: None, since: 0 };
    let other = world.floors().place(entry, &world).expect("a place");
    world.floors().set_floor(other, slow, -9);
    assert_eq!(world.floors().entry(other, 200).expect("the entry").floor, None);
}

#[test]
fn floors_near_the_end_of_a_sequence() {
    let world = World::new(8, 100);
    let id = world.begin();
    let place = world.place(id, NUMBERS).expect("a place");
    world.floors().set_floor(place, id, i64::MAX);
    assert_eq!(world.floors().entry(place, id).and_then(|entry| entry.floor), Some(MAX_FLOOR));
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
