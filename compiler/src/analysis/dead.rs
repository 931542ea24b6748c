//! Local variables that are not read again.
//!
//! Backward liveness on the graph of each proctype: a local scalar is dead at a location if every path from there
//! stores in it before reading it, or ends the process. Two states that differ only in dead variables are bisimilar, so
//! a transition to the location resets them to 0.
//!
//! A timer is switched off. While it is on it may add ticks, but only where no other timer is on: nothing happens then until
//! it is off. A claim that counts steps would notice.
//!
//! Arrays, records and channels are left alone, and so are variables that other processes or properties refer to, or
//! that a `provided` clause reads, which is evaluated at every step. An argument of `printf` counts as read, so that a
//! replay prints the right values.

use super::{Stored, stored};
use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, Program, TransitionId, visit};
use crate::model::{Expr, ExprKind, Init, Origin, Place, ProctypeId, Type, VariableId};

/// Errs towards live.
#[derive(Clone, Debug)]
pub struct Dead {
    /// The variables that are dead at each location.
    pub at: IdVec<ProctypeId, IdVec<LocationId, Vec<VariableId>>>,
    /// The variables that a transition resets to 0, or switches off: those that are dead at its target and may hold
    /// another value.
    pub resets: IdVec<ProctypeId, IdVec<TransitionId, Vec<VariableId>>>,
}

impl Dead {
    /// Nothing is dead.
    pub(super) fn none(program: &Program<'_>) -> Self {
        let nowhere = |graph: &Graph<'_>| graph.locations.iter().map(|_| Vec::new()).collect();
        let never = |graph: &Graph<'_>| graph.transitions.iter().map(|_| Vec::new()).collect();
        Self { at: program.graphs.iter().map(nowhere).collect(), resets: program.graphs.iter().map(never).collect() }
    }

    pub(super) fn analyze(program: &Program<'_>, stored: &IdVec<VariableId, Stored>, counts_steps: bool) -> Self {
        let is_seen = seen_from_outside(program);
        let mut dead = Self::none(program);
        for (id, graph) in program.graphs.iter_enumerated() {
            let process = &program.model.proctypes[id];
            let is_candidate = |variable: &VariableId| {
                let declared = &program.model.variables[*variable];
                let is_scalar = declared.length.is_none()
                    && match declared.ty {
                        Type::Record(_) | Type::Chan => false,
                        Type::Timer => !counts_steps,
                        _ => true,
                    };
                is_scalar && stored[*variable] == Stored::Yes && !is_seen[*variable]
            };
            let candidates: Vec<VariableId> =
                process.parameters.iter().chain(&process.locals).copied().filter(is_candidate).collect();
            if candidates.is_empty() {
                continue;
            }
            let liveness = Liveness { candidates: &candidates };
            let live = liveness.of(graph, &vec![false; candidates.len()]);
            dead.resets[id] = liveness.resets(program, graph, &live);
            let dead_at = |live: &Live| liveness.named(|n| !live[n]);
            dead.at[id] = live.iter().map(dead_at).collect();
        }
        dead
    }
}

/// Variables that others refer to, or that are read at all times.
fn seen_from_outside(program: &Program<'_>) -> IdVec<VariableId, bool> {
    let mut is_seen = stored::remote_variables(program);
    for process in &program.model.proctypes {
        if let Some(provided) = &process.provided {
            visit::expression(provided, &mut |part| {
                if let ExprKind::Read(place) = &part.kind {
                    is_seen[place.variable] = true;
                }
            });
        }
    }
    // The variables of a promise are live as long as the process.
    for (_, channel) in program.model.proctypes.iter().flat_map(|process| &process.exclusive) {
        let place = &channel.place;
        for index in place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref())) {
            visit::expression(index, &mut |part| {
                if let ExprKind::Read(place) = &part.kind {
                    is_seen[place.variable] = true;
                }
            });
        }
    }
    is_seen
}

/// For each candidate whether it is live.
type Live = Vec<bool>;

struct Liveness<'c> {
    candidates: &'c [VariableId],
}

