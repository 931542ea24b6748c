//! The distance of a state to a target in the control flow: the heuristic of guided search.
//!
//! The distance of a location is the fewest steps that a process there takes before it arrives at a target, whatever the
//! values of variables; the distance of a state is that of its nearest process. A step of the system moves each process
//! along one step of its own at most, and a process that it starts comes from a location that is one step farther. So the
//! distance falls by at most one in a step: it is consistent, and A* need not expand a state twice.
//!
//! A target is a location, or an assertion. An assertion is reached in the step out of a state, so that its distance is
//! that of the state before.

use crate::control_flow::{ControlFlow, UNREACHABLE};
use crate::model::ModelInfo;
use crate::reduction::has_location;
use std::collections::VecDeque;

/// The distances of all locations to the targets of one property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distances {
    /// Empty if nothing is known: then every state is as near as the target itself.
    locations: Vec<u32>,
    /// By the locations of the claim.
    claim: Vec<u32>,
}

impl Distances {
    /// To the nearest assertion.
    pub fn to_assertions(info: &ModelInfo<'_>) -> Distances {
        let Some(flow) = &info.control_flow else { return Distances::default() };
        let edges = Edges::new(info, flow);
        let locations = edges.distances(&edges.before_assertions(info, flow));
        Distances { locations, claim: Vec::new() }
    }

    /// To the nearest of these locations.
    pub fn to_locations(info: &ModelInfo<'_>, targets: &[bool]) -> Distances {
        let locations = match &info.control_flow {
            Some(flow) => Edges::new(info, flow).distances(targets),
            None => targets.iter().map(|is_target| u32::from(!is_target)).collect(),
        };
        Distances { locations, claim: Vec::new() }
    }

    /// To the end of a claim.
    pub fn to_end_of_claim(info: &ModelInfo<'_>, claim: usize) -> Distances {
        let claims = info.control_flow.map_or(&[][..], |flow| flow.claims);
        Distances { locations: Vec::new(), claim: claims.get(claim).map_or(Vec::new(), |known| known.to_vec()) }
    }

    /// The distance of a state with processes at these locations.
    pub fn of_processes(&self, locations: &mut dyn Iterator<Item = usize>) -> u32 {
        if self.locations.is_empty() {
            return 0;
        }
        let mut least = UNREACHABLE;
        while least > 0
            && let Some(location) = locations.next()
        {
            least = least.min(self.locations.get(location).copied().unwrap_or(0));
        }
        least
    }

    /// The distance of a state with the claim at this location.
    pub fn of_claim(&self, location: u16) -> u32 {
        self.claim.get(usize::from(location)).copied().unwrap_or(0)
    }
}

/// The steps of all processes, as edges between locations.
struct Edges<'f> {
    n_locations: usize,
    flow: &'f ControlFlow<'f>,
    /// For each location those that a statement leads from there to, and where processes begin that it starts.
    into: Vec<Vec<usize>>,
}

