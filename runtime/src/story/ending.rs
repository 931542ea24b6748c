//! How a run ends: why the violation is one, and for what the processes wait.

use super::apply::Actor;
use super::describe::{describe as describe_statement, explain};
use super::evaluate::View;
use super::meaning::Action;
use super::narrator::Narrator;
use super::words::queue_text;
use super::{Blocked, Run, Step, Wait};
use crate::model::{ClaimKind, SourcePosition};
use crate::step::{Pid, PidSet};
use crate::trail::{Move, Trail};
use crate::verdict::ViolationKind;
use crate::walk::Walk;

/// The processes that can move in every state of a cycle, and those that do.
#[derive(Default)]
pub(super) struct CycleMoves {
    always_enabled: Option<PidSet>,
    moved: PidSet,
    stutters: bool,
    /// What the claim has asked in the cycle, each once.
    asked: Vec<String>,
}

impl CycleMoves {
    /// Called before each move of the cycle.
    pub fn look(&mut self, walk: &Walk<'_>, next: &Move) {
        if walk.is_systems_turn() {
            let enabled = walk.enabled();
            self.always_enabled = Some(match self.always_enabled {
                Some(so_far) => so_far.iter().filter(|&pid| enabled.contains(pid)).collect(),
                None => enabled,
            });
        }
        match next {
            Move::System(step) => {
                self.moved.add(step.pid);
                if let Some((receiver, _)) = step.receiver {
                    self.moved.add(receiver);
                }
            }
            Move::Stutter => self.stutters = true,
            Move::Claim { .. } | Move::Tick(_) => {}
        }
    }
}

/// The kind of a run that ends in no violation.
const NO_VIOLATION: &str = "none";

/// Fills in the end of a run, which the narrator and the walk have reached. What violates a formula may be known in
/// words.
pub(super) fn describe(
    narrator: &Narrator<'_>,
    walk: &Walk<'_>,
    trail: &Trail,
    (cycle, in_words): (Option<CycleMoves>, Vec<String>),
    run: &mut Run,
) {
    run.end.explanation.clone_from(&narrator.explanation);
    let is = |kind: ViolationKind| trail.kind == kind.name();
    let stands_still = is(ViolationKind::InvalidEndState)
        || trail.kind == NO_VIOLATION && !walk.system_can_move()
        || is(ViolationKind::LeftoverMessages)
        || cycle.as_ref().is_some_and(|cycle| cycle.stutters);
    if stands_still {
        run.end.blocked = blocked(narrator, &|pid| walk.dyn_state.is_valid_end(pid));
    }
    let has_words = !in_words.is_empty();
    run.end.explanation.extend(in_words);
    if let Some(mut cycle) = cycle {
        if !has_words {
            cycle.asked = asked(run);
        }
        run.end.explanation.extend(about_cycle(narrator, trail, &cycle));
    } else if trail.claim.is_some() && run.end.explanation.is_empty() {
        run.end.explanation.extend(about_claim(trail, run));
    }
    run.end.channels = narrator.channels();
    run.end.state = narrator.state();
}

/// The conditions that the claim has seen in the cycle.
fn asked(run: &Run) -> Vec<String> {
    let mut asked: Vec<String> = Vec::new();
    for step in &run.steps[run.cycle_start.unwrap_or(run.steps.len())..] {
        if step.kind == super::Kind::Claim && !asked.contains(&step.text) {
            asked.push(step.text.clone());
        }
    }
    asked
}

fn about_cycle(narrator: &Narrator<'_>, trail: &Trail, cycle: &CycleMoves) -> Vec<String> {
    let mut lines = Vec::new();
    let asked: Vec<&str> = cycle.asked.iter().map(String::as_str).filter(|asked| *asked != "true").collect();
    let claims = narrator.info.claims;
    let claim = trail.claim.as_deref().and_then(|name| claims.iter().find(|claim| claim.name == name));
    if let (Some(claim), [_, ..]) = (claim, &asked[..]) {
        let all = asked.join("`, then `");
        let name = claim.name;
        lines.push(match (claim.kind, cycle.asked.len()) {
            (ClaimKind::Ltl, 1) => {
                format!(
                    "`{all}` holds in every state of the cycle, so what the formula `{name}` waits for never happens"
                )
            }
            (_, 1) => format!("the claim `{name}` sees `{all}` in every state of the cycle, and accepts that"),
            _ => format!("in the cycle `{name}` sees `{all}`, again and again"),
        });
    }
    let waiting = cycle.always_enabled.unwrap_or_default();
    let neglected: Vec<Pid> = waiting.iter().filter(|&pid| !cycle.moved.contains(pid)).collect();
    if trail.fair {
        lines.push("the cycle is weakly fair: no process waits in it that can always move".to_owned());
    } else if !cycle.stutters && !neglected.is_empty() {
        let names: Vec<String> = neglected.iter().map(|pid| narrator.label(*pid)).collect();
        lines.push(format!(
            "the cycle is not fair: {} can move in each of its states and never does; --fair leaves out such runs",
            names.join(", ")
        ));
    }
    lines
}

/// The last thing that a claim has seen.
fn about_claim(trail: &Trail, run: &Run) -> Option<String> {
    let last = run.steps.iter().rev().find(|step| step.kind == super::Kind::Claim)?;
    let name = trail.claim.as_ref()?;
    let values = values_text(&last.reads);
    let values = if values.is_empty() { String::new() } else { format!(", with {values}") };
    (trail.kind == ViolationKind::ClaimEnd.name() && last.text != "true")
        .then(|| format!("`{name}` does not allow `{}`{values}", last.text))
}

