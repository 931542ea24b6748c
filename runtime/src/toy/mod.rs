//! Small handwritten models for the tests of searches, stores and reports, without the compiler.

#![allow(dead_code, unused_imports, reason = "each crate of the runtime uses a part of it")]

pub mod random;
pub mod web;

pub use random::Random;

use crate::fault::Fault;
use crate::limits::Interrupt;
use crate::model::{
    Describe, LocationInfo, Model, ModelInfo, ProctypeInfo, SourcePosition, Tick, TransitionInfo, TransitionKind,
};
use crate::monitor::{Monitor, Silent};
use crate::options::Options;
use crate::pack::{Bytes, Packed, Reader, Words, Writer};
use crate::reduction::Independence;
use crate::search::Searches;
use crate::step::{Pid, Steps, TransitionId};
use crate::store::Storable;
use crate::verdict::Report;

/// Checks a model with searches that are compiled here.
pub fn check<M: Independence<Packed: Storable>>(model: &M, options: &Options) -> Report {
    check_with(model, options, &Interrupt::new(), &mut Silent)
}

pub fn check_with<M: Independence<Packed: Storable>>(
    model: &M,
    options: &Options,
    interrupt: &Interrupt,
    monitor: &mut dyn Monitor,
) -> Report {
    crate::search::check_with(model, Searches::new(), options, interrupt, monitor)
}

const fn place(line: u32) -> SourcePosition {
    SourcePosition { file: 0, line, column: 1 }
}

const fn transition(proctype: u16, line: u32, text: &'static str) -> TransitionInfo<'static> {
    TransitionInfo { proctype, kind: TransitionKind::Other, place: place(line), text, from: 0, to: 0, merged: &[] }
}

static GRAPH: ModelInfo<'static> = ModelInfo {
    name: "graph.pml",
    hash: "0123abcd",
    pmc_version: "0.1.0",
    files: &["graph.pml"],
    proctypes: &[ProctypeInfo { name: "walker", place: place(1) }],
    transitions: &[transition(0, 2, "go"), transition(0, 3, "assert(good)"), transition(0, 4, "a[i] = 1")],
    locations: &[LocationInfo { proctype: 0, place: place(1), labels: &[] }],
    claims: &[],
    growing: &[],
    control_flow: None,
    story: "",
    n_timers: 0,
    ticks_at_once: false,
    abstract_time: false,
    notes: &[],
    is_interpreted: false,
};

const GO: TransitionId = TransitionId(0);
const ASSERT: TransitionId = TransitionId(1);
const INDEX: TransitionId = TransitionId(2);

/// What is special about an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Plain,
    /// Its target is inside an atomic sequence.
    Atomic,
    /// An assertion that does not hold.
    Bad,
    Fails(Fault),
    /// Only if nothing else is enabled.
    Timeout,
    /// Counts the hidden variable up.
    Hidden,
    /// Time passes, where nothing else is possible.
    Tick,
}

/// One process walking along edges.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub edges: Vec<(u32, u32, Edge)>,
    /// Nodes where the process may stay.
    pub ends: Vec<u32>,
}

impl Graph {
    pub fn new(edges: &[(u32, u32, Edge)], ends: &[u32]) -> Graph {
        Graph { edges: edges.to_vec(), ends: ends.to_vec() }
    }
}

#[derive(Clone, Debug, Default)]
pub struct GraphState {
    pub at: u32,
    atomic: bool,
    hidden: u32,
}

impl Model for Graph {
    type State = GraphState;
    type Packed = Words<1>;
    type Hidden = u32;

    fn uses_timeout(&self) -> bool {
        true
    }

