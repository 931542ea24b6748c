//! Every flag once, with its help.

mod arguments;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use arguments::{Color, Format, MessageArgs, ModelArgs, Optimize, ReportFormat};

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
  pmc graph model.pml | dot -Tsvg     draw the control flow of its processes
  pmc ltl --negate '[] (p -> <> q)'   the never claim of a formula
  pmc completions bash                a completion script for your shell

Exit status:
  0    all is well
  1    a property is violated
  2    the model or the command line is wrong
  3    the search is incomplete and found nothing wrong
  101  an error in pmc (please send us the model), or the verifier could not be built

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
    Verify(VerifyArgs),
    Simulate(SimulateArgs),
    Replay(ReplayArgs),
    Compile(CompileArgs),
    Check(CheckArgs),
    Expand(ExpandArgs),
    Explain(ExplainArgs),
    Graph(GraphArgs),
    Ltl(LtlArgs),
    Completions(CompletionsArgs),
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  pmc verify model.pml
  pmc verify model.pml -- --search dfs        flags of the verifier stand behind `--`
  pmc verify model.pml --ltl served           only that formula
  pmc verify model.pml --formula '[] (turn < 2)'
  pmc verify model.pml -- --help              the list of them
  pmc verify --format json model.pml          the report for scripts: schema pmc-report/1
  pmc verify model.pml && echo correct        the exit status is the verdict: see `pmc --help`

A counterexample is written to `model.trail.json` in the current folder, for `pmc replay`.";

/// Does every property of the model hold?
///
/// The model is interpreted at once. If that takes longer than a tenth of a
/// second, its verifier is built with cargo meanwhile, and takes over from the
/// beginning when it is ready. Verifiers are kept in a cache (the folder in
/// PMC_CACHE, or `pmc` in the user's cache), so that an unchanged model is not
/// built again. A verifier that was not used for 30 days is removed, and beyond
/// 1 GiB those that were not used for longest.
#[derive(Debug, Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// How the verdict is written, and errors and warnings of the model
    ///
    /// The report goes to standard output and nothing else does. Errors and
    /// warnings of the model go to standard error: with `json` as one JSON object,
    /// else as text.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: ReportFormat,

    /// Check only the formula or claim of this name, or several of them
    #[arg(long, value_name = "NAME")]
    pub ltl: Vec<String>,

    /// What executes the model
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,

    /// Flags of the verifier
    #[arg(last = true, value_name = "FLAGS")]
    pub flags: Vec<std::ffi::OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The interpreter at once, and the verifier when it is built
    Auto,
    /// pmc itself: nothing is built
    Interpret,
    /// The emitted verifier, which is built with cargo
    Compiled,
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
    #[arg(long, short = 'i')]
    pub interactive: bool,

    #[command(flatten)]
    pub show: ShowArgs,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  pmc verify model.pml; pmc replay model.pml
  pmc replay -s -r model.pml                  only what is sent and received
  pmc replay model.pml model.2.trail.json     the second one of `verify -- --all-errors`

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
  pmc check --format json model.pml           for editors and scripts
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

    #[command(flatten)]
    pub messages: MessageArgs,
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
  pmc expand -D N=5 model.pml > five.pml && spin -a five.pml";

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

    #[command(flatten)]
    pub messages: MessageArgs,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  pmc explain model.pml
  pmc explain -D N=5 model.pml                how much larger does a state get?
  pmc explain --format json model.pml         for scripts: schema pmc-explain/1
  pmc explain --exec model.pml                what is tested and done, step by step";

/// Show what the static analyses find out about a model
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

const GRAPH_EXAMPLES: &str = "\
Examples:
  pmc graph model.pml | dot -Tsvg > model.svg
  pmc graph --proctype sender model.pml | dot -Tpng > sender.png
  pmc graph --clusters model.pml | dot -Tsvg > clusters.svg

`dot` comes with Graphviz, https://graphviz.org.";

/// Draw the control flow of each proctype, for Graphviz
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

    #[command(flatten)]
    pub messages: MessageArgs,

    /// Draw only this proctype, or `init`, or a claim
    #[arg(long, value_name = "NAME")]
    pub proctype: Option<String>,

    /// Draw the clusters of processes, and the objects that they share, instead
    #[arg(long, conflicts_with = "proctype")]
    pub clusters: bool,
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

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  pmc completions bash > ~/.local/share/bash-completion/completions/pmc
  pmc completions fish > ~/.config/fish/completions/pmc.fish
  pmc completions zsh > ~/.zfunc/_pmc       with ~/.zfunc in your fpath";

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
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
