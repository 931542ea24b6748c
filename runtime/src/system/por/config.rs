//! The configuration of the reduction for one property; the same in all states.

use super::throttle::{Price, Sampling, Throttle};
use super::view::ReductionView;
use crate::options::{Algorithm, Options, Proviso, Reduction};
use crate::property::Property;
use crate::reduction::{ReductionInfo, Table, Visibility, has_location};
use crate::step::Pid;

/// The value of removing steps, in look-ups of ample sets; and the value of a stubborn set, which takes longer to
/// compute. A breadth-first search gains less by stubborn sets, and repeats more work when it rejects an ample set.
const PRICE: Price = Price { useful: 16, lost: 16 };
const STUBBORN_PRICE: Price = Price { useful: 4, lost: 4 };
const BREADTH_FIRST_PRICE: Price = Price { useful: 10, lost: 15 };
const BREADTH_FIRST_STUBBORN_PRICE: Price = Price { useful: 2, lost: 4 };

/// The candidates that follow the single processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LargerSets {
    None,
    Clusters,
    Stubborn,
}

/// What throttles the reduction where it removes too little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Throttling {
    Off,
    /// [`AmpleSets`](super::AmpleSets), from one state to the next.
    PerState,
    /// The search, for whole levels.
    PerLevel,
}

/// Which stubborn sets come first. Sets with few steps lead a depth-first search through fewer states, and a
/// breadth-first search through more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StubbornOrder {
    FewestSteps,
    FewestProcesses,
}

/// The runs that a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Those that end with a violation.
    Finite,
    /// Those that go round a cycle for ever as well.
    Infinite,
}

#[derive(Clone, Copy)]
pub(crate) struct ReductionConfig<'m> {
    pub(super) info: &'m ReductionInfo<'m>,
    pub(super) table: Table,
    pub(super) larger_sets: LargerSets,
    pub(super) throttling: Throttling,
    pub(super) stubborn_order: StubbornOrder,
    proviso: Proviso,
    /// States with fewer processes are expanded fully.
    pub(super) min_processes: usize,
    /// Locations with statements that are visible to the property.
    visible: &'m [u64],
    /// The throttle begins with a small budget.
    is_thrifty: bool,
    /// The user vouches that the claim is closed under stuttering.
    pub is_assumed: bool,
}

