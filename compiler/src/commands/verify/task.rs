//! One of several models: a process of pmc that verifies it, and what came of it.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pmc_runtime::json::Json;
use pmc_runtime::verdict::Verdict;

use super::pool::Ending;
use crate::cli::{Engine, ReportFormat};
use crate::commands::ExitStatus;

/// What is verified, and how.
#[derive(Clone, Debug)]
pub struct Task {
    /// The first column of the table.
    pub title: String,
    pub model: PathBuf,
    /// How the model is read.
    pub reading: Vec<OsString>,
    /// Flags of the verifier.
    pub flags: Vec<OsString>,
    /// Where a counterexample goes.
    pub trail: PathBuf,
    /// The macro values that tell this task from others with the same model.
    pub values: Vec<(String, i32)>,
}

/// What all tasks have in common.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Where they run; without it, in the current folder.
    pub folder: Option<PathBuf>,
    pub engine: Engine,
    pub format: ReportFormat,
    /// The share of each of the machine.
    pub shares: Vec<OsString>,
}

/// How one ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    /// The report, unless the model is wrong.
    pub report: Option<Json>,
    /// The report as JUnit or SARIF, if that is the format; also of a model with errors, if pmc has written one.
    pub formatted: Option<String>,
    /// What went to standard error.
    pub messages: String,
    /// Not run, since a signal came or a limit was met.
    pub is_left_out: bool,
}

impl Outcome {
    /// Of a task that was not run.
    pub fn left_out() -> Self {
        Self {
            status: ExitStatus::Incomplete,
            report: None,
            formatted: None,
            messages: String::new(),
            is_left_out: true,
        }
    }

    fn failed(message: String) -> Self {
        Self { status: ExitStatus::Internal, messages: message, is_left_out: false, ..Self::left_out() }
    }

    /// The word for the table.
    pub fn verdict(&self) -> &'static str {
        match self.status {
            _ if self.is_left_out => "not run",
            ExitStatus::Fine => "verified",
            ExitStatus::Violated => "violated",
            ExitStatus::Incomplete => "incomplete",
            ExitStatus::Wrong => "wrong",
            ExitStatus::Internal => "failed",
        }
    }

    pub fn properties(&self) -> &[Json] {
        let properties = self.report.as_ref().and_then(|report| report.get("properties"));
        properties.and_then(Json::as_list).unwrap_or_default()
    }

    /// A number of the searches: the largest of them, or their sum.
    pub fn largest(&self, figure: &str) -> Option<u64> {
        self.properties().iter().filter_map(|property| property.get("search")?.get(figure)?.as_u64()).max()
    }

    pub fn seconds(&self) -> f64 {
        let seconds = |property: &Json| match property.get("search")?.get("seconds")? {
            Json::Number(seconds) => Some(*seconds),
            Json::Integer(seconds) => Some(*seconds as f64),
            _ => None,
        };
        self.properties().iter().filter_map(seconds).sum()
    }

    /// Whether a limit ended a search: then a larger model has no better chance.
    pub fn met_a_limit(&self) -> bool {
        // A violation that was not found with exact time is no limit.
        let is_unsure = |property: &Json| {
            let violation = property.get("violation").and_then(|violation| violation.get("abstract_time"));
            violation == Some(&Json::Bool(true))
        };
        let is_incomplete =
            |property: &&Json| property.get("verdict").and_then(Json::as_text) == Some(Verdict::Incomplete.name());
        let mut incomplete = self.properties().iter().filter(is_incomplete);
        self.status == ExitStatus::Incomplete
            && !self.is_left_out
            && (self.properties().is_empty() || incomplete.any(|property| !is_unsure(property)))
    }
}

/// The interval at which the end of a task is polled.
const POLL: Duration = Duration::from_millis(2);

