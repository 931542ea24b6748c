//! What variables hold at the beginning, where that has to be computed.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::{Scope, plus};
use super::names::count;
use crate::exec::effects::{Effects, Executable};
use crate::model::{Expr, Init, ProctypeId, Type, VariableId};

impl Generator<'_> {
    /// What computing the initial values of variables may do.
    pub fn initial_effects(&self, process: Option<ProctypeId>, variables: &[VariableId]) -> Effects {
        let context = self.context(process);
        let mut effects = Effects::default();
        for variable in variables.iter().filter(|variable| self.has_setter(**variable)) {
            match &self.program.model.variables[*variable].init {
                Init::All(value) => context.value(value).add_effects(&mut effects),
                Init::List(values) => values.iter().for_each(|value| context.value(value).add_effects(&mut effects)),
                Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => {}
            }
        }
        effects
    }

    /// Gives a variable its initial value, if that has to be computed.
    pub fn initialize(&self, scope: &Scope<'_, '_>, id: VariableId, owner: &TokenStream) -> Option<TokenStream> {
        let variable = &self.program.model.variables[id];
        if !self.has_setter(id) {
            return None;
        }
        if matches!(variable.ty, Type::Record(_)) {
            return self.record_channels(id, owner);
        }
        if self.has_constant_start(id) {
            return None;
        }
        let leaf = self.accessors.leaf(id, &[]);
        let setter = leaf.setter();
        let context = self.context(scope.process);
        let stored = |value: &Expr| scope.stored(&context.cut(leaf.ty, value));
        let length = variable.length.map(|length| count(length as usize));
        Some(match (&variable.init, length) {
            (Init::Zero | Init::FieldChannel { .. }, _) => return None,
            (Init::All(value), None) => {
                let reads = context.value(value).effects().reads_state();
                let value = stored(value);
                // While the state is lent to the locals of the process it cannot be asked.
                if reads {
                    quote! { let value = #value; #owner.#setter(value); }
                } else {
                    quote! { #owner.#setter(#value); }
                }
            }
            (Init::All(value), Some(length)) => {
                let value = stored(value);
                quote! {
                    let value = #value;
                    for element in 0..#length {
                        #owner.#setter(element, value);
                    }
                }
            }
            (Init::List(values), _) => {
                let n = variable.length.unwrap_or(1) as usize;
                let all = values.iter().map(stored);
                let last = values.last().map(stored).expect("a list has a value");
                let all = all.chain(std::iter::repeat(last)).take(n);
                quote! {
                    let values = [#(#all),*];
                    for (element, value) in values.into_iter().enumerate() {
                        #owner.#setter(element, value);
                    }
                }
            }
            (Init::Channel(site), None) => {
                let first = self.first_number(*site);
                quote! { let first = #first; #owner.#setter(byte(first)); }
            }
            (Init::Channel(site), Some(length)) => {
                let first = self.first_number(*site);
                quote! {
                    let first = #first;
                    for element in 0..#length {
                        #owner.#setter(element, byte(first + int(element)));
                    }
                }
            }
        })
    }

    /// Gives the channels inside a record variable their numbers.
    fn record_channels(&self, id: VariableId, owner: &TokenStream) -> Option<TokenStream> {
        let model = self.program.model;
        let sites = model.sites.iter_enumerated().filter(|(_, site)| site.variable == id && !site.path.is_empty());
        let mut tokens = TokenStream::new();
        for (site_id, site) in sites {
            let first = self.first_number(site_id);
            let leaf = self.accessors.leaf(id, &site.path);
            let setter = leaf.setter();
            tokens.extend(quote! { let first = #first; });
            for (number, indices) in all_indices(&leaf.lengths).into_iter().enumerate() {
                let number =
                    plus(&quote! { first }, u32::try_from(number).expect("a model has fewer than 2^31 channels"));
                let indices = indices.into_iter().map(|index| count(index as usize));
                tokens.extend(quote! { #owner.#setter(#(#indices,)* byte(#number)); });
            }
        }
        (!tokens.is_empty()).then_some(tokens)
    }
}

/// The indices of all elements of arrays within arrays, in order.
fn all_indices(lengths: &[u32]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for length in lengths {
        let longer = all.iter().flat_map(|indices: &Vec<u32>| {
            (0..*length).map(move |index| indices.iter().copied().chain([index]).collect())
        });
        all = longer.collect();
    }
    all
}
