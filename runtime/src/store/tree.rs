//! Tree compression of states (A. Laarman, J. van de Pol, M. Weber, 2011).
//!
//! A state is cut into equal pieces of at most 64 bits. Equal pieces have equal numbers; so have equal pairs of
//! numbers, and so on, up to two numbers that represent the two halves of the state. For each state the set keeps only
//! this last pair, the root: halves recur in many states. The compression is lossless. A state that is short enough is
//! a root itself.

use super::climb::{Climb, Shape};
use super::intern::Interner;
use super::{PairSet, PlainSet, QuotientSet, StateSet, StoreOptions, Visited};
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use std::marker::PhantomData;

/// Tree-compressed states; `R` is the set of roots.
pub struct TreeSet<P, R = PlainSet> {
    /// Trees for states of up to 1, 2, 4, ... words; only one if all states have the same size.
    trees: Vec<Tree<R>>,
    /// The size of all states.
    state_bits: Option<usize>,
    memory_limit: u64,
    states: PhantomData<fn() -> P>,
}

/// The same with roots that take half the space and a little more time.
pub type CompactSet<P> = TreeSet<P, QuotientSet>;

/// The root of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    pair: u64,
    tree: u8,
}

struct Tree<R> {
    climb: Climb,
    tables: Vec<Interner>,
    roots: R,
}

impl<R: PairSet> Tree<R> {
    fn new(n_bits: usize) -> Tree<R> {
        let shape = Shape::new(n_bits, R::WIDEST_WHOLE);
        let tables = (0..shape.n_nodes()).map(|_| Interner::default()).collect();
        Tree { climb: Climb::new(shape), tables, roots: R::default() }
    }

    /// The root of a state. `Err` names a table that must grow first.
    #[inline]
    fn root<P: Packed>(&mut self, state: &P) -> Result<u64, usize> {
        let tables = &mut self.tables;
        self.climb.root(state, |node, word| tables[node].number(word))
    }

    fn memory_bytes(&self) -> u64 {
        let tables = self.tables.capacity() * size_of::<Interner>();
        let words: u64 = self.tables.iter().map(Interner::memory_bytes).sum();
        self.climb.memory_bytes() + tables as u64 + words + self.roots.memory_bytes()
    }
}

/// The tree for a state of this size: 0 if all states have the same.
#[inline]
pub(super) fn which_tree<P: Packed>(state: &P) -> usize {
    match P::WORDS {
        Some(_) => 0,
        None => state.n_words().next_power_of_two().trailing_zeros() as usize,
    }
}

/// The bits of all states, if they have the same size.
pub(super) fn state_bits<P: Packed>(options: &StoreOptions) -> Option<usize> {
    let all_bits = P::WORDS.map(|n_words| n_words * 64);
    all_bits.map(|all| options.state_bits.map_or(all, |bits| bits.min(all)))
}

/// A state with more bits than the model said would be cut.
#[inline]
pub(super) fn check_size<P: Packed>(state: &P, state_bits: Option<usize>) {
    if let (Some(n_words), Some(bits)) = (P::WORDS, state_bits)
        && bits < n_words * 64
    {
        let rest = state.word(bits / 64) >> (bits % 64) | (bits / 64 + 1..n_words).fold(0, |or, n| or | state.word(n));
        assert!(rest == 0, "a packed state has more bits than its model said: {bits}");
    }
}

impl<P: Packed, R: PairSet> TreeSet<P, R> {
    #[cold]
    fn add_trees(&mut self, which: usize) {
        while self.trees.len() <= which {
            let n_bits = self.state_bits.unwrap_or(64 << self.trees.len());
            self.trees.push(Tree::new(n_bits));
        }
        self.share_memory();
    }

    #[cold]
    fn grow(&mut self, which: usize, node: usize) -> Result<(), OutOfMemory> {
        let room = self.memory_limit.saturating_sub(self.bytes());
        self.trees[which].tables[node].grow(room)?;
        self.share_memory();
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.trees.iter().map(Tree::memory_bytes).sum()
    }

    /// Tells each set of roots how large it may get if nothing else grows.
    fn share_memory(&mut self) {
        let room = self.memory_limit.saturating_sub(self.bytes());
        for tree in &mut self.trees {
            let roots = tree.roots.memory_bytes();
            tree.roots.set_memory_limit(roots.saturating_add(room));
        }
    }
}

impl<P: Packed, R: PairSet> StateSet<P> for TreeSet<P, R> {
    const NAME: &'static str = R::NAME;
    const IS_LOSSY: bool = false;
    type Key = Root;

    fn new(options: &StoreOptions) -> Result<Self, OutOfMemory> {
        let state_bits = state_bits::<P>(options);
        Ok(TreeSet { trees: Vec::new(), state_bits, memory_limit: options.memory_limit, states: PhantomData })
    }

    #[inline]
    fn key(&mut self, state: &P, _hash: u64) -> Result<Root, OutOfMemory> {
        let which = which_tree(state);
        if which >= self.trees.len() {
            self.add_trees(which);
        }
        check_size(state, self.state_bits);
        loop {
            match self.trees[which].root(state) {
                Ok(pair) => {
                    self.trees[which].roots.prefetch(pair);
                    return Ok(Root { pair, tree: which as u8 });
                }
                Err(node) => self.grow(which, node)?,
            }
        }
    }

    #[inline]
    fn insert(&mut self, _state: &P, key: Root) -> Result<Visited, OutOfMemory> {
        self.trees[usize::from(key.tree)].roots.insert(key.pair)
    }

    #[inline]
    fn contains(&mut self, _state: &P, key: Root) -> bool {
        self.trees[usize::from(key.tree)].roots.contains(key.pair)
    }

    fn n_states(&self) -> u64 {
        self.trees.iter().map(|tree| tree.roots.n_pairs()).sum()
    }

    fn memory_bytes(&self) -> u64 {
        self.bytes()
    }

    fn set_memory_limit(&mut self, bytes: u64) {
        self.memory_limit = bytes;
        self.share_memory();
    }
}
