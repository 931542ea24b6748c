//! One kind of walk of the probe: at most one walk at a time, which pauses and goes on, and may be followed by others.

use crate::memory::OutOfMemory;
use crate::options::Store;
use crate::search::Counts;
use crate::search::control::Control;
use crate::search::depth_first::{KeptViolation, OnViolation, Order, Walk};
use crate::store::{ExactSet, Storable, StoreOptions};
use crate::system::{ReductionConfig, Systems};

pub(super) struct Lane<'c, 'a, 's, P: Storable> {
    /// While there is no walk.
    control: Option<&'c mut Control<'a>>,
    walk: Option<Walk<'c, 'a, 's, P, ExactSet<P>>>,
    /// The cost and the transitions of walks that have ended.
    spent: u64,
    n_transitions: u64,
    pub n_walks: u64,
}

impl<'c, 'a, 's, P: Storable> Lane<'c, 'a, 's, P> {
    pub fn new(control: &'c mut Control<'a>) -> Lane<'c, 'a, 's, P> {
        Lane { control: Some(control), walk: None, spent: 0, n_transitions: 0, n_walks: 0 }
    }

    /// The successors that all its walks have computed.
    pub fn spent(&self) -> u64 {
        self.spent + self.walk.as_ref().map_or(0, Walk::n_computed)
    }

    /// The transitions of all its walks.
    pub fn n_transitions(&self) -> u64 {
        self.n_transitions + self.walk.as_ref().map_or(0, Walk::n_transitions)
    }

    /// Begins a walk if there is none. The order is asked for that alone.
    pub fn begin(
        &mut self,
        systems: &'s dyn Systems<P>,
        config: Option<ReductionConfig<'s>>,
        order: impl FnOnce() -> Order,
    ) -> Result<(), OutOfMemory> {
        let Some(control) = self.control.take() else { return Ok(()) };
        control.begin_again();
        let store = StoreOptions { store: Store::Exact, ..StoreOptions::default() };
        self.walk = Some(Walk::begin(systems, config, &store, order(), OnViolation::Keep, control)?);
        self.n_walks += 1;
        Ok(())
    }

    /// Takes the walk further by so many transitions, up to a budget for the whole walk. Returns whether it is over, or
    /// its budget spent.
    pub fn go_on(&mut self, n: u64, budget: u64) -> bool {
        let Some(walk) = &mut self.walk else { return true };
        let until = walk.n_transitions().saturating_add(n).min(budget);
        walk.proceed(until) || walk.n_transitions() >= budget
    }

    /// Ends the walk; another one may begin.
    pub fn end(&mut self) {
        if let Some(walk) = self.walk.take() {
            // A walk that costs nothing counts, so that the next ones come to an end.
            self.spent += walk.n_computed().max(1);
            self.n_transitions += walk.n_transitions();
            self.control = Some(walk.into_control());
        }
    }

    /// Frees the memory for good: no other walk begins.
    pub fn close(&mut self) {
        self.end();
        self.control = None;
    }

    pub fn take_met(&mut self) -> Option<KeptViolation<P>> {
        self.walk.as_mut().and_then(Walk::take_met)
    }

    /// The figures of a walk that has visited all states.
    pub fn proof(&self) -> Option<Counts> {
        self.walk.as_ref().filter(|walk| walk.is_complete()).map(Walk::counts)
    }

    pub fn memory_bytes(&self) -> u64 {
        self.walk.as_ref().map_or(0, Walk::memory_bytes)
    }
}
