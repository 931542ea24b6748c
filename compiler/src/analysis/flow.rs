//! The flow of channels through variables, parameters and messages: the solver behind [`points_to`](super::points_to).
//!
//! A cell is anything that can hold a channel, and the contents of one cell flow to others. A send is a flow into the
//! messages of each channel that it may be on.

use super::actors::ActorId;
use super::channels::ChannelId;
use super::instances::KnownValue;
use super::points_to::{Context, PointsTo};
use super::processes::initial_values;
use super::sets::Set;
use crate::collections::{IdVec, Lookup};
use crate::ids;
use crate::ir::{Action, Graph, TransitionId, visit};
use crate::model::{ChannelRef, Expr, ExprKind, Owner, Pattern, Place, ProctypeId, SiteId, Target, Type, VariableId};

ids! {
    /// A holder of channels: a variable or field, all elements of an array as one; a field of the messages of a
    /// channel; or [`NUMBERS`].
    CellId;
}

/// All numbers that may be channels.
const NUMBERS: CellId = CellId(0);

/// The possible contents of a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct PointsToSet {
    pub channels: Set<ChannelId>,
    /// A number that may be any channel.
    pub is_unknown: bool,
}

/// One end of a flow of values.
#[derive(Clone)]
enum End {
    Cells(Vec<CellId>),
    Channels(Vec<ChannelId>),
    Number,
    /// A constant, or nothing.
    None,
}

/// A send or a receive, seen from its channel.
struct Transfer {
    sites: Vec<SiteId>,
    fields: Vec<End>,
    is_send: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Datum {
    Channel(ChannelId),
    Unknown,
}

struct PointsToSolver<'a, 'm> {
    context: &'a Context<'a, 'm>,
    cells: Lookup<(Option<ActorId>, VariableId, Vec<u32>), CellId>,
    /// The kind of each cell, where it decides whether the cell may hold a channel.
    is_shared: IdVec<CellId, bool>,
    contents: IdVec<CellId, PointsToSet>,
    copies: IdVec<CellId, Vec<CellId>>,
    known_copies: Lookup<(CellId, CellId), ()>,
    transfers: Vec<Transfer>,
    over: IdVec<CellId, Vec<usize>>,
    /// The cell of the first field of each channel's messages.
    messages: IdVec<ChannelId, CellId>,
    pending: Vec<(CellId, Datum)>,
}

pub(super) fn analyze(context: &Context<'_, '_>) -> PointsTo {
    let mut solver = PointsToSolver::new(context);
    solver.collect();
    solver.solve();
    solver.finish()
}

impl<'a, 'm> PointsToSolver<'a, 'm> {
    fn new(context: &'a Context<'a, 'm>) -> Self {
        let mut solver = Self {
            context,
            cells: Lookup::new(),
            is_shared: IdVec::new(),
            contents: IdVec::new(),
            copies: IdVec::new(),
            known_copies: Lookup::new(),
            transfers: Vec::new(),
            over: IdVec::new(),
            messages: IdVec::new(),
            pending: Vec::new(),
        };
        solver.new_cell(true);
        let model = context.program.model;
        for channel in &context.channels.list {
            let mut first = None;
            for _ in &model.sites[channel.site].fields {
                let cell = solver.new_cell(true);
                first.get_or_insert(cell);
            }
            solver.messages.push(first.unwrap_or(NUMBERS));
        }
        // Variables that hold channels of their own from the start.
        for (id, channel) in context.channels.list.iter_enumerated() {
            let site = &model.sites[channel.site];
            let cell = solver.cell(channel.owner, site.variable, site.path.clone());
            solver.pending.push((cell, Datum::Channel(id)));
        }
        solver
    }

    fn new_cell(&mut self, is_shared: bool) -> CellId {
        self.is_shared.push(is_shared);
        self.copies.push(Vec::new());
        self.over.push(Vec::new());
        self.contents.push(PointsToSet::default())
    }

    fn cell(&mut self, scope: Option<ActorId>, variable: VariableId, path: Vec<u32>) -> CellId {
        let key = (scope, variable, path);
        if let Some(cell) = self.cells.get(&key) {
            return *cell;
        }
        let cell = self.new_cell(scope.is_none());
        self.cells.insert(key, cell);
        cell
    }

    fn place(&mut self, actor: Option<ActorId>, place: &Place) -> End {
        match self.context.fixed(actor, place) {
            Some(channels) => End::Channels(channels),
            None => {
                let scope = self.context.scope(actor, place.variable);
                End::Cells(vec![self.cell(scope, place.variable, path(place))])
            }
        }
    }

