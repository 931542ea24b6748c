//! A state as a plain struct: for models with an unbounded number of processes or channels, hidden variables,
//! priorities or a trace.
//!
//! It has a field for each variable and queue, and the same accessors as a state in words (`accessors.rs`). Such a
//! state is packed field after field when it is stored (`packing.rs`).

mod locals;
mod packed;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::accessors::Leaf;
use super::expr::{Scope, rust_type};
use super::fields::LARGEST_QUEUE_IN_PLACE;
use super::names::{bare, count};
use super::packing;
use crate::analysis::layout;
use crate::model::{ProctypeId, SiteId, Type, VariableId};

impl Generator<'_> {
    /// The struct, the initial state, its accessors, its processes, and how it is packed.
    pub fn plain_state(&self) -> TokenStream {
        let parts =
            [self.state_struct(), self.initial(), self.state_accessors(), self.process_enum(), self.state_packing()];
        let priorities = self.priorities();
        parts.into_iter().chain([priorities]).collect()
    }

    /// Whether processes are `Copy` in a state with any number of them.
    pub fn is_process_copy(&self) -> bool {
        let is_in_place = |site: &crate::model::ChannelSite| site.capacity <= LARGEST_QUEUE_IN_PLACE;
        self.program.model.sites.iter().all(is_in_place)
    }

    /// Whether every process, whatever its type, is packed as one part.
    fn are_processes_parts(&self) -> bool {
        let mut processes = self.facts.layout.processes.iter();
        processes.all(|process| packing::fits_part(layout::size(&process.fields)))
    }

    /// How many processes the state itself stores if there may be any number: more of small ones, since all are copied
    /// at each step.
    fn processes_in_place(&self) -> usize {
        if self.are_processes_parts() { 16 } else { 8 }
    }

    fn state_struct(&self) -> TokenStream {
        let model = self.program.model;
        let fields = model.state_variables().filter_map(|global| self.field_declaration(global));
        let queues = self.facts.layout.global_sites.iter().filter_map(|site| self.queue_declaration(*site));
        let atomic_owner = self.facts.features.atomic.then(|| {
            quote! {
                /// The atomic owner: the process that is inside an atomic sequence.
                pub atomic_owner: Option<Pid>,
            }
        });
        let last = self.facts.features.last.then(|| {
            quote! {
                /// `_last`: the process that took the last step.
                pub last: u8,
            }
        });
        let trace = self.names.trace.as_ref().map(|names| {
            let module = &names.module;
            quote! {
                /// The location of the trace automaton.
                pub trace: #module::Location,
                /// What it objects to in the step that led here.
                pub objections: Objections,
            }
        });
        let processes = match self.facts.population.bound {
            Some(bound) => {
                let bound = count(bound.max(1) as usize);
                quote! { Processes<Process, #bound> }
            }
            None => {
                let in_place = count(self.processes_in_place());
                quote! { GrowingProcesses<Process, #in_place> }
            }
        };
        let derive = if self.is_copy() {
            quote! { Clone, Copy }
        } else {
            quote! { Clone }
        };
        quote! {
            /// A state of the model.
            #[derive(#derive, Debug)]
            pub struct State {
                #(#fields)*
                #(#queues)*
                /// The running processes, oldest first.
                pub processes: #processes,
                #atomic_owner
                #last
                #trace
            }
        }
    }

    fn process_enum(&self) -> TokenStream {
        let model = self.program.model;
        let variants = model.proctypes.iter_enumerated().map(|(id, process)| {
            let names = &self.names.proctypes[id];
            let (variant, module) = (&names.variant, &names.module);
            let comment = process.comment.as_deref().map(|comment| self.comment(comment));
            quote! { #comment #variant(#module::Locals), }
        });
        let derive = if self.is_process_copy() {
            quote! { Clone, Copy }
        } else {
            quote! { Clone }
        };
        quote! {
            /// A running process.
            #[derive(#derive, Debug)]
            pub enum Process {
                #(#variants)*
            }
        }
    }

    fn initial(&self) -> TokenStream {
        let model = self.program.model;
        let fields = model.state_variables().filter(|global| self.is_kept(*global)).map(|global| {
            let (name, value) = (self.names.variable(global), self.start(global));
            quote! { #name: #value, }
        });
        let queues = self.facts.layout.global_sites.iter().filter_map(|site| {
            let (name, value) = (&self.names.sites[*site].field, self.blank_queues(*site)?);
            Some(quote! { #name: #value, })
        });
        let atomic_owner = self.facts.features.atomic.then(|| quote! { atomic_owner: None, });
        let last = self.facts.features.last.then(|| quote! { last: 0, });
        let trace = self.trace_start();
        let processes = match self.facts.population.bound {
            Some(_) => quote! { Processes::default() },
            None => quote! { GrowingProcesses::default() },
        };
        let scope = Scope::new(self, None, "next");
        let inits: Vec<TokenStream> = self.initialize(&scope, &self.exec.initial, &quote! { next });
        let runs = self.initial_runs();
        quote! {
            impl State {
                /// The initial state.
                pub fn initial() -> Result<State, Fault> {
                    let mut next = State { #(#fields)* #(#queues)* processes: #processes, #atomic_owner #last #trace };
                    #(#inits)*
                    #(#runs)*
                    Ok(next)
                }
            }
        }
    }

    /// The accessors of the state, and its processes.
    fn state_accessors(&self) -> TokenStream {
        let globals: Vec<VariableId> = self.program.model.state_variables().collect();
        let fields = self.plain_accessors(&globals, &self.facts.layout.global_sites);
        let last = self.facts.features.last.then(|| {
            quote! {
                /// `_last`: the process that took the last step.
                #[inline]
                pub fn last(&self) -> u8 {
                    self.last
                }
                #[inline]
                pub fn set_last(&mut self, value: u8) {
                    self.last = value;
                }
            }
        });
        let find = self.finds_processes().then(|| {
            quote! {
                /// Process `pid`, if there is one.
                pub fn find_process(&self, pid: i32) -> Option<&Process> {
                    u8::try_from(pid).ok().and_then(|pid| self.processes.get(Pid(pid)))
                }
            }
        });
        quote! {
            impl State {
                #fields
                #last
                #[inline]
                pub fn n_processes(&self) -> usize {
                    self.processes.len()
                }

                /// Process `pid`, of any proctype.
                #[inline]
                pub fn process(&self, pid: Pid) -> &Process {
                    &self.processes[pid]
                }
                #find

                /// The running processes, oldest first.
                #[inline]
                pub fn processes(&self) -> impl Iterator<Item = &Process> {
                    self.processes.iter()
                }

                /// Only the youngest process can be removed.
                #[inline]
                pub fn is_youngest(&self, pid: Pid) -> bool {
                    self.processes.is_youngest(pid)
                }
                #[inline]
                pub fn remove_youngest(&mut self) {
                    self.processes.remove_youngest();
                }
            }
        }
    }

    /// A getter and a setter for each scalar, and the two functions of each array of queues.
    fn plain_accessors(&self, variables: &[VariableId], sites: &[SiteId]) -> TokenStream {
        let variables = variables.iter().filter(|id| self.is_kept(**id));
        let leaves = variables.flat_map(|id| self.accessors.leaves(*id).iter().map(|leaf| (*id, leaf)));
        let leaves = leaves.map(|(id, leaf)| self.plain_accessor(id, leaf));
        let queues = sites.iter().filter_map(|site| self.plain_queue_accessor(*site));
        leaves.chain(queues).collect()
    }

    fn plain_accessor(&self, id: VariableId, leaf: &Leaf) -> TokenStream {
        let (name, setter, elements) = (&leaf.name, leaf.setter(), leaf.elements());
        let ty = format_ident!("{}", rust_type(leaf.ty));
        let place = self.plain_place(id, leaf, &elements);
        quote! {
            #[inline]
            pub fn #name(&self #(, #elements: usize)*) -> #ty {
                self.#place
            }
            #[inline]
            pub fn #setter(&mut self #(, #elements: usize)*, value: #ty) {
                self.#place = value;
            }
        }
    }

    /// `log[element_0].term`
    fn plain_place(&self, id: VariableId, leaf: &Leaf, elements: &[Ident]) -> TokenStream {
        let model = self.program.model;
        let variable = &model.variables[id];
        let mut elements = elements.iter();
        let mut subscript = |length: Option<u32>| length.and_then(|_| elements.next()).map(|name| quote! { [#name] });
        let (name, element) = (self.names.variable(id), subscript(variable.length));
        let mut place = quote! { #name #element };
        let mut ty = variable.ty;
        for number in &leaf.path {
            let Type::Record(record) = ty else { unreachable!("only a record has fields") };
            let field = &model.records[record].fields[*number as usize];
            let (name, element) = (self.names.field(record, *number), subscript(field.length));
            place = quote! { #place.#name #element };
            ty = field.ty;
        }
        place
    }

    fn plain_queue_accessor(&self, id: SiteId) -> Option<TokenStream> {
        let ty = self.queue_type(id)?;
        let (name, name_mut) = (self.accessors.site(id), self.accessors.site_mut(id));
        let field = &self.names.sites[id].field;
        let (parameter, subscript) = if self.is_array(id) {
            (Some(quote! { , element: usize }), Some(quote! { [element] }))
        } else {
            (None, None)
        };
        Some(quote! {
            #[inline]
            pub fn #name(&self #parameter) -> &#ty {
                &self.#field #subscript
            }
            #[inline]
            pub fn #name_mut(&mut self #parameter) -> &mut #ty {
                &mut self.#field #subscript
            }
        })
    }

    /// Methods that give access to a process of a proctype.
    pub fn plain_look(&self, id: ProctypeId) -> TokenStream {
        let names = &self.names.proctypes[id];
        let (module, module_mut, variant) = (&names.module, &names.module_mut, &names.variant);
        let complaint = format!("process {{pid}} is no {}", bare(module));
        let is_only = self.program.model.proctypes.len() == 1;
        let other = (!is_only).then(|| quote! { _ => unreachable!(#complaint), });
        quote! {
            #[inline]
            pub fn #module(&self, pid: Pid) -> &#module::Locals {
                match &self.processes[pid] {
                    Process::#variant(locals) => locals,
                    #other
                }
            }
            #[inline]
            pub fn #module_mut(&mut self, pid: Pid) -> &mut #module::Locals {
                match &mut self.processes[pid] {
                    Process::#variant(locals) => locals,
                    #other
                }
            }
        }
    }

    /// Functions that read and set the priority of any process.
    fn priorities(&self) -> TokenStream {
        if !self.facts.features.priorities {
            return TokenStream::new();
        }
        let get = self.each_kind(&quote! { process }, |_, _| quote! { int(locals.priority()) });
        let set = self.each_kind(&quote! { &mut self.processes[Pid(pid)] }, |_, _| {
            quote! { locals.set_priority(byte(priority)) }
        });
        quote! {
            impl State {
                /// `get_priority(pid)`; 0 if there is no such process.
                pub fn priority(&self, pid: i32) -> i32 {
                    match self.find_process(pid) {
                        Some(process) => #get,
                        None => 0,
                    }
                }

                /// `set_priority(pid, priority)`, which returns the new priority.
                pub fn set_priority(&mut self, pid: i32, priority: i32) -> i32 {
                    if let Ok(pid) = u8::try_from(pid)
                        && usize::from(pid) < self.n_processes()
                    {
                        #set
                    }
                    priority
                }
            }
        }
    }
}
