//! The properties that a model has, and those that a check is about.

use crate::goal::Goal;
use crate::model::{ClaimInfo, ClaimKind, ModelInfo};
use crate::options::Ask;

/// One thing that is checked, with a verdict of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Assertions, end states, faults.
    Safety,
    /// A formula, a never claim or a trace: an index into [`ModelInfo::claims`].
    Claim(usize),
    /// No run passes accept labels of the processes infinitely often. There is no claim.
    Acceptance,
    /// Every infinite run passes progress labels of the processes infinitely often. There is no claim.
    NonProgress,
    /// Time passes again and again in every infinite run. There is no claim.
    Zeno,
    /// No process arrives at the goal of the question.
    Goal,
}

/// The kind of a property, as reports name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// Assertions, end states and faults.
    Safety,
    /// An LTL formula.
    Ltl,
    /// A never claim.
    Never,
    /// No acceptance cycle.
    Acceptance,
    /// No non-progress cycle.
    NonProgress,
    /// No cycle in which no time passes.
    Zeno,
    /// A trace assertion.
    Trace,
    /// A place that no process arrives at.
    Goal,
}

impl PropertyKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            PropertyKind::Safety => "safety",
            PropertyKind::Ltl => "ltl",
            PropertyKind::Never => "never",
            PropertyKind::Acceptance => "acceptance",
            PropertyKind::NonProgress => "non-progress",
            PropertyKind::Zeno => "zeno",
            PropertyKind::Trace => "trace",
            PropertyKind::Goal => "goal",
        }
    }

    /// Whether the property speaks about infinite runs, so that fairness may have a meaning for it. Some such properties
    /// are [safety](Property::is_safety) all the same.
    pub fn is_liveness(self) -> bool {
        !matches!(self, PropertyKind::Safety | PropertyKind::Trace | PropertyKind::Goal)
    }
}

impl Property {
    /// The kind of this property.
    pub fn kind(self, info: &ModelInfo<'_>) -> PropertyKind {
        match self {
            Property::Safety => PropertyKind::Safety,
            Property::Acceptance => PropertyKind::Acceptance,
            Property::NonProgress => PropertyKind::NonProgress,
            Property::Zeno => PropertyKind::Zeno,
            Property::Goal => PropertyKind::Goal,
            Property::Claim(_) => match self.claim(info).map(|claim| claim.kind) {
                Some(ClaimKind::Ltl) | None => PropertyKind::Ltl,
                Some(ClaimKind::Never) => PropertyKind::Never,
                Some(ClaimKind::Trace) => PropertyKind::Trace,
            },
        }
    }

    /// Whether every violation has a finite run that shows it, whatever follows.
    pub fn is_safety(self, info: &ModelInfo<'_>) -> bool {
        match self {
            Property::Safety | Property::Goal => true,
            Property::Claim(_) => {
                self.claim(info).is_some_and(|claim| claim.is_safety || claim.kind == ClaimKind::Trace)
            }
            Property::Acceptance | Property::NonProgress | Property::Zeno => false,
        }
    }

    /// The claim's own name, or that of the kind.
    pub fn name<'m>(self, info: &ModelInfo<'m>) -> &'m str {
        self.claim(info).map_or_else(|| self.kind(info).name(), |claim| claim.name)
    }

    /// The claim that states it, if one does.
    pub fn claim<'m>(self, info: &ModelInfo<'m>) -> Option<&'m ClaimInfo<'m>> {
        match self {
            Property::Claim(index) => info.claims.get(index),
            Property::Safety | Property::Acceptance | Property::NonProgress | Property::Zeno | Property::Goal => None,
        }
    }
}

/// The properties that `ask` selects for a model, each once, in the order of the question. The error names the property
/// that the model does not have, and those that it has.
pub fn properties(ask: &Ask, info: &ModelInfo<'_>) -> Result<Vec<Property>, String> {
    let mut all = Vec::new();
    collect(ask, info, &mut all)?;
    let mut properties = Vec::new();
    for property in all {
        if !properties.contains(&property) {
            properties.push(property);
        }
    }
    Ok(properties)
}

fn collect(ask: &Ask, info: &ModelInfo<'_>, into: &mut Vec<Property>) -> Result<(), String> {
    let claims = |is_meant: &dyn Fn(&ClaimInfo<'_>) -> bool| {
        let claims = info.claims.iter().enumerate().filter(|(_, claim)| is_meant(claim));
        claims.map(|(index, _)| Property::Claim(index)).collect::<Vec<_>>()
    };
    match ask {
        Ask::Everything => {
            into.push(Property::Safety);
            into.extend(claims(&|_| true));
        }
        Ask::Safety => into.push(Property::Safety),
        Ask::Acceptance => into.push(Property::Acceptance),
        Ask::NonProgress => into.push(Property::NonProgress),
        Ask::Zeno if info.n_timers == 0 => {
            return Err(format!("--zeno asks whether time passes, and {} has no timers", info.name));
        }
        Ask::Zeno if info.abstract_time => {
            return Err(
                "--zeno does not go with --timers abstract: a run in which time passes may be one in which it \
                        stands still there"
                    .to_owned(),
            );
        }
        Ask::Zeno => into.push(Property::Zeno),
        Ask::Goal(text) => {
            Goal::new(text, info)?;
            into.push(Property::Goal);
        }
        Ask::Claim(name) => into.extend(found(claims(&|claim| claim.name == name), info, &format!("claim `{name}`"))?),
        Ask::Never => into.extend(found(claims(&|claim| claim.kind == ClaimKind::Never), info, "never claim")?),
        Ask::Trace => into.extend(found(claims(&|claim| claim.kind == ClaimKind::Trace), info, "trace assertion")?),
        Ask::Several(asks) => {
            // Everything that there is: without accept labels there is no question.
            let are_no_labels = asks.contains(&Ask::Everything) && !has_accept_labels(info);
            for ask in asks.iter().filter(|ask| !(are_no_labels && **ask == Ask::Acceptance)) {
                collect(ask, info, into)?;
            }
        }
    }
    Ok(())
}

/// Whether a statement of a process has one.
pub(crate) fn has_accept_labels(info: &ModelInfo<'_>) -> bool {
    info.locations.iter().flat_map(|location| location.labels).any(|label| label.starts_with("accept"))
}

fn found(properties: Vec<Property>, info: &ModelInfo<'_>, what: &str) -> Result<Vec<Property>, String> {
    if !properties.is_empty() {
        return Ok(properties);
    }
    let names: Vec<String> =
        info.claims.iter().map(|claim| format!("{} `{}`", claim.kind.name(), claim.name)).collect();
    let there = if names.is_empty() { "it has none at all".to_owned() } else { format!("it has {}", names.join(", ")) };
    Err(format!("{} has no {what}; {there}", info.name))
}
