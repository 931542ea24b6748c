//! One function per transition.
//!
//! A function looks whether the process can take the transition in `now`, and if
//! so offers the state that it leads to. It says whether it could, because an
//! `else` and what an escape covers depend on that.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::Generator;
use super::channels::Fits;
use super::expr::Scope;
use super::names::{GraphNames, count};
use super::statement::Surroundings;
use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, TransitionId};
use crate::model::{ChannelRef, Expr, Pattern, ProctypeId};

/// The functions of one transition, and how they are called.
pub struct Functions {
    pub tokens: TokenStream,
    /// Taking it; nothing for a receive that only answers a rendezvous.
    pub take: Option<Call>,
    /// Answering a sender in a rendezvous.
    pub answer: Option<Call>,
}

/// A call of a generated function.
#[derive(Clone)]
pub struct Call {
    pub function: Ident,
    pub transition: Ident,
    pub can_fail: bool,
    pub uses_timeout: bool,
}

/// One process's graph while its functions are made.
pub struct Place<'g, 'a> {
    pub generator: &'g Generator<'a>,
    pub process: ProctypeId,
    /// Transitions that the process may take while it has control.
    leaves_atomic: IdVec<TransitionId, bool>,
}

impl Call {
    /// `line_6(now, me, steps)`, with faults reported.
    pub fn take(&self) -> TokenStream {
        let Self { function, transition, .. } = self;
        let timeout = self.uses_timeout.then(|| quote! { timeout, });
        let call = quote! { #function(now, me, #timeout steps) };
        if self.can_fail {
            quote! { settle(#transition, #call, steps) }
        } else {
            call
        }
    }

    /// `line_6_answer(now, me, offer, steps)`, with faults reported.
    pub fn answer(&self) -> TokenStream {
        let Self { function, transition, .. } = self;
        let call = quote! { #function(now, me, offer, steps) };
        if self.can_fail {
            quote! { settle(#transition, #call, steps) }
        } else {
            call
        }
    }
}

impl<'g, 'a> Place<'g, 'a> {
    pub fn new(generator: &'g Generator<'a>, process: ProctypeId) -> Self {
        let graph = &generator.program.graphs[process];
        let mut is_inside: IdVec<LocationId, bool> = graph.locations.iter().map(|_| false).collect();
        for transition in &graph.transitions {
            if let (true, Some(to)) = (transition.keeps_control, transition.to) {
                is_inside[to] = true;
            }
        }
        let mut leaves_atomic: IdVec<TransitionId, bool> = graph.transitions.iter().map(|_| false).collect();
        for (_, location) in graph.locations.iter_enumerated().filter(|(id, _)| is_inside[*id]) {
            for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
                leaves_atomic[*transition] = true;
            }
        }
        Self { generator, process, leaves_atomic }
    }

    pub fn graph(&self) -> &Graph<'_> {
        &self.generator.program.graphs[self.process]
    }

    pub fn names(&self) -> &GraphNames {
        &self.generator.names.proctypes[self.process].graph
    }

    pub fn scope(&self, state: &str) -> Scope<'_, '_> {
        Scope::new(self.generator, Some(self.process), state)
    }

    pub fn functions(&self, id: TransitionId) -> Functions {
        let transition = &self.graph().transitions[id];
        let doc = match transition.action {
            Action::End => self.generator.names.end_line(transition.span),
            _ => self.generator.names.source_line(transition.span),
        };
        match &transition.action {
            Action::DStep(inner) => self.d_step(id, inner),
            Action::Receive { channel, pattern, .. } => {
                let access = self.scope("now").access(channel);
                let answer = access.has_rendezvous().then(|| self.answer(id, channel, pattern));
                let take = (!access.is_only_rendezvous()).then(|| self.take(id, &doc));
                let mut tokens = TokenStream::new();
                let calls = [take, answer].map(|made| {
                    made.map(|(function, call)| {
                        tokens.extend(function);
                        call
                    })
                });
                let [take, answer] = calls;
                Functions { tokens, take, answer }
            }
            Action::Send { channel, message, .. } if self.scope("now").access(channel).has_rendezvous() => {
                let (offer, call) = self.offer(id, channel, message, &doc);
                Functions { tokens: offer, take: Some(call), answer: None }
            }
            _ => {
                let (tokens, call) = self.take(id, &doc);
                Functions { tokens, take: Some(call), answer: None }
            }
        }
    }

    /// The process arrives: its new location, who has control, who moved last.
    pub fn arrive(&self, id: TransitionId, is_handshake: bool) -> TokenStream {
        let transition = &self.graph().transitions[id];
        let process = &self.generator.names.proctypes[self.process];
        let module_mut = &process.module_mut;
        let mut tokens = match transition.to {
            Some(to) => {
                let there = &self.names().locations[to];
                quote! { next.#module_mut(me).at = Location::#there; }
            }
            None => quote! { next.processes.remove_youngest(); },
        };
        let features = &self.generator.facts.features;
        if transition.keeps_control {
            tokens.extend(quote! { next.holder = Some(me); });
        } else if features.atomic && (is_handshake || self.leaves_atomic[id]) {
            tokens.extend(quote! { next.holder = None; });
        }
        if features.last {
            tokens.extend(quote! { next.last = byte(int(me)); });
        }
        tokens
    }

    /// A step of this process alone.
    fn take(&self, id: TransitionId, doc: &TokenStream) -> (TokenStream, Call) {
        let transition = &self.graph().transitions[id];
        let names = &self.names().transitions[id];
        let constant = &names.constant;
        let youngest = matches!(transition.action, Action::End);
        let arrive = self.arrive(id, false);
        let body = |scope: &Scope<'_, '_>, blocked: &TokenStream, taken: &TokenStream| {
            let mut code = scope.statement(&transition.action, &Surroundings { blocked, transition: constant });
            if youngest {
                code.guard = quote! { if !now.processes.is_youngest(me) { #blocked } };
            }
            let (guard, effect) = (code.guard, code.effect);
            if code.is_never_executable {
                return guard;
            }
            quote! {
                #guard
                let mut next = now.clone();
                #effect
                #arrive
                steps.offer(#constant, next);
                #taken
            }
        };
        self.function(&names.function, constant, doc, &body)
    }

    /// A function that takes a step, failing or not as its body needs it.
    fn function(
        &self,
        name: &Ident,
        constant: &Ident,
        doc: &TokenStream,
        body: &dyn Fn(&Scope<'_, '_>, &TokenStream, &TokenStream) -> TokenStream,
    ) -> (TokenStream, Call) {
        let scope = self.scope("now");
        body(&scope, &quote! {}, &quote! {});
        let can_fail = scope.can_fail.get();
        let (blocked, taken, returns) = outcome(can_fail);
        let body = body(&scope, &blocked, &taken);
        let timeout = scope.uses_timeout.get().then(|| quote! { timeout: bool, });
        let tokens = quote! {
            #doc
            fn #name(now: &State, me: Pid, #timeout steps: &mut impl Steps<State>) -> #returns {
                #body
            }
        };
        let call = Call {
            function: name.clone(),
            transition: constant.clone(),
            can_fail,
            uses_timeout: scope.uses_timeout.get(),
        };
        (tokens, call)
    }

    /// A send that may be one half of a rendezvous.
    fn offer(
        &self,
        id: TransitionId,
        channel: &ChannelRef,
        message: &[Expr],
        doc: &TokenStream,
    ) -> (TokenStream, Call) {
        let transition = &self.graph().transitions[id];
        let names = &self.names().transitions[id];
        let constant = &names.constant;
        let arrive = self.arrive(id, true);
        let body = |scope: &Scope<'_, '_>, blocked: &TokenStream, taken: &TokenStream| {
            let access = scope.access(channel);
            let (prelude, identity) = (&access.prelude, &access.identity);
            let fields =
                access.kinds.iter().find(|kind| kind.capacity == 0).map(|kind| &kind.fields[..]).unwrap_or(&[]);
            let numbers = scope.message_numbers(fields, message);
            let there = transition.to.map(|to| {
                let there = &self.names().locations[to];
                let module_mut = &self.generator.names.proctypes[self.process].module_mut;
                quote! { next.#module_mut(me).at = Location::#there; }
            });
            let is_named = identity.to_string() == "channel";
            let channel = if is_named {
                quote! { channel, }
            } else {
                quote! { channel: #identity, }
            };
            let handshake = quote! {
                let mut next = now.clone();
                #there
                let offer = Offer { sender: me, #channel message: &[#(#numbers),*], transition: #constant };
            };
            let is_taken = quote! { next.offer_handshake(&offer, steps) };
            let result = if scope.can_fail.get() {
                quote! { Ok(#is_taken) }
            } else {
                is_taken
            };
            if access.is_only_rendezvous() {
                return quote! { #prelude #handshake #result };
            }
            let code = scope.statement(&transition.action, &Surroundings { blocked, transition: constant });
            let (guard, effect) = (code.guard, code.effect);
            let rendezvous = access.kinds.iter().filter(|kind| kind.capacity == 0).flat_map(|kind| &kind.variants);
            quote! {
                #prelude
                if matches!(channel, #(#rendezvous)|*) {
                    #handshake
                    return #result;
                }
                #guard
                let mut next = now.clone();
                #effect
                #arrive
                steps.offer(#constant, next);
                #taken
            }
        };
        self.function(&names.function, constant, doc, &body)
    }

    /// A receive as the second half of a rendezvous: `now` is the state in which the sender has already moved.
    fn answer(&self, id: TransitionId, channel: &ChannelRef, pattern: &[Pattern]) -> (TokenStream, Call) {
        let transition = &self.graph().transitions[id];
        let names = &self.names().transitions[id];
        let constant = &names.constant;
        let name = format_ident!("{}_answer", names.function);
        let doc = self.generator.names.source_line(transition.span);
        let arrive = self.arrive(id, true);
        let scope = self.scope("now");
        let body = |blocked: &TokenStream, taken: &TokenStream| {
            let matching = self.matching(&scope, channel, pattern, blocked);
            let stores = scope.stores(pattern, None, &number_field);
            quote! {
                #matching
                let mut next = now.clone();
                #stores
                #arrive
                steps.offer_handshake(offer.transition, me, #constant, next);
                #taken
            }
        };
        body(&quote! {}, &quote! {});
        let can_fail = scope.can_fail.get();
        let (blocked, taken, returns) = outcome(can_fail);
        let body = body(&blocked, &taken);
        let tokens = quote! {
            #doc
            fn #name(now: &State, me: Pid, offer: &Offer<'_>, steps: &mut impl Steps<State>) -> #returns {
                #body
            }
        };
        (tokens, Call { function: name, transition: constant.clone(), can_fail, uses_timeout: false })
    }

    /// Leaves the function unless the offered message is for this receive.
    pub fn matching(
        &self,
        scope: &Scope<'_, '_>,
        channel: &ChannelRef,
        pattern: &[Pattern],
        blocked: &TokenStream,
    ) -> TokenStream {
        let is_other = match self.generator.fixed_site(&channel.place) {
            Some(_) => {
                let access = scope.access(channel);
                let (prelude, identity) = (access.prelude, access.identity);
                quote! { #prelude if offer.channel != #identity { #blocked } }
            }
            None => {
                let number = super::expr::as_int(channel.place.ty, &scope.read(&channel.place));
                quote! { if now.channel(#number) != Ok(offer.channel) { #blocked } }
            }
        };
        let Fits { wanted, differs, is_any, .. } = scope.fits(pattern, &number_field);
        let check = (!is_any).then(|| quote! { if #differs { #blocked } });
        quote! { #is_other #wanted #check }
    }
}

/// A field of an offered message.
pub fn number_field(number: usize) -> TokenStream {
    let number = count(number);
    quote! { offer.message[#number] }
}

/// How a function says that it is blocked, that it was taken, and what it returns.
fn outcome(can_fail: bool) -> (TokenStream, TokenStream, TokenStream) {
    if can_fail {
        (quote! { return Ok(false); }, quote! { Ok(true) }, quote! { Result<bool, Fault> })
    } else {
        (quote! { return false; }, quote! { true }, quote! { bool })
    }
}

/// Whether an identifier occurs in code.
pub fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(identifier) => identifier == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether a function is called in code.
pub fn calls(tokens: &TokenStream, name: &str) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(identifier) => {
            let is_method = at > 0 && matches!(&tokens[at - 1], TokenTree::Punct(mark) if mark.as_char() == '.');
            let is_called = matches!(tokens.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
            identifier == name && is_called && !is_method
        }
        TokenTree::Group(group) => calls(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
