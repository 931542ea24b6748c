//! Statement merging: local steps become part of the step before them.
//!
//! `a; b` is one step if that is not observable: the location between the two is reached by `a` alone and left by `b`
//! alone, and `b` is always enabled, touches only variables of its own process that no other process refers to, and is
//! invisible to all properties. Then the steps of others between `a` and `b` can as well come after `b`: `b` alone is
//! an ample set of the state between, which need not be stored. Deadlocks, assertions and all properties without X are
//! preserved.
//!
//! `b` must not lead to the receive of a rendezvous: arriving there enables a send of another process, and an `unless`,
//! an `else` or fairness can observe when.
//!
//! Errs towards not merging.

use super::failing::{has_total_indices, is_total};
use super::{stored, stutter};
use crate::collections::{Id, IdVec};
use crate::ir::{Action, Graph, LocationId, Merged, Program, Transition, TransitionId, visit};
use crate::model::{
    ChannelRef, Expr, ExprKind, Formula, LabelId, Owner, ProctypeId, Target, Type, VariableId, constants,
};
use crate::source::Span;

/// The merged statements, and those that look as if they could be merged.
#[derive(Clone, Debug, Default)]
pub struct Merging {
    /// Why nothing at all may be merged.
    pub off: Option<&'static str>,
    pub steps: Vec<Considered>,
}

/// A statement that is alone between two locations.
#[derive(Clone, Debug)]
pub struct Considered {
    pub proctype: ProctypeId,
    /// The statement and the one before it.
    pub span: Span,
    pub after: Span,
    /// Why it is a step of its own; `None` if it is merged with the one before.
    pub why_not: Option<&'static str>,
}

/// Merges what can be merged in every process.
pub fn merge(program: &mut Program<'_>) -> Merging {
    let mut merging = Merging { off: why_off(program), steps: Vec::new() };
    if merging.off.is_some() {
        return merging;
    }
    let context = MergeFacts::new(program);
    let mut merged = Vec::new();
    for (id, graph) in program.graphs.iter_enumerated() {
        let considered = context.consider(program, id, graph);
        let passed: Vec<LocationId> = considered.iter().filter(|(_, why)| why.is_none()).map(|(at, _)| *at).collect();
        for (at, why_not) in considered {
            let b = &graph.transitions[graph.locations[at].leaving[0]];
            let a = graph.transitions.iter().find(|transition| transition.to == Some(at));
            let after = a.map_or(b.span, |a| a.span);
            merging.steps.push(Considered { proctype: id, span: b.span, after, why_not });
        }
        merged.push(without(graph, &passed));
    }
    program.graphs = merged.into_iter().collect();
    merging
}

