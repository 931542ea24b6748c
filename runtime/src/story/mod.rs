//! A run in words and values: what each step does, with the values in it, and why the run ends as it does.
//!
//! A [`Run`] is made from a trail by replaying it, or from a simulation while it goes on. All reports of a run read it:
//! the text of `verify`, `replay` and `simulate`, and JSON (schema `pmc-run/1`, `docs/run-json.md`).
//!
//! The model says what it is called and what its statements mean ([`ModelInfo::story`](crate::model::ModelInfo::story));
//! without that, as for a model written by hand, a run shows the text of statements and what they change.

mod apply;
mod changes;
mod decode;
mod describe;
mod ending;
mod evaluate;
mod execute;
mod formula;
mod json;
mod label;
pub(crate) mod lines;
mod meaning;
mod narrator;
mod reasons;
mod scene;
mod teller;
mod words;

#[cfg(test)]
mod evaluate_tests;
#[cfg(test)]
mod formula_tests;
#[cfg(test)]
mod reasons_tests;
#[cfg(test)]
mod tests;

pub(crate) use narrator::Narrator;
pub(crate) use teller::{Listed, Obstacle, tell, tell_violations_of};
pub use teller::{tell_run, tell_violations};

use crate::model::SourcePosition;

/// The version of the format.
pub const SCHEMA: &str = "pmc-run/1";

/// One run of a model.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The file name of the model.
    pub model: String,
    /// The hash of the model, as in its trails.
    pub model_hash: String,
    /// The version of the compiler.
    pub pmc_version: String,
    /// The claim that the run violates.
    pub claim: Option<String>,
    /// Its formula, if the end says in words why that is violated.
    pub formula: Option<String>,
    /// Only fair runs were looked for.
    pub fair: bool,
    /// The source files; places refer to them. Without their text if that is not known.
    pub files: Vec<SourceText>,
    /// Every process of the run, in the order in which they begin.
    pub processes: Vec<Process>,
    /// The variables that are declared.
    pub variables: Vec<Declared>,
    /// The channels that are declared.
    pub channels: Vec<DeclaredChannel>,
    /// The state before the first step.
    pub initial: State,
    /// The statements in order; several can be one step of the model.
    pub steps: Vec<Step>,
    /// The place in `steps` of a gap, if steps in the middle are left out, and their number.
    pub left_out: Vec<LeftOut>,
    /// Where the part begins that repeats forever: an index into `steps`.
    pub cycle_start: Option<usize>,
    /// How it ends.
    pub end: End,
}

/// A file of the model.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// Its name, without folders.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Steps that are not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// They are in front of this entry of [`Run::steps`].
    pub before: usize,
    /// How many.
    pub steps: usize,
}

/// A process of a run. Its pid can be that of an earlier one.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its number while it runs.
    pub pid: u8,
    /// The proctype.
    pub name: String,
    /// What tells it apart from others: `node(id=0)`, or the name alone if that does.
    pub label: String,
    /// Its parameters and their first values.
    pub parameters: Vec<(String, String)>,
    /// So many entries of [`Run::steps`] come before it exists; 0 if it does from the beginning.
    pub begins: usize,
    /// So many come before it is gone.
    pub ends: Option<usize>,
}

/// A variable as it was declared.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its name, with a number if the process has another one of the name.
    pub name: String,
    /// The proctype of a local variable.
    pub proctype: Option<String>,
    /// Its type, as the author writes it.
    pub ty: String,
    /// The number of elements of an array.
    pub length: Option<u32>,
    /// Whether it is hidden.
    pub hidden: bool,
    /// Where it is declared.
    pub place: SourcePosition,
}

/// Channels as they were declared.
#[derive(Clone, Debug)]
pub struct DeclaredChannel {
    /// The names of the channels that the declaration makes.
    pub names: Vec<String>,
    /// The proctype of a local one.
    pub proctype: Option<String>,
    /// How many messages each holds; 0 for a rendezvous.
    pub capacity: usize,
    /// The types of the fields of a message.
    pub fields: Vec<String>,
}

/// All values of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The values, those of globals first.
    pub values: Vec<Named>,
    /// The channels that hold messages.
    pub channels: Vec<Channel>,
    /// Where each process is.
    pub locations: Vec<(usize, SourcePosition)>,
}

