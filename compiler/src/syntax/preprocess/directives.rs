//! Lines that begin with `#`.

use super::condition;
use super::macros::Macro;
use super::{MOST_INCLUDES, MOST_OPEN_FILES, Piece, Preprocessor};
use crate::diagnostic::{Diagnostic, Lint};
use crate::source::{FileId, Span};
use crate::syntax::LoadError;
use crate::syntax::token::{Token, TokenKind};

/// An `#if` whose `#endif` was not met yet.
pub(super) struct Conditional {
    /// `#if` or its like.
    pub(super) span: Span,
    /// One of its branches was read, so no further one is.
    was_taken: bool,
    else_span: Option<Span>,
}

impl Preprocessor<'_> {
    /// Reads one directive, up to the end of its line. `hash` was just read.
    pub(super) fn directive(&mut self, hash: Span) {
        let Some(name) = self.begin_directive() else { return };
        let span = hash.to(name.span);
        match name.kind.word() {
            Some("define") => self.define(span),
            Some("undef") => self.undefine(span),
            Some("include") => return self.include(span),
            Some(word @ ("if" | "ifdef" | "ifndef")) => {
                let holds = self.condition(word, span);
                self.end_directive();
                return self.begin_conditional(span, holds);
            }
            Some("elif" | "else") => {
                self.end_of_branch(span, name.kind.word() == Some("else"));
                return;
            }
            Some("endif") => self.end_conditional(span),
            Some("line") => {
                let line = self.rest_of_directive();
                self.line_marker(&line, span);
            }
            Some("error") => {
                let text = self.rest_as_text();
                self.diagnostics.add(Diagnostic::error(18, name.span, format!("#error {text}").trim_end()));
            }
            Some("warning") => {
                let text = self.rest_as_text();
                let warning =
                    Diagnostic::warning(Lint::WarningDirective, name.span, format!("#warning {text}").trim_end());
                self.diagnostics.add(warning);
            }
            Some("pragma" | "ident") => {}
            _ if matches!(name.kind, TokenKind::Number(_)) => {
                let mut line = self.rest_of_directive();
                line.insert(0, name);
                self.line_marker(&line, span);
            }
            _ => {
                let error = Diagnostic::error(10, name.span, format!("there is no directive `#{}`", name.kind.text()))
                    .help("directives are #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif, #line, #error");
                self.diagnostics.add(error);
            }
        }
        self.end_directive();
    }

    /// The word behind `#`; nothing for an empty directive, which is allowed.
    fn begin_directive(&mut self) -> Option<Token> {
        let file = self.files.last_mut()?;
        file.lexer.begin_directive();
        let name = file.lexer.next(self.names, self.diagnostics);
        if name.is_none() {
            file.lexer.end_directive(self.diagnostics);
        }
        name
    }

    fn end_directive(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.lexer.end_directive(self.diagnostics);
        }
    }

    fn rest_of_directive(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        if let Some(file) = self.files.last_mut() {
            while let Some(token) = file.lexer.next(self.names, self.diagnostics) {
                tokens.push(token);
            }
        }
        tokens
    }

    fn rest_as_text(&mut self) -> String {
        self.files.last_mut().map_or_else(String::new, |file| file.lexer.rest_of_line().0.to_owned())
    }

    fn define(&mut self, directive: Span) {
        let line = self.rest_of_directive();
        let Some(definition) = Macro::parse(&line, directive, self.diagnostics) else { return };
        let (name, span) = (definition.name.clone(), definition.span);
        let is_new = self.macros.find(&name).is_none_or(|old| self.macros.get(old).says_the_same(&definition));
        if let Some(old) = self.macros.define(definition)
            && !is_new
        {
            let message = format!("macro `{name}` is defined again with another text");
            let warning = Diagnostic::warning(Lint::MacroRedefined, span, message);
            let warning = if old.builtin.is_some() { warning } else { warning.label(old.span, "it was defined here") };
            self.diagnostics.add(warning.help(format!("write `#undef {name}` before it if that is meant")));
        }
    }

    fn undefine(&mut self, directive: Span) {
        let line = self.rest_of_directive();
        match line.first().map(|token| (token, token.kind.word())) {
            Some((_, Some(name))) => self.macros.undefine(name),
            Some((token, None)) => {
                self.diagnostics.add(Diagnostic::error(11, token.span, "`#undef` needs the name of a macro"));
            }
            None => self.diagnostics.add(Diagnostic::error(11, directive, "`#undef` needs the name of a macro")),
        }
    }

    /// `-D NAME` and `-D NAME=VALUE`, read as a file of their own.
    pub(super) fn define_from_command_line(&mut self, defines: &[String]) {
        let line = |define: &String| {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            format!("#define {name} {value}").replace(['\n', '\r'], " ") + "\n"
        };
        let text: String = defines.iter().map(line).collect();
        if let Some(id) = self.sources.add("<command line>", text) {
            self.open(id);
            // It holds directives only.
            while self.take_from_file().is_some() {}
            self.close_file();
        }
    }

    fn include(&mut self, directive: Span) {
        let found = self.included_name(directive);
        self.end_directive();
        let Some((name, span, is_quoted)) = found else { return };
        if self.files.len() >= MOST_OPEN_FILES {
            let message = format!("includes nest more than {MOST_OPEN_FILES} deep");
            return self.stop(Diagnostic::error(902, span, message).help("does a file include itself?"));
        }
        self.n_includes += 1;
        if self.n_includes > MOST_INCLUDES {
            let message = format!("more than {MOST_INCLUDES} files are included");
            return self.stop(Diagnostic::error(902, span, message));
        }
        let mut paths = Vec::new();
        if is_quoted || name.starts_with('/') {
            paths.push(beside(&self.sources.file(span).path, &name));
        }
        if !name.starts_with('/') {
            paths.extend(self.include_dirs.iter().map(|directory| format!("{directory}/{name}")));
        }
        for path in &paths {
            match self.load(path) {
                Ok(id) => return self.open(id),
                Err(LoadError::NotFound) => {}
                Err(LoadError::Unreadable(reason)) => {
                    return self.diagnostics.add(Diagnostic::error(
                        16,
                        span,
                        format!("cannot read `{path}`: {reason}"),
                    ));
                }
            }
        }
        if name == PROVIDED {
            return;
        }
        let error = Diagnostic::error(16, span, format!("there is no file `{name}` to include"));
        let help = match paths.as_slice() {
            [] => "name the directory of `<...>` files with -I DIRECTORY".to_owned(),
            paths => format!("looked for {}; name further directories with -I DIRECTORY", paths.join(", ")),
        };
        self.diagnostics.add(error.help(help));
    }

    fn load(&mut self, path: &str) -> Result<FileId, LoadError> {
        if let Some(id) = self.by_path.get(path) {
            return Ok(*id);
        }
        let text = self.loader.load(path)?;
        let id = self.sources.add(path, text);
        let id = id.ok_or_else(|| LoadError::Unreadable("the model is larger than 4 GB".to_owned()))?;
        self.by_path.insert(path.to_owned(), id);
        Ok(id)
    }

    /// The file named by an `#include`, where, and whether in quotes.
    fn included_name(&mut self, directive: Span) -> Option<(String, Span, bool)> {
        let file = self.files.last_mut()?;
        let (text, span) = file.lexer.rest_of_line();
        if let Some((name, _)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            let end = span.start + u32::try_from(name.len()).unwrap_or(0) + 2;
            return Some((name.to_owned(), Span { end, ..span }, false));
        }
        if let Some((name, _)) = text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            let end = span.start + u32::try_from(name.len()).unwrap_or(0) + 2;
            return Some((name.to_owned(), Span { end, ..span }, true));
        }
        // A macro may stand for the name.
        let mut lexer = crate::syntax::lexer::Lexer::from_text(text.into(), span.start);
        let tokens: Vec<Piece> =
            std::iter::from_fn(|| lexer.next(self.names, self.diagnostics)).map(Piece::new).collect();
        let expanded = self.expand_list(tokens, directive);
        if let [Piece { token: Token { kind: TokenKind::String(name), .. }, .. }] = expanded.as_slice() {
            return Some((name.to_string(), span, true));
        }
        let span = if span.start == span.end { directive } else { span };
        let error =
            Diagnostic::error(17, span, "`#include` needs the name of a file").help("write `#include \"file\"`");
        self.diagnostics.add(error);
        None
    }

    fn condition(&mut self, word: &str, span: Span) -> bool {
        let line = self.rest_of_directive();
        if word == "if" || word == "elif" {
            return self.holds(line, span);
        }
        let Some(name) = line.first().and_then(|token| token.kind.word()) else {
            let error = Diagnostic::error(20, span, format!("`#{word}` needs the name of a macro"));
            self.diagnostics.add(error);
            return false;
        };
        self.macros.find(name).is_some() == (word == "ifdef")
    }

    /// Whether the expression of an `#if` is not 0.
    fn holds(&mut self, line: Vec<Token>, directive: Span) -> bool {
        let line = condition::replace_defined(line, &self.macros, self.names);
        let pieces = line.into_iter().map(|(token, is_final)| Piece { token, is_final }).collect();
        let expanded: Vec<Token> = self.expand_list(pieces, directive).into_iter().map(|piece| piece.token).collect();
        match condition::evaluate(&expanded, directive) {
            Ok(value) => value != 0,
            Err(error) => {
                self.diagnostics.add(*error);
                false
            }
        }
    }

    fn begin_conditional(&mut self, span: Span, holds: bool) {
        let Some(file) = self.files.last_mut() else { return };
        file.conditionals.push(Conditional { span, was_taken: holds, else_span: None });
        if !holds {
            self.skip_branch();
        }
    }

    /// `#elif` or `#else` behind a branch that was read.
    fn end_of_branch(&mut self, span: Span, is_else: bool) {
        self.end_directive();
        if self.next_branch(span, is_else) {
            self.skip_branch();
        }
    }

    /// Notes that another branch begins; says whether there was an `#if` at all.
    fn next_branch(&mut self, span: Span, is_else: bool) -> bool {
        let word = if is_else { "else" } else { "elif" };
        let Some(conditional) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) else {
            self.diagnostics.add(Diagnostic::error(19, span, format!("`#{word}` without `#if`")));
            return false;
        };
        if let Some(old) = conditional.else_span {
            let error =
                Diagnostic::error(19, span, format!("`#{word}` after `#else`")).label(old, "the `#else` is here");
            self.diagnostics.add(error.label(conditional.span, "of this condition"));
        }
        if is_else {
            conditional.else_span = Some(span);
        }
        true
    }

    /// Skips text until a branch of the current condition is to be read, or it ends.
    fn skip_branch(&mut self) {
        let mut n_open = 0_usize;
        while self.files.last_mut().is_some_and(|file| file.lexer.skip_to_directive()) {
            let Some(hash) = self.files.last_mut().and_then(|file| file.lexer.next(self.names, self.diagnostics))
            else {
                return;
            };
            let Some(name) = self.begin_directive() else { continue };
            let span = hash.span.to(name.span);
            let was_taken = self
                .files
                .last()
                .and_then(|file| file.conditionals.last())
                .is_none_or(|conditional| conditional.was_taken);
            match name.kind.word() {
                Some("if" | "ifdef" | "ifndef") => n_open += 1,
                Some("endif") if n_open > 0 => n_open -= 1,
                Some("endif") => {
                    self.end_conditional(span);
                    return self.end_directive();
                }
                Some(word @ ("elif" | "else")) if n_open == 0 => {
                    let is_else = word == "else";
                    self.next_branch(span, is_else);
                    if !was_taken && (is_else || self.condition("elif", span)) {
                        if let Some(conditional) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) {
                            conditional.was_taken = true;
                        }
                        return self.end_directive();
                    }
                }
                _ => {}
            }
            self.skip_rest_of_directive();
        }
    }

    /// Like `end_directive`, but what is skipped may be anything.
    fn skip_rest_of_directive(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.lexer.leave_directive();
        }
    }

    fn end_conditional(&mut self, span: Span) {
        if self.files.last_mut().and_then(|file| file.conditionals.pop()).is_none() {
            self.diagnostics.add(Diagnostic::error(19, span, "`#endif` without `#if`"));
        }
    }

    /// `#line 12 "file"` and `# 12 "file"`: the next line is line 12 of that file.
    fn line_marker(&mut self, line: &[Token], directive: Span) {
        let pieces = line.iter().cloned().map(Piece::new).collect();
        let line = self.expand_list(pieces, directive);
        let number = line.first().and_then(|piece| match &piece.token.kind {
            TokenKind::Number(digits) => digits.parse::<u32>().ok(),
            _ => None,
        });
        let Some(number) = number else {
            let span = line.first().map_or(directive, |piece| piece.token.span);
            let error = Diagnostic::error(21, span, "`#line` needs the number of a line");
            return self.diagnostics.add(error.help("write `#line 12` or `#line 12 \"file\"`"));
        };
        let path = line.get(1).and_then(|piece| match &piece.token.kind {
            TokenKind::String(path) => Some(path.to_string()),
            _ => None,
        });
        if let Some(file) = self.files.last() {
            self.sources.mark_line(file.id, directive, number, path);
        }
    }
}

/// The header that makes a model with scalarsets readable for Spin. To pmc it says nothing, so no file is needed.
const PROVIDED: &str = "symmetry.h";

/// The path of a file that `includer` names.
fn beside(includer: &str, name: &str) -> String {
    match includer.rsplit_once('/') {
        Some((directory, _)) if !name.starts_with('/') => format!("{directory}/{name}"),
        _ => name.to_owned(),
    }
}
