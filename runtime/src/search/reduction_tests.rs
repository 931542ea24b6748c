//! Reduced searches against full ones, on random systems of processes that share variables.
//!
//! The facts of the compiler are computed here from the programs themselves: every variable has two dependency classes,
//! one for reads and one for writes.

use crate::control_flow::ControlFlow;
use crate::fault::Fault;
use crate::model::{
    Describe, LocationInfo, Model, ModelInfo, ProctypeInfo, SourcePosition, TransitionInfo, TransitionKind,
};
use crate::options::{Algorithm, Options, Proviso, Reduction};
use crate::pack::{Packed, Reader, Words, Writer};
use crate::reduction::{Independence, NEVER, ProcessPart, ReductionInfo, Split, Table, has_location};
use crate::replay::replay;
use crate::show::Show;
use crate::step::{Pid, Steps, TransitionId};
use crate::toy::check;
use crate::verdict::ViolationKind;
use std::collections::BTreeMap;

const N_VARIABLES: usize = 3;
const N_LOCATIONS: usize = 4;
const PLACE: SourcePosition = SourcePosition { file: 0, line: 1, column: 1 };

#[derive(Clone, Copy, Debug)]
enum Effect {
    Nothing,
    Set(usize, u8),
    /// The assertion that the variable has another value.
    AssertNot(usize, u8),
}

/// Leads from a location of a process to another one, once the variable has the value.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: usize,
    to: usize,
    guard: Option<(usize, u8)>,
    effect: Effect,
}

#[derive(Debug)]
struct System {
    programs: Vec<Vec<Edge>>,
    info: &'static ModelInfo<'static>,
    reduction: &'static ReductionInfo<'static>,
    /// By process and location.
    futures: Vec<Vec<&'static [u64]>>,
    safe: Vec<Vec<bool>>,
}

fn read(variable: usize) -> u64 {
    1 << (2 * variable)
}

fn write(variable: usize) -> u64 {
    2 << (2 * variable)
}

/// The dependency classes of a step by this edge.
fn done_by(edge: &Edge) -> u64 {
    let effect = match edge.effect {
        Effect::Nothing => 0,
        Effect::Set(variable, _) => write(variable),
        Effect::AssertNot(variable, _) => read(variable),
    };
    effect | edge.guard.map_or(0, |(variable, _)| read(variable))
}

/// The dependency classes that do not commute with this edge.
fn dependencies(edge: &Edge) -> u64 {
    (0..N_VARIABLES)
        .map(|variable| match done_by(edge) {
            done if done & write(variable) != 0 => read(variable) | write(variable),
            done if done & read(variable) != 0 => write(variable),
            _ => 0,
        })
        .fold(0, |all, one| all | one)
}

fn reachable(program: &[Edge], from: usize) -> [bool; N_LOCATIONS] {
    let mut reached = [false; N_LOCATIONS];
    let mut todo = vec![from];
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            todo.extend(program.iter().filter(|edge| edge.from == at).map(|edge| edge.to));
        }
    }
    reached
}

/// The sources of back edges of a depth-first walk.
fn sticky(program: &[Edge]) -> Vec<usize> {
    fn walk(program: &[Edge], at: usize, path: &mut Vec<usize>, seen: &mut [bool], found: &mut Vec<usize>) {
        seen[at] = true;
        path.push(at);
        for edge in program.iter().filter(|edge| edge.from == at) {
            if path.contains(&edge.to) {
                found.push(at);
            } else if !seen[edge.to] {
                walk(program, edge.to, path, seen, found);
            }
        }
        path.pop();
    }
    let mut found = Vec::new();
    walk(program, 0, &mut Vec::new(), &mut [false; N_LOCATIONS], &mut found);
    found
}

