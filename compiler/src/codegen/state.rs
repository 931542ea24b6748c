//! The state: globals, channels, processes, and how to look into them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::expr::{Scope, literal_of, plus, rust_type};
use super::names::{bare, count, doc, literal};
use super::packing;
use crate::model::{Expr, ExprKind, Init, Model, Owner, ProctypeId, RecordId, SiteId, Type, VariableId};

impl Generator<'_> {
    /// Everything in `state.rs`.
    pub fn state(&self) -> TokenStream {
        let records = self.program.model.records.ids().map(|id| self.record(id));
        let messages = self.messages.iter().map(|(fields, _)| packing::message(self, fields));
        let state = self.state_struct();
        let process = self.process_enum();
        let initial = self.initial();
        let packing = self.state_packing();
        let lookups = self.program.model.proctypes.ids().map(|id| self.lookup(id));
        let asking = self.asking();
        let priorities = self.priorities();
        let mtypes = self.mtype_functions();
        let body = quote! {
            #state
            #process
            #initial
            #packing
            #(#lookups)*
            #asking
            #priorities
            #(#records)*
            #(#messages)*
            #mtypes
        };
        let imports = self.imports(&body);
        quote! { #imports #body }
    }

    /// Whether states can be copied bit by bit: nothing in them grows.
    pub fn is_copy(&self) -> bool {
        let is_in_place = |site: &crate::model::ChannelSite| site.capacity <= LARGEST_QUEUE_IN_PLACE;
        self.facts.population.bound.is_some() && self.program.model.sites.iter().all(is_in_place)
    }

    fn state_struct(&self) -> TokenStream {
        let model = self.program.model;
        let fields = model.globals.iter().filter_map(|global| self.field_declaration(*global));
        let queues = self.facts.layout.global_sites.iter().filter_map(|site| self.queue_declaration(*site));
        let holder = self.facts.features.atomic.then(|| {
            quote! {
                /// The process that is inside an atomic sequence and goes on alone.
                pub holder: Option<Pid>,
            }
        });
        let last = self.facts.features.last.then(|| {
            quote! {
                /// `_last`: the process that took the last step.
                pub last: u8,
            }
        });
        let processes = match self.facts.population.bound {
            Some(bound) => {
                let bound = count(bound.max(1) as usize);
                quote! { Processes<Process, #bound> }
            }
            None => quote! { GrowingProcesses<Process> },
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
                #holder
                #last
            }
        }
    }

    /// `pub turn: u8,` with the author's comment; nothing for a channel that never changes.
    pub fn field_declaration(&self, id: VariableId) -> Option<TokenStream> {
        if !self.is_kept(id) {
            return None;
        }
        let variable = &self.program.model.variables[id];
        let (name, ty) = (self.names.variable(id), self.value_type(id));
        let comment = variable.comment.as_deref().map(|comment| self.comment(comment));
        Some(quote! { #comment pub #name: #ty, })
    }

    /// The author's comment as documentation.
    pub fn comment(&self, comment: &str) -> TokenStream {
        let lines = comment.lines().map(|line| doc(&format!(" {}", line.trim())));
        quote! { #(#lines)* }
    }

    pub fn queue_declaration(&self, id: SiteId) -> Option<TokenStream> {
        let site = &self.program.model.sites[id];
        let ty = self.queue_type(id)?;
        let name = &self.names.sites[id].field;
        let comment =
            self.program.model.variables[site.variable].comment.as_deref().map(|comment| self.comment(comment));
        let ty = if self.is_array(id) {
            let n = count(site.count as usize);
            quote! { [#ty; #n] }
        } else {
            ty
        };
        Some(quote! { #comment pub #name: #ty, })
    }

    /// The type of the queues of a site; nothing for rendezvous.
    pub fn queue_type(&self, id: SiteId) -> Option<TokenStream> {
        let site = &self.program.model.sites[id];
        let message = self.message_type(&site.fields);
        match site.capacity {
            0 => None,
            capacity if capacity <= LARGEST_QUEUE_IN_PLACE => {
                let capacity = count(capacity as usize);
                Some(quote! { Queue<#message, #capacity> })
            }
            _ => Some(quote! { GrowingQueue<#message> }),
        }
    }

    /// An empty queue of a site; nothing for rendezvous.
    pub fn blank_queue(&self, id: SiteId) -> Option<TokenStream> {
        match self.program.model.sites[id].capacity {
            0 => None,
            capacity if capacity <= LARGEST_QUEUE_IN_PLACE => Some(quote! { Queue::default() }),
            capacity => {
                let capacity = count(capacity as usize);
                Some(quote! { GrowingQueue::new(#capacity) })
            }
        }
    }

    pub fn blank_queues(&self, id: SiteId) -> Option<TokenStream> {
        let one = self.blank_queue(id)?;
        Some(if self.is_array(id) {
            quote! { std::array::from_fn(|_| #one) }
        } else {
            one
        })
    }

    /// Whether a site has an array of queues.
    pub fn is_array(&self, id: SiteId) -> bool {
        let site = &self.program.model.sites[id];
        site.count > 1 || self.program.model.variables[site.variable].length.is_some()
    }

    /// Whether a variable has a field of its own: all but channels that never change.
    pub fn is_kept(&self, id: VariableId) -> bool {
        !self.facts.is_fixed_channel[id]
    }

    pub fn scalar_type(&self, ty: Type) -> TokenStream {
        let name = match ty {
            Type::Record(record) => self.names.record(record).clone(),
            scalar => format_ident!("{}", rust_type(scalar)),
        };
        quote! { #name }
    }

    pub fn value_type(&self, id: VariableId) -> TokenStream {
        let variable = &self.program.model.variables[id];
        self.elements_type(variable.ty, variable.length)
    }

    fn elements_type(&self, ty: Type, length: Option<u32>) -> TokenStream {
        let scalar = self.scalar_type(ty);
        match length {
            None => scalar,
            Some(length) => {
                let length = count(length as usize);
                quote! { [#scalar; #length] }
            }
        }
    }

    /// A variable before it is given its initial value.
    pub fn blank(&self, id: VariableId) -> TokenStream {
        let variable = &self.program.model.variables[id];
        self.blank_elements(variable.ty, variable.length)
    }

    /// A variable when it comes into being: its initial value, if that is a constant.
    pub fn start(&self, id: VariableId) -> TokenStream {
        let variable = &self.program.model.variables[id];
        let element = if variable.length.is_some() { variable.ty.element() } else { variable.ty };
        let constant = |value: &Expr| match value.kind {
            ExprKind::Constant(value) => literal_of(element, value),
            _ => quote! { 0 },
        };
        match (&variable.init, variable.length) {
            (Init::All(value), None) if self.has_constant_start(id) => constant(value),
            (Init::All(value), Some(length)) if self.has_constant_start(id) => {
                let (value, length) = (constant(value), count(length as usize));
                quote! { [#value; #length] }
            }
            (Init::List(values), Some(length)) if self.has_constant_start(id) => {
                let last = values.last().map_or_else(|| quote! { 0 }, constant);
                let all = values.iter().map(constant).chain(std::iter::repeat(last)).take(length as usize);
                quote! { [#(#all),*] }
            }
            _ => self.blank(id),
        }
    }

    /// Whether nothing needs to be computed for the initial value.
    pub fn has_constant_start(&self, id: VariableId) -> bool {
        let variable = &self.program.model.variables[id];
        let is_constant = |value: &Expr| matches!(value.kind, ExprKind::Constant(_));
        match &variable.init {
            _ if matches!(variable.ty, Type::Record(_)) => false,
            Init::All(value) => is_constant(value),
            Init::List(values) => variable.length.is_some() && values.iter().all(is_constant),
            Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => false,
        }
    }

    fn blank_elements(&self, ty: Type, length: Option<u32>) -> TokenStream {
        let one = match ty {
            Type::Record(record) => {
                let name = self.names.record(record);
                quote! { #name::BLANK }
            }
            _ => quote! { 0 },
        };
        match length {
            None => one,
            Some(length) => {
                let length = count(length as usize);
                quote! { [#one; #length] }
            }
        }
    }

    fn record(&self, id: RecordId) -> TokenStream {
        let record = &self.program.model.records[id];
        let name = self.names.record(id);
        let fields = record.fields.iter().zip(0..).map(|(field, number)| {
            let (name, ty) = (self.names.field(id, number), self.elements_type(field.ty, field.length));
            quote! { pub #name: #ty, }
        });
        let blanks = record.fields.iter().zip(0..).map(|(field, number)| {
            let name = self.names.field(id, number);
            let value = self.blank_field(field);
            quote! { #name: #value, }
        });
        let title = doc(&format!(" typedef {}", record.name));
        let packing = packing::record(self, id);
        quote! {
            #title
            #[derive(Clone, Copy, Debug)]
            pub struct #name {
                #(#fields)*
            }
            impl #name {
                pub const BLANK: Self = Self { #(#blanks)* };
                #packing
            }
        }
    }

    /// A field of a record has its initial value from the start; these are constants.
    fn blank_field(&self, field: &crate::model::RecordField) -> TokenStream {
        let element = if field.length.is_some() { field.ty.element() } else { field.ty };
        let constant = |value: &Expr| match value.kind {
            ExprKind::Constant(value) => literal_of(element, value),
            _ => quote! { 0 },
        };
        match (&field.init, field.length) {
            (Init::All(value), None) => constant(value),
            (Init::All(value), Some(length)) => {
                let (value, length) = (constant(value), count(length as usize));
                quote! { [#value; #length] }
            }
            (Init::List(values), Some(length)) => {
                let last = values.last().map_or_else(|| quote! { 0 }, constant);
                let all = values.iter().map(constant).chain(std::iter::repeat(last)).take(length as usize);
                quote! { [#(#all),*] }
            }
            _ => self.blank_elements(field.ty, field.length),
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
        let derive = if self.is_copy() {
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
        let fields = model.globals.iter().filter(|global| self.is_kept(**global)).map(|global| {
            let (name, value) = (self.names.variable(*global), self.start(*global));
            quote! { #name: #value, }
        });
        let queues = self.facts.layout.global_sites.iter().filter_map(|site| {
            let (name, value) = (&self.names.sites[*site].field, self.blank_queues(*site)?);
            Some(quote! { #name: #value, })
        });
        let holder = self.facts.features.atomic.then(|| quote! { holder: None, });
        let last = self.facts.features.last.then(|| quote! { last: 0, });
        let processes = match self.facts.population.bound {
            Some(_) => quote! { Processes::default() },
            None => quote! { GrowingProcesses::default() },
        };
        let scope = Scope::new(self, None, "next");
        let inits: Vec<TokenStream> =
            model.globals.iter().filter_map(|global| self.initialize(&scope, *global, &quote! { next })).collect();
        let runs = model.initial.iter().map(|id| {
            let module = &self.names.proctypes[*id].module;
            let arguments = model.proctypes[*id].parameters.iter().map(|parameter| self.blank(*parameter));
            let priority = self.priority_argument(*id, None);
            quote! { #module::run(&mut next, #(#arguments,)* #priority)?; }
        });
        quote! {
            impl State {
                /// The state in which everything begins.
                pub fn initial() -> Result<State, Fault> {
                    let mut next = State { #(#fields)* #(#queues)* processes: #processes, #holder #last };
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

    /// Gives the channels inside a record variable their numbers.
    pub fn record_channels(&self, id: VariableId, owner: &TokenStream) -> Option<TokenStream> {
        let model = self.program.model;
        let sites = model.sites.iter_enumerated().filter(|(_, site)| site.variable == id && !site.path.is_empty());
        let mut tokens = TokenStream::new();
        for (site_id, site) in sites {
            let first = self.first_number(site_id);
            for (number, place) in self.channel_places(model, id, &site.path).into_iter().enumerate() {
                let number = plus(&first, u32::try_from(number).unwrap_or(u32::MAX));
                tokens.extend(quote! { #owner.#place = byte(#number); });
            }
        }
        (!tokens.is_empty()).then_some(tokens)
    }

    /// Every element that a path of fields leads to, in order: `a[0].f[1].q`.
    fn channel_places(&self, model: &Model, id: VariableId, path: &[u32]) -> Vec<TokenStream> {
        let variable = &model.variables[id];
        let name = self.names.variable(id);
        let mut places = subscripts(&quote! { #name }, variable.length);
        let mut ty = variable.ty;
        for field in path {
            let Type::Record(record) = ty else { break };
            let declared = &model.records[record].fields[*field as usize];
            let name = self.names.field(record, *field);
            places = places.iter().flat_map(|place| subscripts(&quote! { #place.#name }, declared.length)).collect();
            ty = declared.ty;
        }
        places
    }

    /// The number of the first channel of a site: of a process that is being made, those follow all others.
    pub fn first_number(&self, id: SiteId) -> TokenStream {
        let model = self.program.model;
        let layout = &self.facts.layout;
        let offset = |sites: &[SiteId]| -> u32 {
            sites.iter().take_while(|other| **other != id).map(|other| model.sites[*other].count).sum()
        };
        match model.variables[model.sites[id].variable].owner {
            Owner::Proctype(process) => {
                plus(&quote! { next.first_channel(me) }, offset(&layout.processes[process].sites))
            }
            Owner::Global | Owner::Never(_) => {
                literal(i32::try_from(1 + offset(&layout.global_sites)).unwrap_or(i32::MAX))
            }
        }
    }

    fn state_packing(&self) -> TokenStream {
        let model = self.program.model;
        let layout = &self.facts.layout;
        let this = quote! { self };
        let puts = model.globals.iter().map(|global| packing::put_variable(self, &this, *global));
        let takes = model.globals.iter().filter_map(|global| packing::take_variable(self, *global));
        let put_queues = layout.global_sites.iter().map(|site| packing::put_queues(self, &this, *site));
        let take_queues = layout.global_sites.iter().filter_map(|site| packing::take_queues(self, *site));
        let put_last = self.facts.features.last.then(|| quote! { writer.put(u32::from(self.last), 8); });
        let take_last = self.facts.features.last.then(|| quote! { last: byte(reader.take(8) as i32), });
        let holder = self.facts.features.atomic.then(|| quote! { holder: None, });
        let (count_bits, kind_bits) = (count(layout.count_bits as usize), count(layout.kind_bits as usize));
        let put_kinds = model.proctypes.ids().map(|id| {
            let variant = &self.names.proctypes[id].variant;
            let number = count(id.0 as usize);
            let kind = (layout.kind_bits > 0).then(|| quote! { writer.put(#number, #kind_bits); });
            quote! { Process::#variant(locals) => { #kind locals.pack(writer); } }
        });
        let mut take_kinds: Vec<TokenStream> = model
            .proctypes
            .ids()
            .map(|id| {
                let names = &self.names.proctypes[id];
                let (variant, module) = (&names.variant, &names.module);
                quote! { Process::#variant(#module::Locals::unpack(reader)) }
            })
            .collect();
        let take_kind = match take_kinds.pop() {
            Some(last) if take_kinds.is_empty() => last,
            Some(last) => {
                let numbers = (0..take_kinds.len()).map(count);
                quote! { match reader.take(#kind_bits) { #(#numbers => #take_kinds,)* _ => #last } }
            }
            None => unreachable!("a model has a process"),
        };
        let processes = match self.facts.population.bound {
            Some(_) => quote! { Processes::default() },
            None => quote! { GrowingProcesses::default() },
        };
        quote! {
            impl State {
                /// Writes all of it but the holder, field after field.
                pub fn pack(&self, writer: &mut impl Writer) {
                    #(#puts)*
                    #(#put_queues)*
                    #put_last
                    writer.put(self.processes.len() as u32, #count_bits);
                    for process in self.processes.iter() {
                        match process { #(#put_kinds)* }
                    }
                }

                pub fn unpack(reader: &mut impl Reader) -> State {
                    let mut state = State {
                        #(#takes)*
                        #(#take_queues)*
                        #take_last
                        processes: #processes,
                        #holder
                    };
                    for _ in 0..reader.take(#count_bits) {
                        state.processes.push(#take_kind);
                    }
                    state
                }
            }
        }
    }

    /// How to look into a process of a kind.
    fn lookup(&self, id: ProctypeId) -> TokenStream {
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
            let locals = if super::transition::mentions(&code, "locals") {
                quote! { locals }
            } else {
                quote! { _ }
            };
            quote! { Process::#variant(#locals) => #code, }
        });
        quote! { match #process { #(#arms)* } }
    }

    /// Questions about processes that some models ask.
    fn asking(&self) -> TokenStream {
        let features = &self.facts.features;
        let number = features.pc_value.then(|| {
            let numbers = self.each_kind(&quote! { process }, |_, _| quote! { locals.at.number() });
            quote! {
                /// `pc_value(pid)`: a number for the place where a process stands, -1 if there is no such process.
                pub fn location_number(&self, pid: i32) -> i32 {
                    match u8::try_from(pid).ok().and_then(|pid| self.processes.get(Pid(pid))) {
                        Some(process) => #numbers,
                        None => -1,
                    }
                }
            }
        });
        let enabled = features.enabled.then(|| {
            quote! {
                /// `enabled(pid)`: whether another process can move.
                pub fn enabled(&self, pid: i32, me: Pid) -> Result<bool, Fault> {
                    match u8::try_from(pid) {
                        Ok(pid) if Pid(pid) == me => Err(Fault::EnabledSelf),
                        Ok(pid) if usize::from(pid) < self.processes.len() => {
                            Ok(crate::model::offer_steps(self, Pid(pid), false, &mut Nobody))
                        }
                        _ => Ok(false),
                    }
                }
            }
        });
        let progress = features.non_progress.then(|| {
            let progress = self.each_kind(&quote! { process }, |_, _| quote! { locals.at.is_progress() });
            quote! {
                /// `np_`: no process is at a progress label.
                pub fn is_without_progress(&self) -> bool {
                    !self.processes.iter().any(|process| #progress)
                }
            }
        });
        if number.is_none() && enabled.is_none() && progress.is_none() {
            return TokenStream::new();
        }
        quote! { impl State { #number #enabled #progress } }
    }

    fn priorities(&self) -> TokenStream {
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

    /// The names of mtype values, where the model prints them.
    fn mtype_functions(&self) -> TokenStream {
        let functions = self.program.model.mtypes.iter_enumerated().filter(|(_, mtype)| !mtype.names.is_empty());
        let functions = functions.map(|(id, mtype)| {
            let name = self.mtype_function(id);
            let arms = mtype.names.iter().map(|entry| {
                let (value, text) = (literal(entry.value), super::names::visible(&entry.name));
                quote! { #value => #text, }
            });
            quote! {
                /// The name of an mtype value.
                pub fn #name(value: i32) -> &'static str {
                    match value { #(#arms)* _ => "?" }
                }
            }
        });
        quote! { #(#functions)* }
    }
}

/// Larger queues are kept outside of the state, and grow.
const LARGEST_QUEUE_IN_PLACE: u32 = 16;

fn subscripts(place: &TokenStream, length: Option<u32>) -> Vec<TokenStream> {
    match length {
        None => vec![place.clone()],
        Some(length) => (0..length as usize)
            .map(|index| {
                let index = count(index);
                quote! { #place[#index] }
            })
            .collect(),
    }
}
