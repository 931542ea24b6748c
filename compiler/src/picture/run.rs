//! A run as the runtime tells it: as much of a document of schema `pmc-run/1` as a sequence chart shows.

use std::collections::HashMap;

use serde::Deserialize;

/// A run, step by step.
#[derive(Debug, Deserialize)]
pub struct Run {
    pub model: String,
    pub claim: Option<String>,
    pub processes: Vec<Process>,
    pub steps: Vec<Step>,
    /// The number of steps before the part that repeats.
    pub cycle_start: Option<usize>,
    pub end: End,
}

/// A process; a pid may belong to several, one after another.
#[derive(Debug, Deserialize)]
pub struct Process {
    pub pid: u8,
    pub label: String,
    /// The number of steps before it exists, and before it is gone.
    pub begins: usize,
    pub ends: Option<usize>,
}

/// A statement of a process, or a move of a claim.
#[derive(Debug, Deserialize)]
pub struct Step {
    /// As reports count: statements of one step share it.
    pub number: usize,
    pub kind: String,
    /// Indices into the processes.
    pub process: Option<usize>,
    pub partner: Option<usize>,
    pub text: String,
    /// With the values in it.
    pub shown: String,
    #[serde(default)]
    pub changes: Vec<Change>,
    pub message: Option<Message>,
    #[serde(default)]
    pub folded: bool,
    #[serde(default)]
    pub failed: bool,
}

#[derive(Debug, Deserialize)]
pub struct Change {
    pub name: String,
}

#[derive(Debug, Deserialize)]
pub struct Message {
    pub channel: String,
    pub kind: Option<String>,
    pub values: Vec<String>,
    pub direction: Direction,
    pub rendezvous: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Send,
    Receive,
}

/// How the run ends.
#[derive(Debug, Deserialize)]
pub struct End {
    pub kind: String,
    pub message: String,
    #[serde(default)]
    pub explanation: Vec<String>,
    /// The processes that wait, if nothing can happen any more.
    #[serde(default)]
    pub blocked: Vec<Blocked>,
}

#[derive(Debug, Deserialize)]
pub struct Blocked {
    /// An index into the processes.
    pub process: usize,
    #[serde(default)]
    pub valid_end: bool,
    #[serde(default)]
    pub waits_for: Vec<Wait>,
}

#[derive(Debug, Deserialize)]
pub struct Wait {
    pub shown: String,
    #[serde(default)]
    pub why: String,
}

/// So many processes that wait are named below a picture.
const MOST_NAMED: usize = 8;

impl End {
    pub fn is_violation(&self) -> bool {
        self.kind != "none"
    }
}

impl Step {
    /// With its values, if that is known.
    pub fn words(&self) -> &str {
        match (self.shown.is_empty(), self.text.is_empty()) {
            (false, _) => &self.shown,
            (true, false) => &self.text,
            (true, true) => "no process can move: the state stays as it is",
        }
    }
}

impl Wait {
    fn words(&self) -> String {
        if self.why.is_empty() { self.shown.clone() } else { format!("{}, but {}", self.shown, self.why) }
    }
}

impl Message {
    fn text(&self) -> String {
        let values = self.values.join(",");
        match &self.kind {
            Some(kind) if values.is_empty() => kind.clone(),
            Some(kind) => format!("{kind}({values})"),
            None => values,
        }
    }
}

/// What a chart shows as one step: a statement, with the other side of a rendezvous.
#[derive(Debug)]
pub struct Row<'r> {
    pub step: &'r Step,
    pub answer: Option<&'r Step>,
}

/// A message from the row that sends it to the one that receives it.
#[derive(Debug, PartialEq, Eq)]
pub struct Passing {
    pub from: usize,
    pub sent: usize,
    /// The process and the row; none for a message that stays in its channel, or is lost.
    pub to: Option<(usize, usize)>,
    pub text: String,
}

