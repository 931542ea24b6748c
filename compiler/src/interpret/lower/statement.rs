//! Statements: the guard of each, and its operations.

use pmc_runtime::fault::Fault;
use pmc_runtime::step::TransitionId;

use super::super::code::{Op, StateTest, Truncation};
use super::super::program::Printed;
use super::expr::RESULT;
use super::{Label, Lowering, count, last};
use crate::exec::{self, Channel, Cut, Guard, Message, Operation, Place, Receive, Received, Statement, Value};
use crate::tables::visible;

impl Lowering<'_> {
    /// The guard of a statement: goes to a label if it is not executable.
    pub fn guard(&mut self, guard: &Guard, blocked: Label) {
        let target = Self::target(blocked);
        match guard {
            Guard::Always => {}
            Guard::Test(test) => self.jump_unless(test, RESULT, blocked),
            Guard::Room { channel, loses, handshake } => {
                self.channel(channel, RESULT);
                let handshake = handshake.unwrap_or(exec::Handshake::Blocks);
                self.check_kind(channel, Self::at_handshake(handshake, blocked));
                if !loses {
                    self.emit(Op::JumpState { test: StateTest::IsFull, holds: true, target });
                }
            }
            Guard::Message(receive) => {
                let at_rendezvous = Self::at_handshake(exec::Handshake::Blocks, blocked);
                let kind = (receive.random, true);
                self.message_or(&receive.channel, kind, &receive.pattern, at_rendezvous, RESULT, blocked);
            }
            Guard::NoQueue { channel, handshake } => {
                self.channel(channel, RESULT);
                match handshake {
                    exec::Handshake::Blocks => self.jump(blocked),
                    exec::Handshake::Fails => self.emit(Op::Fail(Fault::DStepRendezvous)),
                }
            }
        }
    }

    /// The operations of a statement. `inside` is its transition within a `d_step`.
    pub fn operations(&mut self, statement: &Statement, inside: Option<TransitionId>, blocked: Label) {
        for operation in &statement.operations {
            self.operation(operation, inside, blocked);
        }
    }

    fn operation(&mut self, operation: &Operation, inside: Option<TransitionId>, blocked: Label) {
        match operation {
            Operation::Store { place, value } => self.store_value(place, value),
            Operation::Host { .. } => unreachable!("a model with C is not interpreted"),
            Operation::SetOwnPriority(value) => {
                self.value(value, RESULT);
                self.emit(Op::SetOwnPriority { from: RESULT });
            }
            Operation::Evaluate(value) => self.value(value, RESULT),
            Operation::Require(test) => self.jump_unless(test, RESULT, blocked),
            Operation::Assert(test) => {
                self.truth(test, RESULT);
                self.emit(match inside {
                    Some(transition) => Op::AssertInside { transition, holds: RESULT },
                    None => Op::Assert { holds: RESULT },
                });
            }
            Operation::Print(parts) => self.print(parts),
            Operation::Send { channel, sorted, messages, is_traced } => {
                self.send(channel, *sorted, messages, *is_traced);
            }
            Operation::Receive(receive) => self.receive(receive),
        }
    }

    fn store_value(&mut self, place: &Place, cut: &Cut) {
        let truncation = if cut.fits { Truncation::NONE } else { Truncation::to(cut.to) };
        if let Some(field) = self.field_of(place) {
            if let Some(constant) = self.constant(&cut.value) {
                self.put(field, cut.to.truncate(constant));
                return;
            }
            if let Some(right) = self.added_to(field, &cut.value) {
                self.emit(Op::Add { field, right, truncation });
                return;
            }
        }
        self.value(&cut.value, RESULT);
        self.store(place, RESULT, truncation);
    }

    fn print(&mut self, parts: &[exec::Printed]) {
        let mut text = Vec::new();
        for part in parts {
            let (value, shown) = match part {
                exec::Printed::Text(part) => {
                    text.push(Printed::Text(visible_lines(part)));
                    continue;
                }
                exec::Printed::Signed(value) => (value, Printed::Signed),
                exec::Printed::Unsigned(value) => (value, Printed::Unsigned),
                exec::Printed::Octal(value) => (value, Printed::Octal),
                exec::Printed::Hexadecimal(value) => (value, Printed::Hexadecimal),
                exec::Printed::Character(value) => (value, Printed::Character),
                exec::Printed::Symbol(mtype, value) => (value, Printed::Symbol(*mtype)),
            };
            self.value(value, RESULT);
            self.emit(Op::Push { from: RESULT, truncation: Truncation::NONE });
            text.push(shown);
        }
        self.texts.push(text);
        let text = last(&self.texts);
        self.emit(Op::Print { text });
    }

    fn send(&mut self, channel: &Channel, is_sorted: bool, messages: &[Message], is_traced: bool) {
        self.by_kind(messages, |lowering, message| {
            lowering.message(channel, message);
            let n = count(message.fields.as_ref().map_or(0, Vec::len));
            lowering.emit(Op::Send { n, is_sorted, is_traced });
        });
    }

    /// Code for each kind of channel that the current one may be of.
    pub fn by_kind(&mut self, messages: &[Message], code: impl Fn(&mut Self, &Message)) {
        let end = self.label();
        for (number, message) in messages.iter().enumerate() {
            let next = self.label();
            if number + 1 < messages.len() {
                let sites = self.site_set(message.sites.iter().copied());
                self.emit(Op::JumpUnlessKind { sites, target: Self::target(next) });
            }
            code(self, message);
            self.jump(end);
            self.place(next);
        }
        self.place(end);
    }

    /// Appends the fields of a message to the list of values, and makes its channel the current one again.
    pub fn message(&mut self, channel: &Channel, message: &Message) {
        let Some(fields) = &message.fields else {
            self.emit(Op::Fail(Fault::MessageShape));
            return;
        };
        fields.iter().for_each(|field| self.push(field, RESULT));
        if fields.iter().any(uses_channel) {
            self.channel(channel, RESULT);
        }
    }

    fn receive(&mut self, receive: &Receive) {
        if receive.always_fails() {
            self.emit(Op::Fail(Fault::MessageShape));
            return;
        }
        for shape in receive.shapes.iter().filter(|shape| !shape.fits) {
            let fits = self.label();
            let sites = self.site_set(shape.sites.iter().copied());
            self.emit(Op::JumpUnlessKind { sites, target: Self::target(fits) });
            self.emit(Op::Fail(Fault::MessageShape));
            self.place(fits);
        }
        if receive.is_traced {
            self.emit(Op::TraceReceived);
        }
        let fields =
            receive.stores.iter().map(|received| self.field_of(&received.place).filter(|field| field.bits > 0));
        if let Some(fields) = fields.collect::<Option<Vec<_>>>() {
            // No index is computed, which could depend on the channel: the fields can be stored before the message is gone.
            for (received, field) in receive.stores.iter().zip(fields) {
                let truncation = Truncation::to(received.place.ty);
                self.emit(Op::StoreMessageField { number: count(received.field), field, truncation });
            }
            self.take(receive);
            return;
        }
        if let [received] = &receive.stores[..] {
            self.emit(Op::MessageField { to: RESULT, field: count(received.field) });
            self.take(receive);
            self.store(&received.place, RESULT, Truncation::to(received.place.ty));
            return;
        }
        // The message is gone when its fields are stored.
        for received in receive.stores.iter().rev() {
            self.emit(Op::MessageField { to: RESULT, field: count(received.field) });
            self.emit(Op::Push { from: RESULT, truncation: Truncation::NONE });
        }
        self.take(receive);
        for received in &receive.stores {
            self.emit(Op::Pop { to: RESULT });
            self.store(&received.place, RESULT, Truncation::to(received.place.ty));
        }
    }

    fn take(&mut self, receive: &Receive) {
        if !receive.keeps {
            self.emit(Op::Take);
        }
    }

    /// Stores the fields of an offered message.
    pub fn accept_stores(&mut self, stores: &[Received]) {
        for received in stores {
            self.emit(Op::OfferedField { to: RESULT, field: count(received.field) });
            self.store(&received.place, RESULT, Truncation::to(received.place.ty));
        }
    }
}

/// Newlines and tabs are printed as they are; other invisible characters are escaped.
fn visible_lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| line.split('\t').map(visible).collect::<Vec<_>>().join("\t"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether computing a value may make another channel the current one.
fn uses_channel(cut: &Cut) -> bool {
    !is_plain(&cut.value)
}

/// Whether a value is computed without a look at a channel.
pub fn is_plain(value: &Value) -> bool {
    match value {
        Value::Constant { .. } | Value::Pid | Value::ProcessCount | Value::Last | Value::OwnPriority => true,
        Value::Load(place) => place.indices.iter().all(|index| is_plain(&index.value)),
        Value::Negate { value, .. } | Value::Complement(value) => is_plain(value),
        Value::Binary(_, left, right) => is_plain(left) && is_plain(right),
        Value::ChannelNumber(declared) => declared.element.as_ref().is_none_or(|element| is_plain(&element.value)),
        Value::Truth(_)
        | Value::Choose { .. }
        | Value::Run(_)
        | Value::Length(_)
        | Value::PriorityOf(_)
        | Value::SetPriority { .. }
        | Value::LocationNumber(_)
        | Value::OfProcess { .. }
        | Value::Host(_) => false,
    }
}
