//! What the analyses say about reductions, as text.

use std::fmt::{self, Write};

use super::human::shown;
use super::names::list;
use super::reduction::{ExplainedFollower, ExplainedLoss, ExplainedProperty, ExplainedReduction};
use super::statements::{ExplainedLocation, ProctypeSafety, Verdict};

pub fn write(text: &mut String, reduction: &ExplainedReduction, model: &str) -> fmt::Result {
    match reduction.possible {
        true => writeln!(
            text,
            "\nSafe statements (no other process can tell when they are executed: a search need not try every order)"
        )?,
        false => writeln!(text, "\nSafe statements (not used: there is no reduction, see below)")?,
    }
    reduction.proctypes.iter().try_for_each(|one| proctype(text, one, model))?;
    clusters(text, reduction)?;
    if !reduction.followers.is_empty() {
        writeln!(text, "\nRendezvous followers")?;
        reduction.followers.iter().try_for_each(|one| follower(text, one, model))?;
    }
    if !reduction.promises.is_empty() {
        writeln!(text, "\nPromises")?;
        for promise in &reduction.promises {
            let place = shown(&promise.place, "line ", model);
            writeln!(
                text,
                "  `{}` of {} ({place}): {}; {}",
                promise.promise, promise.proctype, promise.status, promise.why
            )?;
        }
    }
    writeln!(text, "\nProperties")?;
    writeln!(text, "  assertions and deadlocks: no statement is visible")?;
    reduction.properties.iter().try_for_each(|one| property(text, one, model))?;
    if !reduction.losses.is_empty() {
        writeln!(text, "\nWhat is lost")?;
        reduction.losses.iter().try_for_each(|one| loss(text, one, model))?;
    }
    if !reduction.advice.is_empty() {
        writeln!(text, "\nAdvice")?;
        reduction.advice.iter().try_for_each(|advice| writeln!(text, "  {advice}"))?;
    }
    Ok(())
}

fn proctype(text: &mut String, proctype: &ProctypeSafety, model: &str) -> fmt::Result {
    match &proctype.processes[..] {
        [_] => writeln!(text, "  {}", proctype.proctype)?,
        several => writeln!(text, "  {}: {} processes", proctype.proctype, several.len())?,
    }
    let mut told = Vec::new();
    for location in &proctype.locations {
        let place = shown(&location.place, "", model);
        writeln!(text, "    {place:>4}  {}", location.statements.join(" :: "))?;
        let is_one = location.verdicts.len() == 1;
        for one in &location.verdicts {
            let who = if is_one { String::new() } else { format!("{}: ", list(&one.processes)) };
            verdict(text, location, one, &who, told.iter().find(|(reasons, _)| *reasons == &one.reasons))?;
            if !one.reasons.is_empty() && told.iter().all(|(reasons, _)| *reasons != &one.reasons) {
                told.push((&one.reasons, shown(&location.place, "line ", model)));
            }
        }
    }
    Ok(())
}

/// Reasons, and where they were told.
type Told<'r> = (&'r Vec<String>, String);

/// Reasons that were told at another location of the proctype are not told again.
fn verdict(
    text: &mut String,
    location: &ExplainedLocation,
    verdict: &Verdict,
    who: &str,
    told: Option<&Told<'_>>,
) -> fmt::Result {
    const INDENT: &str = "          ";
    let as_told = told.map(|(_, place)| format!(", as at {place}")).unwrap_or_default();
    let sticky = if location.sticky { ", sticky" } else { "" };
    let states = match &verdict.conditions[..] {
        [] => String::new(),
        conditions => format!(" while {}", list(conditions)),
    };
    match verdict.level {
        Some(0) => writeln!(text, "{INDENT}{who}safe{states}{sticky}{as_told}")?,
        Some(level) => writeln!(text, "{INDENT}{who}safe in its cluster of level {level}{sticky}{as_told}")?,
        None => writeln!(text, "{INDENT}{who}not safe{sticky}{as_told}")?,
    }
    for reason in verdict.reasons.iter().filter(|_| told.is_none()) {
        writeln!(text, "{INDENT}  {reason}")?;
    }
    if verdict.fair_level != verdict.level {
        writeln!(text, "{INDENT}  less so under weak fairness: {}", list(&verdict.fair_reasons))?;
    }
    Ok(())
}

fn clusters(text: &mut String, reduction: &ExplainedReduction) -> fmt::Result {
    if reduction.clusters.is_empty() {
        return writeln!(text, "\nClusters: none above single processes");
    }
    writeln!(text, "\nClusters (processes that share what no other one uses)")?;
    for (number, level) in reduction.clusters.iter().enumerate() {
        let blocks: Vec<String> = level.iter().map(|block| format!("{{{}}}", block.join(", "))).collect();
        writeln!(text, "  level {}: {}", number + 1, blocks.join(" "))?;
    }
    Ok(())
}

fn follower(text: &mut String, follower: &ExplainedFollower, model: &str) -> fmt::Result {
    let tested = match (follower.tested, follower.tested_under_fairness) {
        (true, _) => "a process tests that no partner is ready",
        (false, true) => "this matters under weak fairness only",
        (false, false) => "no process tests this",
    };
    let ExplainedFollower { proctype, statement, channel, .. } = follower;
    let (place, receive) = (shown(&follower.place, "line ", model), shown(&follower.receive, "line ", model));
    writeln!(text, "  `{statement}` of {proctype} ({place}) leads to a receive from {channel} ({receive}): {tested}")
}

fn property(text: &mut String, property: &ExplainedProperty, model: &str) -> fmt::Result {
    let name = if property.kind == property.name { String::new() } else { format!(" {}", property.name) };
    let lines: Vec<String> = property.visible.iter().map(ToString::to_string).collect();
    let visible = match &lines[..] {
        [] => "no statement is visible".to_owned(),
        [one] => format!("visible is line {one}"),
        several => format!("visible are lines {}", list(several)),
    };
    let place = property.place.as_ref().map(|place| format!(" ({})", shown(place, "line ", model))).unwrap_or_default();
    let closed = match property.stutter_closed {
        Some(true) => "; it is stutter-closed",
        Some(false) => "; it is not known to be stutter-closed",
        None => "",
    };
    let safety = if property.safety == Some(true) { "; it is a safety property" } else { "" };
    writeln!(text, "  {}{name}{place}: {visible}{closed}{safety}", property.kind)?;
    property.obstacles.iter().try_for_each(|one| {
        write!(text, "  ")?;
        loss(text, one, model)
    })
}

fn loss(text: &mut String, loss: &ExplainedLoss, model: &str) -> fmt::Result {
    writeln!(text, "  {}: {}; {}", shown(&loss.place, "line ", model), loss.cause, loss.effect)
}
