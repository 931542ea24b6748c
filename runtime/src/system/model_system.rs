//! Implements [`Systems`] and [`System`] for every model.

use super::expand::Expander;
use super::leave_out::leave_out;
use super::model_dyn::DynStates;
use super::model_product_system::ModelProductSystem;
use super::por::{self, AmpleSets, ReductionConfig, ReductionView, StateView};
use super::rebuild::{end_place, goal_place, rebuild, run_through};
use super::{
    AmpleSet, Expansion, Point, ProductSystem, ProductSystems, Pulse, ReductionStatistics, Successors, System, Systems,
    Tally, ThrottleSetting, Wants,
};
use crate::distance::Distances;
use crate::exact_run;
use crate::fault::{Fault, TraceError};
use crate::goal::Goal;
use crate::hidden::{Hidden, Shared};
use crate::model::{Model, ModelInfo, SourcePosition};
use crate::pack::Packed;
use crate::reduction::{Independence, ReductionInfo};
use crate::step::Pid;
use crate::symmetry::SymmetryInfo;
use crate::trail::{Move, Trail};
use crate::verdict::{Found, ViolationKind};

pub struct ModelSystems<'m, M: Model> {
    pub(super) model: &'m M,
    hidden: Shared<M::Hidden>,
    /// That of the model, perhaps with other names of its files.
    info: ModelInfo<'m>,
}

impl<'m, M: Model> ModelSystems<'m, M> {
    pub fn new(model: &'m M) -> ModelSystems<'m, M> {
        ModelSystems { model, hidden: Shared::new(model.has_hidden()), info: model.info().clone() }
    }

    /// The files of the model have these names in what is reported.
    pub fn with_files(model: &'m M, files: &'m [&'m str]) -> ModelSystems<'m, M> {
        let systems = ModelSystems::new(model);
        ModelSystems { info: ModelInfo { files, ..systems.info }, ..systems }
    }

    pub(super) fn dyn_states(&self) -> DynStates<'_, M> {
        DynStates { model: self.model, hidden: &self.hidden, is_abstract: self.model.abstracts_time() }
    }
}

impl<M: Independence> Systems<M::Packed> for ModelSystems<'_, M> {
    fn info(&self) -> &ModelInfo<'_> {
        &self.info
    }

    fn reduction(&self) -> &ReductionInfo<'_> {
        self.model.reduction()
    }

    fn has_hidden(&self) -> bool {
        self.model.has_hidden()
    }

    fn system<'s>(&'s self, wants: Wants, config: Option<ReductionConfig<'s>>) -> Box<dyn System<M::Packed> + 's> {
        Box::new(ModelSystem {
            expander: Expander::new(self.model, &self.hidden, wants),
            wants,
            dyn_states: self.dyn_states(),
            candidates: config.map(|config| Candidates::new(AmpleSets::new(config))),
        })
    }

    fn leave_out(&self, moves: &[Move], found: Found, n_states: u64, is_over: &dyn Fn() -> bool) -> Option<Vec<Move>> {
        let steps: Vec<_> = moves.iter().filter_map(|&made| made.step()).collect();
        let shorter = leave_out(self, &steps, found, n_states, is_over)?;
        Some(shorter.into_iter().map(Move::from).collect())
    }
}

impl<M: Independence> ProductSystems<M::Packed> for ModelSystems<'_, M> {
    fn product_system<'s>(&'s self, config: Option<ReductionConfig<'s>>) -> Box<dyn ProductSystem<'s, M::Packed> + 's> {
        let expander = Expander::new(self.model, &self.hidden, Wants::FAULTS);
        Box::new(ModelProductSystem::new(expander, self.dyn_states(), config.map(AmpleSets::new)))
    }

    fn end_place(&self, moves: &[Move]) -> Option<(Pid, usize, SourcePosition)> {
        end_place(self, moves)
    }

    fn goal_place(&self, moves: &[Move], goal: &Goal) -> Option<(Pid, usize, SourcePosition)> {
        goal_place(self, moves, goal)
    }

    fn exact_run(&self, trail: &Trail) -> Option<Trail> {
        exact_run::find(self, trail)
    }

    fn symmetry(&self) -> Option<&SymmetryInfo<'_>> {
        self.model.symmetry()
    }

    fn run_through(
        &self,
        orbits: &[Vec<u64>],
        represent: &mut dyn FnMut(&[u64]) -> Vec<u64>,
        is_member: &dyn Fn(Pid) -> bool,
        found: Found,
    ) -> Vec<Move> {
        run_through(self, orbits, represent, is_member, found).into_iter().map(Move::from).collect()
    }
}

