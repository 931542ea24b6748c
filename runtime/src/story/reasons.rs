//! Why a run violates a formula: which part of it is false where, with values.
//!
//! The narrator records the states on which the automaton moves. At the end the formula is evaluated on them; only if it is
//! false there is an explanation, so that an explanation is never wrong.

use super::ending::values_text;
use super::evaluate::View;
use super::formula::{Binary, Formula, Truths, Unary};
use super::lines::says_nothing;
use super::meaning::Expr;

/// Of longer runs the formula is not evaluated.
const MOST_STATES: usize = 5_000;

/// So many values are named.
const MOST_VALUES: usize = 4;

/// The states of a run that a claim has seen, as far as the atoms of its formula go.
#[derive(Default)]
pub(super) struct Seen {
    /// How many steps come before each.
    steps: Vec<usize>,
    atoms: Vec<Vec<Option<bool>>>,
    /// What each atom reads there, with its value.
    reads: Vec<Vec<Vec<(String, String)>>>,
    is_too_long: bool,
}

impl Seen {
    /// Remembers a state, behind so many steps.
    pub fn look(&mut self, view: View<'_>, formula: &Formula, n_steps: usize) {
        if self.steps.len() >= MOST_STATES {
            self.is_too_long = true;
            return;
        }
        let mut atoms = Vec::new();
        formula.atoms(&mut atoms);
        self.steps.push(n_steps);
        self.atoms.push(atoms.iter().map(|atom| view.value(atom).map(|value| value != 0)).collect());
        let reads = |atom: &&Expr| {
            let mut reads = Vec::new();
            view.reads(atom, &mut reads);
            reads
        };
        self.reads.push(atoms.iter().map(reads).collect());
    }

    pub fn n_states(&self) -> usize {
        self.steps.len()
    }

    /// Lines that say why the formula is false on these states; behind the last one comes that of number `back`. Nothing if it
    /// is not false, or not known to be.
    pub fn why(&self, view: View<'_>, formula: &Formula, back: Option<usize>) -> Vec<String> {
        if self.is_too_long || self.steps.is_empty() || back.is_some_and(|back| back >= self.steps.len()) {
            return Vec::new();
        }
        let truths = Truths { atoms: &self.atoms, back };
        let mut telling = Telling { seen: self, truths, view, lines: Vec::new(), last: None };
        match telling.truths.of(formula)[0] {
            Some(false) => telling.is_false(formula, 0),
            Some(true) | None => return Vec::new(),
        }
        telling.lines
    }
}

/// Says why parts of a formula hold or do not.
struct Telling<'t> {
    seen: &'t Seen,
    truths: Truths<'t>,
    view: View<'t>,
    lines: Vec<String>,
    /// The state that the last line is about.
    last: Option<usize>,
}

