//! What reductions ask about a model: tables, and tests of a state.
//!
//! Processes of one proctype for which the same holds share an entry; the others
//! are told apart by their pid.

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
    /// Where `init` stands before anything else can have happened.
    pub beginning: LocationSet,
    pub sticky: LocationSet,
    pub pids_are_observed: bool,
    pub may_observe_pids: LocationSet,
    pub relies_on_promises: bool,
    /// What each claim can see, the never claims first.
    pub claims: Vec<Visibility>,
    /// What a search for acceptance cycles can see.
    pub acceptance: Visibility,
    /// What a search for non-progress cycles can see.
    pub progress: Visibility,
    pub levels: IdVec<ProctypeId, Vec<Shared<Levels>>>,
    /// Nothing if there are too many processes and objects for bit sets.
    pub stubborn: Option<Stubborn>,
}

/// What stubborn sets are made from.
#[derive(Clone, Debug)]
pub struct Stubborn {
    /// The words of a bit set of dependency classes.
    pub n_words: usize,
    /// What a process may still do, by the location where it stands.
    pub future: IdVec<ProctypeId, Vec<Shared<IdVec<LocationId, ClassSet>>>>,
    /// What a process depends on, by the location where it stands.
    pub dependencies: IdVec<ProctypeId, Vec<Shared<IdVec<LocationId, Dependencies>>>>,
    pub splits: Vec<Split>,
}

/// What holds for some processes of a proctype.
#[derive(Clone, Debug)]
pub struct Shared<T> {
    /// Nothing if all processes of the proctype are meant.
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
    /// All processes of these.
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

/// What a process depends on at a location, or one part of a process that is split there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependencies {
    Everything,
    Some {
        always: ClassSet,
        /// One for each step whose dependencies change with the state.
        steps: Vec<StepDependencies>,
    },
}

/// What one step depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepDependencies {
    /// Reasons why it is disabled, each with a necessary enabling set. The first that holds counts.
    pub disabled: Vec<(Test, ClassSet)>,
    /// If none of them holds: what does not commute with it.
    pub enabled: ClassSet,
}

/// A process whose steps at one location fall into parts that have nothing to do with each other.
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
    /// What the process may still do if it leaves by one of these.
    pub future: ClassSet,
    pub dependencies: Dependencies,
}

impl Independence {
    /// Every test that is asked of a state, with the proctype whose process asks.
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
    /// There is nothing to add to a bit set.
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