    /// Where a value comes from.
    fn source(&mut self, actor: Option<ActorId>, expression: &Expr) -> End {
        match &expression.kind {
            ExprKind::Constant(_) => End::None,
            ExprKind::Read(place) if place.ty == Type::Chan => self.place(actor, place),
            ExprKind::RemoteVariable { proctype, place, .. } if place.ty == Type::Chan => {
                let mut cells = Vec::new();
                for other in self.context.actors.of[*proctype].clone() {
                    cells.push(self.cell(Some(other), place.variable, path(place)));
                }
                // The channel leaves its process, and not by `run`.
                cells.iter().for_each(|cell| self.copy(*cell, NUMBERS));
                End::Cells(cells)
            }
            ExprKind::Conditional(condition, yes, no) => match self.context.constants.value(actor, condition) {
                Some(0) => self.source(actor, no),
                Some(_) => self.source(actor, yes),
                None => {
                    let both = self.new_cell(false);
                    for part in [yes, no] {
                        let from = self.source(actor, part);
                        self.flow(&from, &End::Cells(vec![both]));
                    }
                    End::Cells(vec![both])
                }
            },
            _ => End::Number,
        }
    }

    fn copy(&mut self, from: CellId, to: CellId) {
        if from == to || self.known_copies.insert((from, to), ()).is_some() {
            return;
        }
        self.copies[from].push(to);
        let content = &self.contents[from];
        self.pending.extend(content.channels.iter().map(|channel| (to, Datum::Channel(channel))));
        if content.is_unknown {
            self.pending.push((to, Datum::Unknown));
        }
    }

    fn flow(&mut self, from: &End, to: &End) {
        let targets: &[CellId] = match to {
            End::Cells(cells) => cells,
            End::Number => &[NUMBERS],
            // Nothing is stored in a fixed channel.
            End::Channels(_) | End::None => &[],
        };
        for to in targets {
            match from {
                End::Cells(cells) => cells.iter().for_each(|from| self.copy(*from, *to)),
                End::Channels(channels) => {
                    self.pending.extend(channels.iter().map(|channel| (*to, Datum::Channel(*channel))));
                }
                End::Number if *to != NUMBERS => self.pending.push((*to, Datum::Unknown)),
                End::Number | End::None => {}
            }
        }
    }

    fn destination(&mut self, actor: ActorId, place: &Place) -> End {
        if place.ty == Type::Chan { self.place(Some(actor), place) } else { End::Number }
    }

    fn collect(&mut self) {
        let model = self.context.program.model;
        for id in &model.globals {
            self.initial_values(None, *id);
        }
        for (id, actor) in self.context.actors.list.iter_enumerated() {
            let process = &model.proctypes[actor.proctype];
            for local in &process.locals {
                self.initial_values(Some(id), *local);
            }
            for (parameter, value) in &actor.arguments {
                if let KnownValue::Channel(site, number) = value {
                    let owner = match model.variables[model.sites[*site].variable].owner {
                        Owner::Global | Owner::Never(_) => None,
                        Owner::Proctype(_) => self.context.actors.init,
                    };
                    let channels = self.context.channels.element(*site, owner, *number);
                    let cell = self.cell(Some(id), *parameter, Vec::new());
                    self.flow(&End::Channels(channels), &End::Cells(vec![cell]));
                }
            }
            let graph = &self.context.program.graphs[actor.proctype];
            for (number, transition) in graph.transitions.iter_enumerated() {
                if self.context.reach[id].transitions[number] {
                    transition.actions().for_each(|action| self.action(id, number, action));
                }
            }
        }
    }

    fn initial_values(&mut self, scope: Option<ActorId>, id: VariableId) {
        let variable = &self.context.program.model.variables[id];
        for value in initial_values(variable) {
            let from = self.source(scope, value);
            let to = match variable.ty {
                Type::Chan => End::Cells(vec![self.cell(scope, id, Vec::new())]),
                _ => End::Number,
            };
            self.flow(&from, &to);
        }
    }

    fn action(&mut self, actor: ActorId, number: TransitionId, action: &Action<'_>) {
        let mut runs = Vec::new();
        visit::action_expressions(action, &mut |expression| {
            if let ExprKind::Run { proctype, arguments, .. } = &expression.kind {
                runs.push((*proctype, arguments));
            }
        });
        for (proctype, arguments) in runs {
            self.run(actor, number, proctype, arguments);
        }
        match action {
            Action::Assign { target: Target::Place(place), value } => {
                let (from, to) = (self.source(Some(actor), value), self.destination(actor, place));
                self.flow(&from, &to);
            }
            Action::Send { channel, message, .. } => {
                let fields = message.iter().map(|value| self.source(Some(actor), value)).collect();
                self.transfer(actor, channel, fields, true);
            }
            Action::Receive { channel, pattern, .. } => {
                let field = |part: &Pattern| match part {
                    Pattern::Store(place) => self.destination(actor, place),
                    Pattern::Equal(_) | Pattern::Ignore => End::None,
                };
                let fields = pattern.iter().map(field).collect();
                self.transfer(actor, channel, fields, false);
            }
            Action::DStep(inner) => self.inside(actor, number, inner),
            Action::Assign { .. }
            | Action::Condition(_)
            | Action::Else
            | Action::Jump
            | Action::Assert(_)
            | Action::Print(_)
            | Action::Event { .. }
            | Action::End => {}
        }
    }

