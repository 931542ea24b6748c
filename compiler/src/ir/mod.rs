//! Control flow: locations and transitions, and nothing else.
//!
//! Before: structured statements. After: per process a graph in which `if`, `do`, `goto`, `break`, `atomic` and
//! `unless` are gone; only transitions between locations remain. A `d_step` is one transition with a small graph of its
//! own inside. Formulas have become automata too.
//!
//! Expressions, places and declarations stay those of [`model`](crate::model).

mod action;
mod elements;
mod escapes;
pub mod formula;
pub mod lower;
mod numbers;
mod print;
pub mod visit;

use crate::collections::IdVec;
use crate::ids;
use crate::model::{ChannelRef, Expr, LabelId, Model, Pattern, Printed, ProctypeId, Side, Target};
use crate::source::Span;

pub use lower::{lower, lower_with};
pub use print::print;

ids! {
    /// A point in one process's control flow.
    LocationId;
    /// An edge of one process's control flow.
    TransitionId;
}

/// Which of nested escapes is tried first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EscapeOrder {
    /// As the language has it.
    #[default]
    OuterFirst,
    /// As `catch` in Java; `pan -J`.
    InnerFirst,
}

/// The whole model, with control flow as graphs.
#[derive(Clone, Debug)]
pub struct Program<'m> {
    /// The declarations.
    pub model: &'m Model,
    /// By proctype; `init` is among them.
    pub graphs: IdVec<ProctypeId, Graph<'m>>,
    /// The never claims, in the order of the text.
    pub claims: Vec<Graph<'m>>,
    /// The automaton of the runs that violate each formula, in the order of the text.
    pub formulas: Vec<formula::Automaton>,
    /// The trace assertion: its transitions are events.
    pub trace: Option<Graph<'m>>,
    /// Labels that expressions of other processes or of properties refer to.
    pub referenced_labels: Vec<(ProctypeId, LabelId)>,
}

impl Program<'_> {
    /// Whether only finite runs violate a never claim, those that bring it to its end. Accept labels of the processes
    /// count for it as its own do.
    pub fn is_safety(&self, claim: &Graph<'_>) -> bool {
        let mut locations = self.graphs.iter().flat_map(|graph| &graph.locations);
        !locations.any(|location| location.is_accept) && !claim.has_accepting_cycle()
    }
}

/// The control flow of a process, or of the inside of a `d_step`.
#[derive(Clone, Debug)]
pub struct Graph<'m> {
    pub start: LocationId,
    /// Where control can rest, in the order of the text.
    pub locations: IdVec<LocationId, Location>,
    /// In the order of the text.
    pub transitions: IdVec<TransitionId, Transition<'m>>,
    /// The location of a label. `None` if control never rests there, as inside a `d_step`.
    pub labels: IdVec<LabelId, Option<LocationId>>,
}

impl Graph<'_> {
    /// Whether a location with an accept label can be passed again and again.
    fn has_accepting_cycle(&self) -> bool {
        let accepting = self.locations.iter_enumerated().filter(|(_, location)| location.is_accept);
        accepting.map(|(id, _)| id).any(|id| self.comes_back(id))
    }

    fn comes_back(&self, to: LocationId) -> bool {
        let mut is_reached: IdVec<LocationId, bool> = self.locations.iter().map(|_| false).collect();
        let mut open = vec![to];
        while let Some(from) = open.pop() {
            let Location { escapes, leaving, .. } = &self.locations[from];
            for transition in escapes.iter().flatten().chain(leaving) {
                let Some(next) = self.transitions[*transition].to else { continue };
                if !std::mem::replace(&mut is_reached[next], true) {
                    open.push(next);
                }
            }
        }
        is_reached[to]
    }

    /// The location of the end of the process, if it is reachable.
    pub fn closing_brace(&self) -> Option<LocationId> {
        let is_end = |transition: &TransitionId| matches!(self.transitions[*transition].action, Action::End);
        let closing = self.locations.iter_enumerated().find(|(_, location)| location.leaving.iter().any(is_end));
        closing.map(|(id, _)| id)
    }
}

#[derive(Clone, Debug)]
pub struct Location {
    /// The number that `pc_value` gives. It counts statements in Spin's manner:
    /// the parts of a compound statement come before the whole.
    pub number: u32,
    /// The statement at this location.
    pub span: Span,
    pub labels: Vec<LabelId>,
    /// The first transitions of each escape (`unless`) that covers this location, in [`EscapeOrder`]. If one of a group
    /// is enabled, nothing behind that group is.
    pub escapes: Vec<Vec<TransitionId>>,
    /// The other transitions, options from top to bottom. An `else` is enabled if
    /// nothing before it in this list is.
    pub leaving: Vec<TransitionId>,
    /// The process may stay here forever: its end, or an `end` label.
    pub is_end: bool,
    pub is_accept: bool,
    pub is_progress: bool,
}

#[derive(Clone, Debug)]
pub struct Transition<'m> {
    pub action: Action<'m>,
    /// `None` if the process ends, or a `d_step` is complete.
    pub to: Option<LocationId>,
    /// The process is inside an `atomic` and keeps control.
    pub keeps_control: bool,
    pub span: Span,
    /// Statements that are executed in the same step, after the action, and are always executable.
    pub merged: Vec<Merged<'m>>,
}

/// A statement that became part of the step before it.
#[derive(Clone, Debug)]
pub struct Merged<'m> {
    pub action: Action<'m>,
    pub span: Span,
}

impl<'m> Transition<'m> {
    /// All statements of the step.
    pub fn actions(&self) -> impl DoubleEndedIterator<Item = &Action<'m>> {
        std::iter::once(&self.action).chain(self.merged.iter().map(|merged| &merged.action))
    }
}

/// The guard and the effect of a transition: one statement.
#[derive(Clone, Debug)]
pub enum Action<'m> {
    /// Waits until the expression is not zero.
    Condition(&'m Expr),
    Else,
    /// A `goto` or `break` that takes a step of its own, or the join behind a
    /// selection at the end of an `atomic`.
    Jump,
    Assign {
        target: &'m Target,
        value: &'m Expr,
    },
    Send {
        channel: &'m ChannelRef,
        sorted: bool,
        message: &'m [Expr],
    },
    Receive {
        channel: &'m ChannelRef,
        random: bool,
        peek: bool,
        pattern: &'m [Pattern],
    },
    Assert(&'m Expr),
    Print(&'m [Printed]),
    /// In a trace only: a send or a receive by any process.
    Event {
        side: Side,
        channel: &'m ChannelRef,
        pattern: &'m [Pattern],
    },
    /// Deterministic: of the transitions out of a location the first that is
    /// enabled is taken; if none is, other than at the start, that is a fault.
    DStep(Box<Graph<'m>>),
    /// The process ends, if it is the youngest.
    End,
}
