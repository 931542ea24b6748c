//! The processes that can be exchanged without changing the model, and what makes the others different.

use std::fmt::{self, Write};

use serde::Serialize;

use super::SourceLine;
use super::human::shown;
use crate::analysis::Symmetry;
use crate::analysis::symmetry::{Cause, ClaimSymmetry, Family, Loss};
use crate::diagnostic::excerpt::harmless_text;
use crate::model::Model;
use crate::source::SourceMap;

/// The processes of a proctype, or the values of a scalarset.
#[derive(Serialize)]
pub struct ExplainedFamily {
    /// The proctype, or the scalarset.
    name: String,
    /// The pid of member 0, of processes.
    first_pid: Option<u32>,
    members: u32,
    /// Members of one class are interchangeable.
    classes: Vec<Vec<u32>>,
    /// The variables that hold members or are indexed by them.
    variables: Vec<String>,
    losses: Vec<ExplainedLoss>,
    /// The claims that are checked with other classes.
    claims: Vec<ExplainedClaim>,
}

/// The members while one claim is checked.
#[derive(Serialize)]
struct ExplainedClaim {
    /// `ltl p`, `never q`
    claim: String,
    classes: Vec<Vec<u32>>,
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
    let families = symmetry.families.iter().enumerate().filter(|(_, family)| !family.is_same);
    families
        .map(|(number, family)| {
            let claims = claims(model, symmetry, number, sources);
            ExplainedFamily { claims, ..explained(model, family, sources) }
        })
        .collect()
}

/// The claims that exchange other members of a family than the model does.
fn claims(model: &Model, symmetry: &Symmetry, family: usize, sources: &SourceMap) -> Vec<ExplainedClaim> {
    let never = model.never.iter().map(|claim| format!("never {}", claim.name));
    let names = never.chain(model.formulas.iter().map(|ltl| format!("ltl {}", ltl.name)));
    let of_model = &symmetry.families[family];
    let of_claim = |(claim, exchanges): (String, &ClaimSymmetry)| {
        let here = exchanges.families.get(family).filter(|here| here.classes != of_model.classes)?;
        let mut losses = explained_losses(here, sources);
        losses.retain(|loss| !explained_losses(of_model, sources).contains(loss));
        Some(ExplainedClaim { claim, classes: here.classes.clone(), losses })
    };
    names.zip(&symmetry.claims).filter_map(of_claim).collect()
}

fn explained_losses(family: &Family, sources: &SourceMap) -> Vec<ExplainedLoss> {
    let mut losses: Vec<ExplainedLoss> = Vec::new();
    for loss in &family.losses {
        let loss = ExplainedLoss { place: SourceLine::of(loss.span, sources), why: why(loss, sources) };
        if !losses.contains(&loss) {
            losses.push(loss);
        }
    }
    losses
}

fn explained(model: &Model, family: &Family, sources: &SourceMap) -> ExplainedFamily {
    let name = |id: &crate::model::VariableId| {
        let variable = &model.variables[*id];
        match variable.owner {
            crate::model::Owner::Proctype(owner) => format!("{}:{}", model.proctypes[owner].name, variable.name),
            crate::model::Owner::Global | crate::model::Owner::Never(_) => variable.name.to_string(),
        }
    };
    ExplainedFamily {
        name: family.who.name(model).to_owned(),
        first_pid: family.who.proctype().map(|_| family.base),
        members: family.size(),
        classes: family.classes.clone(),
        variables: family.variables.iter().map(name).collect(),
        losses: explained_losses(family, sources),
        claims: Vec::new(),
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
        Cause::Ends(reason) => format!("its processes can end, the youngest is removed first, and {reason}"),
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
        let ExplainedFamily { name, first_pid, members, classes, variables, losses, claims } = family;
        let pids = first_pid.map(|first| format!(", pids {first} to {}", first + members - 1)).unwrap_or_default();
        let classes = told_classes(classes);
        writeln!(text, "  {name}: {members} members{pids}; {classes}")?;
        if !variables.is_empty() {
            writeln!(text, "    about members: {}", variables.join(", "))?;
        }
        for loss in losses {
            writeln!(text, "    {}: {}", shown(&loss.place, "line ", model), loss.why)?;
        }
        for ExplainedClaim { claim, classes, losses } in claims {
            writeln!(text, "    {claim}: {}", told_classes(classes))?;
            for loss in losses {
                writeln!(text, "      {}: {}", shown(&loss.place, "line ", model), loss.why)?;
            }
        }
    }
    Ok(())
}

fn told_classes(classes: &[Vec<u32>]) -> String {
    match classes.iter().map(Vec::len).max() {
        Some(1) | None => "none are interchangeable".to_owned(),
        Some(_) if classes.len() == 1 => "all are interchangeable".to_owned(),
        Some(_) => {
            let class = |class: &Vec<u32>| class.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            format!("interchangeable within {}", classes.iter().map(class).collect::<Vec<_>>().join(" | "))
        }
    }
}
