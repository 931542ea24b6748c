//! What the options of a location have in common.
//!
//! Most options are not enabled, and most of these because of a test that others begin with as well: `token == 3 && ..`.
//! An [`OptionTree`] orders them by such tests. It only decides which options need not be tried: an option that is tried still
//! has its whole guard, so that it means the same without the tree. The order of the options stays.
//!
//! A test is made before an option only if its guard would have come to it: one that can fail is not, and none behind it
//! either. One that relies on another test (`i < 3 && a[i] == 0`) is not made before that.

use super::effects::Executable;
use super::{Block, Body, Comparison, Guard, Process, Statement, Step, Test, Transition, Value};
use crate::collections::IdVec;
use crate::ir::TransitionId;

/// Some options of a location, which are tried in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionTree {
    Try(TransitionId),
    /// None of these is enabled unless the test holds.
    If(Test, Vec<OptionTree>),
    /// Each of these is enabled for one value only.
    Switch(Value, Vec<Case>),
}

/// The options for one value, a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub value: Value,
    pub choices: Vec<OptionTree>,
}

/// A switch takes the place of at least so many options.
const FEWEST_SWITCHED: usize = 3;

impl Process {
    /// The choice among transitions that are tried one after the other, none of them an `else`.
    pub fn choices(&self, options: &[TransitionId]) -> Vec<OptionTree> {
        choices(options.iter().map(|id| Candidate::new(*id, &self.transitions)).collect())
    }
}

/// An option, and the tests of its guard that are still to be made, from left to right.
struct Candidate {
    id: TransitionId,
    tests: Vec<Test>,
    /// To begin it costs more than to make its tests.
    is_costly: bool,
}

impl Candidate {
    fn new(id: TransitionId, transitions: &IdVec<TransitionId, Transition>) -> Self {
        let Transition { step, offer, .. } = &transitions[id];
        let step = step.as_ref().filter(|_| offer.is_none());
        let is_costly = step.is_some_and(|step| matches!(step.body, Body::DStep(_)));
        Self { id, tests: step.map(Step::first_tests).unwrap_or_default(), is_costly }
    }

    /// The position of the test whether `value` is a constant, if that test can be made first.
    fn position_of(&self, value: &Value) -> Option<usize> {
        let is_it = |test: &Test| compared(test).is_some_and(|(compared, _)| compared == value);
        self.tests.iter().position(is_it).filter(|&position| position == 0 || relies_on_nothing(value))
    }

    fn without(mut self, position: usize) -> Self {
        self.tests.remove(position);
        self
    }

    fn into_tree(self) -> OptionTree {
        match self.tests.into_iter().reduce(and) {
            Some(test) if self.is_costly => OptionTree::If(test, vec![OptionTree::Try(self.id)]),
            _ => OptionTree::Try(self.id),
        }
    }
}

impl Step {
    /// Tests that must hold where it can be taken, in the order in which its guard makes them.
    fn first_tests(&self) -> Vec<Test> {
        let mut tests = Vec::new();
        match &self.body {
            Body::Statement(statement) => _ = statement.add_tests(&mut tests),
            Body::DStep(d_step) => match d_step.blocks.get(d_step.start).map(Block::tried) {
                Some([row]) => _ = row.statements[0].1.add_tests(&mut tests),
                Some(rows) => {
                    let any = rows.iter().map(|row| row.statements[0].1.whole_test());
                    let any: Option<Vec<Test>> = any.collect();
                    tests.extend(any.and_then(|any| any.into_iter().reduce(or)));
                }
                None => {}
            },
        }
        tests
    }
}

impl Statement {
    /// Returns whether the guard tests nothing else.
    fn add_tests(&self, tests: &mut Vec<Test>) -> bool {
        match &self.guard {
            Guard::Test(test) => add_tests(test, tests),
            _ => false,
        }
    }

    /// The test that holds exactly where the statement is executable.
    fn whole_test(&self) -> Option<Test> {
        let mut tests = Vec::new();
        let is_whole = self.add_tests(&mut tests);
        tests.into_iter().reduce(and).filter(|_| is_whole)
    }
}

/// Adds the parts of a conjunction, up to one that can be a fault. Returns whether all were added.
fn add_tests(test: &Test, tests: &mut Vec<Test>) -> bool {
    if let Test::And(left, right) = test {
        return add_tests(left, tests) && add_tests(right, tests);
    }
    let effects = test.effects();
    let is_pure = !effects.can_fail && !effects.uses_timeout && !effects.writes_state();
    if is_pure {
        tests.push(test.clone());
    }
    is_pure
}

