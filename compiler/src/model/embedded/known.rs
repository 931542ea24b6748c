//! What the model's own pieces of C declare: functions, macros, and variables, which are refused.

use super::Piece;
use super::problem::Problem;
use super::tokens::{CToken, behind_group, tokens};
use super::words::KEYWORDS;
use crate::collections::Lookup;
use crate::source::Span;

/// The names that the top-level pieces give a meaning.
#[derive(Debug, Default)]
pub struct Known {
    /// Each with the tokens of its parameters and its body.
    functions: Lookup<String, Vec<CToken>>,
    macros: Lookup<String, Vec<CToken>>,
    /// The names of functions and constants that a linker sees, unless they are `static`.
    pub defined: Vec<String>,
}

/// A mistake, and the piece that it is in.
pub type Found = (Span, Problem);

impl Known {
    pub fn of(pieces: &[Piece], problems: &mut Vec<Found>) -> Self {
        let mut known = Self::default();
        for piece in pieces {
            let tokens = tokens(&piece.text);
            let mut at_top = Vec::with_capacity(tokens.len());
            for token in tokens {
                match known.directive(&token) {
                    Ok(true) => {}
                    Ok(false) => at_top.push(token),
                    Err(problem) => problems.push((piece.span, problem)),
                }
            }
            for declaration in Declarations(&at_top) {
                if let Err(problem) = known.declaration(declaration) {
                    problems.push((piece.span, problem));
                }
            }
        }
        known
    }

    pub fn function(&self, name: &str) -> Option<&[CToken]> {
        self.functions.get(name).map(Vec::as_slice)
    }

    pub fn macro_text(&self, name: &str) -> Option<&[CToken]> {
        self.macros.get(name).map(Vec::as_slice)
    }

    /// Takes the macro that a line defines. Returns whether the token was such a line.
    fn directive(&mut self, token: &CToken) -> Result<bool, Problem> {
        let line = match token {
            CToken::Directive(line) => line.trim(),
            CToken::BareDirective => return Err(Problem::BareDirective),
            _ => return Ok(false),
        };
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "define" => {
                let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                // Of several definitions each may count somewhere.
                self.macros.or_insert_with(rest[..length].to_owned(), Vec::new).extend(tokens(&rest[length..]));
            }
            "include" => {
                let file = rest.trim();
                let header = file.strip_prefix('<').and_then(|file| file.split_once('>')).map(|(header, _)| header);
                if !header.is_some_and(|header| HEADERS.contains(&header)) {
                    return Err(Problem::Include(file.to_owned()));
                }
            }
            "undef" | "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif" | "error" | "warning" | "line" => {}
            _ => return Err(Problem::Directive(word.to_owned())),
        }
        Ok(true)
    }

    /// Whether these tokens are a type and the name of a function: `int (x)` declares a variable, and a macro anything.
    fn is_function_head(&self, head: &[CToken]) -> bool {
        let names: Vec<&str> = head.iter().filter_map(CToken::name).filter(|name| !QUALIFIERS.contains(name)).collect();
        let [.., before, name] = names[..] else { return false };
        let is_plain = head.iter().all(|token| matches!(token, CToken::Name(_) | CToken::Sign("*")));
        is_plain && !is_type_word(Some(before)) && !KEYWORDS.contains(&name) && self.macro_text(name).is_none()
    }

    fn declaration(&mut self, tokens: &[CToken]) -> Result<(), Problem> {
        let body = tokens.iter().position(|token| token.is("{"));
        // Behind `=` a parenthesis is one of an initial value.
        let declared = tokens.iter().take_while(|token| !token.is("="));
        let parameters = declared.enumerate().find(|(_, token)| token.is("(")).map(|(at, _)| at);
        let is_typedef = tokens.iter().any(|token| token.name() == Some("typedef"));
        if is_typedef {
            return Ok(());
        }
        if let Some(open) = parameters.filter(|open| body.is_none_or(|body| *open < body)) {
            let name = open.checked_sub(1).and_then(|at| tokens[at].name());
            let is_prototype =
                body.is_none() && behind_group(tokens, open) == tokens.len() && self.is_function_head(&tokens[..open]);
            return match name {
                // Of a prototype there is nothing to know: a call needs the body.
                Some(_) if is_prototype => Ok(()),
                Some(name) if body.is_some_and(|body| body == behind_group(tokens, open)) => {
                    self.functions.insert(name.to_owned(), tokens[open..].to_vec());
                    self.defined.push(name.to_owned());
                    Ok(())
                }
                _ => Err(Problem::Variable(variable_name(tokens))),
            };
        }
        // `struct S { .. };`, `enum { A, B };`
        let is_type = body.is_some_and(|body| behind_group(tokens, body) == tokens.len())
            && tokens.iter().take_while(|token| !token.is("{")).any(|token| is_type_word(token.name()));
        let forward = matches!(tokens, [word, CToken::Name(_)] if is_type_word(word.name()));
        if is_type || forward {
            return Ok(());
        }
        let name = variable_name(tokens);
        if !is_constant(tokens) {
            return Err(Problem::Variable(name));
        }
        self.defined.push(name.clone());
        // It may hold functions.
        self.functions.insert(name, tokens.to_vec());
        Ok(())
    }
}

