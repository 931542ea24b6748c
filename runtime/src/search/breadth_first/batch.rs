//! Successors that wait for their insertion: by then what it has to read has been fetched from memory.

use super::shard::Letter;
use crate::pack::Packed;
use crate::search::ancestry::{Origin, StateId};
use crate::system::{Hidden, Mark, Successors};
use crate::verdict::Found;

/// Successors that are inserted together.
pub(super) const BATCH: usize = 64;
/// A state with more successors than this has them inserted in parts.
pub(super) const LARGEST_BATCH: usize = 4096;

pub(super) struct Batch<P: Packed, K> {
    /// The state that is expanded.
    pub from: P,
    pub successors: Successors<P>,
    pub waiting: Waiting<K>,
}

/// What is known of them.
pub(super) struct Waiting<K> {
    /// One after the other, the states whose successors these are.
    pub runs: Vec<Run>,
    /// Of those runs that have one, in the same order.
    pub choices: Vec<Choice>,
    /// For each successor where it goes, if there are several shards.
    pub routes: Vec<Route<K>>,
    /// If there is one shard, all go there.
    pub keys: Vec<K>,
    /// The state that is expanded now, and where its successors begin.
    pub open: Open,
}

#[derive(Clone, Copy)]
pub(super) struct Open {
    pub parent: StateId,
    pub begin: usize,
    pub n_before: u32,
}

/// Where a successor goes.
#[derive(Clone, Copy)]
pub(super) struct Route<K> {
    /// The place of its shard among those that the worker holds; it may be beyond them.
    pub held: usize,
    /// Nothing if it is on its way to another thread.
    pub key: Option<K>,
}

/// The successors of a state, or some of them.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub parent: StateId,
    /// Where they stand in the batch.
    pub begin: usize,
    pub end: usize,
    /// Successors of the same state before these.
    pub n_before: u32,
    /// Whether only some steps of the state were taken.
    pub has_choice: bool,
}

/// The successors stand for all, if the proviso holds.
pub(super) struct Choice {
    /// How many choices there were up to this one.
    pub n_tried: u32,
    /// What went wrong in these steps.
    pub found: Box<[Found]>,
    /// Whether some are on their way to other threads, which will say what they think of it.
    pub is_sent: bool,
}

impl<P: Packed, K> Batch<P, K> {
    pub fn new() -> Batch<P, K> {
        let open = Open { parent: StateId { number: 0, shard: 0 }, begin: 0, n_before: 0 };
        let waiting = Waiting { runs: Vec::new(), choices: Vec::new(), routes: Vec::new(), keys: Vec::new(), open };
        Batch { from: P::default(), successors: Successors::new(), waiting }
    }

    pub fn clear(&mut self) {
        self.successors.truncate(Mark::default());
        self.waiting.clear();
    }
}

impl Run {
    /// What comes with the successor at this place of the run.
    #[inline]
    pub fn letter(&self, place: usize, hidden: Hidden) -> Letter {
        Letter { origin: Origin { parent: self.parent, ordinal: self.n_before + place as u32 }, hidden }
    }
}

impl<K> Waiting<K> {
    /// The place of a successor's shard among those that the worker holds, if it is there.
    pub fn held(&self, position: usize, is_only: bool) -> Option<usize> {
        if is_only { Some(0) } else { self.routes[position].key.as_ref().map(|_| self.routes[position].held) }
    }

    pub fn clear(&mut self) {
        self.runs.clear();
        self.choices.clear();
        self.routes.clear();
        self.keys.clear();
    }
}
