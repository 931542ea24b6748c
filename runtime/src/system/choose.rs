//! Which processes may be taken alone in a state.
//!
//! Candidates are sets of processes, the most promising first, and the order is a contract: counts depend on it. First
//! single processes that are safe where they stand, then clusters of them level by level, the highest pid first in
//! each; then, computed in the state, the sets that are closed under "can be disturbed by", the smallest first and
//! among equals the one found from the highest pid. A search tries one after the other until one holds an enabled step
//! and passes the search's proviso, and takes all steps if none does.
//!
//! Why a closed set T is sound: let a process outside T make steps. Each of them is in that process's future. None of
//! the futures outside T disturbs a process of T: so each enabled step of T stays enabled, commutes with what happened
//! outside, and each disabled one stays disabled, since what could enable it is no part of those futures. Hence
//! whatever happens first in T is one of the steps that the search takes now, and it could have happened first of all.

use crate::model::Model;
use crate::options::{Options, Proviso, Reduction};
use crate::property::Property;
use crate::reduction::{Cluster, NEVER, Notices, ReductionInfo, Table, has_location};
use crate::step::{Pid, PidSet};

/// Closed sets are looked for among at most this many processes.
const MOST_CLOSED: usize = 64;

/// What is to be left out, for one property; the same in all states.
#[derive(Clone, Copy)]
pub(crate) struct Choosing {
    info: &'static ReductionInfo,
    table: Table,
    n_levels: usize,
    closes: bool,
    is_static: bool,
    /// Locations that the property can see, by property.
    visible: &'static [u64],
    /// It rests on the user's word that a claim does not notice when a state is repeated.
    pub is_assumed: bool,
}

/// Offers the candidates of one state after the other.
pub(super) struct Chooser<'m, M: Model> {
    model: &'m M,
    choosing: Choosing,
    /// Of the state at hand: for each process its level.
    levels: Vec<u8>,
    next: Next,
    /// Closed sets, the next one last.
    closed: Vec<PidSet>,
    rows: Vec<u64>,
}

/// The candidate to look at next.
#[derive(Clone, Copy)]
enum Next {
    /// Processes below this one, alone.
    Single(usize),
    /// The cluster of this rank, at this level above 0.
    Cluster(usize, usize),
    FindClosed,
    Closed,
}

impl Choosing {
    /// Nothing if the search must take all steps; the reason, if the user should know it.
    pub fn new(
        info: &'static ReductionInfo,
        property: Property,
        options: &Options,
    ) -> Result<Choosing, Option<&'static str>> {
        if options.reduction == Reduction::Off || !info.is_known() {
            return Err(None);
        }
        if options.shortest {
            return Err(Some("--shortest compares all runs"));
        }
        if let Some(reason) = info.off {
            return Err(Some(reason));
        }
        let unknown = Some("nothing is known about what the claim can notice");
        let unknown = Notices { off: unknown, ..Notices::NOTHING };
        let watched = match property {
            Property::Safety => Notices::NOTHING,
            Property::Claim(claim) => info.claims.get(claim).copied().unwrap_or(unknown),
            Property::Acceptance => info.acceptance,
            Property::NonProgress => info.progress,
        };
        let is_assumed = watched.is_doubt && options.assume_stutter_closed;
        if let Some(reason) = watched.off.filter(|_| !is_assumed) {
            return Err(Some(reason));
        }
        let visible = watched.visible;
        let fair = options.fair && property != Property::Safety;
        let wants = options.reduction;
        Ok(Choosing {
            info,
            table: if fair { Table::Fair } else { Table::Plain },
            n_levels: if wants == Reduction::Ample { 0 } else { info.levels.len() },
            // A closed set says nothing about who else is enabled, which is what fairness is about.
            closes: matches!(wants, Reduction::Auto | Reduction::Stubborn) && !fair && info.n_words > 0,
            // What was visited depends on where the claim was, and so would the choice.
            is_static: options.proviso == Proviso::Static || !watched.is_patient,
            visible,
            is_assumed,
        })
    }

    /// Whether a chosen set is accepted without looking at what was visited.
    pub fn is_static(&self) -> bool {
        self.is_static
    }
}

