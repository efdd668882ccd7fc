//! Which share of the rows of a table has its key in a range, by a histogram of the keys.

use std::ops::Range;

/// 2^64, as many positions as there are.
const POSITIONS: f64 = 18_446_744_073_709_551_616.0;

/// A bound of a histogram: the upper 64 bits of a key in the order of the keys. In one layout these
/// increase with time at one speed.
#[derive(Clone, Copy)]
pub struct Bound {
    /// The bits.
    pub position: u64,
    /// Whether the key is of the layout, and not a random one.
    pub in_layout: bool,
}

/// Estimates the rows of a range.
pub struct Query {
    /// The positions of the range.
    pub range: Range<u64>,
    /// The position of the present.
    pub now: u64,
    /// The share of the rows that are newer than the histogram.
    pub growth: f64,
}

impl Query {
    /// The share of `from..to` that is in the range.
    fn share(&self, from: u64, to: u64) -> f64 {
        if from >= to {
            return f64::from(u8::from(self.range.contains(&from)));
        }
        let [start, end] = [self.range.start, self.range.end].map(|edge| edge.clamp(from, to));
        end.saturating_sub(start) as f64 / (to - from) as f64
    }

    /// The share of the rows in the range, by `count` bounds of bins that hold equally many rows, in
    /// ascending order.
    ///
    /// Keys of the layout are in a narrow part of all positions, and random keys in all of them. If both bounds of
    /// a bin are of the same kind, its keys are assumed to be spread evenly. A bin between the two kinds holds as
    /// many random keys as its width suggests. Its keys of the layout are as dense as in the neighbouring bin of
    /// the layout.
    ///
    /// New keys are assumed to be between the newest key of the histogram and now, but no denser than in its densest
    /// bin: further rows were loaded in bulk, and are spread like the histogram.
    pub fn estimate(&self, count: usize, bound: impl Fn(usize) -> Bound) -> f64 {
        let bin = 1.0 / (count - 1) as f64;
        let outside_layout = (0..count).filter(|&index| !bound(index).in_layout).count();
        let near = |index: usize| (index < count).then(|| bound(index)).filter(|near| near.in_layout);
        let (mut inside, mut newest, mut fastest) = (0.0, None, 0.0);
        for index in 0..count - 1 {
            let [low, high] = [bound(index), bound(index + 1)];
            let width = high.position.saturating_sub(low.position);
            let random = (outside_layout as f64 * width as f64 / POSITIONS).min(1.0);
            let reach = |beside: u64| (((1.0 - random) * beside as f64) as u64).min(width);
            let (random, from, to) = match (low.in_layout, high.in_layout) {
                (true, true) => {
                    fastest = f64::max(fastest, bin / width.max(1) as f64);
                    (0.0, low.position, high.position)
                }
                (false, false) => (1.0, low.position, high.position),
                (false, true) => {
                    let next = near(index + 2).map(|next| next.position.abs_diff(high.position));
                    (random, high.position - reach(next.unwrap_or(width)), high.position)
                }
                (true, false) => {
                    let last = near(index.wrapping_sub(1)).map(|last| low.position.abs_diff(last.position));
                    let to = low.position + reach(last.unwrap_or(width));
                    (random, low.position, to.min(self.now.max(low.position)))
                }
            };
            inside += (1.0 - random) * self.share(from, to) + random * self.share(low.position, high.position);
            if random < 1.0 && to <= self.now {
                newest = Some(to);
            }
        }
        let newest = newest.unwrap_or(self.now);
        let new = self.growth.min(fastest * (self.now - newest) as f64);
        (1.0 - new) * bin * inside + new * self.share(newest, self.now)
    }
}

#[cfg(test)]
#[path = "histogram_tests.rs"]
mod tests;
