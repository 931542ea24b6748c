//! Bitstate: a state is a few bits, set in an array of any size (G. J. Holzmann, 1987).
//!
//! A state all of whose bits are set counts as seen, whether it set them or others did. So the set is never full, holds
//! more states than any other, and may miss some. Which bits follows from one hash of 128 bits by enhanced double
//! hashing (P. C. Dillinger, P. Manolios, 2004), which misses no more than independent hashes would.

use super::{Omissions, StateSet, StoreOptions, Visited, below, omission};
use crate::options::Store;
use crate::pack::{OutOfMemory, Packed};
use crate::prefetch::prefetch;
use crate::zeroed;
use std::marker::PhantomData;

pub struct BitstateSet<P> {
    words: Vec<u64>,
    n_bits: u64,
    k: u32,
    n_states: u64,
    /// So many are used together.
    n_sets: u64,
    states: PhantomData<fn() -> P>,
}

/// Good as long as nothing is known about the number of states.
pub const DEFAULT_K: u32 = 3;
/// So many of a state's places are fetched ahead. Most new states are found to be new by fewer.
const PREFETCHED: u32 = 8;

/// The first bit of a state, and how far it is to the next one.
#[derive(Clone, Copy)]
pub struct Bits {
    at: u64,
    step: u64,
}

impl Bits {
    /// Goes on to bit number `j` of the state.
    #[inline]
    fn advance(&mut self, j: u32, n_bits: u64) {
        self.at += self.step;
        if self.at >= n_bits {
            self.at -= n_bits;
        }
        // Steps that grow: with equal ones, states that have two bits in common would have all.
        self.step += u64::from(j);
        if self.step >= n_bits {
            self.step -= n_bits;
        }
    }
}

impl<P> BitstateSet<P> {
    fn with_size(n_bits: u64, k: u32) -> Result<BitstateSet<P>, OutOfMemory> {
        let n_bits = n_bits.max(u64::from(omission::MAX_K) * 2);
        let n_words = usize::try_from(n_bits.div_ceil(64)).map_err(|_| OutOfMemory)?;
        Ok(BitstateSet { words: zeroed::words(n_words)?, n_bits, k, n_states: 0, n_sets: 1, states: PhantomData })
    }

    #[inline]
    fn bits(&self, [one, other]: [u64; 2]) -> Bits {
        let n_bits = self.n_bits as usize;
        Bits { at: below(one, n_bits) as u64, step: below(other, n_bits) as u64 }
    }

    #[inline]
    fn enter(&mut self, mut bits: Bits) -> Visited {
        let mut is_seen = true;
        for j in 1..=self.k {
            let (word, bit) = ((bits.at / 64) as usize, 1 << (bits.at % 64));
            is_seen &= self.words[word] & bit != 0;
            self.words[word] |= bit;
            bits.advance(j, self.n_bits);
        }
        if is_seen {
            return Visited::Seen;
        }
        self.n_states += 1;
        Visited::New
    }
}

impl<P: Packed> StateSet<P> for BitstateSet<P> {
    const NAME: &'static str = "bitstate";
    const IS_LOSSY: bool = true;
    type Key = Bits;

    fn new(options: &StoreOptions) -> Result<Self, OutOfMemory> {
        let n_bits = options.table_bytes() * 8;
        let k = match (options.store, options.expect_states) {
            (Store::Bitstate(Some(k)), _) => k,
            (_, Some(n_states)) => omission::best_k(n_states, n_bits),
            (_, None) => DEFAULT_K,
        };
        Ok(BitstateSet { n_sets: options.n_sets, ..BitstateSet::with_size(n_bits, k)? })
    }

    #[inline]
    fn key(&mut self, state: &P, _hash: u64) -> Result<Bits, OutOfMemory> {
        let key = self.bits(state.wide_hash());
        let mut bits = key;
        for j in 1..=self.k.min(PREFETCHED) {
            prefetch(&self.words, (bits.at / 64) as usize);
            bits.advance(j, self.n_bits);
        }
        Ok(key)
    }

