//! The only place where Promela names and text become Rust names and documentation.
//!
//! The author's names appear as fields, variants, types and modules, changed only where Rust requires it: a keyword, a
//! second use of a name in one scope, a name that pmc uses itself. The author's text appears only in string literals,
//! with every character escaped that could mislead a reader or that rustc rejects.

mod reserved;
mod scope;
mod text;

use proc_macro2::{Ident, Span, TokenStream};

pub use reserved::{METHODS, METHODS_OF_LOCALS, values as reserved_values};
pub use scope::{bare, camel_case, identifier};
pub use text::{count, doc, literal, visible_lines};

pub use crate::tables::{file_name, visible};

use scope::NameScope;

use crate::analysis::Facts;
use crate::collections::IdVec;
use crate::ir::formula::{AtomId, Automaton, Edge, FormulaLocationId};
use crate::ir::{Action, Graph, LocationId, Program, TransitionId};
use crate::model::{Expr, MtypeId, Owner, ProctypeId, RecordId, SiteId, VariableId};
use crate::source::{SourceMap, Span as SourceSpan};
use crate::tables;

/// Every name that generated code uses, decided before any code is generated.
pub struct Names<'a> {
    sources: &'a SourceMap,
    pub proctypes: IdVec<ProctypeId, ProctypeNames>,
    /// Fields of the state or of the locals of a process.
    variables: IdVec<VariableId, Ident>,
    records: IdVec<RecordId, RecordNames>,
    pub mtypes: IdVec<MtypeId, MtypeNames>,
    /// The fields that store the channels of a site.
    pub sites: IdVec<SiteId, SiteNames>,
    /// By the order of the text.
    pub never: Vec<NeverNames>,
    pub formulas: Vec<FormulaNames>,
    /// Of the trace assertion, if there is one.
    pub trace: Option<NeverNames>,
}

pub struct ProctypeNames {
    /// The module, and the methods of the state that give access to such a process.
    pub module: Ident,
    pub module_mut: Ident,
    /// The variant of `Process`.
    pub variant: Ident,
    pub graph: GraphNames,
}

/// The names of a never claim or a trace.
pub struct NeverNames {
    pub module: Ident,
    pub graph: GraphNames,
}

/// The names of a formula's automaton.
pub struct FormulaNames {
    pub module: Ident,
    /// `S0`
    pub locations: IdVec<FormulaLocationId, Ident>,
    /// A function for each: `x_is_1`
    pub atoms: IdVec<AtomId, Ident>,
    /// By location, one for each edge: `S0_TO_S1`
    pub moves: IdVec<FormulaLocationId, Vec<Ident>>,
}

/// The names that belong to one graph, and to the graphs of its `d_step`s.
pub struct GraphNames {
    pub locations: IdVec<LocationId, Ident>,
    pub transitions: IdVec<TransitionId, TransitionNames>,
}

pub struct TransitionNames {
    /// `line_6`
    pub function: Ident,
    /// `LINE_6`
    pub constant: Ident,
    /// Of a `d_step`: the names of its graph.
    pub inner: Option<Box<GraphNames>>,
    /// The constants of the statements that are merged with it.
    pub merged: Vec<Ident>,
}

struct RecordNames {
    ty: Ident,
    fields: Vec<Ident>,
}

/// The names of an mtype's values, within the module `mtype`.
pub struct MtypeNames {
    /// The nested module; nothing for the plain `mtype`.
    pub module: Option<Ident>,
    /// In the order of the text.
    pub values: Vec<Ident>,
}

pub struct SiteNames {
    /// The field that holds the queues.
    pub field: Ident,
    /// The variant of `Channel`.
    pub variant: Ident,
}

