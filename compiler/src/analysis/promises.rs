//! Uses of channels that break a promise (`xr`, `xs`) of another process and that no analysis can rule out: they are
//! checked at run time.
//!
//! A promise is broken in a state in which a process is at a statement that uses a side of a channel, enabled or not,
//! while another living process has exclusive use of that side: its declaration denotes that channel. The check needs
//! only the state, so it adds nothing to it, and a replay can repeat it.
//!
//! That is enough for a search whose reduction believes the promise. Take a run to the first state in which the promise
//! is broken, and a step of the promising process that an ample set takes before. Up to that state no other process
//! uses the side, so the steps of the run can follow unchanged, and the process that breaks the promise still reaches
//! its statement. Only the end of the promising process would hide the violation: it must not be taken first, nor may a
//! step that changes what the declaration denotes ([`exclusive`](super::exclusive) ensures both).
//!
//! A send, `full` and `nfull` use the sending side, a receive, a poll, `empty` and `nempty` the receiving one, and `len`
//! both. For Spin a poll, `empty` and `full` use both, too (`docs/differences-from-spin.md`). Some of these depend on the other side, too (`q??x` reads the whole queue), and
//! there are uses at which no process can be: behind the beginning of a `d_step`, in a `provided` clause, in an initial
//! value. Those break no promise, but where they exist no promise is relied on: see [`Promises::is_checked`].

use super::exclusive::{Exclusive, Status};
use crate::collections::IdVec;
use crate::ir::{Action, Graph, Program, Transition, TransitionId, visit};
use crate::model::{BinaryOp, ChannelRef, Expr, ExprKind, Init, Probe, ProctypeId, Side, SiteId};

#[derive(Clone, Debug, Default)]
pub struct Promises {
    /// The declarations that are not proved.
    pub declared: Vec<Declared>,
    /// The uses of each statement that another process may have reserved.
    pub uses: IdVec<ProctypeId, IdVec<TransitionId, Vec<ChannelUse>>>,
    /// Dependences on a side of a channel that are not checked.
    unchecked: Vec<ChannelUse>,
}

/// An `xr` or `xs`, of every process of a proctype.
#[derive(Clone, Debug)]
pub struct Declared {
    pub proctype: ProctypeId,
    pub side: Side,
    pub channel: ChannelRef,
}

/// One side of a channel is used.
#[derive(Clone, Debug)]
pub struct ChannelUse {
    pub side: Side,
    pub channel: ChannelRef,
}

impl Promises {
    pub(super) fn analyze(
        program: &Program<'_>,
        exclusives: &[Exclusive],
        proctype_of: &dyn Fn(&Exclusive) -> ProctypeId,
    ) -> Self {
        let mut declared: Vec<Declared> = Vec::new();
        for exclusive in exclusives.iter().filter(|exclusive| exclusive.status != Status::Proved) {
            let (proctype, side, channel) = (proctype_of(exclusive), exclusive.side, exclusive.channel.clone());
            let is_known = |other: &Declared| {
                other.proctype == proctype && other.side == side && other.channel.place.span == channel.place.span
            };
            if !declared.iter().any(is_known) {
                declared.push(Declared { proctype, side, channel });
            }
        }
        let wanted = Wanted { program, declared: &declared };
        let mut unchecked = Vec::new();
        let uses = program.graphs.iter().map(|graph| wanted.in_graph(graph, &mut unchecked)).collect();
        wanted.outside(&mut unchecked);
        Self { declared, uses, unchecked }
    }

    /// Whether there is anything to check at run time.
    pub fn is_needed(&self) -> bool {
        self.uses.iter().any(|transitions| transitions.iter().any(|uses| !uses.is_empty()))
    }

    /// Whether every dependence on this side of the channel is checked, so that a search may rely on a promise about
    /// it.
    pub fn is_checked(&self, side: Side, channel: &ChannelRef) -> bool {
        !self.unchecked.iter().any(|it| it.side == side && shares_site(&it.channel.sites, &channel.sites))
    }
}

fn shares_site(one: &[SiteId], other: &[SiteId]) -> bool {
    one.iter().any(|site| other.contains(site))
}

struct Wanted<'a, 'm> {
    program: &'a Program<'m>,
    declared: &'a [Declared],
}

/// The channels that a statement depends on.
#[derive(Default)]
struct ChannelDependence {
    uses: Vec<ChannelUse>,
    unchecked: Vec<ChannelUse>,
}

