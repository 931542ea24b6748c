//! Expands a stored state: finds all stored successors, and the violations in the steps to them.
//!
//! A step may end inside an atomic sequence, in a state that is not stored. The expander continues such a sequence with
//! its atomic owner alone, through all nondeterministic choices, until it arrives at states that are stored (`atomic`).
//! Arrivals and violations come in the order of a depth-first search that tries the highest pid first and options top
//! down, which is Spin's order; so a depth-first search built on it finds errors in Spin's order.

mod atomic;
mod atomic_states;
mod landmark;
mod offering;
mod pending;

use super::abstract_time;
use super::por::{self, AmpleSet};
use super::{Point, Pulse, Successors, Tally, Wants};
use crate::fault::Fault;
use crate::hidden::{Hidden, Known, Shared};
use crate::limits::MOST_RUNNING_TIMERS;
use crate::memory::OutOfMemory;
use crate::model::Model;
use crate::pack::Packed;
use crate::priority;
use crate::reduction::{Independence, Split};
use crate::step::{Pid, PidSet};
use crate::verdict::{Found, ViolationKind};
use atomic_states::AtomicStates;
use landmark::Landmark;
use offering::{Delivery, Offering, Turn};
use pending::PendingWork;

pub(super) struct Expander<'m, M: Model> {
    pub model: &'m M,
    pub hidden: Known<'m, M::Hidden>,
    wants: Wants,
    packed: M::Packed,
    pending: PendingWork<M::State>,
    /// States with several continuations on the current path inside an atomic sequence or, once a cycle was found, all
    /// states in all sequences of this expansion.
    atomic_states: AtomicStates,
    landmark: Landmark<M::Packed>,
    met_cycle: bool,
    /// Counts steps inside atomic sequences, for [`Pulse`].
    n_checks: u32,
    /// The parts that the ample set has of the current process, if not all.
    only: Option<(&'m Split<'m>, u64)>,
    /// Faults without `timeout`, so that they are not reported twice.
    faults: Vec<Found>,
    pub tally: Tally,
    /// The enabled processes of the state that was expanded last. A process that can only receive in a rendezvous is
    /// not enabled.
    pub enabled: PidSet,
    /// Whether `timeout` was true in that state: no process was enabled without it.
    pub timed_out: bool,
    /// Whether time passed there, since no process was enabled at all.
    pub ticks: bool,
}

/// The output of an expansion, and what may end it early.
struct Outlet<'o, P: Packed> {
    out: &'o mut Successors<P>,
    pulse: &'o mut dyn Pulse<P>,
}

