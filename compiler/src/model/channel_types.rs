//! Channel types: the channels that each channel expression may denote.
//!
//! Promela's `chan` does not declare what a channel carries, and channels travel: through variables, parameters, fields
//! and messages. Following Donaldson and Gay (ETCH), the full type of a channel is inferred, recursive types included;
//! here as the set of the declarations ("sites") that it may come from, flow-insensitively (Andersen's points-to
//! analysis). The set is never too small: a channel that passes through a number may come out anywhere.
//!
//! ```promela
//! chan a = [1] of { chan };  chan b = [1] of { byte };
//! init { chan c; a!b; a?c; c!1 }      // c is b
//! ```
//!
//! Before: every [`ChannelRef`] has an empty list of sites. After: the right one.

use super::statement::Communication;
use super::visit;
use super::{ChannelRef, Expr, ExprKind, Init, Model, Pattern, Place, Process, SiteId, Type, VariableId};
use crate::collections::{Id, IdVec, Lookup};
use crate::ids;

ids! {
    /// A holder of channels: a variable or field of type `chan`, all elements of an array as one; a field of the
    /// messages of a site; or [`NUMBERS`].
    CellId;
}

/// All numbers that may be channels.
const NUMBERS: CellId = CellId(0);

/// What is known of the channels of a model.
pub(super) struct ChannelTypes {
    cells: Lookup<(VariableId, Vec<u32>), CellId>,
    sites: IdVec<CellId, Vec<SiteId>>,
    /// Some value is stored in the cell, whether or not it is a channel.
    is_stored_in: IdVec<CellId, bool>,
}

impl ChannelTypes {
    /// Every site whose channels the place may hold, ascending.
    pub(super) fn sites(&self, place: &Place) -> &[SiteId] {
        self.cell(place).map_or(&[], |cell| &self.sites[cell])
    }

    pub(super) fn is_stored_in(&self, place: &Place) -> bool {
        self.cell(place).is_some_and(|cell| self.is_stored_in[cell])
    }

    fn cell(&self, place: &Place) -> Option<CellId> {
        self.cells.get(&(place.variable, path(place))).copied()
    }
}

fn path(place: &Place) -> Vec<u32> {
    place.fields.iter().map(|field| field.field).collect()
}

/// Infers the channel types, and writes them into the model.
pub(super) fn infer(model: &mut Model) -> ChannelTypes {
    let mut inference = Inference::new(model);
    inference.collect(model);
    inference.solve(model);
    let types = ChannelTypes { cells: inference.cells, sites: inference.sites, is_stored_in: inference.is_stored_in };
    write_sites(model, &types);
    types
}

fn write_sites(model: &mut Model, types: &ChannelTypes) {
    let write = |channel: &mut ChannelRef| channel.sites = types.sites(&channel.place).to_vec();
    let in_process = |process: &mut Process| {
        for (_, channel) in &mut process.exclusive {
            write(channel);
        }
        visit::each_statement_mut(&mut process.body, &mut |statement| {
            statement.kind.channel_mut().into_iter().for_each(write);
        });
    };
    model.proctypes.iter_mut().for_each(in_process);
    model.never.iter_mut().for_each(in_process);
    model.trace.iter_mut().map(|trace| &mut trace.process).for_each(in_process);
    visit::each_expr_mut(model, &mut |expr| match &mut expr.kind {
        ExprKind::Probe(_, channel) | ExprKind::Poll { channel, .. } => write(channel),
        _ => {}
    });
}

/// A send or a receive, seen from its channel: what flows in or out of a field.
struct Transfer {
    /// By field of the message: what it holds or where it goes.
    fields: Vec<End>,
    is_send: bool,
}

/// One end of a flow of values.
#[derive(Clone)]
enum End {
    Channels(Vec<CellId>),
    /// A number that may have been a channel's.
    Number,
    /// A constant, or nothing.
    None,
}

struct Inference {
    cells: Lookup<(VariableId, Vec<u32>), CellId>,
    sites: IdVec<CellId, Vec<SiteId>>,
    is_stored_in: IdVec<CellId, bool>,
    /// The cells to which the contents of a cell flow.
    copies: IdVec<CellId, Vec<CellId>>,
    known_copies: Lookup<(CellId, CellId), ()>,
    transfers: Vec<Transfer>,
    /// The transfers over the channels in a cell.
    over: IdVec<CellId, Vec<usize>>,
    /// The cell of the first field of each site's messages.
    messages: IdVec<SiteId, CellId>,
    pending: Vec<(CellId, SiteId)>,
}

