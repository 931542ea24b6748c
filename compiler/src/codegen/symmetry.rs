//! Prints the processes that can be exchanged, and what a permutation of them does, as constants.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Generator;
use crate::analysis::symmetry::{Endings, Family, Gate, Grid, Holds, Starter};

impl Generator<'_> {
    pub fn has_symmetry(&self) -> bool {
        !self.facts.symmetry.grids.is_empty()
    }

    /// Everything in `symmetry.rs`.
    pub fn symmetry(&self) -> TokenStream {
        let symmetry = &self.facts.symmetry;
        let all = symmetry.grids.iter().chain(symmetry.claims.iter().flat_map(|claim| &claim.grids));
        let holding: Vec<&Holds> = all.filter_map(|grid| grid.holds.as_ref()).collect();
        let gate = holding.iter().any(|holds| !holds.gates.is_empty()).then(|| quote! { Gate, });
        let holds = (!holding.is_empty()).then(|| quote! { Holds, });
        let (families, grids) = (self.families(&symmetry.families), list_of_grids(&symmetry.grids));
        let (shared_families, shared_grids) = (quote! { FAMILIES }, quote! { GRIDS });
        let claims = symmetry.claims.iter().map(|claim| {
            let (mut of_families, mut of_grids) = (self.families(&claim.families), list_of_grids(&claim.grids));
            if of_families.to_string() == families.to_string() {
                of_families = shared_families.clone();
            }
            if claim.grids == symmetry.grids {
                of_grids = shared_grids.clone();
            }
            quote! { SymmetryInfo { families: #of_families, grids: #of_grids, endings: None, claims: &[] } }
        });
        let endings = symmetry.endings.as_ref().map_or_else(|| quote! { None }, endings);
        let ends = symmetry.endings.is_some().then(|| quote! { Ending, Endings, });
        let field = symmetry.endings.is_some().then(|| quote! { Field, });
        let starter = symmetry.endings.as_ref().and_then(|it| it.starter.as_ref()).map(|_| quote! { Starter, });
        quote! {
            use pmc_runtime::symmetry::{#ends Family, #field #gate Grid, #holds #starter SymmetryInfo};

            /// The exchanges of processes that leave the model as it is, and those that leave each claim as it is, too.
            pub static SYMMETRY: SymmetryInfo<'static> = SymmetryInfo {
                families: FAMILIES,
                grids: GRIDS,
                endings: #endings,
                claims: &[#(#claims),*],
            };

            const FAMILIES: &[Family<'static>] = #families;

            const GRIDS: &[Grid<'static>] = #grids;
        }
    }

    fn families(&self, families: &[Family]) -> TokenStream {
        let families = families.iter().filter(|family| family.is_on()).map(|family| self.family(family));
        quote! { &[#(#families),*] }
    }

    fn family(&self, family: &Family) -> TokenStream {
        let name = super::names::visible(family.who.name(self.program.model));
        let classes = family.classes.iter().map(|class| {
            let members = class.iter().map(|member| Literal::u32_unsuffixed(*member));
            quote! { &[#(#members),*] }
        });
        quote! { Family { name: #name, classes: &[#(#classes),*] } }
    }
}

fn endings(endings: &Endings) -> TokenStream {
    let Endings { count, n_processes, starter, families } = endings;
    let (count, n_processes) = (field(*count), Literal::u32_unsuffixed(*n_processes));
    let starter = match starter {
        None => quote! { None },
        Some(Starter { pid, location, has_started }) => {
            let (pid, location) = (Literal::u32_unsuffixed(*pid), field(*location));
            let has_started = has_started.iter().map(|word| Literal::u64_unsuffixed(*word));
            quote! { Some(Starter { pid: #pid, location: #location, has_started: &[#(#has_started),*] }) }
        }
    };
    let families = families.iter().map(|ending| {
        let (family, base) = (Literal::u16_unsuffixed(ending.family), Literal::u32_unsuffixed(ending.base));
        let slots = ending.slots.iter().map(|(at, size)| {
            let (at, size) = (Literal::u32_unsuffixed(*at), Literal::u32_unsuffixed(*size));
            quote! { (#at, #size) }
        });
        let (location, end) = (field(ending.location), Literal::u32_unsuffixed(ending.end));
        quote! {
            Ending { family: #family, base: #base, slots: &[#(#slots),*], location: #location, end: #end }
        }
    });
    quote! {
        Some(Endings {
            count: #count,
            n_processes: #n_processes,
            starter: #starter,
            families: &[#(#families),*],
        })
    }
}

fn field((at, bits): (u32, u32)) -> TokenStream {
    let (at, bits) = (Literal::u32_unsuffixed(at), Literal::u32_unsuffixed(bits));
    quote! { Field { at: #at, bits: #bits } }
}

fn list_of_grids(grids: &[Grid]) -> TokenStream {
    let grids = grids.iter().map(grid);
    quote! { &[#(#grids),*] }
}

fn grid(grid: &Grid) -> TokenStream {
    let axes = grid.axes.iter().map(|axis| Literal::u16_unsuffixed(*axis));
    let (at, bits) = (numbers(&grid.at), Literal::u32_unsuffixed(grid.bits));
    let holds = match &grid.holds {
        None => quote! { None },
        Some(Holds { family, first, gates }) => {
            let (family, first) = (Literal::u16_unsuffixed(*family), Literal::i64_unsuffixed(*first));
            let gates = gates.iter().map(gate);
            quote! { Some(Holds { family: #family, first: #first, gates: &[#(#gates),*] }) }
        }
    };
    quote! { Grid { axes: &[#(#axes),*], at: &#at, bits: #bits, holds: #holds } }
}

fn gate(gate: &Gate) -> TokenStream {
    let (at, bits) = (numbers(&gate.at), Literal::u32_unsuffixed(gate.bits));
    let open = gate.open.iter().map(|word| Literal::u64_unsuffixed(*word));
    quote! { Gate { at: &#at, bits: #bits, open: &[#(#open),*] } }
}

fn numbers(numbers: &[u32]) -> TokenStream {
    let numbers = numbers.iter().map(|number| Literal::u32_unsuffixed(*number));
    quote! { [#(#numbers),*] }
}
