//! Tells steps one by one, while a run goes on.
//!
//! A step of the model can be several statements: a `d_step`, merged statements, the two sides of a rendezvous. Each is
//! told on its own, with the values before it; the effect of all but the last is computed (`apply.rs`). The state behind
//! the step is then compared with what was computed, and where they differ the state is right.

use super::apply::Actor;
use super::evaluate::View;
use super::meaning::{Action, EXPIRED, Meaning, Statement};
use super::scene::{Owner, Scene};
use super::words::queue_text;
use super::{Blocked, Change, Channel, Kind, Message, Named, Process, State, Step, ending, label};
use crate::dyn_model::DynState;
use crate::model::{ClaimInfo, ModelInfo, SourcePosition, TransitionKind};
use crate::record::Offer;
use crate::step::{ClaimMoveId, Pid, TransitionId};

/// Statements of a `d_step` beyond this many are not told one by one.
const MOST_INSIDE: usize = 60;

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
    has_timers: bool,
    /// The entries of them that were told.
    n_told: usize,
    /// The statement with the violation, of the last step.
    pub failing: Option<TransitionId>,
    /// Why it fails.
    pub explanation: Vec<String>,
}

/// What is executed next.
#[derive(Clone, Copy)]
struct Executed {
    pid: Pid,
    transition: TransitionId,
    partner: Option<Pid>,
}