impl Telling<'_> {
    fn is_true(&mut self, formula: &Formula, at: usize) {
        match formula {
            _ if formula.is_of_one_state() => self.state(formula, at, true),
            Formula::Unary(Unary::Not, of) => self.is_false(of, at),
            Formula::Unary(Unary::Next, of) => {
                if let Some(next) = self.truths.next(at) {
                    self.is_true(of, next);
                }
            }
            Formula::Unary(Unary::Eventually, of) => {
                if let Some(found) = self.first(of, at, true) {
                    self.is_true(of, found);
                }
            }
            Formula::Unary(Unary::Always, of) if of.is_of_one_state() => self.ever_after(of, at, true),
            Formula::Binary(Binary::And, left, right) => {
                self.is_true(left, at);
                self.is_true(right, at);
            }
            Formula::Binary(Binary::Or, left, right) => {
                let one = if self.truths.of(left)[at] == Some(true) { left } else { right };
                self.is_true(one, at);
            }
            Formula::Binary(Binary::Implies, left, right) => match self.truths.of(left)[at] {
                Some(false) => self.is_false(left, at),
                _ => self.is_true(right, at),
            },
            _ => self.holds(formula, at),
        }
    }

    fn is_false(&mut self, formula: &Formula, at: usize) {
        match formula {
            _ if formula.is_of_one_state() => self.state(formula, at, false),
            Formula::Atom(..) => {}
            Formula::Unary(op, of) => match op {
                Unary::Not => self.is_true(of, at),
                Unary::Next => {
                    if let Some(next) = self.truths.next(at) {
                        self.is_false(of, next);
                    }
                }
                Unary::Always => {
                    if let Some(found) = self.first(of, at, false) {
                        self.is_false(of, found);
                    }
                }
                Unary::Eventually if of.is_of_one_state() => self.ever_after(of, at, false),
                Unary::Eventually => {
                    let text = self.text(of, 0);
                    let from = self.since(at);
                    self.say(at, format!("{from} `{text}` never comes to hold: each time around the cycle"));
                    self.is_false(of, self.truths.back.map_or(at, |back| back.max(at)));
                }
            },
            Formula::Binary(op, left, right) => match op {
                Binary::And => {
                    let one = if self.truths.of(left)[at] == Some(false) { left } else { right };
                    self.is_false(one, at);
                }
                Binary::Or => {
                    self.is_false(left, at);
                    self.is_false(right, at);
                }
                Binary::Implies => {
                    self.is_true(left, at);
                    self.is_false(right, at);
                }
                Binary::Equivalent => {
                    let (one, other) =
                        if self.truths.of(left)[at] == Some(true) { (left, right) } else { (right, left) };
                    self.is_true(one, at);
                    self.is_false(other, at);
                }
                Binary::Until | Binary::WeakUntil => self.too_early(left, right, at),
                Binary::Release => {
                    if let Some(found) = self.first(right, at, false) {
                        self.is_false(right, found);
                        let text = self.text(left, 0);
                        self.lines.push(format!("and `{text}` has not held before"));
                    }
                }
            },
        }
    }

    /// The left side of `U` or `W` ends before the right one begins, or the right one never does.
    fn too_early(&mut self, left: &Formula, right: &Formula, at: usize) {
        let ends = self.first(left, at, false);
        let begins = self.first(right, at, true);
        match (ends, begins) {
            (Some(ends), _) => {
                let text = self.text(right, 0);
                self.is_false(left, ends);
                self.lines.push(format!("and `{text}` has not held before, nor does it then"));
            }
            (None, _) if right.is_of_one_state() => self.ever_after(right, at, false),
            (None, _) => self.is_false(right, at),
        }
    }

    /// The first state from one on in which a formula has a truth.
    fn first(&self, formula: &Formula, at: usize, truth: bool) -> Option<usize> {
        let truths = self.truths.of(formula);
        self.truths.onwards(at).find(|state| truths[*state] == Some(truth))
    }

    fn say(&mut self, at: usize, line: String) {
        self.lines.push(line);
        self.last = Some(at);
    }

    /// A formula about one state has a truth there.
    fn state(&mut self, formula: &Formula, at: usize, truth: bool) {
        let (formula, truth) = without_not(formula, truth);
        let mut reads = Vec::new();
        self.decisive(formula, at, &mut reads);
        let text = self.text(formula, 0);
        reads.retain(|read| !says_nothing(&text, read));
        let values = if reads.is_empty() { String::new() } else { format!(": {}", values_text(&reads)) };
        let place = self.place(at);
        self.say(at, format!("{place} `{text}` is {truth}{values}"));
    }

    fn holds(&mut self, formula: &Formula, at: usize) {
        let (place, text) = (self.place(at), self.text(formula, 0));
        self.say(at, format!("{place} `{text}` holds"));
    }

    /// A formula about one state has the same truth in all states from one on.
    fn ever_after(&mut self, formula: &Formula, at: usize, truth: bool) {
        let (formula, truth) = without_not(formula, truth);
        let from = self.since(at);
        let text = self.text(formula, 0);
        let values = self.values_from(formula, at, &text);
        let always = if truth { "is always true" } else { "is never true" };
        self.say(at, format!("{from} `{text}` {always}{values}"));
    }

    fn place(&self, at: usize) -> String {
        match self.seen.steps[at] {
            0 => "at the start".to_owned(),
            n => format!("after step {n}"),
        }
    }

    fn since(&self, at: usize) -> String {
        match self.seen.steps[at] {
            _ if self.last == Some(at) => "and from then on".to_owned(),
            0 => "from the start on".to_owned(),
            n => format!("from step {n} on"),
        }
    }

    /// What decides the truth of a formula in a state.
    fn decisive(&self, formula: &Formula, at: usize, reads: &mut Vec<(String, String)>) {
        match formula {
            Formula::Atom(number, _) => {
                for read in &self.seen.reads[at][*number] {
                    if !reads.iter().any(|known| known.0 == read.0) {
                        reads.push(read.clone());
                    }
                }
            }
            Formula::Unary(_, of) => self.decisive(of, at, reads),
            Formula::Binary(op, left, right) => {
                let is = |side: &Formula, truth: bool| self.truths.of(side)[at] == Some(truth);
                let sides: &[&Formula] = match op {
                    Binary::And | Binary::Implies if is(left, false) => &[left],
                    Binary::Or if is(left, true) => &[left],
                    Binary::And if is(right, false) => &[right],
                    Binary::Or | Binary::Implies if is(right, true) => &[right],
                    _ => &[left, right],
                };
                for side in sides {
                    self.decisive(side, at, reads);
                }
            }
        }
    }

    /// The values that decide in the states from one on: `: x = 1` if they stay, `: x is 0 or 1` if not.
    fn values_from(&self, formula: &Formula, at: usize, text: &str) -> String {
        let mut all: Vec<Vec<(String, String)>> = Vec::new();
        for state in self.truths.onwards(at) {
            let mut reads = Vec::new();
            self.decisive(formula, state, &mut reads);
            reads.retain(|read| !says_nothing(text, read));
            if !reads.is_empty() && !all.contains(&reads) {
                all.push(reads);
            }
        }
        let name = all.first().and_then(|reads| reads.first()).map(|(name, _)| name.clone()).unwrap_or_default();
        let is_one_name = all.iter().all(|reads| reads.len() == 1 && reads[0].0 == name);
        let mut shown: Vec<String> = match is_one_name && all.len() > 1 {
            true => all.iter().map(|reads| reads[0].1.clone()).collect(),
            false => all.iter().map(|reads| values_text(reads)).collect(),
        };
        if shown.len() > MOST_VALUES {
            shown.truncate(MOST_VALUES - 1);
            shown.push("others".to_owned());
        }
        match &shown[..] {
            [] => String::new(),
            [one] => format!(": {one}"),
            [rest @ .., last] if is_one_name => format!(": {name} is {} or {last}", rest.join(", ")),
            [rest @ .., last] => format!(": {} or {last}", rest.join("; ")),
        }
    }

    /// A formula as its author would write it; `around` is how tightly what is around it binds.
    fn text(&self, formula: &Formula, around: u8) -> String {
        let (text, own) = match formula {
            Formula::Atom(_, expr) => {
                let text = self.view.text(expr);
                let is_word = text.chars().all(|c| c.is_alphanumeric() || "_@:[]().".contains(c));
                (text, if is_word { TIGHTEST } else { COMPARED })
            }
            Formula::Unary(op, of) => {
                let gap = if *op == Unary::Not { "" } else { " " };
                (format!("{}{gap}{}", op.sign(), self.text(of, TIGHTEST)), COMPARED + 1)
            }
            Formula::Binary(op, left, right) => {
                // The others surprise too many readers without parentheses.
                let (own, of_left, of_right) = match op {
                    Binary::And => (3, 3, 4),
                    Binary::Or => (2, 2, 3),
                    Binary::Implies | Binary::Equivalent => (1, 2, 2),
                    Binary::Until | Binary::WeakUntil | Binary::Release => (1, TIGHTEST, TIGHTEST),
                };
                (format!("{} {} {}", self.text(left, of_left), op.sign(), self.text(right, of_right)), own)
            }
        };
        if own < around { format!("({text})") } else { text }
    }
}

/// `p` is true, for `!p` is false.
fn without_not(formula: &Formula, truth: bool) -> (&Formula, bool) {
    match formula {
        Formula::Unary(Unary::Not, of) => without_not(of, !truth),
        _ => (formula, truth),
    }
}

/// How tightly a comparison binds, and a name.
const COMPARED: u8 = 4;
const TIGHTEST: u8 = 6;
