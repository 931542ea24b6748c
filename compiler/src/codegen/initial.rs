//! Initial values that have to be computed.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::{Scope, plus};
use super::names::count;
use crate::exec::effects::{Effects, Executable};
use crate::exec::{Initial, InitialValues};

impl Generator<'_> {
    /// Variables of the state whose initial value is no constant.
    fn computed<'i>(&self, initial: &'i [Initial]) -> impl Iterator<Item = &'i Initial> {
        initial.iter().filter(|initial| self.has_setter(initial.variable) && !initial.is_constant())
    }

    /// The effects of computing initial values.
    pub fn initial_effects(&self, initial: &[Initial]) -> Effects {
        let mut effects = Effects::default();
        self.computed(initial).for_each(|initial| initial.add_effects(&mut effects));
        effects
    }

    /// Stores the initial values that have to be computed.
    pub fn initialize(&self, scope: &Scope<'_, '_>, initial: &[Initial], owner: &TokenStream) -> Vec<TokenStream> {
        self.computed(initial).map(|initial| self.initialize_one(scope, initial, owner)).collect()
    }

    fn initialize_one(&self, scope: &Scope<'_, '_>, initial: &Initial, owner: &TokenStream) -> TokenStream {
        let setter = self.accessors.leaf(initial.variable, &initial.path).setter();
        match (&initial.values, &initial.lengths[..]) {
            (InitialValues::All(value), []) => {
                let reads = value.effects().reads_state();
                let value = scope.stored(value);
                // While the locals of the process borrow the state, it cannot be read.
                if reads {
                    quote! { let value = #value; #owner.#setter(value); }
                } else {
                    quote! { #owner.#setter(#value); }
                }
            }
            (InitialValues::All(value), lengths) => {
                let value = scope.stored(value);
                let length = count(lengths.iter().product::<u32>() as usize);
                quote! {
                    let value = #value;
                    for element in 0..#length {
                        #owner.#setter(element, value);
                    }
                }
            }
            (InitialValues::List(values), _) => {
                let values = values.iter().map(|value| scope.stored(value));
                quote! {
                    let values = [#(#values),*];
                    for (element, value) in values.into_iter().enumerate() {
                        #owner.#setter(element, value);
                    }
                }
            }
            (InitialValues::Channels(site), []) => {
                let first = self.first_number(*site);
                quote! { let first = #first; #owner.#setter(byte(first)); }
            }
            (InitialValues::Channels(site), [length]) if initial.path.is_empty() => {
                let (first, length) = (self.first_number(*site), count(*length as usize));
                quote! {
                    let first = #first;
                    for element in 0..#length {
                        #owner.#setter(element, byte(first + int(element)));
                    }
                }
            }
            (InitialValues::Channels(site), lengths) => {
                let first = self.first_number(*site);
                let set = all_indices(lengths).into_iter().zip(0..).map(|(indices, number)| {
                    let number = plus(&quote! { first }, number);
                    let indices = indices.into_iter().map(|index| count(index as usize));
                    quote! { #owner.#setter(#(#indices,)* byte(#number)); }
                });
                quote! { let first = #first; #(#set)* }
            }
        }
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
