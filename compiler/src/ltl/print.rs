//! Automata as text: a never claim, the Hanoi Omega-Automata format, or dot.
//!
//! The formula and the names of its atoms are the author's text; each format has its own way to keep such text from
//! ending a comment or a string early.
//!
//! HOA: Babiak et al.: The Hanoi Omega-Automata format, 2015.

use std::fmt::Write as _;

use super::automaton::{Automaton, LocationId, Marks};
use super::bdd::Bdd;

/// The names that an automaton does not contain.
#[derive(Clone, Copy, Debug)]
pub struct AutomatonNames<'a> {
    pub formula: &'a str,
    /// By atom; each stands for a condition in Promela.
    pub atoms: &'a [String],
    pub is_stutter_closed: bool,
}

/// How a sum of products is written.
struct Syntax<'a> {
    and: &'a str,
    or: &'a str,
    yes: &'a str,
    no: &'a str,
    atom: &'a dyn Fn(usize) -> String,
}

fn guard(automaton: &Automaton, guard: Bdd, syntax: &Syntax<'_>) -> String {
    let cubes = automaton.cubes(guard);
    let is_sum = cubes.len() > 1;
    let product = |cube: &Vec<_>| {
        let literals: Vec<String> = cube
            .iter()
            .map(|(atom, positive): &(super::formula::AtomId, bool)| {
                format!("{}{}", if *positive { "" } else { "!" }, (syntax.atom)(atom.0 as usize))
            })
            .collect();
        match &literals[..] {
            [] => syntax.yes.to_owned(),
            [only] => only.clone(),
            _ if is_sum => format!("({})", literals.join(syntax.and)),
            _ => literals.join(syntax.and),
        }
    };
    if cubes.is_empty() { syntax.no.to_owned() } else { cubes.iter().map(product).collect::<Vec<_>>().join(syntax.or) }
}

/// A name stands alone; any other condition needs parentheses.
fn in_parentheses(condition: &str) -> String {
    let is_word = condition.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_word { condition.to_owned() } else { format!("({condition})") }
}

impl Automaton {
    /// A never claim in Promela. The automaton must accept by locations.
    ///
    /// A claim that reaches its end has found a violation, whatever follows: so a location that accepts everything is
    /// written as the end.
    pub fn to_never_claim(&self, names: &AutomatonNames<'_>) -> String {
        let atom = |atom: usize| in_parentheses(&names.atoms[atom]);
        let syntax = Syntax { and: " && ", or: " || ", yes: "true", no: "false", atom: &atom };
        let mut text = format!("never {{    /* {} */\n", names.formula.replace("*/", "* /").replace(['\n', '\r'], " "));
        // The end of the text is the end of the claim.
        let (last, others): (Vec<_>, Vec<_>) = self.locations.ids().partition(|location| self.accepts_all(*location));
        for location in others.into_iter().chain(last) {
            writeln!(text, "{}:", self.label(location)).expect("a string takes all");
            if self.accepts_all(location) {
                text.push_str("\tskip\n");
                continue;
            }
            text.push_str("\tdo\n");
            for transition in &self.locations[location].transitions {
                let guard = in_parentheses(&guard(self, transition.guard, &syntax));
                writeln!(text, "\t:: {guard} -> goto {}", self.label(transition.to)).expect("a string takes all");
            }
            if self.locations[location].transitions.is_empty() {
                text.push_str("\t:: false\n");
            }
            text.push_str("\tod;\n");
        }
        text.push_str("}\n");
        text
    }

    /// The names that Spin gives to the states of its claims.
    fn label(&self, location: LocationId) -> String {
        let is_initial = location == self.initial;
        match () {
            () if self.accepts_all(location) => "accept_all".to_owned(),
            () if self.locations[location].transitions.is_empty() => "T0_init".to_owned(),
            () if self.is_accepting(location) && is_initial => "accept_init".to_owned(),
            () if self.is_accepting(location) => format!("accept_S{}", location.0),
            () if is_initial => "T0_init".to_owned(),
            () => format!("T0_S{}", location.0),
        }
    }

