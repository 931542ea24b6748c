//! One function per transition, from a state to the next.
//!
//! It gives nothing if the process cannot take the transition in `now`. Who asks
//! and what for is not its business, so it is compiled once and can be called
//! from a test; handing the next state on is that of `offer_steps`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::channels::Fits;
use super::expr::Scope;
use super::format;
use super::names::{GraphNames, count};
use super::words::mentions;
use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, TransitionId};
use crate::model::{ChannelRef, Expr, Pattern, ProctypeId};

/// The functions of one transition, and how they are called.
pub struct Functions {
    pub tokens: TokenStream,
    /// Taking it: usually one function. None for a receive that only answers a rendezvous, two for a send that may
    /// be one.
    pub take: Vec<Call>,
    /// Answering a sender in a rendezvous.
    pub answer: Option<Call>,
}

/// A call of a generated function.
#[derive(Clone)]
pub struct Call {
    pub kind: Kind,
    pub function: Ident,
    pub transition: Ident,
    /// What is executed in the same step.
    pub merged: Vec<Ident>,
    pub uses_timeout: bool,
}

/// What a function of a transition takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Printing,
    DStep,
    /// A send that looks for a receiver.
    Offering,
}

/// The graph of a process or of a claim while its functions are made.
pub struct Place<'g, 'a> {
    pub generator: &'g Generator<'a>,
    /// Nothing in a claim.
    pub process: Option<ProctypeId>,
    graph: &'g Graph<'a>,
    names: &'g GraphNames,
    /// Transitions that the process may take while it has control.
    leaves_atomic: IdVec<TransitionId, bool>,
}

