//! Says in the author's terms what the grammar did not expect.

mod frequent_mistakes;

use super::parse::Unexpected;
use super::terminal::{Located, Terminal};
use super::token::{Keyword, Symbol};
use crate::diagnostic::{Diagnostic, spelling};
use crate::source::{SourceMap, Span};

/// The terminals around the place where the parser stopped.
struct ParseFailure<'a> {
    before: &'a [Located],
    found: Option<&'a Located>,
    after: &'a [Located],
    expected: &'a [String],
    sources: &'a SourceMap,
    /// Of what was found, or the end of the file.
    span: Span,
}

pub fn explain(unexpected: &Unexpected, terminals: &[Located], sources: &SourceMap, end: Span) -> Diagnostic {
    let at = unexpected.at.min(terminals.len());
    let found = terminals.get(at);
    let failure = ParseFailure {
        before: &terminals[..at],
        found,
        after: terminals.get(at + 1..).unwrap_or(&[]),
        expected: &unexpected.expected,
        sources,
        span: found.map_or(end, |found| found.span),
    };
    failure
        .foreign_operator()
        .or_else(|| failure.frequent_mistake())
        .or_else(|| failure.unclosed_parenthesis())
        .unwrap_or_else(|| failure.plain())
}

fn error(span: Span, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error(101, span, message).help(help)
}