/// The edges at a location that the process never leaves, in independent groups.
fn groups(program: &[Edge], at: usize) -> Vec<Vec<usize>> {
    let own = || program.iter().enumerate().filter(|(_, edge)| edge.from == at);
    if own().any(|(_, edge)| edge.to != at) {
        return Vec::new();
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, edge) in own() {
        let meets = |group: &Vec<usize>| {
            let is_dependent =
                |other: &Edge| dependencies(edge) & done_by(other) | dependencies(other) & done_by(edge) != 0;
            group.iter().any(|&other| is_dependent(&program[other]))
        };
        let (joined, mut rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(meets);
        rest.push(joined.into_iter().flatten().chain([number]).collect());
        groups = rest;
    }
    groups
}

fn splits(programs: &[Vec<Edge>]) -> Vec<Split<'static>> {
    let mut splits: Vec<Split<'static>> = Vec::new();
    let (mut first_edge, mut first) = (0, 0);
    for (process, program) in programs.iter().enumerate() {
        for at in 0..N_LOCATIONS {
            let parts: Vec<ProcessPart<'static>> = groups(program, at)
                .into_iter()
                .map(|group| ProcessPart {
                    transitions: Box::leak(group.iter().map(|&n| TransitionId((first_edge + n) as u32)).collect()),
                    future: Box::leak(Box::new([group.iter().fold(0, |all, &n| all | done_by(&program[n]))])),
                })
                .collect();
            if parts.len() > 1 {
                let (pid, location) = (Pid::from_index(process), process * N_LOCATIONS + at);
                let n_parts = parts.len() as u32;
                splits.push(Split { pid, location, first, parts: Box::leak(parts.into_boxed_slice()) });
                first += n_parts;
            }
        }
        first_edge += program.len();
    }
    splits
}

impl System {
    fn new(programs: Vec<Vec<Edge>>) -> System {
        let future = |program: &[Edge], at: usize| {
            let reached = reachable(program, at);
            program.iter().filter(|edge| reached[edge.from]).fold(0, |all, edge| all | done_by(edge))
        };
        let row = |facets: u64| -> &'static [u64] { Box::leak(Box::new([facets])) };
        let futures = programs.iter().map(|program| (0..N_LOCATIONS).map(|at| row(future(program, at))).collect());
        let futures: Vec<Vec<&[u64]>> = futures.collect();
        let is_safe = |process: usize, at: usize| {
            let others = (0..programs.len()).filter(|&other| other != process).map(|other| futures[other][0][0]);
            let others = others.fold(0, |all, one| all | one);
            programs[process].iter().filter(|edge| edge.from == at).all(|edge| dependencies(edge) & others == 0)
        };
        let safe = (0..programs.len()).map(|process| (0..N_LOCATIONS).map(|at| is_safe(process, at)).collect());
        let sticky = programs.iter().enumerate().flat_map(|(process, program)| {
            sticky(program).into_iter().map(move |at| 1_u64 << (process * N_LOCATIONS + at))
        });
        let sticky = row(sticky.fold(0, |all, one| all | one));
        let splits: &'static [Split<'static>] = Box::leak(splits(&programs).into_boxed_slice());
        let reduction = ReductionInfo { off: None, n_words: 1, sticky, splits, ..ReductionInfo::UNKNOWN };
        System {
            safe: safe.collect(),
            reduction: Box::leak(Box::new(reduction)),
            info: Box::leak(Box::new(info(&programs))),
            futures,
            programs,
        }
    }
}

