//! Is a channel large enough? One row for each capacity, up to a proof that no larger one makes a difference.
//!
//! If the complete search with capacity k never meets k messages in the channel, not even within an `atomic` or a `d_step`,
//! then every larger capacity has the same reachable states, and the same verdicts: by induction on steps, since a send,
//! `full`, `nfull` and `len` can differ from the larger capacity only where the channel holds k messages. So the
//! interpreter notes whether a channel was ever full. Nothing may be left out of the search: no reduction, no merged steps,
//! and it goes on after violations.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use pmc_runtime::json::Json;
use pmc_runtime::limits::Interrupt;
use pmc_runtime::monitor::{Monitor, Silent};
use pmc_runtime::reduction::Independence;
use pmc_runtime::report::human::LiveLine;
use pmc_runtime::report::quoted;
use pmc_runtime::search::Searches;
use pmc_runtime::verdict::ExitCode;
use pmc_runtime::{Environment, Signals, run_in};

use super::many::{Show, common_flags};
use super::sweep::one_model;
use super::task::{Outcome, Task};
use crate::cli::{Engine, Format, ModelArgs, Optimize, ReportFormat, Sweep, VerifyArgs};
use crate::commands::{ExitStatus, print, report, source_folder};
use crate::driver::{Error, Session};
use crate::interpret::Visitor;

pub fn run(arguments: &VerifyArgs, capacities: &Sweep) -> Result<ExitStatus, Error> {
    let refused = |message: &str| Err(Error::Flags { message: message.to_owned() });
    let model = one_model(arguments, "--sweep-capacity")?;
    if arguments.engine == Engine::Compiled {
        return refused("--sweep-capacity needs the interpreter, which sees how many messages a channel holds");
    }
    if matches!(arguments.format, ReportFormat::Junit | ReportFormat::Sarif) {
        return refused("--sweep-capacity answers a question: as text, or with --format json");
    }
    let mut values = capacities.values.clone();
    values.sort_unstable();
    values.dedup();
    let tasks: Vec<Task> =
        values.iter().map(|value| task(arguments, model, capacities, *value)).collect::<Result<_, _>>()?;
    let mut show = Show::new(arguments, "capacity", &tasks);
    let mut answer = Answer::Open;
    for (task, value) in tasks.iter().zip(&values) {
        let verified = verify(arguments, task, &capacities.name, *value)?;
        let (is_wrong, is_interrupted) = (verified.outcome.status == ExitStatus::Wrong, verified.is_interrupted);
        let is_complete = is_complete(&verified.outcome);
        show.take(task, verified.outcome, None);
        if is_wrong {
            return Ok(ExitStatus::Wrong);
        }
        if !is_complete || is_interrupted {
            answer = Answer::Unknown(*value);
            break;
        }
        if !verified.was_full {
            answer = Answer::Enough(*value);
            break;
        }
    }
    if arguments.format == ReportFormat::Human {
        let texts = answer.text(&capacities.name, &values);
        let changes = super::sweep::change(&show);
        for text in changes.into_iter().chain(texts) {
            print(&format!("{text}\n"))?;
        }
    }
    show.end("row")
}

/// What a sweep says about a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Every capacity was used up.
    Open,
    /// The search with this one did not come to its end.
    Unknown(i32),
    /// So many messages never were in it.
    Enough(i32),
}

impl Answer {
    fn text(self, channel: &str, values: &[i32]) -> Vec<String> {
        match self {
            Self::Open => {
                let last = values.last().copied().unwrap_or_default();
                vec![format!("some run fills `{channel}` at every capacity up to {last}: no end in sight")]
            }
            Self::Unknown(value) => {
                vec![format!("the search with capacity {value} is incomplete: it proves nothing about larger ones")]
            }
            Self::Enough(value) => vec![
                format!("{} is enough for `{channel}`: no run ever has {value} messages in it.", value - 1),
                "Every larger capacity has the same states and the same verdicts as the last row.".to_owned(),
            ],
        }
    }
}

/// Whether every search has seen all there is.
fn is_complete(outcome: &Outcome) -> bool {
    let complete =
        |property: &Json| property.get("search").and_then(|search| search.get("complete")) == Some(&Json::Bool(true));
    !outcome.properties().is_empty() && outcome.properties().iter().all(complete)
}

