//! The command line of a verifier, and the table of its flags, which `pmc verify` has too.
//!
//! Parsed by hand: a dozen flags do not justify a package that every emitted verifier would have to build.

mod flags;
pub mod spin;
mod values;

use crate::model::ModelInfo;
use crate::options::{ALL_CORES, Algorithm, Ask, Liveness, Options, Proviso, Reduction, Symmetry};
use crate::property::{Property, properties};
use crate::report::Format;
use crate::show::Show;
use crate::simulate::SimulateOptions;
use crate::sound;
use flags::{REPLAY, SHOW, SIMULATE};
use std::path::PathBuf;

pub(crate) use flags::help as help_text;
pub use flags::{CHECK, Flag, Section};

#[derive(Clone, Debug)]
pub(crate) enum Command {
    Check(Box<CheckCommand>),
    Simulate(SimulateOptions),
    Replay { trail: Option<PathBuf>, show: Show },
    Info,
    Help,
    Version,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct CheckCommand {
    pub options: Options,
    pub format: Format,
    /// Reports beside the one on standard output.
    pub also: Vec<(Format, PathBuf)>,
    pub trail: Option<PathBuf>,
    /// What a trail is appended to, to replay it.
    pub replay: Option<String>,
    /// The numbers that a smaller model can be had with, as text.
    pub parameters: Option<String>,
    pub list_unreached: bool,
    pub quiet: bool,
    pub color: Color,
    pub show_progress: bool,
    /// The searches that were asked for, as they were written.
    searches: Vec<ChosenSearch>,
    /// What flags of Spin were taken for.
    pub notes: Vec<String>,
}

/// When a report has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Color {
    /// If it is shown on a terminal.
    #[default]
    Auto,
    Always,
    Never,
}

const COLORS: [(&str, Color); 3] = [("auto", Color::Auto), ("always", Color::Always), ("never", Color::Never)];

/// A value of `--search`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChosenSearch {
    /// What fits each property.
    Auto,
    Safety(Algorithm),
    Cycles(Liveness),
}

const SEARCHES: [(&str, ChosenSearch); 7] = [
    ("auto", ChosenSearch::Auto),
    ("bfs", ChosenSearch::Safety(Algorithm::BreadthFirst)),
    ("dfs", ChosenSearch::Safety(Algorithm::DepthFirst)),
    ("guided", ChosenSearch::Safety(Algorithm::Guided)),
    ("a-star", ChosenSearch::Safety(Algorithm::AStar)),
    ("nested", ChosenSearch::Cycles(Liveness::Nested)),
    ("scc", ChosenSearch::Cycles(Liveness::Components)),
];

impl CheckCommand {
    /// The combination of flags that makes no sense for this model, if there is one.
    pub fn refusal(&self, info: &ModelInfo<'_>) -> Option<UsageError> {
        let properties = match properties(&self.options.ask, info) {
            Ok(properties) => properties,
            Err(message) => return Some(UsageError(message)),
        };
        if let Some(reason) = sound::refusal_for(&self.options, &properties, info) {
            return Some(UsageError(reason.to_owned()));
        }
        if let Some(reason) = self.refusal_of_time(&properties, info) {
            return Some(UsageError(reason));
        }
        let has_cycles = properties.iter().any(|property| property.kind(info).is_liveness());
        let has_others = properties.iter().any(|property| property.is_safety(info));
        let claims = if info.claims.is_empty() { "" } else { "--ltl NAME, --never, " };
        let nothing =
            format!("nothing that is asked for is about infinite runs, as {claims}--acceptance and --non-progress are");
        let wrong = |search: &&ChosenSearch| match search {
            ChosenSearch::Auto => false,
            ChosenSearch::Safety(_) => !has_others,
            ChosenSearch::Cycles(_) => !has_cycles,
        };
        let message = match self.searches.iter().find(wrong) {
            _ if self.options.fair && !has_cycles => format!("--fair has no meaning here: {nothing}"),
            _ if self.options.time_passes && !has_cycles => format!("--time-passes has no meaning here: {nothing}"),
            Some(ChosenSearch::Cycles(search)) => format!("--search {} looks for cycles, but {nothing}", search.name()),
            Some(ChosenSearch::Safety(search)) => {
                format!("--search {} cannot find cycles; nested and scc can", search.name())
            }
            Some(ChosenSearch::Auto) | None => return None,
        };
        Some(UsageError(message))
    }
}

