//! The state space of a small model as a diagram, with a counterexample in it.

use std::collections::{BTreeSet, HashMap};

use pmc_runtime::explore::{Explorer, GraphEdge, GraphState, NoState, StateGraph};
use pmc_runtime::limits::{Interrupt, Limits};
use pmc_runtime::model::{ModelInfo, SourcePosition};
use pmc_runtime::options::Options;
use pmc_runtime::step::Pid;
use pmc_runtime::trail::{Move, Passed, Trail};

pub use pmc_runtime::explore::GraphLimits;

use crate::picture::diagram::{Diagram, Edge, Flow, Frame, Node};

/// The most states of the search for the counterexample.
const MOST_SEARCHED: u64 = 200_000;

/// Characters on one line of a node, lines of a node, characters of a statement.
const LINE: usize = 26;
const LINES: usize = 6;
const STATEMENT: usize = 44;

const WRONG: &str = "#f6c6c6";
const HERE: &str = "#cfe2fa";
const RED: (&str, u8) = ("#c00000", 2);
const GREY: (&str, u8) = ("#909090", 1);

/// All states that can be reached, within limits, and the path to the first violation that a search finds.
pub fn whole(explorer: &Explorer<'_>, limits: &GraphLimits) -> Result<(Diagram, bool), NoState> {
    let graph = explorer.states(&[], limits)?;
    let trail = counterexample(explorer);
    let path = trail.as_ref().map(|trail| graph.path(&trail.moves)).unwrap_or_default();
    let mut diagram = diagram(explorer.info(), &graph, &path, None);
    let n = graph.states.iter().filter(|state| state.atomic_owner.is_none()).count();
    let found = trail.as_ref().map(|trail| format!("; {}", trail.message)).unwrap_or_default();
    let only = if graph.is_complete { "" } else { "the first " };
    diagram.frames[0].title = format!("{}: {only}{n} states{found}", explorer.info().name);
    Ok((diagram, graph.is_complete))
}

/// The states around the one behind a run: what can be reached from there.
pub fn around(explorer: &Explorer<'_>, run: &[Move], limits: &GraphLimits) -> Result<Diagram, NoState> {
    let graph = explorer.states(run, limits)?;
    let mut diagram = diagram(explorer.info(), &graph, &[], Some(0));
    diagram.frames[0].title = "from here".to_owned();
    Ok(diagram)
}

fn counterexample(explorer: &Explorer<'_>) -> Option<Trail> {
    let limits = Limits { max_states: Some(MOST_SEARCHED), ..Limits::default() };
    let options = Options { limits, threads: 1, ..Options::default() };
    let report = explorer.check(&options, &Interrupt::new());
    let mut violations = report.properties.into_iter().flat_map(|property| property.violations);
    violations.next().map(|violation| violation.trail)
}

fn diagram(info: &ModelInfo<'_>, graph: &StateGraph, path: &[usize], here: Option<usize>) -> Diagram {
    let varying = varying(graph);
    let on_path: BTreeSet<usize> =
        path.iter().flat_map(|edge| std::iter::once(graph.edges[*edge].from).chain(graph.edges[*edge].to)).collect();
    let node = |(number, state): (usize, &GraphState)| {
        let is_wrong = state.ends && !state.may_end && !state.is_cut;
        let fill = match (is_wrong, here == Some(number)) {
            (true, _) => Some(WRONG),
            (false, true) => Some(HERE),
            (false, false) => None,
        };
        Node {
            id: format!("state_{number}"),
            lines: lines(info, state, &varying),
            fill: fill.into_iter().collect(),
            has_double_frame: state.ends && state.may_end,
            is_dashed: state.atomic_owner.is_some(),
            stroke: if on_path.contains(&number) { Some(RED) } else { state.is_cut.then_some(GREY) },
            tooltip: tooltip(info, state),
        }
    };
    let mut frame = Frame {
        flow: Flow::BreadthFirst,
        nodes: graph.states.iter().enumerate().map(node).collect(),
        ..Frame::default()
    };
    for (number, edge) in graph.edges.iter().enumerate() {
        let to = edge.to.unwrap_or_else(|| {
            frame.nodes.push(Node {
                id: format!("fault_{number}"),
                lines: edge.violations.clone(),
                fill: vec![WRONG],
                stroke: path.contains(&number).then_some(RED),
                ..Node::default()
            });
            frame.nodes.len() - 1
        });
        frame.edges.push(arrow(info, edge, to, path.contains(&number)));
    }
    Diagram {
        title: format!("states of {}", info.name),
        legend: legend(graph, path, here.is_some()),
        frames: vec![frame],
    }
}

