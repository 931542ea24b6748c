//! Executes what a step consists of: statements, those of a `d_step`, the two sides of a rendezvous.

use super::apply::Actor;
use super::describe::{describe, explain};
use super::meaning::{Action, Expr, Statement};
use super::narrator::Narrator;
use super::scene::Scene;
use super::{Kind, Step};
use crate::model::TransitionKind;
use crate::step::{Pid, TransitionId};

/// Statements of a `d_step` beyond this many are not told one by one.
const MOST_INSIDE: usize = 60;

/// What is executed next.
#[derive(Clone, Copy)]
pub(super) struct Executed {
    pub pid: Pid,
    pub transition: TransitionId,
    pub partner: Option<Pid>,
}

impl Narrator<'_> {
    pub(super) fn executed(&mut self, list: &[Executed], actual: Option<&Scene>, inside: bool) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut offered = None;
        for (n, executed) in list.iter().enumerate() {
            let is_answer = n > 0 && executed.partner.is_some();
            let message = offered.as_deref().filter(|_| is_answer).map(<[i32]>::to_vec);
            if n == 0 && executed.partner.is_some() {
                offered = self.offered(executed);
            }
            // A run ends where it fails, whatever a search has joined with that statement; a rendezvous has two sides.
            if self.ends_there && executed.partner.is_none() && steps.iter().any(|step: &Step| step.failed) {
                self.is_cut = true;
                continue;
            }
            let told = if inside { self.d_step(executed, message.as_deref()) } else { None };
            match told {
                Some(mut told) => steps.append(&mut told),
                None => {
                    let failed = self.failing == Some(executed.transition);
                    steps.push(self.statement(*executed, message.as_deref(), (failed, actual.is_none())));
                }
            }
        }
        steps
    }

    fn actor(&self, pid: Pid) -> Actor<'_> {
        Actor { info: self.info, meaning: &self.meaning, me: Some(pid) }
    }

    fn meaning_of(&self, transition: TransitionId) -> Option<&Statement> {
        self.meaning.statements.get(transition.index())
    }

    /// The message that the sender of a rendezvous offers.
    fn offered(&self, executed: &Executed) -> Option<Vec<i32>> {
        let statement = self.meaning_of(executed.transition)?;
        let Action::Send { channel, message, .. } = &statement.action else { return None };
        let actor = self.actor(executed.pid);
        actor.view(&self.scene).sent(channel, message).map(|(_, values)| values)
    }

    /// Tells one statement, and executes it. One that `failed` is where the violation is; a fault also `ends` the run
    /// there, and is not executed.
    fn statement(&mut self, executed: Executed, offered: Option<&[i32]>, (failed, ends): (bool, bool)) -> Step {
        let Executed { pid, transition, partner } = executed;
        let mut step = Step { number: self.n_steps, process: self.process(pid), ..Step::default() };
        step.partner = partner.and_then(|partner| self.process(partner));
        if let Some(row) = self.info.transition(transition) {
            step.place = Some(row.place);
            step.text = row.text.to_owned();
            step.kind = match row.kind {
                TransitionKind::Send => Kind::Send,
                TransitionKind::Receive => Kind::Receive,
                TransitionKind::End => Kind::End,
                TransitionKind::Internal => Kind::Jump,
                TransitionKind::Other => Kind::Other,
            };
        }
        step.shown.clone_from(&step.text);
        step.folded = step.kind == Kind::Jump;
        step.failed = failed;
        let before = self.scene.clone();
        if let Some(statement) = self.meaning.statements.get(transition.index()) {
            let actor = self.actor(pid);
            describe(&actor, &before, statement, offered, &mut step);
            if step.failed {
                self.explanation = explain(&actor, &before, &statement.action);
            }
            if !ends {
                let mut scene = std::mem::take(&mut self.scene);
                Actor { info: self.info, meaning: &self.meaning, me: Some(pid) }.apply(
                    &mut scene,
                    &statement.action,
                    offered,
                );
                self.scene = scene;
            }
        }
        step.changes = self.changes(&before, &self.scene);
        step
    }

    /// The statements inside a `d_step`. Nothing if it is none, or what happens is not known.
    fn d_step(&mut self, executed: &Executed, offered: Option<&[i32]>) -> Option<Vec<Step>> {
        let Action::DStep { start, locations } = &self.meaning_of(executed.transition)?.action else { return None };
        let (mut at, locations) = (Some(*start), locations.clone());
        let (before, explained) = (self.scene.clone(), self.explanation.clone());
        let mut steps: Vec<Step> = Vec::new();
        let mut offered = offered;
        while let Some(location) = at {
            let next = self.next_inside(executed.pid, locations.get(location)?, offered);
            let Some((transition, to)) = next.filter(|_| steps.len() < MOST_INSIDE) else {
                (self.scene, self.explanation) = (before, explained);
                return None;
            };
            let inner = Executed { transition: TransitionId(u32::try_from(transition).ok()?), ..*executed };
            let inner = Executed { partner: executed.partner.filter(|_| steps.is_empty()), ..inner };
            let failed = self.failing == Some(inner.transition) && self.fails_now(inner, offered);
            let is_end = failed && (self.ends_there || !self.is_assertion(inner.transition));
            let step = self.statement(inner, offered.take(), (failed, is_end));
            steps.push(Step { atomic: true, ..step });
            self.is_cut |= is_end && to.is_some();
            at = to.filter(|_| !is_end);
        }
        Some(steps)
    }

    fn is_assertion(&self, transition: TransitionId) -> bool {
        matches!(self.meaning_of(transition), Some(Statement { action: Action::Assert(_), .. }))
    }

    /// A step that fails within a `d_step` is known by the statement that fails: what the `d_step` has done before it.
    pub(super) fn fault_inside(&mut self, executed: &Executed) -> Option<Vec<Step>> {
        let location = *self.scene.locations.get(executed.pid.index())?;
        let is_inside = |whole: &&usize| {
            let statement = self.meaning.statements.get(**whole);
            let Some(Action::DStep { locations, .. }) = statement.map(|statement| &statement.action) else {
                return false;
            };
            locations.iter().flatten().any(|(inner, _)| *inner == executed.transition.index())
        };
        let whole = *self.meaning.leaving.get(location)?.iter().find(is_inside)?;
        let (before, explained) = (self.scene.clone(), self.explanation.clone());
        let transition = TransitionId(u32::try_from(whole).ok()?);
        let steps = self.d_step(&Executed { transition, ..*executed }, None);
        let steps = steps.filter(|steps| steps.last().is_some_and(|last| last.failed));
        if steps.is_none() {
            (self.scene, self.explanation) = (before, explained);
        }
        steps
    }

    /// Whether the statement with the violation fails this time: a `d_step` may have executed it before.
    fn fails_now(&self, executed: Executed, offered: Option<&[i32]>) -> bool {
        let Some(statement) = self.meaning_of(executed.transition) else { return true };
        let actor = self.actor(executed.pid);
        let view = actor.view(&self.scene);
        let has_value = |expr: &Expr| !expr.starts_process() && view.value(expr).is_some();
        let is_known = match &statement.action {
            Action::Assert(condition) => return view.value(condition).is_none_or(|value| value == 0),
            Action::Condition(expr) => has_value(expr),
            Action::Assign { target, value } => {
                has_value(value) && target.as_ref().is_none_or(|target| view.name(target).is_some())
            }
            Action::Send { channel, message, .. } => view.channel(channel).is_some() && message.iter().all(has_value),
            Action::Receive { channel, .. } => view.channel(channel).is_some(),
            Action::Print(values) => values.iter().all(has_value),
            Action::Else | Action::Jump | Action::DStep { .. } | Action::End | Action::Other => false,
        };
        !is_known
            || !explain(&actor, &self.scene, &statement.action).is_empty()
            || actor.is_executable(&self.scene, &statement.action, offered) == Some(false)
    }

    /// The first option that is executable.
    fn next_inside(
        &self,
        pid: Pid,
        options: &[(usize, Option<usize>)],
        offered: Option<&[i32]>,
    ) -> Option<(usize, Option<usize>)> {
        for (transition, to) in options {
            let statement = self.meaning.statements.get(*transition)?;
            let fails = self.failing == Some(TransitionId(u32::try_from(*transition).ok()?));
            let is_receive = matches!(statement.action, Action::Receive { .. });
            if offered.is_some() && !is_receive {
                continue;
            }
            match self.actor(pid).is_executable(&self.scene, &statement.action, offered) {
                Some(false) if !fails => {}
                Some(_) => return Some((*transition, *to)),
                None if fails => return Some((*transition, *to)),
                None => return None,
            }
        }
        None
    }
}
