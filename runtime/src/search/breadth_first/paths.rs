//! The run to a state: back along the origins of states, and then forwards by expanding them again.

use super::expansion_order::{ExpansionId, ExpansionOrder, StateId};
use super::level_throttle::LevelThrottle;
use super::sightings::Sightings;
use super::thread_queue::ThreadQueue;
use crate::pack::Packed;
use crate::search::ancestry::Origin;
use crate::search::control::Control;
use crate::system::{Mark, NoLimits, Point, ReductionConfig, Successors, System, Systems, Wants};

/// The queues and expansion orders of all threads.
pub(super) struct Paths<'p, P: Packed> {
    pub systems: &'p dyn Systems<P>,
    pub config: Option<ReductionConfig<'p>>,
    pub queues: Vec<&'p ThreadQueue<P>>,
    pub expansion_orders: Vec<&'p ExpansionOrder>,
    pub throttle: &'p LevelThrottle,
}

/// The initial state.
const ROOT: StateId = StateId { number: 0, queue: 0 };

impl<P: Packed> Paths<'_, P> {
    /// Reports the violations, with the runs to them.
    pub fn report(&self, sightings: &mut Sightings, all_errors: bool, control: &mut Control<'_>) {
        let wants = control.wants;
        for sighting in sightings.take(all_errors) {
            control.meet_times(sighting.found, sighting.occurrences, || {
                let path = self.state_of(sighting.at).and_then(|state| self.path_to(state, wants)).unwrap_or_default();
                self.systems.system(wants, self.config).rebuild(&path, sighting.found)
            });
        }
    }

    /// The state that was expanded then.
    fn state_of(&self, expansion: ExpansionId) -> Option<StateId> {
        Some(self.expansion_orders.get(usize::from(expansion.thread))?.state(expansion.number))
    }

    /// The states from the initial one to that one.
    fn path_to(&self, to: StateId, wants: Wants) -> Option<Vec<Point<P>>> {
        let mut readers: Vec<_> = self.queues.iter().map(|queue| queue.origins()).collect();
        let mut origins = Vec::new();
        let mut at = to;
        while at != ROOT {
            let Origin { expansion_index, ordinal } = readers.get_mut(usize::from(at.queue))?.of(at.number)?;
            at = self.state_of(ExpansionId { number: expansion_index, thread: at.queue })?;
            origins.push((at.number, ordinal));
        }
        // A system of its own, so that its statistics are not counted twice.
        let mut system = self.systems.system(wants, self.config);
        let mut point = Point::default();
        point.hidden = system.initial(&mut point.packed).ok()?;
        let mut path = vec![point];
        let mut successors = Successors::new();
        for (depth, (number, ordinal)) in (0..).zip(origins.into_iter().rev()) {
            let from = path.last()?;
            system.set_throttle(self.throttle.at(depth).of_state(number, || from.packed.hash()));
            let next = successor(&mut *system, from, ordinal, &mut successors)?;
            path.push(next);
        }
        Some(path)
    }
}

/// The successor of a state with this ordinal, which counts through all ample sets that were tried. What `buffer` holds has
/// no influence.
pub(in crate::search) fn successor<P: Packed>(
    system: &mut dyn System<P>,
    from: &Point<P>,
    ordinal: u32,
    buffer: &mut Successors<P>,
) -> Option<Point<P>> {
    let mut ordinal = ordinal as usize;
    let mut n_rejected = 0;
    loop {
        buffer.truncate(Mark::default());
        let expansion = system.expand(&from.packed, from.hidden, n_rejected, buffer, &mut NoLimits);
        if let Some(arrival) = buffer.arrivals.get(ordinal) {
            let mut point = Point { packed: P::default(), hidden: arrival.hidden };
            buffer.read(ordinal, &mut point.packed);
            return Some(point);
        }
        ordinal -= buffer.len();
        n_rejected = expansion.chosen?;
    }
}
