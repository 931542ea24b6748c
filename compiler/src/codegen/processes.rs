//! Looking into processes: one's own, and those of others.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::names::{bare, doc};
use crate::model::ProctypeId;

impl Generator<'_> {
    /// Where a process stands, of its locals.
    pub fn at(&self, locals: &TokenStream) -> TokenStream {
        if self.in_words() {
            quote! { #locals.at() }
        } else {
            quote! { #locals.at }
        }
    }

    pub fn set_at(&self, locals: &TokenStream, location: &TokenStream) -> TokenStream {
        if self.in_words() {
            quote! { #locals.set_at(#location); }
        } else {
            quote! { #locals.at = #location; }
        }
    }

    pub fn n_processes(&self, state: &TokenStream) -> TokenStream {
        if self.in_words() {
            quote! { #state.n_processes() }
        } else {
            quote! { #state.processes.len() }
        }
    }

    /// Whether process `me` is the youngest in `now`.
    pub fn is_youngest(&self) -> TokenStream {
        if self.in_words() {
            quote! { now.is_youngest(me) }
        } else {
            quote! { now.processes.is_youngest(me) }
        }
    }

    /// A running process, to be matched.
    pub fn process(&self, state: &TokenStream, pid: &TokenStream) -> TokenStream {
        if self.in_words() {
            quote! { #state.process(#pid) }
        } else {
            quote! { &#state.processes[#pid] }
        }
    }

    /// The running processes, oldest first.
    pub fn all_processes(&self, state: &TokenStream) -> TokenStream {
        if self.in_words() {
            quote! { #state.processes() }
        } else {
            quote! { #state.processes.iter() }
        }
    }

    /// A process that may or may not be there.
    fn get_process(&self, pid: &TokenStream) -> TokenStream {
        if self.in_words() {
            quote! { self.processes().nth(usize::from(#pid)) }
        } else {
            quote! { self.processes.get(Pid(#pid)) }
        }
    }

    /// How to look into a process of a kind.
    pub fn lookup(&self, id: ProctypeId) -> TokenStream {
        if self.in_words() {
            return self.lookup_in_words(id);
        }
        let names = &self.names.proctypes[id];
        let (module, module_mut, variant) = (&names.module, &names.module_mut, &names.variant);
        let name = &self.program.model.proctypes[id].name;
        let title = doc(&format!(" Process `pid`, which is a `{name}`."));
        let complaint = format!("process {{pid}} is no {}", bare(module));
        let is_only = self.program.model.proctypes.len() == 1;
        let other = (!is_only).then(|| quote! { _ => unreachable!(#complaint), });
        let remote = self.asks_about[id].then(|| {
            let (find, any) = (format_ident!("find_{}", bare(module)), format_ident!("any_{}", bare(module)));
            let other = (!is_only).then(|| quote! { Some(_) => Err(Fault::RemoteReference { pid }), });
            let other_kind = (!is_only).then(|| quote! { _ => None, });
            quote! {
                /// The same, if there is such a process.
                pub fn #find(&self, pid: i32) -> Result<Option<&#module::Locals>, Fault> {
                    let found = u8::try_from(pid).ok().and_then(|pid| self.processes.get(Pid(pid)));
                    match found {
                        Some(Process::#variant(locals)) => Ok(Some(locals)),
                        #other
                        None => Ok(None),
                    }
                }

                /// The oldest one, if there is one.
                pub fn #any(&self) -> Option<&#module::Locals> {
                    self.processes.iter().find_map(|process| match process {
                        Process::#variant(locals) => Some(locals),
                        #other_kind
                    })
                }
            }
        });
        quote! {
            impl State {
                #title
                pub fn #module(&self, pid: Pid) -> &#module::Locals {
                    match &self.processes[pid] {
                        Process::#variant(locals) => locals,
                        #other
                    }
                }
                pub fn #module_mut(&mut self, pid: Pid) -> &mut #module::Locals {
                    match &mut self.processes[pid] {
                        Process::#variant(locals) => locals,
                        #other
                    }
                }
                #remote
            }
        }
    }

    /// `match process { Process::A(locals) => ..., ... }`
    pub fn each_kind(&self, process: &TokenStream, code: impl Fn(ProctypeId, &Ident) -> TokenStream) -> TokenStream {
        let arms = self.program.model.proctypes.ids().map(|id| {
            let names = &self.names.proctypes[id];
            let (variant, code) = (&names.variant, code(id, &names.module));
            let locals = if super::words::mentions(&code, "locals") {
                quote! { locals }
            } else {
                quote! { _ }
            };
            quote! { Process::#variant(#locals) => #code, }
        });
        quote! { match #process { #(#arms)* } }
    }

    /// Questions about processes that some models ask.
    pub fn asking(&self) -> TokenStream {
        let features = &self.facts.features;
        let number = features.pc_value.then(|| {
            let at = self.at(&quote! { locals });
            let numbers = self.each_kind(&quote! { process }, |_, _| quote! { #at.number() });
            let found = self.get_process(&quote! { pid });
            quote! {
                /// `pc_value(pid)`: a number for the place where a process stands, -1 if there is no such process.
                pub fn location_number(&self, pid: i32) -> i32 {
                    match u8::try_from(pid).ok().and_then(|pid| #found) {
                        Some(process) => #numbers,
                        None => -1,
                    }
                }
            }
        });
        let n_processes = self.n_processes(&quote! { self });
        let can_move = (features.enabled || features.claims_ask_enabled).then(|| {
            quote! {
                /// Whether there is such a process and it can move.
                pub fn can_move(&self, pid: i32) -> bool {
                    match u8::try_from(pid) {
                        Ok(pid) if usize::from(pid) < #n_processes => {
                            crate::model::offer_steps(self, Pid(pid), false, &mut Nobody)
                        }
                        _ => false,
                    }
                }
            }
        });
        let enabled = features.enabled.then(|| {
            quote! {
                /// `enabled(pid)`: whether another process can move.
                pub fn enabled(&self, pid: i32, me: Pid) -> Result<bool, Fault> {
                    if pid == i32::from(me.0) { Err(Fault::EnabledSelf) } else { Ok(self.can_move(pid)) }
                }
            }
        });
        let progress = features.non_progress.then(|| {
            let at = self.at(&quote! { locals });
            let progress = self.each_kind(&quote! { process }, |_, _| quote! { #at.is_progress() });
            let mut processes = self.all_processes(&quote! { self });
            if self.in_words() {
                processes = quote! { #processes };
            }
            quote! {
                /// `np_`: no process is at a progress label.
                pub fn is_without_progress(&self) -> bool {
                    !#processes.any(|process| #progress)
                }
            }
        });
        if number.is_none() && can_move.is_none() && progress.is_none() {
            return TokenStream::new();
        }
        quote! { impl State { #number #can_move #enabled #progress } }
    }

    pub fn priorities(&self) -> TokenStream {
        if !self.facts.features.priorities {
            return TokenStream::new();
        }
        let get = self.each_kind(&quote! { process }, |_, _| quote! { int(locals.priority) });
        let set = self.each_kind(&quote! { &mut self.processes[Pid(pid)] }, |_, _| {
            quote! { locals.priority = byte(priority) }
        });
        quote! {
            impl State {
                /// `get_priority(pid)`; 0 if there is no such process.
                pub fn priority(&self, pid: i32) -> i32 {
                    match u8::try_from(pid).ok().and_then(|pid| self.processes.get(Pid(pid))) {
                        Some(process) => #get,
                        None => 0,
                    }
                }

                /// `set_priority(pid, priority)`, whose value is the new priority.
                pub fn set_priority(&mut self, pid: i32, priority: i32) -> i32 {
                    if let Ok(pid) = u8::try_from(pid)
                        && usize::from(pid) < self.processes.len()
                    {
                        #set
                    }
                    priority
                }
            }
        }
    }
}
