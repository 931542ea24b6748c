//! The pictures of a run: a page, a sequence chart, a diagram for documents, from the trail of the run.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use pmc_runtime::explore::Explorer;
use pmc_runtime::limits::Interrupt;
use pmc_runtime::monitor::Silent;
use pmc_runtime::reduction::Independence;
use pmc_runtime::search::Searches;
use pmc_runtime::trail::Trail;
use pmc_runtime::verdict::ExitCode;
use pmc_runtime::{Environment, run_in};

use super::graph::Exploring;
use super::{ExitStatus, print, report, story};
use crate::cli::{Format, ModelArgs, PictureArgs};
use crate::driver::{Error, Session};
use crate::interpret::Visitor;
use crate::picture::run::Run;
use crate::picture::{chart, mermaid, page};

/// How a picture is made from a run.
type Draw = fn(&str, &Run) -> String;

/// Draws the run of a trail, or that of the trail that a verifier writes without being told where, as often as it is
/// asked for.
pub fn write(model: &ModelArgs, trail: Option<&Path>, pictures: &PictureArgs) -> Result<(), Error> {
    with_trail(model, trail, |explorer, trail| {
        let document = story::document(explorer, trail)?.to_string();
        let run = Run::read(&document).map_err(|error| Error::Internal { message: error.to_string() })?;
        let kinds: [(Option<&Path>, Draw); 3] = [
            (pictures.html.as_deref(), |document, _| page::page(document)),
            (pictures.svg.as_deref(), |_, run| chart::svg(run, false)),
            (pictures.mermaid.as_deref(), |_, run| mermaid::mermaid(run, false)),
        ];
        for (path, draw) in kinds {
            let Some(path) = path else { continue };
            let text = draw(&document, &run);
            if path == Path::new("-") {
                print(&text)?;
                continue;
            }
            fs::write(path, text).map_err(|source| Error::Picture { path: path.display().to_string(), source })?;
            let gap = match chart::left_out(&run) {
                n if n > 0 && Some(path) != pictures.html.as_deref() => {
                    format!(", but for {n} rows in the middle; --html has all of them")
                }
                _ => String::new(),
            };
            let _ = writeln!(io::stderr(), "note: the run is drawn in `{}`{gap}", path.display());
        }
        Ok(())
    })
}

/// Prints the run of a trail as a document of schema `pmc-run/1`, with the state behind each step.
pub fn print_document(model: &ModelArgs, trail: Option<&Path>) -> Result<(), Error> {
    with_trail(model, trail, |explorer, trail| print(&format!("{}\n", story::with_states(explorer, trail)?)))
}

/// Reads the model again, as its trail was made with, and the trail.
fn with_trail(
    model: &ModelArgs,
    path: Option<&Path>,
    act: impl FnOnce(&Explorer<'_>, &Trail) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut session = Session::open(&model.path, &model.options())?;
    session.interpret(|session, interpretable| {
        if session.has_c() {
            return Err(Error::PictureOfC);
        }
        // A model that is wrong was reported already, by what made the trail.
        let Ok(interpretable) = interpretable else { return Ok(()) };
        interpretable.visit(Exploring(|explorer: &Explorer<'_>| {
            let trail = explorer.read_trail(path).map_err(|message| Error::Trail { message })?;
            act(explorer, &trail)
        }))
    })
}

/// Runs a model with the arguments of a verifier, where standard output is for a picture. Complaints are made all the
/// same.
pub fn run_silently(
    model: &ModelArgs,
    format: Format,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<ExitStatus, Error> {
    let arguments = arguments.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let mut session = Session::open(&model.path, &model.options())?;
    session.interpret(|session, interpretable| {
        report(session, format, model.color)?;
        Ok(match interpretable {
            Ok(interpretable) => interpretable.visit(Silently { arguments }),
            Err(_) => ExitStatus::Wrong,
        })
    })
}

struct Silently {
    arguments: Vec<String>,
}

impl Visitor for Silently {
    type Output = ExitStatus;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> ExitStatus {
        let environment = Environment {
            input: &mut io::empty(),
            out: &mut io::sink(),
            err: &mut io::stderr(),
            use_colors: false,
            monitor: &mut Silent,
            interrupt: &Interrupt::new(),
        };
        match run_in(model, searches, &self.arguments, environment) {
            ExitCode::Verified => ExitStatus::Fine,
            ExitCode::Violated => ExitStatus::Violated,
            ExitCode::Usage => ExitStatus::Wrong,
            ExitCode::Incomplete => ExitStatus::Incomplete,
            ExitCode::Failed => ExitStatus::Internal,
        }
    }
}