impl Wanted<'_, '_> {
    fn in_graph(&self, graph: &Graph<'_>, unchecked: &mut Vec<ChannelUse>) -> IdVec<TransitionId, Vec<ChannelUse>> {
        let mut found_at = |transition: &Transition<'_>| {
            let mut found = self.dependence_at(&transition.action);
            transition.merged.iter().for_each(|merged| found.hide(self.of(&merged.action)));
            unchecked.append(&mut found.unchecked);
            found.uses
        };
        graph.transitions.iter().map(&mut found_at).collect()
    }

    /// The uses of a statement at which a process is.
    fn dependence_at(&self, action: &Action<'_>) -> ChannelDependence {
        let Action::DStep(inner) = action else { return self.of(action) };
        let start = &inner.locations[inner.start];
        let mut all = ChannelDependence::default();
        for (id, transition) in inner.transitions.iter_enumerated() {
            let found = self.dependence_at(&transition.action);
            if start.leaving.contains(&id) {
                all.uses.extend(found.uses);
                all.unchecked.extend(found.unchecked);
            } else {
                all.hide(found);
            }
        }
        all
    }

    /// The uses at which no process can be.
    fn outside(&self, unchecked: &mut Vec<ChannelUse>) {
        let mut found = ChannelDependence::default();
        for process in &self.program.model.proctypes {
            let values = process.locals.iter().flat_map(|local| match &self.program.model.variables[*local].init {
                Init::All(value) => std::slice::from_ref(value),
                Init::List(values) => &values[..],
                Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => &[],
            });
            values.chain(&process.provided).for_each(|value| self.value(value, &mut found));
        }
        unchecked.append(&mut found.uses);
        unchecked.append(&mut found.unchecked);
    }

    /// The uses of one statement; none for a `d_step`.
    fn of(&self, action: &Action<'_>) -> ChannelDependence {
        let mut found = ChannelDependence::default();
        match action {
            Action::Send { channel, sorted, .. } => self.add(channel, Side::Send, *sorted, &mut found),
            Action::Receive { channel, random, .. } => self.add(channel, Side::Receive, *random, &mut found),
            Action::Condition(condition) => {
                self.condition(condition, &mut found);
                return found;
            }
            Action::DStep(_) => return found,
            Action::Assign { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::Else
            | Action::Jump
            | Action::End
            | Action::Event { .. } => {}
        }
        visit::action_expressions(action, &mut |expression| self.look(expression, &mut found));
        found
    }

    /// `nempty` and `nfull` use one side only, as guards.
    fn condition(&self, condition: &Expr, found: &mut ChannelDependence) {
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.condition(left, found);
                self.condition(right, found);
            }
            ExprKind::Probe(Probe::Nempty, channel) => self.add(channel, Side::Receive, false, found),
            ExprKind::Probe(Probe::Nfull, channel) => self.add(channel, Side::Send, false, found),
            _ => self.value(condition, found),
        }
    }

    fn value(&self, value: &Expr, found: &mut ChannelDependence) {
        visit::expression(value, &mut |expression| self.look(expression, found));
    }

    fn look(&self, expression: &Expr, found: &mut ChannelDependence) {
        match &expression.kind {
            ExprKind::Probe(Probe::Len, channel) => {
                self.add(channel, Side::Receive, false, found);
                self.add(channel, Side::Send, false, found);
            }
            ExprKind::Probe(Probe::Empty | Probe::Nempty, channel) | ExprKind::Poll { channel, .. } => {
                self.add(channel, Side::Receive, true, found);
            }
            ExprKind::Probe(Probe::Full | Probe::Nfull, channel) => self.add(channel, Side::Send, true, found),
            _ => {}
        }
    }

    /// A use of one side. One that reads the whole queue depends on the other side, too.
    fn add(&self, channel: &ChannelRef, side: Side, is_whole: bool, found: &mut ChannelDependence) {
        if self.is_declared(channel, side) {
            found.uses.push(ChannelUse { side, channel: channel.clone() });
        }
        let other = match side {
            Side::Send => Side::Receive,
            Side::Receive => Side::Send,
        };
        if is_whole && self.is_declared(channel, other) {
            found.unchecked.push(ChannelUse { side: other, channel: channel.clone() });
        }
    }

    fn is_declared(&self, channel: &ChannelRef, side: Side) -> bool {
        self.declared.iter().any(|it| it.side == side && shares_site(&it.channel.sites, &channel.sites))
    }
}

impl ChannelDependence {
    /// Adds uses at which no process can be.
    fn hide(&mut self, found: ChannelDependence) {
        self.unchecked.extend(found.uses);
        self.unchecked.extend(found.unchecked);
    }
}
