//! The runtime's `Model` for a lowered program.

use pmc_runtime::fault::{Fault, TraceError};
use pmc_runtime::generated::Traced;
use pmc_runtime::model::{Describe, Model, ModelInfo};
use pmc_runtime::reduction::ReductionInfo;
use pmc_runtime::step::{ClaimLocation, ClaimMoves, Nobody, Pid, Steps};
use smallvec::SmallVec;

use super::describe::Description;
use super::independence::Dependence;
use super::layout::{Base, Form};
use super::machine::{Channel, Log, Machine, Offer, compare};
use super::packing::Packing;
use super::program::{ClaimMove, ClaimMoveKind, FieldTest, Process, Program, Sequence, Transition};
use super::state::{Memory, State, set_number, value};

/// A model that is made at run time. It borrows its code and its tables.
pub struct Interpreter<'m, M> {
    pub(super) program: &'m Program,
    pub(super) info: &'m ModelInfo<'m>,
    pub(super) reduction: &'m ReductionInfo<'m>,
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
        self.offer(state, pid, false, &mut Nobody)
    }

    /// The channel that code finds for a process, if it exists.
    pub(super) fn denoted(&self, now: &State<M>, me: Pid, entry: u32) -> Option<Channel> {
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        let mut machine = self.machine(now, State::blank(0), me, false, &can_move);
        (machine.test(entry) == Ok(true)).then(|| machine.channel())
    }

    /// Evaluates a test of a state for a process.
    pub(super) fn test(&self, now: &State<M>, me: Pid, entry: u32) -> Result<bool, Fault> {
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        self.machine(now, State::blank(0), me, false, &can_move).test(entry)
    }

    /// Offers every step of a process, and returns whether there is one.
    fn offer(&self, now: &State<M>, me: Pid, timeout: bool, steps: &mut impl Steps<State<M>>) -> bool {
        let proctype = self.program.proctype(now.words(), me);
        let process = &self.program.processes[proctype];
        let location = &process.locations[self.program.location_in(now.words(), me, proctype)];
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        let wants_text = steps.wants_text();
        let make = || self.machine(now, now.clone(), me, timeout, &can_move).with_text(wants_text);
        // Most transitions are disabled by a comparison: a machine is made for the first one that is not.
        let mut machine = None;
        if let Some(provided) = process.provided {
            match machine.get_or_insert_with(make).run(provided, false) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(fault) => {
                    steps.fault(process.first_transition, fault);
                    return false;
                }
            }
        }
        let is_blocked = |sequence: &Sequence| self.is_blocked(now, me, sequence);
        for group in &location.groups {
            let mut any = false;
            for &number in group {
                let transition = &process.transitions[number];
                if transition.is_else && any {
                    continue;
                }
                if let Some(step) = transition.step.as_ref().filter(|step| !is_blocked(step)) {
                    any |= take(machine.get_or_insert_with(make), now, step, transition, steps);
                }
                if let Some(offer) = transition.offer.as_ref().filter(|offer| !is_blocked(offer)) {
                    any |= self.rendezvous(machine.get_or_insert_with(make), now, me, offer, transition, steps);
                }
            }
            if any {
                return true;
            }
        }
        false
    }

    /// Whether the first comparison of a sequence says that it is blocked.
    #[inline]
    fn is_blocked(&self, now: &State<M>, me: Pid, sequence: &Sequence) -> bool {
        sequence.blocked_if.is_some_and(|FieldTest { comparison, field, right }| {
            let slot = &self.program.layout.slots[me.index()];
            let base = match field.base {
                Base::Own => slot.at,
                Base::OwnBeside => slot.beside,
                Base::State | Base::Found | Base::FoundBeside => 0,
            };
            compare(comparison, value(now.words(), base + field.at as usize, field), right)
        })
    }

    /// Offers a handshake with every process that can receive the message.
    fn rendezvous(
        &self,
        machine: &mut Machine<'_, M>,
        now: &State<M>,
        me: Pid,
        sequence: &Sequence,
        transition: &Transition,
        steps: &mut impl Steps<State<M>>,
    ) -> bool {
        let sent = machine.run(sequence.entry, sequence.is_apart);
        let any = match sent {
            Ok(true) => {
                let message = SmallVec::from_slice(&machine.values);
                let offer = Offer { sender: me, channel: machine.channel(), message, transition: transition.id };
                self.answers(&machine.next, &offer, steps)
            }
            Ok(false) => return false,
            Err(fault) => {
                steps.fault(transition.id, fault);
                false
            }
        };
        machine.next.become_copy(now);
        any
    }

    /// The sender has already moved in `now`.
    fn answers(&self, now: &State<M>, offer: &Offer, steps: &mut impl Steps<State<M>>) -> bool {
        let mut any = false;
        for me in self.program.pids(now.words()).rev().filter(|pid| *pid != offer.sender) {
            let proctype = self.program.proctype(now.words(), me);
            let process = &self.program.processes[proctype];
            if process.can_answer {
                any |= self.answer(now, me, process, proctype, offer, steps);
            }
        }
        any
    }

    fn answer(
        &self,
        now: &State<M>,
        me: Pid,
        process: &Process,
        proctype: usize,
        offer: &Offer,
        steps: &mut impl Steps<State<M>>,
    ) -> bool {
        let location = &process.locations[self.program.location_in(now.words(), me, proctype)];
        if location.answers.is_empty() {
            return false;
        }
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        let mut machine = self.machine(now, now.clone(), me, false, &can_move).with_text(steps.wants_text());
        machine.offer = Some(offer);
        if process.provided.is_some_and(|provided| machine.run(provided, false) != Ok(true)) {
            return false;
        }
        for group in &location.answers {
            let mut any = false;
            for &number in group {
                let transition = &process.transitions[number];
                let Some(sequence) = &transition.answer else { continue };
                machine.log = Log::default();
                let answered = machine.run(sequence.entry, sequence.is_apart);
                tell(&machine, sequence, steps);
                match answered {
                    Ok(true) => {
                        steps.offer_handshake(offer.transition, me, transition.id, &mut machine.next);
                        any = true;
                    }
                    Ok(false) => continue,
                    Err(fault) => steps.fault(machine.log.here.unwrap_or(transition.id), fault),
                }
                machine.next.become_copy(now);
            }
            if any {
                return true;
            }
        }
        false
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
        let inner = |transition: pmc_runtime::step::TransitionId| {
            pmc_runtime::step::ClaimMoveId(u16::try_from(transition.0).unwrap_or(u16::MAX))
        };
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
fn take<M: Memory>(
    machine: &mut Machine<'_, M>,
    now: &State<M>,
    sequence: &Sequence,
    transition: &Transition,
    steps: &mut impl Steps<State<M>>,
) -> bool {
    let mut taken = machine.run(sequence.entry, sequence.is_apart);
    if let (Ok(true), Some(rest)) = (&taken, sequence.rest) {
        taken = machine.run(rest, false);
    }
    let is_enabled = match taken {
        Ok(true) => {
            tell(machine, sequence, steps);
            if let Some(holds) = machine.log.holds.take() {
                steps.assert(transition.id, holds);
            }
            steps.offer(transition.id, &mut machine.next);
            transition.merged.iter().for_each(|merged| steps.reach(*merged));
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
            steps.fault(machine.log.here.unwrap_or(transition.id), fault);
            false
        }
    };
    if sequence.is_d_step || !machine.log.text.is_empty() {
        machine.log = Log::default();
    }
    machine.log.holds = None;
    machine.next.become_copy(now);
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
        let can_move = |state: &State<M>, pid: Pid| self.can_move(state, pid);
        let mut machine = self.machine(now, State::blank(0), Pid(0), timeout, &can_move);
        for group in groups {
            let mut any = false;
            for one in group {
                if !(one.is_else && any) {
                    any |= self.claim_move(&mut machine, now, one, moves);
                }
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
