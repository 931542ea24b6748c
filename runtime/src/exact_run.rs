//! Whether a run that was found in the abstraction of time (`system/abstract_time.rs`) is one of the model.
//!
//! The processes take the same steps with exact time, which passes where no process can move: there is no choice when. A claim
//! sees other states if other ticks pass, so its moves are looked for anew, breadth first. A cycle need not close after one
//! round: the timers may come back to where they were only after several. Whatever is found is checked like any trail.
//!
//! If nothing is found, the run may still be possible with other steps: that says nothing about the model.

use crate::dyn_model::{DynModel, Identity};
use crate::model::ClaimKind;
use crate::retrace;
use crate::step::{ClaimLocation, Pid};
use crate::trail::{Move, Step, Trail};
use crate::verdict::ViolationKind;
use crate::walk::Walk;
use std::collections::{HashMap, VecDeque};

/// So many positions are visited beside those of the run itself, and so many cycles are tried.
const MORE_POSITIONS: usize = 50_000;
const MOST_CYCLES: usize = 32;

/// The same violation at the end of a run with exact time.
pub(crate) fn find(dyn_model: &dyn DynModel, trail: &Trail) -> Option<Trail> {
    let claim = match &trail.claim {
        Some(name) => Some(dyn_model.info().claims.iter().position(|claim| claim.name == name)?),
        None => None,
    };
    let walk = Walk::exactly(dyn_model, claim).ok()?;
    Along { dyn_model, trail, script: Script::of(trail), positions: Vec::new(), known: HashMap::new() }.find(walk)
}

/// What a run does beside ticks and moves of the claim.
enum Scripted {
    Step(Step),
    Stutter,
}

struct Script {
    parts: Vec<Scripted>,
    cycle_start: Option<usize>,
}

impl Script {
    fn of(trail: &Trail) -> Script {
        let scripted = |next: &Move| match next {
            Move::System(step) => Some(Scripted::Step(*step)),
            Move::Stutter => Some(Scripted::Stutter),
            Move::Claim { .. } | Move::Tick(_) => None,
        };
        let before = |start: usize| trail.moves[..start.min(trail.moves.len())].iter().filter_map(scripted).count();
        Script { parts: trail.moves.iter().filter_map(scripted).collect(), cycle_start: trail.cycle_start.map(before) }
    }

    fn behind(&self, at: usize) -> usize {
        match self.cycle_start {
            Some(start) if at + 1 == self.parts.len() => start,
            _ => at + 1,
        }
    }
}

/// A position of the run: so much of the script is done.
struct Position {
    at: usize,
    /// The position before it on the shortest way, and the move from there.
    before: Option<(usize, Move)>,
    /// The moves to others.
    edges: Vec<(Move, usize)>,
    /// A cycle through it may be a violation.
    is_accepting: bool,
}

/// The number of parts that are done, and what decides how it goes on.
type Key = (usize, Identity, Option<Pid>, ClaimLocation, bool);

struct Along<'m, 't> {
    dyn_model: &'m dyn DynModel,
    trail: &'t Trail,
    script: Script,
    positions: Vec<Position>,
    known: HashMap<Key, usize>,
}

