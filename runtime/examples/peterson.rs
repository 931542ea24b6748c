//! A model by hand: Peterson's lock for any number of processes, as one would write it without a compiler.
//!
//! ```promela
//! byte pos[N], step[N], critical;
//! active [N] proctype P() {
//!   byte j, k;
//! ncs:  j = 1;
//! wait: if
//!       :: j < N -> pos[_pid] = j; step[j-1] = _pid; k = 0;
//!          do
//!          :: (k == _pid || (k < N && pos[k] < j)) -> k++
//!          :: (step[j-1] != _pid || k == N) -> j++; goto wait
//!          od
//!       :: j == N -> critical++
//!       fi;
//!       assert(critical == 1);
//!       critical--; pos[_pid] = 0; goto ncs
//! }
//! ```
//!
//! `cargo run --release -p pmc-runtime --example peterson -- --help`

use pmc_runtime::Searches;
use pmc_runtime::fault::Fault;
use pmc_runtime::model::{
    Describe, LocationInfo, Model, ModelInfo, ProctypeInfo, SourcePosition, TransitionInfo, TransitionKind,
};
use pmc_runtime::pack::{Packed, Reader, Words, Writer};
use pmc_runtime::reduction::Independence;
use pmc_runtime::step::{Pid, Steps, TransitionId};
use std::process::ExitCode;

/// `N` processes. The state takes `WORDS` words of 64 bits.
pub struct Peterson<const N: usize, const WORDS: usize> {
    /// Leaves out the wait for the others, so that the lock does not work.
    pub broken: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct State<const N: usize> {
    pos: [u8; N],
    step: [u8; N],
    critical: u8,
    processes: [Process; N],
}

#[derive(Clone, Copy, Debug, Default)]
struct Process {
    at: u8,
    j: u8,
    k: u8,
}

const fn at(line: u32, column: u32) -> SourcePosition {
    SourcePosition { file: 0, line, column }
}

/// The statements, in the order of their locations; the two choices have two each.
static TRANSITIONS: [TransitionInfo<'static>; 14] = [
    transition(0, 1, 5, 7, "j = 1"),
    transition(1, 2, 7, 10, "j < N"),
    transition(1, 8, 12, 10, "j == N"),
    transition(2, 3, 7, 19, "pos[_pid] = j"),
    transition(3, 4, 7, 34, "step[j-1] = _pid"),
    transition(4, 5, 7, 52, "k = 0"),
    transition(5, 6, 9, 13, "(k == _pid || (k < N && pos[k] < j))"),
    transition(5, 7, 10, 13, "(step[j-1] != _pid || k == N)"),
    transition(6, 5, 9, 53, "k++"),
    transition(7, 1, 10, 46, "j++"),
    transition(8, 9, 12, 20, "critical++"),
    transition(9, 10, 14, 7, "assert(critical == 1)"),
    transition(10, 11, 15, 7, "critical--"),
    transition(11, 0, 15, 19, "pos[_pid] = 0"),
];

const fn transition(from: u32, to: u32, line: u32, column: u32, text: &'static str) -> TransitionInfo<'static> {
    TransitionInfo { proctype: 0, kind: TransitionKind::Other, place: at(line, column), text, from, to, merged: &[] }
}

const fn location(line: u32, column: u32) -> LocationInfo<'static> {
    LocationInfo { proctype: 0, place: at(line, column), labels: &[] }
}

static INFO: ModelInfo<'static> = ModelInfo {
    name: "peterson.pml",
    hash: "by-hand-1",
    pmc_version: env!("CARGO_PKG_VERSION"),
    files: &["peterson.pml"],
    proctypes: &[ProctypeInfo { name: "P", place: at(2, 1) }],
    transitions: &TRANSITIONS,
    locations: &[
        location(5, 7),
        location(6, 7),
        location(7, 19),
        location(7, 34),
        location(7, 52),
        location(8, 10),
        location(9, 53),
        location(10, 46),
        location(12, 20),
        location(14, 7),
        location(15, 7),
        location(15, 19),
    ],
    claims: &[],
    growing: &[],
    control_flow: None,
    story: "",
    n_timers: 0,
    ticks_at_once: false,
    abstract_time: false,
    notes: &["written by hand"],
    is_interpreted: false,
};

impl<const N: usize, const WORDS: usize> Model for Peterson<N, WORDS> {
    type State = State<N>;
    type Packed = Words<WORDS>;
    type Hidden = ();

    fn uses_timeout(&self) -> bool {
        false
    }

