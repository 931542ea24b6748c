//! Arguments of several commands: the model and how it is read, formats, colours.

use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::diagnostic::{Lint, LintLevels};
use crate::driver::{EscapeOrder, Options, Rules, Simplification, Simplify, is_macro_name};

/// A model, and how it is read, which is why it has the fields of [`ReadingArgs`] too.
#[derive(Clone, Debug, Args)]
pub struct ModelArgs {
    /// The model; `-` reads it from standard input
    #[arg(value_name = "MODEL")]
    pub path: PathBuf,

    #[command(flatten)]
    pub reading: ReadingArgs,
}

impl Deref for ModelArgs {
    type Target = ReadingArgs;

    fn deref(&self) -> &ReadingArgs {
        &self.reading
    }
}

/// What every command takes that reads a model.
#[derive(Clone, Debug, Args)]
pub struct ReadingArgs {
    /// Define a macro, as a line `#define NAME VALUE` above the model would
    ///
    /// Without a value the macro is 1, as with a C compiler.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = macro_definition)]
    pub define: Vec<String>,

    /// Look for included files in this folder too
    ///
    /// An include is first looked up beside the file that includes it, then in
    /// these folders in the order given.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// Check this formula too, with the names and macros of the model
    ///
    /// Can be given several times; the formulas are called formula_1, formula_2
    /// and so on. As in a model, write parentheses around comparisons.
    #[arg(long = "formula", value_name = "FORMULA")]
    pub formulas: Vec<String>,

    /// Read this file of `ltl`, `never` and `trace` items behind the model
    ///
    /// As a file for `spin -N`; it may use what the model declares.
    #[arg(long = "claims", value_name = "FILE")]
    pub claims: Vec<PathBuf>,

    /// How much the model is simplified: 0 keeps every step and every variable
    ///
    /// With -O0 counts of states equal those of `spin -o1 -o2 -o3`. The parts
    /// can be switched one by one, as in `-O no-merge` or `-O0 -O dead`; the
    /// last word counts. None of them changes a verdict.
    #[arg(short = 'O', value_name = "LEVEL", default_value = "1")]
    pub optimize: Vec<Optimize>,

    /// Give a channel another capacity than the model does
    #[arg(long = "capacity", value_name = "CHAN=N", value_parser = channel_capacity)]
    pub capacities: Vec<(String, u32)>,

    /// Let a send to a full channel go through, and its message be lost
    #[arg(short = 'm', long)]
    pub lose_messages: bool,

    /// How timers run: for as long as they are set, or for any time
    ///
    /// With `abstract` a timer is off, running or expired, and any that runs may
    /// expire at any time. What is verified holds; a violation is looked for
    /// with exact time, and if it is not found the result is incomplete.
    #[arg(long, value_name = "HOW")]
    pub timers: Option<Timers>,

    /// The same as --timers abstract
    #[arg(long, conflicts_with = "timers")]
    pub abstract_time: bool,

    /// Of nested `unless` let the inner escape go first, as `pan -J` does
    ///
    /// Where several escapes can be taken, the language prefers the outermost.
    #[arg(short = 'J', long)]
    pub inner_escape_first: bool,

    /// Let the embedded C of a model run
    ///
    /// It is its author's code, and runs with your rights. Only `verify`, `simulate` and `replay` run it, and they do not
    /// without this flag.
    #[arg(long)]
    pub allow_c: bool,

    /// Allow what a lint finds: no message
    ///
    /// Where a lint refuses what Spin accepts, the model gets Spin's meaning.
    /// `pmc check --help` lists the lints. If a lint is given several levels,
    /// the strictest counts.
    #[arg(short = 'A', long = "allow", value_name = "LINT", hide_possible_values = true)]
    pub allow: Vec<Lint>,

    /// Warn of what a lint finds, but accept it
    #[arg(short = 'W', long = "warn", value_name = "LINT", hide_possible_values = true)]
    pub warn: Vec<Lint>,

    /// Refuse what a lint finds, or `warnings`: all that would be warned of (-D defines a macro)
    #[arg(long, value_name = "LINT", hide_possible_values = true)]
    pub deny: Vec<Denied>,

    /// When to use colours
    ///
    /// `auto` uses them on a terminal, unless the variable NO_COLOR is set.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// The output format of commands that do not verify.
#[derive(Debug, Args)]
pub struct MessageArgs {
    /// How errors and warnings are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
}

impl ReadingArgs {
    /// The options for the driver.
    pub fn options(&self) -> Options {
        Options {
            defines: self.define.clone(),
            include_dirs: self.include.clone(),
            claim_files: self.claims.clone(),
            formulas: self.formulas.clone(),
            lints: self.lints(),
            loses_messages: self.lose_messages,
            escapes: if self.inner_escape_first { EscapeOrder::InnerFirst } else { EscapeOrder::OuterFirst },
            abstract_time: self.is_time_abstract(),
            capacities: self.capacities.clone(),
            simplify: self.optimize.iter().fold(Simplify::ALL, |before, choice| choice.apply(before)),
            open_files: Vec::new(),
            rules: Rules::Own,
        }
    }
}

impl ReadingArgs {
    fn lints(&self) -> LintLevels {
        let one = |denied: &Denied| match denied {
            Denied::Lint(lint) => Some(*lint),
            Denied::Warnings => None,
        };
        LintLevels {
            allowed: self.allow.clone(),
            warned: self.warn.clone(),
            denied: self.deny.iter().filter_map(one).collect(),
            denies_warnings: self.deny.contains(&Denied::Warnings),
        }
    }

