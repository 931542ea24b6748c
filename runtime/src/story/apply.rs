//! The effect of a statement on a scene.
//!
//! The states of a model say what a step has done, but not all of it: not what was stored in a variable that is not read
//! any more, nor what happened inside a step of several statements. That is computed here, and then compared with the
//! state behind the step, which is always right (see `narrator.rs`).

use super::evaluate::View;
use super::meaning::{Action, Expr, Meaning, Pattern, Place, Type, Variable};
use super::scene::{ChannelName, Scene, Value};
use crate::model::ModelInfo;
use crate::step::Pid;

/// Something that executes statements.
#[derive(Clone, Copy)]
pub(super) struct Actor<'a> {
    pub info: &'a ModelInfo<'a>,
    pub meaning: &'a Meaning,
    /// Nothing for a claim.
    pub me: Option<Pid>,
}

impl<'a> Actor<'a> {
    pub fn view<'s>(&'s self, scene: &'s Scene) -> View<'s> {
        View { info: self.info, meaning: self.meaning, scene, me: self.me, is_concrete: false }
    }

    /// Whether a statement can be executed, if that is known. In a rendezvous a message is offered.
    pub fn is_executable(&self, scene: &Scene, action: &Action, offered: Option<&[i32]>) -> Option<bool> {
        let view = self.view(scene);
        match action {
            Action::Condition(Expr::Run(..)) => Some(true),
            Action::Condition(condition) => view.value(condition).map(|value| value != 0),
            Action::Send { channel, .. } => {
                let channel = view.channel(channel)?;
                let capacity = self.meaning.channels.get(channel.declaration)?.capacity;
                Some(capacity > 0 && scene.queue_of(&channel)?.messages.len() < capacity)
            }
            Action::Receive { pattern, .. } if offered.is_some() => view.fits(pattern, offered?),
            Action::Receive { channel, random, pattern, .. } => {
                self.found(scene, &view.channel(channel)?, pattern, *random).map(|found| found.is_some())
            }
            Action::Else
            | Action::Jump
            | Action::Assign { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::End => Some(true),
            Action::DStep { .. } | Action::Other => None,
        }
    }

    /// The position of the message that a receive takes. The outer `None`: not known.
    pub fn found(
        &self,
        scene: &Scene,
        channel: &ChannelName,
        pattern: &[Pattern],
        random: bool,
    ) -> Option<Option<usize>> {
        let queue = scene.queue_of(channel)?;
        let view = self.view(scene);
        for (position, message) in queue.messages.iter().enumerate().take(if random { usize::MAX } else { 1 }) {
            if view.fits(pattern, message)? {
                return Some(Some(position));
            }
        }
        Some(None)
    }

    /// Executes a statement. What is not known of its effect is forgotten.
    pub fn apply(&self, scene: &mut Scene, action: &Action, offered: Option<&[i32]>) {
        match action {
            Action::Condition(condition) | Action::Assert(condition) => self.start_processes(scene, condition),
            Action::Assign { target, value } => {
                let computed = self.view(scene).value(value);
                self.start_processes(scene, value);
                if let Some(target) = target {
                    self.store(scene, target, computed);
                }
            }
            Action::Send { channel, sorted, message } => self.send(scene, channel, *sorted, message),
            Action::Receive { channel, random, peek, pattern } => {
                let message = match offered {
                    Some(offered) => Some(offered.to_vec()),
                    None => self.take(scene, channel, pattern, (*random, *peek)),
                };
                for (n, field) in pattern.iter().enumerate() {
                    if let Pattern::Store(place) = field {
                        let value = message.as_ref().and_then(|message| message.get(n).copied());
                        self.store(scene, place, value);
                    }
                }
            }
            Action::DStep { .. } => scene.forget_all_of(self.me),
            Action::Else | Action::Jump | Action::Print(_) | Action::End | Action::Other => {}
        }
    }

    fn store(&self, scene: &mut Scene, place: &Place, value: Option<i32>) {
        let view = self.view(scene);
        let (Some((owner, name)), Some((ty, is_element))) = (view.name(place), view.ty(place)) else {
            // Any element can have changed.
            return scene.forget_all_of(self.me);
        };
        match value {
            Some(value) => {
                let number = self.meaning.stored(ty, value, is_element);
                let text = scene.shown(self.meaning, ty, number);
                scene.set(Value { owner, name, text, number: Some(number) });
            }
            None => scene.forget(owner, &name),
        }
    }

    fn send(&self, scene: &mut Scene, channel: &Place, sorted: bool, message: &[Expr]) {
        let Some((channel, values)) = self.view(scene).sent(channel, message) else { return };
        let Some(declared) = self.meaning.channels.get(channel.declaration) else { return };
        let Some(queue) = scene.queue_mut(channel.owner, &channel.name) else { return };
        if queue.messages.len() < declared.capacity {
            let is_behind = |other: &Vec<i32>| *other > values;
            let behind = queue.messages.iter().position(is_behind).filter(|_| sorted);
            queue.messages.insert(behind.unwrap_or(queue.messages.len()), values);
        }
    }

    fn take(
        &self,
        scene: &mut Scene,
        channel: &Place,
        pattern: &[Pattern],
        (random, peek): (bool, bool),
    ) -> Option<Vec<i32>> {
        let channel = self.view(scene).channel(channel)?;
        let position = self.found(scene, &channel, pattern, random)??;
        let queue = scene.queue_mut(channel.owner, &channel.name)?;
        Some(if peek { queue.messages[position].clone() } else { queue.messages.remove(position) })
    }

    /// The processes that an expression starts, of which there is at most one.
    fn start_processes(&self, scene: &mut Scene, expr: &Expr) {
        match expr {
            Expr::Run(proctype, arguments) => {
                let view = self.view(scene);
                let arguments: Vec<Option<i32>> = arguments.iter().map(|argument| view.value(argument)).collect();
                self.start(scene, *proctype, &arguments);
            }
            Expr::Unary(_, operand) => self.start_processes(scene, operand),
            Expr::Binary(_, left, right) => {
                self.start_processes(scene, left);
                self.start_processes(scene, right);
            }
            _ => {}
        }
    }

    /// The first values of a new process. Its channels, and where it is, come from the state behind the step.
    pub fn start(&self, scene: &mut Scene, proctype: usize, arguments: &[Option<i32>]) {
        let n = scene.n_processes();
        if n > usize::from(u8::MAX) {
            return;
        }
        let pid = Pid::from_index(n);
        scene.proctypes.push(proctype);
        scene.locations.push(usize::MAX);
        self.set_up(scene, pid, arguments);
    }

    /// The first values of the variables of a process that the scene knows already.
    pub fn set_up(&self, scene: &mut Scene, pid: Pid, arguments: &[Option<i32>]) {
        let Some(known) = self.meaning.proctypes.get(scene.proctypes[pid.index()]) else { return };
        let mut arguments = arguments.iter();
        for id in &known.parameters {
            for (name, ty, _) in self.scalars(*id) {
                self.first(scene, pid, (name, ty), arguments.next().copied().unwrap_or(Some(0)), false);
            }
        }
        for id in &known.locals {
            let Some(variable) = self.meaning.variables.get(*id) else { continue };
            let is_declared_channel = variable.ty == Type::Chan && variable.initial.is_empty();
            if is_declared_channel {
                continue;
            }
            let actor = Actor { me: Some(pid), ..*self };
            let values: Vec<Option<i32>> =
                variable.initial.iter().map(|value| actor.view(scene).value(value)).collect();
            for (n, (name, ty, is_element)) in self.scalars(*id).into_iter().enumerate() {
                let value = values.get(n).or(values.last()).copied().unwrap_or(Some(0));
                self.first(scene, pid, (name, ty), value, is_element);
            }
        }
    }

    fn first(&self, scene: &mut Scene, pid: Pid, (name, ty): (String, Type), value: Option<i32>, is_element: bool) {
        if ty == Type::Chan && value == Some(0) {
            return;
        }
        if let Some(value) = value {
            let number = self.meaning.stored(ty, value, is_element);
            let text = scene.shown(self.meaning, ty, number);
            scene.set(Value { owner: Some(pid), name, text, number: Some(number) });
        }
    }

    /// Name, type and whether it is an element, of every scalar in a variable.
    fn scalars(&self, id: usize) -> Vec<(String, Type, bool)> {
        let mut all = Vec::new();
        if let Some(Variable { name, ty, length, .. }) = self.meaning.variables.get(id) {
            self.add_scalars(name.clone(), *ty, *length, &mut all);
        }
        all
    }

    fn add_scalars(&self, name: String, ty: Type, length: Option<u32>, all: &mut Vec<(String, Type, bool)>) {
        if all.len() > MOST_SCALARS {
            return;
        }
        if let Some(length) = length {
            for index in 0..length {
                match ty {
                    Type::Record(_) => self.add_scalars(format!("{name}[{index}]"), ty, None, all),
                    _ => all.push((format!("{name}[{index}]"), ty, true)),
                }
            }
            return;
        }
        let Type::Record(record) = ty else { return all.push((name, ty, false)) };
        for (field, ty, length) in self.meaning.records.get(record).map_or(&[][..], |record| &record.fields) {
            self.add_scalars(format!("{name}.{field}"), *ty, *length, all);
        }
    }
}

/// Of larger variables only what the states have is shown.
const MOST_SCALARS: usize = 10_000;
