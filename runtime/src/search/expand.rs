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

use crate::fault::{Fault, TraceError};
use crate::model::Model;
use crate::pack::Packed;
use crate::priority;
use crate::step::{Pid, PidSet, Steps, TransitionId};
use crate::verdict::{Found, ViolationKind};
use std::collections::HashSet;
use std::hash::{Hash, Hasher};

/// What an expansion keeps about the processes that move: nothing, which costs nothing, or the set of them.
pub(crate) trait Movers: Copy {
    const NONE: Self;
    #[must_use]
    fn with(self, pid: Pid) -> Self;
}

impl Movers for () {
    const NONE: () = ();
    #[inline(always)]
    fn with(self, _: Pid) {}
}

impl Movers for PidSet {
    const NONE: PidSet = PidSet::EMPTY;
    #[inline]
    fn with(self, pid: Pid) -> PidSet {
        PidSet::with(self, pid)
    }
}

/// Takes what the expansion of one state finds.
pub(crate) trait Sink<M: Model> {
    type Movers: Movers;
    /// A state without a holder, `n_steps` steps after the expanded one; `movers` took them, both sides of a rendezvous
    /// included.
    fn arrive(&mut self, state: &M::State, n_steps: u32, movers: Self::Movers);
    fn violation(&mut self, found: Found, n_steps: u32);
    /// Whether the search is over: the expansion may end early.
    fn is_over(&mut self) -> bool;
}

/// Steps inside one atomic sequence after which its states are remembered.
const UNWATCHED_STEPS: u32 = 32;

pub(crate) struct Expander<'m, M: Model, V: Movers = ()> {
    model: &'m M,
    todo: Vec<Todo<M::State, V>>,
    /// States inside the running atomic sequence, or, once a cycle was met, inside all of this expansion.
    inside: HashSet<Inside<M>>,
    met_cycle: bool,
    /// What failed when the state was asked without `timeout`, so that it is not told twice.
    faults: Vec<Found>,
    /// For each transition whether it was taken.
    pub reached: Vec<bool>,
    pub atomic_steps: u64,
    /// A step on a cycle inside an atomic sequence, the first that was met.
    pub atomic_cycle: Option<Pid>,
    /// The processes that could move in the state that was expanded last, by steps of their own: one that waits for a
    /// rendezvous to receive is not among them.
    pub enabled: V,
    /// Whether `timeout` was true in that state: nobody could move without it.
    pub timed_out: bool,
}

/// What is left to do, the next thing last.
enum Todo<S, V> {
    Arrive {
        state: S,
        n_steps: u32,
        movers: V,
    },
    Violation {
        found: Found,
        n_steps: u32,
    },
    GoOn {
        state: S,
        holder: Pid,
        n_steps: u32,
        movers: V,
    },
    /// The sequence's states behind this entry are done: it is not on the path any more.
    Leave {
        state: S,
        holder: Pid,
    },
}

