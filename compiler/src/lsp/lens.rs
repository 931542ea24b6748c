//! Lines above properties and processes, to verify them with a click, and the verdict.

use pmc_runtime::verdict::Verdict;
use serde_json::{Value, json};

use super::index::{Index, Symbol, SymbolKind};
use super::text::Range;

pub const VERIFY: &str = "pmc.verify";
pub const CANCEL: &str = "pmc.cancel";

/// What is known about a property of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Verification {
    Running,
    Over { verdict: Option<Verdict>, summary: String },
}

/// The lenses of a file of a model. `state` tells what is known of a property.
pub fn lenses(uri: &str, index: &Index, file: usize, state: impl Fn(&str) -> Option<Verification>) -> Vec<Value> {
    if index.is_wrong {
        return Vec::new();
    }
    let mut found = Vec::new();
    for symbol in index.symbols.iter().filter(|symbol| symbol.place.file == file) {
        let Some(property) = property(symbol) else { continue };
        let range = index.range(symbol.place);
        let known = state(property);
        if let Some(Verification::Over { verdict, summary }) = &known {
            let mark = match verdict {
                Some(Verdict::Verified) => "✓",
                Some(Verdict::Violated) => "✗",
                Some(Verdict::Incomplete) | None => "?",
            };
            found.push(lens(range, &format!("{mark} {summary}"), VERIFY, uri, property));
        } else if known == Some(Verification::Running) {
            found.push(lens(range, "verifying ... (click to stop)", CANCEL, uri, property));
            continue;
        }
        let title = match (property, known) {
            (_, Some(_)) => "verify again".to_owned(),
            ("safety", None) => "verify: assertions, end states, faults".to_owned(),
            (_, None) => "verify".to_owned(),
        };
        found.push(lens(range, &title, VERIFY, uri, property));
    }
    found
}

/// The property that is verified above a symbol: of a process, what can go wrong in a step or at the end.
fn property(symbol: &Symbol) -> Option<&str> {
    match symbol.kind {
        SymbolKind::Proctype | SymbolKind::Init => Some("safety"),
        SymbolKind::Formula | SymbolKind::Never => Some(&symbol.name),
        SymbolKind::Variable
        | SymbolKind::Channel
        | SymbolKind::Constant
        | SymbolKind::Record
        | SymbolKind::Field
        | SymbolKind::Label => None,
    }
}

fn lens(range: Range, title: &str, command: &str, uri: &str, property: &str) -> Value {
    json!({ "range": range, "command": { "title": title, "command": command, "arguments": [uri, property] } })
}
