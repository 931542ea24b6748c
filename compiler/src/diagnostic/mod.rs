//! What is wrong with a model, as plain data.
//!
//! Stages fill in a [`Diagnostic`] and know nothing of how it is shown; they go
//! on as far as they sensibly can, and the driver stops at the border between
//! two stages if an error was found.

pub mod excerpt;
pub mod json;
pub mod render;

use crate::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// A place, and what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    /// May be empty: then the place is only underlined.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    /// Lower case, no full stop, names in backquotes.
    pub message: String,
    pub primary: Label,
    /// Further places: the declaration, the opening brace, the other use.
    pub others: Vec<Label>,
    /// What would be right.
    pub help: Option<String>,
}

/// Names a kind of diagnostic: an error by number, a warning by its lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Shown as `P0203`: the first two digits name the stage
    /// (00 text and preprocessor, 01 syntax, 02 names and types, 03 rules of
    /// the language, 04 formulas, 09 limits and what is not supported).
    Error(u16),
    Lint(Lint),
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Error(number) => write!(f, "P{number:04}"),
            Self::Lint(lint) => f.write_str(lint.name()),
        }
    }
}

/// Declares every lint once: its variant, its name for `-A` and `--deny`, and
/// the sentence that `pmc check --help` shows.
macro_rules! lints {
    ($($variant:ident, $name:literal, $about:literal;)*) => {
        /// A warning that can be silenced (`-A NAME`) or made an error (`--deny NAME`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Lint { $(#[doc = $about] $variant),* }

        impl Lint {
            pub const ALL: &[Lint] = &[$(Lint::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(Lint::$variant => $name),* }
            }

            pub fn about(self) -> &'static str {
                match self { $(Lint::$variant => $about),* }
            }

            pub fn from_name(name: &str) -> Option<Lint> {
                match name { $($name => Some(Lint::$variant),)* _ => None }
            }
        }
    };
}

lints! {
    UnusedVariable, "unused-variable", "a variable or parameter that nothing reads or writes";
    UnusedChannel, "unused-channel", "a channel that nothing uses";
    UnusedProctype, "unused-proctype", "a proctype that is neither active nor run";
    UnusedInline, "unused-inline", "an inline that is never called";
    UnusedLabel, "unused-label", "a label that nothing jumps or refers to and that has no special meaning";
    Unreachable, "unreachable", "a statement that control cannot reach";
    Truncation, "truncation", "a constant that does not fit the type it is stored in";
    DeadElse, "dead-else", "an `else` that can never be taken";
    Assignment, "assignment", "an assignment where a comparison was surely meant";
    TimeoutElse, "timeout-else", "`timeout` beside `else`, which keeps it from ever being taken";
    MisspeltLabel, "misspelt-label", "a label that looks like `end`, `accept` or `progress` misspelt";
    ChannelNeverRead, "channel-never-read", "a channel that is sent to but never received from";
    ChannelNeverWritten, "channel-never-written", "a channel that is received from but never sent to";
    UnsetChannel, "unset-channel", "a channel variable that is used but never given a channel";
    ChannelType, "channel-type", "a channel variable that may hold channels of another shape than this use needs";
    ChannelAsNumber, "channel-as-number", "a channel used as a number or a condition";
    MtypeAsNumber, "mtype-as-number", "an mtype name used in arithmetic";
    MtypeKind, "mtype-kind", "a value of one kind of mtype where another is meant";
    IndexBounds, "index-bounds", "a constant index outside of its array";
    PrintfArguments, "printf-arguments", "a printf whose arguments do not match its format";
    ElseRendezvous, "else-rendezvous", "`else` beside a rendezvous, which Spin refuses";
    ClaimSideEffect, "claim-side-effect", "a claim that changes the state of the system";
    TimeoutValue, "timeout-value", "`timeout` used as a value";
    MacroRedefined, "macro-redefined", "a macro that is defined again with another text";
    WarningDirective, "warning-directive", "a `#warning` that the text was written to give";
    NumberTooLarge, "number-too-large", "a constant beyond 32 bits";
    LoopLabel, "loop-label", "a jump to a label in front of a `for` or `select`, which does not set its counter again";
    ArraySize, "array-size", "an array size or other constant that is read from a variable's initial value";
    Portability, "portability", "accepted here, but Spin or its C code refuses it";
}

impl Diagnostic {
    pub fn error(code: u16, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Code::Error(code), span, message)
    }

    pub fn warning(lint: Lint, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, Code::Lint(lint), span, message)
    }

    fn new(severity: Severity, code: Code, span: Span, message: impl Into<String>) -> Self {
        let primary = Label { span, text: String::new() };
        Self { severity, code, message: message.into(), primary, others: Vec::new(), help: None }
    }

    /// Says something at the primary place, beside underlining it.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.others.push(Label { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// What the user wants to hear of: lints that are silenced, lints that are errors.
#[derive(Clone, Debug, Default)]
pub struct LintLevels {
    pub allowed: Vec<Lint>,
    pub denied: Vec<Lint>,
}

/// An error was found; the diagnostics say which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// All that was found so far.
#[derive(Debug, Default)]
pub struct Diagnostics {
    levels: LintLevels,
    list: Vec<Diagnostic>,
    n_errors: usize,
    n_warnings: usize,
    n_unshown: usize,
}

impl Diagnostics {
    /// Beyond this many errors nobody reads on; further ones are counted only.
    pub const MOST_ERRORS: usize = 50;
    const MOST_WARNINGS: usize = 1000;

    pub fn new(levels: LintLevels) -> Self {
        Self { levels, ..Self::default() }
    }

    pub fn add(&mut self, mut diagnostic: Diagnostic) {
        if let Code::Lint(lint) = diagnostic.code {
            if self.levels.denied.contains(&lint) {
                diagnostic.severity = Severity::Error;
            } else if self.levels.allowed.contains(&lint) {
                return;
            }
        }
        // One cause is often met twice, for example in each call of an inline.
        let again = |old: &Diagnostic| old.message == diagnostic.message && old.primary.span == diagnostic.primary.span;
        if self.list.iter().rev().take(Self::MOST_ERRORS).any(again) {
            return;
        }
        let is_error = diagnostic.severity == Severity::Error;
        self.n_errors += usize::from(is_error);
        self.n_warnings += usize::from(!is_error);
        let room = if is_error { self.n_errors <= Self::MOST_ERRORS } else { self.n_warnings <= Self::MOST_WARNINGS };
        if room {
            self.list.push(diagnostic);
        } else {
            self.n_unshown += 1;
        }
    }

    pub fn has_errors(&self) -> bool {
        self.n_errors > 0
    }

    pub fn n_errors(&self) -> usize {
        self.n_errors
    }

    pub fn n_warnings(&self) -> usize {
        self.n_warnings
    }

    /// How many were found beyond those that are kept.
    pub fn n_unshown(&self) -> usize {
        self.n_unshown
    }

    pub fn stop_on_error(&self) -> Result<(), Stop> {
        if self.has_errors() { Err(Stop) } else { Ok(()) }
    }

    /// In the order in which a person reads the source.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut sorted: Vec<_> = self.list.iter().collect();
        sorted.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        sorted
    }
}
