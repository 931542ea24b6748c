//! The pipeline: all rooms, in their order.
//!
//! Each room takes the result of the previous one, and reports what is wrong with the model in [`Diagnostics`];
//! failures of the environment are an [`Error`].

mod capacities;
mod disk;
mod error;
mod members;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::analysis::merge::{Merging, merge};
use crate::analysis::ranges::Growing;
use crate::analysis::{self, Facts};
pub use crate::analysis::{Rules, Simplification, Simplify};
use crate::clock;
use crate::codegen::{self, Generated};
use crate::collections::Fnv;
use crate::diagnostic::{Diagnostic, Diagnostics, Lint, LintLevels, Stop};
use crate::exec;
use crate::interpret::Interpretable;
pub use crate::ir::EscapeOrder;
use crate::ir::{self, Program};
use crate::ltl;
use crate::model::{self, Model, Type};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::{self, Appended, PreprocessOptions, ast};
use crate::tables::{self, Tables};
use disk::{Disk, read_text};
pub use error::{Error, Said};

/// The user's options for a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Where to look for included files, after the folder of the including one.
    pub include_dirs: Vec<PathBuf>,
    pub lints: LintLevels,
    /// Files of claims, appended to the model.
    pub claim_files: Vec<PathBuf>,
    /// Formulas of the command line, named `formula_1` and so on.
    pub formulas: Vec<String>,
    /// A send to a full channel is executable, and the message is lost.
    pub loses_messages: bool,
    pub escapes: EscapeOrder,
    /// How long a timer runs is not known.
    pub abstract_time: bool,
    pub simplify: Simplify,
    /// Texts that count in place of the files.
    pub open_files: Vec<OpenFile>,
    /// Channels that have another capacity than the model says.
    pub capacities: Vec<(String, u32)>,
    /// For tests; there is no flag.
    pub rules: Rules,
}

/// A file that an editor has open, and that may not be saved.
#[derive(Clone, Debug)]
pub struct OpenFile {
    pub path: PathBuf,
    pub text: Arc<str>,
}

/// Whether a macro can have this name.
pub fn is_macro_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// A model and all that is known of it before it runs. Every command that shows or verifies a model takes this one
/// value, so that it shows what is verified.
pub struct Analysed<'m> {
    /// Control flow, with merged steps.
    pub program: Program<'m>,
    pub merging: Merging,
    pub facts: Facts,
    pub exec: exec::Program,
}

/// A model on its way through the rooms, and its diagnostics so far.
pub struct Session {
    pub sources: SourceMap,
    pub diagnostics: Diagnostics,
    main: FileId,
    disk: Disk,
    options: PreprocessOptions,
    loses_messages: bool,
    escapes: EscapeOrder,
    abstract_time: bool,
    simplify: Simplify,
    capacities: Vec<(String, u32)>,
    rules: Rules,
    has_c: bool,
}

impl Session {
    /// Reads a model from the disk; `-` is standard input.
    pub fn open(path: &Path, options: &Options) -> Result<Self, Error> {
        let (name, text) = read_text(path)?;
        Self::from_text(&name, text, options)
    }

    /// Takes a model from memory; messages call it `name`, and includes are searched for in the folder of that path.
    pub fn from_text(name: &str, text: String, options: &Options) -> Result<Self, Error> {
        let mut sources = SourceMap::new();
        let main = sources.add(name, text).ok_or_else(|| Error::TooLarge { path: name.to_owned() })?;
        let appended = append(options, &mut sources)?;
        let include_dirs = options.include_dirs.iter().map(|dir| dir.display().to_string()).collect();
        Ok(Self {
            sources,
            diagnostics: Diagnostics::new(options.lints.clone()),
            main,
            disk: Disk { open_files: options.open_files.clone() },
            options: PreprocessOptions { defines: options.defines.clone(), include_dirs, appended },
            loses_messages: options.loses_messages,
            escapes: options.escapes,
            abstract_time: options.abstract_time,
            simplify: options.simplify,
            capacities: options.capacities.clone(),
            rules: options.rules,
            has_c: false,
        })
    }

