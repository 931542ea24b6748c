//! Looking for more behind an error: which findings cannot follow from it.
//!
//! After an error a part of the model is missing: a statement that was cut out, a declaration that was refused. What is
//! found later about the names in it may be wrong, and so may be what is found on the same line, or because something is
//! missing. All else is reported in the same run.

use std::collections::BTreeSet;

use super::{Code, Diagnostic, Diagnostics, Lint, Severity};
use crate::source::{SourceMap, Span};

/// Errors that say that something is missing, which may have been cut out: there is no such label, no channel is ever given,
/// no process is there.
const OF_ABSENCE: [u16; 3] = [216, 217, 314];

/// The same for lints.
const LINTS_OF_ABSENCE: [Lint; 11] = [
    Lint::ChannelNeverRead,
    Lint::ChannelNeverWritten,
    Lint::MisspeltLabel,
    Lint::UnboundedGrowth,
    Lint::Unreachable,
    Lint::UnsetChannel,
    Lint::UnusedChannel,
    Lint::UnusedInline,
    Lint::UnusedLabel,
    Lint::UnusedProctype,
    Lint::UnusedVariable,
];

impl Diagnostics {
    /// This name stands in what was cut out because of an error.
    pub fn doubt(&mut self, name: &str) {
        if !self.doubtful.contains(name) {
            self.doubtful.insert(name.to_owned());
        }
    }

    /// Nothing can be told of what is behind the errors so far: what is in which block is a guess, or a declaration was cut
    /// out, and with it perhaps the channels that a variable holds, or a name that is not even there.
    pub fn give_up(&mut self) {
        self.has_given_up = true;
    }

    /// Looks for more. If there are errors already, only those findings are kept that cannot follow from them.
    pub fn further<T>(&mut self, sources: &SourceMap, look: impl FnOnce(&mut Self) -> T) -> T {
        if !self.has_errors() {
            return look(self);
        }
        let mut found = Self::new(self.levels.clone());
        let result = look(&mut found);
        let doubt = Doubt::new(self, sources);
        let (kept, left_out): (Vec<_>, Vec<_>) = found.list.drain(..).partition(|one| doubt.keeps(one));
        // What is unknown because of an error is unknown to later stages, too.
        let spans = left_out.iter().map(|one| one.primary.span);
        found.doubtful.extend(spans.flat_map(|span| words(sources.text(span))).map(str::to_owned));
        self.doubtful.append(&mut found.doubtful);
        self.has_given_up |= found.has_given_up;
        kept.into_iter().for_each(|diagnostic| self.add(diagnostic));
        result
    }
}

/// What the errors so far make doubtful.
struct Doubt<'s> {
    sources: &'s SourceMap,
    names: BTreeSet<String>,
    /// Files by number, and lines in them.
    lines: BTreeSet<(usize, u32)>,
    is_all: bool,
}

impl<'s> Doubt<'s> {
    fn new(diagnostics: &Diagnostics, sources: &'s SourceMap) -> Self {
        let errors = || diagnostics.list.iter().filter(|known| known.severity == Severity::Error);
        let spans = || errors().map(|error| error.primary.span);
        let mut names = diagnostics.doubtful.clone();
        names.extend(spans().flat_map(|span| words(sources.text(span))).map(str::to_owned));
        let lines = spans().map(|span| line(sources, span)).collect();
        Self { sources, names, lines, is_all: diagnostics.has_given_up }
    }

    fn keeps(&self, diagnostic: &Diagnostic) -> bool {
        let is_of_absence = match diagnostic.code {
            Code::Error(number) => OF_ABSENCE.contains(&number),
            Code::Lint(lint) => LINTS_OF_ABSENCE.contains(&lint),
        };
        let spans = || std::iter::once(&diagnostic.primary).chain(&diagnostic.others).map(|place| place.span);
        let is_on_a_line = spans().any(|span| self.lines.contains(&line(self.sources, span)));
        if self.is_all || is_of_absence || is_on_a_line {
            return false;
        }
        let texts = spans().map(|span| self.sources.text(span));
        let quoted = diagnostic.message.split('`').skip(1).step_by(2);
        !texts.chain(quoted).flat_map(words).any(|word| self.names.contains(word))
    }
}

fn line(sources: &SourceMap, span: Span) -> (usize, u32) {
    (sources.file_number(span), sources.position(span).line)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "byte a = ;\nb = c\nd = e\n";

    /// What is kept of findings at these texts, behind an error at the `;`.
    fn kept(findings: &[(Code, &str, &str)], prepare: impl Fn(&mut Diagnostics)) -> Vec<String> {
        let mut sources = SourceMap::new();
        sources.add("m.pml", TEXT).expect("small");
        let span = |part: &str| {
            let start = TEXT.find(part).expect("a part") as u32;
            Span::new(start, start + part.len() as u32)
        };
        let mut diagnostics = Diagnostics::default();
        diagnostics.add(Diagnostic::error(101, span(";"), "an expression is missing"));
        prepare(&mut diagnostics);
        diagnostics.further(&sources, |found| {
            for (code, part, message) in findings {
                let diagnostic = match code {
                    Code::Error(number) => Diagnostic::error(*number, span(part), *message),
                    Code::Lint(lint) => Diagnostic::warning(*lint, span(part), *message),
                };
                found.add(diagnostic);
            }
        });
        diagnostics.sorted().iter().skip(1).map(|diagnostic| diagnostic.message.clone()).collect()
    }

    #[test]
    fn what_may_follow_from_an_error_is_not_reported() {
        let findings = [
            (Code::Error(201), "byte", "on the line of the error"),
            (Code::Error(201), "b = c", "about `b`"),
            (Code::Error(201), "d", "about `d`"),
            (Code::Error(217), "d = e", "of absence"),
            (Code::Lint(Lint::UnusedVariable), "e", "of absence, too"),
            (Code::Lint(Lint::Truncation), "e\n", "about a value"),
            (Code::Error(203), "d = e", "`c` is meant"),
        ];
        let of = |names: &[&str]| kept(&findings, |diagnostics| names.iter().for_each(|name| diagnostics.doubt(name)));
        assert_eq!(of(&["a"]), ["about `b`", "about `d`", "`c` is meant", "about a value"]);
        assert_eq!(of(&["a", "c"]), ["about `d`", "about a value"]);
        assert_eq!(of(&["e"]), ["about `b`", "about `d`"]);
        assert_eq!(kept(&findings, Diagnostics::give_up), Vec::<String>::new());
    }

    #[test]
    fn without_an_error_all_is_kept() {
        let mut diagnostics = Diagnostics::default();
        let sources = SourceMap::new();
        diagnostics.further(&sources, |found| found.add(Diagnostic::error(217, Span::new(0, 0), "x")));
        assert_eq!(diagnostics.n_errors(), 1);
    }
}
