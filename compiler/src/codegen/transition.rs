//! One function per transition, from a state to the next.
//!
//! It returns nothing if the process cannot take the transition in `now`. It does not depend on its caller, so it is
//! compiled once and can be called from a test; `offer_steps` hands the next state on.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::channels::Fits;
use super::expr::{Scope, literal_of};
use super::format;
use super::names::{GraphNames, count};
use super::parameters::used;
use crate::collections::IdVec;
use crate::exec::effects::{Effects, Executable};
use crate::exec::{
    self, Accept, Answer, AnswerBody, Arrival, Body, Change, Channel, Numbered, Offer, Operation, Statement, Step,
};
use crate::ir::{Graph, TransitionId};
use crate::model::ProctypeId;

/// The functions of one transition, and how they are called.
pub struct TransitionFunctions {
    pub tokens: TokenStream,
    /// The calls that take it: usually one. None for a receive that only answers a rendezvous, two for a send that may
    /// be one.
    pub take: Vec<Call>,
    /// The call that answers a sender in a rendezvous.
    pub answer: Option<Call>,
}

/// A call of a generated function.
#[derive(Clone)]
pub struct Call {
    pub kind: FunctionKind,
    pub function: Ident,
    pub transition: Ident,
    /// The statements that are executed in the same step.
    pub merged: Vec<Ident>,
    pub uses_timeout: bool,
}

/// The signature of a function of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    Plain,
    Printing,
    DStep,
    /// A send that looks for a receiver.
    Offering,
}

/// The transitions of a process or of a claim while their functions are generated.
pub struct GraphCode<'g, 'a> {
    pub generator: &'g Generator<'a>,
    /// Nothing in a claim.
    pub process: Option<ProctypeId>,
    graph: &'g Graph<'a>,
    transitions: &'g IdVec<TransitionId, exec::Transition>,
    names: &'g GraphNames,
}

