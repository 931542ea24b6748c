//! A system up to an exchange of interchangeable members, as a system of its own: what it hands out are representatives,
//! so that every search and every store sees one state of each orbit. A system without symmetry is not wrapped, and costs
//! nothing.
//!
//! Each permutation of the group is an automorphism of the model, so a representative has the future of each state that
//! it stands for. A path of representatives is not a run, but there is a run that visits the same orbits: from a state of
//! one orbit some step leads to the next.
//!
//! With a reduction, the ample set is chosen in the representative and depends on it alone, and the proviso asks for
//! representatives: what a search explores is a reduction of the quotient (Emerson, Jha, Peled, *Combining partial order
//! and symmetry reductions*, 1997).

use super::{
    AmpleSet, Expansion, Mark, Point, ProductSystem, ProductSystems, Pulse, ReductionConfig, ReductionStatistics,
    Successors, System, Systems, Take, Taken, Tally, ThrottleSetting, Wants,
};
use crate::distance::Distances;
use crate::dyn_model::DynState;
use crate::fault::Fault;
use crate::goal::Goal;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::model::{ModelInfo, SourcePosition};
use crate::options::Symmetry;
use crate::pack::Packed;
use crate::reduction::ReductionInfo;
use crate::step::{ClaimLocation, ClaimMoves, Pid};
use crate::symmetry::{Representatives, SymmetryInfo};
use crate::trail::{Move, Trail};
use crate::verdict::Found;

pub(crate) struct SymmetricSystems<'m, P: Packed> {
    systems: &'m dyn Systems<P>,
    /// The model without a goal.
    model: &'m dyn ProductSystems<P>,
    info: &'m SymmetryInfo<'m>,
    how: Symmetry,
}

impl<'m, P: Packed> SymmetricSystems<'m, P> {
    /// `systems` is the model or has its states, which have a fixed layout.
    pub fn new(
        systems: &'m dyn Systems<P>,
        model: &'m dyn ProductSystems<P>,
        info: &'m SymmetryInfo<'m>,
        how: Symmetry,
    ) -> SymmetricSystems<'m, P> {
        SymmetricSystems { systems, model, info, how }
    }
}

impl<P: Packed> Systems<P> for SymmetricSystems<'_, P> {
    fn info(&self) -> &ModelInfo<'_> {
        self.systems.info()
    }

    fn reduction(&self) -> &ReductionInfo<'_> {
        self.systems.reduction()
    }

    fn has_hidden(&self) -> bool {
        self.systems.has_hidden()
    }

    fn system<'s>(&'s self, wants: Wants, config: Option<ReductionConfig<'s>>) -> Box<dyn System<P> + 's> {
        Box::new(SymmetricSystem {
            of: self,
            system: self.systems.system(wants, config),
            representing: Representing::new(self.info, self.how),
            steps: Successors::new(),
        })
    }

    fn leave_out(&self, moves: &[Move], found: Found, n_states: u64, is_over: &dyn Fn() -> bool) -> Option<Vec<Move>> {
        self.systems.leave_out(moves, found, n_states, is_over)
    }
}

impl<P: Packed> ProductSystems<P> for SymmetricSystems<'_, P> {
    fn product_system<'s>(&'s self, config: Option<ReductionConfig<'s>>) -> Box<dyn ProductSystem<'s, P> + 's> {
        Box::new(SymmetricProductSystem {
            of: self,
            system: self.model.product_system(config),
            representing: Representing::new(self.info, self.how),
            steps: Successors::new(),
        })
    }

    fn end_place(&self, moves: &[Move]) -> Option<(Pid, usize, SourcePosition)> {
        self.model.end_place(moves)
    }

    fn goal_place(&self, moves: &[Move], goal: &Goal) -> Option<(Pid, usize, SourcePosition)> {
        self.model.goal_place(moves, goal)
    }

    /// A trail is one of the model.
    fn exact_run(&self, trail: &Trail) -> Option<Trail> {
        self.model.exact_run(trail)
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
        self.model.run_through(orbits, represent, is_member, found)
    }
}

/// A state on its way to its representative.
struct Representing<'s, P> {
    by: Representatives<'s>,
    state: P,
    words: Vec<u64>,
}

impl<'s, P: Packed> Representing<'s, P> {
    fn new(info: &'s SymmetryInfo<'s>, how: Symmetry) -> Representing<'s, P> {
        Representing { by: Representatives::new(info, how), state: P::default(), words: Vec::new() }
    }

    /// Replaces `self.state` by its representative.
    fn represent(&mut self) {
        let n_words = self.state.n_words();
        self.words.clear();
        self.words.extend((0..n_words).map(|index| self.state.word(index)));
        self.by.represent(&mut self.words);
        let words = &self.words;
        self.state.set_words(n_words, |index| words[index]);
    }

    /// Appends the representatives of steps, and the violations among them.
    fn hand_on(&mut self, steps: &mut Successors<P>, out: &mut Successors<P>) {
        let found = std::mem::take(&mut steps.found);
        let mut found = found.into_iter().peekable();
        for position in 0..steps.len() {
            while let Some(met) = found.next_if(|met| met.n_arrivals <= position) {
                out.push_found(met.found);
            }
            let arrival = steps.arrivals[position];
            steps.read(position, &mut self.state);
            self.represent();
            out.push(&self.state, arrival.n_steps, Ok(arrival.hidden));
        }
        for met in found {
            out.push_found(met.found);
        }
        if steps.is_full() {
            out.set_full();
        }
    }
}

