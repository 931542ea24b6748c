//! Values that never change, for each actor.
//!
//! A parameter without assignments keeps its argument, and a global without assignments keeps its initial value. With
//! these an index becomes a constant, so that `q[id]` is one channel, and a condition may be known never to hold. Errs
//! towards not knowing.

use super::actors::{ActorId, Actors};
use super::beginning;
use super::instances::KnownValue;
use crate::collections::{IdVec, Lookup};
use crate::ir::{Graph, LocationId, Program, TransitionId};
use crate::model::fold::{apply_binary, apply_unary};
use crate::model::{BinaryOp, Expr, ExprKind, Init, Owner, Place, Type, Variable, VariableId};

#[derive(Clone, Debug)]
pub struct Constants {
    /// For each variable whether some statement stores in it.
    pub is_written: IdVec<VariableId, bool>,
    /// The elements of globals that never change; empty for others.
    globals: IdVec<VariableId, Vec<i32>>,
    locals: IdVec<ActorId, Lookup<VariableId, i32>>,
    pids: IdVec<ActorId, Option<i32>>,
}

/// Larger arrays count as unknown.
const LARGEST_ARRAY: u32 = 1_000;

impl Constants {
    pub(super) fn new(program: &Program<'_>, actors: &Actors) -> Self {
        let is_written = beginning::written(program);
        let mut constants = Self {
            globals: globals(program, &is_written),
            is_written,
            locals: actors.list.iter().map(|_| Lookup::new()).collect(),
            pids: actors.list.iter().map(|actor| actor.pid.and_then(|pid| i32::try_from(pid).ok())).collect(),
        };
        let model = program.model;
        for (id, actor) in actors.list.iter_enumerated() {
            for (variable, value) in &actor.arguments {
                if let (KnownValue::Number(value), false) = (value, constants.is_written[*variable]) {
                    constants.locals[id].insert(*variable, *value);
                }
            }
            for local in &model.proctypes[actor.proctype].locals {
                let variable = &model.variables[*local];
                let is_plain = variable.length.is_none() && !matches!(variable.ty, Type::Chan | Type::Record(_));
                if !is_plain || constants.is_written[*local] {
                    continue;
                }
                let value = match &variable.init {
                    Init::Zero => Some(0),
                    Init::All(value) => constants.value(Some(id), value),
                    Init::List(_) | Init::Channel(_) | Init::FieldChannel { .. } => None,
                };
                if let Some(value) = value {
                    constants.locals[id].insert(*local, variable.ty.truncate(value));
                }
            }
        }
        constants
    }

    /// The value that an expression always has where the actor evaluates it; a
    /// claim, which is no actor, sees globals only.
    pub fn value(&self, actor: Option<ActorId>, expression: &Expr) -> Option<i32> {
        match &expression.kind {
            ExprKind::Constant(value) => Some(*value),
            ExprKind::Read(place) => self.read(actor, place),
            ExprKind::Unary(op, inner) => Some(apply_unary(*op, self.value(actor, inner)?)),
            ExprKind::Binary(op, left, right) => match (op, self.value(actor, left)?) {
                (BinaryOp::And, 0) => Some(0),
                (BinaryOp::Or, left) if left != 0 => Some(1),
                (op, left) => apply_binary(*op, left, self.value(actor, right)?).ok(),
            },
            ExprKind::Conditional(condition, yes, no) => {
                let chosen = if self.value(actor, condition)? != 0 { yes } else { no };
                self.value(actor, chosen)
            }
            ExprKind::Pid => self.pids[actor?],
            _ => None,
        }
    }

    /// An index, if it is known.
    pub fn index(&self, actor: Option<ActorId>, index: &Expr) -> Option<u32> {
        self.value(actor, index).and_then(|value| u32::try_from(value).ok())
    }

    fn read(&self, actor: Option<ActorId>, place: &Place) -> Option<i32> {
        if !place.fields.is_empty() {
            return None;
        }
        if let Some(actor) = actor
            && place.index.is_none()
            && let Some(value) = self.locals[actor].get(&place.variable)
        {
            return Some(*value);
        }
        let index = match &place.index {
            None => 0,
            Some(index) => self.index(actor, index)?,
        };
        self.globals[place.variable].get(index as usize).copied()
    }
}

fn globals(program: &Program<'_>, is_written: &IdVec<VariableId, bool>) -> IdVec<VariableId, Vec<i32>> {
    let values = |(id, variable): (VariableId, &Variable)| {
        let length = variable.length.unwrap_or(1);
        let is_plain = variable.owner == Owner::Global && !matches!(variable.ty, Type::Chan | Type::Record(_));
        if !is_plain || is_written[id] || length > LARGEST_ARRAY {
            return Vec::new();
        }
        let element = |number: u32| match &variable.init {
            Init::Zero => Some(0),
            Init::All(value) => value.as_constant(),
            Init::List(values) => values.get(number as usize).or(values.last())?.as_constant(),
            Init::Channel(_) | Init::FieldChannel { .. } => None,
        };
        (0..length).map(element).collect::<Option<Vec<i32>>>().unwrap_or_default()
    };
    program.model.variables.iter_enumerated().map(values).collect()
}

/// The transitions that an actor can ever take: conditions that never hold for it are removed, and so is everything
/// that is reachable only through them. Errs towards more.
#[derive(Clone, Debug)]
pub struct Reach {
    pub locations: IdVec<LocationId, bool>,
    pub transitions: IdVec<TransitionId, bool>,
}

impl Reach {
    pub(super) fn of(graph: &Graph<'_>, actor: ActorId, constants: &Constants) -> Self {
        let mut reach = Self {
            locations: graph.locations.iter().map(|_| false).collect(),
            transitions: graph.transitions.iter().map(|_| false).collect(),
        };
        let mut waiting = vec![graph.start];
        reach.locations[graph.start] = true;
        while let Some(at) = waiting.pop() {
            let location = &graph.locations[at];
            for id in location.escapes.iter().flatten().chain(&location.leaving) {
                let transition = &graph.transitions[*id];
                let is_never = |condition| constants.value(Some(actor), condition) == Some(0);
                let is_shut = transition.action.condition().is_some_and(is_never);
                if is_shut || reach.transitions[*id] {
                    continue;
                }
                reach.transitions[*id] = true;
                if let Some(to) = transition.to
                    && !reach.locations[to]
                {
                    reach.locations[to] = true;
                    waiting.push(to);
                }
            }
        }
        reach
    }
}
