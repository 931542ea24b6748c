//! The value of an expression: computed in 32 bits, wrapping.

use pmc::model::{BinaryOp, Expr, ExprKind, Probe, Side, UnaryOp};
use pmc::source::Span;

use super::moment::{Access, Mode, Moment, Object};
use super::state::State;
use super::{Fault, Program, ViolationKind, steps};

/// How deep `enabled` may be nested. Beyond, processes ask each other in a circle.
const MAX_NESTED_ENABLED: u8 = 8;

/// Whether an expression holds in a state, as an atom of a formula. `timeout`: no process is enabled without it.
pub fn holds(program: &Program<'_>, state: &State, expr: &Expr, timeout: bool) -> Result<bool, Fault> {
    Moment::new(program, state, None, Mode { timeout, ..Mode::default() }).is_true(expr)
}

impl Moment<'_> {
    pub fn is_true(&mut self, expr: &Expr) -> Result<bool, Fault> {
        Ok(self.value(expr)? != 0)
    }

    pub fn value(&mut self, expr: &Expr) -> Result<i32, Fault> {
        match &expr.kind {
            ExprKind::Constant(value) => Ok(*value),
            ExprKind::Read(place) => self.load(place, self.me),
            ExprKind::Unary(op, operand) => {
                let value = self.value(operand)?;
                Ok(unary(*op, value))
            }
            ExprKind::Binary(BinaryOp::And, left, right) => Ok((self.is_true(left)? && self.is_true(right)?).into()),
            ExprKind::Binary(BinaryOp::Or, left, right) => Ok((self.is_true(left)? || self.is_true(right)?).into()),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                binary(*op, left, right).map_err(|kind| Fault { kind, span: expr.span })
            }
            ExprKind::Conditional(condition, yes, no) => {
                if self.is_true(condition)? {
                    self.value(yes)
                } else {
                    self.value(no)
                }
            }
            ExprKind::Run { proctype, arguments, priority } => self.run(*proctype, arguments, *priority, expr.span),
            ExprKind::Probe(probe, channel) => self.probe(*probe, channel),
            ExprKind::Poll { channel, random, pattern } => {
                let number = self.channel(channel)?;
                self.check_use(number, Side::Receive, expr.span);
                if self.capacity(number) == 0 {
                    return Err(Fault { kind: ViolationKind::PollOfRendezvous, span: expr.span });
                }
                Ok(self.find_message(number, pattern, *random)?.is_some().into())
            }
            ExprKind::Host(_) => unreachable!("this interpreter has no C"),
            ExprKind::Timeout => {
                self.note(Access::Read(Object::Everything));
                Ok(self.mode.timeout.into())
            }
            ExprKind::Pid => Ok(number(self.me.unwrap_or(0))),
            ExprKind::ProcessCount => {
                self.note(Access::Read(Object::Processes));
                Ok(number(self.state().processes.len()))
            }
            ExprKind::Last => {
                self.note(Access::Read(Object::Last));
                Ok(number(self.state().last))
            }
            ExprKind::NonProgress => Ok(self.is_non_progress().into()),
            ExprKind::Priority => Ok(self.me.map_or(0, |me| self.state().processes[me].priority)),
            ExprKind::Enabled(pid) => {
                let pid = self.value(pid)?;
                self.enabled(pid, expr.span)
            }
            ExprKind::PcValue(pid) => {
                let pid = self.value(pid)?;
                Ok(self.process(pid).map_or(0, |pid| {
                    self.program.is_open.set(true);
                    self.note(Access::Read(Object::Location(pid)));
                    self.state().processes[pid].at.0.cast_signed()
                }))
            }
            ExprKind::GetPriority(pid) => {
                let pid = self.value(pid)?;
                Ok(self.process(pid).map_or(0, |pid| {
                    self.note(Access::Read(Object::Priority(pid)));
                    self.state().processes[pid].priority
                }))
            }
            ExprKind::SetPriority(pid, priority) => {
                let (pid, priority) = (self.value(pid)?, self.value(priority)?);
                if let Some(pid) = self.process(pid) {
                    self.set_priority(pid, priority);
                }
                Ok(1)
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let Some(pid) = self.remote(*proctype, pid.as_deref())? else { return Ok(0) };
                self.note(Access::Read(Object::Location(pid)));
                let there = self.program.codes[*proctype].label(*label);
                if self.proctype_of(pid) != *proctype {
                    // Spin compares the numbers of locations of different proctypes.
                    self.program.is_open.set(true);
                }
                Ok((self.proctype_of(pid) == *proctype && self.state().processes[pid].at == there).into())
            }
            ExprKind::RemoteVariable { proctype, pid, place } => {
                let Some(pid) = self.remote(*proctype, pid.as_deref())? else { return Ok(0) };
                if self.proctype_of(pid) != *proctype {
                    return Err(Fault { kind: ViolationKind::RemoteReference, span: expr.span });
                }
                self.load(place, Some(pid))
            }
        }
    }

    fn probe(&mut self, probe: Probe, channel: &pmc::model::ChannelRef) -> Result<i32, Fault> {
        let number_of = self.channel(channel)?;
        self.note(Access::Read(Object::Channel(number_of)));
        let sides: &[Side] = match probe {
            Probe::Len => &[Side::Receive, Side::Send],
            Probe::Empty | Probe::Nempty => &[Side::Receive],
            Probe::Full | Probe::Nfull => &[Side::Send],
        };
        for side in sides {
            self.check_use(number_of, *side, channel.place.span);
        }
        let length = self.state().channels[number_of - 1].messages.len();
        let capacity = self.capacity(number_of);
        // A rendezvous port is empty and never full.
        let full = capacity > 0 && length == capacity;
        Ok(match probe {
            Probe::Len => number(length),
            Probe::Empty => (length == 0).into(),
            Probe::Nempty => (length != 0).into(),
            Probe::Full => full.into(),
            Probe::Nfull => (!full).into(),
        })
    }

    /// A pid as an index, if such a process exists.
    fn process(&mut self, pid: i32) -> Option<usize> {
        self.note(Access::Read(Object::Processes));
        usize::try_from(pid).ok().filter(|pid| *pid < self.state().processes.len())
    }

    /// The process of a remote reference: the one with that pid, of whatever type, or the oldest of the type.
    fn remote(&mut self, proctype: pmc::model::ProctypeId, pid: Option<&Expr>) -> Result<Option<usize>, Fault> {
        self.note(Access::Read(Object::Processes));
        match pid {
            Some(pid) => {
                let pid = self.value(pid)?;
                Ok(self.process(pid))
            }
            None => Ok(self.state().processes.iter().position(|process| process.proctype == proctype)),
        }
    }

    fn enabled(&mut self, pid: i32, span: Span) -> Result<i32, Fault> {
        let Some(pid) = self.process(pid) else { return Ok(0) };
        if Some(pid) == self.me {
            return Err(Fault { kind: ViolationKind::EnabledOfSelf, span });
        }
        self.note(Access::Read(Object::Everything));
        if self.mode.nested >= MAX_NESTED_ENABLED {
            self.program.is_open.set(true);
            return Ok(0);
        }
        let mode = Mode { nested: self.mode.nested + 1, timeout: self.mode.timeout, ..Mode::default() };
        Ok(steps::is_enabled(self.program, self.state(), pid, mode).into())
    }

    fn is_non_progress(&mut self) -> bool {
        self.note(Access::Read(Object::Everything));
        let program = self.program;
        !self.state().processes.iter().any(|process| program.codes[process.proctype].is_progress(process.at))
    }

    pub fn set_priority(&mut self, pid: usize, priority: i32) {
        self.note(Access::Write(Object::Priority(pid)));
        self.process_mut(pid).priority = priority;
    }
}

