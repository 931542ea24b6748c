//! The entry points of a verifier: from the command line to the exit code.

use crate::cli::{self, CheckCommand, Color, Command, CommandLine, UsageError};
use crate::dyn_model::DynModel;
use crate::json::{Json, object};
use crate::limits::{Interrupt, Stop};
use crate::model::{ClaimInfo, ModelInfo, located};
use crate::monitor::{Monitor, Silent};
use crate::options::Options;
use crate::reduction::Independence;
use crate::replay::{ReplayError, replay_on};
use crate::report::human::{LateLines, LiveLine};
use crate::report::{Format, Subject};
use crate::search::Searches;
use crate::show::Show;
use crate::signal;
use crate::simulate::simulate_on;
use crate::story::{Run, tell_violations_of};
use crate::supervised::Supervision;
use crate::system::ModelSystems;
use crate::trail::Trail;
use crate::verdict::{ExitCode, Report, Verdict, Violation};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The body of a verifier's `main`: `fn main() -> ExitCode { pmc_runtime::main(Verifier, Searches::new()) }`.
pub fn main<M: Independence>(model: M, searches: Searches<M::Packed>) -> std::process::ExitCode {
    let (supervision, args) = Supervision::of(arguments());
    supervision.begin();
    supervision.status(main_with(&model, searches, &args))
}

/// An argument that is not valid Unicode can only be a file name, which is then not found.
fn arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// The same with other arguments, for a program that has several models. The caller decides when the process ends.
///
/// Uses the standard streams of the process, and holds their locks, so that threads that call this wait for each other.
/// During a search Ctrl-C and SIGTERM interrupt it, and every later call of this function.
pub fn main_with<M: Independence>(model: &M, searches: Searches<M::Packed>, args: &[String]) -> ExitCode {
    let line = cli::parse(args);
    let files = located_files(model.info(), &line);
    let files = references(&files);
    let systems = ModelSystems::with_files(model, &files);
    let check =
        |options: &Options, monitor: &mut dyn Monitor| Some(check_on_signal(&searches, &systems, options, monitor));
    main_on(Verifier { dyn_model: &systems, check: &check }, line).expect("no other engine takes over")
}

/// Another engine may take the place of a search, once it is ready.
#[derive(Debug, Default)]
pub struct Takeover(AtomicBool);

impl Takeover {
    /// Nothing is ready yet.
    pub const fn new() -> Takeover {
        Takeover(AtomicBool::new(false))
    }

    /// Ends the search of [`main_until`], without a report, unless it has ended already.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
        signal::INTERRUPT.set();
    }

    /// The other engine has failed: searches that begin from now on go on, unless a signal has come as well.
    pub fn withdraw(&self) {
        self.0.store(false, Ordering::Relaxed);
        signal::INTERRUPT.clear();
        if signal::was_signalled() {
            signal::INTERRUPT.set();
        }
    }

    fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// As [`main_with`], but another thread may end the search by a takeover: then there is neither a report nor an exit
/// code. A signal that comes first is obeyed, and the report tells what was found so far.
pub fn main_until<M: Independence>(
    model: &M,
    searches: Searches<M::Packed>,
    args: &[String],
    takeover: &Takeover,
) -> Option<ExitCode> {
    let line = cli::parse(args);
    let files = located_files(model.info(), &line);
    let files = references(&files);
    let systems = ModelSystems::with_files(model, &files);
    let check = |options: &Options, monitor: &mut dyn Monitor| {
        let report = check_on_signal(&searches, &systems, options, monitor);
        let is_interrupted = report.properties.iter().any(|property| property.stop == Some(Stop::Interrupted));
        // From here on a signal ends the process, so none is lost.
        let is_replaced = is_interrupted && takeover.has_begun() && !signal::was_signalled();
        (!is_replaced).then_some(report)
    };
    main_on(Verifier { dyn_model: &systems, check: &check }, line)
}

/// The files of a model as seen from the working folder, if a command line says where the model is.
fn located_files(info: &ModelInfo<'_>, line: &Result<CommandLine, UsageError>) -> Vec<String> {
    let folder = line.as_ref().ok().and_then(|line| line.folder.as_deref()).unwrap_or("");
    info.files.iter().map(|file| located(folder, file)).collect()
}

fn references(files: &[String]) -> Vec<&str> {
    files.iter().map(String::as_str).collect()
}

/// A model, and how it is checked.
struct Verifier<'v> {
    dyn_model: &'v dyn DynModel,
    /// Nothing if another engine has taken over.
    check: &'v dyn Fn(&Options, &mut dyn Monitor) -> Option<Report>,
}

