//! Transitions: as a step, an offer or an answer.

use pmc_runtime::step::TransitionId as RunTransitionId;

use super::super::code::{Op, Target};
use super::super::program::{Choice, Sequence, Way};
use super::expr::RESULT;
use super::{Label, Lowering, count};
use crate::collections::{Id, IdVec};
use crate::exec::effects::{Effects, Executable};
use crate::exec::{self, Accept, AnswerBody, Arrival, Body, Change, DStep, Flow, Operation, Place, Statement, Step};
use crate::ir::{self, TransitionId};
use crate::model::ProctypeId;

/// The transitions of a process or of a claim.
#[derive(Clone, Copy)]
pub struct Graph<'a> {
    pub process: Option<ProctypeId>,
    pub graph: &'a ir::Graph<'a>,
    /// The number of the first transition in reports.
    pub first: u32,
}

impl Graph<'_> {
    /// The number of a transition, or of the closing brace of a claim, which has none.
    pub fn number(&self, id: TransitionId) -> u32 {
        let before = self.graph.transitions.iter().take(id.index());
        self.first + before.map(|transition| self.size(transition)).sum::<u32>()
    }

    /// The numbers of all transitions.
    pub fn numbers(&self) -> IdVec<TransitionId, u32> {
        let mut next = self.first;
        let number = |transition| {
            let number = next;
            next += self.size(transition);
            number
        };
        self.graph.transitions.iter().map(number).collect()
    }

    /// A claim does not leave its closing brace, and has no number for it.
    fn size(&self, transition: &ir::Transition<'_>) -> u32 {
        if self.process.is_none() && transition.action.is_end() { 0 } else { transition.n_statements() }
    }
}

/// The ways to take a transition: alone or as a sender, and as a receiver.
pub struct LoweredTransition {
    pub choices: Vec<Choice>,
    pub answer: Option<Choice>,
}

