//! The searches.
//!
//! `system` computes the successors of a state; `breadth_first` and `depth_first` decide in which order states are
//! expanded, `nested` and `components` look for cycles, `control` ends a search. All are generic over the packed form
//! of a state and over the store, and over nothing else.

mod ancestry;
mod auto;
mod breadth_first;
mod colours;
mod components;
pub(crate) mod control;
mod cycle_proviso;
mod depth_first;
#[cfg(test)]
mod ending_tests;
mod explored;
mod frontier;
mod guided;
mod lasso;
mod liveness;
#[cfg(test)]
mod liveness_tests;
#[cfg(test)]
mod naive;
mod nested;
mod parallel_nested;
mod path_index;
mod path_proviso;
mod queue_index;
#[cfg(test)]
mod random_threads;
#[cfg(test)]
mod random_webs;
#[cfg(test)]
mod reduction_tests;
mod safety;
mod shorten;
mod shortest;
mod stack;
#[cfg(test)]
mod store_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod throttle_tests;

use crate::goal::Goal;
use crate::limits::{Interrupt, Stop, peak_memory};
use crate::model::{ClaimInfo, ClaimKind, ModelInfo, SourcePosition};
use crate::monitor::{Finished, Monitor, Silent};
use crate::omission::Omissions;
use crate::options::{Algorithm, Ask, Liveness, Options, Symmetry};
use crate::pack::Packed;
use crate::property::{Property, PropertyKind, has_accept_labels, properties};
use crate::reduction::Independence;
use crate::sound;
use crate::step::Pid;
use crate::store::Storable;
use crate::symmetry::{Family, SymmetryInfo};
use crate::system::{
    ClaimSystems, ModelSystems, ProductSystems, ReductionConfig, Runs, SymmetricSystems, Tally, Wants,
};
use crate::trail::{Move, Trail};
use crate::verdict::{
    ProbeStatistics, PropertyReport, Report, Statistics, SymmetryStatistics, Verdict, Violation, ViolationKind,
};
use control::{Control, Finding};
use safety::ClaimSearch;
use std::time::Instant;

/// The figures of a search beside its findings.
#[derive(Default)]
pub(crate) struct Counts {
    /// The most threads that worked at the same time.
    pub threads: usize,
    pub states_stored: u64,
    pub transitions: u64,
    pub depth: u64,
    pub state_bytes: u64,
    pub memory_bytes: u64,
    /// The expected number of omitted states, if the store may omit any.
    pub omissions: Option<Omissions>,
    /// What the store reports about itself.
    pub storage_note: Option<String>,
    pub tally: Tally,
}

/// Which search ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchKind {
    Safety(Algorithm),
    Cycles(Liveness),
    ShortestCycle,
}

impl SearchKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            SearchKind::Safety(algorithm) => algorithm.name(),
            SearchKind::Cycles(liveness) => liveness.name(),
            SearchKind::ShortestCycle => Algorithm::BreadthFirst.name(),
        }
    }
}

/// A search that ran.
pub(crate) struct Searched<'m> {
    pub kind: SearchKind,
    pub storage: &'static str,
    /// Why this search was chosen, if the user did not choose.
    pub storage_reason: Option<String>,
    pub reduction: bool,
    /// Why there was no reduction although there could have been one.
    pub unreduced: Option<&'m str>,
    /// The reduction relies on the user's assumption that the claim is stutter-closed.
    pub is_assumed: bool,
    /// The families whose members were exchanged.
    pub symmetry: Option<&'m SymmetryInfo<'m>>,
    /// Why no members were exchanged although the user asked for it.
    pub unsymmetric: Option<&'static str>,
    pub counts: Counts,
    /// The probe beside the search.
    pub probe: Option<ProbeStatistics>,
    /// What is known about the length of the counterexample, if the search itself made it short.
    pub remark: Option<String>,
}

/// Checks what [`Options::ask`] asks for: by default safety (assertions, end states, faults) and every claim of the
/// model. For use in a `#[test]`, and under the command line.
pub fn check<M: Independence>(model: &M, searches: Searches<M::Packed>, options: &Options) -> Report {
    check_with(model, searches, options, &Interrupt::new(), &mut Silent)
}

