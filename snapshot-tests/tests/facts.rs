//! The analyses against the interpreter: steps that are said to be safe are independent of all others.
//!
//! In each state of a random model, take each process that the facts call safe
//! where it stands. Whatever another process does must leave it with as many
//! steps as before, and lead to the same states in either order.

use std::collections::BTreeSet;

use pmc::analysis::actors::ActorId;
use pmc::analysis::safe::LocationSafety;
use pmc::analysis::{Reduction, Simplify, analyze};
use pmc::ir::{self, LocationId};
use pmc::model::{Init, Side};
use snapshot_tests::interpret::{NoAnswer, Options, Point, Program, State, System};
use snapshot_tests::load::load_text;
use snapshot_tests::random_model::{RandomModel, random_model, shrink};

/// How many models are looked at. `RANDOM_MODELS=first..end` looks at others.
const SEEDS: std::ops::Range<u64> = 0..200;

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("RANDOM_MODELS").ok();
    let range = given.as_deref().and_then(|given| given.split_once(".."));
    match range.map(|(first, end)| (first.parse(), end.parse())) {
        Some((Ok(first), Ok(end))) => first..end,
        _ => SEEDS,
    }
}

struct Checker<'a, 'm> {
    system: System<'a>,
    lowered: &'a ir::Program<'m>,
    facts: &'a Reduction,
    n_checked: usize,
}

impl Checker<'_, '_> {
    /// The location at which a process stands, if there is one with the statement of its point only.
    fn location(&self, state: &State, pid: usize) -> Option<LocationId> {
        let process = &state.processes[pid];
        let graph = &self.lowered.graphs[process.proctype];
        let code = &self.system.program.codes[process.proctype];
        let is_end = |at: &LocationId| {
            let leaving = &graph.locations[*at].leaving;
            leaving.iter().any(|id| matches!(graph.transitions[*id].action, ir::Action::End))
        };
        let point: Point = process.at;
        if point == code.end {
            return graph.locations.ids().find(is_end);
        }
        let place = code.place(point);
        let statement = place.statement.filter(|_| !place.is_join)?;
        let mut same = graph.locations.ids().filter(|at| !is_end(at) && graph.locations[*at].span == statement.span);
        same.next().filter(|_| same.next().is_none())
    }

    fn actor(&self, state: &State, pid: usize) -> Option<ActorId> {
        let actor = self.facts.actors.by_pid(u32::try_from(pid).ok()?)?;
        (self.facts.actors.list[actor].proctype == state.processes[pid].proctype).then_some(actor)
    }

    /// Whether the channels are as the facts want them. Only those that are easy to find are looked at.
    fn holds(&self, state: &State, safety: &LocationSafety) -> bool {
        let model = self.lowered.model;
        safety.conditions.iter().all(|condition| {
            let place = &condition.channel.place;
            let Init::Channel(site) = model.variables[place.variable].init else { return false };
            if model.sites[site].count != 1 || !model.globals.contains(&place.variable) || !place.fields.is_empty() {
                return false;
            }
            let Some(channel) = state.channels.iter().find(|channel| channel.site == site) else { return false };
            let (is_full, is_empty) =
                (channel.messages.len() >= model.sites[site].capacity as usize, channel.messages.is_empty());
            match condition.side {
                Side::Send => !is_full,
                Side::Receive => !is_empty,
            }
        })
    }

    fn check(&mut self) -> Result<Option<String>, NoAnswer> {
        let mut waiting = vec![self.system.initial()?];
        let mut seen: BTreeSet<usize> = waiting.iter().copied().collect();
        while let Some(number) = waiting.pop() {
            let expansion = self.system.expand(number)?;
            for arc in &expansion.arcs {
                if seen.insert(arc.to) {
                    waiting.push(arc.to);
                }
            }
            let state = self.system.state(number).clone();
            for pid in 0..state.processes.len() {
                let (Some(actor), Some(at)) = (self.actor(&state, pid), self.location(&state, pid)) else { continue };
                let safety = self.facts.location(actor, at);
                if safety.plain == 0 && self.holds(&state, safety) {
                    self.n_checked += 1;
                    if let Some(lie) = self.dependence(number, pid)? {
                        return Ok(Some(lie));
                    }
                }
            }
        }
        Ok(None)
    }

    /// A step of another process that changes what a process can do, or what comes of it.
    fn dependence(&mut self, number: usize, pid: usize) -> Result<Option<String>, NoAnswer> {
        let n_processes = self.system.state(number).processes.len();
        let here = self.system.expand(number)?;
        let is_own = |movers: u128| movers >> pid & 1 == 1;
        for other in here.arcs.iter().filter(|arc| !is_own(arc.movers)) {
            let there = self.system.expand(other.to)?;
            // Where a process came or went, pids may differ.
            if self.system.state(other.to).processes.len() != n_processes {
                continue;
            }
            let own_here: Vec<usize> = here.arcs.iter().filter(|arc| is_own(arc.movers)).map(|arc| arc.to).collect();
            let own_there: Vec<usize> = there.arcs.iter().filter(|arc| is_own(arc.movers)).map(|arc| arc.to).collect();
            if own_here.iter().any(|to| self.system.state(*to).processes.len() != n_processes) {
                continue;
            }
            if own_here.len() != own_there.len() {
                let lie = format!("{} steps become {}", own_here.len(), own_there.len());
                return Ok(Some(format!("process {pid}: {lie} by a step of {:b}", other.movers)));
            }
            let mut after = BTreeSet::new();
            for to in own_here {
                let next = self.system.expand(to)?;
                after.extend(next.arcs.iter().filter(|arc| arc.movers == other.movers).map(|arc| arc.to));
            }
            if !own_there.iter().all(|to| after.contains(to)) {
                return Ok(Some(format!("process {pid} does not commute with a step of {:b}", other.movers)));
            }
        }
        Ok(None)
    }
}

/// How many times something was checked, and what was a lie.
fn check(model: &RandomModel) -> (usize, Option<String>) {
    let Ok(loaded) = load_text(&model.to_string()) else { return (0, None) };
    let options = Options { max_states: 1_500, max_steps: 60_000, max_depth: 2_000, ..Options::default() };
    let program = Program::new(&loaded.model, &options);
    let lowered = ir::lower(&loaded.model, Vec::new());
    let facts = analyze(&lowered, Simplify::NONE).reduction;
    // Folding may leave nothing of a `_last`, but it splits states all the same.
    if facts.is_off() || program.uses_last {
        return (0, None);
    }
    let mut checker = Checker { system: System::new(&program), lowered: &lowered, facts: &facts, n_checked: 0 };
    // Models that are too large, or go wrong, are looked at as far as they go.
    let lie = checker.check().unwrap_or(None);
    (checker.n_checked, lie)
}

#[test]
fn safe_steps_are_independent() {
    let mut n_checked = 0;
    for seed in seeds() {
        let model = random_model(seed);
        let (n, lie) = check(&model);
        n_checked += n;
        if lie.is_some() {
            let small = shrink(&model, |model| check(model).1.is_some());
            panic!("seed {seed}: {}\n{small}", check(&small).1.unwrap_or_default());
        }
    }
    assert!(n_checked > 100, "only {n_checked} places were checked");
}
