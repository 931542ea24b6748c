//! The state: globals, channels, processes, and access to them.
//!
//! There are two kinds of states. Where the analysis bounds everything, a state is a few words (`in_words.rs`);
//! otherwise it is a plain struct (`plain.rs`). Both have the same accessors, so that the code of transitions, claims
//! and tables does not depend on the kind. Only this file depends on it.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Generator;
use super::expr::literal_of;
use super::names::doc;
use super::packing;
use crate::analysis::places::Places;
use crate::model::{ProctypeId, SiteId, Type, VariableId};

/// The representation of the states of a model.
enum Form<'a> {
    /// Every field has a fixed position in a few words.
    Words(&'a Places),
    /// A struct with a field for each variable.
    Plain,
}

/// The code that packs and unpacks a state.
pub struct Storing {
    pub pack: TokenStream,
    pub unpack: TokenStream,
    /// The method that returns the stored form without a copy, where a state contains it.
    pub packed: Option<TokenStream>,
}

impl Generator<'_> {
    fn form(&self) -> Form<'_> {
        match &self.facts.places {
            Some(places) => Form::Words(places),
            None => Form::Plain,
        }
    }

    /// Everything in `state.rs`.
    pub fn state(&self) -> TokenStream {
        let messages = self.messages.iter().map(|(fields, _)| packing::message(self, fields));
        let (state, types) = match self.form() {
            Form::Words(places) => (self.state_in_words(places), self.queue_shapes(places)),
            Form::Plain => {
                let records = self.program.model.records.ids().map(|id| self.record(id));
                (self.plain_state(), records.collect())
            }
        };
        let lookups = self.program.model.proctypes.ids().map(|id| self.lookup(id));
        let asking = self.asking();
        let mtypes = self.mtype_functions();
        let body = quote! {
            #state
            #(#lookups)*
            #asking
            #(#messages)*
            #types
            #mtypes
        };
        let import = Self::import();
        quote! { #import #body }
    }

    /// Methods that give access to a process of a proctype.
    fn lookup(&self, id: ProctypeId) -> TokenStream {
        let name = &self.program.model.proctypes[id].name;
        let title = doc(&format!(" Process `pid`, which is a `{name}`."));
        let look = match self.form() {
            Form::Words(places) => self.look_in_words(places, id),
            Form::Plain => self.plain_look(id),
        };
        let remote = self.remote_lookup(id);
        quote! { impl State { #title #look #remote } }
    }

    /// The locals of a process, and their accessors.
    pub fn locals(&self, id: ProctypeId) -> TokenStream {
        match self.form() {
            Form::Words(places) => self.locals_in_words(places, id),
            Form::Plain => self.plain_locals(id),
        }
    }

    /// The type that gives read access to the locals of a process.
    pub fn locals_type(&self, module: &Ident) -> TokenStream {
        match self.form() {
            Form::Words(_) => quote! { #module::Locals<'_> },
            Form::Plain => quote! { &#module::Locals },
        }
    }

    /// The function that starts a process.
    pub fn run(&self, id: ProctypeId) -> TokenStream {
        match self.form() {
            Form::Words(places) => self.run_in_words(places, id),
            Form::Plain => self.plain_run(id),
        }
    }

    /// The types that give read and write access to a queue of a site; nothing for rendezvous.
    pub fn queue_types(&self, id: SiteId) -> Option<(TokenStream, TokenStream)> {
        if self.program.model.sites[id].is_rendezvous() {
            return None;
        }
        Some(match self.form() {
            Form::Words(_) => {
                let shape = self.queue_shape_type(id);
                (quote! { QueueIn<'_, #shape> }, quote! { QueueInMut<'_, #shape> })
            }
            Form::Plain => {
                let ty = self.queue_type(id)?;
                (quote! { &#ty }, quote! { &mut #ty })
            }
        })
    }

    /// Whether a variable has a setter. In words, a variable that never changes is not stored.
    pub fn has_setter(&self, id: VariableId) -> bool {
        match self.form() {
            Form::Words(places) => places.variables[id].is_some(),
            Form::Plain => self.is_kept(id),
        }
    }

    /// Whether states are `Copy`: nothing in them grows.
    pub fn is_copy(&self) -> bool {
        match self.form() {
            Form::Words(_) => true,
            Form::Plain => self.facts.population.bound.is_some() && self.is_process_copy(),
        }
    }

    /// A copy of `now`, to be changed.
    pub fn copy_of_now(&self) -> TokenStream {
        if self.is_copy() {
            quote! { *now }
        } else {
            quote! { now.clone() }
        }
    }

    /// The code of `Model` that packs a state.
    pub fn storing(&self) -> Storing {
        match self.form() {
            Form::Words(places) => self.storing_words(places),
            Form::Plain => self.storing_plain(),
        }
    }

    /// Types of `state.rs` that other modules may need, beside those of messages.
    pub fn own_types(&self) -> Vec<Ident> {
        let model = self.program.model;
        match self.form() {
            Form::Words(_) => model.sites.ids().map(|id| self.queue_shape_type(id)).collect(),
            Form::Plain => model.records.ids().map(|id| self.names.record(id).clone()).collect(),
        }
    }

    /// The initial priority of a process, as a last argument of `run`.
    pub fn priority_argument(&self, id: ProctypeId, given: Option<i32>) -> Option<TokenStream> {
        let priority = given.or(self.program.model.proctypes[id].priority).unwrap_or(1);
        self.facts.features.priorities.then(|| literal_of(Type::Byte, priority))
    }

    /// The calls that start the initial processes.
    pub fn initial_runs(&self) -> Vec<TokenStream> {
        let model = self.program.model;
        let run = |id: &ProctypeId| {
            let module = &self.names.proctypes[*id].module;
            let arguments = model.parameter_scalars(*id).into_iter().map(|scalar| literal_of(scalar.ty, 0));
            let priority = self.priority_argument(*id, None);
            quote! { #module::run(&mut next, #(#arguments,)* #priority)?; }
        };
        model.initial.iter().map(run).collect()
    }
}
