//! The pending work of an expansion: what is done next is on top.
//!
//! States stand apart from the stack, in slots that are used again: one that is put off is copied once, and once more when
//! its turn comes, however often the stack is rearranged meanwhile.

use crate::step::{Pid, PidSet};
use crate::verdict::Found;

/// A piece of work.
#[derive(Clone, Copy)]
pub(super) enum Pending {
    /// This state is delivered.
    Arrive(Slot, Taken),
    Violation(Found),
    /// The atomic sequence of this owner goes on from this state.
    Continue(Slot, Pid, Taken),
    /// All continuations of the state that was remembered last are done: it leaves the path.
    Leave,
}

/// The steps since the stored state, and the processes that took them, both sides of a rendezvous included.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub n_steps: u32,
    pub movers: PidSet,
}

/// The place of a state.
#[derive(Clone, Copy)]
pub(super) struct Slot(usize);

pub(super) struct PendingWork<S> {
    stack: Vec<Pending>,
    states: Vec<S>,
    free: Vec<usize>,
}

impl<S> Default for PendingWork<S> {
    fn default() -> PendingWork<S> {
        PendingWork { stack: Vec::new(), states: Vec::new(), free: Vec::new() }
    }
}

impl<S: Clone> PendingWork<S> {
    #[inline]
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// A copy of a state, for a piece of work.
    #[inline]
    pub fn keep(&mut self, state: &S) -> Slot {
        match self.free.pop() {
            Some(slot) => {
                self.states[slot].clone_from(state);
                Slot(slot)
            }
            None => {
                self.states.push(state.clone());
                Slot(self.states.len() - 1)
            }
        }
    }

    #[inline]
    pub fn push(&mut self, work: Pending) {
        self.stack.push(work);
    }

    /// What is done next.
    #[inline]
    pub fn last(&self) -> Option<Pending> {
        self.stack.last().copied()
    }

    /// Takes the next piece of work. The state in its slot stays there until another one is kept.
    #[inline]
    pub fn pop(&mut self) -> Option<Pending> {
        let work = self.stack.pop()?;
        if let Pending::Arrive(Slot(slot), _) | Pending::Continue(Slot(slot), ..) = work {
            self.free.push(slot);
        }
        Some(work)
    }

    /// The state of a piece of work, also right after that was taken.
    #[inline]
    pub fn state(&self, slot: Slot) -> &S {
        &self.states[slot.0]
    }

    /// Drops what was pushed behind the first `n` pieces.
    pub fn truncate(&mut self, n: usize) {
        while self.stack.len() > n {
            self.pop();
        }
    }

    /// Puts a piece of work below what was pushed behind the first `n` pieces.
    pub fn insert(&mut self, n: usize, work: Pending) {
        self.stack.insert(n, work);
    }

    /// Turns what was pushed behind the first `n` pieces around.
    #[inline]
    pub fn reverse(&mut self, n: usize) {
        if self.stack.len() > n + 1 {
            self.stack[n..].reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAKEN: Taken = Taken { n_steps: 1, movers: PidSet::EMPTY };

    fn state(work: &PendingWork<u32>, pending: Option<Pending>) -> Option<u32> {
        match pending? {
            Pending::Arrive(slot, _) | Pending::Continue(slot, ..) => Some(*work.state(slot)),
            Pending::Violation(_) | Pending::Leave => None,
        }
    }

    #[test]
    fn work_keeps_its_state_when_it_is_rearranged() {
        let mut work = PendingWork::default();
        for value in 0..4 {
            let slot = work.keep(&value);
            work.push(Pending::Arrive(slot, TAKEN));
        }
        work.reverse(1);
        work.insert(1, Pending::Leave);
        let popped = work.pop();
        assert_eq!(state(&work, popped), Some(1));
        // Its slot is the next one that is used.
        let slot = work.keep(&10);
        work.push(Pending::Continue(slot, Pid(0), TAKEN));
        let rest: Vec<_> = std::iter::from_fn(|| work.pop().map(|popped| state(&work, Some(popped)))).collect();
        assert_eq!(rest, [Some(10), Some(2), Some(3), None, Some(0)]);
        assert_eq!((work.states.len(), work.free.len()), (4, 4));
    }

    #[test]
    fn what_is_dropped_leaves_its_slots() {
        let mut work = PendingWork::default();
        for value in 0..3 {
            let slot = work.keep(&value);
            work.push(Pending::Arrive(slot, TAKEN));
        }
        work.truncate(1);
        assert_eq!((work.len(), work.free.len()), (1, 2));
        let last = work.last();
        assert_eq!(state(&work, last), Some(0));
        work.truncate(0);
        assert!(work.is_empty() && work.last().is_none());
    }
}
