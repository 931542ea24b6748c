//! Every flag once, with its help.

mod arguments;
mod lsp;
mod pictures;
mod shell;
mod spin;
mod verifier_flags;
mod verify;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use arguments::{CheckFormat, Color, Denied, Format, MessageArgs, ModelArgs, Optimize, ReadingArgs, ReportFormat};
pub use lsp::LspArgs;
pub use pictures::PictureArgs;
pub use shell::{CompletionsArgs, ManArgs};
pub use spin::in_our_words;
pub use verifier_flags::VerifierFlags;
pub use verify::{Engine, Sweep, VerifyArgs};

use crate::diagnostic::{Level, Lint};

const FIRST_STEPS: &str = "\
Examples:
  pmc verify model.pml                verify a model
  pmc replay model.pml                step through the counterexample that was found
  pmc simulate model.pml              run a model once, at random
  pmc compile model.pml               emit its verifier, for `cargo run --release`
  pmc check model.pml                 look for mistakes in a model
  pmc check -D N=3 model.pml          the same with the macro N defined as 3
  pmc expand model.pml > plain.pml    the model without macros and inlines
  pmc explain model.pml               what pmc knows about a model before it runs
  pmc explore model.pml               walk through a model in the browser
  pmc graph --format svg model.pml    draw the control flow of its processes
  pmc ltl --negate '[] (p -> <> q)'   the never claim of a formula
  pmc init                            begin a project: pmc.toml, a model, CI workflows
  pmc lsp                             serve an editor
  pmc completions bash                a completion script for your shell
  pmc man -o DIR                      pages of the manual
  pmc --version --verbose             what to put in a report of an error

Exit status:
  0    all is well
  1    a property is violated
  2    the model or the command line is wrong
  3    the search is incomplete and found nothing wrong
  101  no verdict: an error in pmc (please send us the model), a verifier that could
       not be built or ended without a report, a report that could not be written

`pmc help COMMAND` tells more about a command.";

/// A compiler for Promela, the language of the Spin model checker.
#[derive(Debug, Parser)]
#[command(name = "pmc", version, after_help = FIRST_STEPS, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Verify(Box<VerifyArgs>),
    Simulate(SimulateArgs),
    Replay(ReplayArgs),
    Compile(CompileArgs),
    Check(CheckArgs),
    Expand(ExpandArgs),
    Explain(ExplainArgs),
    Explore(ExploreArgs),
    Graph(GraphArgs),
    Ltl(LtlArgs),
    Lsp(LspArgs),
    Init(InitArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

const SIMULATE_EXAMPLES: &str = "\
Examples:
  pmc simulate model.pml                      every step of a random run
  pmc simulate -g -l --seed 7 model.pml       another run, with the variables that change
  pmc simulate -s -r --steps 50 model.pml     only what is sent and received in 50 steps
  pmc simulate --interactive model.pml        choose each step from those that are possible

Exit status:
  0    the run has no violation; `pmc verify` checks all runs
  1    an assertion failed, or the run ended in an invalid end state
  2    the model or the command line is wrong";

/// Run the model once, at random or as you choose
///
/// Prints each step with the process, the line and the statement, and at the
/// end every variable and the location of each process. Output of `printf` is
/// indented by the number of the process.
#[derive(Debug, Args)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub messages: MessageArgs,

    /// Which run: the same number gives the same run
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Stop after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: u64,

    /// Choose each step from a list
    ///
    /// An answer is the number of a step, or nothing for any one; `u` takes the last choice back, `s` shows the
    /// state, `q` ends the run. A step that is the only one is taken without asking.
    #[arg(long, short = 'i')]
    pub interactive: bool,

    #[command(flatten)]
    pub pictures: PictureArgs,

    #[command(flatten)]
    pub show: ShowArgs,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  pmc verify model.pml; pmc replay model.pml
  pmc replay -s -r model.pml                  only what is sent and received
  pmc replay model.pml model.2.trail.json     the second one of `verify --all-errors`

Give the same -D as for `pmc verify`: a trail belongs to one model with its macros,
and is refused when the model has changed since.

Exit status:
  1    the violation happens again, as it should
  2    there is no such trail, it belongs to another model, or it does not end as it says";

/// Show a counterexample step by step
///
/// Takes the steps of a trail again and prints each with the process, the line,
/// the statement and the variables that change, up to the violation.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub messages: MessageArgs,

    /// The trail; without it, the one that `pmc verify` wrote in this folder
    #[arg(value_name = "TRAIL")]
    pub trail: Option<PathBuf>,

    /// Show every step of a long run, not only the first and the last ones
    #[arg(long)]
    pub all: bool,

    #[command(flatten)]
    pub pictures: PictureArgs,

    #[command(flatten)]
    pub show: ShowArgs,
}

