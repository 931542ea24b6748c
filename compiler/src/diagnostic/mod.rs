//! What is wrong with a model, as plain data.
//!
//! Rooms fill in a [`Diagnostic`] and do not know how it is shown; they continue as far as they sensibly can, and the
//! driver stops between two rooms if an error was found.

mod doubt;
pub mod excerpt;
#[cfg(feature = "cli")]
pub mod explanation;
#[cfg(feature = "cli")]
pub mod json;
#[cfg(feature = "cli")]
pub mod junit;
pub mod render;
#[cfg(feature = "cli")]
pub mod sarif;
pub mod spelling;

use std::collections::BTreeSet;

use crate::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// A span with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub span: Span,
    /// May be empty: then the span is only underlined.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    /// Lower case, no full stop, names in backquotes.
    pub message: String,
    pub primary: Annotation,
    /// Further spans: the declaration, the opening brace, the other use.
    pub others: Vec<Annotation>,
    /// What would be right.
    pub help: Option<String>,
}

/// Names a kind of diagnostic: an error by number, a warning by its lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Shown as `P0203`: the first two digits name the pass (00 text and preprocessor, 01 syntax, 02 names and types,
    /// 03 rules of the language, 04 formulas, 09 limits and unsupported features).
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

/// The level of a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Accepted silently.
    Allow,
    /// Accepted with a warning.
    Warn,
    /// Rejected.
    Deny,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// Declares every lint once: its variant, its name for `-A`, `-W` and `--deny`,
