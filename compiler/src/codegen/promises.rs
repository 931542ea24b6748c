//! Promises (`xr`, `xs`) that are checked while the model runs: whether a process
//! stands where it would use what another one has for itself.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::Scope;
use super::names::doc;
use super::transition::used;
use crate::analysis::promises::ChannelUse;
use crate::exec::Channel;
use crate::exec::effects::{Effects, Executable};
use crate::ir::TransitionId;
use crate::model::{ChannelRef, ProctypeId, Side};

impl Generator<'_> {
    pub fn has_promises(&self) -> bool {
        self.facts.reduction.promises.is_needed()
    }

    /// Channels that are named by promises or compared with what they name.
    pub fn promised_channels(&self) -> impl Iterator<Item = &ChannelRef> {
        let promises = &self.facts.reduction.promises;
        let used = promises.uses.iter().flat_map(|transitions| transitions.iter().flatten());
        promises.declared.iter().map(|it| &it.channel).chain(used.map(|it| &it.channel))
    }

    /// Everything in `promises.rs`.
    pub fn promises(&self) -> TokenStream {
        let breach = self.each_kind(&quote! { now.process(me) }, |id, module| {
            if self.breaks_promises(id) {
                quote! { #module::breach(now, me) }
            } else {
                quote! { None }
            }
        });
        let sides = [Side::Send, Side::Receive].into_iter().filter(|side| self.is_promised(*side));
        let sides = sides.map(|side| self.promised(side));
        let body = quote! {
            /// Where process `me` stands at a statement that uses what another process has for itself, if it does.
            pub fn breach(now: &State, me: Pid) -> Option<(TransitionId, Fault)> {
                #breach
            }
            #(#sides)*
        };
        let imports = self.imports(&body);
        quote! { #imports #body }
    }

    fn is_promised(&self, side: Side) -> bool {
        self.facts.reduction.promises.declared.iter().any(|it| it.side == side)
    }

    /// Who has promised to be the only one at this side.
    fn promised(&self, side: Side) -> TokenStream {
        let (name, is_alone, title, detail) = match side {
            Side::Send => (
                quote! { has_another_sender },
                quote! { sends_alone },
                " Whether another process than `me` has the sending side of the channel for itself.",
                " Whether process `me` says, with `xs`, that it sends to this channel alone.",
            ),
            Side::Receive => (
                quote! { has_another_receiver },
                quote! { receives_alone },
                " Whether another process than `me` has the receiving side of the channel for itself.",
                " Whether process `me` says, with `xr`, that it receives from this channel alone.",
            ),
        };
        let (title, detail) = (doc(title), doc(detail));
        let declared = &self.facts.reduction.promises.declared;
        let kinds = self.each_kind(&quote! { now.process(me) }, |id, _| {
            let scope = Scope::new(self, Some(id), "now");
            let own = declared.iter().filter(|it| it.side == side && it.proctype == id);
            let checks: Vec<TokenStream> = own
                .map(|it| match self.denoted(&scope, &it.channel) {
                    Denoted::Always(denoted) => quote! { #denoted == channel },
                    Denoted::Perhaps(denoted) => quote! { #denoted == Ok(channel) },
                })
                .collect();
            if checks.is_empty() {
                quote! { false }
            } else {
                quote! { #(#checks)||* }
            }
        });
        quote! {
            #title
            pub fn #name(now: &State, me: Pid, channel: Channel) -> bool {
                let mut others = (0..now.n_processes()).map(Pid::from_index).filter(|other| *other != me);
                others.any(|other| #is_alone(now, other, channel))
            }

            #detail
            fn #is_alone(now: &State, me: Pid, channel: Channel) -> bool {
                #kinds
            }
        }
    }

    /// How to find out which channel is meant.
    fn denoted(&self, scope: &Scope<'_, '_>, channel: &ChannelRef) -> Denoted {
        let channel = self.context(scope.process).channel(channel);
        let mut effects = Effects::default();
        channel.add_identity(&mut effects);
        let access = scope.access(&channel);
        let (prelude, identity) = match &channel {
            Channel::Declared(_) if access.prelude.is_empty() => return Denoted::Always(access.identity),
            Channel::Declared(_) => (access.prelude, access.identity),
            Channel::Numbered(numbered) => {
                let number = scope.value(&numbered.number);
                if !numbered.number.effects().can_fail {
                    return Denoted::Perhaps(quote! { now.channel(#number) });
                }
                (TokenStream::new(), quote! { now.channel(#number)? })
            }
        };
        let body = quote! { #prelude Ok(#identity) };
        let (now, me) = (used("now", effects.reads_state()), used("me", effects.uses_pid));
        Denoted::Perhaps(quote! {
            {
                fn named(#now: &State, #me: Pid) -> Result<Channel, Fault> {
                    #body
                }
                named(now, me)
            }
        })
    }

    fn breaks_promises(&self, id: ProctypeId) -> bool {
        self.facts.reduction.promises.uses[id].iter().any(|uses| !uses.is_empty())
    }

    /// The function of a proctype's module that looks where one stands.
    pub fn breach(&self, id: ProctypeId) -> Option<TokenStream> {
        if !self.breaks_promises(id) {
            return None;
        }
        let graph = &self.program.graphs[id];
        let module = &self.names.proctypes[id].module;
        let names = &self.names.proctypes[id].graph.locations;
        let uses = &self.facts.reduction.promises.uses[id];
        let arms = graph.locations.iter().zip(names).filter_map(|(location, name)| {
            let transitions = location.escapes.iter().flatten().chain(&location.leaving);
            let checks: Vec<TokenStream> = transitions
                .flat_map(|transition| uses[*transition].iter().map(|it| self.breach_check(id, *transition, it)))
                .collect();
            (!checks.is_empty()).then(|| quote! { Location::#name => { #(#checks)* } })
        });
        let arms: Vec<TokenStream> = arms.collect();
        let rest = (arms.len() < graph.locations.len()).then(|| quote! { _ => {} });
        let title = doc(&format!(
            " Where `{}` number `me` stands at a statement that uses what another process has for itself, if it does.",
            self.program.model.proctypes[id].name
        ));
        Some(quote! {
            #title
            pub fn breach(now: &State, me: Pid) -> Option<(TransitionId, Fault)> {
                match now.#module(me).at() {
                    #(#arms)*
                    #rest
                }
                None
            }
        })
    }

    fn breach_check(&self, id: ProctypeId, transition: TransitionId, used: &ChannelUse) -> TokenStream {
        let scope = Scope::new(self, Some(id), "now");
        let constant = &self.names.proctypes[id].graph.transitions[transition].constant;
        let (asks, fault) = match used.side {
            Side::Send => (quote! { has_another_sender }, quote! { ExclusiveSend }),
            Side::Receive => (quote! { has_another_receiver }, quote! { ExclusiveReceive }),
        };
        let is_broken = match self.denoted(&scope, &used.channel) {
            Denoted::Always(channel) => quote! { promises::#asks(now, me, #channel) },
            Denoted::Perhaps(channel) => quote! { #channel.is_ok_and(|channel| promises::#asks(now, me, channel)) },
        };
        quote! {
            if #is_broken {
                return Some((#constant, Fault::#fault));
            }
        }
    }
}

/// How a channel is found.
enum Denoted {
    /// A `Channel`.
    Always(TokenStream),
    /// A `Result`: a channel that is not there is complained of when the statement is tried.
    Perhaps(TokenStream),
}
