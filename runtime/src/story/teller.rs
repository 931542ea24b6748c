//! A run from its trail: every move is made again.

use super::evaluate::View;
use super::formula::Formula;
use super::meaning::Meaning;
use super::narrator::Narrator;
use super::reasons::Seen;
use super::scene::Scene;
use super::{Declared, DeclaredChannel, Kind, LeftOut, Run, SourceText, ending};
use crate::dyn_model::DynModel;
use crate::fault::Fault;
use crate::model::{ModelInfo, SourcePosition};
use crate::reduction::Independence;
use crate::system::ModelSystems;
use crate::trail::{Move, Trail};
use crate::verdict::{Report, Violation, ViolationKind};
use crate::walk::Walk;
use std::ops::Range;

/// How much of a long run is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    /// A run of so many steps, or its cycle, is told as a whole.
    pub whole: usize,
    /// Of a longer one so many at its beginning.
    pub first: usize,
    /// And so many at its end.
    pub last: usize,
}

impl Listed {
    pub const ALL: Listed = Listed { whole: usize::MAX, first: 0, last: 0 };

    /// The steps that are left out, counted from 0.
    fn left_out(self, n_steps: usize) -> Range<usize> {
        if n_steps <= self.whole { 0..0 } else { self.first..n_steps - self.last }
    }
}

/// Why a trail could not be told to its end.
#[derive(Debug)]
#[expect(clippy::enum_variant_names, reason = "each says what there is not")]
pub(crate) enum Obstacle {
    NoInitialState(Fault),
    NoSuchClaim(String),
    /// This step, counted from 1, cannot be taken.
    NoSuchStep(usize),
    /// The claim cannot move as the trail says before this step.
    NoSuchClaimMove(usize),
}

/// The run as far as it could be told.
pub(crate) struct Told {
    pub run: Run,
    pub obstacle: Option<Obstacle>,
}

/// For each property the runs into its violations. The middle of a long run is left out, and beside the first violation of
/// a property those whose runs are very long together.
pub fn tell_violations<M: Independence>(model: &M, report: &Report) -> Vec<Vec<Option<Run>>> {
    tell_violations_of(&ModelSystems::new(model), report)
}

pub(crate) fn tell_violations_of(dyn_model: &dyn DynModel, report: &Report) -> Vec<Vec<Option<Run>>> {
    let mut steps_left = MOST_STEPS;
    let mut one = |(n, violation): (usize, &Violation)| {
        let steps = violation.trail.n_steps();
        if n > 0 && steps > steps_left {
            return None;
        }
        steps_left = steps_left.saturating_sub(steps);
        let mut run = tell(dyn_model, &violation.trail, IN_REPORTS, false).run;
        run.end.place = violation.place;
        Some(run)
    };
    let properties = report.properties.iter();
    properties.map(|property| property.violations.iter().enumerate().map(&mut one).collect()).collect()
}

/// Each step is made again, which takes about a microsecond: beyond so many steps only the first violations are told.
const MOST_STEPS: usize = 1_000_000;

/// All of the run of a trail, with the state behind each step if that is asked for: also of moves that end in no
/// violation, if the kind of the trail is `none`. If a move cannot be made, the run ends before it.
pub fn tell_run<M: Independence>(model: &M, trail: &Trail, with_states: bool) -> Run {
    tell(&ModelSystems::new(model), trail, Listed::ALL, with_states).run
}

/// So much of a run is told in a report.
const IN_REPORTS: Listed = Listed { whole: 40, first: 10, last: 20 };

/// Tells the run of a trail.
pub(crate) fn tell(dyn_model: &dyn DynModel, trail: &Trail, listed: Listed, with_states: bool) -> Told {
    let info = dyn_model.info();
    let mut run = about(info);
    run.claim.clone_from(&trail.claim);
    run.fair = trail.fair;
    run.end.kind.clone_from(&trail.kind);
    run.end.message.clone_from(&trail.message);
    let claim = trail.claim.as_deref();
    let claim_index = claim.map(|name| info.claims.iter().position(|claim| claim.name == name));
    let claim_index = match (claim, claim_index) {
        (Some(name), Some(None)) => return Told { run, obstacle: Some(Obstacle::NoSuchClaim(name.to_owned())) },
        (_, index) => index.flatten(),
    };
    let walk = match Walk::along(dyn_model, claim_index, trail) {
        Ok(walk) => walk,
        Err(fault) => return Told { run, obstacle: Some(Obstacle::NoInitialState(fault)) },
    };
    let narrator = Narrator::new(info, &walk.dyn_state, trail.abstract_time);
    declare(&narrator.meaning, info, &mut run);
    run.initial = narrator.state();
    let seen = (Seen::default(), None);
    let mut telling = Telling { trail, claim: claim_index, walk, narrator, run, with_states, pid_sets: None, seen };
    let obstacle = telling.moves(listed).err();
    let in_words = if obstacle.is_none() { telling.in_words() } else { Vec::new() };
    let Telling { walk, narrator, mut run, pid_sets, .. } = telling;
    run.end.place = place(info, trail, &narrator);
    ending::describe(&narrator, &walk, trail, (pid_sets, in_words), &mut run);
    run.processes = narrator.processes;
    Told { run, obstacle }
}