impl Inference {
    fn new(model: &Model) -> Self {
        let mut new = Self {
            cells: Lookup::new(),
            sites: IdVec::new(),
            is_stored_in: IdVec::new(),
            copies: IdVec::new(),
            known_copies: Lookup::new(),
            transfers: Vec::new(),
            over: IdVec::new(),
            messages: IdVec::new(),
            pending: Vec::new(),
        };
        new.new_cell();
        for (id, site) in model.sites.iter_enumerated() {
            let first = CellId::from_index(new.sites.len());
            new.messages.push(first);
            for _ in &site.fields {
                new.new_cell();
            }
            let cell = new.cell_at(site.variable, site.path.clone());
            new.is_stored_in[cell] = true;
            new.pending.push((cell, id));
        }
        new
    }

    fn new_cell(&mut self) -> CellId {
        self.is_stored_in.push(false);
        self.copies.push(Vec::new());
        self.over.push(Vec::new());
        self.sites.push(Vec::new())
    }

    fn cell_at(&mut self, variable: VariableId, path: Vec<u32>) -> CellId {
        if let Some(cell) = self.cells.get(&(variable, path.clone())) {
            return *cell;
        }
        let cell = self.new_cell();
        self.cells.insert((variable, path), cell);
        cell
    }

    fn cell(&mut self, place: &Place) -> CellId {
        self.cell_at(place.variable, path(place))
    }

    /// Where a value comes from.
    fn source(&mut self, expr: &Expr) -> End {
        match &expr.kind {
            ExprKind::Constant(_) => End::None,
            ExprKind::Read(place) if place.ty == Type::Chan => End::Channels(vec![self.cell(place)]),
            ExprKind::RemoteVariable { place, .. } if place.ty == Type::Chan => End::Channels(vec![self.cell(place)]),
            ExprKind::Conditional(_, yes, no) => match (self.source(yes), self.source(no)) {
                (End::Channels(mut yes), End::Channels(no)) => {
                    yes.extend(no);
                    End::Channels(yes)
                }
                (End::Channels(some), End::None) | (End::None, End::Channels(some)) => End::Channels(some),
                (End::Channels(some), End::Number) | (End::Number, End::Channels(some)) => {
                    some.iter().for_each(|cell| self.copy(*cell, NUMBERS));
                    End::Number
                }
                (End::None, End::None) => End::None,
                (End::Number | End::None, End::Number | End::None) => End::Number,
            },
            _ => End::Number,
        }
    }

    fn destination(&mut self, place: &Place) -> End {
        if place.ty == Type::Chan { End::Channels(vec![self.cell(place)]) } else { End::Number }
    }

    fn copy(&mut self, from: CellId, to: CellId) {
        self.is_stored_in[to] = true;
        if from == to || self.known_copies.insert((from, to), ()).is_some() {
            return;
        }
        self.copies[from].push(to);
        for site in self.sites[from].clone() {
            self.pending.push((to, site));
        }
    }

