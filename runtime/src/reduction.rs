//! Static facts for partial-order reduction: which processes are independent.
//!
//! An ample set is a set of processes, all of whose steps the search takes. It is sound if no action of the other
//! processes, now or later, depends on those steps before one of them is taken. Two kinds of facts lead to such sets.
//! *Levels* say, for a process at a location, how large a cluster has to be so that no process outside can interfere.
//! *Dependency classes* ("writes `x`", "receives from `c`") are numbered, so that bit sets say what a process may still do
//! and what it depends on.
//!
//! All facts err towards less reduction.

use crate::fault::Fault;
use crate::model::Model;
use crate::step::{Pid, PidSet, TransitionId};

/// The independence relation of a model, as far as partial-order reduction needs it (Godefroid, "Partial-Order Methods
/// for the Verification of Concurrent Systems", 1996).
///
/// A model without an analysis uses the defaults, and every state is fully expanded: `impl Independence for Peterson
/// {}`.
pub trait Independence: Model {
    /// The facts that reductions may rely on. By default none.
    fn reduction(&self) -> &ReductionInfo<'_> {
        &ReductionInfo::UNKNOWN
    }

    /// The least level at which no process outside the cluster of `pid` can interfere with any statement at its
    /// location, enabled or not; [`NEVER`] if there is none. Without `counts_pids`, the process is the
    /// youngest and no other process observes pids.
    fn safe_level(&self, state: &Self::State, pid: Pid, table: Table, counts_pids: bool) -> u8 {
        let _ = (state, pid, table, counts_pids);
        NEVER
    }

    /// The dependency classes of all steps that process `pid`, and processes that it starts, may still take, as a bit
    /// set.
    fn future(&self, state: &Self::State, pid: Pid) -> &[u64] {
        let _ = (state, pid);
        &[]
    }

    /// Adds the dependencies of process `pid` in this state to a bit set of dependency classes: for an enabled step,
    /// the classes that do not commute with it; for a disabled one, a necessary enabling set.
    fn add_dependencies(&self, state: &Self::State, pid: Pid, bit_set: &mut [u64]) {
        let _ = (state, pid);
        bit_set.fill(u64::MAX);
    }

    /// [`add_dependencies`](Self::add_dependencies) for one part of a process that splits at its location: see
    /// [`ReductionInfo::splits`], which also has the classes of what the part may still do.
    fn add_part_dependencies(&self, state: &Self::State, part: u32, bit_set: &mut [u64]) {
        let _ = (state, part);
        bit_set.fill(u64::MAX);
    }

    /// Whether exclusive use of channels (`xr`, `xs`), which levels may rely on, has to be checked at run time.
    #[inline]
    fn has_promises(&self) -> bool {
        false
    }

    /// A statement at the location of process `pid`, enabled or not, that uses a channel of which another process has
    /// exclusive use, and the fault that this is. Called only if [`has_promises`](Self::has_promises).
    fn breach(&self, state: &Self::State, pid: Pid) -> Option<(TransitionId, Fault)> {
        let _ = (state, pid);
        None
    }
}

/// The level of a process that is in no ample set.
pub const NEVER: u8 = u8::MAX;

/// Which table of levels to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Without fairness.
    Plain,
    /// Steps at the location also keep the enabledness of all other processes, as weak fairness requires.
    Fair,
}

/// Tables that a generated crate has as constants, and that a model made at run time borrows. Sets of locations are bit sets.
#[derive(Debug)]
pub struct ReductionInfo<'m> {
    /// Why all states of this model must be fully expanded, if so.
    pub off: Option<&'m str>,
    /// The number of words in a bit set of dependency classes.
    pub n_words: usize,
    /// The clusters of each level above 0, where every process is alone.
    pub levels: &'m [&'m [Cluster<'m>]],
    /// Locations at which `init` still starts processes; meanwhile levels above 0 are not valid.
    pub beginning: &'m [u64],
    /// Locations such that every cycle of a process contains one, for the static cycle proviso.
    pub sticky: &'m [u64],
    /// Processes that split into parts at a location; at most [`MOST_PARTS`] parts in all.
    pub splits: &'m [Split<'m>],
    /// Whether some process observes pids, so that the order in which processes start and end is visible.
    pub pids_are_observed: bool,
    /// Locations from which a process may still observe pids, or start another process.
    pub may_observe_pids: &'m [u64],
    /// Whether levels rely on promises of exclusive use (`xr`, `xs`). A search that uses them must check the promises
    /// ([`Independence::breach`]); the table [`Fair`](Table::Fair) does not rely on them.
    pub relies_on_promises: bool,
    /// For each claim of the model.
    pub claims: &'m [Visibility<'m>],
    /// For the search for acceptance cycles without a claim, and for non-progress cycles.
    pub acceptance: Visibility<'m>,
    /// For the search for non-progress cycles.
    pub progress: Visibility<'m>,
}

