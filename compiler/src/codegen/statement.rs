//! Statements: what each waits for, and what it does to the next state.
//!
//! The same code serves a transition, which reads `now` and changes `next`, and
//! the inside of a `d_step`, where both are `next`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::accessors::Accessors;
use super::channels::{Access, Fits, Kind};
use super::expr::{Scope, as_int, cut};
use super::names::{count, visible};
use super::words::mentions;
use crate::ir::Action;
use crate::ir::visit;
use crate::model::{ChannelRef, Expr, ExprKind, Owner, Pattern, Place, Printed, Side, Target, Type};

/// Code of one statement.
#[derive(Default)]
pub struct Code {
    /// Leaves the function if the statement is not executable.
    pub guard: TokenStream,
    /// Changes `next`.
    pub effect: TokenStream,
    /// The guard always leaves the function.
    pub is_never_executable: bool,
    /// What an assertion claims.
    pub asserts: Option<TokenStream>,
    /// What is printed: `format_args!(...)`.
    pub prints: Option<TokenStream>,
}

impl Scope<'_, '_> {
    /// Code of a statement that is no `d_step`, no rendezvous and no end. `blocked` leaves the function if it is not
    /// executable.
    pub fn statement(&self, action: &Action<'_>, blocked: &TokenStream) -> Code {
        match action {
            Action::Condition(condition) => self.wait(condition, blocked),
            Action::Assign { target, value } => Code { effect: self.assign(target, value), ..Code::default() },
            Action::Send { channel, sorted, message } => self.send(channel, *sorted, message, blocked),
            Action::Receive { channel, random, peek, pattern } => {
                self.receive(channel, *random, *peek, pattern, blocked)
            }
            Action::Assert(condition) => Code { asserts: Some(self.truth(condition)), ..Code::default() },
            Action::Print(parts) => Code { prints: Some(self.print(parts)), ..Code::default() },
            Action::Else | Action::Jump | Action::Event { .. } | Action::DStep(_) | Action::End => Code::default(),
        }
    }

