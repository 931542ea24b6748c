//! The expressions of `#if` and `#elif`: C's integer expressions, in 64 bits.

use super::macros::Macros;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::token::{NameInterner, Symbol, Token, TokenKind, character_value};

/// How deep an expression may nest.
const MOST_NESTED: usize = 200;

/// A diagnostic is large beside a number.
type Failure = Box<Diagnostic>;

/// Puts 1 or 0 for `defined X` and `defined (X)`; the flag says that a token
/// is not to be expanded.
pub fn replace_defined(line: Vec<Token>, macros: &Macros, names: &mut NameInterner) -> Vec<(Token, bool)> {
    let mut replaced = Vec::with_capacity(line.len());
    let mut at = 0;
    while let Some(token) = line.get(at) {
        let is_open = line.get(at + 1).is_some_and(|next| next.kind.is_symbol(Symbol::OpenParen));
        let is_closed = line.get(at + 3).is_some_and(|next| next.kind.is_symbol(Symbol::CloseParen));
        let name_at = if is_open && is_closed { at + 2 } else { at + 1 };
        match (token.kind.word(), line.get(name_at).and_then(|name| name.kind.word())) {
            (Some("defined"), Some(name)) => {
                let value = if macros.find(name).is_some() { "1" } else { "0" };
                replaced.push((Token { kind: TokenKind::Number(names.name(value)), ..token.clone() }, true));
                at = if is_open && is_closed { at + 4 } else { at + 2 };
            }
            _ => {
                replaced.push((token.clone(), false));
                at += 1;
            }
        }
    }
    replaced
}