struct ModelSystem<'m, M: Model> {
    expander: Expander<'m, M>,
    wants: Wants,
    dyn_states: DynStates<'m, M>,
    candidates: Option<Candidates<'m, M::Packed>>,
}

/// The candidates for an ample set of one state, as far as they have been tried.
struct Candidates<'m, P> {
    ample_sets: AmpleSets<'m>,
    /// The state, unless no state had an ample set yet.
    at: Option<Point<P>>,
    n_tried: usize,
    /// The candidate that was tried last.
    last: AmpleSet,
}

impl<'m, P: Packed> Candidates<'m, P> {
    fn new(ample_sets: AmpleSets<'m>) -> Candidates<'m, P> {
        Candidates { ample_sets, at: None, n_tried: 0, last: AmpleSet::ALL }
    }

    /// Begins with another state, unless the throttle skips it.
    #[inline(always)]
    fn begin(&mut self, on: &impl ReductionView<'m>) -> bool {
        self.n_tried = 0;
        self.ample_sets.start(on)
    }

    /// Continues behind the first `n_rejected` candidates of a state. Nothing if there are not so many.
    fn go_behind(&mut self, on: &impl ReductionView<'m>, from: &P, hidden: Hidden, n_rejected: usize) -> bool {
        let is_there = |at: &Point<P>| at.packed == *from && at.hidden == hidden;
        let goes_on = self.n_tried == n_rejected && self.at.as_ref().is_some_and(is_there);
        goes_on || self.go_again(on, from, hidden, n_rejected)
    }

    fn go_again(&mut self, on: &impl ReductionView<'m>, from: &P, hidden: Hidden, n_rejected: usize) -> bool {
        self.n_tried = 0;
        if !self.ample_sets.start_again(on) {
            return false;
        }
        while self.n_tried < n_rejected {
            if self.next(on).is_none() {
                return false;
            }
        }
        self.note_place(from, hidden);
        true
    }

    #[inline]
    fn next(&mut self, on: &impl ReductionView<'m>) -> Option<AmpleSet> {
        self.last = self.ample_sets.next(on)?;
        self.n_tried += 1;
        Some(self.last)
    }

    #[inline]
    fn note_place(&mut self, from: &P, hidden: Hidden) {
        let at = self.at.get_or_insert_default();
        at.packed.clone_from(from);
        at.hidden = hidden;
    }
}

impl<M: Independence> ModelSystem<'_, M> {
    /// Expands the next ample set with an enabled step.
    fn expand_chosen(
        &mut self,
        state: &M::State,
        from: &M::Packed,
        hidden: Hidden,
        n_rejected: usize,
        out: &mut Successors<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> Option<Expansion> {
        let candidates = self.candidates.as_mut()?;
        let on = StateView { model: self.expander.model, state };
        if n_rejected == 0 {
            if !candidates.begin(&on) {
                return None;
            }
        } else {
            if !candidates.go_behind(&on, from, hidden, n_rejected) {
                return None;
            }
            candidates.ample_sets.note_rejection();
        }
        let begin = out.mark();
        while let Some(who) = candidates.next(&on) {
            if self.expander.expand_chosen(state, who, out, pulse) {
                let hash = out.arrivals.get(begin.arrivals).map_or(0, |arrival| arrival.hash);
                candidates.ample_sets.note_success(&on, who, hash);
                candidates.note_place(from, hidden);
                return Some(Expansion { chosen: Some(candidates.n_tried), who, moved: true, timed_out: false });
            }
            // The full expansion reports the violations there.
            out.truncate(begin);
        }
        None
    }
}

impl<M: Independence> System<M::Packed> for ModelSystem<'_, M> {
    fn initial(&mut self, into: &mut M::Packed) -> Result<Hidden, Fault> {
        self.expander.initial(into)
    }

