//! The system and a claim that watches it, moving in turns.
//!
//! A state of the product is a stored state of the system and the place of the claim. From there the claim moves, once
//! or through an atomic sequence of its own, and then the system. If the claim cannot move the run is cut; if the
//! system cannot, it stays where it is and the claim goes on alone, so that finite runs count as infinite ones.
//!
//! A reduction takes the same processes after each way of the claim. Whether somebody is idle, which excuses it under
//! fairness, is a matter of the state and not of what is taken there.

use super::claim::AutomatonMoves;
use super::model_dyn::identity;
use super::observer::{AcceptLabels, NO_PROGRESS, Observer};
use super::rebuild::{steps_to_violation, system_moves};
use super::{
    NoLimits, ObserverConfig, Outlook, Point, ProductState, ProductSuccessors, ProductSystem, Pulse, Take, Tally, Wants,
};
use crate::dyn_model::DynState;
use crate::fault::Fault;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::step::{ClaimLocation, PidSet};
use crate::trail::Move;
use crate::verdict::Found;

/// What a model does while a claim, or something like it, watches. It is compiled for each size of states; the system
/// stands in the state that is looked at, unless something else is said.
pub(crate) struct Product<'s, P: Packed> {
    system: Box<dyn ProductSystem<'s, P> + 's>,
    watch: ObserverConfig,
    /// Of the claim's own violations; assertions of the model are left to the search for safety, which goes on behind
    /// them as this one does.
    wants: Wants,
    ways: AutomatonMoves<P>,
}

/// The steps of the system out of a state, as they were put into a edges.
struct Pushed {
    group: u32,
    faults: Vec<Found>,
    is_reduced: bool,
    timed_out: bool,
}

/// A state of the system.
type StateRef<'a, P> = (&'a P, Hidden);

