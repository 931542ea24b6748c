//! What is known of a model while it is edited: its messages, its names and their uses.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::text::{Lines, Range};
use super::words::Words;
use crate::diagnostic::{Annotation, Code, Diagnostics, Severity};
use crate::driver::{Error, Options, Session};
use crate::model::visit::{each_statement, in_expr, in_formula, in_step};
use crate::model::{
    Communication, Expr, ExprKind, Init, Model, Origin, Owner, Process, ProcessKind, Type, VariableId, stored_places,
};
use crate::source::{SourceMap, Span};

/// A model and all files that it includes, as the front end sees them.
pub struct Index {
    pub files: Vec<File>,
    pub findings: Vec<Finding>,
    pub symbols: Vec<Symbol>,
    /// In the order of their places.
    pub uses: Vec<UseOf>,
    /// Whether the model has errors: it cannot be verified then.
    pub is_wrong: bool,
}

pub struct File {
    pub path: PathBuf,
    pub lines: Lines,
    pub words: Words,
}

/// A message about the model.
pub struct Finding {
    pub place: FilePlace,
    pub is_error: bool,
    pub code: String,
    pub text: String,
    pub related: Vec<(FilePlace, String)>,
}

/// A range in one of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePlace {
    pub file: usize,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    Variable,
    Channel,
    Constant,
    Record,
    Field,
    Proctype,
    Init,
    Never,
    Label,
    Formula,
}

/// Something that has a name in the model.
pub struct Symbol {
    pub name: String,
    pub kind: SymbolKind,
    /// As it would be declared.
    pub declaration: String,
    pub comment: Option<String>,
    /// Of a local variable, a parameter or a label: the name of the process.
    pub owner: Option<String>,
    /// The name in its declaration.
    pub place: FilePlace,
    /// For what processes and claims use it: `read`, `written`.
    pub roles: Vec<(Role, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Reads,
    Writes,
    Sends,
    Receives,
}

pub struct UseOf {
    pub place: FilePlace,
    pub symbol: usize,
}

impl Index {
    /// Reads a model as far as that goes.
    pub fn new(name: &str, text: &str, options: &Options) -> Result<Self, Error> {
        let mut session = Session::from_text(name, text.to_owned(), options)?;
        let checked = session.check();
        // Names come from the model as it was written, before constants are folded, and also if it has errors.
        let mut other = Session::from_text(name, text.to_owned(), options)?;
        let model = other.resolve_in_part();
        let mut index = Self {
            files: files(&other.sources),
            findings: findings(&session.sources, &session.diagnostics),
            symbols: Vec::new(),
            uses: Vec::new(),
            is_wrong: checked.is_err(),
        };
        SymbolCollector { model: &model, sources: &other.sources, symbols: &mut index.symbols }.collect();
        index.collect_uses(&model, &other.sources);
        Ok(index)
    }

    pub fn file_of(&self, path: &Path) -> Option<usize> {
        self.files.iter().position(|file| file.path == path)
    }

    pub fn range(&self, place: FilePlace) -> Range {
        self.files[place.file].lines.range(place.start, place.end)
    }

    /// The symbol that is used or declared at a place; the first one if the text of an inline may mean several.
    pub fn symbol_at(&self, file: usize, offset: usize) -> Option<&Symbol> {
        let is_here = |used: &&UseOf| used.place.file == file && used.place.start <= offset && offset <= used.place.end;
        // A word that begins here counts before one that ends here.
        let found = self.uses.iter().filter(is_here).max_by_key(|used| used.place.start);
        found.map(|used| &self.symbols[used.symbol])
    }

    pub fn has_claim(&self, name: &str) -> bool {
        let is_claim = |symbol: &Symbol| matches!(symbol.kind, SymbolKind::Formula | SymbolKind::Never);
        self.symbols.iter().any(|symbol| symbol.name == name && is_claim(symbol))
    }

    /// The word or sign at a line and column from 1, the column in characters; or the rest of the line.
    pub fn word_at(&self, file: usize, line: u32, column: u32) -> Option<FilePlace> {
        let text = &self.files.get(file)?.lines.text;
        let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)? as usize).map(str::len).sum();
        let rest = text.get(start..)?.lines().next()?;
        let (before, _) = rest.char_indices().nth(column.checked_sub(1)? as usize)?;
        Some(FilePlace { file, start: start + before, end: start + rest.trim_end().len().max(before) })
    }

    pub fn uses_of<'i>(&'i self, symbol: &'i Symbol) -> impl Iterator<Item = &'i UseOf> {
        self.uses.iter().filter(|used| self.symbols[used.symbol].place == symbol.place)
    }

    fn collect_uses(&mut self, model: &Model, sources: &SourceMap) {
        let mut by_place: Vec<(FilePlace, usize)> =
            self.symbols.iter().enumerate().map(|(number, symbol)| (symbol.place, number)).collect();
        by_place.sort_unstable();
        let mut found: BTreeSet<(FilePlace, usize)> = by_place
            .iter()
            .filter(|(_, number)| self.symbols[*number].is_named())
            .map(|(place, number)| (*place, *number))
            .collect();
        for used in &model.uses {
            let (Some(place), Some(declared)) = (place(sources, used.span), place(sources, used.declared)) else {
                continue;
            };
            let Ok(at) = by_place.binary_search_by(|(other, _)| other.cmp(&declared)) else { continue };
            let symbol = by_place[at].1;
            // What came out of a macro stands where the macro is used.
            if sources.text(used.span) == self.symbols[symbol].name {
                found.insert((place, symbol));
            }
        }
        self.uses = found.into_iter().map(|(place, symbol)| UseOf { place, symbol }).collect();
    }
}

