//! Names of processes that tell them apart.

use super::Process;
use super::meaning::{Meaning, Type};
use super::scene::Scene;
use crate::model::ModelInfo;
use crate::step::Pid;

/// So many parameters stand in a name.
const MOST_PARAMETERS: usize = 3;

/// A process that begins now.
pub(super) fn process(
    info: &ModelInfo<'_>,
    meaning: &Meaning,
    scene: &Scene,
    others: &[Process],
    (pid, begins): (Pid, usize),
) -> Process {
    let proctype = scene.proctypes[pid.index()];
    let name = info.proctype_name(proctype).to_owned();
    let known = meaning.proctypes.get(proctype);
    let parameters: Vec<(String, String)> = known.map_or_else(Vec::new, |known| {
        let names: Vec<&str> =
            known.parameters.iter().filter_map(|id| Some(meaning.variables.get(*id)?.name.as_str())).collect();
        let is_of_parameter = |value: &str| names.contains(&value.split(['.', '[']).next().unwrap_or_default());
        let values = scene.values().iter().filter(|value| value.owner == Some(pid) && is_of_parameter(&value.name));
        values.filter(|value| !value.text.is_empty()).map(|value| (value.name.clone(), value.text.clone())).collect()
    });
    // Channels tell less than numbers.
    let ty = |name: &str| meaning.type_of(Some(proctype), name);
    let is_plain = |(name, _): &&(String, String)| ty(name) != Some(Type::Chan);
    let has_plain = parameters.iter().any(|parameter| is_plain(&parameter));
    let telling = parameters.iter().filter(|parameter| !has_plain || is_plain(parameter));
    let is_alone = match known {
        Some(known) => known.is_alone,
        None => scene.proctypes.iter().filter(|other| **other == proctype).count() == 1,
    };
    let label = if is_alone {
        name.clone()
    } else {
        let values: Vec<String> =
            telling.take(MOST_PARAMETERS).map(|(name, value)| format!("{name}={value}")).collect();
        let label = format!("{name}({})", values.join(","));
        let is_taken = others.iter().any(|other| other.label == label);
        match (values.is_empty(), is_taken) {
            (true, _) => format!("{name}(pid={pid})"),
            (false, true) => format!("{name}({},pid={pid})", values.join(",")),
            (false, false) => label,
        }
    };
    Process { pid: pid.0, name, label, parameters, begins, ends: None }
}