impl<'f> Edges<'f> {
    fn new(info: &ModelInfo<'_>, flow: &'f ControlFlow<'f>) -> Edges<'f> {
        let n_locations = info.locations.len();
        let mut edges = Edges { n_locations, flow, into: vec![Vec::new(); n_locations] };
        for transition in info.transitions {
            edges.add(transition.from as usize, transition.to as usize);
        }
        for &(from, transition) in flow.also_leaves {
            if let Some(transition) = info.transition(transition) {
                edges.add(from as usize, transition.to as usize);
            }
        }
        for &(transition, begin) in flow.starts {
            let also = flow.also_leaves.iter().filter(|(_, other)| *other == transition).map(|&(from, _)| from);
            for from in info.transition(transition).map(|known| known.from).into_iter().chain(also) {
                edges.add(from as usize, begin as usize);
            }
        }
        edges
    }

    fn add(&mut self, from: usize, to: usize) {
        if from < self.n_locations && to < self.n_locations {
            self.into[to].push(from);
        }
    }

    fn is_passed(&self, location: usize) -> bool {
        has_location(self.flow.passed, location)
    }

    /// Locations from which an assertion may be evaluated in the next step.
    fn before_assertions(&self, info: &ModelInfo<'_>, flow: &ControlFlow<'_>) -> Vec<bool> {
        let is_assertion = |number: usize| has_location(flow.assertions, number);
        let own = info.transitions.iter().enumerate().filter(|(number, _)| is_assertion(*number));
        let own = own.map(|(_, transition)| transition.from as usize);
        let also = flow.also_leaves.iter().filter(|(_, transition)| is_assertion(transition.index()));
        let also = also.map(|&(from, _)| from as usize);
        let mut before = vec![false; self.n_locations];
        let mut new: Vec<usize> = own.chain(also).filter(|&from| from < self.n_locations).collect();
        while let Some(location) = new.pop() {
            if !std::mem::replace(&mut before[location], true) && self.is_passed(location) {
                new.extend(&self.into[location]);
            }
        }
        before
    }

    /// A search backwards from the targets. It distinguishes where a process rests (`at`) from where it arrives within a
    /// step (`on`), since it may pass on from there at no cost.
    fn distances(&self, targets: &[bool]) -> Vec<u32> {
        let (mut at, mut on) = (vec![UNREACHABLE; self.n_locations], vec![UNREACHABLE; self.n_locations]);
        let mut queue: VecDeque<(usize, bool)> = VecDeque::new();
        for location in (0..self.n_locations).filter(|&location| targets[location]) {
            at[location] = 0;
            queue.push_back((location, false));
        }
        while let Some((location, is_arrival)) = queue.pop_front() {
            if !is_arrival {
                if at[location] < on[location] {
                    on[location] = at[location];
                    queue.push_front((location, true));
                }
                continue;
            }
            let distance = on[location];
            for &from in &self.into[location] {
                if distance + 1 < at[from] {
                    at[from] = distance + 1;
                    queue.push_back((from, false));
                }
                if self.is_passed(from) && distance < on[from] {
                    on[from] = distance;
                    queue.push_front((from, true));
                }
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LocationInfo, SourcePosition, TransitionInfo, TransitionKind};
    use crate::step::TransitionId;

    const PLACE: SourcePosition = SourcePosition { file: 0, line: 1, column: 1 };

    /// The distances of the locations of a model with these edges.
    fn distances(edges: &[(u32, u32)], flow: ControlFlow<'_>, target: Option<usize>) -> Vec<u32> {
        let transition = |&(from, to): &(u32, u32)| TransitionInfo {
            proctype: 0,
            kind: TransitionKind::Other,
            place: PLACE,
            text: "step",
            from,
            to,
            merged: &[],
        };
        let transitions: Vec<_> = edges.iter().map(transition).collect();
        let n_locations = edges.iter().map(|&(from, to)| from.max(to)).max().unwrap_or(0) as usize + 1;
        let locations = vec![LocationInfo { proctype: 0, place: PLACE, labels: &[] }; n_locations];
        let info = ModelInfo {
            name: "m.pml",
            hash: "",
            pmc_version: "",
            files: &["m.pml"],
            proctypes: &[],
            transitions: &transitions,
            locations: &locations,
            claims: &[],
            growing: &[],
            control_flow: Some(flow),
            story: "",
            n_timers: 0,
            ticks_at_once: false,
            abstract_time: false,
            notes: &[],
            is_interpreted: false,
        };
        match target {
            None => Distances::to_assertions(&info).locations,
            Some(target) => {
                let is_target: Vec<bool> = (0..n_locations).map(|location| location == target).collect();
                Distances::to_locations(&info, &is_target).locations
            }
        }
    }

    const FLOW: ControlFlow<'static> =
        ControlFlow { passed: &[], assertions: &[], also_leaves: &[], starts: &[], claims: &[] };

    #[test]
    fn an_assertion_is_met_in_the_step_behind_the_last_state() {
        let flow = ControlFlow { assertions: &[0b100], ..FLOW };
        let chain = [(0, 1), (1, 2), (2, 3), (3, 3)];
        assert_eq!(distances(&chain, flow, None), [2, 1, 0, UNREACHABLE]);
        assert_eq!(distances(&chain, flow, Some(3)), [3, 2, 1, 0]);
        // An escape leaves other locations too.
        let escape = ControlFlow { also_leaves: &[(0, TransitionId(2))], ..flow };
        assert_eq!(distances(&chain, escape, None), [0, 1, 0, UNREACHABLE]);
    }

    #[test]
    fn what_is_passed_costs_nothing() {
        // From 0 through 1 and 2, which are inside an atomic sequence, to 3.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4)];
        let atomic = ControlFlow { passed: &[0b110], ..FLOW };
        assert_eq!(distances(&edges, atomic, Some(3)), [1, 1, 1, 0, UNREACHABLE]);
        let asserts_inside = ControlFlow { assertions: &[0b100], ..atomic };
        assert_eq!(distances(&edges, asserts_inside, None), [0, 0, 0, UNREACHABLE, UNREACHABLE]);
    }

    #[test]
    fn a_new_process_is_one_step_behind_the_one_that_starts_it() {
        // The statement from 0 to 1 starts a process at 2, which asserts behind 3.
        let edges = [(0, 1), (2, 3), (3, 4)];
        let flow = ControlFlow { assertions: &[0b100], starts: &[(TransitionId(0), 2)], ..FLOW };
        assert_eq!(distances(&edges, flow, None), [2, UNREACHABLE, 1, 0, UNREACHABLE]);
    }

    #[test]
    fn a_state_is_as_near_as_its_nearest_process() {
        let known = Distances { locations: vec![3, 1, UNREACHABLE], claim: Vec::new() };
        let of = |locations: &[usize]| known.of_processes(&mut locations.iter().copied());
        assert_eq!([of(&[0, 2]), of(&[0, 1, 2]), of(&[2]), of(&[])], [3, 1, UNREACHABLE, UNREACHABLE]);
        assert_eq!(Distances::default().of_processes(&mut [5].into_iter()), 0, "nothing is known");
    }
}
