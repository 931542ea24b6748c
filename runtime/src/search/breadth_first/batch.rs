//! Successors that wait for their insertion, while the memory that it reads is prefetched.

use super::thread_queue::Entry;
use crate::hidden::Hidden;
use crate::pack::Packed;
use crate::search::ancestry::Origin;
use crate::system::{Mark, Successors};
use crate::verdict::Found;

/// The successors of a state are inserted in parts if there are more than this.
pub(super) const LARGEST_BATCH: usize = 4096;

pub(super) struct Batch<P: Packed, K> {
    /// The state that is expanded.
    pub from: P,
    pub successors: Successors<P>,
    pub waiting: PendingRuns<K>,
}

/// Their ranges and keys.
pub(super) struct PendingRuns<K> {
    /// The ranges of the expanded states, one after the other.
    pub runs: Vec<SuccessorRange>,
    /// The reduced expansions of those ranges that have one, in the same order.
    pub choices: Vec<ReducedExpansion>,
    /// The key of each successor in the set.
    pub keys: Vec<K>,
    /// The state that is being expanded, and where its successors begin.
    pub open: Open,
}

#[derive(Clone, Copy)]
pub(super) struct Open {
    /// The expansion index of the state.
    pub expansion_index: u64,
    pub begin: usize,
    pub n_before: u32,
}

/// The successors of a state, or some of them.
#[derive(Clone, Copy)]
pub(super) struct SuccessorRange {
    /// The index of the first expansion of the state.
    pub expansion_index: u64,
    /// The range in the batch.
    pub begin: usize,
    pub end: usize,
    /// The number of earlier successors of the same state.
    pub n_before: u32,
    /// Whether the state was expanded by an ample set.
    pub has_choice: bool,
}

/// An expansion by an ample set, which is valid if the proviso holds.
pub(super) struct ReducedExpansion {
    /// The number of candidates up to this ample set.
    pub n_tried: u32,
    /// The violations in these steps.
    pub found: Box<[Found]>,
}

impl<P: Packed, K> Batch<P, K> {
    pub fn new() -> Batch<P, K> {
        let open = Open { expansion_index: 0, begin: 0, n_before: 0 };
        let waiting = PendingRuns { runs: Vec::new(), choices: Vec::new(), keys: Vec::new(), open };
        Batch { from: P::default(), successors: Successors::new(), waiting }
    }

    pub fn clear(&mut self) {
        self.successors.truncate(Mark::default());
        self.waiting.clear();
    }
}

impl SuccessorRange {
    /// The queue entry of the successor at this position of the range.
    #[inline]
    pub fn entry(&self, place: usize, hidden: Hidden) -> Entry {
        Entry {
            origin: Origin { expansion_index: self.expansion_index, ordinal: self.n_before + place as u32 },
            hidden,
        }
    }

    /// The number of successors of the state up to the end of this range; the next ample set counts from there.
    pub fn n_until(&self) -> u32 {
        self.n_before + (self.end - self.begin) as u32
    }
}

impl<K> PendingRuns<K> {
    pub fn clear(&mut self) {
        self.runs.clear();
        self.choices.clear();
        self.keys.clear();
    }
}
