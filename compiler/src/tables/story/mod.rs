//! The statements of a model in a form that the runtime can evaluate and print, as JSON.
//!
//! The runtime knows nothing of Promela, and most runs of a verifier show no run of the model. So what a report needs to
//! show values, the meaning of each statement, is one text that is decoded when a run is shown: it costs the build of a
//! verifier nothing. `story/meaning.rs` of the runtime says what is in it.

mod expr;
mod formula;
mod json;
mod names;
mod statement;

use self::expr::{expr, guard, ty};
use self::formula::formula;
use self::json::{Text, list, text};
use self::names::channel_names;
pub use self::names::variable_names;
pub(super) use self::statement::{statement, statement_in_claim};

use super::{TransitionRow, file_name, visible};
use crate::analysis::Facts;
use crate::collections::{Id, IdVec};
use crate::ir::{Location, Program};
use crate::model::{Init, Model, Origin, Owner, Variable, VariableId};
use crate::source::SourceMap;

/// Everything about a model that has no place in the other tables.
pub(super) fn story(program: &Program<'_>, facts: &Facts, sources: &SourceMap, statements: &[TransitionRow]) -> String {
    let model = program.model;
    let names = &variable_names(model);
    let members = [
        ("files", rows(files(sources))),
        ("mtypes", rows(mtypes(model))),
        ("records", rows(records(model))),
        ("variables", rows(model.variables.ids().map(|id| variable(model, sources, names, id)))),
        ("channels", rows(channels(model, names))),
        ("globals", list(facts.layout.global_sites.iter().map(|site| site.0.to_string()))),
        ("proctypes", rows(proctypes(program, facts))),
        ("leaving", rows(leaving(program))),
        ("statements", rows(statements.iter().map(|row| row.story.clone()))),
        ("claims", rows(claims(program, sources))),
        ("formulas", rows(formulas(model, sources))),
    ];
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(",\n"))
}

/// A list with a line for each of its items.
fn rows(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(",\n"))
}

fn files(sources: &SourceMap) -> impl Iterator<Item = String> {
    sources.files().iter().map(|file| list([text(&visible(file_name(&file.path))), text(&file.text)]))
}

fn mtypes(model: &Model) -> impl Iterator<Item = String> {
    model.mtypes.iter().map(|mtype| {
        let kind = mtype.kind.as_deref().unwrap_or_default();
        let names = mtype.names.iter().map(|name| list([text(&visible(&name.name)), name.value.to_string()]));
        list([text(&visible(kind)), list(names)])
    })
}

fn records(model: &Model) -> impl Iterator<Item = String> {
    model.records.iter().map(|record| {
        let fields = record.fields.iter().map(|field| {
            list([text(&visible(&field.name)), text(&ty(field.ty)), field.length.map_or("null".to_owned(), Text::text)])
        });
        list([text(&visible(&record.name)), list(fields)])
    })
}

fn variable(model: &Model, sources: &SourceMap, names: &IdVec<VariableId, String>, id: VariableId) -> String {
    let variable = &model.variables[id];
    let of = match variable.owner {
        Owner::Global | Owner::Never(_) => "null".to_owned(),
        Owner::Proctype(of) => of.0.to_string(),
    };
    let position = sources.position(variable.span);
    let place = [sources.file_number(variable.span).to_string(), position.line.text(), position.column.text()];
    let flags = u8::from(variable.hidden) + 2 * u8::from(variable.origin == Origin::Synthetic);
    list([
        text(&names[id]),
        text(&ty(variable.ty)),
        variable.length.map_or("null".to_owned(), Text::text),
        of,
        flags.to_string(),
        list(place),
        initial(model, variable),
    ])
}

/// The first values of a local variable; of the others the initial state tells.
fn initial(model: &Model, variable: &Variable) -> String {
    match &variable.init {
        _ if !matches!(variable.owner, Owner::Proctype(_)) => "[]".to_owned(),
        Init::All(value) => list([expr(model, value)]),
        Init::List(values) => list(values.iter().map(|value| expr(model, value))),
        Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => "[]".to_owned(),
    }
}

fn channels(model: &Model, names: &IdVec<VariableId, String>) -> impl Iterator<Item = String> {
    model.sites.iter().map(|site| {
        let names = channel_names(model, site, names);
        let fields = site.fields.iter().map(|field| text(&ty(*field)));
        list([list(names.iter().map(|name| text(name))), site.capacity.to_string(), list(fields)])
    })
}

fn proctypes(program: &Program<'_>, facts: &Facts) -> impl Iterator<Item = String> {
    let model = program.model;
    model.proctypes.iter_enumerated().map(move |(id, process)| {
        let is_alone = facts.population.started[id] == Some(1);
        let sites = facts.layout.processes[id].sites.iter().map(|site| site.0.to_string());
        list([
            u8::from(is_alone).to_string(),
            list(process.parameters.iter().map(|id| id.0.to_string())),
            list(process.locals.iter().map(|id| id.0.to_string())),
            list(sites),
            process.provided.as_ref().map_or("null".to_owned(), |provided| expr(model, provided)),
        ])
    })
}

/// The numbers of the statements that leave each location: those of escapes first.
fn leaving(program: &Program<'_>) -> impl Iterator<Item = String> {
    program.graphs.iter_enumerated().flat_map(|(id, graph)| {
        let first = program.first_transition(id);
        let mut next = first;
        let numbers: Vec<u32> = graph
            .transitions
            .iter()
            .map(|transition| {
                let number = next;
                next += transition.n_statements();
                number
            })
            .collect();
        let of = move |location: &Location| {
            let all = location.escapes.iter().flatten().chain(&location.leaving);
            list(all.map(|transition| numbers[transition.index()].to_string()))
        };
        graph.locations.iter().map(of).collect::<Vec<_>>()
    })
}

/// What the moves of each claim ask, in the order of their numbers.
fn claims(program: &Program<'_>, sources: &SourceMap) -> impl Iterator<Item = String> {
    let model = program.model;
    let never = program.claims.iter().map(move |graph| {
        let mut moves = Vec::new();
        statement_in_claim(model, sources, graph, &mut moves);
        rows(moves.into_iter())
    });
    let formulas = program.formulas.iter().map(move |automaton| {
        let edges = automaton.locations.iter().flat_map(|location| &location.edges);
        rows(edges.map(|edge| list([text("condition"), guard(model, automaton, edge.guard)])))
    });
    never.chain(formulas)
}

/// For each claim the formula that it was made from.
fn formulas(model: &Model, sources: &SourceMap) -> impl Iterator<Item = String> {
    let never = model.never.iter().map(|_| "null".to_owned());
    never.chain(model.formulas.iter().map(move |ltl| formula(model, sources, ltl)))
}
