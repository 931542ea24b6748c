//! The runtime's `Model` for a lowered program.

use pmc_runtime::fault::{Fault, TraceError};
use pmc_runtime::generated::Traced;
use pmc_runtime::model::{Describe, Model, ModelInfo, Tick};
use pmc_runtime::reduction::ReductionInfo;
use pmc_runtime::step::{ClaimLocation, ClaimMoves, NoSteps, Pid, Steps, TransitionId};
use pmc_runtime::symmetry::SymmetryInfo;
use smallvec::SmallVec;

use super::describe::Description;
use super::independence::Dependence;
use super::layout::Form;
use super::machine::{Channel, Log, Machine, Offer};
use super::packing::Packing;
use super::peek::Peek;
use super::program::{Behaviour, Choice, ClaimMove, ClaimMoveKind, Program, Sequence, Way};
use super::state::{Memory, State, set_number};

/// A model that is made at run time. It borrows its code and its tables.
pub struct Interpreter<'m, M> {
    pub(super) program: &'m Program,
    pub(super) info: &'m ModelInfo<'m>,
    pub(super) reduction: &'m ReductionInfo<'m>,
    pub(super) symmetry: Option<&'m SymmetryInfo<'m>>,
    pub(super) dependence: Option<&'m Dependence>,
    pub(super) description: &'m Description,
    pub(super) memory: std::marker::PhantomData<fn() -> M>,
}

