//! `pmc graph`: pictures of a model: the control flow of each proctype, claim and formula (`control_flow.rs`), its state
//! space (`states.rs`), or the clusters of processes (`clusters.rs`).

mod clusters;
mod control_flow;
pub mod states;

use std::io::{self, Write};

use pmc_runtime::explore::{Explorer, explore};
use pmc_runtime::reduction::Independence;
use pmc_runtime::search::Searches;

use super::{ExitStatus, print, report};
use crate::cli::{Format, GraphArgs, GraphFormat};
use crate::driver::{Analysed, Error, Session};
use crate::interpret::Visitor;
use crate::picture::diagram::{Diagram, dot, svg};
use states::GraphLimits;

pub fn run(arguments: &GraphArgs) -> Result<ExitStatus, Error> {
    if arguments.states { draw_states(arguments) } else { draw_control_flow(arguments) }
}

fn draw_control_flow(arguments: &GraphArgs) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&arguments.model.path, &arguments.model.options())?;
    let model = session.resolve_simplified();
    let analysed = match &model {
        Ok(model) => session.analyse(model),
        Err(stop) => Err(*stop),
    };
    report(&session, Format::Human, arguments.model.color)?;
    let Ok(Analysed { program, facts, .. }) = &analysed else { return Ok(ExitStatus::Wrong) };
    let names = control_flow::names(program);
    match &arguments.proctype {
        Some(name) if !names.contains(&name.as_str()) => {
            Err(Error::NoProctype { name: name.clone(), there_are: names.join("`, `") })
        }
        name => {
            let reduction = &facts.reduction;
            let text = match arguments.clusters {
                true => clusters::dot(program, reduction),
                false => {
                    let diagram = control_flow::diagram(program, reduction, &session.sources, name.as_deref());
                    arguments.format.draw(&diagram)
                }
            };
            print(&text).map(|()| ExitStatus::Fine)
        }
    }
}

fn draw_states(arguments: &GraphArgs) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&arguments.model.path, &arguments.model.options())?;
    let limits = GraphLimits { states: usize::from(arguments.max_states), depth: usize::MAX };
    session.interpret(|session, interpretable| {
        report(session, Format::Human, arguments.model.color)?;
        let Ok(interpretable) = interpretable else { return Ok(ExitStatus::Wrong) };
        match interpretable.visit(Exploring(|explorer: &Explorer<'_>| states::whole(explorer, &limits))) {
            Ok((diagram, is_complete)) => {
                if !is_complete {
                    let max = arguments.max_states;
                    let _ = writeln!(
                        io::stderr(),
                        "note: only the {max} states nearest to the initial one are drawn; --max-states N draws more"
                    );
                }
                print(&arguments.format.draw(&diagram)).map(|()| ExitStatus::Fine)
            }
            Err(error) => {
                let _ = writeln!(io::stderr(), "error: {error}");
                Ok(ExitStatus::Wrong)
            }
        }
    })
}

impl GraphFormat {
    fn draw(self, diagram: &Diagram) -> String {
        match self {
            Self::Dot => dot(diagram),
            Self::Svg => svg(diagram),
        }
    }
}

/// Does something with the explorer of a model.
pub struct Exploring<A>(pub A);

impl<T, A: FnOnce(&Explorer<'_>) -> T> Visitor for Exploring<A> {
    type Output = T;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> T {
        explore(model, &searches, self.0)
    }
}