impl Lowering<'_> {
    /// A test as a sequence of its own.
    pub fn test(&mut self, test: &exec::Test) -> Target {
        let (entry, no) = (self.here(), self.label());
        self.jump_unless(test, RESULT, no);
        self.emit(Op::Done);
        self.place(no);
        self.emit(Op::Blocked);
        entry
    }

    /// The ways to take a transition.
    pub fn transition(
        &mut self,
        place: Graph<'_>,
        (id, number): (TransitionId, u32),
        executed: &exec::Transition,
    ) -> LoweredTransition {
        let whole = &place.graph.transitions[id];
        let end = number + whole.n_statements();
        let n_merged = u32::try_from(whole.merged.len()).unwrap_or(u32::MAX);
        let answer = executed.answer.as_ref().map(|answer| match (&answer.body, &executed.step) {
            (AnswerBody::Receive(accept), _) => (site(accept), self.answer(place, accept, &answer.arrival)),
            (AnswerBody::DStep(accepts), Some(Step { body: Body::DStep(d_step), .. })) => {
                (None, self.d_step_answer(place, number, d_step, accepts, &answer.arrival))
            }
            (AnswerBody::DStep(_), _) => unreachable!("the answer of a d_step"),
        });
        let answer = answer.map(|(site, sequence)| (Way::Answer { site }, sequence));
        let step = executed.step.as_ref().map(|step| (Way::Step, self.step(place, number, step)));
        let offer = executed.offer.as_ref().map(|offer| (Way::Offer, self.offer(place, offer)));
        let choice = |(way, sequence): (Way, Sequence)| Choice {
            transition: RunTransitionId(number),
            way,
            group: 0,
            is_else: executed.is_else,
            sequence,
            merged: end - n_merged..end,
        };
        LoweredTransition { choices: step.into_iter().chain(offer).map(choice).collect(), answer: answer.map(choice) }
    }

    /// The code of a step.
    pub fn step(&mut self, place: Graph<'_>, number: u32, step: &Step) -> Sequence {
        let statement = match &step.body {
            Body::Statement(statement) => statement,
            Body::DStep(d_step) => return self.d_step(place, number, step, d_step),
        };
        let (entry, blocked) = (self.here(), self.label());
        let is_apart = changes_while_reading(statement);
        self.guard(&statement.guard, blocked);
        self.operations(statement, None, blocked);
        let mut rest = None;
        if is_apart && !step.merged.is_empty() {
            self.emit(Op::Done);
            rest = Some(self.here());
        }
        self.merged(&step.merged, blocked);
        self.arrive(place, &step.arrival);
        self.emit(Op::Done);
        self.place(blocked);
        self.emit(Op::Blocked);
        let is_tentative = statement.operations.iter().any(|operation| matches!(operation, Operation::Require(_)));
        Sequence { is_apart, rest, is_tentative, ..Sequence::new(entry) }
    }

    fn merged(&mut self, merged: &[Statement], blocked: Label) {
        for statement in merged {
            self.operations(statement, None, blocked);
        }
    }

    /// The changes of a step beside those of its statements.
    fn arrive(&mut self, place: Graph<'_>, arrival: &Arrival) {
        let Some(process) = place.process else { return };
        for change in &arrival.changes {
            match change {
                Change::Location(to) => {
                    if let Some(bits) = self.layout.location[process] {
                        let field = self.own_bits(bits);
                        self.put(field, i32::try_from(to.index()).expect("fewer than 2^31 locations"));
                    }
                }
                Change::End => self.emit(Op::End),
                Change::Reset(variable) => {
                    let ty = self.program.model.variables[*variable].ty;
                    let (path, indices) = (Vec::new(), Vec::new());
                    let scalar = Place { owner: exec::Owner::Own, variable: *variable, path, indices, ty };
                    if let Some(field) = self.field_of(&scalar) {
                        self.put(field, ty.idle());
                    }
                }
                Change::TakeControl => self.emit(Op::TakeControl),
                Change::ReleaseControl => self.emit(Op::ReleaseControl),
                Change::NoteLast => self.emit(Op::NoteLast),
            }
        }
    }

    /// A send as the first half of a rendezvous: the values of the message are on the list of values at the end.
    fn offer(&mut self, place: Graph<'_>, offer: &exec::Offer) -> Sequence {
        let (entry, blocked) = (self.here(), self.label());
        match &offer.only {
            None => self.channel(&offer.channel, RESULT),
            Some(sites) => {
                // The step of the same statement reports that there is no such channel.
                self.channel_or(&offer.channel, RESULT, blocked);
                let sites = self.site_set(sites.iter().copied());
                self.emit(Op::JumpUnlessKind { sites, target: Self::target(blocked) });
            }
        }
        self.offered(offer);
        self.arrive(place, &offer.arrival);
        self.emit(Op::Done);
        self.place(blocked);
        self.emit(Op::Blocked);
        let effects = offer.effects();
        Sequence { is_apart: effects.writes_state(), ..Sequence::new(entry) }
    }

    /// The message for each kind of rendezvous channel. Any other channel carries other messages.
    fn offered(&mut self, offer: &exec::Offer) {
        let end = self.label();
        let is_numbered = matches!(offer.channel, exec::Channel::Numbered(_));
        for message in &offer.messages {
            let next = self.label();
            if is_numbered {
                let sites = self.site_set(message.sites.iter().copied());
                self.emit(Op::JumpUnlessKind { sites, target: Self::target(next) });
            }
            self.message(&offer.channel, message);
            self.jump(end);
            self.place(next);
        }
        self.emit(Op::Fail(pmc_runtime::fault::Fault::MessageShape));
        self.place(end);
    }

    /// A receive as the second half of a rendezvous.
    fn answer(&mut self, place: Graph<'_>, accept: &Accept, arrival: &Arrival) -> Sequence {
        let (entry, blocked) = (self.here(), self.label());
        self.accept(accept, blocked);
        self.accepted(accept);
        self.arrive(place, arrival);
        self.emit(Op::Done);
        self.place(blocked);
        self.emit(Op::Blocked);
        Sequence::new(entry)
    }

    /// Goes to a label unless the offered message matches.
    fn accept(&mut self, accept: &Accept, blocked: Label) {
        let target = Self::target(blocked);
        self.channel_or(&accept.channel, RESULT, blocked);
        self.emit(Op::JumpUnlessOffered { target });
        for shape in accept.shapes.iter().filter(|shape| !shape.fits) {
            let fits = self.label();
            let sites = self.site_set(shape.sites.iter().copied());
            self.emit(Op::JumpUnlessKind { sites, target: Self::target(fits) });
            self.match_offered(accept.pattern.get(..shape.n_fields).unwrap_or(&accept.pattern), blocked);
            self.emit(Op::Fail(pmc_runtime::fault::Fault::MessageShape));
            self.place(fits);
        }
        self.match_offered(&accept.pattern, blocked);
    }

    fn match_offered(&mut self, pattern: &[exec::Field], blocked: Label) {
        for (number, field) in pattern.iter().enumerate() {
            let exec::Field::Equal(value) = field else { continue };
            self.emit(Op::OfferedField { to: RESULT, field: count(number) });
            self.jump_if_differs(value, RESULT, blocked);
        }
    }

    fn accepted(&mut self, accept: &Accept) {
        if accept.traced.send || accept.traced.receive {
            self.emit(Op::TraceOffered { send: accept.traced.send, receive: accept.traced.receive });
        }
        self.accept_stores(&accept.stores);
    }

    fn d_step(&mut self, place: Graph<'_>, number: u32, step: &Step, d_step: &DStep) -> Sequence {
        let blocks: Vec<Label> = d_step.blocks.iter().map(|_| self.label()).collect();
        let (entry, done, blocked) = (self.here(), self.label(), self.label());
        self.jump(blocks[d_step.start]);
        self.blocks(number, d_step, &blocks, done);
        self.place(done);
        self.merged(&step.merged, blocked);
        self.arrive(place, &step.arrival);
        self.emit(Op::Done);
        self.place(blocked);
        self.emit(Op::DStepBlocked);
        let statements = d_step.blocks.iter().flat_map(|block| &block.rows).flat_map(|row| &row.statements);
        let mut operations = statements.flat_map(|(_, statement)| &statement.operations);
        let is_tentative = operations.any(|operation| matches!(operation, Operation::Require(_)));
        Sequence { is_tentative, is_d_step: true, ..Sequence::new(entry) }
    }

    /// A `d_step` that begins by receiving in a rendezvous.
    fn d_step_answer(
        &mut self,
        place: Graph<'_>,
        number: u32,
        d_step: &DStep,
        accepts: &[(TransitionId, Accept, Flow)],
        arrival: &Arrival,
    ) -> Sequence {
        let blocks: Vec<Label> = d_step.blocks.iter().map(|_| self.label()).collect();
        let (entry, done) = (self.here(), self.label());
        for (first, accept, then) in accepts {
            let next = self.label();
            self.accept(accept, next);
            self.emit(Op::Reach(inner_number(number, *first)));
            self.accepted(accept);
            self.go_on(*then, &blocks, done);
            self.place(next);
        }
        self.emit(Op::Blocked);
        self.blocks(number, d_step, &blocks, done);
        self.place(done);
        self.arrive(place, arrival);
        self.emit(Op::Done);
        Sequence { is_d_step: true, ..Sequence::new(entry) }
    }

    fn go_on(&mut self, flow: Flow, blocks: &[Label], done: Label) {
        match flow {
            Flow::Done => self.jump(done),
            Flow::To(block) => self.jump(blocks[block]),
            Flow::Nowhere => self.emit(Op::DStepBlocked),
        }
    }

    /// The blocks of a `d_step`: of the options the first that can begin is taken.
    fn blocks(&mut self, number: u32, d_step: &DStep, blocks: &[Label], done: Label) {
        for (block, label) in d_step.blocks.iter().zip(blocks) {
            self.place(*label);
            for row in &block.rows {
                let (next, stuck) = (self.label(), self.label());
                for (position, (id, statement)) in row.statements.iter().enumerate() {
                    let blocked = if position == 0 { next } else { stuck };
                    let transition = inner_number(number, *id);
                    if !matches!(statement.guard, exec::Guard::Always) {
                        self.emit(Op::At(transition));
                    }
                    self.guard(&statement.guard, blocked);
                    if matches!(statement.guard, exec::Guard::NoQueue { .. }) {
                        break;
                    }
                    self.emit(Op::Reach(transition));
                    self.operations(statement, Some(transition), blocked);
                }
                self.go_on(row.then, blocks, done);
                self.place(stuck);
                self.emit(Op::Fail(pmc_runtime::fault::Fault::DStepBlocks));
                self.place(next);
            }
            self.emit(Op::DStepBlocked);
        }
    }
}