/// What is shown of a run: flags as those of `spin`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Show every step (the default unless -s or -r is given)
    #[arg(short = 'p')]
    pub every_step: bool,

    /// Show the global variables that change
    #[arg(short = 'g')]
    pub globals: bool,

    /// Show the local variables that change
    #[arg(short = 'l')]
    pub locals: bool,

    /// Show the steps that send
    #[arg(short = 's')]
    pub sends: bool,

    /// Show the steps that receive
    #[arg(short = 'r')]
    pub receives: bool,
}

impl ShowArgs {
    /// As the verifier takes them.
    pub fn flags(&self) -> impl Iterator<Item = &'static str> {
        let flags = [
            ("-p", self.every_step),
            ("-g", self.globals),
            ("-l", self.locals),
            ("-s", self.sends),
            ("-r", self.receives),
        ];
        flags.into_iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| flag)
    }
}

const COMPILE_EXAMPLES: &str = "\
Examples:
  pmc compile model.pml && cargo run --release
  pmc compile model.pml -o verifier           put the crate in a folder of its own
  pmc compile model.pml --check               does the crate still fit the model?";

/// Emit a verifier for the model, as a Rust crate
///
/// The crate is complete: it brings its runtime along and builds without a
/// network. pmc overwrites only files that it wrote.
#[derive(Debug, Args)]
#[command(after_help = COMPILE_EXAMPLES)]
pub struct CompileArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub messages: MessageArgs,

    /// Where the crate goes; without it, the current folder
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Write nothing: exit with 1 if the crate is not up to date
    #[arg(long)]
    pub check: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  pmc check model.pml
  pmc check -A unused-variable model.pml      no warnings about unused variables
  pmc check --deny truncation model.pml       refuse values that do not fit
  pmc check -A option-scope model.pml         accept names used outside of the option that declares them
  pmc check --deny warnings model.pml         refuse all that would be warned of: exit status 2
  pmc check --format json model.pml           for editors and scripts
  pmc check --format sarif model.pml          for code scanning services
  generate-model | pmc check -                read the model from standard input";

/// Look for mistakes in a model, without verifying it
///
/// Reads the model and everything it includes, and reports every error and
/// every warning in one go. Errors include what Spin finds only while
/// verifying, or not at all: messages with a wrong number of fields, channels
/// of the wrong type, calls with missing arguments.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES, after_long_help = check_examples_and_lints())]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// How errors and warnings are written: all but `human` on standard output
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: CheckFormat,
}

fn check_examples_and_lints() -> String {
    let of_level = |level: Level| -> String {
        let lints = Lint::ALL.iter().filter(|lint| lint.default_level() == level);
        lints.map(|lint| format!("\n  {:<22} {}", lint.name(), lint.about())).collect()
    };
    let (warned, denied) = (of_level(Level::Warn), of_level(Level::Deny));
    format!(
        "{CHECK_EXAMPLES}\n\nLints that warn, to be silenced with -A or made errors with --deny:{warned}\n\n\
         Lints that refuse what Spin accepts, to be accepted with -A, or with a warning with -W:{denied}"
    )
}

const EXPAND_EXAMPLES: &str = "\
Examples:
  pmc expand model.pml                the model without macros and inlines
  pmc expand -D N=5 model.pml > five.pml && spin -a five.pml
  pmc expand --spin timed.pml > plain.pml && spin -a plain.pml";

/// Print a model after preprocessing and inlining
///
/// The output is an equivalent Promela model, with no macro, include or
/// inline left. Look here when a macro does not do what you expected, or to
/// pass a model to a tool without a preprocessor.
#[derive(Debug, Args)]
#[command(after_help = EXPAND_EXAMPLES)]
pub struct ExpandArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Make timers plain variables that a clock process lowers, as Spin has no timers
    ///
    /// The clock is process 0. The states and transitions are those of the timed model; what plain Promela cannot say,
    /// as a timer that ends with its process, is refused.
    #[arg(long, visible_alias = "clock")]
    pub spin: bool,

    #[command(flatten)]
    pub messages: MessageArgs,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  pmc explain model.pml
  pmc explain -D N=5 model.pml                how much larger does a state get?
  pmc explain --format json model.pml         for scripts: schema pmc-explain/1
  pmc explain --exec model.pml                what is tested and done, step by step
  pmc explain P0203                           an error, with a wrong and a right example
  pmc explain late-channel                    the same for a lint";

