//! The preprocessor: C's, but on tokens, so that every message can point at
//! what the author wrote.
//!
//! - `mod.rs`: the stream of tokens, from file to file
//! - [`directives`]: lines that begin with `#`
//! - [`condition`]: the expressions of `#if`
//! - [`embedded`]: the names of macros in C
//! - [`macros`]: definitions, and filling in a body
//! - [`expand`]: finding the uses
//!
//! After it: no directive and no macro is left. `newline_before` is as in the
//! text that `gcc -E` gives to Spin: a macro's expansion is one line, with its
//! arguments, and every line end outside of one counts, also in a comment or
//! behind a backslash.

mod condition;
mod directives;
mod embedded;
mod expand;
mod macros;
#[cfg(test)]
mod tests;

use crate::collections::Lookup;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::lexer::Lexer;
use crate::syntax::token::{NameInterner, Symbol, Token};
use crate::syntax::{Appended, Loader, MOST_EXPANDED, PreprocessOptions, formula};
use directives::Conditional;
use macros::{Builtin, Macros};

/// Includes may nest so deep.
const MOST_OPEN_FILES: usize = 200;
/// And there may be so many of them, counting each time a file is read.
const MOST_INCLUDES: usize = if cfg!(test) { 1_000 } else { 100_000 };

/// The tokens of `main` and all that it includes, with macros expanded.
pub fn preprocess(
    sources: &mut SourceMap,
    main: FileId,
    loader: &mut dyn Loader,
    options: &PreprocessOptions,
    names: &mut NameInterner,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let mut macros = Macros::default();
    macros.define_builtin("__LINE__", Builtin::Line);
    macros.define_builtin("__FILE__", Builtin::File);
    macros.define_builtin("__PMC__", Builtin::One);
    let mut preprocessor = Preprocessor {
        sources,
        loader,
        include_dirs: &options.include_dirs,
        names,
        diagnostics,
        macros,
        files: Vec::new(),
        by_path: Lookup::new(),
        frames: Vec::new(),
        n_expanded: 0,
        n_includes: 0,
        n_nested: 0,
        call_spanned_lines: false,
    };
    if !options.defines.is_empty() {
        preprocessor.define_from_command_line(&options.defines);
    }
    preprocessor.open(main);
    let mut tokens = preprocessor.run();
    for appended in &options.appended {
        preprocessor.append(appended, &mut tokens);
    }
    tokens
}

/// A token on its way through the preprocessor.
#[derive(Clone, Debug)]
struct Piece {
    token: Token,
    /// It names a macro, but was met inside that macro's own expansion: it
    /// stays a name for good.
    is_final: bool,
}

impl Piece {
    fn new(token: Token) -> Self {
        Self { token, is_final: false }
    }

    /// A token of a macro's body at the macro's use.
    fn from_body(token: &Token, used: Span) -> Self {
        Self::new(Token { span: used, ..token.clone() })
    }
}

/// A list of tokens to be read before anything else.
struct TokenFrame {
    pieces: std::vec::IntoIter<Piece>,
    /// The macro that it is the expansion of.
    expansion_of: Option<usize>,
}

/// A file that is being read.
struct OpenFile {
    lexer: Lexer,
    id: FileId,
    conditionals: Vec<Conditional>,
}

/// Where tokens may be taken from: the frames above `floor`, then maybe the files.
#[derive(Clone, Copy)]
struct Region {
    floor: usize,
    reads_files: bool,
}

struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    loader: &'a mut dyn Loader,
    include_dirs: &'a [String],
    names: &'a mut NameInterner,
    diagnostics: &'a mut Diagnostics,
    macros: Macros,
    files: Vec<OpenFile>,
    /// Files read before, so that a header included twice is kept once.
    by_path: Lookup<String, FileId>,
    frames: Vec<TokenFrame>,
    n_expanded: usize,
    n_includes: usize,
    n_nested: usize,
    /// A macro call went on over several lines: what follows is on a line of its own.
    call_spanned_lines: bool,
}

impl Preprocessor<'_> {
    fn open(&mut self, id: FileId) {
        let lexer = Lexer::new(self.sources.get(id));
        self.files.push(OpenFile { lexer, id, conditionals: Vec::new() });
    }

    /// Reads on in a text that stands behind the model.
    fn append(&mut self, appended: &Appended, tokens: &mut Vec<Token>) {
        let (Appended::Items(file) | Appended::Formula { file, .. }) = appended;
        self.open(*file);
        let own = self.run();
        match appended {
            Appended::Items(_) => tokens.extend(own),
            Appended::Formula { name, .. } => match formula::item(name, own, self.names, self.sources.get(*file)) {
                Ok(item) => tokens.extend(item),
                Err(error) => self.diagnostics.add(error),
            },
        }
    }

    fn run(&mut self) -> Vec<Token> {
        let everything = Region { floor: 0, reads_files: true };
        let mut output = Vec::new();
        // A macro that expands to nothing leaves its line end to what follows.
        let mut newline = false;
        loop {
            if let Some(piece) = self.take(everything) {
                match self.expand(piece, everything) {
                    Ok(mut token) => {
                        token.newline_before |= std::mem::take(&mut newline);
                        output.push(token);
                    }
                    Err(was_newline) => newline |= was_newline,
                }
            } else if !self.close_file() {
                return output;
            }
        }
    }

    /// The next token of a region, not expanded yet.
    fn take(&mut self, region: Region) -> Option<Piece> {
        while self.frames.len() > region.floor {
            let frame = self.frames.last_mut()?;
            if let Some(piece) = frame.pieces.next() {
                return Some(piece);
            }
            let done = self.frames.pop()?;
            if let Some(number) = done.expansion_of {
                self.macros.set_disabled(number, false);
            }
        }
        if region.reads_files { self.take_from_file().map(Piece::new) } else { None }
    }

    /// The next token of the current file that is not part of a directive.
    fn take_from_file(&mut self) -> Option<Token> {
        loop {
            let file = self.files.last_mut()?;
            let at_line_start = file.lexer.is_at_line_start(self.diagnostics);
            let mut token = file.lexer.next(self.names, self.diagnostics)?;
            if at_line_start && token.kind.is_symbol(Symbol::Hash) {
                self.directive(token.span);
                continue;
            }
            if self.call_spanned_lines {
                self.call_spanned_lines = false;
                token.newline_before |= token.space_before;
            }
            return Some(token);
        }
    }

    /// Goes back to the file that included the current one; says whether there is one.
    fn close_file(&mut self) -> bool {
        if let Some(file) = self.files.pop() {
            for conditional in file.conditionals {
                let error = Diagnostic::error(19, conditional.span, "this condition has no `#endif`");
                self.diagnostics.add(error);
            }
        }
        !self.files.is_empty()
    }

    /// Gives up, since going on could take forever.
    fn stop(&mut self, error: Diagnostic) {
        self.diagnostics.add(error);
        self.frames.clear();
        self.files.clear();
    }

    /// Counts tokens that expansion makes; says whether there may be more.
    fn count_expanded(&mut self, number: usize, used: Span) -> bool {
        self.n_expanded += number;
        if self.n_expanded > MOST_EXPANDED {
            let message = format!("macros expand to more than {MOST_EXPANDED} tokens");
            self.stop(Diagnostic::error(902, used, message).help("does a macro double itself over and over?"));
            return false;
        }
        true
    }
}