fn info(programs: &[Vec<Edge>]) -> ModelInfo<'static> {
    let transition = |process: usize, edge: &Edge| TransitionInfo {
        proctype: 0,
        kind: TransitionKind::Other,
        place: PLACE,
        text: "step",
        from: (process * N_LOCATIONS + edge.from) as u32,
        to: (process * N_LOCATIONS + edge.to) as u32,
        merged: &[],
    };
    let edges =
        || programs.iter().enumerate().flat_map(|(process, edges)| edges.iter().map(move |edge| (process, edge)));
    let transitions: Vec<TransitionInfo<'static>> = edges().map(|(process, edge)| transition(process, edge)).collect();
    let is_assertion = |(number, (_, edge)): (usize, (usize, &Edge))| match edge.effect {
        Effect::AssertNot(..) => 1_u64 << number,
        Effect::Nothing | Effect::Set(..) => 0,
    };
    let assertions = edges().enumerate().map(is_assertion).fold(0, |all, one| all | one);
    let control_flow = ControlFlow {
        passed: &[],
        assertions: Box::leak(Box::new([assertions])),
        also_leaves: &[],
        starts: &[],
        claims: &[],
    };
    let location = LocationInfo { proctype: 0, place: PLACE, labels: &[] };
    ModelInfo {
        name: "system.pml",
        hash: "5757",
        pmc_version: "0.1.0",
        files: &["system.pml"],
        proctypes: &[ProctypeInfo { name: "p", place: PLACE }],
        transitions: Box::leak(transitions.into_boxed_slice()),
        locations: Box::leak(vec![location; programs.len() * N_LOCATIONS].into_boxed_slice()),
        claims: &[],
        growing: &[],
        control_flow: Some(control_flow),
        story: "",
        n_timers: 0,
        ticks_at_once: false,
        abstract_time: false,
        notes: &[],
        is_interpreted: false,
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct SystemState {
    values: [u8; N_VARIABLES],
    at: [u8; 4],
}

impl Model for System {
    type State = SystemState;
    type Packed = Words<1>;
    type Hidden = ();

    fn uses_timeout(&self) -> bool {
        false
    }

    fn info(&self) -> &ModelInfo<'_> {
        self.info
    }

    fn initial(&self) -> Result<SystemState, Fault> {
        Ok(SystemState::default())
    }

    fn n_processes(&self, _: &SystemState) -> usize {
        self.programs.len()
    }

    fn offer_steps(&self, now: &SystemState, me: Pid, _: bool, steps: &mut impl Steps<SystemState>) {
        let first: usize = self.programs[..me.index()].iter().map(Vec::len).sum();
        for (number, edge) in self.programs[me.index()].iter().enumerate() {
            if edge.from != usize::from(now.at[me.index()]) || !is_open(edge, now) {
                continue;
            }
            let id = TransitionId((first + number) as u32);
            let mut next = *now;
            next.at[me.index()] = edge.to as u8;
            match edge.effect {
                Effect::Nothing => {}
                Effect::Set(variable, value) => next.values[variable] = value,
                Effect::AssertNot(variable, value) => steps.assert(id, now.values[variable] != value),
            }
            steps.offer(id, &mut next);
        }
    }

    fn atomic_owner(&self, _: &SystemState) -> Option<Pid> {
        None
    }

    fn release(&self, _: &mut SystemState) {}

    /// A process may stay where nothing leads on.
    fn is_valid_end(&self, state: &SystemState, pid: Pid) -> bool {
        !self.programs[pid.index()].iter().any(|edge| edge.from == usize::from(state.at[pid.index()]))
    }

    fn has_messages(&self, _: &SystemState) -> bool {
        false
    }

    fn pack(&self, state: &SystemState, into: &mut Words<1>) {
        let mut writer = into.writer();
        for &value in state.values.iter().chain(&state.at) {
            writer.put(u32::from(value), 8);
        }
        writer.finish();
    }

    fn unpack(&self, from: &Words<1>) -> SystemState {
        let mut reader = from.reader();
        let mut take = || reader.take(8) as u8;
        SystemState { values: std::array::from_fn(|_| take()), at: std::array::from_fn(|_| take()) }
    }

    fn proctype(&self, _: &SystemState, _: Pid) -> usize {
        0
    }

    fn location(&self, state: &SystemState, pid: Pid) -> usize {
        pid.index() * N_LOCATIONS + usize::from(state.at[pid.index()])
    }

    fn describe(&self, _: &SystemState, _: &mut dyn Describe) {}
}

impl Independence for System {
    fn reduction(&self) -> &ReductionInfo<'_> {
        self.reduction
    }

    fn safe_level(&self, state: &SystemState, pid: Pid, _: Table, _: bool) -> u8 {
        let is_safe = self.safe[pid.index()][usize::from(state.at[pid.index()])];
        if is_safe { 0 } else { NEVER }
    }

    fn future(&self, state: &SystemState, pid: Pid) -> &[u64] {
        self.futures[pid.index()][usize::from(state.at[pid.index()])]
    }

    fn add_dependencies(&self, state: &SystemState, pid: Pid, bit_set: &mut [u64]) {
        for edge in &self.programs[pid.index()] {
            if edge.from == usize::from(state.at[pid.index()]) {
                bit_set[0] |= dependencies_in(edge, state);
            }
        }
    }

    fn add_part_dependencies(&self, state: &SystemState, part: u32, bit_set: &mut [u64]) {
        let has_it = |split: &&Split<'_>| (split.first..split.first + split.parts.len() as u32).contains(&part);
        let split = self.reduction.splits.iter().find(has_it).unwrap();
        let first: usize = self.programs[..split.pid.index()].iter().map(Vec::len).sum();
        for transition in split.parts[(part - split.first) as usize].transitions {
            bit_set[0] |= dependencies_in(&self.programs[split.pid.index()][transition.index() - first], state);
        }
    }
}

