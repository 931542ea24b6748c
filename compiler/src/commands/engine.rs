//! The engines: a model is interpreted in this process, or its verifier is built and run, or the one is done until the
//! other is ready.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pmc_runtime::reduction::Independence;
use pmc_runtime::search::Searches;
use pmc_runtime::verdict::ExitCode;
use pmc_runtime::{Takeover, main_until, main_with};

use super::cache::discard;
use super::cancel::{Cancel, Waiting};
use super::supervise::{self, Ended};
use super::{ExitStatus, report, verifier};
use crate::cli::{Engine, ModelArgs, ReportFormat};
use crate::driver::{Error, Options, Session, on_large_stack};
use crate::interpret::Visitor;

/// For so long the interpreter runs before a verifier that is in the cache takes over: starting one costs about as much.
const KNOWN: Duration = Duration::from_millis(12);

/// For so long after that no code is generated: most models are small, and generating code cannot be cut short.
const AT_ONCE: Duration = Duration::from_millis(8);

/// For so long after that nothing is built.
const ALONE: Duration = Duration::from_millis(80);

/// Runs a model with the arguments of a verifier. A model that is wrong is reported instead, in the format given.
pub fn run(
    engine: Engine,
    model: &ModelArgs,
    format: ReportFormat,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<ExitStatus, Error> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match engine {
        Engine::Compiled => verifier::build_and_run(model, format, arguments),
        Engine::Interpret => interpret(model, format, arguments),
        Engine::Auto => interpret_and_build(model, format, arguments),
    }
}

/// Runs the model in this process.
pub fn interpret(
    model: &ModelArgs,
    format: impl Into<ReportFormat>,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&model.path, &model.options())?;
    interpret_session(&mut session, model, format.into(), texts(arguments))
}

fn interpret_session(
    session: &mut Session,
    model: &ModelArgs,
    format: ReportFormat,
    arguments: Vec<String>,
) -> Result<ExitStatus, Error> {
    session.interpret(|session, interpretable| {
        report(session, format, model.color)?;
        Ok(match interpretable {
            Ok(interpretable) => exit_status(interpretable.visit(Main { arguments })),
            Err(_) => ExitStatus::Wrong,
        })
    })
}

/// Runs the model in this process, or, if it has embedded C, the verifier that is built of it.
pub fn interpret_or_build(
    model: &ModelArgs,
    format: impl Into<ReportFormat>,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<ExitStatus, Error> {
    let (options, arguments): (_, Vec<OsString>) = (model.options(), arguments.into_iter().collect());
    let mut session = Session::open(&model.path, &options)?;
    let (name, text) = session.name_and_text();
    // Messages are those of the run that follows.
    let _ = session.resolve();
    let has_c = session.has_c();
    let mut session = Session::from_text(&name, text, &options)?;
    match has_c {
        true => verifier::build_and_run_session(session, model, format.into(), arguments),
        false => interpret_session(&mut session, model, format.into(), texts(arguments)),
    }
}

/// Runs a model in this process about which all was said already.
fn interpret_again(
    (name, text): &(String, String),
    options: &Options,
    arguments: &[OsString],
) -> Result<ExitStatus, Error> {
    let mut session = Session::from_text(name, text.clone(), options)?;
    let arguments = texts(arguments.iter().cloned());
    Ok(session.interpret(|_, interpretable| match interpretable {
        Ok(interpretable) => exit_status(interpretable.visit(Main { arguments })),
        Err(_) => ExitStatus::Wrong,
    }))
}

/// Runs the model in this process, while its verifier is built. The verifier takes over from the beginning if it is
/// ready first.
fn interpret_and_build(model: &ModelArgs, format: ReportFormat, arguments: Vec<OsString>) -> Result<ExitStatus, Error> {
    let options = model.options();
    let mut session = Session::open(&model.path, &options)?;
    let name_and_text = session.name_and_text();
    let (takeover, cancel) = (Takeover::new(), Cancel::default());
    let given = texts(arguments.iter().cloned());
    let interpreted = session.interpret(|session, interpretable| {
        if session.has_c() {
            return Ok(Interpreted::HasC);
        }
        report(session, format, model.color)?;
        let Ok(interpretable) = interpretable else { return Ok(Interpreted::Verdict(ExitStatus::Wrong)) };
        let identity = session.identity();
        std::thread::scope(|scope| {
            let builder = scope.spawn(|| build_beside(&name_and_text, &options, &identity, &takeover, &cancel));
            let end_of_search = CancelOnDrop(&cancel);
            let code = interpretable.visit(Until { arguments: given, takeover: &takeover });
            drop(end_of_search);
            // A panic of the builder cannot change a verdict.
            let program = builder.join().unwrap_or_default();
            match (code, program) {
                (Some(code), _) => Ok(Interpreted::Verdict(exit_status(code))),
                (None, Some(program)) => Ok(Interpreted::TakenOver(program)),
                (None, None) => Err(Error::Internal { message: "nothing took over".to_owned() }),
            }
        })
    })?;
    match interpreted {
        Interpreted::Verdict(status) => Ok(status),
        Interpreted::HasC => {
            let (name, text) = name_and_text;
            verifier::build_and_run_session(Session::from_text(&name, text, &options)?, model, format, arguments)
        }
        Interpreted::TakenOver(program) => {
            if io::stderr().is_terminal() {
                let _ = writeln!(io::stderr(), "the verifier is built: it starts from the beginning, compiled");
            }
            match supervise::run(&program, &arguments) {
                Ended::Status(status) => Ok(status),
                Ended::Interrupted => Ok(verifier::interrupted()),
                Ended::Unreported { how, may_be_better: true } => {
                    discard(&program);
                    note(&Error::NoReport { how });
                    takeover.withdraw();
                    interpret_again(&name_and_text, &options, &arguments)
                }
                Ended::Unreported { how, .. } => Err(Error::NoReport { how }),
            }
        }
    }
}

/// The build ends with the search, also if that panics.
struct CancelOnDrop<'c>(&'c Cancel);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// How an interpreted run ended.
enum Interpreted {
    Verdict(ExitStatus),
    /// Only a verifier that is built can execute the model.
    HasC,
    /// By the program that was built meanwhile.
    TakenOver(PathBuf),
}

