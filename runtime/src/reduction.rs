//! What the compiler found out about which processes can disturb each other, for searches that take only some of the
//! steps of a state.
//!
//! A choice is always a set of processes, all of whose steps are taken. It is sound if nothing that the other
//! processes may do, now or later, can meddle with those steps before one of them is taken. Two kinds of knowledge
//! lead to such sets: *levels* say, for a process and the place where it stands, how large a cluster has to be so that
//! nobody outside can meddle; *facets* are bits, one for each way in which one process can meddle with another
//! (writes `x`, receives from `c`), and say of a process what it may still do and what would disturb it.

use crate::step::{Pid, PidSet, TransitionId};

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
    /// Processes that fall into parts where they stand; at most [`MOST_PARTS`] parts in all.
    pub splits: &'static [Split],
    /// Whether somebody looks at pids, so that it matters in which order processes come and go.
    pub pids_are_observed: bool,
    /// Locations from which a process may still look at them, or start another one.
    pub may_observe_pids: &'static [u64],
    /// Whether a process may be safe because it said (`xr`, `xs`) that it uses a channel alone. Who relies on that must look
    /// after it ([`Model::breach`](crate::model::Model::breach)); the table [`Fair`](Table::Fair) does not.
    pub relies_on_promises: bool,
    /// For each claim of the model.
    pub claims: &'static [Visibility],
    /// When accept labels, or progress labels, are what is looked for.
    pub acceptance: Visibility,
    pub progress: Visibility,
}

/// What a property can notice.
#[derive(Clone, Copy, Debug)]
pub struct Visibility {
    /// Locations that some statement leaves whose effect it can notice.
    pub visible: &'static [u64],
    /// Why all steps must be taken when it is checked, if so.
    pub off: Option<&'static str>,
    /// `off` is a doubt whether it notices when a state is repeated. The user may know that it does not.
    pub is_doubt: bool,
    /// A repeated state changes the way of the claim only near the place of the repetition. If not, it is not enough
    /// that it does not notice: then what is left out must not depend on where the claim stands, or the claim may have
    /// to begin another way again and again and never come to accept.
    pub is_stutter_robust: bool,
}

impl Visibility {
    pub const NOTHING: Visibility = Visibility { visible: &[], off: None, is_doubt: false, is_stutter_robust: true };
}

const NOTHING_KNOWN: &str = "nothing is known about which processes disturb each other";

impl ReductionInfo {
    /// Whether somebody tried to find out, so that it is worth a word if nothing came of it.
    pub(crate) fn is_known(&self) -> bool {
        self.off != Some(NOTHING_KNOWN)
    }

    /// Of a model about which nothing is known.
    pub const UNKNOWN: ReductionInfo = ReductionInfo {
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

/// Processes that may be taken together: those that exist from the beginning by pid, the others by proctype.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    pub pids: PidSet,
    pub proctypes: &'static [u16],
}

/// The number of parts that a set of them has room for.
pub const MOST_PARTS: usize = 64;

/// A process that never leaves a location once it is there, and does several things that have nothing to do with each
/// other: it is as good as several processes.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    pub pid: Pid,
    /// An index into [`ModelInfo::locations`](crate::model::ModelInfo::locations).
    pub location: usize,
    /// The number of the first part, among those of all processes.
    pub first: u32,
    pub parts: &'static [ProcessPart],
}

/// A part of what a process does.
#[derive(Clone, Copy, Debug)]
pub struct ProcessPart {
    pub transitions: &'static [TransitionId],
    /// What it may still do, as a row of facets.
    pub future: &'static [u64],
}

impl Split {
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

/// The level that a row of a generated table gives: without and with fairness, and both once more for a process that is
/// the youngest while nobody else looks at pids.
#[inline]
pub fn level(row: [u8; 4], table: Table, counts_pids: bool) -> u8 {
    let place = u32::from(table == Table::Fair) + if counts_pids { 0 } else { 2 };
    (u32::from_le_bytes(row) >> (8 * place)) as u8
}

/// Adds facets to a row.
#[inline]
pub fn add(row: &mut [u64], facets: &[u64]) {
    row.iter_mut().zip(facets).for_each(|(word, more)| *word |= more);
}

/// Whether a set of locations holds one.
#[inline]
pub(crate) fn has_location(set: &[u64], location: usize) -> bool {
    set.get(location / 64).is_some_and(|word| word >> (location % 64) & 1 == 1)
}
