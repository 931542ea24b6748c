//! How a state that is a plain struct is packed: field after field.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::Generator;
use super::super::names::count;
use super::super::packing;
use super::super::parameters::mentions;
use super::super::state::Storing;
use crate::model::{ProctypeId, VariableId};

impl Generator<'_> {
    pub fn state_packing(&self) -> TokenStream {
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
                /// Packs everything but the atomic owner, field after field.
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
    pub fn processes_packing(&self, count_bits: &proc_macro2::Literal) -> (TokenStream, TokenStream) {
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

    /// Packing and unpacking one process: its type, then its locals.
    pub fn process_packing(&self) -> TokenStream {
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

    pub fn pack_locals(&self, id: ProctypeId) -> TokenStream {
        let process = &self.program.model.proctypes[id];
        let layout = &self.facts.layout.processes[id];
        let bits = count(layout.location_bits as usize);
        let (put_at, take_at) = if layout.location_bits == 0 {
            (TokenStream::new(), quote! { Location::ALL[0] })
        } else {
            (quote! { writer.put(self.at as u32, #bits); }, quote! { Location::ALL[reader.take(#bits) as usize] })
        };
        let variables: Vec<VariableId> = process.parameters.iter().chain(&process.locals).copied().collect();
        let puts = variables.iter().map(|variable| packing::put_variable(self, &quote! { self }, *variable));
        let takes = variables.iter().filter_map(|variable| packing::take_variable(self, *variable));
        let put_queues = layout.sites.iter().map(|site| packing::put_queues(self, &quote! { self }, *site));
        let take_queues = layout.sites.iter().filter_map(|site| packing::take_queues(self, *site));
        let priorities = self.facts.features.priorities;
        let put_priority = priorities.then(|| quote! { writer.put(u32::from(self.priority), 8); });
        let take_priority = priorities.then(|| quote! { priority: byte(reader.take(8) as i32), });
        let puts = quote! { #put_at #put_priority #(#puts)* #(#put_queues)* };
        let takes = quote! { at: #take_at, #take_priority #(#takes)* #(#take_queues)* };
        let writer = if mentions(&puts, "writer") {
            quote! { writer }
        } else {
            quote! { _writer }
        };
        let reader = if mentions(&takes, "reader") {
            quote! { reader }
        } else {
            quote! { _reader }
        };
        quote! {
            impl Locals {
                #[inline]
                pub fn pack(&self, #writer: &mut impl Writer) {
                    #puts
                }
                #[inline]
                pub fn unpack(#reader: &mut impl Reader) -> Self {
                    Self { #takes }
                }
            }
        }
    }

    pub fn storing_plain(&self) -> Storing {
        let pack = quote! {
            let mut writer = Packed::writer(into);
            state.pack(&mut writer);
            Writer::finish(writer);
        };
        Storing { pack, unpack: quote! { State::unpack(&mut Packed::reader(from)) }, packed: None }
    }
}
