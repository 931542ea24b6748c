//! Guided search: states that are near to a target in the control flow are expanded first.
//!
//! *Greedy* best-first search expands the state with the smallest distance to a target ([`Distances`]). A state is stored
//! when it is found. *A\** expands the state with the smallest sum of its depth and its distance, of those the nearest.
//! The distance is consistent (Hart, Nilsson, Raphael, *A formal basis for the heuristic determination of minimum cost
//! paths*, 1968): when a state is expanded, no shorter run to it is left to be found. Before that there may be one, so a
//! state is stored when it is expanded, and may be open several times.
//!
//! Either visits all states if there is no violation, so that its end is a proof.
//!
//! # With a reduction
//!
//! Greedy search may be reduced. An ample set is accepted if one of its successors is new: such a state is expanded later
//! than this one, so following such successors ends in a fully expanded state.

mod open;
mod origins;

use super::Counts;
use super::breadth_first::successor;
use super::control::{Control, LimitPulse};
use crate::distance::Distances;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::model::ModelInfo;
use crate::monitor::Progress;
use crate::options::Algorithm;
use crate::pack::Packed;
use crate::property::Property;
use crate::store::{StateSet, StoreOptions, Visited};
use crate::system::{Mark, Point, ReductionConfig, Sampling, Successors, System, Systems, ThrottleSetting};
use crate::verdict::{Found, ViolationKind};
use open::{Open, OpenState, Rank};
use origins::{Origin, Origins};

/// Expanded states between two checks of the clock.
const TICK: u64 = 512;

/// The distances to the targets of a property: assertions, the goal, or the end of the claim. A trace has none.
pub(super) fn distances(info: &ModelInfo<'_>, property: Property, goal: Option<&[bool]>) -> Distances {
    match (property, goal) {
        (Property::Safety, _) => Distances::to_assertions(info),
        (Property::Goal, Some(targets)) => Distances::to_locations(info, targets),
        (Property::Claim(claim), _) => Distances::to_end_of_claim(info, claim),
        (Property::Goal | Property::Acceptance | Property::NonProgress | Property::Zeno, _) => Distances::default(),
    }
}

/// Whether the distances of this property lead to violations of this kind.
pub(super) fn is_target(property: Property, kind: ViolationKind) -> bool {
    match property {
        Property::Safety => kind == ViolationKind::Assertion,
        Property::Goal => kind == ViolationKind::Goal,
        Property::Claim(_) => matches!(kind, ViolationKind::ClaimEnd | ViolationKind::Trace(_)),
        Property::Acceptance | Property::NonProgress | Property::Zeno => false,
    }
}

pub(super) fn search<'s, P: Packed, S: StateSet<P>>(
    systems: &'s dyn Systems<P>,
    config: Option<ReductionConfig<'s>>,
    distances: &Distances,
    store: &StoreOptions,
    control: &mut Control<'_>,
) -> Counts {
    let order = match control.options.algorithm {
        Algorithm::AStar => Order::AStar,
        _ => Order::Greedy,
    };
    let mut system = systems.system(control.wants, config);
    // The run to a violation is found again by the same expansions, so these depend on the state alone.
    system.set_throttle(ThrottleSetting::always(Sampling::ByHash));
    let set = match S::new(store) {
        Ok(set) => set,
        Err(OutOfMemory) => {
            control.out_of_memory(0);
            return Counts::default();
        }
    };
    let mut search = Guided {
        systems,
        config,
        distances,
        order,
        control,
        set,
        open: Open::new(),
        origins: Origins::default(),
        successors: Successors::new(),
        state: P::default(),
        next: P::default(),
        n_expanded: 0,
        transitions: 0,
        depth: 0,
        state_bytes: 0,
        beside: 0,
    };
    if let Err(OutOfMemory) = search.run(&mut *system) {
        let in_use = search.memory_bytes();
        search.control.out_of_memory(in_use);
    }
    search.tick();
    Counts {
        threads: 1,
        states_stored: search.set.n_states(),
        transitions: search.transitions,
        depth: search.depth,
        state_bytes: search.state_bytes as u64,
        memory_bytes: search.memory_bytes(),
        omissions: search.set.omissions(),
        storage_note: search.set.describe(),
        tally: system.tally(),
    }
}

/// What is expanded next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// The state with the smallest distance.
    Greedy,
    /// The state with the smallest sum of depth and distance.
    AStar,
}

