//! The locals of a process in a state that is a plain struct, and the function that starts a process.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::super::Generator;
use super::super::expr::Scope;
use super::super::names::{count, doc};
use super::super::parameters::parameter;
use crate::model::{ProctypeId, Type, VariableId};

impl Generator<'_> {
    /// The locals of a process.
    pub fn plain_locals(&self, id: ProctypeId) -> TokenStream {
        let process = &self.program.model.proctypes[id];
        let layout = &self.facts.layout.processes[id];
        let variables = process.parameters.iter().chain(&process.locals);
        let fields = variables.clone().filter_map(|variable| self.field_declaration(*variable));
        let queues = layout.sites.iter().filter_map(|site| self.queue_declaration(*site));
        let priority = self.facts.features.priorities.then(|| quote! { pub priority: u8, });
        let priorities = self.facts.features.priorities.then(|| {
            quote! {
                #[inline]
                pub fn priority(&self) -> u8 {
                    self.priority
                }
                #[inline]
                pub fn set_priority(&mut self, priority: u8) {
                    self.priority = priority;
                }
            }
        });
        let all: Vec<VariableId> = variables.clone().copied().collect();
        let accessors = self.plain_accessors(&all, &layout.sites);
        let title = doc(&format!(" The locals of `{}`: its location and its variables.", process.name));
        let pack = self.pack_locals(id);
        let derive = if self.is_process_copy() {
            quote! { Clone, Copy }
        } else {
            quote! { Clone }
        };
        quote! {
            #title
            #[derive(#derive, Debug)]
            pub struct Locals {
                pub at: Location,
                #priority
                #(#fields)*
                #(#queues)*
            }
            impl Locals {
                #[inline]
                pub fn at(&self) -> Location {
                    self.at
                }
                #[inline]
                pub fn set_at(&mut self, at: Location) {
                    self.at = at;
                }
                #priorities
                #accessors
            }
            #pack
        }
    }

    /// The function that starts a process.
    pub fn plain_run(&self, id: ProctypeId) -> TokenStream {
        let model = self.program.model;
        let process = &model.proctypes[id];
        let layout = &self.facts.layout.processes[id];
        let start = &self.names.proctypes[id].graph.locations[self.program.graphs[id].start];
        let variant = &self.names.proctypes[id].variant;
        let title = doc(&format!(" Starts `{}` and returns its pid.", process.name));
        let starting = self.starting(id);
        let parameters = starting.parameters();
        let arguments = process.parameters.iter().map(|parameter| {
            let name = self.names.variable(*parameter);
            match model.variables[*parameter].ty {
                Type::Record(record) => {
                    let value = starting.record(self, *parameter, record, &mut Vec::new());
                    quote! { #name: #value, }
                }
                _ => match starting.scalar(*parameter).filter(|given| *given != name) {
                    Some(given) => quote! { #name: #given, },
                    None => quote! { #name, },
                },
            }
        });
        let fields = process.locals.iter().filter(|local| self.is_kept(**local)).map(|local| {
            let (name, value) = (self.names.variable(*local), self.start(*local));
            quote! { #name: #value, }
        });
        let queues = layout.sites.iter().filter_map(|site| {
            let (name, value) = (&self.names.sites[*site].field, self.blank_queues(*site)?);
            Some(quote! { #name: #value, })
        });
        let priority = self.facts.features.priorities.then(|| (quote! { priority: u8, }, quote! { priority, }));
        let (priority_parameter, priority_field) = priority.unzip();
        let mut scope = Scope::new(self, Some(id), "next");
        scope.locals = Some(format_ident!("locals"));
        let inits: Vec<TokenStream> = self.initialize(&scope, &self.exec.processes[id].initial, &quote! { locals });
        let fails = self.initial_effects(&self.exec.processes[id].initial).can_fail;
        let room = (layout.n_channels > 0).then(|| {
            let n = count(layout.n_channels as usize);
            quote! {
                if next.first_channel(me) + #n > 256 {
                    return Err(Fault::StateSize);
                }
            }
        });
        let mutable = (!inits.is_empty()).then(|| quote! { mut });
        let (set_up, call) = self.set_up(&inits, fails);
        quote! {
            #title
            pub fn run(next: &mut State, #(#parameters,)* #priority_parameter) -> Result<Pid, Fault> {
                let me = next.processes.next_pid()?;
                #room
                let #mutable locals = Locals { at: Location::#start, #priority_field #(#arguments)* #(#fields)* #(#queues)* };
                #call
                next.processes.push(Process::#variant(locals));
                Ok(me)
            }
            #set_up
        }
    }

    /// Initial values have a function of their own, where no parameter shadows the names that they use.
    fn set_up(&self, inits: &[TokenStream], can_fail: bool) -> (TokenStream, TokenStream) {
        if inits.is_empty() {
            return (TokenStream::new(), TokenStream::new());
        }
        let body = quote! { #(#inits)* };
        let (next, me) = (parameter("next", &body), parameter("me", &body));
        let (returns, fine, fails) = if can_fail {
            (Some(quote! { -> Result<(), Fault> }), Some(quote! { Ok(()) }), Some(quote! { ? }))
        } else {
            (None, None, None)
        };
        let function = quote! {
            /// Gives the variables their initial values.
            fn set_up(#next: &State, #me: Pid, locals: &mut Locals) #returns {
                #body
                #fine
            }
        };
        (function, quote! { set_up(next, me, &mut locals)#fails; })
    }
}
