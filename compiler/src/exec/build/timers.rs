//! The timers that a tick lowers.

use super::Context;
use crate::analysis::Stored;
use crate::exec::Timer;
use crate::model::{Type, VariableId};

impl Context<'_> {
    /// The timers among some variables. One that can never be on is left out, since a tick does not change it, and one that
    /// nothing asks.
    pub fn timers(&self, variables: impl Iterator<Item = VariableId>) -> Vec<Timer> {
        let mut found = Vec::new();
        for id in variables.filter(|id| self.facts.stored[*id] != Stored::Unread) {
            let variable = &self.program.model.variables[id];
            let at = Timer { variable: id, path: Vec::new(), lengths: Vec::new() };
            self.add_timers(at, variable.ty, variable.length, &mut found);
        }
        found
    }

    fn add_timers(&self, mut at: Timer, ty: Type, length: Option<u32>, found: &mut Vec<Timer>) {
        let model = self.program.model;
        at.lengths.extend(length);
        match ty {
            Type::Record(record) => {
                for (field, number) in model.records[record].fields.iter().zip(0..) {
                    let mut inside = at.clone();
                    inside.path.push(number);
                    self.add_timers(inside, field.ty, field.length, found);
                }
            }
            Type::Timer if self.facts.ranges.variable(model, at.variable, &at.path).high >= 0 => found.push(at),
            _ => {}
        }
    }
}
