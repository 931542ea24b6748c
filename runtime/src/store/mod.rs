//! The set of visited states.
//!
//! A search for safety needs only a [`StateSet`]: whether a state is new. The searches for cycles number the states,
//! and read them again: a [`StateStore`]. Both have one central operation, `insert` (find-or-put). A new set is a file
//! here, its row in `sound.rs`, and one line that runs the shared tests on it.

mod adaptive;
mod arena;
mod bitstate;
pub(crate) mod choice;
mod chosen;
mod chunks;
mod climb;
pub mod concurrent;
mod exact;
mod fixed_table;
mod hash_compact;
mod inline;
mod intern;
mod permutation;
mod plain;
mod quotient;
mod storable;
mod tags;
mod tree;
mod words_set;

pub use adaptive::AdaptiveSet;
pub use bitstate::BitstateSet;
pub use chosen::ChosenSet;
pub use exact::ExactStore;
pub use hash_compact::{HashCompactSet, SIGNATURE_BITS};
pub use inline::InlineSet;
pub use plain::PlainSet;
pub use quotient::QuotientSet;
pub use storable::Storable;
pub use tree::{CompactSet, TreeSet};
pub use words_set::WordsSet;

use crate::memory::OutOfMemory;
use crate::omission::Omissions;
use crate::options::Store;
use crate::pack::{Packed, SEED, mix};

/// The answer to an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visited {
    New,
    Seen,
}

/// The parameters of a set.
#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    /// The set answers `OutOfMemory` rather than grow beyond this.
    pub memory_limit: u64,
    /// The same, if the user set it: a set that does not grow takes most of it from the beginning.
    pub user_memory: Option<u64>,
    /// So many sets share the memory.
    pub n_sets: u64,
    /// How many states the user expects in this set.
    pub expect_states: Option<u64>,
    /// How many bits of a state are used, if its size is fixed: the rest is 0 in all states.
    pub state_bits: Option<usize>,
    /// Whether the search asks which states were inserted on the present level.
    pub notes_levels: bool,
    /// The kind of set, with the number of bits for each state if the user gave it.
    pub store: Store,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            memory_limit: u64::MAX,
            user_memory: None,
            n_sets: 1,
            expect_states: None,
            state_bits: None,
            notes_levels: false,
            store: Store::Auto,
        }
    }
}

/// The size of a set that does not grow if the user gives none.
pub const DEFAULT_TABLE_BYTES: u64 = 256 << 20;

impl StoreOptions {
    /// The parameters of one of `n` sets that are used together.
    pub(crate) fn share(&self, n: u64) -> StoreOptions {
        StoreOptions {
            memory_limit: self.memory_limit / n,
            user_memory: self.user_memory.map(|bytes| bytes / n),
            expect_states: self.expect_states.map(|states| states.div_ceil(n)),
            n_sets: self.n_sets * n,
            ..*self
        }
    }

    /// The size of a set that does not grow: three quarters of the memory if the user gave a limit, the rest being for
    /// the search; otherwise 256 MiB, or four bytes for each expected state if that is more.
    fn table_bytes(&self) -> u64 {
        let most = self.memory_limit.min(self.user_memory.unwrap_or(u64::MAX)) / 4 * 3;
        match self.user_memory {
            Some(_) => most,
            None => {
                let expected = self.expect_states.map_or(0, |n| n.saturating_mul(4));
                expected.max(DEFAULT_TABLE_BYTES / self.n_sets).min(most)
            }
        }
    }
}

/// A set of states: all that a search for safety remembers.
///
/// An insertion has two parts, so that a search can begin many insertions before it completes the first and memory is
/// prefetched meanwhile. With several threads each has a set of its own, for the states that belong to it.
pub trait StateSet<P: Packed>: Send + Sized {
    /// The name in reports.
    const NAME: &'static str;
    /// Whether the set may take a new state for one that it has seen.
    const IS_LOSSY: bool;

    /// Whether [`key`](Self::key) reads the state. If not, callers may pass any.
    const KEY_READS_STATE: bool = true;

    /// The same for this set, where not all sets of its type agree.
    #[inline]
    fn key_reads_state(&self) -> bool {
        Self::KEY_READS_STATE
    }

    /// Whether the set keeps its states in the order of insertion, see [`states`](Self::states).
    const KEEPS_STATES: bool = false;

    /// What the second part of an insertion needs: the hash, or the position in a tree.
    type Key: Copy + Send;

    fn new(options: &StoreOptions) -> Result<Self, OutOfMemory>;

    /// First part of an insertion, some time before the second: computes the key and prefetches. `hash` is
    /// `state.hash()`, which callers know already. A key stays valid whatever is inserted meanwhile.
    fn key(&mut self, state: &P, hash: u64) -> Result<Self::Key, OutOfMemory>;

    /// Between the two, shortly before the second: prefetches what the first prefetch leads to.
    #[inline]
    fn approach(&self, key: Self::Key) {
        let _ = key;
    }

    /// Second part: inserts the state unless the set contains it.
    fn insert(&mut self, state: &P, key: Self::Key) -> Result<Visited, OutOfMemory>;

