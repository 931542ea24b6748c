//! What Spin makes of the same formulas, where it is installed.

use std::process::{Command, Stdio};

use pmc::ltl::automaton::Marks;
use pmc::ltl::formula::Formula;

use crate::formulas::{Named, parse_condition};
use crate::lasso::{Lasso, Product};

pub fn is_installed() -> bool {
    Command::new("spin").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// The never claim that Spin makes of a formula.
pub fn never_claim(formula: &str) -> String {
    let output = Command::new("spin").args(["-f", formula]).output().expect("spin is installed");
    String::from_utf8(output.stdout).expect("spin prints ASCII")
}

/// How many states a never claim has: labels in a row name the same one.
pub fn count_states(claim: &str) -> usize {
    let is_label = |line: &&str| line.ends_with(':') && !line.starts_with(char::is_whitespace);
    let mut lines = claim.lines().peekable();
    let mut n_states = 0;
    while let Some(line) = lines.next() {
        let is_last_label = is_label(&line) && !lines.peek().is_some_and(&is_label);
        n_states += usize::from(is_last_label);
    }
    n_states
}

/// A never claim read back: conditions, and where they lead.
pub struct SpinClaim {
    states: Vec<State>,
}

#[derive(Default)]
struct State {
    labels: Vec<String>,
    moves: Vec<(Formula, String)>,
}

impl SpinClaim {
    /// Understands what Spin and we print, and nothing else.
    pub fn parse(claim: &str, atoms: &[String]) -> Self {
        let mut states: Vec<State> = Vec::new();
        let condition = |text: &str| parse_condition(text, atoms);
        for line in claim.lines().map(str::trim).filter(|line| !line.starts_with("never")) {
            if let Some(label) = line.strip_suffix(':') {
                if states.last().is_none_or(|state| !state.moves.is_empty()) {
                    states.push(State::default());
                }
                states.last_mut().expect("pushed if none").labels.push(label.to_owned());
                continue;
            }
            let moves = &mut states.last_mut().map(|state| &mut state.moves);
            let mut go =
                |guard, label: &str| moves.as_mut().expect("a label comes first").push((guard, label.to_owned()));
            if let Some((guard, label)) = line.strip_prefix("::").and_then(|l| l.split_once("-> goto ")) {
                go(condition(guard), label);
            } else if let Some(guarded) = line.strip_prefix(":: atomic {") {
                // A violation that no continuation can undo is an assertion that fails.
                let (guard, _) = guarded.split_once("-> assert").expect("an assertion is guarded");
                go(condition(guard), "accept_all");
            } else if line == "skip" {
                go(Formula::Constant(true), "accept_all");
            } else if line == ":: false" {
                go(Formula::Constant(false), "T0_init");
            } else {
                assert!(["do", "od;", "}", ""].contains(&line), "unknown line {line}");
            }
        }
        Self { states }
    }

    pub fn accepts(&self, lasso: &Lasso) -> bool {
        let find = |label: &String| self.states.iter().position(|state| state.labels.contains(label));
        let edges = |state: usize, position: usize| {
            let is_accepting = self.states[state].labels.iter().any(|label| label.starts_with("accept"));
            let marks = if is_accepting { Marks::all(1) } else { Marks::NONE };
            let enabled = self.states[state].moves.iter().filter(|(guard, _)| lasso.satisfies_at(guard, position));
            enabled.map(|(_, label)| (find(label).expect("a label that is there"), marks)).collect()
        };
        Product::new(lasso, self.states.len(), 0, edges).has_accepting_run(Marks::all(1))
    }
}

/// Whether Spin takes a claim over atoms of these names.
pub fn accepts_syntax(claim: &str, named: &Named) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder for the model");
    let declarations: String = named.atoms.iter().map(|atom| format!("bool {atom};\n")).collect();
    let model = format!("{declarations}active proctype main() {{ skip }}\n{claim}");
    std::fs::write(folder.path().join("model.pml"), &model).expect("the folder is ours");
    let output =
        Command::new("spin").args(["-a", "model.pml"]).current_dir(&folder).output().expect("spin is installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() && !text.contains("rror") { Ok(()) } else { Err(format!("{text}\n{model}")) }
}
