//! Value-range analysis: an abstract interpretation with intervals.
//!
//! Every scalar has a range: a variable (all elements of an array as one), a field of a record, a field of the messages
//! of a channel, a parameter. Errs towards more values. The analysis follows values through the control flow of each
//! process, guards taken into account, as long as no other process can store in between; other processes see the range
//! of all values that are ever stored. Arithmetic wraps around where the verifier's does.
//!
//! - [`interval`] is the arithmetic of ranges, [`by_type`] what types and constants alone tell of an expression;
//! - [`cells`] are the things that have a range, [`writers`] the processes that store in them;
//! - [`flow`] is a process's control flow with its `d_step`s, [`environment`] what is known at a place of it;
//! - [`step`], [`value`], [`assume`] and [`initial`] say what a statement makes of that;
//! - [`observed`] keeps what expressions were found to be where they are evaluated;
//! - [`reading`] finds what each process follows and depends on;
//! - [`solve`] goes round until nothing is news, with [`widening`] that comes to an end;
//! - [`counters`] are variables that processes add to and take from, bounded by what each of them can add;
//! - [`growth`] are variables that nothing bounds.

mod assume;
mod by_type;
pub mod cells;
mod counters;
mod environment;
mod flow;
mod growth;
mod initial;
mod interval;
mod observed;
mod reading;
mod solve;
mod step;
mod value;
mod widening;
mod writers;

use super::dead::Dead;
use super::{Features, Instances, Population, Stored};
use crate::collections::{IdVec, Lookup};
use crate::ir::{Graph, Program};
use crate::model::{
    ChannelRef, ChannelSite, Expr, ExprKind, Model, Owner, Place, ProctypeId, SiteId, UnaryOp, VariableId,
};
use crate::source::Span;
use cells::{CellId, Cells};
use observed::Observed;
use writers::Writers;

pub use by_type::of;
pub use growth::Growing;
pub use interval::{Range, of_binary, of_type, unwrapped_negation};

/// The range of every cell.
#[derive(Clone, Debug)]
pub struct Ranges {
    cells: Cells,
    ranges: IdVec<CellId, Range>,
    widest: IdVec<CellId, Option<WidestWrite>>,
    observed: Observed,
    /// The variables that grow without bound. Errs in both directions: it is for people, and nothing relies on it.
    pub growing: Vec<Growing>,
}

/// The statement that makes a range as wide as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WidestWrite {
    pub span: Span,
    /// The stored values, before they are truncated to the type.
    pub stored: Range,
}

impl Ranges {
    /// The values of a scalar of a variable; the path leads to it through the fields of records.
    pub fn variable(&self, model: &Model, id: VariableId, path: &[u32]) -> Range {
        self.ranges[self.cells.field(model, id, path.iter().copied())]
    }

    /// The values of a field of the messages of a site.
    pub fn message(&self, site: SiteId, field: u32) -> Range {
        self.ranges[self.cells.message(site, field)]
    }

    /// The values of an expression wherever a process evaluates it; what is not known there follows from the variables.
    pub fn expression(&self, model: &Model, expression: &Expr) -> Range {
        if let Some(range) = self.observed.get(expression) {
            return range;
        }
        let of = |part: &Expr| self.expression(model, part);
        match &expression.kind {
            ExprKind::Read(place) => self.ranges[self.cells.of_place(model, place)],
            ExprKind::RemoteVariable { place, .. } => self.ranges[self.cells.of_place(model, place)].join(Range::ZERO),
            ExprKind::Unary(UnaryOp::Negate, inner) => unwrapped_negation(of(inner)).wrapped(),
            ExprKind::Binary(op, left, right) => of_binary(*op, of(left), of(right)).wrapped(),
            ExprKind::Conditional(_, yes, no) => of(yes).join(of(no)),
            ExprKind::Constant(_)
            | ExprKind::Unary(UnaryOp::Not | UnaryOp::Complement, _)
            | ExprKind::Run { .. }
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
            | ExprKind::Host(_) => by_type::of(expression),
        }
    }

    /// The statement that made a variable's range as wide as it is; `None` if that is its initial value.
    pub fn cause(&self, model: &Model, id: VariableId, path: &[u32]) -> Option<WidestWrite> {
        self.widest[self.cells.field(model, id, path.iter().copied())]
    }

    pub fn message_cause(&self, site: SiteId, field: u32) -> Option<WidestWrite> {
        self.widest[self.cells.message(site, field)]
    }
}

/// The facts that the analysis relies on.
pub(super) struct Basis<'a> {
    pub features: &'a Features,
    pub instances: &'a Instances,
    pub population: &'a Population,
    pub stored: &'a IdVec<VariableId, Stored>,
    pub dead: &'a Dead,
}

