//! The input of reductions: tables, and tests of a state.
//!
//! Processes of one proctype with the same properties share an entry; the others are distinguished by their pid.

use super::Test;
use crate::analysis::dependency_classes::ClassSet;
use crate::collections::IdVec;
use crate::ir::{LocationId, TransitionId};
use crate::model::ProctypeId;

/// Which steps of processes are independent of each other.
#[derive(Clone, Debug)]
pub struct Independence {
    /// The partitions into clusters, those of level 1 first.
    pub clusters: Vec<Vec<Cluster>>,
    /// The location of `init` before any other step can have happened.
    pub beginning: LocationSet,
    pub sticky: LocationSet,
    pub pids_are_observed: bool,
    pub may_observe_pids: LocationSet,
    pub relies_on_promises: bool,
    /// The steps that each claim can see, the never claims first.
    pub claims: Vec<Visibility>,
    /// The steps that a search for acceptance cycles can see.
    pub acceptance: Visibility,
    /// The steps that a search for non-progress cycles can see.
    pub progress: Visibility,
    pub levels: IdVec<ProctypeId, Vec<Shared<Levels>>>,
    /// Nothing if there are too many processes and objects for bit sets.
    pub stubborn: Option<Stubborn>,
}

/// The data for stubborn sets.
#[derive(Clone, Debug)]
pub struct Stubborn {
    /// The number of words in a bit set of dependency classes.
    pub n_words: usize,
    /// The dependency classes of the steps that a process may still take, by its location.
    pub future: IdVec<ProctypeId, Vec<Shared<IdVec<LocationId, ClassSet>>>>,
    /// The dependency classes that a process depends on, by its location.
    pub dependencies: IdVec<ProctypeId, Vec<Shared<IdVec<LocationId, Dependencies>>>>,
    pub splits: Vec<Split>,
}

/// An entry for some processes of a proctype.
#[derive(Clone, Debug)]
pub struct Shared<T> {
    /// Nothing if it is for all processes of the proctype.
    pub pids: Option<Vec<u32>>,
    pub of: T,
}

/// Locations as a bit set, by their numbers.
pub type LocationSet = Vec<u64>;

/// Processes that interfere only with each other.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// A bit set.
    pub pids: [u64; 4],
    /// All processes of these proctypes.
    pub proctypes: Vec<ProctypeId>,
}

/// Which steps a property can see.
#[derive(Clone, Debug)]
pub struct Visibility {
    /// The locations of such steps.
    pub visible: LocationSet,
    /// Why there is no reduction under this property.
    pub off: Option<&'static str>,
    /// The property may be stutter-closed all the same.
    pub is_doubt: bool,
    pub is_stutter_robust: bool,
}

impl Visibility {
    pub fn nothing() -> Self {
        Self { visible: Vec::new(), off: None, is_doubt: false, is_stutter_robust: true }
    }
}

/// At which level a process is independent of all processes outside of its cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    pub locations: IdVec<LocationId, LocationLevels>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationLevels {
    /// Plain and fair, then the same for the youngest process if no other process observes pids.
    pub levels: [u8; 4],
    /// Tests that raise the level, if they hold.
    pub raised: Vec<(Test, u8)>,
}

/// The dependencies of a process at a location, or of one part of a process that is split there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependencies {
    Everything,
    Some {
        always: ClassSet,
        /// One for each step whose dependencies change with the state.
        steps: Vec<StepDependencies>,
    },
}

/// The dependencies of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepDependencies {
    /// Reasons why it is disabled, each with a necessary enabling set. The first that holds counts.
    pub disabled: Vec<(Test, ClassSet)>,
    /// If none of them holds: the classes of steps that do not commute with it.
    pub enabled: ClassSet,
}

/// A process whose steps at one location fall into independent parts.
#[derive(Clone, Debug)]
pub struct Split {
    pub proctype: ProctypeId,
    pub pid: u32,
    pub at: LocationId,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub struct Part {
    pub transitions: Vec<TransitionId>,
    /// The dependency classes of what the process may still do if it leaves by one of these.
    pub future: ClassSet,
    pub dependencies: Dependencies,
}

impl Independence {
    /// Every test of a state, with the proctype of the process that it is evaluated for.
    pub fn tests(&self) -> impl Iterator<Item = (ProctypeId, &Test)> {
        let levels = self.levels.iter_enumerated().flat_map(|(id, shared)| {
            let locations = shared.iter().flat_map(|shared| &shared.of.locations);
            locations.flat_map(|location| &location.raised).map(move |(test, _)| (id, test))
        });
        levels.chain(self.stubborn.iter().flat_map(Stubborn::tests))
    }
}

impl Stubborn {
    fn tests(&self) -> impl Iterator<Item = (ProctypeId, &Test)> {
        let locations = self.dependencies.iter_enumerated().flat_map(|(id, shared)| {
            shared.iter().flat_map(|shared| &shared.of).map(move |dependencies| (id, dependencies))
        });
        let parts =
            self.splits.iter().flat_map(|split| split.parts.iter().map(|part| (split.proctype, &part.dependencies)));
        locations.chain(parts).flat_map(|(id, dependencies)| dependencies.tests().map(move |test| (id, test)))
    }
}

impl Dependencies {
    /// Whether it adds nothing to a bit set.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Some { always, steps } if always.is_empty() && steps.is_empty())
    }

    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        let steps: &[StepDependencies] = match self {
            Self::Everything => &[],
            Self::Some { steps, .. } => steps,
        };
        steps.iter().flat_map(|step| &step.disabled).map(|(test, _)| test)
    }
}
