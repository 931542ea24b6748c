//! The executable form of a model: the guard and the operations of each transition.
//!
//! Before: control flow as graphs, and facts about it. After: every decision that back ends could make differently is
//! made. Each index that still has to be checked is marked, each value is truncated to the type that stores it, each
//! channel is a known queue or a number with the kinds that it may denote, and the changes of a step beside its
//! statement (a new location, a dead variable, atomic control) are operations like any other. Code generation prints
//! this form; no question about the meaning of a model is left to it.

pub mod build;
mod choice;
mod d_step;
pub mod effects;
mod expr;
pub mod independence;
mod initial;
pub mod print;
mod promises;
mod timers;
pub mod validate;

use crate::collections::IdVec;
use crate::ir::{LocationId, TransitionId, formula};
use crate::model::{ProctypeId, Side, SiteId, VariableId};
use crate::source::{Name, Span};

pub use build::build;
pub use choice::{Case, OptionTree};
pub use d_step::{Block, DStep, Flow, Row};
pub use effects::Effects;
pub use expr::{
    Arithmetic, Asker, Channel, Comparison, Cut, Declared, Field, HostCall, Index, Kind, Numbered, Owner, Place,
    Remote, Run, Test, Value,
};
pub use independence::Independence;
pub use initial::{Initial, InitialValues};
pub use promises::{ChannelSide, Promises};
pub use timers::Timer;

/// Every process and claim of a model, ready to be executed.
#[derive(Clone, Debug)]
pub struct Program {
    /// The initial values of globals and of the variables of claims, if not 0.
    pub initial: Vec<Initial>,
    /// The global timers that can be on.
    pub timers: Vec<Timer>,
    /// Ticks up to the next one in which a timer runs out are one step.
    pub ticks_at_once: bool,
    pub processes: IdVec<ProctypeId, Process>,
    /// The never claims, in the order of the text.
    pub claims: Vec<Claim>,
    /// The atoms of each formula, in the order of the text.
    pub formulas: Vec<IdVec<formula::AtomId, Test>>,
    pub trace: Option<Trace>,
    /// Nothing if every promise is proved, or there is none.
    pub promises: Option<Promises>,
    /// If nothing is independent: the reason why every state must be fully expanded.
    pub independence: Result<Independence, &'static str>,
}

#[derive(Clone, Debug)]
pub struct Process {
    /// The initial values of its locals, if not 0. Parameters have the values of the arguments.
    pub initial: Vec<Initial>,
    /// Its timers that can be on.
    pub timers: Vec<Timer>,
    pub provided: Option<Test>,
    pub locations: IdVec<LocationId, Location>,
    pub transitions: IdVec<TransitionId, Transition>,
}

/// The transitions that leave a location.
#[derive(Clone, Debug)]
pub struct Location {
    /// The groups are tried in this order, escapes (`unless`) first: if a transition of one is enabled, none of a later
    /// group is.
    pub groups: Vec<Vec<TransitionId>>,
}

/// A never claim. The search stores its location, so its transitions have no arrivals.
#[derive(Clone, Debug)]
pub struct Claim {
    pub locations: IdVec<LocationId, Location>,
    pub transitions: IdVec<TransitionId, Transition>,
}

/// The trace assertion: the event of each of its transitions.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Nothing for a transition that is no event.
    pub events: IdVec<TransitionId, Option<Event>>,
}

/// A send or a receive by any process.
#[derive(Clone, Debug)]
pub struct Event {
    pub side: Side,
    pub channel: Channel,
    pub pattern: Vec<Field>,
}

/// How a transition can be taken. A receive from a channel that is always a rendezvous has only an answer; a send to a
/// channel that may be one has a step of its own and an offer.
#[derive(Clone, Debug)]
pub struct Transition {
    /// It is enabled only if no transition before it in its group is.
    pub is_else: bool,
    pub step: Option<Step>,
    pub offer: Option<Offer>,
    pub answer: Option<Answer>,
}

/// A process moves alone.
#[derive(Clone, Debug)]
pub struct Step {
    pub body: Body,
    /// Statements that are executed in the same step. They are always executable.
    pub merged: Vec<Statement>,
    pub arrival: Arrival,
}

#[derive(Clone, Debug)]
pub enum Body {
    Statement(Statement),
    DStep(DStep),
}

/// One statement: its guard and its operations.
#[derive(Clone, Debug)]
pub struct Statement {
    pub guard: Guard,
    pub operations: Vec<Operation>,
    pub span: Span,
}