/// What is known of a run before it begins.
pub(super) fn about(info: &ModelInfo<'_>) -> Run {
    Run {
        model: info.name.to_owned(),
        model_hash: info.hash.to_owned(),
        pmc_version: info.pmc_version.to_owned(),
        ..Run::default()
    }
}

/// The files, variables and channels of the model.
pub(super) fn declare(meaning: &Meaning, info: &ModelInfo<'_>, run: &mut Run) {
    run.files = match meaning.files.is_empty() {
        true => info.files.iter().map(|name| SourceText { name: (*name).to_owned(), text: String::new() }).collect(),
        false => {
            let file = |(name, text): &(String, String)| SourceText { name: name.clone(), text: text.clone() };
            meaning.files.iter().map(file).collect()
        }
    };
    let proctype = |of: usize| info.proctype_name(of).to_owned();
    let declared = meaning.variables.iter().filter(|variable| !variable.is_synthetic);
    run.variables = declared
        .map(|variable| Declared {
            name: variable.name.clone(),
            proctype: variable.proctype.map(proctype),
            ty: meaning.type_name(variable.ty),
            length: variable.length,
            hidden: variable.is_hidden,
            place: SourcePosition {
                file: u16::try_from(variable.place[0]).unwrap_or(u16::MAX),
                line: variable.place[1],
                column: variable.place[2],
            },
        })
        .collect();
    let channel = |of: Option<usize>, number: usize| {
        let declared = meaning.channels.get(number)?;
        Some(DeclaredChannel {
            names: declared.names.clone(),
            proctype: of.map(proctype),
            capacity: declared.capacity,
            fields: declared.fields.iter().map(|ty| meaning.type_name(*ty)).collect(),
        })
    };
    run.channels = meaning.global_channels.iter().filter_map(|number| channel(None, *number)).collect();
    for (of, known) in meaning.proctypes.iter().enumerate() {
        run.channels.extend(known.channels.iter().filter_map(|number| channel(Some(of), *number)));
    }
}

/// Its automaton need not see a state: the compiler has found out that the formula is false.
const NO_RUN: &str = "no run satisfies it: the values that are possible at all decide that (`pmc explain` lists them)";

struct Telling<'m, 't> {
    trail: &'t Trail,
    claim: Option<usize>,
    walk: Walk<'m>,
    narrator: Narrator<'m>,
    run: Run,
    with_states: bool,
    /// The processes that are enabled in the cycle, and those that move in it.
    pid_sets: Option<ending::CycleMoves>,
    /// What a formula has seen, and how much of that before the cycle.
    seen: (Seen, Option<usize>),
}

impl Telling<'_, '_> {
    fn moves(&mut self, listed: Listed) -> Result<(), Obstacle> {
        let moves = &self.trail.moves;
        let start = self.trail.cycle_start.unwrap_or(moves.len()).min(moves.len());
        self.part(&moves[..start], listed, false)?;
        if self.trail.cycle_start.is_some() {
            self.run.cycle_start = Some(self.run.steps.len());
            self.seen.1 = Some(self.seen.0.n_states());
            self.pid_sets = Some(ending::CycleMoves::default());
            self.part(&moves[start..], listed, true)?;
        }
        Ok(())
    }

    /// The moves before the cycle, or those of the cycle.
    fn part(&mut self, moves: &[Move], listed: Listed, ends_here: bool) -> Result<(), Obstacle> {
        let n_all = moves.iter().filter(|next| next.is_step()).count();
        let left_out = listed.left_out(n_all);
        let mut n = 0;
        let is_last_part = ends_here || self.trail.cycle_start.is_none();
        for (index, next) in moves.iter().enumerate() {
            if n == left_out.start && next.is_step() && !left_out.is_empty() {
                self.run.left_out.push(LeftOut { before: self.run.steps.len(), steps: left_out.len() });
            }
            let is_last = is_last_part && index + 1 == moves.len();
            self.narrator.failing = self.trail.transition.filter(|_| is_last);
            self.narrator.ends_there = true;
            if let Some(sets) = &mut self.pid_sets {
                sets.look(&self.walk, next);
            }
            if matches!(next, Move::Claim { .. }) {
                self.look();
            }
            match left_out.contains(&n) {
                true => self.skip(next)?,
                false => self.tell_move(next)?,
            }
            n += usize::from(next.is_step());
            if n == left_out.end && next.is_step() && !left_out.is_empty() {
                self.narrator.look_again(&self.walk.dyn_state);
            }
        }
        Ok(())
    }

