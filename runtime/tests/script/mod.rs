//! A small interpreter: processes that count variables up, as a model that is made from a value at run time.

use pmc_runtime::fault::Fault;
use pmc_runtime::model::{
    ClaimInfo, ClaimKind, ClaimLocationInfo, ClaimMoveInfo, Describe, LocationInfo, Model as Semantics, ModelInfo,
    ProctypeInfo, SourcePosition, TransitionInfo, TransitionKind,
};
use pmc_runtime::pack::{Bytes, Packed, Reader, Writer};
use pmc_runtime::reduction::{Independence, NEVER, ReductionInfo, Table, Visibility};
use pmc_runtime::step::{After, ClaimLocation, ClaimMoveId, ClaimMoves, Pid, Steps, TransitionId};

/// A statement.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Adds 1 to a variable.
    Add(usize),
    /// Asserts that a variable is below a value.
    AssertBelow(usize, u8),
    /// Goes back to the first statement.
    Restart,
}

/// What a model is made from.
#[derive(Clone, Debug)]
pub struct Script {
    pub name: String,
    pub n_variables: usize,
    /// The last so many variables are hidden.
    pub n_hidden: usize,
    pub processes: Vec<Vec<Op>>,
    /// A claim of this name: the variable has the value at some time.
    pub claim: Option<(String, usize, u8)>,
}

impl Script {
    pub fn new(name: String, n_variables: usize) -> Script {
        Script { name, n_variables, n_hidden: 0, processes: Vec::new(), claim: None }
    }

    /// The number of a process's first transition, and of its first location.
    fn first(&self, pid: usize) -> (usize, usize) {
        let n: usize = self.processes[..pid].iter().map(Vec::len).sum();
        (n, n + pid)
    }

    fn used(op: Op) -> u64 {
        match op {
            Op::Add(variable) | Op::AssertBelow(variable, _) => 1 << variable,
            Op::Restart => 0,
        }
    }

    /// What a process may still use.
    fn future(&self, pid: usize, at: usize) -> u64 {
        let loops = self.processes[pid].iter().any(|op| matches!(op, Op::Restart));
        let from = if loops { 0 } else { at };
        self.processes[pid][from..].iter().fold(0, |all, &op| all | Script::used(op))
    }

    fn text(op: Op) -> String {
        match op {
            Op::Add(variable) => format!("v{variable} = v{variable} + 1"),
            Op::AssertBelow(variable, limit) => format!("assert(v{variable} < {limit})"),
            Op::Restart => "goto start".to_owned(),
        }
    }
}

const fn at(line: usize) -> SourcePosition {
    SourcePosition { file: 0, line: line as u32, column: 1 }
}

/// Bits for those locations whose statement is meant.
fn locations(script: &Script, is_meant: impl Fn(Op) -> bool) -> Vec<u64> {
    let mut bits = vec![0; 4];
    for (pid, program) in script.processes.iter().enumerate() {
        let first = script.first(pid).1;
        for (at, _) in program.iter().enumerate().filter(|(_, op)| is_meant(**op)) {
            bits[(first + at) / 64] |= 1 << ((first + at) % 64);
        }
    }
    bits
}