    /// Whether the model has embedded C; known once it is resolved.
    pub fn has_c(&self) -> bool {
        self.has_c
    }

    /// The model as messages name it.
    pub fn name(&self) -> &str {
        &self.sources.get(self.main).path
    }

    /// The model as messages name it, and its text, from which another session can be made.
    pub fn name_and_text(&self) -> (String, String) {
        let main = self.sources.get(self.main);
        (main.path.clone(), main.text.to_string())
    }

    /// Text to tree: macros, includes and inlines are expanded, separators inserted.
    pub fn parse(&mut self) -> Result<ast::File, Stop> {
        let file = self.parse_in_part()?;
        self.diagnostics.stop_on_error()?;
        Ok(file)
    }

    /// Text to a tree without timers: a clock process lowers variables.
    pub fn parse_for_spin(&mut self) -> Result<ast::File, Stop> {
        let file = self.parse_in_part()?;
        let model = model::resolve(&file, &self.sources, &mut self.diagnostics);
        self.diagnostics.stop_on_error()?;
        let Analysed { program, facts, .. } = self.analyse_processes(&model);
        let known = clock::Known { program: &program, ranges: &facts.ranges, population: &facts.population };
        let plain = clock::add(file, &known, &mut self.diagnostics);
        self.diagnostics.stop_on_error()?;
        Ok(plain)
    }

    /// Text to what can be read of it. Fails if the rest may mean something else than it seems to.
    fn parse_in_part(&mut self) -> Result<ast::File, Stop> {
        let tokens =
            syntax::tokenize(&mut self.sources, self.main, &mut self.disk, &self.options, &mut self.diagnostics);
        if self.diagnostics.has_errors() {
            syntax::doubt_lines_of_errors(&tokens, &self.sources, &mut self.diagnostics)?;
        }
        Ok(self.diagnostics.further(&self.sources, |found| syntax::parse(&tokens, &self.sources, found)))
    }

    /// Text to resolved model: nothing in it is ill-formed. After an error the rest is looked at, too, so that one run
    /// shows all errors of a file.
    pub fn resolve(&mut self) -> Result<Model, Stop> {
        let file = self.parse_in_part()?;
        let mut model = model::resolve(&file, &self.sources, &mut self.diagnostics);
        self.has_c = !model.embedded.is_empty();
        self.diagnostics.stop_on_error()?;
        model.abstract_time = self.abstract_time;
        if self.abstract_time {
            analysis::refuse_values_of_timers(&self.lower_processes(&model), &mut self.diagnostics);
            self.diagnostics.stop_on_error()?;
        }
        Ok(model)
    }

    /// Text to what could be resolved of it, for editors: names of a model with mistakes are known as far as they go. It
    /// must not be passed on.
    pub fn resolve_in_part(&mut self) -> Model {
        let tokens =
            syntax::tokenize(&mut self.sources, self.main, &mut self.disk, &self.options, &mut self.diagnostics);
        let file = syntax::parse(&tokens, &self.sources, &mut self.diagnostics);
        model::resolve(&file, &self.sources, &mut self.diagnostics)
    }

