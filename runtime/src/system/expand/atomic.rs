//! Atomic sequences: from a step that enters one to the stored states behind it.
//!
//! A sequence can run in circles and never end. Beyond a certain length the expander remembers the states on the path of
//! the sequence. When one of them comes again there is a cycle, and from then on each state inside is expanded only
//! once, which ends because there are finitely many. This loses no run, only repetitions.

use super::offering::{Delivery, Offering, Turn};
use super::{Expander, Outlet, priority};
use crate::hidden::Hidden;
use crate::pack::Packed;
use crate::reduction::Independence;
use crate::step::{Pid, PidSet};
use crate::system::Successors;
use crate::verdict::Found;

/// Steps inside one atomic sequence after which its states are remembered.
const UNREMEMBERED_STEPS: u32 = 32;
/// Steps inside atomic sequences between two calls of [`Pulse`](crate::system::Pulse).
const STEPS_PER_PULSE: u32 = 4096;

/// The pending work, the next item last. `n_steps` and `movers` are the steps since the stored state and the processes
/// that took them, both sides of a rendezvous included.
pub(super) enum Pending<S> {
    Arrive {
        state: S,
        n_steps: u32,
        movers: PidSet,
    },
    Violation(Found),
    Continue {
        state: S,
        owner: Pid,
        n_steps: u32,
        movers: PidSet,
    },
    /// All continuations of the state that was remembered last are done: it leaves the path.
    Leave,
}

impl<M: Independence> Expander<'_, M> {
    /// Work that was added behind the first `n_before` entries is done in the order in which it was added.
    #[inline]
    pub(super) fn restore_order(&mut self, n_before: usize) {
        if self.pending.len() > n_before + 1 {
            self.pending[n_before..].reverse();
        }
    }

    /// Continues the atomic sequences that were begun.
    pub(super) fn continue_sequences(&mut self, outlet: &mut Outlet<'_, M::Packed>) {
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Arrive { state, n_steps, movers } => {
                    self.arrive(&state, n_steps, outlet.out);
                    outlet.out.push_movers(movers);
                }
                Pending::Violation(found) => self.violation(found, outlet.out),
                Pending::Continue { state, owner, n_steps, movers } => {
                    self.continue_sequence(state, owner, n_steps, movers, outlet.out);
                }
                Pending::Leave => {
                    if !self.met_cycle {
                        self.atomic_states.remove_last();
                    }
                }
            }
            if self.is_over(outlet) {
                self.pending.clear();
            }
        }
        self.atomic_states.clear();
        self.met_cycle = false;
    }

    fn is_over(&mut self, outlet: &mut Outlet<'_, M::Packed>) -> bool {
        self.n_checks = self.n_checks.wrapping_add(1);
        let is_due = self.n_checks.is_multiple_of(STEPS_PER_PULSE) || outlet.out.len() >= outlet.out.high_water;
        outlet.out.is_full() || is_due && outlet.pulse.beat(outlet.out)
    }

    fn continue_sequence(
        &mut self,
        mut state: M::State,
        owner: Pid,
        n_steps: u32,
        movers: PidSet,
        out: &mut Successors<M::Packed>,
    ) {
        self.tally.atomic_steps += 1;
        if (n_steps > UNREMEMBERED_STEPS || self.met_cycle) && !self.remember(&state, owner) {
            return;
        }
        if self.model.has_promises() && self.wants.promises {
            self.check_promise(&state, owner, out);
        }
        let n_before = self.pending.len();
        let turn = Turn { pid: owner, timeout: false, n_steps, movers, delivery: Delivery::Deferred };
        if self.is_outranked(&state, owner) || !self.offer(&state, turn, out) {
            // The expansion of the state that is now stored will report what failed.
            self.pending.truncate(n_before);
            self.model.release(&mut state);
            self.arrive(&state, n_steps, out);
            out.push_movers(movers);
        }
    }

    /// Lets the atomic owner offer its steps, which become pending.
    #[inline]
    fn offer(&mut self, state: &M::State, turn: Turn, out: &mut Successors<M::Packed>) -> bool {
        let mut offering = Offering::new(self, out, turn);
        offering.ask(state);
        let Offering { moved, n_before, .. } = offering;
        self.restore_order(n_before);
        moved
    }

    fn is_outranked(&self, state: &M::State, owner: Pid) -> bool {
        (const { M::FEATURES.priorities }) && priority::is_outranked(self.model, state, owner)
    }

    /// Remembers a state inside a long sequence. Returns false if its continuations are known already.
    fn remember(&mut self, state: &M::State, owner: Pid) -> bool {
        let hidden = match self.model.has_hidden() {
            true => self.hidden.number(self.model.hidden(state)).ok(),
            false => Some(Hidden::default()),
        };
        let packed = self.model.packed(state, &mut self.packed);
        let words = (0..packed.n_words()).map(|index| packed.word(index));
        let is_new = self.atomic_states.insert(words, packed.hash(), hidden, owner);
        if is_new && !self.met_cycle {
            self.pending.push(Pending::Leave);
        }
        if !is_new && !self.met_cycle {
            self.met_cycle = true;
            self.tally.atomic_cycle.get_or_insert(owner);
        }
        is_new
    }
}
