//! The analyses on the models of the specification's tests, as facts.

mod channels;
mod clusters;
mod creation;
mod followers;
mod guarded;
mod stubborn;
mod visible;

use super::*;
use crate::analysis::actors::ActorId;
use crate::analysis::safe::UNSAFE;
use crate::driver::{Options, Session};
use crate::ir::LocationId;
use crate::model::{Model, Side};
use crate::source::{SourceMap, Span};

/// A model with its facts.
struct Analyzed {
    model: Model,
    sources: SourceMap,
}

fn analyzed(text: &str) -> Analyzed {
    let mut session = Session::from_text("model.pml", text.to_owned(), &Options::default()).expect("a small model");
    let model = session.resolve().expect("a good model");
    Analyzed { model, sources: session.sources }
}

impl Analyzed {
    fn with<T>(&self, show: impl Fn(&Program<'_>, &Reduction) -> T) -> T {
        let program = ir::lower(&self.model, Vec::new());
        let facts = analyze(&program, Simplify::ALL);
        show(&program, &facts.reduction)
    }

    fn name(&self, reduction: &Reduction, actor: ActorId) -> String {
        let actor = &reduction.actors.list[actor];
        let name = &self.model.proctypes[actor.proctype].name;
        actor.pid.map_or_else(|| format!("{name}*"), |pid| format!("{name}{pid}"))
    }

    fn statement(&self, span: Span) -> String {
        self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// `Late0: i = 1 | 0 -`: the statements out of each location, its level in both
    /// tables, and its conditions.
    fn table(&self, only: &str) -> String {
        self.with(|program, reduction| {
            let mut lines = Vec::new();
            for (id, actor) in reduction.actors.list.iter_enumerated() {
                let name = self.name(reduction, id);
                if !name.starts_with(only) {
                    continue;
                }
                let graph = &program.graphs[actor.proctype];
                for at in graph.locations.ids().filter(|at| reduction.reach[id].locations[*at]) {
                    lines.push(format!("{name}: {}", self.location(program, reduction, id, at)));
                }
            }
            lines.join("\n")
        })
    }

    fn location(&self, program: &Program<'_>, reduction: &Reduction, actor: ActorId, at: LocationId) -> String {
        let graph = &program.graphs[reduction.actors.list[actor].proctype];
        let leaving = steps::leaving(graph, at).filter(|id| reduction.reach[actor].transitions[*id]);
        let texts: Vec<String> = leaving
            .map(|id| match graph.transitions[id].action.is_end() {
                true => "end".to_owned(),
                false => self.statement(graph.transitions[id].span),
            })
            .collect();
        let safety = reduction.location(actor, at);
        let level = |level: u8| if level == UNSAFE { "-".to_owned() } else { level.to_string() };
        let mut line = format!("{} | {} {}", texts.join(" :: "), level(safety.plain), level(safety.fair));
        for condition in &safety.conditions {
            let side = if condition.side == Side::Send { "room" } else { "message" };
            let below = if condition.below == UNSAFE { String::new() } else { format!(" below {}", condition.below) };
            line += &format!(" [{}: {side}{below}]", self.statement(condition.channel.place.span));
        }
        line
    }

    /// The blocks of each level above 0: `{Lo1 Hi2} {init0}`.
    fn hierarchy(&self) -> String {
        self.with(|_, reduction| {
            let block = |block: &sets::Set<ActorId>| {
                let names: Vec<String> = block.iter().map(|actor| self.name(reduction, actor)).collect();
                format!("{{{}}}", names.join(" "))
            };
            let levels = reduction.clusters.levels.iter().skip(1);
            let shown: Vec<String> =
                levels.map(|level| level.blocks.iter().map(block).collect::<Vec<_>>().join(" ")).collect();
            shown.join("\n")
        })
    }
}

#[track_caller]
fn check_table(model: &str, only: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(analyzed(model).table(only), expected.join("\n"));
}

#[track_caller]
fn check_hierarchy(model: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(analyzed(model).hierarchy(), expected.join("\n"));
}
