//! Several processes on one graph, and a claim that observes their positions: for the searches of infinite runs.

use super::{place, transition};
use crate::fault::Fault;
use crate::model::{
    ClaimInfo, ClaimKind, ClaimLocationInfo, ClaimMoveInfo, Describe, LocationInfo, Model, ModelInfo, ProctypeInfo,
};
use crate::pack::{Packed, Reader, Words, Writer};
use crate::reduction::{Independence, NEVER, ReductionInfo, Table};
use crate::step::{After, ClaimLocation, ClaimMoveId, ClaimMoves, Pid, Steps, TransitionId};

/// A step of one process, or of two, from node to node. Its number in [`Web::arcs`] is that of its transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arc {
    pub from: u32,
    pub pid: u8,
    pub to: u32,
    pub receiver: Option<u8>,
    pub kind: ArcKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcKind {
    Plain,
    /// Its process becomes the atomic owner.
    Atomic,
    /// Only if no process can move without it.
    Timeout,
    Fails,
    /// An assertion that does not hold, and then a step.
    Bad,
    /// Counts the hidden variable up.
    Hidden,
}

pub fn arc(from: u32, pid: u8, to: u32) -> Arc {
    Arc { from, pid, to, receiver: None, kind: ArcKind::Plain }
}

/// A move of the claim, in those nodes that `nodes` has a bit for. Its number in [`Web::claim`] is that of the move.
#[derive(Clone, Debug)]
pub struct ClaimArc {
    pub from: u16,
    pub to: u16,
    pub nodes: u64,
    pub kind: ClaimArcKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimArcKind {
    Plain,
    /// The claim moves again.
    Atomic,
    Timeout,
    /// Goes to another node.
    Changing(u32),
    /// An assertion that does not hold, and then a move.
    Bad,
    Fails,
}

pub fn claim_arc(from: u16, to: u16, nodes: u64) -> ClaimArc {
    ClaimArc { from, to, nodes, kind: ClaimArcKind::Plain }
}

/// The locations of each claim: two plain ones, two accepting ones, and the end.
pub const N_PLACES: u16 = 5;
pub const END: u16 = 4;

pub fn is_accepting_place(at: u16) -> bool {
    at == 2 || at == 3
}

#[derive(Clone, Debug, Default)]
pub struct Web {
    /// For each node the number of processes there.
    pub n_processes: Vec<u8>,
    pub arcs: Vec<Arc>,
    /// Nodes where the first process, if there is one, stands at an accept label, and at a progress label: bits.
    pub accept: u64,
    pub progress: u64,
    pub claim: Vec<ClaimArc>,
    /// What reductions may rely on.
    pub independence: Option<WebReduction>,
}

/// For webs of processes with locations of their own.
#[derive(Clone, Debug)]
pub struct WebReduction {
    pub info: &'static ReductionInfo<'static>,
    /// The location of each process in each node.
    pub locations: Vec<Vec<usize>>,
    /// For each location whether its process is safe there, without and with fairness.
    pub is_safe: Vec<[bool; 2]>,
}

impl Web {
    /// Nodes with `n_processes` processes each.
    pub fn new(n_nodes: usize, n_processes: u8, arcs: Vec<Arc>) -> Web {
        Web { n_processes: vec![n_processes; n_nodes], arcs, ..Web::default() }
    }
}

const fn claim_place(is_accepting: bool, is_end: bool) -> ClaimLocationInfo {
    ClaimLocationInfo { place: place(9), is_accepting, is_end }
}

static PLACES: [ClaimLocationInfo; N_PLACES as usize] = [
    claim_place(false, false),
    claim_place(false, false),
    claim_place(true, false),
    claim_place(true, false),
    claim_place(false, true),
];

static MOVES: [ClaimMoveInfo<'static>; 1] = [ClaimMoveInfo { place: place(9), text: "somewhere" }];

const fn claim(name: &'static str, kind: ClaimKind) -> ClaimInfo<'static> {
    ClaimInfo {
        name,
        kind,
        place: place(8),
        locations: &PLACES,
        moves: &MOVES,
        is_stutter_closed: false,
        is_safety: false,
    }
}

/// Claim 0 is a formula, claim 1 a never claim with the same moves, and claim 2 a formula that only its end violates.
static WEB: ModelInfo<'static> = ModelInfo {
    name: "web.pml",
    hash: "3eb",
    pmc_version: "0.1.0",
    files: &["web.pml"],
    proctypes: &[ProctypeInfo { name: "spider", place: place(1) }],
    transitions: &[transition(0, 2, "go")],
    locations: &[LocationInfo { proctype: 0, place: place(1), labels: &[] }],
    claims: &[
        claim("formula", ClaimKind::Ltl),
        claim("filter", ClaimKind::Never),
        ClaimInfo { is_safety: true, ..claim("end", ClaimKind::Ltl) },
    ],
    growing: &[],
    control_flow: None,
    story: "",
    n_timers: 0,
    ticks_at_once: false,
    abstract_time: false,
    notes: &[],
    is_interpreted: false,
};

#[derive(Clone, Debug, Default)]
pub struct WebState {
    pub at: u32,
    atomic_owner: Option<Pid>,
    hidden: u8,
}

impl Model for Web {
    type State = WebState;
    type Packed = Words<1>;
    type Hidden = u8;

    fn uses_timeout(&self) -> bool {
        true
    }

    fn info(&self) -> &ModelInfo<'_> {
        &WEB
    }

    fn initial(&self) -> Result<WebState, Fault> {
        Ok(WebState::default())
    }

    fn n_processes(&self, state: &WebState) -> usize {
        usize::from(self.n_processes[state.at as usize])
    }

    fn offer_steps(&self, now: &WebState, me: Pid, timeout: bool, steps: &mut impl Steps<WebState>) {
        for (number, arc) in self.arcs.iter().enumerate() {
            if arc.from != now.at || arc.pid != me.0 || arc.kind == ArcKind::Timeout && !timeout {
                continue;
            }
            let transition = TransitionId(number as u32);
            let mut next = WebState { at: arc.to, atomic_owner: None, hidden: now.hidden };
            match arc.kind {
                ArcKind::Plain | ArcKind::Timeout => {}
                ArcKind::Atomic => next.atomic_owner = Some(me),
                ArcKind::Fails => {
                    steps.fault(transition, Fault::DivideByZero);
                    continue;
                }
                ArcKind::Bad => steps.assert(transition, false),
                ArcKind::Hidden => next.hidden = next.hidden.wrapping_add(1),
            }
            match arc.receiver {
                Some(receiver) => steps.offer_handshake(transition, Pid(receiver), transition, &mut next),
                None => steps.offer(transition, &mut next),
            }
        }
    }

    fn atomic_owner(&self, state: &WebState) -> Option<Pid> {
        state.atomic_owner
    }

    fn release(&self, state: &mut WebState) {
        state.atomic_owner = None;
    }

    fn is_valid_end(&self, _: &WebState, _: Pid) -> bool {
        true
    }

    fn is_accepting(&self, state: &WebState, pid: Pid) -> bool {
        pid == Pid(0) && self.accept.checked_shr(state.at).is_some_and(|bits| bits & 1 == 1)
    }

    fn is_progress(&self, state: &WebState, pid: Pid) -> bool {
        pid == Pid(0) && self.progress.checked_shr(state.at).is_some_and(|bits| bits & 1 == 1)
    }

    fn offer_claim_moves(
        &self,
        _claim: usize,
        at: ClaimLocation,
        now: &WebState,
        timeout: bool,
        moves: &mut impl ClaimMoves<WebState>,
    ) {
        for (number, arc) in self.claim.iter().enumerate() {
            if arc.from != at.0 || arc.nodes >> now.at & 1 == 0 || arc.kind == ClaimArcKind::Timeout && !timeout {
                continue;
            }
            let (by, to) = (ClaimMoveId(number as u16), ClaimLocation(arc.to));
            match arc.kind {
                ClaimArcKind::Plain | ClaimArcKind::Timeout => moves.go(by, to, After::System),
                ClaimArcKind::Atomic => moves.go(by, to, After::Claim),
                ClaimArcKind::Changing(node) => {
                    moves.go_changing(by, to, After::System, WebState { at: node, ..now.clone() });
                }
                ClaimArcKind::Bad => {
                    moves.assert(by, false);
                    moves.go(by, to, After::System);
                }
                ClaimArcKind::Fails => moves.fault(by, Fault::DivideByZero),
            }
        }
    }

    fn has_messages(&self, _: &WebState) -> bool {
        false
    }

    fn pack(&self, state: &WebState, into: &mut Words<1>) {
        let mut writer = into.writer();
        writer.put(state.at, 32);
        writer.finish();
    }

    fn unpack(&self, from: &Words<1>) -> WebState {
        WebState { at: from.reader().take(32), ..WebState::default() }
    }

    fn hidden(&self, state: &WebState) -> u8 {
        state.hidden
    }

    fn set_hidden(&self, state: &mut WebState, hidden: u8) {
        state.hidden = hidden;
    }

    fn proctype(&self, _: &WebState, _: Pid) -> usize {
        0
    }

    fn location(&self, state: &WebState, pid: Pid) -> usize {
        self.independence.as_ref().map_or(0, |known| known.locations[state.at as usize][pid.index()])
    }

    fn describe(&self, state: &WebState, to: &mut dyn Describe) {
        to.variable(None, format_args!("at"), format_args!("{}", state.at));
    }
}

impl Independence for Web {
    fn reduction(&self) -> &ReductionInfo<'_> {
        self.independence.as_ref().map_or(&ReductionInfo::UNKNOWN, |known| known.info)
    }

    fn safe_level(&self, state: &WebState, pid: Pid, table: Table, _counts_pids: bool) -> u8 {
        let location = self.location(state, pid);
        let is_safe = |known: &WebReduction| known.is_safe[location][usize::from(table == Table::Fair)];
        if self.independence.as_ref().is_some_and(is_safe) { 0 } else { NEVER }
    }
}
