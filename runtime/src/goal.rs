//! A goal: a place in the text of a model that a process may arrive at.

use crate::model::{LocationInfo, ModelInfo};
use crate::options::Ask;
use crate::reduction::has_location;
use crate::sorting::sort_by_key;

/// The locations that a process is to arrive at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// As the user wrote it: `LABEL`, `PROCTYPE@LABEL` or `FILE:LINE`.
    pub text: String,
    is_target: Vec<bool>,
}

impl Goal {
    /// An error if no process can rest there, so that no state would show its arrival.
    pub fn new(text: &str, info: &ModelInfo<'_>) -> Result<Goal, String> {
        let place = Place::new(text, info);
        let is_target: Vec<bool> = info.locations.iter().map(|location| place.is_at(location, info)).collect();
        if !is_target.contains(&true) {
            return Err(place.absence(info));
        }
        let goal = Goal { text: text.to_owned(), is_target };
        match (0..goal.is_target.len()).any(|location| goal.may_be_passed(location, info)) {
            false => Ok(goal),
            true => Err(format!(
                "a process may pass `{text}` within a step, where no state shows it: inside an atomic sequence \
                 assert(false) says the same"
            )),
        }
    }

    /// The goal that is asked about.
    pub(crate) fn of(ask: &Ask, info: &ModelInfo<'_>) -> Option<Goal> {
        match ask {
            Ask::Goal(text) => Goal::new(text, info).ok(),
            Ask::Several(asks) => asks.iter().find_map(|ask| Goal::of(ask, info)),
            _ => None,
        }
    }

    /// For each location whether it belongs to the goal.
    pub(crate) fn targets(&self) -> &[bool] {
        &self.is_target
    }

    /// Whether a location belongs to the goal.
    pub fn has(&self, location: usize) -> bool {
        self.is_target.get(location).copied().unwrap_or(false)
    }

    /// Whether a process may pass this target within a step that does not begin at a target.
    fn may_be_passed(&self, location: usize, info: &ModelInfo<'_>) -> bool {
        let Some(flow) = info.control_flow.filter(|_| self.has(location)) else { return false };
        let own = info.transitions.iter().map(|transition| (transition.from, transition.to));
        let also = flow.also_leaves.iter();
        let also = also.filter_map(|&(from, transition)| Some((from, info.transition(transition)?.to)));
        has_location(flow.passed, location)
            && own.chain(also).any(|(from, to)| to as usize == location && !self.has(from as usize))
    }
}

/// What a user may name.
enum Place<'t> {
    Label { proctype: Option<&'t str>, label: &'t str },
    Line { file: &'t str, line: u32 },
}

/// The file of a model that a user means: the end of a path, or another path with the same name, is enough if that leaves
/// one file.
fn known_file<'t>(file: &'t str, info: &ModelInfo<'t>) -> &'t str {
    fn name(path: &str) -> &str {
        path.rsplit(['/', '\\']).next().unwrap_or(path)
    }
    let only = |is_meant: &dyn Fn(&str) -> bool| {
        let mut meant = info.files.iter().copied().filter(|known| is_meant(known));
        let first = meant.next()?;
        meant.all(|other| other == first).then_some(first)
    };
    let ends = |known: &str| known.strip_suffix(file).is_some_and(|rest| rest.ends_with('/'));
    only(&|known| known == file)
        .or_else(|| only(&ends))
        .or_else(|| only(&|known| name(known) == name(file)))
        .unwrap_or(file)
}

impl<'t> Place<'t> {
    fn new(text: &'t str, info: &ModelInfo<'t>) -> Place<'t> {
        let line = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        match (line, text.split_once('@')) {
            (Some((file, line)), _) => Place::Line { file: known_file(file, info), line },
            (None, Some((proctype, label))) => Place::Label { proctype: Some(proctype), label },
            (None, None) => Place::Label { proctype: None, label: text },
        }
    }

    fn is_at(&self, location: &LocationInfo<'_>, info: &ModelInfo<'_>) -> bool {
        match *self {
            Place::Line { file, line } => location.place.line == line && info.file(location.place) == file,
            Place::Label { proctype, label } => {
                let name = info.proctype_name(usize::from(location.proctype));
                location.labels.contains(&label) && proctype.is_none_or(|proctype| proctype == name)
            }
        }
    }

    /// Why there is no such location.
    fn absence(&self, info: &ModelInfo<'_>) -> String {
        match *self {
            Place::Line { file, .. } if !info.files.contains(&file) => {
                format!("{} has no file `{file}`; it has {}", info.name, info.files.join(", "))
            }
            Place::Line { file, line } => format!("no process rests in front of a statement at {file}:{line}"),
            Place::Label { label, .. } => {
                let mut labels: Vec<&str> = info.locations.iter().flat_map(|known| known.labels).copied().collect();
                sort_by_key(&mut labels, |label| *label);
                labels.dedup();
                let there = if labels.is_empty() { "at no label at all".to_owned() } else { labels.join(", ") };
                format!(
                    "no process of {} rests at a label `{label}`, but {there}; a label may be lost where statements \
                     are merged (-O no-merge) or in a d_step",
                    info.name
                )
            }
        }
    }
}