/// A run as rows.
#[derive(Debug)]
pub struct Rows<'r> {
    pub rows: Vec<Row<'r>>,
    /// The first row of the part that repeats.
    pub cycle_start: Option<usize>,
    /// `behind[k]` is the number of rows of the first `k` steps.
    behind: Vec<usize>,
}

impl Run {
    pub fn read(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// Why the run ends as it does, a line each: the failed expression with its values, what each process waits for.
    pub fn reasons(&self) -> Vec<String> {
        let end = &self.end;
        let mut lines = end.explanation.clone();
        let waiting: Vec<&Blocked> = end.blocked.iter().filter(|one| !one.valid_end).collect();
        for blocked in waiting.iter().take(MOST_NAMED) {
            let label = self.processes.get(blocked.process).map_or("?", |of| of.label.as_str());
            let waits = blocked.waits_for.iter().map(Wait::words).collect::<Vec<_>>().join(", or for ");
            let waits = if waits.is_empty() { "cannot go on".to_owned() } else { format!("waits for {waits}") };
            lines.push(format!("{label} {waits}"));
        }
        if waiting.len() > MOST_NAMED {
            lines.push(format!("and {} more processes", waiting.len() - MOST_NAMED));
        }
        lines
    }

    /// Moves of a claim and the machinery of loops have no rows.
    pub fn rows(&self) -> Rows<'_> {
        let mut rows: Vec<Row<'_>> = Vec::new();
        let mut behind = vec![0];
        for (index, step) in self.steps.iter().enumerate() {
            let last = rows.last_mut().filter(|_| Some(index) != self.cycle_start);
            let is_answer = |last: &&mut Row<'_>| {
                last.answer.is_none()
                    && last.step.number == step.number
                    && step.partner.is_some()
                    && (last.step.partner, step.partner) == (step.process, last.step.process)
            };
            if let Some(last) = last.filter(is_answer) {
                last.answer = Some(step);
            } else if !step.folded && step.kind != "claim" {
                rows.push(Row { step, answer: None });
            }
            behind.push(rows.len());
        }
        let cycle_start = self.cycle_start.and_then(|start| behind.get(start).copied());
        Rows { rows, cycle_start, behind }
    }
}