impl<'m, M: Packing> Interpreter<'m, M> {
    fn machine<'s>(
        &'s self,
        now: &'s State<M>,
        next: State<M>,
        me: Pid,
        timeout: bool,
        can_move: &'s dyn Fn(&State<M>, Pid) -> bool,
    ) -> Machine<'s, M> {
        Machine::new(self.program, now, next, me, timeout, can_move)
    }

    /// Whether a process is enabled.
    fn can_move(&self, state: &State<M>, pid: Pid) -> bool {
        self.offer(state, pid, false, &mut NoSteps)
    }

    /// The channel that code finds for a process, if it exists.
    pub(super) fn denoted(&self, now: &State<M>, me: Pid, entry: u32) -> Option<Channel> {
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        let mut machine = self.machine(now, State::blank(0), me, false, &can_move);
        (machine.test(entry) == Ok(true)).then(|| machine.channel())
    }

    /// Evaluates a test of a state for a process.
    pub(super) fn test(&self, now: &State<M>, me: Pid, test: &Sequence) -> Result<bool, Fault> {
        if self.program.is_blocked(now.words(), &self.program.bases(me), test) {
            return Ok(false);
        }
        if test.is_decided {
            return Ok(true);
        }
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        self.machine(now, State::blank(0), me, false, &can_move).test(test.entry)
    }

    /// Offers every step of a process, and returns whether there is one.
    fn offer(&self, now: &State<M>, me: Pid, timeout: bool, steps: &mut impl Steps<State<M>>) -> bool {
        let program = self.program;
        let words = now.words();
        let (behaviour, location) = program.behaviour(words, me);
        let bases = program.bases(me);
        let peek = Peek { program, words, bases: &bases, me };
        let is_open = |choice: &Choice| !peek.is_blocked(&choice.sequence);
        let exits = &behaviour.exits[location];
        let candidates = exits.decision.candidates(words, &bases);
        // A machine is made for the first choice that is not blocked, or for a condition that can be a fault.
        let first = match behaviour.provided {
            None => candidates.iter().position(|candidate| is_open(&exits.choices[*candidate as usize])),
            Some(_) => Some(0),
        };
        let Some(first) = first else { return false };
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        let mut machine = self.machine(now, now.clone(), me, timeout, &can_move).with_text(steps.wants_text());
        if let Some(provided) = behaviour.provided {
            match machine.run(provided, false) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(fault) => {
                    steps.fault(behaviour.first_transition, fault);
                    return false;
                }
            }
        }
        let (mut any, mut group) = (false, 0);
        for (number, candidate) in candidates[first..].iter().enumerate() {
            let choice = &exits.choices[*candidate as usize];
            if choice.group != group {
                if any {
                    return true;
                }
                group = choice.group;
            }
            let is_known_open = number == 0 && behaviour.provided.is_none();
            if choice.is_else && any || !is_known_open && !is_open(choice) {
                continue;
            }
            any |= match choice.way {
                Way::Step => take(&mut machine, choice, steps),
                Way::Offer => self.rendezvous(&mut machine, me, choice, steps),
                Way::Answer { .. } => unreachable!("answers are a list of their own"),
            };
        }
        any
    }

    /// Offers a handshake with every process that can receive the message.
    fn rendezvous(
        &self,
        machine: &mut Machine<'_, M>,
        me: Pid,
        choice: &Choice,
        steps: &mut impl Steps<State<M>>,
    ) -> bool {
        machine.begin();
        let any = match machine.run(choice.sequence.entry, choice.sequence.is_apart) {
            Ok(true) => {
                let message = SmallVec::from_slice(&machine.values);
                let offer = Offer { sender: me, channel: machine.channel(), message, transition: choice.transition };
                self.answers(&machine.next, &offer, steps)
            }
            Ok(false) => return false,
            Err(fault) => {
                steps.fault(choice.transition, fault);
                false
            }
        };
        machine.end();
        any
    }

    /// The sender has already moved in `now`.
    fn answers(&self, now: &State<M>, offer: &Offer, steps: &mut impl Steps<State<M>>) -> bool {
        let mut any = false;
        for me in self.program.pids(now.words()).rev().filter(|pid| *pid != offer.sender) {
            let (behaviour, location) = self.program.behaviour(now.words(), me);
            // An answer on another channel is none.
            let on_channel = |choice: &Choice| match choice.way {
                Way::Answer { site } => site.is_none_or(|site| site == offer.channel.part.site),
                Way::Step | Way::Offer => false,
            };
            if behaviour.exits[location].answers.iter().any(on_channel) {
                any |= self.answer(now, me, behaviour, &behaviour.exits[location].answers, offer, steps);
            }
        }
        any
    }

    fn answer(
        &self,
        now: &State<M>,
        me: Pid,
        behaviour: &Behaviour,
        answers: &[Choice],
        offer: &Offer,
        steps: &mut impl Steps<State<M>>,
    ) -> bool {
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        let mut machine = self.machine(now, now.clone(), me, false, &can_move).with_text(steps.wants_text());
        machine.offer = Some(offer);
        if behaviour.provided.is_some_and(|provided| machine.run(provided, false) != Ok(true)) {
            return false;
        }
        let (mut any, mut group) = (false, 0);
        for choice in answers {
            if choice.group != group {
                if any {
                    return true;
                }
                group = choice.group;
            }
            machine.begin();
            machine.log = Log::default();
            let answered = machine.run(choice.sequence.entry, choice.sequence.is_apart);
            tell(&machine, &choice.sequence, steps);
            match answered {
                Ok(true) => {
                    steps.offer_handshake(offer.transition, me, choice.transition, &mut machine.next);
                    any = true;
                }
                Ok(false) => continue,
                Err(fault) => steps.fault(machine.log.here.unwrap_or(choice.transition), fault),
            }
            machine.end();
        }
        any
    }

    fn claim_move(
        &self,
        machine: &mut Machine<'_, M>,
        now: &State<M>,
        one: &ClaimMove,
        moves: &mut impl ClaimMoves<State<M>>,
    ) -> bool {
        let ClaimMove { by, to, after, sequence, kind, .. } = *one;
        machine.log = Log::default();
        let made = match kind {
            ClaimMoveKind::Test | ClaimMoveKind::Assertion => machine.run(sequence.entry, true),
            ClaimMoveKind::Change => {
                machine.next = now.clone();
                machine.run(sequence.entry, sequence.is_apart)
            }
        };
        let inner =
            |transition: TransitionId| pmc_runtime::step::ClaimMoveId(u16::try_from(transition.0).unwrap_or(u16::MAX));
        for &transition in &machine.log.violated {
            moves.assert(inner(transition), false);
        }
        match made {
            Ok(true) => {
                if let Some(holds) = machine.log.holds {
                    moves.assert(by, holds);
                }
                match kind {
                    ClaimMoveKind::Test | ClaimMoveKind::Assertion => moves.go(by, to, after),
                    ClaimMoveKind::Change => moves.go_changing(by, to, after, machine.next.clone()),
                }
                true
            }
            Ok(false) => false,
            Err(fault) => {
                moves.fault(machine.log.here.map_or(by, inner), fault);
                false
            }
        }
    }
}