impl Symbol {
    /// Whether it is a variable that has values.
    pub fn has_values(&self) -> bool {
        self.kind == SymbolKind::Variable
    }

    /// Whether its place is its name, and not all of a nameless item.
    fn is_named(&self) -> bool {
        self.place.end - self.place.start == self.name.len()
    }
}

fn files(sources: &SourceMap) -> Vec<File> {
    let one = |file: &crate::source::SourceFile| File {
        path: PathBuf::from(&file.path),
        lines: Lines::new(file.text.clone()),
        words: Words::of(file),
    };
    sources.files().iter().map(one).collect()
}

/// A span as a place in its file. A span never leaves its file, but this does not rely on it.
pub fn place(sources: &SourceMap, span: Span) -> Option<FilePlace> {
    let file = sources.file_number(span);
    let source = sources.files().get(file)?;
    let local = |offset: u32| offset.saturating_sub(source.base) as usize;
    let end = span.end.clamp(span.start, source.end().max(span.start));
    Some(FilePlace { file, start: local(span.start), end: local(end) })
}

fn findings(sources: &SourceMap, diagnostics: &Diagnostics) -> Vec<Finding> {
    let related = |label: &Annotation| Some((place(sources, label.span)?, label.text.clone()));
    let mut found = Vec::new();
    for diagnostic in diagnostics.sorted() {
        let Some(place) = place(sources, diagnostic.primary.span) else { continue };
        let mut text = diagnostic.message.clone();
        if !diagnostic.primary.text.is_empty() {
            text += &format!(" ({})", diagnostic.primary.text);
        }
        if let Some(help) = &diagnostic.help {
            text += &format!("\nhelp: {help}");
        }
        let code = match diagnostic.code {
            Code::Error(_) => diagnostic.code.to_string(),
            Code::Lint(lint) => lint.name().to_owned(),
        };
        let is_error = diagnostic.severity == Severity::Error;
        let related = diagnostic.others.iter().filter_map(related).collect();
        found.push(Finding { place, is_error, code, text, related });
    }
    found
}

struct SymbolCollector<'m> {
    model: &'m Model,
    sources: &'m SourceMap,
    symbols: &'m mut Vec<Symbol>,
}

