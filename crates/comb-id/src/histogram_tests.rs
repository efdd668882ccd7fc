use super::*;
use proptest::prelude::*;

const NEVER: u64 = u64::MAX;

fn query(range: Range<u64>) -> Query {
    Query { range, now: NEVER, growth: 0.0 }
}

/// The estimate by a histogram of these keys, of which those in `of_layout` are of the layout.
fn estimate(query: &Query, bounds: &[u64], of_layout: Range<u64>) -> f64 {
    query.estimate(bounds.len(), |index| Bound { position: bounds[index], in_layout: of_layout.contains(&bounds[index]) })
}

fn assert_near(estimate: f64, expected: f64) {
    assert!((estimate - expected).abs() < 1e-9, "{estimate} instead of {expected}");
}

#[test]
fn keys_are_spread_evenly_in_a_bin() {
    let bounds = [1000, 2000, 2100];
    assert_near(estimate(&query(1250..1500), &bounds, 0..NEVER), 0.125);
    assert_near(estimate(&query(1500..2050), &bounds, 0..NEVER), 0.5);
    assert_near(estimate(&query(0..1000), &bounds, 0..NEVER), 0.0);
    assert_near(estimate(&query(2101..NEVER), &bounds, 0..NEVER), 0.0);
    let (start, end) = (1500, 1250);
    assert_near(estimate(&query(start..end), &bounds, 0..NEVER), 0.0);
}

#[test]
fn new_keys_are_after_the_newest_and_before_now() {
    let newer = |range| Query { growth: 0.1, now: 3000, ..query(range) };
    let bounds = [1000, 2000];
    assert_near(estimate(&newer(2000..3000), &bounds, 0..NEVER), 0.1);
    assert_near(estimate(&newer(2500..NEVER), &bounds, 0..NEVER), 0.05);
    assert_near(estimate(&newer(1000..2000), &bounds, 0..NEVER), 0.9);
    assert_near(estimate(&newer(3000..NEVER), &bounds, 0..NEVER), 0.0);
}

#[test]
fn keys_that_came_too_fast_were_loaded() {
    let loaded = |range| Query { growth: 0.1, now: 2010, ..query(range) };
    assert_near(estimate(&loaded(2000..NEVER), &[1000, 2000], 0..NEVER), 0.01);
    assert_near(estimate(&loaded(1000..2000), &[1000, 2000], 0..NEVER), 0.99);
    let future = Query { growth: 0.1, now: 500, ..query(1000..1500) };
    assert_near(estimate(&future, &[1000, 2000], 0..NEVER), 0.5);
    let at_once = Query { growth: 0.1, now: 2000, ..query(1500..NEVER) };
    assert_near(estimate(&at_once, &[1000, 1500, 2000], 0..NEVER), 0.5);
    assert_near(estimate(&at_once, &[1000, 1000, 2000], 0..NEVER), 0.25);
}

#[test]
fn a_bin_of_one_key_is_in_the_range_or_not() {
    let bounds = [1000, 1000, 2000];
    assert_near(estimate(&query(1000..1001), &bounds, 0..NEVER), 0.5005);
    assert_near(estimate(&query(0..1000), &bounds, 0..NEVER), 0.0);
    assert_near(estimate(&query(1001..NEVER), &bounds, 0..NEVER), 0.4995);
}

const HALF: u64 = 1 << 63;

/// How many bins of six: one of random keys, one between the kinds, two of the layout, and again one between the kinds
/// and one of random keys.
fn bins(query: &Query) -> f64 {
    let random = [0, HALF - (1 << 61), HALF + (1 << 60), NEVER];
    let layout = [HALF, HALF + 1000, HALF + 3000];
    let bounds = [&random[..2], &layout, &random[2..]].concat();
    6.0 * estimate(query, &bounds, HALF..HALF + 3001)
}

#[test]
fn a_bin_between_the_kinds_has_keys_of_both() {
    let of = |range| bins(&query(range));
    // An eighth of the positions, which have half a bin of the random keys; the other half as dense as in the next bin.
    assert_near(of(HALF - (1 << 61)..HALF), 1.0);
    assert_near(of(HALF - 500..HALF), 0.5);
    assert_near(of(HALF - 250..HALF), 0.25);
    // A sixteenth.
    assert_near(of(HALF + 3000..HALF + (1 << 60)), 1.0);
    assert_near(of(HALF + 3000..HALF + 4500), 0.75);
    assert_near(of(HALF + 3000..HALF + 3500), 0.25);
    assert_near(of(0..NEVER), 6.0);
}