    fn wait(&self, condition: &Expr, blocked: &TokenStream) -> Code {
        if let ExprKind::Constant(value) = condition.kind
            && value != 0
        {
            return Code::default();
        }
        if let ExprKind::Run { proctype, arguments, priority } = &condition.kind {
            // The new pid is never 0 here: the process that runs it has a lower one.
            let run = self.run(*proctype, arguments, *priority);
            return Code { effect: quote! { #run; }, ..Code::default() };
        }
        let falsehood = self.falsehood(condition);
        let wait = quote! { if #falsehood { #blocked } };
        if changes_state(condition) {
            Code { effect: wait, ..Code::default() }
        } else {
            Code { guard: wait, ..Code::default() }
        }
    }

    fn assign(&self, target: &Target, value: &Expr) -> TokenStream {
        match target {
            // To rustc this looks like a mistake of ours.
            Target::Place(place) if matches!(&value.kind, ExprKind::Read(read) if is_same(place, read)) => {
                TokenStream::new()
            }
            Target::Place(place) => {
                let value = self.stored(place.ty, value);
                self.store(place, &value)
            }
            Target::Priority => {
                let value = self.value(value);
                quote! { next.set_priority(int(me), #value); }
            }
            Target::Ignore => {
                let value = self.value(value);
                quote! { let _ = #value; }
            }
        }
    }

    /// Stores a value, already of the right type, in a place of `next`.
    pub fn store(&self, place: &Place, value: &TokenStream) -> TokenStream {
        let generator = self.generator;
        if let Some((_, accessors)) = generator.placed() {
            return self.store_in_words(accessors, place, value);
        }
        let model = generator.program.model;
        let variable = &model.variables[place.variable];
        let name = generator.names.variable(place.variable);
        let mut target = match variable.owner {
            Owner::Proctype(owner) => {
                let module_mut = &generator.names.proctypes[owner].module_mut;
                quote! { next.#module_mut(me).#name }
            }
            Owner::Global | Owner::Never(_) => quote! { next.#name },
        };
        // While `next` is borrowed for the target it cannot be asked for an index, so those come first.
        let mut indices = TokenStream::new();
        let mut subscript = |target: TokenStream, index: Option<&Expr>, length: Option<u32>, n: usize| {
            let (Some(index), Some(length)) = (index, length) else { return target };
            let is_constant = matches!(index.kind, ExprKind::Constant(_));
            let index = self.index(index, length);
            if self.state == "now" || is_constant {
                return quote! { #target[#index] };
            }
            let name = format_ident!("index_{n}");
            indices.extend(quote! { let #name = #index; });
            quote! { #target[#name] }
        };
        target = subscript(target, place.index.as_deref(), variable.length, 0);
        let mut ty = variable.ty;
        for (n, access) in place.fields.iter().enumerate() {
            let Type::Record(record) = ty else { break };
            let field = &model.records[record].fields[access.field as usize];
            let name = generator.names.field(record, access.field);
            target = subscript(quote! { #target.#name }, access.index.as_deref(), field.length, n + 1);
            ty = field.ty;
        }
        if indices.is_empty() {
            quote! { #target = #value; }
        } else {
            quote! { { #indices #target = #value; } }
        }
    }

    /// `next.set_level(2, value);`
    fn store_in_words(&self, accessors: &Accessors, place: &Place, value: &TokenStream) -> TokenStream {
        let names = &self.generator.names;
        let path: Vec<u32> = place.fields.iter().map(|access| access.field).collect();
        let setter = accessors.leaf(place.variable, &path).setter();
        let mut arguments = self.indices(place);
        arguments.push(value.clone());
        let owner = match self.generator.program.model.variables[place.variable].owner {
            Owner::Global | Owner::Never(_) => None,
            Owner::Proctype(owner) => Some(&names.proctypes[owner].module_mut),
        };
        // While `next` is lent to the locals it cannot be asked, and while it is asked no process can be started in it;
        // so that comes first.
        let mut before = TokenStream::new();
        for (number, argument) in arguments.iter_mut().enumerate() {
            if mentions(argument, "next") && (owner.is_some() || mentions(argument, "mut")) {
                let name = format_ident!("argument_{number}");
                before.extend(quote! { let #name = #argument; });
                *argument = quote! { #name };
            }
        }
        let store = match owner {
            None => quote! { next.#setter(#(#arguments),*); },
            Some(module_mut) => quote! { next.#module_mut(me).#setter(#(#arguments),*); },
        };
        if before.is_empty() {
            store
        } else {
            quote! { { #before #store } }
        }
    }

    /// A send to a buffered channel. One that turns out to be a rendezvous channel is for `Place::offer`, or in a
    /// `d_step` for nobody.
    fn send(&self, channel: &ChannelRef, sorted: bool, message: &[Expr], blocked: &TokenStream) -> Code {
        let access = self.access(channel);
        let Access { prelude, .. } = &access;
        let fails = || self.can_fail.set(true);
        let send = if sorted { format_ident!("send_sorted") } else { format_ident!("send") };
        let handshake = if self.is_in_d_step() {
            self.can_fail.set(true);
            quote! { return Err(Fault::DStepRendezvous); }
        } else {
            blocked.clone()
        };
        if access.buffered().next().is_none() {
            let otherwise = if access.has_rendezvous() { &handshake } else { blocked };
            return self.unusable(&access, otherwise);
        }
        let loses_messages = self.generator.loses_messages;
        let guard = access.for_each_kind_or(&fails, Some(&handshake), |kind| {
            let queue = &kind.queue;
            if loses_messages {
                TokenStream::new()
            } else {
                quote! { if #queue.is_full() { #blocked } }
            }
        });
        let guard = quote! { #prelude #guard };
        if let Some(code) = self.misshapen(&access, message.len(), &guard) {
            return code;
        }
        let effect = access.for_each_kind(&fails, |kind| {
            let (queue, ty) = (&kind.queue_mut, &kind.message);
            let fields = self.message(&kind.fields, message);
            if self.state == "now" {
                quote! { #queue.#send(#ty(#(#fields),*)); }
            } else {
                quote! { let message = #ty(#(#fields),*); #queue.#send(message); }
            }
        });
        let observe = self.generator.traces(Side::Send, channel).then(|| {
            access.for_each_kind(&fails, |kind| {
                let numbers = self.message_numbers(&kind.fields, message);
                let identity = &access.identity;
                quote! { next.trace_sent(#identity, &[#(#numbers),*]); }
            })
        });
        let shape = self.check_shape(&access, message.len());
        let effect = quote! { #shape #observe #effect };
        Code { guard, effect, ..Code::default() }
    }

    /// A variable may hold channels of other messages than the statement has: then it fails.
    fn check_shape(&self, access: &Access, n_fields: usize) -> Option<TokenStream> {
        let fails = || self.can_fail.set(true);
        let is_wrong = |kind: &Kind| kind.fields.len() != n_fields;
        access.buffered().any(is_wrong).then(|| {
            fails();
            access.for_each_kind(&fails, |kind| {
                if is_wrong(kind) {
                    quote! { return Err(Fault::MessageShape); }
                } else {
                    TokenStream::new()
                }
            })
        })
    }

    /// Whether no queue that the channel can have carries so many fields.
    fn is_misshapen(&self, access: &Access, n_fields: usize) -> bool {
        access.buffered().all(|kind| kind.fields.len() != n_fields)
    }

    /// A statement that fails with every channel that it can have, as soon as the channel is ready for it.
    fn misshapen(&self, access: &Access, n_fields: usize, guard: &TokenStream) -> Option<Code> {
        self.is_misshapen(access, n_fields).then(|| {
            self.can_fail.set(true);
            let guard = quote! { #guard return Err(Fault::MessageShape); };
            Code { guard, is_never_executable: true, ..Code::default() }
        })
    }

    /// A statement whose channel can have no queue: what remains are faults in finding the channel.
    fn unusable(&self, access: &Access, otherwise: &TokenStream) -> Code {
        let (prelude, identity) = (&access.prelude, &access.identity);
        let find = (!prelude.is_empty()).then(|| quote! { #prelude let _ = #identity; });
        let guard = quote! { #find #otherwise };
        Code { guard, is_never_executable: true, ..Code::default() }
    }

    /// A receive from a buffered channel.
    fn receive(
        &self,
        channel: &ChannelRef,
        random: bool,
        peek: bool,
        pattern: &[Pattern],
        blocked: &TokenStream,
    ) -> Code {
        let access = self.access(channel);
        let mut kinds = access.buffered();
        let Some(first) = kinds.next() else { return self.unusable(&access, blocked) };
        let is_single = kinds.next().is_none() && !access.has_rendezvous();
        let fails = || self.can_fail.set(true);
        // Of several kinds of channels the messages have different types: they are compared as numbers.
        let field = |number: usize| {
            let number = count(number);
            if is_single {
                quote! { message.#number }
            } else {
                quote! { message[#number] }
            }
        };
        let Fits { wanted, fits, differs, is_any } = self.fits(pattern, &field);
        let is_misshapen = self.is_misshapen(&access, pattern.len());
        let uses_message = !is_misshapen && pattern.iter().any(|part| matches!(part, Pattern::Store(_)));
        let prelude = &access.prelude;
        // As many as the longest message has; what a shorter one lacks is 0.
        let widest = access.buffered().map(|kind| kind.fields.len()).max().unwrap_or_default().max(pattern.len());
        let values = |kind: &Kind| {
            let n_missing = widest - kind.fields.len();
            if n_missing == 0 {
                return quote! { message.values() };
            }
            let names: Vec<Ident> = (0..kind.fields.len()).map(|number| format_ident!("value_{number}")).collect();
            let zeros = std::iter::repeat_n(quote! { 0 }, n_missing);
            quote! { { let [#(#names),*] = message.values(); [#(#names,)* #(#zeros),*] } }
        };

        let find = if random { self.find_position(&access, pattern, blocked) } else { TokenStream::new() };
        let guard = if random {
            let look = uses_message.then(|| {
                let message = access.for_each_kind(&fails, |kind| {
                    let queue = &kind.queue;
                    let message = quote! { #queue.message(position) };
                    if is_single {
                        message
                    } else {
                        let values = values(kind);
                        quote! { { let message = #message; #values } }
                    }
                });
                quote! { let message = #message; }
            });
            if (peek || is_misshapen) && !uses_message {
                quote! { if #find.is_none() { #blocked } }
            } else {
                let find = if is_single {
                    find
                } else {
                    quote! { (#find) }
                };
                quote! { let Some(position) = #find else { #blocked }; #look }
            }
        } else if is_any && !uses_message {
            access.for_each_kind_or(&fails, Some(blocked), |kind| {
                let queue = &kind.queue;
                quote! { if #queue.is_empty() { #blocked } }
            })
        } else {
            let first = if is_single {
                let queue = &first.queue;
                quote! { let Some(message) = #queue.first() else { #blocked }; }
            } else {
                let message = access.for_each_kind_or(&fails, Some(blocked), |kind| {
                    let (queue, values) = (&kind.queue, values(kind));
                    quote! { #queue.first().map(|message| #values) }
                });
                quote! { let message = #message; let Some(message) = message else { #blocked }; }
            };
            let check = (!is_any).then(|| quote! { if #differs { #blocked } });
            quote! { #first #check }
        };
        let _ = fits;

        let remove = (!peek).then(|| {
            access.for_each_kind(&fails, |kind| {
                let queue = &kind.queue_mut;
                if random {
                    quote! { #queue.remove(position); }
                } else {
                    quote! { #queue.receive(); }
                }
            })
        });
        let observe = (!peek && self.generator.traces(Side::Receive, channel)).then(|| {
            let position = if random {
                quote! { position }
            } else {
                quote! { 0 }
            };
            access.for_each_kind(&fails, |kind| {
                let (queue, identity) = (&kind.queue, &access.identity);
                quote! {
                    let received = #queue.message(#position).values();
                    next.trace_received(#identity, &received);
                }
            })
        });
        let guard = quote! { #prelude #wanted #guard };
        if let Some(code) = self.misshapen(&access, pattern.len(), &guard) {
            return code;
        }
        let shape = self.check_shape(&access, pattern.len());
        let remove = quote! { #shape #observe #remove };
        let field_types = is_single.then_some(&first.fields[..]);
        let stores = self.stores(pattern, field_types, &field);
        Code { guard, effect: quote! { #remove #stores }, ..Code::default() }
    }

    fn find_position(&self, access: &Access, pattern: &[Pattern], blocked: &TokenStream) -> TokenStream {
        let fails = || self.can_fail.set(true);
        access.for_each_kind_or(&fails, Some(blocked), |kind: &Kind| {
            let queue = &kind.queue;
            let Fits { fits, is_any, .. } = self.fits(pattern, &|number| kind.field(number));
            let message = if is_any {
                quote! { _ }
            } else {
                quote! { message }
            };
            quote! { #queue.position(|#message| #fits) }
        })
    }

    /// Stores the fields of a received message from left to right: `q?i,a[i]` uses the new `i`.
    pub fn stores(
        &self,
        pattern: &[Pattern],
        types: Option<&[Type]>,
        field: &dyn Fn(usize) -> TokenStream,
    ) -> TokenStream {
        let scope = self.reading("next");
        let mut stores = TokenStream::new();
        for (number, part) in pattern.iter().enumerate() {
            let Pattern::Store(place) = part else { continue };
            let message = field(number);
            let value = match types.and_then(|types| types.get(number)) {
                Some(ty) if *ty == place.ty => message,
                Some(ty) => cut(place.ty, &as_int(*ty, &message)),
                None => cut(place.ty, &message),
            };
            stores.extend(scope.store(place, &value));
        }
        self.note(&scope);
        stores
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
                    // A literal alone would be taken for a `u32`, and could not be negative.
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

/// Newlines and tabs are what the author wants printed; other invisible
/// characters are spelled out.
fn visible_lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| line.split('\t').map(visible).collect::<Vec<_>>().join("\t"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether computing the value has an effect.
pub fn changes_state(expression: &Expr) -> bool {
    let mut changes = false;
    visit::expression(expression, &mut |part| {
        changes |= matches!(part.kind, ExprKind::Run { .. } | ExprKind::SetPriority(..));
    });
    changes
}

/// Whether two places are one, without indices, which could be wrong.
fn is_same(one: &Place, other: &Place) -> bool {
    let has_index = |place: &Place| place.index.is_some() || place.fields.iter().any(|access| access.index.is_some());
    let fields = |place: &Place| -> Vec<u32> { place.fields.iter().map(|access| access.field).collect() };
    !has_index(one) && !has_index(other) && one.variable == other.variable && fields(one) == fields(other)
}
