//! Prints the processes that can be exchanged, and what a permutation of them does, as constants.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Generator;
use crate::analysis::symmetry::{Family, Gate, Grid, Holds};

impl Generator<'_> {
    pub fn has_symmetry(&self) -> bool {
        !self.facts.symmetry.grids.is_empty()
    }

    /// Everything in `symmetry.rs`.
    pub fn symmetry(&self) -> TokenStream {
        let symmetry = &self.facts.symmetry;
        let families = symmetry.families.iter().filter(|family| family.is_on()).map(|family| self.family(family));
        let grids = symmetry.grids.iter().map(grid);
        let has =
            |wanted: &dyn Fn(&Holds) -> bool| symmetry.grids.iter().filter_map(|it| it.holds.as_ref()).any(wanted);
        let gate = has(&|holds| !holds.gates.is_empty()).then(|| quote! { Gate, });
        let holds = has(&|_| true).then(|| quote! { Holds, });
        quote! {
            use pmc_runtime::symmetry::{Family, #gate Grid, #holds SymmetryInfo};

            /// The exchanges of processes that leave the model as it is.
            pub static SYMMETRY: SymmetryInfo<'static> = SymmetryInfo {
                families: &[#(#families),*],
                grids: &[#(#grids),*],
            };
        }
    }

    fn family(&self, family: &Family) -> TokenStream {
        let name = super::names::visible(&self.program.model.proctypes[family.proctype].name);
        let classes = family.classes.iter().map(|class| {
            let members = class.iter().map(|member| Literal::u32_unsuffixed(*member));
            quote! { &[#(#members),*] }
        });
        quote! { Family { name: #name, classes: &[#(#classes),*] } }
    }
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
