//! The fixed-point iteration.
//!
//! First ranges only grow, from nothing, until they are consistent with every statement. As [widening](super::widening)
//! may have made them too wide, a few rounds of narrowing follow, in which each statement is evaluated again: applied
//! to ranges that contain all reachable values, the statements give ranges that contain them, too.

use super::cells::{CellContent, CellId};
use super::counters::Count;
use super::environment::{Environment, Slots, Summary};
use super::flow::Flow;
use super::interval::{Range, of_type};
use super::observed::{Notebook, Observed};
use super::step::{AbstractStep, Write};
use super::widening::{JoinPoint, Thresholds};
use super::{WidestWrite, World};
use crate::collections::{Id, IdVec};
use crate::ir::{Program, visit};
use crate::model::{Expr, ProctypeId};

/// The number of narrowing rounds.
const DESCENTS: usize = 3;

pub(super) struct Solution {
    pub summary: Summary,
    /// The range of the stored values of each cell, before truncation to its type.
    pub uncut: Summary,
    pub causes: IdVec<CellId, Option<WidestWrite>>,
    pub observed: Observed,
}

pub(super) struct RangeSolver<'a, 'm> {
    pub(super) world: &'a World<'a, 'm>,
    /// Proctypes, and behind them claims.
    pub(super) graphs: Vec<AnalysedGraph<'a, 'm>>,
    pub(super) n_proctypes: usize,
    thresholds: Thresholds,
    summary: Summary,
    growth: IdVec<CellId, u8>,
    /// The locations that depend on each cell.
    pub(super) readers: IdVec<CellId, Vec<WorkItem>>,
    waiting: Vec<WorkItem>,
    notebook: Notebook,
}

/// The graph of a process or claim, with the state of the iteration.
pub(super) struct AnalysedGraph<'p, 'm> {
    pub flow: Flow<'p, 'm>,
    pub slots: Slots,
    is_started: bool,
    arrivals: Vec<Option<JoinPoint<'m>>>,
    /// For each location, and the start behind them, whether it is in the work list.
    is_waiting: Vec<bool>,
}

/// A location of a graph; the one behind the last is the start of the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct WorkItem {
    pub graph: usize,
    pub place: usize,
}

impl<'a, 'm> RangeSolver<'a, 'm> {
    pub fn new(program: &'a Program<'m>, world: &'a World<'a, 'm>, counts: &[Count]) -> Self {
        let mut graphs = Vec::new();
        for (id, graph) in program.graphs.iter_enumerated() {
            graphs.push(AnalysedGraph::new(Flow::new(graph, Some(&world.basis.dead.resets[id]))));
        }
        let n_proctypes = graphs.len();
        graphs.extend(program.claims.iter().map(|claim| AnalysedGraph::new(Flow::new(claim, None))));
        let mut solver = Self {
            thresholds: thresholds(program),
            summary: world.at_first(),
            growth: world.cells.list.iter().map(|_| 0).collect(),
            readers: world.cells.list.iter().map(|_| Vec::new()).collect(),
            waiting: Vec::new(),
            notebook: Notebook::default(),
            graphs,
            n_proctypes,
            world,
        };
        for number in 0..solver.graphs.len() {
            solver.find_slots(number, counts);
            solver.find_readers(number);
        }
        solver
    }

    pub fn solve(mut self) -> Solution {
        let claims = self.n_proctypes..self.graphs.len();
        let initial: Vec<usize> = self.world.model.initial.iter().map(|id| id.index()).chain(claims).collect();
        initial.into_iter().for_each(|number| self.start(number));
        while let Some(item) = self.waiting.pop() {
            self.graphs[item.graph].is_waiting[item.place] = false;
            self.grow(item);
        }
        for _ in 1..DESCENTS {
            self.descend(&mut Vec::new());
        }
        let mut writes = Vec::new();
        self.notebook.open();
        self.descend(&mut writes);
        let observed = self.notebook.close();
        let causes = self.causes(&writes);
        let mut uncut: Summary = self.summary.iter().map(|_| None).collect();
        for write in &writes {
            let known = &mut uncut[write.cell];
            *known = Some(known.map_or(write.uncut, |known| known.join(write.uncut)));
        }
        Solution { summary: self.summary, uncut, causes, observed }
    }

    fn start(&mut self, graph: usize) {
        if !self.graphs[graph].is_started {
            self.graphs[graph].is_started = true;
            let place = self.graphs[graph].flow.nodes.len();
            self.wait(WorkItem { graph, place });
        }
    }

    fn wait(&mut self, item: WorkItem) {
        let graph = &mut self.graphs[item.graph];
        if graph.is_started && !std::mem::replace(&mut graph.is_waiting[item.place], true) {
            self.waiting.push(item);
        }
    }

