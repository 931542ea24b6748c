//! One module per proctype: its locals, its locations, how it starts, and its transitions by location.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Generator;
use super::expr::Scope;
use super::names::{count, doc};
use super::offers::OfferCalls;
use super::parameters::parameter;
use super::transition::{GraphCode, TransitionFunctions};
use crate::collections::{Id, IdVec};
use crate::exec::effects::Executable;
use crate::ir::{Location, TransitionId};
use crate::model::ProctypeId;

impl Generator<'_> {
    /// Everything in the module of a proctype.
    pub fn proctype(&self, id: ProctypeId) -> TokenStream {
        let code = GraphCode::of_process(self, id);
        let functions: IdVec<TransitionId, TransitionFunctions> =
            code.graph().transitions.ids().map(|transition| code.functions(transition)).collect();

        let locals = self.locals(id);
        let locations = self.locations(id);
        let run = self.run(id);
        let steps = self.offer_steps(id, &functions);
        let answer = self.answer(id, &functions);
        let awaits = self.awaits(id);
        let breach = self.breach(id);
        let transitions = functions.iter().map(|functions| &functions.tokens);
        let numbers = self.transition_numbers(id);
        let body = quote! {
            #locals
            #locations
            #run
            #steps
            #awaits
            #answer
            #breach
            #(#transitions)*
            #numbers
        };
        let import = Self::import();
        quote! { #import #body }
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
            /// The locations: each is named after the first statement that can be executed there.
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

    /// The labels for infinite runs that a location has or an expression tests.
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

    /// The function that offers the steps of a process in a state.
    fn offer_steps(&self, id: ProctypeId, functions: &IdVec<TransitionId, TransitionFunctions>) -> TokenStream {
        let process = &self.program.model.proctypes[id];
        let module = &self.names.proctypes[id].module;
        let names = &self.names.proctypes[id].graph.locations;
        let arms = self.exec.processes[id].locations.iter().zip(names).map(|(location, name)| {
            let groups = location.groups.iter().map(|group| self.offer_group(id, group, functions));
            let offers = OfferCalls::or(groups.collect()).tokens();
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
            " Offers every step that `{}` number `me` can take in `now`, and returns whether there is one.",
            process.name
        ));
        let body = quote! {
            #check
            match now.#module(me).at() {
                #(#arms)*
            }
        };
        // A process that only receives in rendezvous has no steps of its own.
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
}

/// A kind of label that matters to infinite runs.
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