impl Liveness<'_> {
    /// What is live at each location, given what is live at the end of a `d_step` or process.
    fn of(&self, graph: &Graph<'_>, at_the_end: &Live) -> IdVec<LocationId, Live> {
        let mut live: IdVec<LocationId, Live> = graph.locations.iter().map(|_| vec![false; at_the_end.len()]).collect();
        loop {
            let mut is_done = true;
            // Most transitions lead forwards, so later locations come first.
            for (id, location) in graph.locations.iter_enumerated().rev() {
                for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
                    let transition = &graph.transitions[*transition];
                    let mut before = transition.to.map_or_else(|| at_the_end.clone(), |to| live[to].clone());
                    transition.actions().rev().for_each(|action| self.before(action, &mut before));
                    for (known, found) in live[id].iter_mut().zip(before) {
                        is_done &= *known || !found;
                        *known |= found;
                    }
                }
            }
            if is_done {
                return live;
            }
        }
    }

    /// From what is live after a statement to what is live before it.
    fn before(&self, action: &Action<'_>, live: &mut Live) {
        if let Action::DStep(inner) = action {
            let inside = self.of(inner, live);
            live.clone_from(&inside[inner.start]);
            return;
        }
        for n in action.stored().filter_map(|place| self.number(place.variable)) {
            live[n] = false;
        }
        visit::action_expressions(action, &mut |expression| {
            if let ExprKind::Read(place) = &expression.kind
                && let Some(n) = self.number(place.variable)
            {
                live[n] = true;
            }
        });
    }

    fn number(&self, variable: VariableId) -> Option<usize> {
        self.candidates.iter().position(|candidate| *candidate == variable)
    }

    fn named(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<VariableId> {
        (0..self.candidates.len()).filter(|n| is_wanted(*n)).map(|n| self.candidates[n]).collect()
    }

    /// A variable that was dead before a transition is 0 already, or a timer off, unless it is stored in, or has kept its initial
    /// value.
    fn resets(
        &self,
        program: &Program<'_>,
        graph: &Graph<'_>,
        live: &IdVec<LocationId, Live>,
    ) -> IdVec<TransitionId, Vec<VariableId>> {
        let mut may_hold: IdVec<TransitionId, Live> =
            graph.transitions.iter().map(|_| vec![false; self.candidates.len()]).collect();
        for (at, location) in graph.locations.iter_enumerated() {
            for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
                for (n, candidate) in self.candidates.iter().enumerate() {
                    let variable = &program.model.variables[*candidate];
                    let is_idle = match &variable.init {
                        Init::Zero => true,
                        Init::All(value) => {
                            variable.ty == Type::Timer && value.as_constant() == Some(variable.ty.idle())
                        }
                        Init::List(_) | Init::Channel(_) | Init::FieldChannel { .. } => false,
                    };
                    let starts = variable.origin == Origin::Parameter || !is_idle;
                    may_hold[*transition][n] |= live[at][n] || (at == graph.start && starts);
                }
            }
        }
        let reset = |(id, transition): (TransitionId, &crate::ir::Transition<'_>)| {
            let Some(to) = transition.to else { return Vec::new() };
            let mut holds = may_hold[id].clone();
            for action in transition.actions() {
                let value = action.assigned().and_then(Expr::as_constant);
                all_stores(action, &mut |place| {
                    if let Some(n) = self.number(place.variable) {
                        holds[n] = value != Some(place.ty.idle());
                    }
                });
            }
            self.named(|n| holds[n] && !live[to][n])
        };
        graph.transitions.iter_enumerated().map(reset).collect()
    }
}

/// The scalars that a statement may store in, also inside a `d_step`.
fn all_stores(action: &Action<'_>, visit: &mut dyn FnMut(&Place)) {
    action.stored().for_each(&mut *visit);
    if let Some(inner) = action.d_step() {
        visit::actions(inner, &mut |action| action.stored().for_each(&mut *visit));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, named};

    /// The dead variables at each location of the first proctype, by location.
    fn dead(text: &str) -> String {
        check(text, |program, facts, model| {
            let (process, _) = program.graphs.iter_enumerated().next().expect("a proctype");
            let names = |at: &Vec<_>| at.iter().map(|id| named(model, *id)).collect::<Vec<_>>().join("+");
            facts.dead.at[process].iter().map(names).collect::<Vec<_>>().join(" ")
        })
    }

    fn check_dead(body: &str, expected: &str) {
        let text = format!("chan c = [1] of {{ byte }}; byte g; active proctype p() {{ {body} }}");
        assert_eq!(dead(&text), expected, "{body}");
    }

    #[test]
    fn dead_is_what_is_stored_in_before_it_is_read() {
        check_dead("byte x; c?x; g = x; c?x; c!x", "x  x  x");
        check_dead("byte x; c?x; x = x + 1; c!x", "x   x");
        check_dead("byte x; do :: c?x; c!x od", "x ");
    }

    #[test]
    fn every_way_counts() {
        check_dead("byte x; c?x; if :: g == 1 -> c!x :: else -> c!1 fi", "x   x x");
        check_dead("byte x; x = 1; { g == 1; g == 2 } unless { g == x }", "x   x");
        check_dead("byte x; c?x; goto on; g = 1; on: c!x", "x  x");
        check_dead("byte x; c?x; printf(\"%d\", x); g == 1; g = x; g == 3", "x    x x");
    }

    #[test]
    fn a_d_step_is_looked_into() {
        check_dead("byte x; c?x; d_step { g = x; x = 2 }; g == 1; c!x", "x    x");
        check_dead("byte x; c?x; d_step { x = 2; g = x }; g == 1; g == x", "x x   x");
        check_dead("byte x; c?x; d_step { if :: g == 1 -> x = 2 :: else fi }; g == 1; g == x", "x    x");
    }

    #[test]
    fn arrays_and_what_others_see_live() {
        check_dead("byte x[2]; c?x[0]; c!x[0]; g == 1", "   ");
        let seen = "byte g; active proctype p() { byte x; x = 1; g == x; g = 2 } active proctype q() { p:x == 1 }";
        assert_eq!(dead(seen), "   ");
        let in_formula = "byte g; active proctype p() { byte x; x = 1; g == x; g = 2 } ltl f { [] (p:x < 2) }";
        assert_eq!(dead(in_formula), "   ");
    }

    #[test]
    fn only_what_may_hold_a_value_is_reset() {
        let text = "chan c = [1] of { byte }; byte g; active proctype p() { byte x; c?x; g = x; g == 1; g == 2 }";
        let resets: Vec<usize> = check(text, |program, facts, _| {
            let (process, _) = program.graphs.iter_enumerated().next().expect("a proctype");
            facts.dead.resets[process].iter().map(Vec::len).collect()
        });
        assert_eq!(resets, [0, 1, 0, 0, 0]);
    }

    #[test]
    fn what_is_set_to_zero_is_not_reset() {
        let text = "byte g; active proctype p() { byte x, y; x = g; g == x; atomic { x = 0; y = 1 }; g == y; g = 3 }";
        let resets: Vec<String> = check(text, |program, facts, model| {
            let (process, _) = program.graphs.iter_enumerated().next().expect("a proctype");
            let names = |reset: &Vec<_>| reset.iter().map(|id| named(model, *id)).collect::<Vec<_>>().join(" ");
            facts.dead.resets[process].iter().map(names).collect()
        });
        assert_eq!(resets, ["", "x", "", "", "y", "", ""]);
    }
}