impl<'m> ReductionConfig<'m> {
    /// An error if the search must expand all states fully, with the reason if the user should know it.
    pub fn new(
        info: &'m ReductionInfo<'m>,
        property: Property,
        runs: Runs,
        options: &Options,
    ) -> Result<ReductionConfig<'m>, Option<&'m str>> {
        if options.reduction == Reduction::Off || !info.is_known() {
            return Err(None);
        }
        if options.shortest {
            return Err(Some("--shortest compares all runs"));
        }
        if options.algorithm == Algorithm::AStar && runs == Runs::Finite {
            return Err(Some("--search a-star compares all runs"));
        }
        if let Some(reason) = info.off {
            return Err(Some(reason));
        }
        let unknown = Some("it is not known which steps are visible to the claim");
        let unknown = Visibility { off: unknown, ..Visibility::NOTHING };
        let visibility = match property {
            // Where a process passes does not depend on the order of independent steps, and neither does whether time
            // passes: no tick comes between them.
            Property::Safety | Property::Goal | Property::Zeno => Visibility::NOTHING,
            Property::Claim(claim) => info.claims.get(claim).copied().unwrap_or(unknown),
            Property::Acceptance => info.acceptance,
            Property::NonProgress => info.progress,
        };
        let is_assumed = visibility.is_doubt && options.assume_stutter_closed;
        if let Some(reason) = visibility.off.filter(|_| !is_assumed) {
            return Err(Some(reason));
        }
        let is_breadth_first = runs == Runs::Finite && options.algorithm != Algorithm::DepthFirst;
        let is_fair = options.fair && runs == Runs::Infinite;
        // Only the search for safety checks promises.
        let relies_on_promises = info.relies_on_promises && property != Property::Safety;
        let larger_sets = match options.reduction {
            // A stubborn set says nothing about which other processes are enabled, which is what fairness is about.
            Reduction::Auto | Reduction::Stubborn if !is_fair && info.n_words > 0 => LargerSets::Stubborn,
            Reduction::Ample => LargerSets::None,
            Reduction::Auto | Reduction::Stubborn | Reduction::Cluster | Reduction::Off => LargerSets::Clusters,
        };
        Ok(ReductionConfig {
            info,
            table: if is_fair || relies_on_promises { Table::Fair } else { Table::Plain },
            larger_sets,
            throttling: match options.reduction {
                Reduction::Auto if is_breadth_first => Throttling::PerLevel,
                Reduction::Auto => Throttling::PerState,
                _ => Throttling::Off,
            },
            stubborn_order: match is_breadth_first {
                true => StubbornOrder::FewestProcesses,
                false => StubbornOrder::FewestSteps,
            },
            // What was visited depends on the location of the claim. Unless the claim is stutter-robust the ample set
            // must not (Siegel, "What's wrong with on-the-fly partial order reduction", CAV 2019).
            proviso: if visibility.is_stutter_robust { options.proviso } else { Proviso::Static },
            // Spin's breadth-first search also tries the last process, and counts a step of it that it rejects twice.
            min_processes: match (options.proviso, options.algorithm) {
                (Proviso::Prompt, Algorithm::Auto | Algorithm::BreadthFirst) => 1,
                _ => 2,
            },
            visible: visibility.visible,
            is_thrifty: false,
            is_assumed,
        })
    }

