//! Variables that grow without bound: the state space is as large as their types, and few searches come to its end.
//!
//! Such a variable has a statement that adds to it where no guard keeps the sum within the type, and that can be
//! executed again and again. The second half is what separates a counter of an endless loop from the sum of a `for`
//! loop, for which intervals know no bound either. An edge of the control flow is *finite* if every run takes it only
//! so often; that grows to a fixed point from these rules:
//!
//! - an edge that the ranges never reach, or that is on no cycle of edges that are not finite, if its process is started
//!   only so often;
//! - all edges that add to a variable, if those that are not finite and store in it move it in one direction, within
//!   its type: so many moves there are, and not more;
//! - a receive from channels to which all sends are finite, and a send to channels from which all receives are.
//!
//! For each variable that is left, the rules are applied again under the assumption that it grows beyond every bound: then
//! the edges that wait for a small value of it, of whatever process, are finite, too. If the addition is finite then, the
//! assumption is wrong.
//!
//! This errs towards less growth where it is not certain: if a variable is also decremented or set, it counts only if a
//! cycle without conditions adds to it. It may name a variable whose guard stops being true for a reason that
//! is not seen here, since an interval per variable relates no two of them.

use super::cells::{CellContent, CellId};
use super::environment::is_same_place;
use super::flow::{Flow, FlowEdge};
use super::interval::{Range, of_type};
use super::step::addition;
use super::{Ranges, World};
use crate::analysis::Stored;
use crate::analysis::components::components;
use crate::collections::{Id, IdVec};
use crate::ir::{Action, Program};
use crate::model::{BinaryOp, Expr, ExprKind, Owner, Place, ProctypeId, Side, SiteId, Target, VariableId};
use crate::source::Span;

/// A variable that grows, and the statement that makes it grow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growing {
    pub variable: VariableId,
    /// The fields that lead to the scalar.
    pub fields: Vec<u32>,
    pub span: Span,
}

/// Smaller types end soon: 256 values of a `byte` make no space endless.
const FEWEST_VALUES: i64 = 1 << 12;

/// The variables that grow, in the order of their declarations.
pub(super) fn find(program: &Program<'_>, world: &World<'_, '_>, ranges: &Ranges) -> Vec<Growing> {
    let flows =
        program.graphs.iter_enumerated().map(|(id, graph)| Flow::new(graph, Some(&world.basis.dead.resets[id])));
    let flows: Vec<Flow<'_, '_>> = flows.collect();
    let mut edges = Edges::new(&flows, world, ranges);
    if !edges.list.iter().any(|edge| edge.stores.iter().any(|store| store.grows)) {
        return Vec::new();
    }
    edges.find_finite();
    let mut growing: Vec<Growing> = Vec::new();
    for cell in world.cells.list.ids() {
        growing.extend(edges.growing(cell));
    }
    growing
}

/// The direction in which a store moves a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
    Elsewhere,
}

/// A store in a cell.
struct Store<'p> {
    cell: CellId,
    direction: Direction,
    /// The sum may leave the type.
    leaves: bool,
    /// It leaves a type that is large enough to matter, and the cell is part of the state.
    grows: bool,
    /// The place and the statement, unless it is a reset.
    by: Option<(&'p Place, Span)>,
}

impl Store<'_> {
    fn growing(&self) -> Growing {
        let (place, span) = self.by.expect("only a statement adds");
        let fields = place.fields.iter().map(|access| access.field).collect();
        Growing { variable: place.variable, fields, span }
    }
}

struct Edge<'p> {
    graph: usize,
    from: usize,
    to: Option<usize>,
    stores: Vec<Store<'p>>,
    channel: Option<(Side, Vec<SiteId>)>,
    /// Nothing has to be true for it to be taken.
    is_free: bool,
    is_finite: bool,
    /// The global variables that must be small for it to be taken, or large: those that it compares with something.
    bounds: Vec<(CellId, Direction)>,
}

struct Edges<'a, 'm> {
    world: &'a World<'a, 'm>,
    list: Vec<Edge<'m>>,
    /// The number of locations of each graph, and whether its processes are started only so often.
    graphs: Vec<(usize, bool)>,
    of_cell: IdVec<CellId, Vec<usize>>,
}

