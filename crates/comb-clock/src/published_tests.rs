use proptest::prelude::*;

use super::*;

const MS: u64 = TICKS_PER_MS;

#[test]
fn a_snapshot_gets_the_latest_horizon_before_its_oldest_transaction() {
    let published = Published::empty();
    assert_eq!(published.settled(u64::MAX), None);
    // A transaction id each millisecond, and a horizon each 10 ms, for an hour.
    for ms in (1_000_000..4_600_000).step_by(10) {
        published.add(ms * MS, ms);
    }
    for (age, worst) in [(0, 120), (100, 220), (1000, 2200), (10_000, 22_000), (90_000, 210_000)] {
        let settled = published.settled(4_600_000 - age).expect("a horizon") / MS;
        assert!(settled <= 4_600_000 - age && settled >= 4_600_000 - worst, "{age} ms: {settled}");
    }
    assert_eq!(published.settled(1_000_000), None);
}

#[test]
fn one_process_in_a_second_computes_a_horizon_for_others() {
    let published = Published::empty();
    let claims = [5000, 5001, 5999, 6000, 6001, 9000].map(|ms| published.claim(ms * MS));
    assert_eq!(claims, [true, false, false, true, false, true]);
}

#[test]
fn a_horizon_of_the_same_tenth_of_a_second_is_not_published() {
    let published = Published::empty();
    published.add(1000 * MS, 5);
    published.add(1050 * MS, 6);
    assert_eq!(published.settled(6), Some(1000 * MS));
}

proptest! {
    /// Each horizon was published with a transaction id that is not above the snapshot's.
    #[test]
    fn what_is_settled_was_published_before(
        horizons in prop::collection::vec((0..500u64, 1..50u64), 1..200), oldest in 0..5000u64,
    ) {
        let (published, mut next_id, mut tick) = (Published::empty(), 0, 1000 * MS);
        let mut all = Vec::new();
        for (ms, ids) in horizons {
            (next_id, tick) = (next_id + ids, tick + ms * MS);
            published.add(tick, next_id);
            all.push((next_id, tick));
        }
        if let Some(settled) = published.settled(oldest) {
            prop_assert!(all.iter().any(|(id, tick)| *tick == settled && *id <= oldest));
        }
    }
}
