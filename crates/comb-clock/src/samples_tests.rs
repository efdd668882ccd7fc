use proptest::prelude::*;

use super::*;
use crate::horizon::settled;

#[test]
fn the_last_sample_that_is_settled_answers() {
    let mut samples = Samples::EMPTY;
    assert_eq!(samples.settled(u64::MAX), None);
    samples.add(5, 100, None);
    samples.add(9, 200, Some(100));
    for (settled, number) in [(99, None), (100, Some(5)), (199, Some(5)), (200, Some(9)), (u64::MAX, Some(9))] {
        assert_eq!(samples.settled(settled), number);
    }
}

#[test]
fn a_number_that_stays_is_settled_by_its_first_sample() {
    let mut samples = Samples::EMPTY;
    for at in (100..1000).step_by(10) {
        samples.add(5, at, None);
    }
    assert_eq!((samples.settled(100), samples.count), (Some(5), 1));
}

#[test]
fn a_sequence_that_is_set_back_begins_again() {
    let mut samples = Samples::EMPTY;
    samples.add(9, 100, None);
    samples.add(3, 200, Some(150));
    assert_eq!((samples.settled(150), samples.settled(200)), (None, Some(3)));
}

#[test]
fn the_sample_that_is_closest_to_its_neighbours_makes_room() {
    let mut samples = Samples::EMPTY;
    // The tenth is close to the ninth.
    let at = |n: i64| if n == 10 { 901 } else { 100 * n as u64 };
    let numbers = 1..=KEPT as i64 + 1;
    numbers.clone().for_each(|n| samples.add(n, at(n), None));
    for n in numbers {
        assert_eq!(samples.settled(at(n)), Some(if n == 9 { 8 } else { n }));
    }
}

#[test]
fn samples_before_the_one_that_answers_make_room() {
    let mut samples = Samples::EMPTY;
    (1..=KEPT as i64).for_each(|n| samples.add(n, 100 * n as u64, None));
    samples.add(33, 3300, Some(550));
    assert_eq!(samples.settled(499), None);
    for n in 5..=33 {
        assert_eq!(samples.settled(100 * n), Some(n as i64));
    }
}

/// A reader polls at each tick. Transactions hold the horizon back one after the other, each for `held` ticks.
#[test]
fn a_reader_behind_slow_writers_advances() {
    for held in [10, 100, 10_000] {
        let mut samples = Samples::EMPTY;
        let mut worst = 0;
        for now in 1..20 * held {
            let settled = now / held * held;
            samples.add(now as i64, now, Some(settled));
            if settled > held {
                let number = samples.settled(settled).expect("an answer") as u64;
                assert!(number <= settled);
                worst = worst.max(settled - number);
            }
        }
        assert!(worst <= held / 8, "{worst} of {held} behind");
    }
}

/// An event of a writer or the reader.
#[derive(Clone, Debug)]
enum Event {
    Begin,
    /// The transaction at an index of those in progress draws a number.
    Draw(usize),
    End(usize),
    Poll,
}

proptest! {
    /// Compared with the definition: each number up to the answer belongs to a transaction that had ended.
    #[test]
    fn what_is_settled_has_ended(events in prop::collection::vec(prop_oneof![
        3 => Just(Event::Begin), 4 => (0..6usize).prop_map(Event::Draw), 3 => (0..6usize).prop_map(Event::End), 4 => Just(Event::Poll),
    ], 1..300)) {
        let (mut now, mut last) = (10, 0);
        // The floor of each transaction in progress, and its numbers.
        let mut running: Vec<(u64, Vec<i64>)> = Vec::new();
        let mut samples = Samples::EMPTY;
        for event in events {
            now += 1;
            match event {
                Event::Begin => running.push((now - 1, Vec::new())),
                Event::Draw(place) => if let Some((_, numbers)) = running.get_mut(place) {
                    last += 1;
                    numbers.push(last);
                },
                Event::End(place) => if place < running.len() {
                    running.remove(place);
                },
                Event::Poll => {
                    let at = now;
                    now += 1;
                    let settled = settled(now, running.iter().map(|(floor, _)| *floor).min());
                    if last > 0 {
                        samples.add(last, at, Some(settled));
                    }
                    if let Some(number) = samples.settled(settled) {
                        prop_assert!(number <= last);
                        prop_assert!(running.iter().flat_map(|(_, numbers)| numbers).all(|open| *open > number));
                    }
                }
            }
        }
    }
}
