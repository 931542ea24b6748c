//! The way from a state up its tree, to the pair that represents it.
//!
//! A state is cut into equal pieces of at most 64 bits, the leaves. Equal leaves have equal numbers; so have equal pairs of
//! numbers, and so on, up to two numbers that represent the two halves of the state. Which number a word has is asked of
//! the owner of the numbers.
//!
//! Steps change little, and the successors of a state come one after another: so only the leaves that differ from those
//! of the previous state are looked up, and the pairs above them.

use crate::pack::Packed;

pub(super) struct Climb {
    shape: Shape,
    /// The pieces of the last state.
    leaves: Vec<u64>,
    /// Its numbers: node 1 is the root, which has none, and those below node `n` are `2n` and `2n + 1`; the leaves come
    /// last.
    numbers: Vec<u32>,
    /// Nodes to be looked up again.
    changed: Vec<u32>,
    /// The previous state is not known.
    is_stale: bool,
}

/// The leaves of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    n_leaves: usize,
    leaf_bits: u32,
}

impl Shape {
    /// For states of so many bits. Those of up to `widest_whole` bits are pairs themselves.
    pub fn new(n_bits: usize, widest_whole: usize) -> Shape {
        let least = if n_bits > widest_whole { 2 } else { 1 };
        let n_leaves = n_bits.div_ceil(64).max(least).next_power_of_two();
        Shape { n_leaves, leaf_bits: n_bits.div_ceil(n_leaves).max(1) as u32 }
    }

    /// Nodes with numbers, and the two places in front of them. A tree of one leaf has none.
    pub fn n_nodes(self) -> usize {
        if self.n_leaves == 1 { 0 } else { self.n_leaves * 2 }
    }

    #[inline(always)]
    fn piece<P: Packed>(self, state: &P, leaf: usize) -> u64 {
        if self.leaf_bits == 64 {
            return state.word(leaf);
        }
        let start = leaf * self.leaf_bits as usize;
        let (word, shift) = (start / 64, start % 64);
        // A shift by 64 overflows in Rust, so it takes two shifts.
        let bits = state.word(word) >> shift | state.word(word + 1) << 1 << (63 - shift);
        bits & (u64::MAX >> (64 - self.leaf_bits))
    }

    /// The pair of a state, without a state before it. `None` if one of its words has no number.
    pub fn find<P: Packed>(self, state: &P, number_of: impl Fn(usize, u64) -> Option<u32>) -> Option<u64> {
        if self.n_leaves == 1 {
            return Some(state.word(0));
        }
        let mut numbers = vec![0; self.n_nodes()];
        for leaf in 0..self.n_leaves {
            numbers[self.n_leaves + leaf] = number_of(self.n_leaves + leaf, self.piece(state, leaf))?;
        }
        for node in (2..self.n_leaves).rev() {
            numbers[node] = number_of(node, pair(&numbers, node))?;
        }
        Some(pair(&numbers, 1))
    }
}

impl Climb {
    pub fn new(shape: Shape) -> Climb {
        Climb {
            shape,
            leaves: vec![0; shape.n_leaves],
            numbers: vec![0; shape.n_nodes()],
            changed: Vec::new(),
            is_stale: true,
        }
    }

    /// The pair of a state. `Err` names a node for whose word there is no number.
    #[inline]
    pub fn root<P: Packed>(
        &mut self,
        state: &P,
        mut number_of: impl FnMut(usize, u64) -> Option<u32>,
    ) -> Result<u64, usize> {
        if self.shape.n_leaves == 1 {
            return Ok(state.word(0));
        }
        let is_stale = std::mem::replace(&mut self.is_stale, true);
        self.changed.clear();
        for leaf in 0..self.shape.n_leaves {
            let piece = self.shape.piece(state, leaf);
            if piece != self.leaves[leaf] || is_stale {
                self.leaves[leaf] = piece;
                let node = self.shape.n_leaves + leaf;
                let number = number_of(node, piece).ok_or(node)?;
                self.note(node, number, is_stale);
            }
        }
        let mut next = 0;
        while let Some(&node) = self.changed.get(next) {
            let node = node as usize;
            let number = number_of(node, pair(&self.numbers, node)).ok_or(node)?;
            self.note(node, number, is_stale);
            next += 1;
        }
        self.is_stale = false;
        Ok(pair(&self.numbers, 1))
    }

    /// Sets the number of a node. If it changes, the nodes above it are looked up again.
    #[inline]
    fn note(&mut self, node: usize, number: u32, is_stale: bool) {
        if number != self.numbers[node] || is_stale {
            self.numbers[node] = number;
            let above = node as u32 / 2;
            // Nodes are visited from left to right, so the neighbour was just looked up.
            if above > 1 && self.changed.last() != Some(&above) {
                self.changed.push(above);
            }
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.leaves.capacity() * 8 + self.numbers.capacity() * 4 + self.changed.capacity() * 4) as u64
    }
}

#[inline]
fn pair(numbers: &[u32], node: usize) -> u64 {
    u64::from(numbers[node * 2]) << 32 | u64::from(numbers[node * 2 + 1])
}
