//! The facts for reductions: which statements are safe, and why others are not; clusters; losses, and what would help.

use serde::Serialize;

use super::advice::advice;
use super::names::{self, FactNames};
use super::{SourceLine, statements};
use crate::analysis::Reduction;
use crate::analysis::actors::ActorId;
use crate::analysis::exclusive::{Exclusive, Status};
use crate::analysis::followers::Follower;
use crate::analysis::losses::{Loss, LossCause};
use crate::analysis::objects::Object;
use crate::analysis::processes::PidUse;
use crate::analysis::sets::Set;
use crate::analysis::visibility::{ObstacleCause, Property, PropertyKind};
use crate::ir::Program;
use crate::ir::formula::Automaton;
use crate::source::{SourceMap, Span};

#[derive(Serialize)]
pub struct ExplainedReduction {
    /// Whether there can be any.
    pub possible: bool,
    pub proctypes: Vec<statements::ProctypeSafety>,
    /// From level 1 on: the clusters of processes.
    pub clusters: Vec<Vec<Vec<String>>>,
    pub followers: Vec<ExplainedFollower>,
    pub promises: Vec<Promise>,
    pub properties: Vec<ExplainedProperty>,
    pub losses: Vec<ExplainedLoss>,
    pub advice: Vec<String>,
}

/// A statement that brings its process to a rendezvous.
#[derive(Serialize, PartialEq, Eq)]
pub struct ExplainedFollower {
    pub proctype: String,
    #[serde(flatten)]
    pub place: SourceLine,
    pub statement: String,
    pub channel: String,
    /// The receive that makes it one.
    pub receive: SourceLine,
    /// Whether some process tests that no receiver is ready, so that it is unsafe.
    pub tested: bool,
    /// The same under weak fairness.
    pub tested_under_fairness: bool,
}

/// An `xr` or `xs`.
#[derive(Serialize, PartialEq, Eq)]
pub struct Promise {
    pub proctype: String,
    #[serde(flatten)]
    pub place: SourceLine,
    pub promise: String,
    /// `proved`, `refuted` or `unproved`.
    pub status: &'static str,
    pub why: String,
}

#[derive(Serialize)]
pub struct ExplainedProperty {
    pub kind: &'static str,
    pub name: String,
    #[serde(flatten)]
    pub place: Option<SourceLine>,
    /// Of a claim: whether it is stutter-closed, as far as that is known.
    pub stutter_closed: Option<bool>,
    /// Of a claim: whether only finite runs violate it, so that it is searched like assertions.
    pub safety: Option<bool>,
    /// Whether reduction can be used when it is checked.
    pub reduction: bool,
    pub obstacles: Vec<ExplainedLoss>,
    /// The lines of the statements that are visible to it.
    pub visible: Vec<u32>,
}

#[derive(Serialize, PartialEq, Eq)]
pub struct ExplainedLoss {
    #[serde(flatten)]
    pub place: SourceLine,
    pub cause: String,
    pub effect: &'static str,
}

pub fn reduction(program: &Program<'_>, facts: &Reduction, sources: &SourceMap) -> ExplainedReduction {
    let names = FactNames { program, reduction: facts, sources };
    let place = |span: Span| SourceLine::of(span, sources);
    let mut followers = Vec::new();
    for fact in &facts.uses.followers {
        let follower = follower(&names, fact);
        if !followers.contains(&follower) {
            followers.push(follower);
        }
    }
    let mut promises = Vec::new();
    for fact in &facts.exclusives {
        let promise = promise(&names, fact);
        if !promises.contains(&promise) {
            promises.push(promise);
        }
    }
    let mut losses: Vec<ExplainedLoss> = facts.losses.iter().map(|fact| loss(&names, fact)).collect();
    if let Some((pid_use, span)) = facts.processes.pids_are_observed {
        let cause = match pid_use {
            PidUse::Count => "`_nr_pr` counts processes",
            PidUse::RunValue => "the pid of a new process is looked at",
            PidUse::OwnPid => "`_pid` is asked for in a process whose pid is not known",
            PidUse::Reference => "a process is referred to from outside",
        };
        let effect = "starting and ending a process is safe only where no process observes the order";
        losses.push(ExplainedLoss { place: place(span), cause: cause.to_owned(), effect });
    }
    ExplainedReduction {
        possible: !facts.is_off(),
        proctypes: statements::proctypes(&names),
        clusters: clusters(&names),
        followers,
        promises,
        properties: facts.properties.iter().map(|fact| property(&names, fact)).collect(),
        losses,
        advice: advice(&names),
    }
}

fn clusters(names: &FactNames<'_, '_>) -> Vec<Vec<Vec<String>>> {
    let levels = names.reduction.clusters.levels.iter().skip(1);
    levels
        .map(|level| level.blocks.iter().map(|block| block.iter().map(|actor| names.actor(actor)).collect()).collect())
        .collect()
}

fn follower(names: &FactNames<'_, '_>, fact: &Follower) -> ExplainedFollower {
    let facts = names.reduction;
    let proctype = facts.actors.list[fact.actor].proctype;
    let transition = &names.program.graphs[proctype].transitions[fact.transition];
    let users = facts.uses.objects.get(Object::Ready(fact.channel)).map(|object| &facts.ownership.users[object]);
    let is_class = facts.actors.list[fact.actor].is_class();
    let by_others = |readers: &Set<ActorId>| readers.iter().any(|reader| reader != fact.actor || is_class);
    ExplainedFollower {
        proctype: names.program.model.proctypes[proctype].name.to_string(),
        place: SourceLine::of(transition.span, names.sources),
        statement: names.statement(transition),
        channel: names.channel(fact.channel),
        receive: SourceLine::of(fact.receive, names.sources),
        tested: users.is_some_and(|users| by_others(&users.readers)),
        tested_under_fairness: users.is_some_and(|users| by_others(&users.fair_readers)),
    }
}

