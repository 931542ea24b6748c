//! The arguments and the text of `printf` and `printm`.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Lint};
use crate::model::resolve::expressions::Sort;
use crate::model::{Expr, MtypeId, Printed};
use crate::source::{Name, Span};
use crate::syntax::ast;

impl<'a> Resolver<'a> {
    pub(super) fn printf(&mut self, format: &Name, arguments: &'a [ast::Expr], span: Span) -> Vec<Printed> {
        let mut values: Vec<(Expr, Sort)> = arguments.iter().map(|argument| self.value(argument)).collect();
        let n_given = values.len();
        values.reverse();
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut n_wanted = 0;
        let mut characters = format.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => text.push(escaped(characters.next())),
                '%' => {
                    let conversion = characters.by_ref().find(|c| !c.is_ascii_digit() && !"-+ #.lh".contains(*c));
                    let Some(make) = conversion.and_then(printed_as) else {
                        match conversion {
                            Some('%') => text.push('%'),
                            other => self.unknown_conversion(other, span),
                        }
                        continue;
                    };
                    n_wanted += 1;
                    if let Some((value, sort)) = values.pop() {
                        if !text.is_empty() {
                            parts.push(Printed::Text(std::mem::take(&mut text).into()));
                        }
                        parts.push(make(sort.mtype().unwrap_or(MtypeId(0)), value));
                    }
                }
                other => text.push(other),
            }
        }
        if !text.is_empty() {
            parts.push(Printed::Text(text.into()));
        }
        if n_wanted != n_given {
            let plural = if n_given == 1 { "" } else { "s" };
            let message =
                format!("the format asks for {n_wanted} but there {} {n_given} argument{plural}", is(n_given));
            self.diagnostics.add(Diagnostic::warning(Lint::PrintfArguments, span, message));
        }
        parts
    }

    pub(super) fn printm(&mut self, value: &'a ast::Expr) -> Vec<Printed> {
        let (value, sort) = self.value(value);
        vec![Printed::Symbol(sort.mtype().unwrap_or(MtypeId(0)), value)]
    }

    fn unknown_conversion(&mut self, conversion: Option<char>, span: Span) {
        let shown = conversion.map(String::from).unwrap_or_default();
        let message = format!("`%{shown}` is none of %d %u %x %o %c %e");
        self.diagnostics.add(Diagnostic::warning(Lint::PrintfArguments, span, message));
    }
}

fn is(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

fn printed_as(conversion: char) -> Option<fn(MtypeId, Expr) -> Printed> {
    Some(match conversion {
        'd' | 'i' => |_, value| Printed::Signed(value),
        'u' => |_, value| Printed::Unsigned(value),
        'o' => |_, value| Printed::Octal(value),
        'x' | 'X' => |_, value| Printed::Hexadecimal(value),
        'c' => |_, value| Printed::Character(value),
        'e' => Printed::Symbol,
        _ => return None,
    })
}

fn escaped(character: Option<char>) -> char {
    match character {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some(other) => other,
        None => '\\',
    }
}