/// Runs a task. It ends early when all are to end.
pub fn run(task: &Task, setting: &Setting, ending: &Ending) -> Outcome {
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return Outcome::failed(format!("error: cannot make a temporary folder: {error}\n")),
    };
    let file = folder.path().join("report");
    let also = matches!(setting.format, ReportFormat::Junit | ReportFormat::Sarif).then(|| {
        let mut word = OsString::from(format!("--also={}=", setting.format.name()));
        word.push(&file);
        word
    });
    let ended = command(task, setting).and_then(|mut command| {
        command.arg("--").args(&task.flags).args(&setting.shares).arg("--no-progress").arg("--format=json").args(also);
        until_end(&mut command, ending)
    });
    let (code, output, messages) = match ended {
        Ok(ended) => ended,
        Err(error) => return Outcome::failed(format!("error: cannot run pmc: {error}\n")),
    };
    let report = Json::parse(&output).ok();
    // A run without a report is never a verdict.
    let status = match (code, &report) {
        (Some(0), Some(_)) => ExitStatus::Fine,
        (Some(1), Some(_)) => ExitStatus::Violated,
        (Some(2), _) => ExitStatus::Wrong,
        (Some(3), _) => ExitStatus::Incomplete,
        (_, _) if ending.has_begun() => ExitStatus::Incomplete,
        (_, _) => ExitStatus::Internal,
    };
    let formatted = super::files::read(&file).or_else(|| match status {
        ExitStatus::Wrong => report_of_wrong_model(task, setting, ending),
        _ => None,
    });
    Outcome { status, report, formatted, messages, is_left_out: false }
}

/// A model that is wrong has a report too, in formats for tools.
fn report_of_wrong_model(task: &Task, setting: &Setting, ending: &Ending) -> Option<String> {
    let is_for_tools = matches!(setting.format, ReportFormat::Junit | ReportFormat::Sarif);
    let mut command = is_for_tools.then(|| command(task, setting).ok())??;
    command.arg("--format").arg(setting.format.name());
    let (_, output, _) = until_end(&mut command, ending).ok()?;
    (!output.is_empty()).then_some(output)
}

fn command(task: &Task, setting: &Setting) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("verify").args(&task.reading).arg("--color").arg("never");
    command.arg("--engine").arg(match setting.engine {
        Engine::Auto => "auto",
        Engine::Interpret => "interpret",
        Engine::Compiled => "compiled",
    });
    // A model called `-x` is no flag.
    let is_like_flag = task.model.as_os_str().as_encoded_bytes().starts_with(b"-");
    command.arg(if is_like_flag { Path::new(".").join(&task.model) } else { task.model.clone() });
    let mut trail = OsString::from("--trail=");
    trail.push(&task.trail);
    command.arg(trail);
    if let Some(folder) = &setting.folder {
        command.current_dir(folder);
    }
    Ok(command)
}

/// Runs a command to its end: its exit code, unless a signal ended it, and its output.
fn until_end(command: &mut Command, ending: &Ending) -> io::Result<(Option<i32>, String, String)> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let output = scope.spawn(|| text(stdout));
        let messages = scope.spawn(|| text(stderr));
        let status = wait(&mut child, ending, || {})?;
        let text = |thread: std::thread::ScopedJoinHandle<'_, String>| thread.join().unwrap_or_default();
        Ok((status.code(), text(output), text(messages)))
    })
}

/// Waits for a process, and ends it when it is time.
pub fn wait(child: &mut Child, ending: &Ending, mut look: impl FnMut()) -> io::Result<std::process::ExitStatus> {
    let mut was_asked = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        look();
        match ending.pressure() {
            // Once: a second signal ends a process without a report.
            Some(Pressure::Ask) if !was_asked => {
                was_asked = true;
                ask(child);
            }
            Some(Pressure::Kill) => drop(child.kill()),
            Some(Pressure::Wait | Pressure::Ask) | None => {}
        }
        std::thread::sleep(POLL);
    }
}

fn text(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What came before an error is as good as it is.
    let _ = from.map(|mut from| from.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How strongly the pool asks a task to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressure {
    /// It has the signal of the terminal, like this process.
    Wait,
    /// It may write what it has found.
    Ask,
    /// It has had its time.
    Kill,
}

#[cfg(unix)]
fn ask(child: &mut Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

#[cfg(not(unix))]
fn ask(child: &mut Child) {
    let _ = child.kill();
}
