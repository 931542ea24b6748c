//! The calls that offer the steps of a process at a location, joined to one expression.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::{Precedence, Scope};
use super::transition::TransitionFunctions;
use crate::collections::IdVec;
use crate::exec::OptionTree;
use crate::ir::TransitionId;
use crate::model::ProctypeId;

impl Generator<'_> {
    /// The calls for transitions that are tried together. An `else` is tried only if nothing before it could be taken.
    pub fn offer_group(
        &self,
        id: ProctypeId,
        group: &[TransitionId],
        functions: &IdVec<TransitionId, TransitionFunctions>,
    ) -> OfferCalls {
        let process = &self.exec.processes[id];
        let is_tried = |transition: &&TransitionId| !functions[**transition].take.is_empty();
        let tried: Vec<TransitionId> = group.iter().filter(is_tried).copied().collect();
        let is_else = |transition: &TransitionId| process.transitions[*transition].is_else;
        let mut offers = OfferCalls::default();
        for part in tried.chunk_by(|one, other| !is_else(one) && !is_else(other)) {
            offers = match part {
                [transition] if is_else(transition) => {
                    OfferCalls::or(vec![offers, self.offer_choices(id, &[OptionTree::Try(*transition)], functions)])
                }
                part => OfferCalls::and(offers, self.offer_choices(id, &process.choices(part), functions)),
            };
        }
        offers
    }

    fn offer_choices(
        &self,
        id: ProctypeId,
        choices: &[OptionTree],
        functions: &IdVec<TransitionId, TransitionFunctions>,
    ) -> OfferCalls {
        let scope = Scope::new(self, Some(id), "now");
        let mut calls = Vec::new();
        for choice in choices {
            match choice {
                OptionTree::Try(transition) => {
                    calls.extend(functions[*transition].take.iter().map(|call| OfferCall::plain(call.take())));
                }
                OptionTree::If(test, inner) => {
                    let test = scope.condition(test).within(Precedence::And);
                    let inner = self.offer_choices(id, inner, functions).operand();
                    calls.push(OfferCall::compound(quote! { #test && #inner }));
                }
                OptionTree::Switch(value, cases) => {
                    let arms = cases.iter().map(|case| {
                        let (value, inner) =
                            (scope.value(&case.value), self.offer_choices(id, &case.choices, functions));
                        let inner = inner.tokens();
                        quote! { #value => #inner, }
                    });
                    let value = scope.value(value);
                    calls.push(OfferCall::compound(quote! { match #value { #(#arms)* _ => false, } }));
                }
            }
        }
        OfferCalls::all(calls)
    }
}

/// An expression that says whether it offered a step.
#[derive(Clone)]
pub struct OfferCall {
    tokens: TokenStream,
    /// It needs parentheses as part of another expression.
    is_compound: bool,
}

impl OfferCall {
    pub fn plain(tokens: TokenStream) -> Self {
        Self { tokens, is_compound: false }
    }

    fn compound(tokens: TokenStream) -> Self {
        Self { tokens, is_compound: true }
    }

    /// As a part of another expression.
    fn operand(&self) -> TokenStream {
        let tokens = &self.tokens;
        if self.is_compound {
            quote! { (#tokens) }
        } else {
            tokens.clone()
        }
    }
}

/// Calls that each return whether they offered a step, joined so that the whole returns whether any did.
#[derive(Default)]
pub enum OfferCalls {
    #[default]
    None,
    /// All are called.
    All(Vec<OfferCall>),
    /// Called until one has offered something.
    First(TokenStream),
}

impl OfferCalls {
    /// Both, whatever the first returns.
    pub fn and(self, other: Self) -> Self {
        let parts = |offers: Self| match offers {
            Self::None => Vec::new(),
            Self::All(calls) => calls,
            Self::First(calls) => vec![OfferCall::compound(calls)],
        };
        let mut calls = parts(self);
        calls.extend(parts(other));
        Self::all(calls)
    }

    pub fn all(calls: Vec<OfferCall>) -> Self {
        if calls.is_empty() { Self::None } else { Self::All(calls) }
    }

    /// The later ones only if the earlier ones offer nothing.
    pub fn or(groups: Vec<Self>) -> Self {
        let mut groups: Vec<Self> = groups.into_iter().filter(|group| !matches!(group, Self::None)).collect();
        if groups.len() <= 1 {
            return groups.pop().unwrap_or_default();
        }
        let groups = groups.into_iter().map(|group| match group {
            Self::All(calls) if calls.len() > 1 && calls.len() <= MOST_JOINED_CALLS => Self::All(calls).tokens(),
            Self::First(calls) => calls,
            other => other.operand(),
        });
        Self::First(quote! { #(#groups)||* })
    }

    pub fn tokens(self) -> TokenStream {
        match self {
            Self::None => quote! { false },
            Self::First(calls) => calls,
            Self::All(mut calls) if calls.len() == 1 => calls.remove(0).tokens,
            Self::All(calls) if calls.len() <= MOST_JOINED_CALLS => {
                let calls = calls.iter().map(OfferCall::operand);
                quote! { #(#calls)|* }
            }
            Self::All(calls) => {
                let calls = calls.iter().map(|call| &call.tokens);
                quote! { { let mut any = false; #(any |= #calls;)* any } }
            }
        }
    }

    /// The same as a part of another expression.
    fn operand(self) -> TokenStream {
        match self {
            Self::All(calls) if calls.len() == 1 => calls[0].operand(),
            Self::None => quote! { false },
            other => {
                let tokens = other.tokens();
                quote! { (#tokens) }
            }
        }
    }
}

/// Longer lists of calls are written one call per statement.
const MOST_JOINED_CALLS: usize = 4;
