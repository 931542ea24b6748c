//! Channel operations inside a step that cannot block, since the step began with a test.
//!
//! In `atomic { nempty(c) -> ...; c?x }` the receive is enabled whenever control reaches it in the step that began with
//! the test. For the step begins only if there is a message; no other process moves while it runs, since it has no
//! handshake that would pass control on; and it uses the channel nowhere else, by any name. So until the receive the
//! channel is as it was when the step began. The receive takes any message, from the head, and is executed once. So
//! test and receive are one use of one side, which blocks where the step begins: operations at the other side do not
//! matter to the step while there is a message, and an empty channel never ends it. Likewise for a send behind `nfull`.
//!
//! That is a fact about one step, not about the operation. If the step is interrupted before the operation (another
//! statement blocks, or a `provided` clause), other processes may use the channel; but then the operation runs in
//! another step, which begins after the test.
//!
//! If a step can be interrupted only at such operations, no step begins with one: of `atomic { nempty(c) && nfull(d) ->
//! c?x; d!x }` there is none with the send that did not test for room. For consider the first time in a run that
//! control rests before an operation. It got there in a step that began elsewhere, and in each of those the operation
//! cannot block.
//!
//! Errs towards blocking.

use super::access::{Effect, SideUse};
use super::actors::ActorId;
use super::effects::{asked_side, same_element};
use super::failing::{has_total_indices, is_total};
use super::points_to::Context;
use super::steps::{Compound, Steps, leaving};
use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, TransitionId};
use crate::model::{BinaryOp, Expr, ExprKind, Pattern};

/// What is certain about the steps of one actor.
#[derive(Clone, Debug)]
pub struct Guarded {
    /// The operations that cannot block in the step that begins with a transition.
    operations: IdVec<TransitionId, Vec<TransitionId>>,
    /// Whether control can rest in front of a transition.
    begins: IdVec<TransitionId, bool>,
}

impl Guarded {
    /// Whether an operation cannot block in the step that begins with `first`.
    pub fn is_certain(&self, first: TransitionId, operation: TransitionId) -> bool {
        self.operations[first].contains(&operation)
    }

    /// The others that can run in the step that begins with a transition; none if no step does.
    pub fn inner<'s>(&self, first: TransitionId, steps: &'s Steps) -> &'s [TransitionId] {
        if self.begins[first] { &steps.compounds[first].inner } else { &[] }
    }
}

/// The steps of one actor.
pub(super) struct GuardedInput<'a, 'm> {
    pub context: &'a Context<'a, 'm>,
    pub graph: &'a Graph<'m>,
    pub actor: ActorId,
    pub steps: &'a Steps,
    pub effects: &'a IdVec<TransitionId, Option<Effect>>,
}

impl GuardedInput<'_, '_> {
    pub fn find(&self) -> Guarded {
        let ids = || self.graph.transitions.ids();
        let operations = ids().map(|first| self.operations(first, &self.steps.compounds[first])).collect();
        let mut guarded = Guarded { operations, begins: ids().map(|_| true).collect() };
        let mut candidates: Vec<(LocationId, TransitionId)> =
            self.graph.locations.ids().filter_map(|at| Some((at, self.only_operation(at)?))).collect();
        loop {
            guarded.begins = ids().map(|_| false).collect();
            let is_candidate = |at: LocationId| candidates.iter().any(|(candidate, _)| *candidate == at);
            let rests = self.graph.locations.ids().filter(|at| self.steps.may_rest[*at] && !is_candidate(*at));
            rests.flat_map(|at| leaving(self.graph, at)).for_each(|id| guarded.begins[id] = true);
            let can_block = |operation: TransitionId| {
                let may_come = |first: &TransitionId| guarded.inner(*first, self.steps).contains(&operation);
                ids().filter(may_come).any(|first| !guarded.is_certain(first, operation))
            };
            let n_before = candidates.len();
            let certain = candidates.iter().copied().filter(|(_, operation)| !can_block(*operation)).collect();
            candidates = certain;
            if candidates.len() == n_before {
                return guarded;
            }
        }
    }

