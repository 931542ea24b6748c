//! The control flow of proctypes and claims, and the automata of formulas, as diagrams.

use crate::analysis::Reduction;
use crate::analysis::safe::UNSAFE;
use crate::collections::Id;
use crate::ir::formula::{AtomId, Automaton, FormulaLocation};
use crate::ir::{Action, Graph, Location, LocationId, Program, Transition};
use crate::model::{Ltl, Process, ProctypeId};
use crate::picture::diagram::{Diagram, Edge, Frame, Node};
use crate::source::{SourceMap, Span};

/// All that has a graph: proctypes, never claims, the trace.
fn processes<'p>(program: &'p Program<'p>) -> impl Iterator<Item = (&'p Process, &'p Graph<'p>)> {
    let model = program.model;
    let claims = model.never.iter().zip(&program.claims);
    let trace = model.trace.iter().map(|trace| &trace.process).zip(&program.trace);
    model.proctypes.iter().zip(&program.graphs).chain(claims).chain(trace)
}

/// The name of everything that has one.
pub fn names<'p>(program: &'p Program<'p>) -> Vec<&'p str> {
    let formulas = program.model.formulas.iter().map(|ltl| &*ltl.name);
    processes(program).map(|(process, _)| &*process.name).chain(formulas).collect()
}

/// All of them, or only the one of that name.
pub fn diagram(program: &Program<'_>, facts: &Reduction, sources: &SourceMap, only: Option<&str>) -> Diagram {
    let levels = program.graphs.iter_enumerated().map(|(id, graph)| levels(facts, id, graph));
    let drawings: Vec<Drawing<'_>> = processes(program)
        .zip(levels.chain(std::iter::repeat(Vec::new())))
        .filter(|((process, _), _)| only.is_none_or(|only| *process.name == *only))
        .enumerate()
        .map(|(number, ((process, graph), levels))| Drawing { number, process, graph, sources, levels })
        .collect();
    let formulas: Vec<FormulaDrawing<'_>> = program
        .model
        .formulas
        .iter()
        .zip(&program.formulas)
        .filter(|(ltl, _)| only.is_none_or(|only| *ltl.name == *only))
        .zip(drawings.len()..)
        .map(|((ltl, automaton), number)| FormulaDrawing { number, ltl, automaton, sources })
        .collect();
    let legend = legend(&drawings, &formulas).into_iter().map(str::to_owned).collect();
    let frames = drawings.iter().map(Drawing::frame).chain(formulas.iter().map(FormulaDrawing::frame)).collect();
    Diagram { title: "control flow".to_owned(), legend, frames }
}

/// The level at which each location is safe, for all processes of the proctype.
fn levels(facts: &Reduction, id: ProctypeId, graph: &Graph<'_>) -> Vec<u8> {
    let level = |at: LocationId| {
        let own = facts.actors.of[id].iter().filter(|actor| facts.reach[**actor].locations[at]);
        own.map(|actor| facts.location(*actor, at).plain).max().unwrap_or(UNSAFE)
    };
    graph.locations.ids().map(|at| if facts.is_off() { UNSAFE } else { level(at) }).collect()
}

const ATOMIC: (&str, u8) = ("#c05a00", 2);
const D_STEP: (&str, u8) = ("#7030a0", 2);
const SAFE: &str = "#1a7a1a";
const SAFE_IN_CLUSTER: &str = "#2050b0";
const ACCEPT: &str = "#c8eac8";
const PROGRESS: &str = "#cfe2fa";
const VIOLATED: &str = "#f6c6c6";