/// A search that a signal interrupts. A signal while the report is written ends the process.
fn check_on_signal<M: Independence>(
    searches: &Searches<M::Packed>,
    systems: &ModelSystems<'_, M>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Report {
    let _listening = signal::listen();
    searches.check(systems, options, &signal::INTERRUPT, monitor)
}

fn main_on(verifier: Verifier<'_>, line: Result<CommandLine, UsageError>) -> Option<ExitCode> {
    let (mut live, mut late) = (LiveLine::default(), LateLines);
    let monitor: &mut dyn Monitor = if io::stderr().is_terminal() { &mut live } else { &mut late };
    let environment = Environment {
        input: &mut io::stdin().lock(),
        out: &mut io::stdout().lock(),
        err: &mut io::stderr(),
        use_colors: io::stdout().is_terminal() && wants_colors(),
        monitor,
        interrupt: &signal::INTERRUPT,
    };
    obey(verifier, line, environment)
}

/// `NO_COLOR` is honoured as <https://no-color.org> has it.
fn wants_colors() -> bool {
    let is_empty = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    is_empty && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// The environment of a verifier: its input, its outputs and its interrupt.
pub struct Environment<'e> {
    /// The choices of an interactive simulation.
    pub input: &'e mut dyn BufRead,
    /// Receives results.
    pub out: &'e mut dyn Write,
    /// Receives messages about wrong arguments and failures of the environment.
    pub err: &'e mut dyn Write,
    /// `out` shows colours.
    pub use_colors: bool,
    /// Receives the progress of searches, unless the arguments switch that off.
    pub monitor: &'e mut dyn Monitor,
    /// Ends the search once it is set; a report follows all the same.
    pub interrupt: &'e Interrupt,
}

/// Runs the command that the arguments (without the program's name) select. Results go to `out`, everything else to
/// `err`.
///
/// Of the process it uses or changes nothing but the files that the arguments name, and the trail of a violation; so
/// any number of models can be run one after another, or by several threads. [`check`](crate::check) takes [`Options`]
/// and returns the [`Report`] instead.
pub fn run<M: Independence>(
    model: &M,
    searches: Searches<M::Packed>,
    args: &[String],
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> ExitCode {
    let (monitor, interrupt) = (&mut Silent, &Interrupt::new());
    let environment = Environment { input: &mut io::empty(), out, err, use_colors: false, monitor, interrupt };
    run_in(model, searches, args, environment)
}

/// The same in an environment of the caller.
pub fn run_in<M: Independence>(
    model: &M,
    searches: Searches<M::Packed>,
    args: &[String],
    environment: Environment<'_>,
) -> ExitCode {
    let line = cli::parse(args);
    let files = located_files(model.info(), &line);
    let files = references(&files);
    let systems = ModelSystems::with_files(model, &files);
    let interrupt = environment.interrupt;
    let check =
        |options: &Options, monitor: &mut dyn Monitor| Some(searches.check(&systems, options, interrupt, monitor));
    let code = obey(Verifier { dyn_model: &systems, check: &check }, line, environment);
    code.expect("no other engine takes over")
}

/// Nothing if another engine has taken over.
fn obey(
    verifier: Verifier<'_>,
    line: Result<CommandLine, UsageError>,
    environment: Environment<'_>,
) -> Option<ExitCode> {
    let Verifier { dyn_model, check } = verifier;
    let Environment { input, out, err, use_colors, monitor, .. } = environment;
    let info = dyn_model.info();
    let done = match line.map(|line| line.command) {
        Ok(Command::Check(command)) => match command.refusal(info) {
            Some(error) => return Some(fail(err, &error.0)),
            None => {
                for note in &command.notes {
                    let _ = writeln!(err, "note: {note}");
                }
                let is_shown = command.show_progress && !command.quiet;
                let monitor = if is_shown { monitor } else { &mut Silent };
                let report = check(&command.options, monitor);
                monitor.end();
                return Some(deliver(dyn_model, &command, &report?, use_colors, out, err));
            }
        },
        Ok(Command::Simulate(options)) => simulate_on(dyn_model, &options, input, out),
        Ok(Command::Replay { trail, show }) => return Some(replay_command(dyn_model, trail, show, out, err)),
        Ok(Command::Info) => print(out, &info_text(info)),
        Ok(Command::Help) => print(out, &cli::help_text(info.name)),
        Ok(Command::Version) => print(out, &format!("{} (pmc {})\n", info.name, info.pmc_version)),
        Err(error) => return Some(fail(err, &error.0)),
    };
    Some(match done {
        Ok(code) => code,
        // A closed pipe (`head`, for instance) is no error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::Verified,
        Err(error) => unwritten(err, &error),
    })
}

/// What was asked for could not be written, which is no mistake in the model or the command line.
fn unwritten(err: &mut dyn Write, error: &io::Error) -> ExitCode {
    complain(err, &format!("cannot write the output: {error}"));
    ExitCode::Failed
}

/// Writes an error message. If that fails, the message is lost.
fn complain(err: &mut dyn Write, message: &str) {
    let _ = writeln!(err, "error: {message}");
}

fn fail(err: &mut dyn Write, message: &str) -> ExitCode {
    complain(err, message);
    ExitCode::Usage
}

fn print(out: &mut dyn Write, text: &str) -> io::Result<ExitCode> {
    out.write_all(text.as_bytes())?;
    Ok(ExitCode::Verified)
}

/// Writes trails and the report. A verdict that was not written is none, but a violation keeps its exit code.
fn deliver(
    dyn_model: &dyn DynModel,
    command: &CheckCommand,
    report: &Report,
    use_colors: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> ExitCode {
    let info = dyn_model.info();
    let trails = write_trails(info, command, report, err);
    let runs = tell_violations_of(dyn_model, report);
    let mut is_missing = false;
    for (format, path) in &command.also {
        let subject = subject(info, command, report, &trails, &runs);
        let mut text = Vec::new();
        let written = format.reporter().report(&subject, &mut text).and_then(|()| std::fs::write(path, text));
        if let Err(error) = written {
            complain(err, &format!("cannot write the report `{}`: {error}", path.display()));
            is_missing = true;
        }
    }
    let is_human = command.format == Format::Human;
    // Odds are part of a verdict, and an exit code cannot express them.
    let has_odds = report.omission_probability().is_some() || report.hidden_differed();
    if !(command.quiet && is_human && report.errors() == 0 && !has_odds) {
        let wants_colors = match command.color {
            Color::Auto => use_colors,
            Color::Always => true,
            Color::Never => false,
        };
        let use_colors = is_human && wants_colors;
        let subject = Subject { use_colors, ..subject(info, command, report, &trails, &runs) };
        let mut text = Vec::new();
        let written = command.format.reporter().report(&subject, &mut text);
        if let Err(error) = written.and_then(|()| out.write_all(&text)).and_then(|()| out.flush()) {
            // A closed pipe is no error: its reader has read enough.
            if error.kind() != io::ErrorKind::BrokenPipe {
                let verdict = report.verdict.name();
                complain(err, &format!("cannot write the report: {error}; the verdict is: {verdict}"));
                if report.verdict == Verdict::Verified {
                    return ExitCode::Failed;
                }
            }
        }
    }
    if is_missing && report.verdict == Verdict::Verified {
        return ExitCode::Failed;
    }
    report.verdict.exit_code()
}

/// What reporters get, without colours.
fn subject<'s>(
    info: &'s ModelInfo<'s>,
    command: &'s CheckCommand,
    report: &'s Report,
    trails: &'s [Vec<Option<String>>],
    runs: &'s [Vec<Option<Run>>],
) -> Subject<'s> {
    let (replay, parameters) = (command.replay.as_deref(), command.parameters.as_deref());
    Subject {
        info,
        report,
        trails,
        runs,
        replay,
        parameters,
        list_unreached: command.list_unreached,
        use_colors: false,
    }
}

