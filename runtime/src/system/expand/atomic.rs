//! Atomic sequences: from a step that enters one to the stored states behind it.
//!
//! A sequence can run in circles and never end. Beyond a certain length the expander looks for circles, in two ways, so that
//! a long sequence costs little. Where a state has several continuations, it remembers the state while it is on the path of the
//! sequence. Where each state has just one, it compares now and then with a landmark, which it moves to the present state after
//! twice as many steps each time (Brent, *An improved Monte Carlo factorization algorithm*, 1980). Every circle either has a
//! state with several continuations or is such a stretch. When a state comes again there is a cycle, and from then on each
//! state inside is expanded only once, which ends because there are finitely many. This loses no run, only repetitions.

use super::offering::{Delivery, Offering, Turn};
use super::pending::{Pending, Taken};
use super::{Expander, Outlet, priority};
use crate::hidden::Hidden;
use crate::pack::Packed;
use crate::reduction::Independence;
use crate::step::Pid;
use crate::system::Successors;

/// Steps inside one atomic sequence after which circles are looked for.
const UNREMEMBERED_STEPS: u32 = 32;
/// Steps inside atomic sequences between two calls of [`Pulse`](crate::system::Pulse).
const STEPS_PER_PULSE: u32 = 4096;

/// A state inside an atomic sequence.
struct Inside<S> {
    state: S,
    owner: Pid,
    taken: Taken,
}

impl<M: Independence> Expander<'_, M> {
    /// Continues the atomic sequences that were begun.
    pub(super) fn continue_sequences(&mut self, outlet: &mut Outlet<'_, M::Packed>) {
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Arrive(slot, taken) => {
                    let state = self.pending.state(slot).clone();
                    self.arrive_behind(&state, taken, outlet.out);
                }
                Pending::Violation(found) => self.violation(found, outlet.out),
                Pending::Continue(slot, owner, taken) => {
                    let state = self.pending.state(slot).clone();
                    self.follow_sequence(Inside { state, owner, taken }, outlet);
                }
                Pending::Leave => {
                    if !self.met_cycle {
                        self.atomic_states.remove_last();
                    }
                }
            }
            if self.is_over(outlet) {
                self.pending.truncate(0);
            }
        }
        self.atomic_states.clear();
        self.met_cycle = false;
    }

    #[inline]
    fn is_over(&mut self, outlet: &mut Outlet<'_, M::Packed>) -> bool {
        self.n_checks = self.n_checks.wrapping_add(1);
        let is_due = self.n_checks.is_multiple_of(STEPS_PER_PULSE) || outlet.out.len() >= outlet.out.high_water;
        outlet.out.is_full() || is_due && outlet.pulse.beat(outlet.out)
    }

    /// Continues from one state to the next, as long as each has a single continuation.
    fn follow_sequence(&mut self, mut inside: Inside<M::State>, outlet: &mut Outlet<'_, M::Packed>) {
        let n_before = self.pending.len();
        let mut has_landmark = false;
        loop {
            self.continue_sequence(&mut inside, outlet.out);
            if self.pending.len() != n_before + 1 {
                return;
            }
            let Some(Pending::Continue(slot, owner, taken)) = self.pending.last() else { return };
            self.pending.pop();
            inside.state.clone_from(self.pending.state(slot));
            (inside.owner, inside.taken) = (owner, taken);
            if self.is_over(outlet) {
                return self.pending.truncate(0);
            }
            if inside.taken.n_steps > UNREMEMBERED_STEPS {
                if !std::mem::replace(&mut has_landmark, true) {
                    self.landmark.clear();
                }
                if self.landmark.is_due() && self.is_at_landmark(&inside) {
                    self.note_cycle(inside.owner);
                }
            }
        }
    }

    /// Delivers a state behind a sequence.
    #[inline]
    fn arrive_behind(&mut self, state: &M::State, taken: Taken, out: &mut Successors<M::Packed>) {
        self.arrive(state, taken.n_steps, out);
        out.push_movers(taken.movers);
    }

    fn continue_sequence(&mut self, inside: &mut Inside<M::State>, out: &mut Successors<M::Packed>) {
        let Inside { ref mut state, owner, taken } = *inside;
        let Taken { n_steps, movers } = taken;
        self.tally.atomic_steps += 1;
        if self.met_cycle && !self.remember(state, owner) {
            return;
        }
        let n_before = self.pending.len();
        let turn = Turn { pid: owner, timeout: false, n_steps, movers, delivery: Delivery::Deferred };
        let moved = !self.is_outranked(state, owner) && self.offer(state, turn, out);
        if self.pending.len() > n_before + 1 && n_steps > UNREMEMBERED_STEPS && !self.met_cycle {
            if !self.remember(state, owner) {
                self.note_cycle(owner);
                self.pending.truncate(n_before);
                return;
            }
            self.pending.insert(n_before, Pending::Leave);
        }
        // What was offered is pending, so that this comes first.
        if self.model.has_promises() && self.wants.promises {
            self.check_promise(state, owner, out);
        }
        if !moved {
            // The expansion of the state that is now stored will report what failed.
            self.pending.truncate(n_before);
            self.model.release(state);
            self.arrive_behind(state, taken, out);
        }
    }

    /// Lets the atomic owner offer its steps, which become pending.
    #[inline]
    fn offer(&mut self, state: &M::State, turn: Turn, out: &mut Successors<M::Packed>) -> bool {
        let mut offering = Offering::new(self, out, turn);
        offering.ask(state);
        let Offering { moved, n_before, .. } = offering;
        self.pending.reverse(n_before);
        moved
    }

    fn is_outranked(&self, state: &M::State, owner: Pid) -> bool {
        (const { M::FEATURES.priorities }) && priority::is_outranked(self.model, state, owner)
    }

    #[cold]
    fn note_cycle(&mut self, owner: Pid) {
        self.met_cycle = true;
        self.tally.atomic_cycle.get_or_insert(owner);
    }

    /// Remembers a state inside a sequence. Returns false if its continuations are known already.
    fn remember(&mut self, state: &M::State, owner: Pid) -> bool {
        let hidden = self.number_of_hidden(state);
        let packed = self.model.packed(state, &mut self.packed);
        let words = (0..packed.n_words()).map(|index| packed.word(index));
        self.atomic_states.insert(words, packed.hash(), hidden, owner)
    }

    fn is_at_landmark(&mut self, inside: &Inside<M::State>) -> bool {
        let hidden = self.number_of_hidden(&inside.state);
        let packed = self.model.packed(&inside.state, &mut self.packed);
        self.landmark.is_at(packed, hidden, inside.owner)
    }

    fn number_of_hidden(&mut self, state: &M::State) -> Option<Hidden> {
        match self.model.has_hidden() {
            true => self.hidden.number(self.model.hidden(state)).ok(),
            false => Some(Hidden::default()),
        }
    }
}
