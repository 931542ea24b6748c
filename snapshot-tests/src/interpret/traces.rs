//! `trace` and `notrace`: the order in which messages may be sent and received.

use pmc::model::{Side, StatementKind, Trace};
use pmc::source::Span;

use super::moment::Moment;
use super::program::{Code, Point};
use super::{Fault, ViolationKind};

/// A send or a receive on a channel.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    pub send: bool,
    pub channel: usize,
    pub message: &'a [i32],
}

/// A trace as a process that moves with events.
#[derive(Debug)]
pub struct Automaton<'m> {
    negated: bool,
    code: Code<'m>,
}

impl<'m> Automaton<'m> {
    pub fn new(trace: &'m Trace) -> Self {
        Self { negated: trace.negated, code: Code::new(&trace.process, std::iter::empty()) }
    }

    pub fn start(&self) -> Point {
        self.code.start
    }

    /// Whether the run may end while the trace is at this point. It always may for a `notrace`.
    pub fn may_stop(&self, at: Option<Point>) -> bool {
        self.negated || at.is_none_or(|at| self.code.is_end(at))
    }

    /// The events that are enabled at a point.
    fn expected(&self, point: Point) -> Vec<Point> {
        let head = self.code.head(point);
        match self.code.kind(head) {
            Some(StatementKind::If(_) | StatementKind::Do(_)) => {
                self.code.place(head).parts.iter().flat_map(|part| self.expected(*part)).collect()
            }
            Some(_) => vec![head],
            None => Vec::new(),
        }
    }
}

impl Moment<'_> {
    /// Moves the trace on an event, if there is one and it names the event.
    pub fn observe(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let Some(trace) = &self.program.trace else { return Ok(()) };
        let Some(at) = self.state().trace else { return Ok(()) };
        if !self.is_named(trace, event)? {
            return Ok(());
        }
        for point in trace.expected(at) {
            if self.is_event(trace, point, event, true)? {
                let next = trace.code.follow(point).0;
                self.state_mut().trace = Some(next);
                if trace.negated && next == trace.code.end {
                    self.complaints.push(Fault { kind: ViolationKind::NotraceMatched, span });
                }
                return Ok(());
            }
        }
        if trace.negated {
            // Only the first attempt counts. A trace that gives up goes to the point of one that has succeeded, and
            // nothing can be matched from there.
            self.state_mut().trace = Some(trace.code.end);
        } else {
            self.complaints.push(Fault { kind: ViolationKind::TraceMismatch, span });
        }
        Ok(())
    }

    /// Whether the trace names this kind of event on this channel at all.
    fn is_named(&mut self, trace: &Automaton<'_>, event: Event<'_>) -> Result<bool, Fault> {
        for number in 0..trace.code.places.len() {
            let point = Point(u32::try_from(number).unwrap_or(u32::MAX));
            if self.is_event(trace, point, event, false)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_event(
        &mut self,
        trace: &Automaton<'_>,
        point: Point,
        event: Event<'_>,
        with_message: bool,
    ) -> Result<bool, Fault> {
        let Some(StatementKind::Event { side, channel, pattern }) = trace.code.kind(point) else { return Ok(false) };
        Ok((*side == Side::Send) == event.send
            && self.channel(channel)? == event.channel
            && (!with_message || self.matches(pattern, event.message)?))
    }
}
