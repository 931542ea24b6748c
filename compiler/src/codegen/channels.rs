//! Channels as statements and expressions use them.
//!
//! A declared channel *is* its queue: a field of the state. Any other channel is a number, and the state maps that
//! number to a channel (`State::channel`). A rendezvous channel has no queue: the sender looks for a process that can
//! receive.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Generator;
use super::expr::{ExprCode, Precedence, Scope, as_int};
use super::names::{bare, count, literal};
use crate::exec::effects::Executable;
use crate::exec::{Channel, Cut, Declared, Field, Numbered, Owner, Value};
use crate::model::{self, Init, SiteId, Type};

/// How a statement accesses its channel.
pub struct ChannelAccess {
    /// Statements that precede all others.
    pub prelude: TokenStream,
    /// The kinds that the channel can have.
    pub kinds: Vec<ChannelKind>,
    /// The `Channel`, if one is needed: for access by number and for a rendezvous.
    pub identity: TokenStream,
    /// How many variants `Channel` has.
    n_channels: usize,
}

/// One kind of channel that a reference can denote: those with the same capacity and fields, or one whose position in
/// the state is known.
pub struct ChannelKind {
    pub sites: Vec<SiteId>,
    /// Variants of `Channel`; empty if the position is known.
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

impl ChannelKind {
    /// A field of `message`. A field that it lacks, since the pattern was written for another kind, is 0.
    pub fn field(&self, number: usize) -> TokenStream {
        if number >= self.fields.len() {
            return quote! { 0_u8 };
        }
        let number = count(number);
        quote! { message.#number }
    }

    /// The parameter of a closure that compares a message with a pattern. It is unnamed if no field is compared that such
    /// messages have.
    fn parameter(&self, pattern: &[Field]) -> TokenStream {
        let is_compared = pattern.iter().take(self.fields.len()).any(|field| matches!(field, Field::Equal(_)));
        if is_compared {
            quote! { message }
        } else {
            quote! { _ }
        }
    }
}

/// The test of a message against a pattern.
pub struct Fits {
    /// Values that are computed first.
    pub wanted: TokenStream,
    pub fits: TokenStream,
    pub differs: TokenStream,
    /// Any message matches.
    pub is_any: bool,
    /// The test contains `?`, which a closure cannot.
    can_fail: bool,
}

impl Fits {
    /// The position of the first message that matches, for a test of this pattern.
    pub fn position(&self, kind: &ChannelKind, pattern: &[Field]) -> TokenStream {
        let (fits, queue, message) = (&self.fits, &kind.queue, kind.parameter(pattern));
        quote! { #queue.position(|#message| #fits) }
    }

    /// Whether there is a first message, and it matches.
    fn is_first(&self, kind: &ChannelKind, pattern: &[Field]) -> TokenStream {
        let (fits, queue, message) = (&self.fits, &kind.queue, kind.parameter(pattern));
        if self.can_fail {
            quote! { match #queue.first() { Some(#message) => #fits, None => false } }
        } else {
            quote! { #queue.first().is_some_and(|#message| #fits) }
        }
    }
}

impl ChannelAccess {
    pub fn has_rendezvous(&self) -> bool {
        self.kinds.iter().any(|kind| kind.capacity == 0)
    }

    /// The channel always is of one kind, with a queue.
    pub fn is_single(&self) -> bool {
        self.kinds.len() == 1 && !self.has_rendezvous()
    }

    pub fn buffered(&self) -> impl Iterator<Item = &ChannelKind> {
        self.kinds.iter().filter(|kind| kind.capacity > 0)
    }

    fn rendezvous(&self) -> impl Iterator<Item = &ChannelKind> {
        self.kinds.iter().filter(|kind| kind.capacity == 0)
    }

    /// Code for every kind with a queue that the channel can have. A statement that changes a queue is preceded by its
    /// guard, so that the channel has a queue there.
    pub fn for_each_kind(&self, code: impl Fn(&ChannelKind) -> TokenStream) -> TokenStream {
        self.for_each_kind_or(None, code)
    }

    /// The same, with code for a rendezvous channel, which has no queue.
    pub fn for_each_kind_or(
        &self,
        rendezvous: Option<&TokenStream>,
        code: impl Fn(&ChannelKind) -> TokenStream,
    ) -> TokenStream {
        if self.is_single() {
            return self.buffered().map(code).collect();
        }
        let mut arms: Vec<(Vec<&TokenStream>, TokenStream)> =
            self.buffered().map(|kind| (kind.variants.iter().collect(), code(kind))).collect();
        if let Some(rendezvous) = rendezvous.filter(|_| self.has_rendezvous()) {
            arms.push((self.rendezvous().flat_map(|kind| &kind.variants).collect(), rendezvous.clone()));
        }
        let n_matched: usize = arms.iter().map(|(variants, _)| variants.len()).sum();
        let rest =
            (n_matched < self.n_channels).then(|| quote! { _ => return Err(Fault::BadChannel { channel: number }), });
        let arms = arms.iter().map(|(variants, code)| quote! { #(#variants)|* => { #code } });
        quote! {
            match channel {
                #(#arms)*
                #rest
            }
        }
    }

    /// The values of a message for every rendezvous kind that the channel can have.
    pub fn offered(&self, code: impl Fn(&ChannelKind) -> Option<TokenStream>) -> TokenStream {
        let mut rendezvous = self.rendezvous();
        if let (Some(only), None) = (rendezvous.next(), rendezvous.next())
            && let Some(code) = code(only)
        {
            return code;
        }
        // For other channels the function has already returned.
        let fitting: Vec<(&ChannelKind, TokenStream)> =
            self.rendezvous().filter_map(|kind| Some((kind, code(kind)?))).collect();
        let n_matched: usize = fitting.iter().map(|(kind, _)| kind.variants.len()).sum();
        let rest = (n_matched < self.n_channels).then(|| quote! { _ => return Err(Fault::MessageShape), });
        let arms = fitting.iter().map(|(kind, code)| {
            let variants = &kind.variants;
            quote! { #(#variants)|* => { #code } }
        });
        quote! { match channel { #(#arms)* #rest } }
    }
}

impl Scope<'_, '_> {
    pub fn access(&self, channel: &Channel) -> ChannelAccess {
        match channel {
            Channel::Declared(declared) => self.direct(declared),
            Channel::Numbered(numbered) => self.by_number(numbered),
        }
    }

    /// The channel is the queue of its variable.
    fn direct(&self, declared: &Declared) -> ChannelAccess {
        let generator = self.generator;
        let model = generator.program.model;
        let site = declared.site;
        let variable = model.sites[site].variable;
        let variant = &generator.names.sites[site].variant;
        let base = self.owner(declared.owner, variable);
        let (base_mut, identity) = match (declared.owner, model.variables[variable].owner) {
            (Owner::Own | Owner::Found, model::Owner::Proctype(id)) => {
                let module_mut = &generator.names.proctypes[id].module_mut;
                (quote! { next.#module_mut(me) }, vec![quote! { me }])
            }
            _ => (quote! { next }, Vec::new()),
        };
        let (prelude, element) = match &declared.element {
            Some(element) => {
                let index = self.index(element);
                if element.value.as_constant().is_some() {
                    (TokenStream::new(), Some(index))
                } else {
                    (quote! { let element = #index; }, Some(quote! { element }))
                }
            }
            None => (TokenStream::new(), None),
        };
        let (name, name_mut) = (generator.accessors.site(site), generator.accessors.site_mut(site));
        let (queue, queue_mut) = (quote! { #base.#name(#element) }, quote! { #base_mut.#name_mut(#element) });
        let parts: Vec<_> = identity.into_iter().chain(element).collect();
        let identity = if parts.is_empty() {
            quote! { Channel::#variant }
        } else {
            quote! { Channel::#variant(#(#parts),*) }
        };
        let kind = ChannelKind {
            sites: vec![site],
            variants: Vec::new(),
            capacity: model.sites[site].capacity,
            fields: model.sites[site].fields.clone(),
            queue,
            queue_mut,
            message: generator.message_type(&model.sites[site].fields),
        };
        ChannelAccess { prelude, kinds: vec![kind], identity, n_channels: model.sites.len() }
    }

    /// The channel is found by its number.
    fn by_number(&self, numbered: &Numbered) -> ChannelAccess {
        let generator = self.generator;
        let model = generator.program.model;
        let number = self.value(&numbered.number);
        let state = &self.state;
        let kinds = numbered.kinds.iter().map(|kind| {
            let site = &model.sites[kind.sites[0]];
            let like = bare(&generator.shape_name(kind.sites[0]));
            let (find, find_mut) = (format_ident!("{like}"), format_ident!("{like}_mut"));
            ChannelKind {
                sites: kind.sites.clone(),
                variants: kind.sites.iter().map(|site| generator.channel_pattern(*site)).collect(),
                capacity: site.capacity,
                fields: site.fields.clone(),
                queue: quote! { #state.#find(channel)? },
                queue_mut: quote! { next.#find_mut(channel)? },
                message: generator.message_type(&site.fields),
            }
        });
        ChannelAccess {
            prelude: quote! {
                let number = #number;
                let channel = #state.channel(number)?;
            },
            kinds: kinds.collect(),
            n_channels: model.sites.len(),
            identity: quote! { channel },
        }
    }

    /// `len(q)`
    pub(super) fn length(&self, channel: &Channel) -> ExprCode {
        let state = &self.state;
        match channel {
            Channel::Declared(declared) => {
                let queue = self.queue(declared);
                ExprCode::atom(quote! { int(#queue.len()) })
            }
            Channel::Numbered(numbered) => {
                let number = self.value(&numbered.number);
                ExprCode::atom(quote! { int(#state.channel_len(#number)?) })
            }
        }
    }

    pub(super) fn is_empty(&self, channel: &Channel) -> ExprCode {
        let state = &self.state;
        match channel {
            Channel::Declared(declared) => {
                let queue = self.queue(declared);
                ExprCode::atom(quote! { #queue.is_empty() })
            }
            Channel::Numbered(numbered) => {
                let number = self.value(&numbered.number);
                ExprCode { tokens: quote! { #state.channel_len(#number)? == 0 }, precedence: Precedence::Comparison }
            }
        }
    }

    pub(super) fn is_full(&self, channel: &Channel) -> ExprCode {
        let state = &self.state;
        match channel {
            Channel::Declared(declared) => {
                let queue = self.queue(declared);
                ExprCode::atom(quote! { #queue.is_full() })
            }
            Channel::Numbered(numbered) => {
                let number = self.value(&numbered.number);
                ExprCode::atom(quote! { #state.channel_is_full(#number)? })
            }
        }
    }

    /// The queue of a declared channel, within an expression.
    fn queue(&self, declared: &Declared) -> TokenStream {
        let generator = self.generator;
        let owner = self.owner(declared.owner, generator.program.model.sites[declared.site].variable);
        let element = declared.element.as_ref().map(|element| self.index(element));
        let name = generator.accessors.site(declared.site);
        quote! { #owner.#name(#element) }
    }

    /// `q?[...]`: whether a receive would be executable.
    pub(super) fn poll(&self, channel: &Channel, random: bool, pattern: &[Field]) -> ExprCode {
        let access = self.access(channel);
        if let Channel::Numbered(numbered) = channel
            && access.buffered().next().is_none()
        {
            return self.poll_of_no_queue(numbered, &access);
        }
        let test = if random { Self::fits } else { Self::first_fits };
        let Fits { wanted, can_fail, .. } = test(self, pattern, &|_| TokenStream::new());
        let prelude = &access.prelude;
        let ask = |kind: &ChannelKind| {
            let fits = test(self, pattern, &|field| kind.field(field));
            if random {
                let position = fits.position(kind, pattern);
                quote! { #position.is_some() }
            } else {
                fits.is_first(kind, pattern)
            }
        };
        let asked = access.for_each_kind_or(Some(&quote! { return Err(Fault::PollRendezvous) }), ask);
        // A block or a `match` at the beginning of an expression would end it.
        if !prelude.is_empty() || !wanted.is_empty() || can_fail {
            ExprCode { tokens: quote! { { #prelude #wanted #asked } }, precedence: Precedence::If }
        } else if access.is_single() {
            ExprCode::atom(asked)
        } else {
            ExprCode { tokens: asked, precedence: Precedence::If }
        }
    }

    /// A poll of a variable that can hold no channel with a queue: always a fault, written as a value.
    fn poll_of_no_queue(&self, numbered: &Numbered, access: &ChannelAccess) -> ExprCode {
        let (state, number) = (&self.state, self.value(&numbered.number));
        let fault = if access.has_rendezvous() {
            quote! { Fault::PollRendezvous }
        } else {
            quote! { Fault::BadChannel { channel: number } }
        };
        let tokens = quote! {
            {
                let number = #number;
                #state.channel(number)?;
                Err::<bool, _>(#fault)?
            }
        };
        ExprCode { tokens, precedence: Precedence::If }
    }

    /// The test of any message against a pattern: all values are computed first, also if there is no message.
    pub fn fits(&self, pattern: &[Field], field: &dyn Fn(usize) -> TokenStream) -> Fits {
        self.test(pattern, field, false)
    }

    /// The test of one message, which is there. A value that may be a fault is computed when it is compared, and so not
    /// behind a field that differs.
    pub fn first_fits(&self, pattern: &[Field], field: &dyn Fn(usize) -> TokenStream) -> Fits {
        self.test(pattern, field, pattern.effects().can_fail)
    }

    fn test(&self, pattern: &[Field], field: &dyn Fn(usize) -> TokenStream, can_fail: bool) -> Fits {
        let mut wanted = TokenStream::new();
        let (mut equal, mut unequal) = (Vec::new(), Vec::new());
        for (number, part) in pattern.iter().enumerate() {
            let Field::Equal(value) = part else { continue };
            let field = field(number);
            let tokens = if can_fail || value.as_constant().is_some() {
                self.number(value).within(Precedence::BitOr)
            } else {
                let (name, tokens) = (format_ident!("wanted_{number}"), self.value(value));
                wanted.extend(quote! { let #name = #tokens; });
                quote! { #name }
            };
            equal.push(quote! { int(#field) == #tokens });
            unequal.push(quote! { int(#field) != #tokens });
        }
        let is_any = equal.is_empty();
        let fits = if is_any {
            quote! { true }
        } else {
            quote! { #(#equal)&&* }
        };
        Fits { wanted, fits, differs: quote! { #(#unequal)||* }, is_any, can_fail }
    }

    /// The fields of a message as 32-bit numbers, for a handshake and for a trace.
    pub fn message_numbers(&self, fields: &[Cut]) -> Vec<TokenStream> {
        let number = |cut: &Cut| match &cut.value {
            value @ Value::Constant { .. } if cut.fits => self.value(value),
            Value::Constant { value, .. } => literal(cut.to.truncate(*value)),
            _ => as_int(cut.to, &self.stored(cut)),
        };
        fields.iter().map(number).collect()
    }
}

impl Generator<'_> {
    /// The site whose channels a place always denotes.
    pub fn fixed_site(&self, place: &model::Place) -> Option<SiteId> {
        let is_fixed = self.facts.is_fixed_channel[place.variable] && place.fields.is_empty();
        match self.program.model.variables[place.variable].init {
            Init::Channel(site) if is_fixed => Some(site),
            _ => None,
        }
    }
}