    fn flow(&mut self, from: &End, to: &End) {
        match (from, to) {
            (End::Channels(from), End::Channels(to)) => {
                for (from, to) in from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to))) {
                    self.copy(from, to);
                }
            }
            (End::Channels(from), End::Number) => from.iter().for_each(|from| self.copy(*from, NUMBERS)),
            (End::Number, End::Channels(to)) => to.iter().for_each(|to| self.copy(NUMBERS, *to)),
            (End::None, End::Channels(to)) => to.iter().for_each(|to| self.is_stored_in[*to] = true),
            (End::Number | End::None, End::Number | End::None) | (End::Channels(_), End::None) => {}
        }
    }

    fn collect(&mut self, model: &Model) {
        for (id, variable) in model.variables.iter_enumerated() {
            // The parameters of processes that run from the start hold no channel.
            let values: &[Expr] = match &variable.init {
                Init::All(value) => std::slice::from_ref(value),
                Init::List(values) => values,
                Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => &[],
            };
            for value in values {
                let from = self.source(value);
                let to = if variable.ty == Type::Chan {
                    End::Channels(vec![self.cell_at(id, Vec::new())])
                } else {
                    End::Number
                };
                self.flow(&from, &to);
            }
        }
        let processes = model.proctypes.iter().chain(&model.never);
        for process in processes {
            self.collect_process(process);
        }
        visit::each_expr(model, &mut |expr| match &expr.kind {
            ExprKind::Run { proctype, arguments, .. } => self.collect_run(model, *proctype, arguments),
            // A poll stores nothing; but its channels are asked for.
            ExprKind::Poll { channel, .. } | ExprKind::Probe(_, channel) => {
                self.cell(&channel.place);
            }
            _ => {}
        });
    }

    fn collect_process(&mut self, process: &Process) {
        visit::each_statement(&process.body, &mut |statement| {
            if let Some((place, value)) = statement.kind.assignment() {
                let (from, to) = (self.source(value), self.destination(place));
                self.flow(&from, &to);
            }
            match statement.kind.communication() {
                Some(Communication::Send { channel, message }) => {
                    let fields = message.iter().map(|value| self.source(value)).collect();
                    self.transfer(channel, Transfer { fields, is_send: true });
                }
                Some(Communication::Receive { channel, pattern }) => {
                    let fields = pattern.iter().map(|part| match part {
                        Pattern::Store(place) => self.destination(place),
                        Pattern::Equal(_) | Pattern::Ignore => End::None,
                    });
                    let fields: Vec<End> = fields.collect();
                    for cell in
                        fields.iter().filter_map(|end| if let End::Channels(cells) = end { Some(cells) } else { None })
                    {
                        cell.iter().for_each(|cell| self.is_stored_in[*cell] = true);
                    }
                    self.transfer(channel, Transfer { fields, is_send: false });
                }
                // A trace only compares.
                Some(Communication::Event { .. }) | None => {}
            }
        });
    }

    fn transfer(&mut self, channel: &ChannelRef, transfer: Transfer) {
        let cell = self.cell(&channel.place);
        self.over[cell].push(self.transfers.len());
        self.transfers.push(transfer);
    }

    /// Arguments flow into parameters, the fields of a record one by one.
    fn collect_run(&mut self, model: &Model, proctype: super::ProctypeId, arguments: &[Expr]) {
        let Some(process) = model.proctypes.get(proctype) else { return };
        let mut cells = Vec::new();
        for id in &process.parameters {
            self.parameter_cells(model, *id, model.variables[*id].ty, &mut Vec::new(), &mut cells);
        }
        for (argument, to) in arguments.iter().zip(cells) {
            let from = self.source(argument);
            self.flow(&from, &to);
        }
    }

    fn parameter_cells(&mut self, model: &Model, id: VariableId, ty: Type, path: &mut Vec<u32>, out: &mut Vec<End>) {
        match ty {
            Type::Record(record) => {
                for (number, field) in (0..).zip(&model.records[record].fields) {
                    path.push(number);
                    self.parameter_cells(model, id, field.ty, path, out);
                    path.pop();
                }
            }
            Type::Chan => {
                let cell = self.cell_at(id, path.clone());
                self.is_stored_in[cell] = true;
                out.push(End::Channels(vec![cell]));
            }
            _ => out.push(End::Number),
        }
    }

    fn solve(&mut self, model: &Model) {
        while let Some((cell, site)) = self.pending.pop() {
            let Err(place) = self.sites[cell].binary_search(&site) else { continue };
            self.sites[cell].insert(place, site);
            for to in self.copies[cell].clone() {
                self.pending.push((to, site));
            }
            for number in self.over[cell].clone() {
                self.apply(number, site, &model.sites[site].fields);
            }
        }
    }

    /// A transfer over the channels of a site.
    fn apply(&mut self, number: usize, site: SiteId, types: &[Type]) {
        let first = self.messages[site];
        let ends = self.transfers[number].fields.clone();
        let is_send = self.transfers[number].is_send;
        for ((offset, ty), end) in (0..).zip(types).zip(&ends) {
            let field = match ty {
                Type::Chan => End::Channels(vec![CellId(first.0 + offset)]),
                _ => End::Number,
            };
            if is_send {
                self.flow(end, &field);
            } else {
                self.flow(&field, end);
            }
        }
    }
}