/// The system as a factor of a product. A claim that exchanges leave as it is moves in a representative as in every state
/// of the orbit. Who moves is not handed on: under fairness it would have to be followed through the exchanges.
struct SymmetricProductSystem<'s, P: Packed> {
    of: &'s SymmetricSystems<'s, P>,
    system: Box<dyn ProductSystem<'s, P> + 's>,
    representing: Representing<'s, P>,
    steps: Successors<P>,
}

impl<'s, P: Packed> ProductSystem<'s, P> for SymmetricProductSystem<'s, P> {
    fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        let hidden = self.system.initial(&mut self.representing.state)?;
        self.representing.represent();
        into.clone_from(&self.representing.state);
        Ok(hidden)
    }

    fn go_to(&mut self, state: &P, hidden: Hidden) {
        self.system.go_to(state, hidden);
    }

    fn has_accept_label(&self) -> bool {
        self.system.has_accept_label()
    }

    fn makes_progress(&self) -> bool {
        self.system.makes_progress()
    }

    fn offer_claim_moves(
        &mut self,
        claim: usize,
        at: ClaimLocation,
        timeout: bool,
        to: &mut dyn ClaimMoves<Point<P>>,
    ) -> Result<(), OutOfMemory> {
        self.system.offer_claim_moves(claim, at, timeout, to)
    }

    fn take_steps(&mut self, take: Take, is_fair: bool, out: &mut Successors<P>, pulse: &mut dyn Pulse<P>) -> Taken {
        assert!(!is_fair, "fairness is searched without symmetry");
        self.steps.truncate(Mark::default());
        let mut beat = OuterPulse { pulse, out };
        let taken = self.system.take_steps(take, is_fair, &mut self.steps, &mut beat);
        self.representing.hand_on(&mut self.steps, out);
        taken
    }

    fn note_rejection(&mut self) {
        self.system.note_rejection();
    }

    fn dyn_state(&self) -> DynState<'s> {
        self.system.dyn_state()
    }

    fn tally(&self) -> Tally {
        self.system.tally()
    }

    fn representatives(&self) -> Option<Representatives<'s>> {
        Some(Representatives::new(self.of.info, Symmetry::Exact))
    }

    fn real_initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        self.system.initial(into)
    }
}

struct SymmetricSystem<'s, P: Packed> {
    of: &'s SymmetricSystems<'s, P>,
    system: Box<dyn System<P> + 's>,
    representing: Representing<'s, P>,
    /// The steps out of the state that is being expanded.
    steps: Successors<P>,
}

impl<P: Packed> System<P> for SymmetricSystem<'_, P> {
    fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        let hidden = self.system.initial(&mut self.representing.state)?;
        self.representing.represent();
        into.clone_from(&self.representing.state);
        Ok(hidden)
    }

    fn expand(
        &mut self,
        from: &P,
        hidden: Hidden,
        n_rejected: usize,
        out: &mut Successors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Expansion {
        self.steps.truncate(Mark::default());
        let mut beat = OuterPulse { pulse, out };
        let expansion = self.system.expand(from, hidden, n_rejected, &mut self.steps, &mut beat);
        self.representing.hand_on(&mut self.steps, out);
        expansion
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

    /// A run of the model through the orbits of the path. Two states are in one orbit if their exact representatives are
    /// equal, whatever the search has used.
    fn rebuild(&mut self, path: &[Point<P>], found: Found) -> Vec<Move> {
        let mut exact = Representatives::new(self.of.info, Symmetry::Exact);
        let mut represent = |words: &[u64]| {
            let mut words = words.to_vec();
            exact.represent(&mut words);
            words
        };
        let words = |packed: &P| (0..packed.n_words()).map(|index| packed.word(index)).collect::<Vec<u64>>();
        let orbits: Vec<Vec<u64>> = path.iter().map(|point| represent(&words(&point.packed))).collect();
        let endings = self.of.info.endings;
        let is_member = |pid: Pid| endings.is_some_and(|endings| endings.is_member(pid.index() as u32));
        self.of.model.run_through(&orbits, &mut represent, &is_member, found)
    }

    fn tally(&self) -> Tally {
        self.system.tally()
    }
}

/// The pulse of the search, from within an expansion. What has arrived there is not yet in the buffer of the search.
struct OuterPulse<'p, P: Packed> {
    pulse: &'p mut dyn Pulse<P>,
    out: &'p mut Successors<P>,
}

impl<P: Packed> Pulse<P> for OuterPulse<'_, P> {
    fn beat(&mut self, _: &mut Successors<P>) -> bool {
        self.pulse.beat(self.out)
    }
}
