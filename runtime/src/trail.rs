//! A counterexample as the steps that lead to it.
//!
//! A step is kept as numbers: which process, which transition, which of the offers of that process. With the model it
//! can be taken again, on any machine; the hash says which model that is. As a file it is JSON, with the source lines
//! beside the numbers for people who read it without a tool.

use crate::json::{Json, object};
use crate::model::ModelInfo;
use crate::step::{Pid, TransitionId};
use std::fmt;

pub const SCHEMA: &str = "pmc-trail/1";

/// One process taking one transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub pid: Pid,
    pub transition: TransitionId,
    /// The number of this offer among those that the process made in the state: one transition may be offered with
    /// several results.
    pub choice: u32,
    /// The partner in a rendezvous, and the transition by which it receives.
    pub receiver: Option<(Pid, TransitionId)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trail {
    /// The hash of the model.
    pub model_hash: String,
    pub steps: Vec<Step>,
    /// The kind of violation in which it ends, as in reports, and the transition that goes wrong, if one does.
    pub kind: String,
    pub transition: Option<TransitionId>,
    pub message: String,
    /// For a cycle: the number of steps before it starts.
    pub cycle_start: Option<usize>,
}

impl Trail {
    pub fn to_json(&self, info: &ModelInfo) -> Json {
        let steps = self.steps.iter().map(|step| step_to_json(step, info)).collect();
        object([
            ("schema", SCHEMA.into()),
            ("model", info.name.into()),
            ("model_hash", self.model_hash.as_str().into()),
            ("pmc", info.pmc_version.into()),
            (
                "violation",
                object([
                    ("kind", self.kind.as_str().into()),
                    ("message", self.message.as_str().into()),
                    ("transition", self.transition.map(|id| u64::from(id.0)).into()),
                ]),
            ),
            ("cycle_start", self.cycle_start.map(|n| n as u64).into()),
            ("steps", Json::List(steps)),
        ])
    }

    /// Reads a trail and makes sure that it belongs to the model.
    pub fn from_json(text: &str, info: &ModelInfo) -> Result<Trail, TrailError> {
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
        let steps = list.iter().map(step_from_json).collect::<Result<Vec<Step>, TrailError>>()?;
        Ok(Trail {
            model_hash,
            steps,
            kind: text(violation, "kind"),
            transition,
            message: text(violation, "message"),
            cycle_start,
        })
    }
}

fn step_to_json(step: &Step, info: &ModelInfo) -> Json {
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
        members.push(("line".to_owned(), info.line(transition.place).into()));
        members.push(("text".to_owned(), transition.text.into()));
    }
    Json::Object(members)
}

fn step_from_json(json: &Json) -> Result<Step, TrailError> {
    let need = |name: &str| number(json, name).ok_or_else(|| TrailError::Damaged(format!("a step without `{name}`")));
    let receiver = match (number(json, "receiver"), number(json, "receive")) {
        (Some(receiver), Some(receive)) => Some((pid(receiver)?, transition_id(receive)?)),
        _ => None,
    };
    let choice =
        u32::try_from(need("choice")?).map_err(|_| TrailError::Damaged("a choice beyond reason".to_owned()))?;
    Ok(Step { pid: pid(need("pid")?)?, transition: transition_id(need("transition")?)?, choice, receiver })
}

fn number(json: &Json, name: &str) -> Option<u64> {
    json.get(name).and_then(Json::as_u64)
}

fn pid(number: u64) -> Result<Pid, TrailError> {
    u8::try_from(number).map(Pid).map_err(|_| TrailError::Damaged(format!("no process has the number {number}")))
}

fn transition_id(number: u64) -> Result<TransitionId, TrailError> {
    u32::try_from(number).map(TransitionId).map_err(|_| TrailError::Damaged(format!("no transition {number}")))
}

/// Why a trail cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrailError {
    Damaged(String),
    OtherSchema(String),
    /// It belongs to another model, or to an older version of this one.
    Stale {
        of: String,
        hash: String,
    },
}

impl fmt::Display for TrailError {
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
