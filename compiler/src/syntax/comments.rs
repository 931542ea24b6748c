//! Finds the comment directly above an item: it becomes the documentation of the generated item.

use super::ast::File;
use crate::source::{Name, SourceMap};

pub fn attach(file: &mut File, sources: &SourceMap) {
    for item in &mut file.items {
        // A token from a macro has no line of its own to look above.
        if item.span.expansion.is_some() || sources.files().is_empty() {
            continue;
        }
        let source = sources.file(item.span);
        let before = (item.span.start - source.base) as usize;
        item.comment = source.text.get(..before).and_then(comment_at_end);
    }
}

/// The comment that `text` ends in, without its marks, if it stands on lines of its own.
fn comment_at_end(text: &str) -> Option<Name> {
    let above = text.trim_end_matches([' ', '\t']);
    let above = above.strip_suffix('\n').map_or(above, |above| above.strip_suffix('\r').unwrap_or(above));
    let above = above.trim_end_matches([' ', '\t']);
    if above.ends_with("*/") { block_comment(above) } else { line_comments(above) }
}

fn block_comment(text: &str) -> Option<Name> {
    let start = text.rfind("/*")?;
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    if !text[line_start..start].trim().is_empty() {
        return None;
    }
    let inner = text.get(start + 2..text.len() - 2)?;
    let lines = inner.lines().map(|line| line.trim().trim_start_matches('*').trim());
    joined(lines.collect())
}

fn line_comments(text: &str) -> Option<Name> {
    let mut lines: Vec<&str> = text
        .rsplit('\n')
        .map_while(|line| line.trim().strip_prefix("//"))
        .map(|line| line.trim_start_matches('/').trim())
        .collect();
    lines.reverse();
    joined(lines)
}

fn joined(lines: Vec<&str>) -> Option<Name> {
    let text = lines.join("\n");
    let text = text.trim_matches('\n');
    (!text.is_empty()).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::comment_at_end;

    #[test]
    fn takes_the_comment_directly_above() {
        let cases = [
            ("/* one */\n", Some("one")),
            ("x;\n/* one\n * two\n */\n", Some("one\ntwo")),
            ("// one\n// two\n", Some("one\ntwo")),
            ("byte x; // about x\n", None),
            ("byte x; /* about x */\n", None),
            ("// far away\n\n", None),
            ("/**/\n", None),
            ("\n  /* indented */\n  ", Some("indented")),
            ("", None),
            ("*/", None),
        ];
        for (text, comment) in cases {
            assert_eq!(comment_at_end(text).as_deref(), comment, "{text:?}");
        }
    }
}
