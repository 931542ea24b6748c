//! Tests become jumps.

use super::super::code::{Op, Register, StateTest};
use super::super::compare::{Interval, Orders, exchanged};
use super::{Label, Lowering};
use crate::exec::{Asker, Comparison, Remote, Test, Value};

impl Lowering<'_> {
    /// Goes to a label unless a test holds.
    pub fn jump_unless(&mut self, test: &Test, scratch: Register, to: Label) {
        self.jump_where(test, false, scratch, to);
    }

    /// Goes to a label if a test has this truth value.
    pub fn jump_where(&mut self, test: &Test, holds: bool, scratch: Register, to: Label) {
        let target = Self::target(to);
        match test {
            Test::Constant(truth) => {
                if *truth == holds {
                    self.jump(to);
                }
            }
            Test::Compare(comparison, left, right) => {
                let comparison = if holds { *comparison } else { comparison.opposite() };
                self.jump_compare(comparison, left, right, scratch, to);
            }
            Test::Not(inner) => self.jump_where(inner, !holds, scratch, to),
            Test::And(left, right) | Test::Or(left, right) => {
                // An `&&` that fails, and an `||` that holds, need only one side.
                if matches!(test, Test::And(..)) == holds {
                    let skip = self.label();
                    self.jump_where(left, !holds, scratch, skip);
                    self.jump_where(right, holds, scratch, to);
                    self.place(skip);
                } else {
                    self.jump_where(left, holds, scratch, to);
                    self.jump_where(right, holds, scratch, to);
                }
            }
            Test::Timeout => self.emit(Op::JumpState { test: StateTest::Timeout, holds, target }),
            Test::Enabled { pid, asked_by } => {
                self.value(pid, scratch);
                let test = match asked_by {
                    Asker::Process => StateTest::Enabled(scratch),
                    Asker::Claim => StateTest::CanMove(scratch),
                };
                self.emit(Op::JumpState { test, holds, target });
            }
            Test::Host(_) => unreachable!("a model with C is not interpreted"),
            Test::IsYoungest => self.emit(Op::JumpState { test: StateTest::IsYoungest, holds, target }),
            Test::NonProgress => self.emit(Op::JumpState { test: StateTest::NonProgress, holds, target }),
            Test::IsAt { process, location } => self.jump_at(process, *location, holds, scratch, to),
            Test::IsEmpty(channel) => {
                self.channel(channel, scratch);
                self.emit(Op::JumpState { test: StateTest::IsEmpty, holds, target });
            }
            Test::IsFull(channel) => {
                self.channel(channel, scratch);
                self.emit(Op::JumpState { test: StateTest::IsFull, holds, target });
            }
            Test::HasMessage { channel, random, pattern, .. } => {
                self.jump_message(channel, *random, pattern, holds, scratch, to);
            }
            Test::PollsRendezvous => self.emit(Op::Fail(pmc_runtime::fault::Fault::PollRendezvous)),
        }
    }

    fn jump_compare(&mut self, comparison: Comparison, left: &Value, right: &Value, scratch: Register, to: Label) {
        match (self.constant(left), self.constant(right)) {
            (Some(left), Some(right)) => {
                if Orders::of(comparison).contains(left, right) {
                    self.jump(to);
                }
            }
            (None, Some(right)) => self.jump_interval(left, Interval::of(comparison, right), scratch, to),
            (Some(left), None) => self.jump_interval(right, Interval::of(exchanged(comparison), left), scratch, to),
            (None, None) => {
                self.value(left, scratch);
                let right = self.second(right, scratch);
                let (orders, target) = (Orders::of(comparison), Self::target(to));
                self.emit(Op::JumpCompare { orders, left: scratch, right, target });
            }
        }
    }

    /// Goes to a label if a value is in an interval, which may be none.
    fn jump_interval(&mut self, value: &Value, values: Option<Interval>, scratch: Register, to: Label) {
        let target = Self::target(to);
        match (self.loaded_field(value), values) {
            (Some(field), Some(values)) => {
                let values = values.stored_from(field.low);
                self.emit(Op::JumpField { field: field.raw(), values, target });
            }
            (Some(_), None) => {}
            (None, values) => {
                self.value(value, scratch);
                if let Some(values) = values {
                    self.emit(Op::JumpValue { value: scratch, values, target });
                }
            }
        }
    }

    fn jump_at(&mut self, process: &Remote, location: u32, holds: bool, scratch: Register, to: Label) {
        let number = i32::try_from(location).unwrap_or(i32::MAX);
        let comparison = if holds { Comparison::Equal } else { Comparison::NotEqual };
        let values = Interval::of(comparison, number).expect("some value is equal, and some is not");
        let compare = Op::JumpValue { value: scratch, values, target: Self::target(to) };
        if let Some(pid) = &process.pid {
            self.value(pid, scratch);
            self.emit(Op::LocationNumber { to: scratch, pid: scratch });
            self.emit(compare);
            return;
        }
        let (none, end) = (self.label(), self.label());
        self.find_process(process, scratch, none);
        self.emit(Op::FoundLocationNumber { to: scratch });
        self.emit(compare);
        self.jump(end);
        self.place(none);
        if !holds {
            self.jump(to);
        }
        self.place(end);
    }
}
