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
mod claims;
mod ends;
mod families;
mod kinds;
mod loops;
mod progress;
mod swaps;
mod walk;

#[cfg(test)]
mod tests;

use super::{Dead, Features, Instances, Places, Stored};
use crate::collections::IdVec;
use crate::ir::Program;
use crate::model::{Model, MtypeId, ProctypeId, VariableId};
use crate::source::Span;

pub use action::{Gate, Grid, Holds};
pub use ends::{Ending, Endings, Starter};
use families::Found;
use walk::Claims;

#[derive(Clone, Debug, Default)]
pub struct Symmetry {
    /// Every family, also those without interchangeable members.
    pub families: Vec<Family>,
    /// The fields of a state that permutations move or change: nothing unless some family has interchangeable members.
    pub grids: Vec<Grid>,
    /// How members end.
    pub endings: Option<Endings>,
    /// The same for the search for violations of each never claim, and behind them of each formula.
    pub claims: Vec<ClaimSymmetry>,
}

/// The exchanges that leave the model and one claim as they are.
#[derive(Clone, Debug, Default)]
pub struct ClaimSymmetry {
    pub families: Vec<Family>,
    pub grids: Vec<Grid>,
}

struct Exchanges {
    families: Vec<Family>,
    grids: Vec<Grid>,
    endings: Option<Endings>,
}

/// What the members of a family are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The processes of a proctype.
    Processes(ProctypeId),
    /// The values of a scalarset.
    Set(MtypeId),
}

impl Who {
    pub fn proctype(self) -> Option<ProctypeId> {
        match self {
            Self::Processes(proctype) => Some(proctype),
            Self::Set(_) => None,
        }
    }

    /// The proctype, or the type as it is written.
    pub fn name(self, model: &Model) -> &str {
        match self {
            Self::Processes(proctype) => &model.proctypes[proctype].name,
            Self::Set(set) => model.mtypes[set].kind.as_deref().unwrap_or_default(),
        }
    }
}

/// The processes of a proctype, or the values of a scalarset.
#[derive(Clone, Debug)]
pub struct Family {
    pub who: Who,
    /// It is another family of this list: a scalarset that is the set of the processes of a proctype.
    pub is_same: bool,
    /// The pid of member 0, and 0 for a scalarset.
    pub base: u32,
    /// The members of a class are interchangeable. Each class is ascending, and so are their first members.
    pub classes: Vec<Vec<u32>>,
    /// Why some members, or none, can be exchanged with others.
    pub losses: Vec<Loss>,
    /// The variables that hold members or are indexed by them.
    pub variables: Vec<VariableId>,
}