/// The meaning of the marks that occur.
fn legend(drawings: &[Drawing<'_>], formulas: &[FormulaDrawing<'_>]) -> Vec<&'static str> {
    let any_formula_location =
        |has: fn(&FormulaLocation) -> bool| formulas.iter().any(|it| it.automaton.locations.iter().any(has));
    let any_location = |has: fn(&Location) -> bool| drawings.iter().any(|it| it.graph.locations.iter().any(has));
    let any_transition =
        |has: fn(&Transition<'_>) -> bool| drawings.iter().any(|it| it.graph.transitions.iter().any(has));
    let marks = [
        ("double frame: may stay here for ever", any_location(|location| location.is_end)),
        ("red: the formula is violated, whatever follows", any_formula_location(|location| location.is_end)),
        (
            "green: accept",
            any_location(|location| location.is_accept)
                || any_formula_location(|location| location.is_accepting && !location.is_end),
        ),
        ("blue: progress", any_location(|location| location.is_progress)),
        ("orange: atomic", any_transition(|transition| transition.keeps_control)),
        ("purple: d_step", any_transition(|transition| matches!(transition.action, Action::DStep(_)))),
        ("dashed: unless", any_location(|location| !location.escapes.is_empty())),
        ("green text: safe", drawings.iter().any(|it| it.levels.contains(&0))),
        (
            "blue text: safe in its cluster",
            drawings.iter().any(|it| it.levels.iter().any(|level| (1..UNSAFE).contains(level))),
        ),
    ];
    marks.into_iter().filter(|(_, occurs)| *occurs).map(|(mark, _)| mark).collect()
}

/// One process in a frame of its own.
struct Drawing<'a> {
    number: usize,
    process: &'a Process,
    graph: &'a Graph<'a>,
    sources: &'a SourceMap,
    /// By location: at which level it is safe. Empty for a claim.
    levels: Vec<u8>,
}

impl Drawing<'_> {
    fn frame(&self) -> Frame {
        let mut frame = Frame {
            title: format!("{}  {}", self.process.name, self.place(self.process.span)),
            start: self.graph.start.index(),
            ..Frame::default()
        };
        for (at, location) in self.graph.locations.iter_enumerated() {
            frame.nodes.push(self.node(location));
            let level = self.levels.get(at.index()).copied().unwrap_or(UNSAFE);
            let escapes = location.escapes.iter().flatten().map(|id| (id, true));
            for (id, is_escape) in escapes.chain(location.leaving.iter().map(|id| (id, false))) {
                let transition = &self.graph.transitions[*id];
                // The end of a process has no transitions: the double frame shows that.
                if let Some(to) = transition.to {
                    frame.edges.push(self.edge(transition, (at.index(), to.index()), is_escape, level));
                }
            }
        }
        frame
    }

    fn node(&self, location: &Location) -> Node {
        let names: Vec<String> =
            location.labels.iter().map(|label| self.process.labels[*label].name.to_string()).collect();
        let fill = [(ACCEPT, location.is_accept), (PROGRESS, location.is_progress)];
        Node {
            id: format!("at_{}_{}", self.number, location.number),
            lines: if names.is_empty() { vec![location.number.to_string()] } else { names },
            fill: fill.into_iter().filter_map(|(color, is_marked)| is_marked.then_some(color)).collect(),
            has_double_frame: location.is_end,
            ..Node::default()
        }
    }

    fn edge(&self, transition: &Transition<'_>, (from, to): (usize, usize), is_escape: bool, level: u8) -> Edge {
        let line = self.line(transition.span);
        let mut lines = vec![format!("{line}  {}", self.statement(transition))];
        let mut is_list = false;
        if let Action::DStep(inner) = &transition.action {
            lines = vec![format!("{line}  d_step")];
            is_list = true;
            for inner in inner.transitions.iter().take(LONGEST_D_STEP) {
                lines.push(format!("{}    {}", self.line(inner.span), self.statement(inner)));
            }
            if inner.transitions.len() > LONGEST_D_STEP {
                lines.push("    ...".to_owned());
            }
        }
        // Statements of the same step are written below it.
        for merged in &transition.merged {
            is_list = true;
            lines.push(format!("{}  {}", self.line(merged.span), shown(&self.text(merged.span))));
        }
        let is_d_step = matches!(transition.action, Action::DStep(_));
        let stroke = if transition.keeps_control { Some(ATOMIC) } else { is_d_step.then_some(D_STEP) };
        let text_color = match level {
            0 => Some(SAFE),
            UNSAFE => None,
            _ => Some(SAFE_IN_CLUSTER),
        };
        Edge { from, to, lines, is_list, stroke, is_dashed: is_escape, text_color }
    }

    /// The author's text, on one line and not too long.
    fn statement(&self, transition: &Transition<'_>) -> String {
        let text = self.text(transition.span);
        match transition.action {
            Action::Else => "else".to_owned(),
            // The join behind a selection has the text of all of it.
            Action::Jump if !text.starts_with("goto") && !text.starts_with("break") => String::new(),
            Action::Condition(_)
            | Action::Jump
            | Action::Assign { .. }
            | Action::Send { .. }
            | Action::Receive { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::Event { .. }
            | Action::DStep(_)
            | Action::End => shown(&text),
        }
    }

    fn text(&self, span: Span) -> String {
        self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn line(&self, span: Span) -> u32 {
        self.sources.presumed(span).1
    }

    fn place(&self, span: Span) -> String {
        let (file, line) = self.sources.presumed(span);
        format!("{}:{line}", file.rsplit(['/', '\\']).next().unwrap_or(file))
    }
}

/// The automaton of the violations of a formula, in a frame of its own.
struct FormulaDrawing<'a> {
    number: usize,
    ltl: &'a Ltl,
    automaton: &'a Automaton,
    sources: &'a SourceMap,
}