impl<'m, M: Model> Chooser<'m, M> {
    pub fn new(model: &'m M, choosing: Choosing) -> Chooser<'m, M> {
        let (levels, closed, rows) = (Vec::new(), Vec::new(), Vec::new());
        Chooser { model, choosing, levels, next: Next::Closed, closed, rows }
    }

    /// Begins with another state. With one process there is nothing to choose.
    pub fn start(&mut self, state: &M::State) {
        let n = self.model.n_processes(state);
        self.closed.clear();
        if n < 2 {
            self.next = Next::Closed;
            return;
        }
        // Of the youngest it does not matter how pids change, if nobody else looks at them.
        let looks =
            |index| has_location(self.choosing.info.may_look, self.model.location(state, Pid::from_index(index)));
        let is_watched = self.choosing.info.pids_are_observed && (0..n - 1).any(looks);
        self.levels.clear();
        for index in 0..n {
            let pid = Pid::from_index(index);
            let counts_pids = is_watched || index + 1 < n;
            let is_barred = self.is_barred(state, pid);
            self.levels.push(if is_barred {
                NEVER
            } else {
                self.model.safe_level(state, pid, self.choosing.table, counts_pids)
            });
        }
        self.next = Next::Single(n);
    }

    /// Whether all must be taken where this process stands.
    fn is_barred(&self, state: &M::State, pid: Pid) -> bool {
        if self.choosing.visible.is_empty() && !self.choosing.is_static {
            return false;
        }
        let location = self.model.location(state, pid);
        has_location(self.choosing.visible, location)
            || self.choosing.is_static && has_location(self.choosing.info.sticky, location)
    }

    /// The next candidate. Nothing says yet that a process in it can move.
    pub fn next(&mut self, state: &M::State) -> Option<PidSet> {
        loop {
            match self.next {
                Next::Single(below) => {
                    let single = (0..below).rev().find(|&index| self.levels[index] == 0);
                    let Some(index) = single else {
                        self.next =
                            if self.clusters_mean_something(state) { Next::Cluster(0, 0) } else { Next::FindClosed };
                        continue;
                    };
                    self.next = Next::Single(index);
                    return Some(PidSet::EMPTY.with(Pid::from_index(index)));
                }
                Next::Cluster(level, _) if level >= self.choosing.n_levels => self.next = Next::FindClosed,
                Next::Cluster(level, rank) => {
                    let Some(cluster) = self.choosing.info.levels[level].get(rank) else {
                        self.next = Next::Cluster(level + 1, 0);
                        continue;
                    };
                    self.next = Next::Cluster(level, rank + 1);
                    if let Some(members) = self.safe_members(state, cluster, level + 1) {
                        return Some(members);
                    }
                }
                Next::FindClosed => {
                    self.next = Next::Closed;
                    if self.choosing.closes && self.levels.len() <= MOST_CLOSED {
                        self.find_closed(state);
                    }
                }
                Next::Closed => return self.closed.pop(),
            }
        }
    }

    /// Whether every process that belongs to a cluster by its pid has been started.
    fn clusters_mean_something(&self, state: &M::State) -> bool {
        let is_beginning = |index| {
            let location = self.model.location(state, Pid::from_index(index));
            has_location(self.choosing.info.beginning, location)
        };
        self.choosing.info.beginning.is_empty() || !(0..self.levels.len()).any(is_beginning)
    }

    /// The living members of a cluster, if all are safe at this level.
    fn safe_members(&self, state: &M::State, cluster: &Cluster, level: usize) -> Option<PidSet> {
        let mut members = PidSet::EMPTY;
        for (index, &own) in self.levels.iter().enumerate() {
            let pid = Pid::from_index(index);
            let is_member = cluster.pids.contains(pid)
                || !cluster.proctypes.is_empty()
                    && cluster.proctypes.contains(&(self.model.proctype(state, pid) as u16));
            if is_member {
                if usize::from(own) > level {
                    return None;
                }
                members = members.with(pid);
            }
        }
        (!members.is_empty()).then_some(members)
    }

    /// For each process the smallest closed set with it, unless that is everybody or holds somebody who is barred.
    #[allow(clippy::needless_range_loop, reason = "the numbers are processes, used in several lists")]
    fn find_closed(&mut self, state: &M::State) {
        let n = self.levels.len();
        let n_words = self.choosing.info.n_words;
        self.rows.clear();
        self.rows.resize(n_words, 0);
        let mut futures: [&[u64]; MOST_CLOSED] = [&[]; MOST_CLOSED];
        let mut disturbed_by = [0_u64; MOST_CLOSED];
        let mut barred = 0_u64;
        for index in 0..n {
            let pid = Pid::from_index(index);
            futures[index] = self.model.future(state, pid);
            if self.is_barred(state, pid) {
                barred |= 1 << index;
            }
        }
        for index in 0..n {
            self.rows.fill(0);
            self.model.add_disturbers(state, Pid::from_index(index), &mut self.rows);
            for other in 0..n {
                let meddles = futures[other].iter().zip(&self.rows).any(|(future, row)| future & row != 0);
                if meddles && other != index {
                    disturbed_by[index] |= 1 << other;
                }
            }
        }
        let everybody = u64::MAX >> (64 - n);
        for seed in 0..n {
            let (mut set, mut todo) = (1_u64 << seed, 1_u64 << seed);
            while todo != 0 {
                let index = todo.trailing_zeros() as usize;
                todo &= todo - 1;
                todo |= disturbed_by[index] & !set;
                set |= disturbed_by[index];
            }
            let pids = PidSet::from_words([set, 0, 0, 0]);
            if set != everybody && set & barred == 0 {
                self.closed.retain(|&other| other != pids);
                self.closed.push(pids);
            }
        }
        // The next one last; a stable sort keeps the one found from the highest pid behind the others of its size.
        self.closed.sort_by_key(|set| std::cmp::Reverse(set.len()));
    }
}
