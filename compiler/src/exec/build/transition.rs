//! Transitions: as a step, an offer or an answer.

use super::Context;
use crate::collections::IdVec;
use crate::exec::effects::Executable;
use crate::exec::{Accept, Answer, AnswerBody, Arrival, Body, Change, Channel, Offer, Step, Transition};
use crate::ir::{self, Action, Graph, LocationId, TransitionId};
use crate::model::{ChannelRef, Expr, Pattern};

impl Context<'_> {
    pub fn transitions(&self, graph: &Graph<'_>) -> IdVec<TransitionId, Transition> {
        let holds_control = while_in_control(graph);
        let make = |(id, transition): (TransitionId, &ir::Transition<'_>)| {
            let arrive = Arriving { id, transition, holds_control: holds_control[id] };
            self.transition(&arrive)
        };
        graph.transitions.iter_enumerated().map(make).collect()
    }

    fn transition(&self, arriving: &Arriving<'_, '_>) -> Transition {
        let transition = arriving.transition;
        let is_else = matches!(transition.action, Action::Else);
        let step = |body: Body| Step {
            body,
            merged: transition.merged.iter().map(|merged| self.statement(&merged.action, merged.span)).collect(),
            arrival: self.arrival(arriving, false),
        };
        let statement = || step(Body::Statement(self.statement(&transition.action, transition.span)));
        match &transition.action {
            Action::DStep(inner) => {
                let inside = Context { in_d_step: true, ..*self };
                let d_step = inside.d_step(inner);
                let answers = inside.d_step_answers(inner);
                let answer = (!answers.is_empty())
                    .then(|| Answer { body: AnswerBody::DStep(answers), arrival: self.arrival(arriving, true) });
                Transition { is_else, step: Some(step(Body::DStep(d_step))), offer: None, answer }
            }
            Action::Receive { channel, pattern, .. } => {
                let (has_rendezvous, is_only) = self.rendezvous(channel);
                let answer = has_rendezvous.then(|| Answer {
                    body: AnswerBody::Receive(self.accept(channel, pattern)),
                    arrival: self.arrival(arriving, true),
                });
                // A step that only finds out whether the channel is there: without it a fault is never reported.
                let has_step = !is_only || self.may_be_missing(channel);
                Transition { is_else, step: has_step.then(statement), offer: None, answer }
            }
            Action::Send { channel, message, .. } => {
                let (has_rendezvous, is_only) = self.rendezvous(channel);
                let offer = has_rendezvous.then(|| self.offer(arriving, channel, message, is_only));
                Transition { is_else, step: (!is_only).then(statement), offer, answer: None }
            }
            // The body of a trace is not executed: its events are compared with those of processes.
            Action::Event { .. } => Transition { is_else, step: None, offer: None, answer: None },
            Action::Condition(_)
            | Action::Else
            | Action::Jump
            | Action::Assign { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::End => Transition { is_else, step: Some(statement()), offer: None, answer: None },
        }
    }

    /// Whether a channel may be a rendezvous, and whether it always is.
    pub fn rendezvous(&self, channel: &ChannelRef) -> (bool, bool) {
        let channel = self.channel(channel);
        let has = !self.rendezvous_kinds(&channel).is_empty();
        (has, has && self.kinds_with_queue(&channel).is_empty())
    }

    /// Whether there may be no such channel: a variable that was not set, or a wrong index.
    fn may_be_missing(&self, channel: &ChannelRef) -> bool {
        match self.channel(channel) {
            Channel::Declared(declared) => declared.effects().can_fail,
            Channel::Numbered(numbered) => {
                let path: Vec<u32> = channel.place.fields.iter().map(|access| access.field).collect();
                let range = self.facts.ranges.variable(self.program.model, channel.place.variable, &path);
                numbered.number.effects().can_fail || range.contains(0)
            }
        }
    }

    fn offer(&self, arriving: &Arriving<'_, '_>, channel: &ChannelRef, message: &[Expr], is_only: bool) -> Offer {
        let channel = self.channel(channel);
        let kinds = self.rendezvous_kinds(&channel);
        let sites = kinds.iter().flatten().copied().collect();
        let messages = self.messages(kinds, message);
        // The receiver's move decides the atomic owner.
        let arrival = Arrival { changes: self.moves(arriving) };
        Offer { channel, only: (!is_only).then_some(sites), messages, arrival }
    }

    pub fn accept(&self, channel: &ChannelRef, pattern: &[Pattern]) -> Accept {
        let traced = self.traced_handshake(channel);
        let channel = self.channel(channel);
        Accept {
            traced,
            shapes: self.shapes(self.rendezvous_kinds(&channel), pattern),
            channel,
            pattern: self.fields(pattern),
            stores: self.stores(pattern),
        }
    }

    /// The new location, and the variables that are dead there.
    fn moves(&self, arriving: &Arriving<'_, '_>) -> Vec<Change> {
        let Some(process) = self.process else { return Vec::new() };
        match arriving.transition.to {
            Some(to) => {
                let resets = self.facts.dead.resets[process][arriving.id].iter();
                std::iter::once(Change::Location(to)).chain(resets.map(|variable| Change::Reset(*variable))).collect()
            }
            None => vec![Change::End],
        }
    }

    /// The arrival of the process. A claim has none: the search stores its location.
    fn arrival(&self, arriving: &Arriving<'_, '_>, is_handshake: bool) -> Arrival {
        if self.process.is_none() {
            return Arrival::default();
        }
        let mut changes = self.moves(arriving);
        let features = &self.facts.features;
        if arriving.transition.keeps_control {
            changes.push(Change::TakeControl);
        } else if features.atomic && (is_handshake || arriving.holds_control) {
            changes.push(Change::ReleaseControl);
        }
        changes.extend(features.last.then_some(Change::NoteLast));
        Arrival { changes }
    }
}

/// A transition with an arrival.
struct Arriving<'g, 'm> {
    id: TransitionId,
    transition: &'g ir::Transition<'m>,
    /// The process may take it as the atomic owner.
    holds_control: bool,
}

/// The transitions that a process may take as the atomic owner.
fn while_in_control(graph: &Graph<'_>) -> IdVec<TransitionId, bool> {
    let mut is_inside: IdVec<LocationId, bool> = graph.locations.iter().map(|_| false).collect();
    for transition in &graph.transitions {
        if let (true, Some(to)) = (transition.keeps_control, transition.to) {
            is_inside[to] = true;
        }
    }
    let mut holds: IdVec<TransitionId, bool> = graph.transitions.iter().map(|_| false).collect();
    for (_, location) in graph.locations.iter_enumerated().filter(|(id, _)| is_inside[*id]) {
        for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
            holds[*transition] = true;
        }
    }
    holds
}
