//! The conversation: messages in, answers and news out.

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Duration;

use pmc_runtime::limits::{Interrupt, Limits};
use pmc_runtime::options::Options as CheckOptions;
use pmc_runtime::verdict::Verdict;
use serde_json::{Value, json};

use super::documents::{Documents, Violation};
use super::index::FilePlace;
use super::lens::{CANCEL, VERIFY, Verification};
use super::text::{Lines, Position, Range};
use super::transport::{Failure, Incoming, Outgoing, codes, read};
use super::verify::{Found, Outcome, Task, ask, start};
use super::{answers, hover};
use crate::driver::Options;

/// What the command line says.
#[derive(Clone, Debug)]
pub struct Settings {
    pub options: Options,
    /// The limits of a verification.
    pub max_time: Duration,
    pub memory: u64,
}

/// What the loop waits for.
pub enum Event {
    Message(Incoming),
    Verified { number: u64, outcome: Outcome },
}

/// Serves one client until it says `exit` or closes the stream. Returns whether it said goodbye as the protocol has it.
pub fn serve(settings: Settings, mut input: impl BufRead + Send + 'static, output: impl Write) -> bool {
    let (sender, receiver) = channel();
    let messages = sender.clone();
    std::thread::spawn(move || {
        loop {
            let message = read(&mut input);
            let is_last = matches!(message, Incoming::Closed(_));
            if messages.send(Event::Message(message)).is_err() || is_last {
                return;
            }
        }
    });
    let documents = Documents::new(settings.options.clone());
    let mut server = Server {
        settings,
        documents,
        out: Outgoing::new(output),
        phase: Phase::Before,
        refreshes_lenses: false,
        running: Vec::new(),
        results: Vec::new(),
        n_verifications: 0,
        ranges: None,
        events: sender,
    };
    // Only writing can fail: then the client is gone.
    let said_goodbye = server.run(&receiver).unwrap_or(false);
    server.running.iter().for_each(|running| running.interrupt.set());
    said_goodbye
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Until `initialize`.
    Before,
    Open,
    /// After `shutdown`.
    After,
}

/// A verification, and the request that waits for it.
struct Running {
    number: u64,
    request: Value,
    uri: String,
    property: String,
    interrupt: Arc<Interrupt>,
}

/// The result of a verification of a text that has not changed since.
struct Known {
    uri: String,
    property: String,
    verification: Verification,
}

pub(super) struct Server<W> {
    settings: Settings,
    pub(super) documents: Documents,
    out: Outgoing<W>,
    phase: Phase,
    refreshes_lenses: bool,
    running: Vec<Running>,
    results: Vec<Known>,
    n_verifications: u64,
    /// The values of the variables of one document, as far as they are known.
    ranges: Option<(String, hover::Finding)>,
    events: Sender<Event>,
}

impl<W: Write> Server<W> {
    fn run(&mut self, events: &Receiver<Event>) -> io::Result<bool> {
        loop {
            // Texts are read when nothing else is to be done: while the author types, only the last state counts.
            let event = match events.try_recv() {
                Ok(event) => event,
                Err(TryRecvError::Empty) => {
                    self.refresh()?;
                    match events.recv() {
                        Ok(event) => event,
                        Err(_) => return Ok(false),
                    }
                }
                Err(TryRecvError::Disconnected) => return Ok(false),
            };
            match event {
                Event::Message(Incoming::Request { id, method, params }) => self.request(id, &method, &params)?,
                Event::Message(Incoming::Notification { method, .. }) if method == "exit" => {
                    return Ok(self.phase == Phase::After);
                }
                Event::Message(Incoming::Notification { method, params }) => self.notification(&method, &params)?,
                Event::Message(Incoming::Response) => {}
                Event::Message(Incoming::Malformed(why)) => {
                    self.out.respond(&Value::Null, Err(Failure::new(codes::PARSE_ERROR, why)))?;
                }
                Event::Message(Incoming::Closed(why)) => {
                    if let Some(why) = why {
                        let _ = writeln!(io::stderr(), "error: {why}");
                        return Ok(false);
                    }
                    return Ok(self.phase == Phase::After);
                }
                Event::Verified { number, outcome } => self.verified(number, outcome)?,
            }
        }
    }

    /// Reads the texts that have changed, and tells the editor what is wrong with them now.
    fn refresh(&mut self) -> io::Result<()> {
        if !self.documents.is_stale() {
            return Ok(());
        }
        let changed = self.documents.refresh();
        self.ranges = None;
        self.results.retain(|result| !changed.contains(&result.uri));
        self.stop(|running| changed.contains(&running.uri), "the model has changed")?;
        self.publish()
    }

    fn publish(&mut self) -> io::Result<()> {
        self.documents.news().iter().try_for_each(|news| self.out.notify("textDocument/publishDiagnostics", news))
    }

    /// Ends verifications, and answers the requests that wait for them.
    fn stop(&mut self, which: impl Fn(&Running) -> bool, why: &str) -> io::Result<()> {
        let (stopped, going): (Vec<Running>, Vec<Running>) = self.running.drain(..).partition(which);
        self.running = going;
        stopped.into_iter().try_for_each(|running| {
            running.interrupt.set();
            self.out.respond(&running.request, Err(Failure::new(codes::CANCELLED, why)))
        })
    }

