//! Tells steps one by one, while a run goes on.
//!
//! A step of the model can be several statements: a `d_step`, merged statements, the two sides of a rendezvous. Each is
//! told on its own, with the values before it; the effect of all but the last is computed (`apply.rs`). The state behind
//! the step is then compared with what was computed, and where they differ the state is right.

use super::apply::Actor;
use super::changes::add_change;
use super::describe::describe;
use super::execute::Executed;
use super::lines::owner_text;
use super::meaning::{Action, EXPIRED, Meaning};
use super::scene::{Owner, Queue, Scene, Value};
use super::{Blocked, Channel, Kind, Named, Process, State, Step, ending, label};
use crate::dyn_model::DynState;
use crate::model::{ClaimInfo, ClaimKind, ModelInfo, SourcePosition};
use crate::record::Offer;
use crate::step::{ClaimMoveId, Pid, TransitionId};
use crate::trail::Passed;

pub(crate) struct Narrator<'m> {
    pub info: &'m ModelInfo<'m>,
    pub meaning: Meaning,
    pub scene: Scene,
    pub processes: Vec<Process>,
    /// For each pid the process that has it.
    alive: Vec<usize>,
    /// The steps so far.
    pub n_steps: usize,
    /// The ticks so far.
    pub time: usize,
    has_clock: bool,
    /// The entries of them that were told.
    n_told: usize,
    /// The statement with the violation, of the last step.
    pub failing: Option<TransitionId>,
    /// The run ends with it. In a simulation it goes on.
    pub ends_there: bool,
    /// Something was left out behind it.
    pub(super) is_cut: bool,
    /// Where a process stands that has failed within a step.
    failed_at: Option<(Pid, SourcePosition)>,
    /// Why it fails.
    pub explanation: Vec<String>,
}

