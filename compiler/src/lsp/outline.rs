//! The outline of a text.

use serde_json::{Value, json};

use super::text::Lines;
use super::words::{ItemKind, Words};

/// The items of a text as symbols of the protocol.
pub fn outline(lines: &Lines, words: &Words) -> Value {
    let symbols = words.items.iter().map(|item| {
        json!({
            "name": item.name,
            "detail": detail(item.kind),
            "kind": kind(item.kind),
            "range": lines.range(item.start, item.end.max(item.name_end)),
            "selectionRange": lines.range(item.name_start, item.name_end),
        })
    });
    symbols.collect()
}

fn detail(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Proctype => "proctype",
        ItemKind::Init | ItemKind::Mtype | ItemKind::Global => "",
        ItemKind::Never => "never claim",
        ItemKind::Trace => "trace",
        ItemKind::Ltl => "ltl",
        ItemKind::Typedef => "typedef",
        ItemKind::Inline => "inline",
        ItemKind::Macro => "macro",
    }
}

/// The numbers of the protocol: a class for a process, a struct for a record, and so on.
fn kind(kind: ItemKind) -> u32 {
    match kind {
        ItemKind::Proctype | ItemKind::Init => 5,
        ItemKind::Never | ItemKind::Trace | ItemKind::Ltl => 24,
        ItemKind::Typedef => 23,
        ItemKind::Inline => 12,
        ItemKind::Mtype => 10,
        ItemKind::Global => 13,
        ItemKind::Macro => 14,
    }
}
