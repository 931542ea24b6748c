//! Any of the sets, chosen when a search begins.
//!
//! Breadth-first and depth-first search are compiled three times: for the uncompressed set; for bitstate, which has to be
//! fast; and for this set, rather than for each of its kinds, since the build of a verifier takes time, too. The price is a
//! branch that the processor predicts, and the size of the largest key. Guided searches take this set for every store, several
//! threads take it for bitstate, and so does the product with a claim, on several threads for every store
//! (`search/safety.rs`).

use super::adaptive::{AdaptiveKey, AdaptiveSet};
use super::bitstate::{BitPositions, BitstateSet};
use super::hash_compact::{HashCompactSet, ProbeSequence};
use super::tree::{CompactSet, Root, TreeSet};
use super::{StateSet, StoreOptions, Visited};
use crate::memory::OutOfMemory;
use crate::omission::Omissions;
use crate::options::Store;
use crate::pack::Packed;

pub enum ChosenSet<P: Packed> {
    /// Also the uncompressed set, which never moves its states.
    Adaptive(AdaptiveSet<P>),
    Tree(TreeSet<P>),
    Compact(CompactSet<P>),
    HashCompact(HashCompactSet<P>),
    Bitstate(BitstateSet<P>),
}

/// The key of one of them.
#[derive(Clone, Copy)]
pub enum ChosenKey {
    Adaptive(AdaptiveKey),
    Root(Root),
    Probe(ProbeSequence),
    Bits(BitPositions),
}

const MIXED_UP: &str = "a key is used with the set that made it";

/// The same expression for each kind of set.
macro_rules! with_set {
    ($chosen:expr, $set:ident => $value:expr) => {
        match $chosen {
            ChosenSet::Adaptive($set) => $value,
            ChosenSet::Tree($set) => $value,
            ChosenSet::Compact($set) => $value,
            ChosenSet::HashCompact($set) => $value,
            ChosenSet::Bitstate($set) => $value,
        }
    };
}

impl<P: Packed> StateSet<P> for ChosenSet<P> {
    const NAME: &'static str = "chosen";
    const IS_LOSSY: bool = true;
    type Key = ChosenKey;

    fn new(options: &StoreOptions) -> Result<Self, OutOfMemory> {
        Ok(match options.store {
            Store::Auto | Store::Exact => ChosenSet::Adaptive(AdaptiveSet::new(options)?),
            Store::Tree => ChosenSet::Tree(TreeSet::new(options)?),
            Store::Compact => ChosenSet::Compact(CompactSet::new(options)?),
            Store::HashCompact(_) => ChosenSet::HashCompact(HashCompactSet::new(options)?),
            Store::Bitstate(_) => ChosenSet::Bitstate(BitstateSet::new(options)?),
        })
    }

    #[inline(always)]
    fn key(&mut self, state: &P, hash: u64) -> Result<ChosenKey, OutOfMemory> {
        match self {
            ChosenSet::Adaptive(set) => set.key(state, hash).map(ChosenKey::Adaptive),
            ChosenSet::Tree(set) => set.key(state, hash).map(ChosenKey::Root),
            ChosenSet::Compact(set) => set.key(state, hash).map(ChosenKey::Root),
            ChosenSet::HashCompact(set) => set.key(state, hash).map(ChosenKey::Probe),
            ChosenSet::Bitstate(set) => set.key(state, hash).map(ChosenKey::Bits),
        }
    }

    #[inline]
    fn approach(&self, key: ChosenKey) {
        if let (ChosenSet::Adaptive(set), ChosenKey::Adaptive(key)) = (self, key) {
            set.approach(key);
        }
    }

    #[inline]
    fn insert(&mut self, state: &P, key: ChosenKey) -> Result<Visited, OutOfMemory> {
        match (self, key) {
            (ChosenSet::Adaptive(set), ChosenKey::Adaptive(key)) => set.insert(state, key),
            (ChosenSet::Tree(set), ChosenKey::Root(key)) => set.insert(state, key),
            (ChosenSet::Compact(set), ChosenKey::Root(key)) => set.insert(state, key),
            (ChosenSet::HashCompact(set), ChosenKey::Probe(key)) => set.insert(state, key),
            (ChosenSet::Bitstate(set), ChosenKey::Bits(key)) => set.insert(state, key),
            _ => unreachable!("{MIXED_UP}"),
        }
    }

    #[inline]
    fn contains(&mut self, state: &P, key: ChosenKey) -> bool {
        match (self, key) {
            (ChosenSet::Adaptive(set), ChosenKey::Adaptive(key)) => set.contains(state, key),
            (ChosenSet::Tree(set), ChosenKey::Root(key)) => set.contains(state, key),
            (ChosenSet::Compact(set), ChosenKey::Root(key)) => set.contains(state, key),
            (ChosenSet::HashCompact(set), ChosenKey::Probe(key)) => set.contains(state, key),
            (ChosenSet::Bitstate(set), ChosenKey::Bits(key)) => set.contains(state, key),
            _ => unreachable!("{MIXED_UP}"),
        }
    }

    fn n_states(&self) -> u64 {
        with_set!(self, set => set.n_states())
    }

    fn memory_bytes(&self) -> u64 {
        with_set!(self, set => StateSet::<P>::memory_bytes(set))
    }

    fn set_memory_limit(&mut self, bytes: u64) {
        with_set!(self, set => StateSet::<P>::set_memory_limit(set, bytes));
    }

    fn omissions(&self) -> Option<Omissions> {
        with_set!(self, set => StateSet::<P>::omissions(set))
    }

    fn describe(&self) -> Option<String> {
        with_set!(self, set => StateSet::<P>::describe(set))
    }
}
