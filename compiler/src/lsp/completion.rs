//! Completion: words of the language, and names of the model that may stand at a place.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::index::{Index, Symbol, SymbolKind};
use super::words::ItemKind;
use crate::syntax::token::Keyword;

/// Names that the language gives a meaning to.
const PREDEFINED: &[(&str, &str)] = &[
    ("_pid", "the number of this process"),
    ("_nr_pr", "the number of processes"),
    ("_last", "the process that moved last"),
    ("_priority", "the priority of this process"),
];

/// What can be meant by what stands in front of the word that is being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Label,
    Field,
    Proctype,
    Anything,
}

pub fn completion(index: &Index, file: usize, offset: usize) -> Value {
    let source = &index.files[file];
    let before = source.lines.text.get(..offset).unwrap_or("");
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = before.trim_end_matches(is_part);
    let context = context(before);
    // Local names of the process around, and no other's.
    let around = source.words.items.iter().find(|item| item.start <= offset && offset <= item.end);
    let process = around.filter(|item| matches!(item.kind, ItemKind::Proctype | ItemKind::Init | ItemKind::Never));
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    let mut add = |name: &str, kind: u32, detail: &str| {
        let item = json!({ "label": name, "kind": kind, "detail": detail });
        found.entry(name.to_owned()).or_insert(item);
    };
    for symbol in &index.symbols {
        let is_near = symbol.owner.as_ref().is_none_or(|owner| process.is_some_and(|process| process.name == *owner));
        if fits(symbol, context, is_near) {
            add(&symbol.name, kind(symbol.kind), &symbol.declaration);
        }
    }
    if context == Context::Anything {
        for definition in index.files.iter().flat_map(|file| &file.words.definitions) {
            let first = definition.shown.lines().next().unwrap_or("");
            add(&definition.name, if definition.is_inline { 3 } else { 21 }, first);
        }
        PREDEFINED.iter().for_each(|(name, about)| add(name, 21, about));
        Keyword::ALL.iter().for_each(|keyword| add(keyword.text(), 14, ""));
    }
    found.into_values().collect()
}

fn context(before: &str) -> Context {
    let last_word =
        || before.trim_end().rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or("");
    let ends_in_space = before.ends_with(char::is_whitespace);
    if before.ends_with('@') || ends_in_space && last_word() == "goto" {
        Context::Label
    } else if before.ends_with('.') && !before.ends_with("..") {
        Context::Field
    } else if ends_in_space && last_word() == "run" {
        Context::Proctype
    } else {
        Context::Anything
    }
}

fn fits(symbol: &Symbol, context: Context, is_near: bool) -> bool {
    match symbol.kind {
        SymbolKind::Label => context == Context::Label,
        SymbolKind::Field => context == Context::Field,
        SymbolKind::Proctype => matches!(context, Context::Proctype | Context::Anything),
        SymbolKind::Variable | SymbolKind::Channel => context == Context::Anything && is_near,
        SymbolKind::Constant | SymbolKind::Record => context == Context::Anything,
        SymbolKind::Init | SymbolKind::Never | SymbolKind::Formula => false,
    }
}

/// The numbers of the protocol.
fn kind(kind: SymbolKind) -> u32 {
    match kind {
        SymbolKind::Variable => 6,
        SymbolKind::Channel => 23,
        SymbolKind::Constant => 20,
        SymbolKind::Record => 22,
        SymbolKind::Field => 5,
        SymbolKind::Proctype | SymbolKind::Init => 7,
        SymbolKind::Label => 18,
        SymbolKind::Never | SymbolKind::Formula => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_decides() {
        for (before, expected) in [
            ("goto ", Context::Label),
            ("P@", Context::Label),
            ("a[1].", Context::Field),
            ("for (i : 0 ..", Context::Anything),
            ("run ", Context::Proctype),
            ("xrun ", Context::Anything),
            ("run", Context::Anything),
            ("", Context::Anything),
        ] {
            assert_eq!(context(before), expected, "{before:?}");
        }
    }
}