fn and(left: Test, right: Test) -> Test {
    Test::And(Box::new(left), Box::new(right))
}

fn or(left: Test, right: Test) -> Test {
    Test::Or(Box::new(left), Box::new(right))
}

/// A scalar that a test compares with a constant for equality, and that constant.
fn compared(test: &Test) -> Option<(&Value, &Value)> {
    match test {
        Test::Compare(Comparison::Equal, value @ Value::Load(_), constant @ Value::Constant { .. }) => {
            Some((value, constant))
        }
        _ => None,
    }
}

/// Whether a scalar can be read in every state: an index may lie in its array only where a test before it holds.
fn relies_on_nothing(value: &Value) -> bool {
    match value {
        Value::Load(place) => place.indices.iter().all(|index| index.value.as_constant().is_some()),
        _ => false,
    }
}

fn choices(options: Vec<Candidate>) -> Vec<OptionTree> {
    let mut made = Vec::new();
    let mut rest = options.into_iter();
    while let [first, ..] = rest.as_slice() {
        if let Some((value, n)) = switched(rest.as_slice()) {
            made.push(switch(value, rest.by_ref().take(n)));
            continue;
        }
        match (n_sharing(rest.as_slice()), first.tests.first().cloned()) {
            (n @ 2.., Some(test)) => {
                let inner = rest.by_ref().take(n).map(|option| option.without(0)).collect();
                made.push(OptionTree::If(test, choices(inner)));
            }
            _ => made.extend(rest.next().map(Candidate::into_tree)),
        }
    }
    made
}

/// The scalar that the most options from the first one on compare with constants, and how many do.
fn switched(options: &[Candidate]) -> Option<(Value, usize)> {
    let mut best: Option<(&Value, usize)> = None;
    for (value, _) in options[0].tests.iter().filter_map(compared) {
        let n = options.iter().take_while(|option| option.position_of(value).is_some()).count();
        if n >= FEWEST_SWITCHED && best.is_none_or(|(_, most)| n > most) && has_several_cases(value, &options[..n]) {
            best = Some((value, n));
        }
    }
    best.map(|(value, n)| (value.clone(), n))
}

fn has_several_cases(value: &Value, options: &[Candidate]) -> bool {
    let mut constants = options.iter().filter_map(|option| constant(value, option));
    let first = constants.next();
    constants.any(|constant| Some(constant) != first)
}

/// The constant that an option compares a scalar with.
fn constant(value: &Value, option: &Candidate) -> Option<i32> {
    let position = option.position_of(value)?;
    compared(&option.tests[position]).and_then(|(_, constant)| constant.as_constant())
}

fn switch(value: Value, options: impl Iterator<Item = Candidate>) -> OptionTree {
    let mut cases: Vec<(Value, Vec<Candidate>)> = Vec::new();
    for option in options {
        let Some(position) = option.position_of(&value) else { continue };
        let Some((_, constant)) = compared(&option.tests[position]) else { continue };
        let (constant, option) = (constant.clone(), option.without(position));
        match cases.iter_mut().find(|(other, _)| other.as_constant() == constant.as_constant()) {
            Some((_, options)) => options.push(option),
            None => cases.push((constant, vec![option])),
        }
    }
    let cases = cases.into_iter().map(|(value, options)| Case { value, choices: choices(options) });
    OptionTree::Switch(value, cases.collect())
}

