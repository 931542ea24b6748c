//! A state as a plain struct: for models with an unbounded number of processes or channels, hidden variables,
//! priorities or a trace.
//!
//! It has a field for each variable and queue, and the same accessors as a state in words (`accessors.rs`). Such a
//! state is packed field after field when it is stored (`packing.rs`).

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::accessors::Leaf;
use super::expr::{Scope, rust_type};
use super::fields::LARGEST_QUEUE_IN_PLACE;
use super::names::{bare, count, doc};
use super::packing;
use super::parameters::mentions;
use super::parameters::parameter;
use super::state::Storing;
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

    /// Packing and unpacking one process: its type, then its locals.
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

    pub fn storing_plain(&self) -> Storing {
        let pack = quote! {
            let mut writer = Packed::writer(into);
            state.pack(&mut writer);
            Writer::finish(writer);
        };
        Storing { pack, unpack: quote! { State::unpack(&mut Packed::reader(from)) }, packed: None }
    }

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

    fn pack_locals(&self, id: ProctypeId) -> TokenStream {
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
