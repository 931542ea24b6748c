//! For each location of a proctype: whether it is safe, in which states, and if not, why.

use serde::Serialize;

use super::SourceLine;
use super::names::{FactNames, list};
use crate::analysis::access::Everything;
use crate::analysis::actors::ActorId;
use crate::analysis::safe::{Condition, Reason, SharedObject, Table, UNSAFE};
use crate::ir::LocationId;
use crate::model::{ProctypeId, Side};

#[derive(Serialize)]
pub struct ProctypeSafety {
    pub proctype: String,
    /// The processes of it that are known one by one.
    pub processes: Vec<String>,
    pub locations: Vec<ExplainedLocation>,
}

/// A location, and all its transitions.
#[derive(Serialize)]
pub struct ExplainedLocation {
    #[serde(flatten)]
    pub place: SourceLine,
    pub statements: Vec<String>,
    /// One if all processes of the proctype are alike here.
    pub verdicts: Vec<Verdict>,
    /// Whether the static proviso fully expands states here.
    pub sticky: bool,
}

/// How safe it is.
#[derive(Serialize)]
pub struct Verdict {
    pub processes: Vec<String>,
    /// The least level at which it is safe; `null` if there is none.
    pub level: Option<u8>,
    /// The same under weak fairness.
    pub fair_level: Option<u8>,
    /// In which states it is safe at level 0.
    pub conditions: Vec<String>,
    /// Why it is not safe at level 0.
    pub reasons: Vec<String>,
    /// Why it is not under weak fairness, if it is without.
    pub fair_reasons: Vec<String>,
}

impl Verdict {
    /// The same of other processes.
    fn is_like(&self, other: &Self) -> bool {
        (self.level, self.fair_level) == (other.level, other.fair_level)
            && self.conditions == other.conditions
            && self.reasons == other.reasons
            && self.fair_reasons == other.fair_reasons
    }
}

pub fn proctypes(names: &FactNames<'_, '_>) -> Vec<ProctypeSafety> {
    let started = names.program.graphs.ids().filter(|id| !names.reduction.actors.of[*id].is_empty());
    started.map(|id| proctype(names, id)).collect()
}

fn proctype(names: &FactNames<'_, '_>, id: ProctypeId) -> ProctypeSafety {
    let actors = &names.reduction.actors.of[id];
    let graph = &names.program.graphs[id];
    let rests = |at: &LocationId| {
        let is_reached = |actor: &ActorId| names.reduction.reach[*actor].locations[*at];
        names.reduction.steps[id].may_rest[*at] && actors.iter().any(is_reached)
    };
    ProctypeSafety {
        proctype: names.program.model.proctypes[id].name.to_string(),
        processes: actors.iter().map(|actor| names.actor(*actor)).collect(),
        locations: graph.locations.ids().filter(rests).map(|at| location(names, id, at)).collect(),
    }
}

fn location(names: &FactNames<'_, '_>, id: ProctypeId, at: LocationId) -> ExplainedLocation {
    let graph = &names.program.graphs[id];
    let leaving = || graph.locations[at].escapes.iter().flatten().chain(&graph.locations[at].leaving);
    let mut verdicts: Vec<Verdict> = Vec::new();
    for actor in names.reduction.actors.of[id].iter().filter(|actor| names.reduction.reach[**actor].locations[at]) {
        let mut one = verdict(names, *actor, at);
        match verdicts.iter_mut().find(|other| other.is_like(&one)) {
            Some(other) => other.processes.append(&mut one.processes),
            None => verdicts.push(one),
        }
    }
    let span = leaving().next().map_or(graph.locations[at].span, |first| graph.transitions[*first].span);
    ExplainedLocation {
        place: SourceLine::of(span, names.sources),
        statements: leaving().map(|number| names.statement(&graph.transitions[*number])).collect(),
        verdicts,
        sticky: names.reduction.sticky[id][at],
    }
}

