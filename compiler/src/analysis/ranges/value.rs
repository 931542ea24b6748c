//! The range of an expression at a location of a process.

use super::interval::{Range, of_binary, of_type, unwrapped_negation};
use super::step::AbstractStep;
use crate::model::{BinaryOp, Expr, ExprKind, Pattern, Place, Probe, UnaryOp};

impl<'m> AbstractStep<'_, 'm> {
    pub(super) fn value(&mut self, expression: &'m Expr) -> Range {
        let value = self.value_of(expression);
        // The system moves between the moves of a claim, so that the abstract state is not what the claim sees.
        if self.by < self.world.own_pids.len() {
            self.notebook.note(expression, value);
        }
        value
    }

    fn value_of(&mut self, expression: &'m Expr) -> Range {
        let world = self.world;
        match &expression.kind {
            ExprKind::Constant(value) => Range::constant(*value),
            ExprKind::Read(place) => {
                self.evaluate_indices(place);
                self.read(place)
            }
            // All variables of a process that does not exist are 0.
            ExprKind::RemoteVariable { place, pid, .. } => {
                pid.iter().for_each(|pid| _ = self.value(pid));
                self.evaluate_indices(place);
                self.summary[world.cell(place)].unwrap_or(Range::ZERO).join(Range::ZERO)
            }
            ExprKind::Unary(op, inner) => {
                let inner = self.value(inner);
                match op {
                    UnaryOp::Not if inner == Range::ZERO => Range::constant(1),
                    UnaryOp::Not if !inner.contains(0) => Range::ZERO,
                    UnaryOp::Not => Range::TRUTH,
                    UnaryOp::Negate => unwrapped_negation(inner).wrapped(),
                    UnaryOp::Complement => Range { low: -1 - inner.high, high: -1 - inner.low },
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                known_truth(*op, left, right).unwrap_or_else(|| of_binary(*op, left, right).wrapped())
            }
            ExprKind::Conditional(condition, yes, no) => {
                let yes = self.value_if(condition, true, yes);
                let no = self.value_if(condition, false, no);
                match (yes, no) {
                    (Some(yes), Some(no)) => yes.join(no),
                    (Some(only), None) | (None, Some(only)) => only,
                    (None, None) => Range::ANY,
                }
            }
            ExprKind::Pid => world.own_pids.get(self.by).copied().unwrap_or(Range::ZERO),
            ExprKind::Run { .. } | ExprKind::Last => world.pids,
            ExprKind::ProcessCount => Range { low: 0, high: world.pids.high + 1 },
            ExprKind::Priority => Range { low: 0, high: 256 },
            ExprKind::GetPriority(pid) => {
                self.value(pid);
                Range { low: 0, high: 256 }
            }
            ExprKind::SetPriority(pid, priority) => {
                self.value(pid);
                self.value(priority);
                Range { low: 0, high: 256 }
            }
            ExprKind::Probe(Probe::Len, channel) => {
                self.evaluate_indices(&channel.place);
                let capacities = channel.sites.iter().map(|site| i64::from(world.model.sites[*site].capacity));
                Range { low: 0, high: capacities.max().unwrap_or(0) }
            }
            ExprKind::Probe(Probe::Empty | Probe::Nempty | Probe::Full | Probe::Nfull, channel) => {
                self.evaluate_indices(&channel.place);
                Range::TRUTH
            }
            ExprKind::Poll { channel, pattern, .. } => {
                self.evaluate_indices(&channel.place);
                self.evaluate_pattern(pattern);
                Range::TRUTH
            }
            ExprKind::Enabled(pid) => {
                self.value(pid);
                Range::TRUTH
            }
            ExprKind::RemoteLabel { pid, .. } => {
                pid.iter().for_each(|pid| _ = self.value(pid));
                Range::TRUTH
            }
            ExprKind::Timeout | ExprKind::NonProgress => Range::TRUTH,
            ExprKind::Host(call) => {
                call.arguments.iter().for_each(|argument| _ = self.value(argument));
                Range::ANY
            }
            ExprKind::PcValue(pid) => {
                self.value(pid);
                Range { low: 0, high: Range::ANY.high }
            }
        }
    }

    /// The indices of a place are evaluated whenever the place is used.
    pub(super) fn evaluate_indices(&mut self, place: &'m Place) {
        let indices = place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref()));
        indices.for_each(|index| _ = self.value(index));
    }

    /// A receive computes its patterns before it compares.
    pub(super) fn evaluate_pattern(&mut self, pattern: &'m [Pattern]) {
        for field in pattern {
            if let Pattern::Equal(value) = field {
                self.value(value);
            }
        }
    }

    /// The range if a condition holds, or does not; `None` if that is impossible.
    fn value_if(&mut self, condition: &'m Expr, truth: bool, expression: &'m Expr) -> Option<Range> {
        let before = self.environment.clone();
        let value = self.assume(condition, truth).then(|| self.value(expression));
        self.environment = before;
        value
    }

    pub(super) fn read(&self, place: &'m Place) -> Range {
        let cell = self.world.cell(place);
        let all = self.summary[cell].unwrap_or(of_type(place.ty));
        if let Some(slot) = self.slots.of(cell) {
            let here = self.environment.slots[slot];
            return if self.slots.list[slot].is_shared { here.meet(all).unwrap_or(here) } else { here };
        }
        match self.environment.element(place) {
            Some(here) => here.meet(all).unwrap_or(here),
            None => all,
        }
    }
}

/// The result of a comparison, if it is certain.
fn known_truth(op: BinaryOp, left: Range, right: Range) -> Option<Range> {
    let (is_true, is_false) = match op {
        BinaryOp::Less => (left.high < right.low, left.low >= right.high),
        BinaryOp::LessEqual => (left.high <= right.low, left.low > right.high),
        BinaryOp::Greater => (left.low > right.high, left.high <= right.low),
        BinaryOp::GreaterEqual => (left.low >= right.high, left.high < right.low),
        BinaryOp::Equal => (left.low == left.high && left == right, left.meet(right).is_none()),
        BinaryOp::NotEqual => (left.meet(right).is_none(), left.low == left.high && left == right),
        BinaryOp::And => (!left.contains(0) && !right.contains(0), left == Range::ZERO || right == Range::ZERO),
        BinaryOp::Or => (!left.contains(0) || !right.contains(0), left == Range::ZERO && right == Range::ZERO),
        _ => return None,
    };
    match (is_true, is_false) {
        (true, _) => Some(Range::constant(1)),
        (_, true) => Some(Range::ZERO),
        _ => None,
    }
}
