//! The exact sets of each packed form.

use super::concurrent::{ConcurrentExact, ConcurrentSet, ConcurrentWords};
use super::{ExactStore, StateSet, WordsSet};
use crate::pack::{Bytes, Keyed, Packed, Words};

/// A packed form and the exact sets that fit it: short states stand in the table itself, long ones in an array beside
/// it.
pub trait Storable: Packed {
    /// The exact set for one thread.
    type Set: StateSet<Self>;
    /// The exact set for several threads.
    type Concurrent: ConcurrentSet<Self>;
}

/// States of the product with a claim.
impl<P: Packed> Storable for Keyed<P> {
    type Set = ExactStore<Keyed<P>>;
    type Concurrent = ConcurrentExact<Keyed<P>>;
}

impl Storable for Bytes {
    type Set = ExactStore<Bytes>;
    type Concurrent = ConcurrentExact<Bytes>;
}

impl<const N: usize> Storable for Words<N> {
    type Set = WordsSet<N>;
    type Concurrent = ConcurrentWords<N>;
}
