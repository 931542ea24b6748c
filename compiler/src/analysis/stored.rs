//! The variables that are part of a packed state.
//!
//! A variable that nothing reads, or that is read only to compute such variables, cannot influence any run: two states
//! that differ there alone are bisimilar. It stays a field of the state, so that simulation, replay and `printf` show
//! it, but it is not packed. A variable that never changes (see [`constants`]) need not be packed either.
//!
//! An argument of `printf` does not count as read: a replay prints it, which starts from the beginning, where every
//! variable has its value. If printing can fail, it counts as read.

use super::failing::{has_total_indices, indices, is_total};
use super::ranges;
use super::scratch::is_scratch;
use crate::collections::IdVec;
use crate::ir::{Action, Graph, Program, visit};
use crate::model::{
    BinaryOp, Expr, ExprKind, Init, Model, Owner, Pattern, Place, Target, UnaryOp, VariableId, constants,
};

/// Whether a variable is part of a packed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    Yes,
    /// It always denotes the channels of its declaration.
    FixedChannel,
    /// `hidden`
    Hidden,
    /// It always has its initial value.
    Constant,
    /// No behaviour depends on it.
    Unread,
}

/// The reasons to leave out a variable that are considered.
#[derive(Clone, Copy, Debug)]
pub struct Reasons {
    pub constant: bool,
    pub unread: bool,
    /// A claim counts steps, ticks too.
    pub counts_steps: bool,
}

/// Errs towards [`Stored::Yes`].
pub(super) fn analyze(
    program: &Program<'_>,
    is_fixed_channel: &IdVec<VariableId, bool>,
    reasons: Reasons,
) -> IdVec<VariableId, Stored> {
    let model = program.model;
    let is_constant = constants::find(model);
    let is_read = Reads::of(program, reasons);
    let stored = model.variables.iter_enumerated().map(|(id, variable)| match variable.owner {
        _ if is_fixed_channel[id] => Stored::FixedChannel,
        // Not packed in any case; a variable that is not read need not be stored beside the state either.
        _ if variable.hidden && is_read[id] && !is_scratch(program, id) => Stored::Hidden,
        _ if variable.hidden => Stored::Unread,
        // The variables of a claim belong to the claim.
        Owner::Never(_) => Stored::Yes,
        _ if reasons.constant && is_constant[id] => Stored::Constant,
        _ if reasons.unread && !is_read[id] => Stored::Unread,
        _ => Stored::Yes,
    });
    stored.collect()
}

/// Locals that other processes or properties refer to.
pub(super) fn remote_variables(program: &Program<'_>) -> IdVec<VariableId, bool> {
    let mut is_seen: IdVec<VariableId, bool> = program.model.variables.iter().map(|_| false).collect();
    let mut see = |expression: &Expr| {
        if let ExprKind::RemoteVariable { place, .. } = &expression.kind {
            is_seen[place.variable] = true;
        }
    };
    visit::program_expressions(program, &mut see);
    visit::claim_expressions(program, &mut see);
    if let Some(trace) = &program.model.trace {
        crate::model::visit::in_process(&trace.process, &mut see);
    }
    is_seen
}

/// The reads that influence behaviour.
struct Reads<'m> {
    model: &'m Model,
    is_read: IdVec<VariableId, bool>,
    /// The second is read to compute the first.
    feeds: Vec<(VariableId, VariableId)>,
}

/// The purpose of a value.
#[derive(Clone, Copy)]
enum For {
    /// It decides about behaviour.
    Real,
    /// To be stored in a variable.
    Variable(VariableId),
    /// No purpose.
    Show,
}