    /// The transitions of a location, if control rests there only if none of them is enabled.
    fn only_operation(&self, at: LocationId) -> Option<TransitionId> {
        let Context { program, actors, .. } = *self.context;
        let proctype = &program.model.proctypes[actors.list[self.actor].proctype];
        let mut all = leaving(self.graph, at);
        let (Some(operation), None) = (all.next(), all.next()) else { return None };
        let hands_over = |id: TransitionId| self.effects[id].as_ref().is_none_or(|effect| !effect.sends.is_empty());
        let mut before = self.graph.transitions.iter_enumerated().filter(|(_, transition)| transition.to == Some(at));
        let is_reached_inside = before.all(|(id, transition)| transition.keeps_control && !hands_over(id));
        let cannot_fail = match &self.graph.transitions[operation].action {
            Action::Send { message, .. } => message.iter().all(|field| is_total(program.model, field)),
            Action::Receive { pattern, .. } => pattern.iter().all(|field| match field {
                Pattern::Store(place) => has_total_indices(program.model, place),
                Pattern::Ignore => true,
                Pattern::Equal(_) => false,
            }),
            Action::Condition(_)
            | Action::Else
            | Action::Jump
            | Action::Assign { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::Event { .. }
            | Action::DStep(_)
            | Action::End => false,
        };
        let is_it = at != self.graph.start && proctype.provided.is_none() && is_reached_inside && cannot_fail;
        is_it.then_some(operation)
    }

    /// The operations that cannot block in the step that begins with `first`.
    fn operations(&self, first: TransitionId, compound: &Compound) -> Vec<TransitionId> {
        let action = &self.graph.transitions[first].action;
        let (Action::Condition(condition), Some(head)) = (action, &self.effects[first]) else { return Vec::new() };
        let inner = || compound.inner.iter().filter_map(|id| self.effects[*id].as_ref());
        let has_handshake = inner().any(|effect| !effect.offers.is_empty() || !effect.sends.is_empty());
        if compound.inner.is_empty() || has_handshake {
            return Vec::new();
        }
        let is_alone =
            |question: &&SideUse| inner().chain([head]).map(|effect| n_uses(effect, question)).sum::<usize>() == 2;
        let operation = |question: &SideUse| {
            let answers = |id: &&TransitionId| self.answers(**id, question);
            compound.inner.iter().find(answers).copied().filter(|id| !self.comes_again(*id))
        };
        questions(condition, head).filter(is_alone).filter_map(operation).collect()
    }

    /// Whether a statement is the send or receive that was tested for, and needs no more than that.
    fn answers(&self, id: TransitionId, question: &SideUse) -> bool {
        let takes_any = match &self.graph.transitions[id].action {
            Action::Send { sorted, .. } => !sorted,
            Action::Receive { random, pattern, .. } => {
                !random && pattern.iter().all(|field| matches!(field, Pattern::Store(_) | Pattern::Ignore))
            }
            Action::Condition(_)
            | Action::Else
            | Action::Jump
            | Action::Assign { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::Event { .. }
            | Action::DStep(_)
            | Action::End => false,
        };
        let Some([side]) = self.effects[id].as_ref().map(|effect| &effect.sides[..]) else { return false };
        takes_any
            && side.side == question.side
            && side.is_stable
            && question.is_stable
            && side.channel.place.variable == question.channel.place.variable
            && same_element(self.context, self.actor, &side.channel.place, &question.channel.place)
    }

    /// Whether a statement can be executed again in the same step.
    fn comes_again(&self, operation: TransitionId) -> bool {
        let mut waiting = vec![operation];
        let mut seen: IdVec<TransitionId, bool> = self.graph.transitions.iter().map(|_| false).collect();
        while let Some(id) = waiting.pop() {
            let transition = &self.graph.transitions[id];
            let Some(to) = transition.to.filter(|_| transition.keeps_control) else { continue };
            for next in leaving(self.graph, to) {
                if next == operation {
                    return true;
                }
                if !seen[next] {
                    seen[next] = true;
                    waiting.push(next);
                }
            }
        }
        false
    }
}

/// The sides of channels that a condition tests, and without which it is false.
fn questions<'e>(condition: &Expr, head: &'e Effect) -> impl Iterator<Item = &'e SideUse> {
    let mut operands = Vec::new();
    split(condition, &mut operands);
    // The parts of merged statements come behind those of the condition.
    let asked = operands.into_iter().zip(&head.parts).filter(|(operand, _)| asked_side(operand).is_some());
    let sides: Vec<&SideUse> = asked.flat_map(|(_, part)| &head.sides[part.sides.clone()]).collect();
    sides.into_iter()
}

/// The operands of the outermost `&&`, in the order of [`Effect::parts`].
fn split<'e>(condition: &'e Expr, operands: &mut Vec<&'e Expr>) {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            split(left, operands);
            split(right, operands);
        }
        _ => operands.push(condition),
    }
}

/// How often a statement uses a channel that may be the tested one.
fn n_uses(effect: &Effect, question: &SideUse) -> usize {
    let is_it = |channel| question.channels.contains(channel);
    let sides = effect.sides.iter().filter(|side| side.channels.iter().any(is_it));
    sides.count() + effect.both_sides.iter().filter(|channel| is_it(channel)).count()
}
