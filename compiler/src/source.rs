//! Source text, and places in it.
//!
//! All files of a run share one space of byte offsets, so that a position is two numbers wherever it came from. A span
//! also records the macro or inline that it came through, so that a message can say so.

use std::num::NonZeroU32;
use std::sync::Arc;

/// An identifier or other text of the model. The lexer makes one per distinct
/// text, so that a clone costs a counter and not an allocation.
pub type Name = Arc<str>;

/// A range of source text, and the expansion that put it where it was read.
///
/// Tokens of a macro's body have the span of the macro's *use*: that is the line the author has to look at. Tokens of
/// an inline's body have their own position in that body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    pub start: u32,
    pub end: u32,
    pub expansion: Option<ExpansionId>,
}

impl Span {
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end, expansion: None }
    }

    /// From the start of `self` to the end of `other`, when both lie in the same text; otherwise `self`, since a span
    /// cannot join two texts.
    ///
    /// A macro's use lies in the text around it, and so do its arguments.
    pub fn to(self, other: Self) -> Self {
        let call = |span: Self| span.expansion.and_then(|expansion| expansion.call);
        if call(self) != call(other) {
            return self;
        }
        let is_one_use = (self.start, self.end) == (other.start, other.end);
        let expansion = if is_one_use || self.expansion == other.expansion {
            self.expansion
        } else {
            call(self).map(|number| ExpansionId { number, call: Some(number) })
        };
        Self { start: self.start.min(other.start), end: self.end.max(other.end), expansion }
    }
}

/// Names an [`Expansion`] of the [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpansionId {
    number: NonZeroU32,
    /// The innermost call of an inline that it stands in, or is.
    call: Option<NonZeroU32>,
}

/// How a piece of text came to the place where the parser read it.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub kind: ExpansionKind,
    /// The macro or inline.
    pub name: Name,
    /// For a macro: where the text stands in its definition.
    /// For an inline: the call. Either may itself come from an expansion.
    pub site: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpansionKind {
    Macro,
    Inline,
}

/// Names a [`SourceFile`] of the [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// One file as it was read.
#[derive(Debug)]
pub struct SourceFile {
    /// As the user named it, or as an `#include` led to it.
    pub path: String,
    pub text: Arc<str>,
    /// Offset of the first byte in the space shared by all files.
    pub base: u32,
    line_starts: Vec<u32>,
    /// `#line` directives, in order.
    markers: Vec<LineMarker>,
}

/// From a `#line` on, lines are counted, and the file is named, as it says.
#[derive(Clone, Debug)]
struct LineMarker {
    /// The line of the directive itself.
    line: u32,
    /// What the line behind it counts as.
    next_is: u32,
    path: Option<String>,
}

/// Line and column, both from 1; a column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// Every file of a run, and every expansion.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns its id, or `None` if the texts together no longer fit in 32-bit offsets.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) -> Option<FileId> {
        let text = text.into();
        // One byte lies between files, so that the end of one is not the start of the next.
        let base = self.files.last().map_or(0, |last| last.end() + 1);
        let length = u32::try_from(text.len()).ok()?;
        base.checked_add(length)?.checked_add(1)?;
        let line_starts = std::iter::once(0)
            .chain(text.bytes().zip(1..).filter(|(byte, _)| *byte == b'\n').map(|(_, next)| next))
            .collect();
        self.files.push(SourceFile { path: path.into(), text, base, line_starts, markers: Vec::new() });
        u32::try_from(self.files.len() - 1).ok().map(FileId)
    }

    pub fn get(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn expand(&mut self, expansion: Expansion) -> ExpansionId {
        let number = u32::try_from(self.expansions.len() + 1).ok().and_then(NonZeroU32::new);
        let number = number.expect("fewer expansions than tokens");
        let call = match expansion.kind {
            ExpansionKind::Inline => Some(number),
            ExpansionKind::Macro => expansion.site.expansion.and_then(|outer| outer.call),
        };
        self.expansions.push(expansion);
        ExpansionId { number, call }
    }

    pub fn expansion(&self, id: ExpansionId) -> &Expansion {
        &self.expansions[id.number.get() as usize - 1]
    }

    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The file that holds a span's start.
    pub fn file(&self, span: Span) -> &SourceFile {
        &self.files[self.file_number(span)]
    }

    /// The number, in [`files`](Self::files), of the file that holds a span's start.
    pub fn file_number(&self, span: Span) -> usize {
        self.files.partition_point(|file| file.base <= span.start).saturating_sub(1)
    }

    /// From `first` to `last` where both lie in one file; a call can begin in a file and end in one that it includes.
    pub fn join(&self, first: Span, last: Span) -> Span {
        if self.file(first).base == self.file(last).base { first.to(last) } else { first }
    }

    pub fn position(&self, span: Span) -> Position {
        self.file(span).position(span.start)
    }

    /// Records a `#line` directive at `span`: the line behind it is `next_is` of `path`.
    pub fn mark_line(&mut self, file: FileId, span: Span, next_is: u32, path: Option<String>) {
        let file = &mut self.files[file.0 as usize];
        let line = file.position(span.start).line;
        // A file that is included again repeats its directives.
        if file.markers.last().is_none_or(|last| last.line < line) {
            let path = path.or_else(|| file.markers.last().and_then(|last| last.path.clone()));
            file.markers.push(LineMarker { line, next_is, path });
        }
    }

    /// File and line according to `#line` directives.
    pub fn presumed(&self, span: Span) -> (&str, u32) {
        let file = self.file(span);
        let line = self.position(span).line;
        let before = file.markers.partition_point(|marker| marker.line < line);
        match before.checked_sub(1).map(|last| &file.markers[last]) {
            Some(marker) => {
                let path = marker.path.as_deref().unwrap_or(&file.path);
                (path, marker.next_is.saturating_add(line - marker.line - 1))
            }
            None => (&file.path, line),
        }
    }

    /// The text of a span as the author wrote it.
    pub fn text(&self, span: Span) -> &str {
        let file = self.file(span);
        file.text.get((span.start - file.base) as usize..(span.end - file.base) as usize).unwrap_or("")
    }
}

/// The bytes of a file as text: UTF-8, or else Latin-1, so that a stray accent in a comment does not prevent a check.
pub fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}

impl SourceFile {
    /// Offset just behind the last byte, in the shared space.
    pub fn end(&self) -> u32 {
        self.base + u32::try_from(self.text.len()).expect("checked when the file was added")
    }

    pub fn position(&self, offset: u32) -> Position {
        let local = offset.saturating_sub(self.base);
        let line = self.line_starts.partition_point(|start| *start <= local).max(1);
        let start = self.line_starts[line - 1] as usize;
        let column = self.text.get(start..local as usize).map_or(1, |before| before.chars().count() + 1);
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: number(line), column: number(column) }
    }

    /// A line's text without its end; lines count from 1.
    pub fn line(&self, line: u32) -> &str {
        let start = self.line_starts[line as usize - 1] as usize;
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |next| *next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}