impl<'m> Reads<'m> {
    fn of(program: &Program<'m>, reasons: Reasons) -> IdVec<VariableId, bool> {
        let model = program.model;
        // A variable that nothing reads distinguishes states as long as it is packed: then it matters what feeds it.
        // Time passes as long as a timer is on; one that nothing asks adds ticks in which nothing happens, at the end.
        let is_read = |variable: &crate::model::Variable| {
            !reasons.unread && !variable.hidden || reasons.counts_steps && model.has_timer(variable.ty)
        };
        let is_read = model.variables.iter().map(is_read).collect();
        let mut reads = Reads { model, is_read, feeds: Vec::new() };
        program.graphs.iter().for_each(|graph| reads.graph(graph));
        for process in &model.proctypes {
            process.provided.iter().for_each(|provided| reads.expression(provided, For::Real));
            process.exclusive.iter().for_each(|(_, channel)| reads.place(&channel.place, For::Real));
        }
        for (id, variable) in model.variables.iter_enumerated() {
            match &variable.init {
                Init::All(value) => reads.value(value, For::Variable(id)),
                Init::List(values) => values.iter().for_each(|value| reads.value(value, For::Variable(id))),
                Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => {}
            }
        }
        // A property observes everything that it names.
        for claim in &program.claims {
            visit::actions(claim, &mut |action| reads.claim_action(action));
        }
        visit::claim_expressions(program, &mut |expression| reads.here(expression, For::Real));
        if let Some(trace) = &model.trace {
            crate::model::visit::in_process(&trace.process, &mut |expression| reads.here(expression, For::Real));
            crate::model::visit::each_statement(&trace.process.body, &mut |statement| {
                if let crate::model::StatementKind::Event { channel, .. } = &statement.kind {
                    reads.is_read[channel.place.variable] = true;
                }
            });
        }
        reads.spread();
        reads.is_read
    }

    /// A variable that is read to compute a relevant one is relevant.
    fn spread(&mut self) {
        loop {
            let mut is_done = true;
            for (fed, feeding) in &self.feeds {
                if self.is_read[*fed] && !self.is_read[*feeding] {
                    self.is_read[*feeding] = true;
                    is_done = false;
                }
            }
            if is_done {
                return;
            }
        }
    }

    fn graph(&mut self, graph: &Graph<'_>) {
        visit::actions(graph, &mut |action| self.action(action));
    }

    fn action(&mut self, action: &Action<'_>) {
        match action {
            Action::Condition(condition) | Action::Assert(condition) => self.expression(condition, For::Real),
            Action::Assign { target, value } => match target {
                Target::Place(place) => {
                    self.target(place);
                    self.value(value, For::Variable(place.variable));
                }
                // It may fail, whatever its results are for.
                Target::Priority | Target::Several(_) => self.expression(value, For::Real),
                Target::Ignore => self.value(value, For::Show),
            },
            Action::Send { channel, message, .. } => {
                self.place(&channel.place, For::Real);
                message.iter().for_each(|field| self.expression(field, For::Real));
            }
            Action::Receive { channel, pattern, .. } | Action::Event { channel, pattern, .. } => {
                self.place(&channel.place, For::Real);
                for part in *pattern {
                    match part {
                        Pattern::Store(place) => self.target(place),
                        Pattern::Equal(value) => self.expression(value, For::Real),
                        Pattern::Ignore => {}
                    }
                }
            }
            Action::Print(_) => {
                visit::printed_values(action, &mut |value| {
                    self.value(value, For::Show);
                    self.printed_timers(value);
                });
            }
            Action::DStep(_) | Action::Else | Action::Jump | Action::End => {}
        }
    }

    /// A timer that nothing else asks is not lowered: what is printed of it would be wrong.
    fn printed_timers(&mut self, value: &Expr) {
        visit::expression(value, &mut |part| {
            if let ExprKind::Read(place) = &part.kind
                && self.model.has_timer(self.model.variables[place.variable].ty)
            {
                self.is_read[place.variable] = true;
            }
        });
    }

    /// The channels that a claim uses; its expressions are visited elsewhere.
    fn claim_action(&mut self, action: &Action<'_>) {
        if let Action::Send { channel, .. } | Action::Receive { channel, .. } | Action::Event { channel, .. } = action {
            self.is_read[channel.place.variable] = true;
        }
    }

    /// A place that is stored in.
    fn target(&mut self, place: &Place) {
        self.indices(place, For::Variable(place.variable));
    }