fn arrow(info: &ModelInfo<'_>, edge: &GraphEdge, to: usize, is_on_path: bool) -> Edge {
    let statement = |pid: Pid, id| {
        let text = info.transition(id).map_or("", |transition| transition.text);
        let shown: String = text.chars().take(STATEMENT).collect();
        let more = if shown.len() < text.len() { " ..." } else { "" };
        format!("{pid}: {shown}{more}")
    };
    let (mut lines, first) = match edge.step.passed() {
        Some(Passed { n_ticks: 1, .. }) => (vec!["tick".to_owned()], None),
        Some(passed) => (vec![format!("{} ticks", passed.n_ticks)], None),
        None => {
            let first = edge.step.transition;
            (vec![statement(edge.step.pid, first)], info.transition(first))
        }
    };
    let merged = first.filter(|_| edge.to.is_some()).map_or(&[][..], |first| first.merged);
    lines.extend(merged.iter().map(|id| statement(edge.step.pid, *id)));
    lines.extend(edge.step.receiver.map(|(receiver, receive)| statement(receiver, receive)));
    if edge.to.is_some() {
        lines.extend(edge.violations.iter().cloned());
    }
    let is_wrong = !edge.violations.is_empty();
    Edge {
        from: edge.from,
        to,
        is_list: lines.len() > 1,
        lines,
        stroke: (is_on_path || is_wrong).then_some(RED),
        is_dashed: is_wrong && !is_on_path,
        text_color: is_wrong.then_some(RED.0),
    }
}

/// The variables with more than one value.
fn varying(graph: &StateGraph) -> BTreeSet<(Option<Pid>, String)> {
    let mut first: HashMap<(Option<Pid>, &str), &str> = HashMap::new();
    let mut varying = BTreeSet::new();
    for state in &graph.states {
        for (owner, name, value) in &state.values {
            if *first.entry((*owner, name)).or_insert(value) != value {
                varying.insert((*owner, name.clone()));
            }
        }
    }
    varying
}

/// Where the processes are, then what varies: as much as there is room for.
fn lines(info: &ModelInfo<'_>, state: &GraphState, varying: &BTreeSet<(Option<Pid>, String)>) -> Vec<String> {
    let place = |&(pid, _, location): &(Pid, usize, usize)| format!("{pid}@{}", line_of(info, location));
    let values = state.values.iter().filter(|(owner, name, _)| varying.contains(&(*owner, name.clone())));
    let value = |(owner, name, value): &(Option<Pid>, String, String)| match owner {
        Some(pid) => format!("{pid}.{name}={value}"),
        None => format!("{name}={value}"),
    };
    let mut lines = packed(state.locations.iter().map(place));
    lines.extend(packed(values.map(value)));
    if lines.len() > LINES {
        lines.truncate(LINES - 1);
        lines.push("...".to_owned());
    }
    lines
}