/// What is done with the members of a scalarset and must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misuse {
    pub set: MtypeId,
    pub wrong: Wrong,
    /// Where in the model.
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Arithmetic, an order, a condition.
    Number,
    /// A constant in the place of a member, unless all are named alike.
    Named,
    /// A member of another set.
    Mixes(MtypeId),
    /// Processes, of which there are not as many, or which have other numbers.
    MixesOthers,
    /// A variable that cannot hold all members.
    Narrow,
    Short {
        variable: VariableId,
        length: u32,
    },
    LoopOutside,
    LoopRounds,
    LoopPart {
        first: i32,
        last: i32,
    },
    /// The members do not all start alike.
    Start,
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
    /// A process can end. The youngest process is removed first, which is an order, and for this reason somebody can tell.
    Ends(&'static str),
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

    /// Where in the text it is.
    fn span(&self, model: &Model) -> Span {
        match self.who {
            Who::Processes(proctype) => model.proctypes[proctype].span,
            Who::Set(set) => model.mtypes[set].members.map_or(Span::default(), |members| members.span),
        }
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
    let of = |claims: Claims| symmetry_of(program, basis, &found, claims);
    let Exchanges { families, grids, endings } = of(Claims::None);
    let never = (0..).zip(&program.model.never).map(|(number, _)| Claims::Never(number));
    let formulas = (0..program.formulas.len()).map(Claims::Formula);
    let claims = never.chain(formulas).map(|claim| {
        if grids.is_empty() {
            return ClaimSymmetry::default();
        }
        let Exchanges { families, grids, .. } = of(claim);
        ClaimSymmetry { families, grids }
    });
    let claims = claims.collect();
    Symmetry { families, grids, endings, claims }
}

fn symmetry_of(program: &Program<'_>, basis: &Basis<'_>, found: &[Found], claims: Claims) -> Exchanges {
    let model = program.model;
    let kinds = kinds::infer(program, found, basis, claims);
    let mut families = swaps::families(program, found, &kinds, claims);
    if let Some(reason) = why_off(program, basis) {
        for family in &mut families {
            family.turn_off(Cause::Model(reason), model);
        }
    }
    let n_slots = basis.places.map_or(0, |places| places.slots.len());
    let has_processes = |family: &&mut Family| matches!(family.who, Who::Processes(_));
    for family in families.iter_mut().filter(has_processes) {
        if (family.base + family.size()) as usize > n_slots {
            family.turn_off(Cause::Apart, model);
        }
    }
    turn_off_ended(program, basis, found, &mut families, claims);
    if !families.iter().any(Family::is_on) {
        return Exchanges { families, grids: Vec::new(), endings: None };
    }
    let places = basis.places.expect("without places every family is off");
    let on: Vec<(u16, &Found)> =
        (0..).zip(found.iter().zip(&families).filter(|(_, family)| family.is_on()).map(|(it, _)| it)).collect();
    let endings = ends::endings(program, basis, places, &on);
    let grids =
        action::Action { program, basis, places, kinds: &kinds, families: &families, endings: endings.as_ref() }
            .grids();
    Exchanges { families, grids, endings }
}

/// Members that end must do so unnoticed. A claim notices each step.
fn turn_off_ended(program: &Program<'_>, basis: &Basis<'_>, found: &[Found], families: &mut [Family], claims: Claims) {
    loop {
        let ending = |family: &Family| family.is_on().then(|| family.who.proctype()).flatten();
        let on: Vec<ProctypeId> = families.iter().filter_map(ending).collect();
        let obstacle = |family: &Family| {
            let proctype = ending(family).filter(|proctype| families::may_end(&program.graphs[*proctype]))?;
            match claims {
                Claims::None => ends::obstacle(program, basis, found, proctype, &on),
                _ => Some("a claim takes a step when a process is removed"),
            }
        };
        let Some((number, reason)) = families.iter().enumerate().find_map(|(at, family)| Some((at, obstacle(family)?)))
        else {
            return;
        };
        families[number].turn_off(Cause::Ends(reason), program.model);
    }
}

/// What a model does with members of its scalarsets that it must not do, in the order of the text.
pub(super) fn misuses(program: &Program<'_>, basis: &Basis<'_>) -> Vec<Misuse> {
    let found = families::find(program, basis);
    let kinds = kinds::infer(program, &found, basis, Claims::None);
    let mut misuses = kinds.misuses.clone();
    // A claim may name members, which stay where they are while it is checked.
    let with_claims = kinds::infer(program, &found, basis, Claims::All).misuses;
    misuses.extend(with_claims.into_iter().filter(|misuse| misuse.wrong != Wrong::Named));
    for (number, family) in swaps::families(program, &found, &kinds, Claims::None).iter().enumerate() {
        let mut sets = (0..found.len()).filter(|other| kinds.same[*other] == number);
        let Some(set) = sets.find_map(|other| found[other].set()) else { continue };
        for loss in family.losses.iter().filter(|_| family.classes.len() > 1) {
            let wrong = match &loss.cause {
                Cause::Named => Wrong::Named,
                Cause::Start => Wrong::Start,
                // It is told already, or is about the processes and not the set.
                _ => continue,
            };
            misuses.push(Misuse { set, wrong, span: loss.span });
        }
    }
    misuses.sort_by_key(|misuse| (misuse.span.start, misuse.span.end));
    misuses.dedup();
    misuses
}

impl Family {
    /// Every member is alone in its class.
    fn turn_off(&mut self, cause: Cause, model: &Model) {
        let span = self.span(model);
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
