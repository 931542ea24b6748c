//! A portfolio for safety: breadth-first search, and beside it a depth-first probe that looks for deep violations.
//!
//! Breadth-first search proves, and finds the shortest counterexample, but it reaches a violation at depth `d` only
//! when all states nearer to the initial one are known. Depth-first search often meets a deep violation at once. So a
//! [`Probe`] takes a small part of the work from time to time, in the pauses in which the breadth-first search checks
//! its limits. Whichever meets a violation first ends both, and a run that the probe has found is made shorter
//! (`short_run.rs`). If the probe has visited all states first, that is the proof.
//!
//! The parts are measured in transitions and not in time: on one thread a search always takes the same course.

mod lane;
mod probe;
mod short_run;
mod shortcuts;
#[cfg(test)]
mod tests;

use super::breadth_first::BreadthFirstSearch;
use super::control::{Control, Run};
use super::{Counts, SearchKind};
use crate::limits::{Limits, Stop};
use crate::monitor::Silent;
use crate::options::{Algorithm, Options};
use crate::property::Property;
use crate::store::{Storable, StoreOptions};
use crate::system::{ReductionConfig, Runs, Systems};
use crate::verdict::{ProbeOutcome, ProbeStatistics};
use probe::{Controls, Probe};
use short_run::{ShortRun, Shortened};

/// What the portfolio brings.
pub(super) struct Portfolio {
    pub counts: Counts,
    /// The search that the counts are of.
    pub kind: SearchKind,
    pub probe: Option<ProbeStatistics>,
    /// Why the counterexample of a search that should find a shortest one may be longer.
    pub remark: Option<String>,
}

/// With a breadth-first search for any set.
pub(super) fn search<'s, P: Storable>(
    search: BreadthFirstSearch<P>,
    systems: &'s dyn Systems<P>,
    property: Property,
    config: Option<ReductionConfig<'s>>,
    store: &StoreOptions,
    threads: usize,
    control: &mut Control<'_>,
) -> Portfolio {
    let breadth_first = SearchKind::Safety(Algorithm::BreadthFirst);
    if control.options.all_errors || control.options.shortest {
        // All violations, or the shortest run whatever it costs: a probe has nothing to add.
        let counts = search(systems, config, store, threads, control);
        return Portfolio { counts, kind: breadth_first, probe: None, remark: None };
    }
    let options = control.options;
    let limits = Limits { max_states: None, ..options.limits.clone() };
    let probe_options = Options { algorithm: Algorithm::DepthFirst, limits, ..options.clone() };
    let probe_config = ReductionConfig::new(systems.reduction(), property, Runs::Finite, &probe_options);
    let probe_config = probe_config.ok().map(ReductionConfig::thrifty);
    let mut silent = [Silent, Silent, Silent];
    let [mut ordered, mut whole, mut random] = silent.each_mut().map(|silent| control.apart(&probe_options, silent));
    let controls = Controls { ordered: &mut ordered, whole: &mut whole, random: &mut random };
    let mut probe = Probe::<P>::new(systems, probe_config, options.seed, controls);

    let mut beside = control.again_beside(options, &mut probe);
    let counts = search(systems, config, store, threads, &mut beside);
    let outcome = beside.outcome();
    control.adopt(outcome);
    let statistics = probe.statistics();
    let mut portfolio = Portfolio { counts, kind: breadth_first, probe: statistics, remark: None };
    if control.stop != Some(Stop::Answered) {
        return portfolio;
    }
    if !control.findings.is_empty() {
        // Another thread has met a violation at the same moment. Its run is the shorter one.
        control.stop = Some(Stop::Violation);
        portfolio.probe = statistics.map(|probe| ProbeStatistics { outcome: ProbeOutcome::Nothing, ..probe });
        return portfolio;
    }
    control.stop = None;
    if let Some(met) = probe.take_met() {
        control.note_first_met();
        let (found, n_steps) = (met.found, met.n_steps);
        let short_run = ShortRun { systems, search, store, threads };
        match short_run.of(met, portfolio.counts.states_stored, control) {
            Shortened::Shortest => portfolio.remark = lossy_remark(options),
            Shortened::Shorter(moves) => {
                // Reports compare this with the length of the run that they show.
                let found_steps = Some(n_steps);
                portfolio.probe = statistics.map(|probe| ProbeStatistics { found_steps, ..probe });
                control.meet(found, || Run::from(moves));
            }
        }
    } else if let Some(counts) = probe.take_proof() {
        portfolio.kind = SearchKind::Safety(Algorithm::DepthFirst);
        portfolio.counts = counts;
    }
    debug_assert!(portfolio.probe.is_none_or(|probe| probe.outcome != ProbeOutcome::Nothing));
    portfolio
}

/// A search that may miss states finds no shortest run.
fn lossy_remark(options: &Options) -> Option<String> {
    let name = options.store.name();
    options
        .store
        .is_lossy()
        .then(|| format!("the counterexample may not be the shortest, since --store {name} may miss states"))
}
