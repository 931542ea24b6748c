//! Bitstate: a state is a few bits, set in an array of any size (G. J. Holzmann, 1987).
//!
//! A state counts as seen if all of its bits are set, whether it set them or other states did. So the set is never
//! full, holds more states than any other, and may omit some. Enhanced double hashing derives the positions of the bits
//! from one hash (P. C. Dillinger, P. Manolios, 2004) and omits no more states than independent hashes would.
//!
//! For a state that sets few bits the 64-bit hash that every search computes is enough: a collision of two such hashes
//! is far rarer than that other states set the few bits, and the omission probability accounts for it. With many bits a
//! collision might not be rarer, so that their positions follow from a 128-bit hash of their own, which takes more
//! time.

use super::fixed_table::FixedTable;
use super::{StateSet, StoreOptions, Visited, below, spread};
use crate::memory::OutOfMemory;
use crate::omission;
use crate::omission::Omissions;
use crate::options::Store;
use crate::pack::Packed;
use crate::prefetch::prefetch;
use std::marker::PhantomData;

pub struct BitstateSet<P> {
    words: FixedTable,
    n_bits: u64,
    k: u32,
    n_states: u64,
    /// The number of sets that are used together.
    n_sets: u64,
    states: PhantomData<fn() -> P>,
}

/// A good choice as long as the number of states is not known.
pub const DEFAULT_K: u32 = 3;
/// With more bits for each state, collisions of the hash would cause more omissions than these bits.
const FEW: u32 = 4;
/// Positions of a state that are prefetched. Fewer are enough to recognise most new states.
const PREFETCHED: u32 = 8;

/// The positions of the bits of a state: the first one and the distance to the next, as fractions of the table in units
/// of 2^-64. Wrapping arithmetic then wraps around at the end of the table, without a branch.
#[derive(Clone, Copy)]
pub struct BitPositions {
    at: u64,
    step: u64,
}

/// A bit of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BitPosition {
    word: usize,
    bit: u64,
}

/// Distances grow by multiples of this: with equal distances, states with two bits in common would have all bits in
/// common.
const GROWTH: u64 = 0xd1b5_4a32_d192_ed03;

impl BitPositions {
    #[inline(always)]
    fn places(mut self, n_bits: u64, k: u32) -> impl Iterator<Item = BitPosition> {
        (1..=u64::from(k)).map(move |j| {
            let bit = below(self.at, n_bits as usize);
            self.at = self.at.wrapping_add(self.step);
            self.step = self.step.wrapping_add(GROWTH.wrapping_mul(j));
            BitPosition { word: bit / 64, bit: 1 << (bit % 64) }
        })
    }
}

impl<P> BitstateSet<P> {
    fn with_size(n_bits: u64, k: u32) -> Result<BitstateSet<P>, OutOfMemory> {
        let n_bits = n_bits.max(u64::from(omission::MAX_K) * 2);
        let n_words = usize::try_from(n_bits.div_ceil(64)).map_err(|_| OutOfMemory)?;
        Ok(BitstateSet { words: FixedTable::new(n_words)?, n_bits, k, n_states: 0, n_sets: 1, states: PhantomData })
    }

    /// The expected number of omitted states with `k` bits for each.
    fn expected(&self, k: u32) -> f64 {
        let by_bits = omission::bitstate(self.n_states, self.n_bits, k);
        // States with equal hashes belong to the same one of several sets.
        let by_hash = if k <= FEW { omission::equal_hashes(self.n_states) * self.n_sets as f64 } else { 0.0 };
        by_bits + by_hash
    }

    #[inline(always)]
    fn prefetch(&self, bits: BitPositions, k: u32) {
        bits.places(self.n_bits, k).for_each(|place| prefetch(&self.words, place.word));
    }

    #[inline(always)]
    fn has(&self, bits: BitPositions, k: u32) -> bool {
        // Most look-ups are of seen states, for which all bits have to be read: so there is no branch for each bit.
        let places = bits.places(self.n_bits, k);
        places.fold(0, |missing, place| missing | place.bit & !self.words[place.word]) == 0
    }

    #[inline(always)]
    fn enter(&mut self, bits: BitPositions, k: u32) -> Visited {
        if self.has(bits, k) {
            return Visited::Seen;
        }
        for place in bits.places(self.n_bits, k) {
            self.words[place.word] |= place.bit;
        }
        if self.words.is_young() {
            let places = bits.places(self.n_bits, k);
            self.words.note(places.map(|place| place.word));
        }
        self.n_states += 1;
        Visited::New
    }

    /// The key of a state with another number of bits than the usual one.
    #[inline(never)]
    fn key_of_any(&mut self, state: &P, hash: u64) -> BitPositions
    where
        P: Packed,
    {
        let [at, step] = if self.key_reads_state() { state.wide_hash() } else { [hash, spread(hash)] };
        let bits = BitPositions { at, step };
        self.prefetch(bits, self.k.min(PREFETCHED));
        bits
    }

    #[inline(never)]
    fn enter_any(&mut self, bits: BitPositions) -> Visited {
        self.enter(bits, self.k)
    }
}

impl<P: Packed> StateSet<P> for BitstateSet<P> {
    const NAME: &'static str = "bitstate";
    const IS_LOSSY: bool = true;
    type Key = BitPositions;

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
    fn key_reads_state(&self) -> bool {
        self.k > FEW
    }

    /// The usual number of bits is a constant here and below, so that the compiler can unroll loops.
    #[inline(always)]
    fn key(&mut self, state: &P, hash: u64) -> Result<BitPositions, OutOfMemory> {
        if self.k != DEFAULT_K {
            return Ok(self.key_of_any(state, hash));
        }
        let bits = BitPositions { at: hash, step: spread(hash) };
        self.prefetch(bits, DEFAULT_K);
        Ok(bits)
    }

