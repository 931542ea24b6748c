//! A counterexample as the steps that lead to it.
//!
//! A step is stored as numbers: its process, its transition, and its position among the offers of that process. With
//! the model it can be replayed, on any machine; the hash identifies the model. The file is JSON, with the source lines
//! beside the numbers for readers without a tool.
//!
//! What reads and writes files is `inline`, as in `json.rs`.

use crate::json::{Json, object};
use crate::model::{ClaimInfo, ModelInfo, TransitionInfo};
use crate::step::{ClaimLocation, ClaimMoveId, Pid, TransitionId};
use std::fmt;

/// The version of the format.
pub const SCHEMA: &str = "pmc-trail/1";

/// One process taking one transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The process that moves.
    pub pid: Pid,
    /// Its statement.
    pub transition: TransitionId,
    /// The number of this offer among those that the process made in the state: one transition may be offered with
    /// several results.
    pub choice: u32,
    /// The partner in a rendezvous, and the transition by which it receives.
    pub receiver: Option<(Pid, TransitionId)>,
}

impl Step {
    /// Stands for time where steps are listed: no process makes it, and none has this pid. The choice is the way in which
    /// time passes, and the number of the transition that of the ticks.
    pub fn tick(passed: Passed) -> Step {
        Step { pid: Pid::TIME, transition: TransitionId(passed.n_ticks), choice: passed.which, receiver: None }
    }

    /// The time that passes, if it is no step of a process.
    pub fn passed(&self) -> Option<Passed> {
        self.is_tick().then_some(Passed { n_ticks: self.transition.0, which: self.choice })
    }

    /// Whether time passes in it, and no process moves.
    pub fn is_tick(&self) -> bool {
        self.pid == Pid::TIME
    }
}

/// How time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// How many ticks there are at once.
    pub n_ticks: u32,
    /// The number of the way, of those that the model has.
    pub which: u32,
}

impl Passed {
    /// One tick, in the only way.
    pub const ONE: Passed = Passed { n_ticks: 1, which: 0 };
}

impl From<Step> for Move {
    fn from(step: Step) -> Move {
        step.passed().map_or(Move::System(step), Move::Tick)
    }
}

/// A move of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A step of the system.
    System(Step),
    /// A move of the claim, which moves before each step of the system.
    Claim {
        /// The move.
        by: ClaimMoveId,
        /// The number of this move among those that the claim could make in the state.
        choice: u32,
        /// The target.
        to: ClaimLocation,
    },
    /// No process is enabled: the system stutters while the claim moves on.
    Stutter,
    /// No process is enabled: time passes, and every timer that is on is lowered.
    Tick(Passed),
}

impl Move {
    /// Whether it counts as a step: one of a process, or a stutter. A tick is none, since readers count what processes do.
    pub fn is_step(self) -> bool {
        !matches!(self, Move::Claim { .. } | Move::Tick(_))
    }

    /// The step of the system, if it is one, or the tick.
    pub fn step(self) -> Option<Step> {
        match self {
            Move::System(step) => Some(step),
            Move::Tick(passed) => Some(Step::tick(passed)),
            Move::Claim { .. } | Move::Stutter => None,
        }
    }

    /// How much time passes.
    pub fn n_ticks(self) -> usize {
        if let Move::Tick(passed) = self { passed.n_ticks as usize } else { 0 }
    }
}

/// A counterexample: the moves from the initial state to a violation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// The hash of the model.
    pub model_hash: String,
    /// The moves in order.
    pub moves: Vec<Move>,
    /// For a cycle: the number of moves before it starts.
    pub cycle_start: Option<usize>,
    /// The claim of the run.
    pub claim: Option<String>,
    /// The cycle is weakly fair.
    pub fair: bool,
    /// Time passes in the cycle, or the run ends: others did not count.
    pub time_passes: bool,
    /// Time is abstract: nothing says how long a timer runs, and the run need not be one of the model.
    pub abstract_time: bool,
    /// The kind of violation at its end, as in reports, and its place: a transition, a move of the claim, or neither
    /// for a state or a cycle.
    pub kind: String,
    /// The step with the violation, if it is in a step.
    pub transition: Option<TransitionId>,
    /// The move of the claim with the violation, if it is in one.
    pub claim_move: Option<ClaimMoveId>,
    /// The violation as text.
    pub message: String,
    /// The goal that a process is at in the end, as the user wrote it.
    pub goal: Option<String>,
}

