//! Places: variables, their elements and fields, also those of other processes.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::accessors::Accessors;
use super::expr::{Binding, Code, Scope, as_int, plus};
use super::names::{bare, count, literal};
use crate::exec::{Declared, Index, Owner, Place, Remote, Value};
use crate::model::{self, SiteId, Type};

impl Scope<'_, '_> {
    /// The value of a place, as it is kept.
    pub fn read(&self, place: &Place) -> TokenStream {
        match self.generator.placed() {
            Some((_, accessors)) => self.call(accessors, place),
            None => self.element(place),
        }
    }

    /// Whose field it is: the state's, or that of a process's locals.
    pub fn owner(&self, owner: Owner, variable: model::VariableId) -> TokenStream {
        let state = &self.state;
        match (owner, self.generator.program.model.variables[variable].owner) {
            (Owner::Found, _) => quote! { locals },
            (Owner::Own, model::Owner::Proctype(id)) => match &self.locals {
                Some(locals) if !self.generator.in_words() => quote! { #locals },
                _ => {
                    let module = &self.generator.names.proctypes[id].module;
                    quote! { #state.#module(me) }
                }
            },
            (Owner::State | Owner::Own, _) => quote! { #state },
        }
    }

    /// `now.level(2)`
    fn call(&self, accessors: &Accessors, place: &Place) -> TokenStream {
        let owner = self.owner(place.owner, place.variable);
        let name = &accessors.leaf(place.variable, &place.path).name;
        let indices = place.indices.iter().map(|index| self.index(index));
        quote! { #owner.#name(#(#indices),*) }
    }

    /// `now.level[2]`
    fn element(&self, place: &Place) -> TokenStream {
        let owner = self.owner(place.owner, place.variable);
        let mut indices = place.indices.iter().map(|index| self.index(index));
        let steps = self.generator.steps_to(place);
        let mut tokens = owner;
        for (name, is_array) in steps {
            tokens = quote! { #tokens.#name };
            if is_array && let Some(index) = indices.next() {
                tokens = quote! { #tokens[#index] };
            }
        }
        tokens
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
                let value = self.number(value).within(Binding::Unary);
                quote! { #value as usize }
            }
            (value, true) => {
                let (value, length) = (self.value(value), count(index.length as usize));
                quote! { index(#value, #length)? }
            }
        }
    }

    /// A value of another process: 0 if there is no such process.
    pub(super) fn of_process(&self, process: &Remote, value: &Value) -> Code {
        let tokens = match value {
            Value::ChannelNumber(declared) => self.remote_channel(process, declared),
            value => {
                let (found, value) = (self.found(process), self.value(value));
                quote! { match #found { Some(locals) => #value, None => 0 } }
            }
        };
        Code { tokens, binding: Binding::If }
    }

    /// A channel that another process declares and never replaces. It is not kept among that process's locals: which
    /// one it is follows from the pid.
    fn remote_channel(&self, process: &Remote, declared: &Declared) -> TokenStream {
        let number = self.channel_number_of(declared, &quote! { Pid::from_index(owner) });
        let owner = match &process.pid {
            Some(pid) => {
                let found = self.found(process);
                let pid = self.number(pid).within(Binding::Unary);
                quote! { #found.map(|_| #pid as usize) }
            }
            None => {
                let state = &self.state;
                let processes = self.generator.all_processes(&quote! { #state });
                let variant = &self.generator.names.proctypes[process.proctype].variant;
                quote! { #processes.position(|process| matches!(process, Process::#variant(..))) }
            }
        };
        let number = as_int(Type::Chan, &number);
        quote! { match #owner { Some(owner) => #number, None => 0 } }
    }

    /// The locals of another process, if it is there.
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

    /// Whether a process stands at a location, by its number. Nothing stands at a label where control never rests.
    pub(super) fn is_at(&self, remote: &Remote, location: Option<u32>) -> Code {
        let number = location.map_or(-1, |number| i32::try_from(number).unwrap_or(i32::MAX));
        let (state, number) = (&self.state, literal(number));
        let tokens = match &remote.pid {
            Some(pid) => {
                let pid = self.value(pid);
                quote! { #state.location_number(#pid) == #number }
            }
            None => {
                let module = bare(&self.generator.names.proctypes[remote.proctype].module);
                let any = format_ident!("any_{module}");
                let at = self.generator.at(&quote! { locals });
                quote! { #state.#any().is_some_and(|locals| #at.number() == #number) }
            }
        };
        Code { tokens, binding: Binding::Comparison }
    }
}

impl super::Generator<'_> {
    /// The fields that lead to a place, the variable's own first, and whether each is an array.
    pub fn steps_to(&self, place: &Place) -> Vec<(proc_macro2::Ident, bool)> {
        let model = self.program.model;
        let variable = &model.variables[place.variable];
        let mut steps = vec![(self.names.variable(place.variable).clone(), variable.length.is_some())];
        let mut ty = variable.ty;
        for number in &place.path {
            let Type::Record(record) = ty else { unreachable!("only a record has fields") };
            let field = &model.records[record].fields[*number as usize];
            steps.push((self.names.field(record, *number).clone(), field.length.is_some()));
            ty = field.ty;
        }
        steps
    }
}
