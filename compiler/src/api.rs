//! The entry points of the library, for programs that work with models.
//!
//! [`check`], [`warnings`] and [`compile`] take a model as text; [`Build`] takes a file with its macros, in a test or in a
//! build script.

mod explained;

use std::fmt;
use std::path::{Path, PathBuf};

use pmc_runtime::Surroundings;
use pmc_runtime::options::Options as CheckOptions;
use pmc_runtime::verdict::Report;

use crate::codegen::{self, Generated, GeneratedFile};
use crate::diagnostic::render::{Style, render_one};
use crate::diagnostic::{Level, Lint, Severity};
use crate::driver::{self, Options, Session, is_macro_name, on_large_stack};
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
    /// With an excerpt of the model, on several lines, as `pmc check` shows it.
    pub shown: String,
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
///
/// `Debug` is for people, too: it is what a test or a build script shows that returns the error from `main`.
#[derive(thiserror::Error)]
pub enum Error {
    /// The model is wrong; warnings are among the messages, too.
    #[error("{}", lines(.0))]
    Model(Vec<Message>),
    #[error(transparent)]
    World(#[from] driver::Error),
    #[error("`{name}` is not the name of a macro")]
    MacroName { name: String },
    #[error(
        "the model has embedded C, which a module in another crate cannot have; `write_crate` makes a crate of its own"
    )]
    EmbeddedC,
    #[error("nowhere to write to: outside of a build script, give `out_dir`")]
    NoOutDir,
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Model(messages) = self {
            return messages.iter().try_for_each(|message| write!(f, "\n{}", message.shown));
        }
        write!(f, "{self}")?;
        let mut cause = std::error::Error::source(self);
        while let Some(source) = cause {
            write!(f, ": {source}")?;
            cause = source.source();
        }
        Ok(())
    }
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
/// If the model is wrong, [`Error`] is shown as `pmc check` shows it; if it is violated, `assert_verified` panics with the
/// run, and writes its trail and a page for a browser to the folder `target/pmc`.
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
        check_session(session, &CheckOptions::default(), Surroundings::default())
    })?
}

fn check_session(mut session: Session, options: &CheckOptions, surroundings: Surroundings) -> Result<Report, Error> {
    session.interpret(|session, interpretable| {
        let (interpretable, _) = finish(session, interpretable)?;
        Ok(interpretable.visit(explained::Check { options, surroundings }))
    })
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
            shown: render_one(&session.sources, diagnostic, Style::default()),
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

    /// Takes time in the abstract, as `--timers abstract` does: it is not known how long a timer runs.
    pub fn abstract_time(mut self) -> Self {
        self.options.abstract_time = true;
        self
    }

    /// Keeps every step and every variable, as `-O0` does: counts of states are then those of `spin -o1 -o2 -o3`.
    pub fn unsimplified(mut self) -> Self {
        self.options.simplify = driver::Simplify::NONE;
        self
    }

    /// Where [`compile`](Self::compile) writes; without it, the `OUT_DIR` of the build script. A test that fails writes its
    /// counterexample there, too; without it, to `target/pmc`.
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
        let generated = self.generate()?;
        if generated.embedded_c().is_some() {
            return Err(Error::EmbeddedC);
        }
        let text = codegen::module(&generated.files);
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
        let mut surroundings = Surroundings::default();
        if let Some(dir) = &self.out_dir {
            surroundings.folder.clone_from(dir);
        }
        surroundings.sources = self.model.parent().map(|dir| dir.display().to_string()).unwrap_or_default();
        surroundings.replay = Some(explained::replay_command(&self.model, &self.options));
        on_large_stack(|| check_session(Session::open(&self.model, &self.options)?, options, surroundings))?
    }

    /// Verifies the model as [`check`](Self::check) does, for a test that says nothing more.
    ///
    /// ```no_run
    /// #[test]
    /// fn the_lock_is_correct() {
    ///     pmc::Build::new("models/lock.pml").define("N", "3").assert_verified();
    /// }
    /// ```
    ///
    /// # Panics
    /// If the model is wrong, with the messages of `pmc check`; if it is violated, with the report of `pmc verify`: the
    /// run into each violation, in words and values. Its trail and a page for a browser are written.
    #[track_caller]
    pub fn assert_verified(&self) {
        match self.check() {
            Ok(report) => report.assert_verified(),
            Err(error) => panic!("{error:?}"),
        }
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
            tell_cargo(files_read(&session).into_iter().map(|path| format!("rerun-if-changed={path}")));
            let (generated, warnings) = finish(&session, result)?;
            tell_cargo(warnings.iter().map(|warning| format!("warning={warning}")));
            Ok(generated)
        })?
    }
}

/// The files on the disk that a model was made from. A macro of [`Build::define`] is a text as well, but no file: cargo would
/// run the build script each time, since there is no such file.
fn files_read(session: &Session) -> Vec<String> {
    let paths = session.sources.files().iter().map(|file| file.path.clone());
    paths.filter(|path| !path.starts_with('<')).collect()
}

/// Cargo reads the standard output of a build script.
fn tell_cargo(lines: impl Iterator<Item = String>) {
    if std::env::var_os("OUT_DIR").is_some() {
        lines.for_each(|line| println!("cargo:{}", line.replace('\n', " ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_watches_files_that_are_there() {
        let dir = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("a file in it");
        write("m.pml", "#include \"m.h\"\nactive [N] proctype p() { x++ }");
        write("m.h", "byte x;");
        let options = Options { defines: vec!["N=2".to_owned(), "M".to_owned()], ..Options::default() };
        let mut session = Session::open(&dir.path().join("m.pml"), &options).expect("a file");
        session.check().expect("well formed");
        let mut read = files_read(&session);
        read.sort();
        assert_eq!(read, ["m.h", "m.pml"].map(|name| dir.path().join(name).display().to_string()));
    }

    #[test]
    fn what_is_up_to_date_is_not_written_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let model = dir.path().join("m.pml");
        std::fs::write(&model, "byte x; active [N] proctype p() { x++ }").expect("a file");
        let build = Build::new(&model).define("N", "2").out_dir(dir.path());
        let file = build.compile().expect("well formed");
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        std::fs::File::options().append(true).open(&file).and_then(|file| file.set_modified(long_ago)).expect("a time");
        build.compile().expect("well formed");
        assert_eq!(std::fs::metadata(&file).and_then(|data| data.modified()).expect("a time"), long_ago);
        build.define("M", "3").define("N", "3").compile().expect("well formed");
        assert_ne!(std::fs::metadata(&file).and_then(|data| data.modified()).expect("a time"), long_ago);
    }

    /// As a build script that returns the error shows it.
    #[test]
    fn an_error_of_a_model_is_shown_with_its_text() {
        let error = check("byte x;\nactive proctype p() { y = 1 }").expect_err("there is no `y`");
        let shown = format!("{error:?}");
        assert!(shown.starts_with("\nerror[P0201]: no variable `y` in scope"), "{shown}");
        assert!(shown.contains("model.pml:2:23") && shown.contains("active proctype p() { y = 1 }"), "{shown}");
        let missing = Build::new("no/such/model.pml").check().expect_err("there is no file");
        assert!(format!("{missing:?}").starts_with("cannot read `no/such/model.pml`: "), "{missing:?}");
    }
}