fn promise(names: &FactNames<'_, '_>, fact: &Exclusive) -> Promise {
    let channels: Vec<String> = fact.channels.iter().map(|channel| names.channel(*channel)).collect();
    let (status, why) = match fact.status {
        Status::Proved => ("proved", "no other process can".to_owned()),
        Status::Refuted { by, span } => {
            ("refuted", format!("{} does, in line {}: it is not relied on", names.actor(by), names.line(span)))
        }
        Status::Unproved => {
            let may_be =
                if channels.len() > 1 { format!(", as it may be {}", names::list(&channels)) } else { String::new() };
            if fact.is_believed(&names.reduction.promises) {
                ("believed", format!("others may{may_be}: it is relied on, and checked at run time"))
            } else {
                ("unproved", format!("others may{may_be}, where it cannot be checked: it is not relied on"))
            }
        }
    };
    let proctype = names.reduction.actors.list[fact.actor].proctype;
    let channel = names.text(fact.channel.place.span);
    Promise {
        proctype: names.program.model.proctypes[proctype].name.to_string(),
        place: SourceLine::of(fact.channel.place.span, names.sources),
        promise: format!("{} {channel}", names::promise(fact.side)),
        status,
        why,
    }
}

fn property(names: &FactNames<'_, '_>, fact: &Property) -> ExplainedProperty {
    let mut visible = Vec::new();
    for (actor, steps) in fact.visible_steps.iter_enumerated() {
        let graph = &names.program.graphs[names.reduction.actors.list[actor].proctype];
        let seen = steps
            .iter_enumerated()
            .filter(|(id, is_visible)| **is_visible && names.reduction.reach[actor].transitions[*id]);
        visible.extend(seen.map(|(id, _)| names.line(graph.transitions[id].span)));
    }
    visible.sort_unstable();
    visible.dedup();
    let obstacle = |cause: ObstacleCause| match cause {
        ObstacleCause::Scheduling => "it looks at what only the scheduling decides",
        ObstacleCause::Next => "it has an `X`",
        ObstacleCause::NotStutterClosed => "here it is not known to be stutter-closed",
        ObstacleCause::TooManyConditions => "it has too many conditions to find out whether it is stutter-closed",
        ObstacleCause::Untested => "there is no test of whether it is stutter-closed",
    };
    let is_claim = matches!(fact.kind, PropertyKind::Ltl(_) | PropertyKind::Never(_));
    let detects_stuttering =
        |cause: ObstacleCause| matches!(cause, ObstacleCause::Next | ObstacleCause::NotStutterClosed);
    let stutter_closed = match &fact.obstacles[..] {
        _ if !is_claim => None,
        [] => Some(true),
        obstacles => obstacles.iter().any(|it| detects_stuttering(it.cause)).then_some(false),
    };
    ExplainedProperty {
        kind: match fact.kind {
            PropertyKind::Ltl(_) => "ltl",
            PropertyKind::Never(_) => "never",
            PropertyKind::Acceptance => "acceptance",
            PropertyKind::NonProgress => "non-progress",
            PropertyKind::Trace => "trace",
        },
        name: fact.name.to_string(),
        place: is_claim.then(|| SourceLine::of(fact.span, names.sources)),
        stutter_closed,
        safety: is_safety(names.program, fact.kind),
        reduction: fact.obstacles.is_empty(),
        obstacles: fact
            .obstacles
            .iter()
            .map(|it| ExplainedLoss {
                place: SourceLine::of(it.span, names.sources),
                cause: obstacle(it.cause).to_owned(),
                effect: "no reduction when it is checked",
            })
            .collect(),
        visible,
    }
}

fn is_safety(program: &Program<'_>, kind: PropertyKind) -> Option<bool> {
    match kind {
        PropertyKind::Ltl(number) => program.formulas.get(number).map(Automaton::is_safety),
        PropertyKind::Never(number) => program.claims.get(number).map(|claim| program.is_safety(claim)),
        PropertyKind::Acceptance | PropertyKind::NonProgress | PropertyKind::Trace => None,
    }
}

fn loss(names: &FactNames<'_, '_>, fact: &Loss) -> ExplainedLoss {
    const ALL: &str = "no reduction at all";
    let (cause, effect) = match &fact.cause {
        LossCause::Priorities => ("processes have priorities".to_owned(), ALL),
        LossCause::Last => ("`_last` is asked for".to_owned(), ALL),
        LossCause::Enabled => ("`enabled` is asked for".to_owned(), ALL),
        LossCause::PcValue => ("`pc_value` is asked for".to_owned(), ALL),
        LossCause::NonProgress => ("`np_` is asked for".to_owned(), ALL),
        LossCause::ChannelInNumber => {
            ("this channel comes out of a number".to_owned(), "it may be any channel, so none is used by few alone")
        }
        LossCause::Dynamic(proctype) => {
            let name = &names.program.model.proctypes[*proctype].name;
            let cause = format!("processes of `{name}` are started where their number or order is not known");
            (cause, "they are one cluster, with those who start them")
        }
        LossCause::Believed => {
            let cause = "this promise cannot be proved".to_owned();
            (cause, "it is checked at run time, and not relied on in searches for cycles")
        }
        LossCause::Unproved => ("this promise cannot be proved or checked".to_owned(), "it is not relied on"),
        LossCause::Refuted => ("this promise is wrong".to_owned(), "it is not relied on"),
        LossCause::TooManyProcesses => ("there are more than 64 processes".to_owned(), "no clusters"),
    };
    ExplainedLoss { place: SourceLine::of(fact.span, names.sources), cause, effect }
}
