//! Lookup of channels and partners: from a number to a channel, from a channel to its queue, from a sender to the
//! processes that can receive.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::names::{bare, count, literal};
use super::parameters::parameter;
use crate::exec::{Channel, Independence, Promises, Test};
use crate::ir::Action;
use crate::ir::visit;
use crate::model::{ChannelRef, ChannelSite, Expr, ExprKind, Owner, ProctypeId, SiteId, Type};

/// Which parts of this file a model needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs {
    /// Some channel is found by its number.
    pub numbers: bool,
    /// `len` or a similar function is applied to such a channel.
    pub probes: bool,
    pub rendezvous: bool,
    /// The numbers of channels of processes are needed.
    pub process_channels: bool,
    /// A statement handles messages of several kinds of channels.
    pub values: bool,
    /// A trace assertion observes channels.
    pub trace: bool,
    /// Channels are compared with those that a process uses exclusively.
    pub promises: bool,
}

impl Generator<'_> {
    pub fn find_needs(&self) -> Needs {
        let model = self.program.model;
        let mut needs = Needs {
            rendezvous: model.sites.iter().any(ChannelSite::is_rendezvous),
            trace: self.program.trace.is_some(),
            promises: self.has_promises(),
            values: self.program.trace.is_some(),
            process_channels: self.facts.layout.processes.iter().any(|process| process.n_channels > 0),
            ..Needs::default()
        };
        let mut see = |channel: &ChannelRef, is_probe: bool| {
            if self.fixed_site(&channel.place).is_none() {
                needs.numbers = true;
                needs.probes |= is_probe;
                let mut shapes: Vec<(u32, &[Type])> = channel
                    .sites
                    .iter()
                    .map(|site| (model.sites[*site].capacity, &model.sites[*site].fields[..]))
                    .collect();
                shapes.dedup();
                needs.values |= shapes.len() > 1;
            }
        };
        let mut ask = |expression: &Expr| match &expression.kind {
            ExprKind::Probe(_, channel) => see(channel, true),
            ExprKind::Poll { channel, .. } => see(channel, false),
            _ => {}
        };
        visit::program_expressions(self.program, &mut ask);
        visit::claim_expressions(self.program, &mut ask);
        for graph in self.program.graphs.iter().chain(&self.program.trace) {
            visit::actions(graph, &mut |action| {
                if let Action::Send { channel, .. } | Action::Receive { channel, .. } | Action::Event { channel, .. } =
                    action
                {
                    see(channel, false);
                }
            });
        }
        for (_, channel) in self.exec.promises.iter().flat_map(Promises::channels) {
            if let Channel::Numbered(numbered) = channel {
                needs.numbers = true;
                needs.values |= numbered.kinds.len() > 1;
            }
        }
        let is_probe = |(_, test): (ProctypeId, &Test)| {
            matches!(test, Test::IsEmpty(Channel::Numbered(_)) | Test::IsFull(Channel::Numbered(_)))
        };
        needs.probes |= self.exec.independence.iter().flat_map(Independence::tests).any(is_probe);
        needs
    }

    pub fn needs_message_values(&self) -> bool {
        self.needs.values
    }

    /// Everything about channels that does not belong to one process.
    pub fn channels(&self) -> TokenStream {
        let is_named = self.needs.numbers || self.needs.rendezvous || self.needs.trace || self.needs.promises;
        let names = is_named.then(|| self.channel_enum());
        let find = self.needs.numbers.then(|| self.find_channel());
        let first = self.needs.process_channels.then(|| self.first_channel());
        let queues = self.needs.numbers.then(|| self.queues_by_channel());
        let probes = self.needs.probes.then(|| self.probes());
        let handshake = self.needs.rendezvous.then(|| self.handshake());
        let body = quote! { #names #find #first #queues #probes #handshake };
        // If channels are only compared, and none belongs to a process, this file needs no import.
        let has_code = self.needs.numbers || self.needs.process_channels || self.needs.rendezvous;
        let is_local = self.program.model.sites.ids().any(|id| self.is_local(id));
        let import = (has_code || is_local).then(Self::import);
        quote! { #import #body }
    }

    fn channel_enum(&self) -> TokenStream {
        let model = self.program.model;
        let variants = model.sites.iter_enumerated().map(|(id, site)| {
            let variant = &self.names.sites[id].variant;
            let owner = self.is_local(id).then(|| quote! { Pid });
            let element = self.is_array(id).then(|| quote! { usize });
            let parts: Vec<TokenStream> = owner.into_iter().chain(element).collect();
            let doc = self.names.source_line(site.span);
            if parts.is_empty() {
                quote! { #doc #variant, }
            } else {
                quote! { #doc #variant(#(#parts),*), }
            }
        });
        quote! {
            /// A channel, by its declaration.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum Channel {
                #(#variants)*
            }
        }
    }

    pub fn is_local(&self, id: SiteId) -> bool {
        let variable = self.program.model.sites[id].variable;
        matches!(self.program.model.variables[variable].owner, Owner::Proctype(_))
    }

    /// `Channel::Link` or `Channel::WorkerLink(..)` as a pattern.
    pub fn channel_pattern(&self, id: SiteId) -> TokenStream {
        let variant = &self.names.sites[id].variant;
        if self.is_local(id) || self.is_array(id) {
            quote! { Channel::#variant(..) }
        } else {
            quote! { Channel::#variant }
        }
    }

    /// From a number to a channel. Numbers start at 1: those of globals, then those of processes, oldest first.
    fn find_channel(&self) -> TokenStream {
        let model = self.program.model;
        let layout = &self.facts.layout;
        let mut first = 1_u32;
        let globals: Vec<TokenStream> = layout
            .global_sites
            .iter()
            .map(|site| {
                let (variant, n) = (&self.names.sites[*site].variant, model.sites[*site].count);
                let (low, high) = (number(first), number(first + n - 1));
                first += n;
                if self.is_array(*site) {
                    quote! { #low..=#high => Ok(Channel::#variant((number - #low) as usize)), }
                } else {
                    quote! { #low => Ok(Channel::#variant), }
                }
            })
            .collect();
        let rest = if self.needs.process_channels {
            let limit = number(first);
            let kinds = self.each_kind(&quote! { process }, |id, _| self.find_in_process(id));
            quote! {
                _ => {
                    let mut offset = number - #limit;
                    for (process, pid) in self.processes().zip(0..) {
                        #kinds
                    }
                    Err(Fault::BadChannel { channel: number })
                }
            }
        } else {
            quote! { _ => Err(Fault::BadChannel { channel: number }), }
        };
        quote! {
            impl State {
                /// The channel that a number denotes.
                pub fn channel(&self, number: i32) -> Result<Channel, Fault> {
                    match number {
                        0 => Err(Fault::UninitializedChannel),
                        #(#globals)*
                        #rest
                    }
                }
            }
        }
    }

    fn find_in_process(&self, id: ProctypeId) -> TokenStream {
        let model = self.program.model;
        let layout = &self.facts.layout.processes[id];
        if layout.sites.is_empty() {
            return quote! { {} };
        }
        let mut first = 0;
        let finds = layout.sites.iter().map(|site| {
            let (variant, n) = (&self.names.sites[*site].variant, model.sites[*site].count);
            let (low, high) = (number(first), number(first + n));
            first += n;
            let is_array = self.is_array(*site);
            let found = if is_array {
                quote! { Channel::#variant(Pid(pid), (offset - #low) as usize) }
            } else {
                quote! { Channel::#variant(Pid(pid)) }
            };
            let is_it = if is_array {
                quote! { (#low..#high).contains(&offset) }
            } else {
                quote! { offset == #low }
            };
            quote! { if #is_it { return Ok(#found); } }
        });
        let finds: Vec<TokenStream> = finds.collect();
        let all = number(layout.n_channels);
        quote! { { #(#finds)* offset -= #all; } }
    }

    fn first_channel(&self) -> TokenStream {
        let first = number(1 + self.facts.layout.n_global_channels);
        let counts = self.each_kind(&quote! { process }, |id, _| number(self.facts.layout.processes[id].n_channels));
        quote! {
            impl State {
                /// The number of the first channel of process `pid`, if it has one.
                pub fn first_channel(&self, pid: Pid) -> i32 {
                    let older = self.processes().take(pid.index());
                    #first + older.map(|process| #counts).sum::<i32>()
                }
            }
        }
    }

    /// The function that returns the queue of any channel of the shape of a site: the name of its first site.
    pub fn shape_name(&self, id: SiteId) -> Ident {
        let sites = &self.program.model.sites;
        let site = &sites[id];
        let same = |other: &&SiteId| sites[**other].capacity == site.capacity && sites[**other].fields == site.fields;
        let all: Vec<SiteId> = sites.ids().collect();
        let first = all.iter().find(same).copied().unwrap_or(id);
        let name = &self.names.sites[first];
        format_ident!("like_{}", snake(&name.variant))
    }

    fn queues_by_channel(&self) -> TokenStream {
        let model = self.program.model;
        let mut done: Vec<Ident> = Vec::new();
        let mut functions = TokenStream::new();
        for id in model.sites.ids() {
            let name = self.shape_name(id);
            let Some((read, changed)) = self.queue_types(id) else { continue };
            if done.contains(&name) {
                continue;
            }
            let name_mut = format_ident!("{name}_mut");
            let same = model.sites.ids().filter(|other| self.shape_name(*other) == name);
            let arms: Vec<(TokenStream, TokenStream)> = same.map(|other| self.queue_arm(other)).collect();
            let (reads, writes): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
            let is_all = model.sites.ids().all(|other| self.shape_name(other) == name);
            let other = (!is_all).then(|| quote! { _ => Err(Fault::MessageShape), });
            let wrap = |arms: &[TokenStream]| quote! { #(#arms)* #other };
            let (reads, writes) = (wrap(&reads), wrap(&writes));
            functions.extend(quote! {
                pub fn #name(&self, channel: Channel) -> Result<#read, Fault> {
                    match channel { #reads }
                }
                pub fn #name_mut(&mut self, channel: Channel) -> Result<#changed, Fault> {
                    match channel { #writes }
                }
            });
            done.push(name);
        }
        quote! {
            /// The queues of channels that are found by number, one function for each capacity and kind of message.
            impl State { #functions }
        }
    }

    fn queue_arm(&self, id: SiteId) -> (TokenStream, TokenStream) {
        let variant = &self.names.sites[id].variant;
        let variable = self.program.model.sites[id].variable;
        let (name, name_mut) = (self.accessors.site(id), self.accessors.site_mut(id));
        let element = self.is_array(id).then(|| quote! { element });
        let (owner, owner_mut, pid) = match self.program.model.variables[variable].owner {
            Owner::Proctype(process) => {
                let process = &self.names.proctypes[process];
                let (module, module_mut) = (&process.module, &process.module_mut);
                (quote! { self.#module(pid) }, quote! { self.#module_mut(pid) }, Some(quote! { pid }))
            }
            Owner::Global | Owner::Never(_) => (quote! { self }, quote! { self }, None),
        };
        let parts: Vec<TokenStream> = pid.into_iter().chain(element.clone()).collect();
        let parts = (!parts.is_empty()).then(|| quote! { (#(#parts),*) });
        (
            quote! { Channel::#variant #parts => Ok(#owner.#name(#element)), },
            quote! { Channel::#variant #parts => Ok(#owner_mut.#name_mut(#element)), },
        )
    }

    fn probes(&self) -> TokenStream {
        let model = self.program.model;
        let arms = |code: &dyn Fn(&TokenStream) -> TokenStream, rendezvous: &TokenStream| -> Vec<TokenStream> {
            let arm = |id: SiteId| {
                let pattern = self.channel_pattern(id);
                if self.queue_type(id).is_none() {
                    return quote! { #pattern => #rendezvous, };
                }
                let like = format_ident!("{}", bare(&self.shape_name(id)));
                let code = code(&quote! { self.#like(channel)? });
                quote! { #pattern => #code, }
            };
            model.sites.ids().map(arm).collect()
        };
        if model.sites.is_empty() {
            return quote! {
                impl State {
                    /// There is no channel, so this is always a fault.
                    pub fn channel_len(&self, number: i32) -> Result<usize, Fault> {
                        self.channel(number).map(|_| 0)
                    }

                    pub fn channel_is_full(&self, number: i32) -> Result<bool, Fault> {
                        self.channel(number).map(|_| false)
                    }
                }
            };
        }
        let lengths = arms(&|queue| quote! { #queue.len() }, &quote! { 0 });
        let fulls = arms(&|queue| quote! { #queue.is_full() }, &quote! { false });
        quote! {
            impl State {
                /// How many messages the channel of that number holds.
                pub fn channel_len(&self, number: i32) -> Result<usize, Fault> {
                    let channel = self.channel(number)?;
                    Ok(match channel { #(#lengths)* })
                }

                pub fn channel_is_full(&self, number: i32) -> Result<bool, Fault> {
                    let channel = self.channel(number)?;
                    Ok(match channel { #(#fulls)* })
                }
            }
        }
    }

    fn offer_type(&self) -> TokenStream {
        let size = count(self.message_size());
        quote! {
            /// The message that a sender offers in a rendezvous.
            #[derive(Clone, Copy, Debug)]
            pub struct Offer {
                pub sender: Pid,
                pub channel: Channel,
                pub message: [i32; #size],
                /// The sender's transition.
                pub transition: TransitionId,
            }

            impl Offer {
                /// The handshake with a receiver.
                pub fn to(&self, receiver: Pid, receive: TransitionId) -> Handshake {
                    Handshake { send: self.transition, receiver, receive }
                }
            }
        }
    }

    fn handshake(&self) -> TokenStream {
        let ids = self.program.model.proctypes.ids();
        let (answers, awaits): (Vec<TokenStream>, Vec<TokenStream>) = ids
            .filter(|id| self.exec.processes[*id].can_answer())
            .map(|id| {
                let names = &self.names.proctypes[id];
                let (variant, module) = (&names.variant, &names.module);
                let answer = quote! { Process::#variant(_) => #module::answer(now, me, offer, steps), };
                (answer, quote! { Process::#variant(_) => #module::awaits(now, me, channel), })
            })
            .unzip();
        let is_all = answers.len() == self.program.model.proctypes.len();
        let rest = (!is_all).then(|| quote! { _ => false, });
        let (offer_type, offer_rendezvous) = (self.offer_type(), offer_rendezvous());
        let body = quote! { match now.process(me) { #(#answers)* #rest } };
        let (offer, steps) = (parameter("offer", &body), parameter("steps", &body));
        let awaits = quote! { match now.process(me) { #(#awaits)* #rest } };
        let channel = parameter("channel", &awaits);
        quote! {
            #offer_type

            /// Whether process `me` is where it may receive from a channel in a rendezvous.
            #[inline]
            fn awaits(now: &State, me: Pid, #channel: Channel) -> bool {
                #awaits
            }

            /// Whether another process than the sender is where it may receive from a channel.
            #[inline]
            pub fn has_receiver(now: &State, sender: Pid, channel: Channel) -> bool {
                (0..now.n_processes()).map(Pid::from_index).any(|me| me != sender && awaits(now, me, channel))
            }

            #offer_rendezvous

            #[inline(never)]
            fn answer(now: &State, me: Pid, #offer: &Offer, #steps: &mut impl Steps<State>) -> bool {
                #body
            }
        }
    }

    /// The number of fields of the longest message that is offered in a rendezvous.
    pub fn message_size(&self) -> usize {
        let rendezvous = self.program.model.sites.iter().filter(|site| site.is_rendezvous());
        rendezvous.map(|site| site.fields.len()).max().unwrap_or(0)
    }
}

fn offer_rendezvous() -> TokenStream {
    quote! {
            /// Offers a handshake with every process that can receive the message, and returns whether there is one.
            /// The sender has already moved in the state that comes with the message.
            #[inline]
            pub fn offer_rendezvous(
                transition: TransitionId, send: impl Outcome<(State, Offer)>, steps: &mut impl Steps<State>
            ) -> bool {
                let (now, offer) = match send.outcome() {
                    Ok(Some(send)) => send,
                    Ok(None) => return false,
                    Err(fault) => {
                        steps.fault(transition, fault);
                        return false;
                    }
                };
                let mut any = false;
                for me in (0..now.n_processes()).rev().map(Pid::from_index) {
                    if me != offer.sender && awaits(&now, me, offer.channel) {
                        any |= answer(&now, me, &offer, steps);
                    }
                }
                any
            }
    }
}

fn number(value: u32) -> TokenStream {
    literal(i32::try_from(value).expect("a model has fewer than 2^31 channels"))
}

/// A variant's name in small letters.
fn snake(variant: &Ident) -> String {
    let mut text = String::new();
    for c in variant.to_string().chars() {
        if c.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}
