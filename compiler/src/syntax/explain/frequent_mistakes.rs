//! Mistakes that many people make, each with what to write instead.

use super::{ParseFailure, error};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::terminal::{Located, Terminal};
use crate::syntax::token::{Keyword, Symbol};

impl ParseFailure<'_> {
    pub(super) fn frequent_mistake(&self) -> Option<Diagnostic> {
        let found = self.found?;
        match &found.terminal {
            Terminal::Symbol(symbol) => self.misplaced_symbol(*symbol),
            Terminal::Keyword(keyword) => self.misplaced_keyword(*keyword),
            Terminal::Name(name) => self.misplaced_name(name),
            Terminal::Number(_) | Terminal::Character(_) => self.misplaced_constant(),
            Terminal::InlineCall(name) if !self.expects_statement() => Some(error(
                self.span,
                format!("the inline `{name}` cannot be called inside an expression"),
                format!("an inline that returns a value can be called as `x = {name}(...)`, and in no other way"),
            )),
            _ => None,
        }
        .or_else(|| self.missing_option())
        .or_else(|| self.missing_block())
        .or_else(|| self.missing_separator())
    }

    /// `if (x) ...`, `run P`, `proctype P { ... }`
    fn missing_option(&self) -> Option<Diagnostic> {
        let found = self.found_text();
        let [only] = self.expected else { return None };
        let word = match self.previous(1)?.terminal {
            Terminal::Keyword(keyword @ (Keyword::If | Keyword::Do)) => keyword.text(),
            _ => "",
        };
        let before = match self.previous(2)?.terminal {
            Terminal::Keyword(keyword @ (Keyword::Run | Keyword::Proctype | Keyword::DProctype)) => keyword.text(),
            _ => "",
        };
        if only == "\"::\"" && !word.is_empty() {
            let help = format!("each option begins with `::`, as in `{word} :: condition -> ... :: else -> ...`");
            return Some(error(self.span, format!("expected `::`, found {found}"), help));
        }
        (only == "\"(\"" && !before.is_empty()).then(|| {
            let help = format!("parentheses stand behind the name also if there is nothing in them: `{before} P()`");
            error(self.span, format!("expected `(`, found {found}"), help)
        })
    }

    /// `atomic x = 1`, `for (i : 1 .. 2) skip`: where only a block may follow.
    fn missing_block(&self) -> Option<Diagnostic> {
        if !self.expects("{") || self.expects_statement() || self.expects_kind("name") {
            return None;
        }
        let is_head = |located: &&Located| {
            matches!(located.terminal, Terminal::Keyword(Keyword::Atomic | Keyword::DStep | Keyword::For))
        };
        let head =
            match self.before.iter().rev().take_while(|located| !located.is(Symbol::Semicolon)).find(is_head)?.terminal
            {
                Terminal::Keyword(keyword) => keyword.text(),
                _ => return None,
            };
        Some(error(
            self.span,
            format!("expected `{{`, found {}", self.found_text()),
            format!("what `{head}` applies to is put in braces: `{head} ... {{ ... }}`"),
        ))
    }

    fn misplaced_symbol(&self, symbol: Symbol) -> Option<Diagnostic> {
        let text = symbol.text();
        if let Some(at) = self.previous(1).filter(|previous| previous.is(Symbol::At)) {
            return Some(error(
                at.span,
                "expected the name of a label behind `@`",
                "a process is at a label: `P[pid]@label`",
            ));
        }
        if let Some(diagnostic) = self.statement_outside() {
            return Some(diagnostic);
        }
        match symbol {
            Symbol::Assign => self.misplaced_assign(),
            Symbol::PlusPlus | Symbol::MinusMinus => {
                let sign = if symbol == Symbol::PlusPlus { '+' } else { '-' };
                Some(error(
                    self.span,
                    format!("`{text}` is a statement of its own and cannot stand inside an expression"),
                    format!("write `x{text}` as a separate statement, or use `x {sign} 1`"),
                ))
            }
            Symbol::BangBang if self.expects("!") => Some(error(
                self.span,
                "`!!` is the sorted send and not a double negation",
                "put a space between the two: `! !x`",
            )),
            Symbol::Bang | Symbol::BangBang if self.is_behind_operand() => Some(error(
                self.span,
                "a send is a statement and cannot stand inside an expression",
                "send first, and use the value afterwards; `nfull(q)` tells whether a send is possible",
            )),
            Symbol::OpenBracket if self.previous_symbol(1) == Some(Symbol::CloseBracket) => Some(error(
                self.span,
                "an array has one dimension only",
                "use a `typedef` with an array in it: `typedef row { byte column[3] }; row a[2]`, then `a[1].column[2]`",
            )),
            // `x => y` is `x = > y` to the lexer.
            Symbol::Greater if self.previous_symbol(1) == Some(Symbol::Assign) => {
                Some(double_arrow(self.previous(1)?.span))
            }
            Symbol::OpenParen => self.call(),
            Symbol::Colon => self.misplaced_colon(),
            Symbol::Comma => self.misplaced_comma(),
            Symbol::Dot if matches!(self.previous(1)?.terminal, Terminal::Number(_)) => Some(error(
                self.span,
                "there are no numbers with a fraction in Promela",
                "all numbers are integers; scale the quantity, for example to thousandths",
            )),
            Symbol::CloseBrace if self.expects_statement() => self.missing_statement(),
            Symbol::Semicolon | Symbol::Arrow if self.expects_statement() => self.missing_statement(),
            Symbol::CloseParen if self.opening(Symbol::OpenParen, Symbol::CloseParen).is_none() => {
                Some(error(self.span, format!("`{text}` closes nothing"), "there is one too many, or one is missing before"))
            }
            Symbol::CloseBracket if self.previous_symbol(1) == Some(Symbol::OpenBracket) => Some(error(
                self.span,
                "expected an expression, found `]`",
                "a size, an index or a capacity stands in the brackets; a rendezvous has capacity 0",
            )),
            Symbol::DoubleColon if self.expects("}") || self.expects_statement() => Some(error(
                self.span,
                "an option `::` can only stand in an `if` or a `do`",
                "write `if :: ... fi` or `do :: ... od` around it",
            )),
            _ => self.receive_in_expression(),
        }
        .or_else(|| self.receive_in_expression())
    }

    /// `x = 1` where only declarations may stand: the name was taken for a type.
    fn statement_outside(&self) -> Option<Diagnostic> {
        let name = self.previous(1)?;
        let before_name = self.previous(2);
        let is_first =
            before_name.is_none_or(|located| located.is(Symbol::Semicolon) || located.is(Symbol::CloseBrace));
        let is_second = before_name.is_some_and(|located| matches!(located.terminal, Terminal::Name(_)));
        let is_name = matches!(name.terminal, Terminal::Name(_));
        (is_name && (is_first || is_second) && self.expects_kind("name") && self.expected.len() == 1).then(|| {
            error(
                name.span,
                format!("expected a declaration or a proctype, found {}", name.describe()),
                if is_second {
                    "several variables of one type have commas between them"
                } else {
                    "statements can only stand inside a proctype, `init`, a claim or an inline"
                },
            )
        })
    }

    fn misplaced_assign(&self) -> Option<Diagnostic> {
        if self.previous_symbol(1) == Some(Symbol::Colon) {
            return Some(error(self.span, "there is no `:=` in Promela", "an assignment is written `x = ...`"));
        }
        if self.after.first().is_some_and(|next| next.is(Symbol::Greater) && next.span.start == self.span.end) {
            return Some(double_arrow(self.span));
        }
        if self.expects("in") {
            return Some(error(
                self.span,
                "a `for` of Promela runs over a range or an array",
                "write `for (i : 0 .. 9) { ... }` or `for (i in a) { ... }`",
            ));
        }
        let operator = self.previous_symbol(1).filter(|operator| {
            matches!(
                operator,
                Symbol::Plus
                    | Symbol::Minus
                    | Symbol::Star
                    | Symbol::Slash
                    | Symbol::Percent
                    | Symbol::And
                    | Symbol::Or
                    | Symbol::Xor
                    | Symbol::ShiftLeft
                    | Symbol::ShiftRight
            )
        });
        if let Some(operator) = operator {
            let sign = operator.text();
            return Some(error(
                self.span,
                format!("there is no `{sign}=` in Promela"),
                format!("write it out: `x = x {sign} ...`"),
            ));
        }
        self.is_behind_operand().then(|| {
            error(
                self.span,
                "`=` assigns, and an assignment cannot stand inside an expression",
                "to compare, write `==`",
            )
        })
    }

    /// Whether the bracket that is open stands behind `=`.
    fn is_initial_value(&self) -> bool {
        let mut back = self.before.iter().rev().skip_while(|located| !located.is(Symbol::OpenBracket));
        back.next();
        back.next().is_some_and(|located| located.is(Symbol::Assign))
    }

    fn misplaced_colon(&self) -> Option<Diagnostic> {
        let previous = self.previous(1)?;
        if let Terminal::Keyword(keyword) = previous.terminal
            && !self.expects(":")
            && self.begins_statement(self.before.len() - 1)
        {
            let word = keyword.text();
            return Some(error(
                previous.span,
                format!("`{word}` is a word of the language and cannot be a label"),
                format!("choose another name, for example `{word}_`"),
            ));
        }
        let since_separator = self.before.iter().rev().take_while(|located| !located.is(Symbol::Semicolon));
        let mut arrows = since_separator.filter(|located| located.is(Symbol::Arrow));
        (self.is_behind_operand() && arrows.next().is_some()).then(|| {
            error(self.span, "a conditional expression needs parentheses around it", "write `(condition -> yes : no)`")
        })
    }

    fn misplaced_comma(&self) -> Option<Diagnostic> {
        if self.expects("]") && self.is_initial_value() {
            return Some(error(self.span, "the initial values of an array stand in braces", "write `{ 1, 2, 3 }`"));
        }
        if let [only] = self.expected
            && only == "name"
            && matches!(self.previous(1)?.terminal, Terminal::Name(_))
            && matches!(self.previous_symbol(2), Some(Symbol::OpenParen | Symbol::Semicolon))
        {
            let name = self.previous(1)?.describe();
            return Some(error(
                self.span,
                format!("expected a name behind the type {name}, found `,`"),
                "each parameter has a type: `byte a, b; chan q`",
            ));
        }
        let send = self.before.iter().rev().take_while(|located| !located.is(Symbol::Semicolon));
        let is_send = send.clone().any(|located| located.is(Symbol::Bang) || located.is(Symbol::BangBang));
        (self.expects(")") && is_send).then(|| {
            error(
                self.span,
                "the fields of a message are not put in parentheses when they are sent",
                "write `q!a,b`, or `q!a(b)`",
            )
        })
    }

    /// `1 + name(2)`: Promela has no functions.
    fn call(&self) -> Option<Diagnostic> {
        let previous = self.previous(1)?;
        let Terminal::Name(name) = &previous.terminal else { return None };
        if let Some(Terminal::Name(_)) = self.previous(2).map(|located| &located.terminal)
            && self.expects("=")
        {
            return Some(error(
                self.span,
                "expected a declaration, found `(`",
                format!("a process is declared by `active proctype {name}() {{ ... }}`"),
            ));
        }
        Some(error(
            previous.span,
            format!("`{name}` cannot be called here: Promela has no functions"),
            format!(
                "give the value to a variable first, `x = {name}(...)`, where `{name}` is an inline that returns it"
            ),
        ))
    }

    /// `x ? a : b`, or a receive where only an expression may stand.
    fn receive_in_expression(&self) -> Option<Diagnostic> {
        let found_query = matches!(self.found?.terminal, Terminal::Symbol(Symbol::Query | Symbol::QueryQuery));
        let query = if found_query {
            self.found?
        } else {
            let previous = self.previous(1)?;
            let is_query = previous.is(Symbol::Query) || previous.is(Symbol::QueryQuery);
            // Behind the `?` of a statement names may follow, here only `[`.
            if !is_query || self.expects_kind("name") {
                return None;
            }
            previous
        };
        let ahead = self.after.iter().take_while(|located| !located.is(Symbol::Semicolon));
        Some(if ahead.into_iter().any(|located| located.is(Symbol::Colon)) {
            error(query.span, "`? :` is not Promela", "write `(condition -> yes : no)`, with the parentheses")
        } else {
            error(
                query.span,
                "a receive is a statement and cannot stand inside an expression",
                "to ask whether a message could be received, write `q?[...]`",
            )
        })
    }

    /// A block, option or escape with nothing in it, or a separator too many.
    fn missing_statement(&self) -> Option<Diagnostic> {
        let previous = self.previous(1)?;
        let found = self.found_text();
        Some(match previous.terminal {
            Terminal::Symbol(Symbol::OpenBrace) if self.found?.is(Symbol::CloseBrace) => {
                error(self.span, "a block cannot be empty", "write `skip` for nothing to do")
            }
            Terminal::Symbol(Symbol::OpenBrace | Symbol::DoubleColon) if self.found_separator() => error(
                self.span,
                format!("expected a statement, found {found}"),
                "a separator stands between statements, not before the first",
            ),
            _ => error(self.span, format!("expected a statement, found {found}"), "write `skip` for nothing to do"),
        })
    }

    fn found_separator(&self) -> bool {
        self.found.is_some_and(|found| found.is(Symbol::Semicolon) || found.is(Symbol::Arrow))
    }

    fn misplaced_keyword(&self, keyword: Keyword) -> Option<Diagnostic> {
        let text = keyword.text();
        match keyword {
            Keyword::If if self.previous(1)?.is_keyword(Keyword::Else) => Some(error(
                self.span,
                "there is no `else if` in Promela",
                "add another option `:: condition -> ...`, or write `:: else -> if ... fi`",
            )),
            Keyword::Fi | Keyword::Od if self.expects("::") && !self.expects(";") => {
                let opener = if keyword == Keyword::Fi { "if" } else { "do" };
                Some(error(
                    self.span,
                    format!("`{opener}` without any option"),
                    format!("write at least one: `{opener} :: statement {text}`"),
                ))
            }
            Keyword::Fi | Keyword::Od if self.expects_statement() => self.missing_statement(),
            Keyword::Unless if self.expects(";") => Some(error(
                self.span,
                "`unless` cannot follow another `unless`",
                "put braces around the first: `{ a unless b } unless c`",
            )),
            _ if keyword.is_type() && self.word_of_c().is_some() => self.word_of_c(),
            Keyword::Unsigned if self.expects("byte") => Some(error(
                self.span,
                "a message cannot have a field of type `unsigned`",
                "use `byte`, `short` or `int`",
            )),
            Keyword::Full | Keyword::Empty | Keyword::Nfull | Keyword::Nempty if !self.expects_kind("name") => None,
            Keyword::Proctype | Keyword::DProctype | Keyword::Active | Keyword::Init | Keyword::Never
                if self.expects_statement() =>
            {
                Some(error(
                    self.span,
                    format!("`{text}` cannot stand inside another process"),
                    "close the one before it first, or move this one out",
                ))
            }
            Keyword::Typedef | Keyword::Ltl | Keyword::Trace | Keyword::Notrace | Keyword::Inline
                if self.expects_statement() =>
            {
                Some(error(
                    self.span,
                    format!("`{text}` cannot stand inside a process"),
                    "move it out, above the proctype",
                ))
            }
            _ if keyword.is_type() && self.expects_kind("name") && self.previous_symbol(1) == Some(Symbol::Comma) => {
                Some(error(
                    self.span,
                    format!("expected a name, found `{text}`"),
                    "write `;` between declarations of different types: `byte a; byte b`",
                ))
            }
            _ if self.expects_kind("name") && !self.expects_expression() && !self.expects_unit() => Some(error(
                self.span,
                format!("`{text}` is a word of the language and cannot be a name"),
                format!("choose another name, for example `{text}_`"),
            )),
            _ if self.expects_unit() => Some(error(
                self.span,
                format!("expected a declaration or a proctype, found `{text}`"),
                "statements can only stand inside a proctype, `init`, a claim or an inline",
            )),
            _ => None,
        }
    }

    /// `const int N`, `extern int x`
    fn word_of_c(&self) -> Option<Diagnostic> {
        let previous = self.previous(1)?;
        let Terminal::Name(word) = &previous.terminal else { return None };
        let help = match &**word {
            "const" => "a constant is a macro: `#define N 3`",
            "extern" | "static" | "volatile" | "register" | "auto" => "leave it out",
            "long" | "signed" => "the types are `bit`, `bool`, `byte`, `pid`, `short`, `int`, `mtype` and `chan`",
            _ => return None,
        };
        Some(error(previous.span, format!("there is no `{word}` in Promela"), help))
    }

    fn misplaced_name(&self, name: &str) -> Option<Diagnostic> {
        let previous = self.previous(1)?;
        let is_adjacent = previous.span.end == self.span.start;
        if let Terminal::Number(digits) = &previous.terminal
            && is_adjacent
        {
            let is_hex = &**digits == "0" && name.starts_with(['x', 'X']);
            let message =
                if is_hex { "there are no hexadecimal numbers in Promela" } else { "a name cannot begin with a digit" };
            let help = if is_hex { "write the number in decimal" } else { "begin the name with a letter" };
            return Some(error(self.span, message, help));
        }
        None
    }

    fn misplaced_constant(&self) -> Option<Diagnostic> {
        self.receive_in_expression()
    }

    /// `a and b`, `not a`
    fn word_for_operator(&self) -> Option<&'static str> {
        let word = |located: Option<&Located>| match &located?.terminal {
            Terminal::Name(name) => Some(name.clone()),
            _ => None,
        };
        match (word(self.previous(1)).as_deref(), word(self.found).as_deref()) {
            (_, Some("and")) => Some("`and` is written `&&`"),
            (_, Some("or")) => Some("`or` is written `||`"),
            (_, Some("mod")) => Some("`mod` is written `%`"),
            (Some("not"), _) => Some("`not` is written `!`"),
            _ => None,
        }
    }

    /// Two statements side by side.
    fn missing_separator(&self) -> Option<Diagnostic> {
        let begins_statement = match &self.found?.terminal {
            Terminal::Name(_) | Terminal::InlineCall(_) | Terminal::Remote(_) | Terminal::Number(_) => true,
            Terminal::Symbol(symbol) => *symbol == Symbol::OpenBrace,
            Terminal::Keyword(keyword) => {
                !matches!(keyword, Keyword::Fi | Keyword::Od | Keyword::Unless | Keyword::Of | Keyword::Eval)
            }
            _ => false,
        };
        (begins_statement && self.expects(";") && self.expects("->")).then(|| {
            let help = self.word_for_operator().unwrap_or("statements on one line need a separator between them");
            error(self.span, format!("expected `;` or `->` before {}", self.found_text()), help)
        })
    }

    /// Whether a statement begins with the terminal at `i`.
    fn begins_statement(&self, i: usize) -> bool {
        i.checked_sub(1).and_then(|i| self.before.get(i)).is_none_or(|located| {
            matches!(
                located.terminal,
                Terminal::Symbol(
                    Symbol::Semicolon | Symbol::Arrow | Symbol::OpenBrace | Symbol::DoubleColon | Symbol::Colon
                )
            )
        })
    }
}

fn double_arrow(span: Span) -> Diagnostic {
    error(span, "there is no `=>` in Promela", "a guard is followed by `->`")
}
