//! How two scenes differ.

use super::Change;
use super::narrator::Narrator;
use super::scene::{Owner, Queue, Scene, Value};
use super::words::queue_text;
use crate::model::SourcePosition;
use crate::step::Pid;

impl Narrator<'_> {
    /// The values of processes that end.
    pub(super) fn gone(&self, before: &Scene, n_processes: usize) -> Vec<Change> {
        let is_gone = |owner: Owner| owner.is_some_and(|pid| pid.index() >= n_processes);
        let value = |value: &Value| Change {
            process: self.owner(value.owner),
            name: value.name.clone(),
            from: value.text.clone(),
            to: String::new(),
            is_first: false,
        };
        let is_shown = |value: &&Value| {
            is_gone(value.owner) && !value.text.is_empty() && !self.is_synthetic(value.owner, &value.name)
        };
        before.values().iter().filter(is_shown).map(value).collect()
    }

    /// The values of the processes from a pid on, which begin.
    pub(super) fn first_values(&self, n_before: usize) -> Vec<Change> {
        let is_new = |owner: Owner| owner.is_some_and(|pid| pid.index() >= n_before);
        let first = |owner: Owner, name: &str, to: String| {
            let (process, name) = (self.owner(owner), name.to_owned());
            Change { process, name, from: String::new(), to, is_first: true }
        };
        let is_shown = |value: &&Value| {
            is_new(value.owner) && !value.text.is_empty() && !self.is_synthetic(value.owner, &value.name)
        };
        let values = self.scene.values().iter().filter(is_shown);
        let values = values.map(|value| first(value.owner, &value.name, value.text.clone()));
        let queues = self.scene.queues.iter().filter(|queue| is_new(queue.owner));
        let text = |queue: &Queue| queue_text(&self.scene.messages(&self.meaning, queue));
        values.chain(queues.map(|queue| first(queue.owner, &queue.name, text(queue)))).collect()
    }

    /// The processes that are somewhere else than before.
    pub(super) fn moved(&self, before: &Scene) -> Vec<(usize, SourcePosition)> {
        let has_moved = |pid: &Pid| {
            let at = |scene: &Scene| scene.locations.get(pid.index()).copied();
            at(before) != at(&self.scene)
        };
        let moved = self.scene.pids().filter(has_moved);
        moved.filter_map(|pid| Some((self.process(pid)?, self.place(pid)?))).collect()
    }

    /// Whether a state has another value than was computed.
    pub(super) fn contradicts(&self, actual: &Scene) -> bool {
        let differs = |value: &Value| {
            let computed = self.scene.value(value.owner, &value.name);
            computed.is_some_and(|computed| computed.number.is_some() && computed.number != value.number)
        };
        let queue_differs = |queue: &Queue| {
            self.scene.queue(queue.owner, &queue.name).is_some_and(|computed| computed.messages != queue.messages)
        };
        actual.values().iter().any(differs) || actual.queues.iter().any(queue_differs)
    }

    /// How two scenes differ, in the order of the second one.
    pub(super) fn changes(&self, before: &Scene, after: &Scene) -> Vec<Change> {
        let mut changes = Vec::new();
        for value in after.values() {
            let is_synthetic = self.is_synthetic(value.owner, &value.name);
            let Some(from) = before.value(value.owner, &value.name).filter(|_| !is_synthetic) else { continue };
            // The same number can denote another channel once a process has ended.
            let is_same = from.text == value.text || value.number.is_some() && from.number == value.number;
            if !is_same && !value.text.is_empty() {
                changes.push(Change {
                    process: self.owner(value.owner),
                    name: value.name.clone(),
                    from: from.text.clone(),
                    to: value.text.clone(),
                    is_first: false,
                });
            }
        }
        for queue in &after.queues {
            let Some(from) = before.queue(queue.owner, &queue.name) else { continue };
            if (&from.messages, &from.raw) != (&queue.messages, &queue.raw) {
                let from = queue_text(&before.messages(&self.meaning, from));
                let to = queue_text(&after.messages(&self.meaning, queue));
                if from != to {
                    let (process, name) = (self.owner(queue.owner), queue.name.clone());
                    changes.push(Change { process, name, from, to, is_first: false });
                }
            }
        }
        changes
    }

    pub(super) fn is_synthetic(&self, owner: Owner, name: &str) -> bool {
        let Some(pid) = owner else { return false };
        let known = self.scene.proctypes.get(pid.index()).and_then(|of| self.meaning.proctypes.get(*of));
        let Some(known) = known else { return false };
        let mut locals = known.locals.iter().filter_map(|id| self.meaning.variables.get(*id));
        locals.any(|variable| variable.is_synthetic && variable.name == name)
    }
}

/// Joins two changes of one value.
pub(super) fn add_change(changes: &mut Vec<Change>, change: Change) {
    let known = changes.iter_mut().find(|known| known.process == change.process && known.name == change.name);
    match known {
        Some(known) => known.to = change.to,
        None => changes.push(change),
    }
    changes.retain(|change| change.from != change.to);
}