impl<'m, M: Independence> Expander<'m, M> {
    pub fn new(model: &'m M, hidden: &'m Shared<M::Hidden>, wants: Wants) -> Expander<'m, M> {
        Expander {
            model,
            hidden: Known::new(hidden),
            wants,
            packed: M::Packed::default(),
            pending: PendingWork::default(),
            atomic_states: AtomicStates::default(),
            landmark: Landmark::default(),
            met_cycle: false,
            n_checks: 0,
            only: None,
            faults: Vec::new(),
            tally: Tally::new(model.info().transitions.len()),
            enabled: PidSet::EMPTY,
            timed_out: false,
            ticks: false,
        }
    }

    pub fn initial(&mut self, into: &mut M::Packed) -> Result<Hidden, Fault> {
        let mut state = self.model.initial()?;
        if self.model.abstracts_time() {
            abstract_time::forget(self.model, &mut state);
        }
        self.model.pack(&state, into);
        let hidden = self.hidden.number(self.model.hidden(&state)).map_err(|OutOfMemory| Fault::StateSize)?;
        self.tally.hidden_differed |= self.hidden.differs(into.hash(), hidden);
        Ok(hidden)
    }

    /// Packs a state.
    pub fn point(&mut self, state: &M::State) -> Result<Point<M::Packed>, OutOfMemory> {
        let hidden = self.hidden.number(self.model.hidden(state))?;
        let mut packed = M::Packed::default();
        match self.model.abstracts_time() {
            true => self.model.pack(&self.forgetful(state), &mut packed),
            false => self.model.pack(state, &mut packed),
        }
        Ok(Point { packed, hidden })
    }

    /// Unpacks a stored state.
    #[inline]
    pub fn unpack(&mut self, packed: &M::Packed, hidden: Hidden) -> M::State {
        let mut state = self.model.unpack(packed);
        if self.model.has_hidden() {
            self.model.set_hidden(&mut state, self.hidden.value(hidden));
        }
        state
    }

    /// Appends all arrivals and violations. Returns whether a process is enabled, or time passes because none is; a step
    /// that fails does not count.
    pub fn expand(
        &mut self,
        state: &M::State,
        out: &mut Successors<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> bool {
        let outlet = &mut Outlet { out, pulse };
        self.faults.clear();
        self.enabled = PidSet::EMPTY;
        self.ticks = false;
        self.check_promises(state, outlet.out);
        let moved = self.expand_with(state, false, outlet);
        self.timed_out = !moved;
        moved || self.model.uses_timeout() && self.expand_with(state, true, outlet) || self.tick(state, outlet.out)
    }

    /// Where no process can move time passes, if a timer is on. No process makes this step.
    fn tick(&mut self, state: &M::State, out: &mut Successors<M::Packed>) -> bool {
        let is_abstract = self.model.abstracts_time();
        if is_abstract && abstract_time::on(self.model, state).running > MOST_RUNNING_TIMERS {
            // The report says that the search is not complete.
            self.tally.too_many_timers = true;
            self.ticks = true;
            return true;
        }
        let model = self.model;
        let ticks = (0..).map_while(|which| match is_abstract {
            true => abstract_time::tick(model, state, which),
            false => model.tick(state, which),
        });
        for tick in ticks {
            self.arrive(&tick.next, 1, out);
            out.push_movers(PidSet::EMPTY);
            self.ticks = true;
        }
        self.ticks
    }

    /// The same with the steps of an ample set, without `timeout`: where `timeout` matters the state must be fully
    /// expanded.
    pub fn expand_chosen(
        &mut self,
        state: &M::State,
        ample: AmpleSet,
        out: &mut Successors<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> bool {
        let outlet = &mut Outlet { out, pulse };
        self.faults.clear();
        self.enabled = PidSet::EMPTY;
        self.timed_out = false;
        self.ticks = false;
        self.check_promises(state, outlet.out);
        let mut moved = false;
        for index in (0..self.model.n_processes(state)).rev() {
            let pid = Pid::from_index(index);
            match por::split(self.model.reduction(), pid, || self.model.location(state, pid)) {
                None if ample.pids.contains(pid) => moved |= self.expand_process(state, pid, false, outlet),
                Some(split) if ample.parts & split.mask() != 0 => {
                    self.only = Some((split, ample.parts));
                    moved |= self.expand_process(state, pid, false, outlet);
                    self.only = None;
                }
                _ => {}
            }
        }
        moved
    }

    /// Finds the enabled processes outside of an ample set, without taking their steps.
    pub fn look_at_others(&mut self, state: &M::State, ample: AmpleSet, out: &mut Successors<M::Packed>) {
        for pid in (0..self.model.n_processes(state)).map(Pid::from_index) {
            let is_chosen = match por::split(self.model.reduction(), pid, || self.model.location(state, pid)) {
                Some(split) => ample.parts & split.mask() != 0,
                None => ample.pids.contains(pid),
            };
            if is_chosen {
                continue;
            }
            let mut offering =
                Offering::new(self, out, Turn { pid, delivery: Delivery::Omitted, ..Turn::first(false) });
            offering.ask(state);
            if offering.moved {
                self.enabled.add(pid);
            }
        }
    }

    /// Checks the promises of all processes: one that breaks a promise need not be in the ample set.
    #[inline]
    fn check_promises(&mut self, state: &M::State, out: &mut Successors<M::Packed>) {
        if self.model.has_promises() && self.wants.promises {
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
        if const { M::FEATURES.priorities } && self.model.uses_priorities() {
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

    /// Expands the enabled processes with the highest priority.
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

    /// Delivers a state without an atomic owner.
    #[inline]
    pub fn arrive(&mut self, state: &M::State, n_steps: u32, out: &mut Successors<M::Packed>) {
        if self.model.abstracts_time() {
            let state = self.forgetful(state);
            return self.arrive_at(&state, n_steps, out);
        }
        self.arrive_at(state, n_steps, out);
    }

    /// The state that stands for this one where time is abstract.
    #[cold]
    fn forgetful(&self, state: &M::State) -> M::State {
        let mut state = state.clone();
        abstract_time::forget(self.model, &mut state);
        state
    }

    #[inline]
    fn arrive_at(&mut self, state: &M::State, n_steps: u32, out: &mut Successors<M::Packed>) {
        let packed = self.model.packed(state, &mut self.packed);
        if !self.model.has_hidden() {
            return out.push(packed, n_steps, Ok(Hidden::default()));
        }
        let hidden = self.hidden.number(self.model.hidden(state));
        if let Ok(hidden) = hidden {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Words;
    use crate::step::TransitionId;
    use crate::system::NoLimits;
    use crate::toy::Edge::{Atomic, Bad, Plain, Tick, Timeout};
    use crate::toy::{Edge, Graph};

    /// The nodes that node 0 leads to, each with the number of steps; the violations; and the tally.
    fn expand(edges: &[(u32, u32, Edge)]) -> (Vec<(u64, u32)>, Vec<Found>, Tally) {
        expand_until(edges, &mut NoLimits)
    }

    fn expand_until(
        edges: &[(u32, u32, Edge)],
        pulse: &mut dyn Pulse<Words<1>>,
    ) -> (Vec<(u64, u32)>, Vec<Found>, Tally) {
        let (graph, hidden) = (Graph::new(edges, &[]), Shared::new(false));
        let wants = Wants::new(&crate::options::Options::default());
        let mut expander = Expander::new(&graph, &hidden, wants);
        let (mut out, mut buffer) = (Successors::new(), Default::default());
        let state = graph.initial().expect("an initial state");
        expander.expand(&state, &mut out, pulse);
        let node = |position: usize, buffer: &mut _| out.get(position, buffer).word(0);
        let arrivals = (0..out.len()).map(|at| (node(at, &mut buffer), out.arrivals[at].n_steps)).collect();
        (arrivals, out.take_found(), expander.tally)
    }

    #[test]
    fn an_atomic_sequence_ends_where_it_gives_up_control() {
        let (arrivals, _, tally) = expand(&[(0, 1, Atomic), (1, 2, Atomic), (2, 3, Plain), (1, 4, Plain)]);
        assert_eq!(arrivals, [(3, 3), (4, 2)]);
        assert_eq!((tally.atomic_steps, tally.atomic_cycle), (2, None));
    }

    #[test]
    fn a_blocked_owner_loses_control() {
        assert_eq!(expand(&[(0, 1, Atomic)]).0, [(1, 1)]);
    }

    #[test]
    fn arrivals_behind_a_sequence_keep_their_place() {
        assert_eq!(expand(&[(0, 1, Atomic), (0, 5, Plain), (1, 2, Plain)]).0, [(2, 2), (5, 1)]);
    }

    #[test]
    fn a_cycle_inside_a_sequence_is_found_and_left() {
        let (arrivals, _, tally) = expand(&[(0, 1, Atomic), (1, 2, Atomic), (2, 1, Atomic), (2, 3, Plain)]);
        assert_eq!(tally.atomic_cycle, Some(Pid(0)));
        assert!(!arrivals.is_empty() && arrivals.iter().all(|&(node, _)| node == 3), "{arrivals:?}");
    }

    #[test]
    fn a_cycle_without_choices_is_found_and_ends() {
        // Behind a choice, so that the state there is remembered, and a way out of the sequence that comes later.
        let line: Vec<_> = (0..100).map(|node| (node, node + 1, Atomic)).collect();
        let circle =
            [(100, 101, Atomic), (101, 102, Atomic), (102, 101, Atomic), (100, 200, Atomic), (200, 201, Plain)];
        let (arrivals, _, tally) = expand(&[line, circle.to_vec()].concat());
        assert_eq!(tally.atomic_cycle, Some(Pid(0)));
        assert_eq!(arrivals, [(201, 102)]);
    }

    #[test]
    fn ways_that_meet_again_are_no_cycle() {
        let lines = |from: u32, to: u32| (from..to).map(|node| (node, node + 1, Atomic)).collect::<Vec<_>>();
        let choice = [(50, 300, Atomic), (300, 301, Atomic), (301, 53, Atomic), (200, 1_000, Plain)];
        let (arrivals, _, tally) = expand(&[lines(0, 200), choice.to_vec()].concat());
        assert_eq!((tally.atomic_cycle, arrivals), (None, vec![(1_000, 201), (1_000, 201)]));
    }

    /// The search is over.
    struct Over;

    impl Pulse<Words<1>> for Over {
        fn beat(&mut self, _: &mut Successors<Words<1>>) -> bool {
            true
        }
    }

    #[test]
    fn a_long_sequence_without_choices_ends_when_the_search_does() {
        let line: Vec<_> = (0..6_000).map(|node| (node, node + 1, Atomic)).collect();
        let (arrivals, _, tally) = expand_until(&line, &mut Over);
        assert!(arrivals.is_empty() && tally.atomic_steps < 5_000, "{} steps", tally.atomic_steps);
        assert_eq!(expand(&line).0, [(6_000, 6_000)]);
    }

    #[test]
    fn timeout_is_asked_for_when_nothing_else_is_enabled() {
        assert_eq!(expand(&[(0, 1, Timeout)]).0, [(1, 1)]);
        assert_eq!(expand(&[(0, 1, Timeout), (0, 2, Plain)]).0, [(2, 1)]);
    }

    #[test]
    fn time_passes_where_nothing_else_is_enabled() {
        assert_eq!(expand(&[(0, 1, Tick)]).0, [(1, 1)]);
        assert_eq!(expand(&[(0, 1, Tick), (0, 2, Tick)]).0, [(1, 1), (2, 1)], "in every way");
        assert_eq!(expand(&[(0, 1, Tick), (0, 2, Timeout)]).0, [(2, 1)], "`timeout` comes first");
        assert_eq!(expand(&[(0, 1, Tick), (0, 2, Plain)]).0, [(2, 1)]);
        // A blocked owner loses control; the state is stored, and time passes there.
        assert_eq!(expand(&[(0, 1, Atomic), (1, 2, Tick)]).0, [(1, 1)]);
    }

    #[test]
    fn violations_are_reported_with_their_step() {
        let (arrivals, found, _) = expand(&[(0, 1, Bad)]);
        assert_eq!(arrivals, [(1, 1)]);
        assert_eq!(found, [Found::at(ViolationKind::Assertion, TransitionId(1))]);
    }
}