    /// Resolved model to control flow. Only a formula that is too large can fail here.
    pub fn lower<'m>(&mut self, model: &'m Model) -> Result<Program<'m>, Stop> {
        let refutations = ltl::refute(model, &mut self.diagnostics);
        self.diagnostics.stop_on_error()?;
        Ok(ir::lower_with(model, refutations, self.escapes))
    }

    /// The same without the formulas, which cannot fail.
    fn lower_processes<'m>(&self, model: &'m Model) -> Program<'m> {
        ir::lower_with(model, Vec::new(), self.escapes)
    }

    /// Text to resolved model, with constants folded unless that is switched off: no verdict depends on it.
    pub fn resolve_simplified(&mut self) -> Result<Model, Stop> {
        let mut model = self.resolve()?;
        self.check_members(&model)?;
        let start = self.sources.get(self.main).base;
        capacities::resize(&mut model, &self.capacities, Span::new(start, start), &mut self.diagnostics);
        self.diagnostics.stop_on_error()?;
        if self.simplify.does(Simplification::Constants) {
            model::constants::fold(&mut model);
        }
        Ok(model)
    }

    /// The members of scalarsets are only copied and compared.
    fn check_members(&mut self, model: &Model) -> Result<(), Stop> {
        if model.sets().next().is_none() {
            return Ok(());
        }
        let misuses = analysis::misuses(&self.lower_processes(model));
        members::report(model, &misuses, &self.sources, &mut self.diagnostics);
        self.diagnostics.stop_on_error()
    }

    /// Resolved model to all that is known before a run. Only a formula that is too large can fail here.
    pub fn analyse<'m>(&mut self, model: &'m Model) -> Result<Analysed<'m>, Stop> {
        let program = self.lower(model)?;
        Ok(self.analyse_program(program))
    }

    /// The same without the formulas, which cannot fail.
    pub fn analyse_processes<'m>(&self, model: &'m Model) -> Analysed<'m> {
        self.analyse_program(self.lower_processes(model))
    }

    fn analyse_program<'m>(&self, mut program: Program<'m>) -> Analysed<'m> {
        let merges = self.simplify.does(Simplification::Merge);
        let merging = if merges { merge(&mut program) } else { Merging::default() };
        let facts = analysis::analyze_by(self.rules, &program, self.simplify);
        let options = exec::build::Options { loses_messages: self.loses_messages };
        Analysed { exec: exec::build(&program, &facts, options), program, merging, facts }
    }

    /// All that there is to say about a model without running it.
    pub fn check(&mut self) -> Result<(), Stop> {
        let model = self.resolve_simplified()?;
        if may_grow(&model) {
            // A formula that is too large is reported by `pmc verify`.
            let mut unheard = Diagnostics::default();
            let refutations = ltl::refute(&model, &mut unheard);
            let refutations = if unheard.has_errors() { Vec::new() } else { refutations };
            let mut program = ir::lower_with(&model, refutations, self.escapes);
            if self.simplify.does(Simplification::Merge) {
                merge(&mut program);
            }
            self.warn_of_growth(&model, &analysis::growing(&program, self.simplify));
        }
        self.diagnostics.stop_on_error()
    }

    fn warn_of_growth(&mut self, model: &Model, growing: &[Growing]) {
        for one in growing {
            let declared = &model.variables[one.variable];
            let of = tables::growing_proctype(model, one).map(|name| format!(" of `{name}`")).unwrap_or_default();
            let message = format!("`{}`{of} grows without bound", tables::growing_name(model, one));
            let warning = Diagnostic::warning(Lint::UnboundedGrowth, one.span, message)
                .here("nothing limits how often this is done")
                .label(declared.span, "declared here")
                .help("give it a limit (a guard such as `n < 10`, or `% 10`), or a smaller type: a search visits every value");
            self.diagnostics.add(warning);
        }
    }

    /// Text to the sources of a verifier. Once the model is lowered, nothing in it can make a later room fail.
    pub fn generate(&mut self) -> Result<Generated, Stop> {
        let model = self.resolve_simplified()?;
        let analysed = self.analyse(&model)?;
        self.warn_of_growth(&model, &analysed.facts.ranges.growing);
        self.diagnostics.stop_on_error()?;
        let tables = self.tables(&analysed.program, &analysed.facts);
        Ok(codegen::generate(&analysed.program, &analysed.facts, &analysed.exec, &tables, &self.sources))
    }

    /// The static information about a model, for the back ends.
    pub fn tables(&self, program: &Program<'_>, facts: &Facts) -> Tables {
        Tables::new(program, facts, &self.sources, &self.hash())
    }

    /// Text to a model that can be executed in this process, which `act` gets. The messages about the model are complete
    /// by then; `act` gets nothing if it is wrong.
    pub fn interpret<T>(&mut self, act: impl FnOnce(&Self, Result<&Interpretable<'_>, Stop>) -> T) -> T {
        let model = match self.resolve_simplified() {
            Ok(model) => model,
            Err(stop) => return act(self, Err(stop)),
        };
        if let Some(span) = model.embedded.first() {
            let error = Diagnostic::error(
                model::codes::EMBEDDED_C,
                span,
                "the model has embedded C, which pmc does not run in its own process",
            )
            .help("`pmc verify`, `pmc simulate` and `pmc replay` build its verifier, and run that");
            self.diagnostics.add(error);
            return act(self, Err(Stop));
        }
        let analysed = self.analyse(&model).and_then(|analysed| {
            self.warn_of_growth(&model, &analysed.facts.ranges.growing);
            self.diagnostics.stop_on_error().map(|()| analysed)
        });
        match analysed {
            Ok(Analysed { program, facts, exec, .. }) => {
                let interpretable = Interpretable::new(&program, &facts, &exec, &self.sources, &self.hash());
                act(self, Ok(&interpretable))
            }
            Err(stop) => act(self, Err(stop)),
        }
    }

    /// A hash of all that generated code is made from, names of files and this program included: two sessions with the same
    /// identity generate the same verifier.
    pub fn identity(&self) -> String {
        let mut identity = Fnv::default();
        identity.add(self.hash().as_bytes());
        // As seen from the folder of the model, which may depend on the working folder.
        let paths: Vec<&str> = self.sources.files().iter().map(|file| &*file.path).collect();
        for name in paths.iter().map(|path| (*path).to_owned()).chain(tables::from_folder(&paths)) {
            identity.add(name.as_bytes());
        }
        // A program that was built anew may generate other code under the same version.
        if let Ok(program) = std::env::current_exe().and_then(std::fs::metadata) {
            identity.add(&program.len().to_le_bytes());
            let built = program.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            identity.add(&built.unwrap_or_default().as_nanos().to_le_bytes());
        }
        identity.to_string()
    }

    /// A hash of all that the verifier is made from. Trails belong to the model with the same hash.
    fn hash(&self) -> String {
        let mut hash = Fnv::default();
        hash.add(env!("CARGO_PKG_VERSION").as_bytes());
        hash.add(&[u8::from(self.loses_messages), u8::from(self.escapes == EscapeOrder::InnerFirst)]);
        hash.add(&Simplification::ALL.map(|one| u8::from(self.simplify.does(one))));
        if self.abstract_time {
            hash.add(b"abstract time");
        }
        for (channel, capacity) in &self.capacities {
            hash.add(channel.as_bytes());
            hash.add(&capacity.to_le_bytes());
        }
        for define in &self.options.defines {
            hash.add(define.as_bytes());
        }
        for appended in &self.options.appended {
            hash.add(match appended {
                Appended::Items(_) => b"items",
                Appended::Formula { .. } => b"formula",
            });
        }
        for file in self.sources.files() {
            hash.add(file.text.as_bytes());
        }
        hash.to_string()
    }
}