/// The same with an interrupt and a monitor of progress.
pub fn check_with<M: Independence>(
    model: &M,
    searches: Searches<M::Packed>,
    options: &Options,
    interrupt: &Interrupt,
    monitor: &mut dyn Monitor,
) -> Report {
    searches.check(&ModelSystems::new(model), options, interrupt, monitor)
}

/// [`check_systems`] for one packed form of states.
type Check<P> = fn(&dyn ProductSystems<P>, Option<ClaimSearch<P>>, &Options, &Interrupt, &mut dyn Monitor) -> Report;

/// All searches for one packed form of states. The module `precompiled` has those that an emitted crate links; any other
/// model takes [`Searches::new`].
pub struct Searches<P: Packed> {
    check: Check<P>,
    search_claim: Option<ClaimSearch<P>>,
}

impl<P: Storable> Searches<P> {
    /// The call compiles the searches.
    #[inline]
    pub fn new() -> Searches<P> {
        Searches { check: check_systems, search_claim: Some(safety::search_claim) }
    }

    /// For a model without a claim that is a safety property: the searches for such claims, a third of all, are not
    /// compiled.
    #[inline]
    pub fn without_safety_claims() -> Searches<P> {
        Searches { check: check_systems, search_claim: None }
    }
}

impl<P: Packed> Searches<P> {
    /// As [`check_with`].
    #[doc(hidden)]
    pub fn check<M: Independence<Packed = P>>(
        &self,
        systems: &ModelSystems<'_, M>,
        options: &Options,
        interrupt: &Interrupt,
        monitor: &mut dyn Monitor,
    ) -> Report {
        (self.check)(systems, self.search_claim, options, interrupt, monitor)
    }
}

impl<P: Storable> Default for Searches<P> {
    #[inline]
    fn default() -> Searches<P> {
        Searches::new()
    }
}

fn check_systems<P: Storable>(
    systems: &dyn ProductSystems<P>,
    search_claim: Option<ClaimSearch<P>>,
    options: &Options,
    interrupt: &Interrupt,
    monitor: &mut dyn Monitor,
) -> Report {
    let search =
        |property: Property, control: &mut Control<'_>| search_property(systems, search_claim, property, control);
    let searching = Searching {
        info: systems.info(),
        search: &search,
        end_place: &|moves| systems.end_place(moves),
        goal_place: &|moves, goal| systems.goal_place(moves, goal),
        exact_run: &|trail| systems.exact_run(trail),
    };
    check_all(&searching, options, interrupt, monitor)
}

/// A process that must not end at its location, or that is at the goal: its pid, its proctype and the source position.
type EndPlace = (Pid, usize, SourcePosition);

/// The searches of a model, whatever the size of its states.
struct Searching<'s> {
    info: &'s ModelInfo<'s>,
    search: &'s dyn Fn(Property, &mut Control<'_>) -> Result<Searched<'s>, &'static str>,
    end_place: &'s dyn Fn(&[Move]) -> Option<EndPlace>,
    goal_place: &'s dyn Fn(&[Move], &Goal) -> Option<EndPlace>,
    exact_run: &'s dyn Fn(&Trail) -> Option<Trail>,
}

