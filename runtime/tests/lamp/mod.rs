//! A lamp by hand, with claims: what a compiler would make of
//!
//! ```promela
//! bool lit, seen;                        // 1
//! active proctype switch() {             // 2
//!   do                                   // 3
//!   :: lit = true; lit = false           // 4
//!   od                                   // 5
//! }                                      // 6
//! active proctype reader() {             // 7
//! accept:                                // 8
//!   do :: lit -> seen = true; break od   // 9, one step
//! }
//! ltl read  { <> seen }                  // 11
//! ltl dark  { [] !lit }                  // 12
//! never off { ... }                      // 13: asserts that the lamp is off, twice in a row
//! ```
//!
//! A lamp that `breaks` is never switched off again; one that `scribbles` counts a hidden variable up; one that is
//! `bright` can be read when it is off as well.

use pmc_runtime::fault::Fault;
use pmc_runtime::model::{
    ClaimInfo, ClaimKind, ClaimLocationInfo, ClaimMoveInfo, Describe, LocationInfo, Model, ModelInfo, ProctypeInfo,
    SourcePosition, TransitionInfo, TransitionKind,
};
use pmc_runtime::pack::{Packed, Reader, Words, Writer};
use pmc_runtime::reduction::Independence;
use pmc_runtime::step::{After, ClaimLocation, ClaimMoveId, ClaimMoves, Pid, Steps, TransitionId};

#[derive(Clone, Copy, Debug, Default)]
pub struct Lamp {
    pub breaks: bool,
    pub scribbles: bool,
    pub bright: bool,
    /// The switch passes a progress label when the lamp is off.
    pub progress: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    lit: bool,
    seen: bool,
    scribble: u8,
}

const fn at(line: u32) -> SourcePosition {
    SourcePosition { file: 0, line, column: 3 }
}

const fn transition(proctype: u16, line: u32, text: &'static str) -> TransitionInfo<'static> {
    TransitionInfo { proctype, kind: TransitionKind::Other, place: at(line), text, from: 0, to: 0, merged: &[] }
}

const fn claim_location(line: u32, is_accepting: bool, is_end: bool) -> ClaimLocationInfo {
    ClaimLocationInfo { place: at(line), is_accepting, is_end }
}

const fn claim_move(line: u32, text: &'static str) -> ClaimMoveInfo<'static> {
    ClaimMoveInfo { place: at(line), text }
}

static INFO: ModelInfo<'static> = ModelInfo {
    name: "lamp.pml",
    hash: "1a3b",
    pmc_version: env!("CARGO_PKG_VERSION"),
    files: &["lamp.pml"],
    proctypes: &[ProctypeInfo { name: "switch", place: at(2) }, ProctypeInfo { name: "reader", place: at(7) }],
    transitions: &[transition(0, 4, "lit = true"), transition(0, 4, "lit = false"), transition(1, 9, "seen = true")],
    locations: &[LocationInfo { proctype: 0, place: at(3), labels: &[] }],
    claims: &[
        ClaimInfo {
            name: "read",
            kind: ClaimKind::Ltl,
            place: at(11),
            locations: &[claim_location(11, true, false)],
            moves: &[claim_move(11, "!seen")],
            is_stutter_closed: true,
            is_safety: false,
        },
        ClaimInfo {
            name: "dark",
            kind: ClaimKind::Ltl,
            place: at(12),
            locations: &[claim_location(12, false, false), claim_location(12, false, true)],
            moves: &[claim_move(12, "true"), claim_move(12, "lit")],
            is_stutter_closed: true,
            is_safety: true,
        },
        ClaimInfo {
            name: "off",
            kind: ClaimKind::Never,
            place: at(13),
            locations: &[claim_location(13, false, false), claim_location(13, false, false)],
            moves: &[claim_move(13, "skip"), claim_move(13, "assert(!lit)")],
            is_stutter_closed: false,
            // The reader has an accept label.
            is_safety: false,
        },
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

impl Model for Lamp {
    type State = State;
    type Packed = Words<1>;
    type Hidden = u8;

    fn uses_timeout(&self) -> bool {
        false
    }

    fn info(&self) -> &ModelInfo<'_> {
        &INFO
    }

    fn initial(&self) -> Result<State, Fault> {
        Ok(State::default())
    }

    fn n_processes(&self, _: &State) -> usize {
        2
    }

    fn offer_steps(&self, now: &State, me: Pid, _: bool, steps: &mut impl Steps<State>) {
        match me {
            Pid(0) if !now.lit => {
                let scribble = now.scribble + u8::from(self.scribbles);
                steps.offer(TransitionId(0), &mut State { lit: true, scribble, ..*now });
            }
            Pid(0) if !self.breaks => steps.offer(TransitionId(1), &mut State { lit: false, ..*now }),
            Pid(1) if (now.lit || self.bright) && !now.seen => {
                steps.offer(TransitionId(2), &mut State { seen: true, ..*now });
            }
            _ => {}
        }
    }

    fn atomic_owner(&self, _: &State) -> Option<Pid> {
        None
    }

    fn release(&self, _: &mut State) {}

    fn is_valid_end(&self, _: &State, _: Pid) -> bool {
        true
    }

    fn is_accepting(&self, now: &State, pid: Pid) -> bool {
        pid == Pid(1) && !now.seen
    }

    fn is_progress(&self, now: &State, pid: Pid) -> bool {
        self.progress && pid == Pid(0) && !now.lit
    }

    fn offer_claim_moves(
        &self,
        claim: usize,
        at: ClaimLocation,
        now: &State,
        _: bool,
        moves: &mut impl ClaimMoves<State>,
    ) {
        let (here, there) = (ClaimLocation(0), ClaimLocation(1));
        match (claim, at) {
            (0, _) if !now.seen => moves.go(ClaimMoveId(0), here, After::System),
            (1, ClaimLocation(0)) => {
                moves.go(ClaimMoveId(0), here, After::System);
                if now.lit {
                    moves.go(ClaimMoveId(1), there, After::System);
                }
            }
            (2, ClaimLocation(0)) => moves.go(ClaimMoveId(0), there, After::Claim),
            (2, _) => {
                moves.assert(ClaimMoveId(1), !now.lit);
                moves.go(ClaimMoveId(1), here, After::System);
            }
            _ => {}
        }
    }

    fn has_messages(&self, _: &State) -> bool {
        false
    }

    fn pack(&self, state: &State, into: &mut Words<1>) {
        let mut writer = into.writer();
        writer.put(u32::from(state.lit), 1);
        writer.put(u32::from(state.seen), 1);
        writer.finish();
    }

    fn unpack(&self, from: &Words<1>) -> State {
        let mut reader = from.reader();
        State { lit: reader.take(1) == 1, seen: reader.take(1) == 1, scribble: 0 }
    }

    fn hidden(&self, state: &State) -> u8 {
        state.scribble
    }

    fn set_hidden(&self, state: &mut State, hidden: u8) {
        state.scribble = hidden;
    }

    fn proctype(&self, _: &State, pid: Pid) -> usize {
        pid.index()
    }

    fn location(&self, _: &State, _: Pid) -> usize {
        0
    }

    fn describe(&self, state: &State, to: &mut dyn Describe) {
        to.variable(None, format_args!("lit"), format_args!("{}", u8::from(state.lit)));
        to.variable(None, format_args!("seen"), format_args!("{}", u8::from(state.seen)));
    }
}

impl Independence for Lamp {}
