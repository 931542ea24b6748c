//! Sets of pairs, compared with a `HashSet`.

use super::{PairSet, PlainSet, QuotientSet, Visited};
use crate::memory::OutOfMemory;
use std::collections::HashSet;

/// A sequence of numbers that look random (xorshift).
pub(super) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}

fn pair(left: u64, right: u64) -> u64 {
    left << 32 | right
}

/// Inserts and looks up each pair of the sequence.
fn check<S: PairSet>(pairs: impl Iterator<Item = u64>) -> S {
    let mut set = S::default();
    let mut all = HashSet::new();
    for pair in pairs {
        let is_new = all.insert(pair);
        assert_eq!(set.contains(pair), !is_new, "{pair:#x} after {}", all.len());
        set.prefetch(pair);
        assert_eq!(set.insert(pair), Ok(if is_new { Visited::New } else { Visited::Seen }), "{pair:#x}");
        assert_eq!(set.n_pairs(), all.len() as u64);
    }
    // The set still finds everything after the last growth.
    let mut all: Vec<u64> = all.into_iter().collect();
    all.sort_unstable();
    assert!(all.iter().all(|pair| set.contains(*pair)));
    set
}

/// All kinds of sequences; `n` pairs each.
fn check_all<S: PairSet>(n: u64) {
    // Both numbers grow, as those of the halves of states do: they outgrow the bits that were enough at first.
    let mut random = Random(1);
    check::<S>((1..n).map(|i| pair(random.below(i / 40 + 2), random.below(i / 7 + 2))));
    // One of them stays small.
    check::<S>((1..n).map(|i| pair(random.below(3), random.below(i + 1))));
    check::<S>((1..n).map(|i| pair(random.below(i + 1), random.below(3))));
    // Whole words, of few bits and of all.
    check::<S>((0..n).map(|_| random.below(n)));
    check::<S>((0..n).map(|_| random.next()));
    check::<S>((0..n).map(|i| u64::MAX - i));
    check::<S>((0..n).map(|i| i << 40));
    // Small ones, all of them, and then large ones.
    check::<S>((0..n).map(|i| if i < n / 2 { i } else { pair(i, i) }));
}

#[test]
fn plain_sets() {
    check_all::<PlainSet>(20_000);
}

#[test]
fn quotient_sets() {
    check_all::<QuotientSet>(20_000);
}

/// Many pairs, close together, each of them twice.
fn check_large<S: PairSet>() -> f64 {
    let mut set = S::default();
    let (n_left, n_right) = (500, 600);
    for round in [Visited::New, Visited::Seen] {
        for right in 0..n_right {
            for left in 0..n_left {
                assert_eq!(set.insert(pair(left, right)), Ok(round), "({left}, {right})");
            }
        }
        assert!(!set.contains(pair(n_left, 5)) && !set.contains(pair(5, n_right)) && !set.contains(pair(1 << 31, 1)));
    }
    assert_eq!(set.n_pairs(), n_left * n_right);
    set.memory_bytes() as f64 / (n_left * n_right) as f64
}

#[test]
fn large_sets_are_small() {
    let plain = check_large::<PlainSet>();
    assert!(plain < 11.5, "{plain} bytes a pair");
    // 19 bits a pair, of which more than ten are said by the place, and three for the displacement.
    let quotient = check_large::<QuotientSet>();
    assert!(quotient < 2.5, "{quotient} bytes a pair");
}

/// A set without memory says so, keeps its limit, and still finds what it holds.
fn check_limit<S: PairSet>(pairs: impl Fn(u64) -> u64) {
    let mut set = S::default();
    let limit = 500_000;
    set.set_memory_limit(limit);
    let mut inserted = Vec::new();
    let mut n_refused = 0;
    for pair in (0..300_000).map(pairs) {
        match set.insert(pair) {
            Ok(Visited::New) => inserted.push(pair),
            Ok(Visited::Seen) => panic!("{pair:#x} was not there"),
            Err(OutOfMemory) => n_refused += 1,
        }
        assert!(n_refused == 0 || !set.contains(pair) || inserted.last() == Some(&pair));
    }
    assert!(n_refused > 0 && set.memory_bytes() <= limit, "{} bytes", set.memory_bytes());
    assert!(inserted.iter().all(|pair| set.contains(*pair) && set.insert(*pair) == Ok(Visited::Seen)));
    assert_eq!(set.n_pairs(), inserted.len() as u64);
    // With more memory it goes on.
    set.set_memory_limit(u64::MAX);
    assert_eq!(set.insert(u64::MAX), Ok(Visited::New));
}

#[test]
fn without_memory_sets_stay_usable() {
    check_limit::<PlainSet>(|i| i);
    check_limit::<QuotientSet>(|i| i);
    check_limit::<QuotientSet>(|i| i << 32 | i);
    check_limit::<QuotientSet>(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
}