fn check_all<'s>(
    searching: &'s Searching<'s>,
    options: &Options,
    interrupt: &Interrupt,
    monitor: &mut dyn Monitor,
) -> Report {
    let (info, start) = (searching.info, Instant::now());
    let mut warnings = Vec::new();
    let properties = match properties(&options.ask, info) {
        Ok(properties) => properties,
        Err(message) => return Report::new(vec![no_such_property(options, message)], options.clone(), warnings),
    };
    let mut reports = Vec::new();
    let mut unreduced: Vec<(&str, Vec<&str>)> = Vec::new();
    let (mut assumed, mut cycles) = (Vec::new(), Vec::new());
    let mut unsymmetric: Vec<(&str, Vec<&str>)> = Vec::new();
    let are_several = properties.len() > 1;
    for property in properties {
        if are_several {
            monitor.begin(property.name(info));
        }
        let mut control = Control::new(options, interrupt, monitor);
        control.limit_from(start);
        if property.kind(info) == PropertyKind::Trace {
            control.wants = Wants::TRACE;
        }
        let searched = (searching.search)(property, &mut control);
        if let Ok(searched) = &searched {
            warnings.extend(shorten::shorten(searching, property, &mut control, searched));
            warnings.extend(searched.remark.clone());
        }
        let note = |reasons: &mut Vec<(&'s str, Vec<&'s str>)>, reason: Option<&'s str>| {
            let Some(reason) = reason else { return };
            match reasons.iter_mut().find(|(other, _)| *other == reason) {
                Some((_, names)) => names.push(property.name(info)),
                None => reasons.push((reason, vec![property.name(info)])),
            }
        };
        note(&mut unreduced, searched.as_ref().ok().and_then(|searched| searched.unreduced));
        note(&mut unsymmetric, searched.as_ref().ok().and_then(|searched| searched.unsymmetric));
        if searched.as_ref().is_ok_and(|searched| !matches!(searched.kind, SearchKind::Safety(_))) {
            cycles.push(property.name(info));
        }
        if searched.as_ref().is_ok_and(|searched| searched.is_assumed) {
            assumed.push(property.name(info));
        }
        let atomic_cycle = searched.as_ref().ok().and_then(atomic_cycle_warning);
        let no_labels = (property == Property::Acceptance && control.errors == 0).then(|| no_label_warning(info));
        for warning in atomic_cycle.into_iter().chain(no_labels.flatten()) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        let end_place = |finding: &Finding| match finding.found.kind {
            ViolationKind::InvalidEndState => (searching.end_place)(&finding.moves),
            ViolationKind::Goal => (searching.goal_place)(&finding.moves, &Goal::of(&options.ask, info)?),
            _ => None,
        };
        let end_places: Vec<_> = control.findings.iter().map(end_place).collect();
        let mut report = report(info, property, control, searched, end_places);
        if info.abstract_time {
            exactly(&mut report, searching.exact_run);
        }
        reports.push(report);
        if are_several && let Some(report) = reports.last() {
            monitor.finished(&finished(report));
        }
    }
    warnings.extend(sound::exact_all_the_same(options, &cycles));
    warnings.extend(sound::one_thread_all_the_same(options));
    for (reason, names) in unreduced {
        warnings.push(format!("all interleavings were explored for {}: {reason}", names.join(", ")));
    }
    for (reason, names) in unsymmetric {
        warnings.push(format!("{} searched without symmetry: {reason}", was_or_were(&names)));
    }
    if !assumed.is_empty() {
        let names = assumed.join(", ");
        warnings
            .push(format!("the verdict on {names} assumes that the claim is stutter-closed (--assume-stutter-closed)"));
    }
    Report::new(reports, options.clone(), warnings)
}

/// `safety and live were`
fn was_or_were(names: &[&str]) -> String {
    format!("{} {}", names.join(", "), if names.len() == 1 { "was" } else { "were" })
}

/// What is told of a property before the report about all.
fn finished(report: &PropertyReport) -> Finished<'_> {
    Finished {
        kind: report.kind.name(),
        name: &report.name,
        verdict: report.verdict.name(),
        message: report.violations.first().map(|violation| violation.message.as_str()),
        states_stored: report.statistics.states_stored,
        elapsed: report.statistics.elapsed,
    }
}