impl<'m, M: Model, V: Movers> Expander<'m, M, V> {
    pub fn new(model: &'m M) -> Expander<'m, M, V> {
        Expander {
            model,
            todo: Vec::new(),
            inside: HashSet::new(),
            met_cycle: false,
            faults: Vec::new(),
            reached: vec![false; model.info().transitions.len()],
            atomic_steps: 0,
            atomic_cycle: None,
            enabled: V::NONE,
            timed_out: false,
        }
    }

    /// Hands all arrivals and violations to `sink`. Returns whether anybody could move; a step that fails is no move.
    pub fn expand(&mut self, state: &M::State, sink: &mut impl Sink<M, Movers = V>) -> bool {
        self.faults.clear();
        self.enabled = V::NONE;
        let moved = self.expand_with(state, false, sink);
        self.timed_out = !moved;
        if !moved && M::USES_TIMEOUT { self.expand_with(state, true, sink) } else { moved }
    }

    /// The same with the steps of some processes only, without `timeout`: where that matters all must be taken.
    pub fn expand_chosen(&mut self, state: &M::State, chosen: PidSet, sink: &mut impl Sink<M, Movers = V>) -> bool {
        self.faults.clear();
        self.enabled = V::NONE;
        self.timed_out = false;
        let mut moved = false;
        for index in (0..self.model.n_processes(state)).rev() {
            let pid = Pid::from_index(index);
            if chosen.contains(pid) {
                moved |= self.expand_process(state, pid, false, sink);
            }
        }
        moved
    }

    fn expand_with(&mut self, state: &M::State, timeout: bool, sink: &mut impl Sink<M, Movers = V>) -> bool {
        let n_processes = self.model.n_processes(state);
        if M::USES_PRIORITIES {
            return self.expand_by_priority(state, timeout, sink);
        }
        let mut moved = false;
        for index in (0..n_processes).rev() {
            moved |= self.expand_process(state, Pid::from_index(index), timeout, sink);
        }
        moved
    }

    /// Only processes with the highest priority among those that can move do move.
    fn expand_by_priority(&mut self, state: &M::State, timeout: bool, sink: &mut impl Sink<M, Movers = V>) -> bool {
        for group in priority::groups(self.model, state) {
            let mut moved = false;
            for pid in group {
                moved |= self.expand_process(state, pid, timeout, sink);
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
        sink: &mut impl Sink<M, Movers = V>,
    ) -> bool {
        let moved = self.offer(state, Turn { pid, timeout, n_steps: 0, movers: V::NONE, wait: false }, sink);
        if moved {
            self.enabled = self.enabled.with(pid);
        }
        if !self.todo.is_empty() {
            self.follow(sink);
        }
        moved
    }

    /// Lets one process offer its steps; those that cannot be handed on at once, or not yet, become `todo`.
    #[inline]
    fn offer(&mut self, state: &M::State, turn: Turn<V>, sink: &mut impl Sink<M, Movers = V>) -> bool {
        let n_before = self.todo.len();
        let Turn { pid, timeout, n_steps, movers, wait } = turn;
        let mut offering = Offering {
            model: self.model,
            sink,
            todo: &mut self.todo,
            reached: &mut self.reached,
            faults: &mut self.faults,
            n_before,
            n_steps,
            movers: movers.with(pid),
            wait,
            timeout,
            moved: false,
        };
        self.model.offer_steps(state, pid, timeout, &mut offering);
        let moved = offering.moved;
        if self.todo.len() > n_before + 1 {
            self.todo[n_before..].reverse();
        }
        moved
    }

    /// Follows the atomic sequences that were begun.
    #[cold]
    fn follow(&mut self, sink: &mut impl Sink<M, Movers = V>) {
        while let Some(todo) = self.todo.pop() {
            match todo {
                Todo::Arrive { state, n_steps, movers } => sink.arrive(&state, n_steps, movers),
                Todo::Violation { found, n_steps } => sink.violation(found, n_steps),
                Todo::GoOn { state, holder, n_steps, movers } => self.go_on(state, holder, n_steps, movers, sink),
                Todo::Leave { state, holder } => {
                    if !self.met_cycle {
                        self.inside.remove(&Inside::new(self.model, &state, holder));
                    }
                }
            }
            if sink.is_over() {
                self.todo.clear();
            }
        }
        self.inside.clear();
        self.met_cycle = false;
    }

    fn go_on(
        &mut self,
        mut state: M::State,
        holder: Pid,
        n_steps: u32,
        movers: V,
        sink: &mut impl Sink<M, Movers = V>,
    ) {
        self.atomic_steps += 1;
        if (n_steps > UNWATCHED_STEPS || self.met_cycle) && !self.watch(&state, holder) {
            return;
        }
        let n_before = self.todo.len();
        let turn = Turn { pid: holder, timeout: false, n_steps, movers, wait: true };
        if priority::is_outranked(self.model, &state, holder) || !self.offer(&state, turn, sink) {
            // What failed will be told when the state that is now stored is expanded.
            self.todo.truncate(n_before);
            self.model.release(&mut state);
            sink.arrive(&state, n_steps, movers);
        }
    }

    /// Remembers a state inside a long sequence. Returns false if there is no point in going on from it.
    fn watch(&mut self, state: &M::State, holder: Pid) -> bool {
        let is_new = self.inside.insert(Inside::new(self.model, state, holder));
        if is_new && !self.met_cycle {
            self.todo.push(Todo::Leave { state: state.clone(), holder });
        }
        if !is_new && !self.met_cycle {
            self.met_cycle = true;
            self.atomic_cycle.get_or_insert(holder);
        }
        is_new
    }
}

/// A process that is asked for its steps.
struct Turn<V> {
    pid: Pid,
    timeout: bool,
    /// How many steps were taken since the stored state, and by whom.
    n_steps: u32,
    movers: V,
    /// Nothing is handed on at once.
    wait: bool,
}

/// The [`Steps`] of the searches.
struct Offering<'a, M: Model, K: Sink<M>> {
    model: &'a M,
    sink: &'a mut K,
    todo: &'a mut Vec<Todo<M::State, K::Movers>>,
    reached: &'a mut [bool],
    faults: &'a mut Vec<Found>,
    n_before: usize,
    n_steps: u32,
    /// With the process whose turn it is.
    movers: K::Movers,
    wait: bool,
    timeout: bool,
    moved: bool,
}

impl<M: Model, K: Sink<M>> Offering<'_, M, K> {
    /// What comes after an atomic sequence that is still to be followed has to wait for it.
    #[inline]
    fn must_wait(&self) -> bool {
        self.wait || self.todo.len() > self.n_before
    }

    #[inline]
    fn arrive(&mut self, state: M::State, n_steps: u32, movers: K::Movers) {
        self.moved = true;
        match self.model.holder(&state) {
            Some(holder) => self.todo.push(Todo::GoOn { state, holder, n_steps, movers }),
            None if self.must_wait() => self.todo.push(Todo::Arrive { state, n_steps, movers }),
            None => self.sink.arrive(&state, n_steps, movers),
        }
    }

    #[cold]
    fn violation(&mut self, kind: ViolationKind, transition: TransitionId) {
        let found = Found::at(kind, transition);
        let n_steps = self.n_steps + 1;
        if self.must_wait() {
            self.todo.push(Todo::Violation { found, n_steps });
        } else {
            self.sink.violation(found, n_steps);
        }
    }
}

impl<M: Model, K: Sink<M>> Steps<M::State> for Offering<'_, M, K> {
    #[inline]
    fn offer(&mut self, transition: TransitionId, next: M::State) {
        self.reach(transition);
        self.arrive(next, self.n_steps + 1, self.movers);
    }