fn number(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

fn unary(op: UnaryOp, value: i32) -> i32 {
    match op {
        UnaryOp::Negate => value.wrapping_neg(),
        UnaryOp::Not => (value == 0).into(),
        UnaryOp::Complement => !value,
    }
}

fn binary(op: BinaryOp, left: i32, right: i32) -> Result<i32, ViolationKind> {
    Ok(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => return Err(ViolationKind::DivideByZero),
        BinaryOp::Divide | BinaryOp::Remainder if left == i32::MIN && right == -1 => {
            return Err(ViolationKind::DivideOverflow);
        }
        BinaryOp::Divide => left / right,
        BinaryOp::Remainder => left % right,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        // The processor takes the count modulo 32.
        BinaryOp::ShiftLeft => left.wrapping_shl(right.cast_unsigned()),
        BinaryOp::ShiftRight => left.wrapping_shr(right.cast_unsigned()),
        BinaryOp::Equal => (left == right).into(),
        BinaryOp::NotEqual => (left != right).into(),
        BinaryOp::Less => (left < right).into(),
        BinaryOp::LessEqual => (left <= right).into(),
        BinaryOp::Greater => (left > right).into(),
        BinaryOp::GreaterEqual => (left >= right).into(),
        BinaryOp::And => (left != 0 && right != 0).into(),
        BinaryOp::Or => (left != 0 || right != 0).into(),
    })
}