    fn request(&mut self, id: Value, method: &str, params: &Value) -> io::Result<()> {
        let failure = match (self.phase, method) {
            (Phase::Before, "initialize") => {
                let support = params.pointer("/capabilities/workspace/codeLens/refreshSupport");
                self.refreshes_lenses = support.and_then(Value::as_bool).unwrap_or(false);
                self.phase = Phase::Open;
                return self.out.respond(&id, Ok(capabilities()));
            }
            (Phase::Before, _) => Failure::new(codes::NOT_INITIALIZED, "the first request is `initialize`"),
            (Phase::Open, "shutdown") => {
                self.stop(|_| true, "the server is shut down")?;
                self.phase = Phase::After;
                return self.out.respond(&id, Ok(Value::Null));
            }
            (Phase::Open, "initialize") => Failure::new(codes::INVALID_REQUEST, "`initialize` comes once"),
            (Phase::After, _) => Failure::new(codes::INVALID_REQUEST, "the server is shut down"),
            (Phase::Open, "workspace/executeCommand") => {
                self.refresh()?;
                match self.command(&id, params) {
                    // The answer comes later.
                    Ok(None) => return self.refresh_lenses(),
                    Ok(Some(stopped)) => {
                        self.stop(|running| running.uri == stopped, "stopped")?;
                        self.out.respond(&id, Ok(Value::Null))?;
                        return self.refresh_lenses();
                    }
                    Err(failure) => failure,
                }
            }
            (Phase::Open, _) => {
                self.refresh()?;
                // A mistake of ours is the answer to one request, and not the end of the conversation.
                let answered = catch_unwind(AssertUnwindSafe(|| answers::answer(self, method, params)));
                let internal = || Err(Failure::new(codes::INTERNAL_ERROR, "internal error in pmc"));
                return self.out.respond(&id, answered.unwrap_or_else(|_| internal()));
            }
        };
        self.out.respond(&id, Err(failure))
    }

