//! `pmc graph`: the control flow of each proctype, claim and formula, as a drawing for Graphviz; or the clusters of
//! processes (`clusters.rs`).

mod clusters;

use std::fmt::{self, Write};

use super::{ExitStatus, print, report};
use crate::analysis::Reduction;
use crate::analysis::safe::UNSAFE;
use crate::cli::GraphArgs;
use crate::collections::Id;
use crate::diagnostic::excerpt::harmless_text;
use crate::driver::{Analysed, Error, Session};
use crate::ir::formula::{AtomId, Automaton, Stage};
use crate::ir::{Action, Graph, Location, LocationId, Program, Transition};
use crate::model::{Ltl, Process, ProctypeId};
use crate::source::{SourceMap, Span};

pub fn run(arguments: &GraphArgs) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&arguments.model.path, &arguments.model.options())?;
    let model = session.resolve_simplified();
    let analysed = match &model {
        Ok(model) => session.analyse(model),
        Err(stop) => Err(*stop),
    };
    report(&session, arguments.messages.format, arguments.model.color)?;
    let Ok(Analysed { program, facts, .. }) = &analysed else { return Ok(ExitStatus::Wrong) };
    let names: Vec<&str> = processes(program)
        .map(|(process, _)| &*process.name)
        .chain(program.model.formulas.iter().map(|ltl| &*ltl.name))
        .collect();
    match &arguments.proctype {
        Some(name) if !names.contains(&name.as_str()) => {
            Err(Error::NoProctype { name: name.clone(), there_are: names.join("`, `") })
        }
        name => {
            let text = match arguments.clusters {
                true => clusters::dot(program, &facts.reduction),
                false => dot(program, &facts.reduction, &session.sources, name.as_deref()),
            };
            print(&text).map(|()| ExitStatus::Fine)
        }
    }
}

/// All that has a graph: proctypes, never claims, the trace.
fn processes<'p>(program: &'p Program<'p>) -> impl Iterator<Item = (&'p Process, &'p Graph<'p>)> {
    let model = program.model;
    let claims = model.never.iter().zip(&program.claims);
    let trace = model.trace.iter().map(|trace| &trace.process).zip(&program.trace);
    model.proctypes.iter().zip(&program.graphs).chain(claims).chain(trace)
}

/// All of them, or only the one of that name.
fn dot(program: &Program<'_>, facts: &Reduction, sources: &SourceMap, only: Option<&str>) -> String {
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
    let mut text = String::new();
    write(&mut text, &drawings, &formulas).expect("writing to a string cannot fail");
    text
}

/// The level at which each location is safe, for all processes of the proctype.
fn levels(facts: &Reduction, id: ProctypeId, graph: &Graph<'_>) -> Vec<u8> {
    let level = |at: LocationId| {
        let own = facts.actors.of[id].iter().filter(|actor| facts.reach[**actor].locations[at]);
        own.map(|actor| facts.location(*actor, at).plain).max().unwrap_or(UNSAFE)
    };
    graph.locations.ids().map(|at| if facts.is_off() { UNSAFE } else { level(at) }).collect()
}

