//! The stored states of the product, and what every search does when it arrives at one.

use super::control::{Control, LimitPulse};
use super::lasso::StateSource;
use super::{Counts, Searched};
use crate::hidden::{Hidden, HiddenList};
use crate::memory::OutOfMemory;
use crate::monitor::Progress;
use crate::pack::{Keyed, Packed};
use crate::search::SearchKind;
use crate::store::{StateStore, Visited};
use crate::system::{ProductState, Tally};
use std::marker::PhantomData;

/// Entered states between two checks of the clock.
const TICK: u64 = 512;

pub(crate) struct Explored<P, S> {
    pub store: S,
    /// The hidden variables of each state, as they were at the first arrival.
    pub hidden: HiddenList,
    pub transitions: u64,
    /// The most moves on a path of the search.
    pub depth: u64,
    /// The memory in use at the last check.
    memory_in_use: u64,
    /// The number of expansions, repeated ones included.
    n_entered: u64,
    state_bytes: usize,
    packed: PhantomData<P>,
}

impl<P: Packed, S: StateStore<Keyed<P>>> Explored<P, S> {
    pub fn new(has_hidden: bool) -> Explored<P, S> {
        Explored {
            store: S::default(),
            hidden: HiddenList::new(has_hidden),
            transitions: 0,
            depth: 0,
            memory_in_use: 0,
            n_entered: 0,
            state_bytes: 0,
            packed: PhantomData,
        }
    }

    /// The number of a state, and whether it is new. `None` if a limit keeps the search from entering it, or the search
    /// is over.
    #[inline]
    pub fn arrive(
        &mut self,
        state: &Keyed<P>,
        hash: u64,
        hidden: Hidden,
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
    fn insert(&mut self, state: &Keyed<P>, hash: u64, hidden: Hidden) -> Result<(Visited, usize), OutOfMemory> {
        // Done before the insertion, so that both always have an entry for each state.
        self.hidden.reserve()?;
        let (visited, index) = self.store.insert(state, hash)?;
        if visited == Visited::New {
            self.hidden.push(hidden);
        }
        Ok((visited, index))
    }

    /// Reads the state of number `index`.
    #[inline]
    pub fn read(&self, index: usize, into: &mut ProductState<P>) {
        self.store.read(index, &mut into.state);
        into.hidden = self.hidden.get(index);
    }

    pub fn memory_bytes(&self) -> u64 {
        self.store.memory_bytes() + self.hidden.memory_bytes()
    }

    /// To be called for every state that is expanded; it checks the limits now and then. `beside` is the memory that
    /// the search takes beside the states. The result checks the limits during the expansion.
    #[inline]
    pub fn enter<'c, 'a>(&mut self, beside: impl FnOnce() -> u64, control: &'c mut Control<'a>) -> LimitPulse<'c, 'a> {
        self.n_entered += 1;
        if self.n_entered.is_multiple_of(TICK) || self.n_entered == 1 {
            self.tick(beside(), control);
        }
        LimitPulse { control, memory_beside: self.memory_in_use }
    }

    #[cold]
    fn tick(&mut self, beside: u64, control: &mut Control<'_>) {
        let beside = beside + self.hidden.memory_bytes();
        self.store.set_memory_limit(control.memory_limit().saturating_sub(beside));
        let memory_bytes = self.store.memory_bytes() + beside;
        self.memory_in_use = self.memory_bytes();
        control.tick(Progress {
            states_stored: self.store.n_states() as u64,
            transitions: self.transitions,
            depth: self.depth,
            memory_bytes,
            ..Progress::default()
        });
    }

    pub fn finish(self, kind: SearchKind, tally: Tally) -> Searched<'static> {
        let counts = Counts {
            threads: 1,
            states_stored: self.store.n_states() as u64,
            transitions: self.transitions,
            depth: self.depth,
            state_bytes: self.state_bytes as u64,
            memory_bytes: self.memory_bytes(),
            omissions: None,
            storage_note: None,
            tally,
        };
        let storage = S::NAME;
        let (storage_reason, unreduced, probe, remark) = (None, None, None, None);
        let (reduction, is_assumed) = (false, false);
        let (symmetry, unsymmetric) = (None, None);
        Searched {
            kind,
            storage,
            storage_reason,
            reduction,
            unreduced,
            is_assumed,
            symmetry,
            unsymmetric,
            counts,
            probe,
            remark,
        }
    }
}

impl<P: Packed, S: StateStore<Keyed<P>>> StateSource<P> for Explored<P, S> {
    fn initial(&self) -> usize {
        0
    }

    fn find(&self, state: &Keyed<P>, hash: u64) -> Option<usize> {
        self.store.find(state, hash)
    }

    fn read(&self, number: usize, into: &mut ProductState<P>) {
        Explored::read(self, number, into);
    }

    fn hidden(&self, number: usize) -> Hidden {
        self.hidden.get(number)
    }

    fn n_numbers(&self) -> usize {
        self.store.n_states()
    }
}