    /// Whether the set contains the state (as far as it can tell).
    fn contains(&mut self, state: &P, key: Self::Key) -> bool;

    fn n_states(&self) -> u64;

    /// The states in the order of insertion, if the set keeps it: then it serves as a queue, too.
    #[inline]
    fn states(&self) -> Option<&P::Pool> {
        None
    }

    fn memory_bytes(&self) -> u64;

    /// The set answers `OutOfMemory` rather than grow beyond this.
    fn set_memory_limit(&mut self, bytes: u64);

    /// The expected number of omitted states. `None` if the set omits none.
    fn omissions(&self) -> Option<Omissions> {
        None
    }

    /// What reports say about the set, such as its size.
    fn describe(&self) -> Option<String> {
        None
    }
}

/// A set of words that represent states, such as the two halves of each.
pub trait PairSet: Default + Send {
    /// The name in reports, with its purpose.
    const NAME: &'static str;
    /// A state of up to so many bits is a pair itself; a longer one is split.
    const WIDEST_WHOLE: usize;

    fn insert(&mut self, pair: u64) -> Result<Visited, OutOfMemory>;

    fn contains(&self, pair: u64) -> bool;

    /// Prefetches for an insertion of the pair.
    fn prefetch(&self, pair: u64);

    fn n_pairs(&self) -> u64;

    fn memory_bytes(&self) -> u64;

    fn set_memory_limit(&mut self, bytes: u64);
}

/// Mixes a word, so that similar words get unrelated numbers.
#[inline]
fn spread(word: u64) -> u64 {
    mix(SEED ^ word, SEED.rotate_left(32))
}

/// Maps a hash to a number below `n`, by its high bits.
#[inline]
fn below(hash: u64, n: usize) -> usize {
    ((u128::from(hash) * n as u128) >> 64) as usize
}

/// Growing in small steps costs time, in large ones memory.
const GROWTH: f64 = 1.3;

/// The number of lines of a segment after its next growth. The first sizes of segments differ, so that they do not all
/// grow at the same time: their hashes fill them evenly.
fn segment_lines(n_lines: usize, segment: usize, n_segments: usize) -> usize {
    if n_lines == 0 {
        let last = chunks::CHUNK_LINES as f64;
        let part = (segment + 1) as f64 / n_segments as f64;
        return (last * GROWTH.powf(part - 1.0)) as usize;
    }
    (n_lines as f64 * GROWTH) as usize
}

/// The uncompressed set.
pub type ExactSet<P> = <P as Storable>::Set;

/// Numbered states, for the searches for cycles.
pub trait StateStore<P: Packed>: Default + Send {
    /// The name in reports.
    const NAME: &'static str;

    /// Inserts a state unless the store contains it. Returns its number, 0 for the first; numbers never change. `hash`
    /// is `state.hash()`, which callers know already.
    fn insert(&mut self, state: &P, hash: u64) -> Result<(Visited, usize), OutOfMemory>;

    /// The number of a state that is in the store.
    fn find(&self, state: &P, hash: u64) -> Option<usize>;

    /// Copies a state that is in the store.
    fn read(&self, index: usize, into: &mut P);

    fn n_states(&self) -> usize;

    fn memory_bytes(&self) -> u64;

    /// The store answers `OutOfMemory` rather than grow beyond this.
    fn set_memory_limit(&mut self, bytes: u64);

    /// First prefetch for the insertion of a state with this hash, some time before the second.
    fn prefetch(&self, hash: u64);

    /// Second prefetch, which may read what the first one fetched.
    fn prefetch_candidate(&self, hash: u64);
}