/// Makes the model of a script, hands it on, and drops it with everything that it consists of.
pub fn with_model<R>(script: &Script, act: impl FnOnce(&Model<'_>) -> R) -> R {
    let hash = format!("{script:?}").bytes().fold(7_u64, |hash, byte| (hash * 31 + u64::from(byte)) % 1_000_003);
    let hash = format!("{hash:x}");
    let names: Vec<String> = (0..script.processes.len()).map(|pid| format!("p{pid}")).collect();
    let texts: Vec<String> = script.processes.iter().flatten().map(|&op| Script::text(op)).collect();
    let proctypes: Vec<ProctypeInfo<'_>> = names.iter().map(|name| ProctypeInfo { name, place: at(1) }).collect();
    let label = "start".to_owned();
    let labels = [label.as_str()];
    let (mut transitions, mut locations_of_all) = (Vec::new(), Vec::new());
    for (pid, program) in script.processes.iter().enumerate() {
        let (proctype, (first, first_location)) = (pid as u16, script.first(pid));
        for number in 0..program.len() {
            let (text, from) = (texts[first + number].as_str(), (first_location + number) as u32);
            let (kind, place) = (TransitionKind::Other, at(first + number + 1));
            transitions.push(TransitionInfo { proctype, kind, place, text, from, to: from + 1, merged: &[] });
        }
        for number in 0..=program.len() {
            let labels = if number == 0 { &labels[..] } else { &[] };
            locations_of_all.push(LocationInfo { proctype, place: at(first + number + 1), labels });
        }
    }
    let condition = script.claim.iter().map(|(_, variable, value)| format!("v{variable} != {value}"));
    let conditions: Vec<String> = condition.collect();
    let moves: Vec<ClaimMoveInfo<'_>> = conditions.iter().map(|text| ClaimMoveInfo { place: at(1), text }).collect();
    let claim_locations = vec![ClaimLocationInfo { place: at(1), is_accepting: true, is_end: false }];
    let claims = script.claim.iter().map(|(name, ..)| ClaimInfo {
        name,
        kind: ClaimKind::Ltl,
        place: at(1),
        locations: &claim_locations,
        moves: &moves,
        is_stutter_closed: true,
        is_safety: false,
    });
    let claims: Vec<ClaimInfo<'_>> = claims.collect();
    let claimed = script.claim.as_ref().map(|&(_, variable, _)| variable);
    let visible = locations(script, |op| matches!(op, Op::Add(variable) if Some(variable) == claimed));
    let visibility: Vec<Visibility<'_>> =
        claims.iter().map(|_| Visibility { visible: &visible, ..Visibility::NOTHING }).collect();
    let sticky = locations(script, |op| matches!(op, Op::Restart));
    let futures = (0..script.processes.len()).map(|pid| {
        let n = script.processes[pid].len();
        (0..=n).map(|at| vec![script.future(pid, at)]).collect()
    });
    act(&Model {
        script,
        futures: futures.collect(),
        info: ModelInfo {
            name: &script.name,
            hash: &hash,
            pmc_version: "0.1.0",
            files: &[&script.name],
            proctypes: &proctypes,
            transitions: &transitions,
            locations: &locations_of_all,
            claims: &claims,
            growing: &[],
            control_flow: None,
            story: "",
            n_timers: 0,
            ticks_at_once: false,
            abstract_time: false,
            notes: &[],
            is_interpreted: false,
        },
        reduction: ReductionInfo {
            off: None,
            n_words: 1,
            sticky: &sticky,
            claims: &visibility,
            ..ReductionInfo::UNKNOWN
        },
    })
}

/// A model that borrows all its tables but one.
pub struct Model<'t> {
    script: &'t Script,
    info: ModelInfo<'t>,
    reduction: ReductionInfo<'t>,
    /// For each process and location what the process may still use.
    futures: Vec<Vec<Vec<u64>>>,
}

#[derive(Clone, Debug)]
pub struct State {
    values: Vec<u8>,
    at: Vec<u8>,
}

impl Model<'_> {
    fn n_stored(&self) -> usize {
        self.script.n_variables - self.script.n_hidden
    }

    fn op(&self, state: &State, pid: Pid) -> Option<Op> {
        self.script.processes[pid.index()].get(usize::from(state.at[pid.index()])).copied()
    }
}

