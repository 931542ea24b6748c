//! The entry points of the library, for programs that work with models.
//!
//! [`check`], [`warnings`] and [`compile`] take a model as text; [`Build`] takes a file with its macros, in a test or in a
//! build script.

use std::fmt;
use std::path::{Path, PathBuf};

use pmc_runtime::options::Options as CheckOptions;
use pmc_runtime::reduction::Independence;
use pmc_runtime::search::Searches;
use pmc_runtime::verdict::Report;

use crate::codegen::{self, Generated, GeneratedFile};
use crate::diagnostic::{Level, Lint, Severity};
use crate::driver::{self, Options, Session, is_macro_name, on_large_stack};
use crate::interpret::Visitor;
use crate::package::{self, Package, Runtime};

/// An error or a warning about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub severity: Severity,
    /// `P0203`, or the name of the lint.
    pub code: String,
    pub text: String,
    pub help: Option<String>,
    pub file: String,
    /// Lines and columns count from 1, columns in characters.
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let Self { code, text, file, line, column, .. } = self;
        write!(f, "{file}:{line}:{column}: {severity}[{code}]: {text}")?;
        self.help.iter().try_for_each(|help| write!(f, " (help: {help})"))
    }
}

/// Why there is no verifier.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The model is wrong; warnings are among the messages, too.
    #[error("{}", lines(.0))]
    Model(Vec<Message>),
    #[error(transparent)]
    World(#[from] driver::Error),
    #[error("`{name}` is not the name of a macro")]
    MacroName { name: String },
    #[error("nowhere to write to: outside of a build script, give `out_dir`")]
    NoOutDir,
}

impl From<package::Error> for Error {
    fn from(error: package::Error) -> Self {
        Self::World(error.into())
    }
}

fn lines(messages: &[Message]) -> String {
    messages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The warnings about a model, if it has no errors.
///
/// Files that it includes are looked for in the current folder.
///
/// ```
/// assert!(pmc::warnings("byte x; init { x = 1; assert(x == 1) }")?.is_empty());
///
/// let Err(pmc::Error::Model(messages)) = pmc::warnings("init { y = 1 }") else { panic!("there is no `y`") };
/// assert!(messages[0].to_string().starts_with("model.pml:1:8: error[P0"));
/// # Ok::<(), pmc::Error>(())
/// ```
pub fn warnings(text: &str) -> Result<Vec<Message>, Error> {
    let done = on_large_stack(|| {
        let mut session = Session::from_text(NAME, text.to_owned(), &Options::default())?;
        let result = session.check();
        finish(&session, result)
    })?;
    done.map(|((), warnings)| warnings)
}

/// Verifies a model in this process: everything that it states. Nothing is built, so that this suits a test; a model in a
/// file, with macros, is checked by [`Build::check`].
///
/// ```
/// pmc::check("byte x; active [2] proctype p() { x++; x--; assert(x < 2) }")?.assert_verified();
///
/// let report = pmc::check("byte x; active proctype p() { x = 1; assert(x == 2) }")?;
/// assert_eq!(report.verdict, pmc::Verdict::Violated);
/// # Ok::<(), pmc::Error>(())
/// ```
pub fn check(text: &str) -> Result<Report, Error> {
    on_large_stack(|| {
        let session = Session::from_text(NAME, text.to_owned(), &Options::default())?;
        check_session(session, &CheckOptions::default())
    })?
}

fn check_session(mut session: Session, options: &CheckOptions) -> Result<Report, Error> {
    session.interpret(|session, interpretable| {
        let (interpretable, _) = finish(session, interpretable)?;
        Ok(interpretable.visit(Check { options }))
    })
}

/// Checks a model, whatever the size of its states.
struct Check<'o> {
    options: &'o CheckOptions,
}

impl Visitor for Check<'_> {
    type Output = Report;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> Report {
        pmc_runtime::check(model, searches, self.options)
    }
}