    #[inline(always)]
    fn insert(&mut self, _state: &P, key: BitPositions) -> Result<Visited, OutOfMemory> {
        Ok(if self.k == DEFAULT_K { self.enter(key, DEFAULT_K) } else { self.enter_any(key) })
    }

    #[inline]
    fn contains(&mut self, _state: &P, key: BitPositions) -> bool {
        self.has(key, self.k)
    }

    fn n_states(&self) -> u64 {
        self.n_states
    }

    fn memory_bytes(&self) -> u64 {
        self.words.memory_bytes()
    }

    /// The table never grows.
    fn set_memory_limit(&mut self, _bytes: u64) {}

    fn omissions(&self) -> Option<Omissions> {
        let best = omission::best_k(self.n_states, self.n_bits);
        Some(Omissions { expected: self.expected(self.k), expected_if_known: self.expected(best) })
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

    fn insert<P: Packed>(set: &mut BitstateSet<P>, state: &P) -> Visited {
        let key = set.key(state, state.hash()).unwrap();
        set.insert(state, key).unwrap()
    }

    /// The average number of omitted states in 200 runs of different states, until so many are stored. Omitted states
    /// come on top: the formula is about stored states.
    fn simulate<P: Packed>(n: u64, n_bits: u64, k: u32, mut next: impl FnMut() -> P) -> f64 {
        let mut n_missed = 0;
        for _ in 0..200 {
            let mut set = BitstateSet::<P>::with_size(n_bits, k).unwrap();
            while set.n_states < n {
                n_missed += u32::from(insert(&mut set, &next()) == Visited::Seen);
            }
        }
        f64::from(n_missed) / 200.0
    }

    #[track_caller]
    fn check_simulation<P: Packed>(n: u64, n_bits: u64, k: u32, next: impl FnMut() -> P) {
        let (found, expected) = (simulate(n, n_bits, k, next), omission::bitstate(n, n_bits, k));
        assert!((found / expected - 1.0).abs() < 0.1, "{k} bits: {found}, not {expected}");
    }

    #[test]
    fn a_simulation_misses_what_the_formula_says() {
        for (n, n_bits, k) in [(1000, 8192, 3), (10_000, 65_536, 3), (1000, 8192, 2), (1000, 8000, 4), (1000, 7000, 5)]
        {
            let mut random = Random(n_bits ^ n);
            check_simulation(n, n_bits, k, || Words([random.next()]));
        }
    }

    /// States of a model differ in a few bits, here and there.
    #[test]
    fn states_that_are_alike_are_missed_no_more_often() {
        for k in [3, 5] {
            let mut number = 0;
            check_simulation(1000, 8192, k, || {
                number += 1;
                Words([number])
            });
            check_simulation(1000, 8192, k, || {
                number += 1;
                Words([number % 61, (number / 61 % 67) << 50, number / 61 / 67])
            });
        }
    }

    #[test]
    fn places_are_those_of_enhanced_double_hashing() {
        let (at, step, n_bits) = (u64::MAX / 3, u64::MAX / 5 * 4, 1001);
        let places: Vec<BitPosition> = BitPositions { at, step }.places(n_bits, 40).collect();
        for (j, &place) in places.iter().enumerate() {
            // The sum of the steps, which grow by 1, 2, 3, ... times the same.
            let j = j as u128;
            let grown = j * j.saturating_sub(1) * (j + 1) / 6 * u128::from(GROWTH);
            let sum = (u128::from(at) + j * u128::from(step) + grown) as u64;
            let bit = below(sum, n_bits as usize);
            assert_eq!(place, BitPosition { word: bit / 64, bit: 1 << (bit % 64) });
        }
    }

    #[test]
    fn what_was_put_in_is_there() {
        for k in [3, 5] {
            let mut set = BitstateSet::<Words<2>>::with_size(1_000_003, k).unwrap();
            let states: Vec<Words<2>> = (0..20_000).map(|n| Words([n / 7, n * 3])).collect();
            for state in &states {
                let key = set.key(state, state.hash()).unwrap();
                let was_there = set.contains(state, key);
                assert_eq!(set.insert(state, key) == Ok(Visited::Seen), was_there);
                assert!(set.contains(state, key));
            }
            assert!(set.n_states <= 20_000 && set.n_states > 19_900, "{}", set.n_states);
        }
    }

    #[test]
    fn a_table_that_moves_forgets_nothing() {
        for k in [3, 5] {
            let mut set = BitstateSet::<Words<1>>::with_size(100 << 23, k).unwrap();
            let states: Vec<Words<1>> = (0..2000).map(|n| Words([n])).collect();
            assert!(set.words.is_young());
            let n_new = states.iter().filter(|state| insert(&mut set, state) == Visited::New).count();
            assert!(n_new == states.len() && !set.words.is_young());
            assert!(states.iter().all(|state| insert(&mut set, state) == Visited::Seen));
        }
    }

    #[test]
    fn few_bits_add_what_their_hash_misses() {
        let n_states = 1 << 20;
        let expected = |k, n_sets| {
            let set = BitstateSet::<Words<1>> { n_states, n_sets, ..BitstateSet::with_size(1 << 34, k).unwrap() };
            set.omissions().unwrap().expected - omission::bitstate(n_states, 1 << 34, k)
        };
        let pairs = 2_f64.powi(39 - 64);
        assert!((expected(4, 1) / pairs - 1.0).abs() < 1e-6);
        assert!((expected(4, 8) / pairs / 8.0 - 1.0).abs() < 1e-6);
        assert_eq!(expected(5, 1), 0.0);
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
