//! A `d_step` that is a step like any other: its statements follow each other, and none but the first can block or be a
//! fault. So there is nothing to record while it executes.

use quote::quote;

use super::format;
use super::transition::{FunctionKind, GraphCode, Returns, TransitionFunctions};
use crate::exec::effects::{Effects, Executable};
use crate::exec::{Body, Step};
use crate::ir::TransitionId;

/// Longer sequences are split into several functions.
const LONGEST: usize = 24;

impl GraphCode<'_, '_> {
    /// The function of such a `d_step`; nothing if it is another one.
    pub fn straight_d_step(&self, id: TransitionId, step: &Step) -> Option<TransitionFunctions> {
        let Body::DStep(d_step) = &step.body else { return None };
        let transition = self.transition(id);
        let statements = d_step.straight().filter(|statements| statements.len() <= LONGEST)?;
        // A claim reports the statements inside itself.
        let [(_, first), others @ ..] = statements else { return None };
        if self.process.is_none() || transition.answer.is_some() || transition.offer.is_some() {
            return None;
        }
        let mut effects = Effects::default();
        statements.iter().for_each(|(_, statement)| statement.add_effects(&mut effects));
        step.merged.add_effects(&mut effects);
        step.arrival.add_effects(&mut effects);
        let returns = Returns::new(effects.can_fail, false, &quote! { State });
        let first = self.scope("now").statement(first, &returns.blocked);
        let (guard, effect) = (first.guard, first.effect);
        let scope = self.scope("next");
        let others = others.iter().map(|(_, statement)| {
            let comment = format::comment(&self.generator.names.source_text(statement.span));
            let code = scope.statement(statement, &returns.blocked);
            let (guard, effect) = (code.guard, code.effect);
            (!guard.is_empty() || !effect.is_empty()).then(|| quote! { #comment #guard #effect })
        });
        let others: Vec<_> = others.flatten().collect();
        let (merged, arrive, taken) =
            (self.merged(&step.merged), self.arrive(&step.arrival), returns.taken(&quote! { Some(next) }));
        let copy = self.generator.copy_of_now();
        let body = quote! { #guard let mut next = #copy; #effect #(#others)* #merged #arrive #taken };
        let names = &self.names().transitions[id];
        let inner = names.inner.as_deref()?;
        let (tokens, mut call) = self.function(id, &names.function, FunctionKind::Plain, &effects, &returns.ty, &body);
        let inside = statements.iter().map(|(id, _)| inner.transitions[*id].constant.clone());
        call.merged = inside.chain(call.merged).collect();
        Some(TransitionFunctions::new(vec![(tokens, call)], None))
    }
}
