//! Promises (`xr`, `xs`) that are checked at run time: whether a process is at a statement that uses a channel which
//! another process uses exclusively.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::Scope;
use super::names::doc;
use super::parameters::used;
use crate::exec::effects::{Effects, Executable};
use crate::exec::{Channel, ChannelSide, Promises};
use crate::ir::TransitionId;
use crate::model::{ProctypeId, Side};

impl Generator<'_> {
    pub fn has_promises(&self) -> bool {
        self.exec.promises.is_some()
    }

    /// Everything in `promises.rs`.
    pub fn promises(&self, promises: &Promises) -> TokenStream {
        let breach = self.each_kind(&quote! { now.process(me) }, |id, module| {
            if promises.may_break(id) {
                quote! { #module::breach(now, me) }
            } else {
                quote! { None }
            }
        });
        let sides = [Side::Send, Side::Receive].into_iter().filter(|side| promises.has(*side));
        let sides = sides.map(|side| self.promised(promises, side));
        let body = quote! {
            /// The statement at which process `me` breaks a promise of exclusive use, if it is at one.
            pub fn breach(now: &State, me: Pid) -> Option<(TransitionId, Fault)> {
                #breach
            }
            #(#sides)*
        };
        let import = Self::import();
        quote! { #import #body }
    }

    /// Which processes use this side of a channel exclusively.
    fn promised(&self, promises: &Promises, side: Side) -> TokenStream {
        let (name, is_alone, title, detail) = match side {
            Side::Send => (
                quote! { has_another_sender },
                quote! { sends_alone },
                " Whether another process than `me` has the sending side of the channel to itself.",
                " Whether process `me` says, with `xs`, that it sends to this channel alone.",
            ),
            Side::Receive => (
                quote! { has_another_receiver },
                quote! { receives_alone },
                " Whether another process than `me` has the receiving side of the channel to itself.",
                " Whether process `me` says, with `xr`, that it receives from this channel alone.",
            ),
        };
        let (title, detail) = (doc(title), doc(detail));
        let kinds = self.each_kind(&quote! { now.process(me) }, |id, _| {
            let scope = Scope::new(self, Some(id), "now");
            let own = promises.declared[id].iter().filter(|it| it.side == side);
            let checks: Vec<TokenStream> = own
                .map(|it| match self.denoted(&scope, &it.channel) {
                    ChannelLookup::Always(denoted) => quote! { #denoted == channel },
                    ChannelLookup::Perhaps(denoted) => quote! { #denoted == Ok(channel) },
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

    /// The code that finds the channel of a promise.
    fn denoted(&self, scope: &Scope<'_, '_>, channel: &Channel) -> ChannelLookup {
        let mut effects = Effects::default();
        channel.add_identity(&mut effects);
        let access = scope.access(channel);
        let (prelude, identity) = match channel {
            Channel::Declared(_) if access.prelude.is_empty() => return ChannelLookup::Always(access.identity),
            Channel::Declared(_) => (access.prelude, access.identity),
            Channel::Numbered(numbered) => {
                let number = scope.value(&numbered.number);
                if !numbered.number.effects().can_fail {
                    return ChannelLookup::Perhaps(quote! { now.channel(#number) });
                }
                (TokenStream::new(), quote! { now.channel(#number)? })
            }
        };
        let body = quote! { #prelude Ok(#identity) };
        let (now, me) = (used("now", effects.reads_state()), used("me", effects.uses_pid));
        ChannelLookup::Perhaps(quote! {
            {
                fn named(#now: &State, #me: Pid) -> Result<Channel, Fault> {
                    #body
                }
                named(now, me)
            }
        })
    }

    /// The function of a proctype's module that checks the location of a process.
    pub fn breach(&self, id: ProctypeId) -> Option<TokenStream> {
        let promises = self.exec.promises.as_ref().filter(|promises| promises.may_break(id))?;
        let graph = &self.program.graphs[id];
        let module = &self.names.proctypes[id].module;
        let names = &self.names.proctypes[id].graph.locations;
        let uses = &promises.uses[id];
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
            " The statement at which `{}` number `me` breaks a promise of exclusive use, if it is at one.",
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

    fn breach_check(&self, id: ProctypeId, transition: TransitionId, used: &ChannelSide) -> TokenStream {
        let scope = Scope::new(self, Some(id), "now");
        let constant = &self.names.proctypes[id].graph.transitions[transition].constant;
        let (asks, fault) = match used.side {
            Side::Send => (quote! { has_another_sender }, quote! { ExclusiveSend }),
            Side::Receive => (quote! { has_another_receiver }, quote! { ExclusiveReceive }),
        };
        let is_broken = match self.denoted(&scope, &used.channel) {
            ChannelLookup::Always(channel) => quote! { promises::#asks(now, me, #channel) },
            ChannelLookup::Perhaps(channel) => {
                quote! { #channel.is_ok_and(|channel| promises::#asks(now, me, channel)) }
            }
        };
        quote! {
            if #is_broken {
                return Some((#constant, Fault::#fault));
            }
        }
    }
}

/// The result of looking up a channel.
enum ChannelLookup {
    /// A `Channel`.
    Always(TokenStream),
    /// A `Result`: a channel that does not exist is reported when the statement is tried.
    Perhaps(TokenStream),
}