/// `x = 1, y = 2`
pub(super) fn values_text(values: &[(String, String)]) -> String {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Where the first process waits that may not stay where it is.
pub(super) fn first_blocked(narrator: &Narrator<'_>) -> Option<SourcePosition> {
    narrator.scene.pids().find_map(|pid| narrator.place(pid))
}

/// For what each process waits.
pub(super) fn blocked(narrator: &Narrator<'_>, is_valid_end: &dyn Fn(Pid) -> bool) -> Vec<Blocked> {
    let one = |pid: Pid| {
        let location = *narrator.scene.locations.get(pid.index())?;
        let known = narrator.info.locations.get(location)?;
        let mut alternatives: Vec<Wait> = Vec::new();
        let mut waits_for = provided(narrator, pid);
        let leaving = narrator.meaning.leaving.get(location).map_or(&[][..], Vec::as_slice);
        // Without its condition the process can do nothing.
        for one in leaving.iter().filter(|_| waits_for.is_empty()).filter_map(|id| wait(narrator, pid, *id)) {
            if !alternatives.contains(&one) {
                alternatives.push(one);
            }
        }
        waits_for.append(&mut alternatives);
        Some(Blocked {
            process: narrator.process(pid)?,
            place: known.place,
            label: known.labels.first().map(|label| (*label).to_owned()),
            is_valid_end: is_valid_end(pid),
            waits_for,
        })
    };
    narrator.scene.pids().filter_map(one).collect()
}

fn provided(narrator: &Narrator<'_>, pid: Pid) -> Vec<Wait> {
    let proctype = narrator.scene.proctypes.get(pid.index()).and_then(|of| narrator.meaning.proctypes.get(*of));
    let Some(condition) = proctype.and_then(|of| of.provided.as_ref()) else { return Vec::new() };
    let actor = Actor { info: narrator.info, meaning: &narrator.meaning, me: Some(pid) };
    let view = actor.view(&narrator.scene);
    if view.value(condition) != Some(0) {
        return Vec::new();
    }
    let mut reads = Vec::new();
    view.reads(condition, &mut reads);
    let text = format!("provided ({})", view.text(condition));
    vec![Wait { shown: text.clone(), text, why: values_text(&reads) }]
}

/// Why a statement cannot be executed. Nothing for what needs no reason, as `else`.
fn wait(narrator: &Narrator<'_>, pid: Pid, transition: usize) -> Option<Wait> {
    let (scene, meaning) = (&narrator.scene, &narrator.meaning);
    let statement = meaning.statements.get(transition)?;
    let row = narrator.info.transitions.get(transition)?;
    let actor = Actor { info: narrator.info, meaning, me: Some(pid) };
    let view = actor.view(scene);
    if let Action::DStep { start, locations } = &statement.action {
        let (first, _) = locations.get(*start)?.first()?;
        return wait(narrator, pid, *first);
    }
    let mut step = Step { text: row.text.to_owned(), ..Step::default() };
    step.shown.clone_from(&step.text);
    describe_statement(&actor, scene, statement, None, &mut step);
    let why = match &statement.action {
        Action::Condition(_) => {
            step.shown = View { is_concrete: true, ..view }.statement(&statement.action).unwrap_or(step.shown);
            let mistake = explain(&actor, scene, &statement.action);
            if mistake.is_empty() { values_text(&step.reads) } else { mistake.join(", ") }
        }
        Action::Send { channel, .. } => match view.channel(channel) {
            None => format!("{} is no channel", view.place_now(channel)),
            Some(channel) => match meaning.channels.get(channel.declaration)?.capacity {
                0 => format!("no process is ready to receive it from {}", view.channel_text(&channel)),
                capacity => {
                    let held = scene.queue_of(&channel)?.messages.len();
                    format!("{} is full: {held} of {capacity}", view.channel_text(&channel))
                }
            },
        },
        Action::Receive { channel, .. } => match view.channel(channel) {
            None => format!("{} is no channel", view.place_now(channel)),
            Some(channel) if meaning.channels.get(channel.declaration)?.capacity == 0 => {
                step.shown = resolved(&step.text, &view.channel_text(&channel));
                format!("no process is ready to send that to {}", view.channel_text(&channel))
            }
            Some(channel) => {
                step.shown = resolved(&step.text, &view.channel_text(&channel));
                let queue = scene.queue_of(&channel)?;
                match queue.messages.is_empty() {
                    true => format!("{} is empty", view.channel_text(&channel)),
                    false => {
                        format!("{} holds {}", view.channel_text(&channel), queue_text(&scene.messages(meaning, queue)))
                    }
                }
            }
        },
        Action::End => {
            step.text = "the end of the process".to_owned();
            step.shown.clone_from(&step.text);
            let younger: Vec<String> =
                scene.pids().filter(|other| *other > pid).map(|other| narrator.label(other)).collect();
            format!("younger processes end first: {}", younger.join(", "))
        }
        Action::Else | Action::Other => return None,
        Action::Jump | Action::Assign { .. } | Action::Assert(_) | Action::Print(_) => String::new(),
        Action::DStep { .. } => return None,
    };
    Some(Wait { text: step.text, shown: step.shown, why })
}

/// A statement about a channel with the channel's name: `inbox[1]?ack(n)` for `in?ack(n)`.
fn resolved(text: &str, channel: &str) -> String {
    match text.find('?') {
        Some(at) => format!("{channel}{}", &text[at..]),
        None => text.to_owned(),
    }
}
