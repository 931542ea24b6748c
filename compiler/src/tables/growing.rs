//! The variables that grow without bound, as rows.

use super::{GrowingRow, place, statement_text, visible};
use crate::analysis::ranges::Growing;
use crate::model::{Model, Owner, Type};
use crate::source::SourceMap;

pub(super) fn growing(model: &Model, growing: &[Growing], sources: &SourceMap) -> Vec<GrowingRow> {
    let row = |growing: &Growing| GrowingRow {
        variable: visible(&name(model, growing)),
        proctype: proctype(model, growing).map(visible),
        place: place(sources, growing.span),
        text: visible(&statement_text(sources, growing.span)),
    };
    growing.iter().map(row).collect()
}

/// The name in messages: `count`, or `table[].size` for all elements of an array.
pub fn name(model: &Model, growing: &Growing) -> String {
    let variable = &model.variables[growing.variable];
    let brackets = |length: Option<u32>| if length.is_some() { "[]" } else { "" };
    let mut name = format!("{}{}", variable.name, brackets(variable.length));
    let mut ty = variable.ty;
    for number in &growing.fields {
        let Type::Record(record) = ty else { break };
        let field = &model.records[record].fields[*number as usize];
        name = format!("{name}.{}{}", field.name, brackets(field.length));
        ty = field.ty;
    }
    name
}

/// The proctype of a local variable.
pub fn proctype<'m>(model: &'m Model, growing: &Growing) -> Option<&'m str> {
    match model.variables[growing.variable].owner {
        Owner::Proctype(id) => Some(&model.proctypes[id].name),
        Owner::Global | Owner::Never(_) => None,
    }
}
