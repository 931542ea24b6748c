//! Finding the uses of macros, and reading their expansions again.
//!
//! As in C, a macro does not expand inside its own expansion: it is disabled
//! while the frame with its expansion is read, and a name met meanwhile stays
//! a name for good.

use super::macros::{Arguments, Builtin};
use super::{Piece, Preprocessor, Region, TokenFrame};
use crate::diagnostic::Diagnostic;
use crate::source::{Expansion, ExpansionKind, Span};
use crate::syntax::token::{Symbol, Token, TokenKind};

/// How deep calls may stand in the arguments of calls.
const MOST_NESTED: usize = 500;

impl Preprocessor<'_> {
    /// A token to keep, or, if it was the use of a macro, whether it stood on a
    /// new line: then its expansion is now the next thing to read.
    pub(super) fn expand(&mut self, mut piece: Piece, region: Region) -> Result<Token, bool> {
        if let TokenKind::CText(text) = &piece.token.kind {
            let text = text.clone();
            piece.token.kind = TokenKind::CText(self.expand_c(&text, piece.token.span));
            return Ok(piece.token);
        }
        let found = match &piece.token.kind {
            TokenKind::Name(_) | TokenKind::Keyword(_) if !piece.is_final => {
                piece.token.kind.word().and_then(|word| self.macros.find(word))
            }
            _ => None,
        };
        let Some(number) = found else { return Ok(piece.token) };
        let definition = self.macros.get(number);
        if definition.is_disabled {
            piece.is_final = true;
            return Ok(piece.token);
        }
        if let Some(builtin) = definition.builtin {
            piece.token.kind = self.builtin(builtin, piece.token.span);
            return Ok(piece.token);
        }
        let (mut written, mut used) = (Vec::new(), piece.token.span);
        if definition.parameters.is_some() {
            if !self.is_at_open_paren(region) {
                return Ok(piece.token);
            }
            match self.arguments(number, &piece.token, region) {
                Some((arguments, close)) => {
                    written = arguments;
                    used = self.sources.join(used, close);
                }
                None => return Err(piece.token.newline_before),
            }
        }
        self.push_expansion(number, written, piece.token, used)
    }

    /// For a use that is `used` as a whole, with its arguments.
    fn push_expansion(
        &mut self,
        number: usize,
        written: Vec<Vec<Piece>>,
        name: Token,
        used: Span,
    ) -> Result<Token, bool> {
        let definition = self.macros.get(number);
        let wanted: Vec<bool> = (0..written.len()).map(|index| definition.wants_expanded(index)).collect();
        let site = Span { expansion: name.span.expansion, ..definition.span };
        let expansion = Expansion { kind: ExpansionKind::Macro, name: definition.name.clone(), site };
        let used = Span { expansion: Some(self.sources.expand(expansion)), ..used };
        let mut expanded = Vec::with_capacity(written.len());
        for (argument, is_wanted) in written.iter().zip(wanted) {
            expanded.push(if is_wanted { self.expand_list(argument.clone(), name.span) } else { Vec::new() });
        }
        let arguments = Arguments { written, expanded };
        let mut pieces = self.macros.get(number).fill(&arguments, used, self.names, self.diagnostics);
        if !self.count_expanded(pieces.len() + 1, name.span) {
            return Err(false);
        }
        let is_empty = pieces.is_empty();
        if let Some(first) = pieces.first_mut() {
            first.token.newline_before = name.newline_before;
            first.token.space_before = name.space_before;
        }
        self.macros.set_disabled(number, true);
        self.frames.push(TokenFrame { pieces: pieces.into_iter(), expansion_of: Some(number) });
        Err(is_empty && name.newline_before)
    }

    /// A list on its own with its macros expanded: an argument, or a directive's line.
    pub(super) fn expand_list(&mut self, pieces: Vec<Piece>, used: Span) -> Vec<Piece> {
        if self.n_nested == MOST_NESTED {
            let message = format!("macro calls nest more than {MOST_NESTED} deep");
            self.stop(Diagnostic::error(902, used, message));
            return Vec::new();
        }
        self.n_nested += 1;
        let region = Region { floor: self.frames.len(), reads_files: false };
        self.frames.push(TokenFrame { pieces: pieces.into_iter(), expansion_of: None });
        let mut expanded = Vec::new();
        while let Some(piece) = self.take(region) {
            // What is disabled now must not expand later, when it is enabled again.
            let is_final = piece.is_final || self.is_disabled(&piece);
            if let Ok(token) = self.expand(piece, region) {
                expanded.push(Piece { token, is_final });
            }
        }
        self.n_nested -= 1;
        expanded
    }

    fn is_disabled(&self, piece: &Piece) -> bool {
        let found = piece.token.kind.word().and_then(|word| self.macros.find(word));
        found.is_some_and(|number| self.macros.get(number).is_disabled)
    }

    fn is_at_open_paren(&mut self, region: Region) -> bool {
        for frame in self.frames[region.floor.min(self.frames.len())..].iter().rev() {
            if let Some(piece) = frame.pieces.as_slice().first() {
                return piece.token.kind.is_symbol(Symbol::OpenParen);
            }
        }
        let Some(file) = self.files.last_mut() else { return false };
        region.reads_files && file.lexer.is_at_open_paren(self.diagnostics)
    }

    /// Takes the arguments of a call, whose `(` comes next, and its `)`, whose place comes with them.
    fn arguments(&mut self, number: usize, name: &Token, region: Region) -> Option<(Vec<Vec<Piece>>, Span)> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0_usize;
        let mut spans_lines = false;
        let close = loop {
            let Some(mut piece) = self.take(region) else {
                let message =
                    format!("the call of macro `{}` has no closing parenthesis", self.macros.get(number).name);
                let error = Diagnostic::error(12, name.span, message);
                let error = error.label(self.macros.get(number).span, "the macro is defined here");
                self.diagnostics.add(error);
                return None;
            };
            piece.is_final |= self.is_disabled(&piece);
            spans_lines |= piece.token.newline_before;
            let n_opened = depth;
            match piece.token.kind {
                TokenKind::Symbol(Symbol::OpenParen) => depth += 1,
                TokenKind::Symbol(Symbol::CloseParen) => depth = depth.saturating_sub(1),
                _ => {}
            }
            let takes_rest = self
                .macros
                .get(number)
                .parameters
                .as_ref()
                .is_some_and(|all| all.is_variadic && arguments.len() >= all.names.len());
            if depth == 0 {
                break piece.token.span;
            }
            if depth == 1 && piece.token.kind.is_symbol(Symbol::Comma) && !takes_rest {
                arguments.push(Vec::new());
            } else if n_opened > 0 {
                arguments.last_mut()?.push(piece);
            }
        };
        self.call_spanned_lines |= spans_lines && region.reads_files;
        Some((self.check_arguments(number, name, arguments)?, close))
    }

    /// The arguments, if there are as many as the macro has parameters.
    fn check_arguments(
        &mut self,
        number: usize,
        name: &Token,
        mut arguments: Vec<Vec<Piece>>,
    ) -> Option<Vec<Vec<Piece>>> {
        let definition = self.macros.get(number);
        let parameters = definition.parameters.as_ref()?;
        let n_wanted = parameters.names.len();
        if n_wanted == 0 && matches!(arguments.as_slice(), [only] if only.is_empty()) {
            arguments.clear();
        }
        if parameters.is_variadic && arguments.len() + 1 == n_wanted {
            arguments.push(Vec::new());
        }
        if arguments.len() == n_wanted {
            return Some(arguments);
        }
        let plural = if n_wanted == 1 { "" } else { "s" };
        let message = format!(
            "macro `{}` takes {n_wanted} argument{plural}, but this call has {}",
            definition.name,
            arguments.len()
        );
        let error = Diagnostic::error(13, name.span, message).label(definition.span, "the macro is defined here");
        self.diagnostics.add(error);
        None
    }

    fn builtin(&mut self, builtin: Builtin, span: Span) -> TokenKind {
        let (path, line) = self.sources.presumed(span);
        match builtin {
            Builtin::One => TokenKind::Number(self.names.name("1")),
            Builtin::Line => TokenKind::Number(self.names.name(&line.to_string())),
            Builtin::File => {
                let text = path.replace('\\', "\\\\").replace('"', "\\\"");
                TokenKind::String(self.names.name(&text))
            }
        }
    }
}