    /// The same with ample sets that depend on the state alone, for searches on several threads.
    pub fn by_state_alone(self) -> ReductionConfig<'m> {
        ReductionConfig { proviso: Proviso::Static, throttling: Throttling::Off, ..self }
    }

    /// The same for a search of few states, in which a throttle would not learn in time that ample sets do not pay.
    pub fn thrifty(self) -> ReductionConfig<'m> {
        ReductionConfig { is_thrifty: true, ..self }
    }

    /// The throttle of [`AmpleSets`](super::AmpleSets), if they throttle themselves.
    pub(super) fn throttle_of_states(&self) -> Option<Throttle> {
        let throttle = || Throttle::new(PRICE, STUBBORN_PRICE, Sampling::InOrder);
        let throttle = (self.throttling == Throttling::PerState).then(throttle);
        if self.is_thrifty { throttle.map(Throttle::thrifty) } else { throttle }
    }

    /// The throttle of the search, if it throttles whole levels.
    pub fn throttle_of_levels(&self, sampling: Sampling) -> Option<Throttle> {
        let throttle = || Throttle::new(BREADTH_FIRST_PRICE, BREADTH_FIRST_STUBBORN_PRICE, sampling);
        (self.throttling == Throttling::PerLevel).then(throttle)
    }

    /// Whether the search accepts an ample set without looking at what it has visited.
    #[inline]
    pub fn is_static(&self) -> bool {
        self.proviso == Proviso::Static
    }

    /// Whether the search rejects an ample set that closes a cycle at once.
    pub fn is_prompt(&self) -> bool {
        self.proviso == Proviso::Prompt
    }

    /// Whether there are locations where states must be fully expanded.
    #[inline]
    pub(super) fn has_full_expansion(&self) -> bool {
        !self.visible.is_empty() || self.is_static()
    }

    /// Whether the location of this process keeps it out of ample sets: a statement there is visible, or a static
    /// cycle proviso requires a full expansion.
    #[inline]
    pub(super) fn must_be_fully_expanded(&self, on: &dyn ReductionView<'_>, pid: Pid) -> bool {
        if !self.has_full_expansion() {
            return false;
        }
        let location = on.location(pid);
        has_location(self.visible, location) || self.is_static() && has_location(self.info.sticky, location)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{INFO, View};
    use super::*;

    fn config(property: Property, change: impl FnOnce(&mut Options)) -> ReductionConfig<'static> {
        let mut options = Options { ask: crate::options::Ask::default(), ..Options::default() };
        change(&mut options);
        let runs = if property == Property::Safety { Runs::Finite } else { Runs::Infinite };
        ReductionConfig::new(&INFO, property, runs, &options)
            .unwrap_or_else(|reason| panic!("no reduction: {reason:?}"))
    }

    #[test]
    fn each_reduction_has_its_larger_sets() {
        let larger = |reduction, fair| {
            config(Property::Acceptance, |options| (options.reduction, options.fair) = (reduction, fair)).larger_sets
        };
        assert_eq!(larger(Reduction::Ample, false), LargerSets::None);
        assert_eq!(larger(Reduction::Cluster, false), LargerSets::Clusters);
        assert_eq!(larger(Reduction::Stubborn, false), LargerSets::Stubborn);
        assert_eq!(larger(Reduction::Auto, false), LargerSets::Stubborn);
        assert_eq!(larger(Reduction::Stubborn, true), LargerSets::Clusters, "fairness is about all enabled processes");
        let fair = Options { fair: true, ..Options::default() };
        let finite = ReductionConfig::new(&INFO, Property::Claim(0), Runs::Finite, &fair);
        let larger_sets = finite.map(|config| config.larger_sets);
        assert_eq!(larger_sets.ok(), Some(LargerSets::Stubborn), "each finite run is the beginning of a fair one");
    }

    #[test]
    fn only_the_automatic_reduction_throttles_itself() {
        let throttling = |algorithm, reduction| {
            let change = |options: &mut Options| (options.algorithm, options.reduction) = (algorithm, reduction);
            config(Property::Safety, change).throttling
        };
        assert_eq!(throttling(Algorithm::BreadthFirst, Reduction::Auto), Throttling::PerLevel);
        assert_eq!(throttling(Algorithm::DepthFirst, Reduction::Auto), Throttling::PerState);
        assert_eq!(throttling(Algorithm::DepthFirst, Reduction::Stubborn), Throttling::Off);
        let alone = config(Property::Acceptance, |_| {}).by_state_alone();
        assert!(alone.throttling == Throttling::Off && alone.is_static());
    }

    #[test]
    fn a_claim_that_is_not_stutter_robust_needs_a_static_proviso() {
        assert!(!config(Property::Claim(0), |_| {}).is_static());
        assert!(config(Property::Claim(1), |options| options.proviso = Proviso::Prompt).is_static());
    }

    #[test]
    fn a_static_proviso_expands_sticky_locations_fully() {
        let view = View::with_locations(&[0, 1]);
        let visited = config(Property::Safety, |_| {});
        let fixed = config(Property::Safety, |options| options.proviso = Proviso::Static);
        assert!(!visited.must_be_fully_expanded(&view, Pid(1)));
        assert!(fixed.must_be_fully_expanded(&view, Pid(1)) && !fixed.must_be_fully_expanded(&view, Pid(0)));
    }

    #[test]
    fn reasons_against_a_reduction_are_told() {
        let refused = |property, options: &Options| ReductionConfig::new(&INFO, property, Runs::Finite, options).err();
        let off = Options { reduction: Reduction::Off, ..Options::default() };
        assert_eq!(refused(Property::Safety, &off), Some(None));
        let shortest = Options { shortest: true, ..Options::default() };
        assert_eq!(refused(Property::Safety, &shortest), Some(Some("--shortest compares all runs")));
        let doubtful = Property::Claim(2);
        assert_eq!(refused(doubtful, &Options::default()), Some(Some("a doubt")));
        assert!(config(doubtful, |options| options.assume_stutter_closed = true).is_assumed);
    }
}