    #[inline]
    fn insert(&mut self, _state: &P, key: Bits) -> Result<Visited, OutOfMemory> {
        Ok(self.enter(key))
    }

    #[inline]
    fn contains(&mut self, _state: &P, mut key: Bits) -> bool {
        (1..=self.k).all(|j| {
            let is_set = self.words[(key.at / 64) as usize] & 1 << (key.at % 64) != 0;
            key.advance(j, self.n_bits);
            is_set
        })
    }

    fn n_states(&self) -> u64 {
        self.n_states
    }

    fn memory_bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }

    /// It never grows.
    fn set_memory_limit(&mut self, _bytes: u64) {}

    fn omissions(&self) -> Option<Omissions> {
        let best = omission::best_k(self.n_states, self.n_bits);
        Some(Omissions {
            expected: omission::bitstate(self.n_states, self.n_bits, self.k),
            expected_if_known: omission::bitstate(self.n_states, self.n_bits, best),
        })
    }

    fn describe(&self) -> Option<String> {
        Some(format!("{} bits for each state, in {} MB", self.k, (self.memory_bytes() * self.n_sets) >> 20))
    }
}

#[cfg(test)]
mod tests {
    use super::super::pair_tests::Random;
    use super::*;
    use crate::pack::Words;

    /// What is missed in 200 runs of different states, on average.
    fn simulate(n: u64, n_bits: u64, k: u32) -> f64 {
        let mut random = Random(n_bits ^ n);
        let mut n_missed = 0;
        for _ in 0..200 {
            let mut set = BitstateSet::<Words<1>>::with_size(n_bits, k).unwrap();
            // The formula is about so many stored states; those that are missed come on top.
            while set.n_states < n {
                let state = Words([random.next()]);
                let key = set.key(&state, 0).unwrap();
                n_missed += u32::from(set.insert(&state, key) == Ok(Visited::Seen));
            }
        }
        f64::from(n_missed) / 200.0
    }

    #[test]
    fn a_simulation_misses_what_the_formula_says() {
        for (n, n_bits, k) in [(1000, 8192, 3), (10_000, 65_536, 3)] {
            let (found, expected) = (simulate(n, n_bits, k), omission::bitstate(n, n_bits, k));
            assert!((found / expected - 1.0).abs() < 0.1, "{found}, not {expected}");
        }
    }

    #[test]
    fn bits_are_those_of_enhanced_double_hashing() {
        let (n_bits, mut a, mut b) = (1001, 900, 500);
        let mut bits = Bits { at: a, step: b };
        for j in 1..40 {
            bits.advance(j, n_bits);
            a = (a + b) % n_bits;
            b = (b + u64::from(j)) % n_bits;
            assert_eq!((bits.at, bits.step), (a, b));
        }
    }

    #[test]
    fn what_was_put_in_is_there() {
        let mut set = BitstateSet::<Words<2>>::with_size(1_000_003, 5).unwrap();
        let states: Vec<Words<2>> = (0..20_000).map(|n| Words([n / 7, n * 3])).collect();
        for state in &states {
            let key = set.key(state, 0).unwrap();
            let was_there = set.contains(state, key);
            assert_eq!(set.insert(state, key) == Ok(Visited::Seen), was_there);
            assert!(set.contains(state, key));
        }
        assert!(set.n_states <= 20_000 && set.n_states > 19_990, "{}", set.n_states);
    }

    #[test]
    fn the_number_of_bits_follows_from_the_expected_states() {
        let k = |options: StoreOptions| BitstateSet::<Words<1>>::new(&options).unwrap().k;
        let options = StoreOptions { user_memory: Some(4 << 20), ..StoreOptions::default() };
        assert_eq!(k(options), DEFAULT_K);
        assert_eq!(k(StoreOptions { store: Store::Bitstate(Some(7)), expect_states: Some(10), ..options }), 7);
        let n_bits = 3 << 23;
        assert_eq!(k(StoreOptions { expect_states: Some(2_000_000), ..options }), omission::best_k(2_000_000, n_bits));
    }
}