impl Call {
    /// `offer(LINE_6, line_6(now, me), steps)`
    pub fn take(&self) -> TokenStream {
        let Self { function, transition, .. } = self;
        let timeout = self.uses_timeout.then(|| quote! { , timeout });
        let offer = match self.kind {
            FunctionKind::Plain => quote! { offer(#transition, #function(now, me #timeout), steps) },
            FunctionKind::Printing => {
                quote! { offer_printing(#transition, |text| #function(now, me #timeout, text), steps) }
            }
            FunctionKind::DStep => {
                quote! { offer_d_step(#transition, |d_step| #function(now, me #timeout, d_step), steps) }
            }
            FunctionKind::Offering => quote! { offer_rendezvous(#transition, #function(now, me #timeout), steps) },
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
        if self.kind == FunctionKind::DStep {
            let take = quote! { |d_step| #function(now, me, offer, d_step) };
            quote! { offer_d_step_handshake(offer.to(me, #transition), #take, steps) }
        } else {
            quote! { offer_handshake(offer.to(me, #transition), #function(now, me, offer), steps) }
        }
    }
}

impl<'g, 'a> GraphCode<'g, 'a> {
    pub fn of_process(generator: &'g Generator<'a>, process: ProctypeId) -> Self {
        Self {
            generator,
            process: Some(process),
            graph: &generator.program.graphs[process],
            transitions: &generator.exec.processes[process].transitions,
            names: &generator.names.proctypes[process].graph,
        }
    }

    pub fn of_claim(generator: &'g Generator<'a>, claim: usize) -> Self {
        Self {
            generator,
            process: None,
            graph: &generator.program.claims[claim],
            transitions: &generator.exec.claims[claim].transitions,
            names: &generator.names.never[claim].graph,
        }
    }

    pub fn graph(&self) -> &'g Graph<'a> {
        self.graph
    }

    pub fn names(&self) -> &'g GraphNames {
        self.names
    }

    /// The functions of a transition.
    pub fn transition(&self, id: TransitionId) -> &'g exec::Transition {
        &self.transitions[id]
    }

    pub fn scope(&self, state: &str) -> Scope<'g, 'a> {
        Scope::new(self.generator, self.process, state)
    }

    pub fn functions(&self, id: TransitionId) -> TransitionFunctions {
        let transition = self.transition(id);
        if let Some(step @ Step { body: Body::DStep(d_step), .. }) = &transition.step {
            return self.straight_d_step(id, step).unwrap_or_else(|| self.d_step(id, d_step));
        }
        let step = transition.step.iter().map(|step| self.take(id, step));
        let offer = transition.offer.iter().map(|offer| self.offer(id, offer, transition.step.is_some()));
        let answer = transition.answer.as_ref().map(|answer| self.answer(id, answer));
        TransitionFunctions::new(step.chain(offer).collect(), answer)
    }

    /// The arrival of the process: its new location, the atomic owner, `_last`.
    pub fn arrive(&self, arrival: &Arrival) -> TokenStream {
        let generator = self.generator;
        let Some(process) = self.process else { return TokenStream::new() };
        let module_mut = &generator.names.proctypes[process].module_mut;
        let locals = quote! { next.#module_mut(me) };
        let mut has_reset = false;
        let change = |change: &Change| match change {
            Change::Location(to) => {
                let there = &self.names.locations[*to];
                quote! { #locals.set_at(Location::#there); }
            }
            Change::End => quote! { next.remove_youngest(); },
            Change::Reset(variable) => {
                let comment = (!has_reset).then(|| format::comment("Not read again:"));
                has_reset = true;
                let setter = generator.accessors.leaf(*variable, &[]).setter();
                let ty = generator.program.model.variables[*variable].ty;
                let idle = literal_of(ty, ty.idle());
                quote! { #comment #locals.#setter(#idle); }
            }
            Change::TakeControl => quote! { next.atomic_owner = Some(me); },
            Change::ReleaseControl => quote! { next.atomic_owner = None; },
            Change::NoteLast => quote! { next.set_last(byte(int(me))); },
        };
        arrival.changes.iter().map(change).collect()
    }

    /// The statements that are executed in the same step, each under its source line.
    pub fn merged(&self, merged: &[Statement]) -> TokenStream {
        let scope = self.scope("next");
        let statement = |statement: &Statement| {
            let comment = format::comment(&self.generator.names.source_text(statement.span));
            let effect = scope.statement(statement, &TokenStream::new()).effect;
            quote! { #comment #effect }
        };
        merged.iter().map(statement).collect()
    }

    pub fn doc(&self, id: TransitionId) -> TokenStream {
        let transition = &self.graph.transitions[id];
        match transition.action.is_end() {
            true => self.generator.names.end_line(transition.span),
            false => self.generator.names.source_line(transition.span),
        }
    }

    /// A step of this process alone.
    fn take(&self, id: TransitionId, step: &Step) -> (TokenStream, Call) {
        let Body::Statement(statement) = &step.body else { unreachable!("a d_step has functions of its own") };
        let (prints, asserts) = match statement.operations[..] {
            [Operation::Print(_)] => (true, false),
            [Operation::Assert(_)] => (false, true),
            _ => (false, false),
        };
        let effects = step.effects();
        let returns = Returns::new(effects.can_fail, asserts, &quote! { State });
        let code = self.scope("now").statement(statement, &returns.blocked);
        let (guard, effect) = (code.guard, code.effect);
        let holds = code.asserts.map(|holds| quote! { let holds = #holds; });
        let print = code.prints.map(|text| quote! { text.print(#text); });
        let body = if statement.is_stuck() {
            quote! { #guard #effect }
        } else {
            let (merged, arrive) = (self.merged(&step.merged), self.arrive(&step.arrival));
            let taken = if asserts {
                quote! { Asserted { holds, next } }
            } else {
                quote! { Some(next) }
            };
            let taken = returns.taken(&taken);
            let copy = self.generator.copy_of_now();
            quote! {
                #guard
                #holds
                #print
                let mut next = #copy;
                #effect
                #merged
                #arrive
                #taken
            }
        };
        let kind = if prints { FunctionKind::Printing } else { FunctionKind::Plain };
        self.function(id, &self.names.transitions[id].function, kind, &effects, &returns.ty, &body)
    }

    pub fn function(
        &self,
        id: TransitionId,
        name: &Ident,
        kind: FunctionKind,
        effects: &Effects,
        ty: &TokenStream,
        body: &TokenStream,
    ) -> (TokenStream, Call) {
        let doc = self.doc(id);
        let timeout = effects.uses_timeout.then(|| quote! { , timeout: bool });
        let text = (kind == FunctionKind::Printing).then(|| quote! { , text: &mut Text });
        let me = used("me", effects.uses_pid);
        let tokens = quote! {
            #doc
            fn #name(now: &State, #me: Pid #timeout #text) -> #ty {
                #body
            }
        };
        let call = Call {
            kind,
            function: name.clone(),
            transition: self.names.transitions[id].constant.clone(),
            merged: self.names.transitions[id].merged.clone(),
            uses_timeout: effects.uses_timeout,
        };
        (tokens, call)
    }

    /// A send as the first half of a rendezvous: the sender moves, and offers a message.
    fn offer(&self, id: TransitionId, offer: &Offer, has_step: bool) -> (TokenStream, Call) {
        let names = &self.names.transitions[id];
        let constant = &names.constant;
        let name = if has_step { format_ident!("{}_offer", names.function) } else { names.function.clone() };
        let effects = offer.effects();
        let returns = Returns::new(effects.can_fail, false, &quote! { (State, Offer) });
        let blocked = &returns.blocked;
        let scope = self.scope("now");
        let access = scope.access(&offer.channel);
        let identity = &access.identity;
        let prelude = match (&offer.only, &offer.channel) {
            // The step of the same statement reports that there is no such channel.
            (Some(_), Channel::Numbered(numbered)) => {
                let found = found(&scope, numbered);
                quote! { let Ok(channel) = #found else { #blocked }; }
            }
            _ => access.prelude.clone(),
        };
        let there = self.arrive(&offer.arrival);
        let check = offer.only.as_ref().map(|sites| {
            let variants = sites.iter().map(|site| self.generator.channel_pattern(*site));
            quote! { if !matches!(channel, #(#variants)|*) { #blocked } }
        });
        let channel = match &offer.channel {
            Channel::Numbered(_) => quote! { channel, },
            Channel::Declared(_) => quote! { channel: #identity, },
        };
        let taken = returns.taken(&quote! { Some((next, offer)) });
        let body = if offer.always_fails() {
            quote! { #prelude #check let _ = #identity; Err(Fault::MessageShape) }
        } else {
            let numbers = access.offered(|kind| {
                let message = offer.messages.iter().find(|message| message.sites == kind.sites)?;
                let numbers = scope.message_numbers(message.fields.as_ref()?);
                let padding = (numbers.len()..self.generator.message_size()).map(|_| quote! { 0 });
                let numbers = numbers.into_iter().chain(padding);
                Some(quote! { [#(#numbers),*] })
            });
            let copy = self.generator.copy_of_now();
            // A value that is a fault is one also if no process receives it.
            let is_awaited = (!offer.messages.effects().can_fail).then(|| {
                let channel = match &offer.channel {
                    Channel::Numbered(_) => quote! { channel },
                    Channel::Declared(_) => identity.clone(),
                };
                quote! { if !has_receiver(now, me, #channel) { #blocked } }
            });
            quote! {
                #prelude
                #check
                #is_awaited
                let mut next = #copy;
                #there
                let offer = Offer { sender: me, #channel message: #numbers, transition: #constant };
                #taken
            }
        };
        self.function(id, &name, FunctionKind::Offering, &effects, &returns.ty, &body)
    }

    /// A receive as the second half of a rendezvous: `now` is the state in which the sender has already moved.
    fn answer(&self, id: TransitionId, answer: &Answer) -> (TokenStream, Call) {
        let AnswerBody::Receive(accept) = &answer.body else { unreachable!("a d_step has functions of its own") };
        let names = &self.names.transitions[id];
        let name = format_ident!("{}_answer", names.function);
        let doc = self.doc(id);
        let returns = Returns::new(answer.effects().can_fail, false, &quote! { State });
        let (matching, accept) = self.accept(accept, &returns.blocked);
        let arrive = self.arrive(&answer.arrival);
        let (ty, taken) = (&returns.ty, returns.taken(&quote! { Some(next) }));
        let copy = self.generator.copy_of_now();
        let tokens = quote! {
            #doc
            fn #name(now: &State, me: Pid, offer: &Offer) -> #ty {
                #matching
                let mut next = #copy;
                #accept
                #arrive
                #taken
            }
        };
        let (transition, merged) = (names.constant.clone(), Vec::new());
        let call = Call { kind: FunctionKind::Plain, function: name, transition, merged, uses_timeout: false };
        (tokens, call)
    }

    /// Leaves the function unless the offered message matches this receive; then receives it into `next`.
    pub fn accept(&self, accept: &Accept, blocked: &TokenStream) -> (TokenStream, TokenStream) {
        let scope = self.scope("now");
        let is_other = match &accept.channel {
            channel @ Channel::Declared(declared) => {
                let access = scope.access(channel);
                let (prelude, identity) = (access.prelude, access.identity);
                if declared.effects().can_fail {
                    let found = quote! { (|| -> Result<_, Fault> { #prelude Ok(#identity) })() };
                    quote! { if #found != Ok(offer.channel) { #blocked } }
                } else {
                    quote! { #prelude if offer.channel != #identity { #blocked } }
                }
            }
            Channel::Numbered(numbered) => {
                let found = found(&scope, numbered);
                quote! { if #found != Ok(offer.channel) { #blocked } }
            }
        };
        let misfits = accept.shapes.iter().filter(|shape| !shape.fits).map(|shape| {
            let variants = shape.sites.iter().map(|site| self.generator.channel_pattern(*site));
            let pattern = accept.pattern.get(..shape.n_fields).unwrap_or(&accept.pattern);
            let matching = match_offered(&scope, pattern, blocked);
            quote! { if matches!(offer.channel, #(#variants)|*) { #matching return Err(Fault::MessageShape); } }
        });
        let misfits: TokenStream = misfits.collect();
        let matching = match_offered(&scope, &accept.pattern, blocked);
        let sent = accept.traced.send.then(|| quote! { next.trace_sent(offer.channel, &offer.message); });
        let received = accept.traced.receive.then(|| quote! { next.trace_received(offer.channel, &offer.message); });
        let stores = scope.stores(&accept.stores, None, &offered_field);
        (quote! { #is_other #misfits #matching }, quote! { #sent #received #stores })
    }
}

/// The channel that a number denotes, or the fault if there is none.
fn found(scope: &Scope<'_, '_>, numbered: &Numbered) -> TokenStream {
    let number = scope.value(&numbered.number);
    if numbered.number.effects().can_fail {
        quote! { (|| -> Result<_, Fault> { now.channel(#number) })() }
    } else {
        quote! { now.channel(#number) }
    }
}

/// Goes on if the fields of an offered message match.
fn match_offered(scope: &Scope<'_, '_>, pattern: &[exec::Field], blocked: &TokenStream) -> TokenStream {
    let Fits { wanted, differs, is_any, .. } = scope.first_fits(pattern, &offered_field);
    let check = (!is_any).then(|| quote! { if #differs { #blocked } });
    quote! { #wanted #check }
}

/// A field of an offered message.
fn offered_field(number: usize) -> TokenStream {
    let number = count(number);
    quote! { offer.message[#number] }
}

/// How a function returns its outcome.
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

impl TransitionFunctions {
    pub fn new(take: Vec<(TokenStream, Call)>, answer: Option<(TokenStream, Call)>) -> Self {
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
