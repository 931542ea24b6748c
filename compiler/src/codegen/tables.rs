//! Prints the static information about the model, and the numbers of transitions.

use std::collections::BTreeSet;

use pmc_runtime::control_flow::UNREACHABLE;
use pmc_runtime::model::{SourcePosition, TransitionKind};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::claims::claim_info;
use super::independence::bit_set;
use super::names::{bare, count};
use crate::model::ProctypeId;
use crate::tables::{ControlFlowRows, Tables, TransitionRow};

impl Generator<'_> {
    /// Everything in `tables.rs`.
    pub fn tables(&self) -> TokenStream {
        let Tables { name, hash, pmc_version, files, .. } = self.rows;
        let proctypes = self.rows.proctypes.iter().map(|row| {
            let (name, place) = (&row.name, place(row.place));
            quote! { ProctypeInfo { name: #name, place: #place }, }
        });
        let transitions = self.rows.transitions.iter().map(transition);
        let locations = self.rows.locations.iter().map(|row| {
            let (process, place, labels) = (Literal::u16_unsuffixed(row.proctype), place(row.place), &row.labels);
            quote! { location(#process, #place, &[#(#labels),*]), }
        });
        let kinds: BTreeSet<&str> = self.rows.transitions.iter().map(|row| kind_name(row.kind)).collect();
        let claims = self.rows.claims.iter().map(claim_info);
        let growing = self.rows.growing.iter().map(|row| {
            let (variable, place, text) = (&row.variable, place(row.place), &row.text);
            let proctype = match &row.proctype {
                Some(proctype) => quote! { Some(#proctype) },
                None => quote! { None },
            };
            quote! { GrowingInfo { variable: #variable, proctype: #proctype, place: #place, text: #text }, }
        });
        let control_flow = control_flow(&self.rows.control_flow);
        let claim_functions = self.claim_functions();
        let has_merged = self.rows.transitions.iter().any(|row| !row.merged.is_empty());
        let merged = has_merged.then(|| {
            quote! {
                /// The statements that are executed in the same step.
                const fn with_merged<'m>(info: TransitionInfo<'m>, merged: &'m [TransitionId]) -> TransitionInfo<'m> {
                    TransitionInfo { merged, ..info }
                }
            }
        });
        let story = story_literal(&self.rows.story);
        let n_timers = count(self.rows.n_timers);
        let (ticks_at_once, abstract_time) = (self.rows.ticks_at_once, self.rows.abstract_time);
        let body = quote! {
            /// The static information about the model.
            pub static INFO: ModelInfo<'static> = ModelInfo {
                name: #name,
                hash: #hash,
                pmc_version: #pmc_version,
                files: &[#(#files),*],
                proctypes: &[#(#proctypes)*],
                transitions: TRANSITIONS,
                locations: LOCATIONS,
                claims: &[#(#claims),*],
                growing: &[#(#growing)*],
                control_flow: Some(CONTROL_FLOW),
                story: STORY,
                n_timers: #n_timers,
                ticks_at_once: #ticks_at_once,
                abstract_time: #abstract_time,
                notes: &[],
                is_interpreted: false,
            };

            #control_flow

            static TRANSITIONS: &[TransitionInfo<'static>] = &[#(#transitions)*];

            static LOCATIONS: &[LocationInfo<'static>] = &[#(#locations)*];

            /// File, line and column.
            const fn place(file: u16, line: u32, column: u32) -> SourcePosition {
                SourcePosition { file, line, column }
            }

            const fn transition(
                proctype: u16, kind: TransitionKind, place: SourcePosition, text: &str, from: u32, to: u32
            ) -> TransitionInfo<'_> {
                TransitionInfo { proctype, kind, place, text, from, to, merged: &[] }
            }

            #merged
            const fn location(proctype: u16, place: SourcePosition, labels: &'static [&'static str]) -> LocationInfo<'static> {
                LocationInfo { proctype, place, labels }
            }

            #claim_functions

            /// What the statements mean, for reports that show a run.
            static STORY: &str = #story;
        };
        let import = Self::import();
        let kinds = kinds.iter().map(|kind| format_ident!("{kind}"));
        quote! { #import use TransitionKind::{#(#kinds),*}; #body }
    }

    /// `const LINE_6: TransitionId = TransitionId(3);` for every transition of a proctype that its code names.
    /// Transitions behind a statement that is never executable have no code.
    pub fn transition_numbers(&self, id: ProctypeId) -> TokenStream {
        let names = &self.names.proctypes[id].graph.transitions;
        let mut next = self.program.first_transition(id);
        let mut tokens = TokenStream::new();
        let mut number = |constant: &Ident, is_named: bool| {
            let number = Literal::u32_unsuffixed(next);
            next += 1;
            if is_named {
                tokens.extend(quote! { const #constant: TransitionId = TransitionId(#number); });
            }
        };
        for (executed, names) in self.exec.processes[id].transitions.iter().zip(names) {
            number(&names.constant, executed.can_be_taken());
            let inside = executed.inside();
            for (inner, names) in names.inner.iter().flat_map(|inner| inner.transitions.iter_enumerated()) {
                number(&names.constant, inside.contains(&inner));
            }
            names.merged.iter().for_each(|constant| number(constant, true));
        }
        tokens
    }

    /// A name for the module in a heading.
    pub fn module_name(&self, id: ProctypeId) -> String {
        bare(&self.names.proctypes[id].module)
    }
}

fn transition(row: &TransitionRow) -> TokenStream {
    let (process, kind) = (Literal::u16_unsuffixed(row.proctype), format_ident!("{}", kind_name(row.kind)));
    let (place, text) = (place(row.place), &row.text);
    let (from, to) = (Literal::u32_unsuffixed(row.from), Literal::u32_unsuffixed(row.to));
    let info = quote! { transition(#process, #kind, #place, #text, #from, #to) };
    if row.merged.is_empty() {
        return quote! { #info, };
    }
    let merged = row.merged.iter().map(|number| Literal::u32_unsuffixed(number.0));
    quote! { with_merged(#info, &[#(TransitionId(#merged)),*]), }
}

fn control_flow(rows: &ControlFlowRows) -> TokenStream {
    let (passed, assertions) = (bit_set(&rows.passed), bit_set(&rows.assertions));
    let also_leaves = rows.also_leaves.iter().map(|(location, statement)| {
        let (location, statement) = (Literal::u32_unsuffixed(*location), Literal::u32_unsuffixed(statement.0));
        quote! { (#location, TransitionId(#statement)) }
    });
    let starts = rows.starts.iter().map(|(statement, location)| {
        let (statement, location) = (Literal::u32_unsuffixed(statement.0), Literal::u32_unsuffixed(*location));
        quote! { (TransitionId(#statement), #location) }
    });
    let claims = rows.claims.iter().map(|distances| {
        let distances = distances.iter().map(|distance| match *distance {
            UNREACHABLE => quote! { u32::MAX },
            distance => {
                let distance = Literal::u32_unsuffixed(distance);
                quote! { #distance }
            }
        });
        quote! { &[#(#distances),*] }
    });
    quote! {
        /// For the distance to a statement, which guides a search.
        const CONTROL_FLOW: ControlFlow<'static> = ControlFlow {
            passed: #passed,
            assertions: #assertions,
            also_leaves: &[#(#also_leaves),*],
            starts: &[#(#starts),*],
            claims: &[#(#claims),*],
        };
    }
}

fn kind_name(kind: TransitionKind) -> &'static str {
    match kind {
        TransitionKind::Send => "Send",
        TransitionKind::Receive => "Receive",
        TransitionKind::End => "End",
        TransitionKind::Internal => "Internal",
        TransitionKind::Other => "Other",
    }
}

pub(super) fn place(place: SourcePosition) -> TokenStream {
    let SourcePosition { file, line, column } = place;
    let (file, line, column) =
        (Literal::u16_unsuffixed(file), Literal::u32_unsuffixed(line), Literal::u32_unsuffixed(column));
    quote! { place(#file, #line, #column) }
}

/// A raw literal: the text is JSON in ASCII, which has no carriage return.
fn story_literal(story: &str) -> TokenStream {
    let mut guard = "#".to_owned();
    while story.contains(&format!("\"{guard}")) {
        guard.push('#');
    }
    format!("r{guard}\"{story}\"{guard}").parse().expect("a raw literal is Rust")
}
