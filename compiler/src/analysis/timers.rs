//! Whether several ticks can be one.
//!
//! A tick is the only step of a state in which no process can move. As long as no timer runs out, nothing that is asked
//! about timers changes, so that no process could move behind such a tick either, and a chain of them ends where the
//! first timer has run out. If no value of a timer is read, only whether it is on and whether it has run out, and no claim
//! counts steps, the states within the chain need not be visited.

use super::merge::counts_steps;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::{Action, Program, visit};
use crate::model::{BinaryOp, Expr, ExprKind, Init, Place, Type, VariableId};
use crate::source::Span;

/// How many ticks are one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticks {
    /// As many as pass until a timer has run out.
    AtOnce,
    /// One, for this reason if it is not the wish of the user.
    OneByOne(Option<OneByOne>),
}

/// Why ticks are taken one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneByOne {
    pub why: &'static str,
    /// The place in the text, if there is one.
    pub span: Option<Span>,
}

/// Errs towards one by one.
pub(super) fn analyze(program: &Program<'_>, is_wanted: bool) -> Ticks {
    if !is_wanted {
        return Ticks::OneByOne(None);
    }
    if let Some(why) = counts_steps(program) {
        return Ticks::OneByOne(Some(OneByOne { why, span: None }));
    }
    let read = values_read(program, false).first().map(|read| read.span);
    read.map_or(Ticks::AtOnce, |span| {
        Ticks::OneByOne(Some(OneByOne { why: "the value of a timer is read", span: Some(span) }))
    })
}

/// Refuses every place where the value of a timer is read, and printed, which is not known in the abstraction of time.
pub fn refuse_values_of_timers(program: &Program<'_>, diagnostics: &mut Diagnostics) {
    let mut spans: Vec<Span> = values_read(program, true).iter().map(|read| read.span).collect();
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    spans.dedup();
    for span in spans {
        let message = "the value of this timer is not known where time is abstract";
        let error = Diagnostic::error(221, span, message)
            .here("`--timers abstract` knows whether a timer is off, running or expired")
            .help("ask `expire(..)` or `on(..)`, or verify without `--timers abstract`");
        diagnostics.add(error);
    }
}

/// The places where the value of a timer is read, and not only compared with 0 or -1.
pub fn values_read(program: &Program<'_>, counts_printing: bool) -> Vec<ReadTimer> {
    let mut reads = Reads { compared: Vec::new(), found: Vec::new() };
    for graph in &program.graphs {
        visit::actions(graph, &mut |action| {
            // What is printed has no influence, and what is inside a `d_step` has its turn.
            let is_left_out = matches!(action, Action::Print(_)) && !counts_printing;
            if !is_left_out && !matches!(action, Action::DStep(_)) {
                visit::action_expressions(action, &mut |part| reads.see(part));
            }
        });
    }
    for provided in program.model.proctypes.iter().filter_map(|process| process.provided.as_ref()) {
        visit::expression(provided, &mut |part| reads.see(part));
    }
    for variable in &program.model.variables {
        match &variable.init {
            Init::All(value) => visit::expression(value, &mut |part| reads.see(part)),
            Init::List(values) => values.iter().for_each(|value| visit::expression(value, &mut |part| reads.see(part))),
            Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => {}
        }
    }
    visit::claim_expressions(program, &mut |part| reads.see(part));
    reads.found
}

/// A timer whose value is read, or an array of them, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTimer {
    pub variable: VariableId,
    /// The fields that lead to it.
    pub path: Vec<u32>,
    pub span: Span,
}

impl ReadTimer {
    fn new(place: &Place, span: Span) -> Self {
        Self { variable: place.variable, path: place.fields.iter().map(|access| access.field).collect(), span }
    }
}

struct Reads<'p> {
    /// The timers in comparisons that do not tell how long they run.
    compared: Vec<&'p Expr>,
    found: Vec<ReadTimer>,
}

impl<'p> Reads<'p> {
    /// Sees an expression before its parts.
    fn see(&mut self, part: &'p Expr) {
        match &part.kind {
            ExprKind::Binary(op, left, right) if is_comparison(*op) => {
                let is_low = |bound: &Expr| matches!(bound.as_constant(), Some(0 | -1));
                if is_low(right) {
                    self.compared.push(left);
                } else if is_low(left) {
                    self.compared.push(right);
                }
            }
            ExprKind::Read(place) if place.ty == Type::Timer && !self.is_compared(part) => {
                self.found.push(ReadTimer::new(place, part.span));
            }
            ExprKind::RemoteVariable { place, .. } if place.ty == Type::Timer => {
                self.found.push(ReadTimer::new(place, part.span));
            }
            _ => {}
        }
    }

    fn is_compared(&self, part: &Expr) -> bool {
        self.compared.iter().any(|compared| std::ptr::eq(*compared, part))
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}