/// One file for each different violation of each property. One that cannot be written is reported and is missing in the
/// report.
fn write_trails(
    info: &ModelInfo<'_>,
    command: &CheckCommand,
    report: &Report,
    err: &mut dyn Write,
) -> Vec<Vec<Option<String>>> {
    let base = command.trail.clone().unwrap_or_else(|| default_trail(info));
    let mut paths = trail_paths(&base, report).into_iter();
    let mut write = |violation: &Violation| {
        let path = paths.next()?;
        let text = format!("{}\n", violation.trail.to_json(info));
        match std::fs::write(&path, text) {
            Ok(()) => Some(path.display().to_string()),
            Err(error) => {
                // A part of it would be taken for a trail. What is no plain file is not ours.
                if std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
                    let _ = std::fs::remove_file(&path);
                }
                complain(err, &format!("cannot write the trail `{}`: {error}", path.display()));
                None
            }
        }
    };
    report.properties.iter().map(|property| property.violations.iter().map(&mut write).collect()).collect()
}

/// The files of the trails of all violations. The first one of all is `base`, so that `replay` finds it without an
/// argument; the first one of another property has its name in it, and further ones are numbered: `model.trail.json`,
/// `model.2.trail.json`, `model.served.trail.json`, `model.served.2.trail.json`.
pub(crate) fn trail_paths(base: &Path, report: &Report) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let violated = report.properties.iter().filter(|property| !property.violations.is_empty());
    for (nth, property) in violated.enumerate() {
        // A name comes from a model, which is not trusted; it must not be a path out of the folder.
        let name = property.name.replace(|c: char| !c.is_alphanumeric() && c != '_' && c != '-', "_");
        for n in 1..=property.violations.len() {
            let mut parts: Vec<String> = if nth == 0 { Vec::new() } else { vec![name.clone()] };
            parts.extend((n > 1).then(|| n.to_string()));
            // A claim can be named `safety`.
            while paths.contains(&with_parts(base, &parts)) {
                parts.push("other".to_owned());
            }
            paths.push(with_parts(base, &parts));
        }
    }
    paths
}

