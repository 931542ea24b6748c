//! A lowered model: code, and where it begins for each transition.

use pmc_runtime::step::{After, ClaimLocation, ClaimMoveId, TransitionId};

use super::code::{Field, Op, Pattern, Row, Target};
use super::layout::{Base, Layout};
use crate::exec::Comparison;
use crate::model::{MtypeId, Side};

pub struct Program {
    pub layout: Layout,
    pub ops: Vec<Op>,
    pub rows: Vec<Row>,
    /// Constant arrays.
    pub tables: Vec<Vec<i32>>,
    pub site_sets: Vec<SiteSet>,
    pub patterns: Vec<Pattern>,
    pub texts: Vec<Vec<Printed>>,
    pub sites: Vec<Site>,
    pub processes: Vec<Process>,
    pub claims: Vec<Claim>,
    pub trace: Option<Trace>,
    /// The channels of globals, in the order of their numbers.
    pub global_channels: Vec<ChannelPart>,
    /// Sets the initial values of the globals.
    pub initial: Target,
    /// The proctypes and priorities of the first processes.
    pub first_processes: Vec<(usize, u8)>,
    /// The names of each mtype, for what is printed.
    pub mtypes: Vec<Vec<(i32, String)>>,
    pub promises: Option<Promises>,
    pub uses_timeout: bool,
    pub has_priorities: bool,
    pub has_hidden: bool,
}

/// Sites that a statement may use.
pub struct SiteSet {
    /// With a queue.
    pub queues: Vec<u32>,
    pub rendezvous: Vec<u32>,
}

/// A channel of an owner: the site, and the index in its array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelPart {
    pub site: u32,
    pub element: u32,
}

pub struct Site {
    /// It belongs to a process.
    pub is_local: bool,
}

/// A part of what is printed; values are taken from the list of values.
pub enum Printed {
    Text(String),
    Signed,
    Unsigned,
    Octal,
    Hexadecimal,
    Character,
    Symbol(MtypeId),
}

pub struct Process {
    pub locations: Vec<Location>,
    pub transitions: Vec<Transition>,
    pub provided: Option<Target>,
    pub start: usize,
    pub first_location: usize,
    /// The first transition of its text, to which a fault of `provided` belongs.
    pub first_transition: TransitionId,
    /// Where the arguments go.
    pub parameters: Vec<Option<Field>>,
    /// Sets the initial values of the locals.
    pub initial: Target,
    pub channels: Vec<ChannelPart>,
    pub can_answer: bool,
}

pub struct Location {
    /// Transitions in the order in which they are tried.
    pub groups: Vec<Vec<usize>>,
    /// The same for transitions that can receive in a rendezvous.
    pub answers: Vec<Vec<usize>>,
    /// As `pc_value` gives it.
    pub number: i32,
    pub is_end: bool,
    pub is_accepting: bool,
    pub is_progress: bool,
}

pub struct Transition {
    pub id: TransitionId,
    pub is_else: bool,
    pub step: Option<Sequence>,
    pub offer: Option<Sequence>,
    pub answer: Option<Sequence>,
    /// The statements that are executed in the same step.
    pub merged: Vec<TransitionId>,
}

/// The code of one step.
#[derive(Clone, Copy, Debug)]
pub struct Sequence {
    pub entry: Target,
    /// It reads the state before the step: its expressions change the state that they read.
    pub is_apart: bool,
    /// The rest of such a step, which reads the changed state.
    pub rest: Option<Target>,
    /// It may have changed the state when it turns out to be blocked.
    pub is_tentative: bool,
    pub is_d_step: bool,
    /// If this comparison holds, the sequence is blocked.
    pub blocked_if: Option<FieldTest>,
}

/// The comparison of a scalar with a constant.
#[derive(Clone, Copy, Debug)]
pub struct FieldTest {
    pub comparison: Comparison,
    pub field: Field,
    pub right: i32,
}

impl Sequence {
    pub fn new(entry: Target) -> Self {
        Self { entry, is_apart: false, rest: None, is_tentative: false, is_d_step: false, blocked_if: None }
    }

    /// Finds the comparison that the sequence begins with, so that most disabled transitions need no machine.
    pub fn find_test(&mut self, ops: &[Op]) {
        let mut at = self.entry as usize;
        self.blocked_if = loop {
            match ops[at] {
                Op::Jump(target) => at = target as usize,
                Op::At(_) => at += 1,
                Op::JumpField { comparison, field, right, target } if is_end(ops, target) => {
                    let is_own = matches!(field.base, Base::State | Base::Own | Base::OwnBeside);
                    break is_own.then_some(FieldTest { comparison, field, right });
                }
                _ => break None,
            }
        };
    }
}

/// Whether a sequence is blocked here.
fn is_end(ops: &[Op], mut at: Target) -> bool {
    while let Op::Jump(target) = ops[at as usize] {
        at = target;
    }
    matches!(ops[at as usize], Op::Blocked | Op::DStepBlocked)
}

pub struct Claim {
    /// The moves from each location, in the order in which they are tried.
    pub locations: Vec<Vec<Vec<ClaimMove>>>,
}

#[derive(Clone, Copy)]
pub struct ClaimMove {
    pub by: ClaimMoveId,
    pub to: ClaimLocation,
    pub after: After,
    pub is_else: bool,
    pub sequence: Sequence,
    pub kind: ClaimMoveKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ClaimMoveKind {
    Test,
    Assertion,
    Change,
}

pub struct Trace {
    pub is_negated: bool,
    /// The events that lead from each location; a message moves along the first that matches.
    pub locations: Vec<TraceLocation>,
    /// Code that finds each channel that an event of a side names.
    pub named: Vec<(Side, Target)>,
    pub start: usize,
    /// The location behind the closing brace.
    pub end: usize,
}

#[derive(Default)]
pub struct TraceLocation {
    pub events: Vec<TraceEvent>,
    pub may_end: bool,
}

pub struct TraceEvent {
    pub side: Side,
    /// Code that compares the current message.
    pub entry: Target,
    pub to: usize,
}

/// Exclusive use of channels: code that finds each channel.
pub struct Promises {
    pub declared: Vec<Vec<(Side, Target)>>,
    /// By proctype and transition.
    pub uses: Vec<Vec<Vec<(Side, Target)>>>,
}
