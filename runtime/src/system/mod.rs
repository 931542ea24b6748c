//! The interface between a model and the searches.
//!
//! A search sees packed states only: it passes one to a [`System`] and gets the packed successors back, with one virtual
//! call for each state that it expands. So searches and stores are generic over the packed form alone, and are compiled
//! once for all models whose states have the same size. What is generic over the model, and therefore compiled for each
//! model, is behind the interface: `expand`, `model_system`, `model_product_system`, `model_dyn`.
//!
//! [`Systems`] makes a system for each thread; threads may exchange packed states.

mod abstract_time;
mod claim;
mod claim_system;
mod expand;
mod goal_system;
mod leave_out;
mod model_dyn;
mod model_product_system;
mod model_system;
mod observer;
mod por;
mod product;
mod product_successors;
mod reached;
mod real_run;
mod rebuild;
mod successors;
mod symmetric_system;
mod wants;

pub(crate) use claim_system::ClaimSystems;
pub(crate) use goal_system::GoalSystems;
pub use model_system::ModelSystems;
pub(crate) use observer::ObserverConfig;
pub(crate) use por::{AmpleSet, ReductionConfig, ReductionStatistics, Runs, Sampling, Throttle, ThrottleSetting};
pub(crate) use product::Product;
pub(crate) use product_successors::{Cursor, Edge, Extent, ProductSuccessors};
pub(crate) use real_run::RealRun;
pub(crate) use successors::{Mark, Successors};
pub(crate) use symmetric_system::SymmetricSystems;
pub(crate) use wants::Wants;

use crate::distance::Distances;
use crate::dyn_model::DynState;
use crate::fault::Fault;
use crate::goal::Goal;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::model::{ModelInfo, SourcePosition};
use crate::pack::{Keyed, Packed};
use crate::reduction::ReductionInfo;
use crate::step::{ClaimLocation, ClaimMoves, Pid, PidSet};
use crate::symmetry::{Representatives, SymmetryInfo};
use crate::trail::{Move, Trail};
use crate::verdict::Found;
use reached::Reached;

/// A transition system for the threads of a search: a model, or its product with a claim.
pub(crate) trait Systems<P: Packed>: Sync {
    fn info(&self) -> &ModelInfo<'_>;

    /// What reductions may rely on.
    fn reduction(&self) -> &ReductionInfo<'_>;

    /// Whether there are variables that are not part of a packed state. If not, all [`Hidden`] are equal.
    fn has_hidden(&self) -> bool;

    /// A system that reports the violations in `wants` and reduces as `config` says.
    fn system<'s>(&'s self, wants: Wants, config: Option<ReductionConfig<'s>>) -> Box<dyn System<P> + 's>;

    /// A shorter run to the same violation, without steps that it does not need. At most so many states are passed in
    /// search of it.
    fn leave_out(&self, moves: &[Move], found: Found, n_states: u64, is_over: &dyn Fn() -> bool) -> Option<Vec<Move>>;
}

/// A model, which can also be observed.
pub(crate) trait ProductSystems<P: Packed>: Systems<P> {
    /// The system for a product with an observer. It reports faults only, and reduces as `config` says.
    fn product_system<'s>(&'s self, config: Option<ReductionConfig<'s>>) -> Box<dyn ProductSystem<'s, P> + 's>;

    /// The first process at an invalid end location after these moves from the initial state: its pid, its proctype and
    /// the position.
    fn end_place(&self, moves: &[Move]) -> Option<(Pid, usize, SourcePosition)>;

    /// The first process at the goal after these moves, in the same form.
    fn goal_place(&self, moves: &[Move], goal: &Goal) -> Option<(Pid, usize, SourcePosition)>;

    /// The violation of a trail on a run with exact time, if its steps are possible on one.
    fn exact_run(&self, trail: &Trail) -> Option<Trail>;

    /// The exchanges of members that leave the model as it is.
    fn symmetry(&self) -> Option<&SymmetryInfo<'_>>;

    /// The moves of a run from the initial state that visits these orbits one after the other, and then to the violation
    /// `found`. An orbit is given as the words of its representative, which `represent` finds. Where the youngest process has
    /// ended and `is_member`, it is removed at once.
    fn run_through(
        &self,
        orbits: &[Vec<u64>],
        represent: &mut dyn FnMut(&[u64]) -> Vec<u64>,
        is_member: &dyn Fn(Pid) -> bool,
        found: Found,
    ) -> Vec<Move>;
}

/// The transition system of a model, for one thread.
pub(crate) trait System<P: Packed> {
    fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault>;

