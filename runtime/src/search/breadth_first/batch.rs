//! Successors that wait for their insertion: by then what it has to read has been fetched from memory.

use super::thread_queue::Entry;
use crate::hidden::Hidden;
use crate::pack::Packed;
use crate::search::ancestry::Origin;
use crate::system::{Mark, Successors};
use crate::verdict::Found;

/// A state with more successors than this has them inserted in parts.
pub(super) const LARGEST_BATCH: usize = 4096;

pub(super) struct Batch<P: Packed, K> {
    /// The state that is expanded.
    pub from: P,
    pub successors: Successors<P>,
    pub waiting: PendingRuns<K>,
}

/// What is known of them.
pub(super) struct PendingRuns<K> {
    /// One after the other, the states whose successors these are.
    pub runs: Vec<SuccessorRange>,
    /// Of those runs that have one, in the same order.
    pub choices: Vec<ReducedExpansion>,
    /// For each successor what its set wants to know of it.
    pub keys: Vec<K>,
    /// The state that is expanded now, and where its successors begin.
    pub open: Open,
}

#[derive(Clone, Copy)]
pub(super) struct Open {
    /// When it is expanded.
    pub expansion_index: u64,
    pub begin: usize,
    pub n_before: u32,
}

/// The successors of a state, or some of them.
#[derive(Clone, Copy)]
pub(super) struct SuccessorRange {
    /// When the state was expanded first.
    pub expansion_index: u64,
    /// Where they stand in the batch.
    pub begin: usize,
    pub end: usize,
    /// Successors of the same state before these.
    pub n_before: u32,
    /// Whether only some steps of the state were taken.
    pub has_choice: bool,
}

/// The successors stand for all, if the proviso holds.
pub(super) struct ReducedExpansion {
    /// How many choices there were up to this one.
    pub n_tried: u32,
    /// What went wrong in these steps.
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
    /// What comes with the successor at this place of the run.
    #[inline]
    pub fn entry(&self, place: usize, hidden: Hidden) -> Entry {
        Entry {
            origin: Origin { expansion_index: self.expansion_index, ordinal: self.n_before + place as u32 },
            hidden,
        }
    }

    /// Successors of the state up to these, which are the next choice's to count from.
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
