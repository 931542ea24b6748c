//! Stubborn sets of processes, computed in a state (Valmari, "Stubborn sets for reduced state space generation", 1989).
//!
//! A set T of processes is stubborn here if it is closed under "may depend on": whenever it has a process, it has all
//! processes whose future contains an action that a statement of that process depends on. Such a set is ample: let
//! processes outside of T take steps. Each of these is in the future of its process, and none of the futures outside of
//! T depends on a process of T. So each enabled step of T stays enabled and commutes with what happened outside, and
//! each disabled step of T stays disabled, because what could enable it is in none of these futures. Hence the first
//! step of T in any run is one that the search takes now, and the run could have begun with it.
//!
//! Actions are numbered by *dependency classes* ("writes `x`", "receives from `c`"), so futures and dependencies are bit
//! sets.

use super::config::{ReductionConfig, StubbornOrder};
use super::view::ReductionView;
use super::{AmpleSet, parts};
use crate::reduction::Split;
use crate::sorting::sort_by_key;
use crate::step::Pid;
use std::cmp::Reverse;

/// The most processes and parts among which stubborn sets are computed: a set of them is a word.
pub(super) const MOST_AGENTS: usize = 64;

/// Computes the stubborn sets of one state after the other.
#[derive(Default)]
pub(super) struct StubbornSets<'m> {
    agents: Vec<Agent<'m>>,
    /// The next one last.
    sets: Vec<StubbornSet>,
    /// The dependency classes that one agent depends on.
    dependencies: Vec<u64>,
}

/// A process, or a part of one, in the current state.
#[derive(Clone, Copy)]
struct Agent<'m> {
    pid: Pid,
    /// The number of the part.
    part: Option<u32>,
    future: &'m [u64],
    must_be_fully_expanded: bool,
    /// The agents that it depends on, as bits.
    depends_on: u64,
    n_steps: u32,
}

/// A set of agents, as bits.
#[derive(Clone, Copy)]
struct StubbornSet {
    agents: u64,
    n_steps: u32,
}

impl<'m> StubbornSets<'m> {
    pub fn clear(&mut self) {
        self.sets.clear();
    }

    pub fn pop(&mut self) -> Option<AmpleSet> {
        let set = self.sets.pop()?;
        let mut ample = AmpleSet::default();
        for agent in self.agents.iter().enumerate().filter(|(index, _)| set.agents >> index & 1 == 1) {
            match agent.1.part {
                Some(part) => ample.parts |= 1 << part,
                None => ample.pids = ample.pids.with(agent.1.pid),
            }
        }
        Some(ample)
    }

    /// For each agent the smallest stubborn set with it, unless that has all agents or one that must be fully expanded.
    pub fn find(&mut self, config: &ReductionConfig<'m>, on: &dyn ReductionView<'m>) {
        self.sets.clear();
        if !self.list_agents(config, on) {
            return;
        }
        let n = self.agents.len();
        self.dependencies.resize(config.info.n_words, 0);
        for index in 0..n {
            let agent = self.agents[index];
            self.dependencies.fill(0);
            match agent.part {
                Some(part) => on.add_part_dependencies(part, &mut self.dependencies),
                None => on.add_dependencies(agent.pid, &mut self.dependencies),
            }
            self.agents[index].depends_on = match self.dependencies[..] {
                [classes] => {
                    agents_with(&self.agents, |future| future.first().is_some_and(|future| future & classes != 0))
                }
                ref classes => agents_with(&self.agents, |future| {
                    future.iter().zip(classes).any(|(future, classes)| future & classes != 0)
                }),
            };
        }
        self.close();
        let full = bits(self.agents.iter().map(|agent| agent.must_be_fully_expanded));
        let all = u64::MAX >> (64 - n);
        // From the highest pid down; the first to be tried is the last in the list.
        for (index, agent) in self.agents.iter().enumerate().rev() {
            let agents = agent.depends_on | 1 << index;
            let is_wanted = agents != all && agents & full == 0;
            if is_wanted && !self.sets.iter().any(|other| other.agents == agents) {
                self.sets.push(StubbornSet { agents, n_steps: 0 });
            }
        }
        self.sets.reverse();
        self.sort(config, on);
    }

    /// Lists the processes, and the parts of those that split. Returns false if there are too many.
    fn list_agents(&mut self, config: &ReductionConfig<'m>, on: &dyn ReductionView<'m>) -> bool {
        self.agents.clear();
        for index in 0..on.n_processes() {
            let pid = Pid::from_index(index);
            let must_be_fully_expanded = config.must_be_fully_expanded(on, pid);
            let agent = Agent { pid, part: None, future: &[], must_be_fully_expanded, depends_on: 0, n_steps: 0 };
            match split(config, on, pid) {
                Some(split) => self.agents.extend((split.first..).zip(split.parts).map(|(number, part)| Agent {
                    part: Some(number),
                    future: part.future,
                    ..agent
                })),
                None => self.agents.push(Agent { future: on.future(pid), ..agent }),
            }
            if self.agents.len() > MOST_AGENTS {
                return false;
            }
        }
        true
    }

    /// The transitive closure of `depends_on` (Warshall).
    fn close(&mut self) {
        for middle in 0..self.agents.len() {
            let behind = self.agents[middle].depends_on;
            for agent in &mut self.agents {
                if agent.depends_on >> middle & 1 == 1 {
                    agent.depends_on |= behind;
                }
            }
        }
    }