fn task(arguments: &VerifyArgs, model: &Path, capacities: &Sweep, value: i32) -> Result<Task, Error> {
    if !(1..=255).contains(&value) {
        return Err(Error::Flags { message: format!("a capacity is 1 to 255, not {value}") });
    }
    let stem = model.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Task {
        title: format!("{}={value}", capacities.name),
        model: model.to_owned(),
        reading: Vec::new(),
        flags: common_flags(arguments)?,
        trail: PathBuf::from(format!("{stem}.{}{value}.trail.json", capacities.name)),
        values: vec![(capacities.name.clone(), value)],
    })
}

struct Verified {
    outcome: Outcome,
    was_full: bool,
    is_interrupted: bool,
}

fn verify(arguments: &VerifyArgs, task: &Task, channel: &str, value: i32) -> Result<Verified, Error> {
    let mut model = ModelArgs { path: task.model.clone(), reading: arguments.reading.clone() };
    model.reading.optimize = vec![Optimize::Nothing];
    model.reading.capacities.push((channel.to_owned(), value.unsigned_abs()));
    let words: Vec<String> = model.given().iter().map(|word| quoted(&word.to_string_lossy())).collect();
    let mut flags: Vec<OsString> = vec![
        format!("--replay-command=pmc replay {}", words.join(" ")).into(),
        format!("--trail={}", task.trail.display()).into(),
    ];
    flags.extend(source_folder(&model.path));
    flags.extend(task.flags.iter().cloned());
    // Behind those of the user: they are what the proof needs.
    flags.extend(["--format=json", "--all-errors", "--no-reduction"].map(OsString::from));
    let flags = flags.iter().map(|flag| flag.to_string_lossy().into_owned()).collect();
    let mut session = Session::open(&model.path, &model.options())?;
    session.interpret(|session, interpretable| {
        report(session, Format::Human, model.color)?;
        let (status, text, is_interrupted) = match interpretable {
            Ok(interpretable) => interpretable.visit(Check { flags }),
            Err(_) => (ExitStatus::Wrong, String::new(), false),
        };
        let was_full = interpretable.is_ok_and(|interpretable| interpretable.was_full(channel));
        let outcome = Outcome {
            status,
            report: Json::parse(&text).ok(),
            formatted: None,
            messages: String::new(),
            is_left_out: false,
        };
        Ok(Verified { outcome, was_full, is_interrupted })
    })
}

/// Verifies, and returns the report as text, and whether a signal came.
struct Check {
    flags: Vec<String>,
}

impl Visitor for Check {
    type Output = (ExitStatus, String, bool);

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> Self::Output {
        let (interrupt, signals) = (Interrupt::new(), Signals::catch());
        let (mut line, mut silent) = (LiveLine::default(), Silent);
        let monitor: &mut dyn Monitor = if io::stderr().is_terminal() { &mut line } else { &mut silent };
        let mut out = Vec::new();
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        let code = std::thread::scope(|scope| {
            let (signals, interrupt) = (&signals, &interrupt);
            scope.spawn(move || {
                // Until the search drops its end.
                while is_done.recv_timeout(LOOK) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    if signals.have_come() {
                        interrupt.set();
                    }
                }
            });
            let environment = Environment {
                input: &mut io::empty(),
                out: &mut out,
                err: &mut io::stderr(),
                use_colors: false,
                monitor,
                interrupt,
            };
            let code = run_in(model, searches, &self.flags, environment);
            drop(done);
            code
        });
        let status = match code {
            ExitCode::Verified => ExitStatus::Fine,
            ExitCode::Violated => ExitStatus::Violated,
            ExitCode::Usage => ExitStatus::Wrong,
            ExitCode::Incomplete => ExitStatus::Incomplete,
            ExitCode::Failed => ExitStatus::Internal,
        };
        (status, String::from_utf8_lossy(&out).into_owned(), signals.release())
    }
}

/// How often signals are looked at.
const LOOK: std::time::Duration = std::time::Duration::from_millis(20);
