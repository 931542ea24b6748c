//! The tick: every timer that is on is lowered by one, all at once. Ticks up to the next one in which a timer runs out may
//! be one step.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::accessors::Leaf;
use super::names::count;
use super::{Generator, format};
use crate::exec::Timer;
use crate::model::ProctypeId;

/// What is done with a timer, given its leaf, the names of its indices, and its owner before and after.
type Make<'a> = dyn Fn(&Leaf, &[Ident], &TokenStream, &TokenStream) -> TokenStream + 'a;

impl Generator<'_> {
    /// The method of `Model`; nothing if no timer can ever be on.
    pub fn tick(&self) -> Option<TokenStream> {
        if !self.has_timers() {
            return None;
        }
        let looked = self.each_timer(&|leaf, elements, from, _| {
            let getter = &leaf.name;
            quote! {
                let left = #from.#getter(#(#elements),*);
                if left >= 0 {
                    least = least.min(left);
                }
            }
        });
        let lowered = self.each_timer(&|leaf, elements, from, to| {
            let (getter, setter) = (&leaf.name, leaf.setter());
            quote! {
                let left = #from.#getter(#(#elements),*);
                if left >= 0 {
                    #to.#setter(#(#elements,)* left - n_ticks);
                }
            }
        });
        let n_ticks = if self.exec.ticks_at_once {
            let comment = format::comment("No process can move before a timer has run out:");
            quote! { #comment let n_ticks = least.max(1); }
        } else {
            quote! { let n_ticks = 1; }
        };
        let copy = self.copy_of_now();
        Some(quote! {
            fn tick(&self, now: &State, which: u32) -> Option<Tick<State>> {
                let mut least = i32::MAX;
                #looked
                if least == i32::MAX || which > 0 {
                    return None;
                }
                #n_ticks
                let mut next = #copy;
                #lowered
                Some(Tick { next, n_ticks: n_ticks.unsigned_abs() })
            }
        })
    }

    /// The methods of `Model` for searches that take time in the abstract; nothing if they do not.
    pub fn abstraction_of_time(&self) -> Option<TokenStream> {
        if !self.program.model.abstract_time {
            return None;
        }
        let changed = self.each_timer(&|leaf, elements, from, to| {
            let (getter, setter) = (&leaf.name, leaf.setter());
            quote! { #to.#setter(#(#elements,)* change(#from.#getter(#(#elements),*))); }
        });
        let copy = self.copy_of_now();
        let changes = self.has_timers().then(|| {
            quote! {
                fn change_timers(&self, state: &mut State, change: &mut dyn FnMut(i32) -> i32) {
                    let now = &*state;
                    let mut next = #copy;
                    #changed
                    *state = next;
                }
            }
        });
        Some(quote! {
            #[inline]
            fn abstracts_time(&self) -> bool {
                true
            }
            #changes
        })
    }

    /// Whether some timer can be on.
    fn has_timers(&self) -> bool {
        let of_processes = |id: ProctypeId| !self.exec.processes[id].timers.is_empty();
        !self.exec.timers.is_empty() || self.program.model.proctypes.ids().any(of_processes)
    }

    /// The same for each timer: globals first, then those of each process.
    fn each_timer(&self, make: &Make<'_>) -> TokenStream {
        let globals = self.exec.timers.iter().map(|timer| self.timer(timer, &quote! { now }, &quote! { next }, make));
        let locals = |id: ProctypeId| &self.exec.processes[id].timers;
        let has_locals = self.program.model.proctypes.ids().any(|id| !locals(id).is_empty());
        let of_processes = has_locals.then(|| {
            let each = self.each_kind(&quote! { now.process(me) }, |id, _| {
                let module_mut = &self.names.proctypes[id].module_mut;
                let to = quote! { next.#module_mut(me) };
                let each = locals(id).iter().map(|timer| self.timer(timer, &quote! { locals }, &to, make));
                quote! { { #(#each)* } }
            });
            quote! {
                for me in (0..now.n_processes()).map(Pid::from_index) {
                    #each
                }
            }
        });
        quote! { #(#globals)* #of_processes }
    }

    /// The same for a timer, or for each one of an array.
    fn timer(&self, timer: &Timer, from: &TokenStream, to: &TokenStream, make: &Make<'_>) -> TokenStream {
        let leaf = self.accessors.leaf(timer.variable, &timer.path);
        let elements = leaf.elements();
        let one = make(leaf, &elements, from, to);
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