/// `model.trail.json` for `model.pml`, in the current directory.
pub(crate) fn default_trail(info: &ModelInfo<'_>) -> PathBuf {
    let stem = Path::new(info.name).file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
    // A model that came from no file is called `<stdin>`.
    PathBuf::from(format!("{}.trail.json", stem.trim_matches(['<', '>'])))
}

/// `model.served.2.trail.json` from `model.trail.json`, `served` and `2`.
fn with_parts(base: &Path, parts: &[String]) -> PathBuf {
    let name = base.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (stem, rest) = name.split_once('.').map_or((name.as_str(), None), |(stem, rest)| (stem, Some(rest)));
    let parts: Vec<&str> = std::iter::once(stem).chain(parts.iter().map(String::as_str)).chain(rest).collect();
    base.with_file_name(parts.join("."))
}

fn replay_command(
    dyn_model: &dyn DynModel,
    path: Option<PathBuf>,
    show: Show,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> ExitCode {
    let path = path.unwrap_or_else(|| default_trail(dyn_model.info()));
    let result = read_trail(&path, dyn_model.info()).map(|trail| match replay_on(dyn_model, &trail, show, out) {
        // Who closes a pipe has read enough; whether the trail is right decides all the same.
        Err(ReplayError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            replay_on(dyn_model, &trail, show, &mut io::sink())
        }
        result => result,
    });
    let message = match result {
        Ok(Ok(())) => return ExitCode::Violated,
        Ok(Err(ReplayError::Output(error))) => return unwritten(err, &error),
        Ok(Err(error)) => error.to_string(),
        Err(message) => message,
    };
    fail(err, &format!("`{}`: {message}", path.display()))
}

pub(crate) fn read_trail(path: &Path, info: &ModelInfo<'_>) -> Result<Trail, String> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            "there is no such trail; a verification that finds a violation writes one in the current folder".to_owned()
        }
        _ => format!("cannot read the trail: {error}"),
    })?;
    Trail::from_json(&text, info).map_err(|error| error.to_string())
}

fn claim(claim: &ClaimInfo<'_>) -> Json {
    object([("name", claim.name.into()), ("kind", claim.kind.name().into())])
}

fn info_text(info: &ModelInfo<'_>) -> String {
    fn list<'m>(items: impl Iterator<Item = &'m str>) -> Json {
        Json::List(items.map(Json::from).collect())
    }
    let document = object([
        ("model", info.name.into()),
        ("model_hash", info.hash.into()),
        ("pmc", info.pmc_version.into()),
        ("runtime", env!("CARGO_PKG_VERSION").into()),
        ("files", list(info.files.iter().copied())),
        ("proctypes", list(info.proctypes.iter().map(|proctype| proctype.name))),
        ("transitions", (info.transitions.len() as u64).into()),
        ("locations", (info.locations.len() as u64).into()),
        ("claims", Json::List(info.claims.iter().map(claim).collect())),
        ("notes", list(info.notes.iter().copied())),
    ]);
    format!("{document}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::toy::{Edge, Graph, check};

    /// The names of the trails of properties with so many violations each.
    fn names(base: &str, properties: &[(&str, usize)]) -> Vec<String> {
        let mut report = check(&Graph::new(&[(0, 1, Edge::Bad)], &[1]), &Options::default());
        let found = report.properties.remove(0);
        let violated = |&(name, n): &(&str, usize)| {
            let violations = vec![found.violations[0].clone(); n];
            crate::verdict::PropertyReport { name: name.to_owned(), violations, ..found.clone() }
        };
        report.properties = properties.iter().map(violated).collect();
        trail_paths(Path::new(base), &report).iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn the_first_trail_has_the_plain_name_and_others_tell_their_property() {
        let found = names("a/model.trail.json", &[("safety", 0), ("served", 1), ("live", 2)]);
        assert_eq!(found, ["a/model.trail.json", "a/model.live.trail.json", "a/model.live.2.trail.json"]);
        assert_eq!(names("run", &[("safety", 2), ("p", 1)]), ["run", "run.2", "run.p"]);
    }

    #[test]
    fn no_two_trails_share_a_file_and_none_leaves_the_folder() {
        let found = names("m.json", &[("p", 1), ("safety", 1), ("safety", 1), ("../../x", 1)]);
        assert_eq!(found, ["m.json", "m.safety.json", "m.safety.other.json", "m.______x.json"]);
    }
}
