//! Uses of channels that another process may have promised to use alone (`xr`,
//! `xs`) and that no analysis can rule out: they are checked while the model runs.
//!
//! A promise is broken in a state in which a process stands at a statement that
//! uses a side of a channel, executable or not, while another living process has
//! that side for itself: what its declaration names there is that channel. That
//! asks for nothing but the state, so it adds nothing to it, and a replay can see
//! it, too.
//!
//! It is enough for a search that leaves out steps because it believes the promise.
//! Take a run to the first state in which it is broken, and a step of the one who
//! promised that was taken ahead of it. Up to that state nobody else uses the side,
//! so the steps of the run can follow as they were, and whoever breaks the promise
//! still comes to stand where he does. Only the end of the one who promised would
//! hide it: it must not be taken ahead of others, nor may a step that changes what
//! the declaration names ([`exclusive`](super::exclusive) sees to both).
//!
//! What counts as a use is what Spin takes for one: a send, `full` and `nfull` use
//! the sending side, a receive, a poll, `empty` and `nempty` the receiving one, and
//! `len` both. Some of these depend on the other side, too (`q??x` looks at the
//! whole queue), and there are uses that nobody stands at: behind the beginning of
//! a `d_step`, in a `provided` clause, in an initial value. Those break no promise,
//! but where they are it must not be relied on: see [`Promises::is_checked`].

use super::exclusive::{Exclusive, Status};
use crate::collections::IdVec;
use crate::ir::{Action, Graph, Program, Transition, TransitionId, visit};
use crate::model::{BinaryOp, ChannelRef, Expr, ExprKind, Init, Probe, ProctypeId, Side, SiteId};

#[derive(Clone, Debug, Default)]
pub struct Promises {
    /// The declarations that are not proved.
    pub declared: Vec<Declared>,
    /// What each statement uses that may be somebody else's.
    pub uses: IdVec<ProctypeId, IdVec<TransitionId, Vec<ChannelUse>>>,
    /// What depends on a side of a channel and is not looked at.
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

    /// Whether there is anything to look at while the model runs.
    pub fn is_needed(&self) -> bool {
        self.uses.iter().any(|transitions| transitions.iter().any(|uses| !uses.is_empty()))
    }

    /// Whether everything that depends on this side of the channel is looked at, so that a search may rely on a promise
    /// about it.
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

/// What a statement depends on.
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

    /// What is used as soon as a statement is tried.
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

    /// What nobody stands at.
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

    /// What one statement uses; of a `d_step` nothing.
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

    /// `nempty` and `nfull` are about one side only, where they are waited for.
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

    /// One side is used. What looks at the whole queue depends on the other one, too.
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
    /// Adds what nobody stands at.
    fn hide(&mut self, found: ChannelDependence) {
        self.unchecked.extend(found.uses);
        self.unchecked.extend(found.unchecked);
    }
}