/// Offers a step of one process, and returns whether it is enabled.
fn take<M: Memory>(machine: &mut Machine<'_, M>, choice: &Choice, steps: &mut impl Steps<State<M>>) -> bool {
    let sequence = &choice.sequence;
    machine.begin();
    let mut taken = machine.run(sequence.entry, sequence.is_apart);
    if let (Ok(true), Some(rest)) = (&taken, sequence.rest) {
        taken = machine.run(rest, false);
    }
    let is_enabled = match taken {
        Ok(true) => {
            tell(machine, sequence, steps);
            if let Some(holds) = machine.log.holds.take() {
                steps.assert(choice.transition, holds);
            }
            steps.offer(choice.transition, &mut machine.next);
            choice.merged.clone().for_each(|merged| steps.reach(TransitionId(merged)));
            true
        }
        Ok(false) if !sequence.is_tentative => {
            machine.log.here = None;
            return false;
        }
        Ok(false) => {
            tell(machine, sequence, steps);
            false
        }
        Err(fault) => {
            tell(machine, sequence, steps);
            steps.fault(machine.log.here.unwrap_or(choice.transition), fault);
            false
        }
    };
    if sequence.is_d_step || !machine.log.text.is_empty() {
        machine.log = Log::default();
    }
    machine.log.holds = None;
    machine.end();
    is_enabled
}

/// Reports what happened during a step, before the step itself.
fn tell<M: Memory>(machine: &Machine<'_, M>, sequence: &Sequence, steps: &mut impl Steps<State<M>>) {
    let log = &machine.log;
    if sequence.is_d_step {
        log.reached.iter().for_each(|transition| steps.reach(*transition));
        log.violated.iter().for_each(|transition| steps.assert(*transition, false));
    }
    if !log.text.is_empty() {
        steps.print(format_args!("{}", log.text));
    }
}