/// Show what the static analyses find out about a model, or what an error means
///
/// In place of a model it takes the code of an error, such as P0203, or the name
/// of a lint.
///
/// The largest number of processes, the layout of a state with the size of each
/// part, the channels and the statements that may use them. Look here when a
/// verification needs more memory than you expected.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub messages: MessageArgs,

    /// Show the executable form: what each transition tests and does
    ///
    /// This is what code generation prints as Rust: every index that is still checked (`a[i?]`), every value that is
    /// truncated to its type, every variable that is reset, and every change of the atomic owner.
    #[arg(long)]
    pub exec: bool,
}

const EXPLORE_EXAMPLES: &str = "\
Examples:
  pmc explore model.pml
  pmc explore --port 8080 -D N=2 model.pml

Only programs on this machine can connect, and only with the address that is printed.
Ctrl-C ends it.";

/// Walk through a model in the browser
///
/// Prints the address of a page on which each step is chosen from those that are
/// possible, and taken back; which shows the run as a sequence chart, the source
/// and the values; and which jumps to a violation, or draws the states around
/// the one that was reached.
#[derive(Debug, Args)]
#[command(after_help = EXPLORE_EXAMPLES)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// The port of the page on 127.0.0.1; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
}

const GRAPH_EXAMPLES: &str = "\
Examples:
  pmc graph --format svg model.pml > model.svg
  pmc graph --states --format svg model.pml > states.svg
  pmc graph --proctype sender model.pml | dot -Tpng > sender.png
  pmc graph --clusters model.pml | dot -Tsvg > clusters.svg

`dot` comes with Graphviz, https://graphviz.org; --format svg needs no other program.";

/// Draw the control flow of each proctype, or the state space
///
/// A box is a location of a process, with its label or its number in `pc_value`.
/// An arrow is a transition, with its line and its statement. Valid end
/// locations, `accept` and `progress` labels, `atomic`, `d_step` and `unless` are
/// marked, and so are safe statements (see `pmc explain`); the drawing explains
/// the marks.
#[derive(Debug, Args)]
#[command(after_help = GRAPH_EXAMPLES)]
pub struct GraphArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// What is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = GraphFormat::Dot)]
    pub format: GraphFormat,

    /// Draw only this proctype, or `init`, or a claim
    #[arg(long, value_name = "NAME")]
    pub proctype: Option<String>,

    /// Draw the clusters of processes, and the objects that they share, instead
    #[arg(long, conflicts_with_all = ["proctype", "format"])]
    pub clusters: bool,

    /// Draw the states and the steps between them instead, with a counterexample if there is one
    ///
    /// All states that can be reached, without any reduction: for small models. As many as `pmc verify -- --no-reduction`
    /// counts, and those inside atomic sequences.
    #[arg(long, conflicts_with_all = ["proctype", "clusters"])]
    pub states: bool,

    /// Draw at most so many states, those that are nearest to the initial one
    #[arg(long, value_name = "N", default_value_t = 200, requires = "states", value_parser = clap::value_parser!(u16).range(1..=5000))]
    pub max_states: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// A drawing for Graphviz
    Dot,
    /// The picture itself
    Svg,
}

const LTL_EXAMPLES: &str = "\
Examples:
  pmc ltl '[] (p -> <> q)'                    a never claim that accepts where the formula holds
  pmc ltl --negate '[] (p -> <> q)'           one that finds where it is violated: what a model needs
  pmc ltl --format dot 'p U q' | dot -Tsvg    a drawing
  pmc ltl --format hoa --generalized '[]<>p && []<>q'

Operators, from the tightest: `! [] <> X`, comparisons, `U W V`, `&&`, `||`, `-> <->`;
all group to the left. So write `<> (x == 1)`, and parentheses where in doubt.";

/// Print the automaton of a formula of temporal logic
///
/// The automaton accepts the runs for which the formula holds. As a never claim
/// it can be part of a model for Spin or pmc. Conditions on variables are not
/// checked, since there is no model.
#[derive(Debug, Args)]
#[command(after_help = LTL_EXAMPLES)]
pub struct LtlArgs {
    #[arg(value_name = "FORMULA")]
    pub formula: String,

