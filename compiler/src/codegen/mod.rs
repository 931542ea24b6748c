//! Generates the sources of a verifier: the executable form in, Rust out.
//!
//! One module per proctype, each transition a function named after its line; `transition.rs` is the core of it. This
//! room makes no decision that an analysis could make: [`Facts`] says what is fixed, bounded or unused.

mod accessors;
mod answers;
mod channels;
mod claims;
mod d_step;
mod dependencies;
mod describe;
mod embedded;
mod embedded_c;
mod expr;
mod fields;
mod format;
mod formulas;
mod in_words;
mod independence;
mod initial;
mod lookup;
mod model;
mod module;
mod mtypes;
mod names;
mod never;
mod offers;
mod packing;
mod parameters;
mod places;
mod plain;
mod prelude;
mod processes;
mod proctype;
mod promises;
mod starting;
mod state;
mod statement;
mod straight;
mod symmetry;
mod tables;
mod ticks;
mod trace;
mod transition;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::analysis::Facts;
use crate::collections::IdVec;
use crate::exec;
use crate::ir::Program;
use crate::ir::visit;
use crate::model::{Expr, ExprKind, ProctypeId, Type};
use crate::source::SourceMap;
use crate::tables::Tables;
use accessors::Accessors;
use embedded::EMBEDDED_HEADING;
use independence::INDEPENDENCE_HEADING;
pub use module::module;
use names::Names;

/// A generated file, with its path in the crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    pub path: String,
    pub text: String,
}

/// The sources of a verifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    pub files: Vec<GeneratedFile>,
    /// The function of the runtime with the searches for states of this size, which is also a feature.
    pub searches: String,
    /// Whether there is a claim that is a safety property: a feature as well.
    pub has_safety_claims: bool,
}

impl Generated {
    /// The C file of a model with embedded C.
    pub fn embedded_c(&self) -> Option<&str> {
        self.files.iter().find(|file| file.path == EMBEDDED_C).map(|file| file.text.as_str())
    }

    /// The features of the crate with the searches.
    pub fn features(&self) -> Vec<&str> {
        let claims = self.has_safety_claims.then_some("claims");
        claims.into_iter().chain([&*self.searches]).collect()
    }
}

/// The input of the generator for one model.
pub struct Generator<'a> {
    program: &'a Program<'a>,
    facts: &'a Facts,
    exec: &'a exec::Program,
    names: Names<'a>,
    /// The accessors of a state.
    accessors: Accessors,
    /// The static information about the model.
    rows: &'a Tables,
    needs: lookup::Needs,
    /// The kinds of messages, each with the name of its type.
    messages: Vec<(Vec<Type>, Ident)>,
    /// The names of the dependency classes of reductions, in the order of their bits.
    dependency_classes: Vec<Ident>,
    /// Proctypes whose instances are the targets of remote references.
    asks_about: IdVec<ProctypeId, bool>,
}

/// Generates the sources of a verifier.
pub fn generate(
    program: &Program<'_>,
    facts: &Facts,
    exec: &exec::Program,
    tables: &Tables,
    sources: &SourceMap,
) -> Generated {
    let generator = Generator::new(program, facts, exec, tables, sources);
    Generated {
        files: generator.files(),
        searches: generator.searches(),
        has_safety_claims: generator.has_safety_claims(),
    }
}

impl<'a> Generator<'a> {
    fn new(
        program: &'a Program<'a>,
        facts: &'a Facts,
        exec: &'a exec::Program,
        rows: &'a Tables,
        sources: &'a SourceMap,
    ) -> Self {
        let names = Names::new(program, facts, sources);
        let mut generator = Self {
            program,
            facts,
            exec,
            accessors: Accessors::new(program, &names),
            names,
            rows,
            needs: lookup::Needs::default(),
            messages: Vec::new(),
            dependency_classes: Vec::new(),
            asks_about: program.graphs.iter().map(|_| false).collect(),
        };
        generator.needs = generator.find_needs();
        generator.messages = generator.message_types();
        generator.dependency_classes = generator.class_names();
        let mut asks = |expression: &Expr| {
            if let ExprKind::RemoteVariable { proctype, .. } | ExprKind::RemoteLabel { proctype, .. } = expression.kind
            {
                generator.asks_about[proctype] = true;
            }
        };
        visit::program_expressions(program, &mut asks);
        visit::claim_expressions(program, &mut asks);
        generator
    }

    fn files(&self) -> Vec<GeneratedFile> {
        let mut files = vec![
            self.file("lib", LIB_HEADING, self.library()),
            self.file("model", MODEL_HEADING, self.model()),
            self.file("state", STATE_HEADING, self.state()),
        ];
        if self.has_channels() {
            files.push(self.file("channels", CHANNELS_HEADING, self.channels()));
        }
        if self.has_c() {
            files.push(self.file("embedded", EMBEDDED_HEADING, self.embedded()));
            files.push(GeneratedFile { path: EMBEDDED_C.to_owned(), text: self.embedded_c() });
        }
        if let Ok(independence) = &self.exec.independence {
            files.push(self.file("independence", INDEPENDENCE_HEADING, self.independence(independence)));
        }
        if self.has_mtypes() {
            files.push(self.file("mtype", MTYPE_HEADING, self.mtypes()));
        }
        if let Some(promises) = &self.exec.promises {
            files.push(self.file("promises", PROMISES_HEADING, self.promises(promises)));
        }
        if self.has_symmetry() {
            files.push(self.file("symmetry", SYMMETRY_HEADING, self.symmetry()));
        }
        for id in self.program.model.proctypes.ids() {
            let process = &self.program.model.proctypes[id];
            let mut heading = format!("`{}`", names::visible(&process.name));
            if let Some(comment) = &process.comment {
                heading = format!("{heading}\n\n{}", names::visible_lines(comment));
            }
            files.push(self.file(&self.module_name(id), &heading, self.proctype(id)));
        }
        files.extend((0..self.program.claims.len()).map(|claim| self.never_file(claim)));
        files.extend((0..self.program.formulas.len()).map(|formula| self.formula_file(formula)));
        files.extend(self.trace_file());
        files.push(self.file("tables", TABLES_HEADING, self.tables()));
        files
    }

