//! A depth-first path through the product, each state with its successors.

use crate::pack::{Keyed, Packed};
use crate::system::{Cursor, Edge, Extent, ProductSuccessors};

/// A depth-first path through the product.
pub(crate) struct Stack<P: Packed> {
    pub frames: Vec<Frame>,
    pub edges: ProductSuccessors<P>,
}

#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// The number of the state in the store.
    number: u32,
    /// Moves from the initial state.
    pub depth: u64,
    pub accepting: bool,
    /// The process that the copy waits for, in a search with copies: 0 for an accepting state.
    pub copy: u8,
    begin: Extent,
    cursor: Cursor,
}

impl Frame {
    pub fn new(index: usize, depth: u64, accepting: bool, copy: u8, begin: Extent, cursor: Cursor) -> Frame {
        Frame { number: index as u32, depth, accepting, copy, begin, cursor }
    }

    /// The number of the state in the store, which has 32 bits.
    #[inline]
    pub fn index(&self) -> usize {
        self.number as usize
    }
}

impl<P: Packed> Stack<P> {
    pub fn new(is_fair: bool) -> Stack<P> {
        Stack { frames: Vec::new(), edges: ProductSuccessors::new(is_fair) }
    }

    /// Takes the next pair of the last state on the path. The last pair frees its space for deeper ones: long paths
    /// mostly consist of such states.
    #[inline(always)]
    pub fn next(&mut self, target: &mut Keyed<P>) -> Option<Edge> {
        let frame = self.frames.last_mut()?;
        let edge = self.edges.next(&mut frame.cursor, target)?;
        if self.edges.is_done(frame.cursor) {
            self.edges.truncate(frame.begin);
            frame.cursor = Cursor::END;
        }
        Some(edge)
    }

    pub fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.edges.truncate(frame.begin);
        }
    }

    pub fn clear(&mut self) {
        self.frames.clear();
        self.edges.truncate(Extent::default());
    }

    pub fn memory_bytes(&self) -> u64 {
        self.edges.memory_bytes() + (self.frames.capacity() * size_of::<Frame>()) as u64
    }
}
