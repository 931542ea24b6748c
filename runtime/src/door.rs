//! The door of a verifier: from the command line to the exit code.

use crate::cli::{self, CheckCommand, Command};
use crate::json::{Json, object};
use crate::model::{Model, ModelInfo};
use crate::replay::replay;
use crate::report::human::LiveLine;
use crate::report::{Format, Subject};
use crate::search::{Silent, check_with};
use crate::show::Show;
use crate::signal;
use crate::simulate::simulate;
use crate::trail::Trail;
use crate::verdict::{ExitCode, Report};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// What the `main` of a verifier calls: `fn main() -> ExitCode { pmc_runtime::main(Verifier) }`.
pub fn main(model: impl Model) -> std::process::ExitCode {
    // An argument that is no Unicode is a file name at most; it is then not found.
    run(&model, std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned())).into()
}

/// Does what the arguments (without the program's name) ask for.
pub fn run<M: Model>(model: &M, args: impl IntoIterator<Item = String>) -> ExitCode {
    let done = match cli::parse(args) {
        Ok(Command::Check(command)) => check_command(model, &command),
        Ok(Command::Simulate(options)) => simulate(model, &options, &mut io::stdin().lock(), &mut io::stdout().lock()),
        Ok(Command::Replay { trail, show }) => replay_command(model, trail, show),
        Ok(Command::Info) => print(&info_text(model.info())),
        Ok(Command::Help) => print(&cli::help_text(model.info().name)),
        Ok(Command::Version) => print(&format!("{} (pmc {})\n", model.info().name, model.info().pmc_version)),
        Err(error) => return fail(&error.0),
    };
    // A reader that went away (as `head` does) is no reason to change the verdict, nor to complain.
    match done {
        Ok(code) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::Usage,
        Err(error) => fail(&format!("cannot write the output: {error}")),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::Usage
}

fn print(text: &str) -> io::Result<ExitCode> {
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::Verified)
}

fn check_command<M: Model>(model: &M, command: &CheckCommand) -> io::Result<ExitCode> {
    signal::install();
    let report = if command.show_progress && !command.quiet && io::stderr().is_terminal() {
        let mut line = LiveLine::default();
        let report = check_with(model, &command.options, &signal::INTERRUPT, &mut line);
        line.clear();
        report
    } else {
        check_with(model, &command.options, &signal::INTERRUPT, &mut Silent)
    };
    Ok(deliver(model.info(), command, &report))
}

/// Writes trails and the report. Whatever fails here, the verdict stays.
fn deliver(info: &'static ModelInfo, command: &CheckCommand, report: &Report) -> ExitCode {
    let trails = write_trails(info, command, report);
    let is_human = command.format == Format::Human;
    if !(command.quiet && is_human && report.errors == 0) {
        let subject = Subject {
            info,
            report,
            trails: &trails,
            list_unreached: command.list_unreached,
            use_colors: is_human && io::stdout().is_terminal(),
        };
        let mut text = Vec::new();
        let written = command.format.reporter().report(&subject, &mut text);
        let written = written.and_then(|()| io::stdout().lock().write_all(&text)).and_then(|()| io::stdout().flush());
        if let Err(error) = written {
            eprintln!("error: cannot write the report: {error}; the verdict is: {}", report.verdict.name());
        }
    }
    report.verdict.exit_code()
}

/// One file for each different violation. A file that cannot be written is reported and is missing in the report.
fn write_trails(info: &ModelInfo, command: &CheckCommand, report: &Report) -> Vec<Option<String>> {
    let base = command.trail.clone().unwrap_or_else(|| default_trail(info));
    let mut names = Vec::new();
    for (n, violation) in report.violations.iter().enumerate() {
        let path = if n == 0 { base.clone() } else { numbered(&base, n + 1) };
        let text = format!("{}\n", violation.trail.to_json(info));
        match std::fs::write(&path, text) {
            Ok(()) => names.push(Some(path.display().to_string())),
            Err(error) => {
                eprintln!("error: cannot write the trail `{}`: {error}", path.display());
                names.push(None);
            }
        }
    }
    names
}

/// `model.trail.json` for `model.pml`, in the current directory.
fn default_trail(info: &ModelInfo) -> PathBuf {
    let stem = Path::new(info.name).file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
    PathBuf::from(format!("{stem}.trail.json"))
}

/// `model.2.trail.json`: the trail of the second violation.
fn numbered(base: &Path, n: usize) -> PathBuf {
    let name = base.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = match name.split_once('.') {
        Some((stem, rest)) => format!("{stem}.{n}.{rest}"),
        None => format!("{name}.{n}"),
    };
    base.with_file_name(name)
}

fn replay_command<M: Model>(model: &M, path: Option<PathBuf>, show: Show) -> io::Result<ExitCode> {
    let path = path.unwrap_or_else(|| default_trail(model.info()));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => return Ok(fail(&format!("cannot read the trail `{}`: {error}", path.display()))),
    };
    let trail = match Trail::from_json(&text, model.info()) {
        Ok(trail) => trail,
        Err(error) => return Ok(fail(&format!("`{}`: {error}", path.display()))),
    };
    match replay(model, &trail, show, &mut io::stdout().lock()) {
        Ok(()) => Ok(ExitCode::Violated),
        Err(error) => Ok(fail(&format!("`{}`: {error}", path.display()))),
    }
}

fn info_text(info: &ModelInfo) -> String {
    let list = |items: &mut dyn Iterator<Item = &'static str>| Json::List(items.map(Json::from).collect());
    let document = object([
        ("model", info.name.into()),
        ("model_hash", info.hash.into()),
        ("pmc", info.pmc_version.into()),
        ("runtime", env!("CARGO_PKG_VERSION").into()),
        ("files", list(&mut info.files.iter().copied())),
        ("proctypes", list(&mut info.proctypes.iter().map(|proctype| proctype.name))),
        ("transitions", (info.transitions.len() as u64).into()),
        ("locations", (info.locations.len() as u64).into()),
        ("notes", list(&mut info.notes.iter().copied())),
    ]);
    format!("{document}\n")
}