#[cfg(test)]
mod pair_tests;
#[cfg(test)]
mod set_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{Bytes, Keyed, Words, Writer};

    fn packed<P: Packed>(value: u32) -> P {
        let mut packed = P::default();
        let mut writer = packed.writer();
        writer.put(value, 32);
        writer.put(value.wrapping_mul(77), 32);
        writer.finish();
        packed
    }

    /// The contract of every store, on states of fixed and of variable size.
    fn check_store<P: Packed, S: StateStore<P>>() {
        numbers_follow_the_order_of_insertion::<P, S>();
        growing_loses_nothing::<P, S>();
        a_memory_limit_is_kept::<P, S>();
    }

    fn numbers_follow_the_order_of_insertion<P: Packed, S: StateStore<P>>() {
        let mut store = S::default();
        let mut insert = |value| {
            let state: P = packed(value);
            store.insert(&state, state.hash())
        };
        assert_eq!(insert(10), Ok((Visited::New, 0)));
        assert_eq!(insert(20), Ok((Visited::New, 1)));
        assert_eq!(insert(10), Ok((Visited::Seen, 0)));
        assert_eq!(store.n_states(), 2);
        let find = |value| {
            let state: P = packed(value);
            store.find(&state, state.hash())
        };
        assert_eq!((find(20), find(30)), (Some(1), None));
    }

    fn growing_loses_nothing<P: Packed, S: StateStore<P>>() {
        let mut store = S::default();
        let n = 20_000;
        for round in [Visited::New, Visited::Seen] {
            for value in 0..n {
                let state: P = packed(value);
                let hash = state.hash();
                store.prefetch(hash);
                store.prefetch_candidate(hash);
                assert_eq!(store.insert(&state, hash), Ok((round, value as usize)));
            }
        }
        let mut out = P::default();
        store.read(n as usize - 1, &mut out);
        assert_eq!(out, packed(n - 1));
    }

    fn a_memory_limit_is_kept<P: Packed, S: StateStore<P>>() {
        let mut store = S::default();
        let limit = 200_000;
        store.set_memory_limit(limit);
        let refused = (0..1_000_000).find(|&value| {
            let state: P = packed(value);
            store.insert(&state, state.hash()).is_err()
        });
        assert!(refused.is_some() && store.memory_bytes() <= limit, "{} bytes", store.memory_bytes());
        // The store still finds its states.
        let state: P = packed(0);
        assert_eq!(store.insert(&state, state.hash()), Ok((Visited::Seen, 0)));
    }

    /// The contract of every set that omits no state.
    fn check_set<P: Packed, S: StateSet<P>>() {
        a_set_holds_what_was_put_in::<P, S>();
        a_set_keeps_its_memory_limit::<P, S>();
    }

    fn insert<P: Packed, S: StateSet<P>>(set: &mut S, state: &P) -> Result<Visited, OutOfMemory> {
        let key = set.key(state, state.hash())?;
        set.insert(state, key)
    }

    fn a_set_holds_what_was_put_in<P: Packed, S: StateSet<P>>() {
        let mut set = S::new(&StoreOptions::default()).unwrap();
        let n = 20_000;
        // Keys are made well before they are used, and growth in between must not matter.
        let states: Vec<P> = (0..n).map(packed).chain([P::default()]).collect();
        let keys: Vec<S::Key> = states.iter().map(|state| set.key(state, state.hash()).unwrap()).collect();
        for (number, (state, &key)) in states.iter().zip(&keys).enumerate() {
            // Twice the same, if the state of all zeros reads like the first.
            let is_new = !states[..number.min(1)].contains(state);
            assert_eq!(set.contains(state, key), !is_new);
            assert_eq!(set.insert(state, key), Ok(if is_new { Visited::New } else { Visited::Seen }), "{number}");
            assert!(set.contains(state, key));
        }
        let n_states = set.n_states();
        assert!((n_states == u64::from(n)) == (states[0] == P::default()), "{n_states} states");
        for state in &states {
            assert_eq!(insert(&mut set, state), Ok(Visited::Seen));
        }
        assert_eq!(set.n_states(), n_states);
        let stranger: P = packed(n);
        let key = set.key(&stranger, stranger.hash()).unwrap();
        assert!(!set.contains(&stranger, key));
    }

    fn a_set_keeps_its_memory_limit<P: Packed, S: StateSet<P>>() {
        let limit = 400_000;
        let mut set = S::new(&StoreOptions::default()).unwrap();
        set.set_memory_limit(limit);
        let refused = (0..1_000_000).find(|&value| insert(&mut set, &packed::<P>(value)).is_err());
        assert!(refused.is_some() && set.memory_bytes() <= limit, "{} bytes", set.memory_bytes());
        // The set still finds its states.
        assert_eq!(insert(&mut set, &packed::<P>(0)), Ok(Visited::Seen));
    }

    #[test]
    fn exact_sets() {
        check_set::<Words<1>, ExactStore<Words<1>>>();
        check_set::<Words<3>, ExactStore<Words<3>>>();
        check_set::<Bytes, ExactStore<Bytes>>();
        check_set::<Words<3>, AdaptiveSet<Words<3>>>();
        check_set::<Bytes, AdaptiveSet<Bytes>>();
    }

    #[test]
    fn inline_sets() {
        check_set::<Words<1>, ExactSet<Words<1>>>();
        check_set::<Words<2>, ExactSet<Words<2>>>();
        check_set::<Words<9>, ExactSet<Words<9>>>();
        check_set::<Words<9>, InlineSet<9>>();
    }

    #[test]
    fn tree_sets() {
        check_set::<Words<1>, TreeSet<Words<1>>>();
        check_set::<Words<3>, TreeSet<Words<3>>>();
        check_set::<Bytes, TreeSet<Bytes>>();
    }

    #[test]
    fn compact_sets() {
        check_set::<Words<1>, CompactSet<Words<1>>>();
        check_set::<Words<3>, CompactSet<Words<3>>>();
        check_set::<Bytes, CompactSet<Bytes>>();
    }

    #[test]
    fn exact_store_with_words() {
        check_store::<Words<1>, ExactStore<Words<1>>>();
        check_store::<Words<3>, ExactStore<Words<3>>>();
    }

    #[test]
    fn exact_store_with_bytes() {
        check_store::<Bytes, ExactStore<Bytes>>();
    }

    #[test]
    fn exact_store_with_keys() {
        check_store::<Keyed<Words<2>>, ExactStore<Keyed<Words<2>>>>();
        check_store::<Keyed<Bytes>, ExactStore<Keyed<Bytes>>>();
    }
}