impl Call {
    /// `offer(LINE_6, line_6(now, me), steps)`
    pub fn take(&self) -> TokenStream {
        let Self { function, transition, .. } = self;
        let timeout = self.uses_timeout.then(|| quote! { , timeout });
        let offer = match self.kind {
            Kind::Plain => quote! { offer(#transition, #function(now, me #timeout), steps) },
            Kind::Printing => quote! { offer_printing(#transition, |text| #function(now, me #timeout, text), steps) },
            Kind::DStep => quote! { offer_d_step(#transition, |d_step| #function(now, me #timeout, d_step), steps) },
            Kind::Offering => quote! { hold_out(#transition, #function(now, me #timeout), steps) },
        };
        let merged = &self.merged;
        if merged.is_empty() {
            offer
        } else {
            quote! { with_merged(#offer, &[#(#merged),*], steps) }
        }
    }

    /// `offer_handshake(offer.to(me, LINE_6), line_6_answer(now, me, offer), steps)`
    pub fn answer(&self) -> TokenStream {
        let Self { function, transition, .. } = self;
        if self.kind == Kind::DStep {
            let take = quote! { |d_step| #function(now, me, offer, d_step) };
            quote! { offer_d_step_handshake(offer.to(me, #transition), #take, steps) }
        } else {
            quote! { offer_handshake(offer.to(me, #transition), #function(now, me, offer), steps) }
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
        let names = &generator.names.proctypes[process].graph;
        Self { generator, process: Some(process), graph, names, leaves_atomic }
    }

    pub fn of_claim(generator: &'g Generator<'a>, claim: usize) -> Self {
        let graph = &generator.program.claims[claim];
        let names = &generator.names.never[claim].graph;
        let leaves_atomic = graph.transitions.iter().map(|_| false).collect();
        Self { generator, process: None, graph, names, leaves_atomic }
    }

    pub fn graph(&self) -> &'g Graph<'a> {
        self.graph
    }

    pub fn names(&self) -> &'g GraphNames {
        self.names
    }

    pub fn scope(&self, state: &str) -> Scope<'g, 'a> {
        Scope::new(self.generator, self.process, state)
    }

    pub fn functions(&self, id: TransitionId) -> Functions {
        let transition = &self.graph().transitions[id];
        match &transition.action {
            Action::DStep(inner) => self.d_step(id, inner),
            Action::Receive { channel, pattern, .. } => {
                let access = self.scope("now").access(channel);
                let take = (!access.is_only_rendezvous()).then(|| self.take(id));
                let answer = access.has_rendezvous().then(|| self.answer(id, channel, pattern));
                Functions::new(take.into_iter().collect(), answer)
            }
            Action::Send { channel, message, .. } => {
                let access = self.scope("now").access(channel);
                let offer = access.has_rendezvous().then(|| self.offer(id, channel, message));
                let take = (!access.is_only_rendezvous()).then(|| self.take(id));
                Functions::new(take.into_iter().chain(offer).collect(), None)
            }
            _ => Functions::new(vec![self.take(id)], None),
        }
    }

    /// The process arrives: its new location, who has control, who moved last. Where a claim stands is known to the
    /// search.
    pub fn arrive(&self, id: TransitionId, is_handshake: bool) -> TokenStream {
        let transition = &self.graph().transitions[id];
        let Some(process) = self.process else { return TokenStream::new() };
        let module_mut = &self.generator.names.proctypes[process].module_mut;
        let mut tokens = match transition.to {
            Some(to) => {
                let there = &self.names().locations[to];
                let resets = self.resets(id);
                let locals = quote! { next.#module_mut(me) };
                let arrive = self.generator.set_at(&locals, &quote! { Location::#there });
                quote! { #arrive #resets }
            }
            None if self.generator.in_words() => quote! { next.remove_youngest(); },
            None => quote! { next.processes.remove_youngest(); },
        };
        let features = &self.generator.facts.features;
        if transition.keeps_control {
            tokens.extend(quote! { next.holder = Some(me); });
        } else if features.atomic && (is_handshake || self.leaves_atomic[id]) {
            tokens.extend(quote! { next.holder = None; });
        }
        if features.last {
            tokens.extend(if self.generator.in_words() {
                quote! { next.set_last(byte(int(me))); }
            } else {
                quote! { next.last = byte(int(me)); }
            });
        }
        tokens
    }

    /// The statements that are executed in the same step, each under its source line.
    pub fn merged(&self, id: TransitionId) -> TokenStream {
        let scope = self.scope("next");
        let mut tokens = TokenStream::new();
        for merged in &self.graph().transitions[id].merged {
            let comment = format::comment(&self.generator.names.source_text(merged.span));
            let effect = scope.statement(&merged.action, &TokenStream::new()).effect;
            tokens.extend(quote! { #comment #effect });
        }
        tokens
    }

    /// Variables that are not read again after a transition are set to 0.
    fn resets(&self, id: TransitionId) -> TokenStream {
        let Some(process) = self.process else { return TokenStream::new() };
        let generator = self.generator;
        let resets = &generator.facts.dead.resets[process][id];
        if resets.is_empty() {
            return TokenStream::new();
        }
        let comment = format::comment("Not read again:");
        let module_mut = &generator.names.proctypes[process].module_mut;
        if let Some((_, accessors)) = generator.placed() {
            let setters = resets.iter().map(|variable| accessors.leaf(*variable, &[]).setter());
            return quote! { #comment #(next.#module_mut(me).#setters(0);)* };
        }
        let names = resets.iter().map(|variable| generator.names.variable(*variable));
        quote! { #comment #(next.#module_mut(me).#names = 0;)* }
    }

    pub fn doc(&self, id: TransitionId) -> TokenStream {
        let transition = &self.graph().transitions[id];
        match transition.action {
            Action::End => self.generator.names.end_line(transition.span),
            _ => self.generator.names.source_line(transition.span),
        }
    }

    /// A step of this process alone.
    fn take(&self, id: TransitionId) -> (TokenStream, Call) {
        let transition = &self.graph().transitions[id];
        let names = &self.names().transitions[id];
        let (merged, arrive) = (self.merged(id), self.arrive(id, false));
        let kind = if matches!(transition.action, Action::Print(_)) { Kind::Printing } else { Kind::Plain };
        let is_assertion = matches!(transition.action, Action::Assert(_));
        let body = |scope: &Scope<'_, '_>, can_fail: bool| {
            let outcome = Returns::new(can_fail, is_assertion, &quote! { State });
            let blocked = &outcome.blocked;
            let mut code = scope.statement(&transition.action, blocked);
            if matches!(transition.action, Action::End) {
                let is_youngest = if self.generator.in_words() {
                    quote! { now.is_youngest(me) }
                } else {
                    quote! { now.processes.is_youngest(me) }
                };
                code.guard = quote! { if !#is_youngest { #blocked } };
            }
            let (guard, effect) = (code.guard, code.effect);
            if code.is_never_executable {
                return (guard, outcome.ty);
            }
            let holds = code.asserts.map(|holds| quote! { let holds = #holds; });
            let print = code.prints.map(|text| quote! { text.print(#text); });
            let taken = if is_assertion {
                quote! { Asserted { holds, next } }
            } else {
                quote! { Some(next) }
            };
            let taken = outcome.taken(&taken);
            let body = quote! {
                #guard
                #holds
                #print
                let mut next = now.clone();
                #effect
                #merged
                #arrive
                #taken
            };
            (body, outcome.ty)
        };
        self.function(id, &names.function, kind, &body)
    }

    /// A function that fails or not, as its body needs it.
    fn function(
        &self,
        id: TransitionId,
        name: &Ident,
        kind: Kind,
        body: &dyn Fn(&Scope<'_, '_>, bool) -> (TokenStream, TokenStream),
    ) -> (TokenStream, Call) {
        let scope = self.scope("now");
        body(&scope, false);
        let (body, ty) = body(&scope, scope.can_fail.get());
        let doc = self.doc(id);
        let timeout = scope.uses_timeout.get().then(|| quote! { , timeout: bool });
        let text = (kind == Kind::Printing).then(|| quote! { , text: &mut Text });
        let me = parameter("me", &body);
        let tokens = quote! {
            #doc
            fn #name(now: &State, #me: Pid #timeout #text) -> #ty {
                #body
            }
        };
        let call = Call {
            kind,
            function: name.clone(),
            transition: self.names().transitions[id].constant.clone(),
            merged: self.names().transitions[id].merged.clone(),
            uses_timeout: scope.uses_timeout.get(),
        };
        (tokens, call)
    }

    /// A send as the first half of a rendezvous: the sender moves, and holds out a message.
    fn offer(&self, id: TransitionId, channel: &ChannelRef, message: &[Expr]) -> (TokenStream, Call) {
        let transition = &self.graph().transitions[id];
        let names = &self.names().transitions[id];
        let constant = &names.constant;
        let is_only = self.scope("now").access(channel).is_only_rendezvous();
        let name = if is_only { names.function.clone() } else { format_ident!("{}_offer", names.function) };
        let there = transition.to.zip(self.process).map(|(to, process)| {
            let there = &self.names().locations[to];
            let module_mut = &self.generator.names.proctypes[process].module_mut;
            let resets = self.resets(id);
            let locals = quote! { next.#module_mut(me) };
            let arrive = self.generator.set_at(&locals, &quote! { Location::#there });
            quote! { #arrive #resets }
        });
        let body = |scope: &Scope<'_, '_>, can_fail: bool| {
            let outcome = Returns::new(can_fail, false, &quote! { (State, Offer) });
            let blocked = &outcome.blocked;
            let access = scope.access(channel);
            let (prelude, identity) = (&access.prelude, &access.identity);
            let rendezvous: Vec<_> = access.kinds.iter().filter(|kind| kind.capacity == 0).collect();
            let numbers = access.offered(&|| scope.can_fail.set(true), message.len(), |kind| {
                let numbers = scope.message_numbers(&kind.fields, message);
                let padding = (numbers.len()..self.generator.message_size()).map(|_| quote! { 0 });
                let numbers = numbers.into_iter().chain(padding);
                quote! { [#(#numbers),*] }
            });
            let check = (!is_only).then(|| {
                let variants = rendezvous.iter().flat_map(|kind| &kind.variants);
                quote! { if !matches!(channel, #(#variants)|*) { #blocked } }
            });
            let Some(numbers) = numbers else {
                scope.can_fail.set(true);
                return (quote! { #prelude #check let _ = #identity; Err(Fault::MessageShape) }, outcome.ty);
            };
            let is_named = identity.to_string() == "channel";
            let channel = if is_named {
                quote! { channel, }
            } else {
                quote! { channel: #identity, }
            };
            let taken = outcome.taken(&quote! { Some((next, offer)) });
            let body = quote! {
                #prelude
                #check
                let mut next = now.clone();
                #there
                let offer = Offer { sender: me, #channel message: #numbers, transition: #constant };
                #taken
            };
            (body, outcome.ty)
        };
        self.function(id, &name, Kind::Offering, &body)
    }

    /// A receive as the second half of a rendezvous: `now` is the state in which the sender has already moved.
    fn answer(&self, id: TransitionId, channel: &ChannelRef, pattern: &[Pattern]) -> (TokenStream, Call) {
        let names = &self.names().transitions[id];
        let name = format_ident!("{}_answer", names.function);
        let doc = self.doc(id);
        let arrive = self.arrive(id, true);
        let scope = self.scope("now");
        let body = |can_fail: bool| {
            let outcome = Returns::new(can_fail, false, &quote! { State });
            let matching = self.matching(&scope, channel, pattern, &outcome.blocked);
            let stores = scope.stores(pattern, None, &number_field);
            let observe = self.generator.observe_handshake(channel);
            let taken = outcome.taken(&quote! { Some(next) });
            let body = quote! {
                #matching
                let mut next = now.clone();
                #observe
                #stores
                #arrive
                #taken
            };
            (body, outcome.ty)
        };
        body(false);
        let (body, ty) = body(scope.can_fail.get());
        let tokens = quote! {
            #doc
            fn #name(now: &State, me: Pid, offer: &Offer) -> #ty {
                #body
            }
        };
        let (transition, merged) = (names.constant.clone(), Vec::new());
        let call = Call { kind: Kind::Plain, function: name, transition, merged, uses_timeout: false };
        (tokens, call)
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

/// How a function gives its outcome.
pub struct Returns {
    can_fail: bool,
    pub ty: TokenStream,
    /// Leaves the function: the transition cannot be taken.
    pub blocked: TokenStream,
}

impl Returns {
    pub fn new(can_fail: bool, is_assertion: bool, next: &TokenStream) -> Self {
        let ty = if is_assertion {
            quote! { Asserted<#next> }
        } else {
            quote! { Option<#next> }
        };
        if can_fail {
            Self { can_fail, ty: quote! { Result<#ty, Fault> }, blocked: quote! { return Ok(None); } }
        } else {
            Self { can_fail, ty, blocked: quote! { return None; } }
        }
    }

    pub fn taken(&self, value: &TokenStream) -> TokenStream {
        if self.can_fail {
            quote! { Ok(#value) }
        } else {
            value.clone()
        }
    }
}

impl Functions {
    fn new(take: Vec<(TokenStream, Call)>, answer: Option<(TokenStream, Call)>) -> Self {
        let mut tokens = TokenStream::new();
        let mut calls = Vec::new();
        for (function, call) in take {
            tokens.extend(function);
            calls.push(call);
        }
        let answer = answer.map(|(function, call)| {
            tokens.extend(function);
            call
        });
        Self { tokens, take: calls, answer }
    }
}

/// The name of a parameter, marked if the body does not use it.
pub fn parameter(name: &str, body: &TokenStream) -> Ident {
    if mentions(body, name) { format_ident!("{name}") } else { format_ident!("_{name}") }
}
