//! The state: globals, channels, processes, and how to look into them.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::{Scope, literal_of};
use super::fields::LARGEST_QUEUE_IN_PLACE;
use super::names::count;
use super::packing;
use crate::analysis::layout;
use crate::model::{ProctypeId, Type};

impl Generator<'_> {
    /// Everything in `state.rs`.
    pub fn state(&self) -> TokenStream {
        let records = self.program.model.records.ids().filter(|_| !self.in_words()).map(|id| self.record(id));
        let messages = self.messages.iter().map(|(fields, _)| packing::message(self, fields));
        let state = match self.placed() {
            Some((places, _)) => self.state_in_words(places),
            None => {
                let parts = [self.state_struct(), self.process_enum(), self.initial(), self.state_packing()];
                parts.into_iter().collect()
            }
        };
        let queues = self.queue_shapes();
        let lookups = self.program.model.proctypes.ids().map(|id| self.lookup(id));
        let asking = self.asking();
        let priorities = self.priorities();
        let mtypes = self.mtype_functions();
        let body = quote! {
            #state
            #(#lookups)*
            #asking
            #priorities
            #(#records)*
            #(#messages)*
            #queues
            #mtypes
        };
        let imports = self.imports(&body);
        quote! { #imports #body }
    }

    /// Whether states can be copied bit by bit: nothing in them grows.
    fn is_copy(&self) -> bool {
        self.facts.population.bound.is_some() && self.is_process_copy()
    }

    /// Whether processes can, of which there may be any number.
    pub fn is_process_copy(&self) -> bool {
        let is_in_place = |site: &crate::model::ChannelSite| site.capacity <= LARGEST_QUEUE_IN_PLACE;
        self.program.model.sites.iter().all(is_in_place)
    }

    /// Whether every process, whatever its type, is packed as one part.
    fn are_processes_parts(&self) -> bool {
        let mut processes = self.facts.layout.processes.iter();
        processes.all(|process| packing::fits_part(layout::size(&process.fields)))
    }

    /// How many of any number of processes are kept in the state itself: more of small ones, since all are copied at
    /// each step.
    fn processes_in_place(&self) -> usize {
        if self.are_processes_parts() { 16 } else { 8 }
    }

    fn state_struct(&self) -> TokenStream {
        let model = self.program.model;
        let fields = model.state_variables().filter_map(|global| self.field_declaration(global));
        let queues = self.facts.layout.global_sites.iter().filter_map(|site| self.queue_declaration(*site));
        let atomic_owner = self.facts.features.atomic.then(|| {
            quote! {
                /// The process that is inside an atomic sequence and goes on alone.
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
                /// Where the trace assertion stands.
                pub trace: #module::Location,
                /// What it has against the step that led here.
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
            /// The value of everything at one moment.
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
        let inits: Vec<TokenStream> =
            model.state_variables().filter_map(|global| self.initialize(&scope, global, &quote! { next })).collect();
        let runs = model.initial.iter().map(|id| {
            let module = &self.names.proctypes[*id].module;
            let arguments = model.parameter_scalars(*id).into_iter().map(|_| quote! { 0 });
            let priority = self.priority_argument(*id, None);
            quote! { #module::run(&mut next, #(#arguments,)* #priority)?; }
        });
        quote! {
            impl State {
                /// The state in which everything begins.
                pub fn initial() -> Result<State, Fault> {
                    let mut next = State { #(#fields)* #(#queues)* processes: #processes, #atomic_owner #last #trace };
                    #(#inits)*
                    #(#runs)*
                    Ok(next)
                }
            }
        }
    }

    /// The priority that a process is started with, as a last argument of `run`.
    pub fn priority_argument(&self, id: ProctypeId, given: Option<i32>) -> Option<TokenStream> {
        let priority = given.or(self.program.model.proctypes[id].priority).unwrap_or(1);
        self.facts.features.priorities.then(|| literal_of(Type::Byte, priority))
    }

    fn state_packing(&self) -> TokenStream {
        let model = self.program.model;
        let facts = &self.facts.layout;
        let this = quote! { self };
        let puts = model.state_variables().map(|global| packing::put_variable(self, &this, global));
        let takes = model.state_variables().filter_map(|global| packing::take_variable(self, global));
        let put_queues = facts.global_sites.iter().map(|site| packing::put_queues(self, &this, *site));
        let take_queues = facts.global_sites.iter().filter_map(|site| packing::take_queues(self, *site));
        let pid_bits = count(facts.pid_bits as usize);
        let put_last = self.facts.features.last.then(|| quote! { writer.put(u32::from(self.last), #pid_bits); });
        let take_last = self.facts.features.last.then(|| quote! { last: byte(reader.take(#pid_bits) as i32), });
        let (put_trace, take_trace) = self.trace_packing().unzip();
        let atomic_owner = self.facts.features.atomic.then(|| quote! { atomic_owner: None, });
        let count_bits = count(facts.count_bits as usize);
        let processes = match self.facts.population.bound {
            Some(_) => quote! { Processes::default() },
            None => quote! { GrowingProcesses::default() },
        };
        let (put_processes, take_processes) = self.processes_packing(&count_bits);
        let process_packing = self.process_packing();
        quote! {
            impl State {
                /// Writes all of it but the atomic owner, field after field.
                #[inline]
                pub fn pack(&self, writer: &mut impl Writer) {
                    #(#puts)*
                    #(#put_queues)*
                    #put_last
                    #put_trace
                    writer.put(self.processes.len() as u32, #count_bits);
                    #put_processes
                }

                #[inline]
                pub fn unpack(reader: &mut impl Reader) -> State {
                    let mut state = State {
                        #(#takes)*
                        #(#take_queues)*
                        #take_last
                        #take_trace
                        processes: #processes,
                        #atomic_owner
                    };
                    #take_processes
                    state
                }
            }

            #process_packing
        }
    }

    /// Packing and unpacking all processes.
    fn processes_packing(&self, count_bits: &proc_macro2::Literal) -> (TokenStream, TokenStream) {
        let (put, take) = if self.are_processes_parts() {
            (
                quote! {
                    let mut part = writer.part();
                    process.pack(&mut part);
                    writer.put_part(part);
                },
                quote! {
                    let mut part = reader.part();
                    state.processes.push(Process::unpack(&mut part));
                    reader.skip_part(part);
                },
            )
        } else {
            (quote! { process.pack(writer); }, quote! { state.processes.push(Process::unpack(reader)); })
        };
        (
            quote! { for process in self.processes.iter() { #put } },
            quote! { for _ in 0..reader.take(#count_bits) { #take } },
        )
    }

    /// Packing and unpacking one process: of which type it is, then its locals.
    fn process_packing(&self) -> TokenStream {
        let kind_bits = self.facts.layout.kind_bits;
        let bits = count(kind_bits as usize);
        let proctypes = &self.program.model.proctypes;
        let puts = proctypes.ids().map(|id| {
            let variant = &self.names.proctypes[id].variant;
            let number = count(id.0 as usize);
            let kind = (kind_bits > 0).then(|| quote! { writer.put(#number, #bits); });
            quote! { Self::#variant(locals) => { #kind locals.pack(writer); } }
        });
        let mut takes: Vec<TokenStream> = proctypes
            .ids()
            .map(|id| {
                let names = &self.names.proctypes[id];
                let (variant, module) = (&names.variant, &names.module);
                quote! { Self::#variant(#module::Locals::unpack(reader)) }
            })
            .collect();
        let take = match takes.pop() {
            Some(last) if takes.is_empty() => last,
            Some(last) => {
                let numbers = (0..takes.len()).map(count);
                quote! { match reader.take(#bits) { #(#numbers => #takes,)* _ => #last } }
            }
            None => unreachable!("a model has a process"),
        };
        quote! {
            impl Process {
                #[inline]
                fn pack(&self, writer: &mut impl Writer) {
                    match self { #(#puts)* }
                }

                #[inline]
                fn unpack(reader: &mut impl Reader) -> Self {
                    #take
                }
            }
        }
    }
}
