//! Hash compaction: a signature of a few bits for each state, in a table of a fixed size.
//!
//! Two states with the same signature are taken for one if the probe sequence of the second meets the first. So the set
//! is smaller than any that keeps states, and may omit some. Double hashing makes probe sequences differ; the number of
//! cells is a prime, so that each sequence visits all of them.
//!
//! The table cannot grow: the position of a signature implies a part of the hash that a larger table would need. The
//! size follows from the memory or from the expected number of states.

use super::fixed_table::FixedTable;
use super::{StateSet, StoreOptions, Visited, below};
use crate::memory::OutOfMemory;
use crate::omission;
use crate::omission::Omissions;
use crate::options::Store;
use crate::pack::{Packed, SEED, mix};
use crate::prefetch::prefetch;
use std::marker::PhantomData;

pub struct HashCompactSet<P> {
    /// Adjacent cells, and one more word behind them, so that two words can always be read.
    words: FixedTable,
    n_cells: u64,
    signature_bits: u32,
    n_states: u64,
    /// The number of sets that are used together.
    n_sets: u64,
    states: PhantomData<fn() -> P>,
}

pub const DEFAULT_SIGNATURE_BITS: u32 = 32;
/// Fewer bits do not distinguish states; a hash does not have more.
pub const SIGNATURE_BITS: std::ops::RangeInclusive<u32> = 4..=64;

/// The set is full when so many cells of 100 are taken: then probe sequences get long.
const FULL_PERCENT: u64 = 99;
/// A table for a known number of states is filled to so many cells of 100.
const GOOD_PERCENT: u64 = 90;

#[derive(Clone, Copy)]
pub struct ProbeSequence {
    start: u64,
    step: u64,
    /// 1 to 2^bits - 1: 0 is a free cell.
    signature: u64,
}

impl<P> HashCompactSet<P> {
    fn with_size(n_cells: u64, signature_bits: u32) -> Result<HashCompactSet<P>, OutOfMemory> {
        let n_cells = prime_up_to(n_cells.max(11));
        let n_words = (n_cells as u128 * u128::from(signature_bits)).div_ceil(64) + 1;
        let n_words = usize::try_from(n_words).map_err(|_| OutOfMemory)?;
        let words = FixedTable::new(n_words)?;
        Ok(HashCompactSet { words, n_cells, signature_bits, n_states: 0, n_sets: 1, states: PhantomData })
    }

    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.signature_bits)
    }

    #[inline]
    fn position(&self, cell: u64) -> (usize, u32) {
        let bit = u128::from(cell) * u128::from(self.signature_bits);
        ((bit / 64) as usize, (bit % 64) as u32)
    }

    #[inline]
    fn read(&self, cell: u64) -> u64 {
        let (word, shift) = self.position(cell);
        // A shift by 64 overflows in Rust, so it takes two shifts.
        (self.words[word] >> shift | self.words[word + 1] << 1 << (63 - shift)) & self.mask()
    }

    #[inline]
    fn write(&mut self, cell: u64, signature: u64) {
        let (word, shift) = self.position(cell);
        self.words[word] |= signature << shift;
        self.words[word + 1] |= signature >> 1 >> (63 - shift);
        if self.words.is_young() {
            self.words.note([word, word + 1].into_iter());
        }
    }

    fn is_full(&self) -> bool {
        self.n_states >= (self.n_cells as u128 * u128::from(FULL_PERCENT) / 100) as u64
    }

    #[inline]
    fn probe(&self, [one, other]: [u64; 2]) -> ProbeSequence {
        ProbeSequence {
            start: below(one, self.n_cells as usize) as u64,
            step: below(mix(one, SEED), self.n_cells as usize - 1) as u64 + 1,
            signature: below(other, self.mask() as usize) as u64 + 1,
        }
    }

    /// The first cell of the probe sequence that is free or has the signature, and its content.
    #[inline]
    fn find(&self, probe: ProbeSequence) -> (u64, u64) {
        let mut cell = probe.start;
        loop {
            let found = self.read(cell);
            if found == 0 || found == probe.signature {
                return (cell, found);
            }
            cell += probe.step;
            if cell >= self.n_cells {
                cell -= self.n_cells;
            }
        }
    }

    #[inline]
    fn enter(&mut self, probe: ProbeSequence) -> Result<Visited, OutOfMemory> {
        match self.find(probe) {
            (_, found) if found != 0 => Ok(Visited::Seen),
            _ if self.is_full() => Err(OutOfMemory),
            (cell, _) => {
                self.write(cell, probe.signature);
                self.n_states += 1;
                Ok(Visited::New)
            }
        }
    }
}