impl Trail {
    /// The steps of the system; a stutter is none.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.moves.iter().filter_map(|next| match next {
            Move::System(step) => Some(step),
            Move::Claim { .. } | Move::Stutter | Move::Tick(_) => None,
        })
    }

    /// The length of the run as reports count it: steps of the system and stutters, without ticks and the moves of the
    /// claim.
    pub fn n_steps(&self) -> usize {
        self.moves.iter().filter(|next| next.is_step()).count()
    }

    /// How much time passes.
    #[inline]
    pub fn n_ticks(&self) -> usize {
        self.moves.iter().map(|next| next.n_ticks()).sum()
    }

    /// How much time passes in each round of the cycle.
    #[inline]
    pub fn ticks_in_cycle(&self) -> Option<usize> {
        let cycle = self.moves.get(self.cycle_start?..)?;
        Some(cycle.iter().map(|next| next.n_ticks()).sum())
    }

    /// The steps before the cycle, counted like [`n_steps`](Self::n_steps).
    #[inline]
    pub fn steps_before_cycle(&self) -> Option<usize> {
        let before = self.moves.get(..self.cycle_start?)?;
        Some(before.iter().filter(|next| next.is_step()).count())
    }

    /// The statements that a step of this trail executes, each with its process: the transition and those merged with
    /// it, then the other side of a rendezvous. Of a step with a fault only the first counts.
    #[inline]
    pub fn statements<'m>(&self, step: &Step, info: &ModelInfo<'m>) -> Vec<(Pid, &'m TransitionInfo<'m>)> {
        let goes_wrong = self.transition.is_some()
            && matches!(self.moves.last(), Some(Move::System(last)) if std::ptr::eq(last, step));
        let first = info.transition(step.transition);
        let merged = first.filter(|_| !goes_wrong).map_or(&[][..], |first| first.merged);
        let merged = merged.iter().filter_map(|id| info.transition(*id));
        let own = first.into_iter().chain(merged).map(|transition| (step.pid, transition));
        let receiver = step.receiver.and_then(|(pid, receive)| Some((pid, info.transition(receive)?)));
        own.chain(receiver).collect()
    }

    /// The trail as JSON.
    #[inline]
    pub fn to_json(&self, info: &ModelInfo<'_>) -> Json {
        let claim = self.claim.as_deref().and_then(|name| info.claims.iter().find(|claim| claim.name == name));
        let mut violation = vec![
            ("kind".to_owned(), self.kind.as_str().into()),
            ("message".to_owned(), self.message.as_str().into()),
            ("transition".to_owned(), self.transition.map(|id| u64::from(id.0)).into()),
            ("claim_move".to_owned(), self.claim_move.map(|id| u64::from(id.0)).into()),
        ];
        violation.extend(self.goal.as_deref().map(|goal| ("goal".to_owned(), goal.into())));
        let steps = self.moves.iter().map(|next| move_to_json(self, next, claim, info)).collect();
        let mut trail = vec![
            ("schema", SCHEMA.into()),
            ("model", info.name.into()),
            ("model_hash", self.model_hash.as_str().into()),
            ("pmc", info.pmc_version.into()),
            ("violation", Json::Object(violation)),
            ("claim", self.claim.as_deref().into()),
            ("fair", self.fair.into()),
            ("cycle_start", self.cycle_start.map(|n| n as u64).into()),
        ];
        trail.extend(self.time_passes.then(|| ("time_passes", true.into())));
        trail.extend(self.abstract_time.then(|| ("abstract_time", true.into())));
        trail.push(("steps", Json::List(steps)));
        Json::Object(trail.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Reads a trail and checks that it belongs to the model.
    #[inline]
    pub fn from_json(text: &str, info: &ModelInfo<'_>) -> Result<Trail, TrailError> {
        let json = Json::parse(text).map_err(|error| TrailError::Damaged(error.to_string()))?;
        let member = |name: &str| json.get(name).ok_or_else(|| TrailError::Damaged(format!("no `{name}` in it")));
        match member("schema")?.as_text() {
            Some(SCHEMA) => {}
            other => return Err(TrailError::OtherSchema(other.unwrap_or("?").to_owned())),
        }
        let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_text).unwrap_or_default().to_owned();
        let model_hash = text(&json, "model_hash");
        if model_hash != info.hash {
            return Err(TrailError::Stale { of: text(&json, "model"), hash: model_hash });
        }
        let violation = member("violation")?;
        let transition = number(violation, "transition").map(transition_id).transpose()?;
        let cycle_start = number(&json, "cycle_start").map(|n| n as usize);
        let list = member("steps")?.as_list().ok_or_else(|| TrailError::Damaged("`steps` is no list".to_owned()))?;
        let moves = list.iter().map(move_from_json).collect::<Result<Vec<Move>, TrailError>>()?;
        if cycle_start.is_some_and(|start| start >= moves.len()) {
            return Err(TrailError::Damaged("the cycle starts behind its end".to_owned()));
        }
        Ok(Trail {
            model_hash,
            moves,
            cycle_start,
            claim: json.get("claim").and_then(Json::as_text).map(str::to_owned),
            fair: json.get("fair") == Some(&Json::Bool(true)),
            time_passes: json.get("time_passes") == Some(&Json::Bool(true)),
            abstract_time: json.get("abstract_time") == Some(&Json::Bool(true)),
            kind: text(violation, "kind"),
            transition,
            claim_move: number(violation, "claim_move").map(|n| claim_number(n).map(ClaimMoveId)).transpose()?,
            message: text(violation, "message"),
            goal: violation.get("goal").and_then(Json::as_text).map(str::to_owned),
        })
    }
}

