//! Ample sets of several processes that the compiler computed: clusters.
//!
//! A cluster of level `n` holds processes that use some objects together. A process has level `n` at a location if only
//! processes of its cluster of that level can interfere with the statements there.

use super::config::ReductionConfig;
use super::view::ReductionView;
use crate::reduction::{Cluster, NEVER, has_location};
use crate::step::{Pid, PidSet};

/// Whether every process that belongs to a cluster by its pid has been started.
pub(super) fn are_all_started(config: &ReductionConfig<'_>, on: &dyn ReductionView<'_>) -> bool {
    let is_beginning = |index| has_location(config.info.beginning, on.location(Pid::from_index(index)));
    config.info.beginning.is_empty() || !(0..on.n_processes()).any(is_beginning)
}

/// Fills in the level of each process, [`NEVER`] where it must be fully expanded.
pub(super) fn find_levels(
    config: &ReductionConfig<'_>,
    on: &dyn ReductionView<'_>,
    pids_matter: bool,
    levels: &mut Vec<u8>,
) {
    levels.clear();
    on.add_levels(config.table, pids_matter, levels);
    if config.has_full_expansion() {
        for (index, level) in levels.iter_mut().enumerate() {
            if config.must_be_fully_expanded(on, Pid::from_index(index)) {
                *level = NEVER;
            }
        }
    }
}

/// The living members of a cluster, if all are safe at this level.
pub(super) fn safe_members(
    levels: &[u8],
    on: &dyn ReductionView<'_>,
    cluster: &Cluster<'_>,
    cluster_level: usize,
) -> Option<PidSet> {
    let mut members = PidSet::EMPTY;
    for (index, &level) in levels.iter().enumerate() {
        let pid = Pid::from_index(index);
        let is_member = cluster.pids.contains(pid)
            || !cluster.proctypes.is_empty() && cluster.proctypes.contains(&(on.proctype(pid) as u16));
        if is_member {
            if usize::from(level) > cluster_level {
                return None;
            }
            members = members.with(pid);
        }
    }
    (!members.is_empty()).then_some(members)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{View, config};
    use super::*;
    use crate::options::{Proviso, Reduction};

    const CLUSTER: Cluster<'static> = Cluster { pids: PidSet::from_words([1, 0, 0, 0]), proctypes: &[7] };

    #[test]
    fn a_cluster_has_living_members_by_pid_and_by_proctype() {
        let view = View { proctypes: vec![0, 0, 7], ..View::with_locations(&[0, 0, 0]) };
        let members: PidSet = [Pid(0), Pid(2)].into_iter().collect();
        assert_eq!(safe_members(&[1, NEVER, 1], &view, &CLUSTER, 1), Some(members));
        assert_eq!(safe_members(&[1, 0, 2], &view, &CLUSTER, 1), None, "a member can be interfered with from outside");
        let nobody = Cluster { pids: PidSet::only(Pid(9)), proctypes: &[] };
        assert_eq!(safe_members(&[0, 0, 0], &view, &nobody, 1), None);
    }

    #[test]
    fn processes_that_must_be_fully_expanded_have_no_level() {
        let view = View { levels: vec![1, 1], ..View::with_locations(&[0, 1]) };
        let mut levels = vec![9];
        find_levels(&config(Reduction::Cluster, Proviso::Visited), &view, true, &mut levels);
        assert_eq!(levels, [1, 1]);
        find_levels(&config(Reduction::Cluster, Proviso::Static), &view, true, &mut levels);
        assert_eq!(levels, [1, NEVER]);
    }

    #[test]
    fn clusters_wait_until_all_processes_are_started() {
        let config = config(Reduction::Cluster, Proviso::Visited);
        assert!(are_all_started(&config, &View::with_locations(&[0, 1])));
        assert!(!are_all_started(&config, &View::with_locations(&[2, 1])));
    }
}