/// Looks for violations of one property. The error says why the property cannot be checked.
fn search_property<'s, P: Storable>(
    systems: &'s dyn ProductSystems<P>,
    search_claim: Option<ClaimSearch<P>>,
    property: Property,
    control: &mut Control<'_>,
) -> Result<Searched<'s>, &'static str> {
    let info = systems.info();
    if info.abstract_time && property.claim(info).is_some_and(|claim| counts_ticks(claim, control.options)) {
        return Err("it counts steps, of which there are others with --timers abstract");
    }
    let is_finite = sound::is_searched_as_safety(property, info, control.options);
    let runs = if is_finite { Runs::Finite } else { Runs::Infinite };
    let config = ReductionConfig::new(systems.reduction(), property, runs, control.options);
    let reduction = config.is_ok();
    let (config, unreduced) = match config {
        Ok(config) => (Some(config), None),
        Err(reason) => (None, reason),
    };
    let is_assumed = config.is_some_and(|config| config.is_assumed);
    let (symmetry, unsymmetric) = match symmetry(systems, property, control.options) {
        Ok(symmetry) => (Some(symmetry), None),
        Err(reason) => (None, reason),
    };
    let how = control.options.symmetry;
    let symmetric = symmetry.map(|symmetry| SymmetricSystems::new(systems, systems, symmetry, how));
    let observed: &dyn ProductSystems<P> = match &symmetric {
        Some(symmetric) => symmetric,
        None => systems,
    };
    let searched = match runs {
        Runs::Finite => match ClaimSystems::new(observed, property) {
            None => safety::search(systems, property, symmetry, config, control),
            Some(claim_systems) => {
                let search_claim = search_claim.ok_or("its searches are not part of this program")?;
                search_claim(&claim_systems, property, config, control)
            }
        },
        Runs::Infinite if control.options.store.is_lossy() => return Err(sound::LOSSY_CYCLES),
        Runs::Infinite => liveness::search(observed, property, config, control)
            .ok_or("this version cannot check it (--safety leaves claims aside)")?,
    };
    Ok(Searched { reduction, unreduced, is_assumed, symmetry, unsymmetric, ..searched })
}

/// Whether it matters to a claim how many ticks there are.
fn counts_ticks(claim: &ClaimInfo<'_>, options: &Options) -> bool {
    claim.kind != ClaimKind::Trace && !claim.is_stutter_closed && !options.assume_stutter_closed
}

/// The exchanges of members that the search for violations of a property may make. The error says why there are none, if
/// they were asked for.
fn symmetry<'s, P: Storable>(
    systems: &'s dyn ProductSystems<P>,
    property: Property,
    options: &Options,
) -> Result<&'s SymmetryInfo<'s>, Option<&'static str>> {
    if options.symmetry == Symmetry::Off {
        return Err(None);
    }
    let symmetry =
        systems.symmetry().ok_or("no members of the model are known to be interchangeable; see pmc explain")?;
    let symmetry = match property {
        Property::Claim(number) => symmetry.claims.get(number).filter(|claim| !claim.families.is_empty()),
        Property::Safety | Property::Goal | Property::Acceptance | Property::NonProgress | Property::Zeno => {
            Some(symmetry)
        }
    };
    let symmetry = symmetry.ok_or("it tells apart what is interchangeable in the model")?;
    if property.kind(systems.info()).is_liveness() && !sound::is_searched_as_safety(property, systems.info(), options) {
        if options.fair {
            return Err(Some("weak fairness is about single processes (leave out --fair)"));
        }
        if options.shortest {
            return Err(Some("the shortest cycle up to symmetry need not be the shortest of the model"));
        }
    }
    if symmetry.endings.is_some() && property != Property::Safety {
        return Err(Some("its processes end, which only a search for safety passes over"));
    }
    if P::WORDS.is_none() {
        return Err(Some("the states of the model have no fixed layout"));
    }
    Ok(symmetry)
}

fn atomic_cycle_warning(searched: &Searched<'_>) -> Option<String> {
    let pid = searched.counts.tally.atomic_cycle?;
    Some(format!(
        "process {pid} can run forever inside an atomic sequence, where no other process moves and no state is stored; \
         the transition count leaves out its repetitions"
    ))
}

/// The absence of accepting cycles proves nothing if no state can be accepting.
fn no_label_warning(info: &ModelInfo<'_>) -> Option<String> {
    let has_one = has_accept_labels(info);
    (!has_one).then(|| "no statement has an accept label, so that --acceptance can find nothing".to_owned())
}

