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
    AmpleSet, Expansion, Mark, Point, ProductSystems, Pulse, ReductionConfig, ReductionStatistics, Successors, System,
    Systems, Tally, ThrottleSetting, Wants,
};
use crate::distance::Distances;
use crate::fault::Fault;
use crate::hidden::Hidden;
use crate::model::ModelInfo;
use crate::options::Symmetry;
use crate::pack::Packed;
use crate::reduction::ReductionInfo;
use crate::symmetry::{Representatives, SymmetryInfo};
use crate::trail::Move;
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
            representatives: Representatives::new(self.info, self.how),
            steps: Successors::new(),
            state: P::default(),
            words: Vec::new(),
        })
    }

    fn leave_out(&self, moves: &[Move], found: Found, n_states: u64, is_over: &dyn Fn() -> bool) -> Option<Vec<Move>> {
        self.systems.leave_out(moves, found, n_states, is_over)
    }
}

struct SymmetricSystem<'s, P: Packed> {
    of: &'s SymmetricSystems<'s, P>,
    system: Box<dyn System<P> + 's>,
    representatives: Representatives<'s>,
    /// The steps out of the state that is being expanded.
    steps: Successors<P>,
    state: P,
    words: Vec<u64>,
}

impl<P: Packed> SymmetricSystem<'_, P> {
    /// Replaces `self.state` by its representative.
    fn represent(&mut self) {
        let n_words = self.state.n_words();
        self.words.clear();
        self.words.extend((0..n_words).map(|index| self.state.word(index)));
        self.representatives.represent(&mut self.words);
        let words = &self.words;
        self.state.set_words(n_words, |index| words[index]);
    }
}

impl<P: Packed> System<P> for SymmetricSystem<'_, P> {
    fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        let hidden = self.system.initial(&mut self.state)?;
        self.represent();
        into.clone_from(&self.state);
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
        let found = std::mem::take(&mut self.steps.found);
        let mut found = found.into_iter().peekable();
        for position in 0..self.steps.len() {
            while let Some(met) = found.next_if(|met| met.n_arrivals <= position) {
                out.push_found(met.found);
            }
            let arrival = self.steps.arrivals[position];
            self.steps.read(position, &mut self.state);
            self.represent();
            out.push(&self.state, arrival.n_steps, Ok(arrival.hidden));
        }
        for met in found {
            out.push_found(met.found);
        }
        if self.steps.is_full() {
            out.set_full();
        }
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
        self.of.model.run_through(&orbits, &mut represent, found)
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
