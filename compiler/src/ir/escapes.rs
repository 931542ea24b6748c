//! The escapes (`unless`) that can be taken at a location, with pan's rule.
//!
//! pan has a table of steps for each numbered place. It puts the steps of an escape in front of those that the escape
//! covers, one place after the other, in the order of their numbers ([`ElementId`]). So what an escape brings along depends on
//! which place has the lower number. In most models the escape stands behind what it covers, has the higher number, and
//! brings its own first steps alone. But a block, a choice and an `atomic` have higher numbers than what is in them. At such
//! a place an escape from inside brings its own escapes along, all of them as one group: in
//! `atomic { { { x = 1 } unless { x = 5 } } unless { q!1 } }` control is in front of the `atomic` first, where both
//! escapes can be taken; in front of `x = 1` without the `atomic` it is the outer one alone.
//!
//! An escape that begins with a `goto` is what stands at the label, since a `goto` is no step there. At a join (behind
//! `fi`, `od` and `unless`) where control rests inside an `atomic`, no escape can be taken.

use super::elements::{ElementId, ElementKind};
use super::lower::Lowering;
use crate::collections::IdVec;

/// For each place where an escape begins, the steps that a place with a higher number takes over from it.
pub(super) struct EscapeSteps(IdVec<ElementId, Vec<ElementId>>);

impl EscapeSteps {
    pub fn new(lowering: &Lowering<'_, '_>) -> Self {
        let elements = &lowering.elements.elements;
        let mut beginnings: Vec<ElementId> = elements.ids().flat_map(|covered| lowering.beginnings(covered)).collect();
        beginnings.sort_unstable();
        beginnings.dedup();
        let mut all = Self(elements.iter().map(|_| Vec::new()).collect());
        for place in beginnings {
            let mut steps = lowering.flatten(place);
            // From the inner ones to the outer ones, as pan has them.
            let groups = lowering.escapes(place, &steps, &all);
            steps.extend(groups.into_iter().rev().flatten());
            all.0[place] = steps;
        }
        all
    }
}

impl Lowering<'_, '_> {
    /// The escapes of a location, the one that is tried first in front.
    pub(super) fn escapes(&self, place: ElementId, leaving: &[ElementId], before: &EscapeSteps) -> Vec<Vec<ElementId>> {
        let mut known = leaving.to_vec();
        let mut groups = Vec::new();
        for beginning in leaving.iter().flat_map(|step| self.beginnings(*step)) {
            let steps = if beginning < place { before.0[beginning].clone() } else { self.flatten(beginning) };
            let new: Vec<ElementId> = steps.into_iter().filter(|step| !known.contains(step)).collect();
            known.extend(&new);
            groups.extend((!new.is_empty()).then_some(new));
        }
        groups.reverse();
        groups
    }

    /// Where the escapes that cover a step begin, innermost first.
    fn beginnings(&self, covered: ElementId) -> Vec<ElementId> {
        let element = &self.elements.elements[covered];
        match element.kind {
            ElementKind::Join => Vec::new(),
            _ => element.escapes.iter().filter_map(|escape| self.resolve(*escape, element.atomic)).collect(),
        }
    }
}
