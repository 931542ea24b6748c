//! Places: variables, their elements and fields, also those of other processes.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::expr::{ExprCode, Precedence, Scope, as_int, plus};
use super::names::{bare, count, literal};
use crate::exec::{Declared, Index, Owner, Place, Remote, Value};
use crate::model::{self, SiteId, Type};

impl Scope<'_, '_> {
    /// The value of a place, in the type that stores it: `now.level(2)`
    pub fn read(&self, place: &Place) -> TokenStream {
        let owner = self.owner(place.owner, place.variable);
        let name = &self.generator.accessors.leaf(place.variable, &place.path).name;
        let indices = place.indices.iter().map(|index| self.index(index));
        quote! { #owner.#name(#(#indices),*) }
    }

    /// The owner of a field: the state, or the locals of a process.
    pub fn owner(&self, owner: Owner, variable: model::VariableId) -> TokenStream {
        let state = &self.state;
        match (owner, self.generator.program.model.variables[variable].owner) {
            (Owner::Found, _) => quote! { locals },
            (Owner::Own, model::Owner::Proctype(id)) => match &self.locals {
                Some(locals) => quote! { #locals },
                None => {
                    let module = &self.generator.names.proctypes[id].module;
                    quote! { #state.#module(me) }
                }
            },
            (Owner::State | Owner::Own, _) => quote! { #state },
        }
    }

    /// The number of a channel that its variable always denotes.
    pub fn channel_number(&self, declared: &Declared) -> TokenStream {
        self.channel_number_of(declared, &quote! { me })
    }

    /// The same for a channel of process `pid`.
    fn channel_number_of(&self, declared: &Declared, pid: &TokenStream) -> TokenStream {
        let layout = &self.generator.facts.layout;
        let model = self.generator.program.model;
        let site = declared.site;
        let offset = |sites: &[SiteId]| -> u32 {
            sites.iter().take_while(|other| **other != site).map(|other| model.sites[*other].count).sum()
        };
        let first = match model.variables[model.sites[site].variable].owner {
            model::Owner::Proctype(id) => {
                let state = &self.state;
                plus(&quote! { #state.first_channel(#pid) }, offset(&layout.processes[id].sites))
            }
            model::Owner::Global | model::Owner::Never(_) => {
                literal(i32::try_from(1 + offset(&layout.global_sites)).unwrap_or(i32::MAX))
            }
        };
        match &declared.element {
            None => quote! { byte(#first) },
            Some(element) => {
                let element = self.index(element);
                quote! { byte(#first + int(#element)) }
            }
        }
    }

    /// An index as a `usize`.
    pub fn index(&self, index: &Index) -> TokenStream {
        match (&index.value, index.is_checked) {
            (Value::Constant { value, .. }, false) => {
                let value = proc_macro2::Literal::i32_unsuffixed(*value);
                quote! { #value }
            }
            (value, false) => {
                let value = self.number(value).within(Precedence::Unary);
                quote! { #value as usize }
            }
            (value, true) => {
                let (value, length) = (self.value(value), count(index.length as usize));
                quote! { index(#value, #length)? }
            }
        }
    }

    /// A value of another process: 0 if there is no such process.
    pub(super) fn of_process(&self, process: &Remote, value: &Value) -> ExprCode {
        let tokens = match value {
            Value::ChannelNumber(declared) => self.remote_channel(process, declared),
            value => {
                let (found, value) = (self.found(process), self.value(value));
                quote! { match #found { Some(locals) => #value, None => 0 } }
            }
        };
        ExprCode { tokens, precedence: Precedence::If }
    }

    /// A channel that another process declares and never replaces. It is not stored among that process's locals, since
    /// its number follows from the pid.
    fn remote_channel(&self, process: &Remote, declared: &Declared) -> TokenStream {
        let number = self.channel_number_of(declared, &quote! { Pid::from_index(owner) });
        let owner = match &process.pid {
            Some(pid) => {
                let found = self.found(process);
                let pid = self.number(pid).within(Precedence::Unary);
                quote! { #found.map(|_| #pid as usize) }
            }
            None => {
                let state = &self.state;
                let variant = &self.generator.names.proctypes[process.proctype].variant;
                quote! { #state.processes().position(|process| matches!(process, Process::#variant(..))) }
            }
        };
        let number = as_int(Type::Chan, &number);
        quote! { match #owner { Some(owner) => #number, None => 0 } }
    }

    /// The locals of another process, if it exists.
    fn found(&self, remote: &Remote) -> TokenStream {
        let state = &self.state;
        let module = bare(&self.generator.names.proctypes[remote.proctype].module);
        match &remote.pid {
            Some(pid) => {
                let (find, pid) = (format_ident!("find_{module}"), self.value(pid));
                quote! { #state.#find(#pid)? }
            }
            None => {
                let any = format_ident!("any_{module}");
                quote! { #state.#any() }
            }
        }
    }

    /// Whether a process is at a location, given by its number.
    pub(super) fn is_at(&self, remote: &Remote, location: u32) -> ExprCode {
        let number = i32::try_from(location).unwrap_or(i32::MAX);
        let (state, number) = (&self.state, literal(number));
        let tokens = match &remote.pid {
            Some(pid) => {
                let pid = self.value(pid);
                quote! { #state.location_number(#pid) == #number }
            }
            None => {
                let module = bare(&self.generator.names.proctypes[remote.proctype].module);
                let any = format_ident!("any_{module}");
                quote! { #state.#any().is_some_and(|locals| locals.at().number() == #number) }
            }
        };
        ExprCode { tokens, precedence: Precedence::Comparison }
    }
}
