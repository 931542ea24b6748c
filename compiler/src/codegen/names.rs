//! Promela names and text become Rust names and documentation: here and nowhere
//! else.
//!
//! The author's names appear as fields, variants, types and modules, changed
//! only where Rust would mind: a keyword, a second use of a name in one place, a
//! name that we use ourselves. The author's text appears only in string
//! literals, with every character escaped that could confuse a reader or rustc.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::analysis::Facts;
use crate::collections::IdVec;
use crate::ir::formula::{AtomId, Automaton, Edge, StageId};
use crate::ir::{Action, Graph, LocationId, Program, TransitionId};
use crate::model::{Expr, LabelId, MtypeId, Owner, ProctypeId, RecordId, SiteId, VariableId};
use crate::source::{SourceMap, Span as SourceSpan};

/// Every name that generated code uses, decided before any code is made.
pub struct Names<'a> {
    sources: &'a SourceMap,
    pub proctypes: IdVec<ProctypeId, ProctypeNames>,
    /// Fields of the state or of the locals of a process.
    variables: IdVec<VariableId, Ident>,
    records: IdVec<RecordId, RecordNames>,
    pub mtypes: IdVec<MtypeId, MtypeNames>,
    /// Where the channels of a site are kept.
    pub sites: IdVec<SiteId, SiteNames>,
    /// By the order of the text.
    pub never: Vec<NeverNames>,
    pub formulas: Vec<FormulaNames>,
    /// Of the trace assertion, if there is one.
    pub trace: Option<NeverNames>,
}

pub struct ProctypeNames {
    /// The module, and the methods of the state that look into such a process.
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
    pub locations: IdVec<StageId, Ident>,
    /// A function for each: `x_is_1`
    pub atoms: IdVec<AtomId, Ident>,
    /// By location, one for each edge: `S0_TO_S1`
    pub moves: IdVec<StageId, Vec<Ident>>,
}

/// The names that belong to one graph; those inside a `d_step` come with it.
pub struct GraphNames {
    pub locations: IdVec<LocationId, Ident>,
    pub transitions: IdVec<TransitionId, TransitionNames>,
}

pub struct TransitionNames {
    /// `line_6`
    pub function: Ident,
    /// `LINE_6`
    pub constant: Ident,
    /// Of a `d_step`: what is inside.
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
    /// The module inside that one; nothing for the plain `mtype`.
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
        let mut modules = Scope::reserving(&RESERVED_MODULES);
        let mut variants = Scope::reserving(&RESERVED_TYPES);
        let mut types = Scope::reserving(&RESERVED_TYPES);