impl ParseFailure<'_> {
    fn found_text(&self) -> String {
        self.found.map_or_else(|| "the end of the file".to_owned(), Located::describe)
    }

    fn previous(&self, distance: usize) -> Option<&Located> {
        self.before.len().checked_sub(distance).and_then(|i| self.before.get(i))
    }

    fn previous_symbol(&self, distance: usize) -> Option<Symbol> {
        match self.previous(distance)?.terminal {
            Terminal::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Whether the grammar could go on with this fixed word.
    fn expects(&self, text: &str) -> bool {
        self.expected.iter().any(|expected| expected.strip_prefix('"').and_then(|e| e.strip_suffix('"')) == Some(text))
    }

    fn expects_kind(&self, kind: &str) -> bool {
        self.expected.iter().any(|expected| expected == kind)
    }

    fn expects_expression(&self) -> bool {
        self.expects_kind("number") && self.expects("run")
    }

    fn expects_statement(&self) -> bool {
        self.expects("goto")
    }

    fn expects_unit(&self) -> bool {
        self.expects("proctype") && self.expects("init")
    }

    /// An expression may have just ended. What the grammar expects does not
    /// always tell: it may have closed the expression before it saw the error.
    fn is_behind_operand(&self) -> bool {
        self.previous(1).is_some_and(|previous| match previous.terminal {
            Terminal::Name(_) | Terminal::Number(_) | Terminal::Character(_) => true,
            Terminal::Symbol(symbol) => matches!(symbol, Symbol::CloseParen | Symbol::CloseBracket),
            Terminal::Keyword(keyword) => matches!(
                keyword,
                Keyword::True | Keyword::False | Keyword::Skip | Keyword::Timeout | Keyword::NonProgress
            ),
            _ => false,
        })
    }

    /// The innermost `opener` that no `closer` has closed.
    fn opening(&self, opener: Symbol, closer: Symbol) -> Option<&Located> {
        let mut n_closed = 0u32;
        self.before.iter().rev().find(|located| {
            if located.is(closer) {
                n_closed += 1;
            } else if located.is(opener) {
                if n_closed == 0 {
                    return true;
                }
                n_closed -= 1;
            }
            false
        })
    }

    fn unclosed_parenthesis(&self) -> Option<Diagnostic> {
        let (closer, opener) = if self.expects(")") {
            (Symbol::CloseParen, Symbol::OpenParen)
        } else if self.expects("]") {
            (Symbol::CloseBracket, Symbol::OpenBracket)
        } else {
            return None;
        };
        let is_end = match &self.found {
            None => true,
            Some(found) => matches!(
                found.terminal,
                Terminal::Symbol(
                    Symbol::Semicolon
                        | Symbol::Arrow
                        | Symbol::CloseBrace
                        | Symbol::OpenBrace
                        | Symbol::DoubleColon
                        | Symbol::CloseParen
                        | Symbol::CloseBracket
                ) | Terminal::Keyword(Keyword::Fi | Keyword::Od)
            ),
        };
        if !is_end {
            return None;
        }
        let opened = self.opening(opener, closer)?;
        let line = self.sources.position(opened.span).line;
        let (closer, opener) = (closer.text(), opener.text());
        let message =
            format!("expected `{closer}` to close the `{opener}` on line {line}, found {}", self.found_text());
        Some(Diagnostic::error(103, self.span, message).label(opened.span, format!("this `{opener}` is not closed")))
    }

    /// No brace has closed the last formula.
    fn is_in_formula(&self) -> bool {
        let is_end = |located: &&Located| {
            located.is(Symbol::CloseBrace) || matches!(located.terminal, Terminal::Keyword(Keyword::Ltl))
        };
        let end = self.before.iter().rev().find(is_end);
        end.is_some_and(|end| matches!(end.terminal, Terminal::Keyword(Keyword::Ltl)))
    }

    /// `G p`: the operator of another tool is a name here, and nothing can stand behind it.
    fn foreign_operator(&self) -> Option<Diagnostic> {
        let Terminal::Name(word) = &self.previous(1)?.terminal else { return None };
        let own = spelling::operator(word).filter(|_| self.is_in_formula())?;
        let message = format!("expected an operator, found {}", self.found_text());
        Some(error(self.previous(1)?.span, message, format!("`{word} p` is written `{own} p` here")))
    }

    fn plain(&self) -> Diagnostic {
        let found = self.found_text();
        let message = match self.wanted() {
            Some(wanted) => format!("expected {wanted}, found {found}"),
            None => format!("{found} cannot stand here"),
        };
        let diagnostic = Diagnostic::error(101, self.span, message);
        let is_receive =
            self.expects(")") && self.before.iter().rev().take(12).any(|located| located.is(Symbol::Query));
        if is_receive && !self.is_behind_operand() && self.found.is_some() {
            return diagnostic
                .help("a receive takes variables and constants; to compare with a value write `eval(...)`");
        }
        diagnostic
    }

    /// What could have stood here, in few words.
    fn wanted(&self) -> Option<String> {
        if self.expects_unit() {
            return Some("a declaration or a proctype".to_owned());
        }
        if self.expects_statement() {
            return Some("a statement".to_owned());
        }
        if self.expects_expression() {
            return Some("an expression".to_owned());
        }
        if self.expects("eval") && self.expects_kind("name") {
            return Some("a variable or a constant".to_owned());
        }
        if self.expects(";") && self.expects("->") {
            return Some("`;` or `->`".to_owned());
        }
        if self.expects("byte") && self.expects("chan") {
            return Some("a type".to_owned());
        }
        let words = self.expected.iter().filter_map(|expected| wanted_word(expected));
        // Behind an operand a bracket or parenthesis may open, but that is rarely what is missing.
        let is_opening = |word: &String| word == "`(`" || word == "`[`";
        let mut words: Vec<String> = words.filter(|word| !is_opening(word) || !self.is_behind_operand()).collect();
        words.sort();
        words.dedup();
        match words.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            [first @ .., last] if first.len() < 4 => Some(format!("{} or {last}", first.join(", "))),
            _ => None,
        }
    }
}

/// One thing the grammar expects, as the author would call it. Behind an
/// operand any operator may follow; a list of them would help nothing.
fn wanted_word(expected: &str) -> Option<String> {
    let Some(text) = expected.strip_prefix('"').and_then(|expected| expected.strip_suffix('"')) else {
        return match expected {
            "name" => Some("a name".to_owned()),
            "number" => Some("a number".to_owned()),
            "string" => Some("a string".to_owned()),
            "c_text" => Some("C code in braces".to_owned()),
            _ => None,
        };
    };
    let is_mark = matches!(text, "(" | ")" | "[" | "]" | "{" | "}" | ";" | "->" | "," | ":" | "::" | ".." | "=");
    let is_word = matches!(text, "proctype" | "in" | "of" | "fi" | "od" | "priority" | "provided");
    (is_mark || is_word).then(|| format!("`{text}`"))
}