/// The model has no such property: it is not checked, and that is no proof.
fn no_such_property(options: &Options, message: String) -> PropertyReport {
    let name = match &options.ask {
        Ask::Claim(name) => name.clone(),
        _ => message,
    };
    PropertyReport {
        name,
        kind: PropertyKind::Ltl,
        verdict: Verdict::Incomplete,
        errors: 0,
        violations: Vec::new(),
        stop: Some(Stop::NotChecked("the model has no such claim")),
        statistics: Statistics::default(),
        reached: Vec::new(),
    }
}

fn report(
    info: &ModelInfo<'_>,
    property: Property,
    control: Control<'_>,
    searched: Result<Searched<'_>, &'static str>,
    end_places: Vec<Option<EndPlace>>,
) -> PropertyReport {
    let (searched, stop) = match searched {
        Ok(searched) if searched.counts.tally.too_many_timers => {
            (Some(searched), control.reason().or(Some(Stop::RunningTimers)))
        }
        Ok(searched) => (Some(searched), control.reason()),
        Err(reason) => (None, Some(Stop::NotChecked(reason))),
    };
    let verdict = match (control.errors, stop) {
        (0, None) => Verdict::Verified,
        (0, Some(_)) => Verdict::Incomplete,
        _ => Verdict::Violated,
    };
    let statistics = searched.as_ref().map(|searched| statistics(searched, stop, &control));
    let (options, errors) = (control.options, control.errors);
    let violations = control.findings.into_iter().zip(end_places);
    PropertyReport {
        name: property.name(info).to_owned(),
        kind: property.kind(info),
        verdict,
        errors,
        violations: violations.map(|(finding, end)| violation(info, property, options, finding, end)).collect(),
        stop,
        statistics: statistics.unwrap_or_default(),
        reached: searched.map(|searched| searched.counts.tally.reached.to_bools()).unwrap_or_default(),
    }
}

/// Looks for the runs of a report in the model with exact time. If there is none, nothing is known: what is violated in the
/// abstraction may hold.
fn exactly(report: &mut PropertyReport, exact_run: &dyn Fn(&Trail) -> Option<Trail>) {
    for violation in &mut report.violations {
        if let Some(trail) = exact_run(&violation.trail) {
            violation.trail = trail;
        }
    }
    let is_real = |violation: &Violation| !violation.trail.abstract_time;
    if report.verdict == Verdict::Violated && !report.violations.iter().any(is_real) {
        report.verdict = Verdict::Incomplete;
        report.stop = Some(Stop::AbstractTime);
    }
}

fn statistics(searched: &Searched<'_>, stop: Option<Stop>, control: &Control<'_>) -> Statistics {
    let counts = &searched.counts;
    let advice = advice_on_levels(searched, stop);
    Statistics {
        algorithm: searched.kind.name(),
        storage: searched.storage,
        threads: counts.threads,
        reduction: searched.reduction,
        symmetry: searched.symmetry.map(|symmetry| members(symmetry, control.options.symmetry)),
        states_stored: counts.states_stored,
        transitions: counts.transitions,
        atomic_steps: counts.tally.atomic_steps,
        depth: counts.depth,
        state_bytes: counts.state_bytes,
        memory_bytes: peak_memory().unwrap_or(counts.memory_bytes),
        elapsed: control.elapsed(),
        found_after: control.first_met(),
        omissions: counts.omissions,
        hidden_differed: counts.tally.hidden_differed,
        probe: searched.probe,
        storage_notes: counts.storage_note.iter().chain(&searched.storage_reason).chain(&advice).cloned().collect(),
    }
}

fn members(symmetry: &SymmetryInfo<'_>, how: Symmetry) -> SymmetryStatistics {
    let classes = |family: &Family<'_>| family.classes.iter().map(|class| class.to_vec()).collect();
    SymmetryStatistics {
        families: symmetry.families.iter().map(|family| (family.name.to_owned(), classes(family))).collect(),
        is_canonical: how != Symmetry::Sort,
    }
}

