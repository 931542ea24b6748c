//! The states of the product that a search has stored, with what every search does when it arrives at one.

use super::control::{Control, Progress};
use super::fan::reserve;
use super::product::Product;
use super::{Counts, Searched};
use crate::model::Model;
use crate::pack::{Keyed, OutOfMemory, Packed};
use crate::step::ClaimLocation;
use crate::store::{StateStore, Visited};

/// Entered states between two looks at the clock.
const TICK: u64 = 512;

pub(crate) struct Explored<M: Model, S> {
    pub store: S,
    /// For each state its hidden variables, as they were at the first arrival; takes no room when there are none.
    pub hidden: Vec<M::Hidden>,
    pub transitions: u64,
    /// The most moves on a path of the search.
    pub depth: u64,
    /// States that were expanded, again and again too.
    n_entered: u64,
    state_bytes: usize,
}

/// A state of the product.
pub(crate) struct Joint<M: Model> {
    pub state: M::State,
    pub at: ClaimLocation,
}

impl<M: Model, S: StateStore<Keyed<M::Packed>>> Explored<M, S> {
    pub fn new() -> Explored<M, S> {
        let store = S::default();
        Explored { store, hidden: Vec::new(), transitions: 0, depth: 0, n_entered: 0, state_bytes: 0 }
    }

    /// The number of a state, and whether it is new. `None` if the search must not go there, or is over.
    #[inline]
    pub fn arrive(
        &mut self,
        state: &Keyed<M::Packed>,
        hash: u64,
        hidden: M::Hidden,
        depth: u64,
        control: &mut Control<'_>,
    ) -> Option<(Visited, usize)> {
        if depth > control.max_depth {
            control.cut();
            return None;
        }
        if self.store.n_states() as u64 >= control.max_states && self.store.find(state, hash).is_none() {
            control.too_many_states();
            return None;
        }
        match self.insert(state, hash, hidden) {
            Ok((visited, index)) => {
                self.transitions += 1;
                if visited == Visited::New {
                    self.state_bytes = self.state_bytes.max(state.n_bytes());
                    self.depth = self.depth.max(depth);
                }
                Some((visited, index))
            }
            Err(OutOfMemory) => {
                control.out_of_memory(self.memory_bytes());
                None
            }
        }
    }

    #[inline]
    fn insert(
        &mut self,
        state: &Keyed<M::Packed>,
        hash: u64,
        hidden: M::Hidden,
    ) -> Result<(Visited, usize), OutOfMemory> {
        // Before the state is in the store, so that both always have an entry for each state.
        reserve(&mut self.hidden)?;
        let (visited, index) = self.store.insert(state, hash)?;
        if visited == Visited::New {
            self.hidden.push(hidden);
        }
        Ok((visited, index))
    }

    /// The state of number `index`, for computing with.
    #[inline]
    pub fn joint(&self, model: &M, index: usize, buffer: &mut Keyed<M::Packed>) -> Joint<M> {
        self.store.read(index, buffer);
        let mut state = model.unpack(&buffer.packed);
        model.set_hidden(&mut state, self.hidden[index]);
        Joint { state, at: ClaimLocation(buffer.key) }
    }

    pub fn memory_bytes(&self) -> u64 {
        self.store.memory_bytes() + (self.hidden.capacity() * size_of::<M::Hidden>()) as u64
    }

    /// To be called for every state that is expanded; now and then it looks at the limits. `beside` is what the search
    /// takes beside the states.
    #[inline]
    pub fn entered(&mut self, product: &mut Product<'_, M>, beside: impl FnOnce() -> u64, control: &mut Control<'_>) {
        self.n_entered += 1;
        if self.n_entered.is_multiple_of(TICK) || self.n_entered == 1 {
            self.tick(product, beside(), control);
        }
    }

    #[cold]
    fn tick(&mut self, product: &mut Product<'_, M>, beside: u64, control: &mut Control<'_>) {
        let beside = beside + (self.hidden.capacity() * size_of::<M::Hidden>()) as u64;
        self.store.set_memory_limit(control.memory_limit().saturating_sub(beside));
        let memory_bytes = self.store.memory_bytes() + beside;
        product.memory_beside = self.memory_bytes();
        control.tick(Progress {
            states_stored: self.store.n_states() as u64,
            transitions: self.transitions,
            depth: self.depth,
            memory_bytes,
            ..Progress::default()
        });
    }

    pub fn finish(self, algorithm: &'static str, product: Product<'_, M>) -> Searched {
        let counts = Counts {
            states_stored: self.store.n_states() as u64,
            transitions: self.transitions,
            atomic_steps: product.expander.atomic_steps,
            depth: self.depth,
            state_bytes: self.state_bytes as u64,
            memory_bytes: self.memory_bytes(),
            reached: product.expander.reached,
            atomic_cycle: product.expander.atomic_cycle,
        };
        Searched { algorithm, reduction: false, unreduced: None, counts }
    }
}