        let mut state = Scope::reserving(&["processes"]);
        let has_trace = program.trace.is_some();
        let ours = [
            (facts.features.atomic, "holder"),
            (facts.features.last, "last"),
            (has_trace, "trace"),
            (has_trace, "objections"),
        ];
        state.taken.extend(ours.iter().filter(|(is_used, _)| *is_used).map(|(_, name)| (*name).to_owned()));
        let mut locals: IdVec<ProctypeId, Scope> =
            model.proctypes.iter().map(|_| Scope::reserving(&["at", "priority", "locals", "next", "me"])).collect();
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
                // Where nothing else is stored in the variable, its field is free for the queue.
                let field = if facts.is_fixed_channel[site.variable] {
                    variables[site.variable].clone()
                } else {
                    scope.take(&format!("{name}_queue"))
                };
                SiteNames { field, variant }
            })
            .collect();

        let mut processes = Scope::reserving(&RESERVED_TYPES);
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
                let mut fields = Scope::default();
                RecordNames {
                    ty: types.take(&camel_case(&record.name)),
                    fields: record.fields.iter().map(|field| fields.take(&field.name)).collect(),
                }
            })
            .collect();
        // A module that is named like a type hides it from what stands beside it.
        let mut kinds = Scope::reserving(&["i32"]);
        let mtypes = model
            .mtypes
            .iter()
            .map(|mtype| {
                let mut values = Scope::default();
                MtypeNames {
                    module: mtype.kind.as_ref().map(|kind| kinds.take(kind)),
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

    /// What the author wrote, on one line and not too long.
    pub fn statement_text(&self, span: SourceSpan) -> String {
        let text = self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        shorten(&text, 90)
    }

    pub fn sources(&self) -> &SourceMap {
        self.sources
    }
}

impl GraphNames {
    fn new(graph: &Graph<'_>, sources: &SourceMap) -> Self {
        let mut functions = Scope::default();
        Self::with(graph, sources, &mut functions)
    }

    fn with(graph: &Graph<'_>, sources: &SourceMap, functions: &mut Scope) -> Self {
        let line = |span| sources.position(span).line;
        let transitions = graph
            .transitions
            .iter()
            .map(|transition| {
                let base = match transition.action {
                    Action::End => "end".to_owned(),
                    _ => format!("line_{}", line(transition.span)),
                };
                let function = functions.take_lettered(&base, "_");
                let upper = |function: &Ident| Ident::new(&function.to_string().to_uppercase(), Span::call_site());
                let constant = upper(&function);
                let inner = match &transition.action {
                    Action::DStep(inner) => Some(Box::new(Self::with(inner, sources, functions))),
                    _ => None,
                };
                let merged = transition.merged.iter().map(|merged| format!("line_{}", line(merged.span)));
                let merged = merged.map(|name| upper(&functions.take_lettered(&name, "_"))).collect();
                TransitionNames { function, constant, inner, merged }
            })
            .collect();
        let mut variants = Scope::default();
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
        let mut functions = Scope::reserving(&RESERVED_FUNCTIONS);
        let locations: IdVec<StageId, Ident> =
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

/// Longer ones read worse than a number.
const LONGEST_NAME: usize = 40;

/// Longer operators first. What is not here, such as a parenthesis, is left out.
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

/// Functions that the module of a formula calls, and its parameters.
const RESERVED_FUNCTIONS: [&str; 17] = [
    "at",
    "bit",
    "byte",
    "divide",
    "go",
    "index",
    "int",
    "moves",
    "now",
    "offer_moves",
    "remainder",
    "shift_left",
    "shift_right",
    "short",
    "timeout",
    "unsigned",
    "locals",
];

/// Modules are files, and give their names to methods of the state.
const RESERVED_MODULES: [&str; 42] = [
    "add_process",
    "is_youngest",
    "last",
    "n_processes",
    "next_pid",
    "process",
    "remove_youngest",
    "set_kind",
    "set_last",
    "alloc",
    "can_move",
    "channel",
    "channel_is_full",
    "channel_len",
    "channels",
    "core",
    "enabled",
    "first_channel",
    "independence",
    "initial",
    "is_without_progress",
    "lib",
    "location_number",
    "main",
    "model",
    "mtype",
    "objections",
    "pack",
    "pmc_runtime",
    "priority",
    "processes",
    "promises",
    "set_priority",
    "state",
    "std",
    "tables",
    "test",
    "trace_received",
    "trace_sent",
    "unpack",
    "verifier",
    "clone",
];

/// Methods that look for a process or a queue are named with these.
const RESERVED_PREFIXES: [&str; 3] = ["any_", "find_", "like_"];

/// Types that generated code defines, imports or takes for granted.
const RESERVED_TYPES: [&str; 42] = [
    "Asserted",
    "Bytes",
    "Channel",
    "ClaimLocation",
    "ClaimMoves",
    "Describe",
    "DStep",
    "Err",
    "Fault",
    "Flow",
    "GrowingProcesses",
    "GrowingQueue",
    "Handshake",
    "Hidden",
    "Locals",
    "Location",
    "LocationInfo",
    "Model",
    "ModelInfo",
    "Nobody",
    "None",
    "Offer",
    "Ok",
    "Option",
    "Outcome",
    "Packed",
    "Pid",
    "Place",
    "Process",
    "Processes",
    "Queue",
    "Reader",
    "Result",
    "Searches",
    "Some",
    "State",
    "Steps",
    "String",
    "Text",
    "TransitionId",
    "Words",
    "Writer",
];

/// The names taken in one place of the generated code.
#[derive(Default)]
struct Scope {
    taken: BTreeSet<String>,
}

impl Scope {
    fn reserving(names: &[&str]) -> Self {
        Self { taken: names.iter().map(|name| name.to_lowercase()).collect() }
    }

    /// The name itself, or with a number behind it if it is taken. Upper and
    /// lower case do not make a difference, since modules are files.
    fn take(&mut self, name: &str) -> Ident {
        let mut candidate = name.to_owned();
        let mut number = 2;
        while !self.taken.insert(candidate.to_lowercase()) {
            candidate = format!("{name}_{number}");
            number += 1;
        }
        identifier(&candidate)
    }

    /// The same where upper and lower case do make a difference.
    fn take_exactly(&mut self, name: &str) -> Ident {
        let mut candidate = name.to_owned();
        while !self.taken.insert(bare(&identifier(&candidate))) {
            candidate.push('_');
        }
        identifier(&candidate)
    }

    /// The name of a module, which is also that of methods, with and without `_mut`.
    fn take_module(&mut self, name: &str) -> Ident {
        let mut name = snake_case(name);
        let is_ours = RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || name.ends_with("_mut");
        if is_ours || identifier(&name) != name {
            name.push('_');
        }
        self.take(&name)
    }

    /// The same with letters: `line_6`, `line_6_b`, `line_6_c`.
    fn take_lettered(&mut self, name: &str, separator: &str) -> Ident {
        let mut candidate = name.to_owned();
        let mut number = 1;
        while !self.taken.insert(candidate.clone()) {
            let is_upper = separator.is_empty();
            candidate = format!("{name}{separator}{}", letters(number, is_upper));
            number += 1;
        }
        identifier(&candidate)
    }
}

/// 1 is `b`, 25 is `z`, 26 is `aa`.
fn letters(mut number: usize, is_upper: bool) -> String {
    let first = if is_upper { b'A' } else { b'a' };
    let mut text = Vec::new();
    loop {
        text.push(char::from(first + u8::try_from(number % 26).expect("a remainder of 26")));
        number /= 26;
        if number == 0 {
            break;
        }
        number -= 1;
    }
    text.iter().rev().collect()
}

/// A Rust identifier for a Promela one. Promela's are letters, digits and
/// underscores; whatever else should come is replaced, so that no text can
/// become code.
pub fn identifier(name: &str) -> Ident {
    let mut clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if clean.is_empty() || clean.starts_with(|c: char| c.is_ascii_digit()) || clean == "_" {
        clean.insert_str(0, "x_");
    }
    match syn::parse_str::<Ident>(&clean) {
        Ok(identifier) => identifier,
        Err(_) if matches!(clean.as_str(), "crate" | "self" | "Self" | "super") => {
            Ident::new(&format!("{clean}_"), Span::call_site())
        }
        Err(_) => Ident::new_raw(&clean, Span::call_site()),
    }
}

/// An identifier as text, without the mark of a raw one.
pub fn bare(identifier: &Ident) -> String {
    let text = identifier.to_string();
    text.strip_prefix("r#").map_or(text.clone(), ToOwned::to_owned)
}

/// `WorkerTwo` and `workerTwo` become `worker_two`.
fn snake_case(name: &str) -> String {
    let mut text = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && was_lower {
            text.push('_');
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        text.push(c.to_ascii_lowercase());
    }
    text
}

/// `worker_two` becomes `WorkerTwo`.
pub fn camel_case(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    let text: String = words
        .map(|word| {
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            first.to_uppercase() + rest
        })
        .collect();
    if text.is_empty() { "X".to_owned() } else { text }
}

/// A line of documentation from text of the model.
pub fn doc(text: &str) -> TokenStream {
    let text = visible(text);
    quote! { #[doc = #text] }
}

/// Text of the model for a string literal: control characters and those that
/// change the direction of writing are spelled out, since rustc rejects the
/// latter even in comments and neither should surprise a reader.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let changes_direction =
            matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let is_invisible = matches!(c, '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
        if c.is_control() || changes_direction || is_invisible {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The same for text of several lines.
pub fn visible_lines(text: &str) -> String {
    text.lines().map(|line| visible(line.trim())).collect::<Vec<_>>().join("\n")
}

fn shorten(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} ...", text[..end].trim_end()),
    }
}

/// A path without its folders: the same model gives the same bytes wherever it lies.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name of a label, for tables.
pub fn label_name(program: &Program<'_>, process: ProctypeId, label: LabelId) -> String {
    visible(&program.model.proctypes[process].labels[label].name)
}

/// A number as an unsuffixed literal, negative ones too.
pub fn literal(value: i32) -> TokenStream {
    if value == i32::MIN {
        return quote! { i32::MIN };
    }
    let digits = proc_macro2::Literal::i32_unsuffixed(value.abs());
    if value < 0 {
        quote! { -#digits }
    } else {
        quote! { #digits }
    }
}

/// A length or another number that is never negative.
pub fn count(value: usize) -> proc_macro2::Literal {
    proc_macro2::Literal::usize_unsuffixed(value)
}
