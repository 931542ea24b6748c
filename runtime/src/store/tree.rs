//! Tree compression of states (A. Laarman, J. van de Pol, M. Weber, 2011).
//!
//! A state is cut into equal pieces of at most 64 bits. Equal pieces have equal numbers; so have equal pairs of
//! numbers, and so on, up to two numbers that represent the two halves of the state. For each state the set keeps only
//! this last pair, the root: halves recur in many states. The compression is lossless. A state that is short enough is
//! a root itself.
//!
//! Steps change little, and the successors of a state come one after another: so only the pieces that differ from those
//! of the previous state are looked up, and the pairs above them.

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
    n_leaves: usize,
    leaf_bits: u32,
    /// The pieces of the last state.
    leaves: Vec<u64>,
    /// Its numbers: node 1 is the root, which has none, and those below node `n` are `2n` and `2n + 1`; the leaves come
    /// last.
    numbers: Vec<u32>,
    tables: Vec<Interner>,
    /// Nodes to be looked up again.
    changed: Vec<u32>,
    /// The previous state is not known.
    is_stale: bool,
    roots: R,
}

impl<R: PairSet> Tree<R> {
    fn new(n_bits: usize) -> Tree<R> {
        let least = if n_bits > R::WIDEST_WHOLE { 2 } else { 1 };
        let n_leaves = n_bits.div_ceil(64).max(least).next_power_of_two();
        let n_nodes = if n_leaves == 1 { 0 } else { n_leaves * 2 };
        Tree {
            n_leaves,
            leaf_bits: n_bits.div_ceil(n_leaves).max(1) as u32,
            leaves: vec![0; n_leaves],
            numbers: vec![0; n_nodes],
            tables: (0..n_nodes).map(|_| Interner::default()).collect(),
            changed: Vec::new(),
            is_stale: true,
            roots: R::default(),
        }
    }

    /// The root of a state. `Err` names a table that must grow first.
    #[inline]
    fn root<P: Packed>(&mut self, state: &P) -> Result<u64, usize> {
        if self.n_leaves == 1 {
            return Ok(state.word(0));
        }
        let is_stale = std::mem::replace(&mut self.is_stale, true);
        self.changed.clear();
        for leaf in 0..self.n_leaves {
            let piece = self.piece(state, leaf);
            if piece != self.leaves[leaf] || is_stale {
                self.leaves[leaf] = piece;
                self.look_up(self.n_leaves + leaf, piece, is_stale)?;
            }
        }
        let mut next = 0;
        while let Some(&node) = self.changed.get(next) {
            let node = node as usize;
            self.look_up(node, self.pair(node), is_stale)?;
            next += 1;
        }
        self.is_stale = false;
        Ok(self.pair(1))
    }

    #[inline]
    fn piece<P: Packed>(&self, state: &P, leaf: usize) -> u64 {
        if self.leaf_bits == 64 {
            return state.word(leaf);
        }
        let start = leaf * self.leaf_bits as usize;
        let (word, shift) = (start / 64, start % 64);
        // A shift by 64 overflows in Rust, so it takes two shifts.
        let bits = state.word(word) >> shift | state.word(word + 1) << 1 << (63 - shift);
        bits & (u64::MAX >> (64 - self.leaf_bits))
    }

    #[inline]
    fn pair(&self, node: usize) -> u64 {
        u64::from(self.numbers[node * 2]) << 32 | u64::from(self.numbers[node * 2 + 1])
    }

    /// Sets the number of a node. If it changes, the nodes above it are looked up again.
    #[inline]
    fn look_up(&mut self, node: usize, word: u64, is_stale: bool) -> Result<(), usize> {
        let number = self.tables[node].number(word).ok_or(node)?;
        if number != self.numbers[node] || is_stale {
            self.numbers[node] = number;
            let above = node as u32 / 2;
            // Nodes are visited from left to right, so the neighbour was just looked up.
            if above > 1 && self.changed.last() != Some(&above) {
                self.changed.push(above);
            }
        }
        Ok(())
    }

    fn memory_bytes(&self) -> u64 {
        let nodes = self.leaves.capacity() * 8 + self.numbers.capacity() * 4 + self.changed.capacity() * 4;
        let tables = self.tables.capacity() * size_of::<Interner>();
        let words: u64 = self.tables.iter().map(Interner::memory_bytes).sum();
        (nodes + tables) as u64 + words + self.roots.memory_bytes()
    }
}

impl<P: Packed, R: PairSet> TreeSet<P, R> {
    /// The tree for a state of this size.
    #[inline]
    fn which(&self, state: &P) -> usize {
        match P::WORDS {
            Some(_) => 0,
            None => state.n_words().next_power_of_two().trailing_zeros() as usize,
        }
    }

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
        let all_bits = P::WORDS.map(|n_words| n_words * 64);
        let state_bits = all_bits.map(|all| options.state_bits.map_or(all, |bits| bits.min(all)));
        Ok(TreeSet { trees: Vec::new(), state_bits, memory_limit: options.memory_limit, states: PhantomData })
    }

    #[inline]
    fn key(&mut self, state: &P, _hash: u64) -> Result<Root, OutOfMemory> {
        let which = self.which(state);
        if which >= self.trees.len() {
            self.add_trees(which);
        }
        if let (Some(n_words), Some(bits)) = (P::WORDS, self.state_bits)
            && bits < n_words * 64
        {
            let rest =
                state.word(bits / 64) >> (bits % 64) | (bits / 64 + 1..n_words).fold(0, |or, n| or | state.word(n));
            assert!(rest == 0, "a packed state has more bits than its model said: {bits}");
        }
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
