use super::*;
use rand::rngs::Xoshiro256PlusPlus;

/// Miri needs a second for what takes a millisecond otherwise.
const STRIDE: usize = if cfg!(miri) { 1000 } else { 1 };

/// A fork or a clone of the machine copies a generator, which then continues in two places. ChaCha12Rng
/// cannot be cloned, and a generator that can be cloned replaces it here.
type Copyable = Random<Xoshiro256PlusPlus>;

#[test]
fn forked_processes_draw_different_numbers() {
    let mut parent = Copyable::UNSEEDED;
    parent.next(1).unwrap();
    let (mut first_child, mut second_child) = (parent.clone(), parent.clone());

    let drawn = [parent.next(1).unwrap(), first_child.next(2).unwrap(), second_child.next(3).unwrap()];

    let process_bits =
        [parent.process_bits(1).unwrap(), first_child.process_bits(2).unwrap(), second_child.process_bits(3).unwrap()];
    for drawn in [drawn, process_bits] {
        assert_ne!(drawn[0], drawn[1]);
        assert_ne!(drawn[0], drawn[2]);
        assert_ne!(drawn[1], drawn[2]);
    }
}

/// The clocks of both copies do not advance, and only the count of draws shows the difference.
#[test]
#[cfg_attr(miri, ignore = "65,536 draws are too many for Miri")]
fn a_cloned_machine_draws_different_numbers_after_65536() {
    let mut original = Copyable::UNSEEDED;
    original.refresh(5);
    original.next(1).unwrap();
    let mut copy = original.clone();
    let mut both = || {
        original.refresh(5);
        copy.refresh(5);
        (original.next(1).unwrap(), copy.next(1).unwrap())
    };
    let same = (0..MAX_DRAWS).take_while(|_| matches!(both(), (a, b) if a == b)).count();
    assert_eq!(same, MAX_DRAWS as usize - 1);
    assert_ne!(original.process_bits(1).unwrap(), copy.process_bits(1).unwrap());
}

#[test]
fn a_cloned_machine_draws_different_numbers_after_a_second() {
    let mut original = Copyable::UNSEEDED;
    original.refresh(5 * MAX_USE);
    original.next(1).unwrap();
    let mut copy = original.clone();
    for (system, same) in [(6 * MAX_USE - 1, true), (6 * MAX_USE, false)] {
        original.refresh(system);
        copy.refresh(system);
        assert_eq!(original.next(1).unwrap() == copy.next(1).unwrap(), same);
    }
}

#[test]
fn one_process_draws_different_numbers() {
    let mut random: Random = Random::UNSEEDED;
    let drawn: std::collections::HashSet<u64> = (0..200_000).step_by(STRIDE).map(|_| random.next(1).unwrap()).collect();
    assert_eq!(drawn.len(), 200_000 / STRIDE);
}

#[test]
fn a_clock_that_was_set_back_ends_the_use_of_a_seed() {
    let mut random: Random = Random::UNSEEDED;
    random.refresh(10 * MAX_USE);
    assert!(random.is_fresh(10 * MAX_USE) && random.is_fresh(11 * MAX_USE - 1));
    assert!(!random.is_fresh(11 * MAX_USE) && !random.is_fresh(10 * MAX_USE - 1));
}

/// Otherwise UUIDs that are compared by these bits first would begin at another place each second.
#[test]
fn the_bits_of_a_process_increase_from_seed_to_seed() {
    let mut random: Random = Random::UNSEEDED;
    let seeds: Vec<_> = (0..10_000)
        .step_by(STRIDE)
        .map(|second| {
            random.refresh((second + 1) * MAX_USE);
            random.process_bits(1).unwrap()
        })
        .collect();
    // They wrap around at most once.
    let around = seeds.windows(2).filter(|pair| pair[0] >= pair[1]).count();
    assert!(around <= 1, "{around}");
    let other = random.process_bits(2).unwrap();
    assert!(seeds[seeds.len() - 1].abs_diff(other) > u64::MAX >> COUNTED_BITS);
}

#[test]
#[cfg_attr(miri, ignore = "65,536 draws are too many for Miri")]
fn the_bits_of_a_process_are_the_same_until_the_next_seed() {
    let mut random: Random = Random::UNSEEDED;
    let bits = random.process_bits(1).unwrap();
    random.next(1).unwrap();
    let same = (0..MAX_DRAWS).take_while(|_| random.process_bits(1).unwrap() == bits).count();
    assert_eq!(same, MAX_DRAWS as usize - 2);
    assert_ne!(random.process_bits(2).unwrap(), bits);
}
