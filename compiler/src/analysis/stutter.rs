//! Whether a handwritten claim is stutter-closed.
//!
//! A sufficient test, over all values v of the claim's conditions (p -v-> p' means that an edge from p to p' is enabled
//! under v):
//!
//! - for each p -v-> p' there is p -v-> p or p' -v-> p': the claim can wait;
//! - for each p -v-> p1 -v-> p2 there is p -v-> p2, and p1 does not accept unless
//!   it is p or p2: it can take two steps for one.
//!
//! Errs towards not stutter-closed.

use super::visibility::{Obstacle, ObstacleCause};
use crate::collections::Id;
use crate::ir::{Action, Graph, LocationId};
use crate::model::{BinaryOp, ChannelRef, Expr, ExprKind, Pattern, Place, UnaryOp};
use crate::source::Span;

/// The values of more conditions are too many to enumerate.
const MOST_CONDITIONS: usize = 10;

/// Larger claims are not tested.
const MOST_LOCATIONS: usize = 200;

/// The obstacle to reduction; `None` if the claim passes the test.
pub(super) fn obstacle(graph: &Graph<'_>, claim: Span) -> Option<Obstacle> {
    let because = |cause: ObstacleCause, span: Span| Some(Obstacle { cause, span });
    let mut test = StutterTest { atoms: Vec::new(), edges: Vec::new() };
    if graph.locations.len() > MOST_LOCATIONS {
        return because(ObstacleCause::Untested, claim);
    }
    if let Err(span) = test.read(graph) {
        return because(ObstacleCause::Untested, span);
    }
    if test.atoms.len() > MOST_CONDITIONS {
        return because(ObstacleCause::TooManyConditions, claim);
    }
    let accepts = |node: usize| {
        let location = &graph.locations[LocationId::from_index(node)];
        location.is_accept || is_end(graph, LocationId::from_index(node))
    };
    let failing = (0..1 << test.atoms.len()).find_map(|values| test.fails(values, graph.locations.len(), &accepts));
    failing.and_then(|span| because(ObstacleCause::NotStutterClosed, span))
}

/// A condition over numbered atoms.
enum AtomFormula {
    Constant(bool),
    Atom(usize),
    Not(Box<AtomFormula>),
    And(Box<AtomFormula>, Box<AtomFormula>),
    Or(Box<AtomFormula>, Box<AtomFormula>),
}

impl AtomFormula {
    fn holds(&self, values: u32) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Atom(number) => values >> number & 1 == 1,
            Self::Not(inner) => !inner.holds(values),
            Self::And(left, right) => left.holds(values) && right.holds(values),
            Self::Or(left, right) => left.holds(values) || right.holds(values),
        }
    }
}

struct ClaimEdge {
    from: usize,
    to: usize,
    /// Edges before it in the list of those that leave `from` must be disabled.
    is_else: bool,
    condition: AtomFormula,
    span: Span,
}

struct StutterTest {
    /// Conditions with the same text are the same atom.
    atoms: Vec<String>,
    edges: Vec<ClaimEdge>,
}

/// Whether the claim ends here: that is a violation for good.
fn is_end(graph: &Graph<'_>, at: LocationId) -> bool {
    graph.locations[at].leaving.iter().any(|id| matches!(graph.transitions[*id].action, Action::End))
}

impl StutterTest {
    /// Fails with the position of a construct that is not tested.
    fn read(&mut self, graph: &Graph<'_>) -> Result<(), Span> {
        for (at, location) in graph.locations.iter_enumerated() {
            if !location.escapes.is_empty() {
                return Err(location.span);
            }
            for id in &location.leaving {
                let transition = &graph.transitions[*id];
                let (condition, is_else) = match &transition.action {
                    Action::Condition(condition) => (self.formula(condition), false),
                    Action::Else => (AtomFormula::Constant(true), true),
                    Action::Jump | Action::End => (AtomFormula::Constant(true), false),
                    Action::Assign { .. }
                    | Action::Send { .. }
                    | Action::Receive { .. }
                    | Action::Assert(_)
                    | Action::Print(_)
                    | Action::Event { .. }
                    | Action::DStep(_) => return Err(transition.span),
                };
                if transition.keeps_control {
                    return Err(transition.span);
                }
                let to = transition.to.unwrap_or(at).index();
                self.edges.push(ClaimEdge { from: at.index(), to, is_else, condition, span: transition.span });
            }
        }
        Ok(())
    }