/// Words in front of a declaration that are no type.
const QUALIFIERS: [&str; 6] = ["static", "extern", "inline", "const", "volatile", "_Noreturn"];

/// Whether what is declared cannot change: `const` stands in front of its name, not within braces.
fn is_constant(tokens: &[CToken]) -> bool {
    let mut depth = 0_usize;
    let mut found = false;
    for token in tokens {
        match token {
            CToken::Sign("{" | "(") => depth += 1,
            CToken::Sign("}" | ")") => depth = depth.saturating_sub(1),
            CToken::Sign("=" | "[") if depth == 0 => break,
            CToken::Sign("*" | ",") => return false,
            CToken::Name(name) if depth == 0 => found |= name == "const",
            _ => {}
        }
    }
    found
}

fn is_type_word(word: Option<&str>) -> bool {
    matches!(word, Some("struct" | "union" | "enum"))
}

/// The name that a declaration seems to declare.
fn variable_name(tokens: &[CToken]) -> String {
    // A pointer to a function: its name is not the last one.
    let pointers = tokens.windows(3).filter(|three| three[0].is("(") && three[1].is("*"));
    if let Some(name) = pointers.filter_map(|three| three[2].name()).next() {
        return name.to_owned();
    }
    let end = tokens.iter().position(|token| matches!(token, CToken::Sign("=" | "[" | ",")));
    let names = tokens[..end.unwrap_or(tokens.len())].iter().rev().filter_map(CToken::name);
    names.map(str::to_owned).next().unwrap_or_default()
}

/// The declarations of the top level, one after the other, without the `;` at the end.
struct Declarations<'t>(&'t [CToken]);

impl<'t> Iterator for Declarations<'t> {
    type Item = &'t [CToken];

    fn next(&mut self) -> Option<&'t [CToken]> {
        while let [CToken::Sign(";"), rest @ ..] = self.0 {
            self.0 = rest;
        }
        let tokens = self.0;
        if tokens.is_empty() {
            return None;
        }
        let mut at = 0;
        let mut has_parameters = false;
        while at < tokens.len() && !tokens[at].is(";") {
            match &tokens[at] {
                CToken::Sign("{") if has_parameters => {
                    // The body of a function ends it, with no `;` behind.
                    let end = behind_group(tokens, at);
                    self.0 = &tokens[end..];
                    return Some(&tokens[..end]);
                }
                CToken::Sign("=") => {
                    has_parameters = false;
                    at += 1;
                }
                CToken::Sign("(" | "[" | "{") => {
                    has_parameters = tokens[at].is("(");
                    at = behind_group(tokens, at);
                }
                _ => at += 1,
            }
        }
        self.0 = &tokens[at..];
        Some(&tokens[..at])
    }
}

/// Headers that declare no variable which a block could change, and only functions that `scan` knows one by one.
const HEADERS: [&str; 12] = [
    "assert.h",
    "ctype.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "math.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::embedded::PieceKind;

    fn problems(text: &str) -> Vec<String> {
        let piece = Piece { kind: PieceKind::Declarations, text: text.into(), span: Span::default() };
        let mut found = Vec::new();
        Known::of(&[piece], &mut found);
        found.into_iter().map(|(_, problem)| problem.message("c_decl")).collect()
    }

    #[test]
    fn types_functions_and_constants_are_no_memory() {
        let text = "\\#include <stdint.h>\n\\#define TWICE(x) ((x) * 2)\n
            typedef struct Pt { int x, y; } Pt; struct S { int a; }; struct T; enum { A, B = 3 };
            typedef int (*compare)(int, int); int add(Pt p); static int sum(int a, int b) { return a + b; }
            const int primes[] = { 2, 3, 5 }; static const char name[] = \"x\";";
        assert_eq!(problems(text), [""; 0]);
    }

    #[test]
    fn variables_are_named() {
        for (text, name) in [
            ("int a;", "a"),
            ("static unsigned char ring[4];", "ring"),
            ("struct S { int a; } all;", "all"),
            ("int *p = 0;", "p"),
            ("const char *p;", "p"),
            ("int (*f)(int);", "f"),
            ("int table[] = { 1, 2 };", "table"),
            ("int f(int x) { return x; } int g;", "g"),
            ("int size = sizeof(const int);", "size"),
            ("int a, f(void);", "a"),
            ("int (a);", "a"),
            ("struct S (a);", "a"),
            ("T (a);", "a"),
            ("\\#define VARIABLE(n) int n\n int VARIABLE(a);", "a"),
            ("struct S { const int a; int b; } s;", "s"),
            ("const int a, *b;", "a"),
        ] {
            let found = problems(text);
            assert!(found.len() == 1 && found[0].contains(&format!("`{name}`")), "{text}: {found:?}");
        }
    }

    #[test]
    fn other_files_are_refused() {
        assert!(problems("\\#include \"x.h\"\n")[0].contains("\"x.h\""));
        assert!(problems("\\#include <unistd.h>\n")[0].contains("<unistd.h>"));
        assert!(problems("#define N 3\n")[0].contains("`#`"));
        assert!(problems("\\#pragma omp\n")[0].contains("pragma"));
    }
}
