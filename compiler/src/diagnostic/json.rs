//! Diagnostics as JSON for tools, schema `pmc-diagnostics/1`.
//!
//! Unlike the text for people nothing is shortened here, and every position has a start and an end. Lines and columns
//! count from 1, a column counts characters, and an end is the position just behind the last character.

use serde::Serialize;

use super::render::expansions;
use super::{Code, Diagnostic, Diagnostics, Level, Severity};
use crate::source::{ExpansionKind, SourceMap, Span};

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    errors: usize,
    warnings: usize,
    /// How many were found beyond those that are listed.
    unlisted: usize,
    diagnostics: Vec<JsonDiagnostic>,
}

#[derive(Serialize)]
struct JsonDiagnostic {
    /// `P0203`, or the name of the lint.
    code: String,
    severity: &'static str,
    /// The name for `-A`, `-W` and `--deny`, if the message is that of a lint.
    lint: Option<&'static str>,
    /// The level of that lint: `warn` or `deny`.
    level: Option<&'static str>,
    message: String,
    #[serde(flatten)]
    place: JsonSpan,
    /// The text at the primary position.
    label: Option<String>,
    labels: Vec<Labeled>,
    help: Option<String>,
    expansions: Vec<Expanded>,
}

#[derive(Serialize)]
struct Labeled {
    #[serde(flatten)]
    place: JsonSpan,
    text: String,
}

/// A macro or an inline through which the text came, innermost first.
#[derive(Serialize)]
struct Expanded {
    kind: &'static str,
    name: String,
    /// Of a macro its definition, of an inline the call.
    #[serde(flatten)]
    place: JsonSpan,
}

#[derive(Serialize)]
struct JsonSpan {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

/// All that was found, in the order of the source, as one JSON object.
pub fn to_json(sources: &SourceMap, diagnostics: &Diagnostics) -> String {
    let document = Document {
        schema: "pmc-diagnostics/1",
        errors: diagnostics.n_errors(),
        warnings: diagnostics.n_warnings(),
        unlisted: diagnostics.n_unshown(),
        diagnostics: diagnostics.sorted().into_iter().map(|diagnostic| entry(sources, diagnostic)).collect(),
    };
    serde_json::to_string_pretty(&document).expect("a tree of strings and numbers can be written as JSON")
}

fn entry(sources: &SourceMap, diagnostic: &Diagnostic) -> JsonDiagnostic {
    let labeled = |label: &super::Annotation| Labeled { place: place(sources, label.span), text: label.text.clone() };
    let expanded = |expansion: &crate::source::Expansion| Expanded {
        kind: match expansion.kind {
            ExpansionKind::Macro => "macro",
            ExpansionKind::Inline => "inline",
        },
        name: expansion.name.to_string(),
        place: place(sources, expansion.site),
    };
    let primary = &diagnostic.primary;
    JsonDiagnostic {
        code: diagnostic.code.to_string(),
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        lint: match diagnostic.code {
            Code::Error(_) => None,
            Code::Lint(lint) => Some(lint.name()),
        },
        level: match (diagnostic.code, diagnostic.severity) {
            (Code::Error(_), _) => None,
            (Code::Lint(_), Severity::Warning) => Some(Level::Warn.name()),
            (Code::Lint(_), Severity::Error) => Some(Level::Deny.name()),
        },
        message: diagnostic.message.clone(),
        place: place(sources, primary.span),
        label: (!primary.text.is_empty()).then(|| primary.text.clone()),
        labels: diagnostic.others.iter().map(labeled).collect(),
        help: diagnostic.help.clone(),
        expansions: expansions(sources, primary.span).into_iter().map(expanded).collect(),
    }
}

fn place(sources: &SourceMap, span: Span) -> JsonSpan {
    let file = sources.file(span);
    let start = file.position(span.start);
    let end = file.position(span.end.clamp(span.start, file.end().max(span.start)));
    JsonSpan {
        file: file.path.clone(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Lint, LintLevels};
    use crate::source::{Expansion, Name};

    #[test]
    fn the_document_has_every_field_of_the_schema() {
        let mut sources = SourceMap::new();
        sources.add("a.pml", "#define N \"\u{1b}\"\nbyte x = N;\n").unwrap();
        let site = Span::new(10, 13);
        let id = sources.expand(Expansion { kind: ExpansionKind::Macro, name: Name::from("N"), site });
        let use_of_macro = Span { expansion: Some(id), ..Span::new(23, 24) };
        let mut diagnostics = Diagnostics::new(LintLevels { denied: vec![Lint::Truncation], ..LintLevels::default() });
        diagnostics.add(
            Diagnostic::error(210, use_of_macro, "a string is no number")
                .here("a string")
                .label(Span::new(14, 18), "the type")
                .help("use a number"),
        );
        diagnostics.add(Diagnostic::warning(Lint::Truncation, Span::new(14, 22), "300 does not fit"));
        insta::assert_snapshot!(to_json(&sources, &diagnostics));
    }
}