impl<'a> Names<'a> {
    pub fn new(program: &Program<'_>, facts: &Facts, sources: &'a SourceMap) -> Self {
        let model = program.model;
        let mut modules = NameScope::reserving(reserved::modules());
        let mut variants = NameScope::reserving(reserved::types());
        let mut types = NameScope::reserving(reserved::types());

        let mut state = NameScope::reserving(["processes"]);
        let has_trace = program.trace.is_some();
        let ours = [
            (facts.features.atomic, "atomic_owner"),
            (facts.features.last, "last"),
            (has_trace, "trace"),
            (has_trace, "objections"),
        ];
        state.reserve(ours.iter().filter(|(is_used, _)| *is_used).map(|(_, name)| *name));
        let mut locals: IdVec<ProctypeId, NameScope> =
            model.proctypes.iter().map(|_| NameScope::reserving(["at", "priority"])).collect();
        let variables: IdVec<VariableId, Ident> = model
            .variables
            .iter()
            .map(|variable| match variable.owner {
                Owner::Global => state.take(&variable.name),
                Owner::Proctype(id) => locals[id].take(&variable.name),
                Owner::Never(claim) => {
                    let claim = model.never.get(claim as usize).map_or("never", |claim| &*claim.name);
                    state.take(&format!("{claim}_{}", variable.name))
                }
            })
            .collect();

        let sites = model
            .sites
            .iter()
            .map(|site| {
                let variable = &model.variables[site.variable];
                let name = model.site_name(site, "_");
                let owner = match variable.owner {
                    Owner::Proctype(id) => camel_case(&model.proctypes[id].name),
                    Owner::Global | Owner::Never(_) => String::new(),
                };
                let variant = variants.take(&format!("{owner}{}", camel_case(&name)));
                let scope = match variable.owner {
                    Owner::Proctype(id) => &mut locals[id],
                    Owner::Global | Owner::Never(_) => &mut state,
                };
                // If the variable stores nothing else, its field is free for the queue.
                let field = if facts.is_fixed_channel[site.variable] {
                    variables[site.variable].clone()
                } else {
                    scope.take(&format!("{name}_queue"))
                };
                SiteNames { field, variant }
            })
            .collect();

        let mut processes = NameScope::reserving(reserved::types());
        let proctypes = model
            .proctypes
            .iter_enumerated()
            .map(|(id, process)| {
                let module = modules.take_module(&process.name);
                ProctypeNames {
                    module_mut: identifier(&format!("{}_mut", bare(&module))),
                    module,
                    variant: processes.take(&camel_case(&process.name)),
                    graph: GraphNames::new(&program.graphs[id], sources),
                }
            })
            .collect();
        let records = model
            .records
            .iter()
            .map(|record| {
                let mut fields = NameScope::default();
                RecordNames {
                    ty: types.take(&camel_case(&record.name)),
                    fields: record.fields.iter().map(|field| fields.take(&field.name)).collect(),
                }
            })
            .collect();
        // A module with the name of a type shadows the type in the scope of the module.
        let mut kinds = NameScope::reserving(["i32"]);
        let mtypes = model
            .mtypes
            .iter()
            .map(|mtype| {
                let mut values = NameScope::default();
                MtypeNames {
                    module: mtype.kind.as_ref().map(|kind| {
                        let words = kind.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                        kinds.take(&words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_"))
                    }),
                    values: mtype.names.iter().map(|entry| values.take_exactly(&entry.name)).collect(),
                }
            })
            .collect();
        let never = model.never.iter().zip(&program.claims).map(|(claim, graph)| NeverNames {
            module: modules.take_module(&claim.name),
            graph: GraphNames::new(graph, sources),
        });
        let never = never.collect();
        let formulas = model.formulas.iter().zip(&program.formulas).map(|(ltl, automaton)| {
            let module = modules.take_module(&ltl.name);
            FormulaNames::new(module, automaton, sources)
        });
        let formulas = formulas.collect();
        let trace = model.trace.as_ref().zip(program.trace.as_ref()).map(|(trace, graph)| NeverNames {
            module: modules.take_module(&trace.process.name),
            graph: GraphNames::new(graph, sources),
        });
        Self { sources, proctypes, variables, records, mtypes, sites, never, formulas, trace }
    }

    pub fn variable(&self, id: VariableId) -> &Ident {
        &self.variables[id]
    }

    pub fn record(&self, id: RecordId) -> &Ident {
        &self.records[id].ty
    }

    pub fn field(&self, record: RecordId, field: u32) -> &Ident {
        &self.records[record].fields[field as usize]
    }

    /// `/// turns.pml:5  turn == _pid`
    pub fn source_line(&self, span: SourceSpan) -> TokenStream {
        doc(&format!(" {}", self.source_text(span)))
    }

    /// `/// turns.pml:10  the process ends`
    pub fn end_line(&self, span: SourceSpan) -> TokenStream {
        let file = &self.sources.file(span).path;
        let line = self.sources.position(span).line;
        doc(&format!(" {}:{line}  the process ends", file_name(file)))
    }

    /// The same as text, for a comment.
    pub fn source_text(&self, span: SourceSpan) -> String {
        let file = &self.sources.file(span).path;
        let line = self.sources.position(span).line;
        format!("{}:{line}  {}", file_name(file), self.statement_text(span))
    }

    /// The source text, on one line and cut if it is long.
    pub fn statement_text(&self, span: SourceSpan) -> String {
        tables::statement_text(self.sources, span)
    }

    pub fn sources(&self) -> &SourceMap {
        self.sources
    }
}

impl GraphNames {
    fn new(graph: &Graph<'_>, sources: &SourceMap) -> Self {
        let mut functions = NameScope::default();
        Self::with(graph, sources, &mut functions)
    }