/// How many options from the first one on begin with the same test.
fn n_sharing(options: &[Candidate]) -> usize {
    let Some(first) = options[0].tests.first() else { return 1 };
    options.iter().take_while(|option| option.tests.first() == Some(first)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Options, Session};
    use crate::model::Model;

    /// The choice at the first location of a process with these options, which have numbers from 0 on.
    fn shown(declarations: &str, options: &str) -> String {
        let text = format!("{declarations} active [2] proctype p() {{ do {options} od }}");
        let mut session = Session::from_text("model.pml", text, &Options::default()).expect("a small model");
        let model = session.resolve_simplified().expect("a good model");
        let analysed = session.analyse(&model).expect("no formulas");
        let process = analysed.exec.processes.iter().last().expect("the process is the last one");
        let options = process.locations.iter().next().expect("its first location").groups.concat();
        Shown { model: analysed.program.model, options: &options }.texts(&process.choices(&options))
    }

    struct Shown<'m> {
        model: &'m Model,
        options: &'m [TransitionId],
    }

    impl Shown<'_> {
        fn texts(&self, choices: &[OptionTree]) -> String {
            choices.iter().map(|choice| self.text(choice)).collect::<Vec<_>>().join(" ")
        }

        fn text(&self, choice: &OptionTree) -> String {
            match choice {
                OptionTree::Try(id) => {
                    let number = self.options.iter().position(|option| option == id);
                    number.expect("one of the options").to_string()
                }
                OptionTree::If(test, inner) => format!("if {} ({})", test_text(test, self.model), self.texts(inner)),
                OptionTree::Switch(value, cases) => {
                    let Value::Load(place) = value else { unreachable!("only scalars are switched on") };
                    let case = |case: &Case| {
                        let constant = case.value.as_constant().expect("a constant");
                        format!("{constant}: {}", self.texts(&case.choices))
                    };
                    let cases: Vec<String> = cases.iter().map(case).collect();
                    format!("switch {} ({})", self.model.variables[place.variable].name, cases.join(", "))
                }
            }
        }
    }

    fn test_text(test: &Test, model: &Model) -> String {
        match test {
            Test::Compare(_, Value::Load(place), _) => model.variables[place.variable].name.to_string(),
            Test::And(left, right) => format!("{} && {}", test_text(left, model), test_text(right, model)),
            Test::Or(left, right) => format!("{} || {}", test_text(left, model), test_text(right, model)),
            _ => "..".to_owned(),
        }
    }

    #[test]
    fn options_that_compare_one_scalar_with_constants_are_switched() {
        let options = ":: x == 1 && y > 0 -> y = 0 :: y < 9 && x == 2 -> y++ :: x == 1 -> x = 2 :: x == 3 -> x = 1";
        assert_eq!(shown("byte x, y;", options), "switch x (1: 0 2, 2: 1, 3: 3)");
    }

    #[test]
    fn options_keep_their_order() {
        let options = ":: x == 1 -> x = 2 :: y == 1 -> y = 0 :: x == 2 -> x = 3 :: x == 3 -> x = 1 :: x == 1 -> y = 1";
        assert_eq!(shown("byte x, y;", options), "0 1 switch x (2: 2, 3: 3, 1: 4)");
    }

    #[test]
    fn a_test_that_several_begin_with_is_made_once() {
        let options = ":: x > 1 && y == 0 -> y = 1 :: x > 1 && y == 1 -> y = 2 :: y == 2 -> x++; y = 0";
        assert_eq!(shown("byte x, y;", options), "switch y (0: 0, 1: 1, 2: 2)");
        let options = ":: x > 1 && y > 0 -> y = 0 :: x > 1 && y < 3 -> y++ :: y > 2 -> x++";
        assert_eq!(shown("byte x, y;", options), "if x (0 1) 2");
    }

    #[test]
    fn an_index_is_used_only_behind_the_test_that_bounds_it() {
        let options = ":: i < 2 && a[i] == 0 -> i++ :: i < 2 && a[i] == 1 -> i++ :: i < 2 && a[i] == 2 -> i = 0";
        let array = "byte a[2]; byte i; init { i = 7 }";
        assert_eq!(shown(array, options), "if i (0 1 2)");
        let options = ":: i < 2 && a[i] == 0 -> i++ :: i < 1 && a[i] == 1 -> i++ :: a[1] == 2 -> i = 0";
        assert_eq!(shown(array, options), "0 1 2");
    }

    #[test]
    fn what_can_be_a_fault_is_not_tried_beforehand() {
        let options = ":: a[i] == 0 -> i++ :: a[i] == 1 -> i++ :: a[i] == 2 && x == 1 -> i = 0";
        assert_eq!(shown("byte a[2]; byte i, x; init { i = 7; a[1] = 2; x = 1 }", options), "0 1 2");
    }

    #[test]
    fn a_d_step_is_begun_only_where_its_guard_holds() {
        let options = ":: d_step { x > 1 && y > 2 -> x = 0 } :: d_step { if :: x < 1 -> x = 3 :: y < 1 -> y = 5 fi } \
                       :: d_step { if :: x < 1 -> x = 3 :: else -> y = 5 fi }";
        assert_eq!(shown("byte x, y;", options), "if x && y (0) if x || y (1) 2");
    }
}
