//! The trace assertion: in which order messages are sent and received.
//!
//! The automaton takes a transition with every send and receive on a channel that it names, and its location is part of
//! the state. The state also records what the automaton objects to; `Traced` reports that when the step is offered.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::expr::{Precedence, Scope};
use super::names::{NeverNames, bare, count, doc, visible};
use super::parameters::used;
use super::{GeneratedFile, Generator};
use crate::collections::IdVec;
use crate::exec;
use crate::exec::effects::{Effects, Executable};
use crate::ir::{Graph, LocationId, TransitionId};
use crate::model::{Side, Trace};

/// The trace assertion of a model.
#[derive(Clone, Copy)]
struct TraceAutomaton<'g> {
    trace: &'g Trace,
    graph: &'g Graph<'g>,
    names: &'g NeverNames,
    events: &'g IdVec<TransitionId, Option<exec::Event>>,
}

impl TraceAutomaton<'_> {
    /// The location behind the closing brace. A `notrace` that has given up is there, too.
    fn end(&self) -> Ident {
        match self.graph.closing_brace() {
            Some(end) => self.names.graph.locations[end].clone(),
            None => format_ident!("End"),
        }
    }

    /// The channels that events of one side name.
    fn channels(&self, side: Side) -> impl Iterator<Item = &exec::Channel> {
        self.events.iter().flatten().filter(move |event| event.side == side).map(|event| &event.channel)
    }
}