impl CheckCommand {
    /// Why only runs in which time passes cannot count.
    fn refusal_of_time(&self, properties: &[Property], info: &ModelInfo<'_>) -> Option<String> {
        if !self.options.time_passes {
            None
        } else if info.n_timers == 0 {
            Some(format!("--time-passes is about models with timers, and {} has none", info.name))
        } else if properties.contains(&Property::Zeno) {
            Some("--time-passes leaves out the runs that --zeno looks for".to_owned())
        } else {
            None
        }
    }
}

/// A command, and where the model is.
#[derive(Clone, Debug)]
pub(crate) struct CommandLine {
    pub command: Command,
    /// The folder of the model, as locations name it.
    pub folder: Option<String>,
}

/// What is wrong with a command line, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UsageError(pub String);

/// What is wrong with the flags of a verifier, whatever the model is.
pub fn mistake(args: &[String]) -> Option<String> {
    parse(args).err().map(|error| error.0)
}

/// The same for one model.
pub fn mistake_for(args: &[String], info: &ModelInfo<'_>) -> Option<String> {
    match parse(args).map(|line| line.command) {
        Ok(Command::Check(command)) => command.refusal(info).map(|error| error.0),
        Ok(_) => None,
        Err(error) => Some(error.0),
    }
}

/// The values that a flag takes, if they can be listed.
pub fn choices(flag: &str) -> Vec<&'static str> {
    fn names<T>(all: &[(&'static str, T)]) -> Vec<&'static str> {
        all.iter().map(|(name, _)| *name).collect()
    }
    match flag {
        "--search" => names(&SEARCHES),
        "--reduction" => names(&Reduction::ALL),
        "--proviso" => names(&Proviso::ALL),
        "--symmetry" => names(&Symmetry::ALL),
        "--format" => names(&Format::ALL),
        "--color" => names(&COLORS),
        "--store" => values::STORES.to_vec(),
        _ => Vec::new(),
    }
}

/// The arguments, without the program's name.
pub(crate) fn parse(args: &[String]) -> Result<CommandLine, UsageError> {
    let mut folder = None;
    let command = parse_command(args, &mut folder)?;
    Ok(CommandLine { command, folder })
}

fn parse_command(args: &[String], folder: &mut Option<String>) -> Result<Command, UsageError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        return Ok(Command::Help);
    }
    if args.iter().any(|arg| arg == "--version" || arg == "-V") {
        return Ok(Command::Version);
    }
    match args.first().map(String::as_str) {
        Some("simulate") => parse_simulate(&args[1..], folder),
        Some("replay") => parse_replay(&args[1..], folder),
        Some("info") if args.len() == 1 => Ok(Command::Info),
        Some("info") => Err(UsageError(format!("`info` takes no argument, but there is `{}`", args[1]))),
        Some("check" | "verify") => parse_in_any_words(&args[1..], folder),
        _ => parse_in_any_words(args, folder),
    }
}

/// Ours, or those of Spin.
fn parse_in_any_words(args: &[String], folder: &mut Option<String>) -> Result<Command, UsageError> {
    let (args, notes) = spin::translated(args).map_err(UsageError)?;
    let mut command = parse_check(&args, folder)?;
    if let Command::Check(check) = &mut command {
        check.notes = notes;
    }
    Ok(command)
}

/// The arguments, one by one, with the values of flags that take one.
struct Args<'a> {
    rest: std::slice::Iter<'a, String>,
    known: Vec<&'static Flag>,
}

enum Arg<'a> {
    Flag(&'static str, &'a str),
    Other(&'a str),
}

impl<'a> Args<'a> {
    fn new(args: &'a [String], known: impl IntoIterator<Item = &'static Flag>) -> Args<'a> {
        Args { rest: args.iter(), known: known.into_iter().collect() }
    }

    fn next(&mut self) -> Result<Option<Arg<'a>>, UsageError> {
        let Some(arg) = self.rest.next() else { return Ok(None) };
        if !arg.starts_with('-') {
            return Ok(Some(Arg::Other(arg)));
        }
        let (name, attached) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (arg.as_str(), None),
        };
        let Some(flag) = self.known.iter().find(|flag| flag.name == name) else { return Err(self.unknown(name)) };
        let value = match (flag.value, attached) {
            (None, None) => "",
            (None, Some(_)) => return Err(UsageError(format!("`{name}` takes no value"))),
            (Some(_), Some(value)) => value,
            (Some(_), None) if flag.is_value_optional() => {
                let follows = self.rest.as_slice().first().filter(|next| !next.starts_with('-'));
                follows.map_or("", |_| self.rest.next().map_or("", String::as_str))
            }
            (Some(what), None) => match self.rest.next() {
                Some(value) => value,
                None => return Err(UsageError(format!("`{name}` needs a value: {name} {what}"))),
            },
        };
        Ok(Some(Arg::Flag(flag.name, value)))
    }

    fn unknown(&self, name: &str) -> UsageError {
        let candidates = self.known.iter().map(|flag| flag.name);
        let near = candidates.min_by_key(|known| values::distance(known, name));
        match near.filter(|known| values::distance(known, name) <= 3 && name.len() > 2) {
            Some(known) => UsageError(format!("there is no flag `{name}`; did you mean `{known}`?")),
            None => UsageError(format!("there is no flag `{name}`; --help lists them")),
        }
    }
}

