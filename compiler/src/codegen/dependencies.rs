//! For each process the code that computes its level of independence at its location, and the dependency classes that
//! its steps depend on.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::expr::Scope;
use super::names::{count, doc, visible};
use super::parameters::{mentions, parameter, used};
use crate::analysis::dependency_classes::ClassSet;
use crate::analysis::safe::UNSAFE;
use crate::collections::IdVec;
use crate::exec::effects::{Effects, Executable};
use crate::exec::independence::{Dependencies, Levels, Split, StepDependencies};
use crate::exec::{Independence, Test};
use crate::ir::LocationId;
use crate::model::ProctypeId;
use crate::tables::{class_words, splits};

impl Generator<'_> {
    /// A function that returns the level of a process, and a call of it.
    pub(super) fn level_function(
        &self,
        id: ProctypeId,
        name: &str,
        processes: &str,
        levels: &Levels,
    ) -> (TokenStream, TokenStream) {
        let effects = effects_of(levels.locations.iter().flat_map(|location| &location.raised).map(|(test, _)| test));
        let rows = levels.locations.iter().map(|location| {
            let levels = location.levels.map(level);
            quote! { [#(#levels),*] }
        });
        let n = count(levels.locations.len());
        let scope = Scope::new(self, Some(id), "now");
        let raised = levels.locations.iter().map(|location| &location.raised[..]);
        let raise = self.arms(
            id,
            raised,
            |raised| raised.is_empty(),
            |raised| {
                let raise = |(test, least): &(Test, u8)| {
                    let (holds, number) = (scope.truth(test), level(*least));
                    match *least {
                        UNSAFE => quote! { if #holds { level = NEVER; } },
                        _ => quote! { if #holds { level = level.max(#number); } },
                    }
                };
                raised.iter().map(raise).collect()
            },
        );
        let of_location = quote! { level(LEVELS[at as usize], table, counts_pids) };
        let level = match (raise.is_empty(), effects.can_fail) {
            (true, _) => of_location,
            (false, false) => quote! { let mut level = #of_location; #raise level },
            (false, true) => quote! { let mut level = #of_location; #raise Ok(level) },
        };
        let function = format_ident!("{name}_level");
        let module = &self.names.proctypes[id].module;
        let call = quote! { #function(now, me, locals.at(), table, counts_pids) };
        let (result, call) = match effects.can_fail {
            false => (quote! { u8 }, call),
            true => (quote! { Result<u8, Fault> }, quote! { #call.unwrap_or(NEVER) }),
        };
        let (now, me) = (parameter("now", &level), parameter("me", &level));
        let title = doc(&format!(" The level of {processes} at its location."));
        let code = quote! {
            #title
            fn #function(
                #now: &State, #me: Pid, at: #module::Location, table: Table, counts_pids: bool
            ) -> #result {
                const LEVELS: [[u8; 4]; #n] = [#(#rows),*];
                #level
            }
        };
        (code, call)
    }

    /// The processes that a table or a function is for, as text.
    pub(super) fn described(&self, id: ProctypeId, pids: Option<&[u32]>) -> String {
        let name = visible(&self.program.model.proctypes[id].name);
        match pids {
            None => format!("`{name}`"),
            Some(pids) => {
                let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
                format!("`{name}` number {}", pids.join(", "))
            }
        }
    }

    /// `match at { ... }` over the locations with code, grouped by equal code.
    fn arms<T: PartialEq>(
        &self,
        id: ProctypeId,
        of: impl Iterator<Item = T>,
        is_nothing: impl Fn(&T) -> bool,
        code: impl Fn(&T) -> TokenStream,
    ) -> TokenStream {
        let names = &self.names.proctypes[id];
        let module = &names.module;
        let mut arms: Vec<(Vec<&Ident>, T)> = Vec::new();
        let mut n_named = 0;
        for (name, one) in names.graph.locations.iter().zip(of).filter(|(_, one)| !is_nothing(one)) {
            n_named += 1;
            match arms.iter_mut().find(|(_, other)| *other == one) {
                Some((same, _)) => same.push(name),
                None => arms.push((vec![name], one)),
            }
        }
        if arms.is_empty() {
            return TokenStream::new();
        }
        let rest = (n_named < names.graph.locations.len()).then(|| quote! { _ => {} });
        let arms = arms.iter().map(|(names, one)| {
            let code = code(one);
            quote! { #(#module::Location::#names)|* => { #code } }
        });
        quote! { match at { #(#arms)* #rest } }
    }

    /// A bit set of dependency classes as an array.
    fn words(&self, bit_set: &ClassSet, n_words: usize) -> TokenStream {
        self.class_words(&class_words(bit_set, n_words))
    }

    /// A table of the dependency classes of all steps that processes may still take, and the entry of a process.
    pub(super) fn future_table(
        &self,
        name: &str,
        processes: &str,
        future: &IdVec<LocationId, ClassSet>,
        n_words: usize,
    ) -> (TokenStream, TokenStream) {
        let table = format_ident!("{}_FUTURE", name.to_uppercase());
        let title = doc(&format!(" What {processes} may still do, by location, as dependency classes."));
        let rows = future.iter().map(|bit_set| self.words(bit_set, n_words));
        let (n, n_words) = (count(future.len()), count(n_words));
        let code = quote! { #title static #table: [[u64; #n_words]; #n] = [#(#rows),*]; };
        (code, quote! { &#table[locals.at() as usize] })
    }

    /// `add_part_dependencies`, if some process is split.
    pub(super) fn part_function(&self, splits: &[Split], n_words: usize) -> Option<TokenStream> {
        let mut arms = TokenStream::new();
        let parts = splits.iter().flat_map(|split| split.parts.iter().map(move |part| (split, part)));
        for (number, (split, part)) in parts.enumerate() {
            let (n, me) = (count(number), Literal::u32_unsuffixed(split.pid));
            let effects = effects_of(part.dependencies.tests());
            let tokens = self.add_dependencies(split.proctype, &part.dependencies, n_words);
            let me = mentions(&tokens, "me").then(|| quote! { let me = Pid(#me); });
            arms.extend(match effects.can_fail {
                false => quote! { #n => { #me #tokens } },
                true => quote! {
                    #n => {
                        let mut add_all = || -> Result<(), Fault> { #me #tokens Ok(()) };
                        if add_all().is_err() { bit_set.fill(u64::MAX); }
                    }
                },
            });
        }
        if arms.is_empty() {
            return None;
        }
        let now = parameter("now", &arms);
        Some(quote! {
            /// Adds the dependency classes that one part of a split process depends on, by its number in `INFO`.
            pub fn add_part_dependencies(#now: &State, part: u32, bit_set: &mut [u64]) {
                match part {
                    #arms
                    _ => bit_set.fill(u64::MAX),
                }
            }
        })
    }

    /// Which processes are split, and where.
    pub(super) fn split_table(&self, independence: &Independence) -> TokenStream {
        let splits = splits(self.program, independence).into_iter().map(|split| {
            let parts = split.parts.iter().map(|part| {
                let transitions = part.transitions.iter().map(|number| Literal::u32_unsuffixed(number.0));
                let future = self.class_words(&part.future);
                quote! { ProcessPart { transitions: &[#(TransitionId(#transitions)),*], future: &#future } }
            });
            let (pid, at) = (Literal::u8_unsuffixed(split.pid.0), Literal::u32_unsuffixed(split.location));
            let first = Literal::u32_unsuffixed(split.first);
            quote! { Split { pid: Pid(#pid), location: #at, first: #first, parts: &[#(#parts),*] } }
        });
        quote! { &[#(#splits),*] }
    }

    /// A function that adds the dependency classes that a process depends on, and a call of it.
    pub(super) fn dependency_function(
        &self,
        id: ProctypeId,
        name: &str,
        processes: &str,
        dependencies: &IdVec<LocationId, Dependencies>,
        n_words: usize,
    ) -> (TokenStream, TokenStream) {
        let function = format_ident!("add_{name}_dependencies");
        let module = &self.names.proctypes[id].module;
        let arms = self.arms(
            id,
            dependencies.iter(),
            |dependencies| dependencies.is_empty(),
            |dependencies| self.add_dependencies(id, dependencies, n_words),
        );
        let effects = effects_of(dependencies.iter().flat_map(Dependencies::tests));
        let call = quote! { #function(now, me, locals.at(), bit_set) };
        let (result, end, call) = match effects.can_fail {
            false => (TokenStream::new(), TokenStream::new(), call),
            true => {
                let call = quote! { if #call.is_err() { bit_set.fill(u64::MAX) } };
                (quote! { -> Result<(), Fault> }, quote! { Ok(()) }, call)
            }
        };
        let (now, me) = (parameter("now", &arms), parameter("me", &arms));
        let (bit_set, at) = (used("bit_set", !arms.is_empty()), used("at", !arms.is_empty()));
        let title = doc(&format!(" Adds the dependency classes that {processes} depends on in this state."));
        let code = quote! {
            #title
            fn #function(#now: &State, #me: Pid, #at: #module::Location, #bit_set: &mut [u64]) #result {
                #arms
                #end
            }
        };
        (code, call)
    }

    fn add(&self, bit_set: &ClassSet, n_words: usize) -> TokenStream {
        if bit_set.is_empty() {
            return TokenStream::new();
        }
        let bit_set = self.words(bit_set, n_words);
        quote! { add(bit_set, &#bit_set); }
    }

    fn add_dependencies(&self, id: ProctypeId, dependencies: &Dependencies, n_words: usize) -> TokenStream {
        match dependencies {
            Dependencies::Everything => quote! { bit_set.fill(u64::MAX) },
            Dependencies::Some { always, steps } => {
                let scope = Scope::new(self, Some(id), "now");
                let always = self.add(always, n_words);
                let steps = steps.iter().map(|step| self.add_step_dependencies(&scope, step, n_words));
                quote! { #always #(#steps)* }
            }
        }
    }

    fn add_step_dependencies(&self, scope: &Scope<'_, '_>, step: &StepDependencies, n_words: usize) -> TokenStream {
        let enabled = self.add(&step.enabled, n_words);
        if let [(test, bit_set)] = &step.disabled[..]
            && bit_set.is_empty()
        {
            let fails = scope.falsehood(test);
            return quote! { if #fails { #enabled } };
        }
        let tests = step.disabled.iter().map(|(test, bit_set)| {
            let (holds, add) = (scope.truth(test), self.add(bit_set, n_words));
            quote! { if #holds { #add } }
        });
        let otherwise = (!enabled.is_empty()).then(|| quote! { else { #enabled } });
        quote! { #(#tests) else * #otherwise }
    }
}

fn effects_of<'t>(tests: impl Iterator<Item = &'t Test>) -> Effects {
    let mut effects = Effects::default();
    tests.for_each(|test| test.add_effects(&mut effects));
    effects
}

fn level(level: u8) -> TokenStream {
    match level {
        UNSAFE => quote! { NEVER },
        level => {
            let level = Literal::u8_unsuffixed(level);
            quote! { #level }
        }
    }
}