/// The value of an expression in which macros are expanded.
pub fn evaluate(tokens: &[Token], directive: Span) -> Result<i64, Failure> {
    let mut parser = Parser { tokens, at: 0, depth: 0, directive };
    let value = parser.conditional(true)?;
    match parser.peek() {
        None => Ok(value),
        Some(token) => Err(parser.unexpected(token)),
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    directive: Span,
}

/// In each method `counts` says whether the value matters: the right side of
/// `0 && x` may divide by zero.
impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn takes(&mut self, symbol: Symbol) -> bool {
        let is_next = self.peek().is_some_and(|token| token.kind.is_symbol(symbol));
        self.at += usize::from(is_next);
        is_next
    }

    fn failure(&self, span: Span, message: impl Into<String>) -> Failure {
        Box::new(Diagnostic::error(20, span, message))
    }

    fn unexpected(&self, token: &Token) -> Failure {
        self.failure(token.span, format!("`{}` does not fit in the condition of an `#if`", token.kind.text()))
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        if self.depth == MOST_NESTED {
            let span = self.peek().map_or(self.directive, |token| token.span);
            return Err(self.failure(span, format!("this condition nests more than {MOST_NESTED} deep")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// `condition ? yes : no`
    fn conditional(&mut self, counts: bool) -> Result<i64, Failure> {
        let condition = self.binary(0, counts)?;
        if !self.takes(Symbol::Query) {
            return Ok(condition);
        }
        let yes = self.nested(|parser| parser.conditional(counts && condition != 0))?;
        if !self.takes(Symbol::Colon) {
            return Err(self.missing("`:` for the `?` before it"));
        }
        let no = self.nested(|parser| parser.conditional(counts && condition == 0))?;
        Ok(if condition != 0 { yes } else { no })
    }

    fn missing(&self, what: &str) -> Failure {
        match self.peek() {
            Some(token) => self.failure(token.span, format!("expected {what}, found `{}`", token.kind.text())),
            None => {
                let span = self.tokens.last().map_or(self.directive, |token| token.span);
                self.failure(span, format!("the condition ends where {what} is expected"))
            }
        }
    }

    /// Operators that bind tighter than `level`, from the left.
    fn binary(&mut self, level: u8, counts: bool) -> Result<i64, Failure> {
        let mut left = self.unary(counts)?;
        while let Some(token) = self.peek() {
            let TokenKind::Symbol(symbol) = token.kind else { break };
            let Some(operator_level) = precedence(symbol).filter(|found| *found > level) else { break };
            self.at += 1;
            let right_counts = counts
                && match symbol {
                    Symbol::AndAnd => left != 0,
                    Symbol::OrOr => left == 0,
                    _ => true,
                };
            let right = self.nested(|parser| parser.binary(operator_level, right_counts))?;
            left = match apply(symbol, left, right) {
                Some(value) => value,
                None if right_counts => {
                    return Err(self.failure(token.span, "division by zero in the condition of an `#if`"));
                }
                None => 0,
            };
        }
        Ok(left)
    }

    fn unary(&mut self, counts: bool) -> Result<i64, Failure> {
        let Some(token) = self.peek() else { return Err(self.missing("a number")) };
        let operator: fn(i64) -> i64 = match &token.kind {
            TokenKind::Symbol(Symbol::Bang) => |value| i64::from(value == 0),
            TokenKind::Symbol(Symbol::BangBang) => |value| i64::from(value != 0),
            TokenKind::Symbol(Symbol::Minus) => i64::wrapping_neg,
            TokenKind::Symbol(Symbol::Tilde) => |value| !value,
            TokenKind::Symbol(Symbol::Plus | Symbol::MinusMinus | Symbol::PlusPlus) => |value| value,
            _ => return self.primary(counts),
        };
        self.at += 1;
        self.nested(|parser| parser.unary(counts)).map(operator)
    }

    fn primary(&mut self, counts: bool) -> Result<i64, Failure> {
        let Some(token) = self.peek() else { return Err(self.missing("a number")) };
        self.at += 1;
        match &token.kind {
            TokenKind::Number(text) => {
                let wrong = || self.failure(token.span, format!("`{text}` is not an integer"));
                c_integer(text).ok_or_else(wrong)
            }
            TokenKind::Character(text) => {
                let wrong = || self.failure(token.span, format!("`'{text}'` is not one character"));
                character_value(text).map(i64::from).ok_or_else(wrong)
            }
            // As in C, a name that is no macro is 0.
            TokenKind::Name(_) | TokenKind::Keyword(_) => Ok(0),
            TokenKind::Symbol(Symbol::OpenParen) => {
                let value = self.nested(|parser| parser.conditional(counts))?;
                if self.takes(Symbol::CloseParen) { Ok(value) } else { Err(self.missing("`)`")) }
            }
            _ => Err(self.unexpected(token)),
        }
    }
}

fn precedence(symbol: Symbol) -> Option<u8> {
    Some(match symbol {
        Symbol::OrOr => 1,
        Symbol::AndAnd => 2,
        Symbol::Or => 3,
        Symbol::Xor => 4,
        Symbol::And => 5,
        Symbol::Equal | Symbol::NotEqual => 6,
        Symbol::Less | Symbol::LessEqual | Symbol::Greater | Symbol::GreaterEqual => 7,
        Symbol::ShiftLeft | Symbol::ShiftRight => 8,
        Symbol::Plus | Symbol::Minus => 9,
        Symbol::Star | Symbol::Slash | Symbol::Percent => 10,
        _ => return None,
    })
}

/// Nothing for a division by zero.
fn apply(operator: Symbol, left: i64, right: i64) -> Option<i64> {
    let shift = u32::try_from(right.clamp(0, 63)).unwrap_or(63);
    Some(match operator {
        Symbol::OrOr => i64::from(left != 0 || right != 0),
        Symbol::AndAnd => i64::from(left != 0 && right != 0),
        Symbol::Or => left | right,
        Symbol::Xor => left ^ right,
        Symbol::And => left & right,
        Symbol::Equal => i64::from(left == right),
        Symbol::NotEqual => i64::from(left != right),
        Symbol::Less => i64::from(left < right),
        Symbol::LessEqual => i64::from(left <= right),
        Symbol::Greater => i64::from(left > right),
        Symbol::GreaterEqual => i64::from(left >= right),
        Symbol::ShiftLeft => left.wrapping_shl(shift),
        Symbol::ShiftRight => left.wrapping_shr(shift),
        Symbol::Plus => left.wrapping_add(right),
        Symbol::Minus => left.wrapping_sub(right),
        Symbol::Star => left.wrapping_mul(right),
        Symbol::Slash if right != 0 => left.wrapping_div(right),
        Symbol::Percent if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}

/// Here C's notations count, unlike in the model itself: `0x10`, `010`, `1UL`.
fn c_integer(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    value.ok().map(u64::cast_signed)
}