impl Order {
    fn rank(self, depth: u64, distance: u32) -> Rank {
        let distance = u64::from(distance);
        match self {
            Order::Greedy => (distance, 0),
            Order::AStar => (depth.saturating_add(distance), distance),
        }
    }
}

struct Guided<'c, 'a, 's, P: Packed, S> {
    systems: &'s dyn Systems<P>,
    config: Option<ReductionConfig<'s>>,
    distances: &'c Distances,
    order: Order,
    control: &'c mut Control<'a>,
    set: S,
    open: Open<P>,
    origins: Origins,
    successors: Successors<P>,
    /// The state that is expanded, and one of its successors.
    state: P,
    next: P,
    n_expanded: u64,
    transitions: u64,
    depth: u64,
    state_bytes: usize,
    /// The memory beside the set, as of the last tick.
    beside: u64,
}

impl<P: Packed, S: StateSet<P>> Guided<'_, '_, '_, P, S> {
    fn run(&mut self, system: &mut dyn System<P>) -> Result<(), OutOfMemory> {
        match system.initial(&mut self.next) {
            Ok(hidden) => {
                let hash = self.next.hash();
                self.arrive(hash, 0, hidden, Origin::INITIAL, system)?;
            }
            Err(fault) => self.control.meet(Found::state(ViolationKind::Fault(fault)), Vec::new),
        }
        while !self.control.is_over() {
            let Some(entry) = self.open.pop(&mut self.state) else { break };
            let Some(number) = self.close(entry)? else { continue };
            if entry.depth > self.control.max_depth {
                self.control.cut();
                continue;
            }
            if self.n_expanded.is_multiple_of(TICK) && self.tick() {
                break;
            }
            self.n_expanded += 1;
            self.depth = self.depth.max(entry.depth);
            self.expand(number, entry, system)?;
        }
        Ok(())
    }

    /// The number of a state that is to be expanded; nothing if it was before. A* stores it now.
    fn close(&mut self, entry: OpenState) -> Result<Option<u64>, OutOfMemory> {
        if self.order == Order::Greedy {
            return Ok(Some(entry.origin));
        }
        let key = self.set.key(&self.state, self.state.hash())?;
        if self.is_full() && !self.set.contains(&self.state, key) {
            self.control.too_many_states();
            return Ok(None);
        }
        match self.set.insert(&self.state, key)? {
            Visited::New => Ok(Some(self.origins.push(Origin(entry.origin))?)),
            Visited::Seen => Ok(None),
        }
    }

    fn is_full(&self) -> bool {
        self.set.n_states() >= self.control.max_states
    }

    /// Expands the state in `self.state`.
    fn expand(&mut self, number: u64, at: OpenState, system: &mut dyn System<P>) -> Result<(), OutOfMemory> {
        let has_proviso = self.config.is_some_and(|config| !config.is_static());
        let (mut n_rejected, mut n_before) = (0, 0_usize);
        loop {
            self.successors.truncate(Mark::default());
            let memory_beside = self.set.memory_bytes() + self.beside;
            let mut pulse = LimitPulse { control: &mut *self.control, memory_beside };
            let expansion = system.expand(&self.state, at.hidden, n_rejected, &mut self.successors, &mut pulse);
            if self.successors.is_full() {
                return Err(OutOfMemory);
            }
            if cfg!(debug_assertions) {
                self.check_distances(at.hidden, system);
            }
            let has_new = self.arrive_all(number, at.depth + 1, n_before, system)?;
            match expansion.chosen {
                Some(n_tried) if has_proviso && !has_new && !self.removes_nothing(at.hidden, n_tried, system) => {
                    n_rejected = n_tried;
                    n_before += self.successors.len();
                }
                _ => break,
            }
        }
        for position in 0..self.successors.found.len() {
            if self.control.is_over() {
                break;
            }
            self.meet(self.successors.found[position].found, number);
        }
        Ok(())
    }

    /// The distance falls by at most one in a step, and is 0 before a target: A* relies on it.
    fn check_distances(&mut self, hidden: Hidden, system: &mut dyn System<P>) {
        let distance = system.distance(&self.state, hidden, self.distances);
        for (position, arrival) in self.successors.arrivals.iter().enumerate() {
            self.successors.read(position, &mut self.next);
            let behind = system.distance(&self.next, arrival.hidden, self.distances);
            assert!(distance <= behind.saturating_add(1), "a step leads from distance {distance} to {behind}");
        }
        let is_target = |found: Found| match found.kind {
            ViolationKind::Assertion => found.claim_move.is_none(),
            ViolationKind::Goal | ViolationKind::ClaimEnd => true,
            _ => false,
        };
        let target = self.successors.found.iter().find(|met| is_target(met.found));
        assert!(distance == 0 || target.is_none(), "a target is met at distance {distance}: {target:?}");
    }

    fn removes_nothing(&self, hidden: Hidden, n_tried: usize, system: &mut dyn System<P>) -> bool {
        let is_prompt = self.config.is_some_and(|config| config.is_prompt());
        !is_prompt && system.is_whole(&self.state, hidden, n_tried)
    }

    /// All successors of a state. Returns whether one of them is new.
    fn arrive_all(
        &mut self,
        parent: u64,
        depth: u64,
        n_before: usize,
        system: &mut dyn System<P>,
    ) -> Result<bool, OutOfMemory> {
        let mut has_new = false;
        for position in 0..self.successors.len() {
            if self.control.is_over() {
                break;
            }
            let arrival = self.successors.arrivals[position];
            self.successors.read(position, &mut self.next);
            let ordinal = u32::try_from(n_before + position).map_err(|_| OutOfMemory)?;
            let origin = Origin::new(parent, ordinal).ok_or(OutOfMemory)?;
            has_new |= self.arrive(arrival.hash, depth, arrival.hidden, origin, system)?;
        }
        Ok(has_new)
    }

    /// Arrives at the state in `self.next`. Returns whether it is new.
    fn arrive(
        &mut self,
        hash: u64,
        depth: u64,
        hidden: Hidden,
        origin: Origin,
        system: &mut dyn System<P>,
    ) -> Result<bool, OutOfMemory> {
        let key = self.set.key(&self.next, hash)?;
        let origin = match self.order {
            Order::AStar if self.set.contains(&self.next, key) => {
                self.transitions += 1;
                return Ok(false);
            }
            Order::AStar => origin.0,
            Order::Greedy => {
                if self.is_full() && !self.set.contains(&self.next, key) {
                    self.control.too_many_states();
                    return Ok(false);
                }
                if self.set.insert(&self.next, key)? == Visited::Seen {
                    self.transitions += 1;
                    return Ok(false);
                }
                self.origins.push(origin)?
            }
        };
        self.transitions += 1;
        self.state_bytes = self.state_bytes.max(self.next.n_bytes());
        let distance = system.distance(&self.next, hidden, self.distances);
        let entry = OpenState { depth, origin, hidden };
        self.open.push(self.order.rank(depth, distance), &self.next, entry)?;
        Ok(true)
    }

    /// Reports a violation in the state with this number, or in a step out of it.
    fn meet(&mut self, found: Found, number: u64) {
        let Guided { systems, config, origins, control, .. } = self;
        let wants = control.wants;
        control.meet(found, || {
            // A system of its own, so that its statistics are not counted twice.
            let mut system = systems.system(wants, *config);
            system.set_throttle(ThrottleSetting::always(Sampling::ByHash));
            let path = path(&mut *system, &origins.path_to(number)).unwrap_or_default();
            system.rebuild(&path, found)
        });
    }

    fn beside_bytes(&self) -> u64 {
        self.origins.memory_bytes() + self.open.memory_bytes() + self.successors.memory_bytes()
    }

    fn memory_bytes(&self) -> u64 {
        self.set.memory_bytes() + self.beside_bytes()
    }

    /// Reports the progress, and checks the limits. Returns whether the search is over.
    fn tick(&mut self) -> bool {
        let beside = self.beside_bytes();
        self.beside = beside;
        let memory_bytes = self.set.memory_bytes() + beside;
        self.set.set_memory_limit(self.control.memory_limit().saturating_sub(beside));
        self.control.tick(Progress {
            states_stored: self.set.n_states(),
            transitions: self.transitions,
            depth: self.depth,
            memory_bytes,
            ..Progress::default()
        })
    }
}

/// The states from the initial one on, by their numbers among the successors of the one before.
fn path<P: Packed>(system: &mut dyn System<P>, ordinals: &[u32]) -> Option<Vec<Point<P>>> {
    let mut point = Point::default();
    point.hidden = system.initial(&mut point.packed).ok()?;
    let mut path = vec![point];
    let mut successors = Successors::new();
    for &ordinal in ordinals {
        let next = successor(system, path.last()?, ordinal, &mut successors)?;
        path.push(next);
    }
    Some(path)
}