impl<M: Packing> Model for Interpreter<'_, M> {
    type State = State<M>;
    type Packed = M::Packed;
    type Hidden = SmallVec<[u64; 2]>;

    fn info(&self) -> &ModelInfo<'_> {
        self.info
    }

    fn uses_timeout(&self) -> bool {
        self.program.uses_timeout
    }

    fn symmetry(&self) -> Option<&SymmetryInfo<'_>> {
        self.symmetry
    }

    fn uses_priorities(&self) -> bool {
        self.program.has_priorities
    }

    fn has_hidden(&self) -> bool {
        self.program.has_hidden
    }

    fn initial(&self) -> Result<State<M>, Fault> {
        let program = self.program;
        let blank = State::blank(program.layout.n_words(0));
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        let mut machine = self.machine(&blank, blank.clone(), Pid(0), false, &can_move);
        machine.run(program.initial, false)?;
        if let (Some(trace), Some(bits)) = (&program.trace, program.layout.trace)
            && bits.bits > 0
        {
            set_number(machine.next.words_mut(), 0, bits, trace.start);
        }
        for &(proctype, priority) in &program.first_processes {
            machine.values = SmallVec::from_elem(0, program.processes[proctype].parameters.len());
            machine.start(proctype, priority)?;
        }
        Ok(machine.next)
    }

    fn n_processes(&self, state: &State<M>) -> usize {
        self.program.n_processes(state.words())
    }

    fn offer_steps(&self, now: &State<M>, me: Pid, timeout: bool, steps: &mut impl Steps<State<M>>) {
        match &self.program.trace {
            None => self.offer(now, me, timeout, steps),
            Some(trace) => {
                let error = if trace.is_negated { TraceError::Matched } else { TraceError::NoMatch };
                self.offer(now, me, timeout, &mut Traced::new(steps, error))
            }
        };
    }

    fn tick(&self, now: &State<M>, which: u32) -> Option<Tick<State<M>>> {
        self.program.tick(now, which)
    }

    fn abstracts_time(&self) -> bool {
        self.program.timers.are_abstract
    }

    fn change_timers(&self, state: &mut State<M>, change: &mut dyn FnMut(i32) -> i32) {
        self.program.change_timers(state, change);
    }

    fn atomic_owner(&self, state: &State<M>) -> Option<Pid> {
        state.atomic_owner
    }

    fn release(&self, state: &mut State<M>) {
        state.atomic_owner = None;
    }

    fn priority(&self, state: &State<M>, pid: Pid) -> i32 {
        self.program.priority_in_slot(state.words(), pid)
    }

    fn is_valid_end(&self, state: &State<M>, pid: Pid) -> bool {
        self.program.process(state.words(), pid).1.is_end
    }

    fn is_accepting(&self, state: &State<M>, pid: Pid) -> bool {
        self.program.process(state.words(), pid).1.is_accepting
    }

    fn is_progress(&self, state: &State<M>, pid: Pid) -> bool {
        self.program.process(state.words(), pid).1.is_progress
    }

    fn offer_claim_moves(
        &self,
        claim: usize,
        at: ClaimLocation,
        now: &State<M>,
        timeout: bool,
        moves: &mut impl ClaimMoves<State<M>>,
    ) {
        let Some(groups) = self.program.claims.get(claim).map(|claim| &claim.locations[at.index()]) else { return };
        let bases = self.program.bases(Pid(0));
        let is_open = |one: &ClaimMove| !self.program.is_blocked(now.words(), &bases, &one.sequence);
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        let mut machine = None;
        for group in groups {
            let mut any = false;
            for one in group {
                if one.is_else && any || !is_open(one) {
                    continue;
                }
                if one.sequence.is_decided && one.kind == ClaimMoveKind::Test {
                    moves.go(one.by, one.to, one.after);
                    any = true;
                    continue;
                }
                let machine =
                    machine.get_or_insert_with(|| self.machine(now, State::blank(0), Pid(0), timeout, &can_move));
                any |= self.claim_move(machine, now, one, moves);
            }
            if any {
                return;
            }
        }
    }

    fn trace_may_end(&self, state: &State<M>) -> bool {
        let (Some(trace), Some(bits)) = (&self.program.trace, self.program.layout.trace) else { return true };
        let at = if bits.bits == 0 { 0 } else { super::state::number(state.words(), 0, bits) };
        trace.is_negated || trace.locations[at].may_end
    }

    fn has_messages(&self, state: &State<M>) -> bool {
        self.program.has_messages(state.words())
    }

    fn pack(&self, state: &State<M>, into: &mut M::Packed) {
        state.memory.pack(self.program, into);
    }

    fn packed<'s>(&self, state: &'s State<M>, buffer: &'s mut M::Packed) -> &'s M::Packed {
        state.memory.packed(self.program, buffer)
    }

    fn unpack(&self, from: &M::Packed) -> State<M> {
        State { memory: M::unpack(self.program, from), atomic_owner: None, objections: Default::default() }
    }

    fn hidden(&self, state: &State<M>) -> Self::Hidden {
        match &self.program.layout.form {
            Form::Open(open) => SmallVec::from_slice(&state.words()[open.stored..open.hidden]),
            Form::Fixed { .. } => SmallVec::new(),
        }
    }

    fn set_hidden(&self, state: &mut State<M>, hidden: Self::Hidden) {
        if let Form::Open(open) = &self.program.layout.form
            && hidden.len() == open.hidden - open.stored
        {
            state.words_mut()[open.stored..open.hidden].copy_from_slice(&hidden);
        }
    }

    fn proctype(&self, state: &State<M>, pid: Pid) -> usize {
        self.program.proctype(state.words(), pid)
    }

    fn location(&self, state: &State<M>, pid: Pid) -> usize {
        let proctype = self.program.proctype(state.words(), pid);
        let location = self.program.location_in(state.words(), pid, proctype);
        self.program.processes[proctype].first_location + location
    }

    fn describe(&self, state: &State<M>, to: &mut dyn Describe) {
        self.description.describe(self.program, state.words(), to);
    }
}