fn parse_check(args: &[String], folder: &mut Option<String>) -> Result<Command, UsageError> {
    let mut command = CheckCommand { show_progress: true, ..CheckCommand::default() };
    command.options.threads = ALL_CORES;
    let mut asks = Vec::new();
    let mut args = Args::new(args, CHECK.iter().flat_map(|section| section.flags));
    while let Some(arg) = args.next()? {
        let (flag, value) = match arg {
            Arg::Flag(flag, value) => (flag, value),
            Arg::Other(other) => {
                let message = format!("`{other}` is no command; there are simulate, replay and info, see --help");
                return Err(UsageError(message));
            }
        };
        let options = &mut command.options;
        match flag {
            "--everything" => asks.push(Ask::Everything),
            "--safety" => asks.push(Ask::Safety),
            "--ltl" => asks.push(Ask::Claim(value.to_owned())),
            "--never" if value.is_empty() => asks.push(Ask::Never),
            "--never" => asks.push(Ask::Claim(value.to_owned())),
            "--trace" => asks.push(Ask::Trace),
            "--acceptance" => asks.push(Ask::Acceptance),
            "--non-progress" => asks.push(Ask::NonProgress),
            "--zeno" => asks.push(Ask::Zeno),
            "--towards" | "--goal" => asks.push(Ask::Goal(value.to_owned())),
            "--fair" => options.fair = true,
            "--time-passes" => options.time_passes = true,
            "--no-reduction" => options.reduction = Reduction::Off,
            "--reduction" => options.reduction = values::one_of(flag, value, &Reduction::ALL)?,
            "--proviso" => options.proviso = values::one_of(flag, value, &Proviso::ALL)?,
            "--symmetry" => options.symmetry = values::one_of(flag, value, &Symmetry::ALL)?,
            "--assume-stutter-closed" => options.assume_stutter_closed = true,
            "--no-deadlock" => options.check_end_states = false,
            "--no-assert" => options.check_assertions = false,
            "--leftover-messages" => options.check_leftover_messages = true,
            "--search" => {
                let search = values::one_of(flag, value, &SEARCHES)?;
                match search {
                    ChosenSearch::Auto => (options.algorithm, options.liveness) = (Algorithm::Auto, Liveness::Auto),
                    ChosenSearch::Safety(algorithm) => options.algorithm = algorithm,
                    ChosenSearch::Cycles(liveness) => options.liveness = liveness,
                }
                command.searches.push(search);
            }
            "--seed" => options.seed = values::number(flag, value)?,
            "--shortest" => options.shortest = true,
            "--all-errors" => options.all_errors = true,
            "--store" => options.store = values::store(value)?,
            "--expect-states" => options.expect_states = Some(values::number(flag, value)?),
            "--threads" => options.threads = values::threads(flag, value)?,
            "--memory" => options.limits.memory = Some(values::size(flag, value)?),
            "--max-states" => options.limits.max_states = Some(values::number(flag, value)?),
            "--max-depth" => options.limits.max_depth = Some(values::number(flag, value)?),
            "--max-time" => options.limits.max_time = Some(values::time(flag, value)?),
            "--format" => command.format = values::one_of(flag, value, &Format::ALL)?,
            "--also" => command.also.push(values::format_and_file(flag, value)?),
            "--parameters" => command.parameters = Some(value.to_owned()),
            "--replay-command" => command.replay = Some(value.to_owned()),
            "--source-folder" => *folder = Some(value.to_owned()),
            "--trail" => command.trail = Some(PathBuf::from(value)),
            "--color" => command.color = values::one_of(flag, value, &COLORS)?,
            "--unreached" => command.list_unreached = true,
            "--quiet" => command.quiet = true,
            "--no-progress" => command.show_progress = false,
            other => unreachable!("{other} is in the table of flags and must be known here"),
        }
    }
    checked(command, asks).map(Command::Check)
}

