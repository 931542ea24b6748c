//! The graphs as text, for tests and for people.

use super::{Action, Graph, LocationId, Program, Transition};
use crate::source::SourceMap;
use std::fmt::{self, Write};

/// One line per transition, in the order in which a search tries them:
/// `3 -> 5  turn == _pid`. Marks stand behind a location: `end`, `accept`, `progress`.
pub fn print(program: &Program<'_>, sources: &SourceMap) -> String {
    let mut text = String::new();
    for (id, graph) in program.graphs.iter_enumerated() {
        let name = &program.model.proctypes[id].name;
        write_process(&mut text, name, graph, sources).expect("writing to a string cannot fail");
    }
    text
}

fn write_process(text: &mut String, name: &str, graph: &Graph<'_>, sources: &SourceMap) -> fmt::Result {
    writeln!(text, "{name}")?;
    write_graph(text, graph, sources, "  ")
}

fn write_graph(text: &mut String, graph: &Graph<'_>, sources: &SourceMap, indent: &str) -> fmt::Result {
    let number = |location: LocationId| graph.locations[location].number;
    for (id, location) in graph.locations.iter_enumerated() {
        write!(text, "{indent}{}", location.number)?;
        if id == graph.start {
            write!(text, " start")?;
        }
        for (mark, is_marked) in
            [("end", location.is_end), ("accept", location.is_accept), ("progress", location.is_progress)]
        {
            if is_marked {
                write!(text, " {mark}")?;
            }
        }
        writeln!(text)?;
        let groups = location.escapes.iter().map(|group| ("escape ", group));
        for (prefix, group) in groups.chain([("", &location.leaving)]) {
            for transition in group {
                let transition = &graph.transitions[*transition];
                write!(text, "{indent}  {prefix}")?;
                match transition.to {
                    Some(to) => write!(text, "-> {}", number(to))?,
                    None => write!(text, "-> out")?,
                }
                writeln!(text, "  {}", describe(transition, sources))?;
                if let Action::DStep(inner) = &transition.action {
                    write_graph(text, inner, sources, &format!("{indent}      "))?;
                }
            }
        }
    }
    Ok(())
}

fn describe(transition: &Transition<'_>, sources: &SourceMap) -> String {
    let source = sources.text(transition.span).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = match &transition.action {
        Action::Jump => "jump".to_owned(),
        Action::DStep(_) => "d_step".to_owned(),
        Action::End => "end".to_owned(),
        Action::Condition(_)
        | Action::Else
        | Action::Assign { .. }
        | Action::Send { .. }
        | Action::Receive { .. }
        | Action::Assert(_)
        | Action::Print(_)
        | Action::Event { .. } => source,
    };
    for merged in &transition.merged {
        text += "; ";
        text += &sources.text(merged.span).split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if transition.keeps_control { format!("{text}  (atomic)") } else { text }
}
