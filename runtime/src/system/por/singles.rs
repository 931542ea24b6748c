//! Ample sets of one process.
//!
//! The compiler computes for each location whether all statements there are independent of what other processes do
//! (level 0), and invisible.

use super::config::ReductionConfig;
use super::view::ReductionView;
use crate::step::Pid;

/// The highest of the pids below `below` whose process may be expanded alone.
#[inline]
pub(super) fn single_below<'m>(
    config: &ReductionConfig<'m>,
    on: &impl ReductionView<'m>,
    mut below: usize,
    pids_matter: bool,
) -> Option<Pid> {
    loop {
        let pid = on.safe_below(below, config.table, pids_matter)?;
        if !config.must_be_fully_expanded(on, pid) {
            return Some(pid);
        }
        below = pid.index();
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{View, config};
    use super::*;
    use crate::options::{Proviso, Reduction};
    use crate::reduction::NEVER;

    #[test]
    fn the_highest_pid_comes_first_and_unsafe_processes_never() {
        let view = View { levels: vec![0, NEVER, 0, 1], ..View::with_locations(&[0, 0, 0, 0]) };
        let config = config(Reduction::Ample, Proviso::Visited);
        assert_eq!(single_below(&config, &view, 4, true), Some(Pid(2)));
        assert_eq!(single_below(&config, &view, 2, true), Some(Pid(0)));
        assert_eq!(single_below(&config, &view, 0, true), None);
    }

    #[test]
    fn locations_that_must_be_fully_expanded_are_skipped() {
        let view = View { levels: vec![0, 0], ..View::with_locations(&[0, 1]) };
        let config = config(Reduction::Ample, Proviso::Static);
        assert_eq!(single_below(&config, &view, 2, true), Some(Pid(0)));
    }
}