/// Builds the verifier beside the interpreter. Returns the program if it has taken over.
///
/// The model is read again, since what is known of it cannot be shared between threads; that takes milliseconds.
fn build_beside(
    (name, text): &(String, String),
    options: &Options,
    identity: &str,
    takeover: &Takeover,
    cancel: &Cancel,
) -> Option<PathBuf> {
    let begin = Instant::now();
    let known = verifier::find_named(identity);
    let pause = if known.is_some() { KNOWN } else { KNOWN + AT_ONCE };
    if cancel.wait(pause.saturating_sub(begin.elapsed())) {
        return None;
    }
    let built = on_large_stack(|| {
        if known.is_some() {
            return Ok(known);
        }
        let mut session = Session::from_text(name, text.clone(), options)?;
        // A model that is wrong was reported already.
        let Ok(generated) = session.generate() else { return Ok(None) };
        // Files that change meanwhile give another verifier, which then has another identity.
        verifier::name(&session.identity(), &generated);
        if let Some(program) = verifier::find_built(&generated) {
            return Ok(Some(program));
        }
        if cancel.wait(ALONE) {
            return Ok(None);
        }
        verifier::build(&generated, Waiting::Search(cancel))
    });
    match built.and_then(|built| built) {
        Ok(Some(program)) => {
            takeover.begin();
            Some(program)
        }
        Ok(None) => None,
        Err(error) => {
            if !cancel.is_cancelled() {
                note(&error);
            }
            None
        }
    }
}

/// The interpreter goes on; the user learns what would be faster.
fn note(error: &Error) {
    let reason = match error {
        Error::NoCargo => {
            "there is no `cargo`; with a Rust toolchain (https://rustup.rs) large models are verified faster".to_owned()
        }
        Error::NoReport { how } => format!("the verifier ended without a report: {how}"),
        Error::Toolchain { reason, .. } => format!("no verifier takes over: {reason}"),
        other => match std::error::Error::source(other) {
            Some(cause) => format!("no verifier takes over: {other}: {cause}"),
            None => format!("no verifier takes over: {other}"),
        },
    };
    let _ = writeln!(io::stderr(), "note: the model is interpreted: {reason}");
}

/// An argument that is not valid Unicode can only be a file name, which is then not found.
fn texts(arguments: impl IntoIterator<Item = OsString>) -> Vec<String> {
    arguments.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
}

/// Does what the `main` of a verifier does.
struct Main {
    arguments: Vec<String>,
}

impl Visitor for Main {
    type Output = ExitCode;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> ExitCode {
        main_with(model, searches, &self.arguments)
    }
}

/// The same until another engine takes over.
struct Until<'t> {
    arguments: Vec<String>,
    takeover: &'t Takeover,
}

impl Visitor for Until<'_> {
    type Output = Option<ExitCode>;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> Option<ExitCode> {
        main_until(model, searches, &self.arguments, self.takeover)
    }
}

fn exit_status(code: ExitCode) -> ExitStatus {
    match code {
        ExitCode::Verified => ExitStatus::Fine,
        ExitCode::Violated => ExitStatus::Violated,
        ExitCode::Usage => ExitStatus::Wrong,
        ExitCode::Incomplete => ExitStatus::Incomplete,
        ExitCode::Failed => ExitStatus::Internal,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::Cli;
    use crate::commands::{self, ExitStatus};
    use crate::driver::{Error, on_large_stack};
    use crate::interpret::FAULT;

    /// A panic in any thread of a search ends as an internal error, whatever the search and the engine.
    #[test]
    fn a_fault_of_the_interpreter_is_no_verdict() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("model.pml");
        let model = format!(
            "byte x, y; ltl low {{ [] (x < 101) }}
active proctype p() {{ do :: x < 100 -> x++ :: x == 100 -> printf(\"{FAULT}\"); break od }}
active proctype q() {{ do :: y < 100 -> y++ :: y == 100 -> break od }}
"
        );
        std::fs::write(&path, model).expect("a file in it");
        let path = path.to_string_lossy();
        let searches = [
            "--safety --threads 1",
            "--safety --threads 2",
            "--safety --search bfs --threads 2",
            "--safety --search dfs",
            "--ltl low --threads 1",
            "--ltl low --threads 2",
            "--no-reduction --threads 2",
        ];
        for engine in ["interpret", "auto"] {
            for search in searches {
                let words = ["pmc", "verify", "--engine", engine, &*path, "--"].into_iter();
                let cli = Cli::parse_from(words.chain(search.split(' ')));
                let ended = on_large_stack(|| commands::run(&cli)).and_then(|result| result);
                let error = ended.expect_err(search);
                assert!(matches!(error, Error::Internal { .. }), "{engine} {search}: {error}");
                assert_eq!(ExitStatus::from(&error), ExitStatus::Internal);
            }
        }
        // The same model with another text has a verdict.
        let sound = std::fs::read_to_string(&*path).expect("the model").replace(FAULT, "fine");
        std::fs::write(&*path, sound).expect("the same file");
        let cli = Cli::parse_from(["pmc", "verify", "--engine", "interpret", &*path, "--", "--quiet"]);
        assert_eq!(on_large_stack(|| commands::run(&cli)).and_then(|result| result).unwrap(), ExitStatus::Fine);
    }
}
