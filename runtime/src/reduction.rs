//! What the compiler found out about which processes can disturb each other, for searches that take only some of the
//! steps of a state.
//!
//! A choice is always a set of processes, all of whose steps are taken. It is sound if nothing that the other
//! processes may do, now or later, can meddle with those steps before one of them is taken. Two kinds of knowledge
//! lead to such sets: *levels* say, for a process and the place where it stands, how large a cluster has to be so that
//! nobody outside can meddle; *facets* are bits, one for each way in which one process can meddle with another
//! (writes `x`, receives from `c`), and say of a process what it may still do and what would disturb it.

use crate::step::PidSet;

/// The level of a process that nothing makes safe.
pub const NEVER: u8 = u8::MAX;

/// Which table of levels is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    Plain,
    /// Nobody's being enabled changes either, as weak fairness needs it.
    Fair,
}

/// Tables that a generated crate has as constants. Sets of locations are bit sets by the number of the location.
#[derive(Debug)]
pub struct ReductionInfo {
    /// Why all steps must be taken in this model, if so.
    pub off: Option<&'static str>,
    /// The number of words in a row of facets.
    pub n_words: usize,
    /// The clusters of each level above 0, where every process is alone.
    pub levels: &'static [&'static [Cluster]],
    /// While `init` stands at one of these locations it still starts processes, and levels above 0 mean nothing.
    pub beginning: &'static [u64],
    /// Locations that every cycle of a process passes.
    pub sticky: &'static [u64],
    /// For each claim the locations that some statement leaves which it can notice.
    pub visible_to_claims: &'static [&'static [u64]],
    /// The same for accept labels and for progress labels, when they are what is looked for.
    pub visible_as_accept: &'static [u64],
    pub visible_as_progress: &'static [u64],
}

impl ReductionInfo {
    /// Of a model about which nothing is known.
    pub const UNKNOWN: ReductionInfo = ReductionInfo {
        off: Some("nothing is known about which processes disturb each other"),
        n_words: 0,
        levels: &[],
        beginning: &[],
        sticky: &[],
        visible_to_claims: &[],
        visible_as_accept: &[],
        visible_as_progress: &[],
    };
}

/// Processes that may be taken together: those that exist from the beginning by pid, the others by proctype.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    pub pids: PidSet,
    pub proctypes: &'static [u16],
}

/// Whether a set of locations holds one.
#[inline]
pub(crate) fn has_location(set: &[u64], location: usize) -> bool {
    set.get(location / 64).is_some_and(|word| word >> (location % 64) & 1 == 1)
}