    /// The indices of a place that is used for the sake of `why`. They matter by themselves if one can be out of
    /// bounds.
    fn indices(&mut self, place: &Place, why: For) {
        let why = if has_total_indices(self.model, place) { why } else { For::Real };
        indices(place).for_each(|index| self.expression(index, why));
    }

    /// A value that is computed for the sake of `why`. What decides whether the computation fails matters by itself,
    /// and nothing else does: `a[i]++` needs `i` to be in bounds, whatever `a` holds.
    fn value(&mut self, value: &Expr, why: For) {
        let model = self.model;
        let real_unless = |is_safe: bool| if is_safe { why } else { For::Real };
        match &value.kind {
            // The start of a process fails or not, whatever its arguments are.
            ExprKind::Run { .. } => self.expression(value, why),
            _ if is_total(model, value) => self.expression(value, why),
            ExprKind::Read(place) => {
                self.read(place.variable, why);
                self.indices(place, why);
            }
            ExprKind::Unary(UnaryOp::Not | UnaryOp::Negate | UnaryOp::Complement, inner) => self.value(inner, why),
            ExprKind::Binary(BinaryOp::Divide | BinaryOp::Remainder, left, right) => {
                let (dividend, divisor) = (ranges::of(left), ranges::of(right));
                let overflows = dividend.low <= i64::from(i32::MIN) && divisor.contains(-1);
                self.value(left, real_unless(!overflows));
                self.value(right, real_unless(!overflows && !divisor.contains(0)));
            }
            // The left side decides whether the right one is evaluated.
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.value(left, real_unless(is_total(model, right)));
                self.value(right, why);
            }
            ExprKind::Binary(_, left, right) => {
                self.value(left, why);
                self.value(right, why);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.value(condition, real_unless(is_total(model, yes) && is_total(model, no)));
                self.value(yes, why);
                self.value(no, why);
            }
            ExprKind::Constant(_)
            | ExprKind::Probe(..)
            | ExprKind::Poll { .. }
            | ExprKind::Timeout
            | ExprKind::Pid
            | ExprKind::ProcessCount
            | ExprKind::Last
            | ExprKind::NonProgress
            | ExprKind::Priority
            | ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::GetPriority(_)
            | ExprKind::SetPriority(..)
            | ExprKind::RemoteLabel { .. }
            | ExprKind::RemoteVariable { .. }
            | ExprKind::Host(_) => self.expression(value, For::Real),
        }
    }

    fn expression(&mut self, whole: &Expr, why: For) {
        if let ExprKind::Run { proctype, arguments, .. } = &whole.kind {
            let model = self.model;
            for (parameter, argument) in model.parameter_scalars(*proctype).iter().zip(arguments) {
                self.value(argument, For::Variable(parameter.variable));
            }
            return;
        }
        // The inside of a `run` inside is for its parameters only, but that is rare.
        visit::expression(whole, &mut |part| self.here(part, why));
    }

    /// What this expression itself reads, without its parts.
    fn here(&mut self, part: &Expr, why: For) {
        match &part.kind {
            ExprKind::Read(place) => self.read(place.variable, why),
            ExprKind::RemoteVariable { place, .. } => self.read(place.variable, why),
            ExprKind::Probe(_, channel) | ExprKind::Poll { channel, .. } => {
                self.read(channel.place.variable, For::Real);
            }
            _ => {}
        }
    }

    fn place(&mut self, place: &Place, why: For) {
        self.read(place.variable, why);
        indices(place).for_each(|index| self.expression(index, why));
    }

    fn read(&mut self, variable: VariableId, why: For) {
        match why {
            For::Real => self.is_read[variable] = true,
            For::Variable(fed) => self.feeds.push((fed, variable)),
            For::Show => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, named};
    use super::*;

    /// The variables that are not stored, in the order of the text.
    fn left_out(text: &str) -> Vec<String> {
        check(text, |_, facts, model| {
            let left_out = facts.stored.iter_enumerated().filter(|(_, stored)| **stored != Stored::Yes);
            left_out.map(|(id, stored)| format!("{} {stored:?}", named(model, id))).collect()
        })
    }

    #[test]
    fn what_nothing_reads_is_left_out() {
        assert_eq!(left_out("byte x; init { x = 1 }"), ["x Unread"]);
        assert_eq!(left_out("byte x, y; init { x++; y = x }"), ["x Unread", "y Unread"]);
        assert_eq!(left_out("byte x; init { x = 1; printf(\"%d\", x) }"), ["x Unread"]);
        assert_eq!(left_out("chan c = [1] of { byte }; init { byte x; c!1; c?x }"), ["c FixedChannel", "x Unread"]);
        assert_eq!(
            left_out("proctype p(byte n) { byte m = n; m = 1 } init { byte k; k = 2; run p(k) }"),
            ["n Unread", "m Unread", "k Unread"]
        );
    }

    #[test]
    fn what_decides_or_can_fail_is_read() {
        let nothing: [&str; 0] = [];
        for text in [
            "byte x; init { x = 1; x > 0 }",
            "byte x, y; init { x = 1; y = 5 / x; y < 3 }",
            "byte x; init { byte a[2]; x = 1; a[x] = 1; a[0] > 0 }",
            "byte x; init { x = 1; assert(x) }",
            "byte x; active proctype p() provided (x < 2) { x = 1 }",
            "byte x; init { x = 1 } ltl p { <> (x == 1) }",
            "byte x; init { x = 1 } never { do :: x == 0 od }",
            "active proctype p() { byte x; x = 1; skip } active proctype q() { p:x == 1 }",
        ] {
            assert_eq!(left_out(text), nothing, "{text}");
        }
        // The index can be outside, so it is read; the array is not.
        assert_eq!(left_out("byte i, a[2]; init { i = 2; a[i] = 1 }"), ["a Unread"]);
        assert_eq!(left_out("bit i; byte a[2]; init { i = 1; a[i] = 1 }"), ["i Unread", "a Unread"]);
        assert_eq!(left_out("byte x, y; init { x = 1; y = 3 / x }"), ["y Unread"]);
    }

    #[test]
    fn what_can_fail_does_not_depend_on_what_is_divided_or_in_an_array() {
        assert_eq!(left_out("int a[3]; active [2] proctype p() { do :: a[_pid]++ od }"), ["a Unread"]);
        assert_eq!(
            left_out("int a[3]; active [2] proctype p() priority 2 { do :: a[_pid]++; set_priority(_pid, 1) od }"),
            ["a Unread"]
        );
        assert_eq!(left_out("byte i; int a[2]; init { do :: i++; a[i] = -a[i] + a[i + 1] + 1 od }"), ["a Unread"]);
        assert_eq!(
            left_out("byte x, y, z; init { do :: y++; x = x / y; z = x % (y + 1) od }"),
            ["x Unread", "z Unread"]
        );
        // Whether the right side is computed, and fails, depends on the left one.
        assert_eq!(
            left_out("byte i, x, y, a[2]; init { do :: i++; a[0]++; x++; y = x && a[i] od }"),
            ["y Unread", "a Unread"]
        );
        assert_eq!(
            left_out("byte i, x, y, a[2]; init { do :: i++; a[0]++; x++; y = (x -> a[i] : 0) od }"),
            ["y Unread", "a Unread"]
        );
        // The least number cannot be divided by -1.
        assert_eq!(left_out("int x, y; init { do :: y++; x++; x = x / y od }"), [""; 0]);
    }

    #[test]
    fn messages_and_patterns_are_read() {
        let head = "chan c = [1] of { byte }; byte x;";
        for body in ["x = 1; c!x", "x = 1; c?eval(x)", "x = 1; c?[eval(x)]"] {
            assert_eq!(left_out(&format!("{head} init {{ {body} }}")), ["c FixedChannel"], "{body}");
        }
    }

    #[test]
    fn what_never_changes_is_left_out() {
        assert_eq!(left_out("byte n = 3, t[4] = 2; byte i; init { i++; n > t[i & 3] }"), ["n Constant", "t Constant"]);
    }
}