/// A set of fixed size leaves the rest of the memory to the search, and a level may be larger than that.
fn advice_on_levels(searched: &Searched<'_>, stop: Option<Stop>) -> Option<String> {
    let is_queue = searched.kind == SearchKind::Safety(Algorithm::BreadthFirst) && searched.counts.omissions.is_some();
    (is_queue && matches!(stop, Some(Stop::Memory(_)))).then(|| {
        "the queue of the breadth-first search took the rest of the memory; --search dfs keeps one path instead of whole levels"
            .to_owned()
    })
}

fn violation(
    info: &ModelInfo<'_>,
    property: Property,
    options: &Options,
    finding: Finding,
    end: Option<EndPlace>,
) -> Violation {
    let Finding { found, moves, cycle_start, occurrences } = finding;
    let claim = property.claim(info);
    let claim_move = claim.zip(found.claim_move).and_then(|(claim, by)| claim.moves.get(by.index()));
    let transition = found.transition.and_then(|id| info.transition(id));
    let what = transition.map(|transition| transition.text).or(claim_move.map(|known| known.text));
    let message = match (found.kind, what, end) {
        (ViolationKind::Assertion, Some(text), _) => format!("assertion violated: {text}"),
        (ViolationKind::Assertion, None, _) => "assertion violated".to_owned(),
        (ViolationKind::InvalidEndState, _, Some((pid, proctype, place))) => {
            let name = info.proctype_name(proctype);
            format!("invalid end state: process {pid} ({name}) waits at {}", info.line(place))
        }
        (ViolationKind::InvalidEndState, ..) => "invalid end state".to_owned(),
        (ViolationKind::Goal, _, Some((pid, proctype, place))) => {
            let name = info.proctype_name(proctype);
            format!("goal reached: process {pid} ({name}) is at {}", info.line(place))
        }
        (ViolationKind::Goal, ..) => "goal reached".to_owned(),
        (ViolationKind::LeftoverMessages, ..) => "a channel still holds a message in the end state".to_owned(),
        (ViolationKind::AcceptanceCycle, ..) => match claim {
            Some(claim) => format!("acceptance cycle: an infinite run violates {} {}", claim.kind.name(), claim.name),
            None => "acceptance cycle: a run passes accept labels again and again".to_owned(),
        },
        (ViolationKind::NonProgressCycle, ..) => {
            "non-progress cycle: a run goes on forever without progress".to_owned()
        }
        (ViolationKind::ZeroTimeCycle, ..) => {
            "zero-time cycle: a run goes on forever while time stands still".to_owned()
        }
        (ViolationKind::ClaimEnd, ..) => match claim {
            Some(claim) if claim.kind == ClaimKind::Ltl => {
                format!("claim violated: however it goes on, this run violates ltl {}", claim.name)
            }
            Some(claim) => format!("claim violated: {} {} came to its end", claim.kind.name(), claim.name),
            None => "claim violated: it came to its end".to_owned(),
        },
        (ViolationKind::Trace(error), Some(text), _) => format!("{error}: {text}"),
        (ViolationKind::Trace(error), None, _) => error.to_string(),
        (ViolationKind::Fault(fault), Some(text), _) => format!("{fault}: {text}"),
        (ViolationKind::Fault(fault), None, _) => fault.to_string(),
    };
    let trail = Trail {
        model_hash: info.hash.to_owned(),
        moves,
        cycle_start,
        // A trace makes no moves that a replay could follow.
        claim: claim.filter(|claim| claim.kind != ClaimKind::Trace).map(|claim| claim.name.to_owned()),
        fair: options.fair && cycle_start.is_some(),
        time_passes: options.time_passes && cycle_start.is_some(),
        abstract_time: info.abstract_time,
        kind: found.kind.name().to_owned(),
        transition: found.transition,
        claim_move: found.claim_move,
        message: message.clone(),
        goal: Goal::of(&options.ask, info).filter(|_| found.kind == ViolationKind::Goal).map(|goal| goal.text),
    };
    let place = transition.map(|transition| transition.place).or(claim_move.map(|known| known.place));
    let place = place.or(end.map(|(_, _, place)| place)).or(claim.map(|claim| claim.place));
    Violation { found, message, place, trail, occurrences }
}