    /// The options that decide what a model means, as words of a command line.
    fn given(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut add = |flag: &str, value: &OsStr| words.extend([flag.into(), value.to_owned()]);
        self.define.iter().for_each(|define| add("-D", define.as_ref()));
        self.include.iter().for_each(|folder| add("-I", folder.as_ref()));
        self.formulas.iter().for_each(|formula| add("--formula", formula.as_ref()));
        self.claims.iter().for_each(|file| add("--claims", file.as_ref()));
        for choice in self.optimize.iter().filter(|_| self.optimize != [Optimize::Everything]) {
            let value = choice.to_possible_value();
            value.iter().for_each(|value| add("-O", value.get_name().as_ref()));
        }
        for (channel, capacity) in &self.capacities {
            add("--capacity", format!("{channel}={capacity}").as_ref());
        }
        // Of lints only those that let a model pass matter.
        self.allow.iter().for_each(|lint| add("-A", lint.name().as_ref()));
        self.warn.iter().for_each(|lint| add("-W", lint.name().as_ref()));
        words.extend(self.lose_messages.then(|| "-m".into()));
        words.extend(self.inner_escape_first.then(|| "-J".into()));
        if self.is_time_abstract() {
            words.extend(["--timers".into(), "abstract".into()]);
        }
        words.extend(self.allow_c.then(|| "--allow-c".into()));
        words
    }

    /// Whether any timer that runs may expire at any time.
    pub fn is_time_abstract(&self) -> bool {
        self.abstract_time || self.timers == Some(Timers::Abstract)
    }

    /// The same with all that decides whether a model is refused.
    pub fn words(&self) -> Vec<OsString> {
        let denied = self.deny.iter().filter_map(Denied::to_possible_value);
        let denied = denied.flat_map(|value| ["--deny".into(), value.get_name().into()]);
        self.given().into_iter().chain(denied).collect()
    }
}

impl ModelArgs {
    /// The options that decide what a model means, and the model, as words of a command line.
    pub fn given(&self) -> Vec<OsString> {
        let mut words = self.reading.given();
        words.push(self.path.clone().into_os_string());
        words
    }
}

fn channel_capacity(text: &str) -> Result<(String, u32), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let parsed = parts.and_then(|(name, capacity)| Some((name.to_owned(), capacity.parse::<u32>().ok()?)));
    let usage = "give a channel and its capacity, 1 to 255, such as queue=4";
    parsed.filter(|(_, capacity)| (1..=255).contains(capacity)).ok_or_else(|| usage.to_owned())
}

/// `NAME` or `NAME=VALUE`, with a name that a macro can have.
fn macro_definition(text: &str) -> Result<String, String> {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    is_macro(name).map(|()| text.to_owned())
}

/// Whether a macro can have this name.
pub(super) fn is_macro(name: &str) -> Result<(), String> {
    if is_macro_name(name) {
        Ok(())
    } else {
        Err(format!("`{name}` is not the name of a macro: letters, digits and `_`, no digit in front"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// text with excerpts, on standard error
    Human,
    /// one JSON object, schema pmc-diagnostics/1 (`check`: on standard output)
    Json,
}

/// The output formats of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// text with excerpts, on standard error
    Human,
    /// one JSON object, schema pmc-diagnostics/1
    Json,
    /// SARIF, for code scanning
    Sarif,
    /// JUnit's XML, for CI servers
    Junit,
}

impl From<Format> for ReportFormat {
    /// The report that comes with messages of a format.
    fn from(format: Format) -> Self {
        match format {
            Format::Human => Self::Human,
            Format::Json => Self::Json,
        }
    }
}

/// The report formats of a verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// text, with colours and a live line on a terminal
    Human,
    /// one JSON object, schema pmc-report/1
    Json,
    /// JUnit's XML, for CI servers
    Junit,
    /// SARIF, for code scanning
    Sarif,
    /// as Spin's verifiers print it
    Pan,
}

impl ReportFormat {
    /// The name of the verifier's format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
            Self::Junit => "junit",
            Self::Sarif => "sarif",
            Self::Pan => "pan",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// How timers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Timers {
    /// For as long as they are set
    Exact,
    /// For any time
    Abstract,
}

/// The value of one `-O`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimize {
    Nothing,
    Everything,
    With(Simplification),
    Without(Simplification),
}

impl Optimize {
    fn apply(self, before: Simplify) -> Simplify {
        match self {
            Self::Nothing => Simplify::NONE,
            Self::Everything => Simplify::ALL,
            Self::With(one) => before.with(one, true),
            Self::Without(one) => before.with(one, false),
        }
    }
}

impl ValueEnum for Optimize {
    fn value_variants<'a>() -> &'a [Self] {
        use Simplification::{Constants, Dead, Merge, Ticks, Unread};
        &[
            Self::Nothing,
            Self::Everything,
            Self::With(Constants),
            Self::Without(Constants),
            Self::With(Unread),
            Self::Without(Unread),
            Self::With(Dead),
            Self::Without(Dead),
            Self::With(Merge),
            Self::Without(Merge),
            Self::With(Ticks),
            Self::Without(Ticks),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Nothing => PossibleValue::new("0").help("nothing"),
            Self::Everything => PossibleValue::new("1").help("everything"),
            Self::With(one) => PossibleValue::new(one.name()).help(one.about()),
            Self::Without(one) => PossibleValue::new(one.opposite()),
        })
    }
}

impl ValueEnum for Lint {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.about()))
    }
}

/// The value of one `--deny`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    Warnings,
    Lint(Lint),
}

impl ValueEnum for Denied {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Denied>> = LazyLock::new(|| {
            std::iter::once(Denied::Warnings).chain(Lint::ALL.iter().copied().map(Denied::Lint)).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Warnings => Some(PossibleValue::new("warnings").help("all that would be warned of")),
            Self::Lint(lint) => lint.to_possible_value(),
        }
    }
}