    /// The automaton of the negation: it accepts the runs that violate the formula
    #[arg(long)]
    pub negate: bool,

    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = AutomatonFormat::Never)]
    pub format: AutomatonFormat,

    /// Several sets of accepting transitions, in place of accepting states
    #[arg(long)]
    pub generalized: bool,

    /// When to colour messages
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AutomatonFormat {
    /// A never claim in Promela
    Never,
    /// Version 1 of the Hanoi Omega-Automata format
    Hoa,
    /// A drawing for Graphviz
    Dot,
}

const INIT_EXAMPLES: &str = "\
Examples:
  pmc init && pmc verify              a project with one model, and its verdicts
  pmc init models                     the same in a folder of its own
  pmc init --list                     what would be written

pmc.toml, in short:
  [defaults]                          for every model
  max-time = \"10m\"

  [[model]]
  path = \"lock.pml\"                 a model, or a folder of models
  define = [\"N=3\"]
  properties = [\"safety\", \"served\"]
  expect = \"violated\"               without it: verified
  at = \"lock.pml:17\"                where, or some words of the message";

/// Begin a project: `pmc.toml`, a small model, and workflows for CI
///
/// `pmc verify` without a model checks what pmc.toml says, with the verdicts that are expected. No file is overwritten:
/// what is there stays.
#[derive(Debug, Args)]
#[command(after_help = INIT_EXAMPLES)]
pub struct InitArgs {
    /// The folder; without it, the current one
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,

    /// Write nothing: list the files
    #[arg(long)]
    pub list: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Simplification, Simplify};
    use clap::CommandFactory;

    fn parse(arguments: &str) -> Result<Cli, String> {
        Cli::try_parse_from(arguments.split(' ')).map_err(|error| error.to_string())
    }

    fn model(arguments: &str) -> ModelArgs {
        match parse(arguments).expect("good arguments").command {
            Command::Check(check) => check.model,
            other => panic!("not check: {other:?}"),
        }
    }

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn macros_have_a_name() {
        assert_eq!(model("pmc check -DN=3 -D M -DE= m.pml").define, ["N=3", "M", "E="]);
        assert!(parse("pmc check -D 3x m.pml").unwrap_err().contains("`3x` is not the name of a macro"));
    }

    #[test]
    fn the_level_is_written_as_compilers_do() {
        let simplify = |arguments: &str| model(arguments).options().simplify;
        assert_eq!(simplify("pmc check -O0 m.pml"), Simplify::NONE);
        assert_eq!(simplify("pmc check m.pml"), Simplify::ALL);
        assert_eq!(simplify("pmc check -O no-merge m.pml"), Simplify::ALL.with(Simplification::Merge, false));
        assert_eq!(simplify("pmc check -O0 -Odead m.pml"), Simplify::NONE.with(Simplification::Dead, true));
        assert_eq!(simplify("pmc check -O0 -O1 m.pml"), Simplify::ALL);
        for one in Simplification::ALL {
            let all = simplify(&format!("pmc check -O no-{0} -O {0} m.pml", one.name()));
            assert_eq!(all, Simplify::ALL, "{}", one.name());
        }
        assert!(parse("pmc check -O7 m.pml").is_err());
    }

    #[test]
    fn an_unknown_lint_is_answered_with_the_nearest() {
        let message = parse("pmc check -A unused-varable m.pml").unwrap_err();
        assert!(message.contains("'unused-variable'"), "{message}");
        let message = parse("pmc check --deny trunction m.pml").unwrap_err();
        assert!(message.contains("'truncation'"), "{message}");
        let message = parse("pmc verify -W option-scpe m.pml").unwrap_err();
        assert!(message.contains("'option-scope'"), "{message}");
    }

    #[test]
    fn a_dash_is_standard_input() {
        assert_eq!(model("pmc check -").path, PathBuf::from("-"));
    }

    #[test]
    fn help_shows_an_example_of_every_command() {
        let help = parse("pmc --help").unwrap_err();
        assert!(help.contains("pmc check model.pml") && help.contains("Exit status"), "{help}");
        for command in Cli::command().get_subcommands() {
            let is_shown = help.contains(&format!("\n  pmc {} ", command.get_name()));
            assert!(is_shown || command.get_name() == "help", "no example of {}: {help}", command.get_name());
        }
        let help = parse("pmc check --help").unwrap_err();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for lint in Lint::ALL {
            assert!(help.contains(lint.about()), "{} is not explained in {help}", lint.name());
        }
    }
}