#[test]
fn a_bin_between_the_kinds_without_a_next_bin_is_filled() {
    // Half of the keys are of the layout, as dense as the bin is wide; the others are in the whole bin.
    let quarter = HALF / 2;
    let random_first = query(quarter + quarter / 2..HALF);
    assert_near(estimate(&random_first, &[0, HALF], HALF..NEVER), 0.25 + 0.125);
    let random_last = query(HALF..HALF + quarter / 2);
    assert_near(estimate(&random_last, &[HALF, NEVER], HALF..HALF + 1), 0.25 + 0.125);
    let eighth = HALF / 4;
    let one_key = query(HALF - eighth / 4 * 3..HALF - eighth / 8 * 3);
    let bounds = [HALF - eighth, HALF, HALF + eighth / 2];
    assert_near(estimate(&one_key, &bounds, HALF..HALF + 1), 0.5 * (0.375 + 0.25 * 0.375));
}

#[test]
fn new_keys_are_after_the_newest_of_the_layout() {
    // What the new keys add, of which there are that many.
    let of = |range: std::ops::Range<u64>, now, growth, new: f64| {
        let rows = |growth| bins(&Query { range: range.clone(), now, growth }) / 6.0;
        rows(growth) - (1.0 - new) * rows(0.0)
    };
    let newest = HALF + 4500;
    assert_near(of(newest..NEVER, newest + 5500, 0.1, 0.1), 0.1);
    assert_near(of(newest..newest + 2750, newest + 5500, 0.1, 0.1), 0.05);
    assert_near(of(newest..NEVER, NEVER, 0.1, 0.1), 0.1);
    // The fastest bin has a sixth of the rows in 1000 positions.
    assert_near(of(newest..NEVER, newest + 600, 1.0, 0.1), 0.1);
    // Half of the last bin of the layout is before now, and the new ones begin with it.
    assert_near(of(HALF + 1000..HALF + 2000, HALF + 2000, 0.1, 0.1), 0.1);
}

/// Ten bins of random keys, and ten of the layout within one of those.
#[test]
fn random_keys_get_their_share() {
    let step = NEVER / 10;
    let layout = 10_000..20_000;
    let mut bounds: Vec<_> = (0..=10).map(|index| step * index).chain(layout.clone().step_by(1000)).collect();
    bounds.sort_unstable();
    let of = |range| estimate(&query(range), &bounds, layout.clone());
    assert_near(of(0..NEVER), 1.0);
    assert_near(of(10_000..19_000), 9.0 / 20.0);
    assert_near(of(9_000..10_000), 1.0 / 20.0);
    assert!((of(20_000..step) - 0.05).abs() < 0.01);
    assert_near(of(step..3 * step), 0.1);
}

proptest! {
    #[test]
    fn ranges_add_up(
        mut bounds in prop::collection::vec(any::<u64>(), 2..40), mut cuts in any::<[u64; 3]>(),
        of_layout in any::<[u64; 2]>(), now in any::<u64>(), growth in 0.0..=1.0,
    ) {
        bounds.sort_unstable();
        cuts.sort_unstable();
        let of_layout = of_layout[0]..of_layout[1];
        let of = |from: usize, to: usize| {
            let query = Query { range: cuts[from]..cuts[to], now, growth };
            estimate(&query, &bounds, of_layout.clone())
        };
        let [before, after, both] = [of(0, 1), of(1, 2), of(0, 2)];
        prop_assert!((before + after - both).abs() < 1e-9);
        prop_assert!(before >= 0.0 && both <= 1.0 + 1e-9);
    }

    /// Keys at any speed: within the rows of one bin.
    #[test]
    fn estimates_are_within_a_bin(
        steps in prop::collection::vec(1u64..1 << 40, 1001), range in any::<[prop::sample::Index; 2]>(),
    ) {
        let keys: Vec<_> = steps.iter().scan(1 << 60, |key, step| { *key += step; Some(*key) }).collect();
        let bounds: Vec<_> = keys.iter().copied().step_by(100).collect();
        let mut cuts = range.map(|index| index.index(keys.len()));
        cuts.sort_unstable();
        let actual = (cuts[1] - cuts[0]) as f64 / 1000.0;
        let share = estimate(&query(keys[cuts[0]]..keys[cuts[1]]), &bounds, 0..NEVER);
        prop_assert!((share - actual).abs() <= 0.2, "{share} instead of {actual}");
    }
}
