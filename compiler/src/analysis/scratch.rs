//! Hidden variables that carry nothing from one step to the next.
//!
//! `hidden` is often written for the scratch variables of a `d_step`: `d_step { t = a; a = b; b = t }`. If every step
//! that reads such a variable sets it before, no state depends on the value that an earlier step left in it. Then
//! states may match whatever its value, and a search need not store it.
//!
//! Errs towards a variable that matters. An `atomic` does not count as one step here: if it contains a cycle, the
//! search has to distinguish its states.

use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, Program, Transition, visit};
use crate::model::{Expr, ExprKind, Init, Place, Type, VariableId};

/// Whether each step sets the variable before it reads it.
pub(super) fn is_scratch(program: &Program<'_>, variable: VariableId) -> bool {
    let declared = &program.model.variables[variable];
    if declared.length.is_some() || matches!(declared.ty, Type::Record(_) | Type::Chan) {
        return false;
    }
    let scratch = Scratch { variable };
    let is_read_elsewhere = {
        let mut is_read = false;
        let mut see = |expression: &Expr| is_read |= scratch.is(expression);
        visit::claim_expressions(program, &mut see);
        for process in &program.model.proctypes {
            process.provided.iter().for_each(|provided| visit::expression(provided, &mut see));
        }
        for other in &program.model.variables {
            match &other.init {
                Init::All(value) => visit::expression(value, &mut see),
                Init::List(values) => values.iter().for_each(|value| visit::expression(value, &mut see)),
                Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => {}
            }
        }
        is_read
    };
    let mut steps = program.graphs.iter().flat_map(|graph| &graph.transitions);
    !is_read_elsewhere && steps.all(|step| scratch.through(step, false).is_some())
}

struct Scratch {
    variable: VariableId,
}

impl Scratch {
    fn is(&self, expression: &Expr) -> bool {
        match &expression.kind {
            ExprKind::Read(place) => place.variable == self.variable,
            _ => false,
        }
    }

    /// Whether the variable is set after a transition, if it `is_set` before. `None` if it is read before it is set.
    fn through(&self, transition: &Transition<'_>, is_set: bool) -> Option<bool> {
        transition.actions().try_fold(is_set, |is_set, action| self.action(action, is_set))
    }

    fn action(&self, action: &Action<'_>, is_set: bool) -> Option<bool> {
        if let Action::DStep(inner) = action {
            return self.d_step(inner, is_set);
        }
        let mut is_read = false;
        visit::action_expressions(action, &mut |expression| is_read |= self.is(expression));
        if is_read && !is_set {
            return None;
        }
        let sets = |place: &Place| place.variable == self.variable;
        Some(is_set || action.stored().any(sets))
    }

    /// The same for a whole `d_step`: at a location the variable is set if it is set on every path there.
    fn d_step(&self, graph: &Graph<'_>, is_set: bool) -> Option<bool> {
        let mut is_set_at: IdVec<LocationId, bool> = graph.locations.iter().map(|_| true).collect();
        is_set_at[graph.start] = is_set;
        let mut is_set_behind = true;
        loop {
            let mut is_done = true;
            for (at, location) in graph.locations.iter_enumerated() {
                for id in location.escapes.iter().flatten().chain(&location.leaving) {
                    let transition = &graph.transitions[*id];
                    let after = self.through(transition, is_set_at[at])?;
                    let there = match transition.to {
                        Some(to) => &mut is_set_at[to],
                        None => &mut is_set_behind,
                    };
                    is_done &= after || !*there;
                    *there &= after;
                }
            }
            if is_done {
                return Some(is_set_behind);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;
    use super::*;

    /// Whether the hidden variable `t` is scratch.
    fn t_is_scratch(process: &str) -> bool {
        let text =
            format!("hidden byte t; byte a, b; chan c = [1] of {{ byte }}; active [2] proctype p() {{ {process} }}");
        check(&text, |program, _, model| {
            let t = model.variables.iter_enumerated().find(|(_, variable)| &*variable.name == "t");
            is_scratch(program, t.expect("it is declared").0)
        })
    }

    #[test]
    fn what_each_step_sets_first_is_scratch() {
        assert!(t_is_scratch("d_step { t = a; a = b; b = t }"));
        assert!(t_is_scratch("d_step { t = 0; do :: t < 3 -> a = a + t; t++ :: else -> break od }; a = 0"));
        assert!(t_is_scratch("d_step { if :: a == 0 -> t = 1 :: else -> t = 2 fi; b = t }"));
        assert!(t_is_scratch("d_step { c?t; b = t }"));
        assert!(t_is_scratch("t = 3; t = a"));
    }

    #[test]
    fn what_a_step_reads_first_is_not() {
        assert!(!t_is_scratch("t = a; a = b; b = t"));
        assert!(!t_is_scratch("atomic { t = a; a = b; b = t }"));
        assert!(!t_is_scratch("d_step { a = b; b = t; t = 1 }"));
        assert!(!t_is_scratch("d_step { if :: a == 0 -> t = 1 :: else fi; b = t }"));
        assert!(!t_is_scratch("d_step { t = a; a = b }; t > 0"));
        assert!(!t_is_scratch("t++"));
    }
}