    fn inside(&mut self, actor: ActorId, number: TransitionId, graph: &Graph<'_>) {
        for transition in &graph.transitions {
            self.action(actor, number, &transition.action);
        }
    }

    /// Arguments flow into parameters, the fields of a record one by one.
    fn run(&mut self, by: ActorId, number: TransitionId, proctype: ProctypeId, arguments: &[Expr]) {
        let model = self.context.program.model;
        for started in self.context.actors.of[proctype].clone() {
            let actor = &self.context.actors.list[started];
            if !actor.is_class() && actor.run != Some(number) {
                continue;
            }
            let mut ends = Vec::new();
            for parameter in &model.proctypes[proctype].parameters {
                let is_known = actor.arguments.iter().any(|(known, _)| known == parameter);
                self.parameter(started, *parameter, model.variables[*parameter].ty, &mut Vec::new(), &mut ends);
                if is_known {
                    ends.pop();
                    ends.push(End::None);
                }
            }
            for (argument, to) in arguments.iter().zip(&ends) {
                let from = self.source(Some(by), argument);
                self.flow(&from, to);
            }
        }
    }

    fn parameter(&mut self, actor: ActorId, id: VariableId, ty: Type, path: &mut Vec<u32>, ends: &mut Vec<End>) {
        match ty {
            Type::Record(record) => {
                for (number, field) in (0..).zip(&self.context.program.model.records[record].fields) {
                    path.push(number);
                    self.parameter(actor, id, field.ty, path, ends);
                    path.pop();
                }
            }
            Type::Chan => ends.push(End::Cells(vec![self.cell(Some(actor), id, path.clone())])),
            _ => ends.push(End::Number),
        }
    }

    fn transfer(&mut self, actor: ActorId, channel: &ChannelRef, fields: Vec<End>, is_send: bool) {
        let number = self.transfers.len();
        self.transfers.push(Transfer { sites: channel.sites.clone(), fields, is_send });
        match self.place(Some(actor), &channel.place) {
            End::Cells(cells) => {
                for cell in cells {
                    self.over[cell].push(number);
                    let content = self.contents[cell].clone();
                    content.channels.iter().for_each(|channel| self.apply(number, channel));
                    if content.is_unknown {
                        self.apply_unknown(number);
                    }
                }
            }
            End::Channels(channels) => channels.iter().for_each(|channel| self.apply(number, *channel)),
            End::Number | End::None => {}
        }
    }

    fn solve(&mut self) {
        while let Some((cell, datum)) = self.pending.pop() {
            let content = &mut self.contents[cell];
            let is_new = match datum {
                Datum::Channel(channel) => content.channels.insert(channel),
                Datum::Unknown => !std::mem::replace(&mut content.is_unknown, true),
            };
            if !is_new {
                continue;
            }
            self.pending.extend(self.copies[cell].iter().map(|to| (*to, datum)));
            for number in self.over[cell].clone() {
                match datum {
                    Datum::Channel(channel) => self.apply(number, channel),
                    Datum::Unknown => self.apply_unknown(number),
                }
            }
        }
    }

    fn apply_unknown(&mut self, number: usize) {
        for site in self.transfers[number].sites.clone() {
            for channel in self.context.channels.of_site(site) {
                self.apply(number, *channel);
            }
        }
    }

    fn apply(&mut self, number: usize, channel: ChannelId) {
        let (ends, is_send) = (self.transfers[number].fields.clone(), self.transfers[number].is_send);
        let first = self.messages[channel];
        let types = &self.context.program.model.sites[self.context.channels.list[channel].site].fields;
        for ((offset, ty), end) in (0..).zip(types).zip(&ends) {
            let field = if *ty == Type::Chan { End::Cells(vec![CellId(first.0 + offset)]) } else { End::Number };
            if is_send {
                self.flow(end, &field);
            } else {
                self.flow(&field, end);
            }
        }
    }

    fn finish(self) -> PointsTo {
        let Context { program, actors, channels, reach, .. } = *self.context;
        let mut may_outlive = Set::new();
        let can_end = |owner: ActorId| {
            let graph = &program.graphs[actors.list[owner].proctype];
            let ends = |(id, _): &(TransitionId, _)| reach[owner].transitions[*id];
            graph.transitions.iter_enumerated().filter(ends).any(|(_, it)| matches!(it.action, Action::End))
        };
        for (cell, is_shared) in self.is_shared.iter_enumerated() {
            for channel in self.contents[cell].channels.iter().filter(|_| *is_shared) {
                if channels.list[channel].owner.is_some_and(can_end) {
                    may_outlive.insert(channel);
                }
            }
        }
        let is_heir = |owner: ActorId| actors.list[owner].is_class();
        let heirs = channels.list.iter_enumerated().filter(|(_, channel)| channel.owner.is_some_and(is_heir));
        PointsTo { heirs: heirs.map(|(id, _)| id).collect(), cells: self.cells, contents: self.contents, may_outlive }
    }
}

pub(super) fn path(place: &Place) -> Vec<u32> {
    place.fields.iter().map(|field| field.field).collect()
}
