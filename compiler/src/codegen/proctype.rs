//! One module per proctype: its locals, its locations, how it starts, and what
//! it can do where.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Generator;
use super::expr::Scope;
use super::names::{count, doc};
use super::packing;
use super::transition::{Call, Functions, GraphCode, parameter};
use super::words::mentions;
use crate::collections::{Id, IdVec};
use crate::exec::effects::{Effects, Executable};
use crate::ir::{Action, Location, TransitionId};
use crate::model::{Expr, Init, ProctypeId, Type, VariableId};

impl Generator<'_> {
    /// Everything in the module of a proctype.
    pub fn proctype(&self, id: ProctypeId) -> TokenStream {
        let code = GraphCode::of_process(self, id);
        let functions: IdVec<TransitionId, Functions> =
            code.graph().transitions.ids().map(|transition| code.functions(transition)).collect();

        let locals = self.locals(id);
        let locations = self.locations(id);
        let run = self.run(id);
        let steps = self.offer_steps(id, &functions);
        let answer = self.answer(id, &functions);
        let breach = self.breach(id);
        let transitions = functions.iter().map(|functions| &functions.tokens);
        let body = quote! {
            #locals
            #locations
            #run
            #steps
            #answer
            #breach
            #(#transitions)*
        };
        let numbers = self.transition_numbers(id, &body);
        let body = quote! { #body #numbers };
        let imports = self.imports(&body);
        quote! { #imports #body }
    }

    fn locals(&self, id: ProctypeId) -> TokenStream {
        if let Some((places, _)) = self.placed() {
            return self.locals_in_words(places, id);
        }
        let process = &self.program.model.proctypes[id];
        let layout = &self.facts.layout.processes[id];
        let variables = process.parameters.iter().chain(&process.locals);
        let fields = variables.clone().filter_map(|variable| self.field_declaration(*variable));
        let queues = layout.sites.iter().filter_map(|site| self.queue_declaration(*site));
        let priority = self.facts.features.priorities.then(|| quote! { pub priority: u8, });
        let title = doc(&format!(" What `{}` knows: where it stands, and its variables.", process.name));
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

    fn locations(&self, id: ProctypeId) -> TokenStream {
        let graph = &self.program.graphs[id];
        let names = &self.names.proctypes[id].graph.locations;
        let n = count(names.len());
        let variants = graph.locations.iter().zip(names).map(|(location, name)| {
            let doc = self.location_doc(id, location);
            quote! { #doc #name, }
        });
        let names: Vec<_> = names.iter().collect();
        let ends = self.locations_where(id, |location| location.is_end);
        let is_end = match &ends[..] {
            [] => quote! { false },
            ends => quote! { matches!(self, #(Self::#ends)|*) },
        };
        let number = self.facts.features.pc_value.then(|| {
            let numbers = graph.locations.iter().map(|location| Literal::u32_unsuffixed(location.number));
            quote! {
                /// The number that `pc_value` gives.
                pub fn number(self) -> i32 {
                    const NUMBERS: [i32; #n] = [#(#numbers),*];
                    NUMBERS[self as usize]
                }
            }
        });
        let marks = self.marks().into_iter().map(|mark| {
            let marked = self.locations_where(id, mark.is_at);
            let marked = match &marked[..] {
                [] => quote! { false },
                marked => quote! { matches!(self, #(Self::#marked)|*) },
            };
            let (doc, function) = (doc(mark.doc), quote::format_ident!("{}", mark.function));
            quote! {
                #doc
                pub fn #function(self) -> bool {
                    #marked
                }
            }
        });
        quote! {
            /// Where control can rest: each place is named after the first statement that can be executed there.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum Location {
                #(#variants)*
            }
            impl Location {
                pub const ALL: [Self; #n] = [#(Self::#names),*];

                /// The process may stay here forever.
                pub fn is_end(self) -> bool {
                    #is_end
                }
                #(#marks)*
                #number
            }
        }
    }

    /// The labels of infinite runs that some location has or some expression asks for.
    pub fn marks(&self) -> Vec<Mark> {
        let has = |mark: &Mark| self.program.graphs.iter().any(|graph| graph.locations.iter().any(mark.is_at));
        let mut marks = vec![ACCEPT, PROGRESS];
        marks.retain(|mark| has(mark) || (mark.function == PROGRESS.function && self.facts.features.non_progress));
        marks
    }

    fn location_doc(&self, id: ProctypeId, location: &Location) -> Option<TokenStream> {
        let labels = &self.program.model.proctypes[id].labels;
        let names: Vec<&str> = location.labels.iter().map(|label| &*labels[*label].name).collect();
        (!names.is_empty()).then(|| doc(&format!(" {}:", names.join(": "))))
    }

    fn locations_where(&self, id: ProctypeId, is_wanted: impl Fn(&Location) -> bool) -> Vec<&proc_macro2::Ident> {
        let locations = self.program.graphs[id].locations.iter();
        let names = &self.names.proctypes[id].graph.locations;
        locations.zip(names).filter(|(location, _)| is_wanted(location)).map(|(_, name)| name).collect()
    }

    /// How a process starts.
    fn run(&self, id: ProctypeId) -> TokenStream {
        if let Some((places, _)) = self.placed() {
            return self.run_in_words(places, id);
        }
        let model = self.program.model;
        let process = &model.proctypes[id];
        let layout = &self.facts.layout.processes[id];
        let start = &self.names.proctypes[id].graph.locations[self.program.graphs[id].start];
        let variant = &self.names.proctypes[id].variant;
        let title = doc(&format!(" Starts `{}` and gives its pid.", process.name));
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
        scope.locals = Some(quote::format_ident!("locals"));
        let inits: Vec<TokenStream> =
            process.locals.iter().filter_map(|local| self.initialize(&scope, *local, &quote! { locals })).collect();
        let fails = self.initial_effects(Some(id), &process.locals).can_fail;
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

    /// Initial values have a function of their own, where no parameter can hide what they use.
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

    /// What computing the initial values of variables may do.
    pub fn initial_effects(&self, process: Option<ProctypeId>, variables: &[VariableId]) -> Effects {
        let context = self.context(process);
        let mut effects = Effects::default();
        let is_there = |id: VariableId| match self.placed() {
            Some((places, _)) => places.variables[id].is_some(),
            None => self.is_kept(id),
        };
        for variable in variables.iter().filter(|variable| is_there(**variable)) {
            match &self.program.model.variables[*variable].init {
                Init::All(value) => context.value(value).add_effects(&mut effects),
                Init::List(values) => values.iter().for_each(|value| context.value(value).add_effects(&mut effects)),
                Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => {}
            }
        }
        effects
    }

    /// Gives a local its initial value, if that is not zero.
    pub fn initialize(&self, scope: &Scope<'_, '_>, id: VariableId, owner: &TokenStream) -> Option<TokenStream> {
        let model = self.program.model;
        let variable = &model.variables[id];
        if !self.is_kept(id) || self.has_constant_start(id) {
            return None;
        }
        let name = self.names.variable(id);
        let element = if variable.length.is_some() { variable.ty.element() } else { variable.ty };
        let length = variable.length.map(|length| count(length as usize));
        let record = self.record_channels(id, owner);
        let context = self.context(scope.process);
        let stored = |value: &Expr| scope.stored(&context.cut(element, value));
        Some(match (&variable.init, length) {
            (Init::Zero | Init::FieldChannel { .. }, _) => return record,
            (Init::All(value), None) => {
                let value = stored(value);
                quote! { #owner.#name = #value; }
            }
            (Init::All(value), Some(length)) => {
                let value = stored(value);
                quote! { #owner.#name = [#value; #length]; }
            }
            (Init::List(values), _) => {
                let n = variable.length.unwrap_or(1) as usize;
                let all = values.iter().map(stored);
                let last = values.last().map(stored).expect("a list has a value");
                let all = all.chain(std::iter::repeat(last)).take(n);
                quote! { #owner.#name = [#(#all),*]; }
            }
            (Init::Channel(site), length) => {
                let first = self.first_number(*site);
                match length {
                    None => quote! { #owner.#name = byte(#first); },
                    Some(length) => quote! {
                        for element in 0..#length {
                            #owner.#name[element] = byte(#first + int(element));
                        }
                    },
                }
            }
        })
    }

    /// What a process can do in a state.
    fn offer_steps(&self, id: ProctypeId, functions: &IdVec<TransitionId, Functions>) -> TokenStream {
        let process = &self.program.model.proctypes[id];
        let graph = &self.program.graphs[id];
        let module = &self.names.proctypes[id].module;
        let names = &self.names.proctypes[id].graph.locations;
        let arms = graph.locations.iter().zip(names).map(|(location, name)| {
            let calls = |group: &[TransitionId]| self.offer_group(id, group, functions);
            let groups = location.escapes.iter().map(|group| calls(group)).chain([calls(&location.leaving)]);
            let offers = Offers::or(groups.collect()).tokens();
            quote! { Location::#name => #offers, }
        });
        let uses_timeout = functions.iter().any(|functions| functions.take.iter().any(|call| call.uses_timeout));
        let scope = Scope::new(self, Some(id), "now");
        let provided = self.exec.processes[id].provided.as_ref();
        let effects = provided.map(Executable::effects).unwrap_or_default();
        let check = self.provided_check(provided.map(|test| scope.falsehood(test)), effects.can_fail, id);
        let needs_timeout = uses_timeout || effects.uses_timeout;
        let timeout = self.facts.features.timeout.then(|| {
            if needs_timeout {
                quote! { timeout: bool, }
            } else {
                quote! { _timeout: bool, }
            }
        });
        let title = doc(&format!(
            " Offers every step that `{}` number `me` can take in `now`: whether there is one.",
            process.name
        ));
        let at = self.at(&quote! { now.#module(me) });
        let body = quote! {
            #check
            match #at {
                #(#arms)*
            }
        };
        // One that only answers others has no steps of its own.
        let steps = parameter("steps", &body);
        quote! {
            #title
            pub fn offer_steps(now: &State, me: Pid, #timeout #steps: &mut impl Steps<State>) -> bool {
                #body
            }
        }
    }

    fn provided_check(&self, provided: Option<TokenStream>, can_fail: bool, id: ProctypeId) -> Option<TokenStream> {
        let provided = provided?;
        if !can_fail {
            return Some(quote! { if #provided { return false; } });
        }
        let first = &self.names.proctypes[id].graph.transitions[TransitionId::from_index(0)].constant;
        Some(quote! {
            let is_held_back = (|| -> Result<bool, Fault> { Ok(#provided) })();
            match is_held_back {
                Ok(false) => {}
                Ok(true) => return false,
                Err(fault) => {
                    steps.fault(#first, fault);
                    return false;
                }
            }
        })
    }

    /// The calls for transitions that are tried together. An `else` is tried only if nothing before it could be taken.
    fn offer_group(
        &self,
        id: ProctypeId,
        group: &[TransitionId],
        functions: &IdVec<TransitionId, Functions>,
    ) -> Offers {
        let graph = &self.program.graphs[id];
        let mut offers = Offers::default();
        for transition in group {
            let calls: Vec<TokenStream> = functions[*transition].take.iter().map(Call::take).collect();
            if calls.is_empty() {
                continue;
            }
            let call = Offers::All(calls);
            offers = if matches!(graph.transitions[*transition].action, Action::Else) {
                Offers::or(vec![offers, call])
            } else {
                Offers::and(offers, call)
            };
        }
        offers
    }

    /// How a process answers a sender in a rendezvous.
    fn answer(&self, id: ProctypeId, functions: &IdVec<TransitionId, Functions>) -> TokenStream {
        if !self.can_answer(id) {
            return TokenStream::new();
        }
        let process = &self.program.model.proctypes[id];
        let graph = &self.program.graphs[id];
        let module = &self.names.proctypes[id].module;
        let names = &self.names.proctypes[id].graph.locations;
        let arms = graph.locations.iter().zip(names).filter_map(|(location, name)| {
            // Escapes that take the message keep the others from taking it.
            let groups = location.escapes.iter().chain([&location.leaving]).map(|group| {
                let answers = group.iter().filter_map(|transition| functions[*transition].answer.as_ref());
                Offers::all(answers.map(Call::answer).collect())
            });
            match Offers::or(groups.collect()) {
                Offers::None => None,
                offers => {
                    let calls = offers.tokens();
                    Some(quote! { Location::#name => #calls, })
                }
            }
        });
        let arms: Vec<TokenStream> = arms.collect();
        let rest = (arms.len() < graph.locations.len()).then(|| quote! { _ => false, });
        let scope = Scope::new(self, Some(id), "now");
        let provided = self.exec.processes[id].provided.as_ref();
        let effects = provided.map(Executable::effects).unwrap_or_default();
        let check = provided.map(|test| scope.falsehood(test)).map(|provided| {
            if effects.can_fail {
                quote! { if (|| -> Result<bool, Fault> { Ok(#provided) })() != Ok(false) { return false; } }
            } else {
                quote! { if #provided { return false; } }
            }
        });
        let timeout = effects.uses_timeout.then(|| quote! { let timeout = false; });
        let title =
            doc(&format!(" Takes an offered message, if `{}` number `me` waits for it: whether it did.", process.name));
        let at = self.at(&quote! { now.#module(me) });
        let body = quote! {
            #timeout
            #check
            match #at {
                #(#arms)*
                #rest
            }
        };
        let (offer, steps) = (parameter("offer", &body), parameter("steps", &body));
        quote! {
            #title
            pub fn answer(now: &State, me: Pid, #offer: &Offer, #steps: &mut impl Steps<State>) -> bool {
                #body
            }
        }
    }
}

/// A kind of label that infinite runs are judged by.
#[derive(Clone, Copy)]
pub struct Mark {
    /// The method of `Location`.
    pub function: &'static str,
    doc: &'static str,
    is_at: fn(&Location) -> bool,
}

pub const ACCEPT: Mark =
    Mark { function: "is_accepting", doc: " There is an accept label here.", is_at: |location| location.is_accept };

pub const PROGRESS: Mark =
    Mark { function: "is_progress", doc: " There is a progress label here.", is_at: |location| location.is_progress };

/// Calls that each say whether they offered something, joined so that the whole says whether any did.
#[derive(Default)]
pub enum Offers {
    #[default]
    None,
    /// All are called.
    All(Vec<TokenStream>),
    /// Called until one has offered something.
    First(TokenStream),
}

impl Offers {
    /// Both, whatever the first says.
    pub fn and(self, other: Self) -> Self {
        let parts = |offers: Self| match offers {
            Self::None => Vec::new(),
            Self::All(calls) => calls,
            Self::First(calls) => vec![quote! { (#calls) }],
        };
        let mut calls = parts(self);
        calls.extend(parts(other));
        Self::all(calls)
    }

    pub fn all(calls: Vec<TokenStream>) -> Self {
        if calls.is_empty() { Self::None } else { Self::All(calls) }
    }

    /// The later ones only if the earlier ones offer nothing.
    pub fn or(groups: Vec<Self>) -> Self {
        let mut groups: Vec<Self> = groups.into_iter().filter(|group| !matches!(group, Self::None)).collect();
        if groups.len() <= 1 {
            return groups.pop().unwrap_or_default();
        }
        let groups = groups.into_iter().map(|group| match group {
            Self::All(calls) if calls.len() > LONGEST_ROW => {
                let calls = Self::All(calls).tokens();
                quote! { (#calls) }
            }
            other => other.tokens(),
        });
        Self::First(quote! { #(#groups)||* })
    }

    pub fn tokens(self) -> TokenStream {
        match self {
            Self::None => quote! { false },
            Self::First(calls) => calls,
            Self::All(calls) if calls.len() <= LONGEST_ROW => quote! { #(#calls)|* },
            Self::All(calls) => quote! { { let mut any = false; #(any |= #calls;)* any } },
        }
    }
}

/// More calls than this are written one below the other.
const LONGEST_ROW: usize = 4;