/// What does not change while ranges are computed.
struct World<'a, 'm> {
    model: &'m Model,
    cells: Cells,
    writers: Writers,
    basis: &'a Basis<'a>,
    /// Variables whose values are tracked: not `hidden` ones, nor those on which nothing depends.
    is_followed: IdVec<VariableId, bool>,
    pids: Range,
    /// For each proctype.
    own_pids: Vec<Range>,
    /// The greatest number of channels at once.
    most_channels: i64,
    /// For each site all whose channels a reference to one of it may denote at run time.
    heirs: IdVec<SiteId, Vec<SiteId>>,
    /// Ranges that are known beforehand: see [`counters`].
    caps: Lookup<CellId, Range>,
}

impl World<'_, '_> {
    fn cell(&self, place: &Place) -> CellId {
        self.cells.of_place(self.model, place)
    }

    /// The sites whose channels a reference may denote.
    fn sites(&self, channel: &ChannelRef) -> Vec<SiteId> {
        let mut sites: Vec<SiteId> = channel.sites.iter().flat_map(|site| &self.heirs[*site]).copied().collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }

    fn n_fields(&self, site: SiteId) -> u32 {
        u32::try_from(self.model.sites[site].fields.len()).unwrap_or(u32::MAX)
    }
}

pub(super) fn analyze(program: &Program<'_>, basis: &Basis<'_>) -> Ranges {
    let model = program.model;
    let graphs: Vec<&Graph<'_>> = program.graphs.iter().chain(&program.claims).collect();
    // There is only one instance of a claim.
    let started = basis.population.started.iter().copied().chain(program.claims.iter().map(|_| Some(1)));
    let started: Vec<Option<u32>> = started.collect();
    let is_alone: Vec<bool> = started.iter().map(|started| started.is_some_and(|started| started <= 1)).collect();
    let cells = Cells::new(model);
    let most_pid = basis.population.bound.map_or(255, |bound| i64::from(bound.max(1)) - 1);
    let world = World {
        writers: Writers::new(model, &cells, &graphs, program.graphs.len(), &is_alone),
        basis,
        is_followed: basis.stored.iter().map(|stored| !matches!(stored, Stored::Hidden | Stored::Unread)).collect(),
        pids: Range { low: 0, high: most_pid },
        own_pids: program.graphs.ids().map(|id| own_pids(basis.instances, id, most_pid)).collect(),
        most_channels: most_channels(model, basis.population),
        heirs: heirs(model),
        caps: Lookup::new(),
        model,
        cells,
    };
    let (world, solution) = counters::solve(program, world, &started);
    let of_cell = |range: &Option<Range>| range.unwrap_or(Range::ZERO);
    let ranges = solution.summary.iter().map(of_cell).collect();
    let mut ranges = Ranges {
        ranges,
        widest: solution.causes,
        cells: world.cells.clone(),
        observed: solution.observed,
        growing: Vec::new(),
    };
    ranges.growing = growth::find(program, &world, &ranges);
    ranges
}

/// The pids that processes of a proctype can have.
fn own_pids(instances: &Instances, id: ProctypeId, most: i64) -> Range {
    let fixed = instances.fixed.iter().filter(|instance| instance.proctype == id);
    let known = fixed.map(|instance| Range { low: instance.pid.into(), high: instance.pid.into() });
    let known = known.reduce(Range::join).filter(|_| !instances.is_dynamic[id]);
    known.unwrap_or(Range { low: 0, high: most })
}

/// A channel that was removed with its process leaves a number behind, under which a channel of another process may be
/// found, if it is of the same kind.
fn heirs(model: &Model) -> IdVec<SiteId, Vec<SiteId>> {
    let is_owned = |site: &ChannelSite| matches!(model.variables[site.variable].owner, Owner::Proctype(_));
    let heirs = |(id, site): (SiteId, &ChannelSite)| {
        let is_like = |other: &ChannelSite| other.capacity == site.capacity && other.fields == site.fields;
        let is_heir = |(other, heir): &(SiteId, &ChannelSite)| {
            *other == id || (is_owned(site) && is_owned(heir) && is_like(heir))
        };
        model.sites.iter_enumerated().filter(is_heir).map(|(heir, _)| heir).collect()
    };
    model.sites.iter_enumerated().map(heirs).collect()
}

/// How many channels there can be: those of globals, and those of as many processes as there can be.
fn most_channels(model: &Model, population: &Population) -> i64 {
    let owned = |owner: Owner| -> i64 {
        let sites = model.sites.iter().filter(|site| model.variables[site.variable].owner == owner);
        sites.map(|site| i64::from(site.count)).sum()
    };
    let most = model.proctypes.ids().map(|id| owned(Owner::Proctype(id))).max().unwrap_or(0);
    let processes = population.bound.map_or(256, i64::from);
    owned(Owner::Global).saturating_add(most.saturating_mul(processes))
}

#[cfg(test)]
mod tests;
