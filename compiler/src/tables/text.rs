//! The author's text in reports and in emitted code: on one line, without characters that mislead a reader.

use crate::ir::formula::{AtomId, Automaton, Guard};
use crate::source::{SourceMap, Span};

/// Text of the model for a table or a string literal. Control characters and those that change the direction of writing
/// are escaped: rustc rejects the latter even in comments, and both mislead a reader.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let changes_direction =
            matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let is_invisible = matches!(c, '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
        if c.is_control() || changes_direction || is_invisible {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A path without its folders: the same model gives the same bytes in every folder.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The source text, on one line and cut if it is long.
pub fn statement_text(sources: &SourceMap, span: Span) -> String {
    let text = sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST_STATEMENT) {
        None => text,
        Some((end, _)) => format!("{} ...", text[..end].trim_end()),
    }
}

/// In characters.
const LONGEST_STATEMENT: usize = 90;

/// The guard of a formula's automaton as text over the author's conditions.
pub fn guard_text(sources: &SourceMap, automaton: &Automaton, guard: Guard) -> String {
    let atom = |atom: AtomId| statement_text(sources, automaton.atoms[atom].span);
    automaton.text(guard, &atom)
}