    /// Evaluates all edges of a location: their targets and abstract states.
    fn look(&self, item: WorkItem) -> Looked<'m> {
        let graph = &self.graphs[item.graph];
        let mut looked = Looked { arrivals: Vec::new(), writes: Vec::new(), started: Vec::new() };
        let nodes = &graph.flow.nodes;
        let Some(node) = nodes.get(item.place) else {
            let mut step = self.step(item.graph, self.beginning(item.graph));
            if item.graph < self.n_proctypes {
                step.start_process(ProctypeId::from_index(item.graph));
            }
            looked.add(step, Some(graph.flow.start));
            return looked;
        };
        let Some(arrival) = &graph.arrivals[item.place] else { return looked };
        for edge in &node.edges {
            let edge = &graph.flow.edges[*edge];
            let mut step = self.step(item.graph, arrival.environment.clone());
            let is_possible = step.take(edge);
            if edge.to.is_some_and(|to| nodes[to].may_block) {
                step.environment.lose_control(&graph.slots);
            }
            looked.add(step, edge.to.filter(|_| is_possible));
        }
        looked
    }

    fn step(&self, graph: usize, environment: Environment<'m>) -> AbstractStep<'_, 'm> {
        AbstractStep {
            world: self.world,
            by: graph,
            slots: &self.graphs[graph].slots,
            summary: &self.summary,
            notebook: &self.notebook,
            environment,
            writes: Vec::new(),
            started: Vec::new(),
        }
    }

    /// The abstract state before the first statement of a process.
    fn beginning(&self, graph: usize) -> Environment<'m> {
        let cells = &self.world.cells;
        let start = |cell: CellId, is_shared: bool| match cells.list[cell].content {
            CellContent::Variable { .. } if is_shared => Range::ANY,
            CellContent::Variable { .. } => self.world.start_of(cell),
            CellContent::Contribution => Range::ZERO,
            CellContent::Message(..) | CellContent::Argument(_) => Range::ANY,
        };
        let slots = self.graphs[graph].slots.list.iter().map(|slot| start(slot.cell, slot.is_shared)).collect();
        Environment { slots, elements: Vec::new() }
    }

    fn grow(&mut self, item: WorkItem) {
        let looked = self.look(item);
        for write in looked.writes {
            self.raise(write);
        }
        for proctype in looked.started {
            self.start(proctype.index());
        }
        for (place, environment) in looked.arrivals {
            let graph = &mut self.graphs[item.graph];
            let is_news = match &mut graph.arrivals[place] {
                Some(known) => known.add(&environment, &graph.slots, &self.world.cells, &self.thresholds),
                unknown => {
                    *unknown = Some(JoinPoint::new(environment));
                    true
                }
            };
            if is_news {
                self.wait(WorkItem { graph: item.graph, place });
            }
        }
    }

    fn raise(&mut self, write: Write) {
        let known = &mut self.summary[write.cell];
        let raised = match *known {
            None => write.range,
            Some(old) if write.range.is_within(old) => return,
            Some(old) => {
                let all = of_type(self.world.cells.list[write.cell].ty);
                let all = self.world.caps.get(&write.cell).copied().unwrap_or(all);
                self.thresholds.widen(old, write.range, self.growth[write.cell], all)
            }
        };
        *known = Some(raised);
        self.growth[write.cell] = self.growth[write.cell].saturating_add(1);
        for item in self.readers[write.cell].clone() {
            self.wait(item);
        }
    }

    /// A narrowing round: evaluates every statement once and replaces the ranges.
    fn descend(&mut self, all_writes: &mut Vec<Write>) {
        let mut summary = self.world.at_first();
        let mut arrivals: Vec<Vec<Option<JoinPoint<'m>>>> =
            self.graphs.iter().map(|graph| graph.flow.nodes.iter().map(|_| None).collect()).collect();
        for (number, graph) in self.graphs.iter().enumerate().filter(|(_, graph)| graph.is_started) {
            for place in 0..=graph.flow.nodes.len() {
                let looked = self.look(WorkItem { graph: number, place });
                for write in &looked.writes {
                    let known = &mut summary[write.cell];
                    *known = Some(known.map_or(write.range, |known| known.join(write.range)));
                }
                all_writes.extend(looked.writes);
                for (place, environment) in looked.arrivals {
                    match &mut arrivals[number][place] {
                        Some(known) => known.environment.join(&environment),
                        unknown => *unknown = Some(JoinPoint::new(environment)),
                    }
                }
            }
        }
        self.summary = summary;
        for (graph, arrivals) in self.graphs.iter_mut().zip(arrivals) {
            graph.arrivals = arrivals;
        }
    }

    /// For each cell the first of the statements that store the widest range.
    fn causes(&self, writes: &[Write]) -> IdVec<CellId, Option<WidestWrite>> {
        let mut causes: IdVec<CellId, Option<WidestWrite>> = self.world.cells.list.iter().map(|_| None).collect();
        for write in writes {
            let Some(span) = write.span else { continue };
            let width = |range: Range| range.high.max(-range.low);
            let known = &mut causes[write.cell];
            if known.is_none_or(|known| width(known.stored) < width(write.uncut)) {
                *known = Some(WidestWrite { span, stored: write.uncut });
            }
        }
        causes
    }
}

impl<'p, 'm> AnalysedGraph<'p, 'm> {
    fn new(flow: Flow<'p, 'm>) -> Self {
        Self {
            arrivals: flow.nodes.iter().map(|_| None).collect(),
            is_waiting: vec![false; flow.nodes.len() + 1],
            slots: Slots::default(),
            is_started: false,
            flow,
        }
    }
}

/// The results of a location.
struct Looked<'m> {
    arrivals: Vec<(usize, Environment<'m>)>,
    writes: Vec<Write>,
    started: Vec<ProctypeId>,
}

impl<'m> Looked<'m> {
    fn add(&mut self, step: AbstractStep<'_, 'm>, to: Option<usize>) {
        self.writes.extend(step.writes);
        self.started.extend(step.started);
        self.arrivals.extend(to.map(|to| (to, step.environment)));
    }
}

/// Likely bounds of ranges: every constant, and the lengths of arrays and channels.
fn thresholds(program: &Program<'_>) -> Thresholds {
    let model = program.model;
    let mut found = vec![0];
    let mut add = |part: &Expr| found.extend(part.as_constant().map(i64::from));
    visit::program_expressions(program, &mut add);
    visit::claim_expressions(program, &mut add);
    found.extend(model.variables.iter().filter_map(|variable| variable.length).map(i64::from));
    found
        .extend(model.records.iter().flat_map(|record| &record.fields).filter_map(|field| field.length).map(i64::from));
    found.extend(model.sites.iter().map(|site| i64::from(site.capacity)));
    Thresholds::new(found)
}