    fn formula(&mut self, expression: &Expr) -> AtomFormula {
        let atom = |test: &mut Self, text: String| {
            let known = test.atoms.iter().position(|atom| *atom == text);
            AtomFormula::Atom(known.unwrap_or_else(|| {
                test.atoms.push(text);
                test.atoms.len() - 1
            }))
        };
        match &expression.kind {
            ExprKind::Constant(value) => AtomFormula::Constant(*value != 0),
            ExprKind::Unary(UnaryOp::Not, inner) => AtomFormula::Not(Box::new(self.formula(inner))),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                AtomFormula::And(Box::new(self.formula(left)), Box::new(self.formula(right)))
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                AtomFormula::Or(Box::new(self.formula(left)), Box::new(self.formula(right)))
            }
            ExprKind::Binary(op, left, right) => {
                let opposite = match op {
                    BinaryOp::NotEqual => Some(BinaryOp::Equal),
                    BinaryOp::GreaterEqual => Some(BinaryOp::Less),
                    BinaryOp::Greater => Some(BinaryOp::LessEqual),
                    _ => None,
                };
                let of = |op: BinaryOp| format!("{op:?}({},{})", text(left), text(right));
                match opposite {
                    Some(op) => AtomFormula::Not(Box::new(atom(self, of(op)))),
                    None => atom(self, of(*op)),
                }
            }
            _ => atom(self, text(expression)),
        }
    }

    /// The edge at which the test fails under these values.
    fn fails(&self, values: u32, n_locations: usize, accepts: &dyn Fn(usize) -> bool) -> Option<Span> {
        let mut next: Vec<Vec<(usize, Span)>> = vec![Vec::new(); n_locations];
        for edge in &self.edges {
            let is_open = if edge.is_else { next[edge.from].is_empty() } else { edge.condition.holds(values) };
            if is_open {
                next[edge.from].push((edge.to, edge.span));
            }
        }
        let leads = |from: usize, to: usize| next[from].iter().any(|(target, _)| *target == to);
        for from in 0..n_locations {
            for (to, span) in &next[from] {
                if !leads(from, from) && !leads(*to, *to) {
                    return Some(*span);
                }
                let skips =
                    |(last, _): &(usize, Span)| leads(from, *last) && (!accepts(*to) || *to == from || to == last);
                if !next[*to].iter().all(skips) {
                    return Some(*span);
                }
            }
        }
        None
    }
}

/// The text of an expression, independent of its position.
fn text(expression: &Expr) -> String {
    match &expression.kind {
        ExprKind::Constant(value) => value.to_string(),
        ExprKind::Read(place) => of_place(place),
        ExprKind::Unary(op, inner) => format!("{op:?}({})", text(inner)),
        ExprKind::Binary(op, left, right) => format!("{op:?}({},{})", text(left), text(right)),
        ExprKind::Conditional(condition, yes, no) => {
            format!("if({},{},{})", text(condition), text(yes), text(no))
        }
        ExprKind::Probe(probe, channel) => format!("{probe:?}({})", of_channel(channel)),
        ExprKind::Poll { channel, random, pattern } => {
            let fields: Vec<String> = pattern.iter().map(of_field).collect();
            format!("poll{random}({},{})", of_channel(channel), fields.join(","))
        }
        ExprKind::RemoteLabel { proctype, pid, label } => {
            format!("label({},{},{})", proctype.0, of_pid(pid.as_deref()), label.0)
        }
        ExprKind::RemoteVariable { proctype, pid, place } => {
            format!("remote({},{},{})", proctype.0, of_pid(pid.as_deref()), of_place(place))
        }
        ExprKind::ProcessCount => "_nr_pr".to_owned(),
        ExprKind::NonProgress => "np_".to_owned(),
        // Equal only at the same position.
        ExprKind::Run { .. }
        | ExprKind::Host(_)
        | ExprKind::Timeout
        | ExprKind::Pid
        | ExprKind::Last
        | ExprKind::Priority
        | ExprKind::Enabled(_)
        | ExprKind::PcValue(_)
        | ExprKind::GetPriority(_)
        | ExprKind::SetPriority(..) => format!("{:?}", expression.span),
    }
}

fn of_pid(pid: Option<&Expr>) -> String {
    pid.map(text).unwrap_or_default()
}

fn of_field(field: &Pattern) -> String {
    match field {
        Pattern::Equal(value) => text(value),
        Pattern::Store(_) | Pattern::Ignore => "_".to_owned(),
    }
}

fn of_channel(channel: &ChannelRef) -> String {
    of_place(&channel.place)
}

fn of_place(place: &Place) -> String {
    let index =
        |index: &Option<Box<Expr>>| index.as_ref().map(|index| format!("[{}]", text(index))).unwrap_or_default();
    let fields: String = place.fields.iter().map(|field| format!(".{}{}", field.field, index(&field.index))).collect();
    format!("v{}{}{fields}", place.variable.0, index(&place.index))
}
