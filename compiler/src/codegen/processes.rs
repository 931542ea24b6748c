//! Access to processes: to the one that moves, and to others.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::names::bare;
use crate::model::ProctypeId;

impl Generator<'_> {
    /// Methods that find a process of a proctype, for models with remote references to it.
    pub fn remote_lookup(&self, id: ProctypeId) -> Option<TokenStream> {
        if !self.asks_about[id] {
            return None;
        }
        let names = &self.names.proctypes[id];
        let (module, variant) = (&names.module, &names.variant);
        let (find, any) = (format_ident!("find_{}", bare(module)), format_ident!("any_{}", bare(module)));
        let locals = self.locals_type(module);
        let is_only = self.program.model.proctypes.len() == 1;
        let other = (!is_only).then(|| quote! { Some(_) => Err(Fault::RemoteReference { pid }), });
        let other_kind = (!is_only).then(|| quote! { _ => None, });
        Some(quote! {
            /// The same, if there is such a process.
            pub fn #find(&self, pid: i32) -> Result<Option<#locals>, Fault> {
                match self.find_process(pid) {
                    Some(Process::#variant(locals)) => Ok(Some(locals)),
                    #other
                    None => Ok(None),
                }
            }

            /// The oldest one, if there is one.
            pub fn #any(&self) -> Option<#locals> {
                self.processes().find_map(|process| match process {
                    Process::#variant(locals) => Some(locals),
                    #other_kind
                })
            }
        })
    }

    /// Whether the model accesses processes by a pid that may not exist.
    pub fn finds_processes(&self) -> bool {
        let features = &self.facts.features;
        features.pc_value || features.priorities || self.asks_about.iter().any(|asks| *asks)
    }

    /// `match process { Process::A(locals) => ..., ... }`
    pub fn each_kind(&self, process: &TokenStream, code: impl Fn(ProctypeId, &Ident) -> TokenStream) -> TokenStream {
        let arms = self.program.model.proctypes.ids().map(|id| {
            let names = &self.names.proctypes[id];
            let (variant, code) = (&names.variant, code(id, &names.module));
            let locals = if super::parameters::mentions(&code, "locals") {
                quote! { locals }
            } else {
                quote! { _ }
            };
            quote! { Process::#variant(#locals) => #code, }
        });
        quote! { match #process { #(#arms)* } }
    }

    /// Functions about processes that only some models use.
    pub fn asking(&self) -> TokenStream {
        let features = &self.facts.features;
        let number = features.pc_value.then(|| {
            let numbers = self.each_kind(&quote! { process }, |_, _| quote! { locals.at().number() });
            quote! {
                /// `pc_value(pid)`: the number of the location of a process, 0 if there is no such process.
                pub fn location_number(&self, pid: i32) -> i32 {
                    match self.find_process(pid) {
                        Some(process) => #numbers,
                        None => 0,
                    }
                }
            }
        });
        let can_move = (features.enabled || features.claims_ask_enabled).then(|| {
            quote! {
                /// Whether there is such a process and it is enabled.
                pub fn can_move(&self, pid: i32) -> bool {
                    match u8::try_from(pid) {
                        Ok(pid) if usize::from(pid) < self.n_processes() => {
                            crate::model::offer_steps(self, Pid(pid), false, &mut NoSteps)
                        }
                        _ => false,
                    }
                }
            }
        });
        let enabled = features.enabled.then(|| {
            quote! {
                /// `enabled(pid)`: whether another process is enabled.
                pub fn enabled(&self, pid: i32, me: Pid) -> Result<bool, Fault> {
                    ask_enabled(pid, me, || self.can_move(pid))
                }
            }
        });
        let progress = features.non_progress.then(|| {
            let progress = self.each_kind(&quote! { process }, |_, _| quote! { locals.at().is_progress() });
            quote! {
                /// `np_`: no process is at a progress label.
                pub fn is_without_progress(&self) -> bool {
                    !self.processes().any(|process| #progress)
                }
            }
        });
        if number.is_none() && can_move.is_none() && progress.is_none() {
            return TokenStream::new();
        }
        quote! { impl State { #number #can_move #enabled #progress } }
    }
}
