//! Channels as statements and expressions use them.
//!
//! A channel variable in which nothing is ever stored *is* its queue: a field of
//! the state. Any other one holds a number; the state knows which channel that
//! number means at the moment (`State::channel`). A rendezvous channel has no
//! queue at all: the sender looks for a process that waits for it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Generator;
use super::expr::{Binding, Code, Scope, as_int};
use super::names::{bare, count};
use crate::model::{ChannelRef, Expr, ExprKind, Init, Owner, Pattern, Place, Probe, SiteId, Type};

/// How a statement gets at its channel.
pub struct Access {
    /// Statements before everything else.
    pub prelude: TokenStream,
    /// Of what kind the channel can be.
    pub kinds: Vec<Kind>,
    /// The `Channel`, where one is asked for: by number or in a rendezvous.
    pub identity: TokenStream,
    /// How many variants `Channel` has.
    n_channels: usize,
}

/// One kind of channel that a reference can denote: those with the same capacity
/// and fields, or one whose place in the state is known.
pub struct Kind {
    /// Variants of `Channel`; empty if the place is known.
    pub variants: Vec<TokenStream>,
    pub capacity: u32,
    pub fields: Vec<Type>,
    /// The queue in the state that is read.
    pub queue: TokenStream,
    /// The queue in `next`.
    pub queue_mut: TokenStream,
    /// The Rust type of its messages.
    pub message: proc_macro2::Ident,
}

impl Kind {
    /// A field of `message`. One that it does not have, since the pattern was written for another kind, is 0.
    pub fn field(&self, number: usize) -> TokenStream {
        if number >= self.fields.len() {
            return quote! { 0_u8 };
        }
        let number = count(number);
        quote! { message.#number }
    }
}

/// What a pattern asks of a message.
pub struct Fits {
    /// Values to compute before.
    pub wanted: TokenStream,
    pub fits: TokenStream,
    pub differs: TokenStream,
    /// Any message fits.
    pub is_any: bool,
}

impl Access {
    pub fn has_rendezvous(&self) -> bool {
        self.kinds.iter().any(|kind| kind.capacity == 0)
    }

    pub fn is_only_rendezvous(&self) -> bool {
        !self.kinds.is_empty() && self.kinds.iter().all(|kind| kind.capacity == 0)
    }

    pub fn buffered(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(|kind| kind.capacity > 0)
    }

    fn rendezvous(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(|kind| kind.capacity == 0)
    }

    /// Code for whichever buffered kind the channel is of. A statement that changes a queue is preceded by its guard, so
    /// that the channel has one there.
    pub fn for_each_kind(&self, fails: &dyn Fn(), code: impl Fn(&Kind) -> TokenStream) -> TokenStream {
        self.for_each_kind_or(fails, None, code)
    }

