//! Channels: their contents, sends and receives.

use pmc::model::{ChannelRef, Expr, Pattern, Side, SiteId, Type};
use pmc::source::Span;

use super::moment::{Access, Moment, Object};
use super::state::Channel;
use super::{Fault, ViolationKind};

impl Moment<'_> {
    /// The number of the channel that an expression names.
    pub fn channel(&mut self, channel: &ChannelRef) -> Result<usize, Fault> {
        let number = self.load(&channel.place, self.me)?;
        let fault = |kind| Err(Fault { kind, span: channel.place.span });
        match usize::try_from(number) {
            Ok(0) => fault(ViolationKind::NoChannel),
            Ok(number) if number <= self.state().channels.len() => Ok(number),
            _ => fault(ViolationKind::DeadChannel),
        }
    }

    /// Reports a violation if another process has exclusive use of that side of the channel.
    pub fn check_use(&mut self, number: usize, side: Side, span: Span) {
        if !self.program.options.exclusive_use {
            return;
        }
        let me = self.me;
        for other in (0..self.state().processes.len()).filter(|other| Some(*other) != me) {
            let code = &self.program.codes[self.proctype_of(other)];
            for (_, channel) in code.process.exclusive.iter().filter(|(claimed, _)| *claimed == side) {
                self.me = Some(other);
                let theirs = self.channel(channel);
                self.me = me;
                if theirs == Ok(number) {
                    self.complaints.push(Fault { kind: ViolationKind::ExclusiveUse, span });
                }
            }
        }
    }

    pub fn capacity(&self, number: usize) -> usize {
        self.program.model.sites[self.site(number)].capacity as usize
    }

    fn site(&self, number: usize) -> SiteId {
        self.state().channels[number - 1].site
    }

    pub fn new_channel(&mut self, site: SiteId) -> i32 {
        let state = self.state_mut();
        state.channels.push(Channel { site, messages: Vec::new() }.into());
        i32::try_from(state.channels.len()).unwrap_or(0)
    }

    /// A message of another channel, through a variable that holds this one, is a fault.
    pub fn check_shape(&self, number: usize, n_fields: usize, span: Span) -> Result<(), Fault> {
        let fits = self.program.model.sites[self.site(number)].fields.len() == n_fields;
        if fits { Ok(()) } else { Err(Fault { kind: ViolationKind::MessageShape, span }) }
    }

    /// The message as the channel stores it: each field is truncated to its type.
    pub fn message(&mut self, number: usize, values: &[Expr]) -> Result<Vec<i32>, Fault> {
        let mut fields = Vec::with_capacity(values.len());
        for value in values {
            fields.push(self.value(value)?);
        }
        let types: &[Type] = &self.program.model.sites[self.site(number)].fields;
        let value_of = |(n, ty): (usize, &Type)| ty.truncate(fields.get(n).copied().unwrap_or(0));
        Ok(types.iter().enumerate().map(value_of).collect())
    }

    pub fn is_full(&mut self, number: usize) -> bool {
        self.note(Access::Read(Object::Channel(number)));
        self.state().channels[number - 1].messages.len() >= self.capacity(number)
    }

    /// Inserts a message: at the end, or before the first that is larger.
    pub fn put(&mut self, number: usize, message: Vec<i32>, sorted: bool) {
        self.note(Access::Write(Object::Channel(number)));
        let messages = &mut self.channel_mut(number).messages;
        let first_larger = messages.iter().position(|other| *other > message).filter(|_| sorted);
        messages.insert(first_larger.unwrap_or(messages.len()), message);
    }

    /// The position of the message that a receive would take: the first, or with `??` the first that matches.
    pub fn find_message(&mut self, number: usize, pattern: &[Pattern], random: bool) -> Result<Option<usize>, Fault> {
        self.note(Access::Read(Object::Channel(number)));
        let messages = self.state().channels[number - 1].messages.clone();
        let candidates = if random { messages.len() } else { messages.len().min(1) };
        if random {
            // Spin computes all values before it looks for a message, so that a fault is one also without a message.
            for field in pattern {
                if let Pattern::Equal(expected) = field {
                    self.value(expected)?;
                }
            }
        }
        for (position, message) in messages.iter().take(candidates).enumerate() {
            if self.matches(pattern, message)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    pub fn matches(&mut self, pattern: &[Pattern], message: &[i32]) -> Result<bool, Fault> {
        for (field, value) in pattern.iter().zip(message) {
            if let Pattern::Equal(expected) = field
                && self.value(expected)? != *value
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stores the fields of a message in the places of the pattern.
    pub fn accept(&mut self, pattern: &[Pattern], message: &[i32]) -> Result<(), Fault> {
        for (field, value) in pattern.iter().zip(message) {
            if let Pattern::Store(place) = field {
                self.store(place, *value)?;
            }
        }
        Ok(())
    }

    /// A receive from a buffered channel. Nothing: no message matches.
    pub fn receive(
        &mut self,
        number: usize,
        pattern: &[Pattern],
        random: bool,
        peek: bool,
    ) -> Result<Option<Vec<i32>>, Fault> {
        if self.state().channels[number - 1].messages.is_empty() {
            self.note(Access::Read(Object::Channel(number)));
            return Ok(None);
        }
        let Some(position) = self.find_message(number, pattern, random)? else { return Ok(None) };
        let message = self.state().channels[number - 1].messages[position].clone();
        if !peek {
            self.note(Access::Write(Object::Channel(number)));
            self.channel_mut(number).messages.remove(position);
        }
        self.accept(pattern, &message)?;
        Ok(Some(message))
    }
}