impl<'a, 'm> Edges<'a, 'm> {
    fn new(flows: &[Flow<'_, 'm>], world: &'a World<'a, 'm>, ranges: &Ranges) -> Self {
        let mut edges = Self {
            world,
            list: Vec::new(),
            graphs: Vec::new(),
            of_cell: world.cells.list.iter().map(|_| Vec::new()).collect(),
        };
        for (graph, flow) in flows.iter().enumerate() {
            let started = world.basis.population.started[ProctypeId::from_index(graph)];
            let is_provided = world.model.proctypes[ProctypeId::from_index(graph)].provided.is_some();
            edges.graphs.push((flow.nodes.len(), started.is_some()));
            for (from, node) in flow.nodes.iter().enumerate() {
                for edge in node.edges.iter().map(|edge| &flow.edges[*edge]) {
                    let stores = edges.stores(edge, ranges);
                    for store in &stores {
                        edges.of_cell[store.cell].push(edges.list.len());
                    }
                    edges.list.push(Edge {
                        graph,
                        from,
                        to: edge.to,
                        stores,
                        channel: edges.channel(edge),
                        is_free: !is_provided && edge.refuted.is_empty() && edge.actions.iter().all(is_free),
                        is_finite: started == Some(0) || !is_reached(edge, ranges),
                        bounds: edges.bounds(edge, ranges),
                    });
                }
            }
        }
        edges
    }

