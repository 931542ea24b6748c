//! All ways from one stored state to the next ones.
//!
//! A step may end inside an atomic sequence, in a state that is not stored. The expander follows such steps with the
//! holder alone, through all its choices, until it arrives at states that are stored. What it finds (arrivals and
//! violations) comes in the order of a depth-first search that tries the highest pid first and options top down, which
//! is Spin's; so a depth-first search built on it meets errors in Spin's order.
//!
//! An atomic sequence can go round in circles and never arrive. From a certain length on the states of the running
//! sequence are remembered; when one of them comes again there is a cycle, and from then on each state inside is
//! expanded once only, which ends since there are finitely many. No run is lost by that, only repetitions.

use super::inside::{Inside, inside};
use super::model_scene::identity;
use super::por::{self, AmpleSet};
use super::{Point, Pulse, Successors, Tally, Wants};
use crate::fault::{Fault, TraceError};
use crate::hidden::{Hidden, Known, Shared};
use crate::memory::OutOfMemory;
use crate::model::Model;
use crate::pack::Packed;
use crate::priority;
use crate::reduction::Split;
use crate::scene::Identity;
use crate::step::{Pid, PidSet, Steps, TransitionId};
use crate::verdict::{Found, ViolationKind};

/// Steps inside one atomic sequence after which its states are remembered.
const UNWATCHED_STEPS: u32 = 32;
/// Steps inside atomic sequences between two looks at the clock.
const BEAT: u32 = 4096;

pub(super) struct Expander<'m, M: Model> {
    pub model: &'m M,
    pub hidden: Known<'m, M::Hidden>,
    wants: Wants,
    packed: M::Packed,
    todo: Vec<Todo<M::State>>,
    /// States inside the running atomic sequence, or, once a cycle was met, inside all of this expansion.
    inside: Box<dyn Inside>,
    met_cycle: bool,
    n_checks: u32,
    /// The parts that were chosen of the process whose turn it is, if not all.
    only: Option<(&'static Split, u64)>,
    /// What failed when the state was asked without `timeout`, so that it is not told twice.
    faults: Vec<Found>,
    pub tally: Tally,
    /// The processes that could move in the state that was expanded last, by steps of their own: one that waits for a
    /// rendezvous to receive is not among them.
    pub enabled: PidSet,
    /// Whether `timeout` was true in that state: nobody could move without it.
    pub timed_out: bool,
}

/// What is left to do, the next thing last. Of an arrival it is known how many steps were taken since the stored state,
/// and by whom, both sides of a rendezvous included.
enum Todo<S> {
    Arrive {
        state: S,
        n_steps: u32,
        movers: PidSet,
    },
    Violation(Found),
    GoOn {
        state: S,
        holder: Pid,
        n_steps: u32,
        movers: PidSet,
    },
    /// The sequence's states behind this entry are done: it is not on the path any more.
    Leave {
        state: S,
        holder: Pid,
    },
}

/// Where an expansion puts what it finds, and whom it asks whether to go on.
struct Outlet<'o, P: Packed> {
    out: &'o mut Successors<P>,
    pulse: &'o mut dyn Pulse<P>,
}