    #[inline]
    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: M::State) {
        self.reach(send);
        self.reach(receive);
        self.arrive(next, self.n_steps + 2, self.movers.with(receiver));
    }

    #[inline]
    fn assert(&mut self, transition: TransitionId, holds: bool) {
        if !holds {
            self.violation(ViolationKind::Assertion, transition);
        }
    }

    fn trace(&mut self, transition: TransitionId, error: TraceError) {
        self.violation(ViolationKind::Trace(error), transition);
    }

    /// The step is not taken: a process that can only go wrong is stuck.
    fn fault(&mut self, transition: TransitionId, fault: Fault) {
        self.reach(transition);
        let found = Found::at(ViolationKind::Fault(fault), transition);
        if !self.timeout {
            self.faults.push(found);
        } else if self.faults.contains(&found) {
            return;
        }
        self.violation(ViolationKind::Fault(fault), transition);
    }

    #[inline]
    fn reach(&mut self, transition: TransitionId) {
        if let Some(reached) = self.reached.get_mut(transition.index()) {
            *reached = true;
        }
    }
}

/// A state inside an atomic sequence, as the key of a set.
pub(crate) struct Inside<M: Model> {
    packed: M::Packed,
    hidden: M::Hidden,
    holder: Pid,
}

impl<M: Model> Inside<M> {
    pub fn new(model: &M, state: &M::State, holder: Pid) -> Inside<M> {
        let mut packed = M::Packed::default();
        model.pack(state, &mut packed);
        Inside { packed, hidden: model.hidden(state), holder }
    }
}

impl<M: Model> PartialEq for Inside<M> {
    fn eq(&self, other: &Inside<M>) -> bool {
        self.holder == other.holder && self.packed == other.packed && self.hidden == other.hidden
    }
}

impl<M: Model> Eq for Inside<M> {}

impl<M: Model> Hash for Inside<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.packed.hash());
    }
}