/// Flags that do not go together are refused.
fn checked(mut command: CheckCommand, mut asks: Vec<Ask>) -> Result<Box<CheckCommand>, UsageError> {
    if asks.iter().filter(|ask| matches!(ask, Ask::Goal(_))).count() > 1 {
        return Err(UsageError("one goal at a time: there are several --towards".to_owned()));
    }
    command.options.ask = match asks.len() {
        0 => Ask::Everything,
        1 => asks.remove(0),
        _ => Ask::Several(asks),
    };
    let lists_unreached = command.list_unreached
        || command.format == Format::Pan
        || command.also.iter().any(|(format, _)| *format == Format::Pan);
    if command.options.symmetry != Symmetry::Off && lists_unreached {
        let message = "--symmetry does not go with --unreached and --format pan: a statement that only other states of an \
                       orbit reach would be listed";
        return Err(UsageError(message.to_owned()));
    }
    match sound::refusal(&command.options) {
        Some(reason) => Err(UsageError(reason.to_owned())),
        None => Ok(Box::new(command)),
    }
}

/// Applies a flag of `SHOW`. Returns whether it was one.
fn set_show(show: &mut Show, flag: &str) -> bool {
    match flag {
        "-p" => show.steps = true,
        "-g" => show.globals = true,
        "-l" => show.locals = true,
        "-s" => show.sends = true,
        "-r" => show.receives = true,
        _ => return false,
    }
    true
}

fn parse_simulate(args: &[String], folder: &mut Option<String>) -> Result<Command, UsageError> {
    let mut options =
        SimulateOptions { seed: 1, max_steps: 10_000, interactive: false, show: Show::default(), trail: None };
    let mut args = Args::new(args, SIMULATE.iter().chain(SHOW));
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Flag(flag, _) if set_show(&mut options.show, flag) => {}
            Arg::Flag("--seed", value) => options.seed = values::number("--seed", value)?,
            Arg::Flag("--trail", value) => options.trail = Some(PathBuf::from(value)),
            Arg::Flag("--steps", value) => options.max_steps = values::number("--steps", value)?,
            Arg::Flag("--source-folder", value) => *folder = Some(value.to_owned()),
            Arg::Flag(_, _) => options.interactive = true,
            Arg::Other(other) => return Err(UsageError(format!("`simulate` takes flags only, not `{other}`"))),
        }
    }
    options.show = options.show.or_everything();
    Ok(Command::Simulate(options))
}

