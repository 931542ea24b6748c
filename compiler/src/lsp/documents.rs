//! The texts as they are in the editor, and what is known of each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::index::{FilePlace, Index};
use super::text::{Location, Position, Range, path_of, uri_of};
use crate::driver::{OpenFile, Options, on_large_stack};

/// A text that the editor has open.
pub struct Document {
    pub uri: String,
    pub path: PathBuf,
    pub text: Arc<str>,
    pub version: i64,
    /// Nothing if the text has changed since, or if pmc itself failed.
    pub index: Option<Arc<Index>>,
    is_stale: bool,
    /// What a verification found, for its messages: gone with the next change.
    pub violation: Option<Violation>,
}

pub struct Violation {
    pub property: String,
    pub message: String,
    pub place: FilePlace,
}

#[derive(Default)]
pub struct Documents {
    list: Vec<Document>,
    options: Options,
    /// A document was closed: its messages are to be taken back.
    is_closed: bool,
    /// The messages that the editor shows, by address.
    published: BTreeMap<String, Value>,
}

/// A model that is open, or that an open model includes, and a place in it.
pub struct Spot {
    pub index: Arc<Index>,
    pub file: usize,
    pub offset: usize,
}

impl Documents {
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    pub fn open(&mut self, uri: String, text: String, version: i64) {
        self.list.retain(|document| document.uri != uri);
        let path = path_of(&uri);
        self.mark_stale(&path);
        let text = text.into();
        self.list.push(Document { uri, path, text, version, index: None, is_stale: true, violation: None });
    }

    /// Returns whether the document is open.
    pub fn change(&mut self, uri: &str, version: i64, change: impl FnOnce(&str) -> String) -> bool {
        let Some(document) = self.list.iter_mut().find(|document| document.uri == uri) else { return false };
        document.text = change(&document.text).into();
        document.version = version;
        let path = document.path.clone();
        self.mark_stale(&path);
        true
    }

    pub fn close(&mut self, uri: &str) {
        let path = path_of(uri);
        self.list.retain(|document| document.uri != uri);
        self.is_closed = true;
        self.mark_stale(&path);
    }

    /// Forgets what is known of a file, and of every model that includes it; of all if files have changed on the disk.
    fn mark_stale(&mut self, path: &Path) {
        for document in &mut self.list {
            let includes = |index: &Arc<Index>| index.file_of(path).is_some();
            // A model whose include was missing may find it now.
            if document.path == path || document.index.as_ref().is_none_or(|index| includes(index) || index.is_wrong) {
                document.is_stale = true;
                document.violation = None;
            }
        }
    }

    pub fn mark_all_stale(&mut self) {
        for document in &mut self.list {
            document.is_stale = true;
            document.violation = None;
        }
    }

    pub fn is_stale(&self) -> bool {
        self.is_closed || self.list.iter().any(|document| document.is_stale)
    }

    pub fn get(&self, uri: &str) -> Option<&Document> {
        self.list.iter().find(|document| document.uri == uri)
    }

    pub fn get_mut(&mut self, uri: &str) -> Option<&mut Document> {
        self.list.iter_mut().find(|document| document.uri == uri)
    }

    /// The options for a model: all open texts count in place of the files.
    pub fn options(&self) -> Options {
        let open =
            self.list.iter().map(|document| OpenFile { path: document.path.clone(), text: document.text.clone() });
        Options { open_files: open.collect(), ..self.options.clone() }
    }

    /// Reads every text that has changed, and returns their addresses.
    pub fn refresh(&mut self) -> Vec<String> {
        let options = self.options();
        let mut changed = Vec::new();
        self.is_closed = false;
        for document in self.list.iter_mut().filter(|document| document.is_stale) {
            let name = document.path.to_string_lossy().into_owned();
            let read = on_large_stack(|| Index::new(&name, &document.text, &options));
            // A model that makes pmc fail has no answers; the server goes on.
            document.index = read.ok().and_then(Result::ok).map(Arc::new);
            document.is_stale = false;
            changed.push(document.uri.clone());
        }
        changed
    }

    /// The model that a document belongs to: another open one that includes it, or its own.
    pub fn root_of(&self, uri: &str) -> Option<&Document> {
        let own = self.get(uri)?;
        let includes = |document: &&Document| {
            document.uri != uri && document.index.as_ref().is_some_and(|index| index.file_of(&own.path).is_some())
        };
        Some(self.list.iter().find(includes).unwrap_or(own))
    }

    pub fn spot(&self, uri: &str, position: Position) -> Option<Spot> {
        let index = self.root_of(uri)?.index.clone()?;
        let file = index.file_of(&path_of(uri))?;
        let offset = index.files[file].lines.offset(position);
        Some(Spot { index, file, offset })
    }

    /// The address of a file: as the editor calls it, if it has it open.
    pub fn uri(&self, path: &Path) -> String {
        let open = self.list.iter().find(|document| document.path == path);
        open.map_or_else(|| uri_of(path), |document| document.uri.clone())
    }

    pub fn location(&self, index: &Index, place: FilePlace) -> Location {
        Location { uri: self.uri(&index.files[place.file].path), range: index.range(place) }
    }

    /// The messages of all files that differ from those that the editor shows, as parameters of notifications.
    pub fn news(&mut self) -> Vec<Value> {
        let mut current: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for document in &self.list {
            let messages = current.entry(document.uri.clone()).or_default();
            // What is wrong with an included file alone is no mistake.
            let is_root = self.root_of(&document.uri).is_some_and(|root| root.uri == document.uri);
            if !is_root {
                continue;
            }
            let Some(index) = &document.index else {
                let text = "pmc cannot read this: it is too large, or this is a mistake in pmc";
                messages.push(json!({ "range": Range::default(), "severity": 1, "source": "pmc", "message": text }));
                continue;
            };
            for (uri, message) in self.messages(document, index) {
                current.entry(uri).or_default().push(message);
            }
        }
        let mut news = Vec::new();
        for uri in self.published.keys().filter(|uri| !current.contains_key(*uri)) {
            news.push(json!({ "uri": uri, "diagnostics": [] }));
        }
        let mut published = BTreeMap::new();
        for (uri, messages) in current {
            let messages = Value::from(messages);
            if self.published.get(&uri) != Some(&messages) {
                let mut parameters = json!({ "uri": uri, "diagnostics": messages });
                if let Some(document) = self.get(&uri) {
                    parameters["version"] = document.version.into();
                }
                news.push(parameters);
            }
            published.insert(uri, messages);
        }
        self.published = published;
        news
    }

    fn messages(&self, document: &Document, index: &Index) -> Vec<(String, Value)> {
        let mut found = Vec::new();
        for finding in &index.findings {
            let Location { uri, range } = self.location(index, finding.place);
            let related: Vec<Value> = finding
                .related
                .iter()
                .map(|(place, text)| json!({ "location": self.location(index, *place), "message": text }))
                .collect();
            let mut message = json!({
                "range": range,
                "severity": if finding.is_error { 1 } else { 2 },
                "code": finding.code,
                "source": "pmc",
                "message": finding.text,
                "relatedInformation": related,
            });
            // Editors show what is not used in grey.
            if finding.code.starts_with("unused-") || finding.code == "unreachable" {
                message["tags"] = json!([1]);
            }
            found.push((uri, message));
        }
        if let Some(Violation { property, message, place }) = &document.violation {
            let Location { uri, range } = self.location(index, *place);
            let message = json!({
                "range": range,
                "severity": 1,
                "code": property,
                "source": "pmc verify",
                "message": message,
            });
            found.push((uri, message));
        }
        found
    }
}