    fn with(graph: &Graph<'_>, sources: &SourceMap, functions: &mut NameScope) -> Self {
        let line = |span| sources.position(span).line;
        let transitions = graph
            .transitions
            .iter()
            .map(|transition| {
                let base = match transition.action.is_end() {
                    true => "end".to_owned(),
                    false => format!("line_{}", line(transition.span)),
                };
                let function = functions.take_lettered(&base, "_");
                let upper = |function: &Ident| Ident::new(&function.to_string().to_uppercase(), Span::call_site());
                let constant = upper(&function);
                let inner = transition.action.d_step().map(|inner| Box::new(Self::with(inner, sources, functions)));
                let merged = transition.merged.iter().map(|merged| format!("line_{}", line(merged.span)));
                let merged = merged.map(|name| upper(&functions.take_lettered(&name, "_"))).collect();
                TransitionNames { function, constant, inner, merged }
            })
            .collect();
        let mut variants = NameScope::default();
        let locations = graph
            .locations
            .iter()
            .map(|location| {
                let first = location.leaving.first().map(|first| &graph.transitions[*first]);
                match first.map(|first| (&first.action, first.span)) {
                    Some((Action::End, _)) => variants.take_lettered("End", ""),
                    Some((_, span)) => variants.take_lettered(&format!("Line{}", line(span)), ""),
                    None => variants.take_lettered(&format!("Line{}", line(location.span)), ""),
                }
            })
            .collect();
        Self { locations, transitions }
    }
}

impl FormulaNames {
    fn new(module: Ident, automaton: &Automaton, sources: &SourceMap) -> Self {
        let mut functions = NameScope::reserving(reserved::functions());
        let locations: IdVec<FormulaLocationId, Ident> =
            automaton.locations.ids().map(|id| identifier(&format!("S{}", id.0))).collect();
        let moves = automaton.locations.iter_enumerated().map(|(from, location)| {
            let name = |edge: &Edge| {
                let name = format!("s{}_to_s{}", from.0, edge.to.0);
                let function = functions.take_lettered(&name, "_");
                Ident::new(&function.to_string().to_uppercase(), Span::call_site())
            };
            location.edges.iter().map(name).collect()
        });
        let moves = moves.collect();
        let name = |atom: &Expr| in_words(sources.text(atom.span)).unwrap_or_else(|| "atom".to_owned());
        let atoms = automaton.atoms.iter().map(|atom| functions.take(&name(atom))).collect();
        Self { module, locations, atoms, moves }
    }
}

/// Names of constants that describe something: `writes level[0]` becomes `WRITES_LEVEL_0`.
#[derive(Default)]
pub struct ConstantNames(NameScope);

impl ConstantNames {
    pub fn take(&mut self, description: &str) -> Ident {
        let words = description.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_uppercase).collect();
        let mut name = words.join("_");
        // The tables beside the constants have these names.
        if name.ends_with("_FUTURE") {
            name.push('_');
        }
        self.0.take_lettered(&name, "")
    }
}

/// A condition as the name of a function: `x == 1` becomes `x_is_1`. Nothing for a long one.
fn in_words(condition: &str) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = condition.trim();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_alphanumeric() || first == '_' {
            let word = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            words.push(rest[..word].to_owned());
            word
        } else if let Some((operator, word)) = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator)) {
            words.push((*word).to_owned());
            operator.len()
        } else {
            first.len_utf8()
        };
        rest = rest[length..].trim_start();
    }
    words.retain(|word| !word.is_empty());
    let name = words.join("_");
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.len() <= LONGEST_NAME;
    is_name.then_some(name)
}

/// A longer name is harder to read than a number.
const LONGEST_NAME: usize = 40;

/// Longer operators first. Other characters, such as a parenthesis, are left out.
const OPERATORS: [(&str, &str); 18] = [
    ("==", "is"),
    ("!=", "is_not"),
    ("<=", "at_most"),
    (">=", "at_least"),
    ("<<", "shifted"),
    (">>", "shifted_down"),
    ("&&", "and"),
    ("||", "or"),
    ("<", "below"),
    (">", "above"),
    ("+", "plus"),
    ("-", "minus"),
    ("*", "times"),
    ("/", "by"),
    ("%", "modulo"),
    ("!", "not"),
    ("?", "has"),
    ("@", "at"),
];