    fn info(&self) -> &ModelInfo<'_> {
        &GRAPH
    }

    fn initial(&self) -> Result<GraphState, Fault> {
        Ok(GraphState::default())
    }

    fn n_processes(&self, _: &GraphState) -> usize {
        1
    }

    fn offer_steps(&self, now: &GraphState, _: Pid, timeout: bool, steps: &mut impl Steps<GraphState>) {
        for &(from, to, edge) in &self.edges {
            if from != now.at {
                continue;
            }
            let mut next = GraphState { at: to, atomic: false, hidden: now.hidden };
            match edge {
                Edge::Plain => steps.offer(GO, &mut next),
                Edge::Atomic => {
                    next.atomic = true;
                    steps.offer(GO, &mut next);
                }
                Edge::Bad => {
                    steps.assert(ASSERT, false);
                    steps.offer(ASSERT, &mut next);
                }
                Edge::Fails(fault) => steps.fault(INDEX, fault),
                Edge::Timeout => {
                    if timeout {
                        steps.offer(GO, &mut next);
                    }
                }
                Edge::Tick => {}
                Edge::Hidden => {
                    next.hidden += 1;
                    steps.print(format_args!("hidden {}\n", next.hidden));
                    steps.offer(GO, &mut next);
                }
            }
        }
    }

    fn tick(&self, now: &GraphState, which: u32) -> Option<Tick<GraphState>> {
        let mut ticks = self.edges.iter().filter(|(from, _, edge)| *from == now.at && *edge == Edge::Tick);
        let (_, to, _) = *ticks.nth(which as usize)?;
        Some(Tick { next: GraphState { at: to, ..now.clone() }, n_ticks: 1 })
    }

    fn atomic_owner(&self, state: &GraphState) -> Option<Pid> {
        state.atomic.then_some(Pid(0))
    }

    fn release(&self, state: &mut GraphState) {
        state.atomic = false;
    }

    fn is_valid_end(&self, state: &GraphState, _: Pid) -> bool {
        self.ends.contains(&state.at)
    }

    fn has_messages(&self, state: &GraphState) -> bool {
        state.at >= 100
    }

    fn pack(&self, state: &GraphState, into: &mut Words<1>) {
        let mut writer = into.writer();
        writer.put(state.at, 32);
        writer.finish();
    }

    fn unpack(&self, from: &Words<1>) -> GraphState {
        GraphState { at: from.reader().take(32), ..GraphState::default() }
    }

    fn hidden(&self, state: &GraphState) -> u32 {
        state.hidden
    }

    fn set_hidden(&self, state: &mut GraphState, hidden: u32) {
        state.hidden = hidden;
    }

    fn proctype(&self, _: &GraphState, _: Pid) -> usize {
        0
    }

    fn location(&self, _: &GraphState, _: Pid) -> usize {
        0
    }

    fn describe(&self, state: &GraphState, to: &mut dyn Describe) {
        to.variable(None, format_args!("at"), format_args!("{}", state.at));
    }
}

impl Independence for Graph {}

/// `n` processes, each counting its own variable up to `limit`; states grow with the processes. Process 0 starts the
/// others, one by one. The last assertion fails when the sum is `bad`.
#[derive(Clone, Debug)]
pub struct Counters {
    pub n: usize,
    pub limit: u8,
    pub bad: Option<u32>,
}

static COUNTERS: ModelInfo<'static> = ModelInfo {
    name: "counters.pml",
    hash: "c0c0",
    pmc_version: "0.1.0",
    files: &["counters.pml"],
    proctypes: &[ProctypeInfo { name: "counter", place: place(3) }],
    transitions: &[transition(0, 4, "run counter()"), transition(0, 5, "x++"), transition(0, 6, "assert(sum != bad)")],
    locations: &[LocationInfo { proctype: 0, place: place(4), labels: &[] }],
    claims: &[],
    growing: &[],
    control_flow: None,
    story: "",
    n_timers: 0,
    ticks_at_once: false,
    abstract_time: false,
    notes: &["two counters"],
    is_interpreted: false,
};

impl Model for Counters {
    type State = Vec<u8>;
    type Packed = Bytes;
    type Hidden = ();

    fn uses_timeout(&self) -> bool {
        false
    }

    fn info(&self) -> &ModelInfo<'_> {
        &COUNTERS
    }

    fn initial(&self) -> Result<Vec<u8>, Fault> {
        Ok(vec![0])
    }

    fn n_processes(&self, state: &Vec<u8>) -> usize {
        state.len()
    }

    fn offer_steps(&self, now: &Vec<u8>, me: Pid, _: bool, steps: &mut impl Steps<Vec<u8>>) {
        if me == Pid(0) && now.len() < self.n {
            let mut next = now.clone();
            next.push(0);
            steps.offer(TransitionId(0), &mut next);
        }
        if now[me.index()] < self.limit {
            let mut next = now.clone();
            next[me.index()] += 1;
            let sum: u32 = next.iter().map(|&x| u32::from(x)).sum();
            steps.assert(TransitionId(2), Some(sum) != self.bad);
            steps.offer(TransitionId(1), &mut next);
        }
    }

    fn atomic_owner(&self, _: &Vec<u8>) -> Option<Pid> {
        None
    }

    fn release(&self, _: &mut Vec<u8>) {}

    fn is_valid_end(&self, _: &Vec<u8>, _: Pid) -> bool {
        true
    }

    fn has_messages(&self, _: &Vec<u8>) -> bool {
        false
    }

    fn pack(&self, state: &Vec<u8>, into: &mut Bytes) {
        let mut writer = into.writer();
        writer.put(state.len() as u32, 8);
        for &x in state {
            writer.put(u32::from(x), 8);
        }
        writer.finish();
    }

    fn unpack(&self, from: &Bytes) -> Vec<u8> {
        let mut reader = from.reader();
        let n = reader.take(8);
        (0..n).map(|_| reader.take(8) as u8).collect()
    }

    fn proctype(&self, _: &Vec<u8>, _: Pid) -> usize {
        0
    }

    fn location(&self, _: &Vec<u8>, _: Pid) -> usize {
        0
    }

    fn describe(&self, state: &Vec<u8>, to: &mut dyn Describe) {
        for (index, x) in state.iter().enumerate() {
            to.variable(Some(Pid::from_index(index)), format_args!("x"), format_args!("{x}"));
        }
    }
}

