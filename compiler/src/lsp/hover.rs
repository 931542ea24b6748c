//! What stands at a place: its declaration, its uses, and the values that it can have.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::index::{FilePlace, Index, Role, Symbol, SymbolKind, place};
use crate::analysis::Stored;
use crate::driver::{Options, Session, on_large_stack};
use crate::model::{Type, VariableId};

/// So long an editor waits for the values of variables; they are shown the next time otherwise.
const TIMEOUT: Duration = Duration::from_millis(700);

/// The values that each variable can have, by the place of its declaration.
pub type Ranges = Vec<(FilePlace, String)>;

/// The ranges of one text, which a thread finds.
pub enum Finding {
    Running(Receiver<Ranges>),
    Found(Ranges),
}

impl Finding {
    /// Starts to look for the ranges of a model.
    pub fn start(name: String, text: String, options: Options) -> Self {
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let found = on_large_stack(|| ranges(&name, text, &options)).unwrap_or_default();
            let _ = sender.send(found);
        });
        Self::Running(receiver)
    }

    /// The ranges, if they are found soon.
    pub fn wait(&mut self) -> &[(FilePlace, String)] {
        if let Self::Running(receiver) = self {
            match receiver.recv_timeout(TIMEOUT) {
                Ok(found) => *self = Self::Found(found),
                Err(RecvTimeoutError::Disconnected) => *self = Self::Found(Vec::new()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        match self {
            Self::Found(found) => found,
            Self::Running(_) => &[],
        }
    }
}

fn ranges(name: &str, text: String, options: &Options) -> Ranges {
    let Ok(mut session) = Session::from_text(name, text, options) else { return Vec::new() };
    let Ok(model) = session.resolve_simplified() else { return Vec::new() };
    let analysed = session.analyse_processes(&model);
    let facts = &analysed.facts;
    let shown = |id: VariableId| {
        let variable = &model.variables[id];
        let text = match (facts.stored[id], variable.ty) {
            (_, Type::Chan | Type::Record(_)) => return None,
            (Stored::Yes, _) => {
                let range = facts.ranges.variable(&model, id, &[]);
                if variable.ty == Type::Timer && range.high >= 0 {
                    format!("off, or 0 to {} ticks left", range.high)
                } else if range.low == range.high {
                    format!("always {}", range.low)
                } else {
                    format!("{} to {}", range.low, range.high)
                }
            }
            _ => "no verdict depends on them: it is not stored".to_owned(),
        };
        Some((place(&session.sources, variable.span)?, text))
    };
    model.variables.ids().filter_map(shown).collect()
}

/// The text for a place, as Markdown, and the place of the word.
pub fn hover(index: &Index, file: usize, offset: usize, ranges: &[(FilePlace, String)]) -> Option<(String, FilePlace)> {
    let words = &index.files[file].words;
    let word = words.at(offset)?;
    let place = FilePlace { file, start: word.start, end: word.end };
    // A macro has its own definition, not that of the names in it.
    let definitions = index.files.iter().flat_map(|file| &file.words.definitions);
    if let Some(definition) = definitions.into_iter().find(|definition| definition.name == word.text) {
        return Some((code(&definition.shown), place));
    }
    let symbol = index.symbol_at(file, offset)?;
    Some((describe(symbol, ranges), place))
}

fn code(text: &str) -> String {
    format!("```promela\n{text}\n```")
}

fn describe(symbol: &Symbol, ranges: &[(FilePlace, String)]) -> String {
    let mut parts = vec![code(&symbol.declaration)];
    let owner = symbol.owner.as_ref();
    match (symbol.kind, owner) {
        (SymbolKind::Variable | SymbolKind::Channel, Some(owner)) => parts.push(format!("local to `{owner}`")),
        (SymbolKind::Variable | SymbolKind::Channel, None) => parts.push("global".to_owned()),
        (SymbolKind::Field, Some(owner)) => parts.push(format!("field of `{owner}`")),
        (SymbolKind::Label, Some(owner)) => parts.push(format!("label of `{owner}`")),
        _ => {}
    }
    if let Some((_, range)) = ranges.iter().find(|(place, _)| *place == symbol.place) {
        parts.push(format!("values: {range}"));
    }
    let who = |role: Role| {
        let names: Vec<String> =
            symbol.roles.iter().filter(|(found, _)| *found == role).map(|(_, name)| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let roles = [
        (Role::Writes, "written by"),
        (Role::Reads, "read by"),
        (Role::Sends, "sent to by"),
        (Role::Receives, "received from by"),
    ];
    parts.extend(roles.into_iter().filter_map(|(role, verb)| Some(format!("{verb} {}", who(role)?))));
    parts.extend(symbol.comment.clone());
    parts.join("\n\n")
}
