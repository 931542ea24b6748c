//! The abstract state of a process at a location.
//!
//! A variable that only this process stores in keeps its value from statement to statement. A variable that others
//! store in keeps it only while the process has control. Both have a slot here; all others are known by their ranges
//! alone.

use super::cells::{CellContent, CellId, Cells};
use super::interval::Range;
use crate::collections::{IdVec, Lookup};
use crate::model::{BinaryOp, Expr, ExprKind, Place};

/// The cells of a process that have a slot.
#[derive(Default)]
pub(super) struct Slots {
    of: Lookup<CellId, usize>,
    /// The slot of a counter's contribution: see [`counters`](super::counters).
    counts: Lookup<CellId, usize>,
    pub list: Vec<EnvironmentSlot>,
}

#[derive(Clone, Copy)]
pub(super) struct EnvironmentSlot {
    pub cell: CellId,
    /// Others store in it, too.
    pub is_shared: bool,
}

impl Slots {
    pub fn add(&mut self, cell: CellId, is_shared: bool) {
        if self.of.get(&cell).is_none() {
            self.of.insert(cell, self.list.len());
            self.list.push(EnvironmentSlot { cell, is_shared });
        }
    }

    /// Adds a slot for the contribution of the process to a counter, whose range is that of the cell `contribution`.
    pub fn add_count(&mut self, counter: CellId, contribution: CellId) {
        self.counts.insert(counter, self.list.len());
        self.list.push(EnvironmentSlot { cell: contribution, is_shared: false });
    }

    pub fn of(&self, cell: CellId) -> Option<usize> {
        self.of.get(&cell).copied()
    }

    pub fn count(&self, counter: CellId) -> Option<usize> {
        self.counts.get(&counter).copied()
    }
}

/// The range of each cell; `None` as long as it has no value.
pub(super) type Summary = IdVec<CellId, Option<Range>>;

/// The abstract state at one location.
#[derive(Clone)]
pub(super) struct Environment<'m> {
    pub slots: Vec<Range>,
    /// Elements of arrays whose ranges are narrower than that of the whole array.
    pub elements: Vec<KnownElement<'m>>,
}

#[derive(Clone, Copy)]
pub(super) struct KnownElement<'m> {
    pub place: &'m Place,
    pub cell: CellId,
    pub range: Range,
    pub is_shared: bool,
    /// How often its range grew at joins.
    pub growth: u8,
}

/// The greatest number of such elements.
const MOST_ELEMENTS: usize = 8;

impl<'m> Environment<'m> {
    /// Forgets what other processes may change.
    pub fn lose_control(&mut self, slots: &Slots) {
        for (range, slot) in self.slots.iter_mut().zip(&slots.list) {
            if slot.is_shared {
                *range = Range::ANY;
            }
        }
        self.elements.retain(|element| !element.is_shared);
    }

    /// The join of two abstract states.
    pub fn join(&mut self, other: &Self) {
        for (range, other) in self.slots.iter_mut().zip(&other.slots) {
            *range = range.join(*other);
        }
        self.elements.retain_mut(|element| match other.element(element.place) {
            Some(range) => {
                element.range = element.range.join(range);
                true
            }
            None => false,
        });
    }

    pub fn element(&self, place: &Place) -> Option<Range> {
        self.elements.iter().find(|element| is_same_place(element.place, place)).map(|element| element.range)
    }

    pub fn remember(&mut self, known: KnownElement<'m>) {
        self.elements.retain(|element| !is_same_place(element.place, known.place));
        if self.elements.len() < MOST_ELEMENTS {
            self.elements.push(known);
        }
    }

    /// Forgets the elements of an array, and those whose index is a given variable.
    pub fn forget_elements(&mut self, cells: &Cells, cell: CellId) {
        let CellContent::Variable { id, .. } = cells.list[cell].content else { return };
        self.elements.retain(|element| {
            let mut is_index = false;
            let indices = element.place.index.iter();
            let indices = indices.chain(element.place.fields.iter().filter_map(|field| field.index.as_ref()));
            indices.for_each(|index| is_index |= mentions(index, id));
            element.cell != cell && !is_index
        });
    }
}

fn mentions(expression: &Expr, id: crate::model::VariableId) -> bool {
    match &expression.kind {
        ExprKind::Read(place) => place.variable == id,
        ExprKind::Binary(_, left, right) => mentions(left, id) || mentions(right, id),
        _ => false,
    }
}

/// Whether an index has the same value as long as nothing is stored in the variables that it mentions, all of which
/// are single ones that `is_kept` accepts.
pub(super) fn is_steady(index: &Expr, is_kept: &dyn Fn(&Place) -> bool) -> bool {
    match &index.kind {
        ExprKind::Constant(_) | ExprKind::Pid => true,
        ExprKind::Read(place) => is_kept(place),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            is_steady(left, is_kept) && is_steady(right, is_kept)
        }
        _ => false,
    }
}

pub(super) fn is_same_place(a: &Place, b: &Place) -> bool {
    let is_same_index = |a: &Option<Box<Expr>>, b: &Option<Box<Expr>>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => is_same_value(a, b),
        _ => false,
    };
    a.variable == b.variable
        && is_same_index(&a.index, &b.index)
        && a.fields.len() == b.fields.len()
        && a.fields.iter().zip(&b.fields).all(|(a, b)| a.field == b.field && is_same_index(&a.index, &b.index))
}

fn is_same_value(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Constant(a), ExprKind::Constant(b)) => a == b,
        (ExprKind::Pid, ExprKind::Pid) => true,
        (ExprKind::Read(a), ExprKind::Read(b)) => is_same_place(a, b),
        (ExprKind::Binary(op, left, right), ExprKind::Binary(other, other_left, other_right)) => {
            op == other && is_same_value(left, other_left) && is_same_value(right, other_right)
        }
        _ => false,
    }
}
