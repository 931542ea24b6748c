//! Information about transitions and locations for reports, as data.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::names::{bare, count, file_name, label_name, visible};
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
        let mut rows = Rows::default();
        let mut locations = TokenStream::new();
        for id in model.proctypes.ids() {
            let graph = &self.program.graphs[id];
            let first = self.program.first_location(id);
            self.transition_infos(id, graph, first, &mut rows);
            for location in &graph.locations {
                let (process, place) = (Literal::u32_unsuffixed(id.0), self.place(location.span));
                let labels = location.labels.iter().map(|label| label_name(self.program, id, *label));
                locations.extend(quote! { location(#process, #place, &[#(#labels),*]), });
            }
        }
        let Rows { tokens: transitions, kinds } = rows;
        let claims = self.claim_infos();
        let claim_functions = self.claim_functions();
        let has_merged =
            self.program.graphs.iter().any(|graph| graph.transitions.iter().any(|it| !it.merged.is_empty()));
        let merged = has_merged.then(|| {
            quote! {
                /// The statements that are executed in the same step.
                const fn with_merged<'m>(info: TransitionInfo<'m>, merged: &'m [TransitionId]) -> TransitionInfo<'m> {
                    TransitionInfo { merged, ..info }
                }
            }
        });
        let body = quote! {
            /// The static information about the model.
            pub static INFO: ModelInfo<'static> = ModelInfo {
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

            static TRANSITIONS: &[TransitionInfo<'static>] = &[#transitions];

            static LOCATIONS: &[LocationInfo<'static>] = &[#locations];

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
        };
        let import = Self::import();
        let kinds = kinds.iter().map(|kind| format_ident!("{kind}"));
        quote! { #import use TransitionKind::{#(#kinds),*}; #body }
    }

    fn transition_infos(&self, id: ProctypeId, graph: &Graph<'_>, first: u32, rows: &mut Rows) {
        let process = Literal::u32_unsuffixed(id.0);
        // A transition can leave several locations; the table has the first one.
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
                Action::Condition(_)
                | Action::Else
                | Action::Assign { .. }
                | Action::Assert(_)
                | Action::Print(_)
                | Action::Event { .. }
                | Action::DStep(_) => "Other",
            };
            let kind = rows.kind(kind);
            let text = match transition.action.is_end() {
                true => "-end-".to_owned(),
                false => visible(&self.names.statement_text(transition.span)),
            };
            let place = self.place(transition.span);
            let from = Literal::u32_unsuffixed(leaves[number.index()]);
            let to = Literal::u32_unsuffixed(transition.to.map_or(leaves[number.index()], |to| first + to.0));
            let info = quote! { transition(#process, #kind, #place, #text, #from, #to) };
            let merged = self.merged_numbers(id, number);
            if merged.is_empty() {
                rows.tokens.extend(quote! { #info, });
            } else {
                rows.tokens.extend(quote! { with_merged(#info, &[#(TransitionId(#merged)),*]), });
            }
            if let Action::DStep(inner) = &transition.action {
                // Control does not rest inside: all of it is between two locations of the process.
                self.inner_infos(id, inner, leaves[number.index()], rows);
            }
            for merged in &transition.merged {
                let kind = rows.kind(inner_kind(&merged.action));
                let (text, place) = (visible(&self.names.statement_text(merged.span)), self.place(merged.span));
                rows.tokens.extend(quote! { transition(#process, #kind, #place, #text, #from, #to), });
            }
        }
    }

    /// The numbers of the statements that are merged with a transition: they follow it, and its inside.
    fn merged_numbers(&self, id: ProctypeId, number: TransitionId) -> Vec<Literal> {
        let graph = &self.program.graphs[id];
        let before: u32 = graph.transitions.iter().take(number.index()).map(Transition::n_statements).sum();
        let transition = &graph.transitions[number];
        let end = self.program.first_transition(id) + before + transition.n_statements();
        let n_merged = u32::try_from(transition.merged.len()).unwrap_or(u32::MAX);
        (end - n_merged..end).map(Literal::u32_unsuffixed).collect()
    }

    fn inner_infos(&self, id: ProctypeId, graph: &Graph<'_>, at: u32, rows: &mut Rows) {
        let process = Literal::u32_unsuffixed(id.0);
        let at = Literal::u32_unsuffixed(at);
        for transition in &graph.transitions {
            let kind = rows.kind(inner_kind(&transition.action));
            let text = visible(&self.names.statement_text(transition.span));
            let place = self.place(transition.span);
            rows.tokens.extend(quote! { transition(#process, #kind, #place, #text, #at, #at), });
            if let Action::DStep(inner) = &transition.action {
                self.inner_infos(id, inner, 0, rows);
            }
        }
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

/// The name of a statement that is executed within the step of another one.
fn inner_kind(action: &Action<'_>) -> &'static str {
    if matches!(action, Action::Jump) { "Internal" } else { "Other" }
}

/// The entries of the transitions, and their kinds.
#[derive(Default)]
struct Rows {
    tokens: TokenStream,
    kinds: BTreeSet<&'static str>,
}

impl Rows {
    fn kind(&mut self, kind: &'static str) -> Ident {
        self.kinds.insert(kind);
        format_ident!("{kind}")
    }
}