impl<'m> Narrator<'m> {
    pub fn new(info: &'m ModelInfo<'m>, state: &DynState<'_>) -> Narrator<'m> {
        let meaning = Meaning::of(info);
        let mut narrator = Narrator {
            info,
            time: 0,
            has_timers: meaning.has_timers(),
            meaning,
            scene: Scene::default(),
            processes: Vec::new(),
            alive: Vec::new(),
            n_steps: 0,
            n_told: 0,
            failing: None,
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

    fn owner(&self, owner: Owner) -> Option<usize> {
        owner.and_then(|pid| self.process(pid))
    }

    /// Tells a step that leads to `after`; a step that fails leads nowhere.
    pub fn step(&mut self, offer: &Offer<'_>) -> Vec<Step> {
        if offer.step.is_tick() {
            return vec![self.tick(offer)];
        }
        self.n_steps += 1;
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
        let mut steps = self.executed(&list, actual.as_ref(), true);
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
        }
        if let Some(first) = steps.first_mut() {
            first.printed.clone_from(&offer.printed);
        }
        for step in &mut steps {
            step.time = self.clock();
        }
        steps
    }

    /// The time of what happens now, if the model has timers.
    fn clock(&self) -> Option<usize> {
        self.has_timers.then_some(self.time)
    }

    /// Tells a tick: no process moves, and timers change.
    fn tick(&mut self, offer: &Offer<'_>) -> Step {
        self.time += 1;
        self.n_told += 1;
        let mut step = Step { number: self.n_steps, kind: Kind::Tick, time: Some(self.time), ..Step::default() };
        let Some(next) = &offer.next else { return step };
        let mut actual = Scene::of(&self.meaning, next);
        actual.remember(&self.meaning, &self.scene);
        let before = std::mem::replace(&mut self.scene, actual);
        step.changes = self.changes(&before, &self.scene);
        let expired = step.changes.iter().filter(|change| change.to == EXPIRED);
        let expired: Vec<String> = expired.map(|change| format!("; {} expires", change.name)).collect();
        step.text = format!("time {}{}", self.time, expired.concat());
        step.shown.clone_from(&step.text);
        step
    }

    /// The values of processes that end.
    fn gone(&self, before: &Scene, n_processes: usize) -> Vec<Change> {
        let is_gone = |owner: Owner| owner.is_some_and(|pid| pid.index() >= n_processes);
        let value = |value: &super::scene::Value| Change {
            process: self.owner(value.owner),
            name: value.name.clone(),
            from: value.text.clone(),
            to: String::new(),
            is_first: false,
        };
        let is_shown = |value: &&super::scene::Value| {
            is_gone(value.owner) && !value.text.is_empty() && !self.is_synthetic(value.owner, &value.name)
        };
        before.values().iter().filter(is_shown).map(value).collect()
    }

    /// The values of the processes from a pid on, which begin.
    fn first_values(&self, n_before: usize) -> Vec<Change> {
        let is_new = |owner: Owner| owner.is_some_and(|pid| pid.index() >= n_before);
        let first = |owner: Owner, name: &str, to: String| {
            let (process, name) = (self.owner(owner), name.to_owned());
            Change { process, name, from: String::new(), to, is_first: true }
        };
        let is_shown = |value: &&super::scene::Value| {
            is_new(value.owner) && !value.text.is_empty() && !self.is_synthetic(value.owner, &value.name)
        };
        let values = self.scene.values().iter().filter(is_shown);
        let values = values.map(|value| first(value.owner, &value.name, value.text.clone()));
        let queues = self.scene.queues.iter().filter(|queue| is_new(queue.owner));
        let text = |queue: &super::scene::Queue| queue_text(&self.scene.messages(&self.meaning, queue));
        values.chain(queues.map(|queue| first(queue.owner, &queue.name, text(queue)))).collect()
    }

    /// The processes that are somewhere else than before.
    fn moved(&self, before: &Scene) -> Vec<(usize, SourcePosition)> {
        let has_moved = |pid: &Pid| {
            let at = |scene: &Scene| scene.locations.get(pid.index()).copied();
            at(before) != at(&self.scene)
        };
        let moved = self.scene.pids().filter(has_moved);
        moved.filter_map(|pid| Some((self.process(pid)?, self.place(pid)?))).collect()
    }

    fn executed(&mut self, list: &[Executed], actual: Option<&Scene>, inside: bool) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut offered = None;
        for (n, executed) in list.iter().enumerate() {
            let is_answer = n > 0 && executed.partner.is_some();
            let message = offered.as_deref().filter(|_| is_answer).map(<[i32]>::to_vec);
            if n == 0 && executed.partner.is_some() {
                offered = self.offered(executed);
            }
            if inside && let Some(mut told) = self.d_step(executed, message.as_deref()) {
                steps.append(&mut told);
                continue;
            }
            let fails = actual.is_none();
            steps.push(self.statement(*executed, message.as_deref(), fails));
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

    /// Tells one statement, and executes it unless it fails.
    fn statement(&mut self, executed: Executed, offered: Option<&[i32]>, fails: bool) -> Step {
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
        step.failed = self.failing == Some(transition);
        let before = self.scene.clone();
        if let Some(statement) = self.meaning.statements.get(transition.index()) {
            let actor = self.actor(pid);
            describe(&actor, &before, statement, offered, &mut step);
            if step.failed {
                self.explanation = explain(&actor, &before, &statement.action);
            }
            if !fails {
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
            let is_end = self.failing == Some(inner.transition) && !self.is_assertion(inner.transition);
            let step = self.statement(inner, offered.take(), is_end);
            steps.push(Step { atomic: true, ..step });
            at = to.filter(|_| !is_end);
        }
        Some(steps)
    }

    fn is_assertion(&self, transition: TransitionId) -> bool {
        matches!(self.meaning_of(transition), Some(Statement { action: Action::Assert(_), .. }))
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

    /// Whether a state has another value than was computed.
    fn contradicts(&self, actual: &Scene) -> bool {
        let differs = |value: &super::scene::Value| {
            let computed = self.scene.value(value.owner, &value.name);
            computed.is_some_and(|computed| computed.number.is_some() && computed.number != value.number)
        };
        let queue_differs = |queue: &super::scene::Queue| {
            self.scene.queue(queue.owner, &queue.name).is_some_and(|computed| computed.messages != queue.messages)
        };
        actual.values().iter().any(differs) || actual.queues.iter().any(queue_differs)
    }

    /// How two scenes differ, in the order of the second one.
    fn changes(&self, before: &Scene, after: &Scene) -> Vec<Change> {
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

    fn is_synthetic(&self, owner: Owner, name: &str) -> bool {
        let Some(pid) = owner else { return false };
        let known = self.scene.proctypes.get(pid.index()).and_then(|of| self.meaning.proctypes.get(*of));
        let Some(known) = known else { return false };
        let mut locals = known.locals.iter().filter_map(|id| self.meaning.variables.get(*id));
        locals.any(|variable| variable.is_synthetic && variable.name == name)
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
        let value = |value: &super::scene::Value| Named {
            process: self.owner(value.owner),
            name: value.name.clone(),
            value: value.text.clone(),
        };
        let is_shown =
            |value: &&super::scene::Value| !value.text.is_empty() && !self.is_synthetic(value.owner, &value.name);
        State {
            values: self.scene.values().iter().filter(is_shown).map(value).collect(),
            channels: self.channels(),
            locations: self.scene.pids().filter_map(|pid| Some((self.process(pid)?, self.place(pid)?))).collect(),
        }
    }

    pub fn channels(&self) -> Vec<Channel> {
        let channel = |queue: &super::scene::Queue| Channel {
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
        let location = self.scene.locations.get(pid.index())?;
        self.info.locations.get(*location).map(|location| location.place)
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

/// Fills in what a statement reads, sends and receives.
pub(super) fn describe(
    actor: &Actor<'_>,
    scene: &Scene,
    statement: &Statement,
    offered: Option<&[i32]>,
    step: &mut Step,
) {
    let view = actor.view(scene);
    step.end = statement.end;
    step.atomic = statement.keeps_control;
    step.folded = statement.of_loop.is_some() || matches!(statement.action, Action::Jump);
    if let Some(text) = &statement.of_loop {
        step.text.clone_from(text);
    } else if statement.is_expanded
        && let Some(text) = view.statement(&statement.action)
    {
        step.text = text;
    }
    let now = View { is_concrete: true, ..view };
    step.shown = match statement.is_expanded && statement.of_loop.is_none() {
        true => now.statement(&statement.action).unwrap_or_else(|| step.text.clone()),
        false => step.text.clone(),
    };
    step.kind = match &statement.action {
        Action::Condition(_) => Kind::Condition,
        Action::Else => Kind::Else,
        Action::Jump => Kind::Jump,
        Action::Assign { .. } => Kind::Assign,
        Action::Send { .. } => Kind::Send,
        Action::Receive { .. } => Kind::Receive,
        Action::Assert(_) => Kind::Assert,
        Action::Print(_) => Kind::Print,
        Action::DStep { .. } => Kind::DStep,
        Action::End => Kind::End,
        Action::Other => Kind::Other,
    };
    match &statement.action {
        Action::Condition(expr) | Action::Assert(expr) | Action::Assign { value: expr, .. } => {
            view.reads(expr, &mut step.reads);
        }
        Action::Print(values) => values.iter().for_each(|value| view.reads(value, &mut step.reads)),
        Action::Send { channel, sorted, message } => {
            if let Some((channel, values)) = view.sent(channel, message) {
                let op = if *sorted { "!!" } else { "!" };
                let is_rendezvous = actor.meaning.channels[channel.declaration].capacity == 0;
                let text = scene.message(actor.meaning, channel.declaration, &values);
                let name = view.channel_text(&channel);
                step.shown = format!("{name}{op}{text}");
                step.message = Some(told(actor, scene, (&name, channel.declaration), &values, (true, is_rendezvous)));
            }
        }
        Action::Receive { channel, random, peek, pattern } => {
            let Some(channel) = view.channel(channel) else { return };
            let taken = match offered {
                Some(offered) => Some(offered.to_vec()),
                None => {
                    let position = actor.found(scene, &channel, pattern, *random).flatten();
                    position.and_then(|position| scene.queue_of(&channel)?.messages.get(position).cloned())
                }
            };
            if let Some(values) = taken {
                let op = if *random { "??" } else { "?" };
                let text = scene.message(actor.meaning, channel.declaration, &values);
                let text = if *peek { format!("<{text}>") } else { text };
                let name = view.channel_text(&channel);
                step.shown = format!("{name}{op}{text}");
                let about = (name.as_str(), channel.declaration);
                step.message = Some(told(actor, scene, about, &values, (false, offered.is_some())));
            }
        }
        Action::Else | Action::Jump | Action::DStep { .. } | Action::End | Action::Other => {}
    }
}

fn told(
    actor: &Actor<'_>,
    scene: &Scene,
    (channel, declaration): (&str, usize),
    values: &[i32],
    (is_sent, is_rendezvous): (bool, bool),
) -> Message {
    let types = &actor.meaning.channels[declaration].fields;
    let mut shown: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(n, value)| types.get(n).map_or_else(|| value.to_string(), |ty| scene.shown(actor.meaning, *ty, *value)))
        .collect();
    let is_kind = matches!((types.first(), values.first()), (Some(super::meaning::Type::Mtype(mtype)), Some(value))
        if actor.meaning.symbol(*mtype, *value).is_some());
    let kind = is_kind.then(|| shown.remove(0));
    Message { channel: channel.to_owned(), kind, values: shown, is_sent, is_rendezvous }
}

/// Why a statement violates something: its assertion with values, or the index or the divisor of a fault.
pub(super) fn explain(actor: &Actor<'_>, scene: &Scene, action: &Action) -> Vec<String> {
    let view = actor.view(scene);
    let places = |place: &super::meaning::Place| view.mistake_in_place(place);
    let mistake = match action {
        Action::Assert(condition) => match view.mistake(condition) {
            Some(mistake) => Some(mistake),
            None => return view.why_not(condition, true),
        },
        Action::Condition(expr) => view.mistake(expr),
        Action::Assign { target, value } => view.mistake(value).or_else(|| target.as_ref().and_then(places)),
        Action::Send { channel, message, .. } => {
            places(channel).or_else(|| message.iter().find_map(|value| view.mistake(value)))
        }
        Action::Receive { channel, pattern, .. } => places(channel).or_else(|| {
            pattern.iter().find_map(|field| match field {
                super::meaning::Pattern::Store(place) => places(place),
                super::meaning::Pattern::Equal(value) => view.mistake(value),
                super::meaning::Pattern::Ignore => None,
            })
        }),
        Action::Print(values) => values.iter().find_map(|value| view.mistake(value)),
        Action::Else | Action::Jump | Action::DStep { .. } | Action::End | Action::Other => None,
    };
    mistake.map(|mistake| mistake.explanation()).into_iter().collect()
}
