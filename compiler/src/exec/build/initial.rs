//! Initial values of variables.

use super::Context;
use crate::exec::{Cut, Initial, InitialValues};
use crate::model::{Expr, Init, SiteId, Type, VariableId};

impl Context<'_> {
    /// The initial values of variables that are created together.
    pub fn initial(&self, variables: impl Iterator<Item = VariableId>) -> Vec<Initial> {
        let mut all = Vec::new();
        for id in variables {
            let variable = &self.program.model.variables[id];
            let at = Leaf { variable: id, path: Vec::new(), lengths: Vec::new() };
            self.leaves(at, variable.ty, variable.length, &variable.init, &mut all);
        }
        all
    }

    fn leaves(&self, mut at: Leaf, ty: Type, length: Option<u32>, init: &Init, all: &mut Vec<Initial>) {
        let model = self.program.model;
        at.lengths.extend(length);
        if let Type::Record(record) = ty {
            for (field, number) in model.records[record].fields.iter().zip(0..) {
                let mut inside = at.clone();
                inside.path.push(number);
                self.leaves(inside, field.ty, field.length, &field.init, all);
            }
            return;
        }
        let ty = if length.is_some() { ty.element() } else { ty };
        let cut = |value: &Expr| self.cut(ty, value);
        let values = match init {
            Init::Zero => return,
            Init::All(value) => InitialValues::All(cut(value)),
            Init::List(values) => {
                // The last value repeats.
                let all: Vec<Cut> = values.iter().map(cut).collect();
                let last = all.last().expect("a list has a value").clone();
                let n = length.unwrap_or(1) as usize;
                InitialValues::List(all.into_iter().chain(std::iter::repeat(last)).take(n).collect())
            }
            Init::Channel(site) => InitialValues::Channels(*site),
            Init::FieldChannel { .. } => {
                let is_here = |site: &SiteId| {
                    let site = &model.sites[*site];
                    site.variable == at.variable && site.path == at.path
                };
                match model.sites.ids().find(is_here) {
                    Some(site) => InitialValues::Channels(site),
                    // A parameter, which gets its channels from the arguments.
                    None => return,
                }
            }
        };
        all.push(Initial { variable: at.variable, path: at.path, lengths: at.lengths, values });
    }
}

/// The position of a scalar.
#[derive(Clone)]
struct Leaf {
    variable: VariableId,
    path: Vec<u32>,
    lengths: Vec<u32>,
}