const HEAD: &str = "digraph model {
  graph [fontname=\"Helvetica\", fontsize=12, nodesep=0.4, ranksep=0.4, labelloc=b];
  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=rounded, width=0.35, height=0.3, margin=\"0.08,0.03\"];
  edge [fontname=\"Courier\", fontsize=10, arrowsize=0.7];
";

const ATOMIC: &str = "color=\"#c05a00\", penwidth=2";
const D_STEP: &str = "color=\"#7030a0\", penwidth=2";
const ESCAPE: &str = "style=dashed";
const SAFE: &str = "fontcolor=\"#1a7a1a\"";
const SAFE_IN_CLUSTER: &str = "fontcolor=\"#2050b0\"";
const ACCEPT: &str = "#c8eac8";
const PROGRESS: &str = "#cfe2fa";
const VIOLATED: &str = "#f6c6c6";

fn write(text: &mut String, drawings: &[Drawing<'_>], formulas: &[FormulaDrawing<'_>]) -> fmt::Result {
    text.push_str(HEAD);
    let legend = legend(drawings, formulas);
    if !legend.is_empty() {
        writeln!(text, "  label=\"{}\";", legend.join("; "))?;
    }
    drawings.iter().try_for_each(|drawing| drawing.write(text))?;
    formulas.iter().try_for_each(|formula| formula.write(text))?;
    text.push_str("}\n");
    Ok(())
}

/// The meaning of the marks that occur.
fn legend(drawings: &[Drawing<'_>], formulas: &[FormulaDrawing<'_>]) -> Vec<&'static str> {
    let any_stage = |has: fn(&Stage) -> bool| formulas.iter().any(|it| it.automaton.locations.iter().any(has));
    let any_location = |has: fn(&Location) -> bool| drawings.iter().any(|it| it.graph.locations.iter().any(has));
    let any_transition =
        |has: fn(&Transition<'_>) -> bool| drawings.iter().any(|it| it.graph.transitions.iter().any(has));
    let marks = [
        ("double frame: may stay here for ever", any_location(|location| location.is_end)),
        ("red: the formula is violated, whatever follows", any_stage(|stage| stage.is_end)),
        (
            "green: accept",
            any_location(|location| location.is_accept) || any_stage(|stage| stage.is_accepting && !stage.is_end),
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
    fn write(&self, text: &mut String) -> fmt::Result {
        let title = format!("{}  {}", self.process.name, self.place(self.process.span));
        let number = self.number;
        writeln!(text, "\n  subgraph cluster_{number} {{")?;
        writeln!(text, "    label=\"{}\"; labelloc=t; color=\"#b0b0b0\"; style=rounded;", escape(&title))?;
        writeln!(text, "    start_{number} [shape=point, width=0.1];")?;
        writeln!(text, "    start_{number} -> {};", self.node(&self.graph.locations[self.graph.start]))?;
        for (at, location) in self.graph.locations.iter_enumerated() {
            let level = self.levels.get(at.index()).copied().unwrap_or(UNSAFE);
            self.write_location(text, location, level)?;
        }
        writeln!(text, "  }}")
    }

    fn write_location(&self, text: &mut String, location: &Location, level: u8) -> fmt::Result {
        let names: Vec<String> =
            location.labels.iter().map(|label| escape(&self.process.labels[*label].name)).collect();
        let label = if names.is_empty() { location.number.to_string() } else { names.join("\\n") };
        let mut marks = format!("label=\"{label}\"");
        if location.is_end {
            marks += ", peripheries=2";
        }
        let fill: Vec<&str> = [(ACCEPT, location.is_accept), (PROGRESS, location.is_progress)]
            .into_iter()
            .filter_map(|(color, is_marked)| is_marked.then_some(color))
            .collect();
        if !fill.is_empty() {
            write!(marks, ", style=\"rounded,filled\", fillcolor=\"{}\"", fill.join(":"))?;
        }
        let node = self.node(location);
        writeln!(text, "    {node} [{marks}];")?;
        let escapes = location.escapes.iter().flatten().map(|id| (id, true));
        for (id, is_escape) in escapes.chain(location.leaving.iter().map(|id| (id, false))) {
            let transition = &self.graph.transitions[*id];
            // The end of a process has no transitions: the double frame shows that.
            if let Some(to) = transition.to {
                let to = self.node(&self.graph.locations[to]);
                writeln!(text, "    {node} -> {to} [{}];", self.edge(transition, is_escape, level))?;
            }
        }
        Ok(())
    }

    fn node(&self, location: &Location) -> String {
        format!("at_{}_{}", self.number, location.number)
    }

    fn edge(&self, transition: &Transition<'_>, is_escape: bool, level: u8) -> String {
        // Room in front, since the arrow passes there.
        let mut label = format!(" {}  ", self.line(transition.span));
        match &transition.action {
            Action::DStep(inner) => {
                label += "d_step\\l";
                for inner in inner.transitions.iter().take(LONGEST_D_STEP) {
                    let _ = write!(label, " {}    {}\\l", self.line(inner.span), self.statement(inner));
                }
                if inner.transitions.len() > LONGEST_D_STEP {
                    label += "     ...\\l";
                }
            }
            Action::Condition(_)
            | Action::Else
            | Action::Jump
            | Action::Assign { .. }
            | Action::Send { .. }
            | Action::Receive { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::Event { .. }
            | Action::End => label += &self.statement(transition),
        }
        // Statements of the same step are written below it.
        for merged in &transition.merged {
            if !label.ends_with("\\l") {
                label += "\\l";
            }
            let _ = write!(label, " {}  {}\\l", self.line(merged.span), self.shown(&self.text(merged.span)));
        }
        let mut marks = vec![format!("label=\"{label}\"")];
        if transition.keeps_control {
            marks.push(ATOMIC.to_owned());
        } else if matches!(transition.action, Action::DStep(_)) {
            marks.push(D_STEP.to_owned());
        }
        if is_escape {
            marks.push(ESCAPE.to_owned());
        }
        match level {
            0 => marks.push(SAFE.to_owned()),
            UNSAFE => {}
            _ => marks.push(SAFE_IN_CLUSTER.to_owned()),
        }
        marks.join(", ")
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
            | Action::End => self.shown(&text),
        }
    }

    fn text(&self, span: Span) -> String {
        self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn shown(&self, text: &str) -> String {
        match text.char_indices().nth(LONGEST_STATEMENT) {
            Some((end, _)) => escape(text[..end].trim_end()) + " ...",
            None => escape(text),
        }
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
    fn write(&self, text: &mut String) -> fmt::Result {
        let (number, name) = (self.number, &self.ltl.name);
        let title = format!("ltl {name}: what violates {}", self.sources.text(self.ltl.written));
        let atom = |atom: AtomId| self.sources.text(self.automaton.atoms[atom].span).to_owned();
        writeln!(text, "\n  subgraph cluster_{number} {{")?;
        writeln!(text, "    label=\"{}\"; labelloc=t; color=\"#b0b0b0\"; style=rounded;", escape(&title))?;
        writeln!(text, "    start_{number} [shape=point, width=0.1];")?;
        writeln!(text, "    start_{number} -> at_{number}_0;")?;
        for (id, stage) in self.automaton.locations.iter_enumerated() {
            let mut marks = format!("label=\"S{}\"", id.0);
            if stage.is_end || stage.is_accepting {
                let fill = if stage.is_end { VIOLATED } else { ACCEPT };
                write!(marks, ", style=\"rounded,filled\", fillcolor=\"{fill}\"")?;
            }
            writeln!(text, "    at_{number}_{} [{marks}];", id.0)?;
            for edge in &stage.edges {
                let guard = escape(&self.automaton.text(edge.guard, &atom));
                writeln!(text, "    at_{number}_{} -> at_{number}_{} [label=\" {guard}\"];", id.0, edge.to.0)?;
            }
        }
        writeln!(text, "  }}")
    }
}

/// Characters of a statement that are shown.
const LONGEST_STATEMENT: usize = 50;

/// Statements of a `d_step` that are shown.
const LONGEST_D_STEP: usize = 8;

/// Text inside the quotes of a label, which Graphviz shows as it is.
fn escape(text: &str) -> String {
    let text = harmless_text(text);
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            // Else `&lt;` would be shown as `<`.
            '&' if characters.peek().is_some_and(|next| next.is_ascii_alphanumeric() || *next == '#') => {
                escaped.push_str("&amp;");
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Options;

    fn drawn(model: &str, only: Option<&str>) -> String {
        let mut session = Session::from_text("a/m.pml", model.to_owned(), &Options::default()).expect("a small model");
        let model = session.resolve_simplified().expect("a good model");
        let Analysed { program, facts, .. } = session.analyse(&model).expect("small formulas");
        dot(&program, &facts.reduction, &session.sources, only)
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
        assert!(text.starts_with(&format!("{HEAD}{}", &expected[1..])), "{text}");
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
        assert_eq!(escape("a\"; evil [x=\"\\n"), "a\\\"; evil [x=\\\"\\\\n");
        assert_eq!(escape("a && b &lt; c &#60;"), "a && b &amp;lt; c &amp;#60;");
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
}