/// its level unless the user gives one, and the sentence that help shows.
macro_rules! lints {
    ($($variant:ident, $name:literal, $level:ident, $about:literal;)*) => {
        /// A finding whose level the user can choose (`-A NAME`, `-W NAME`, `--deny NAME`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Lint { $(#[doc = $about] $variant),* }

        impl Lint {
            pub const ALL: &[Lint] = &[$(Lint::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(Lint::$variant => $name),* }
            }

            /// The level unless the user gives one.
            pub fn default_level(self) -> Level {
                match self { $(Lint::$variant => Level::$level),* }
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
    UnusedVariable, "unused-variable", Warn, "a variable or parameter that nothing reads or writes";
    UnusedChannel, "unused-channel", Warn, "a channel that nothing uses";
    UnusedProctype, "unused-proctype", Warn, "a proctype that is neither active nor run";
    UnusedInline, "unused-inline", Warn, "an inline that is never called";
    UnusedLabel, "unused-label", Warn, "a label that nothing jumps or refers to and that has no special meaning";
    Unreachable, "unreachable", Warn, "a statement that control cannot reach";
    Truncation, "truncation", Warn, "a constant that does not fit the type it is stored in";
    DeadElse, "dead-else", Warn, "an `else` that can never be taken";
    Assignment, "assignment", Warn, "an assignment where a comparison was surely meant";
    TimeoutElse, "timeout-else", Warn, "`timeout` beside `else`, which keeps it from ever being taken";
    MisspeltLabel, "misspelt-label", Warn, "a label that looks like `end`, `accept` or `progress` misspelt";
    ChannelNeverRead, "channel-never-read", Warn, "a channel that is sent to but never received from";
    ChannelNeverWritten, "channel-never-written", Warn, "a channel that is received from but never sent to";
    UnsetChannel, "unset-channel", Warn, "a channel variable that is used but never given a channel";
    PollRendezvous, "poll-rendezvous", Warn, "a poll of a rendezvous channel, which never holds a message";
    ChannelType, "channel-type", Warn, "a channel variable that may hold channels of another shape than this use needs";
    ChannelAsNumber, "channel-as-number", Warn, "a channel used as a number or a condition";
    MtypeAsNumber, "mtype-as-number", Warn, "an mtype name used in arithmetic";
    MtypeKind, "mtype-kind", Warn, "a value of one kind of mtype where another is meant";
    IndexBounds, "index-bounds", Warn, "a constant index outside of its array";
    PrintfArguments, "printf-arguments", Warn, "a printf whose arguments do not match its format";
    ElseRendezvous, "else-rendezvous", Warn, "`else` beside a rendezvous, which Spin refuses";
    ClaimSideEffect, "claim-side-effect", Warn, "a claim that changes the state of the system";
    TimeoutValue, "timeout-value", Warn, "`timeout` used as a value";
    MacroRedefined, "macro-redefined", Warn, "a macro that is defined again with another text";
    WarningDirective, "warning-directive", Warn, "a `#warning` that the text was written to give";
    NumberTooLarge, "number-too-large", Warn, "a constant beyond 32 bits";
    LoopLabel, "loop-label", Warn, "a jump to a label in front of a `for` or `select`, which does not set its counter again";
    ArraySize, "array-size", Warn, "an array size or other constant that is read from a variable's initial value";
    TimerNeverSet, "timer-never-set", Warn, "a timer that nothing sets, so that it never expires";
    TimerNeverTested, "timer-never-tested", Warn, "a timer that nothing asks about: it only lets time pass";
    TimeoutInTimedModel, "timeout-in-timed-model", Warn, "`timeout` beside timers: it is true before any time passes";
    SetNegative, "set-negative", Warn, "a timer that is set to less than -1, which is off";
    ShadowedTimerWord, "shadowed-timer-word", Warn, "an inline that hides an operation on timers";
    UnboundedGrowth, "unbounded-growth", Warn, "a variable that grows without bound, so that few searches come to their end";
    Portability, "portability", Warn, "accepted here, but Spin or its C code refuses it";
    RecordInitializer, "record-initializer", Deny, "an initial value for a whole record, which Spin ignores";
    ArrayWithoutIndex, "array-without-index", Deny, "an array used without an index: Spin takes element 0";
    LateArrayList, "late-array-list", Deny, "a list of initial values behind a statement: Spin sets element 0 only, at each pass";
    LongArrayList, "long-array-list", Deny, "more initial values than an array has elements: Spin ignores the rest";
    LateChannel, "late-channel", Deny, "a channel created behind a statement: Spin creates it with its process";
    OptionScope, "option-scope", Deny, "a name declared in one option and used outside of it: Spin ends its scope with the block around";
}

impl Diagnostic {
    pub fn error(code: u16, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Code::Error(code), span, message)
    }

    /// A finding of a lint. Whether it is shown as a warning or an error depends on the lint's level.
    pub fn warning(lint: Lint, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, Code::Lint(lint), span, message)
    }

    /// Something that Spin accepts though its meaning is rarely intended. The pass that reports it continues with that
    /// meaning, so that `-A` and `-W` need no other code.
    pub fn accident(lint: Lint, span: Span, message: impl Into<String>, advice: &str, meaning: &str) -> Self {
        let help = format!("{advice}\n`-A {}` accepts it with Spin's meaning: {meaning}", lint.name());
        Self::warning(lint, span, message).help(help)
    }

    fn new(severity: Severity, code: Code, span: Span, message: impl Into<String>) -> Self {
        let primary = Annotation { span, text: String::new() };
        Self { severity, code, message: message.into(), primary, others: Vec::new(), help: None }
    }

    /// Adds a text at the primary span, beside underlining it.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.others.push(Annotation { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// The lints whose level the user gave.
#[derive(Clone, Debug, Default)]
pub struct LintLevels {
    pub allowed: Vec<Lint>,
    pub warned: Vec<Lint>,
    pub denied: Vec<Lint>,
    /// Every warning is an error.
    pub denies_warnings: bool,
}

impl LintLevels {
    /// The level in force: the strictest of those that were given, whatever their order. What is allowed is no warning.
    pub fn of(&self, lint: Lint) -> Level {
        match self.of_alone(lint) {
            Level::Warn if self.denies_warnings => Level::Deny,
            level => level,
        }
    }

    fn of_alone(&self, lint: Lint) -> Level {
        if self.denied.contains(&lint) {
            Level::Deny
        } else if self.warned.contains(&lint) {
            Level::Warn
        } else if self.allowed.contains(&lint) {
            Level::Allow
        } else {
            lint.default_level()
        }
    }
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
    /// Names in what was cut out because of an error.
    doubtful: BTreeSet<String>,
    /// What is behind the errors cannot be told.
    has_given_up: bool,
}

impl Diagnostics {
    /// Further errors are only counted.
    pub const MOST_ERRORS: usize = 50;
    const MOST_WARNINGS: usize = 1000;

    pub fn new(levels: LintLevels) -> Self {
        Self { levels, ..Self::default() }
    }

    pub fn add(&mut self, mut diagnostic: Diagnostic) {
        if let Code::Lint(lint) = diagnostic.code {
            diagnostic.severity = match self.levels.of(lint) {
                Level::Allow => return,
                Level::Warn => Severity::Warning,
                Level::Deny => Severity::Error,
            };
        }
        // One cause is often found twice, for example in each call of an inline.
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

    /// The codes of the errors.
    pub fn errors(&self) -> impl Iterator<Item = (Code, Span)> {
        let errors = self.list.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.map(|error| (error.code, error.primary.span))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_level_that_was_given_counts() {
        let lint = Lint::OptionScope;
        let of = |allowed: &[Lint], warned: &[Lint], denied: &[Lint]| {
            let (allowed, warned, denied) = (allowed.to_vec(), warned.to_vec(), denied.to_vec());
            LintLevels { allowed, warned, denied, denies_warnings: false }.of(lint)
        };
        assert_eq!(of(&[], &[], &[]), Level::Deny);
        assert_eq!(of(&[lint], &[], &[]), Level::Allow);
        assert_eq!(of(&[lint], &[lint], &[]), Level::Warn);
        assert_eq!(of(&[lint], &[lint], &[lint]), Level::Deny);
        assert_eq!(of(&[Lint::Truncation], &[], &[]), Level::Deny);
    }

    #[test]
    fn warnings_can_be_errors_but_what_is_allowed_is_none() {
        let (warns, denies) = (Lint::Truncation, Lint::OptionScope);
        let levels = LintLevels { denies_warnings: true, ..LintLevels::default() };
        assert_eq!((levels.of(warns), levels.of(denies)), (Level::Deny, Level::Deny));
        let levels = LintLevels { allowed: vec![warns, denies], ..levels };
        assert_eq!((levels.of(warns), levels.of(denies)), (Level::Allow, Level::Allow));
        let levels = LintLevels { warned: vec![warns, denies], ..levels };
        assert_eq!((levels.of(warns), levels.of(denies)), (Level::Deny, Level::Deny));
    }

    #[test]
    fn a_name_leads_back_to_its_lint() {
        for lint in Lint::ALL {
            assert_eq!(Lint::from_name(lint.name()), Some(*lint));
        }
    }
}
