//! From graphs and facts to the executable form.
//!
//! One file for each noun: expressions, statements, transitions, the insides of a
//! `d_step`.

mod d_step;
mod expr;
mod independence;
mod initial;
mod statement;
mod timers;
mod transition;

use super::{ChannelSide, Claim, Event, Location, Process, Program, Promises, Trace};
use crate::analysis::promises::ChannelUse;
use crate::analysis::{Facts, Ticks};
use crate::collections::IdVec;
use crate::ir::{self, Action, Graph, LocationId};
use crate::model::ProctypeId;

pub use statement::changes_state;

/// The user's options for the meaning of a model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// A send to a full channel is executable, and the message is lost.
    pub loses_messages: bool,
}

/// The context of an expression or a statement.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub program: &'a ir::Program<'a>,
    pub facts: &'a Facts,
    pub options: Options,
    /// Nothing in a claim or a trace.
    pub process: Option<ProctypeId>,
    pub in_d_step: bool,
}

/// Builds the executable form of a model.
pub fn build(program: &ir::Program<'_>, facts: &Facts, options: Options) -> Program {
    let outside = Context { program, facts, options, process: None, in_d_step: false };
    let process = |id: ProctypeId| {
        let inside = outside.inside(id);
        Process {
            initial: inside.initial(program.model.proctypes[id].locals.iter().copied()),
            timers: inside.timers(program.model.proctypes[id].locals.iter().copied()),
            provided: program.model.proctypes[id].provided.as_ref().map(|provided| inside.test(provided)),
            locations: locations(&program.graphs[id]),
            transitions: inside.transitions(&program.graphs[id]),
        }
    };
    let built = Program {
        initial: outside.initial(program.model.state_variables()),
        timers: outside.timers(program.model.globals.iter().copied()),
        ticks_at_once: facts.ticks == Ticks::AtOnce,
        processes: program.model.proctypes.ids().map(process).collect(),
        claims: program
            .claims
            .iter()
            .map(|graph| Claim { locations: locations(graph), transitions: outside.transitions(graph) })
            .collect(),
        formulas: program
            .formulas
            .iter()
            .map(|formula| formula.atoms.iter().map(|atom| outside.test(atom)).collect())
            .collect(),
        trace: program.trace.as_ref().map(|graph| outside.trace(graph)),
        promises: facts.reduction.promises.is_needed().then(|| outside.promises()),
        independence: outside.independence(),
    };
    if cfg!(debug_assertions) {
        super::validate::validate(&built, program);
    }
    built
}

fn locations(graph: &Graph<'_>) -> IdVec<LocationId, Location> {
    let location = |location: &ir::Location| {
        let leaving = (!location.leaving.is_empty()).then(|| location.leaving.clone());
        Location { groups: location.escapes.iter().cloned().chain(leaving).collect() }
    };
    graph.locations.iter().map(location).collect()
}

impl Context<'_> {
    /// The same, in a process of a proctype.
    fn inside(&self, process: ProctypeId) -> Self {
        Self { process: Some(process), ..*self }
    }

    fn promises(&self) -> Promises {
        let promises = &self.facts.reduction.promises;
        let declared = |id: ProctypeId| {
            let own = promises.declared.iter().filter(|declared| declared.proctype == id);
            own.map(|it| ChannelSide { side: it.side, channel: self.inside(id).channel(&it.channel) }).collect()
        };
        let uses = |id: ProctypeId| {
            let side = |it: &ChannelUse| ChannelSide { side: it.side, channel: self.inside(id).channel(&it.channel) };
            promises.uses[id].iter().map(|uses| uses.iter().map(side).collect()).collect()
        };
        let proctypes = || self.program.model.proctypes.ids();
        Promises { declared: proctypes().map(declared).collect(), uses: proctypes().map(uses).collect() }
    }

    fn trace(&self, graph: &Graph<'_>) -> Trace {
        let event = |action: &Action<'_>| {
            let Action::Event { side, channel, pattern } = action else { return None };
            Some(Event { side: *side, channel: self.channel(channel), pattern: self.fields(pattern) })
        };
        Trace { events: graph.transitions.iter().map(|transition| event(&transition.action)).collect() }
    }
}