#[inline]
fn move_to_json(trail: &Trail, next: &Move, claim: Option<&ClaimInfo<'_>>, info: &ModelInfo<'_>) -> Json {
    let (by, choice, to) = match next {
        Move::System(step) => return step_to_json(trail, step, info),
        Move::Claim { by, choice, to } => (*by, *choice, *to),
        Move::Stutter => return object([("stutter", true.into())]),
        Move::Tick(passed) => return passed_to_json(*passed),
    };
    let mut members = vec![
        ("claim_move".to_owned(), u64::from(by.0).into()),
        ("choice".to_owned(), u64::from(choice).into()),
        ("to".to_owned(), u64::from(to.0).into()),
    ];
    if let Some(known) = claim.and_then(|claim| claim.moves.get(by.index())) {
        members.push(("line".to_owned(), info.line(known.place).into()));
        members.push(("text".to_owned(), known.text.into()));
    }
    Json::Object(members)
}

#[inline]
fn passed_to_json(passed: Passed) -> Json {
    let mut members = vec![("tick".to_owned(), u64::from(passed.n_ticks).into())];
    if passed.which > 0 {
        members.push(("which".to_owned(), u64::from(passed.which).into()));
    }
    Json::Object(members)
}

#[inline]
fn move_from_json(json: &Json) -> Result<Move, TrailError> {
    if json.get("stutter") == Some(&Json::Bool(true)) {
        return Ok(Move::Stutter);
    }
    if let Some(ticks) = json.get("tick") {
        let read = |number: Option<u64>| number.and_then(|number| u32::try_from(number).ok());
        let n_ticks = read(ticks.as_u64()).filter(|n_ticks| *n_ticks > 0);
        let which = json.get("which").map_or(Some(0), |which| read(which.as_u64()));
        let damaged = || TrailError::Damaged("a move of time without a number of ticks".to_owned());
        return n_ticks.zip(which).map(|(n_ticks, which)| Move::Tick(Passed { n_ticks, which })).ok_or_else(damaged);
    }
    let Some(by) = number(json, "claim_move") else { return step_from_json(json).map(Move::System) };
    let need = |name: &str| {
        number(json, name).ok_or_else(|| TrailError::Damaged(format!("a move of the claim without `{name}`")))
    };
    Ok(Move::Claim {
        by: ClaimMoveId(claim_number(by)?),
        choice: choice(need("choice")?)?,
        to: ClaimLocation(claim_number(need("to")?)?),
    })
}

