//! The statements that are steps: whether each can be executed, and what it does.

use pmc::model::{Side, StatementKind, Target};
use pmc::source::Span;

use super::moment::{Moment, Offer};
use super::traces::Event;
use super::{Fault, ViolationKind};

/// The result of an attempt to execute a statement.
pub enum Attempt {
    Blocked,
    Done,
    /// A rendezvous send: it is executed if another process receives the message.
    Offered {
        channel: usize,
        message: Vec<i32>,
    },
}

impl Moment<'_> {
    /// Executes a statement that is no structure, or finds that it blocks.
    pub fn execute(&mut self, statement: &StatementKind, span: Span) -> Result<Attempt, Fault> {
        if let Some(offer) = self.mode.offer {
            return self.answer(statement, offer);
        }
        match statement {
            StatementKind::Condition(condition) => {
                if !self.is_true(condition)? {
                    return Ok(Attempt::Blocked);
                }
            }
            StatementKind::Else => {
                if !self.mode.else_holds {
                    return Ok(Attempt::Blocked);
                }
            }
            // As a step of its own, a jump only moves the process.
            StatementKind::Goto(_) | StatementKind::Break => {}
            StatementKind::Assign { target, value } => {
                let value = self.value(value)?;
                self.assign(target, value)?;
            }
            StatementKind::Send { channel, sorted, message } => {
                let number = self.channel(channel)?;
                self.check_use(number, Side::Send, span);
                if self.capacity(number) == 0 {
                    // There is no partner inside of a `d_step`, whatever the message is.
                    if self.mode.first_only {
                        return Ok(Attempt::Offered { channel: number, message: Vec::new() });
                    }
                    self.check_shape(number, message.len(), span)?;
                    let message = self.message(number, message)?;
                    self.observe(Event { send: true, channel: number, message: &message }, span)?;
                    return Ok(Attempt::Offered { channel: number, message });
                }
                let full = self.is_full(number);
                if full && !self.program.options.lossy {
                    return Ok(Attempt::Blocked);
                }
                self.check_shape(number, message.len(), span)?;
                let message = self.message(number, message)?;
                self.observe(Event { send: true, channel: number, message: &message }, span)?;
                if !full {
                    self.put(number, message, *sorted);
                }
            }
            StatementKind::Receive { channel, random, peek, pattern } => {
                let number = self.channel(channel)?;
                self.check_use(number, Side::Receive, span);
                let Some(message) = self.receive(number, pattern, *random, *peek)? else {
                    return Ok(Attempt::Blocked);
                };
                self.check_shape(number, pattern.len(), span)?;
                if !*peek {
                    self.observe(Event { send: false, channel: number, message: &message }, span)?;
                }
            }
            StatementKind::Assert(condition) => {
                if !self.is_true(condition)? && self.program.options.assertions {
                    self.complaints.push(Fault { kind: ViolationKind::Assertion, span });
                }
            }
            // The arguments of `printf` are evaluated, since that may fail.
            StatementKind::Print(parts) => self.print(parts)?,
            StatementKind::Event { .. } => unreachable!("events stand in traces, which are no processes"),
            StatementKind::Block(_)
            | StatementKind::Atomic(_)
            | StatementKind::DStep(_)
            | StatementKind::If(_)
            | StatementKind::Do(_)
            | StatementKind::Unless { .. } => unreachable!("structures are taken apart before"),
        }
        Ok(Attempt::Done)
    }

    /// The receiver's half of a rendezvous: only a receive from that channel whose pattern matches the message can be
    /// executed.
    fn answer(&mut self, statement: &StatementKind, offer: Offer<'_>) -> Result<Attempt, Fault> {
        let StatementKind::Receive { channel, pattern, peek: false, .. } = statement else {
            return Ok(Attempt::Blocked);
        };
        // A faulty channel is not this one; the step of that process will report the fault.
        let Ok(number) = self.channel(channel) else { return Ok(Attempt::Blocked) };
        if number != offer.channel || !self.matches(pattern, offer.message)? {
            return Ok(Attempt::Blocked);
        }
        self.check_shape(number, pattern.len(), channel.place.span)?;
        self.check_use(number, Side::Receive, channel.place.span);
        self.accept(pattern, offer.message)?;
        self.observe(Event { send: false, channel: number, message: offer.message }, channel.place.span)?;
        Ok(Attempt::Done)
    }

    fn assign(&mut self, target: &Target, value: i32) -> Result<(), Fault> {
        match target {
            Target::Place(place) => self.store(place, value),
            Target::Priority => {
                if let Some(me) = self.me {
                    self.set_priority(me, value);
                }
                Ok(())
            }
            Target::Ignore => Ok(()),
            Target::Several(_) => unreachable!("this interpreter has no C"),
        }
    }

    fn print(&mut self, parts: &[pmc::model::Printed]) -> Result<(), Fault> {
        use pmc::model::Printed;
        for part in parts {
            match part {
                Printed::Text(_) => {}
                Printed::Signed(expr)
                | Printed::Unsigned(expr)
                | Printed::Octal(expr)
                | Printed::Hexadecimal(expr)
                | Printed::Character(expr)
                | Printed::Symbol(_, expr) => {
                    self.value(expr)?;
                }
            }
        }
        Ok(())
    }
}