fn parse_replay(args: &[String], folder: &mut Option<String>) -> Result<Command, UsageError> {
    let (mut show, mut trail) = (Show::default(), None);
    let mut args = Args::new(args, SHOW.iter().chain(REPLAY));
    let mut all = false;
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Flag("--all", _) => all = true,
            Arg::Flag("--source-folder", value) => *folder = Some(value.to_owned()),
            Arg::Flag(flag, _) => {
                set_show(&mut show, flag);
            }
            Arg::Other(path) if trail.is_none() => trail = Some(PathBuf::from(path)),
            Arg::Other(path) => return Err(UsageError(format!("one trail at a time: `{path}` is a second one"))),
        }
    }
    show = show.or_everything();
    show.all = all;
    Ok(Command::Replay { trail, show })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn parsed(line: &str) -> Result<Command, UsageError> {
        parsed_line(line).map(|line| line.command)
    }

    fn parsed_line(line: &str) -> Result<CommandLine, UsageError> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<String>>())
    }

    #[test]
    fn every_command_that_names_locations_takes_the_folder() {
        for line in ["", "check", "simulate", "replay", "replay x.json"] {
            assert_eq!(parsed_line(line).unwrap().folder, None);
            let located = parsed_line(&format!("{line} --source-folder models"));
            assert_eq!(located.unwrap().folder.as_deref(), Some("models"), "{line}");
        }
        assert!(parsed("info --source-folder models").is_err());
    }

    #[track_caller]
    fn check_options(line: &str) -> CheckCommand {
        match parsed(line) {
            Ok(Command::Check(command)) => *command,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[track_caller]
    fn check_refused(line: &str, message: &str) {
        assert_eq!(parsed(line).err(), Some(UsageError(message.to_owned())));
    }

    #[test]
    fn every_flag_of_the_table_is_known() {
        for flag in CHECK.iter().flat_map(|section| section.flags) {
            // Some valid value of the flag.
            let value = match flag.value {
                None => "",
                Some("auto|bfs|dfs") => "bfs",
                Some("guided|a-star") => "guided",
                Some("nested|scc") => "scc",
                Some("visited|prompt|static") => "static",
                Some("off|exact") => "exact",
                Some("sort|full") => "sort",
                Some("auto|always|never") => "never",
                Some(_) if flag.name == "--store" => "tree",
                Some("FORMAT") => "json",
                Some("FORMAT=FILE") => "json=report",
                Some("HOW") => "ample",
                Some("TIME") => "1s",
                Some(_) => "1",
            };
            check_options(&format!("{} {value}", flag.name));
        }
    }

    #[test]
    fn values_may_be_attached_or_follow() {
        let command = check_options("--search=dfs --memory 2G --max-time=90 --max-states 1_000 --format json");
        assert_eq!((command.options.threads, check_options("--threads=3").options.threads), (ALL_CORES, 3));
        assert_eq!(command.options.algorithm, Algorithm::DepthFirst);
        assert_eq!(command.options.limits.memory, Some(2 << 30));
        assert_eq!(command.options.limits.max_time, Some(Duration::from_secs(90)));
        assert_eq!(command.options.limits.max_states, Some(1000));
        assert_eq!(command.format, Format::Json);
    }

    #[test]
    fn a_goal_is_a_question_of_its_own() {
        let goal = |text: &str| Ask::Goal(text.to_owned());
        assert_eq!(check_options("--towards L --search a-star").options.ask, goal("L"));
        assert_eq!(check_options("--goal=model.pml:7").options.ask, goal("model.pml:7"));
        assert_eq!(check_options("--safety --towards L").options.ask, Ask::Several(vec![Ask::Safety, goal("L")]));
        check_refused("--towards L --goal M", "one goal at a time: there are several --towards");
        check_refused(
            "--search a-star --store bitstate",
            "--search a-star needs a store that misses no states: exact, tree or compact",
        );
    }

    #[test]
    fn mistakes_are_named_with_a_way_out() {
        check_refused("--all-eror", "there is no flag `--all-eror`; did you mean `--all-errors`?");
        check_refused("--zzzzzzzzzzzzzz", "there is no flag `--zzzzzzzzzzzzzz`; --help lists them");
        check_refused("--seed x", "`--seed` takes a number, not `x`");
        check_refused("--threads 0", "`--threads` takes a number from 1 to 256, not `0`");
        check_refused(
            "--search dfs --threads 2",
            "--threads needs --search bfs: depth-first search runs on one thread",
        );
        check_refused("--ltl", "`--ltl` needs a value: --ltl NAME");
        check_refused("--search", "`--search` needs a value: --search auto|bfs|dfs");
        check_refused("--search quick", "`--search` takes auto, bfs, dfs, guided, a-star, nested or scc, not `quick`");
        check_refused("--store tree=2", "`--store tree` takes no number");
        check_refused("--quiet=1", "`--quiet` takes no value");
        check_refused("--memory lots", "`--memory` takes a size such as 500M or 4G, not `lots`");
        check_refused("--max-time -1", "`--max-time` takes a time such as 30s, 10m or 2h, not `-1`");
        check_refused("model.pml", "`model.pml` is no command; there are simulate, replay and info, see --help");
        check_refused("replay a b", "one trail at a time: `b` is a second one");
        let shortest = "--shortest needs --search bfs: depth-first search finds long runs";
        check_refused("--search dfs --shortest", shortest);
    }

    #[test]
    fn help_names_every_flag_and_the_exit_codes() {
        assert!(matches!(parsed("simulate --help"), Ok(Command::Help)));
        let text = help_text("model.pml");
        for flag in CHECK.iter().flat_map(|section| section.flags).chain(SHOW).chain(REPLAY).chain(SIMULATE) {
            assert!(text.contains(flag.name), "{}", flag.name);
        }
        assert!(text.contains("Exit code: 0") && text.lines().all(|line| line.len() <= 120));
    }

    #[test]
    fn replay_shows_what_changed_unless_told_otherwise() {
        let Ok(Command::Replay { show, trail: None }) = parsed("replay") else { panic!("replay") };
        assert!(show.globals && show.locals);
        let Ok(Command::Replay { show, trail: Some(_) }) = parsed("replay x.json -s") else { panic!("replay") };
        assert!(!show.globals && show.sends && !show.all);
        let Ok(Command::Replay { show, trail: Some(_) }) = parsed("replay x.json --all") else { panic!("replay") };
        assert!(show.globals && show.all);
    }
}
