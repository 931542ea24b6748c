//! The processes that can be exchanged without changing the model, and what makes the others different.

use std::fmt::{self, Write};

use serde::Serialize;

use super::SourceLine;
use super::human::shown;
use crate::analysis::Symmetry;
use crate::analysis::symmetry::{Cause, Family, Loss};
use crate::diagnostic::excerpt::harmless_text;
use crate::model::Model;
use crate::source::SourceMap;

/// The processes of a proctype.
#[derive(Serialize)]
pub struct ExplainedFamily {
    proctype: String,
    /// The pid of member 0.
    first_pid: u32,
    members: u32,
    /// Members of one class are interchangeable.
    classes: Vec<Vec<u32>>,
    /// The variables that hold members or are indexed by them.
    variables: Vec<String>,
    losses: Vec<ExplainedLoss>,
}

/// Why members are not interchangeable.
#[derive(Serialize, PartialEq, Eq)]
struct ExplainedLoss {
    #[serde(flatten)]
    place: SourceLine,
    why: String,
}

pub fn symmetry(model: &Model, symmetry: &Symmetry, sources: &SourceMap) -> Vec<ExplainedFamily> {
    symmetry.families.iter().map(|family| explained(model, family, sources)).collect()
}

fn explained(model: &Model, family: &Family, sources: &SourceMap) -> ExplainedFamily {
    let name = |id: &crate::model::VariableId| {
        let variable = &model.variables[*id];
        match variable.owner {
            crate::model::Owner::Proctype(owner) => format!("{}:{}", model.proctypes[owner].name, variable.name),
            crate::model::Owner::Global | crate::model::Owner::Never(_) => variable.name.to_string(),
        }
    };
    let mut losses: Vec<ExplainedLoss> = Vec::new();
    for loss in &family.losses {
        let loss = ExplainedLoss { place: SourceLine::of(loss.span, sources), why: why(loss, sources) };
        if !losses.contains(&loss) {
            losses.push(loss);
        }
    }
    ExplainedFamily {
        proctype: model.proctypes[family.proctype].name.to_string(),
        first_pid: family.base,
        members: family.size(),
        classes: family.classes.clone(),
        variables: family.variables.iter().map(name).collect(),
        losses,
    }
}

fn why(loss: &Loss, sources: &SourceMap) -> String {
    let text = harmless_text(sources.text(loss.span));
    let members = || {
        let members: Vec<String> = loss.members.iter().flatten().map(u32::to_string).collect();
        if members.is_empty() { "members".to_owned() } else { format!("member {}", members.join(", ")) }
    };
    match &loss.cause {
        Cause::Apart => "its processes are not all started together, with pids in a row".to_owned(),
        Cause::Argument => "an argument of its processes is not known".to_owned(),
        Cause::Ends => "its processes can end, and the youngest process is removed first".to_owned(),
        Cause::Number => format!("`{text}` uses a member as a number"),
        Cause::Mixes => format!("`{text}` mixes members of two families, or of one in two numberings"),
        Cause::Narrow => format!("`{text}` is too narrow for members"),
        Cause::Short => format!("`{text}` has fewer elements than there are members"),
        Cause::LoopOutside => {
            format!("the loop `{text}` over members is not inside a d_step or an atomic, or waits there")
        }
        Cause::LoopRounds => format!("the rounds of the loop `{text}` over members depend on their order"),
        Cause::LoopPart => format!("the loop `{text}` goes over a part of the members"),
        Cause::Channel => format!("`{text}` uses a channel that belongs to a member as a value"),
        Cause::Dynamic => format!("`{text}` belongs to processes of which it is not known how many there are"),
        Cause::Start => format!("the initial value of `{text}` distinguishes {}", members()),
        Cause::Named => format!("`{text}` names {}", members()),
        Cause::Model(reason) => (*reason).to_owned(),
    }
}

pub fn write(text: &mut String, families: &[ExplainedFamily], model: &str) -> fmt::Result {
    if !families.is_empty() {
        writeln!(text, "\nSymmetry")?;
    }
    for family in families {
        let ExplainedFamily { proctype, first_pid, members, classes, variables, losses } = family;
        let last_pid = first_pid + members - 1;
        let classes = match classes.iter().map(Vec::len).max() {
            Some(1) | None => "none are interchangeable".to_owned(),
            Some(_) if classes.len() == 1 => "all are interchangeable".to_owned(),
            Some(_) => {
                let class = |class: &Vec<u32>| class.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
                format!("interchangeable within {}", classes.iter().map(class).collect::<Vec<_>>().join(" | "))
            }
        };
        writeln!(text, "  {proctype}: {members} members, pids {first_pid} to {last_pid}; {classes}")?;
        if !variables.is_empty() {
            writeln!(text, "    about members: {}", variables.join(", "))?;
        }
        for loss in losses {
            writeln!(text, "    {}: {}", shown(&loss.place, "line ", model), loss.why)?;
        }
    }
    Ok(())
}