/// When a statement is executable.
#[derive(Clone, Debug)]
pub enum Guard {
    Always,
    Test(Test),
    /// There is room in a channel, unless messages to a full channel are lost.
    Room {
        channel: Channel,
        loses: bool,
        /// Nothing if it never is a rendezvous.
        handshake: Option<Handshake>,
    },
    /// A message matches: the first one or, with `random`, any; the first that matches is taken.
    Message(Box<Receive>),
    /// Never: the channel has no queue, being a rendezvous or none at all. A failed lookup of the channel is still a
    /// fault.
    NoQueue {
        channel: Channel,
        handshake: Handshake,
    },
}

/// The meaning of a step whose channel turns out to be a rendezvous channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// It is not executable: offers and answers take part in a rendezvous.
    Blocks,
    /// A send inside a `d_step`, which cannot make an offer.
    Fails,
}

/// A receive from a queue.
#[derive(Clone, Debug)]
pub struct Receive {
    pub channel: Channel,
    pub random: bool,
    /// The message stays in the channel.
    pub keeps: bool,
    /// The first message is compared from left to right, up to a field that differs: a value behind it is not computed,
    /// and is no fault. With `random` all values are computed first, if there is a message. A poll and an answer do the
    /// same, but a poll with `random` computes the values also if there is none.
    pub pattern: Vec<Field>,
    /// The places of the fields, from left to right: `q?i,a[i]` uses the new `i`.
    pub stores: Vec<Received>,
    /// For each kind of channel with a queue.
    pub shapes: Vec<Shape>,
    /// The trace observes the message.
    pub is_traced: bool,
}

/// A change of the state, or an event that is recorded during the step.
#[derive(Clone, Debug)]
pub enum Operation {
    Store {
        place: Place,
        value: Cut,
    },
    SetOwnPriority(Value),
    /// Calls a block of C, and stores its results.
    Host {
        call: HostCall,
        places: Vec<Place>,
    },
    /// Computes a value that is not stored: it may start a process, or be a fault.
    Evaluate(Value),
    /// The step is not executable after all. The test can change the state, so it is no guard.
    Require(Test),
    Assert(Test),
    Print(Vec<Printed>),
    /// Puts a message into a channel; it is lost if the channel is full.
    Send {
        channel: Channel,
        sorted: bool,
        messages: Vec<Message>,
        is_traced: bool,
    },
    /// Takes the message that the guard has found, and stores its fields.
    Receive(Box<Receive>),
}

/// The values that are sent to channels of one kind.
#[derive(Clone, Debug)]
pub struct Message {
    pub sites: Vec<SiteId>,
    /// Nothing if their messages have another number of fields, which is a fault.
    pub fields: Option<Vec<Cut>>,
}

/// Whether messages of one kind have as many fields as a receive.
#[derive(Clone, Debug)]
pub struct Shape {
    pub sites: Vec<SiteId>,
    pub n_fields: usize,
    pub fits: bool,
}

/// A field of a received message and the place that it is stored in.
#[derive(Clone, Debug)]
pub struct Received {
    pub field: usize,
    pub place: Place,
}

/// A part of what is printed.
#[derive(Clone, Debug)]
pub enum Printed {
    Text(Name),
    Signed(Value),
    Unsigned(Value),
    Octal(Value),
    Hexadecimal(Value),
    Character(Value),
    Symbol(crate::model::MtypeId, Value),
}

/// The changes of a step beside those of its statements.
#[derive(Clone, Debug, Default)]
pub struct Arrival {
    pub changes: Vec<Change>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Location(LocationId),
    /// The process, which is the youngest, ends.
    End,
    /// A dead local becomes 0.
    Reset(VariableId),
    /// The process becomes the atomic owner.
    TakeControl,
    /// There is no atomic owner any more.
    ReleaseControl,
    /// `_last` is this process.
    NoteLast,
}

/// The first half of a rendezvous: the sender moves, and offers a message.
#[derive(Clone, Debug)]
pub struct Offer {
    pub channel: Channel,
    /// The rendezvous sites that it may denote; nothing if it always is one of them. Where it may be another channel there is a
    /// step beside the offer, which alone reports that there is no channel.
    pub only: Option<Vec<SiteId>>,
    /// For each kind of rendezvous channel.
    pub messages: Vec<Message>,
    pub arrival: Arrival,
}

/// The second half of a rendezvous: the receiver moves. The sender already has.
#[derive(Clone, Debug)]
pub struct Answer {
    pub body: AnswerBody,
    pub arrival: Arrival,
}

#[derive(Clone, Debug)]
pub enum AnswerBody {
    Receive(Accept),
    /// A `d_step` whose first statements receive: for each its transition, and the block where the `d_step` continues.
    DStep(Vec<(TransitionId, Accept, Flow)>),
}

