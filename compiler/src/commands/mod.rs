//! One file for each command. A command takes its arguments, calls the driver, and shows the result.

mod c_compiler;
mod cache;
mod cancel;
mod cargo;
mod check;
mod compile;
mod completions;
mod engine;
mod expand;
mod explain;
mod explore;
mod graph;
mod init;
mod lsp;
mod ltl;
mod man;
mod pictures;
mod refusal;
mod replay;
mod simulate;
mod story;
mod supervise;
mod verifier;
mod verify;
pub mod version;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use crate::cli::{Cli, Color, Command, ReportFormat};
use crate::diagnostic::json::to_json;
use crate::diagnostic::junit::to_junit;
use crate::diagnostic::render::{Style, render};
use crate::diagnostic::sarif::to_sarif;
use crate::driver::{Error, Session};

/// The result of a run, as the shell sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// All is well.
    Fine = 0,
    /// A property is violated, or a check failed.
    Violated = 1,
    /// The model or the command line is wrong.
    Wrong = 2,
    /// The search is incomplete and found nothing wrong.
    Incomplete = 3,
    /// An error in pmc, or the verifier could not be built.
    Internal = 101,
}

impl From<&Error> for ExitStatus {
    /// A verifier that was not built gives no verdict, so that must not look like a mistake in the model.
    fn from(error: &Error) -> Self {
        match error {
            Error::Internal { .. }
            | Error::Build { .. }
            | Error::Toolchain { .. }
            | Error::NoCargo
            | Error::NoCache
            | Error::NoReport { .. }
            | Error::Cache { .. }
            | Error::Run { .. }
            | Error::Thread { .. }
            | Error::Write { .. } => Self::Internal,
            Error::Read { .. }
            | Error::Folder { .. }
            | Error::TooLarge { .. }
            | Error::InputTaken
            | Error::Listen { .. }
            | Error::OnePicture
            | Error::OutputTaken
            | Error::Picture { .. }
            | Error::ReadTwice
            | Error::Trail { .. }
            | Error::Flags { .. }
            | Error::NoModels { .. }
            | Error::NoProject
            | Error::Create { .. }
            | Error::NoProctype { .. }
            | Error::NoCode { .. }
            | Error::ForeignCode
            | Error::PictureOfC
            | Error::NoCompiler { .. }
            | Error::RefusedC { .. }
            | Error::Package(_) => Self::Wrong,
        }
    }
}

pub fn run(cli: &Cli) -> Result<ExitStatus, Error> {
    match &cli.command {
        Command::Verify(verify) => verify::run(verify),
        Command::Simulate(simulate) => simulate::run(simulate),
        Command::Replay(replay) => replay::run(replay),
        Command::Compile(compile) => compile::run(compile),
        Command::Check(check) => check::run(check),
        Command::Expand(expand) => expand::run(expand),
        Command::Explain(explain) => explain::run(explain),
        Command::Explore(explore) => explore::run(explore),
        Command::Graph(graph) => graph::run(graph),
        Command::Ltl(ltl) => ltl::run(ltl),
        Command::Lsp(lsp) => lsp::run(lsp),
        Command::Init(init) => init::run(init),
        Command::Completions(completions) => completions::run(completions),
        Command::Man(man) => man::run(man),
    }
}

/// The flag that says where a model is, as seen from the working folder; none if it is there.
fn source_folder(model: &Path) -> Option<OsString> {
    let here = std::env::current_dir().ok();
    let model = here.as_deref().and_then(|here| model.strip_prefix(here).ok()).unwrap_or(model);
    let folder = model.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    let mut flag = OsString::from("--source-folder=");
    flag.push(folder);
    Some(flag)
}

/// Shows what was found on standard error, as the flags ask. A service that waits for a report on standard output gets the
/// errors of a wrong model in its place.
fn report(session: &Session, format: impl Into<ReportFormat>, color: Color) -> Result<(), Error> {
    let format = format.into();
    let text = match format {
        ReportFormat::Json => to_json(&session.sources, &session.diagnostics) + "\n",
        ReportFormat::Human | ReportFormat::Pan | ReportFormat::Junit | ReportFormat::Sarif => {
            render(&session.sources, &session.diagnostics, style(color))
        }
    };
    written(io::stderr().lock().write_all(text.as_bytes()))?;
    match format {
        ReportFormat::Junit if session.diagnostics.has_errors() => print(&junit(session)),
        ReportFormat::Sarif if session.diagnostics.has_errors() => print(&sarif(session)),
        _ => Ok(()),
    }
}

fn junit(session: &Session) -> String {
    to_junit(session.name(), &session.sources, &session.diagnostics)
}

fn sarif(session: &Session) -> String {
    to_sarif(&session.sources, &session.diagnostics) + "\n"
}

/// Writes the result of a command to standard output.
fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// A reader that closes the pipe early (`pmc expand m.pml | head`) is no error.
fn written(result: io::Result<()>) -> Result<(), Error> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(source) => Err(Error::Write { source }),
        Ok(()) => Ok(()),
    }
}

/// Whether a stream is coloured. `NO_COLOR` is honoured as <https://no-color.org> has it.
fn wants_color(color: Color, is_terminal: bool) -> bool {
    let variable = |name: &str| std::env::var_os(name).unwrap_or_default();
    match color {
        Color::Auto => is_terminal && variable("TERM") != "dumb" && variable("NO_COLOR").is_empty(),
        Color::Always => true,
        Color::Never => false,
    }
}

/// The capabilities of standard error.
fn style(color: Color) -> Style {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let is_terminal = io::stderr().is_terminal() && variable("TERM") != "dumb";
    let color = wants_color(color, io::stderr().is_terminal());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable).into_iter().find(|value| !value.is_empty());
    let is_unicode = cfg!(windows) || locale.is_some_and(|locale| locale.to_uppercase().contains("UTF"));
    Style { color, unicode: is_terminal && is_unicode }
}
