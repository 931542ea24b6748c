//! `for` and `select`, as the loops and choices that they are short for.
//!
//! Each is built exactly as Spin builds it, so that states and steps agree.
//!
//! ```promela
//! for (i : a .. b) { body }      i = a; do :: i <= b -> body; i++ :: else -> break od
//! select (i : 2 .. 4)            if :: i = 2 :: i = 3 :: i = 4 fi
//! select (i : a .. b)            i = a; do :: break :: i < b -> i++ od
//! for (m in q) { body }          k = 0; do :: k < len(q) -> q?m; q!m; body; k++ :: else -> break od
//! ```

use super::{BinaryOp, ChannelRef, Choice, Expr, ExprKind, Pattern, Place, Probe, Statement, StatementKind, Target};
use crate::source::Span;

/// Constant ranges up to this difference are listed, larger ones counted.
pub const LISTED_RANGE: i32 = 32;

/// `for (variable : from .. to) body`. The bound is evaluated in each round.
pub fn for_range(variable: Place, from: Expr, to: Expr, body: Vec<Statement>, span: Span) -> Vec<Statement> {
    let within = compare(BinaryOp::LessEqual, &variable, to, span);
    let mut round = vec![step(StatementKind::Condition(within), span)];
    round.extend(body);
    round.push(increment(&variable, span));
    vec![assign(variable, from, span), rounds(round, span)]
}

/// `for (message in channel) body`: every message is taken out and put back.
pub fn for_messages(
    counter: Place,
    channel: ChannelRef,
    message: Vec<Place>,
    body: Vec<Statement>,
    span: Span,
) -> Vec<Statement> {
    let length = Expr::new(ExprKind::Probe(Probe::Len, channel.clone()), span);
    let more = compare(BinaryOp::Less, &counter, length, span);
    let read = |place: &Place| Expr::new(ExprKind::Read(place.clone()), span);
    let put_back = message.iter().map(read).collect();
    let pattern = message.into_iter().map(Pattern::Store).collect();
    let receive = StatementKind::Receive { channel: channel.clone(), random: false, peek: false, pattern };
    let send = StatementKind::Send { channel, sorted: false, message: put_back };
    let mut round = vec![step(StatementKind::Condition(more), span), step(receive, span), step(send, span)];
    round.extend(body);
    round.push(increment(&counter, span));
    vec![assign(counter, Expr::constant(0, span), span), rounds(round, span)]
}

/// `select (variable : from .. to)` with few constants.
pub fn select_listed(variable: &Place, from: i32, to: i32, span: Span) -> Statement {
    let choose = |value| Choice { body: vec![assign(variable.clone(), Expr::constant(value, span), span)], span };
    step(StatementKind::If((from..=to).map(choose).collect()), span)
}

/// `select` by counting. Which option comes first is Spin's choice too: it
/// tries to go on first if both ends are constants.
pub fn select_counted(variable: Place, from: Expr, to: Expr, go_on_first: bool, span: Span) -> Vec<Statement> {
    let below = compare(BinaryOp::Less, &variable, to, span);
    let go_on = Choice { body: vec![step(StatementKind::Condition(below), span), increment(&variable, span)], span };
    let stop = Choice { body: vec![step(StatementKind::Break, span)], span };
    let options = if go_on_first { vec![go_on, stop] } else { vec![stop, go_on] };
    vec![assign(variable, from, span), step(StatementKind::Do(options), span)]
}

/// `do :: round :: else -> break od`
fn rounds(round: Vec<Statement>, span: Span) -> Statement {
    let stop = vec![step(StatementKind::Else, span), step(StatementKind::Break, span)];
    step(StatementKind::Do(vec![Choice { body: round, span }, Choice { body: stop, span }]), span)
}

fn compare(op: BinaryOp, variable: &Place, other: Expr, span: Span) -> Expr {
    let read = Expr::new(ExprKind::Read(variable.clone()), variable.span);
    Expr::new(ExprKind::Binary(op, Box::new(read), Box::new(other)), span)
}

fn increment(variable: &Place, span: Span) -> Statement {
    let more = compare(BinaryOp::Add, variable, Expr::constant(1, span), span);
    assign(variable.clone(), more, span)
}

pub(super) fn assign(target: Place, value: Expr, span: Span) -> Statement {
    step(StatementKind::Assign { target: Target::Place(target), value }, span)
}

pub(super) fn step(kind: StatementKind, span: Span) -> Statement {
    Statement { labels: Vec::new(), kind, span }
}