    fn info(&self) -> &ModelInfo<'_> {
        &INFO
    }

    fn initial(&self) -> Result<State<N>, Fault> {
        Ok(State { pos: [0; N], step: [0; N], critical: 0, processes: [Process::default(); N] })
    }

    fn n_processes(&self, _: &State<N>) -> usize {
        N
    }

    fn offer_steps(&self, now: &State<N>, me: Pid, _timeout: bool, steps: &mut impl Steps<State<N>>) {
        let i = me.index();
        let Process { at, j, k } = now.processes[i];
        // Takes a transition that leads to location `to` and changes what `effect` changes.
        let mut take = |transition: u32, to: u8, effect: fn(&mut State<N>, usize)| {
            let mut next = *now;
            next.processes[i].at = to;
            effect(&mut next, i);
            steps.offer(TransitionId(transition), &mut next);
        };
        match at {
            0 => take(0, 1, |next, i| next.processes[i].j = 1),
            1 => {
                if usize::from(j) < N {
                    take(1, 2, |_, _| {});
                }
                if usize::from(j) == N {
                    take(2, 8, |_, _| {});
                }
            }
            2 => take(3, 3, |next, i| next.pos[i] = next.processes[i].j),
            3 => take(4, 4, |next, i| next.step[usize::from(next.processes[i].j) - 1] = i as u8),
            4 => take(5, 5, |next, i| next.processes[i].k = 0),
            5 => {
                let k = usize::from(k);
                if k == i || (k < N && now.pos[k] < j) {
                    take(6, 6, |_, _| {});
                }
                if now.step[usize::from(j) - 1] != me.0 || k == N || self.broken {
                    take(7, 7, |_, _| {});
                }
            }
            6 => take(8, 5, |next, i| next.processes[i].k += 1),
            7 => take(9, 1, |next, i| next.processes[i].j += 1),
            8 => take(10, 9, |next, _| next.critical += 1),
            9 => {
                steps.assert(TransitionId(11), now.critical == 1);
                let mut next = *now;
                next.processes[i].at = 10;
                steps.offer(TransitionId(11), &mut next);
            }
            10 => take(12, 11, |next, _| next.critical -= 1),
            _ => take(13, 0, |next, i| next.pos[i] = 0),
        }
    }

    fn atomic_owner(&self, _: &State<N>) -> Option<Pid> {
        None
    }

    fn release(&self, _: &mut State<N>) {}

    fn is_valid_end(&self, _: &State<N>, _: Pid) -> bool {
        false
    }

    fn has_messages(&self, _: &State<N>) -> bool {
        false
    }

    fn pack(&self, state: &State<N>, into: &mut Words<WORDS>) {
        let mut writer = into.writer();
        for i in 0..N {
            writer.put(u32::from(state.pos[i]), 8);
            writer.put(u32::from(state.step[i]), 8);
            writer.put(u32::from(state.processes[i].at), 8);
            writer.put(u32::from(state.processes[i].j), 8);
            writer.put(u32::from(state.processes[i].k), 8);
        }
        writer.put(u32::from(state.critical), 8);
        writer.finish();
    }

    fn unpack(&self, from: &Words<WORDS>) -> State<N> {
        let mut reader = from.reader();
        let mut state = State { pos: [0; N], step: [0; N], critical: 0, processes: [Process::default(); N] };
        for i in 0..N {
            state.pos[i] = reader.take(8) as u8;
            state.step[i] = reader.take(8) as u8;
            state.processes[i].at = reader.take(8) as u8;
            state.processes[i].j = reader.take(8) as u8;
            state.processes[i].k = reader.take(8) as u8;
        }
        state.critical = reader.take(8) as u8;
        state
    }

    fn proctype(&self, _: &State<N>, _: Pid) -> usize {
        0
    }

    fn location(&self, state: &State<N>, pid: Pid) -> usize {
        usize::from(state.processes[pid.index()].at)
    }

    fn describe(&self, state: &State<N>, to: &mut dyn Describe) {
        for i in 0..N {
            to.variable(None, format_args!("pos[{i}]"), format_args!("{}", state.pos[i]));
            to.variable(None, format_args!("step[{i}]"), format_args!("{}", state.step[i]));
        }
        to.variable(None, format_args!("critical"), format_args!("{}", state.critical));
        for i in 0..N {
            to.variable(Some(Pid::from_index(i)), format_args!("j"), format_args!("{}", state.processes[i].j));
            to.variable(Some(Pid::from_index(i)), format_args!("k"), format_args!("{}", state.processes[i].k));
        }
    }
}

/// Nothing is said about which steps are independent: every state is fully expanded.
impl<const N: usize, const WORDS: usize> Independence for Peterson<N, WORDS> {}

/// Four processes, or three with `PROCESSES=3`, which takes a moment only.
#[allow(dead_code)]
fn main() -> ExitCode {
    let broken = std::env::var_os("BROKEN").is_some();
    match std::env::var("PROCESSES").as_deref() {
        Ok("3") => pmc_runtime::main(Peterson::<3, 2> { broken }, Searches::new()),
        _ => pmc_runtime::main(Peterson::<4, 3> { broken }, Searches::new()),
    }
}
