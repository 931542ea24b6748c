//! Promises (`xr`, `xs`) that are checked while the model runs: whether a process
//! stands where it would use what another one has for itself.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::Scope;
use super::names::doc;
use crate::analysis::promises::ChannelUse;
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
        let breach = self.each_kind(&self.process(&quote! { now }, &quote! { me }), |id, module| {
            if self.breaks_promises(id) {
                quote! { #module::breach(now, me) }
            } else {
                quote! { Ok(None) }
            }
        });
        let sides = [Side::Send, Side::Receive].into_iter().filter(|side| self.is_promised(*side));
        let sides = sides.map(|side| self.promised(side));
        let body = quote! {
            /// Where process `me` stands at a statement that uses what another process has for itself, if it does.
            pub fn breach(now: &State, me: Pid) -> Option<(TransitionId, Fault)> {
                let found: Result<Option<(TransitionId, Fault)>, Fault> = #breach;
                // A channel that is not there is complained of when the statement is tried.
                found.unwrap_or_default()
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
        let n_processes = self.n_processes(&quote! { now });
        let declared = &self.facts.reduction.promises.declared;
        let kinds = self.each_kind(&self.process(&quote! { now }, &quote! { me }), |id, _| {
            let scope = Scope::new(self, Some(id), "now");
            let own = declared.iter().filter(|it| it.side == side && it.proctype == id);
            let checks: Vec<TokenStream> = own
                .map(|it| {
                    let (prelude, denoted) = self.denoted(&scope, &it.channel);
                    let is_it = quote! { #denoted == channel };
                    if prelude.is_empty() {
                        is_it
                    } else {
                        quote! { { #prelude #is_it } }
                    }
                })
                .collect();
            if checks.is_empty() {
                quote! { Ok(false) }
            } else {
                quote! { Ok(#(#checks)||*) }
            }
        });
        quote! {
            #title
            pub fn #name(now: &State, me: Pid, channel: Channel) -> bool {
                let mut others = (0..#n_processes).map(Pid::from_index).filter(|other| *other != me);
                others.any(|other| #is_alone(now, other, channel) == Ok(true))
            }

            #detail
            fn #is_alone(now: &State, me: Pid, channel: Channel) -> Result<bool, Fault> {
                #kinds
            }
        }
    }

    /// How to find out which channel is meant.
    fn denoted(&self, scope: &Scope<'_, '_>, channel: &ChannelRef) -> (TokenStream, TokenStream) {
        let access = scope.access(channel);
        match self.fixed_site(&channel.place) {
            Some(_) => (access.prelude, access.identity),
            None => {
                let number = super::expr::as_int(channel.place.ty, &scope.read(&channel.place));
                (TokenStream::new(), quote! { now.channel(#number)? })
            }
        }
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
        let at = self.at(&quote! { now.#module(me) });
        Some(quote! {
            #title
            pub fn breach(now: &State, me: Pid) -> Result<Option<(TransitionId, Fault)>, Fault> {
                match #at {
                    #(#arms)*
                    #rest
                }
                Ok(None)
            }
        })
    }

    fn breach_check(&self, id: ProctypeId, transition: TransitionId, used: &ChannelUse) -> TokenStream {
        let scope = Scope::new(self, Some(id), "now");
        let (prelude, channel) = self.denoted(&scope, &used.channel);
        let constant = &self.names.proctypes[id].graph.transitions[transition].constant;
        let (asks, fault) = match used.side {
            Side::Send => (quote! { has_another_sender }, quote! { ExclusiveSend }),
            Side::Receive => (quote! { has_another_receiver }, quote! { ExclusiveReceive }),
        };
        let check = quote! {
            if promises::#asks(now, me, #channel) {
                return Ok(Some((#constant, Fault::#fault)));
            }
        };
        if prelude.is_empty() {
            check
        } else {
            quote! { { #prelude #check } }
        }
    }
}