/// Whether a variable has a type that is large enough for growth to matter.
fn may_grow(model: &Model) -> bool {
    let is_wide = |ty: Type| matches!(ty, Type::Short | Type::Int | Type::Unsigned(_));
    let fields = model.records.iter().flat_map(|record| &record.fields).map(|field| field.ty);
    model.variables.iter().map(|variable| variable.ty).chain(fields).any(is_wide)
}

/// The claims and formulas that the command line adds to a model.
fn append(options: &Options, sources: &mut SourceMap) -> Result<Vec<Appended>, Error> {
    let mut appended = Vec::new();
    for path in &options.claim_files {
        let (name, text) = read_text(path)?;
        let file = sources.add(name.as_str(), text).ok_or(Error::TooLarge { path: name })?;
        appended.push(Appended::Items(file));
    }
    for (formula, number) in options.formulas.iter().zip(1..) {
        let path = if options.formulas.len() == 1 { "<formula>".to_owned() } else { format!("<formula_{number}>") };
        let file = sources.add(path.as_str(), formula.as_str()).ok_or(Error::TooLarge { path })?;
        appended.push(Appended::Formula { file, name: format!("formula_{number}") });
    }
    Ok(appended)
}

/// Trees are walked by recursion, and a model may nest its statements and expressions as deep as `ast::MAX_DEPTH`. A
/// thread's usual stack of 2 to 8 MiB would be too small for that in an unoptimized build, so the whole run gets a
/// larger stack. Pages that are not touched cost nothing.
const STACK: usize = 256 << 20;

