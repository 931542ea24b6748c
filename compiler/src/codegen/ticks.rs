//! The tick: every timer that is on is lowered by one, all at once.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::names::count;
use crate::exec::Timer;
use crate::model::ProctypeId;

impl Generator<'_> {
    /// The method of `Model`; nothing if no timer can ever be on.
    pub fn tick(&self) -> Option<TokenStream> {
        let locals = |id: ProctypeId| &self.exec.processes[id].timers;
        let has_locals = self.program.model.proctypes.ids().any(|id| !locals(id).is_empty());
        if self.exec.timers.is_empty() && !has_locals {
            return None;
        }
        let globals = self.exec.timers.iter().map(|timer| self.lower(timer, &quote! { now }, &quote! { next }));
        let of_processes = has_locals.then(|| {
            let lowered = self.each_kind(&quote! { now.process(me) }, |id, _| {
                let module_mut = &self.names.proctypes[id].module_mut;
                let each = locals(id)
                    .iter()
                    .map(|timer| self.lower(timer, &quote! { locals }, &quote! { next.#module_mut(me) }));
                quote! { { #(#each)* } }
            });
            quote! {
                for me in (0..now.n_processes()).map(Pid::from_index) {
                    #lowered
                }
            }
        });
        let copy = self.copy_of_now();
        Some(quote! {
            fn tick(&self, now: &State) -> Option<State> {
                let mut next = #copy;
                let mut is_on = false;
                #(#globals)*
                #of_processes
                is_on.then_some(next)
            }
        })
    }

    /// Lowers a timer, or each one of an array.
    fn lower(&self, timer: &Timer, from: &TokenStream, to: &TokenStream) -> TokenStream {
        let leaf = self.accessors.leaf(timer.variable, &timer.path);
        let (getter, setter, elements) = (&leaf.name, leaf.setter(), leaf.elements());
        let one = quote! {
            let left = #from.#getter(#(#elements),*);
            if left >= 0 {
                #to.#setter(#(#elements,)* left - 1);
                is_on = true;
            }
        };
        let each = elements.iter().zip(&timer.lengths).rev();
        let all = each.fold(one, |inner, (element, length)| {
            let length = count(*length as usize);
            quote! { for #element in 0..#length { #inner } }
        });
        // Every timer has names of its own.
        if elements.is_empty() {
            quote! { { #all } }
        } else {
            all
        }
    }
}
