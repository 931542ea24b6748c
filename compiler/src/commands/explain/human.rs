//! What is known about a model, as text.

use std::fmt::{self, Write};

use super::channels::{ChannelUser, ExplainedChannel};
use super::{
    ExplainedField, ExplainedProcesses, ExplainedState, Explanation, SourceLine, ranges, reduction_text, simplified,
    symmetry,
};

pub fn text(explanation: &Explanation) -> String {
    let mut text = String::new();
    write(&mut text, explanation).expect("writing to a string cannot fail");
    text
}

fn write(text: &mut String, explanation: &Explanation) -> fmt::Result {
    writeln!(text, "{}", explanation.model)?;
    processes(text, &explanation.processes, &explanation.model)?;
    state(text, &explanation.state)?;
    ranges::write(text, &explanation.ranges, &explanation.model)?;
    if !explanation.channels.is_empty() {
        writeln!(text, "\nChannels")?;
    }
    explanation.channels.iter().try_for_each(|one| channel(text, one, &explanation.model))?;
    reduction_text::write(text, &explanation.reduction, &explanation.model)?;
    symmetry::write(text, &explanation.symmetry, &explanation.model)?;
    simplified::write(text, &explanation.simplified, &explanation.model)
}

fn processes(text: &mut String, processes: &ExplainedProcesses, model: &str) -> fmt::Result {
    match processes.bound {
        Some(1) => writeln!(text, "\nProcesses: one")?,
        Some(bound) => writeln!(text, "\nProcesses: {bound} at most")?,
        None => writeln!(text, "\nProcesses: any number")?,
    }
    let width = processes.proctypes.iter().map(|proctype| proctype.name.len()).max().unwrap_or(0).max(8);
    writeln!(text, "  {:width$}  started  locations  transitions", "proctype")?;
    for proctype in &processes.proctypes {
        let started = match proctype.started {
            Some(0) => "never".to_owned(),
            Some(n) => n.to_string(),
            None => "no bound".to_owned(),
        };
        let (name, locations, transitions) = (&proctype.name, proctype.locations, proctype.transitions);
        let place = shown(&proctype.place, "line ", model);
        writeln!(text, "  {name:width$} {started:>8} {locations:>10} {transitions:>12}  {place}")?;
    }
    Ok(())
}

fn state(text: &mut String, state: &ExplainedState) -> fmt::Result {
    match (state.bits, state.bytes) {
        (Some(bits), Some(bytes)) => writeln!(text, "\nState: {bits} bits at most, stored in {bytes} bytes")?,
        _ => writeln!(text, "\nState: as many bytes as it needs")?,
    }
    writeln!(text, "  {}: {}", if state.fixed { "fixed" } else { "growing" }, state.why)?;
    let unit = state.unit;
    let width = (state.fields.iter().chain(state.processes.iter().flat_map(|process| &process.fields)))
        .map(|field| field.name.len())
        .max()
        .unwrap_or(0);
    writeln!(text, "      at {unit:>6}")?;
    state.fields.iter().try_for_each(|one| field(text, one, width))?;
    for process in &state.processes {
        writeln!(text, "  each {}: {} {unit}", process.proctype, process.size)?;
        process.fields.iter().try_for_each(|one| field(text, one, width))?;
    }
    for variable in &state.left_out {
        let owner = variable.proctype.as_ref().map(|proctype| format!(" of {proctype}")).unwrap_or_default();
        writeln!(text, "  not stored: the variable {}{owner}, since {}", variable.name, variable.why)?;
    }
    Ok(())
}

fn field(text: &mut String, field: &ExplainedField, width: usize) -> fmt::Result {
    let at = field.offset.map_or_else(|| "-".to_owned(), |offset| offset.to_string());
    let line = format!("  {at:>6} {:>6}  {:width$}  {}", field.size, field.name, field.ty.as_deref().unwrap_or(""));
    writeln!(text, "{}", line.trim_end())
}

fn channel(text: &mut String, channel: &ExplainedChannel, model: &str) -> fmt::Result {
    let owner = channel.proctype.as_ref().map(|proctype| format!(" of {proctype}")).unwrap_or_default();
    let times = if channel.count == 1 { String::new() } else { format!("{} times ", channel.count) };
    let (name, capacity, fields) = (&channel.name, channel.capacity, channel.fields.join(", "));
    let place = shown(&channel.place, "line ", model);
    writeln!(text, "  {name}{owner}: {times}[{capacity}] of {{ {fields} }}  {place}")?;
    users(text, "sent to by", &channel.senders, model)?;
    users(text, "received from by", &channel.receivers, model)?;
    users(text, "asked by", &channel.observers, model)
}

/// The line, and the file if it is not the model itself.
pub(super) fn shown(place: &SourceLine, prefix: &str, model: &str) -> String {
    let SourceLine { file, line } = place;
    if file == model { format!("{prefix}{line}") } else { format!("{file}:{line}") }
}

/// `sent to by sender (7, 9), init (12)`
fn users(text: &mut String, what: &str, uses: &[ChannelUser], model: &str) -> fmt::Result {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for found in uses {
        let by = found.by.as_deref().unwrap_or("a claim");
        let place = shown(&found.place, "", model);
        match groups.last_mut() {
            Some((last, places)) if *last == by => places.push(place),
            _ => groups.push((by, vec![place])),
        }
    }
    if groups.is_empty() {
        return Ok(());
    }
    let groups: Vec<String> = groups.iter().map(|(by, places)| format!("{by} ({})", places.join(", "))).collect();
    writeln!(text, "    {what} {}", groups.join(", "))
}
