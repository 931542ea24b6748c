//! A model and a goal, as a system of its own: its only violation is that a process is at the goal, so that every search
//! for safety can be asked about it.
//!
//! States from which the control flow leads to the goal no more have no successors: nothing else is asked about them.

use super::{
    AmpleSet, Expansion, Point, ProductSystems, Pulse, ReductionConfig, ReductionStatistics, Successors, System,
    Systems, Tally, ThrottleSetting, Wants,
};
use crate::control_flow::UNREACHABLE;
use crate::distance::Distances;
use crate::fault::Fault;
use crate::goal::Goal;
use crate::hidden::Hidden;
use crate::model::ModelInfo;
use crate::pack::Packed;
use crate::reduction::ReductionInfo;
use crate::trail::Move;
use crate::verdict::{Found, ViolationKind};

pub(crate) struct GoalSystems<'m, P: Packed> {
    systems: &'m dyn ProductSystems<P>,
    distances: Distances,
}

impl<'m, P: Packed> GoalSystems<'m, P> {
    pub fn new(systems: &'m dyn ProductSystems<P>, goal: &Goal) -> GoalSystems<'m, P> {
        GoalSystems { systems, distances: Distances::to_locations(systems.info(), goal.targets()) }
    }
}

impl<P: Packed> Systems<P> for GoalSystems<'_, P> {
    fn info(&self) -> &ModelInfo<'_> {
        self.systems.info()
    }

    fn reduction(&self) -> &ReductionInfo<'_> {
        self.systems.reduction()
    }

    fn has_hidden(&self) -> bool {
        self.systems.has_hidden()
    }

    fn system<'s>(&'s self, _: Wants, config: Option<ReductionConfig<'s>>) -> Box<dyn System<P> + 's> {
        Box::new(GoalSystem { system: self.systems.system(Wants::NOTHING, config), distances: &self.distances })
    }

    /// Whether a shorter run still leads to the goal is not known here.
    fn leave_out(&self, _: &[Move], _: Found, _: u64, _: &dyn Fn() -> bool) -> Option<Vec<Move>> {
        None
    }
}

struct GoalSystem<'s, P: Packed> {
    system: Box<dyn System<P> + 's>,
    distances: &'s Distances,
}

impl<P: Packed> System<P> for GoalSystem<'_, P> {
    fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        self.system.initial(into)
    }

    fn expand(
        &mut self,
        from: &P,
        hidden: Hidden,
        n_rejected: usize,
        out: &mut Successors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Expansion {
        match self.system.distance(from, hidden, self.distances) {
            0 => out.push_found(Found::state(ViolationKind::Goal)),
            UNREACHABLE => return Expansion { chosen: None, who: AmpleSet::ALL, moved: false, timed_out: false },
            _ => {}
        }
        self.system.expand(from, hidden, n_rejected, out, pulse)
    }

    fn distance(&mut self, of: &P, hidden: Hidden, distances: &Distances) -> u32 {
        self.system.distance(of, hidden, distances)
    }

    fn is_whole(&mut self, from: &P, hidden: Hidden, n_tried: usize) -> bool {
        self.system.is_whole(from, hidden, n_tried)
    }

    fn set_throttle(&mut self, throttle: ThrottleSetting) {
        self.system.set_throttle(throttle);
    }

    fn take_statistics(&mut self) -> ReductionStatistics {
        self.system.take_statistics()
    }

    fn can_move(&mut self, from: &P, hidden: Hidden, who: AmpleSet) -> bool {
        self.system.can_move(from, hidden, who)
    }

    fn rebuild(&mut self, path: &[Point<P>], found: Found) -> Vec<Move> {
        self.system.rebuild(path, found)
    }

    fn tally(&self) -> Tally {
        self.system.tally()
    }
}