    /// Appends the successors of `from` and the violations in those steps, in the order of a depth-first search; behind
    /// them an invalid end state.
    ///
    /// With a reduction these are the successors by an ample set. If that violates the cycle proviso, the search asks again
    /// with the number of ample sets that it has rejected, until the state is fully expanded; with `usize::MAX` it is
    /// fully expanded at once.
    fn expand(
        &mut self,
        from: &P,
        hidden: Hidden,
        n_rejected: usize,
        out: &mut Successors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Expansion;

    /// The distance of a state to the targets of a guided search: at most one more than that of any successor.
    fn distance(&mut self, of: &P, hidden: Hidden, distances: &Distances) -> u32;

    /// Whether no process outside of this ample set is enabled in `from`, so that the set removes no step. The set is
    /// named by the number of candidates up to it, as in [`Expansion`].
    fn is_whole(&mut self, from: &P, hidden: Hidden, n_tried: usize) -> bool;

    /// In which states to look for ample sets from now on, if the search throttles the reduction.
    fn set_throttle(&mut self, throttle: ThrottleSetting);

    /// The statistics of the reduction since the last call.
    fn take_statistics(&mut self) -> ReductionStatistics;

    /// Whether a process of this set is enabled in `from`, or would fail; without `timeout`.
    fn can_move(&mut self, from: &P, hidden: Hidden, who: AmpleSet) -> bool;

    /// The moves along `path` and then to the violation `found`, which is a step out of the last state of the path, or
    /// that state itself.
    fn rebuild(&mut self, path: &[Point<P>], found: Found) -> Vec<Move>;

    fn tally(&self) -> Tally;
}

/// The transition system as a factor of a [`Product`] with an observer: for one thread, in one state after the other.
pub(crate) trait ProductSystem<'m, P: Packed> {
    fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault>;

    /// Sets the state that all other methods are about.
    fn go_to(&mut self, state: &P, hidden: Hidden);

    fn has_accept_label(&self) -> bool;

    fn makes_progress(&self) -> bool;

    /// Offers the moves of a claim at one of its locations.
    fn offer_claim_moves(
        &mut self,
        claim: usize,
        at: ClaimLocation,
        timeout: bool,
        to: &mut dyn ClaimMoves<Point<P>>,
    ) -> Result<(), OutOfMemory>;

    /// Appends the successors of the state, and faults. With `is_fair` it finds all enabled processes, also those outside of
    /// the ample set.
    fn take_steps(&mut self, take: Take, is_fair: bool, out: &mut Successors<P>, pulse: &mut dyn Pulse<P>) -> Taken;

    /// The search has rejected the last ample set.
    fn note_rejection(&mut self);

    fn dyn_state(&self) -> DynState<'m>;

    fn tally(&self) -> Tally;

    /// Finds representatives, if the states that it hands out are some.
    fn representatives(&self) -> Option<Representatives<'m>> {
        None
    }

    /// The initial state of the model itself.
    fn real_initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        self.initial(into)
    }
}

/// How a state was expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// Whether a process was enabled, or time passed; a step that fails does not count.
    pub moved: bool,
    /// Only an ample set was expanded.
    pub is_reduced: bool,
    /// The enabled processes.
    pub enabled: PidSet,
    /// Whether no process was enabled without `timeout`.
    pub timed_out: bool,
    /// Time passes here, since no process can move.
    pub ticks: bool,
    pub n_processes: usize,
}

/// Called now and then during a long expansion, such as that of a long atomic sequence.
pub(crate) trait Pulse<P: Packed> {
    /// Returns whether the search is over. May take out what has arrived so far.
    fn beat(&mut self, out: &mut Successors<P>) -> bool;
}

/// For counterexamples: a violation that is known is rebuilt without limits.
pub(crate) struct NoLimits;

impl<P: Packed> Pulse<P> for NoLimits {
    fn beat(&mut self, _: &mut Successors<P>) -> bool {
        false
    }
}

/// How a state was expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expansion {
    /// For an ample set: the number of candidates up to it.
    pub chosen: Option<usize>,
    /// What was expanded.
    pub who: AmpleSet,
    /// Whether a process was enabled, or time passed; a step that fails does not count.
    pub moved: bool,
    /// Whether no process was enabled without `timeout`.
    pub timed_out: bool,
}

/// Which steps a search for cycles takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    All,
    /// Those of the first ample set with an enabled step; all if there is none, or no reduction.
    Chosen,
    /// The same, but all as well where the reduction throttles itself.
    IfItPays,
}

/// How a state of the product was expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outlook {
    /// Whether a run that visits the state infinitely often is a violation.
    pub is_accepting: bool,
    /// Only an ample set was expanded.
    pub is_reduced: bool,
}

/// A stored state with its hidden variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Point<P> {
    pub packed: P,
    pub hidden: Hidden,
}

/// A state of the product: the key is the location of the observer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProductState<P> {
    pub state: Keyed<P>,
    pub hidden: Hidden,
}

/// The findings of a system beside states and violations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// The transitions that were taken.
    pub reached: Reached,
    pub atomic_steps: u64,
    /// The process of the first cycle found inside an atomic sequence.
    pub atomic_cycle: Option<Pid>,
    /// A state was reached twice with different values of hidden variables.
    pub hidden_differed: bool,
    /// So many timers ran at once that not all ticks could be made.
    pub too_many_timers: bool,
}

impl Tally {
    pub fn new(n_transitions: usize) -> Tally {
        Tally { reached: Reached::new(n_transitions), ..Tally::default() }
    }

    /// Adds the tally of another system of the same model.
    pub fn add(&mut self, other: Tally) {
        self.reached.union(&other.reached);
        self.atomic_steps += other.atomic_steps;
        self.atomic_cycle = self.atomic_cycle.or(other.atomic_cycle);
        self.hidden_differed |= other.hidden_differed;
        self.too_many_timers |= other.too_many_timers;
    }
}
