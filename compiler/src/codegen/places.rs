//! Places: variables, their elements and fields, also those of other processes.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::accessors::Accessors;
use super::expr::{Binding, Code, Scope, as_int, plus};
use super::names::{bare, count, literal};
use crate::analysis::ranges;
use crate::model::{Expr, ExprKind, LabelId, Owner, Place, ProctypeId, SiteId, Type, VariableId};

impl Scope<'_, '_> {
    /// The value of a place, as it is kept. A channel that never changes is not
    /// kept: its number is known.
    pub fn read(&self, place: &Place) -> TokenStream {
        if let Some(site) = self.generator.fixed_site(place) {
            return self.channel_number(site, place, &quote! { me });
        }
        if let Some((_, accessors)) = self.generator.placed() {
            let owner = self.owner(place.variable);
            return self.call(accessors, &owner, place);
        }
        let base = self.variable(place.variable);
        self.element(&base, place)
    }

    /// Whose field a variable is: the state's, or that of a process's locals.
    fn owner(&self, id: VariableId) -> TokenStream {
        let state = &self.state;
        match self.generator.program.model.variables[id].owner {
            Owner::Proctype(owner) => {
                let module = &self.generator.names.proctypes[owner].module;
                quote! { #state.#module(me) }
            }
            Owner::Global | Owner::Never(_) => quote! { #state },
        }
    }

    /// `now.level(2)`
    fn call(&self, accessors: &Accessors, owner: &TokenStream, place: &Place) -> TokenStream {
        let path: Vec<u32> = place.fields.iter().map(|access| access.field).collect();
        let name = &accessors.leaf(place.variable, &path).name;
        let indices = self.indices(place);
        quote! { #owner.#name(#(#indices),*) }
    }

    /// The indices on the way to a place.
    pub fn indices(&self, place: &Place) -> Vec<TokenStream> {
        let model = self.generator.program.model;
        let variable = &model.variables[place.variable];
        let mut indices = Vec::new();
        let mut see = |index: Option<&Expr>, length: Option<u32>| {
            if let Some(length) = length {
                indices.push(index.map_or_else(|| quote! { 0 }, |index| self.index(index, length)));
            }
        };
        see(place.index.as_deref(), variable.length);
        let mut ty = variable.ty;
        for access in &place.fields {
            let Type::Record(record) = ty else { break };
            let field = &model.records[record].fields[access.field as usize];
            see(access.index.as_deref(), field.length);
            ty = field.ty;
        }
        indices
    }

    /// The number of a channel that a place of process `pid` always denotes.
    fn channel_number(&self, site: SiteId, place: &Place, pid: &TokenStream) -> TokenStream {
        let layout = &self.generator.facts.layout;
        let model = self.generator.program.model;
        let offset = |sites: &[SiteId]| -> u32 {
            sites.iter().take_while(|other| **other != site).map(|other| model.sites[*other].count).sum()
        };
        let first = match model.variables[place.variable].owner {
            Owner::Proctype(id) => {
                let state = &self.state;
                plus(&quote! { #state.first_channel(#pid) }, offset(&layout.processes[id].sites))
            }
            Owner::Global | Owner::Never(_) => {
                literal(i32::try_from(1 + offset(&layout.global_sites)).expect("a model has fewer than 2^31 channels"))
            }
        };
        match &place.index {
            None => quote! { byte(#first) },
            Some(index) => {
                let length = model.variables[place.variable].length.unwrap_or(1);
                let index = self.index(index, length);
                quote! { byte(#first + int(#index)) }
            }
        }
    }

    /// The field of the state, or of the process's locals, that holds a variable.
    pub fn variable(&self, id: VariableId) -> TokenStream {
        let name = self.generator.names.variable(id);
        let state = &self.state;
        match (self.generator.program.model.variables[id].owner, &self.locals) {
            (Owner::Proctype(_), Some(locals)) => quote! { #locals.#name },
            (Owner::Proctype(owner), None) => {
                let module = &self.generator.names.proctypes[owner].module;
                quote! { #state.#module(me).#name }
            }
            (Owner::Global | Owner::Never(_), _) => quote! { #state.#name },
        }
    }

    /// The part of a variable that a place means.
    fn element(&self, base: &TokenStream, place: &Place) -> TokenStream {
        let model = self.generator.program.model;
        let variable = &model.variables[place.variable];
        let mut ty = variable.ty;
        let mut tokens = self.subscript(base.clone(), place.index.as_deref(), variable.length);
        for access in &place.fields {
            let Type::Record(record) = ty else { break };
            let field = &model.records[record].fields[access.field as usize];
            let name = self.generator.names.field(record, access.field);
            tokens = self.subscript(quote! { #tokens.#name }, access.index.as_deref(), field.length);
            ty = field.ty;
        }
        tokens
    }

    fn subscript(&self, base: TokenStream, index: Option<&Expr>, length: Option<u32>) -> TokenStream {
        match (index, length) {
            (Some(index), Some(length)) => {
                let index = self.index(index, length);
                quote! { #base[#index] }
            }
            _ => base,
        }
    }

    /// An index as a `usize`, checked unless it is certain to be inside.
    pub fn index(&self, index: &Expr, length: u32) -> TokenStream {
        if let ExprKind::Constant(value) = index.kind
            && (0..i64::from(length)).contains(&i64::from(value))
        {
            let value = proc_macro2::Literal::i32_unsuffixed(value);
            return quote! { #value };
        }
        let range = ranges::of(index);
        if range.low >= 0 && range.high < i64::from(length) {
            let value = self.number(index).within(Binding::Unary);
            return quote! { #value as usize };
        }
        let value = self.value(index);
        let length = count(length as usize);
        let fails = self.fails();
        quote! { index(#value, #length)#fails }
    }

    pub(super) fn remote_variable(&self, proctype: ProctypeId, pid: Option<&Expr>, place: &Place) -> Code {
        if let Some(site) = self.generator.fixed_site(place) {
            return self.remote_channel(proctype, pid, site, place);
        }
        let found = self.remote(proctype, pid);
        let name = self.generator.names.variable(place.variable);
        let value = match self.generator.placed() {
            Some((_, accessors)) => self.call(accessors, &quote! { locals }, place),
            None => self.element(&quote! { locals.#name }, place),
        };
        let value = as_int(place.ty, &value);
        let tokens = quote! { match #found { Some(locals) => #value, None => 0 } };
        Code { tokens, binding: Binding::If }
    }

    /// A channel that another process declares and never replaces. It is not kept among that process's locals: which
    /// one it is follows from the pid.
    fn remote_channel(&self, proctype: ProctypeId, pid: Option<&Expr>, site: SiteId, place: &Place) -> Code {
        let number = self.channel_number(site, place, &quote! { Pid::from_index(owner) });
        let owner = match pid {
            Some(pid) => {
                let found = self.remote(proctype, Some(pid));
                let pid = self.number(pid).within(Binding::Unary);
                quote! { #found.map(|_| #pid as usize) }
            }
            None => {
                let state = &self.state;
                let processes = self.generator.all_processes(&quote! { #state });
                let variant = &self.generator.names.proctypes[proctype].variant;
                quote! { #processes.position(|process| matches!(process, Process::#variant(..))) }
            }
        };
        let tokens = quote! { match #owner { Some(owner) => int(#number), None => 0 } };
        Code { tokens, binding: Binding::If }
    }

    /// The locals of another process, if it is there.
    fn remote(&self, proctype: ProctypeId, pid: Option<&Expr>) -> TokenStream {
        let state = &self.state;
        let module = bare(&self.generator.names.proctypes[proctype].module);
        match pid {
            Some(pid) => {
                let find = format_ident!("find_{module}");
                let (pid, fails) = (self.value(pid), self.fails());
                quote! { #state.#find(#pid)#fails }
            }
            None => {
                let any = format_ident!("any_{module}");
                quote! { #state.#any() }
            }
        }
    }

    pub(super) fn remote_label(&self, proctype: ProctypeId, pid: Option<&Expr>, label: LabelId) -> Code {
        let graph = &self.generator.program.graphs[proctype];
        let number = graph.labels[label].map_or(-1, |location| {
            i32::try_from(graph.locations[location].number).expect("locations are counted in 31 bits")
        });
        let (state, number) = (&self.state, literal(number));
        let tokens = match pid {
            Some(pid) => {
                let pid = self.value(pid);
                quote! { #state.location_number(#pid) == #number }
            }
            None => {
                let module = bare(&self.generator.names.proctypes[proctype].module);
                let any = format_ident!("any_{module}");
                let at = self.generator.at(&quote! { locals });
                quote! { #state.#any().is_some_and(|locals| #at.number() == #number) }
            }
        };
        Code { tokens, binding: Binding::Comparison }
    }
}