/// Why a state that is visited again, or left out, may change the verdict of a claim.
pub(super) fn counts_steps(program: &Program<'_>) -> Option<&'static str> {
    if program.model.formulas.iter().any(|ltl| has_next(&ltl.formula)) {
        return Some("a formula with X counts steps");
    }
    let claims = program.claims.iter().zip(&program.model.never);
    if claims.into_iter().any(|(graph, claim)| stutter::obstacle(graph, claim.span).is_some()) {
        return Some("a never claim may count steps");
    }
    None
}

/// Why no step of the model may be merged with another: the model counts steps, or observes which process can move
/// where.
fn why_off(program: &Program<'_>) -> Option<&'static str> {
    if let Some(why) = counts_steps(program) {
        return Some(why);
    }
    let mut off = None;
    let mut ask = |expression: &Expr| match &expression.kind {
        ExprKind::Last => off = Some("the model uses `_last`"),
        ExprKind::Enabled(_) => off = Some("the model uses `enabled()`"),
        ExprKind::PcValue(_) => off = Some("the model uses `pc_value()`"),
        ExprKind::Priority | ExprKind::GetPriority(_) | ExprKind::SetPriority(..) => {
            off = Some("the model uses priorities");
        }
        ExprKind::Run { priority: Some(_), .. } => off = Some("the model uses priorities"),
        _ => {}
    };
    visit::program_expressions(program, &mut ask);
    visit::claim_expressions(program, &mut |expression| {
        let asks = matches!(
            expression.kind,
            ExprKind::Timeout
                | ExprKind::Last
                | ExprKind::Enabled(_)
                | ExprKind::PcValue(_)
                | ExprKind::Priority
                | ExprKind::GetPriority(_)
        );
        if asks {
            off = Some("a property asks who can move");
        }
    });
    let has_priority = program.model.proctypes.iter().any(|process| process.priority.is_some());
    for graph in &program.graphs {
        visit::actions(graph, &mut |action| {
            if let Action::Assign { target: Target::Priority, .. } = action {
                off = Some("the model uses priorities");
            }
        });
    }
    if has_priority { Some("the model uses priorities") } else { off }
}

fn has_next(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(_) => false,
        Formula::Next(_) => true,
        Formula::Not(inner) | Formula::Always(inner) | Formula::Eventually(inner) => has_next(inner),
        Formula::And(left, right)
        | Formula::Or(left, right)
        | Formula::Implies(left, right)
        | Formula::Equivalent(left, right)
        | Formula::Until(left, right)
        | Formula::WeakUntil(left, right)
        | Formula::Release(left, right) => has_next(left) || has_next(right),
    }
}

/// Facts about the whole model.
struct MergeFacts {
    /// Locals that other processes or properties refer to.
    is_remote: IdVec<VariableId, bool>,
    is_constant: IdVec<VariableId, bool>,
    owners: IdVec<VariableId, Owner>,
    /// Labels that other processes or properties refer to.
    seen_labels: Vec<(ProctypeId, LabelId)>,
}

impl MergeFacts {
    fn new(program: &Program<'_>) -> Self {
        Self {
            is_remote: stored::remote_variables(program),
            is_constant: constants::find(program.model),
            owners: program.model.variables.iter().map(|variable| variable.owner).collect(),
            seen_labels: program.referenced_labels.clone(),
        }
    }

    /// The locations with one transition in and one out, and why each must stay.
    fn consider(
        &self,
        program: &Program<'_>,
        id: ProctypeId,
        graph: &Graph<'_>,
    ) -> Vec<(LocationId, Option<&'static str>)> {
        let mut entries: IdVec<LocationId, Vec<TransitionId>> = graph.locations.iter().map(|_| Vec::new()).collect();
        for (transition, to) in graph.transitions.iter_enumerated().filter_map(|(id, step)| Some((id, step.to?))) {
            entries[to].push(transition);
        }
        let mut n_sources: IdVec<TransitionId, usize> = graph.transitions.iter().map(|_| 0).collect();
        for location in &graph.locations {
            for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
                n_sources[*transition] += 1;
            }
        }
        let mut considered = Vec::new();
        for (at, location) in graph.locations.iter_enumerated() {
            let ([a], [b]) = (&entries[at][..], &location.leaving[..]) else { continue };
            let is_alone = at != graph.start && n_sources[*b] == 1 && a != b;
            let (a, b) = (&graph.transitions[*a], &graph.transitions[*b]);
            if is_alone && self.looks_local(id, &b.action) {
                considered.push((at, self.why_not(program, id, graph, at, a, b)));
            }
        }
        considered
    }

    /// Whether a statement is of the kind that can be merged: then the reason against it is worth reporting.
    fn looks_local(&self, id: ProctypeId, action: &Action<'_>) -> bool {
        match action {
            Action::Assign { target: Target::Place(_) | Target::Ignore, value } => {
                let mut is_local = self.is_local_target(id, action);
                visit::expression(value, &mut |part| is_local &= self.is_local_value(id, part));
                is_local
            }
            Action::Condition(condition) => condition.as_constant().is_some_and(|value| value != 0),
            Action::Jump => true,
            Action::Else
            | Action::Assign { .. }
            | Action::Send { .. }
            | Action::Receive { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::Event { .. }
            | Action::DStep(_)
            | Action::End => false,
        }
    }

    fn is_local_target(&self, id: ProctypeId, action: &Action<'_>) -> bool {
        let mut is_local = true;
        if let Action::Assign { target: Target::Place(place), .. } = action {
            is_local &= self.is_own(id, place.variable);
            super::failing::indices(place).for_each(|index| {
                visit::expression(index, &mut |part| is_local &= self.is_local_value(id, part));
            });
        }
        is_local
    }

    fn is_own(&self, id: ProctypeId, variable: VariableId) -> bool {
        self.owners[variable] == Owner::Proctype(id)
    }

    /// Whether no other process can change what this expression itself reads.
    fn is_local_value(&self, id: ProctypeId, part: &Expr) -> bool {
        match &part.kind {
            ExprKind::Constant(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::Pid => true,
            ExprKind::Read(place) => self.is_own(id, place.variable) || self.is_constant[place.variable],
            _ => false,
        }
    }

    fn why_not(
        &self,
        program: &Program<'_>,
        id: ProctypeId,
        graph: &Graph<'_>,
        at: LocationId,
        a: &Transition<'_>,
        b: &Transition<'_>,
    ) -> Option<&'static str> {
        let model = program.model;
        let Some(to) = b.to else { return Some("the process ends") };
        let (between, target) = (&graph.locations[at], &graph.locations[to]);
        if model.proctypes[id].provided.is_some() {
            return Some("the `provided` clause may hold it back");
        }
        if !between.escapes.is_empty() || !target.escapes.is_empty() {
            return Some("an `unless` can be taken there");
        }
        if between.is_end || self.is_visible(id, graph, at) {
            return Some("a label stands before it");
        }
        if self.is_visible(id, graph, to) {
            return Some("a label that others can see stands behind it");
        }
        if can_be_rendezvous(program, &a.action) {
            return Some("the step before may be a rendezvous");
        }
        if target.leaving.iter().any(|leaving| can_answer(program, &graph.transitions[*leaving].action)) {
            return Some("a rendezvous may be received behind it");
        }
        if !a.keeps_control && b.keeps_control {
            return Some("an `atomic` begins with it");
        }
        if let Action::Assign { target, value } = &b.action {
            if let Target::Place(place) = target {
                let variable = &model.variables[place.variable];
                if self.is_remote[place.variable] {
                    return Some("others look at the variable");
                }
                if variable.hidden || place.ty == Type::Chan {
                    return Some("the variable is hidden or a channel");
                }
                if !has_total_indices(model, place) {
                    return Some("it can fail");
                }
            }
            if !is_total(model, value) {
                return Some("it can fail");
            }
        }
        None
    }

    /// Whether a property observes that the process is at the location.
    fn is_visible(&self, id: ProctypeId, graph: &Graph<'_>, at: LocationId) -> bool {
        let location = &graph.locations[at];
        let is_seen = |label: &LabelId| self.seen_labels.contains(&(id, *label));
        location.is_accept
            || location.is_progress
            || location.labels.iter().any(is_seen)
            || self.seen_labels.iter().any(|(of, label)| *of == id && graph.labels[*label] == Some(at))
    }
}

fn is_rendezvous(program: &Program<'_>, channel: &ChannelRef) -> bool {
    channel.sites.is_empty() || channel.sites.iter().any(|site| program.model.sites[*site].is_rendezvous())
}

/// Whether the statement can be one side of a rendezvous.
fn can_be_rendezvous(program: &Program<'_>, action: &Action<'_>) -> bool {
    let mut found = action.channel().is_some_and(|(_, channel)| is_rendezvous(program, channel));
    if let Some(inner) = action.d_step() {
        visit::actions(inner, &mut |action| found |= can_be_rendezvous(program, action));
    }
    found
}

/// Whether the statement can receive in a rendezvous.
fn can_answer(program: &Program<'_>, action: &Action<'_>) -> bool {
    matches!(action, Action::Receive { .. } | Action::DStep(_)) && can_be_rendezvous(program, action)
}

/// The graph without the merged locations: the transitions that leave them are executed by those that lead there.
fn without<'m>(graph: &Graph<'m>, passed: &[LocationId]) -> Graph<'m> {
    let is_passed = |at: LocationId| passed.contains(&at);
    let next = |at: LocationId| graph.locations[at].leaving[0];
    let kept_locations: Vec<LocationId> = graph.locations.ids().filter(|at| !is_passed(*at)).collect();
    let moved: Vec<TransitionId> = passed.iter().map(|at| next(*at)).collect();
    let kept_transitions: Vec<TransitionId> = graph.transitions.ids().filter(|id| !moved.contains(id)).collect();
    let location = |old: LocationId| kept_locations.binary_search(&old).ok().map(LocationId::from_index);
    let transition = |old: &TransitionId| kept_transitions.binary_search(old).ok().map(TransitionId::from_index);

    let chain = |id: &TransitionId| {
        let mut whole = graph.transitions[*id].clone();
        // Each location is passed at most once, so a chain ends.
        while let Some(at) = whole.to.filter(|at| is_passed(*at)) {
            let follower = &graph.transitions[next(at)];
            whole.merged.push(Merged { action: follower.action.clone(), span: follower.span });
            whole.to = follower.to;
            whole.keeps_control = follower.keeps_control;
        }
        whole.to = whole.to.and_then(location);
        whole
    };
    let group = |group: &Vec<TransitionId>| group.iter().filter_map(transition).collect();
    let rest = |at: &LocationId| {
        let mut rest = graph.locations[*at].clone();
        rest.leaving = group(&rest.leaving);
        rest.escapes = rest.escapes.iter().map(group).collect();
        rest
    };
    Graph {
        start: location(graph.start).unwrap_or(graph.start),
        locations: kept_locations.iter().map(rest).collect(),
        transitions: kept_transitions.iter().map(chain).collect(),
        labels: graph.labels.iter().map(|at| at.and_then(location)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::lowered;
    use super::*;

    /// How many statements were merged, and why others were not.
    fn merged(text: &str) -> (usize, Vec<&'static str>) {
        lowered(text, |program| {
            let before: usize = program.graphs.iter().map(|graph| graph.transitions.len()).sum();
            let merging = merge(program);
            let n_merged = |graph: &Graph<'_>| graph.transitions.iter().map(|step| step.merged.len()).sum::<usize>();
            let n: usize = program.graphs.iter().map(n_merged).sum();
            let after: usize = program.graphs.iter().map(|graph| graph.transitions.len()).sum();
            assert_eq!(before, after + n, "each statement is somewhere: {text}");
            (n, merging.off.into_iter().chain(merging.steps.iter().filter_map(|step| step.why_not)).collect())
        })
    }

    #[track_caller]
    fn check(body: &str, n: usize, why_not: &[&str]) {
        let head = "byte g; chan k = [0] of { byte }; chan c = [1] of { byte };";
        let text = format!("{head} active proctype p() {{ byte x, y; byte a[2]; {body} }}");
        assert_eq!(merged(&text), (n, why_not.to_vec()), "{body}");
    }

    #[test]
    fn local_steps_are_merged_with_the_one_before() {
        check("g = 1; x = 2; y = x; g = 2", 2, &[]);
        check("c?x; y = x; g = y", 1, &[]);
        check("x = 1; skip; g = x", 1, &[]);
        check("d_step { g = 1; x = 2 }; y = x; g = y", 1, &[]);
        check("if :: g == 1 -> x = 2 :: else -> x = 3 fi; g = x", 2, &[]);
    }

    #[test]
    fn what_others_can_notice_is_a_step_of_its_own() {
        check("x = 1; g = 1; g = 2", 0, &[]);
        check("x = 1; x = g; g = 2", 0, &[]);
        check("x = 1; x == 1; g = 2", 0, &[]);
        check("x = 1; assert(y == 0); g = 2", 0, &[]);
        check("x = 1; c!1; c?x; printf(\"%d\", x); g = 1", 0, &[]);
        check("g = 1; x = 8 / y; g = x", 0, &["it can fail"]);
        check("c?x; a[x] = 1; g = a[x]", 0, &["it can fail"]);
        check("g = 1; a[1] = 1; g = a[x]", 1, &[]);
    }

    #[test]
    fn rendezvous_keep_their_places() {
        check("k?x; y = x; g = y", 0, &["the step before may be a rendezvous"]);
        check("g = 1; x = 1; k?x", 0, &["a rendezvous may be received behind it"]);
        check("g = 1; x = 1; if :: c?x :: k?y fi", 0, &["a rendezvous may be received behind it"]);
        check("g = 1; x = 1; k!x", 1, &[]);
    }

    #[test]
    fn jumps_labels_and_escapes_keep_their_places() {
        check("g = 1; end: x = 1; g = 2", 0, &["a label stands before it"]);
        check("g = 1; accept: x = 1; g = 2", 0, &["a label stands before it"]);
        check("g = 1; x = 1; progress: g = 2", 0, &["a label that others can see stands behind it"]);
        check("g = 1; plain: x = 1; g = 2", 1, &[]);
        // Two ways lead to `x = 1`.
        check("g = 1; plain: x = 1; g = x; goto plain", 0, &[]);
        check("{ g = 1; x = 1; g = 2 } unless { g == 3 }", 0, &["an `unless` can be taken there"]);
        check("x = 1; do :: x = 1 - x od", 0, &[]);
    }

    #[test]
    fn an_atomic_does_not_begin_early() {
        check("g = 1; atomic { x = 1; g = 2 }", 0, &["an `atomic` begins with it"]);
        check("atomic { g = 1; x = 1; g = 2 }", 1, &[]);
        check("atomic { g = 1; x = 1 }; y = 2; g = y", 2, &[]);
    }

    #[test]
    fn what_is_looked_at_from_outside_is_a_step_of_its_own() {
        let p = "byte g; active proctype p() { byte x; g = 1; x = 1; L: g = 2 }";
        assert_eq!(merged(p), (1, Vec::new()));
        assert_eq!(
            merged(&format!("{p} active proctype q() {{ p:x == 1 }}")),
            (0, vec!["others look at the variable"])
        );
        let label = vec!["a label that others can see stands behind it"];
        assert_eq!(merged(&format!("{p} active proctype q() {{ p@L }}")), (0, label));
        assert_eq!(merged(&format!("{p} active proctype q() {{ g == _last }}")), (0, vec!["the model uses `_last`"]));
        let never = vec!["a never claim may count steps"];
        assert_eq!(merged(&format!("{p} never {{ g == 1; g == 1; g == 2 }}")), (0, never));
        assert_eq!(merged(&format!("{p} never {{ do :: g == 1 od }}")), (1, Vec::new()));
        let provided = p.replace("p()", "p() provided (g < 9)");
        assert_eq!(merged(&provided), (0, vec!["the `provided` clause may hold it back"]));
    }
}