/// Receives the message that a sender offers.
#[derive(Clone, Debug)]
pub struct Accept {
    /// One that is not there is none that a sender offers a message on; the step of the process reports the fault.
    pub channel: Channel,
    pub pattern: Vec<Field>,
    pub stores: Vec<Received>,
    /// For each kind of rendezvous channel. A message of another number of fields that matches as far as it goes is a
    /// fault.
    pub shapes: Vec<Shape>,
    /// The trace observes the message as one that is sent, or received.
    pub traced: Traced,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    pub send: bool,
    pub receive: bool,
}

impl Process {
    /// Whether it can be the receiver of a rendezvous.
    pub fn can_answer(&self) -> bool {
        self.transitions.iter().any(|transition| transition.answer.is_some())
    }
}

impl Transition {
    /// Whether it can be taken, alone or in a rendezvous.
    pub fn can_be_taken(&self) -> bool {
        self.step.is_some() || self.offer.is_some() || self.answer.is_some()
    }

    /// The statements inside that a `d_step` may reach.
    pub fn inside(&self) -> Vec<TransitionId> {
        let mut inside = Vec::new();
        let mut new = Vec::new();
        if let Some(Answer { body: AnswerBody::DStep(accepts), .. }) = &self.answer {
            inside.extend(accepts.iter().map(|(id, _, _)| *id));
            new.extend(accepts.iter().filter_map(|(_, _, then)| then.target()));
        }
        let Some(Step { body: Body::DStep(d_step), .. }) = &self.step else { return inside };
        new.push(d_step.start);
        let mut is_known = vec![false; d_step.blocks.len()];
        while let Some(block) = new.pop() {
            if std::mem::replace(&mut is_known[block], true) {
                continue;
            }
            for row in d_step.blocks[block].tried() {
                inside.extend(row.executed().iter().map(|(id, _)| *id));
                new.extend(row.then.target().filter(|_| row.completes()));
            }
        }
        inside
    }
}

impl Statement {
    /// Whether there may be states in which it is neither executable nor a fault.
    pub fn may_block(&self) -> bool {
        let is_requirement = |operation: &Operation| matches!(operation, Operation::Require(_));
        match &self.guard {
            Guard::Always => self.operations.iter().any(is_requirement),
            Guard::Test(_) | Guard::Message(_) => true,
            Guard::Room { loses, handshake, .. } => !loses || *handshake == Some(Handshake::Blocks),
            Guard::NoQueue { handshake, .. } => *handshake == Handshake::Blocks,
        }
    }

    /// Whether it never completes: it is never executable, or always a fault.
    pub fn is_stuck(&self) -> bool {
        let always_fails = |operation: &Operation| match operation {
            Operation::Send { messages, .. } => messages.iter().all(|message| message.fields.is_none()),
            Operation::Receive(receive) => receive.always_fails(),
            Operation::Store { .. }
            | Operation::SetOwnPriority(_)
            | Operation::Evaluate(_)
            | Operation::Require(_)
            | Operation::Host { .. }
            | Operation::Assert(_)
            | Operation::Print(_) => false,
        };
        matches!(self.guard, Guard::NoQueue { .. }) || self.operations.iter().any(always_fails)
    }
}

impl Answer {
    /// The channels that it may receive from.
    pub fn channels(&self) -> Vec<&Channel> {
        match &self.body {
            AnswerBody::Receive(accept) => vec![&accept.channel],
            AnswerBody::DStep(accepts) => accepts.iter().map(|(_, accept, _)| &accept.channel).collect(),
        }
    }
}

impl Channel {
    /// Whether it may be a channel that was declared at the site.
    pub fn may_be_of(&self, site: SiteId) -> bool {
        match self {
            Self::Declared(declared) => declared.site == site,
            Self::Numbered(numbered) => numbered.kinds.iter().any(|kind| kind.sites.contains(&site)),
        }
    }
}

impl Offer {
    /// Whether no channel that it may denote has messages with so many fields.
    pub fn always_fails(&self) -> bool {
        self.messages.iter().all(|message| message.fields.is_none())
    }
}

impl Receive {
    /// No channel that it may denote has messages with as many fields.
    pub fn always_fails(&self) -> bool {
        self.shapes.iter().all(|shape| !shape.fits)
    }
}

impl Channel {
    /// Every site whose channels it may denote.
    pub fn sites(&self) -> Vec<SiteId> {
        match self {
            Self::Declared(declared) => vec![declared.site],
            Self::Numbered(numbered) => numbered.kinds.iter().flat_map(|kind| &kind.sites).copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests;
