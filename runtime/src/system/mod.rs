//! The border between a model and the searches.
//!
//! A search knows packed states and nothing else: it hands one to a [`System`] and gets the packed successors back, in
//! one call for each state that it expands. So searches and stores are generic over the packed form alone, and are
//! compiled once for all models whose states have the same size. What is generic over the model, and therefore compiled
//! for each, is on the other side: `expand`, `model_system`, `model_product_system`, `model_dyn`.
//!
//! Each thread has a system of its own, made by [`Systems`]; states may go from one to the other.

mod claim;
mod expand;
mod model_dyn;
mod model_product_system;
mod model_system;
mod observer;
mod por;
mod product;
mod product_successors;
mod rebuild;
mod successors;
mod wants;

pub(crate) use model_system::ModelSystems;
pub(crate) use observer::ObserverConfig;
pub(crate) use por::{AmpleSet, ReductionConfig, ReductionStatistics, Throttle, ThrottleSetting};
pub(crate) use product::Product;
pub(crate) use product_successors::{Cursor, Edge, Extent, ProductSuccessors};
pub(crate) use successors::{Mark, Successors};
pub(crate) use wants::Wants;

use crate::dyn_model::DynState;
use crate::fault::Fault;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::model::{ModelInfo, SourcePosition};
use crate::pack::{Keyed, Packed};
use crate::reduction::ReductionInfo;
use crate::step::{ClaimLocation, ClaimMoves, Pid, PidSet};
use crate::trail::{Move, Step};
use crate::verdict::Found;

/// A model, for as many threads as a search has.
pub(crate) trait Systems<P: Packed>: Sync {
    fn info(&self) -> &'static ModelInfo;

    /// What reductions may rely on.
    fn reduction(&self) -> &'static ReductionInfo;

    /// Whether there are variables that are no part of a packed state. If not, every [`Hidden`] is the same.
    fn has_hidden(&self) -> bool;

    /// Reports violations that are wanted; leaves out steps as `config` says.
    fn system(&self, wants: Wants, config: Option<ReductionConfig>) -> Box<dyn System<P> + '_>;

    /// The system for somebody who watches it. Reports faults alone; leaves out steps as `config` says.
    fn product_system<'s>(&'s self, config: Option<ReductionConfig>) -> Box<dyn ProductSystem<'s, P> + 's>;

    /// Where the first process stands that must not end there, after these moves from the initial state: its pid, its
    /// proctype and the place.
    fn end_place(&self, moves: &[Move]) -> Option<(Pid, usize, SourcePosition)>;
}

/// What a model does, for one thread.
pub(crate) trait System<P: Packed> {
    fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault>;

    /// Appends the states that `from` leads to and the violations in those steps, in the order of a depth-first search;
    /// behind them that nobody can move where somebody should.
    ///
    /// With a reduction these are the successors by some processes only. If the search cannot accept that it asks
    /// again, with the number of choices that it has rejected, until all steps are taken; if it asks with
    /// `usize::MAX` they are at once.
    fn expand(
        &mut self,
        from: &P,
        hidden: Hidden,
        n_rejected: usize,
        out: &mut Successors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Expansion;

    /// Whether nobody can move in `from` but those of this choice, so that it leaves out nothing. It is named by the
    /// number of choices that there were up to it, as in [`Expansion`].
    fn is_whole(&mut self, from: &P, hidden: Hidden, n_tried: usize) -> bool;

    /// In which states to look for choices from now on, if the search decides that.
    fn set_throttle(&mut self, throttle: ThrottleSetting);

    /// What looking for them has brought since this was asked last.
    fn take_statistics(&mut self) -> ReductionStatistics;

    /// Whether one of these can move in `from`, or would fail; without `timeout`.
    fn can_move(&mut self, from: &P, hidden: Hidden, who: AmpleSet) -> bool;

    /// The steps along `path` and then to the violation `found`, which is a step out of the last state of the path, or
    /// that state itself.
    fn rebuild(&mut self, path: &[Point<P>], found: Found) -> Vec<Step>;

    fn tally(&self) -> Tally;
}

/// What a model does while a claim, or something like it, watches: for one thread, and in one state after the other. The
/// [`Product`] of both knows packed states alone, as searches do.
pub(crate) trait ProductSystem<'m, P: Packed> {
    fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault>;