#[inline]
fn step_to_json(trail: &Trail, step: &Step, info: &ModelInfo<'_>) -> Json {
    let mut members = vec![
        ("pid".to_owned(), u64::from(step.pid.0).into()),
        ("transition".to_owned(), u64::from(step.transition.0).into()),
        ("choice".to_owned(), u64::from(step.choice).into()),
    ];
    if let Some((receiver, receive)) = step.receiver {
        members.push(("receiver".to_owned(), u64::from(receiver.0).into()));
        members.push(("receive".to_owned(), u64::from(receive.0).into()));
    }
    if let Some(transition) = info.transition(step.transition) {
        members.extend(statement_to_json(transition, info));
    }
    let merged = trail.statements(step, info).into_iter().skip(1).filter(|(pid, _)| *pid == step.pid);
    let merged: Vec<Json> = merged.map(|(_, merged)| Json::Object(statement_to_json(merged, info).to_vec())).collect();
    if !merged.is_empty() {
        members.push(("merged".to_owned(), Json::List(merged)));
    }
    Json::Object(members)
}

#[inline]
fn statement_to_json(transition: &TransitionInfo<'_>, info: &ModelInfo<'_>) -> [(String, Json); 2] {
    [("line".to_owned(), info.line(transition.place).into()), ("text".to_owned(), transition.text.into())]
}

#[inline]
fn step_from_json(json: &Json) -> Result<Step, TrailError> {
    let need = |name: &str| number(json, name).ok_or_else(|| TrailError::Damaged(format!("a step without `{name}`")));
    let receiver = match (number(json, "receiver"), number(json, "receive")) {
        (Some(receiver), Some(receive)) => Some((pid(receiver)?, transition_id(receive)?)),
        _ => None,
    };
    let choice = choice(need("choice")?)?;
    Ok(Step { pid: pid(need("pid")?)?, transition: transition_id(need("transition")?)?, choice, receiver })
}

#[inline]
fn number(json: &Json, name: &str) -> Option<u64> {
    json.get(name).and_then(Json::as_u64)
}

#[inline]
fn choice(number: u64) -> Result<u32, TrailError> {
    u32::try_from(number).map_err(|_| TrailError::Damaged("a choice beyond reason".to_owned()))
}

#[inline]
fn claim_number(number: u64) -> Result<u16, TrailError> {
    u16::try_from(number).map_err(|_| TrailError::Damaged(format!("no claim has a move or a location {number}")))
}

#[inline]
fn pid(number: u64) -> Result<Pid, TrailError> {
    u8::try_from(number).map(Pid).map_err(|_| TrailError::Damaged(format!("no process has the number {number}")))
}

#[inline]
fn transition_id(number: u64) -> Result<TransitionId, TrailError> {
    u32::try_from(number).map(TransitionId).map_err(|_| TrailError::Damaged(format!("no transition {number}")))
}

/// Why a trail cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrailError {
    /// The text is no trail.
    Damaged(String),
    /// The format has another version.
    OtherSchema(String),
    /// It belongs to another model, or to an older version of this one.
    Stale {
        /// The name of the other model.
        of: String,
        /// The hash of the other model.
        hash: String,
    },
}

impl fmt::Display for TrailError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrailError::Damaged(what) => write!(f, "the trail is damaged: {what}"),
            TrailError::OtherSchema(schema) => write!(f, "the trail has the format `{schema}`, this is `{SCHEMA}`"),
            TrailError::Stale { of, hash } => write!(
                f,
                "the trail was made for another model (`{of}`, hash {hash}), or this one or its macros have changed \
                 since; run the verification again"
            ),
        }
    }
}

impl std::error::Error for TrailError {}