/// The number of cells and the bits of each, as the options ask for.
fn size(options: &StoreOptions) -> (u64, u32) {
    let table_bits = u128::from(options.table_bytes()) * 8;
    let asked_bits = match options.store {
        Store::HashCompact(bits) => bits,
        _ => None,
    };
    match options.expect_states.map(wanted) {
        // No more than the states need.
        Some(wanted) if options.user_memory.is_none() => {
            let signature_bits = asked_bits.unwrap_or(DEFAULT_SIGNATURE_BITS);
            let room = table_bits / u128::from(signature_bits);
            (wanted.min(room) as u64, signature_bits)
        }
        wanted => cells(table_bits, wanted, asked_bits),
    }
}

/// The number of cells that suits so many states.
fn wanted(n_states: u64) -> u128 {
    u128::from(n_states.max(1)) * 100 / u128::from(GOOD_PERCENT) + 1
}

/// The number of cells that fill the table, with as many bits as leave room for so many of them.
fn cells(table_bits: u128, wanted: Option<u128>, signature_bits: Option<u32>) -> (u64, u32) {
    let signature_bits = signature_bits.unwrap_or_else(|| match wanted {
        Some(wanted) => (table_bits / wanted).clamp(4, 64) as u32,
        None => DEFAULT_SIGNATURE_BITS,
    });
    ((table_bits / u128::from(signature_bits)) as u64, signature_bits)
}

