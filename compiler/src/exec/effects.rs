//! The effects of a part of a program beside its value: it may fail, use `timeout`, read and write the state.

use std::collections::BTreeSet;

use super::{
    Accept, Answer, AnswerBody, Arrival, Asker, Body, Change, Channel, Cut, DStep, Declared, Field, Guard, Handshake,
    HostCall, Index, Message, Offer, Operation, Owner, Place, Printed, Received, Remote, Statement, Step, Test, Value,
};
use crate::model::{SiteId, VariableId};

/// All effects of a part of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// It can end in a fault.
    pub can_fail: bool,
    pub uses_timeout: bool,
    /// It depends on the process that executes it.
    pub uses_pid: bool,
    pub reads: BTreeSet<Object>,
    pub writes: BTreeSet<Object>,
}

/// A part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    Variable(VariableId),
    Channel(SiteId),
    /// Any channel: the number is known only at run time.
    AnyChannel,
    /// The set of processes, their locations and their priorities.
    Processes,
    Last,
}

impl Effects {
    pub fn reads_state(&self) -> bool {
        !self.reads.is_empty()
    }

    pub fn writes_state(&self) -> bool {
        !self.writes.is_empty()
    }

    fn fails_if(&mut self, can_fail: bool) {
        self.can_fail |= can_fail;
    }
}

/// A part of a program that has effects.
pub trait Executable {
    /// Adds the effects of this part.
    fn add_effects(&self, effects: &mut Effects);

    fn effects(&self) -> Effects {
        let mut effects = Effects::default();
        self.add_effects(&mut effects);
        effects
    }
}

impl<T: Executable> Executable for [T] {
    fn add_effects(&self, effects: &mut Effects) {
        self.iter().for_each(|part| part.add_effects(effects));
    }
}

impl<T: Executable> Executable for Option<T> {
    fn add_effects(&self, effects: &mut Effects) {
        self.iter().for_each(|part| part.add_effects(effects));
    }
}

impl<T: Executable + ?Sized> Executable for Box<T> {
    fn add_effects(&self, effects: &mut Effects) {
        T::add_effects(self, effects);
    }
}

impl Executable for Value {
    fn add_effects(&self, effects: &mut Effects) {
        match self {
            Self::Constant { .. } => {}
            Self::Load(place) => place.add_reads(effects),
            Self::Truth(test) => test.add_effects(effects),
            Self::Negate { value, .. } | Self::Complement(value) => value.add_effects(effects),
            Self::Binary(op, left, right) => {
                effects.fails_if(op.can_fail());
                left.add_effects(effects);
                right.add_effects(effects);
            }
            Self::Choose { test, yes, no } => {
                test.add_effects(effects);
                yes.add_effects(effects);
                no.add_effects(effects);
            }
            Self::Run(run) => {
                effects.can_fail = true;
                effects.writes.insert(Object::Processes);
                run.arguments.add_effects(effects);
            }
            Self::Length(channel) => channel.add_reads(effects),
            Self::ChannelNumber(declared) => {
                declared.add_effects(effects);
                if declared.owner != Owner::State {
                    effects.reads.insert(Object::Processes);
                }
            }
            Self::Pid => effects.uses_pid = true,
            Self::ProcessCount => _ = effects.reads.insert(Object::Processes),
            Self::Last => _ = effects.reads.insert(Object::Last),
            Self::OwnPriority => {
                effects.uses_pid = true;
                effects.reads.insert(Object::Processes);
            }
            Self::PriorityOf(pid) | Self::LocationNumber(pid) => {
                effects.reads.insert(Object::Processes);
                pid.add_effects(effects);
            }
            Self::SetPriority { pid, priority } => {
                effects.writes.insert(Object::Processes);
                pid.add_effects(effects);
                priority.add_effects(effects);
            }
            Self::OfProcess { process, value } => {
                // A process of another type than the reference names is a fault; a process that does not exist is none.
                effects.fails_if(process.pid.is_some());
                process.add_effects(effects);
                value.add_effects(effects);
            }
            Self::Host(call) => call.add_effects(effects),
        }
    }
}

/// The memory of C is none of the state, but what it does may be a fault.
impl Executable for HostCall {
    fn add_effects(&self, effects: &mut Effects) {
        effects.can_fail = true;
        self.arguments.add_effects(effects);
    }
}