    pub fn file(&self, name: &str, heading: &str, tokens: TokenStream) -> GeneratedFile {
        let path = format!("src/{name}.rs");
        let model = &self.rows.name;
        let heading = heading.replace("MODEL", model);
        let heading =
            format!("{heading}\n\nMade by pmc {} from {model}; changes will be lost.", env!("CARGO_PKG_VERSION"));
        GeneratedFile { path, text: format::file(&heading, tokens) }
    }

    fn has_channels(&self) -> bool {
        let needs = &self.needs;
        needs.numbers || needs.rendezvous || needs.process_channels || needs.trace || needs.promises
    }

    fn library(&self) -> TokenStream {
        let channels = self.has_channels().then(|| quote! { pub mod channels; });
        let independence = self.exec.independence.is_ok().then(|| quote! { pub mod independence; });
        let mtypes = self.has_mtypes().then(|| quote! { pub mod mtype; });
        let promises = self.has_promises().then(|| quote! { pub mod promises; });
        let symmetry = self.has_symmetry().then(|| quote! { pub mod symmetry; });
        let modules = self.names.proctypes.iter().map(|names| &names.module).chain(self.claim_modules());
        let searches = format_ident!("{}", self.searches());
        let prelude = self.prelude();
        let unsafe_code = match self.has_c() {
            true => quote! { #![deny(unsafe_code)] },
            false => quote! { #![forbid(unsafe_code)] },
        };
        let embedded = self.has_c().then(|| quote! { #[allow(unsafe_code, dead_code)] pub mod embedded; });
        quote! {
            #unsafe_code
            // The names are those of the model.
            #![allow(non_snake_case, non_camel_case_types, non_upper_case_globals)]
            // So are the comparisons, even those that always hold.
            #![allow(unused_comparisons)]

            #channels
            #embedded
            #independence
            pub mod model;
            #mtypes
            #promises
            pub mod state;
            #symmetry
            pub mod tables;
            #(pub mod #modules;)*

            #prelude

            pub use model::Verifier;
            pub use pmc_runtime::options::{Ask, Options};
            pub use pmc_runtime::verdict::{Report, Verdict};

            /// Checks every property of the model: assertions, end states, faults in a step, and each claim.
            pub fn check() -> Report {
                check_with(&Options::default())
            }

            /// Checks the selected properties: `Options { ask: Ask::Claim("served".into()), ..Options::default() }`.
            pub fn check_with(options: &Options) -> Report {
                pmc_runtime::check(&Verifier, pmc_runtime::precompiled::#searches(), options)
            }

            /// The verifier as a program: runs the command line.
            pub fn main() -> std::process::ExitCode {
                pmc_runtime::main(Verifier, pmc_runtime::precompiled::#searches())
            }
        }
    }

    /// The Rust type of messages with these fields.
    pub fn message_type(&self, fields: &[Type]) -> Ident {
        let found = self.messages.iter().find(|(known, _)| known == fields);
        found.map_or_else(|| format_ident!("NoMessage"), |(_, name)| name.clone())
    }

    /// One type for each list of fields, named after the first channel that carries it.
    fn message_types(&self) -> Vec<(Vec<Type>, Ident)> {
        let mut types: Vec<(Vec<Type>, Ident)> = Vec::new();
        for (id, site) in self.program.model.sites.iter_enumerated() {
            if site.capacity > 0 && !types.iter().any(|(known, _)| *known == site.fields) {
                let mut name = format!("{}Message", self.names.sites[id].variant);
                let is_record =
                    |name: &str| self.program.model.records.ids().any(|record| self.names.record(record) == name);
                while is_record(&name) {
                    name.push('_');
                }
                types.push((site.fields.clone(), names::identifier(&name)));
            }
        }
        types
    }
}

/// The path of the C file.
const EMBEDDED_C: &str = "src/embedded.c";

const LIB_HEADING: &str = "The verifier of MODEL.

There is a module for each proctype. In it, each statement is a function named
after its line, which returns the state after that statement. `state` has the type
of states, `model` the interface to the searches, `tables` the data of reports.
A never claim or a formula has a module too: the automaton of what must not happen.";

const MODEL_HEADING: &str = "The interface to the searches: the runtime's `Model` for this model.";

const STATE_HEADING: &str = "The state of the model: its globals, its channels, its processes.";

const CHANNELS_HEADING: &str = "Channels by their numbers, and the partners of a rendezvous.";

const MTYPE_HEADING: &str = "The values of the names of mtypes.";

const PROMISES_HEADING: &str = "Processes that promise, by `xr` or `xs`, to be the only user of one side of a channel.

The promises here are checked at run time; the analysis has proved the others.";

const SYMMETRY_HEADING: &str =
    "Processes that can be exchanged without changing the model, and what is theirs in a state.";

const TABLES_HEADING: &str = "The position of each transition and each location in the source.";