impl FormulaDrawing<'_> {
    fn frame(&self) -> Frame {
        let name = &self.ltl.name;
        let title = format!("ltl {name}: what violates {}", self.sources.text(self.ltl.written));
        let atom = |atom: AtomId| self.sources.text(self.automaton.atoms[atom].span).to_owned();
        let mut frame = Frame { title, ..Frame::default() };
        for (id, location) in self.automaton.locations.iter_enumerated() {
            let fill = if location.is_end { Some(VIOLATED) } else { location.is_accepting.then_some(ACCEPT) };
            frame.nodes.push(Node {
                id: format!("at_{}_{}", self.number, id.0),
                lines: vec![format!("S{}", id.0)],
                fill: fill.into_iter().collect(),
                ..Node::default()
            });
            for edge in &location.edges {
                let lines = vec![self.automaton.text(edge.guard, &atom)];
                frame.edges.push(Edge { from: id.index(), to: edge.to.index(), lines, ..Edge::default() });
            }
        }
        frame
    }
}

/// Characters of a statement that are shown.
const LONGEST_STATEMENT: usize = 50;

/// Statements of a `d_step` that are shown.
const LONGEST_D_STEP: usize = 8;

/// As much of a statement as fits beside an arrow.
fn shown(text: &str) -> String {
    match text.char_indices().nth(LONGEST_STATEMENT) {
        Some((end, _)) => text[..end].trim_end().to_owned() + " ...",
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Analysed, Options, Session};
    use crate::picture::diagram::{dot, svg};

    fn drawn(model: &str, only: Option<&str>) -> String {
        let mut session = Session::from_text("a/m.pml", model.to_owned(), &Options::default()).expect("a small model");
        let model = session.resolve_simplified().expect("a good model");
        let Analysed { program, facts, .. } = session.analyse(&model).expect("small formulas");
        dot(&diagram(&program, &facts.reduction, &session.sources, only))
    }

    #[test]
    fn every_mark_is_drawn() {
        let model = "\
byte x;
active proctype p() {
  end: { do
  :: x == 0 -> atomic { x++; x++ }
  :: else -> d_step { x = 1; x = 2 }; progress: break
  od } unless { x == 255 }
}
active proctype q() { x = 9 }
";
        let expected = r##"
  label="double frame: may stay here for ever; blue: progress; orange: atomic; purple: d_step; dashed: unless; green text: safe";

  subgraph cluster_0 {
    label="p  m.pml:2"; labelloc=t; color="#b0b0b0"; style=rounded;
    start_0 [shape=point, width=0.1];
"##;
        let text = drawn(model, Some("p"));
        assert!(text.contains(&expected[1..]), "{text}");
        for part in [
            r#"[label="end", peripheries=2];"#,
            r##"[label=" 4  x++", color="#c05a00", penwidth=2];"##,
            r##"[label=" 5  d_step\l 5    x = 1\l 5    x = 2\l", color="#7030a0", penwidth=2];"##,
            r##"[label="progress", style="rounded,filled", fillcolor="#cfe2fa"];"##,
            r#"[label=" 6  x == 255", style=dashed];"#,
            r#"[label=" 5  else"];"#,
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert!(!text.contains("cluster_1"));
        assert_eq!(drawn(model, None).matches("subgraph").count(), 2);
        assert_eq!(text, drawn(model, Some("p")));
    }

    #[test]
    fn safe_statements_are_marked() {
        let model = "byte x, y; active proctype p() { byte i; i = 1; x = 1; y = 1 } active proctype q() { x = 2 } active proctype r() { y = 2 }";
        let text = drawn(model, Some("p"));
        assert!(text.contains(r##"[label=" 1  i = 1", fontcolor="#1a7a1a"];"##), "{text}");
        assert!(text.contains(r##"[label=" 1  x = 1", fontcolor="#2050b0"];"##), "{text}");
        assert!(text.contains(r#"[label=" 1  y = 1"];"#), "{text}");
        assert!(text.contains("green text: safe; blue text: safe in its cluster"), "{text}");
    }

    #[test]
    fn text_cannot_leave_its_label() {
        let text = drawn("init { printf(\"\\\"] }; evil\\n\") }", None);
        assert!(text.contains(r#"[label=" 1  printf(\"\\\"] }; evil\\n\")", fontcolor="#), "{text}");
    }

    #[test]
    fn claims_are_drawn_too() {
        let text = drawn("byte x; init { x = 1 } never { accept: do :: x == 1 od }", None);
        assert!(text.contains("label=\"accept\", style=\"rounded,filled\", fillcolor=\"#c8eac8\""), "{text}");
        assert!(text.contains("green: accept") && !text.contains("dashed"), "{text}");
    }

    #[test]
    fn a_formula_is_drawn_as_what_violates_it() {
        let model = "byte x; active proctype p() { x = 1 }\nltl once { [] (x == 1 -> [] (x < 2)) }";
        let expected = r##"
  label="red: the formula is violated, whatever follows";

  subgraph cluster_0 {
    label="ltl once: what violates [] (x == 1 -> [] (x < 2))"; labelloc=t; color="#b0b0b0"; style=rounded;
    start_0 [shape=point, width=0.1];
    start_0 -> at_0_0;
    at_0_0 [label="S0"];
    at_0_0 -> at_0_2 [label=" (x == 1) && !(x < 2)"];
    at_0_0 -> at_0_1 [label=" (x == 1) && (x < 2)"];
    at_0_0 -> at_0_0 [label=" !(x == 1)"];
    at_0_1 [label="S1"];
    at_0_1 -> at_0_2 [label=" !(x < 2)"];
    at_0_1 -> at_0_1 [label=" x < 2"];
    at_0_2 [label="S2", style="rounded,filled", fillcolor="#f6c6c6"];
    at_0_2 -> at_0_2 [label=" true"];
  }
}
"##;
        let drawing = drawn(model, Some("once"));
        assert!(drawing.ends_with(expected.trim_start_matches('\n')), "{drawing}");
    }

    #[test]
    fn the_picture_has_every_statement() {
        let model = "byte x; active proctype p() { do :: x < 3 -> x = x + 1 :: else -> break od }";
        let mut session = Session::from_text("m.pml", model.to_owned(), &Options::default()).expect("a small model");
        let model = session.resolve().expect("a good model");
        let Analysed { program, facts, .. } = session.analyse(&model).expect("no formula");
        let text = svg(&diagram(&program, &facts.reduction, &session.sources, None));
        for part in
            ["p  m.pml:1".replace("  ", " \u{a0}"), "x &lt; 3".to_owned(), "x = x + 1".to_owned(), "else".to_owned()]
        {
            assert!(text.contains(&part), "no {part} in {text}");
        }
    }
}