impl<'m> Along<'m, '_> {
    fn find(mut self, first: Walk<'m>) -> Option<Trail> {
        let limit = self.trail.moves.len().saturating_mul(2).saturating_add(MORE_POSITIONS);
        let mut queue = VecDeque::new();
        self.arrive(first, 0, None, &mut queue);
        while let Some((number, walk)) = queue.pop_front() {
            if let Some(found) = self.finite(number) {
                return Some(found);
            }
            if self.positions.len() > limit {
                return None;
            }
            let at = self.positions[number].at;
            for (next, at) in self.moves(&walk, at) {
                let mut walk = walk.fork();
                if walk.make(&next).is_some() {
                    self.arrive(walk, at, Some((number, next)), &mut queue);
                }
            }
        }
        self.trail.cycle_start?;
        self.cycle()
    }

    /// The moves that can be made, each with the part of the script that comes behind it.
    fn moves(&self, walk: &Walk<'_>, at: usize) -> Vec<(Move, usize)> {
        if !walk.is_systems_move() {
            return walk.claim_moves().into_iter().map(|next| (next, at)).collect();
        }
        let next = match self.script.parts.get(at) {
            Some(Scripted::Step(step)) if walk.offers_step(step) => Some((Move::System(*step), self.script.behind(at))),
            Some(Scripted::Stutter) if walk.is_stuck() => Some((Move::Stutter, self.script.behind(at))),
            _ => walk.ticks().map(|tick| (tick, at)),
        };
        next.into_iter().collect()
    }

    fn arrive(
        &mut self,
        walk: Walk<'m>,
        at: usize,
        before: Option<(usize, Move)>,
        queue: &mut VecDeque<(usize, Walk<'m>)>,
    ) {
        let (state, owner) = (walk.dyn_state.identity(), walk.dyn_state.atomic_owner());
        let key = (at, state, owner, walk.at, walk.is_systems_move());
        // A step that fails leaves the state as it is, and is one all the same.
        let known = self.known.get(&key).copied();
        let number = known.unwrap_or(self.positions.len());
        if let Some((from, next)) = before {
            self.positions[from].edges.push((next, number));
        }
        if known.is_none() {
            self.known.insert(key, number);
            let is_accepting = self.is_accepting(&walk);
            self.positions.push(Position { at, before, edges: Vec::new(), is_accepting });
            queue.push_back((number, walk));
        }
    }

    /// Whether a cycle through this place may be a violation, as far as one place tells.
    fn is_accepting(&self, walk: &Walk<'_>) -> bool {
        if self.trail.kind != ViolationKind::AcceptanceCycle.name() {
            return true;
        }
        let info = self.dyn_model.info();
        let claim = self.trail.claim.as_deref().and_then(|name| info.claims.iter().find(|claim| claim.name == name));
        let here = claim.and_then(|claim| claim.locations.get(walk.at.index()));
        let labels_count = claim.is_none_or(|claim| claim.kind != ClaimKind::Ltl);
        walk.is_turn_begin()
            && (here.is_some_and(|location| location.is_accepting)
                || labels_count && walk.dyn_state.pids().any(|pid| walk.dyn_state.is_accepting(pid)))
    }

    /// The moves from the initial state to a position.
    fn path(&self, mut number: usize) -> Vec<Move> {
        let mut moves = Vec::new();
        while let Some((before, next)) = self.positions[number].before {
            moves.push(next);
            number = before;
        }
        moves.reverse();
        moves
    }

    /// The trail of a run that ends here, if all of the script is done and that is the violation.
    fn finite(&self, number: usize) -> Option<Trail> {
        let is_done = self.trail.cycle_start.is_none() && self.positions[number].at == self.script.parts.len();
        if !is_done {
            return None;
        }
        self.checked(self.path(number), None)
    }

    /// The trail of a run into a cycle.
    fn cycle(&self) -> Option<Trail> {
        let candidates = (0..self.positions.len()).filter(|number| self.positions[*number].is_accepting);
        let cycles = candidates.filter_map(|number| Some((number, self.way_back(number)?)));
        cycles.take(MOST_CYCLES).find_map(|(number, round)| {
            let stem = self.path(number);
            let start = stem.len();
            self.checked(stem.into_iter().chain(round).collect(), Some(start))
        })
    }

    /// The shortest way from a position to itself.
    fn way_back(&self, to: usize) -> Option<Vec<Move>> {
        let mut before: HashMap<usize, (usize, Move)> = HashMap::new();
        let mut queue = VecDeque::from([to]);
        while let Some(here) = queue.pop_front() {
            for (next, number) in &self.positions[here].edges {
                if before.contains_key(number) {
                    continue;
                }
                before.insert(*number, (here, *next));
                if *number != to {
                    queue.push_back(*number);
                    continue;
                }
                let mut moves = Vec::new();
                let mut at = to;
                while moves.is_empty() || at != to {
                    let (from, next) = before[&at];
                    moves.push(next);
                    at = from;
                }
                moves.reverse();
                return Some(moves);
            }
        }
        None
    }

    /// The trail of these moves, if they end in the violation.
    fn checked(&self, moves: Vec<Move>, cycle_start: Option<usize>) -> Option<Trail> {
        let trail = Trail { moves, cycle_start, abstract_time: false, ..self.trail.clone() };
        retrace::check(self.dyn_model, &trail).is_ok().then_some(trail)
    }
}
