//! Names that tell all variables of a process, and all channels, apart.

use crate::collections::{Id, IdVec, Lookup};
use crate::model::{ChannelSite, Model, Owner, Process, Type, VariableId};
use crate::source::Name;
use crate::tables::visible;

/// The name of each variable in reports. A process can have several of one name, in different blocks or through inlines:
/// the second one is called `i#2`.
pub fn variable_names(model: &Model) -> IdVec<VariableId, String> {
    let mut names: IdVec<VariableId, String> = model.variables.iter().map(|one| visible(&one.name)).collect();
    for process in &model.proctypes {
        number_equal_names(model, process, "", &mut names);
    }
    for claim in &model.never {
        number_equal_names(model, claim, &format!("{}:", visible(&claim.name)), &mut names);
    }
    names
}

fn number_equal_names(model: &Model, process: &Process, prefix: &str, names: &mut IdVec<VariableId, String>) {
    let mut met: Lookup<Name, usize> = Lookup::new();
    for id in process.parameters.iter().chain(&process.locals) {
        let name = &model.variables[*id].name;
        let n = met.get(name).copied().unwrap_or(0) + 1;
        met.insert(name.clone(), n);
        let number = if n > 1 { format!("#{n}") } else { String::new() };
        names[*id] = format!("{prefix}{}{number}", names[*id]);
    }
}

/// The names of all channels that a declaration makes: `q`, `q[0]`, `node[1].inbox`.
pub fn channel_names(model: &Model, site: &ChannelSite, names: &IdVec<VariableId, String>) -> Vec<String> {
    let variable = &model.variables[site.variable];
    let mut all = indexed(vec![names[site.variable].clone()], variable.length);
    let mut ty = variable.ty;
    for number in &site.path {
        let Type::Record(record) = ty else { break };
        let field = &model.records[record].fields[*number as usize];
        all.iter_mut().for_each(|name| *name = format!("{name}.{}", visible(&field.name)));
        all = indexed(all, field.length);
        ty = field.ty;
    }
    debug_assert!(all.len() == site.count as usize, "one name for each channel of {}", site.variable.index());
    debug_assert!(matches!(variable.owner, Owner::Global | Owner::Proctype(_)), "claims have no channels");
    all
}

fn indexed(names: Vec<String>, length: Option<u32>) -> Vec<String> {
    match length {
        None => names,
        Some(length) => {
            names.iter().flat_map(|name| (0..length).map(move |index| format!("{name}[{index}]"))).collect()
        }
    }
}
