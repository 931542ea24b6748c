//! What people want to know about a transition or a location, as data.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::names::{GraphNames, bare, count, file_name, label_name, visible};
use super::words::Words;
use crate::collections::Id;
use crate::ir::{Action, Graph, Transition, TransitionId};
use crate::model::ProctypeId;
use crate::source::Span;

impl Generator<'_> {
    /// Everything in `tables.rs`.
    pub fn tables(&self) -> TokenStream {
        let model = self.program.model;
        let files = self.names.sources().files().iter().map(|file| visible(file_name(&file.path)));
        let name = visible(file_name(self.names.sources().files().first().map_or("", |file| &file.path)));
        let (hash, version) = (&self.hash, env!("CARGO_PKG_VERSION"));
        let proctypes = model.proctypes.iter().map(|process| {
            let (name, place) = (visible(&process.name), self.place(process.span));
            quote! { ProctypeInfo { name: #name, place: #place }, }
        });
        let mut transitions = TokenStream::new();
        let mut locations = TokenStream::new();
        for id in model.proctypes.ids() {
            let graph = &self.program.graphs[id];
            let first = self.first_location(id);
            self.transition_infos(id, graph, first, &mut transitions);
            for location in &graph.locations {
                let (process, place) = (Literal::u32_unsuffixed(id.0), self.place(location.span));
                let labels = location.labels.iter().map(|label| label_name(self.program, id, *label));
                locations.extend(quote! { location(#process, #place, &[#(#labels),*]), });
            }
        }
        let claims = self.claim_infos();
        let claim_functions = self.claim_functions(&claims);
        let merged = super::words::mentions(&transitions, "with_merged").then(|| {
            quote! {
                /// What is executed in the same step.
                const fn with_merged(info: TransitionInfo, merged: &'static [TransitionId]) -> TransitionInfo {
                    TransitionInfo { merged, ..info }
                }
            }
        });
        let body = quote! {
            /// All that is known about the model before it runs.
            pub static INFO: ModelInfo = ModelInfo {
                name: #name,
                hash: #hash,
                pmc_version: #version,
                files: &[#(#files),*],
                proctypes: &[#(#proctypes)*],
                transitions: TRANSITIONS,
                locations: LOCATIONS,
                claims: &[#(#claims),*],
                notes: &[],
            };

            static TRANSITIONS: &[TransitionInfo] = &[#transitions];

            static LOCATIONS: &[LocationInfo] = &[#locations];

            /// File, line and column.
            const fn place(file: u16, line: u32, column: u32) -> SourcePosition {
                SourcePosition { file, line, column }
            }

            const fn transition(
                proctype: u16, kind: TransitionKind, place: SourcePosition, text: &'static str, from: u32, to: u32
            ) -> TransitionInfo {
                TransitionInfo { proctype, kind, place, text, from, to, merged: &[] }
            }

            #merged
            const fn location(proctype: u16, place: SourcePosition, labels: &'static [&'static str]) -> LocationInfo {
                LocationInfo { proctype, place, labels }
            }

            #claim_functions
        };
        let imports = self.imports(&body);
        let kinds: Vec<_> = ["End", "Internal", "Other", "Receive", "Send"]
            .into_iter()
            .filter(|kind| super::words::mentions(&body, kind))
            .map(|kind| format_ident!("{kind}"))
            .collect();
        quote! { #imports use TransitionKind::{#(#kinds),*}; #body }
    }

    fn transition_infos(&self, id: ProctypeId, graph: &Graph<'_>, first: u32, tokens: &mut TokenStream) {
        let process = Literal::u32_unsuffixed(id.0);
        // A transition can leave several locations; the first one stands for all.
        let mut leaves = vec![first; graph.transitions.len()];
        for (at, location) in graph.locations.iter_enumerated().rev() {
            for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
                leaves[transition.index()] = first + at.0;
            }
        }
        for (number, transition) in graph.transitions.iter_enumerated() {
            let kind = match transition.action {
                Action::Send { .. } => "Send",
                Action::Receive { .. } => "Receive",
                Action::End => "End",
                Action::Jump => "Internal",
                _ => "Other",
            };
            let kind = format_ident!("{kind}");
            let text = match transition.action {
                Action::End => "-end-".to_owned(),
                _ => visible(&self.names.statement_text(transition.span)),
            };
            let place = self.place(transition.span);
            let from = Literal::u32_unsuffixed(leaves[number.index()]);
            let to = Literal::u32_unsuffixed(transition.to.map_or(leaves[number.index()], |to| first + to.0));
            let info = quote! { transition(#process, #kind, #place, #text, #from, #to) };
            let merged = self.merged_numbers(id, number);
            if merged.is_empty() {
                tokens.extend(quote! { #info, });
            } else {
                tokens.extend(quote! { with_merged(#info, &[#(TransitionId(#merged)),*]), });
            }
            if let Action::DStep(inner) = &transition.action {
                // Inside, control does not rest: all of it happens between two locations of the process.
                let mut inside = TokenStream::new();
                self.inner_infos(id, inner, leaves[number.index()], &mut inside);
                tokens.extend(inside);
            }
            for merged in &transition.merged {
                let is_jump = matches!(merged.action, Action::Jump);
                let kind = format_ident!("{}", if is_jump { "Internal" } else { "Other" });
                let (text, place) = (visible(&self.names.statement_text(merged.span)), self.place(merged.span));
                tokens.extend(quote! { transition(#process, #kind, #place, #text, #from, #to), });
            }
        }
    }

    /// The numbers of the statements that are merged with a transition: they come behind it, and its inside.
    fn merged_numbers(&self, id: ProctypeId, number: TransitionId) -> Vec<Literal> {
        let graph = &self.program.graphs[id];
        let before: u32 = graph.transitions.iter().take(number.index()).map(n_statements).sum();
        let transition = &graph.transitions[number];
        let end = self.first_transition(id) + before + n_statements(transition);
        let n_merged = u32::try_from(transition.merged.len()).unwrap_or(u32::MAX);
        (end - n_merged..end).map(Literal::u32_unsuffixed).collect()
    }

    fn inner_infos(&self, id: ProctypeId, graph: &Graph<'_>, at: u32, tokens: &mut TokenStream) {
        let process = Literal::u32_unsuffixed(id.0);
        let at = Literal::u32_unsuffixed(at);
        for transition in &graph.transitions {
            let kind =
                format_ident!("{}", if matches!(transition.action, Action::Jump) { "Internal" } else { "Other" });
            let text = visible(&self.names.statement_text(transition.span));
            let place = self.place(transition.span);
            tokens.extend(quote! { transition(#process, #kind, #place, #text, #at, #at), });
            if let Action::DStep(inner) = &transition.action {
                self.inner_infos(id, inner, 0, tokens);
            }
        }
    }

    /// `const LINE_6: TransitionId = TransitionId(3);` for every transition of a proctype that its code names. What stands
    /// behind a statement that is never executable has no code.
    pub fn transition_numbers(&self, id: ProctypeId, code: &TokenStream) -> TokenStream {
        let mut next = self.first_transition(id);
        let mut numbers = Vec::new();
        number_transitions(&self.program.graphs[id], &self.names.proctypes[id].graph, &mut next, &mut numbers);
        let mut words = Words::default();
        words.read(code.clone());
        let numbers = numbers.into_iter().filter(|(constant, _)| words.mentioned.contains(&constant.to_string()));
        let numbers = numbers.map(|(constant, number)| {
            let number = Literal::u32_unsuffixed(number);
            quote! { const #constant: TransitionId = TransitionId(#number); }
        });
        numbers.collect()
    }

    /// The number of a transition among those of all proctypes.
    pub fn transition_number(&self, id: ProctypeId, of: TransitionId) -> u32 {
        let before = self.program.graphs[id].transitions.iter_enumerated().take_while(|(other, _)| *other != of);
        self.first_transition(id) + before.map(|(_, transition)| n_statements(transition)).sum::<u32>()
    }

    fn first_transition(&self, id: ProctypeId) -> u32 {
        self.program
            .graphs
            .ids()
            .take_while(|other| *other != id)
            .map(|other| n_transitions(&self.program.graphs[other]))
            .sum()
    }

    /// The number of a proctype's first location among all.
    pub fn first_location(&self, id: ProctypeId) -> u32 {
        let before = self.program.graphs.ids().take_while(|other| *other != id);
        before.map(|other| u32::try_from(self.program.graphs[other].locations.len()).unwrap_or(u32::MAX)).sum()
    }

    pub fn place(&self, span: Span) -> TokenStream {
        let sources = self.names.sources();
        let file = sources
            .files()
            .iter()
            .position(|file| std::ptr::eq(file, sources.file(span)))
            .expect("a span lies in a file");
        let position = sources.position(span);
        let (file, line, column) =
            (count(file), Literal::u32_unsuffixed(position.line), Literal::u32_unsuffixed(position.column));
        quote! { place(#file, #line, #column) }
    }

    /// A name for the module in a heading.
    pub fn module_name(&self, id: ProctypeId) -> String {
        bare(&self.names.proctypes[id].module)
    }
}

fn n_transitions(graph: &Graph<'_>) -> u32 {
    graph.transitions.iter().map(n_statements).sum()
}

/// A transition, what is inside it, and what is merged with it.
fn n_statements(transition: &Transition<'_>) -> u32 {
    let inner = match &transition.action {
        Action::DStep(inner) => n_transitions(inner),
        _ => 0,
    };
    1 + inner + u32::try_from(transition.merged.len()).unwrap_or(u32::MAX)
}

fn number_transitions<'n>(
    graph: &Graph<'_>,
    names: &'n GraphNames,
    next: &mut u32,
    numbers: &mut Vec<(&'n Ident, u32)>,
) {
    let number = |constant: &'n Ident, next: &mut u32, numbers: &mut Vec<(&'n Ident, u32)>| {
        numbers.push((constant, *next));
        *next += 1;
    };
    for (transition, names) in graph.transitions.iter().zip(&names.transitions) {
        number(&names.constant, next, numbers);
        if let (Action::DStep(inner), Some(names)) = (&transition.action, &names.inner) {
            number_transitions(inner, names, next, numbers);
        }
        names.merged.iter().for_each(|constant| number(constant, next, numbers));
    }
}
