//! The system and a claim that watches it, moving in turns.
//!
//! A state of the product is a stored state of the system and the place of the claim. From there the claim moves, once
//! or through an atomic sequence of its own, and then the system. If the claim cannot move the run is cut; if the
//! system cannot, it stays where it is and the claim goes on alone, so that finite runs count as infinite ones.
//!
//! A reduction takes the same processes after each way of the claim. Whether somebody is idle, which excuses it under
//! fairness, is a matter of the state and not of what is taken there.

use super::claim::Ways;
use super::model_scene::identity;
use super::rebuild::{steps_to_violation, system_moves};
use super::watch::{AcceptLabels, NO_PROGRESS, Watcher};
use super::{Fan, Joint, NoLimits, Outlook, Point, Pulse, Take, Tally, Wants, Watch, Watched};
use crate::fault::Fault;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::scene::Scene;
use crate::step::{ClaimLocation, PidSet};
use crate::trail::Move;
use crate::verdict::Found;

/// What a model does while a claim, or something like it, watches. It is compiled for each size of states; the system
/// stands in the state that is looked at, unless something else is said.
pub(crate) struct Product<'s, P: Packed> {
    system: Box<dyn Watched<'s, P> + 's>,
    watch: Watch,
    /// Of the claim's own violations; assertions of the model are left to the search for safety, which goes on behind
    /// them as this one does.
    wants: Wants,
    ways: Ways<P>,
}

/// The steps of the system out of a state, as they were put into a fan.
struct Pushed {
    group: u32,
    faults: Vec<Found>,
    is_reduced: bool,
    timed_out: bool,
}

/// A state of the system.
type Place<'a, P> = (&'a P, Hidden);

