//! A lowered model: code, and where it begins for each transition.

use std::ops::Range;

use pmc_runtime::step::{After, ClaimLocation, ClaimMoveId, TransitionId};

use super::code::{Field, Op, Pattern, RawField, Row, Target};
use super::decision::Decision;
use super::guard::FieldTest;
use super::layout::Layout;
use super::ticks::Timers;
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
    /// By proctype.
    pub processes: Vec<Process>,
    pub behaviours: Behaviours,
    /// The tests of sequences.
    pub tests: Vec<FieldTest>,
    pub claims: Vec<Claim>,
    pub trace: Option<Trace>,
    /// The channels of globals, in the order of their numbers.
    pub global_channels: Vec<ChannelPart>,
    /// Sets the initial values of the globals.
    pub initial: Target,
    /// The proctypes and priorities of the first processes.
    pub first_processes: Vec<(usize, u8)>,
    pub timers: Timers,
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
    pub start: usize,
    pub first_location: usize,
    /// Where the arguments go.
    pub parameters: Vec<Option<Field>>,
    /// Sets the initial values of the locals.
    pub initial: Target,
    pub channels: Vec<ChannelPart>,
}

pub struct Location {
    /// The transitions that leave it, in the order in which they are tried, with their numbers in the proctype.
    pub leaving: Vec<(usize, TransitionId)>,
    /// As `pc_value` gives it.
    pub number: i32,
    pub is_end: bool,
    pub is_accepting: bool,
    pub is_progress: bool,
}

/// The behaviours of all processes.
pub enum Behaviours {
    /// Of each pid, which determines the proctype: addresses and `_pid` are constants.
    ByPid(Vec<Behaviour>),
    ByProctype(Vec<Behaviour>),
}

/// What a process can do.
pub struct Behaviour {
    /// Where its location is stored; nothing if there is only one.
    pub location: Option<RawField>,
    pub provided: Option<Target>,
    /// The first transition of its text, to which a fault of `provided` belongs.
    pub first_transition: TransitionId,
    /// By location.
    pub exits: Vec<Exits>,
}

/// What a process can do at a location, in the order in which it is tried.
#[derive(Default)]
pub struct Exits {
    pub choices: Vec<Choice>,
    /// Which of them may be enabled.
    pub decision: Decision,
    /// Receives in a rendezvous.
    pub answers: Vec<Choice>,
}

/// A way to take a transition.
#[derive(Clone)]
pub struct Choice {
    pub transition: TransitionId,
    pub way: Way,
    /// It is tried only if nothing of an earlier group is enabled.
    pub group: usize,
    /// It is enabled only if nothing before it in its group is.
    pub is_else: bool,
    pub sequence: Sequence,
    /// The numbers of the transitions that are taken in the same step.
    pub merged: Range<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Step,
    Offer,
    Answer {
        /// The site of the channel, if it is always the same.
        site: Option<u32>,
    },
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
    /// The sequence is blocked if one of these tests holds: the first one and their number.
    pub blocked_if: (u32, u32),
    /// Nothing but these tests can block it, and it does nothing else.
    pub is_decided: bool,
    /// More of it than these tests can be executed without a machine.
    pub is_worth_a_peek: bool,
}

impl Sequence {
    pub fn new(entry: Target) -> Self {
        Self {
            entry,
            is_apart: false,
            rest: None,
            is_tentative: false,
            is_d_step: false,
            blocked_if: (0, 0),
            is_decided: false,
            is_worth_a_peek: false,
        }
    }
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
