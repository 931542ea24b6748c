//! The implementation of the runtime's `Model` and `Independence`.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Generator;
use super::names::count;
use super::state::Storing;
use crate::analysis::Stored;
use crate::model::VariableId;

impl Generator<'_> {
    /// The properties of the model that reductions rely on.
    fn independence_of_model(&self) -> TokenStream {
        let breach = self.has_promises().then(|| {
            quote! {
                #[inline]
                fn has_promises(&self) -> bool {
                    true
                }
                fn breach(&self, state: &State, pid: Pid) -> Option<(TransitionId, Fault)> {
                    promises::breach(state, pid)
                }
            }
        });
        let independence = match &self.exec.independence {
            Ok(independence) => independence,
            Err(reason) => {
                return quote! {
                    fn reduction(&self) -> &ReductionInfo<'_> {
                        &ReductionInfo { off: Some(#reason), ..ReductionInfo::UNKNOWN }
                    }
                    #breach
                };
            }
        };
        let has_parts = independence.stubborn.as_ref().is_some_and(|stubborn| !stubborn.splits.is_empty());
        let parts = has_parts.then(|| {
            quote! {
                fn add_part_dependencies(&self, state: &State, part: u32, bit_set: &mut [u64]) {
                    independence::add_part_dependencies(state, part, bit_set);
                }
            }
        });
        let stubborn = independence.stubborn.is_some().then(|| {
            quote! {
                fn future(&self, state: &State, pid: Pid) -> &[u64] {
                    independence::future(state, pid)
                }
                fn add_dependencies(&self, state: &State, pid: Pid, bit_set: &mut [u64]) {
                    independence::add_dependencies(state, pid, bit_set);
                }
            }
        });
        quote! {
            fn reduction(&self) -> &ReductionInfo<'_> {
                &independence::INFO
            }
            fn safe_level(&self, state: &State, pid: Pid, table: Table, counts_pids: bool) -> u8 {
                independence::safe_level(state, pid, table, counts_pids)
            }
            #stubborn
            #parts
            #breach
        }
    }

    /// The function that calls the searches for states of this size.
    pub fn searches(&self) -> String {
        match self.facts.layout.n_words() {
            Some(n) => format!("words{n}"),
            None => "bytes".to_owned(),
        }
    }

    /// Everything in `model.rs`.
    pub fn model(&self) -> TokenStream {
        let features = &self.facts.features;
        let uses_timeout = features.timeout;
        let packed_type = match self.facts.layout.n_words() {
            Some(n) => {
                let n = count(n);
                quote! { Words<#n> }
            }
            None => quote! { Bytes },
        };
        let priorities = features.priorities.then(|| {
            quote! {
                #[inline]
                fn uses_priorities(&self) -> bool {
                    true
                }
                fn priority(&self, state: &State, pid: Pid) -> i32 {
                    state.priority(i32::from(pid.0))
                }
            }
        });
        let atomic = features.atomic.then(|| {
            quote! {
                fn atomic_owner(&self, state: &State) -> Option<Pid> {
                    state.atomic_owner
                }

                fn release(&self, state: &mut State) {
                    state.atomic_owner = None;
                }
            }
        });
        let (may_be_atomic, may_have_priorities) = (features.atomic, features.priorities);
        let of_pid = quote! { state.process(pid) };
        let is_end = self.each_kind(&of_pid, |_, _| quote! { locals.at().is_end() });
        let proctype = self.each_kind(&of_pid, |id, _| {
            let number = Literal::u32_unsuffixed(id.0);
            quote! { #number }
        });
        let location = self.each_kind(&of_pid, |id, _| match self.program.first_location(id) {
            0 => quote! { locals.at() as usize },
            first => {
                let first = Literal::u32_unsuffixed(first);
                quote! { #first + locals.at() as usize }
            }
        });
        let marks = self.marks().into_iter().map(|mark| {
            let function = quote::format_ident!("{}", mark.function);
            let is_marked = self.each_kind(&of_pid, |_, _| quote! { locals.at().#function() });
            quote! {
                fn #function(&self, state: &State, pid: Pid) -> bool {
                    #is_marked
                }
            }
        });
        let claims = self.offer_claim_moves();
        let (offer_now, trace_may_end) = self.observed_steps();
        let has_messages = self.has_messages();
        let (hidden_type, hidden, hidden_struct) = self.hidden();
        let describe = self.describe();
        let Storing { pack, unpack, packed } = self.storing();
        let offer = self.offer_in_state();
        let independence = self.independence_of_model();
        let tick = self.tick();
        let abstraction_of_time = self.abstraction_of_time();
        let symmetry = self.has_symmetry().then(|| {
            quote! {
                fn symmetry(&self) -> Option<&pmc_runtime::symmetry::SymmetryInfo<'_>> {
                    Some(&crate::symmetry::SYMMETRY)
                }
            }
        });
        let body = quote! {
            /// The model, as the search sees it.
            #[derive(Clone, Copy, Debug, Default)]
            pub struct Verifier;

            impl Model for Verifier {
                type State = State;
                type Packed = #packed_type;
                type Hidden = #hidden_type;

                const FEATURES: Features =
                    Features { atomic: #may_be_atomic, priorities: #may_have_priorities };

                fn info(&self) -> &ModelInfo<'_> {
                    &crate::tables::INFO
                }
                #[inline]
                fn uses_timeout(&self) -> bool {
                    #uses_timeout
                }
                fn initial(&self) -> Result<State, Fault> {
                    State::initial()
                }
                fn n_processes(&self, state: &State) -> usize {
                    state.n_processes()
                }
                fn offer_steps(&self, now: &State, me: Pid, timeout: bool, steps: &mut impl Steps<State>) {
                    #offer_now
                }
                #tick
                #abstraction_of_time
                #atomic
                #priorities
                #symmetry
                fn is_valid_end(&self, state: &State, pid: Pid) -> bool {
                    #is_end
                }
                #(#marks)*
                #claims
                #trace_may_end
                fn has_messages(&self, state: &State) -> bool {
                    #has_messages
                }
                fn pack(&self, state: &State, into: &mut Self::Packed) {
                    #pack
                }
                #packed
                fn unpack(&self, from: &Self::Packed) -> State {
                    #unpack
                }
                #hidden
                fn proctype(&self, state: &State, pid: Pid) -> usize {
                    #proctype
                }
                fn location(&self, state: &State, pid: Pid) -> usize {
                    #location
                }
                fn describe(&self, state: &State, to: &mut dyn Describe) {
                    #describe
                }
            }

            impl Independence for Verifier {
                #independence
            }
            #offer
            #hidden_struct
        };
        let import = Self::import();
        quote! { #import #body }
    }

    fn offer_in_state(&self) -> TokenStream {
        let timeout = self.facts.features.timeout.then(|| quote! { timeout, });
        let offers = self.each_kind(&quote! { now.process(me) }, |_, module| {
            quote! { #module::offer_steps(now, me, #timeout steps) }
        });
        let parameter = if timeout.is_some() {
            quote! { timeout }
        } else {
            quote! { _timeout }
        };
        quote! {
            /// Offers every step that process `me` can take in `now`, and returns whether there is one.
            pub fn offer_steps(now: &State, me: Pid, #parameter: bool, steps: &mut impl Steps<State>) -> bool {
                #offers
            }
        }
    }

    fn has_messages(&self) -> TokenStream {
        let layout = &self.facts.layout;
        let is_nonempty = |owner: &TokenStream, sites: &[crate::model::SiteId]| -> Vec<TokenStream> {
            let buffered = sites.iter().filter(|site| self.program.model.sites[**site].capacity > 0);
            let ask = |site: &crate::model::SiteId| {
                let name = self.accessors.site(*site);
                if self.is_array(*site) {
                    let n = count(self.program.model.sites[*site].count as usize);
                    quote! { (0..#n).any(|element| !#owner.#name(element).is_empty()) }
                } else {
                    quote! { !#owner.#name().is_empty() }
                }
            };
            buffered.map(ask).collect()
        };
        let mut asks = is_nonempty(&quote! { state }, &layout.global_sites);
        let in_processes = self.each_kind(&quote! { process }, |id, _| {
            let asks = is_nonempty(&quote! { locals }, &layout.processes[id].sites);
            if asks.is_empty() {
                quote! { false }
            } else {
                quote! { #(#asks)||* }
            }
        });
        let has_queue =
            |sites: &[crate::model::SiteId]| sites.iter().any(|site| self.program.model.sites[*site].capacity > 0);
        if layout.processes.iter().any(|process| has_queue(&process.sites)) {
            asks.push(quote! { state.processes().any(|process| #in_processes) });
        }
        if asks.is_empty() {
            quote! { let _ = state; false }
        } else {
            quote! { #(#asks)||* }
        }
    }

    /// Whether a variable is stored beside the state and is no part of it.
    pub fn is_hidden(&self, id: VariableId) -> bool {
        self.facts.stored[id] == Stored::Hidden
    }

    /// The hidden variables: their type, the two functions, and the struct.
    fn hidden(&self) -> (TokenStream, TokenStream, TokenStream) {
        let model = self.program.model;
        let hidden: Vec<VariableId> = model.globals.iter().filter(|id| self.is_hidden(**id)).copied().collect();
        if hidden.is_empty() {
            return (quote! { () }, TokenStream::new(), TokenStream::new());
        }
        let names: Vec<_> = hidden.iter().map(|id| self.names.variable(*id)).collect();
        let types = hidden.iter().map(|id| self.value_type(*id));
        let blanks = hidden.iter().map(|id| self.blank(*id));
        let functions = quote! {
            fn hidden(&self, state: &State) -> Hidden {
                Hidden { #(#names: state.#names),* }
            }
            fn set_hidden(&self, state: &mut State, hidden: Hidden) {
                #(state.#names = hidden.#names;)*
            }
        };
        let definition = quote! {
            /// The hidden variables: states that differ only in them are equal.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct Hidden {
                #(#names: #types),*
            }
            impl Default for Hidden {
                fn default() -> Self {
                    Self { #(#names: #blanks),* }
                }
            }
        };
        (quote! { Hidden }, functions, definition)
    }
}
