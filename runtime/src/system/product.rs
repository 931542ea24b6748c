//! The system and a claim that watches it, moving in turns.
//!
//! A state of the product is a stored state of the system and the place of the claim. From there the claim moves, once
//! or through an atomic sequence of its own, and then the system. If the claim cannot move the run is cut; if the
//! system cannot, it stays where it is and the claim goes on alone, so that finite runs count as infinite ones.
//!
//! A reduction takes the same processes after each way of the claim. Whether somebody is idle, which excuses it under
//! fairness, is a matter of the state and not of what is taken there.

use super::choose::Chooser;
use super::claim::Ways;
use super::expand::Expander;
use super::footing::Standing;
use super::model_scene::{Scenes, identity};
use super::rebuild::{steps_to_violation, system_moves};
use super::watch::{AcceptLabels, NO_PROGRESS, Watcher};
use super::{Fan, Hidden, Joint, NoLimits, Outlook, Product, Pulse, Successors, Take, Tally, Wants, Watch};
use crate::fault::Fault;
use crate::model::Model;
use crate::pack::OutOfMemory;
use crate::step::{ClaimLocation, Pid, PidSet};
use crate::trail::Move;
use crate::verdict::Found;

pub(super) struct ModelProduct<'m, M: Model> {
    model: &'m M,
    watch: Watch,
    /// Of the claim's own violations; assertions of the model are left to the search for safety, which goes on behind
    /// them as this one does.
    wants: Wants,
    expander: Expander<'m, M>,
    scenes: Scenes<'m, M>,
    ways: Ways<M>,
    chooser: Option<Chooser>,
}

/// The steps of the system out of a state, as they were put into a fan.
struct Pushed {
    group: u32,
    faults: Vec<Found>,
    is_reduced: bool,
}