    fn notification(&mut self, method: &str, params: &Value) -> io::Result<()> {
        if self.phase != Phase::Open {
            return Ok(());
        }
        let text = |pointer: &str| params.pointer(pointer).and_then(Value::as_str);
        let uri = text("/textDocument/uri");
        let version = params.pointer("/textDocument/version").and_then(Value::as_i64).unwrap_or(0);
        match (method, uri) {
            ("textDocument/didOpen", Some(uri)) => {
                self.documents.open(uri.to_owned(), text("/textDocument/text").unwrap_or("").to_owned(), version);
            }
            ("textDocument/didChange", Some(uri)) => {
                let changes = params["contentChanges"].as_array().map_or(&[][..], Vec::as_slice);
                self.documents.change(uri, version, |text| changed(text, changes));
            }
            ("textDocument/didClose", Some(uri)) => self.documents.close(uri),
            // Files that are included may have changed.
            ("textDocument/didSave" | "workspace/didChangeWatchedFiles", _) => self.documents.mark_all_stale(),
            ("$/cancelRequest", _) => {
                let id = &params["id"];
                self.stop(|running| running.request == *id, "cancelled")?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Starts a verification, or returns the document whose verifications are to be stopped.
    fn command(&mut self, id: &Value, params: &Value) -> Result<Option<String>, Failure> {
        let invalid = |why: &str| Failure::new(codes::INVALID_PARAMS, why);
        let name = params["command"].as_str().ok_or_else(|| invalid("there is no command"))?;
        let argument = |number: usize| params.pointer(&format!("/arguments/{number}")).and_then(Value::as_str);
        let uri = argument(0).ok_or_else(|| invalid("the first argument is the address of a document"))?;
        match name {
            CANCEL => return Ok(Some(uri.to_owned())),
            VERIFY => {}
            other => return Err(invalid(&format!("there is no command `{other}`"))),
        }
        let property = argument(1).unwrap_or("").to_owned();
        let refuse = |why: String| Failure::new(codes::REQUEST_FAILED, why);
        let root = self.documents.root_of(uri).ok_or_else(|| refuse(format!("`{uri}` is not open")))?;
        let index = root.index.as_ref().filter(|index| !index.is_wrong);
        let index = index.ok_or_else(|| refuse("the model has errors".to_owned()))?;
        if !["", "safety"].contains(&&*property) && !index.has_claim(&property) {
            return Err(refuse(format!("the model has no formula or claim `{property}`")));
        }
        self.n_verifications += 1;
        let limits =
            Limits { max_time: Some(self.settings.max_time), memory: Some(self.settings.memory), ..Limits::default() };
        let task = Task {
            number: self.n_verifications,
            name: root.path.to_string_lossy().into_owned(),
            text: root.text.to_string(),
            options: self.documents.options(),
            check: CheckOptions { ask: ask(&property), limits, ..CheckOptions::default() },
        };
        let (uri, interrupt) = (root.uri.clone(), Arc::new(Interrupt::new()));
        let is_same = |running: &Running| running.uri == uri && running.property == property;
        // The next message shows whether the client is gone.
        let _ = self.stop(is_same, "started again");
        self.results.retain(|result| result.uri != uri || result.property != property);
        let number = task.number;
        self.running.push(Running { number, request: id.clone(), uri, property, interrupt: interrupt.clone() });
        start(task, interrupt, self.events.clone());
        Ok(None)
    }

    fn verified(&mut self, number: u64, outcome: Outcome) -> io::Result<()> {
        // A text that has changed meanwhile ends its verifications.
        self.refresh()?;
        let Some(at) = self.running.iter().position(|running| running.number == number) else { return Ok(()) };
        let Running { request, uri, property, .. } = self.running.remove(at);
        let Outcome { verdict, summary, violation } = outcome;
        if let Some(document) = self.documents.get_mut(&uri) {
            if document.violation.as_ref().is_some_and(|violation| violation.property == property) {
                document.violation = None;
            }
            if let (Some(index), Some(Found { message, place: Some((file, line, column)) })) =
                (&document.index, violation)
                && let Some(place) = index.word_at(file, line, column)
            {
                document.violation = Some(Violation { property: property.clone(), message, place });
            }
        }
        let verification = Verification::Over { verdict, summary: summary.clone() };
        self.results.push(Known { uri, property: property.clone(), verification });
        let result =
            json!({ "property": property, "verdict": verdict.map_or("error", Verdict::name), "summary": summary });
        self.out.respond(&request, Ok(result))?;
        self.publish()?;
        self.refresh_lenses()
    }

    fn refresh_lenses(&mut self) -> io::Result<()> {
        if self.refreshes_lenses { self.out.request("workspace/codeLens/refresh") } else { Ok(()) }
    }

    /// What is known of a property of a model.
    pub(super) fn verification(&self, uri: &str, property: &str) -> Option<Verification> {
        if self.running.iter().any(|running| running.uri == uri && running.property == property) {
            return Some(Verification::Running);
        }
        let found = self.results.iter().find(|result| result.uri == uri && result.property == property);
        found.map(|result| result.verification.clone())
    }

    /// The values of the variables of a model, if they are known soon.
    pub(super) fn ranges(&mut self, root: &str) -> Vec<(FilePlace, String)> {
        let is_known = self.ranges.as_ref().is_some_and(|(uri, _)| uri == root);
        if !is_known {
            let Some(document) = self.documents.get(root) else { return Vec::new() };
            let name = document.path.to_string_lossy().into_owned();
            let finding = hover::Finding::start(name, document.text.to_string(), self.documents.options());
            self.ranges = Some((root.to_owned(), finding));
        }
        self.ranges.as_mut().map(|(_, finding)| finding.wait().to_vec()).unwrap_or_default()
    }
}

/// A text after changes, each of which is of a range or of all.
fn changed(text: &str, changes: &[Value]) -> String {
    let mut text = text.to_owned();
    for change in changes {
        let new = change["text"].as_str().unwrap_or("");
        let range: Option<Range> = serde_json::from_value(change["range"].clone()).ok();
        match range {
            Some(range) => {
                let lines = Lines::new(text.as_str().into());
                let (start, end) = (lines.offset(range.start), lines.offset(range.end));
                text.replace_range(start..end.max(start), new);
            }
            None => new.clone_into(&mut text),
        }
    }
    text
}

fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            // Changes come as ranges.
            "textDocumentSync": { "openClose": true, "change": 2, "save": true },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "documentSymbolProvider": true,
            "codeLensProvider": { "resolveProvider": false },
            "completionProvider": { "triggerCharacters": ["@", "."] },
            "executeCommandProvider": { "commands": [VERIFY, CANCEL] },
        },
        "serverInfo": { "name": "pmc", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// The place of a request about a text.
pub(super) fn place_of(params: &Value) -> Result<(String, Position), Failure> {
    let invalid = |why: &str| Failure::new(codes::INVALID_PARAMS, why);
    let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
    let uri = uri.ok_or_else(|| invalid("there is no `textDocument.uri`"))?;
    let position = serde_json::from_value(params["position"].clone());
    Ok((uri.to_owned(), position.map_err(|_| invalid("there is no `position`"))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_made_one_after_another() {
        let range = |start: (u32, u32), end: (u32, u32)| json!({ "start": { "line": start.0, "character": start.1 }, "end": { "line": end.0, "character": end.1 } });
        let changes = [
            json!({ "text": "one\ntwo\n" }),
            json!({ "range": range((1, 0), (1, 3)), "text": "2" }),
            json!({ "range": range((0, 1), (1, 1)), "text": "" }),
            json!({ "range": range((9, 9), (9, 9)), "text": "end" }),
            // An end in front of its start, and no text.
            json!({ "range": range((0, 1), (0, 0)), "text": "-" }),
            json!({ "range": 3 }),
        ];
        assert_eq!(changed("x", &changes[..5]), "o-\nend");
        assert_eq!(changed("x", &changes), "");
        assert_eq!(changed("x", &[]), "x");
    }
}