    /// Whether all transitions of each location carry the same marks.
    fn is_marked_by_location(&self) -> bool {
        self.locations.iter().all(|location| location.transitions.windows(2).all(|two| two[0].marks == two[1].marks))
    }

    fn location_marks(&self, location: LocationId) -> Marks {
        self.locations[location].transitions.first().map_or(Marks::NONE, |transition| transition.marks)
    }

    /// The automaton in version 1 of HOA.
    pub fn to_hoa(&self, names: &AutomatonNames<'_>) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let atom = |atom: usize| atom.to_string();
        let syntax = Syntax { and: "&", or: " | ", yes: "t", no: "f", atom: &atom };
        let by_location = self.is_marked_by_location();

        let atoms: String = names.atoms.iter().map(|name| format!(" {}", quoted(name))).collect();
        let sets: Vec<String> = (0..self.n_sets).map(|set| format!("Inf({set})")).collect();
        let (acceptance_name, acceptance) = match self.n_sets {
            0 => ("all".to_owned(), "t".to_owned()),
            1 => ("Buchi".to_owned(), sets.join("")),
            n => (format!("generalized-Buchi {n}"), sets.join("&")),
        };
        let marked = if by_location { "state-acc" } else { "trans-acc" };
        let stutter = if names.is_stutter_closed { " stutter-invariant" } else { "" };
        let mut text = format!(
            "HOA: v1\nname: {}\nStates: {}\nStart: {}\nAP: {}{atoms}\nacc-name: {acceptance_name}\n\
             Acceptance: {} {acceptance}\nproperties: trans-labels explicit-labels {marked}{stutter}\n--BODY--\n",
            quoted(names.formula),
            self.locations.len(),
            self.initial.0,
            names.atoms.len(),
            self.n_sets,
        );
        for (id, location) in self.locations.iter_enumerated() {
            let marks = if by_location { self.location_marks(id) } else { Marks::NONE };
            writeln!(text, "State: {}{}", id.0, braces(marks)).expect("a string takes all");
            for transition in &location.transitions {
                let marks = if by_location { Marks::NONE } else { transition.marks };
                let guard = guard(self, transition.guard, &syntax);
                writeln!(text, "[{guard}] {}{}", transition.to.0, braces(marks)).expect("a string takes all");
            }
        }
        text.push_str("--END--\n");
        text
    }

    /// A drawing for Graphviz: accepting locations have two circles, and marks
    /// on transitions stand below the guard.
    pub fn to_dot(&self, names: &AutomatonNames<'_>) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let atom = |atom: usize| in_parentheses(&names.atoms[atom]);
        let syntax = Syntax { and: " && ", or: " || ", yes: "true", no: "false", atom: &atom };
        let by_location = self.n_sets == 1 && self.is_marked_by_location();
        let mut text = format!(
            "digraph claim {{\n  label={};\n  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n  start -> {};\n",
            quoted(names.formula),
            self.initial.0,
        );
        for (id, location) in self.locations.iter_enumerated() {
            let is_accepting = by_location && self.location_marks(id) == Marks::all(1);
            let shape = if is_accepting { " [shape=doublecircle]" } else { "" };
            writeln!(text, "  {}{shape};", id.0).expect("a string takes all");
            for transition in &location.transitions {
                let marks = if by_location { Marks::NONE } else { transition.marks };
                let label = format!("{}{}", guard(self, transition.guard, &syntax), braces(marks));
                writeln!(text, "  {} -> {} [label={}];", id.0, transition.to.0, quoted(&label))
                    .expect("a string takes all");
            }
        }
        text.push_str("}\n");
        text
    }
}

fn braces(marks: Marks) -> String {
    let sets: Vec<String> = marks.iter().map(|set| set.to_string()).collect();
    if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) }
}