impl Semantics for Model<'_> {
    type State = State;
    type Packed = Bytes;
    type Hidden = Vec<u8>;

    fn info(&self) -> &ModelInfo<'_> {
        &self.info
    }

    fn uses_timeout(&self) -> bool {
        false
    }

    fn has_hidden(&self) -> bool {
        self.script.n_hidden > 0
    }

    fn initial(&self) -> Result<State, Fault> {
        Ok(State { values: vec![0; self.script.n_variables], at: vec![0; self.script.processes.len()] })
    }

    fn n_processes(&self, _: &State) -> usize {
        self.script.processes.len()
    }

    fn offer_steps(&self, now: &State, me: Pid, _: bool, steps: &mut impl Steps<State>) {
        let Some(op) = self.op(now, me) else { return };
        let at = usize::from(now.at[me.index()]);
        let id = TransitionId((self.script.first(me.index()).0 + at) as u32);
        let mut next = now.clone();
        next.at[me.index()] += 1;
        match op {
            Op::Add(variable) => next.values[variable] = next.values[variable].wrapping_add(1),
            Op::AssertBelow(variable, limit) => steps.assert(id, now.values[variable] < limit),
            Op::Restart => next.at[me.index()] = 0,
        }
        steps.offer(id, &mut next);
    }

    fn atomic_owner(&self, _: &State) -> Option<Pid> {
        None
    }

    fn release(&self, _: &mut State) {}

    fn is_valid_end(&self, state: &State, pid: Pid) -> bool {
        self.op(state, pid).is_none()
    }

    fn offer_claim_moves(&self, _: usize, at: ClaimLocation, now: &State, _: bool, moves: &mut impl ClaimMoves<State>) {
        if let Some((_, variable, value)) = &self.script.claim
            && now.values[*variable] != *value
        {
            moves.go(ClaimMoveId(0), at, After::System);
        }
    }

    fn has_messages(&self, _: &State) -> bool {
        false
    }

    fn pack(&self, state: &State, into: &mut Bytes) {
        let mut writer = into.writer();
        for &byte in state.values[..self.n_stored()].iter().chain(&state.at) {
            writer.put(u32::from(byte), 8);
        }
        writer.finish();
    }

    fn unpack(&self, from: &Bytes) -> State {
        let mut reader = from.reader();
        let mut values: Vec<u8> = (0..self.n_stored()).map(|_| reader.take(8) as u8).collect();
        values.resize(self.script.n_variables, 0);
        State { values, at: (0..self.script.processes.len()).map(|_| reader.take(8) as u8).collect() }
    }

    fn hidden(&self, state: &State) -> Vec<u8> {
        state.values[self.n_stored()..].to_vec()
    }

    fn set_hidden(&self, state: &mut State, hidden: Vec<u8>) {
        state.values.truncate(self.n_stored());
        state.values.extend(hidden);
        // The default of the type stands for the initial values.
        state.values.resize(self.script.n_variables, 0);
    }

    fn proctype(&self, _: &State, pid: Pid) -> usize {
        pid.index()
    }

    fn location(&self, state: &State, pid: Pid) -> usize {
        self.script.first(pid.index()).1 + usize::from(state.at[pid.index()])
    }

    fn describe(&self, state: &State, to: &mut dyn Describe) {
        for (variable, value) in state.values.iter().enumerate() {
            to.variable(None, format_args!("v{variable}"), format_args!("{value}"));
        }
    }
}

impl Independence for Model<'_> {
    fn reduction(&self) -> &ReductionInfo<'_> {
        &self.reduction
    }

    fn safe_level(&self, state: &State, pid: Pid, _: Table, _: bool) -> u8 {
        let used = self.op(state, pid).map_or(0, Script::used);
        let others = (0..self.script.processes.len()).filter(|&other| other != pid.index());
        if others.into_iter().any(|other| self.futures[other][0][0] & used != 0) { NEVER } else { 0 }
    }

    fn future(&self, state: &State, pid: Pid) -> &[u64] {
        &self.futures[pid.index()][usize::from(state.at[pid.index()])]
    }

    fn add_dependencies(&self, state: &State, pid: Pid, bit_set: &mut [u64]) {
        bit_set[0] |= self.op(state, pid).map_or(0, Script::used);
    }
}