/// Words on as few lines as they need.
fn packed(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LINE => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

fn tooltip(info: &ModelInfo<'_>, state: &GraphState) -> String {
    let place = |&(pid, proctype, location): &(Pid, usize, usize)| {
        format!("{} {pid} at line {}", info.proctype_name(proctype), line_of(info, location))
    };
    let value = |(owner, name, value): &(Option<Pid>, String, String)| match owner {
        Some(pid) => format!("process {pid}: {name} = {value}"),
        None => format!("{name} = {value}"),
    };
    let all: Vec<String> = state.locations.iter().map(place).chain(state.values.iter().map(value)).collect();
    all.join("\n")
}

fn line_of(info: &ModelInfo<'_>, location: usize) -> u32 {
    let place: Option<SourcePosition> = info.locations.get(location).map(|location| location.place);
    place.map_or(0, |place| place.line)
}

/// The meaning of the marks that occur.
fn legend(graph: &StateGraph, path: &[usize], has_here: bool) -> Vec<String> {
    let any = |has: fn(&GraphState) -> bool| graph.states.iter().any(has);
    let marks = [
        ("1@14: process 1 is at line 14; 1.x: its variable x; only what varies is shown", true),
        ("blue: the state that the run has reached", has_here),
        ("red frames and arrows: the counterexample", !path.is_empty()),
        ("red: an invalid end state, or a step that fails", any(|state| state.ends && !state.may_end)),
        ("double frame: no step is possible, and all processes may end", any(|state| state.ends && state.may_end)),
        ("dashed: inside an atomic sequence", any(|state| state.atomic_owner.is_some())),
        ("grey: some steps lead further, beyond the limit of states", !graph.is_complete),
    ];
    marks.into_iter().filter(|(_, occurs)| *occurs).map(|(mark, _)| mark.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::graph::Exploring;
    use crate::driver::{Options, Session};
    use crate::picture::diagram::{dot, svg};

    fn drawn(model: &str, states: usize) -> (Diagram, bool) {
        let mut session = Session::from_text("m.pml", model.to_owned(), &Options::default()).expect("a small model");
        let limits = GraphLimits { states, depth: usize::MAX };
        session.interpret(|_, interpretable| {
            let interpretable = interpretable.expect("a good model");
            interpretable
                .visit(Exploring(|explorer: &Explorer<'_>| whole(explorer, &limits)))
                .expect("an initial state")
        })
    }

    #[test]
    fn the_counterexample_is_marked() {
        let (diagram, is_complete) =
            drawn("byte x; active proctype p() { do :: x < 2 -> x++ :: x == 2 -> assert(false) od }", 100);
        assert!(is_complete);
        let frame = &diagram.frames[0];
        assert!(frame.title.contains("assertion violated"), "{}", frame.title);
        let red = frame.edges.iter().filter(|edge| edge.stroke == Some(RED)).count();
        assert!(red >= 3, "{red} edges of the counterexample are marked");
        assert!(diagram.legend.iter().any(|line| line.contains("the counterexample")));
        assert!(svg(&diagram).contains("assertion violated") && dot(&diagram).contains("state_0 -> state_1"));
    }

    #[test]
    fn a_deadlock_and_a_good_end_differ() {
        let model = "byte x; active proctype p() { if :: x = 1 :: x = 2; x == 3 fi }";
        let (diagram, _) = drawn(model, 100);
        let nodes = &diagram.frames[0].nodes;
        assert_eq!(nodes.iter().filter(|node| node.has_double_frame).count(), 1);
        assert_eq!(nodes.iter().filter(|node| node.fill == [WRONG]).count(), 1);
    }

    #[test]
    fn a_limit_is_told() {
        let (diagram, is_complete) = drawn("byte x; active proctype p() { do :: x < 200 -> x++ od }", 7);
        assert!(!is_complete);
        assert_eq!(diagram.frames[0].nodes.len(), 7);
        assert!(diagram.frames[0].title.contains("the first 7 states"));
        assert!(diagram.legend.iter().any(|line| line.starts_with("grey")));
    }

    #[test]
    fn a_step_that_fails_leads_to_what_is_wrong() {
        let (diagram, _) = drawn("byte a[2], i = 2; active proctype p() { a[i] = 1 }", 10);
        let wrong = diagram.frames[0].nodes.iter().find(|node| node.id.starts_with("fault")).expect("a node for it");
        assert!(wrong.lines[0].contains("index"), "{:?}", wrong.lines);
    }

    #[test]
    fn words_share_lines() {
        let words = ["a=1", "b=22", "a_name_that_is_long_enough=333", "c=4"].map(str::to_owned);
        assert_eq!(packed(words.into_iter()), ["a=1 b=22", "a_name_that_is_long_enough=333", "c=4"]);
    }
}
