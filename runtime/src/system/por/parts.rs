//! Processes that split into independent parts where they are.

use super::AmpleSet;
use super::view::ReductionView;
use crate::reduction::{ReductionInfo, Split};
use crate::step::{Pid, PidSet};

/// How a process splits where it is, if it does.
#[inline]
pub(in crate::system) fn split<'m>(
    info: &'m ReductionInfo<'m>,
    pid: Pid,
    location: impl Fn() -> usize,
) -> Option<&'m Split<'m>> {
    info.splits.iter().find(|split| split.pid == pid && split.location == location())
}

/// Processes with all their parts.
#[inline]
pub(super) fn whole(info: &ReductionInfo<'_>, on: &dyn ReductionView<'_>, pids: PidSet) -> AmpleSet {
    if info.splits.is_empty() { AmpleSet { pids, parts: 0 } } else { with_parts(info, on, pids) }
}

#[inline(never)]
fn with_parts(info: &ReductionInfo<'_>, on: &dyn ReductionView<'_>, pids: PidSet) -> AmpleSet {
    let mut set = AmpleSet::default();
    for pid in pids.iter() {
        match split(info, pid, || on.location(pid)) {
            Some(split) => set.parts |= split.mask(),
            None => set.pids = set.pids.with(pid),
        }
    }
    set
}

/// Whether a process or part of the set has a step, or one that fails.
pub(in crate::system) fn can_move(on: &dyn ReductionView<'_>, info: &ReductionInfo<'_>, set: AmpleSet) -> bool {
    (0..on.n_processes()).map(Pid::from_index).any(|pid| {
        let split = split(info, pid, || on.location(pid));
        let parts = set.parts & split.map_or(0, Split::mask);
        let is_asked = if split.is_some() { parts != 0 } else { set.pids.contains(pid) };
        let mut moves = false;
        if is_asked {
            on.tell_steps(pid, &mut |transition, _| moves |= split.is_none_or(|split| split.has(parts, transition)));
        }
        moves
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{INFO, SPLIT_LOCATION, View};
    use super::*;
    use crate::step::TransitionId;

    #[test]
    fn a_process_that_splits_is_in_a_set_by_its_parts() {
        let view = View::with_locations(&[0, SPLIT_LOCATION]);
        let pids: PidSet = [Pid(0), Pid(1)].into_iter().collect();
        assert_eq!(whole(&INFO, &view, pids), AmpleSet { pids: PidSet::only(Pid(0)), parts: 0b11 });
        let elsewhere = View::with_locations(&[0, 0]);
        assert_eq!(whole(&INFO, &elsewhere, pids), AmpleSet { pids, parts: 0 });
    }

    #[test]
    fn a_part_has_the_steps_of_its_transitions() {
        let steps = vec![vec![], vec![(TransitionId(11), true)]];
        let view = View { steps, ..View::with_locations(&[0, SPLIT_LOCATION]) };
        let part = |parts| AmpleSet { pids: PidSet::EMPTY, parts };
        assert!(!can_move(&view, &INFO, part(0b01)));
        assert!(can_move(&view, &INFO, part(0b10)));
        assert!(!can_move(&view, &INFO, AmpleSet { pids: PidSet::ALL, parts: 0 }));
    }
}