impl<'m, M: Model> ModelProduct<'m, M> {
    /// The expander is one that reports faults alone.
    pub fn new(
        expander: Expander<'m, M>,
        scenes: Scenes<'m, M>,
        watch: Watch,
        wants: Wants,
        chooser: Option<Chooser>,
    ) -> ModelProduct<'m, M> {
        ModelProduct { model: expander.model, watch, wants, expander, scenes, ways: Ways::default(), chooser }
    }

    fn is_accepting(&self, state: &M::State, at: ClaimLocation) -> bool {
        match self.watch.watcher {
            Watcher::Claim(claim, AcceptLabels::OfTheClaim) => claim.is_accepting(at),
            Watcher::Claim(claim, AcceptLabels::Everywhere) => claim.is_accepting(at) || self.has_accept_label(state),
            Watcher::Acceptance => self.has_accept_label(state),
            Watcher::NonProgress => at == NO_PROGRESS,
        }
    }

    fn has_accept_label(&self, state: &M::State) -> bool {
        self.pids(state).any(|pid| self.model.is_accepting(state, pid))
    }

    fn makes_progress(&self, state: &M::State) -> bool {
        self.pids(state).any(|pid| self.model.is_progress(state, pid))
    }

    fn pids(&self, state: &M::State) -> impl Iterator<Item = Pid> + use<M> {
        (0..self.model.n_processes(state)).map(Pid::from_index)
    }

    fn has_claim(&self) -> bool {
        matches!(self.watch.watcher, Watcher::Claim(..))
    }

    fn state(&mut self, joint: &Joint<M::Packed>) -> (M::State, ClaimLocation) {
        (self.expander.unpack(&joint.state.packed, joint.hidden), ClaimLocation(joint.state.key))
    }

    /// Computes the ways of the watcher into `self.ways`.
    fn watch(&mut self, state: &M::State, at: ClaimLocation, timeout: bool) {
        match self.watch.watcher {
            Watcher::Claim(claim, _) => self.ways.gather(self.model, claim, at, state, timeout),
            Watcher::Acceptance => {
                self.ways.clear();
                self.ways.push_silent(at);
            }
            Watcher::NonProgress => {
                self.ways.clear();
                if at != NO_PROGRESS {
                    self.ways.push_silent(at);
                }
                if !self.makes_progress(state) {
                    self.ways.push_silent(NO_PROGRESS);
                }
            }
        }
    }

    /// Whether steps were left out.
    fn expand_state(
        &mut self,
        state: &M::State,
        at: ClaimLocation,
        take: Take,
        fan: &mut Fan<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> bool {
        fan.found.clear();
        self.watch(state, at, false);
        let mut timeout = false;
        if self.ways.is_empty() && self.has_claim() {
            timeout = true;
            self.watch(state, at, timeout);
        }
        if self.ways.is_empty() {
            return false;
        }
        // A claim that changes the state may change what the choice rests on.
        let take = if self.ways.changed.is_empty() { take } else { Take::All };
        match self.push_all(state, at, timeout, take, fan, pulse) {
            Ok(is_reduced) => is_reduced,
            Err(OutOfMemory) => {
                fan.set_full();
                false
            }
        }
    }

    /// `timeout` is what the ways were computed with.
    fn push_all(
        &mut self,
        state: &M::State,
        at: ClaimLocation,
        timeout: bool,
        take: Take,
        fan: &mut Fan<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> Result<bool, OutOfMemory> {
        let Pushed { group, faults, is_reduced } = self.push_steps(state, take, fan, pulse)?;
        if self.expander.timed_out != timeout && self.has_claim() {
            self.watch(state, at, self.expander.timed_out);
        }
        let wrong = self.ways.wrong.iter().map(|wrong| wrong.found);
        fan.found.extend(wrong.filter(|found| self.wants.wants(found.kind)));
        let mut tells_faults = false;
        for position in 0..self.ways.list.len() {
            let way = self.ways.list[position];
            let Some(changed) = way.changed else {
                tells_faults = true;
                fan.push_branch(way.to, way.n_moves, group)?;
                continue;
            };
            let state = self.ways.changed[changed].clone();
            let Pushed { group, faults, .. } = self.push_steps(&state, Take::All, fan, pulse)?;
            fan.found.extend(faults);
            fan.push_branch(way.to, way.n_moves, group)?;
        }
        if tells_faults {
            fan.found.extend(faults);
        }
        Ok(is_reduced)
    }

    /// The system's steps out of `state`, as a group, and the faults among them.
    fn push_steps(
        &mut self,
        state: &M::State,
        take: Take,
        fan: &mut Fan<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> Result<Pushed, OutOfMemory> {
        let begin = fan.extent();
        let is_reduced = take != Take::All && self.expand_chosen(state, take, &mut fan.steps, pulse);
        let moved = is_reduced || self.expander.expand(state, &mut fan.steps, pulse);
        let faults: Vec<Found> = fan.steps.found.drain(..).map(|met| met.found).collect();
        // Where nobody can move, everybody is excused.
        let idle = self.watch.is_fair.then(|| self.expander.enabled.complement());
        // A run that goes wrong does not go on.
        if !moved && faults.is_empty() && !matches!(self.watch.watcher, Watcher::NonProgress) {
            self.expander.arrive(state, 1, &mut fan.steps);
            fan.steps.push_movers(PidSet::EMPTY);
        }
        let group = fan.push_group(begin, self.model.n_processes(state), idle)?;
        Ok(Pushed { group, faults, is_reduced })
    }

    /// The steps of the first choice in which somebody can move, if there is one.
    fn expand_chosen(
        &mut self,
        state: &M::State,
        take: Take,
        out: &mut Successors<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> bool {
        let Some(chooser) = &mut self.chooser else { return false };
        let begin = out.mark();
        let on = Standing { model: self.model, state };
        // Hashes matter where whole levels are decided on.
        let looks = if take == Take::IfItPays { chooser.start(&on, || 0) } else { chooser.repeat(&on) };
        if !looks {
            return false;
        }
        while let Some(chosen) = chooser.next(&on) {
            if self.expander.expand_chosen(state, chosen, out, pulse) {
                let hash = out.arrivals.get(begin.arrivals).map_or(0, |arrival| arrival.hash);
                chooser.note_success(&on, chosen, hash);
                if self.watch.is_fair {
                    self.expander.look_at_others(state, chosen, out);
                }
                return true;
            }
            out.truncate(begin);
        }
        false
    }

    /// Computes the ways out of a state, with the right value of `timeout`. Limits are not looked at: a violation is
    /// known, and it would be a pity to keep the proof back.
    fn find_ways(&mut self, state: &M::State, at: ClaimLocation) {
        let mut fan = Fan::new(self.watch.is_fair);
        self.expand_state(state, at, Take::All, &mut fan, &mut NoLimits);
    }
}

impl<M: Model> Product<M::Packed> for ModelProduct<'_, M> {
    fn initial(&mut self, into: &mut M::Packed) -> Result<Hidden, Fault> {
        self.expander.initial(into)
    }

    fn expand(
        &mut self,
        from: &Joint<M::Packed>,
        take: Take,
        fan: &mut Fan<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> Outlook {
        let (state, at) = self.state(from);
        let is_reduced = self.expand_state(&state, at, take, fan, pulse);
        Outlook { is_accepting: self.is_accepting(&state, at), is_reduced }
    }

    fn note_rejection(&mut self) {
        if let Some(chooser) = &mut self.chooser {
            chooser.note_rejection();
        }
    }

    fn moves_between(&mut self, from: &Joint<M::Packed>, to: &Joint<M::Packed>, movers: PidSet) -> Vec<Move> {
        let (state, at) = self.state(from);
        self.find_ways(&state, at);
        let movers = self.watch.is_fair.then_some(movers);
        for hidden in [Some(to.hidden), None] {
            let target = identity(&to.state.packed, hidden);
            for way in self.ways.list.iter().filter(|way| way.to == ClaimLocation(to.state.key)) {
                let state = way.changed.map_or(&state, |changed| &self.ways.changed[changed]);
                if let Some(steps) = system_moves(self.scenes.scene(state.clone()), movers, &target) {
                    let mut moves = self.ways.moves(way);
                    moves.extend(steps);
                    return moves;
                }
            }
        }
        Vec::new()
    }

    fn moves_to(&mut self, from: &Joint<M::Packed>, found: Found) -> Vec<Move> {
        let (state, at) = self.state(from);
        self.find_ways(&state, at);
        if let Some(wrong) = self.ways.wrong.iter().find(|wrong| wrong.found == found) {
            return self.ways.moves_to_wrong(wrong);
        }
        for way in &self.ways.list {
            let state = way.changed.map_or(&state, |changed| &self.ways.changed[changed]);
            let steps = steps_to_violation(self.scenes.scene(state.clone()), found);
            if let Some(steps) = steps {
                let mut moves = self.ways.moves(way);
                moves.extend(steps.into_iter().map(Move::System));
                return moves;
            }
        }
        Vec::new()
    }

    fn tally(&self) -> Tally {
        self.expander.tally.clone()
    }
}