/// The site of the channel that a message is received from, if it is always the same.
fn site(accept: &Accept) -> Option<u32> {
    match &accept.channel {
        exec::Channel::Declared(declared) => Some(declared.site.0),
        exec::Channel::Numbered(_) => None,
    }
}

/// The number of a statement inside a `d_step`: they follow the whole.
fn inner_number(whole: u32, inner: TransitionId) -> RunTransitionId {
    RunTransitionId(whole + 1 + inner.0)
}

/// Whether an expression of a statement changes the state, so that the others must read it as it was before.
fn changes_while_reading(statement: &Statement) -> bool {
    let mut effects = Effects::default();
    for operation in &statement.operations {
        match operation {
            Operation::Store { value, .. } => value.add_effects(&mut effects),
            Operation::Host { call, .. } => call.add_effects(&mut effects),
            Operation::SetOwnPriority(value) | Operation::Evaluate(value) => value.add_effects(&mut effects),
            Operation::Require(test) | Operation::Assert(test) => test.add_effects(&mut effects),
            Operation::Send { messages, .. } => {
                messages
                    .iter()
                    .filter_map(|message| message.fields.as_ref())
                    .for_each(|it| it.add_effects(&mut effects));
            }
            Operation::Print(_) | Operation::Receive(_) => {}
        }
    }
    effects.writes_state()
}
