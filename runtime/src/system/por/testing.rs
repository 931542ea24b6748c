//! A state made by hand, for the tests of the reduction.

use super::config::{ReductionConfig, Runs};
use super::view::ReductionView;
use crate::options::{Algorithm, Options, Proviso, Reduction};
use crate::property::Property;
use crate::reduction::{Cluster, ProcessPart, ReductionInfo, Split, Table, Visibility};
use crate::step::{Pid, PidSet, TransitionId};

/// The location at which the process with pid 1 splits into two parts, with the transitions 10 and 11.
pub const SPLIT_LOCATION: usize = 3;

/// Location 1 is on every cycle; at location 2 processes are started.
pub static INFO: ReductionInfo<'static> = ReductionInfo {
    off: None,
    n_words: 1,
    levels: &[&[Cluster { pids: PidSet::from_words([1, 0, 0, 0]), proctypes: &[] }]],
    beginning: &[0b100],
    sticky: &[0b10],
    splits: &[Split {
        pid: Pid(1),
        location: SPLIT_LOCATION,
        first: 0,
        parts: &[
            ProcessPart { transitions: &[TransitionId(10)], future: &[0b01] },
            ProcessPart { transitions: &[TransitionId(11)], future: &[0b10] },
        ],
    }],
    claims: &[
        Visibility::NOTHING,
        Visibility { is_stutter_robust: false, ..Visibility::NOTHING },
        Visibility { off: Some("a doubt"), is_doubt: true, ..Visibility::NOTHING },
    ],
    ..ReductionInfo::UNKNOWN
};

/// For a depth-first search for safety.
pub fn config(reduction: Reduction, proviso: Proviso) -> ReductionConfig<'static> {
    let options = Options { reduction, proviso, algorithm: Algorithm::DepthFirst, ..Options::default() };
    ReductionConfig::new(&INFO, Property::Safety, Runs::Finite, &options)
        .unwrap_or_else(|reason| panic!("no reduction: {reason:?}"))
}

/// The properties of the processes of a state, by pid. Parts have those of their processes.
#[derive(Default)]
pub struct View {
    pub locations: Vec<usize>,
    pub levels: Vec<u8>,
    pub proctypes: Vec<usize>,
    pub futures: Vec<&'static [u64]>,
    pub dependencies: Vec<u64>,
    pub part_dependencies: Vec<u64>,
    pub steps: Vec<Vec<(TransitionId, bool)>>,
}

impl View {
    pub fn with_locations(locations: &[usize]) -> View {
        let proctypes = vec![0; locations.len()];
        View { locations: locations.to_vec(), proctypes, ..View::default() }
    }
}

impl ReductionView<'static> for View {
    fn n_processes(&self) -> usize {
        self.locations.len()
    }

    fn add_levels(&self, _: Table, _: bool, levels: &mut Vec<u8>) {
        levels.extend(&self.levels);
    }

    fn safe_below(&self, below: usize, _: Table, _: bool) -> Option<Pid> {
        (0..below).rev().find(|&index| self.levels[index] == 0).map(Pid::from_index)
    }

    fn location(&self, pid: Pid) -> usize {
        self.locations[pid.index()]
    }

    fn proctype(&self, pid: Pid) -> usize {
        self.proctypes[pid.index()]
    }

    fn future(&self, pid: Pid) -> &'static [u64] {
        self.futures[pid.index()]
    }

    fn add_dependencies(&self, pid: Pid, classes: &mut [u64]) {
        classes[0] |= self.dependencies[pid.index()];
    }

    fn add_part_dependencies(&self, part: u32, classes: &mut [u64]) {
        classes[0] |= self.part_dependencies[part as usize];
    }

    fn tell_steps(&self, pid: Pid, tell: &mut dyn FnMut(TransitionId, bool)) {
        for &(transition, is_step) in self.steps.get(pid.index()).into_iter().flatten() {
            tell(transition, is_step);
        }
    }
}