fn dependencies_in(edge: &Edge, state: &SystemState) -> u64 {
    match edge.guard {
        Some((variable, _)) if !is_open(edge, state) => write(variable),
        _ => dependencies(edge),
    }
}

fn is_open(edge: &Edge, state: &SystemState) -> bool {
    edge.guard.is_none_or(|(variable, value)| state.values[variable] == value)
}

/// SplitMix64: small, and good enough for tests.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn edge(&mut self) -> Edge {
        let (variable, value) = (self.below(N_VARIABLES), self.below(2) as u8);
        let guard = (self.below(3) == 0).then(|| (self.below(N_VARIABLES), self.below(2) as u8));
        let effect = match self.below(5) {
            0 | 1 => Effect::Nothing,
            2 | 3 => Effect::Set(variable, value),
            _ => Effect::AssertNot(variable, value),
        };
        Edge { from: self.below(N_LOCATIONS - 1), to: self.below(N_LOCATIONS), guard, effect }
    }

    fn system(&mut self) -> System {
        let n_processes = 2 + self.below(3);
        let programs = (0..n_processes).map(|_| {
            let n_edges = 2 + self.below(4);
            // Now and then a process that stays at one location.
            let stays = self.below(5) == 0;
            let edge = |_| if stays { Edge { from: 0, to: 0, ..self.edge() } } else { self.edge() };
            (0..n_edges).map(edge).collect()
        });
        System::new(programs.collect())
    }
}

/// The assertions that fail, and the number of deadlocks.
fn outcome(system: &System, options: &Options) -> (Vec<u32>, u64) {
    let report = check(system, options);
    let mut assertions = BTreeMap::new();
    let mut n_stuck = 0;
    for violation in report.violations() {
        // Each reported run leads to its violation, whatever the reduction removed.
        let replayed = replay(system, &violation.trail, Show::default(), &mut std::io::sink());
        assert!(replayed.is_ok(), "{replayed:?}, {options:?}: {system:?}");
        match violation.found.kind {
            ViolationKind::InvalidEndState => n_stuck += violation.occurrences,
            _ => {
                assertions.insert(violation.found.transition.unwrap().0, ());
            }
        }
    }
    (assertions.into_keys().collect(), n_stuck)
}

/// More, if the environment asks for it.
fn n_systems() -> u64 {
    std::env::var("PMC_RANDOM_SYSTEMS").ok().and_then(|n| n.parse().ok()).unwrap_or(800)
}

#[test]
fn reductions_keep_failed_assertions_and_stuck_states() {
    let mut n_smaller = 0;
    for seed in 0..n_systems() {
        let system = Random(seed).system();
        for algorithm in [Algorithm::BreadthFirst, Algorithm::DepthFirst, Algorithm::Guided] {
            let options = Options { algorithm, all_errors: true, ..Options::default() };
            let full = Options { reduction: Reduction::Off, ..options.clone() };
            let expected = outcome(&system, &full);
            let n_states = |options: &Options| check(&system, options).properties[0].statistics.states_stored;
            for reduction in [Reduction::Ample, Reduction::Stubborn, Reduction::Auto] {
                for proviso in [Proviso::Visited, Proviso::Prompt, Proviso::Static] {
                    let reduced = Options { reduction, proviso, ..options.clone() };
                    let context = format!("seed {seed}, {algorithm:?}, {reduction:?}, {proviso:?}: {system:?}");
                    assert_eq!(outcome(&system, &reduced), expected, "{context}");
                    n_smaller += u64::from(n_states(&reduced) < n_states(&full));
                }
            }
        }
    }
    assert!(n_smaller > 1_000, "reductions leave out states: {n_smaller}");
}