    fn stores(&self, edge: &FlowEdge<'_, 'm>, ranges: &Ranges) -> Vec<Store<'m>> {
        let mut stores = Vec::new();
        for (action, span) in &edge.actions {
            for place in action.stored() {
                stores.push(self.store(place, action.assigned(), *span, ranges));
            }
        }
        for cell in edge.resets.iter().flat_map(|variable| self.world.cells.of_variable(*variable)) {
            stores.push(Store { cell, direction: Direction::Elsewhere, leaves: false, grows: false, by: None });
        }
        stores
    }

    fn store(&self, place: &'m Place, value: Option<&'m Expr>, span: Span, ranges: &Ranges) -> Store<'m> {
        let cell = self.world.cell(place);
        let (mut direction, mut leaves) = (Direction::Elsewhere, false);
        let all = of_type(place.ty);
        if let Some((before, added)) = value.and_then(|value| summands(self.world, place, value, ranges)) {
            let sum = before.plus(added);
            (direction, leaves) = match added {
                Range { low: 1.., .. } => (Direction::Up, sum.high > all.high),
                Range { high: ..=-1, .. } => (Direction::Down, sum.low < all.low),
                _ => (Direction::Elsewhere, false),
            };
        }
        let is_large = all.high - all.low >= FEWEST_VALUES;
        let is_stored = self.world.basis.stored[place.variable] == Stored::Yes;
        let grows = leaves && is_large && is_stored && !self.world.writers.claims_store_in(cell);
        Store { cell, direction, leaves, grows, by: Some((place, span)) }
    }

    fn bounds(&self, edge: &FlowEdge<'_, 'm>, ranges: &Ranges) -> Vec<(CellId, Direction)> {
        let mut bounds = Vec::new();
        for condition in edge.actions.iter().filter_map(|(action, _)| action.condition()) {
            self.add_bounds(condition, ranges, &mut bounds);
        }
        bounds
    }

    /// The variables that must be below a bound for a condition to be true, with [`Direction::Up`], or above one.
    fn add_bounds(&self, condition: &Expr, ranges: &Ranges, bounds: &mut Vec<(CellId, Direction)>) {
        let ExprKind::Binary(op, left, right) = &condition.kind else { return };
        let (below, above) = match op {
            BinaryOp::And => {
                self.add_bounds(left, ranges, bounds);
                return self.add_bounds(right, ranges, bounds);
            }
            BinaryOp::Less | BinaryOp::LessEqual => (vec![(left, right)], vec![(right, left)]),
            BinaryOp::Greater | BinaryOp::GreaterEqual => (vec![(right, left)], vec![(left, right)]),
            BinaryOp::Equal => (vec![(left, right), (right, left)], vec![(left, right), (right, left)]),
            _ => return,
        };
        let global = |part: &Expr| match &part.kind {
            ExprKind::Read(place) => {
                let cell = self.world.cell(place);
                let is_single =
                    matches!(self.world.cells.list[cell].content, CellContent::Variable { is_single, .. } if is_single);
                (is_single && self.world.model.variables[place.variable].owner == Owner::Global).then_some(cell)
            }
            _ => None,
        };
        for (part, bound) in below {
            let is_bounded = ranges.expression(self.world.model, bound).high < Range::ANY.high;
            bounds.extend(global(part).filter(|_| is_bounded).map(|cell| (cell, Direction::Up)));
        }
        for (part, bound) in above {
            let is_bounded = ranges.expression(self.world.model, bound).low > Range::ANY.low;
            bounds.extend(global(part).filter(|_| is_bounded).map(|cell| (cell, Direction::Down)));
        }
    }

    /// The channels of a send or a receive. A receive that leaves the message where it is says nothing.
    fn channel(&self, edge: &FlowEdge<'_, 'm>) -> Option<(Side, Vec<SiteId>)> {
        let is_peek = |action: &Action<'_>| matches!(action, Action::Receive { peek: true, .. });
        let (action, _) = edge.actions.iter().find(|(action, _)| action.channel().is_some() && !is_peek(action))?;
        action.channel().map(|(side, channel)| (side, self.world.sites(channel)))
    }

    /// The first statement that makes a cell grow, if one does.
    fn growing(&mut self, cell: CellId) -> Option<Growing> {
        let is_monotone = self.is_monotone(cell);
        let grows = |edges: &Self, number: usize| {
            let edge = &edges.list[number];
            let store = edge.stores.iter().find(|store| store.cell == cell && store.grows)?;
            let is_it = !edge.is_finite && (is_monotone || edges.is_on_free_cycle(edge, cell));
            is_it.then(|| (number, store.direction, store.growing()))
        };
        let own = self.of_cell[cell].clone();
        let (number, direction, growing) = own.into_iter().find_map(|number| grows(self, number))?;
        if !is_monotone {
            return Some(growing);
        }
        let before: Vec<bool> = self.list.iter().map(|edge| edge.is_finite).collect();
        for edge in &mut self.list {
            edge.is_finite |= edge.bounds.contains(&(cell, direction));
        }
        self.find_finite();
        let is_refuted = self.list[number].is_finite;
        for (edge, before) in self.list.iter_mut().zip(before) {
            edge.is_finite = before;
        }
        (!is_refuted).then_some(growing)
    }

    /// Applies the rules until nothing is news.
    fn find_finite(&mut self) {
        loop {
            let before = self.n_finite();
            self.leave_cycles();
            self.use_up_ranges();
            self.use_up_messages();
            if self.n_finite() == before {
                return;
            }
        }
    }

    fn n_finite(&self) -> usize {
        self.list.iter().filter(|edge| edge.is_finite).count()
    }

    /// Edges on no cycle.
    fn leave_cycles(&mut self) {
        for graph in 0..self.graphs.len() {
            if !self.graphs[graph].1 {
                continue;
            }
            let component = self.components(graph, |edge| !edge.is_finite);
            for edge in self.list.iter_mut().filter(|edge| edge.graph == graph) {
                edge.is_finite |= edge.to.is_none_or(|to| component[to] != component[edge.from]);
            }
        }
    }

    /// The components of a graph with those edges alone that are wanted.
    fn components(&self, graph: usize, is_wanted: impl Fn(&Edge<'_>) -> bool) -> Vec<u32> {
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); self.graphs[graph].0];
        for edge in self.list.iter().filter(|edge| edge.graph == graph && is_wanted(edge)) {
            targets[edge.from].extend(edge.to);
        }
        components(targets.len(), |at| targets[at].clone())
    }

    /// Edges that move a variable in one direction within its type.
    fn use_up_ranges(&mut self) {
        for cell in self.of_cell.ids() {
            let is_counted = match self.world.cells.list[cell].content {
                CellContent::Variable { id, .. } => match self.world.model.variables[id].owner {
                    Owner::Global => !self.world.writers.claims_store_in(cell),
                    Owner::Proctype(id) => self.graphs[id.index()].1,
                    Owner::Never(_) => false,
                },
                CellContent::Message(..) | CellContent::Argument(_) | CellContent::Contribution => false,
            };
            if is_counted && self.is_monotone(cell) && !self.stores_in(cell).any(|store| store.leaves) {
                for edge in &self.of_cell[cell] {
                    self.list[*edge].is_finite = true;
                }
            }
        }
    }

    /// The stores in a cell on edges that are not finite.
    fn stores_in(&self, cell: CellId) -> impl Iterator<Item = &Store<'m>> {
        let live = self.of_cell[cell].iter().map(|edge| &self.list[*edge]).filter(|edge| !edge.is_finite);
        live.flat_map(move |edge| edge.stores.iter().filter(move |store| store.cell == cell))
    }

    /// Whether the stores on edges that are not finite all move a cell in one direction.
    fn is_monotone(&self, cell: CellId) -> bool {
        let mut stores = self.stores_in(cell);
        let Some(first) = stores.next() else { return false };
        first.direction != Direction::Elsewhere && stores.all(|store| store.direction == first.direction)
    }

    /// Receives of which too few messages are sent, and sends of which too few are received.
    fn use_up_messages(&mut self) {
        let mut is_used = [Side::Send, Side::Receive].map(|_| vec![false; self.world.model.sites.len()]);
        for edge in self.list.iter().filter(|edge| !edge.is_finite) {
            if let Some((side, sites)) = &edge.channel {
                sites.iter().for_each(|site| is_used[usize::from(*side == Side::Send)][site.index()] = true);
            }
        }
        for edge in self.list.iter_mut().filter(|edge| !edge.is_finite) {
            if let Some((side, sites)) = &edge.channel {
                let partner = &is_used[usize::from(*side != Side::Send)];
                edge.is_finite = !sites.iter().any(|site| partner[site.index()]);
            }
        }
    }

    /// Whether a cycle through the edge has no conditions, and nothing on it takes back what is added to the cell.
    fn is_on_free_cycle(&self, edge: &Edge<'_>, cell: CellId) -> bool {
        let direction = edge.stores.iter().find(|store| store.cell == cell).map(|store| store.direction);
        let is_wanted = |other: &Edge<'_>| {
            let mut own = other.stores.iter().filter(|store| store.cell == cell);
            !other.is_finite && other.is_free && own.all(|store| Some(store.direction) == direction)
        };
        let component = self.components(edge.graph, is_wanted);
        is_wanted(edge) && edge.to.is_some_and(|to| component[to] == component[edge.from])
    }
}