impl<'m> Narrator<'m> {
    /// Of a run with abstract time, or with exact.
    pub fn new(info: &'m ModelInfo<'m>, state: &DynState<'_>, abstract_time: bool) -> Narrator<'m> {
        let meaning = Meaning { abstract_time, ..Meaning::of(info) };
        let mut narrator = Narrator {
            info,
            time: 0,
            has_clock: meaning.has_timers() && !abstract_time,
            meaning,
            scene: Scene::default(),
            processes: Vec::new(),
            alive: Vec::new(),
            n_steps: 0,
            n_told: 0,
            failing: None,
            ends_there: false,
            is_cut: false,
            failed_at: None,
            explanation: Vec::new(),
        };
        narrator.look_again(state);
        let mut first = narrator.scene.clone();
        for pid in narrator.scene.pids() {
            let actor = Actor { info, meaning: &narrator.meaning, me: Some(pid) };
            actor.set_up(&mut first, pid, &[]);
        }
        // What the state says is right.
        let mut scene = std::mem::take(&mut narrator.scene);
        scene.remember(&narrator.meaning, &first);
        narrator.scene = scene;
        narrator.processes.clear();
        narrator.alive.clear();
        narrator.count_processes();
        narrator
    }

    /// Takes all values from a state: what came before was not told.
    pub fn look_again(&mut self, state: &DynState<'_>) {
        self.scene = Scene::of(&self.meaning, state);
        self.count_processes();
    }

    /// Processes that are new or gone.
    fn count_processes(&mut self) {
        let n = self.scene.n_processes();
        for gone in self.alive.drain(n.min(self.alive.len())..) {
            self.processes[gone].ends = Some(self.n_told);
        }
        for pid in self.alive.len()..n {
            let born = (Pid::from_index(pid), self.n_told);
            let process = label::process(self.info, &self.meaning, &self.scene, &self.processes, born);
            self.alive.push(self.processes.len());
            self.processes.push(process);
        }
    }

    /// A step that is made but not told.
    pub fn skip(&mut self, state: &DynState<'_>) {
        self.n_steps += 1;
        if state.n_processes() != self.alive.len() {
            self.look_again(state);
        }
    }

    pub fn process(&self, pid: Pid) -> Option<usize> {
        self.alive.get(pid.index()).copied()
    }

    pub fn label(&self, pid: Pid) -> String {
        match self.process(pid) {
            Some(process) => self.processes[process].label.clone(),
            None => format!("process {pid}"),
        }
    }

    pub(super) fn owner(&self, owner: Owner) -> Option<usize> {
        owner.and_then(|pid| self.process(pid))
    }

    /// The statements of a step from `state` with the values in them, that of a receiver last, as they will be told. None
    /// of a step that is more than its transitions, as a `d_step`, nor of time that passes.
    pub fn foretell(&mut self, state: &DynState<'_>, offer: &Offer<'_>) -> Vec<String> {
        if offer.step.passed().is_some() {
            return Vec::new();
        }
        self.look_again(state);
        let merged = self.info.transition(offer.step.transition).map_or(0, |first| first.merged.len());
        let n = 1 + merged + usize::from(offer.step.receiver.is_some());
        let steps = self.step(offer);
        if steps.len() != n {
            return Vec::new();
        }
        steps.into_iter().map(|step| if step.shown.is_empty() { step.text } else { step.shown }).collect()
    }

    /// Tells a step that leads to `after`; a step that fails leads nowhere.
    pub fn step(&mut self, offer: &Offer<'_>) -> Vec<Step> {
        if let Some(passed) = offer.step.passed() {
            return vec![self.tick(offer, passed)];
        }
        self.n_steps += 1;
        self.is_cut = false;
        let first = offer.step.transition;
        let partner = offer.step.receiver.map(|(receiver, _)| receiver);
        let mut list = vec![Executed { pid: offer.step.pid, transition: first, partner }];
        if offer.next.is_some() {
            let merged = self.info.transition(first).map_or(&[][..], |first| first.merged);
            list.extend(merged.iter().map(|id| Executed { pid: offer.step.pid, transition: *id, partner: None }));
        }
        if let Some((receiver, receive)) = offer.step.receiver {
            list.push(Executed { pid: receiver, transition: receive, partner: Some(offer.step.pid) });
        }
        let actual = offer.next.as_ref().map(|next| Scene::of(&self.meaning, next));
        let (before, explained) = (self.scene.clone(), self.explanation.clone());
        let inside = if actual.is_none() { self.fault_inside(&list[0]) } else { None };
        let mut steps = inside.unwrap_or_else(|| self.executed(&list, actual.as_ref(), true));
        // The state behind the step says nothing of a run that ends within it.
        let actual = actual.filter(|_| !self.is_cut);
        if actual.as_ref().is_some_and(|actual| self.contradicts(actual)) {
            // Something inside a `d_step` is not as it was computed: it is told as a whole.
            (self.scene, self.explanation) = (before.clone(), explained);
            steps = self.executed(&list, actual.as_ref(), false);
        }
        self.n_told += steps.len();
        if let Some(mut actual) = actual {
            // The last statement brings about what was not computed.
            let computed = self.scene.clone();
            let n_before = self.alive.len();
            actual.remember(&self.meaning, &self.scene);
            let gone = self.gone(&computed, actual.n_processes());
            self.scene = actual;
            self.count_processes();
            let mut rest = self.changes(&computed, &self.scene);
            rest.extend(self.first_values(n_before));
            rest.extend(gone);
            if let Some(last) = steps.last_mut() {
                for change in rest {
                    add_change(&mut last.changes, change);
                }
                last.next = self.moved(&before);
            }
        } else if self.is_cut {
            self.count_processes();
        }
        if let Some(last) = steps.last_mut().filter(|last| last.failed && self.ends_there && self.meaning.is_known()) {
            self.failed_at = last.place.map(|place| (offer.step.pid, place));
            last.next = self.process(offer.step.pid).zip(last.place).into_iter().collect();
        }
        // What prints last has printed all of it.
        let prints = steps.iter().rposition(|step| step.kind == Kind::Print).unwrap_or(0);
        if let Some(step) = steps.get_mut(prints) {
            step.printed.clone_from(&offer.printed);
        }
        for step in &mut steps {
            step.time = self.clock();
        }
        steps
    }

    /// The time of what happens now, if the model has timers and it is known.
    fn clock(&self) -> Option<usize> {
        self.has_clock.then_some(self.time)
    }

    /// Tells that time passes: no process moves, and timers change.
    fn tick(&mut self, offer: &Offer<'_>, passed: Passed) -> Step {
        self.time += passed.n_ticks as usize;
        self.n_told += 1;
        // Of a model that a person wrote nothing is known but that time passes.
        let time = (!self.meaning.abstract_time).then_some(self.time);
        let mut step = Step { number: self.n_steps, kind: Kind::Tick, time, ..Step::default() };
        let Some(next) = &offer.next else { return step };
        let mut actual = Scene::of(&self.meaning, next);
        actual.remember(&self.meaning, &self.scene);
        let before = std::mem::replace(&mut self.scene, actual);
        step.changes = self.changes(&before, &self.scene);
        let expired = step.changes.iter().filter(|change| change.to == EXPIRED);
        let owner = |change| owner_text(change, None, &self.processes);
        let expired: Vec<String> = expired.map(|one| format!("; {}{} expires", owner(one), one.name)).collect();
        step.text = match time {
            Some(time) => format!("time {time}{}", expired.concat()),
            None => format!("time passes{}", expired.concat()),
        };
        step.shown.clone_from(&step.text);
        step
    }

    /// What time would do, with the timers that expire: they tell the ways apart where time is abstract.
    pub fn tick_in_words(&self, offer: &Offer<'_>) -> String {
        let mut words = "time passes, since no process can move".to_owned();
        let Some(next) = &offer.next else { return words };
        let changes = self.changes(&self.scene, &Scene::of(&self.meaning, next));
        for change in changes.iter().filter(|change| change.to == EXPIRED) {
            words += &format!("; {}{} expires", owner_text(change, None, &self.processes), change.name);
        }
        words
    }

    /// A move of the claim, which is no step.
    pub fn claim_move(
        &mut self,
        claim: &ClaimInfo<'_>,
        (index, by): (usize, ClaimMoveId),
        state: &DynState<'_>,
    ) -> Step {
        let known = claim.moves.get(by.index());
        let time = self.clock();
        let mut step = Step { number: self.n_steps + 1, kind: Kind::Claim, time, ..Step::default() };
        if let Some(known) = known {
            (step.place, step.text) = (Some(known.place), known.text.to_owned());
            step.shown.clone_from(&step.text);
        }
        let before = self.scene.clone();
        let moves = self.meaning.claims.get(index);
        if let Some(statement) = moves.and_then(|moves| moves.get(by.index())) {
            let actor = Actor { info: self.info, meaning: &self.meaning, me: None };
            describe(&actor, &before, statement, None, &mut step);
            (step.kind, step.folded) = (Kind::Claim, false);
            if let (ClaimKind::Ltl, Action::Condition(condition)) = (claim.kind, &statement.action) {
                // The table has the name of a macro for its parts, too: `free` where it is false.
                step.text = actor.view(&before).text(condition);
                step.shown.clone_from(&step.text);
            }
        }
        let mut actual = Scene::of(&self.meaning, state);
        actual.remember(&self.meaning, &self.scene);
        self.scene = actual;
        self.n_told += 1;
        step.changes = self.changes(&before, &self.scene);
        step
    }

    /// The state stays as it is, because no process is enabled.
    pub fn stutter(&mut self) -> Step {
        self.n_steps += 1;
        self.n_told += 1;
        Step { number: self.n_steps, kind: Kind::Stutter, time: self.clock(), ..Step::default() }
    }

    /// All values of the scene.
    pub fn state(&self) -> State {
        let value = |value: &Value| Named {
            process: self.owner(value.owner),
            name: value.name.clone(),
            value: value.text.clone(),
        };
        let is_shown = |value: &&Value| !value.text.is_empty() && !self.is_synthetic(value.owner, &value.name);
        State {
            values: self.scene.values().iter().filter(is_shown).map(value).collect(),
            channels: self.channels(),
            locations: self.scene.pids().filter_map(|pid| Some((self.process(pid)?, self.place(pid)?))).collect(),
        }
    }

    pub fn channels(&self) -> Vec<Channel> {
        let channel = |queue: &Queue| Channel {
            process: self.owner(queue.owner),
            name: queue.name.clone(),
            capacity: queue.declaration.and_then(|of| self.meaning.channels.get(of)).map(|of| of.capacity),
            messages: self.scene.messages(&self.meaning, queue),
        };
        self.scene.queues.iter().map(channel).collect()
    }

    /// For what each process waits, if none can move.
    pub fn blocked(&self, is_valid_end: &dyn Fn(Pid) -> bool) -> Vec<Blocked> {
        ending::blocked(self, is_valid_end)
    }

    pub fn place(&self, pid: Pid) -> Option<SourcePosition> {
        if let Some((_, place)) = self.failed_at.filter(|(failed, _)| *failed == pid) {
            return Some(place);
        }
        let location = self.scene.locations.get(pid.index())?;
        self.info.locations.get(*location).map(|location| location.place)
    }
}
