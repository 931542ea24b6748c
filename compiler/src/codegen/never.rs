//! Never claims: a module each, with a function for each statement.
//!
//! Most moves of a claim test a condition and change nothing, so these are plain functions from a state to a truth
//! value. The few that change something return the changed state, as a transition of a process does.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::claims::ClaimPoint;
use super::names::{doc, visible_lines};
use super::offers::{OfferCall, OfferCalls};
use super::parameters::{parameter, used};
use super::transition::{GraphCode, Returns};
use super::{GeneratedFile, Generator, names};
use crate::collections::IdVec;
use crate::exec;
use crate::exec::effects::{Effects, Executable};
use crate::exec::{Body, Guard, Operation, Statement, Step, Test};
use crate::ir::{LocationId, TransitionId};
use crate::tables::{claim_locations, claim_moves};

/// The functions of a transition of a claim, and their call.
struct Move {
    functions: TokenStream,
    /// Whether it was made; nothing for the closing brace, which a claim does not leave.
    call: Option<TokenStream>,
}

impl Generator<'_> {
    pub fn never_file(&self, claim: usize) -> GeneratedFile {
        let process = &self.program.model.never[claim];
        let mut heading = format!("The never claim `{}`.", names::visible(&process.name));
        if let Some(comment) = &process.comment {
            heading = format!("{heading}\n\n{}", visible_lines(comment));
        }
        heading.push_str("\n\n");
        heading.push_str(HEADING);
        self.file(&names::bare(&self.names.never[claim].module), &heading, self.never(claim))
    }

    pub fn never_uses_timeout(&self, claim: usize) -> bool {
        let steps = self.exec.claims[claim].transitions.iter().filter_map(|transition| transition.step.as_ref());
        steps.into_iter().any(|step| step.effects().uses_timeout)
    }

    /// Everything in the module of a never claim.
    fn never(&self, claim: usize) -> TokenStream {
        let place = GraphCode::of_claim(self, claim);
        let graph = place.graph();
        let moves: IdVec<TransitionId, Move> = graph.transitions.ids().map(|id| self.never_move(&place, id)).collect();
        let locations = self.claim_locations(&self.never_points(claim));
        let executed = &self.exec.claims[claim];
        let arms = executed.locations.iter().zip(&place.names().locations);
        let arms = arms.map(|(location, name)| {
            let groups = location.groups.iter().map(|group| never_group(&executed.transitions, group, &moves));
            let offers = OfferCalls::or(groups.collect()).tokens();
            quote! { Location::#name => #offers, }
        });
        let arms: TokenStream = arms.collect();
        let timeout = parameter("timeout", &arms);
        let timeout = self.never_uses_timeout(claim).then(|| quote! { #timeout: bool, });
        let (now_given, moves_given) = (parameter("now", &arms), parameter("moves", &arms));
        let functions = moves.iter().map(|one| &one.functions);
        let body = quote! {
            #locations
            /// Offers every move that the claim can make from `at` in `now`, and returns whether there is one.
            pub fn offer_moves(
                at: ClaimLocation, #now_given: &State, #timeout #moves_given: &mut impl ClaimMoves<State>
            ) -> bool {
                match Location::ALL[at.index()] {
                    #arms
                }
            }
            #(#functions)*
        };
        let constants = self.never_constants(&place);
        let body = quote! { #body #constants };
        let import = Self::import();
        quote! { #import #body }
    }

    /// The locations, the initial one first.
    fn never_points(&self, claim: usize) -> Vec<ClaimPoint<'_>> {
        let graph = &self.program.claims[claim];
        let names = &self.names.never[claim].graph;
        let labels = &self.program.model.never[claim].labels;
        let point = |id: LocationId| {
            let location = &graph.locations[id];
            let own: Vec<&str> = location.labels.iter().map(|label| &*labels[*label].name).collect();
            let is_end = graph.closing_brace() == Some(id);
            let doc = match &own[..] {
                _ if is_end => Some(doc(" The closing brace: the claim is violated.")),
                [] => None,
                own => Some(doc(&format!(" {}:", own.join(": ")))),
            };
            let name = &names.locations[id];
            ClaimPoint { name, doc }
        };
        claim_locations(graph).map(point).collect()
    }

    /// A constant for each move that the code names: its number and its target.
    fn never_constants(&self, place: &GraphCode<'_, '_>) -> TokenStream {
        let (graph, names) = (place.graph(), place.names());
        let mut tokens = TokenStream::new();
        for (id, number) in claim_moves(graph).iter_enumerated() {
            let Some(number) = *number else { continue };
            let (transition, own, executed) = (&graph.transitions[id], &names.transitions[id], place.transition(id));
            if let Some(to) = transition.to.filter(|_| executed.can_be_taken()) {
                let (doc, to) = (place.doc(id), &names.locations[to]);
                tokens.extend(self.move_constant(&doc, &own.constant, number, to, transition.keeps_control));
            }
            // Control does not rest inside a `d_step`, so these have no target.
            let inside = executed.inside();
            for (inner, names) in own.inner.iter().flat_map(|inner| inner.transitions.iter_enumerated()) {
                if inside.contains(&inner) {
                    let (constant, number) = (&names.constant, Literal::u32_unsuffixed(number + 1 + inner.0));
                    tokens.extend(quote! { const #constant: TransitionId = TransitionId(#number); });
                }
            }
        }
        tokens
    }

    fn never_move(&self, place: &GraphCode<'_, '_>, id: TransitionId) -> Move {
        let names = &place.names().transitions[id];
        let (function, constant) = (&names.function, &names.constant);
        let nothing = Move { functions: TokenStream::new(), call: None };
        let plain = |call: TokenStream| Move { functions: TokenStream::new(), call: Some(call) };
        let Some(Step { body, .. }) = &place.transition(id).step else { return nothing };
        let statement = match body {
            Body::Statement(statement) => statement,
            Body::DStep(d_step) => {
                let made = place.d_step(id, d_step);
                let uses_timeout = made.take.iter().any(|call| call.uses_timeout);
                let timeout = uses_timeout.then(|| quote! { timeout, });
                let take = quote! { |d_step| #function(now, #timeout d_step) };
                return Move { functions: made.tokens, call: Some(quote! { go_d_step(#constant, #take, moves) }) };
            }
        };
        match (&statement.guard, &statement.operations[..]) {
            // The closing brace, which a claim does not leave.
            (Guard::Test(Test::IsYoungest), _) => nothing,
            (Guard::Test(Test::Constant(holds)), []) => plain(quote! { go(#constant, #holds, moves) }),
            (Guard::Test(test), []) => {
                let (functions, call) = self.never_condition(place, id, test);
                Move { functions, call: Some(quote! { go(#constant, #call, moves) }) }
            }
            (Guard::Always, [Operation::Assert(test)]) => {
                let (functions, call) = self.never_condition(place, id, test);
                Move { functions, call: Some(quote! { go_asserting(#constant, #call, moves) }) }
            }
            // The output of a claim is never printed.
            (Guard::Always, [] | [Operation::Print(_)]) => plain(quote! { go(#constant, true, moves) }),
            _ => {
                let (functions, call) = self.never_change(place, id, statement);
                Move { functions, call: Some(quote! { go_changing(#constant, #call, moves) }) }
            }
        }
    }

    /// A function for a condition, and its call.
    fn never_condition(&self, place: &GraphCode<'_, '_>, id: TransitionId, test: &Test) -> (TokenStream, TokenStream) {
        let effects = test.effects();
        let truth = place.scope("now").truth(test);
        let (ty, truth) = if effects.can_fail {
            (quote! { Result<bool, Fault> }, quote! { Ok(#truth) })
        } else {
            (quote! { bool }, truth)
        };
        self.never_function(place, id, &effects, &ty, &truth)
    }

    /// A function that returns the state after a change, and its call.
    fn never_change(
        &self,
        place: &GraphCode<'_, '_>,
        id: TransitionId,
        statement: &Statement,
    ) -> (TokenStream, TokenStream) {
        let mut effects = statement.effects();
        let returns = Returns::new(effects.can_fail, false, &quote! { State });
        let code = place.scope("now").statement(statement, &returns.blocked);
        let (guard, effect, taken) = (code.guard, code.effect, returns.taken(&quote! { Some(next) }));
        // The state is copied before it is changed.
        effects.reads.extend(effects.writes.clone());
        let copy = self.copy_of_now();
        let body = quote! { #guard let mut next = #copy; #effect #taken };
        self.never_function(place, id, &effects, &returns.ty, &body)
    }

    fn never_function(
        &self,
        place: &GraphCode<'_, '_>,
        id: TransitionId,
        effects: &Effects,
        ty: &TokenStream,
        body: &TokenStream,
    ) -> (TokenStream, TokenStream) {
        let (doc, name) = (place.doc(id), &place.names().transitions[id].function);
        let now = used("now", effects.reads_state());
        let (timeout, argument) = if effects.uses_timeout {
            (Some(quote! { , timeout: bool }), Some(quote! { , timeout }))
        } else {
            (None, None)
        };
        (quote! { #doc fn #name(#now: &State #timeout) -> #ty { #body } }, quote! { #name(now #argument) })
    }
}

const HEADING: &str = "The claim moves before every step of the model. A run is a violation if the claim reaches
its end, or visits an accepting location infinitely often.";

/// The calls for transitions that are tried together. An `else` is tried only if nothing before it could be taken.
fn never_group(
    transitions: &IdVec<TransitionId, exec::Transition>,
    group: &[TransitionId],
    moves: &IdVec<TransitionId, Move>,
) -> OfferCalls {
    let mut offers = OfferCalls::default();
    for transition in group {
        let Some(call) = &moves[*transition].call else { continue };
        let call = OfferCalls::All(vec![OfferCall::plain(call.clone())]);
        offers = if transitions[*transition].is_else {
            OfferCalls::or(vec![offers, call])
        } else {
            OfferCalls::and(offers, call)
        };
    }
    offers
}