    fn expand(
        &mut self,
        from: &M::Packed,
        hidden: Hidden,
        n_rejected: usize,
        out: &mut Successors<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> Expansion {
        let state = self.expander.unpack(from, hidden);
        if self.candidates.is_some()
            && n_rejected < usize::MAX
            && let Some(expansion) = self.expand_chosen(&state, from, hidden, n_rejected, out, pulse)
        {
            return expansion;
        }
        let moved = self.expander.expand(&state, out, pulse);
        if !moved && let Some(found) = wrong_end(self.expander.model, &state, self.wants) {
            out.push_found(found);
        }
        Expansion { chosen: None, who: AmpleSet::ALL, moved, timed_out: self.expander.timed_out }
    }

    fn distance(&mut self, of: &M::Packed, hidden: Hidden, distances: &Distances) -> u32 {
        let state = self.expander.unpack(of, hidden);
        let model = self.expander.model;
        let pids = (0..model.n_processes(&state)).map(Pid::from_index);
        distances.of_processes(&mut pids.map(|pid| model.location(&state, pid)))
    }

    fn is_whole(&mut self, from: &M::Packed, hidden: Hidden, n_tried: usize) -> bool {
        let state = self.expander.unpack(from, hidden);
        let model = self.expander.model;
        let on = StateView { model, state: &state };
        let Some(candidates) = &mut self.candidates else { return false };
        candidates.go_behind(&on, from, hidden, n_tried)
            && !por::can_move(&on, model.reduction(), candidates.last.complement())
    }

    fn set_throttle(&mut self, throttle: ThrottleSetting) {
        if let Some(candidates) = &mut self.candidates {
            candidates.ample_sets.set_throttle(throttle);
        }
    }

    fn take_statistics(&mut self) -> ReductionStatistics {
        self.candidates.as_mut().map(|candidates| candidates.ample_sets.take_statistics()).unwrap_or_default()
    }

    fn can_move(&mut self, from: &M::Packed, hidden: Hidden, who: AmpleSet) -> bool {
        let state = self.expander.unpack(from, hidden);
        let model = self.expander.model;
        por::can_move(&StateView { model, state: &state }, model.reduction(), who)
    }

    fn rebuild(&mut self, path: &[Point<M::Packed>], found: Found) -> Vec<Move> {
        let dyn_states = self.dyn_states;
        let expander = &mut self.expander;
        let mut dyn_state =
            |point: &Point<M::Packed>| dyn_states.dyn_state(expander.unpack(&point.packed, point.hidden));
        let steps = rebuild(path.len(), &mut |index| path.get(index).map(&mut dyn_state), found);
        steps.into_iter().map(Move::from).collect()
    }

    fn tally(&self) -> Tally {
        self.expander.tally.clone()
    }
}

/// The violation, if any, of a state in which no process is enabled.
fn wrong_end<M: Model>(model: &M, state: &M::State, wants: Wants) -> Option<Found> {
    let n_processes = model.n_processes(state);
    let all_may_end = (0..n_processes).all(|index| model.is_valid_end(state, Pid::from_index(index)));
    if !all_may_end {
        let kind = ViolationKind::InvalidEndState;
        return wants.wants(kind).then_some(Found::state(kind));
    }
    let unfinished = (!model.trace_may_end(state)).then_some(ViolationKind::Trace(TraceError::Unfinished));
    let leftover = model.has_messages(state).then_some(ViolationKind::LeftoverMessages);
    unfinished.into_iter().chain(leftover).find(|&kind| wants.wants(kind)).map(Found::state)
}