    /// All other questions are about this state.
    fn go_to(&mut self, state: &P, hidden: Hidden);

    fn has_accept_label(&self) -> bool;

    fn makes_progress(&self) -> bool;

    /// What a claim can do at one of its locations.
    fn offer_claim_moves(
        &mut self,
        claim: usize,
        at: ClaimLocation,
        timeout: bool,
        to: &mut dyn ClaimMoves<Point<P>>,
    ) -> Result<(), OutOfMemory>;

    /// Appends what the state leads to, and the faults on the way. With `is_fair` it is found out who can move, also of
    /// those whose steps are not taken.
    fn take_steps(&mut self, take: Take, is_fair: bool, out: &mut Successors<P>, pulse: &mut dyn Pulse<P>) -> Taken;

    /// The search could not accept what was chosen last.
    fn note_rejection(&mut self);

    fn dyn_state(&self) -> DynState<'m>;

    fn tally(&self) -> Tally;
}

/// How the steps out of a state were taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// Whether somebody could move; a step that fails is no move.
    pub moved: bool,
    /// Only the steps of some processes were taken.
    pub is_reduced: bool,
    /// Who could move, by steps of their own.
    pub enabled: PidSet,
    /// Whether nobody could move without `timeout`.
    pub timed_out: bool,
    pub n_processes: usize,
}

/// Is asked now and then during an expansion that does not end soon, as one of a long atomic sequence.
pub(crate) trait Pulse<P: Packed> {
    /// Whether the search is over and the rest does not matter. What has arrived so far may be taken out.
    fn beat(&mut self, out: &mut Successors<P>) -> bool;
}

/// What is known to be violated is worth a proof, whatever that takes.
pub(crate) struct NoLimits;

impl<P: Packed> Pulse<P> for NoLimits {
    fn beat(&mut self, _: &mut Successors<P>) -> bool {
        false
    }
}

/// How a state was expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expansion {
    /// Only the steps of some processes were taken: the number of choices that there were up to this one.
    pub chosen: Option<usize>,
    /// Whose steps were taken.
    pub who: AmpleSet,
}

/// Which steps a search for cycles takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    All,
    /// Those of the first choice in which somebody can move; all if there is none, or no reduction.
    Chosen,
    /// The same, but all as well where looking for a choice rests since it did not pay.
    IfItPays,
}

/// How a state of the product was expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outlook {
    /// Whether a run that comes to the state again and again is a violation.
    pub is_accepting: bool,
    /// Only the steps of some processes were taken.
    pub is_reduced: bool,
}

/// A stored state with its hidden variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Point<P> {
    pub packed: P,
    pub hidden: Hidden,
}

/// A state of the product: the key is the place of the observer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProductState<P> {
    pub state: Keyed<P>,
    pub hidden: Hidden,
}

/// What a system has noticed beside the states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// For each transition whether it was taken.
    pub reached: Vec<bool>,
    pub atomic_steps: u64,
    /// A step on a cycle inside an atomic sequence, the first that was met.
    pub atomic_cycle: Option<Pid>,
    /// A state was met twice, with different values of hidden variables.
    pub hidden_differed: bool,
}

impl Tally {
    pub fn new(n_transitions: usize) -> Tally {
        Tally { reached: vec![false; n_transitions], ..Tally::default() }
    }

    /// Adds what another system of the same model has noticed.
    pub fn add(&mut self, other: Tally) {
        if self.reached.len() < other.reached.len() {
            self.reached.resize(other.reached.len(), false);
        }
        for (reached, also) in self.reached.iter_mut().zip(other.reached) {
            *reached |= also;
        }
        self.atomic_steps += other.atomic_steps;
        self.atomic_cycle = self.atomic_cycle.or(other.atomic_cycle);
        self.hidden_differed |= other.hidden_differed;
    }
}