    /// Sorts the sets, the next one last. Where steps are counted, drops sets without an enabled step and sets with all
    /// enabled steps.
    fn sort(&mut self, config: &ReductionConfig<'m>, on: &dyn ReductionView<'m>) {
        // A stable sort keeps the set found from the highest pid behind its equals.
        sort_by_key(&mut self.sets, |set| Reverse(set.agents.count_ones()));
        if config.stubborn_order == StubbornOrder::FewestProcesses || self.sets.len() < 2 {
            return;
        }
        self.count_steps(config, on);
        let all: u32 = self.agents.iter().map(|agent| agent.n_steps).sum();
        for set in &mut self.sets {
            let members = self.agents.iter().enumerate().filter(|(index, _)| set.agents >> index & 1 == 1);
            set.n_steps = members.map(|(_, agent)| agent.n_steps).sum();
        }
        self.sets.retain(|set| set.n_steps > 0 && set.n_steps < all);
        sort_by_key(&mut self.sets, |set| Reverse(set.n_steps));
    }

    fn count_steps(&mut self, config: &ReductionConfig<'m>, on: &dyn ReductionView<'m>) {
        let mut first = 0;
        while let Some(&Agent { pid, .. }) = self.agents.get(first) {
            let n_agents = self.agents[first..].iter().take_while(|agent| agent.pid == pid).count();
            let split = split(config, on, pid);
            let agents = &mut self.agents[first..first + n_agents];
            on.tell_steps(pid, &mut |transition, is_step| {
                let is_its = |agent: &&mut Agent<'_>| match (split, agent.part) {
                    (Some(split), Some(part)) => split.has(1 << part, transition),
                    _ => true,
                };
                if let Some(agent) = agents.iter_mut().find(is_its).filter(|_| is_step) {
                    agent.n_steps += 1;
                }
            });
            first += n_agents;
        }
    }
}

fn split<'m>(config: &ReductionConfig<'m>, on: &dyn ReductionView<'m>, pid: Pid) -> Option<&'m Split<'m>> {
    parts::split(config.info, pid, || on.location(pid))
}

/// The agents with such a future, as bits.
#[inline]
fn agents_with(agents: &[Agent<'_>], is_such: impl Fn(&[u64]) -> bool) -> u64 {
    bits(agents.iter().map(|agent| is_such(agent.future)))
}

#[inline]
fn bits(are: impl Iterator<Item = bool>) -> u64 {
    are.enumerate().fold(0, |bits, (index, is)| bits | u64::from(is) << index)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SPLIT_LOCATION, View, config};
    use super::*;
    use crate::options::{Proviso, Reduction};
    use crate::step::{PidSet, TransitionId};

    fn found(view: &View, proviso: Proviso) -> Vec<AmpleSet> {
        let mut sets = StubbornSets::default();
        sets.find(&config(Reduction::Stubborn, proviso), view);
        std::iter::from_fn(|| sets.pop()).collect()
    }

    fn pids(pids: &[u8]) -> AmpleSet {
        AmpleSet { pids: pids.iter().map(|&pid| Pid::from_index(pid.into())).collect(), parts: 0 }
    }

    /// So many enabled steps of each process.
    fn steps(numbers: &[usize]) -> Vec<Vec<(TransitionId, bool)>> {
        numbers.iter().map(|&n| vec![(TransitionId(0), true); n]).collect()
    }

    #[test]
    fn a_set_is_closed_under_dependency() {
        // Process 0 depends on what 1 may do, 1 on what 2 may do, 2 and 3 on nothing.
        let view = View {
            futures: vec![&[0b0001], &[0b0010], &[0b0100], &[0b1000]],
            dependencies: vec![0b0010, 0b0100, 0, 0],
            steps: steps(&[1, 1, 1, 1]),
            ..View::with_locations(&[0; 4])
        };
        assert_eq!(found(&view, Proviso::Visited), [pids(&[3]), pids(&[2]), pids(&[1, 2]), pids(&[0, 1, 2])]);
    }

    #[test]
    fn sets_with_few_steps_come_first_and_those_without_never() {
        let view = View {
            futures: vec![&[1], &[2], &[4], &[8]],
            dependencies: vec![0; 4],
            steps: steps(&[1, 2, 0, 3]),
            ..View::with_locations(&[0; 4])
        };
        assert_eq!(found(&view, Proviso::Visited), [pids(&[0]), pids(&[1]), pids(&[3])]);
    }

    #[test]
    fn a_process_that_must_be_fully_expanded_is_in_no_set() {
        let view = View {
            futures: vec![&[1], &[2], &[4]],
            dependencies: vec![0b10, 0, 0],
            steps: steps(&[1, 1, 1]),
            ..View::with_locations(&[0, 1, 0])
        };
        assert_eq!(found(&view, Proviso::Static), [pids(&[2])]);
        assert_eq!(found(&view, Proviso::Visited), [pids(&[2]), pids(&[1]), pids(&[0, 1])]);
    }

    #[test]
    fn a_set_may_have_a_part_of_a_process() {
        let view = View {
            futures: vec![&[0b100], &[0b011]],
            // Process 0 depends on the second part of process 1 alone.
            dependencies: vec![0b010, 0],
            part_dependencies: vec![0, 0],
            steps: vec![vec![(TransitionId(0), true)], vec![(TransitionId(10), true), (TransitionId(11), true)]],
            ..View::with_locations(&[0, SPLIT_LOCATION])
        };
        let part = |parts| AmpleSet { pids: PidSet::EMPTY, parts };
        let both = AmpleSet { pids: PidSet::only(Pid(0)), parts: 0b10 };
        assert_eq!(found(&view, Proviso::Visited), [part(0b10), part(0b01), both]);
    }
}
