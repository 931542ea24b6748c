//! Statements: the guard of each, and its effect on the next state.
//!
//! The same code serves a transition, which reads `now` and changes `next`, and
//! the inside of a `d_step`, where both are `next`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::accessors::element_names;
use super::channels::{ChannelAccess, ChannelKind, Fits};
use super::expr::{Scope, as_int, truncated};
use super::names::{count, visible};
use crate::exec::effects::{Effects, Executable};
use crate::exec::{
    Channel, Guard, Handshake, HostCall, Message, Operation, Place, Printed, Receive, Received, Statement, Value,
};
use crate::model::{self, Type};

/// Code of one statement.
#[derive(Default)]
pub struct StatementCode {
    /// Leaves the function if the statement is not executable.
    pub guard: TokenStream,
    /// Changes `next`.
    pub effect: TokenStream,
    /// The condition of an assertion.
    pub asserts: Option<TokenStream>,
    /// What is printed: `format_args!(...)`.
    pub prints: Option<TokenStream>,
}

/// A value that is passed to a function, and the code that computes it.
struct Argument {
    tokens: TokenStream,
    effects: Effects,
}

impl Scope<'_, '_> {
    /// Code of a statement. `blocked` leaves the function if it is not executable.
    pub fn statement(&self, statement: &Statement, blocked: &TokenStream) -> StatementCode {
        let mut code = match &statement.guard {
            Guard::Always => StatementCode::default(),
            Guard::Test(test) => {
                let falsehood = self.falsehood(test);
                StatementCode { guard: quote! { if #falsehood { #blocked } }, ..StatementCode::default() }
            }
            Guard::Room { channel, loses, handshake } => {
                StatementCode { guard: self.room(channel, *loses, *handshake, blocked), ..StatementCode::default() }
            }
            Guard::Message(receive) => {
                StatementCode { guard: self.message(receive, blocked), ..StatementCode::default() }
            }
            Guard::NoQueue { channel, handshake } => {
                let (prelude, otherwise) = (self.identify(channel), at_handshake(*handshake, blocked));
                StatementCode { guard: quote! { #prelude #otherwise }, ..StatementCode::default() }
            }
        };
        statement.operations.iter().for_each(|operation| self.operation(operation, blocked, &mut code));
        code
    }

    fn operation(&self, operation: &Operation, blocked: &TokenStream, code: &mut StatementCode) {
        let effect = match operation {
            Operation::Store { place, value } => {
                let effects = value.effects();
                self.store(place, Argument { tokens: self.stored(value), effects })
            }
            Operation::Host { call, places } => self.host_statement(call, places),
            Operation::SetOwnPriority(value) => {
                let value = self.value(value);
                quote! { next.set_priority(int(me), #value); }
            }
            Operation::Evaluate(Value::Run(run)) => {
                let run = self.run(run);
                quote! { #run; }
            }
            Operation::Evaluate(value) => {
                let value = self.value(value);
                quote! { let _ = #value; }
            }
            Operation::Require(test) => {
                let falsehood = self.falsehood(test);
                quote! { if #falsehood { #blocked } }
            }
            Operation::Assert(test) => {
                code.asserts = Some(self.truth(test));
                return;
            }
            Operation::Print(parts) => {
                code.prints = Some(self.print(parts));
                return;
            }
            Operation::Send { channel, sorted, messages, is_traced } => {
                self.send(channel, *sorted, messages, *is_traced)
            }
            Operation::Receive(receive) => self.receive(receive),
        };
        code.effect.extend(effect);
    }

    /// Stores a value, already of the right type, in a place of `next`: `next.set_level(2, value);`
    fn store(&self, place: &Place, value: Argument) -> TokenStream {
        let setter = self.generator.accessors.leaf(place.variable, &place.path).setter();
        let index = |index: &crate::exec::Index| Argument { tokens: self.index(index), effects: index.effects() };
        let arguments = place.indices.iter().map(index).chain([value]);
        let owner = match self.generator.program.model.variables[place.variable].owner {
            model::Owner::Global | model::Owner::Never(_) => None,
            model::Owner::Proctype(owner) => Some(&self.generator.names.proctypes[owner].module_mut),
        };
        // While the locals borrow `next` it cannot be read, and while it is read no process can be started in it; so
        // the value is computed first.
        let mut before = TokenStream::new();
        let mut given = Vec::new();
        let names = element_names(place.indices.len()).into_iter().chain([format_ident!("value")]);
        for (name, Argument { tokens, effects }) in names.zip(arguments) {
            let asks_next = self.state == "next" && effects.reads_state();
            if effects.writes_state() || (asks_next && owner.is_some()) {
                before.extend(quote! { let #name = #tokens; });
                given.push(quote! { #name });
            } else {
                given.push(tokens);
            }
        }
        let store = match owner {
            None => quote! { next.#setter(#(#given),*); },
            Some(module_mut) => quote! { next.#module_mut(me).#setter(#(#given),*); },
        };
        quote! { #before #store }
    }

    /// Calls a block of C, and stores what it gives: `let results = crate::embedded::block_2([int(now.x())])?; next.set_x(..)`.
    fn host_statement(&self, call: &HostCall, places: &[Place]) -> TokenStream {
        let call = self.host("block", call);
        if places.is_empty() {
            return quote! { #call; };
        }
        let scope = self.reading("next");
        let stores = places.iter().enumerate().map(|(number, place)| {
            let number = count(number);
            let tokens = truncated(place.ty, &quote! { results[#number] });
            scope.store(place, Argument { tokens, effects: Effects::default() })
        });
        quote! { let results = #call; #(#stores)* }
    }

    /// Looks up a channel that is not used any further, because a failed lookup is a fault.
    fn identify(&self, channel: &Channel) -> TokenStream {
        match channel {
            Channel::Declared(declared) => match &declared.element {
                Some(element) if element.is_checked => {
                    let element = self.index(element);
                    quote! { #element; }
                }
                _ => TokenStream::new(),
            },
            Channel::Numbered(numbered) => {
                let (state, number) = (&self.state, self.value(&numbered.number));
                quote! { #state.channel(#number)?; }
            }
        }
    }

    /// Leaves the function if a channel is full, or has no queue.
    fn room(&self, channel: &Channel, loses: bool, handshake: Option<Handshake>, blocked: &TokenStream) -> TokenStream {
        let access = self.access(channel);
        let prelude = &access.prelude;
        let otherwise = handshake.map(|handshake| at_handshake(handshake, blocked));
        let check = access.for_each_kind_or(otherwise.as_ref(), |kind| {
            let queue = &kind.queue;
            if loses {
                TokenStream::new()
            } else {
                quote! { if #queue.is_full() { #blocked } }
            }
        });
        quote! { #prelude #check }
    }

    fn send(&self, channel: &Channel, sorted: bool, messages: &[Message], is_traced: bool) -> TokenStream {
        let access = self.access(channel);
        let send = if sorted { format_ident!("send_sorted") } else { format_ident!("send") };
        access.for_each_kind(|kind| {
            let message = messages.iter().find(|message| message.sites == kind.sites);
            let Some(fields) = message.and_then(|message| message.fields.as_ref()) else {
                return quote! { return Err(Fault::MessageShape); };
            };
            let observe = is_traced.then(|| {
                let (numbers, identity) = (self.message_numbers(fields), &access.identity);
                quote! { next.trace_sent(#identity, &[#(#numbers),*]); }
            });
            let (queue, ty) = (&kind.queue_mut, &kind.message);
            let fields = fields.iter().map(|field| self.stored(field));
            if self.state == "now" {
                quote! { #observe #queue.#send(#ty(#(#fields),*)); }
            } else {
                quote! { #observe let message = #ty(#(#fields),*); #queue.#send(message); }
            }
        })
    }

    /// Leaves the function unless a message matches; binds the message and its position, if they are used.
    fn message(&self, receive: &Receive, blocked: &TokenStream) -> TokenStream {
        let access = self.access(&receive.channel);
        let prelude = &access.prelude;
        let is_single = access.is_single();
        // If no channel has messages with as many fields as the statement, a message is a fault and none is compared.
        let is_used = !receive.always_fails();
        let stores = is_used && !receive.stores.is_empty();
        let widest = access.buffered().map(|kind| kind.fields.len()).max().unwrap_or_default();
        let widest = widest.max(receive.pattern.len());
        let test = if receive.random { Self::fits } else { Self::first_fits };
        let Fits { wanted, differs, is_any, .. } = test(self, &receive.pattern, &|number| field(is_single, number));
        let blocks_if_empty = || {
            access.for_each_kind_or(Some(blocked), |kind| {
                let queue = &kind.queue;
                quote! { if #queue.is_empty() { #blocked } }
            })
        };
        let guard = if receive.random {
            let find = self.find_position(&access, receive, blocked);
            let look = stores.then(|| {
                let message = access.for_each_kind(|kind| {
                    let queue = &kind.queue;
                    let message = quote! { #queue.message(position) };
                    if is_single {
                        message
                    } else {
                        let values = values(kind, widest);
                        quote! { { let message = #message; #values } }
                    }
                });
                quote! { let message = #message; }
            });
            if !stores && (receive.keeps || !is_used) {
                quote! { if #find.is_none() { #blocked } }
            } else {
                let find = if is_single {
                    find
                } else {
                    quote! { (#find) }
                };
                quote! { let Some(position) = #find else { #blocked }; #look }
            }
        } else if is_any && !stores {
            blocks_if_empty()
        } else {
            let first = bind_first(&access, widest, blocked);
            let check = (!is_any).then(|| quote! { if #differs { #blocked } });
            quote! { #first #check }
        };
        // A fault in a value is none if there is no message to compare it with.
        let is_there = (receive.random && receive.pattern.effects().can_fail).then(blocks_if_empty);
        quote! { #prelude #is_there #wanted #guard }
    }

    fn find_position(&self, access: &ChannelAccess, receive: &Receive, blocked: &TokenStream) -> TokenStream {
        access.for_each_kind_or(Some(blocked), |kind| {
            self.fits(&receive.pattern, &|number| kind.field(number)).position(kind, &receive.pattern)
        })
    }

    /// Takes the message that [`message`](Self::message) has found.
    fn receive(&self, receive: &Receive) -> TokenStream {
        let access = self.access(&receive.channel);
        if receive.always_fails() {
            return quote! { return Err(Fault::MessageShape); };
        }
        let is_wrong = |kind: &ChannelKind| receive.shapes.iter().any(|shape| shape.sites == kind.sites && !shape.fits);
        let shape = access.buffered().any(is_wrong).then(|| {
            access.for_each_kind(|kind| {
                if is_wrong(kind) {
                    quote! { return Err(Fault::MessageShape); }
                } else {
                    TokenStream::new()
                }
            })
        });
        let position = if receive.random {
            quote! { position }
        } else {
            quote! { 0 }
        };
        let observe = receive.is_traced.then(|| {
            access.for_each_kind(|kind| {
                let (queue, identity) = (&kind.queue, &access.identity);
                quote! {
                    let received = #queue.message(#position).values();
                    next.trace_received(#identity, &received);
                }
            })
        });
        let remove = (!receive.keeps).then(|| {
            access.for_each_kind(|kind| {
                let queue = &kind.queue_mut;
                if receive.random {
                    quote! { #queue.remove(position); }
                } else {
                    quote! { #queue.receive(); }
                }
            })
        });
        let is_single = access.is_single();
        let types = access.buffered().next().filter(|_| is_single).map(|kind| &kind.fields[..]);
        let stores = self.stores(&receive.stores, types, &|number| field(is_single, number));
        quote! { #shape #observe #remove #stores }
    }

    /// Stores the fields of a received message from left to right: `q?i,a[i]` uses the new `i`.
    pub fn stores(
        &self,
        stores: &[Received],
        types: Option<&[Type]>,
        field: &dyn Fn(usize) -> TokenStream,
    ) -> TokenStream {
        let scope = self.reading("next");
        let store = |received: &Received| {
            let (message, ty) = (field(received.field), received.place.ty);
            let value = match types.and_then(|types| types.get(received.field)) {
                Some(from) if *from == ty => message,
                Some(from) => truncated(ty, &as_int(*from, &message)),
                None => truncated(ty, &message),
            };
            scope.store(&received.place, Argument { tokens: value, effects: Effects::default() })
        };
        stores.iter().map(store).collect()
    }

    fn print(&self, parts: &[Printed]) -> TokenStream {
        let mut text = String::new();
        let mut values = Vec::new();
        for part in parts {
            match part {
                Printed::Text(part) => text.push_str(&visible_lines(part).replace('{', "{{").replace('}', "}}")),
                Printed::Signed(value) => {
                    text.push_str("{}");
                    values.push(self.value(value));
                }
                Printed::Unsigned(value) => {
                    text.push_str("{}");
                    let value = self.value(value);
                    // A literal alone would be inferred as `u32`, and could not be negative.
                    values.push(quote! { (#value) as i32 as u32 });
                }
                Printed::Octal(value) => {
                    text.push_str("{:o}");
                    values.push(self.value(value));
                }
                Printed::Hexadecimal(value) => {
                    text.push_str("{:x}");
                    values.push(self.value(value));
                }
                Printed::Character(value) => {
                    text.push_str("{}");
                    let value = self.value(value);
                    values.push(quote! { char::from(byte(#value)) });
                }
                Printed::Symbol(kind, value) => {
                    text.push_str("{}");
                    let function = self.generator.mtype_function(*kind);
                    let value = self.value(value);
                    values.push(quote! { #function(#value) });
                }
            }
        }
        quote! { format_args!(#text #(, #values)*) }
    }
}

/// Newlines and tabs are printed as they are; other invisible characters are escaped.
fn visible_lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| line.split('\t').map(visible).collect::<Vec<_>>().join("\t"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The code for the case that the channel of a step is a rendezvous channel.
fn at_handshake(handshake: Handshake, blocked: &TokenStream) -> TokenStream {
    match handshake {
        Handshake::Blocks => blocked.clone(),
        Handshake::Fails => quote! { return Err(Fault::DStepRendezvous); },
    }
}

/// Binds the first message of a queue.
fn bind_first(access: &ChannelAccess, widest: usize, blocked: &TokenStream) -> TokenStream {
    if access.is_single() {
        return access.for_each_kind(|kind| {
            let queue = &kind.queue;
            quote! { let Some(message) = #queue.first() else { #blocked }; }
        });
    }
    let message = access.for_each_kind_or(Some(blocked), |kind| {
        let (queue, values) = (&kind.queue, values(kind, widest));
        quote! { #queue.first().map(|message| #values) }
    });
    quote! { let message = #message; let Some(message) = message else { #blocked }; }
}

/// A field of the message that was found. Messages of different kinds of channels have different types; there the
/// message is an array of numbers.
fn field(is_single: bool, number: usize) -> TokenStream {
    let number = count(number);
    if is_single {
        quote! { message.#number }
    } else {
        quote! { message[#number] }
    }
}

/// A message as so many numbers; fields that a shorter one lacks are 0.
fn values(kind: &ChannelKind, widest: usize) -> TokenStream {
    let n_missing = widest - kind.fields.len();
    if n_missing == 0 {
        return quote! { message.values() };
    }
    let names: Vec<Ident> = (0..kind.fields.len()).map(|number| format_ident!("value_{number}")).collect();
    let zeros = std::iter::repeat_n(quote! { 0 }, n_missing);
    quote! { { let [#(#names),*] = message.values(); [#(#names,)* #(#zeros),*] } }
}