impl<'m, M: Model> Expander<'m, M> {
    pub fn new(model: &'m M, hidden: &'m Shared<M::Hidden>, wants: Wants) -> Expander<'m, M> {
        Expander {
            model,
            hidden: Known::new(hidden),
            wants,
            packed: M::Packed::default(),
            todo: Vec::new(),
            inside: inside(),
            met_cycle: false,
            n_checks: 0,
            only: None,
            faults: Vec::new(),
            tally: Tally::new(model.info().transitions.len()),
            enabled: PidSet::EMPTY,
            timed_out: false,
        }
    }

    pub fn initial(&mut self, into: &mut M::Packed) -> Result<Hidden, Fault> {
        let state = self.model.initial()?;
        self.model.pack(&state, into);
        let hidden = self.hidden.number(self.model.hidden(&state)).map_err(|OutOfMemory| Fault::StateSize)?;
        self.tally.hidden_differed |= self.hidden.differs(into.hash(), hidden);
        Ok(hidden)
    }

    /// A state as it is stored.
    pub fn point(&mut self, state: &M::State) -> Result<Point<M::Packed>, OutOfMemory> {
        let hidden = self.hidden.number(self.model.hidden(state))?;
        let mut packed = M::Packed::default();
        self.model.pack(state, &mut packed);
        Ok(Point { packed, hidden })
    }

    /// A stored state, for computing with.
    #[inline]
    pub fn unpack(&mut self, packed: &M::Packed, hidden: Hidden) -> M::State {
        let mut state = self.model.unpack(packed);
        if size_of::<M::Hidden>() > 0 {
            self.model.set_hidden(&mut state, self.hidden.value(hidden));
        }
        state
    }

    /// Appends all arrivals and violations. Returns whether anybody could move; a step that fails is no move.
    pub fn expand(
        &mut self,
        state: &M::State,
        out: &mut Successors<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> bool {
        let outlet = &mut Outlet { out, pulse };
        self.faults.clear();
        self.enabled = PidSet::EMPTY;
        self.check_promises(state, outlet.out);
        let moved = self.expand_with(state, false, outlet);
        self.timed_out = !moved;
        if !moved && M::USES_TIMEOUT { self.expand_with(state, true, outlet) } else { moved }
    }

    /// The same with the steps of some processes only, without `timeout`: where that matters all must be taken.
    pub fn expand_chosen(
        &mut self,
        state: &M::State,
        chosen: AmpleSet,
        out: &mut Successors<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> bool {
        let outlet = &mut Outlet { out, pulse };
        self.faults.clear();
        self.enabled = PidSet::EMPTY;
        self.timed_out = false;
        self.check_promises(state, outlet.out);
        let mut moved = false;
        for index in (0..self.model.n_processes(state)).rev() {
            let pid = Pid::from_index(index);
            match por::split(self.model.reduction(), pid, || self.model.location(state, pid)) {
                None if chosen.pids.contains(pid) => moved |= self.expand_process(state, pid, false, outlet),
                Some(split) if chosen.parts & split.mask() != 0 => {
                    self.only = Some((split, chosen.parts));
                    moved |= self.expand_process(state, pid, false, outlet);
                    self.only = None;
                }
                _ => {}
            }
        }
        moved
    }

    /// Finds out who else can move in a state of which some processes were chosen. Nothing comes of their steps.
    pub fn look_at_others(&mut self, state: &M::State, chosen: AmpleSet, out: &mut Successors<M::Packed>) {
        for pid in (0..self.model.n_processes(state)).map(Pid::from_index) {
            let is_chosen = match por::split(self.model.reduction(), pid, || self.model.location(state, pid)) {
                Some(split) => chosen.parts & split.mask() != 0,
                None => chosen.pids.contains(pid),
            };
            if is_chosen {
                continue;
            }
            let turn = Turn { pid, timeout: false, n_steps: 0, movers: PidSet::EMPTY, wait: true };
            if self.offer(state, turn, out) {
                self.enabled.add(pid);
            }
            self.todo.clear();
        }
    }

    /// Looks at everybody: whoever breaks a promise need not be among those who move.
    #[inline]
    fn check_promises(&mut self, state: &M::State, out: &mut Successors<M::Packed>) {
        if M::HAS_PROMISES && self.wants.promises {
            for index in (0..self.model.n_processes(state)).rev() {
                self.check_promise(state, Pid::from_index(index), out);
            }
        }
    }

    fn check_promise(&mut self, state: &M::State, pid: Pid, out: &mut Successors<M::Packed>) {
        if let Some((transition, fault)) = self.model.breach(state, pid) {
            self.violation(Found::at(ViolationKind::Fault(fault), transition), out);
        }
    }

    fn expand_with(&mut self, state: &M::State, timeout: bool, outlet: &mut Outlet<'_, M::Packed>) -> bool {
        let n_processes = self.model.n_processes(state);
        if M::USES_PRIORITIES {
            return self.expand_by_priority(state, timeout, outlet);
        }
        let mut moved = false;
        let mut offering = Offering::new(self, outlet.out, Turn::first(timeout));
        for pid in (0..n_processes).rev().map(Pid::from_index) {
            offering.turn.pid = pid;
            offering.moved = false;
            offering.ask(state);
            if offering.moved {
                moved = true;
                offering.expander.enabled.add(pid);
            }
            if offering.has_more() {
                offering.follow(outlet.pulse);
            }
        }
        moved
    }

    /// Only processes with the highest priority among those that can move do move.
    fn expand_by_priority(&mut self, state: &M::State, timeout: bool, outlet: &mut Outlet<'_, M::Packed>) -> bool {
        for group in priority::groups(self.model, state) {
            let mut moved = false;
            for pid in group {
                moved |= self.expand_process(state, pid, timeout, outlet);
            }
            if moved {
                return true;
            }
        }
        false
    }

    #[inline]
    fn expand_process(
        &mut self,
        state: &M::State,
        pid: Pid,
        timeout: bool,
        outlet: &mut Outlet<'_, M::Packed>,
    ) -> bool {
        let mut offering = Offering::new(self, outlet.out, Turn { pid, ..Turn::first(timeout) });
        offering.ask(state);
        let moved = offering.moved;
        if moved {
            offering.expander.enabled.add(pid);
        }
        if offering.has_more() {
            offering.follow(outlet.pulse);
        }
        moved
    }

    /// Lets one process offer its steps; those that cannot be handed on at once, or not yet, become `todo`.
    #[inline]
    fn offer(&mut self, state: &M::State, turn: Turn, out: &mut Successors<M::Packed>) -> bool {
        let mut offering = Offering::new(self, out, turn);
        offering.ask(state);
        let Offering { moved, n_before, .. } = offering;
        self.put_first_last(n_before);
        moved
    }

    /// What has become `todo` since there were so many is done in the order in which it came.
    #[inline]
    fn put_first_last(&mut self, n_before: usize) {
        if self.todo.len() > n_before + 1 {
            self.todo[n_before..].reverse();
        }
    }

    /// Follows the atomic sequences that were begun.
    #[cold]
    fn follow(&mut self, outlet: &mut Outlet<'_, M::Packed>) {
        while let Some(todo) = self.todo.pop() {
            match todo {
                Todo::Arrive { state, n_steps, movers } => {
                    self.arrive(&state, n_steps, outlet.out);
                    outlet.out.push_movers(movers);
                }
                Todo::Violation(found) => self.violation(found, outlet.out),
                Todo::GoOn { state, holder, n_steps, movers } => {
                    self.go_on(state, holder, n_steps, movers, outlet.out);
                }
                Todo::Leave { state, holder } => {
                    if !self.met_cycle {
                        let identity = self.identity(&state);
                        self.inside.remove(identity, holder);
                    }
                }
            }
            if self.is_over(outlet) {
                self.todo.clear();
            }
        }
        if outlet.out.len() >= outlet.out.high_water {
            outlet.pulse.beat(outlet.out);
        }
        self.inside.clear();
        self.met_cycle = false;
    }

    fn is_over(&mut self, outlet: &mut Outlet<'_, M::Packed>) -> bool {
        self.n_checks = self.n_checks.wrapping_add(1);
        let is_due = self.n_checks.is_multiple_of(BEAT) || outlet.out.len() >= outlet.out.high_water;
        outlet.out.is_full() || is_due && outlet.pulse.beat(outlet.out)
    }

    fn go_on(
        &mut self,
        mut state: M::State,
        holder: Pid,
        n_steps: u32,
        movers: PidSet,
        out: &mut Successors<M::Packed>,
    ) {
        self.tally.atomic_steps += 1;
        if (n_steps > UNWATCHED_STEPS || self.met_cycle) && !self.watch(&state, holder) {
            return;
        }
        if M::HAS_PROMISES && self.wants.promises {
            self.check_promise(&state, holder, out);
        }
        let n_before = self.todo.len();
        let turn = Turn { pid: holder, timeout: false, n_steps, movers, wait: true };
        if priority::is_outranked(self.model, &state, holder) || !self.offer(&state, turn, out) {
            // What failed will be told when the state that is now stored is expanded.
            self.todo.truncate(n_before);
            self.model.release(&mut state);
            self.arrive(&state, n_steps, out);
            out.push_movers(movers);
        }
    }

    /// Remembers a state inside a long sequence. Returns false if there is no point in going on from it.
    fn watch(&mut self, state: &M::State, holder: Pid) -> bool {
        let identity = self.identity(state);
        let is_new = self.inside.insert(identity, holder);
        if is_new && !self.met_cycle {
            self.todo.push(Todo::Leave { state: state.clone(), holder });
        }
        if !is_new && !self.met_cycle {
            self.met_cycle = true;
            self.tally.atomic_cycle.get_or_insert(holder);
        }
        is_new
    }

    fn identity(&mut self, state: &M::State) -> Identity {
        let hidden = self.hidden.number(self.model.hidden(state));
        self.model.pack(state, &mut self.packed);
        identity(&self.packed, hidden.ok())
    }

    /// Hands on a state without a holder.
    #[inline]
    pub fn arrive(&mut self, state: &M::State, n_steps: u32, out: &mut Successors<M::Packed>) {
        let packed = self.model.packed(state, &mut self.packed);
        let hidden = self.hidden.number(self.model.hidden(state));
        if size_of::<M::Hidden>() > 0
            && let Ok(hidden) = hidden
        {
            self.tally.hidden_differed |= self.hidden.differs(packed.hash(), hidden);
        }
        out.push(packed, n_steps, hidden);
    }

    pub fn violation(&mut self, found: Found, out: &mut Successors<M::Packed>) {
        if self.wants.wants(found.kind) {
            out.push_found(found);
        }
    }
}

/// A process that is asked for its steps.
struct Turn {
    pid: Pid,
    timeout: bool,
    /// How many steps were taken since the stored state, and by whom.
    n_steps: u32,
    movers: PidSet,
    /// Nothing is handed on at once.
    wait: bool,
}

impl Turn {
    /// In a stored state, whoever it is.
    #[inline]
    fn first(timeout: bool) -> Turn {
        Turn { pid: Pid(0), timeout, n_steps: 0, movers: PidSet::EMPTY, wait: false }
    }
}

/// The [`Steps`] of the searches.
struct Offering<'a, 'm, M: Model> {
    expander: &'a mut Expander<'m, M>,
    out: &'a mut Successors<M::Packed>,
    turn: Turn,
    /// Things to do before this turn.
    n_before: usize,
    moved: bool,
}

impl<'a, 'm, M: Model> Offering<'a, 'm, M> {
    #[inline]
    fn new(expander: &'a mut Expander<'m, M>, out: &'a mut Successors<M::Packed>, turn: Turn) -> Offering<'a, 'm, M> {
        let n_before = expander.todo.len();
        Offering { expander, out, turn, n_before, moved: false }
    }

    /// Lets the process offer its steps. All that a model can do is in here: one copy is enough.
    #[inline(never)]
    fn ask(&mut self, state: &M::State) {
        let Turn { pid, timeout, .. } = self.turn;
        self.expander.model.offer_steps(state, pid, timeout, self);
    }

    /// Whether there is something to do before another process has its turn.
    #[inline]
    fn has_more(&self) -> bool {
        !self.expander.todo.is_empty() || self.out.len() >= self.out.high_water
    }

    #[cold]
    fn follow(&mut self, pulse: &mut dyn Pulse<M::Packed>) {
        self.expander.put_first_last(self.n_before);
        self.expander.follow(&mut Outlet { out: self.out, pulse });
    }

    /// What comes after an atomic sequence that is still to be followed has to wait for it.
    #[inline]
    fn must_wait(&self) -> bool {
        self.turn.wait || self.expander.todo.len() > self.n_before
    }

    #[inline]
    fn movers(&self, receiver: Option<Pid>) -> PidSet {
        let movers = self.turn.movers.with(self.turn.pid);
        receiver.map_or(movers, |receiver| movers.with(receiver))
    }

    #[inline]
    fn arrive(&mut self, state: &M::State, n_steps: u32, receiver: Option<Pid>) {
        self.moved = true;
        let n_steps = self.turn.n_steps + n_steps;
        let holder = self.expander.model.holder(state);
        if holder.is_some() || self.must_wait() {
            return self.put_off(state, holder, n_steps, receiver);
        }
        self.expander.arrive(state, n_steps, self.out);
        if self.out.keeps_movers() {
            self.out.push_movers(self.movers(receiver));
        }
    }

    /// There is an atomic sequence to be followed first, from this state on or before it.
    #[inline(never)]
    fn put_off(&mut self, state: &M::State, holder: Option<Pid>, n_steps: u32, receiver: Option<Pid>) {
        let (state, movers) = (state.clone(), self.movers(receiver));
        self.expander.todo.push(match holder {
            Some(holder) => Todo::GoOn { state, holder, n_steps, movers },
            None => Todo::Arrive { state, n_steps, movers },
        });
    }

    /// Whether the transition belongs to a part of the process that was not chosen.
    #[inline]
    fn leaves_out(&self, transition: TransitionId) -> bool {
        self.expander.only.is_some_and(|(split, chosen)| !split.has(chosen, transition))
    }

    #[cold]
    fn violation(&mut self, kind: ViolationKind, transition: TransitionId) {
        let found = Found::at(kind, transition);
        if self.must_wait() {
            self.expander.todo.push(Todo::Violation(found));
        } else {
            self.expander.violation(found, self.out);
        }
    }
}

impl<M: Model> Steps<M::State> for Offering<'_, '_, M> {
    #[inline]
    fn offer(&mut self, transition: TransitionId, next: &mut M::State) {
        if self.leaves_out(transition) {
            return;
        }
        self.reach(transition);
        self.arrive(next, 1, None);
    }

    #[inline]
    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: &mut M::State) {
        if self.leaves_out(send) {
            return;
        }
        self.reach(send);
        self.reach(receive);
        self.arrive(next, 2, Some(receiver));
    }

    #[inline]
    fn assert(&mut self, transition: TransitionId, holds: bool) {
        if !holds && !self.leaves_out(transition) {
            self.violation(ViolationKind::Assertion, transition);
        }
    }

    fn trace(&mut self, transition: TransitionId, error: TraceError) {
        self.violation(ViolationKind::Trace(error), transition);
    }

    /// The step is not taken: a process that can only go wrong is stuck.
    fn fault(&mut self, transition: TransitionId, fault: Fault) {
        if self.leaves_out(transition) {
            return;
        }
        self.reach(transition);
        let found = Found::at(ViolationKind::Fault(fault), transition);
        let faults = &mut self.expander.faults;
        if !self.turn.timeout {
            faults.push(found);
        } else if faults.contains(&found) {
            return;
        }
        self.violation(ViolationKind::Fault(fault), transition);
    }

    #[inline]
    fn reach(&mut self, transition: TransitionId) {
        if let Some(reached) = self.expander.tally.reached.get_mut(transition.index()) {
            *reached = true;
        }
    }
}
