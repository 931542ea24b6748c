//! The common part of never claims and formulas: locations, the moves between them, and their entries in the tables.
//!
//! Claims are numbered: never claims, then formulas, then the trace, which has no moves.

use pmc_runtime::model::ClaimKind;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::names::count;
use super::parameters::used;
use super::tables::place;
use crate::tables::ClaimRow;

/// A location of a claim, for its enum.
pub struct ClaimPoint<'n> {
    pub name: &'n Ident,
    /// Its doc comment.
    pub doc: Option<TokenStream>,
}

impl Generator<'_> {
    /// Whether finite runs suffice to violate a claim that makes moves; a trace makes none.
    pub fn has_safety_claims(&self) -> bool {
        self.rows.claims.iter().any(|claim| claim.is_safety && claim.kind != ClaimKind::Trace)
    }

    /// The modules of claims, in the order of their numbers.
    pub fn claim_modules(&self) -> impl Iterator<Item = &Ident> {
        let never = self.names.never.iter().map(|names| &names.module);
        let formulas = self.names.formulas.iter().map(|names| &names.module);
        never.chain(formulas).chain(self.names.trace.iter().map(|names| &names.module))
    }

    /// The method of `Model` that offers the moves of a claim; nothing if there is no claim.
    pub fn offer_claim_moves(&self) -> Option<TokenStream> {
        let never = (0..self.program.claims.len()).map(|claim| self.never_uses_timeout(claim));
        let uses_timeout =
            never.chain((0..self.program.formulas.len()).map(|formula| self.formula_uses_timeout(formula)));
        let uses_timeout: Vec<bool> = uses_timeout.collect();
        let arms: Vec<TokenStream> = self
            .claim_modules()
            .zip(uses_timeout.iter().copied())
            .enumerate()
            .map(|(number, (module, uses_timeout))| {
                let number = count(number);
                let timeout = uses_timeout.then(|| quote! { timeout, });
                quote! { #number => { #module::offer_moves(at, now, #timeout moves); } }
            })
            .collect();
        if arms.is_empty() {
            return None;
        }
        let body = quote! { match claim { #(#arms)* _ => {} } };
        let timeout = used("timeout", uses_timeout.contains(&true));
        Some(quote! {
            fn offer_claim_moves(
                &self, claim: usize, at: ClaimLocation, now: &State, #timeout: bool,
                moves: &mut impl ClaimMoves<State>
            ) {
                #body
            }
        })
    }

    /// The enum of a claim's locations, in the order of the tables.
    pub fn claim_locations(&self, points: &[ClaimPoint<'_>]) -> TokenStream {
        let n = count(points.len());
        let names: Vec<&Ident> = points.iter().map(|point| point.name).collect();
        let docs = points.iter().map(|point| &point.doc);
        quote! {
            /// The locations of the claim, the initial one first.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum Location {
                #(#docs #names,)*
            }
            impl Location {
                pub const ALL: [Self; #n] = [#(Self::#names),*];
            }
        }
    }

    /// `const LINE_6: ClaimMove = ClaimMove::new(3, Location::Line7 as u16);`
    pub fn move_constant(&self, doc: &TokenStream, name: &Ident, number: u32, to: &Ident, atomic: bool) -> TokenStream {
        let number = Literal::u32_unsuffixed(number);
        let make = if atomic { format_ident!("atomic") } else { format_ident!("new") };
        quote! {
            #doc
            const #name: ClaimMove = ClaimMove::#make(#number, Location::#to as u16);
        }
    }

    /// The functions that shorten the entries of the tables, if there are such entries.
    pub fn claim_functions(&self) -> TokenStream {
        let has_locations = self.rows.claims.iter().any(|claim| !claim.locations.is_empty());
        let has_moves = self.rows.claims.iter().any(|claim| !claim.moves.is_empty());
        let location = has_locations.then(|| {
            quote! {
                const fn claim_location(place: SourcePosition, is_accepting: bool, is_end: bool) -> ClaimLocationInfo {
                    ClaimLocationInfo { place, is_accepting, is_end }
                }
            }
        });
        let claim_move = has_moves.then(|| {
            quote! {
                const fn claim_move(place: SourcePosition, text: &str) -> ClaimMoveInfo<'_> {
                    ClaimMoveInfo { place, text }
                }
            }
        });
        quote! { #location #claim_move }
    }
}

/// The entry of a claim in the tables.
pub(super) fn claim_info(row: &ClaimRow) -> TokenStream {
    let kind = match row.kind {
        ClaimKind::Never => quote! { Never },
        ClaimKind::Ltl => quote! { Ltl },
        ClaimKind::Trace => quote! { Trace },
    };
    let locations = row.locations.iter().map(|location| {
        let (place, is_accepting, is_end) = (place(location.place), location.is_accepting, location.is_end);
        quote! { claim_location(#place, #is_accepting, #is_end) }
    });
    let moves = row.moves.iter().map(|row| {
        let (place, text) = (place(row.place), &row.text);
        quote! { claim_move(#place, #text) }
    });
    let ClaimRow { name, is_stutter_closed, is_safety, .. } = row;
    let place = place(row.place);
    quote! {
        ClaimInfo {
            name: #name,
            kind: ClaimKind::#kind,
            place: #place,
            locations: &[#(#locations),*],
            moves: &[#(#moves),*],
            is_stutter_closed: #is_stutter_closed,
            is_safety: #is_safety,
        }
    }
}