impl Independence for Counters {}

/// Three processes of different priority:
///
/// ```promela
/// byte x;
/// active proctype H() priority 5 { x == 2; x = 7 }
/// active proctype M() priority 3 { atomic { x = 2; x = 3; skip }; x = 2; x = 5 }
/// active proctype L() priority 1 { x = 2; x = 1 }
/// ```
pub struct Ranked;

static RANKED: ModelInfo<'static> = ModelInfo {
    name: "ranked.pml",
    hash: "5555",
    pmc_version: "0.1.0",
    files: &["ranked.pml"],
    proctypes: &[ProctypeInfo { name: "H", place: place(2) }],
    transitions: &[transition(0, 2, "a step")],
    locations: &[LocationInfo { proctype: 0, place: place(2), labels: &[] }],
    claims: &[],
    growing: &[],
    control_flow: None,
    story: "",
    n_timers: 0,
    ticks_at_once: false,
    abstract_time: false,
    notes: &[],
    is_interpreted: false,
};

#[derive(Clone, Copy, Debug, Default)]
pub struct RankedState {
    x: u8,
    at: [u8; 3],
    n: u8,
    atomic_owner: Option<Pid>,
}

impl Model for Ranked {
    type State = RankedState;
    type Packed = Words<1>;
    type Hidden = ();

    fn uses_timeout(&self) -> bool {
        false
    }

    fn uses_priorities(&self) -> bool {
        true
    }

    fn info(&self) -> &ModelInfo<'_> {
        &RANKED
    }

    fn initial(&self) -> Result<RankedState, Fault> {
        Ok(RankedState { n: 3, ..RankedState::default() })
    }

    fn n_processes(&self, state: &RankedState) -> usize {
        usize::from(state.n)
    }

    fn offer_steps(&self, now: &RankedState, me: Pid, _: bool, steps: &mut impl Steps<RankedState>) {
        // For each process its assignments in order; 255 is none.
        const VALUES: [&[u8]; 3] = [&[255, 7], &[2, 3, 255, 2, 5], &[2, 1]];
        let at = now.at[me.index()];
        let mut next = *now;
        next.atomic_owner = None;
        match VALUES[me.index()].get(usize::from(at)) {
            Some(_) if me == Pid(0) && at == 0 && now.x != 2 => return,
            Some(&value) => {
                next.at[me.index()] += 1;
                next.x = if value == 255 { now.x } else { value };
                next.atomic_owner = (me == Pid(1) && at < 2).then_some(me);
            }
            None if me.0 + 1 == now.n => {
                next.n -= 1;
                next.at[me.index()] = 0;
            }
            None => return,
        }
        steps.offer(TransitionId(0), &mut next);
    }

    fn atomic_owner(&self, state: &RankedState) -> Option<Pid> {
        state.atomic_owner
    }

    fn release(&self, state: &mut RankedState) {
        state.atomic_owner = None;
    }

    fn priority(&self, _: &RankedState, pid: Pid) -> i32 {
        [5, 3, 1][pid.index()]
    }

    fn is_valid_end(&self, _: &RankedState, _: Pid) -> bool {
        false
    }

    fn has_messages(&self, _: &RankedState) -> bool {
        false
    }

    fn pack(&self, state: &RankedState, into: &mut Words<1>) {
        let mut writer = into.writer();
        for value in [state.x, state.n, state.at[0], state.at[1], state.at[2]] {
            writer.put(u32::from(value), 8);
        }
        writer.finish();
    }

    fn unpack(&self, from: &Words<1>) -> RankedState {
        let mut reader = from.reader();
        let [x, n, h, m, l] = [0; 5].map(|_: u8| reader.take(8) as u8);
        RankedState { x, at: [h, m, l], n, atomic_owner: None }
    }

    fn proctype(&self, _: &RankedState, _: Pid) -> usize {
        0
    }

    fn location(&self, _: &RankedState, _: Pid) -> usize {
        0
    }

    fn describe(&self, state: &RankedState, to: &mut dyn Describe) {
        to.variable(None, format_args!("x"), format_args!("{}", state.x));
    }
}

impl Independence for Ranked {}