/// Runs `work` on a stack that is large enough for the deepest model. A panic in
/// it becomes [`Error::Internal`].
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("pmc".to_owned()).stack_size(STACK);
        let handle = thread.spawn_scoped(scope, work).map_err(|source| Error::Thread { source })?;
        handle.join().map_err(|payload| {
            let text = payload.downcast_ref::<&str>().map(ToString::to_string);
            let message = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            Error::Internal { message }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named() {
        let error = Session::open(Path::new("no/such/model.pml"), &Options::default()).err().expect("no such file");
        assert_eq!(error.to_string(), "cannot read `no/such/model.pml`");
        assert!(std::error::Error::source(&error).is_some());
    }

    const MODEL: &str = "#define p (x == 1)\nbyte x;\nactive proctype P() { there: x = 1 }";

    /// The formulas of a model with others from the command line; or the messages, each with its position.
    fn with_formulas(formulas: &[&str]) -> Result<Vec<String>, Vec<String>> {
        let formulas = formulas.iter().map(ToString::to_string).collect();
        let options = Options { formulas, ..Options::default() };
        let mut session = Session::from_text("model.pml", MODEL.to_owned(), &options).unwrap();
        match session.resolve() {
            Ok(model) => Ok(model.formulas.iter().map(|ltl| ltl.name.to_string()).collect()),
            Err(Stop) => Err(session
                .diagnostics
                .sorted()
                .iter()
                .map(|found| {
                    let (file, at) =
                        (session.sources.file(found.primary.span), session.sources.position(found.primary.span));
                    format!("{}:{}:{} {}", file.path, at.line, at.column, found.message)
                })
                .collect()),
        }
    }

    #[test]
    fn a_formula_uses_names_and_macros_of_the_model() {
        let names = vec!["formula_1".to_owned(), "formula_2".to_owned()];
        assert_eq!(with_formulas(&["[] (p -> <> (x != 1))", "<> P@there"]), Ok(names));
    }

    #[test]
    fn what_is_wrong_with_a_formula_is_shown_in_it() {
        let check = |formulas: &[&str], expected: &str| {
            assert_eq!(with_formulas(formulas), Err(vec![expected.to_owned()]), "{formulas:?}");
        };
        check(&["[] (y == 1)"], "<formula>:1:5 no variable `y` in scope");
        check(&["[] p", "<> nobody@there"], "<formula_2>:1:4 there is no proctype `nobody`");
        check(&["p } init { skip"], "<formula>:1:3 there are no braces in a formula");
        check(&[""], "<formula>:1:1 the formula is empty");
        check(&["[] (p"], "<formula>:1:6 expected `)` to close the `(` on line 1, found the end");
    }

    #[test]
    fn formulas_are_part_of_what_a_trail_belongs_to() {
        let hash = |formulas: &[&str]| {
            let formulas = formulas.iter().map(ToString::to_string).collect();
            let options = Options { formulas, ..Options::default() };
            Session::from_text("model.pml", MODEL.to_owned(), &options).unwrap().hash()
        };
        assert_eq!(hash(&["[] p"]), hash(&["[] p"]));
        assert_ne!(hash(&["[] p"]), hash(&["<> p"]));
        assert_ne!(hash(&["[] p"]), hash(&[]));
    }

    #[test]
    fn a_folder_is_not_a_model() {
        let error = Session::open(Path::new("src"), &Options::default()).err().expect("a folder");
        assert_eq!(error.to_string(), "`src` is a folder; name the model in it");
    }

    #[test]
    fn deep_recursion_and_panics_stay_inside() {
        fn depth(n: u64) -> u64 {
            if n == 0 { 0 } else { 1 + std::hint::black_box(depth(n - 1)) }
        }
        assert_eq!(on_large_stack(|| depth(100_000)).unwrap(), 100_000);
        let error = on_large_stack(|| panic!("believed {}", 1)).unwrap_err();
        assert!(error.to_string().contains("please send us this model (believed 1)"), "{error}");
    }
}
