//! Processes that can be exchanged without changing the model.
//!
//! A *family* is a proctype with several processes that exist together and whose pids are consecutive; its *members* are
//! numbered from 0. A permutation of the members moves what belongs to a member (its location, its locals, its elements
//! of arrays) and renames members that are held as values. If every step of the model is mapped to a step, and the initial
//! state to itself, then a state and its image have the same future.
//!
//! `families` finds the processes, `kinds` infers which values and indices are members and where a member is used as a
//! number, `swaps` compares the text of the model with itself under an exchange of two members, and `action` says where
//! in a state the members are. Everything errs towards fewer permutations.

mod action;
mod families;
mod kinds;
mod loops;
mod progress;
mod swaps;

#[cfg(test)]
mod tests;

use super::{Dead, Features, Instances, Places, Stored};
use crate::collections::IdVec;
use crate::ir::Program;
use crate::model::{ProctypeId, VariableId};
use crate::source::Span;

pub use action::{Gate, Grid, Holds};

#[derive(Clone, Debug, Default)]
pub struct Symmetry {
    /// Every family, also those without interchangeable members.
    pub families: Vec<Family>,
    /// The fields of a state that permutations move or change: nothing unless some family has interchangeable members.
    pub grids: Vec<Grid>,
}

/// The processes of a proctype.
#[derive(Clone, Debug)]
pub struct Family {
    pub proctype: ProctypeId,
    /// The pid of member 0.
    pub base: u32,
    /// The members of a class are interchangeable. Each class is ascending, and so are their first members.
    pub classes: Vec<Vec<u32>>,
    /// Why some members, or none, can be exchanged with others.
    pub losses: Vec<Loss>,
    /// The variables that hold members or are indexed by them.
    pub variables: Vec<VariableId>,
}

/// Why members cannot be exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub cause: Cause,
    /// Where in the model.
    pub span: Span,
    /// The members that it concerns; `None` for all.
    pub members: Option<Vec<u32>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The processes do not come into being in one step, or have no consecutive pids.
    Apart,
    /// An argument is not known.
    Argument,
    /// A process can end. The youngest process is removed first, which is an order.
    Ends,
    /// Something other than copying and comparing is done with a member.
    Number,
    /// Members of two families meet, or of one in two numberings.
    Mixes,
    /// A type cannot hold all members, or cuts another value so that it becomes one.
    Narrow,
    /// An array has fewer elements than there are members.
    Short,
    /// A loop over members that is not inside of a `d_step` or `atomic`, or waits there.
    LoopOutside,
    /// A loop over members whose rounds depend on their order.
    LoopRounds,
    /// A loop over some of the members.
    LoopPart,
    /// The number of a channel that belongs to a member is used as a value.
    Channel,
    /// Processes of which it is not known how many there are hold members.
    Dynamic,
    /// The initial value of a variable names members, or differs between them.
    Start,
    /// A statement names members.
    Named,
    /// The whole model: it observes more than its state, or states have no fixed layout.
    Model(&'static str),
}

impl Family {
    pub fn size(&self) -> u32 {
        self.classes.iter().map(|class| class.len() as u32).sum()
    }

    pub fn is_on(&self) -> bool {
        self.classes.iter().any(|class| class.len() > 1)
    }
}

/// Larger states are packed in such a way that fields have no position, at least by one engine.
const LARGEST: usize = 16;

/// What the analysis builds on.
#[derive(Clone, Copy)]
pub(super) struct Basis<'a> {
    pub features: &'a Features,
    pub instances: &'a Instances,
    pub is_fixed_channel: &'a IdVec<VariableId, bool>,
    pub stored: &'a IdVec<VariableId, Stored>,
    pub dead: &'a Dead,
    pub places: Option<&'a Places>,
    pub checks_promises: bool,
}

/// Errs towards fewer permutations.
pub(super) fn analyze(program: &Program<'_>, basis: &Basis<'_>) -> Symmetry {
    let found = families::find(program, basis);
    if found.is_empty() {
        return Symmetry::default();
    }
    let kinds = kinds::infer(program, &found, basis);
    let mut families = swaps::families(program, &found, &kinds);
    if let Some(reason) = why_off(program, basis) {
        for family in &mut families {
            family.turn_off(Cause::Model(reason), program.model.proctypes[family.proctype].span);
        }
    }
    let n_slots = basis.places.map_or(0, |places| places.slots.len());
    for family in families.iter_mut().filter(|family| (family.base + family.size()) as usize > n_slots) {
        family.turn_off(Cause::Apart, program.model.proctypes[family.proctype].span);
    }
    if !families.iter().any(Family::is_on) {
        return Symmetry { families, grids: Vec::new() };
    }
    let places = basis.places.expect("without places every family is off");
    let grids = action::Action { program, basis, places, kinds: &kinds, families: &families }.grids();
    Symmetry { families, grids }
}

impl Family {
    /// Every member is alone in its class.
    fn turn_off(&mut self, cause: Cause, span: Span) {
        self.classes = (0..self.size()).map(|member| vec![member]).collect();
        self.losses.push(Loss { cause, span, members: None });
    }
}

/// Why no members of any family can be exchanged.
fn why_off(program: &Program<'_>, basis: &Basis<'_>) -> Option<&'static str> {
    let Basis { features, .. } = basis;
    if features.priorities {
        return Some("the model uses priorities");
    }
    if features.last {
        return Some("the model reads `_last`");
    }
    if features.enabled || features.claims_ask_enabled {
        return Some("the model uses `enabled()`");
    }
    if program.trace.is_some() {
        return Some("the model has a trace assertion");
    }
    if basis.stored.iter().any(|stored| *stored == Stored::Hidden) {
        return Some("the model has hidden variables");
    }
    if basis.checks_promises {
        return Some("a promise of exclusive use (xr, xs) is checked while the model runs");
    }
    match basis.places {
        None => Some("its states have no fixed layout"),
        Some(places) if places.n_words > LARGEST => Some("its states take more than 16 words"),
        Some(_) => None,
    }
}