impl<'s, P: Packed> Product<'s, P> {
    /// Reports what the claim does wrong, if wanted, and faults.
    pub fn new(system: Box<dyn ProductSystem<'s, P> + 's>, watch: ObserverConfig, wants: Wants) -> Product<'s, P> {
        Product { system, watch, wants, ways: AutomatonMoves::default() }
    }

    /// The observer is at its location 0 then.
    pub fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        self.system.initial(into)
    }

    /// Appends to `edges` what the state of the product leads to, and notes in `edges.found` what goes wrong there. To the
    /// same question about a state there is always the same answer, except to [`Take::IfItPays`].
    pub fn expand(
        &mut self,
        from: &ProductState<P>,
        take: Take,
        edges: &mut ProductSuccessors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Outlook {
        let at = self.go_to(from);
        let is_accepting = self.is_accepting(at);
        let is_reduced = match self.expand_state(place(from), at, take, edges, pulse) {
            Ok(is_reduced) => is_reduced,
            Err(OutOfMemory) => {
                edges.set_full();
                false
            }
        };
        Outlook { is_accepting, is_reduced }
    }

    /// The search could not accept what was chosen last.
    pub fn note_rejection(&mut self) {
        self.system.note_rejection();
    }

    /// The moves of observer and system on an edge; under fairness those in which exactly `movers` move.
    pub fn moves_between(&mut self, from: &ProductState<P>, to: &ProductState<P>, movers: PidSet) -> Vec<Move> {
        self.find_ways(from);
        let movers = self.watch.is_fair.then_some(movers);
        for hidden in [Some(to.hidden), None] {
            let target = identity(&to.state.packed, hidden);
            for position in 0..self.ways.list.len() {
                let way = self.ways.list[position];
                if way.to != ClaimLocation(to.state.key) {
                    continue;
                }
                let dyn_state = self.scene_behind(from, way.changed);
                if let Some(steps) = system_moves(dyn_state, movers, &target) {
                    let mut moves = self.ways.moves(&way);
                    moves.extend(steps);
                    return moves;
                }
            }
        }
        Vec::new()
    }

    /// The moves to something that goes wrong out of a state.
    pub fn moves_to(&mut self, from: &ProductState<P>, found: Found) -> Vec<Move> {
        self.find_ways(from);
        if let Some(wrong) = self.ways.wrong.iter().find(|wrong| wrong.found == found) {
            return self.ways.moves_to_wrong(wrong);
        }
        for position in 0..self.ways.list.len() {
            let way = self.ways.list[position];
            let dyn_state = self.scene_behind(from, way.changed);
            if let Some(steps) = steps_to_violation(dyn_state, found) {
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

    /// Has the system go to a state of the product. Gives the place of the observer.
    fn go_to(&mut self, product_state: &ProductState<P>) -> ClaimLocation {
        self.system.go_to(&product_state.state.packed, product_state.hidden);
        ClaimLocation(product_state.state.key)
    }

    /// The system behind a way of the observer.
    fn scene_behind(&mut self, from: &ProductState<P>, changed: Option<usize>) -> DynState<'s> {
        let (state, hidden) = changed.map_or(place(from), |changed| place_of(&self.ways.changed[changed]));
        self.system.go_to(state, hidden);
        self.system.dyn_state()
    }

    fn is_accepting(&self, at: ClaimLocation) -> bool {
        match self.watch.observer {
            Observer::Claim(claim, AcceptLabels::OfTheClaim) => claim.is_accepting(at),
            Observer::Claim(claim, AcceptLabels::Everywhere) => {
                claim.is_accepting(at) || self.system.has_accept_label()
            }
            Observer::Acceptance => self.system.has_accept_label(),
            Observer::NonProgress => at == NO_PROGRESS,
        }
    }

    fn has_claim(&self) -> bool {
        matches!(self.watch.observer, Observer::Claim(..))
    }

    /// Computes the ways of the observer into `self.ways`.
    #[inline]
    fn watch(&mut self, state: StateRef<'_, P>, at: ClaimLocation, timeout: bool) -> Result<(), OutOfMemory> {
        match self.watch.observer {
            Observer::Claim(claim, _) => return self.ways.gather(&mut *self.system, claim, at, state, timeout),
            Observer::Acceptance => {
                self.ways.clear();
                self.ways.push_silent(at);
            }
            Observer::NonProgress => {
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
        state: StateRef<'_, P>,
        at: ClaimLocation,
        take: Take,
        edges: &mut ProductSuccessors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Result<bool, OutOfMemory> {
        edges.found.clear();
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
        let Pushed { group, faults, is_reduced, timed_out } = self.push_steps(state, take, edges, pulse)?;
        if timed_out != timeout && self.has_claim() {
            self.watch(state, at, timed_out)?;
        }
        for wrong in &self.ways.wrong {
            if self.wants.wants(wrong.found.kind) {
                edges.found.push(wrong.found);
            }
        }
        let mut tells_faults = false;
        for position in 0..self.ways.list.len() {
            let way = self.ways.list[position];
            let Some(changed) = way.changed else {
                tells_faults = true;
                edges.push_branch(way.to, way.n_moves, group)?;
                continue;
            };
            let changed = self.ways.changed[changed].clone();
            self.system.go_to(&changed.packed, changed.hidden);
            let Pushed { group, faults, .. } = self.push_steps(place_of(&changed), Take::All, edges, pulse)?;
            edges.found.extend(faults);
            edges.push_branch(way.to, way.n_moves, group)?;
        }
        if tells_faults && !faults.is_empty() {
            edges.found.extend(faults);
        }
        Ok(is_reduced)
    }

    /// The system's steps out of `state`, as a group, and the faults among them.
    #[inline]
    fn push_steps(
        &mut self,
        state: StateRef<'_, P>,
        take: Take,
        edges: &mut ProductSuccessors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Result<Pushed, OutOfMemory> {
        let begin = edges.extent();
        let taken = self.system.take_steps(take, self.watch.is_fair, &mut edges.steps, pulse);
        let faults = if edges.steps.found.is_empty() { Vec::new() } else { edges.steps.take_found() };
        // Where nobody can move, everybody is excused.
        let idle = self.watch.is_fair.then(|| taken.enabled.complement());
        // A run that goes wrong does not go on.
        if !taken.moved && faults.is_empty() && !matches!(self.watch.observer, Observer::NonProgress) {
            edges.steps.push(state.0, 1, Ok(state.1));
            edges.steps.push_movers(PidSet::EMPTY);
        }
        let group = edges.push_group(begin, taken.n_processes, idle)?;
        Ok(Pushed { group, faults, is_reduced: taken.is_reduced, timed_out: taken.timed_out })
    }

    /// Computes the ways out of a state, with the right value of `timeout`. Limits are not looked at: a violation is
    /// known, and it would be a pity to keep the proof back.
    fn find_ways(&mut self, from: &ProductState<P>) {
        let mut edges = ProductSuccessors::new(self.watch.is_fair);
        self.expand(from, Take::All, &mut edges, &mut NoLimits);
    }
}

fn place<P>(product_state: &ProductState<P>) -> StateRef<'_, P> {
    (&product_state.state.packed, product_state.hidden)
}

fn place_of<P>(point: &Point<P>) -> StateRef<'_, P> {
    (&point.packed, point.hidden)
}