/// The files of the crate that verifies a model: all of it, with its runtime.
///
/// ```
/// let files = pmc::compile("byte x; active proctype counter() { x++ }")?;
/// let counter = files.iter().find(|file| file.path == "src/counter.rs").expect("a module for each proctype");
/// assert!(counter.text.contains("x++"));
/// # Ok::<(), pmc::Error>(())
/// ```
pub fn compile(text: &str) -> Result<Vec<GeneratedFile>, Error> {
    let done = on_large_stack(|| {
        let mut session = Session::from_text(NAME, text.to_owned(), &Options::default())?;
        let result = session.generate();
        finish(&session, result)
    })?;
    let (generated, _) = done?;
    let file = |(path, text)| GeneratedFile { path, text };
    Ok(Package::new(generated, &Runtime::Inside).into_files().into_iter().map(file).collect())
}

/// The name of a model that came from no file.
const NAME: &str = "model.pml";

/// The result with the warnings, or all errors.
fn finish<T, S>(session: &Session, result: Result<T, S>) -> Result<(T, Vec<Message>), Error> {
    let message = |diagnostic: &crate::diagnostic::Diagnostic| {
        let position = session.sources.position(diagnostic.primary.span);
        Message {
            severity: diagnostic.severity,
            code: diagnostic.code.to_string(),
            text: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            file: session.sources.file(diagnostic.primary.span).path.clone(),
            line: position.line,
            column: position.column,
        }
    };
    let messages = session.diagnostics.sorted().into_iter().map(message).collect();
    match result {
        Ok(value) => Ok((value, messages)),
        Err(_) => Err(Error::Model(messages)),
    }
}

/// Compiles a model in a build script, as prost-build does with `.proto` files.
///
/// In `build.rs`, with `pmc` among the build dependencies:
///
/// ```no_run
/// fn main() -> Result<(), pmc::Error> {
///     pmc::Build::new("models/lock.pml").define("N", "3").compile()?;
///     Ok(())
/// }
/// ```
///
/// And in the crate, with `pmc-runtime` of the same version among the
/// dependencies:
///
/// ```text
/// mod lock {
///     include!(concat!(env!("OUT_DIR"), "/lock.rs"));
/// }
///
/// #[test]
/// fn the_lock_is_correct() {
///     lock::check().assert_verified();
/// }
///
/// #[test]
/// fn every_waiting_process_gets_the_lock_under_fairness() {
///     let ask = lock::Ask::Claim("served".into());
///     let options = lock::Options { ask, fair: true, ..lock::Options::default() };
///     lock::check_with(&options).assert_verified();
/// }
/// ```
///
/// The verifier is generated again when the model or a file that it includes changes, and cargo shows warnings about
/// the model.
#[derive(Clone, Debug)]
#[must_use]
pub struct Build {
    model: PathBuf,
    options: Options,
    out_dir: Option<PathBuf>,
}

impl Build {
    /// The path is relative to the folder of the package, where build scripts run.
    pub fn new(model: impl Into<PathBuf>) -> Self {
        Self { model: model.into(), options: Options::default(), out_dir: None }
    }

    /// Defines a macro, as `-D NAME=VALUE` does.
    pub fn define(mut self, name: &str, value: &str) -> Self {
        self.options.defines.push(format!("{name}={value}"));
        self
    }

    /// Looks for included files in this folder too, as `-I DIR` does.
    pub fn include(mut self, dir: impl Into<PathBuf>) -> Self {
        self.options.include_dirs.push(dir.into());
        self
    }

    /// Gives a lint a level, as `-A NAME`, `-W NAME` and `--deny NAME` do; of several the strictest counts.
    ///
    /// ```
    /// use pmc::diagnostic::{Level, Lint};
    ///
    /// let dir = tempfile::tempdir().expect("a folder for temporary files");
    /// let model = dir.path().join("old.pml");
    /// std::fs::write(&model, "byte a[2]; init { a = 1 }").expect("it can be written");
    /// let build = pmc::Build::new(&model).out_dir(dir.path());
    /// assert!(build.compile().is_err());
    /// build.lint(Lint::ArrayWithoutIndex, Level::Allow).compile()?;
    /// # Ok::<(), pmc::Error>(())
    /// ```
    pub fn lint(mut self, lint: Lint, level: Level) -> Self {
        let lints = &mut self.options.lints;
        match level {
            Level::Allow => lints.allowed.push(lint),
            Level::Warn => lints.warned.push(lint),
            Level::Deny => lints.denied.push(lint),
        }
        self
    }

    /// Makes a send to a full channel executable; its message is lost.
    pub fn lose_messages(mut self) -> Self {
        self.options.loses_messages = true;
        self
    }

