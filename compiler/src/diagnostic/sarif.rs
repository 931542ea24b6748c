//! Diagnostics for code scanning services: SARIF 2.1.0.
//!
//! Columns count characters here (`columnKind`), as everywhere in pmc.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::explanation::{Explanation, explanation};
use super::{Annotation, Diagnostic, Diagnostics, Severity};
use crate::source::{SourceMap, Span};

/// All that was found, in the order of the source, as a SARIF log with one run.
pub fn to_sarif(sources: &SourceMap, diagnostics: &Diagnostics) -> String {
    let sorted = diagnostics.sorted();
    let rules: BTreeMap<String, Value> =
        sorted.iter().map(|found| (found.code.to_string(), rule(&found.code.to_string()))).collect();
    let indices: Vec<&String> = rules.keys().collect();
    let results: Vec<Value> = sorted
        .iter()
        .map(|found| {
            let code = found.code.to_string();
            result(sources, found, indices.binary_search(&&code).unwrap_or_default())
        })
        .collect();
    let unlisted = (diagnostics.n_unshown() > 0).then(|| {
        let text = format!("{} further errors and warnings are not listed", diagnostics.n_unshown());
        json!({ "level": "warning", "message": { "text": text } })
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "pmc",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.values().collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": !diagnostics.has_errors(),
                "toolExecutionNotifications": unlisted.into_iter().collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).expect("a tree of strings and numbers can be written as JSON")
}

/// What services show beside a result.
fn rule(code: &str) -> Value {
    let Some(Explanation { title, text, page, .. }) = explanation(code) else { return json!({ "id": code }) };
    let help = format!("{text}\n\n`pmc explain {code}` shows a wrong and a right example.");
    json!({
        "id": code,
        "shortDescription": { "text": title },
        "fullDescription": { "text": text },
        "help": { "text": help.replace('`', ""), "markdown": help },
        "helpUri": page,
    })
}

fn result(sources: &SourceMap, found: &Diagnostic, rule: usize) -> Value {
    let level = match found.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let help = found.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    let related = |(id, label): (usize, &Annotation)| {
        let mut place = location(sources, label.span);
        place["id"] = json!(id);
        place["message"] = json!({ "text": label.text });
        place
    };
    let mut result = json!({
        "ruleId": found.code.to_string(),
        "ruleIndex": rule,
        "level": level,
        "message": { "text": format!("{}{help}", found.message) },
        "locations": [location(sources, found.primary.span)],
    });
    let labels = found.others.iter().filter(|label| !label.text.is_empty());
    let related: Vec<Value> = (1..).zip(labels).map(related).collect();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    result
}

fn location(sources: &SourceMap, span: Span) -> Value {
    let file = sources.file(span);
    let start = file.position(span.start);
    let end = file.position(span.end.clamp(span.start, file.end().max(span.start)));
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&file.path) },
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        },
    } })
}

/// A file as a reference: relative to the working folder, if it is in there.
fn uri(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let inside = here.as_deref().and_then(|here| std::path::Path::new(path).strip_prefix(here).ok()?.to_str());
    pmc_runtime::report::sarif::uri(&pmc_runtime::model::located(".", inside.unwrap_or(path)))
}