/// Several threads use another proviso, and the reduction depends neither on their number nor on their order.
#[test]
fn reductions_on_threads_keep_the_same_and_leave_out_the_same() {
    let mut n_smaller = 0;
    for seed in 0..150 {
        let system = Random(seed).system();
        let options = Options { all_errors: true, reduction: Reduction::Off, ..Options::default() };
        let expected = outcome(&system, &options);
        let figures = |options: &Options| {
            let report = check(&system, options);
            let statistics = &report.properties[0].statistics;
            (statistics.states_stored, statistics.transitions, statistics.depth)
        };
        let modes = [Proviso::Visited, Proviso::Static].map(|proviso| (proviso, Reduction::Stubborn));
        for (proviso, reduction) in modes.into_iter().chain([(Proviso::Visited, Reduction::Auto)]) {
            let reduced = |threads| Options { threads, proviso, reduction, ..options.clone() };
            let on_two = figures(&reduced(2));
            n_smaller += u64::from(on_two < figures(&options));
            for threads in 2..=4 {
                let context = format!("seed {seed}, {threads} threads, {reduction:?}, {proviso:?}: {system:?}");
                assert_eq!(outcome(&system, &reduced(threads)), expected, "{context}");
                assert_eq!(figures(&reduced(threads)), on_two, "{context}");
            }
        }
    }
    assert!(n_smaller > 100, "reductions leave out states: {n_smaller}");
}

/// The runs that a reduction keeps need not contain a shortest one.
#[test]
fn counterexamples_are_shortest_in_spite_of_a_reduction() {
    let mut n_longer = 0;
    for seed in 0..300 {
        let system = Random(seed).system();
        let options = Options { reduction: Reduction::Stubborn, ..Options::default() };
        let length = |options: &Options| {
            let report = check(&system, options);
            report.properties[0].violations.first().map(|violation| violation.trail.n_steps())
        };
        let shortest = length(&Options { reduction: Reduction::Off, ..options.clone() });
        assert_eq!(length(&options), shortest, "seed {seed}: {system:?}");
        // With --all-errors the runs are reported as they were found.
        let as_found = length(&Options { all_errors: true, ..options });
        n_longer += u64::from(as_found > shortest);
    }
    assert!(n_longer > 0, "reductions find longer runs");
}

/// Without a reduction guided searches see all that a breadth-first search sees, and A* finds a shortest run.
#[test]
fn guided_searches_are_complete_and_a_star_finds_shortest_runs() {
    let (mut n_violated, mut n_fewer) = (0, 0);
    for seed in 0..n_systems() {
        let system = Random(seed).system();
        let full = Options { reduction: Reduction::Off, check_end_states: seed % 2 == 0, ..Options::default() };
        let figures = |options: &Options| {
            let report = check(&system, options);
            let property = &report.properties[0];
            let length = property.violations.first().map(|violation| violation.trail.n_steps());
            (property.statistics.states_stored, property.statistics.transitions, property.errors, length)
        };
        let breadth_first = Options { algorithm: Algorithm::BreadthFirst, ..full.clone() };
        let shortest = figures(&breadth_first);
        let all = |options: &Options| {
            let (states, transitions, errors, _) = figures(&Options { all_errors: true, ..options.clone() });
            (states, transitions, errors)
        };
        for algorithm in [Algorithm::Guided, Algorithm::AStar] {
            let options = Options { algorithm, ..full.clone() };
            assert_eq!(all(&options), all(&breadth_first), "seed {seed}, {algorithm:?}: {system:?}");
            let found = figures(&options);
            assert_eq!(found.3, shortest.3, "seed {seed}, {algorithm:?}: {system:?}");
            n_fewer += u64::from(found.0 < shortest.0);
        }
        n_violated += u64::from(shortest.3.is_some());
    }
    assert!(n_violated > n_systems() / 4 && n_fewer > n_systems() / 4, "{n_violated} violated, {n_fewer} with fewer");
}

#[test]
fn sticky_locations_are_sets_of_bits() {
    assert!(has_location(&[0, 2], 65) && !has_location(&[0, 2], 64) && !has_location(&[], 3));
}

/// Without a proviso the assertion would never be checked: process 0 cycles by itself.
#[test]
fn nobody_is_ignored_forever() {
    let spins = vec![
        Edge { from: 0, to: 1, guard: None, effect: Effect::Set(0, 1) },
        Edge { from: 1, to: 1, guard: None, effect: Effect::Nothing },
    ];
    let asserts = vec![Edge { from: 0, to: 3, guard: None, effect: Effect::AssertNot(0, 1) }];
    let system = System::new(vec![asserts, spins]);
    for algorithm in [Algorithm::BreadthFirst, Algorithm::DepthFirst] {
        for proviso in [Proviso::Visited, Proviso::Prompt, Proviso::Static] {
            let options =
                Options { algorithm, proviso, reduction: Reduction::Auto, all_errors: true, ..Options::default() };
            assert_eq!(outcome(&system, &options).0, [0], "{algorithm:?}, {proviso:?}");
        }
    }
}