/// Which statements are visible to a property (condition C2 of ample sets).
#[derive(Clone, Copy, Debug)]
pub struct Visibility<'m> {
    /// Locations with a visible statement.
    pub visible: &'m [u64],
    /// Why all states must be fully expanded when it is checked, if so.
    pub off: Option<&'m str>,
    /// `off` says that the property may not be closed under stuttering. The user may know that it is.
    pub is_doubt: bool,
    /// A stuttering step changes the run of the claim's automaton only nearby. If not, closure under stuttering is not
    /// enough: the ample set must not depend on the location of the claim, or its automaton may begin another run
    /// again and again and never accept (Siegel, CAV 2019).
    pub is_stutter_robust: bool,
}

impl Visibility<'_> {
    /// Nothing is visible.
    pub const NOTHING: Visibility<'static> =
        Visibility { visible: &[], off: None, is_doubt: false, is_stutter_robust: true };
}

const NOTHING_KNOWN: &str = "no dependencies between processes are known";

impl ReductionInfo<'_> {
    /// Whether the model was analysed, so that the user should know why there is no reduction.
    pub(crate) fn is_known(&self) -> bool {
        self.off != Some(NOTHING_KNOWN)
    }

    /// The facts about a model that was not analysed.
    pub const UNKNOWN: ReductionInfo<'static> = ReductionInfo {
        off: Some(NOTHING_KNOWN),
        n_words: 0,
        levels: &[],
        beginning: &[],
        sticky: &[],
        splits: &[],
        pids_are_observed: false,
        may_observe_pids: &[],
        relies_on_promises: false,
        claims: &[],
        acceptance: Visibility::NOTHING,
        progress: Visibility::NOTHING,
    };
}

/// Processes that form an ample set together: those that exist from the beginning by pid, the others by proctype.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'m> {
    /// The members that exist from the beginning.
    pub pids: PidSet,
    /// The proctypes of the other members.
    pub proctypes: &'m [u16],
}

/// The most parts that a set of parts can hold.
pub const MOST_PARTS: usize = 64;

/// A process that never leaves a location, and whose statements there fall into independent parts: the reduction treats
/// it as several processes.
#[derive(Clone, Copy, Debug)]
pub struct Split<'m> {
    /// The process.
    pub pid: Pid,
    /// An index into [`ModelInfo::locations`](crate::model::ModelInfo::locations).
    pub location: usize,
    /// The number of the first part, among the parts of all processes.
    pub first: u32,
    /// Its parts at this location.
    pub parts: &'m [ProcessPart<'m>],
}

/// Statements of a process that are independent of its other statements.
#[derive(Clone, Copy, Debug)]
pub struct ProcessPart<'m> {
    /// Its statements.
    pub transitions: &'m [TransitionId],
    /// The dependency classes of what it may still do, as a bit set.
    pub future: &'m [u64],
}

impl Split<'_> {
    /// All parts of the process, as bits by their numbers.
    pub(crate) fn mask(&self) -> u64 {
        (u64::MAX >> (MOST_PARTS - self.parts.len())) << self.first
    }

    /// Whether a transition belongs to one of the parts in `chosen`.
    pub(crate) fn has(&self, chosen: u64, transition: TransitionId) -> bool {
        let is_chosen = |number: usize| chosen >> (self.first as usize + number) & 1 == 1;
        let mut parts = self.parts.iter().enumerate();
        parts.any(|(number, part)| is_chosen(number) && part.transitions.contains(&transition))
    }
}

/// The level in an entry of a generated table: without and with fairness, and both once more for a process that is the
/// youngest while no other process observes pids.
#[inline]
pub fn level(row: [u8; 4], table: Table, counts_pids: bool) -> u8 {
    let place = u32::from(table == Table::Fair) + if counts_pids { 0 } else { 2 };
    (u32::from_le_bytes(row) >> (8 * place)) as u8
}

/// Adds dependency classes to a bit set.
#[inline]
pub fn add(bit_set: &mut [u64], classes: &[u64]) {
    bit_set.iter_mut().zip(classes).for_each(|(word, more)| *word |= more);
}

/// Whether a set of locations contains one.
#[inline]
pub(crate) fn has_location(set: &[u64], location: usize) -> bool {
    set.get(location / 64).is_some_and(|word| word >> (location % 64) & 1 == 1)
}
