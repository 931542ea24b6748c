//! Reads tables of TOML, and says what is wrong with them: where, and what would be right.

use std::ops::Range;

use toml_edit::{Item, TableLike};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{SourceMap, Span};

/// The code of what is wrong with a project file.
const PROJECT: u16 = 910;

/// A file and what is wrong with it so far.
#[derive(Debug, Default)]
pub struct Reader {
    pub sources: SourceMap,
    pub diagnostics: Diagnostics,
}

/// Where something stands.
pub type Place = Option<Range<usize>>;

impl Reader {
    pub fn new(name: &str, text: &str) -> Self {
        let mut sources = SourceMap::new();
        // One that is too large is empty here, and then has no models.
        sources.add(name, text);
        Self { sources, diagnostics: Diagnostics::default() }
    }

    fn span(place: Place) -> Span {
        let place = place.unwrap_or(0..0);
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span::new(number(place.start), number(place.end))
    }

    pub fn error(&mut self, place: Place, message: impl Into<String>, help: impl Into<String>) {
        let help = help.into();
        let diagnostic = Diagnostic::error(PROJECT, Self::span(place), message);
        self.diagnostics.add(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    /// Complains of every key that is none of these.
    pub fn keys(&mut self, table: &dyn TableLike, known: &[&str]) {
        for (key, _) in table.iter().filter(|(key, _)| !known.contains(key)) {
            let place = table.get_key_value(key).and_then(|(key, _)| key.span());
            let near = known.iter().min_by_key(|known| distance(known, key));
            let help = match near.filter(|near| distance(near, key) <= 2.max(key.len() / 3)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", list(known)),
            };
            self.error(place, format!("there is no key `{key}` here"), help);
        }
    }

    pub fn text(&mut self, table: &dyn TableLike, key: &str) -> Option<(String, Place)> {
        let item = table.get(key)?;
        match item.as_str() {
            Some(text) => Some((text.to_owned(), item.span())),
            None => {
                self.error(item.span(), format!("`{key}` is a text"), format!("write {key} = \"...\""));
                None
            }
        }
    }

    /// A text, or a list of texts.
    pub fn texts(&mut self, table: &dyn TableLike, key: &str) -> Vec<(String, Place)> {
        let Some(item) = table.get(key) else { return Vec::new() };
        if let Some(text) = item.as_str() {
            return vec![(text.to_owned(), item.span())];
        }
        let Some(array) = item.as_array() else {
            self.error(item.span(), format!("`{key}` is a list of texts"), format!("write {key} = [\"...\"]"));
            return Vec::new();
        };
        let mut all = Vec::new();
        for value in array {
            match value.as_str() {
                Some(text) => all.push((text.to_owned(), value.span())),
                None => {
                    let help = format!("write {key} = [\"...\"]");
                    self.error(value.span(), format!("`{key}` is a list of texts"), help);
                }
            }
        }
        all
    }

    /// A text or a number, as a flag takes it.
    pub fn value(&mut self, table: &dyn TableLike, key: &str) -> Option<(String, Place)> {
        let item = table.get(key)?;
        match (item.as_str(), item.as_integer()) {
            (Some(text), _) => Some((text.to_owned(), item.span())),
            (None, Some(number)) => Some((number.to_string(), item.span())),
            (None, None) => {
                self.error(item.span(), format!("`{key}` is a text or a number"), "");
                None
            }
        }
    }

    /// Whether a key is there, and true.
    pub fn truth(&mut self, table: &dyn TableLike, key: &str) -> bool {
        let Some(item) = table.get(key) else { return false };
        item.as_bool().unwrap_or_else(|| {
            self.error(item.span(), format!("`{key}` is true or false"), format!("write {key} = true"));
            false
        })
    }

    /// One of a few words.
    pub fn word(&mut self, item: &Item, key: &str, words: &[&'static str]) -> Option<&'static str> {
        let found = item.as_str().and_then(|text| words.iter().find(|word| **word == text));
        if found.is_none() {
            let shown = item.as_str().map(|text| format!(", not `{text}`")).unwrap_or_default();
            let near = item.as_str().and_then(|text| words.iter().find(|word| distance(word, text) <= 3));
            let help = near.map(|near| format!("did you mean \"{near}\"?")).unwrap_or_default();
            self.error(item.span(), format!("`{key}` is {}{shown}", list(words)), help);
        }
        found.copied()
    }
}

/// `a, b or c`
fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The edit distance of two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}