impl Executable for Test {
    fn add_effects(&self, effects: &mut Effects) {
        match self {
            Self::Constant(_) => {}
            Self::Compare(_, left, right) => {
                left.add_effects(effects);
                right.add_effects(effects);
            }
            Self::Not(inner) => inner.add_effects(effects),
            Self::And(left, right) | Self::Or(left, right) => {
                left.add_effects(effects);
                right.add_effects(effects);
            }
            Self::Timeout => effects.uses_timeout = true,
            Self::PollsRendezvous => effects.can_fail = true,
            Self::Enabled { pid, asked_by } => {
                if *asked_by == Asker::Process {
                    effects.can_fail = true;
                    effects.uses_pid = true;
                }
                effects.reads.insert(Object::Processes);
                pid.add_effects(effects);
            }
            Self::IsYoungest => {
                effects.uses_pid = true;
                effects.reads.insert(Object::Processes);
            }
            Self::NonProgress => _ = effects.reads.insert(Object::Processes),
            Self::Host(call) => call.add_effects(effects),
            Self::IsAt { process, .. } => process.add_effects(effects),
            Self::IsEmpty(channel) | Self::IsFull(channel) => channel.add_reads(effects),
            Self::HasMessage { channel, may_be_rendezvous, pattern, .. } => {
                effects.fails_if(*may_be_rendezvous);
                channel.add_reads(effects);
                pattern.add_effects(effects);
            }
        }
    }
}

impl Executable for Remote {
    fn add_effects(&self, effects: &mut Effects) {
        effects.reads.insert(Object::Processes);
        self.pid.add_effects(effects);
    }
}

impl Executable for Cut {
    fn add_effects(&self, effects: &mut Effects) {
        self.value.add_effects(effects);
    }
}

impl Executable for Field {
    fn add_effects(&self, effects: &mut Effects) {
        match self {
            Self::Any => {}
            Self::Equal(value) => value.add_effects(effects),
        }
    }
}

impl Executable for Index {
    fn add_effects(&self, effects: &mut Effects) {
        effects.fails_if(self.is_checked);
        self.value.add_effects(effects);
    }
}

impl Executable for Declared {
    fn add_effects(&self, effects: &mut Effects) {
        effects.uses_pid |= self.owner == Owner::Own;
        self.element.add_effects(effects);
    }
}

impl Place {
    fn add_reads(&self, effects: &mut Effects) {
        effects.reads.insert(Object::Variable(self.variable));
        self.add_indices(effects);
    }

    fn add_writes(&self, effects: &mut Effects) {
        effects.writes.insert(Object::Variable(self.variable));
        self.add_indices(effects);
    }

    fn add_indices(&self, effects: &mut Effects) {
        effects.uses_pid |= self.owner == Owner::Own;
        self.indices.add_effects(effects);
    }
}

impl Channel {
    /// Adds the effects of finding the channel.
    pub fn add_identity(&self, effects: &mut Effects) {
        match self {
            Self::Declared(declared) => declared.add_effects(effects),
            Self::Numbered(numbered) => {
                effects.can_fail = true;
                effects.reads.insert(Object::Processes);
                numbered.number.add_effects(effects);
            }
        }
    }

    fn objects(&self) -> Vec<Object> {
        match self {
            Self::Declared(declared) => vec![Object::Channel(declared.site)],
            Self::Numbered(_) => vec![Object::AnyChannel],
        }
    }

    fn add_reads(&self, effects: &mut Effects) {
        self.add_identity(effects);
        effects.reads.extend(self.objects());
    }

    fn add_writes(&self, effects: &mut Effects) {
        self.add_identity(effects);
        effects.writes.extend(self.objects());
    }
}

impl Executable for Statement {
    fn add_effects(&self, effects: &mut Effects) {
        self.guard.add_effects(effects);
        self.operations.add_effects(effects);
    }
}

impl Executable for Guard {
    fn add_effects(&self, effects: &mut Effects) {
        match self {
            Self::Always => {}
            Self::Test(test) => test.add_effects(effects),
            Self::Room { channel, handshake, .. } => {
                channel.add_reads(effects);
                effects.fails_if(*handshake == Some(Handshake::Fails));
            }
            Self::Message(receive) => {
                receive.channel.add_reads(effects);
                receive.pattern.add_effects(effects);
            }
            Self::NoQueue { channel, handshake } => {
                // The test does not depend on the channel, only on whether the channel exists.
                match channel {
                    Channel::Declared(Declared { element: Some(element), .. }) if !element.is_checked => {}
                    Channel::Declared(Declared { element, .. }) => element.add_effects(effects),
                    Channel::Numbered(_) => channel.add_identity(effects),
                }
                effects.fails_if(*handshake == Handshake::Fails);
            }
        }
    }
}