/// The values before an addition to the place, and what is added: `x = x + 2`, `x--`.
fn summands(world: &World<'_, '_>, place: &Place, value: &Expr, ranges: &Ranges) -> Option<(Range, Range)> {
    let (added, is_negative) = addition(place, value)?;
    let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) = &value.kind else { return None };
    let is_before = |part: &Expr| matches!(&part.kind, ExprKind::Read(read) if is_same_place(read, place));
    let before = if is_before(left) { left } else { right };
    let of = |part: &Expr| ranges.expression(world.model, part);
    let added = of(added);
    Some((of(before), if is_negative { Range::ZERO.minus(added) } else { added }))
}

/// Whether the ranges reach an edge: what it stores was evaluated.
fn is_reached(edge: &FlowEdge<'_, '_>, ranges: &Ranges) -> bool {
    edge.actions.iter().all(|(action, _)| match action {
        Action::Assign { target: Target::Place(_), value } => ranges.observed.get(value).is_some(),
        Action::Assign { target: Target::Priority | Target::Ignore | Target::Several(_), .. }
        | Action::Condition(_)
        | Action::Else
        | Action::Jump
        | Action::Send { .. }
        | Action::Receive { .. }
        | Action::Assert(_)
        | Action::Print(_)
        | Action::Event { .. }
        | Action::DStep(_)
        | Action::End => true,
    })
}

/// Whether a statement is executable in every state.
fn is_free((action, _): &(&Action<'_>, Span)) -> bool {
    match action {
        Action::Jump | Action::Assign { .. } | Action::Assert(_) | Action::Print(_) => true,
        Action::Condition(condition) => condition.as_constant().is_some_and(|value| value != 0),
        Action::Else
        | Action::Send { .. }
        | Action::Receive { .. }
        | Action::Event { .. }
        | Action::DStep(_)
        | Action::End => false,
    }
}

#[cfg(test)]
mod tests;
