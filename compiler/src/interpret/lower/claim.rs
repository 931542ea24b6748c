//! Claims, the trace assertion, and promises of exclusive use.

use pmc_runtime::step::{After, ClaimLocation, ClaimMoveId};

use super::super::code::{Op, Target};
use super::super::program::{Claim, ClaimMove, ClaimMoveKind, Promises, Sequence, Trace, TraceEvent, TraceLocation};
use super::expr::RESULT;
use super::transition::Graph;
use super::{Label, Lowering, small};
use crate::collections::{Id, IdVec};
use crate::exec::{self, Body, ChannelSide, Event, Guard, Operation, Step, Test};
use crate::ir::formula::{self, QuestionId};
use crate::ir::{LocationId, TransitionId};
use crate::model::Side;

impl Lowering<'_> {
    /// The never claims, and behind them the formulas.
    pub fn claims(&mut self) -> Vec<Claim> {
        let never: Vec<Claim> = (0..self.exec.claims.len()).map(|number| self.never(number)).collect();
        let formulas: Vec<Claim> = (0..self.exec.formulas.len()).map(|number| self.formula(number)).collect();
        never.into_iter().chain(formulas).collect()
    }

    /// A claim's locations are numbered with the initial one first.
    fn never(&mut self, number: usize) -> Claim {
        let (graph, executed) = (&self.program.claims[number], &self.exec.claims[number]);
        let place = Graph { process: None, graph, first: 0 };
        let others = graph.locations.ids().filter(|id| *id != graph.start);
        let order: Vec<LocationId> = std::iter::once(graph.start).chain(others).collect();
        let number_of =
            |at: LocationId| order.iter().position(|other| *other == at).expect("every location has a number");
        let mut moves: IdVec<TransitionId, Option<ClaimMove>> = IdVec::new();
        for (id, transition) in executed.transitions.iter_enumerated() {
            let by = place.number(id);
            let to = graph.transitions[id].to.map_or(0, number_of);
            let after = if graph.transitions[id].keeps_control { After::Claim } else { After::System };
            let made = transition.step.as_ref().and_then(|step| self.never_move(place, by, step));
            moves.push(made.map(|(sequence, kind)| ClaimMove {
                by: ClaimMoveId(small(by as usize)),
                to: ClaimLocation(small(to)),
                after,
                is_else: transition.is_else,
                sequence,
                kind,
            }));
        }
        let group = |group: &Vec<TransitionId>| group.iter().filter_map(|id| moves[*id]).collect::<Vec<_>>();
        let location = |id: &LocationId| executed.locations[*id].groups.iter().map(group).collect();
        Claim { locations: order.iter().map(location).collect() }
    }

    /// Nothing for the closing brace, which a claim does not leave.
    fn never_move(&mut self, place: Graph<'_>, by: u32, step: &Step) -> Option<(Sequence, ClaimMoveKind)> {
        let kind = match &step.body {
            Body::DStep(_) => ClaimMoveKind::Change,
            Body::Statement(statement) => match (&statement.guard, &statement.operations[..]) {
                (Guard::Test(Test::IsYoungest), _) => return None,
                (Guard::Test(_), []) | (Guard::Always, [] | [Operation::Print(_)]) => ClaimMoveKind::Test,
                (Guard::Always, [Operation::Assert(_)]) => ClaimMoveKind::Assertion,
                _ => ClaimMoveKind::Change,
            },
        };
        Some((self.step(place, by, step), kind))
    }

    fn formula(&mut self, number: usize) -> Claim {
        let automaton = &self.program.formulas[number];
        let (yes, no) = (self.label(), self.label());
        let questions: IdVec<QuestionId, Label> = automaton.questions.iter().map(|_| self.label()).collect();
        let to = |guard: formula::Guard| match guard {
            formula::Guard::Always => yes,
            formula::Guard::Never => no,
            formula::Guard::Ask(id) => questions[id],
        };
        for (id, question) in automaton.questions.iter_enumerated() {
            self.place(questions[id]);
            self.jump_unless(&self.exec.formulas[number][question.atom], RESULT, to(question.no));
            self.jump(to(question.yes));
        }
        self.place(yes);
        self.emit(Op::Done);
        self.place(no);
        self.emit(Op::Blocked);
        let mut by = 0;
        let mut locations = Vec::new();
        for location in &automaton.locations {
            let mut moves = Vec::new();
            for edge in &location.edges {
                let entry = self.here();
                self.jump(to(edge.guard));
                moves.push(ClaimMove {
                    by: ClaimMoveId(by),
                    to: ClaimLocation(small(edge.to.index())),
                    after: After::System,
                    is_else: false,
                    sequence: Sequence::new(entry),
                    kind: ClaimMoveKind::Test,
                });
                by += 1;
            }
            locations.push(vec![moves]);
        }
        Claim { locations }
    }

    pub fn trace(&mut self) -> Option<Trace> {
        let (model, graph) = (self.program.model.trace.as_ref()?, self.program.trace.as_ref()?);
        let events = &self.exec.trace.as_ref()?.events;
        let named = events.iter().flatten().map(|event| (event.side, self.named(&event.channel)));
        let named = named.collect();
        let entries: IdVec<TransitionId, Option<(Side, Target)>> =
            events.iter().map(|event| event.as_ref().map(|event| (event.side, self.event(event)))).collect();
        // A `notrace` that has given up is behind the closing brace, even if no transition leads there.
        let end = graph.closing_brace().map_or(graph.locations.len(), Id::index);
        let location = |location: &crate::ir::Location| {
            let event = |id: &TransitionId| {
                let (side, entry) = entries[*id]?;
                Some(TraceEvent { side, entry, to: graph.transitions[*id].to?.index() })
            };
            TraceLocation { events: location.leaving.iter().filter_map(event).collect(), may_end: location.is_end }
        };
        let mut locations: Vec<TraceLocation> = graph.locations.iter().map(location).collect();
        if end == locations.len() {
            locations.push(TraceLocation::default());
        }
        Some(Trace { is_negated: model.negated, locations, start: graph.start.index(), named, end })
    }

    /// Whether a message is to or from a channel.
    fn named(&mut self, channel: &exec::Channel) -> Target {
        let (entry, no) = (self.here(), self.label());
        self.channel_or(channel, RESULT, no);
        self.emit(Op::JumpUnlessOffered { target: Self::target(no) });
        self.emit(Op::Done);
        self.place(no);
        self.emit(Op::Blocked);
        entry
    }

    /// Whether a message matches an event. A value that cannot be computed equals no sent value.
    fn event(&mut self, event: &Event) -> Target {
        let (entry, no) = (self.here(), self.label());
        let target = Self::target(no);
        self.channel_or(&event.channel, RESULT, no);
        self.emit(Op::JumpUnlessOffered { target });
        let pattern = self.pattern(&event.pattern, RESULT);
        self.emit(Op::MatchOffered { pattern, target });
        self.emit(Op::Done);
        self.place(no);
        self.emit(Op::Blocked);
        entry
    }

    pub fn promises(&mut self) -> Option<Promises> {
        let promises = self.exec.promises.as_ref()?;
        let side = |lowering: &mut Self, it: &ChannelSide| (it.side, lowering.denoted(&it.channel));
        let declared = promises.declared.iter().map(|list| list.iter().map(|it| side(self, it)).collect()).collect();
        let uses = promises.uses.iter().map(|of| {
            let of = of.iter().map(|list| list.iter().map(|it| side(self, it)).collect());
            of.collect()
        });
        Some(Promises { declared, uses: uses.collect() })
    }

    /// Makes a channel the current one.
    fn denoted(&mut self, channel: &exec::Channel) -> Target {
        let (entry, no) = (self.here(), self.label());
        self.channel_or(channel, RESULT, no);
        self.emit(Op::Done);
        self.place(no);
        self.emit(Op::Blocked);
        entry
    }
}
