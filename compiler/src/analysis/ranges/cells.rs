//! Cells: the scalars of a model, each with a range.
//!
//! All elements of an array share a cell, and so do all processes of a proctype and all channels that one declaration
//! makes. Each field of a record variable has its own.

use crate::collections::IdVec;
use crate::ids;
use crate::model::{Model, Place, ProctypeId, RecordId, SiteId, Type, VariableId};

ids! {
    /// A scalar with a range.
    CellId;
}

#[derive(Clone, Debug)]
pub struct Cells {
    pub list: IdVec<CellId, Cell>,
    /// The first cell of each variable; those of its fields follow in their order.
    variables: IdVec<VariableId, CellId>,
    /// The first cell of the messages of each site.
    messages: IdVec<SiteId, CellId>,
    /// The first cell of the arguments of a proctype, in the order of its parameters' cells.
    arguments: IdVec<ProctypeId, CellId>,
    /// The number of cells before each field of a record, and behind the last one the number of all.
    offsets: IdVec<RecordId, Vec<u32>>,
}

#[derive(Clone, Debug)]
pub struct Cell {
    pub content: CellContent,
    /// The type that stored values are truncated to.
    pub ty: Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellContent {
    /// A variable or a field of one. A single one, not in an array, if `is_single`.
    Variable { id: VariableId, is_single: bool },
    /// A field of the messages of a site, by its number.
    Message(SiteId, u32),
    /// The argument of a parameter.
    Argument(CellId),
    /// What one process has added to a counter: see [`counters`](super::counters).
    Contribution,
}

impl Cells {
    pub fn new(model: &Model) -> Self {
        let mut cells = Self {
            list: IdVec::new(),
            variables: IdVec::new(),
            messages: IdVec::new(),
            arguments: IdVec::new(),
            offsets: model.records.iter().map(|_| Vec::new()).collect(),
        };
        for record in model.records.ids() {
            cells.measure(model, record);
        }
        for (id, variable) in model.variables.iter_enumerated() {
            let first = CellId(cells.n());
            cells.add(model, id, variable.ty, variable.length, true);
            cells.variables.push(first);
        }
        for (id, site) in model.sites.iter_enumerated() {
            cells.messages.push(CellId(cells.n()));
            for (number, ty) in (0..).zip(&site.fields) {
                cells.list.push(Cell { content: CellContent::Message(id, number), ty: *ty });
            }
        }
        for process in &model.proctypes {
            let parameters: Vec<CellId> =
                process.parameters.iter().flat_map(|parameter| cells.of_variable(*parameter)).collect();
            cells.arguments.push(CellId(cells.n()));
            for parameter in parameters {
                let ty = cells.list[parameter].ty;
                cells.list.push(Cell { content: CellContent::Argument(parameter), ty });
            }
        }
        cells
    }

    fn n(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    /// How many cells a value of a type has. Records hold only records that were declared before them.
    fn measure(&mut self, model: &Model, record: RecordId) {
        let mut offsets = vec![0];
        for field in &model.records[record].fields {
            let size = match field.ty {
                Type::Record(inner) => self.offsets[inner].last().copied().unwrap_or(0),
                _ => 1,
            };
            offsets.push(offsets.last().copied().unwrap_or(0) + size);
        }
        self.offsets[record] = offsets;
    }

    fn add(&mut self, model: &Model, id: VariableId, ty: Type, length: Option<u32>, is_single: bool) {
        let is_single = is_single && length.is_none();
        match if length.is_some() { ty.element() } else { ty } {
            Type::Record(record) => {
                for field in &model.records[record].fields {
                    self.add(model, id, field.ty, field.length, is_single);
                }
            }
            ty => {
                self.list.push(Cell { content: CellContent::Variable { id, is_single }, ty });
            }
        }
    }

    /// The cells of a variable, in the order of its fields.
    pub fn of_variable(&self, id: VariableId) -> Vec<CellId> {
        let is_its = |cell: &CellId| {
            let content = self.list.get(*cell).map(|cell| cell.content);
            matches!(content, Some(CellContent::Variable { id: of, .. }) if of == id)
        };
        (self.variables[id].0..).map(CellId).take_while(is_its).collect()
    }

    pub fn of_place(&self, model: &Model, place: &Place) -> CellId {
        let fields = place.fields.iter().map(|access| access.field);
        self.field(model, place.variable, fields)
    }

    /// The cell that a path of fields leads to.
    pub fn field(&self, model: &Model, id: VariableId, path: impl IntoIterator<Item = u32>) -> CellId {
        let mut cell = self.variables[id].0;
        let mut ty = model.variables[id].ty;
        for field in path {
            let Type::Record(record) = ty else { break };
            cell += self.offsets[record][field as usize];
            ty = model.records[record].fields[field as usize].ty;
        }
        CellId(cell)
    }

    pub fn message(&self, site: SiteId, field: u32) -> CellId {
        CellId(self.messages[site].0 + field)
    }

    /// The arguments that a proctype starts with, each with the parameter that it becomes.
    pub(super) fn arguments(&self, proctype: ProctypeId) -> impl Iterator<Item = (CellId, CellId)> {
        let first = self.arguments[proctype].0;
        let end = self.arguments.get(ProctypeId(proctype.0 + 1)).map_or(self.list.len(), |next| next.0 as usize);
        let of = |cell: CellId| match self.list[cell].content {
            CellContent::Argument(parameter) => Some((cell, parameter)),
            CellContent::Variable { .. } | CellContent::Message(..) | CellContent::Contribution => None,
        };
        (first..u32::try_from(end).unwrap_or(u32::MAX)).map(CellId).map_while(of)
    }
}