impl<'s, P: Packed> Product<'s, P> {
    /// Reports what the claim does wrong, if wanted, and faults.
    pub fn new(system: Box<dyn Watched<'s, P> + 's>, watch: Watch, wants: Wants) -> Product<'s, P> {
        Product { system, watch, wants, ways: Ways::default() }
    }

    /// The watcher is at its location 0 then.
    pub fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        self.system.initial(into)
    }

    /// Appends to `fan` what the state of the product leads to, and notes in `fan.found` what goes wrong there. To the
    /// same question about a state there is always the same answer, except to [`Take::IfItPays`].
    pub fn expand(&mut self, from: &Joint<P>, take: Take, fan: &mut Fan<P>, pulse: &mut dyn Pulse<P>) -> Outlook {
        let at = self.go_to(from);
        let is_accepting = self.is_accepting(at);
        let is_reduced = match self.expand_state(place(from), at, take, fan, pulse) {
            Ok(is_reduced) => is_reduced,
            Err(OutOfMemory) => {
                fan.set_full();
                false
            }
        };
        Outlook { is_accepting, is_reduced }
    }

    /// The search could not accept what was chosen last.
    pub fn note_rejection(&mut self) {
        self.system.note_rejection();
    }

    /// The moves of watcher and system on an edge; under fairness those in which exactly `movers` move.
    pub fn moves_between(&mut self, from: &Joint<P>, to: &Joint<P>, movers: PidSet) -> Vec<Move> {
        self.find_ways(from);
        let movers = self.watch.is_fair.then_some(movers);
        for hidden in [Some(to.hidden), None] {
            let target = identity(&to.state.packed, hidden);
            for position in 0..self.ways.list.len() {
                let way = self.ways.list[position];
                if way.to != ClaimLocation(to.state.key) {
                    continue;
                }
                let scene = self.scene_behind(from, way.changed);
                if let Some(steps) = system_moves(scene, movers, &target) {
                    let mut moves = self.ways.moves(&way);
                    moves.extend(steps);
                    return moves;
                }
            }
        }
        Vec::new()
    }

    /// The moves to something that goes wrong out of a state.
    pub fn moves_to(&mut self, from: &Joint<P>, found: Found) -> Vec<Move> {
        self.find_ways(from);
        if let Some(wrong) = self.ways.wrong.iter().find(|wrong| wrong.found == found) {
            return self.ways.moves_to_wrong(wrong);
        }
        for position in 0..self.ways.list.len() {
            let way = self.ways.list[position];
            let scene = self.scene_behind(from, way.changed);
            if let Some(steps) = steps_to_violation(scene, found) {
                let mut moves = self.ways.moves(&way);
                moves.extend(steps.into_iter().map(Move::System));
                return moves;
            }
        }
        Vec::new()
    }

    pub fn tally(&self) -> Tally {
        self.system.tally()
    }

    /// Has the system go to a state of the product. Gives the place of the watcher.
    fn go_to(&mut self, joint: &Joint<P>) -> ClaimLocation {
        self.system.go_to(&joint.state.packed, joint.hidden);
        ClaimLocation(joint.state.key)
    }

    /// The system behind a way of the watcher.
    fn scene_behind(&mut self, from: &Joint<P>, changed: Option<usize>) -> Scene<'s> {
        let (state, hidden) = changed.map_or(place(from), |changed| place_of(&self.ways.changed[changed]));
        self.system.go_to(state, hidden);
        self.system.scene()
    }

    fn is_accepting(&self, at: ClaimLocation) -> bool {
        match self.watch.watcher {
            Watcher::Claim(claim, AcceptLabels::OfTheClaim) => claim.is_accepting(at),
            Watcher::Claim(claim, AcceptLabels::Everywhere) => claim.is_accepting(at) || self.system.has_accept_label(),
            Watcher::Acceptance => self.system.has_accept_label(),
            Watcher::NonProgress => at == NO_PROGRESS,
        }
    }

    fn has_claim(&self) -> bool {
        matches!(self.watch.watcher, Watcher::Claim(..))
    }

    /// Computes the ways of the watcher into `self.ways`.
    #[inline]
    fn watch(&mut self, state: Place<'_, P>, at: ClaimLocation, timeout: bool) -> Result<(), OutOfMemory> {
        match self.watch.watcher {
            Watcher::Claim(claim, _) => return self.ways.gather(&mut *self.system, claim, at, state, timeout),
            Watcher::Acceptance => {
                self.ways.clear();
                self.ways.push_silent(at);
            }
            Watcher::NonProgress => {
                self.ways.clear();
                if at != NO_PROGRESS {
                    self.ways.push_silent(at);
                }
                if !self.system.makes_progress() {
                    self.ways.push_silent(NO_PROGRESS);
                }
            }
        }
        Ok(())
    }

    /// Whether steps were left out.
    fn expand_state(
        &mut self,
        state: Place<'_, P>,
        at: ClaimLocation,
        take: Take,
        fan: &mut Fan<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Result<bool, OutOfMemory> {
        fan.found.clear();
        self.watch(state, at, false)?;
        let mut timeout = false;
        if self.ways.is_empty() && self.has_claim() {
            timeout = true;
            self.watch(state, at, timeout)?;
        }
        if self.ways.is_empty() {
            return Ok(false);
        }
        // A claim that changes the state may change what the choice rests on.
        let take = if self.ways.changed.is_empty() { take } else { Take::All };
        let Pushed { group, faults, is_reduced, timed_out } = self.push_steps(state, take, fan, pulse)?;
        if timed_out != timeout && self.has_claim() {
            self.watch(state, at, timed_out)?;
        }
        for wrong in &self.ways.wrong {
            if self.wants.wants(wrong.found.kind) {
                fan.found.push(wrong.found);
            }
        }
        let mut tells_faults = false;
        for position in 0..self.ways.list.len() {
            let way = self.ways.list[position];
            let Some(changed) = way.changed else {
                tells_faults = true;
                fan.push_branch(way.to, way.n_moves, group)?;
                continue;
            };
            let changed = self.ways.changed[changed].clone();
            self.system.go_to(&changed.packed, changed.hidden);
            let Pushed { group, faults, .. } = self.push_steps(place_of(&changed), Take::All, fan, pulse)?;
            fan.found.extend(faults);
            fan.push_branch(way.to, way.n_moves, group)?;
        }
        if tells_faults && !faults.is_empty() {
            fan.found.extend(faults);
        }
        Ok(is_reduced)
    }

    /// The system's steps out of `state`, as a group, and the faults among them.
    #[inline]
    fn push_steps(
        &mut self,
        state: Place<'_, P>,
        take: Take,
        fan: &mut Fan<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Result<Pushed, OutOfMemory> {
        let begin = fan.extent();
        let taken = self.system.take_steps(take, self.watch.is_fair, &mut fan.steps, pulse);
        let faults = if fan.steps.found.is_empty() { Vec::new() } else { fan.steps.take_found() };
        // Where nobody can move, everybody is excused.
        let idle = self.watch.is_fair.then(|| taken.enabled.complement());
        // A run that goes wrong does not go on.
        if !taken.moved && faults.is_empty() && !matches!(self.watch.watcher, Watcher::NonProgress) {
            fan.steps.push(state.0, 1, Ok(state.1));
            fan.steps.push_movers(PidSet::EMPTY);
        }
        let group = fan.push_group(begin, taken.n_processes, idle)?;
        Ok(Pushed { group, faults, is_reduced: taken.is_reduced, timed_out: taken.timed_out })
    }

    /// Computes the ways out of a state, with the right value of `timeout`. Limits are not looked at: a violation is
    /// known, and it would be a pity to keep the proof back.
    fn find_ways(&mut self, from: &Joint<P>) {
        let mut fan = Fan::new(self.watch.is_fair);
        self.expand(from, Take::All, &mut fan, &mut NoLimits);
    }
}

fn place<P>(joint: &Joint<P>) -> Place<'_, P> {
    (&joint.state.packed, joint.hidden)
}

fn place_of<P>(point: &Point<P>) -> Place<'_, P> {
    (&point.packed, point.hidden)
}
