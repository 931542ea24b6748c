//! Channels: how the current one is found, and how its messages are tested.

use pmc_runtime::fault::Fault;

use super::super::code::{AtRendezvous, Element, Op, Pattern, Register, StateTest, Truncation, Wanted};
use super::super::compare::{Interval, Orders};
use super::expr::channel_owner;
use super::statement::is_plain;
use super::{Label, Lowering, count, last};
use crate::exec::{Channel, Comparison, Field, Handshake, Value};

impl Lowering<'_> {
    /// Makes a channel the current one, whatever its kind.
    pub fn channel(&mut self, channel: &Channel, scratch: Register) {
        match channel {
            Channel::Declared(declared) => {
                let element = declared.element.as_ref().map_or(Element::Constant(0), |element| {
                    if let Some(constant) = self.constant_index(element) {
                        return Element::Constant(constant);
                    }
                    self.value(&element.value, scratch);
                    self.check(element, scratch);
                    Element::Register(scratch)
                });
                let (site, owner) = (declared.site.0, channel_owner(declared.owner));
                self.emit(Op::Channel { site, owner, element });
            }
            Channel::Numbered(numbered) => {
                self.value(&numbered.number, scratch);
                self.emit(Op::FindChannel { number: scratch });
            }
        }
    }

    /// The same where a channel that is not there leads elsewhere.
    pub fn channel_or(&mut self, channel: &Channel, scratch: Register, none: Label) {
        self.emit(Op::Catch { target: Self::target(none) });
        self.channel(channel, scratch);
        self.emit(Op::EndCatch);
    }

    /// Checks that the current channel is of a kind that a statement may use; one that is declared always is.
    pub fn check_kind(&mut self, channel: &Channel, at_rendezvous: AtRendezvous) {
        if let Channel::Numbered(_) = channel {
            let sites = self.site_set(channel.sites());
            self.emit(Op::CheckKind { sites, at_rendezvous });
        }
    }

    /// What a step does at a rendezvous channel.
    pub fn at_handshake(handshake: Handshake, blocked: Label) -> AtRendezvous {
        match handshake {
            Handshake::Blocks => AtRendezvous::Jump(Self::target(blocked)),
            Handshake::Fails => AtRendezvous::Fail(Fault::DStepRendezvous),
        }
    }

    /// Computes the values that a message must have, and appends those that are no constants to the list of values.
    pub fn pattern(&mut self, pattern: &[Field], scratch: Register) -> u32 {
        let mut fields = Vec::new();
        let mut n_values = 0;
        for (number, field) in pattern.iter().enumerate() {
            let Field::Equal(value) = field else { continue };
            let wanted = match self.constant(value) {
                Some(constant) => Wanted::Constant(constant),
                None => {
                    self.value(value, scratch);
                    self.emit(Op::Push { from: scratch, truncation: Truncation::NONE });
                    n_values += 1;
                    Wanted::Value(n_values - 1)
                }
            };
            fields.push((count(number), wanted));
        }
        self.patterns.push(Pattern { fields, n_values });
        last(&self.patterns)
    }

    /// Goes to a label unless the first message of the current channel matches: it is compared from left to right, up to a
    /// field that differs.
    fn compare_fields(&mut self, channel: &Channel, pattern: &[Field], scratch: Register, none: Label) {
        for (number, field) in pattern.iter().enumerate() {
            let Field::Equal(value) = field else { continue };
            if let Some(wanted) = self.constant(value) {
                let values = Interval::of(Comparison::NotEqual, wanted).expect("some value differs");
                self.emit(Op::JumpMessageField { number: count(number), values, target: Self::target(none) });
                continue;
            }
            self.emit(Op::MessageField { to: scratch, field: count(number) });
            self.jump_if_differs(value, scratch, none);
            if !is_plain(value) {
                // The value may have been found in other channels.
                self.channel(channel, scratch);
                self.emit(Op::FirstMessage { target: Self::target(none) });
            }
        }
    }

    /// Goes to a label if a register holds another value.
    pub fn jump_if_differs(&mut self, value: &Value, register: Register, to: Label) {
        let (comparison, target) = (Comparison::NotEqual, Self::target(to));
        match self.constant(value) {
            Some(right) => {
                let values = Interval::of(comparison, right).expect("some value differs");
                self.emit(Op::JumpValue { value: register, values, target });
            }
            None => {
                let right = self.second(value, register);
                self.emit(Op::JumpCompare { orders: Orders::of(comparison), left: register, right, target });
            }
        }
    }

    /// Goes to a label unless the first message of a channel, or with `random` any, matches. That message is the
    /// current one then. With `random` all values are computed first; `needs_message` says that without a message none is.
    pub fn message_or(
        &mut self,
        channel: &Channel,
        (random, needs_message): (bool, bool),
        pattern: &[Field],
        at_rendezvous: AtRendezvous,
        scratch: Register,
        none: Label,
    ) {
        self.channel(channel, scratch);
        self.check_kind(channel, at_rendezvous);
        let target = Self::target(none);
        if !random {
            self.emit(Op::FirstMessage { target });
            self.compare_fields(channel, pattern, scratch, none);
            return;
        }
        if needs_message {
            self.emit(Op::JumpState { test: StateTest::IsEmpty, holds: true, target });
        }
        let pattern = self.pattern(pattern, scratch);
        if self.patterns[pattern as usize].n_values > 0 {
            // The values may have been found in other channels.
            self.channel(channel, scratch);
        }
        self.emit(Op::FindMessage { pattern, target });
    }

    /// `q?[...]`
    pub fn jump_message(
        &mut self,
        channel: &Channel,
        random: bool,
        pattern: &[Field],
        holds: bool,
        scratch: Register,
        to: Label,
    ) {
        let at_rendezvous = AtRendezvous::Fail(Fault::PollRendezvous);
        if holds {
            let none = self.label();
            self.message_or(channel, (random, false), pattern, at_rendezvous, scratch, none);
            self.jump(to);
            self.place(none);
        } else {
            self.message_or(channel, (random, false), pattern, at_rendezvous, scratch, to);
        }
    }
}