impl Rows<'_> {
    /// The number of rows of so many steps.
    pub fn behind(&self, n_steps: usize) -> usize {
        self.behind.get(n_steps).copied().unwrap_or(self.rows.len())
    }

    /// Every message that is sent.
    pub fn messages(&self) -> Vec<Passing> {
        let mut messages: Vec<Passing> = Vec::new();
        let mut waiting: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            for step in std::iter::once(row.step).chain(row.answer) {
                let (Some(message), Some(process)) = (&step.message, step.process) else { continue };
                let (text, queue) = (message.text(), waiting.entry(&message.channel).or_default());
                let is_receive = message.direction == Direction::Receive;
                if is_receive && !message.rendezvous {
                    // A receive that leaves the message in its channel changes nothing there.
                    let takes = step.changes.iter().any(|change| change.name == message.channel);
                    let found = queue.iter().position(|sent| takes && messages[*sent].text == text);
                    if let Some(found) = found {
                        messages[queue.remove(found)].to = Some((process, at));
                    }
                } else if !is_receive {
                    let to = step.partner.filter(|_| message.rendezvous).map(|partner| (partner, at));
                    if !message.rendezvous {
                        queue.push(messages.len());
                    }
                    messages.push(Passing { from: process, sent: at, to, text });
                }
            }
        }
        messages
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Two processes: a rendezvous, a message that is received later, one that is not.
    pub const SMALL: &str = r#"{
  "schema": "pmc-run/1", "model": "m.pml", "claim": null, "cycle_start": 1,
  "processes": [ {"pid": 0, "name": "a", "label": "a(id=0)", "begins": 0, "ends": null},
                 {"pid": 1, "name": "b", "label": "b<1>", "begins": 0, "ends": 5} ],
  "steps": [
    {"number": 1, "kind": "send", "process": 0, "partner": 1, "text": "h!x", "shown": "h!ping", "message": {"channel": "h", "kind": "ping", "values": [], "direction": "send", "rendezvous": true}},
    {"number": 1, "kind": "receive", "process": 1, "partner": 0, "text": "h?x", "shown": "h?ping", "message": {"channel": "h", "kind": "ping", "values": [], "direction": "receive", "rendezvous": true}},
    {"number": 2, "kind": "claim", "process": null, "partner": null, "text": "true", "shown": "", "message": null},
    {"number": 2, "kind": "send", "process": 0, "partner": null, "text": "q!1;2", "shown": "q!1,2", "changes": [{"name": "q"}], "message": {"channel": "q", "kind": null, "values": ["1", "2"], "direction": "send", "rendezvous": false}},
    {"number": 3, "kind": "receive", "process": 1, "partner": null, "text": "q?<x>", "shown": "q?<1,2>", "changes": [], "message": {"channel": "q", "kind": null, "values": ["1", "2"], "direction": "receive", "rendezvous": false}},
    {"number": 4, "kind": "receive", "process": 1, "partner": null, "text": "q?x", "shown": "q?1,2", "changes": [{"name": "q"}], "message": {"channel": "q", "kind": null, "values": ["1", "2"], "direction": "receive", "rendezvous": false}},
    {"number": 4, "kind": "jump", "process": 1, "partner": null, "text": "i++", "shown": "", "folded": true, "message": null},
    {"number": 5, "kind": "send", "process": 0, "partner": null, "text": "q!3", "shown": "q!3 </text> end; #1", "changes": [{"name": "q"}], "message": {"channel": "q", "kind": null, "values": ["3"], "direction": "send", "rendezvous": false}},
    {"number": 6, "kind": "stutter", "process": null, "partner": null, "text": "", "shown": "", "message": null}
  ],
  "end": {"kind": "acceptance-cycle", "message": "acceptance <cycle>", "explanation": []}
}"#;

    #[test]
    fn steps_become_rows() {
        let run = Run::read(SMALL).expect("a document");
        let rows = run.rows();
        let numbers: Vec<usize> = rows.rows.iter().map(|row| row.step.number).collect();
        // The cycle begins between the sides of the rendezvous here, which keeps them apart.
        assert_eq!(numbers, [1, 1, 2, 3, 4, 5, 6]);
        assert_eq!((rows.cycle_start, rows.behind(3), rows.behind(99)), (Some(1), 2, 7));
    }

    #[test]
    fn the_end_says_what_each_process_waits_for() {
        let waits = r#"[{"process": 0, "valid_end": false, "waits_for": [{"shown": "!x", "why": "x = 1"}, {"shown": "q?1", "why": ""}]},
            {"process": 1, "valid_end": true, "waits_for": []}]"#;
        let text = SMALL.replace("\"explanation\": []", &format!("\"explanation\": [\"x = 1\"], \"blocked\": {waits}"));
        let reasons = Run::read(&text).expect("a document").reasons();
        assert_eq!(reasons, ["x = 1", "a(id=0) waits for !x, but x = 1, or for q?1"]);
    }

    #[test]
    fn a_rendezvous_is_one_row() {
        let run = Run::read(&SMALL.replace("\"cycle_start\": 1", "\"cycle_start\": null")).expect("a document");
        let rows = run.rows();
        assert_eq!(rows.rows.len(), 6);
        assert_eq!(rows.rows[0].answer.map(|answer| &*answer.shown), Some("h?ping"));
        let messages = rows.messages();
        let ends: Vec<_> = messages.iter().map(|message| (&*message.text, message.sent, message.to)).collect();
        assert_eq!(ends, [("ping", 0, Some((1, 0))), ("1,2", 1, Some((1, 3))), ("3", 4, None)]);
    }
}