impl Executable for Received {
    fn add_effects(&self, effects: &mut Effects) {
        self.place.add_writes(effects);
    }
}

impl Executable for Operation {
    fn add_effects(&self, effects: &mut Effects) {
        match self {
            Self::Store { place, value } => {
                value.add_effects(effects);
                place.add_writes(effects);
            }
            Self::SetOwnPriority(value) => {
                effects.uses_pid = true;
                effects.writes.insert(Object::Processes);
                value.add_effects(effects);
            }
            Self::Host { call, places } => {
                call.add_effects(effects);
                places.iter().for_each(|place| place.add_writes(effects));
            }
            Self::Evaluate(value) => value.add_effects(effects),
            Self::Require(test) | Self::Assert(test) => test.add_effects(effects),
            Self::Print(parts) => parts.add_effects(effects),
            Self::Send { channel, messages, .. } => {
                channel.add_writes(effects);
                messages.add_effects(effects);
            }
            Self::Receive(receive) if receive.always_fails() => effects.can_fail = true,
            Self::Receive(receive) => {
                if !receive.keeps {
                    receive.channel.add_writes(effects);
                }
                effects.fails_if(receive.shapes.iter().any(|shape| !shape.fits));
                receive.stores.add_effects(effects);
            }
        }
    }
}

impl Executable for Message {
    fn add_effects(&self, effects: &mut Effects) {
        effects.fails_if(self.fields.is_none());
        self.fields.iter().for_each(|fields| fields.add_effects(effects));
    }
}

impl Executable for Printed {
    fn add_effects(&self, effects: &mut Effects) {
        match self {
            Self::Text(_) => {}
            Self::Signed(value)
            | Self::Unsigned(value)
            | Self::Octal(value)
            | Self::Hexadecimal(value)
            | Self::Character(value)
            | Self::Symbol(_, value) => value.add_effects(effects),
        }
    }
}

impl Executable for Arrival {
    fn add_effects(&self, effects: &mut Effects) {
        for change in &self.changes {
            match change {
                Change::Location(_) => {
                    effects.uses_pid = true;
                    effects.writes.insert(Object::Processes);
                }
                Change::End => _ = effects.writes.insert(Object::Processes),
                Change::Reset(variable) => {
                    effects.uses_pid = true;
                    effects.writes.insert(Object::Variable(*variable));
                }
                Change::TakeControl => effects.uses_pid = true,
                Change::ReleaseControl => {}
                Change::NoteLast => {
                    effects.uses_pid = true;
                    effects.writes.insert(Object::Last);
                }
            }
        }
    }
}

impl Executable for Step {
    fn add_effects(&self, effects: &mut Effects) {
        match &self.body {
            Body::Statement(statement) => {
                statement.add_effects(effects);
                if statement.is_stuck() {
                    return;
                }
            }
            Body::DStep(d_step) => d_step.add_effects(effects),
        }
        self.merged.add_effects(effects);
        self.arrival.add_effects(effects);
    }
}

impl Executable for DStep {
    /// A `d_step` fails if it blocks inside, or runs for too long.
    fn add_effects(&self, effects: &mut Effects) {
        effects.can_fail = true;
        for row in self.blocks.iter().flat_map(|block| &block.rows) {
            row.statements.iter().for_each(|(_, statement)| statement.add_effects(effects));
        }
    }
}

impl Executable for Offer {
    fn add_effects(&self, effects: &mut Effects) {
        self.channel.add_identity(effects);
        self.messages.add_effects(effects);
        if !self.always_fails() {
            effects.uses_pid = true;
            self.arrival.add_effects(effects);
        }
    }
}

impl Executable for Answer {
    fn add_effects(&self, effects: &mut Effects) {
        match &self.body {
            AnswerBody::Receive(accept) => accept.add_effects(effects),
            AnswerBody::DStep(accepts) => {
                effects.can_fail = true;
                accepts.iter().for_each(|(_, accept, _)| accept.add_effects(effects));
            }
        }
        self.arrival.add_effects(effects);
    }
}

impl Executable for Accept {
    /// A channel that is not there differs from the offered one, and is no fault: the step of this process reports it.
    fn add_effects(&self, effects: &mut Effects) {
        let could_fail = effects.can_fail;
        match &self.channel {
            Channel::Declared(declared) => declared.add_effects(effects),
            Channel::Numbered(numbered) => numbered.number.add_effects(effects),
        }
        effects.can_fail = could_fail;
        self.pattern.add_effects(effects);
        self.stores.add_effects(effects);
        effects.fails_if(self.shapes.iter().any(|shape| !shape.fits));
    }
}