/// The greatest prime number up to `n`, which is 2 at least.
fn prime_up_to(n: u64) -> u64 {
    let is_prime = |n: u64| (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    (2..=n).rev().find(|n| is_prime(*n)).unwrap_or(2)
}

impl<P: Packed> StateSet<P> for HashCompactSet<P> {
    const NAME: &'static str = "hash-compact";
    const IS_LOSSY: bool = true;
    type Key = ProbeSequence;

    fn new(options: &StoreOptions) -> Result<Self, OutOfMemory> {
        let (n_cells, signature_bits) = size(options);
        Ok(HashCompactSet { n_sets: options.n_sets, ..HashCompactSet::with_size(n_cells, signature_bits)? })
    }

    #[inline]
    fn key(&mut self, state: &P, _hash: u64) -> Result<ProbeSequence, OutOfMemory> {
        let probe = self.probe(state.wide_hash());
        prefetch(&self.words, self.position(probe.start).0);
        Ok(probe)
    }

    #[inline]
    fn insert(&mut self, _state: &P, key: ProbeSequence) -> Result<Visited, OutOfMemory> {
        self.enter(key)
    }

    #[inline]
    fn contains(&mut self, _state: &P, key: ProbeSequence) -> bool {
        self.find(key).1 != 0
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
        let table_bytes = self.memory_bytes();
        let (n_cells, bits) = cells(u128::from(table_bytes) * 8, Some(wanted(self.n_states)), None);
        Some(Omissions {
            expected: omission::hash_compact(self.n_states, self.n_cells, self.signature_bits),
            expected_if_known: omission::hash_compact(self.n_states, n_cells, bits),
        })
    }

    fn describe(&self) -> Option<String> {
        let n_cells = self.n_cells * self.n_sets;
        Some(format!(
            "{} bits for each state, room for {n_cells} in {} MB",
            self.signature_bits,
            (self.memory_bytes() * self.n_sets) >> 20
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::pair_tests::Random;
    use super::*;
    use crate::pack::Words;

    /// The average number of omitted states in 200 runs of different states.
    fn simulate(n: u64, n_cells: u64, signature_bits: u32) -> f64 {
        let mut random = Random(n_cells ^ n);
        let mut n_missed = 0;
        for _ in 0..200 {
            let mut set = HashCompactSet::<Words<1>>::with_size(n_cells, signature_bits).unwrap();
            let mut n_stored = 0;
            // The formula is about stored states; omitted ones come on top.
            while n_stored < n {
                let state = Words([random.next()]);
                let key = set.key(&state, 0).unwrap();
                match set.insert(&state, key) {
                    Ok(Visited::New) => n_stored += 1,
                    Ok(Visited::Seen) => n_missed += 1,
                    Err(OutOfMemory) => panic!("full with {n_stored} states"),
                }
            }
        }
        f64::from(n_missed) / 200.0
    }

    #[test]
    fn a_simulation_misses_what_the_formula_says() {
        let (found, expected) = (simulate(7000, 8192, 12), omission::hash_compact(7000, 8192, 12));
        assert!((found / expected - 1.0).abs() < 0.1, "{found}, not {expected}");
    }

    #[test]
    fn cells_of_any_width_keep_their_signatures() {
        for signature_bits in SIGNATURE_BITS {
            let mut set = HashCompactSet::<Words<1>>::with_size(1000, signature_bits).unwrap();
            let mut random = Random(u64::from(signature_bits));
            let probes: Vec<ProbeSequence> = (0..500).map(|_| set.probe([random.next(), random.next()])).collect();
            let n_new = probes.iter().filter(|probe| set.enter(**probe) == Ok(Visited::New)).count();
            assert!(probes.iter().all(|probe| set.enter(*probe) == Ok(Visited::Seen)), "{signature_bits} bits");
            assert!(set.n_states == n_new as u64 && (n_new == 500 || signature_bits < 20), "{n_new}");
        }
    }

    #[test]
    fn a_full_table_takes_no_more_and_keeps_what_it_has() {
        let mut set = HashCompactSet::<Words<1>>::with_size(200, 40).unwrap();
        let results: Vec<_> =
            (0..300).map(|n| (n, set.probe([Random(n + 1).next(), Random(n + 999).next()]))).collect();
        let n_stored = results.iter().filter(|(_, probe)| set.enter(*probe).is_ok()).count();
        assert_eq!(n_stored, 199 * 99 / 100);
        assert!(results[..n_stored].iter().all(|(_, probe)| set.enter(*probe) == Ok(Visited::Seen)));
        assert_eq!(set.enter(results[299].1), Err(OutOfMemory));
    }

    #[test]
    fn the_size_follows_from_memory_and_expectation() {
        let options = StoreOptions::default();
        let with = |user_memory, expect_states, bits| {
            size(&StoreOptions { user_memory, expect_states, store: Store::HashCompact(bits), ..options })
        };
        // Three quarters of the memory that the user gave; the rest is for the search.
        assert_eq!(with(Some(4 << 20), None, Some(24)), (1 << 20, 24));
        assert_eq!(with(Some(4 << 20), None, None), (3 << 18, 32));
        assert_eq!(with(None, Some(900), None), (1001, 32));
        assert_eq!(with(Some(4 << 20), Some(1 << 20), None).1, 21);
        assert_eq!(with(None, None, Some(64)).0, 256 << 17);
    }

    #[test]
    fn primes() {
        assert_eq!([2, 3, 4, 8192, 104_857_600].map(prime_up_to), [2, 3, 3, 8191, 104_857_589]);
    }
}