    /// The same, with code for a rendezvous channel, which has no queue.
    pub fn for_each_kind_or(
        &self,
        fails: &dyn Fn(),
        rendezvous: Option<&TokenStream>,
        code: impl Fn(&Kind) -> TokenStream,
    ) -> TokenStream {
        let mut buffered = self.buffered();
        if let (Some(only), None, false) = (buffered.next(), buffered.next(), self.has_rendezvous()) {
            return code(only);
        }
        let mut arms: Vec<(Vec<&TokenStream>, TokenStream)> =
            self.buffered().map(|kind| (kind.variants.iter().collect(), code(kind))).collect();
        if let Some(rendezvous) = rendezvous.filter(|_| self.has_rendezvous()) {
            arms.push((self.rendezvous().flat_map(|kind| &kind.variants).collect(), rendezvous.clone()));
        }
        let n_matched: usize = arms.iter().map(|(variants, _)| variants.len()).sum();
        let rest = (n_matched < self.n_channels).then(|| {
            fails();
            quote! { _ => return Err(Fault::BadChannel { channel: number }), }
        });
        let arms = arms.iter().map(|(variants, code)| quote! { #(#variants)|* => { #code } });
        quote! {
            match channel {
                #(#arms)*
                #rest
            }
        }
    }

    /// The values of a message for whichever rendezvous kind the channel is of; nothing if none carries so many fields.
    pub fn offered(
        &self,
        fails: &dyn Fn(),
        n_fields: usize,
        code: impl Fn(&Kind) -> TokenStream,
    ) -> Option<TokenStream> {
        let (fitting, others): (Vec<&Kind>, Vec<&Kind>) =
            self.rendezvous().partition(|kind| kind.fields.len() == n_fields);
        if let ([only], []) = (&fitting[..], &others[..]) {
            return Some(code(only));
        }
        // What is no rendezvous channel has left the function before.
        let arms = fitting.iter().map(|kind| {
            let (variants, code) = (&kind.variants, code(kind));
            quote! { #(#variants)|* => { #code } }
        });
        let n_matched: usize = fitting.iter().map(|kind| kind.variants.len()).sum();
        let rest = (n_matched < self.n_channels).then(|| {
            fails();
            quote! { _ => return Err(Fault::MessageShape), }
        });
        (!fitting.is_empty()).then(|| quote! { match channel { #(#arms)* #rest } })
    }
}

impl Scope<'_, '_> {
    pub fn access(&self, channel: &ChannelRef) -> Access {
        match self.generator.fixed_site(&channel.place) {
            Some(site) => self.direct(site, &channel.place),
            None => self.by_number(channel),
        }
    }

    /// The channel is where its variable is.
    fn direct(&self, site: SiteId, place: &Place) -> Access {
        let generator = self.generator;
        let model = generator.program.model;
        let names = &generator.names.sites[site];
        let (field, variant) = (&names.field, &names.variant);
        let state = &self.state;
        let owner = model.variables[place.variable].owner;
        let (base, base_mut, identity) = match owner {
            Owner::Proctype(id) => {
                let process = &generator.names.proctypes[id];
                let (module, module_mut) = (&process.module, &process.module_mut);
                let identity = vec![quote! { me }];
                (quote! { #state.#module(me) }, quote! { next.#module_mut(me) }, identity)
            }
            Owner::Global | Owner::Never(_) => (quote! { #state }, quote! { next }, Vec::new()),
        };
        let length = model.variables[place.variable].length;
        let (prelude, subscript, element) = match (&place.index, length) {
            (Some(index), Some(length)) => {
                let is_constant = matches!(index.kind, ExprKind::Constant(_));
                let index = self.index(index, length);
                if is_constant {
                    (TokenStream::new(), quote! { [#index] }, vec![index])
                } else {
                    (quote! { let element = #index; }, quote! { [element] }, vec![quote! { element }])
                }
            }
            _ => (TokenStream::new(), TokenStream::new(), Vec::new()),
        };
        let (queue, queue_mut) = match generator.placed() {
            Some((_, accessors)) => {
                let (field, field_mut) = (accessors.site(site), accessors.site_mut(site));
                (quote! { #base.#field(#(#element),*) }, quote! { #base_mut.#field_mut(#(#element),*) })
            }
            None => (quote! { #base.#field #subscript }, quote! { #base_mut.#field #subscript }),
        };
        let parts: Vec<_> = identity.into_iter().chain(element).collect();
        let identity = if parts.is_empty() {
            quote! { Channel::#variant }
        } else {
            quote! { Channel::#variant(#(#parts),*) }
        };
        let kind = Kind {
            variants: Vec::new(),
            capacity: model.sites[site].capacity,
            fields: model.sites[site].fields.clone(),
            queue,
            queue_mut,
            message: generator.message_type(&model.sites[site].fields),
        };
        Access { prelude, kinds: vec![kind], identity, n_channels: model.sites.len() }
    }

    /// The channel is found by its number.
    fn by_number(&self, channel: &ChannelRef) -> Access {
        let generator = self.generator;
        let model = generator.program.model;
        let number = as_int(Type::Chan, &self.read(&channel.place));
        let state = &self.state;
        let fails = self.fails();
        let mut kinds: Vec<Kind> = Vec::new();
        for id in &channel.sites {
            let site = &model.sites[*id];
            let variant = generator.channel_pattern(*id);
            let same = |kind: &&mut Kind| kind.capacity == site.capacity && kind.fields == site.fields;
            if let Some(kind) = kinds.iter_mut().find(same) {
                kind.variants.push(variant);
                continue;
            }
            let like = bare(&generator.shape_name(*id));
            let (find, find_mut) = (format_ident!("{like}"), format_ident!("{like}_mut"));
            kinds.push(Kind {
                variants: vec![variant],
                capacity: site.capacity,
                fields: site.fields.clone(),
                queue: quote! { #state.#find(channel)#fails },
                queue_mut: quote! { next.#find_mut(channel)#fails },
                message: generator.message_type(&site.fields),
            });
        }
        Access {
            prelude: quote! {
                let number = #number;
                let channel = #state.channel(number)#fails;
            },
            kinds,
            n_channels: model.sites.len(),
            identity: quote! { channel },
        }
    }

    /// `len(q)` and its kin, as a number.
    pub(super) fn length(&self, probe: Probe, channel: &ChannelRef) -> Code {
        match self.is_probe(probe, channel) {
            Some(code) => {
                let tokens = code.tokens;
                Code::atom(quote! { int(#tokens) })
            }
            None => match self.place_of_queue(channel) {
                Some((_, 0)) => Code::atom(quote! { 0 }),
                Some((queue, _)) => Code::atom(quote! { int(#queue.len()) }),
                None => {
                    let (state, number, fails) = (self.state.clone(), self.number_of(channel), self.fails());
                    Code::atom(quote! { int(#state.channel_len(#number)#fails) })
                }
            },
        }
    }

    /// `empty(q)` and its kin, as a truth; nothing for `len`.
    pub(super) fn is_probe(&self, probe: Probe, channel: &ChannelRef) -> Option<Code> {
        if probe == Probe::Len {
            return None;
        }
        let is_negated = matches!(probe, Probe::Nempty | Probe::Nfull);
        let asks_empty = matches!(probe, Probe::Empty | Probe::Nempty);
        let question = match self.place_of_queue(channel) {
            // A rendezvous channel holds nothing, and there is always room for what is not kept.
            Some((_, 0)) => {
                let truth = asks_empty != is_negated;
                return Some(Code::atom(quote! { #truth }));
            }
            Some((queue, _)) if asks_empty => quote! { #queue.is_empty() },
            Some((queue, _)) => quote! { #queue.is_full() },
            None => {
                let (state, number, fails) = (self.state.clone(), self.number_of(channel), self.fails());
                if asks_empty {
                    let operator = if is_negated {
                        quote! { != }
                    } else {
                        quote! { == }
                    };
                    let tokens = quote! { #state.channel_len(#number)#fails #operator 0 };
                    return Some(Code { tokens, binding: Binding::Comparison });
                }
                quote! { #state.channel_is_full(#number)#fails }
            }
        };
        Some(if is_negated {
            Code { tokens: quote! { !#question }, binding: Binding::Unary }
        } else {
            Code::atom(question)
        })
    }

    fn number_of(&self, channel: &ChannelRef) -> TokenStream {
        as_int(Type::Chan, &self.read(&channel.place))
    }

    /// The queue that a reference always means, and its capacity.
    fn place_of_queue(&self, channel: &ChannelRef) -> Option<(TokenStream, u32)> {
        let site = self.generator.fixed_site(&channel.place)?;
        let generator = self.generator;
        let model = generator.program.model;
        let field = &generator.names.sites[site].field;
        let state = &self.state;
        let variable = &model.variables[channel.place.variable];
        let owner = match variable.owner {
            Owner::Proctype(id) => {
                let module = &generator.names.proctypes[id].module;
                quote! { #state.#module(me) }
            }
            Owner::Global | Owner::Never(_) => quote! { #state },
        };
        if let Some((_, accessors)) = generator.placed() {
            let (name, indices) = (accessors.site(site), self.indices(&channel.place));
            return Some((quote! { #owner.#name(#(#indices),*) }, model.sites[site].capacity));
        }
        let base = quote! { #owner.#field };
        let queue = match (&channel.place.index, variable.length) {
            (Some(index), Some(length)) => {
                let index = self.index(index, length);
                quote! { #base[#index] }
            }
            _ => base,
        };
        Some((queue, model.sites[site].capacity))
    }

    /// `q?[...]`: would a receive be possible?
    pub(super) fn poll(&self, channel: &ChannelRef, random: bool, pattern: &[Pattern]) -> TokenStream {
        let access = self.access(channel);
        let fails = || self.can_fail.set(true);
        let wanted = self.fits(pattern, &|_| TokenStream::new()).wanted;
        let prelude = &access.prelude;
        let ask = |kind: &Kind| {
            let queue = &kind.queue;
            let Fits { fits, is_any, .. } = self.fits(pattern, &|field| kind.field(field));
            let message = if is_any {
                quote! { _ }
            } else {
                quote! { message }
            };
            if random {
                quote! { #queue.position(|#message| #fits).is_some() }
            } else {
                quote! { #queue.first().is_some_and(|#message| #fits) }
            }
        };
        if access.is_only_rendezvous() || access.kinds.is_empty() {
            return quote! { false };
        }
        // A rendezvous channel never holds a message.
        let asked = access.for_each_kind_or(&fails, Some(&quote! { false }), ask);
        if prelude.is_empty() && wanted.is_empty() {
            asked
        } else {
            quote! { { #prelude #wanted #asked } }
        }
    }

    /// What a pattern asks of a message.
    pub fn fits(&self, pattern: &[Pattern], field: &dyn Fn(usize) -> TokenStream) -> Fits {
        let mut wanted = TokenStream::new();
        let (mut equal, mut unequal) = (Vec::new(), Vec::new());
        for (number, part) in pattern.iter().enumerate() {
            let Pattern::Equal(value) = part else { continue };
            let mut tokens = self.value(value);
            let field = field(number);
            if !matches!(value.kind, ExprKind::Constant(_)) {
                let name = format_ident!("wanted_{number}");
                wanted.extend(quote! { let #name = #tokens; });
                tokens = quote! { #name };
            }
            equal.push(quote! { int(#field) == #tokens });
            unequal.push(quote! { int(#field) != #tokens });
        }
        let is_any = equal.is_empty();
        let fits = if is_any {
            quote! { true }
        } else {
            quote! { #(#equal)&&* }
        };
        Fits { wanted, fits, differs: quote! { #(#unequal)||* }, is_any }
    }

    /// The fields of a message, each cut to what the channel carries.
    pub fn message(&self, fields: &[Type], values: &[Expr]) -> Vec<TokenStream> {
        let given = fields.iter().zip(values).map(|(ty, value)| self.stored(*ty, value));
        given.chain(missing(fields, values)).collect()
    }

    /// The same as 32-bit numbers, for a handshake.
    pub fn message_numbers(&self, fields: &[Type], values: &[Expr]) -> Vec<TokenStream> {
        let number = |(ty, value): (&Type, &Expr)| match value.kind {
            ExprKind::Constant(number) if ty.truncate(number) == number => self.value(value),
            ExprKind::Constant(number) => super::names::literal(ty.truncate(number)),
            _ => as_int(*ty, &self.stored(*ty, value)),
        };
        fields.iter().zip(values).map(number).chain(missing(fields, values)).collect()
    }
}

/// What a message lacks that was written for a channel of shorter ones is 0.
fn missing(fields: &[Type], values: &[Expr]) -> impl Iterator<Item = TokenStream> {
    std::iter::repeat_n(quote! { 0 }, fields.len().saturating_sub(values.len()))
}

impl Generator<'_> {
    /// The site whose channels a place always denotes.
    pub fn fixed_site(&self, place: &Place) -> Option<SiteId> {
        let is_fixed = self.facts.is_fixed_channel[place.variable] && place.fields.is_empty();
        match self.program.model.variables[place.variable].init {
            Init::Channel(site) if is_fixed => Some(site),
            _ => None,
        }
    }
}