impl Generator<'_> {
    fn trace_automaton(&self) -> Option<TraceAutomaton<'_>> {
        let trace = self.program.model.trace.as_ref()?;
        let events = &self.exec.trace.as_ref()?.events;
        Some(TraceAutomaton { trace, graph: self.program.trace.as_ref()?, names: self.names.trace.as_ref()?, events })
    }

    /// The part of an initial state that belongs to the trace.
    pub fn trace_start(&self) -> Option<TokenStream> {
        let TraceAutomaton { graph, names, .. } = self.trace_automaton()?;
        let (module, start) = (&names.module, &names.graph.locations[graph.start]);
        Some(quote! { trace: #module::Location::#start, objections: Objections::default(), })
    }

    /// How its location is written and read.
    pub fn trace_packing(&self) -> Option<(TokenStream, TokenStream)> {
        let module = &self.trace_automaton()?.names.module;
        let bits = count(self.facts.layout.trace_bits as usize);
        let take = quote! {
            trace: #module::Location::ALL[reader.take(#bits) as usize],
            objections: Objections::default(),
        };
        Some((quote! { writer.put(self.trace as u32, #bits); }, take))
    }

    /// How the model offers steps, and whether the trace may end.
    pub fn observed_steps(&self) -> (TokenStream, Option<TokenStream>) {
        let Some(trace_automaton) = self.trace_automaton() else {
            return (quote! { offer_steps(now, me, timeout, steps); }, None);
        };
        let error = if trace_automaton.trace.negated { format_ident!("Matched") } else { format_ident!("NoMatch") };
        let offer = quote! {
            offer_steps(now, me, timeout, &mut Traced::new(steps, TraceError::#error));
        };
        let may_end = (!trace_automaton.trace.negated).then(|| {
            quote! {
                fn trace_may_end(&self, state: &State) -> bool {
                    state.trace.may_end()
                }
            }
        });
        (offer, may_end)
    }

    pub fn trace_file(&self) -> Option<GeneratedFile> {
        let trace_automaton = self.trace_automaton()?;
        let heading = if trace_automaton.trace.negated { NOTRACE_HEADING } else { TRACE_HEADING };
        Some(self.file(&bare(&trace_automaton.names.module), heading, self.trace(trace_automaton)))
    }

    /// Everything in the module of the trace.
    fn trace(&self, trace_automaton: TraceAutomaton<'_>) -> TokenStream {
        let TraceAutomaton { graph, names, trace, .. } = trace_automaton;
        let mut variants: Vec<Ident> = names.graph.locations.iter().cloned().collect();
        let end = trace_automaton.end();
        if !variants.contains(&end) {
            variants.push(end);
        }
        let n = count(variants.len());
        let labels = &trace.process.labels;
        let docs = graph.locations.iter().map(|location| {
            let own: Vec<String> = location.labels.iter().map(|label| visible(&labels[*label].name)).collect();
            (!own.is_empty()).then(|| doc(&format!(" {}:", own.join(": "))))
        });
        let docs = docs.chain(std::iter::repeat(None));
        let documented = variants.iter().zip(docs).map(|(name, doc)| quote! { #doc #name, });
        let may_end = (!trace.negated).then(|| {
            let ends = graph.locations.iter().zip(&names.graph.locations);
            let ends: Vec<&Ident> = ends.filter(|(location, _)| location.is_end).map(|(_, name)| name).collect();
            let may_end = match &ends[..] {
                [] => quote! { false },
                ends => quote! { matches!(self, #(Self::#ends)|*) },
            };
            quote! {
                /// A run may end here.
                pub fn may_end(self) -> bool {
                    #may_end
                }
            }
        });
        let sent = self.move_method(trace_automaton, Side::Send);
        let received = self.move_method(trace_automaton, Side::Receive);
        let events = graph.transitions.ids().filter_map(|id| self.event(trace_automaton, id));
        let body = quote! {
            /// The locations of the trace automaton. It begins at the first statement.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum Location {
                #(#documented)*
            }
            impl Location {
                pub const ALL: [Self; #n] = [#(Self::#variants),*];
                #may_end
            }
            impl TraceObserver for State {
                fn objections(&mut self) -> &mut Objections {
                    &mut self.objections
                }
            }
            #sent
            #received
            #(#events)*
        };
        let import = Self::import();
        quote! { #import #body }
    }

    /// A test for each channel that the trace names with a send or a receive.
    fn channel_tests(&self, trace_automaton: TraceAutomaton<'_>, side: Side) -> Vec<TokenStream> {
        let mut tests: Vec<TokenStream> = Vec::new();
        for channel in trace_automaton.channels(side) {
            let code = self.is_channel(channel, "self");
            if !tests.iter().any(|other| other.to_string() == code.to_string()) {
                tests.push(code);
            }
        }
        tests
    }

    /// The method of the state that moves the automaton on a send or on a receive.
    fn move_method(&self, trace_automaton: TraceAutomaton<'_>, side: Side) -> Option<TokenStream> {
        let TraceAutomaton { graph, names, trace, .. } = trace_automaton;
        let is_named = self.channel_tests(trace_automaton, side);
        if is_named.is_empty() {
            return None;
        }
        let arm = |from: LocationId, id: &TransitionId| {
            let transition = &graph.transitions[*id];
            let to = transition.to?;
            trace_automaton.events[*id].as_ref().is_some_and(|event| event.side == side).then(|| {
                let (from, to) = (&names.graph.locations[from], &names.graph.locations[to]);
                let function = &names.graph.transitions[*id].function;
                quote! { Location::#from if #function(self, channel, message) => Some(Location::#to), }
            })
        };
        let arms = graph.locations.iter_enumerated().flat_map(|(from, location)| {
            location.leaving.iter().filter_map(move |id| arm(from, id)).collect::<Vec<_>>()
        });
        let (title, method, note) = match side {
            Side::Send => ("Moves the trace automaton on a message that is sent.", "trace_sent", "to_sends"),
            Side::Receive => {
                ("Moves the trace automaton on a message that is received.", "trace_received", "to_receives")
            }
        };
        let (title, method, note) = (doc(&format!(" {title}")), format_ident!("{method}"), format_ident!("{note}"));
        let end = trace_automaton.end();
        let object = quote! { self.objections.#note = self.objections.#note.saturating_add(1); };
        let follow = if trace.negated {
            // Only the first attempt counts: an automaton that gives up goes to the location of one that has succeeded.
            quote! {
                if to == Some(Location::#end) { #object }
                self.trace = to.unwrap_or(Location::#end);
            }
        } else {
            quote! {
                match to {
                    Some(to) => self.trace = to,
                    None => { #object }
                }
            }
        };
        Some(quote! {
            impl State {
                #title
                pub fn #method(&mut self, channel: Channel, message: &[i32]) {
                    let is_named = #(#is_named)||*;
                    if !is_named {
                        return;
                    }
                    let to = match self.trace {
                        #(#arms)*
                        _ => None,
                    };
                    #follow
                }
            }
        })
    }

    /// Whether `channel` is the one that an event names.
    fn is_channel(&self, channel: &exec::Channel, state: &str) -> TokenStream {
        let scope = Scope::new(self, None, state);
        match channel {
            exec::Channel::Declared(_) => {
                let identity = scope.access(channel).identity;
                quote! { channel == #identity }
            }
            exec::Channel::Numbered(numbered) => {
                let (number, state) = (scope.value(&numbered.number), format_ident!("{state}"));
                quote! { #state.channel(#number) == Ok(channel) }
            }
        }
    }

    /// Whether a message matches an event.
    fn event(&self, trace_automaton: TraceAutomaton<'_>, id: TransitionId) -> Option<TokenStream> {
        let event = trace_automaton.events[id].as_ref()?;
        let scope = Scope::new(self, None, "now");
        let mut effects = Effects::default();
        let mut parts = vec![self.is_channel(&event.channel, "now")];
        if let exec::Channel::Numbered(numbered) = &event.channel {
            numbered.number.add_effects(&mut effects);
        }
        let mut compares = false;
        for (number, field) in event.pattern.iter().enumerate() {
            let exec::Field::Equal(value) = field else { continue };
            value.add_effects(&mut effects);
            compares = true;
            let is_there = match &event.channel {
                exec::Channel::Declared(declared) => number < self.program.model.sites[declared.site].fields.len(),
                exec::Channel::Numbered(_) => false,
            };
            let (number, value) = (count(number), scope.number(value).within(Precedence::BitOr));
            parts.push(if is_there {
                quote! { message[#number] == #value }
            } else {
                quote! { message.get(#number) == Some(&(#value)) }
            });
        }
        let fits = quote! { #(#parts)&&* };
        // A value that cannot be computed equals no sent value.
        let fits = if effects.can_fail {
            quote! { (|| -> Result<bool, Fault> { Ok(#fits) })() == Ok(true) }
        } else {
            fits
        };
        let name = &trace_automaton.names.graph.transitions[id].function;
        let is_numbered = matches!(event.channel, exec::Channel::Numbered(_));
        let (now, message) = (used("now", effects.reads_state() || is_numbered), used("message", compares));
        let doc = self.names.source_line(trace_automaton.graph.transitions[id].span);
        Some(quote! {
            #doc
            fn #name(#now: &State, channel: Channel, #message: &[i32]) -> bool {
                #fits
            }
        })
    }
}

const TRACE_HEADING: &str = "The trace assertion: the order in which messages may be sent and received.

The automaton moves with every send and receive on a channel that it names. One that no
transition allows is a violation.";

const NOTRACE_HEADING: &str = "The notrace assertion: an order in which messages must not be sent and received.

The automaton moves with every send and receive on a channel that it names. One that no
transition allows ends the attempt, and there is no second attempt.";