/// A value with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The process of a local: an index into [`Run::processes`].
    pub process: Option<usize>,
    /// `a[1].b`
    pub name: String,
    /// As the author would write it.
    pub value: String,
}

/// A channel with a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// The process of a local channel.
    pub process: Option<usize>,
    /// Its name, with an index if it is one of several.
    pub name: String,
    /// How many messages it can hold, if that is known.
    pub capacity: Option<usize>,
    /// Its messages: `vote(0,1)`.
    pub messages: Vec<String>,
}

/// What a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A condition that holds.
    Condition,
    /// The `else` of a choice.
    Else,
    /// A jump that takes a step.
    Jump,
    /// An assignment.
    Assign,
    /// A message is sent.
    Send,
    /// A message is received.
    Receive,
    /// An assertion.
    Assert,
    /// Something is printed.
    Print,
    /// A whole `d_step`, if it is shown as one.
    DStep,
    /// The process ends.
    End,
    /// A move of the claim beside the model.
    Claim,
    /// No process can move: the state stays as it is.
    Stutter,
    /// No process can move: time passes. The changes are those of the timers.
    Tick,
    /// A statement of which only the text is known.
    #[default]
    Other,
}

/// One statement of a run.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The number of the step, as reports count. Statements that are executed together share it; that of a move of the
    /// claim is that of the next step, and that of a tick is that of the last one.
    pub number: usize,
    /// The ticks before it, if the model has timers; of a tick, the time that begins.
    pub time: Option<usize>,
    /// What it is.
    pub kind: Kind,
    /// The process: an index into [`Run::processes`].
    pub process: Option<usize>,
    /// The other process of a rendezvous.
    pub partner: Option<usize>,
    /// Where it begins.
    pub place: Option<SourcePosition>,
    /// Line and column behind its end.
    pub end: Option<(u32, u32)>,
    /// The statement as the author wrote it.
    pub text: String,
    /// The same with the values of channels and messages.
    pub shown: String,
    /// What it reads, with the values before it.
    pub reads: Vec<(String, String)>,
    /// What it changes, the values of processes that begin included.
    pub changes: Vec<Change>,
    /// The processes that are somewhere else behind it, and where.
    pub next: Vec<(usize, SourcePosition)>,
    /// The message that it sends or receives.
    pub message: Option<Message>,
    /// What it prints.
    pub printed: String,
    /// It is part of what a `for`, a `select` or a jump stands for.
    pub folded: bool,
    /// The process keeps exclusive control behind it.
    pub atomic: bool,
    /// The violation is in it.
    pub failed: bool,
    /// The state behind it, if states are told.
    pub state: Option<State>,
}

/// A change of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The process of a local.
    pub process: Option<usize>,
    /// `a[1].b`, or a channel.
    pub name: String,
    /// The value before; empty if it is not known, or the process begins.
    pub from: String,
    /// The value behind the step; empty if the process is gone.
    pub to: String,
    /// It is a first value, of a process that begins.
    pub is_first: bool,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The channel.
    pub channel: String,
    /// The first field, if that is the name of an mtype.
    pub kind: Option<String>,
    /// The other fields.
    pub values: Vec<String>,
    /// Sent, or received.
    pub is_sent: bool,
    /// Sender and receiver move together.
    pub is_rendezvous: bool,
}

/// How a run ends.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// The kind of the violation, as in reports; `none` for a simulation without one.
    pub kind: String,
    /// The violation as text.
    pub message: String,
    /// Where it is.
    pub place: Option<SourcePosition>,
    /// Why it is one, with values.
    pub explanation: Vec<String>,
    /// The processes that wait, if none can move.
    pub blocked: Vec<Blocked>,
    /// The channels at the end.
    pub channels: Vec<Channel>,
    /// The state at the end.
    pub state: State,
}

/// A process that waits.
#[derive(Clone, Debug)]
pub struct Blocked {
    /// Which one.
    pub process: usize,
    /// Where.
    pub place: SourcePosition,
    /// A label there.
    pub label: Option<String>,
    /// It may stay there forever.
    pub is_valid_end: bool,
    /// The statements of which it could execute one.
    pub waits_for: Vec<Wait>,
}

/// A statement that cannot be executed.
#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    /// As the author wrote it.
    pub text: String,
    /// With the values of channels and messages.
    pub shown: String,
    /// Why: `taken[0] = true`, `q is empty`.
    pub why: String,
}