    /// The formula of the run, with its text.
    fn formula(&self) -> Option<&(String, Formula)> {
        self.narrator.meaning.formulas.get(self.claim?)?.as_ref()
    }

    /// Shows a state to the formula, as its automaton sees it.
    fn look(&mut self) {
        if self.formula().is_none() {
            return;
        }
        let narrator = &self.narrator;
        let mut scene = Scene::of(&narrator.meaning, &self.walk.dyn_state);
        scene.remember(&narrator.meaning, &narrator.scene);
        let mut seen = std::mem::take(&mut self.seen.0);
        if let Some((_, formula)) = self.formula() {
            seen.look(self.view(&scene), formula, self.narrator.n_steps);
        }
        self.seen.0 = seen;
    }

    fn view<'v>(&'v self, scene: &'v Scene) -> View<'v> {
        let Narrator { info, meaning, .. } = &self.narrator;
        View { info, meaning, scene, me: None, is_concrete: false }
    }

    /// Why the formula is violated, if that can be said.
    fn in_words(&mut self) -> Vec<String> {
        let Some((text, formula)) = self.formula() else { return Vec::new() };
        let mut why = self.seen.0.why(self.view(&self.narrator.scene), formula, self.seen.1);
        if self.seen.0.n_states() == 0 && self.trail.kind == ViolationKind::ClaimEnd.name() {
            why.push(NO_RUN.to_owned());
        }
        if why.is_empty() {
            return why;
        }
        let text = text.clone();
        let name = self.trail.claim.as_deref().unwrap_or_default();
        let lines = std::iter::once(format!("`{name}` is `{text}`")).chain(why).collect();
        self.run.formula = Some(text);
        lines
    }

    fn skip(&mut self, next: &Move) -> Result<(), Obstacle> {
        self.walk.make(next).ok_or_else(|| self.obstacle(next))?;
        match next {
            Move::Tick(passed) => self.narrator.time += passed.n_ticks as usize,
            Move::Claim { .. } => {}
            Move::System(_) | Move::Stutter => self.narrator.skip(&self.walk.dyn_state),
        }
        Ok(())
    }

    fn tell_move(&mut self, next: &Move) -> Result<(), Obstacle> {
        let obstacle = self.obstacle(next);
        let made = self.walk.make(next).ok_or(obstacle)?;
        let first = self.run.steps.len();
        match (next, &made.step) {
            (Move::Claim { by, .. }, _) => {
                if let Some(index) = self.claim
                    && let Some(claim) = self.narrator.info.claims.get(index)
                {
                    let mut step = self.narrator.claim_move(claim, (index, *by), &self.walk.dyn_state);
                    step.failed = self.trail.claim_move == Some(*by) && self.is_end_of_run(next);
                    self.run.steps.push(step);
                }
            }
            (_, Some(offer)) => self.run.steps.extend(self.narrator.step(offer)),
            (_, None) => self.run.steps.push(self.narrator.stutter()),
        }
        if self.with_states {
            let state = self.narrator.state();
            for step in &mut self.run.steps[first..] {
                step.state = Some(state.clone());
            }
        }
        Ok(())
    }

    fn obstacle(&self, next: &Move) -> Obstacle {
        let number = self.narrator.n_steps + 1;
        match next {
            Move::Claim { .. } => Obstacle::NoSuchClaimMove(number),
            Move::System(_) | Move::Stutter | Move::Tick(_) => Obstacle::NoSuchStep(number),
        }
    }

    fn is_end_of_run(&self, next: &Move) -> bool {
        self.trail.moves.last().is_some_and(|last| std::ptr::eq(last, next))
    }
}

/// Where the violation is.
fn place(info: &ModelInfo<'_>, trail: &Trail, narrator: &Narrator<'_>) -> Option<SourcePosition> {
    if let Some(transition) = trail.transition.and_then(|id| info.transition(id)) {
        return Some(transition.place);
    }
    let claim = trail.claim.as_deref().and_then(|name| info.claims.iter().find(|claim| claim.name == name));
    if let Some(by) = trail.claim_move {
        return claim?.moves.get(by.index()).map(|known| known.place);
    }
    if trail.kind == ViolationKind::InvalidEndState.name() {
        return ending::first_blocked(narrator);
    }
    claim.map(|claim| claim.place)
}

impl Kind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Condition => "condition",
            Kind::Else => "else",
            Kind::Jump => "jump",
            Kind::Assign => "assign",
            Kind::Send => "send",
            Kind::Receive => "receive",
            Kind::Assert => "assert",
            Kind::Print => "print",
            Kind::DStep => "d_step",
            Kind::End => "end",
            Kind::Claim => "claim",
            Kind::Stutter => "stutter",
            Kind::Tick => "tick",
            Kind::Other => "other",
        }
    }
}