impl SymbolCollector<'_> {
    fn collect(&mut self) {
        let roles = roles(self.model);
        let model = self.model;
        for (id, variable) in model.variables.iter_enumerated() {
            if variable.origin == Origin::Synthetic {
                continue;
            }
            let owner = match variable.owner {
                Owner::Global => None,
                Owner::Proctype(id) => model.proctypes.get(id).map(|process| process.name.to_string()),
                Owner::Never(number) => model.never.get(number as usize).map(|claim| claim.name.to_string()),
            };
            let kind = if variable.ty == Type::Chan { SymbolKind::Channel } else { SymbolKind::Variable };
            let declaration = self.declaration(&variable.name, variable.ty, variable.length, &variable.init);
            let roles = roles.iter().filter(|(found, ..)| *found == id).map(|(_, role, name)| (*role, name.clone()));
            let (comment, roles) = (variable.comment.as_ref().map(ToString::to_string), roles.collect());
            self.add(&variable.name, kind, declaration, variable.span, comment, owner, roles);
        }
        for record in model.records.iter() {
            let fields: Vec<String> = record
                .fields
                .iter()
                .map(|field| self.declaration(&field.name, field.ty, field.length, &field.init))
                .collect();
            let declaration = format!("typedef {} {{ {} }}", record.name, fields.join("; "));
            self.add(&record.name, SymbolKind::Record, declaration, record.span, None, None, Vec::new());
            for (field, declaration) in record.fields.iter().zip(fields) {
                let owner = Some(record.name.to_string());
                self.add(&field.name, SymbolKind::Field, declaration, field.span, None, owner, Vec::new());
            }
        }
        for mtype in model.mtypes.iter().filter(|mtype| mtype.members.is_none()) {
            let kind = mtype.kind.as_ref().map(|kind| format!(":{kind}")).unwrap_or_default();
            for name in &mtype.names {
                let declaration = format!("mtype{kind} {} = {}", name.name, name.value);
                self.add(&name.name, SymbolKind::Constant, declaration, name.span, None, None, Vec::new());
            }
        }
        for process in model.proctypes.iter().chain(&model.never) {
            self.process(process);
        }
        for ltl in &model.formulas {
            let formula = self.sources.text(ltl.written).split_whitespace().collect::<Vec<_>>().join(" ");
            let declaration = format!("ltl {} {{ {formula} }}", ltl.name);
            self.add(&ltl.name, SymbolKind::Formula, declaration, ltl.span, None, None, Vec::new());
        }
    }

    fn process(&mut self, process: &Process) {
        let parameter = |id: &VariableId| {
            let variable = &self.model.variables[*id];
            self.declaration(&variable.name, variable.ty, variable.length, &Init::Zero)
        };
        let parameters: Vec<String> = process.parameters.iter().map(parameter).collect();
        let (kind, declaration) = match process.kind {
            ProcessKind::Proctype => {
                (SymbolKind::Proctype, format!("proctype {}({})", process.name, parameters.join("; ")))
            }
            ProcessKind::Init => (SymbolKind::Init, "init".to_owned()),
            ProcessKind::Never => (SymbolKind::Never, format!("never {}", process.name)),
        };
        let comment = process.comment.as_ref().map(ToString::to_string);
        self.add(&process.name, kind, declaration, process.span, comment, None, Vec::new());
        for label in process.labels.iter() {
            let owner = Some(process.name.to_string());
            let declaration = format!("{}:", label.name);
            self.add(&label.name, SymbolKind::Label, declaration, label.span, None, owner, Vec::new());
        }
    }

    fn declaration(&self, name: &str, ty: Type, length: Option<u32>, init: &Init) -> String {
        let (ty, width) = match ty {
            Type::Unsigned(width) => ("unsigned".to_owned(), format!(" : {width}")),
            ty => (self.model.type_text(ty), String::new()),
        };
        let length = length.map(|length| format!("[{length}]")).unwrap_or_default();
        let init = match init {
            Init::Channel(site) => self.channel(self.model.sites[*site].capacity, &self.model.sites[*site].fields),
            Init::FieldChannel { capacity, fields } => self.channel(*capacity, fields),
            Init::All(value) => value.as_constant().map(|value| format!(" = {value}")).unwrap_or_default(),
            Init::Zero | Init::List(_) => String::new(),
        };
        format!("{ty} {name}{length}{width}{init}")
    }

    fn channel(&self, capacity: u32, fields: &[Type]) -> String {
        let fields: Vec<String> = fields.iter().map(|ty| self.model.type_text(*ty)).collect();
        format!(" = [{capacity}] of {{ {} }}", fields.join(", "))
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of a symbol, which has a place if its span has")]
    fn add(
        &mut self,
        name: &str,
        kind: SymbolKind,
        declaration: String,
        span: Span,
        comment: Option<String>,
        owner: Option<String>,
        roles: Vec<(Role, String)>,
    ) {
        if let Some(place) = place(self.sources, span) {
            self.symbols.push(Symbol { name: name.to_owned(), kind, declaration, comment, owner, place, roles });
        }
    }
}

/// The processes and formulas that use each variable, and how; macros and inlines included.
fn roles(model: &Model) -> BTreeSet<(VariableId, Role, String)> {
    let mut found = BTreeSet::new();
    let trace = model.trace.iter().map(|trace| &trace.process);
    for process in model.proctypes.iter().chain(&model.never).chain(trace) {
        let name = process.name.to_string();
        let mut add = |variable: VariableId, role: Role| {
            found.insert((variable, role, name.clone()));
        };
        if let Some(provided) = &process.provided {
            in_expr(provided, &mut |expr| reads(expr, &mut add));
        }
        each_statement(&process.body, &mut |statement| {
            in_step(&statement.kind, &mut |expr| reads(expr, &mut add));
            statement.kind.assigned_places().iter().for_each(|place| add(place.variable, Role::Writes));
            match statement.kind.communication() {
                Some(Communication::Send { channel, .. }) => add(channel.place.variable, Role::Sends),
                Some(Communication::Receive { channel, pattern }) => {
                    add(channel.place.variable, Role::Receives);
                    stored_places(pattern).for_each(|place| add(place.variable, Role::Writes));
                }
                Some(Communication::Event { .. }) | None => {}
            }
        });
    }
    for ltl in &model.formulas {
        let name = format!("ltl {}", ltl.name);
        let mut add = |variable: VariableId, role: Role| {
            found.insert((variable, role, name.clone()));
        };
        in_formula(&ltl.formula, &mut |expr| reads(expr, &mut add));
    }
    found
}

fn reads(expr: &Expr, add: &mut impl FnMut(VariableId, Role)) {
    match &expr.kind {
        ExprKind::Read(place) => add(place.variable, Role::Reads),
        ExprKind::RemoteVariable { place, .. } => add(place.variable, Role::Reads),
        ExprKind::Probe(_, channel) | ExprKind::Poll { channel, .. } => add(channel.place.variable, Role::Reads),
        _ => {}
    }
}