    /// Tries the inner escape of nested `unless` first, as `-J` does.
    pub fn inner_escape_first(mut self) -> Self {
        self.options.escapes = driver::EscapeOrder::InnerFirst;
        self
    }

    /// Keeps every step and every variable, as `-O0` does: counts of states are then those of `spin -o1 -o2 -o3`.
    pub fn unsimplified(mut self) -> Self {
        self.options.simplify = driver::Simplify::NONE;
        self
    }

    /// Where [`compile`](Self::compile) writes; without it, the `OUT_DIR` of the build script.
    pub fn out_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(dir.into());
        self
    }

    /// Writes the verifier as a module to be included, and returns the path of its file: `lock.rs` for `lock.pml`.
    ///
    /// ```
    /// let dir = tempfile::tempdir().expect("a folder for temporary files");
    /// let model = dir.path().join("lock.pml");
    /// std::fs::write(&model, "byte x; active [N] proctype p() { x++ }").expect("it can be written");
    /// let file = pmc::Build::new(&model).define("N", "2").out_dir(dir.path()).compile()?;
    /// assert_eq!(file, dir.path().join("lock.rs"));
    /// # Ok::<(), pmc::Error>(())
    /// ```
    pub fn compile(&self) -> Result<PathBuf, Error> {
        let out_dir = self.out_dir.clone().or_else(|| std::env::var_os("OUT_DIR").map(PathBuf::from));
        let out_dir = out_dir.ok_or(Error::NoOutDir)?;
        let text = codegen::module(&self.generate()?.files);
        let stem = self.model.file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
        let name = format!("{stem}.rs");
        Package::module(name.clone(), text).write(&out_dir)?;
        Ok(out_dir.join(name))
    }

    /// Verifies the model in this process, by interpretation: everything that it states. A test needs no build script
    /// for that; large models are verified faster by a module that [`compile`](Self::compile) writes.
    ///
    /// ```
    /// let dir = tempfile::tempdir().expect("a folder for temporary files");
    /// let model = dir.path().join("lock.pml");
    /// std::fs::write(&model, "byte x; active [N] proctype p() { x++; assert(x <= N) }").expect("it can be written");
    /// pmc::Build::new(&model).define("N", "3").check()?.assert_verified();
    /// # Ok::<(), pmc::Error>(())
    /// ```
    pub fn check(&self) -> Result<Report, Error> {
        self.check_with(&CheckOptions::default())
    }

    /// The same for some properties, with limits, or in another way.
    pub fn check_with(&self, options: &CheckOptions) -> Result<Report, Error> {
        self.check_names()?;
        on_large_stack(|| check_session(Session::open(&self.model, &self.options)?, options))?
    }

    /// Writes the verifier as a crate of its own, as `pmc compile -o DIR` does.
    pub fn write_crate(&self, dir: impl AsRef<Path>) -> Result<(), Error> {
        Ok(Package::new(self.generate()?, &Runtime::Inside).write(dir.as_ref())?)
    }

    /// The files of such a crate that are not up to date.
    pub fn differences(&self, dir: impl AsRef<Path>) -> Result<Vec<String>, Error> {
        Ok(Package::new(self.generate()?, &Runtime::Inside).differences(dir.as_ref()))
    }

    fn check_names(&self) -> Result<(), Error> {
        let mut names = self.options.defines.iter().map(|define| define.split_once('=').map_or(&**define, |it| it.0));
        match names.find(|name| !is_macro_name(name)) {
            Some(name) => Err(Error::MacroName { name: name.to_owned() }),
            None => Ok(()),
        }
    }

    fn generate(&self) -> Result<Generated, Error> {
        self.check_names()?;
        on_large_stack(|| {
            let mut session = Session::open(&self.model, &self.options)?;
            let result = session.generate();
            let files = session.sources.files().iter().map(|file| format!("rerun-if-changed={}", file.path));
            tell_cargo(files);
            let (generated, warnings) = finish(&session, result)?;
            tell_cargo(warnings.iter().map(|warning| format!("warning={warning}")));
            Ok(generated)
        })?
    }
}

/// Cargo reads the standard output of a build script.
fn tell_cargo(lines: impl Iterator<Item = String>) {
    if std::env::var_os("OUT_DIR").is_some() {
        lines.for_each(|line| println!("cargo:{}", line.replace('\n', " ")));
    }
}