fn verdict(names: &FactNames<'_, '_>, actor: ActorId, at: LocationId) -> Verdict {
    let safety = names.reduction.location(actor, at);
    let level = |level: u8| (level != UNSAFE).then_some(level);
    let reasons = |table: Table| -> Vec<String> {
        let mut texts = Vec::new();
        for reason in names.reduction.location_reasons(names.program, actor, at, 0, table) {
            let text = because(names, actor, &reason);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    };
    let plain = reasons(Table::Plain);
    let fair_reasons = if plain.is_empty() { reasons(Table::Fair) } else { Vec::new() };
    let conditions = safety.conditions.iter().filter(|condition| condition.below > 0);
    Verdict {
        processes: vec![names.actor(actor)],
        level: level(safety.plain),
        fair_level: level(safety.fair),
        conditions: conditions.map(|condition| state_of(names, condition)).collect(),
        reasons: plain,
        fair_reasons,
    }
}

/// `out has room`
fn state_of(names: &FactNames<'_, '_>, condition: &Condition) -> String {
    let channel = names.text(condition.channel.place.span);
    match condition.side {
        Side::Send => format!("`{channel}` has room"),
        Side::Receive => format!("`{channel}` holds a message"),
    }
}

fn because(names: &FactNames<'_, '_>, actor: ActorId, reason: &Reason) -> String {
    match reason {
        Reason::Everything(Everything::Timeout, _) => "`timeout` depends on all processes".to_owned(),
        Reason::Everything(Everything::Priority, _) => "priorities concern all processes".to_owned(),
        Reason::Everything(Everything::Promise, _) => {
            "its promise (`xr`, `xs`) is relied on, and is checked only while it is there".to_owned()
        }
        Reason::Everything(Everything::Global, _) => "it looks at the whole system".to_owned(),
        Reason::Shared(shared) => of_shared(names, actor, shared),
        Reason::Tested(Side::Send, span) => format!("it matters elsewhere whether `{}` is empty", names.text(*span)),
        Reason::Tested(Side::Receive, span) => format!("it matters elsewhere whether `{}` is full", names.text(*span)),
    }
}

/// `g` is written by P and Q (lines 3 and 5)
fn of_shared(names: &FactNames<'_, '_>, actor: ActorId, shared: &SharedObject) -> String {
    let object = names.object(shared.object);
    let mut texts = Vec::new();
    for (does, is_write) in [("is written by", true), ("is read by", false)] {
        let users = || shared.others.iter().filter(|(_, writes, _)| *writes == is_write);
        let mut lines: Vec<u32> = users().map(|(_, _, span)| names.line(*span)).collect();
        lines.sort_unstable();
        lines.dedup();
        if lines.is_empty() {
            continue;
        }
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let who = grouped(names, actor, users().map(|(user, _, _)| *user));
        let word = if lines.len() == 1 { "line" } else { "lines" };
        texts.push(format!("{does} {} ({word} {})", list(&shortened(who)), list(&lines)));
    }
    if shared.has_twin {
        let proctype = names.reduction.actors.list[actor].proctype;
        texts.push(format!("is used by other processes of {}", names.program.model.proctypes[proctype].name));
    }
    format!("{object} {}", list(&texts))
}

/// Names of processes; all others of one proctype under one name.
fn grouped(names: &FactNames<'_, '_>, actor: ActorId, users: impl Iterator<Item = ActorId>) -> Vec<String> {
    let actors = &names.reduction.actors;
    let users: Vec<ActorId> = users.collect();
    let mut texts: Vec<String> = Vec::new();
    for user in &users {
        let proctype = actors.list[*user].proctype;
        let all = actors.of[proctype].iter().filter(|other| **other != actor);
        let is_all = all.clone().count() > 1 && all.clone().all(|other| users.contains(other));
        let name = &names.program.model.proctypes[proctype].name;
        let text = match is_all {
            true if actors.list[actor].proctype == proctype => format!("all other processes of {name}"),
            true => format!("all processes of {name}"),
            false => names.actor(*user),
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// Limits the number of names.
fn shortened(mut names: Vec<String>) -> Vec<String> {
    const MOST: usize = 4;
    if names.len() > MOST {
        let more = names.len() - (MOST - 1);
        names.truncate(MOST - 1);
        names.push(format!("{more} others"));
    }
    names
}
