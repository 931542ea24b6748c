//! Embedded C: the pieces of a model, and what each block of them mentions.
//!
//! C is not parsed. A block is read as tokens, and all that it can reach by name is noted: variables of the model behind
//! `now.` and `PName->`, and functions and macros of the model's own pieces, which are read in the same way. What could
//! reach further is refused. So a block is a function of what it mentions, and everything else about it follows from
//! that: what it reads and writes, on which threads it may run, that a run with it can be repeated.

pub mod known;
pub mod problem;
pub mod scan;
mod tokens;
mod words;

use super::{Model, Place, Type, VariableId};
use crate::collections::IdVec;
use crate::ids;
use crate::model::{Expr, FieldAccess};
use crate::source::{Name, Span};

ids! {
    /// A `c_code` or a `c_expr`, as a process executes it: an inline has one for each call.
    BlockId;
}

/// All C of a model.
#[derive(Clone, Debug, Default)]
pub struct Embedded {
    /// Those of the top level, in the order of the text.
    pub pieces: Vec<Piece>,
    pub blocks: IdVec<BlockId, Block>,
    /// Functions and constants of the pieces.
    pub defined: Vec<String>,
}

/// A `c_decl`, or a `c_code` outside of a process.
#[derive(Clone, Debug)]
pub struct Piece {
    pub kind: PieceKind,
    /// Without the braces.
    pub text: Name,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// In front of the state.
    Declarations,
    /// Behind it: functions that may use `now`.
    Functions,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub kind: BlockKind,
    /// What must hold where it is executed.
    pub precondition: Option<Name>,
    /// Without the braces.
    pub text: Name,
    pub span: Span,
    /// The values that it gets, and some of which it changes.
    pub slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Code,
    Expression,
}

/// A value that travels between the state and the C text.
#[derive(Clone, Debug)]
pub struct Slot {
    pub value: SlotValue,
    /// In C: `now.a[2]`, `PP->x`.
    pub name: String,
    pub is_written: bool,
}

#[derive(Clone, Debug)]
pub enum SlotValue {
    Place(Place),
    /// `PP->_pid`
    Pid,
    /// `now._nr_pr`
    ProcessCount,
}

impl Embedded {
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.blocks.is_empty()
    }

    /// A place to name in a message: that of the first block, or of the first piece.
    pub fn first(&self) -> Option<Span> {
        let pieces = self.pieces.iter().map(|piece| piece.span);
        self.blocks.iter().map(|block| block.span).chain(pieces).next()
    }
}

impl Block {
    /// The word that it begins with.
    pub fn word(&self) -> &'static str {
        match self.kind {
            BlockKind::Code => "c_code",
            BlockKind::Expression => "c_expr",
        }
    }

    /// What it changes, in the order of its results.
    pub fn targets(&self) -> impl Iterator<Item = &Place> {
        self.slots.iter().filter(|slot| slot.is_written).filter_map(|slot| match &slot.value {
            SlotValue::Place(place) => Some(place),
            SlotValue::Pid | SlotValue::ProcessCount => None,
        })
    }
}

impl Model {
    /// The scalars below a field of a variable, each with the way to it in C, as in `[2].f`.
    pub(super) fn scalars_below(&self, variable: VariableId, fields: &[u32], span: Span) -> Vec<(Place, String)> {
        let declared = &self.variables[variable];
        let place = Place { variable, index: None, fields: Vec::new(), ty: declared.ty, span };
        let mut found = Vec::new();
        self.collect_places(place, (declared.ty, declared.length), fields, String::new(), &mut found);
        found
    }

    fn collect_places(
        &self,
        place: Place,
        (ty, length): (Type, Option<u32>),
        fields: &[u32],
        way: String,
        found: &mut Vec<(Place, String)>,
    ) {
        if let Some(length) = length {
            for number in 0..length.min(MOST_SCALARS) {
                let mut element = place.clone();
                let index = i32::try_from(number).unwrap_or(i32::MAX);
                let index = Some(Box::new(Expr::constant(index, place.span)));
                match element.fields.last_mut() {
                    Some(last) => last.index = index,
                    None => element.index = index,
                }
                element.ty = ty.element();
                self.collect_places(element, (ty.element(), None), fields, format!("{way}[{number}]"), found);
            }
            return;
        }
        let Type::Record(record) = ty else {
            if found.len() <= MOST_SCALARS as usize {
                found.push((place, way));
            }
            return;
        };
        for (number, field) in (0..).zip(&self.records[record].fields) {
            if fields.first().is_some_and(|wanted| *wanted != number) {
                continue;
            }
            let mut inside = place.clone();
            inside.fields.push(FieldAccess { field: number, index: None });
            inside.ty = field.ty;
            let rest = fields.get(1..).unwrap_or_default();
            self.collect_places(inside, (field.ty, field.length), rest, format!("{way}.{}", field.name), found);
        }
    }
}

/// A block that mentions more scalars is refused: each is a value that is handed over.
pub const MOST_SCALARS: u32 = 4096;
